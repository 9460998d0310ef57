"""Earlier measurements are kept, used, and never harmful: precedence, damaged files, several
writers at once, the same bits.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fathom.base.cache import folder
from fathom.run import parallel
from fathom.run.choices import Choices

script = Path(__file__).with_name("settings_on_ranks.py")
of = {"processor": "P", "ranks": 2}


def setting(value, how="tuned", **more):
    return {"value": value, "default": "packed", "how": how, "date": "2001-02-03"} | more


def test_there_and_back(tmp_path):
    c = Choices(of, tmp_path)
    assert c.read() == {}
    assert c.keep(
        {
            "exchange": setting("shared", gain=0.02, noise=0.004),
            "tile": setting({"MWJF": 64}, "measured"),
        }
    )
    assert c.read()["exchange"]["value"] == "shared" and c.read()["tile"]["value"] == {"MWJF": 64}
    assert Choices(of | {"ranks": 3}, tmp_path).read() == {}
    c.forget()
    assert c.read() == {} and c.forget() is None


def test_what_was_tuned_stays(tmp_path):
    c = Choices(of, tmp_path)
    c.keep({"tile": setting("cache")})
    c.keep({"tile": setting({"MWJF": 64}, "measured")})
    assert c.read()["tile"]["value"] == "cache"
    c.keep({"tile": setting(32)})
    assert c.read()["tile"]["value"] == 32


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "null",
        '"text"',
        "{}",
        '{"of": {}}',
        "[" * 100_000,
        "\udcff",
        *(
            json.dumps({"of": of, "settings": s})
            for s in (
                {"exchange": 3},
                {"exchange": setting("pigeon")},
                {"threads": setting(2)},
                {"tile": setting("wide")},
                {"blocks": setting("no")},
                {"blocks": setting([0.5, 1])},
                {"distribution": setting("random")},
                {"sum": setting("tree", "guessed")},
                {"sum": setting("tree", gain="much", noise=0)},
                {"synchronise": setting(3)},
                {"sum": {"value": "tree"}},
                [],
            )
        ),
    ],
)
def test_a_broken_file_costs_a_line(tmp_path, capsys, content):
    c = Choices(of, tmp_path)
    c.path.write_bytes(content.encode("utf-8", "surrogateescape"))
    assert c.read() == {}
    err = capsys.readouterr().err
    assert err.count("\n") == (0 if '"of": {}' in content else 1) and (
        "cannot be read" in err or not err
    )
    assert c.keep({"sum": setting("tree")}) and c.read()["sum"]["value"] == "tree"


def test_nowhere_to_write(tmp_path, capsys, monkeypatch):
    (tmp_path / "file").write_text("")
    c = Choices(of, tmp_path / "file" / "below")
    assert c.keep({"sum": setting("tree")}) is False and c.read() == {}
    assert capsys.readouterr().err.count("\n") == 1
    for name in ("FATHOM_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
    assert Choices(of).keep({}) is False and Choices(of).read() == {}


def test_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("FATHOM_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    assert folder("choices") == Path.home() / ".cache/fathom/choices"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert folder("choices") == tmp_path / "fathom/choices"


def test_writers_at_once(tmp_path):
    """Five processes, twenty times each: every file that is read is whole, no setting is lost."""
    code = f"""
import sys
from pathlib import Path
from fathom.run.choices import Choices
c = Choices({of!r}, Path({str(tmp_path)!r}))
names = {{
    "exchange": ["packed", "shared"],
    "sum": ["tree", "allreduce"],
    "distribution": ["cartesian", "auto"],
    "synchronise": [True, False],
    "tile": [16, 32],
}}
for n in range(20):
    name, values = list(names.items())[int(sys.argv[1]) % 5]
    setting = {{"value": values[n % 2], "default": None, "how": "tuned", "date": "2001-02-03"}}
    assert c.keep({{name: setting}}) and name in c.read()
"""
    writers = [
        subprocess.Popen(
            [sys.executable, "-P", "-c", code, str(n)], stderr=subprocess.PIPE, text=True
        )
        for n in range(5)
    ]
    assert [(w.communicate()[1], w.returncode) for w in writers] == [("", 0)] * 5
    assert set(Choices(of, tmp_path).read()) == {
        "exchange",
        "sum",
        "distribution",
        "synchronise",
        "tile",
    }
    assert not list(tmp_path.glob("*.new"))


def test_precedence():
    kept = {
        "exchange": setting("shared", gain=0.02, noise=0.004),
        "distribution": setting("cartesian"),
        "tile": setting({"MWJF": 64}, "measured"),
        "sum": setting("tree"),
    }
    how, why = parallel.settle(parallel.usual, {"blocks", "threads"}, kept, ranks=2)
    assert (how["exchange"], how["distribution"], how["tile"], how["synchronise"]) == (
        "shared",
        "auto",
        {"MWJF": 64},
        False,
    )
    assert why == {
        "distribution": "given",
        "blocks": "given",
        "tile": "measured on this machine on 2001-02-03",
        "sum": "tuned on this machine on 2001-02-03",
        "synchronise": "default",
        "in_flight": "default",
        "sum_words": "default",
        "mapping": "default",
        "exchange": "tuned on this machine on 2001-02-03: 2.0 % faster (± 0.4) than packed",
    }
    assert set(parallel.settle(parallel.usual, set(), kept, ranks=1)[1]) == {
        "distribution",
        "blocks",
        "tile",
    }
    assert (
        parallel.settle(parallel.usual, set(), kept, ranks=2, same_bits=False)[0]["sum"]
        == "allreduce"
    )


@pytest.mark.parametrize("few", [["few"], pytest.param([], marks=pytest.mark.long)])
def test_same_bits(on_ranks, few):
    one, three = on_ranks(1, script, *few), on_ranks(3, script, *few)
    for model in ("ocean", "atmosphere"):
        sums = {
            bits for found in (one, three) for name, bits in found.items() if name.startswith(model)
        }
        assert len(sums) == 1, (model, one, three)


def test_a_run_keeps_its_tiles(tmp_path, monkeypatch):
    import fathom as fm

    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache"))
    import cases

    def run(name, **parallel):
        return fm.Simulation(
            cases.stirred(cases.box()),
            time_step="1800s",
            surface=cases.wind(),
            directory=tmp_path / name,
            parallel=parallel,
        )

    first = run("a")
    first.run("18h", report=False)
    assert (
        first.why["tile"] == "default: in the first steps of a run"
        and first.parallel["tile"] == "measured"
    )
    second = run("b").prepare()
    assert second.why["tile"].startswith("measured on this machine on 2") and set(
        second.parallel["tile"]
    ) == {g["processes"][0] for g in second.sequence.groups if g["tile"]}
    assert {g["tile_reason"] for g in second.sequence.groups if g["tile"]} == {"measured before"}
    assert run("c", tile="measured").prepare().why["tile"] == "given: in the first steps of a run"
    assert run("d", automatic=False).prepare().parallel["tile"] == "measured"
    second.advance(36)
    assert second.checksum() == first.checksum()
    labels = dict(fm.Simulation.describe(second)[1])
    assert any("measured on this machine" in line for line in labels["choices"])
