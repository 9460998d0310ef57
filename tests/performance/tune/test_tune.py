"""`fathom tune` on a small box: its files, the settings that it keeps, that runs use and print
them, that no bit changes, and its messages for mistakes.
"""

import json
import math
import random
import tomllib
from dataclasses import asdict

import pytest

import box
from fathom.performance.tune import shapes
from fathom.performance.tune import ways as tune
from fathom.performance.tune.search import Finding, Result
from fathom.performance.tune.tuned import tuned_text
from fathom.run.experiment.toml import Document


def fathom(*arguments, folder):
    return box.fathom(*arguments, folder=folder, FATHOM_CACHE=str(folder / "cache"))


def test_there_and_in_the_runs_after(tmp_path):
    file = box.write(tmp_path)
    file.write_text(file.read_text() + '\n[parallel]\ndistribution = "auto"\n')  # tunes only tiles
    run = lambda name, *more: fathom(
        "run", "box.toml", "--for", "1d", "--no-report", "--out", name, *more, folder=tmp_path
    )
    assert run("untuned")[0] == 0
    status, out, err = fathom(
        "tune",
        "box.toml",
        "--ranks",
        1,
        "--threads",
        1,
        "--seconds",
        4,
        "--no-proposals",
        "--json",
        "found.json",
        folder=tmp_path,
    )
    assert (status, err) == (0, ""), err
    assert (
        "1 rank × 1 thread" in out
        and "the same bits in all" in out
        and "tuned.toml" in out
        and "OTHER" not in out
    )
    found = json.loads((tmp_path / "found.json").read_text())
    assert (
        found["simulations"] > 1
        and found["tiles_tried"]
        and {f["axis"] for f in found["result"]["findings"]} - {"together"} == {"tile"}
    )
    assert found["named"] == ["distribution"] and "left as given: distribution" in out
    before, after = (
        tomllib.loads((tmp_path / name).read_text()) for name in ("box.toml", "tuned.toml")
    )
    chosen = after.pop("parallel")
    assert (
        after == {name: table for name, table in before.items() if name != "parallel"}
        and before["parallel"].items() <= chosen.items()
        and chosen["ranks"] == 1
        and chosen["threads"] == 1
    )
    (kept,) = (tmp_path / "cache/choices").glob("*.json")
    settings = json.loads(kept.read_text())["settings"]
    assert (
        settings
        and all(s["how"] == "tuned" for s in settings.values())
        and all(chosen.get(name) == s["value"] for name, s in settings.items())
    )
    assert run("after")[0] == 0
    status, out, err = fathom(
        "run", "tuned.toml", "--for", "1d", "--no-report", "--out", "tuned", folder=tmp_path
    )
    assert status == 0, err
    summaries = [box.summary(tmp_path / name) for name in ("untuned", "after", "tuned")]
    assert len({s["checksum"] for s in summaries}) == 1
    assert all("tuned on this machine" in summaries[1]["choices"][name]["why"] for name in settings)
    assert all(
        summaries[2]["choices"][name]["why"] == "given"
        for name, s in settings.items()
        if s["value"] is not None
    )
    status, out, err = fathom("show", "box.toml", folder=tmp_path)
    assert status == 0 and "tuned on this machine on 2" in out
    status, out, err = fathom(
        "show", "box.toml", "--set", "parallel.automatic=false", folder=tmp_path
    )
    assert "tuned on" not in out


@pytest.mark.long
def test_ranks_and_threads_are_found(tmp_path):
    box.write(tmp_path)
    status, out, err = fathom(
        "tune",
        "box.toml",
        "--threads",
        1,
        "--seconds",
        4,
        "--no-proposals",
        "--json",
        "found.json",
        "--out",
        "a.toml",
        folder=tmp_path,
    )
    assert (status, err) == (0, "") and "ranks × threads, s a step" in out
    found, chosen = (
        json.loads((tmp_path / "found.json").read_text()),
        tomllib.loads((tmp_path / "a.toml").read_text())["parallel"],
    )
    assert (
        f"{chosen['ranks']}x{chosen['threads']}" in found["ranks_times_threads"]
        and found["proposals"] is None
    )


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("nothing.toml",), "there is no file nothing.toml"),
        pytest.param(
            ("box.toml", "--set", "parallel.exchange=pigeon", "--ranks", "1", "--threads", "1"),
            "no exchange 'pigeon'; allowed: packed",
            marks=pytest.mark.long,
        ),
        (("box.toml", "--set", "parallel.ranks=none"), "must be a whole number"),
        (
            ("box.toml", "--ranks", "1", "--threads", "1", "--set", "model.friction.viscosty=2"),
            "did you mean 'viscosity'",
        ),
        pytest.param(
            ("box.toml", "--set", "simulation.time_step=70min"), "fathom: ", marks=pytest.mark.long
        ),
        (("box.toml", "--seconds", "0"), "Invalid value for '--seconds'"),
        (
            (
                "box.toml",
                "--ranks",
                "1",
                "--threads",
                "1",
                "--out",
                "no/folder/tuned.toml",
                "--seconds",
                "1",
            ),
            "no/folder/tuned.toml: No such file",
        ),
    ],
)
def test_mistakes_cost_a_line(tmp_path, arguments, message):
    box.write(tmp_path, **({"1e6": "1e3"} if "simulation.time_step=70min" in arguments else {}))
    status, _out, err = fathom("tune", *arguments, folder=tmp_path)
    assert message in err and status in (1, 2), (status, err)
    assert (
        len(err.strip().splitlines())
        == (1 if "Invalid" not in message else len(err.strip().splitlines()))
        and "Traceback" not in err
    )


