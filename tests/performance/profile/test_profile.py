"""`fathom profile` and `fathom compare` on a small box: tables, JSON, trace, pictures, history;
artificial regressions are found, and mistakes get clear messages.
"""

import copy
import json
import platform
import shutil
import sys

import numpy as np
import pytest

import box
import synthetic
from fathom import plots
from fathom.performance import history
from fathom.plots.report import page as report
from fathom.plots.report import tables as profile_tables
from fathom.plots.report import timeline, traces


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A profile on two ranks, with all its files."""
    folder = tmp_path_factory.mktemp("profile")
    box.write(folder)
    status, out, err = box.fathom(
        "profile",
        "box.toml",
        "--set",
        "simulation.checkpoint=12h",
        "--steps",
        24,
        "--spin-up",
        2,
        "--ranks",
        2,
        "--json",
        "p.json",
        "--trace",
        "t.json",
        "--pictures",
        "pictures",
        "--record",
        "history",
        folder=folder,
    )
    assert (status, err) == (0, ""), err
    return folder, out, json.loads((folder / "p.json").read_text())


def test_tables_and_figures(made):
    _folder, out, found = made
    for words in (
        "By exclusive time",
        "By elapsed time",
        "parallel efficiency",
        "profiling",
        "counters",
        "surface.zarr",
        "the first of this machine",
        "BarotropicSolve",
    ):
        assert words in out
    head, rows = profile_tables.by_exclusive_time(found["profile"])
    assert float(rows[-1][head.index("%")]) == pytest.approx(100, abs=0.5)
    assert found["environment"]["OMP_NUM_THREADS"] == "1" and "OMP_NUM_THREADS=1" in out
    rate = found["rates"]["MomentumAdvection"]
    assert rate["operations"] > 0 and 0 < rate["fraction"] < 1.5 and rate["limit"]
    assert rate["data_in"] in ("second cache", "last cache", "memory")
    if shutil.which("objdump") and platform.machine() == "x86_64":
        assert rate["in_vectors"] > 0.8 and 2 < rate["lanes"] <= 16
        head, rows = profile_tables.by_exclusive_time(found["profile"], found["rates"], 0.0)
        assert all(len(row) == len(head) for row in rows)
        assert any(row[head.index("in vectors")].endswith(" %") for row in rows)
    assert (
        len(found["samples"]["MomentumAdvection"]) == 8
        and min(found["samples"]["MomentumAdvection"]) > 0
    )
    assert (
        found["files"]["surface.zarr"]["bytes"] > 0
        and found["files"]["surface.zarr"]["opened"] == found["files"]["surface.zarr"]["closed"] > 0
    )
    assert found["files"]["restart-{date}.fathom"]["calls"] > 0
    assert len(found["step_seconds"]) == 23 and found["output_steps"]["surface.zarr"] == [
        22
    ]  # after two days, of which two hours were before


def test_trace_is_that_of_the_run(made):
    folder, _, found = made
    events = [
        e for e in json.loads((folder / "t.json").read_text())["traceEvents"] if e["ph"] == "X"
    ]
    assert {e["pid"] for e in events} == {0, 1}
    for rank in (0, 1):
        steps = [e for e in events if e["pid"] == rank and e["name"] == "step"]
        assert len(steps) == 24 and all(
            a["ts"] + a["dur"] <= b["ts"] + 0.01
            for a, b in zip(
                sorted(steps, key=lambda e: e["ts"]), sorted(steps, key=lambda e: e["ts"])[1:]
            )
        )
    solves = sum(e["dur"] for e in events if e["name"] == "BarotropicSolve") / 2e6
    assert solves == pytest.approx(
        next(r["elapsed"] for r in found["profile"] if r["region"] == "BarotropicSolve"), rel=0.01
    )
    waited = sum(e["dur"] for e in events if e["name"] == "waiting") / 1e6
    assert waited == pytest.approx(sum(found["seconds_of_ranks"]["waiting"]), rel=0.02, abs=1e-4)


def test_pictures(made):
    for name in ("gantt", "solver", "steps"):
        assert (made[0] / "pictures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def made_up(steps=4, ranks=2):
    """Traces of steps of 10 ms: tracers 3, an exchange 1 of which rank 1 waits half, a solver 5
    with a sum of 2, a balance of the surface ½ with its own sum, and ½ without a name."""
    names = [
        ("run", "", "", ["run"]),
        ("step", "", "", ["run", "step"]),
        ("rows", "", "", ["run", "step", "rows"]),
        ("advection", "tracer", "process", ["run", "step", "rows", "advection"]),
        ("exchange of T", "tracer", "exchange", ["run", "step", "exchange of T"]),
        ("solve", "barotropic", "global", ["run", "step", "solve"]),
        ("sum", "barotropic", "sum", ["run", "step", "solve", "sum"]),
        ("balance", "surface", "global", ["run", "step", "balance"]),
        ("sum of balance", "surface", "sum", ["run", "step", "balance", "sum of balance"]),
    ]
    regions = [{"phase": phase, "kind": kind, "path": path} for _, phase, kind, path in names]
    made = []
    for rank in range(ranks):
        events, met = [], []
        for n in range(steps):
            t = 0.01 * n
            events += [
                (3, t, t + 0.003),
                (2, t, t + 0.003),
                (4, t + 0.003, t + 0.004),
                (6, t + 0.005, t + 0.007),
                (5, t + 0.004, t + 0.009),
                (8, t + 0.0092, t + 0.0094),
                (7, t + 0.009, t + 0.0095),
                (1, t, t + 0.01),
            ]
            met.append((4, t + 0.003, t + 0.004, 0.0005 * rank))
        region, begin, end = (np.array(c) for c in zip(*events))
        where, blocked, free, waiting = (np.array(c) for c in zip(*met))
        made.append(
            {
                "regions": regions,
                "region": region,
                "begin": begin,
                "end": end,
                "met": where,
                "blocked": blocked,
                "free": free,
                "waiting": waiting,
                "steps": 0.01 * np.arange(steps),
                "lost": 0,
            }
        )
    return made


def test_otf2_reads_back(tmp_path, monkeypatch):
    otf2 = pytest.importorskip("otf2")
    made = made_up()
    traces.write(tmp_path / "t.otf2", made)
    traces.write(tmp_path / "t.otf2", made)  # in place of the first
    inside, seconds = {}, {}
    with otf2.reader.open(str(tmp_path / "t.otf2" / "traces.otf2")) as archive:
        for location, event in archive.events:
            held, name = inside.setdefault(location, []), event.region.name
            if isinstance(event, otf2.events.Enter):
                held.append((name, event.time))
            else:
                entered, begin = held.pop()
                assert entered == name
                seconds[location.group.name, name] = (
                    seconds.get((location.group.name, name), 0.0)
                    + (event.time - begin) / archive.timer_resolution
                )
    assert len(inside) == 2 * len(made) and not any(inside.values())
    for rank, trace in enumerate(made):
        for n, region in enumerate(trace["regions"]):
            own = trace["region"] == n
            if (
                region["path"][-1]
                not in [r["path"][-1] for r in trace["regions"] if r is not region]
                and own.any()
            ):
                assert seconds[f"rank {rank}", region["path"][-1]] == pytest.approx(
                    (trace["end"] - trace["begin"])[own].sum(), abs=1e-8
                )
    monkeypatch.setitem(sys.modules, "otf2", None)
    with pytest.raises(ValueError, match="pip install otf2"):
        traces.write(tmp_path / "t.otf2", made)


def test_states_and_utilisation_add_up():
    made = made_up()
    chart = timeline.Timeline(made)
    assert chart.seconds() == pytest.approx(
        {
            "tracer update": 0.012,
            "baroclinic boundary": 0.004,
            "solver": 0.02,
            "baroclinic": 0.002,
            "": 0.002,
        }
    )
    times, counts = chart.counts()
    integral = {state: float((held[:-1] * np.diff(times)).sum()) for state, held in counts.items()}
    assert integral == pytest.approx(
        {"waiting": 0.002, "communication": 0.006, "computing": 0.072}
    ) and sum(integral.values()) == pytest.approx(2 * 0.04)
    assert [bar.state for bar in chart.solver[0]] == ["other", "sum"] * 4 and timeline.window(
        made, 2
    ) == pytest.approx((0.01, 0.03))
    assert len(traces.figures({"step_seconds": [0.01] * 3}, made)) == 3
    with pytest.raises(ValueError, match="no events"):
        plots.gantt({"nobody": [[], []]})


def test_report_has_the_chart(tmp_path):
    made = made_up()
    report.write_report(
        tmp_path / "r.html",
        title="t",
        summary={"steps": 4, "step_seconds": [0.01] * 3},
        configuration="",
        profile=synthetic.profile(),
        trace=made,
    )
    page = (tmp_path / "r.html").read_text()
    assert (
        '<div class="timeline">' in page
        and '"advection"' in page
        and "By exclusive time" in page
        and 'class="missing"' not in page
    )
    assert "http" not in page and page.count("data:image/png") == 4


def test_regressions_are_found_and_noise_is_not(made, tmp_path):
    _, _, found = made
    noise = np.random.default_rng(1)
    steady = {
        name: [0.001, 0.1][name == "MomentumAdvection"] * (1 + 0.01 * noise.standard_normal(8))
        for name in ("MomentumAdvection", "sum", "halo")
    }
    profile = found | {"samples": {name: list(values) for name, values in steady.items()}}
    slower = copy.deepcopy(profile)
    slower["samples"]["MomentumAdvection"] = [
        1.2 * x for x in slower["samples"]["MomentumAdvection"]
    ]
    again = {
        **profile,
        "samples": {
            name: [x * (1 + 0.01 * noise.standard_normal()) for x in values]
            for name, values in profile["samples"].items()
        },
    }
    assert not [r for r in history.compared(profile, again) if r["verdict"]]
    assert [
        (r["region"], r["verdict"]) for r in history.compared(profile, slower) if r["verdict"]
    ] == [("MomentumAdvection", "slower")]
    assert [
        (r["region"], r["verdict"]) for r in history.compared(slower, profile) if r["verdict"]
    ] == [("MomentumAdvection", "faster")]
    busy = {
        **profile,
        "samples": {name: [1.5 * x for x in values] for name, values in profile["samples"].items()},
    }  # the whole machine
    assert history.common(profile, busy) == pytest.approx(1.5) and not [
        r for r in history.compared(profile, busy) if r["verdict"]
    ]
    assert (
        "the first" in history.record(tmp_path, profile).lines[0]
        and "nothing became slower" in history.record(tmp_path, again).lines[1]
    )
    assert (
        history.record(tmp_path, slower).lines[2].startswith("MomentumAdvection slower")
        and len(list(tmp_path.iterdir())) == 1
    )
    assert len(history.file_of(tmp_path, profile).read_text().splitlines()) == 3


def test_compare_draws_ranks_of_both(made):
    """Three steps side by side; a profile without events says how to get them."""
    folder = made[0]
    status, _, err = box.fathom("compare", "p.json", "p.json", "--gantt", "g.png", folder=folder)
    held = json.loads((folder / "p.json").read_text())
    if "timeline" in held:
        assert status == 0 and (folder / "g.png").stat().st_size > 5000
        bars = held["timeline"]["states"]
        assert len(bars) == held["ranks"] and all(end >= begin for begin, end, _ in bars[0])
    else:
        assert status == 2 and "--pictures" in err


def test_compare(made):
    folder = made[0]
    (folder / "run").mkdir()
    (folder / "run" / "summary.json").write_text((folder / "p.json").read_text())
    status, out, _ = box.fathom("compare", "p.json", "run", "--json", "c.json", folder=folder)
    records = json.loads((folder / "c.json").read_text())
    assert status == 0 and "noise" in out and "\nall " in out
    assert "MomentumAdvection" in {record["region"] for record in records}
    (folder / "text.json").write_text("{")
    for wrong, words in (
        ("nothing.json", "does not exist"),
        ("text.json", "is no profile"),
        ("box.toml", "is no profile"),
    ):
        status, _, err = box.fathom("compare", "p.json", wrong, folder=folder)
        assert status == 2 and words in err and "Traceback" not in err