def tuned(**more):
    result = Result(
        {"exchange": "packed", "decomposition": ("auto", None)},
        {"exchange": "shared", "decomposition": ("space-filling", [16, 8])},
        0.05,
        0.01,
        16,
        [
            Finding("exchange", "shared", "won", -0.02, 0.004, 8),
            Finding("decomposition", ("space-filling", [16, 8]), "won", -0.03, 0.004, 8),
        ],
        ["exchange", "decomposition"],
        {"first": 0.1, "best": 0.095},
    )
    return tune.Tuned(
        "P",
        4,
        2,
        60,
        [],
        result,
        settings=tune.settings_of(result, "2001-02-03"),
        date="2001-02-03",
        **more,
    )


def test_the_file_keeps_the_users_text():
    """Comments stay; keys of [parallel] are replaced; dotted keys and settings make a new text of
    the same case.
    """
    text = (
        '# mine\n[grid]\ntype = "X"  # this\n\n[parallel]\nranks = 2  # old\nautomatic ='
        ' true\n\n[model]\ntype = "Y"\n'
    )
    written = tuned_text(Document(text), tuned(), False)
    assert (
        "# mine" in written
        and "# this" in written
        and "# old" not in written
        and written.count("[parallel]") == 1
    )
    assert (
        "5.0 % faster (± 1.0)" in written
        and 'exchange = "shared"  # 2.0 % (± 0.4) over packed' in written
    )
    want = {
        "ranks": 4,
        "threads": 2,
        "automatic": True,
        "exchange": "shared",
        "distribution": "space-filling",
        "blocks": [16, 8],
    }
    assert tomllib.loads(written) == Document(text).tables | {"parallel": want}
    for other, settings in (
        ('parallel.ranks = 2\n[grid]\ntype = "X"\n', ()),
        ('[grid]\ntype = "X"\n', ()),
        ('[grid]\ntype = "X"\n', ("grid.nx=3",)),
    ):
        document = Document(other, settings=settings)
        read = tomllib.loads(tuned_text(document, tuned(), bool(settings)))
        assert read == document.tables | {
            "parallel": {k: v for k, v in want.items() if k != "automatic"}
        }


def test_proposals_are_comments():
    found = Result(
        {"model.free_surface.solver": "pcg"}, {"model.free_surface.solver": "pcsi"}, 0.1, 0.01, 16
    )
    written = tuned_text(Document('[grid]\ntype = "X"\n'), tuned(proposals=found), False)
    assert (
        '#     --set model.free_surface.solver="pcsi"' in written
        and "model" not in tomllib.loads(written)
    )
    assert json.dumps(asdict(tuned(proposals=found)))


@pytest.mark.parametrize(
    "named, ranks, tried", [([], 1, {"tile", "decomposition"}), (["device"], 1, set())]
)
def test_a_launch_of_a_device_has_all_columns(named, ranks, tried):
    import cases
    import fathom as fm

    simulation = fm.Simulation(cases.box(), "1h", parallel=dict.fromkeys(named, "processor"))
    decided = {*named, *tune.of_device(set(named), ranks)}
    axes = tune._axes(simulation, {"group": 8}, decided)
    assert {axis.name for axis in axes} == tried


@pytest.mark.parametrize(
    "cores, ranks, threads, want",
    [
        (2, None, None, {(1, 2), (2, 1), (1, 1)}),
        (2, 2, 1, {(2, 1)}),
        (2, 4, None, {(4, 1)}),
        (8, 2, None, {(2, 1), (2, 2), (2, 4)}),
        (1, None, None, {(1, 1)}),
        (8, None, 4, {(1, 4), (2, 4)}),
    ],
)
def test_shapes(cores, ranks, threads, want):
    assert set(tune.shapes(cores, ranks, threads)) == want


class Measured:
    """A way with its samples."""

    def __init__(self, samples, refused=""):
        self.samples, self.refused = samples, refused


def test_shape_is_the_fast_one_and_failures_survive():
    candidates = [(1, 1), (2, 1), (1, 2)]
    ways = [Measured([0.2] * 5), Measured([0.1] * 5), Measured([None] * 5, "no room")]
    best, samples = shapes.chosen(candidates, ways)
    assert best == (2, 1) and samples == {"1x1": [0.2] * 5, "2x1": [0.1] * 5}
    with pytest.raises(ValueError, match="no room"):
        shapes.chosen([(1, 2)], ways[2:])


def test_shapes_alike_are_chosen_alike():
    """Ten runs on a machine whose drift and noise are larger than what the shapes differ: nine
    choose the same."""
    draw, picked = random.Random(3), []
    for _ in range(10):
        drift = [math.exp(draw.gauss(0, 0.2)) for _ in range(12)]
        ways = [
            Measured([base * d * math.exp(draw.gauss(0, 0.05)) for d in drift])
            for base in (1.01, 1.0, 1.4)
        ]
        picked.append(shapes.chosen([(1, 1), (2, 1), (1, 2)], ways)[0])
    assert picked.count((1, 1)) >= 9
