"""Profile, layout and price of a coupled system: shares of parts, the best of the layouts, the
files of its components.
"""

from pathlib import Path

import pytest

import fathom as fm
from fathom.performance.profile.programs import bars, parts
from fathom.performance.scaling import programs as scaling
from fathom.performance.scaling.request import Request
from fathom.performance.tune import programs as tuning
from fathom.run.experiment.toml import Document

experiments = Path(__file__).resolve().parents[2] / "experiments"


def record(path, elapsed, communication=0.0, waiting=0.0):
    return {
        "path": path.split("/"),
        "region": path.split("/")[-1],
        "elapsed": elapsed,
        "communication": communication,
        "waiting": waiting,
    }


def test_the_coupling_is_exchanges_without_fluxes():
    records = [
        record("run", 10.0),
        record("run/atmosphere", 4.0),
        record("run/ocean", 5.0),
        record("run/ocean/exchange", 1.0),  # of halos: of the ocean
        record("run/exchange", 0.9, 0.2, 0.1),
        record("run/exchange/map", 0.2),
        record("run/exchange/messages", 0.3, 0.2, 0.1),
        record("run/exchange/fluxes", 0.3),
        record("run/agreement", 0.1, 0.05, 0.04),
    ]
    found = parts(records, ["atmosphere", "ocean"])
    assert found["coupling"]["seconds"] == pytest.approx(0.9 - 0.3 + 0.1)
    assert found["coupling"]["share"] == pytest.approx(0.07)
    assert found["coupling"]["waiting"] == pytest.approx(0.14)
    assert found["exchange: map"]["seconds"] == 0.2
    assert found["ocean"]["share"] == pytest.approx(0.5)


def test_a_chart_has_programs_and_exchanges():
    np = pytest.importorskip("numpy")
    regions = [{"path": ("run",)}, {"path": ("run", "air")}, {"path": ("run", "air", "step")}]
    trace = {
        "regions": regions,
        "region": np.array([2, 1, 0]),
        "begin": np.array([5.0, 5.0, 5.0]),
        "end": np.array([6.0, 7.0, 9.0]),
    }
    assert bars([trace], ["air"]) == [[(0.0, 2.0, "air")]] and bars([trace], []) == [[]]


def test_the_shorter_layout_is_chosen():
    """Air that does not gain from many ranks, and a sea that does."""
    air = {p: 10.0 for p in (1, 2, 4, 6, 8)}
    sea = {p: 80.0 / p for p in (1, 2, 3, 4, 5, 6, 7, 8)}
    found = scaling.layouts({"atmosphere": air, "ocean": sea}, 8, 1.0)
    assert found["in_turn"] == 21.0
    assert found["ranks_of_air"] == 1 and found["side_by_side"] == pytest.approx(80 / 7 + 1)
    assert found["layout"] == "side by side"
    assert found["coupling_share"] == pytest.approx(1 / (80 / 7 + 1))


def test_components_are_files_of_their_own(tmp_path):
    whole = experiments / "coupled-t42-3deg.toml"
    air = scaling.component(whole, (), "atmosphere", tmp_path, "")
    sea = scaling.component(whole, (), "ocean", tmp_path, "")
    tables = Document.read(air, ()).tables
    assert tables["grid"]["truncation"] == 42 and "output" not in tables
    assert Document.read(sea, ()).tables["model"]["type"] == "Ocean"
    assert scaling.interval(whole, (), {"atmosphere": 1800.0, "ocean": 10800.0}) == 10800.0
    with pytest.raises(fm.InputError, match="needs .programs. rivers"):
        scaling.component(whole, (), "rivers", tmp_path, "")


def test_layouts_that_are_tried():
    assert tuning.layouts(1) == [("in turn", None), ("side by side", None)]
    beside = [ranks for _, ranks in tuning.layouts(4) if ranks is not None]
    assert beside == [{"atmosphere": p, "ocean": 4 - p} for p in (1, 2, 3)]
    assert tuning.told({"order": "in turn", "ranks": None}) == "in turn, all ranks"


@pytest.mark.parametrize("name", ["t31-3deg", "t42-3deg", "t106-1deg", "aquaplanet", "column"])
def test_the_components_of_shipped_systems_are_experiments(tmp_path, name):
    """Every key of their files is known: their models can be made of them."""
    from fathom.run.experiment.experiment import Experiment

    for part in scaling.names:
        path = scaling.component(experiments / f"coupled-{name}.toml", (), part, tmp_path, "")
        assert Experiment.read(path).without_state() is not None


def test_a_system_is_priced_of_its_components(tmp_path, monkeypatch, capsys):
    """2 s of a step of 900 s divided by the ranks, and 8 s of 3600 s: 192 s of a day each."""
    asked = {}

    def alone(request, machine):
        air = request.file.name == "atmosphere.toml"
        asked[request.file.name] = Document.read(request.file, ()).tables, request.measure.name
        step, work = (900.0, 2.0) if air else (3600.0, 8.0)
        simulated = [{"ranks": p, "seconds": work / p} for p in request.simulate]
        grid = "GaussianGrid TL106L31 216×108×31" if air else "TripolarGrid 360×300×40"
        found = {"step": step, "grid": grid, "machine": "M", "refused": []}
        return found | {"simulated": simulated, "chart": None}

    monkeypatch.setattr(scaling.alone, "predict", alone)
    request = Request(
        experiments / "coupled-t106-1deg.toml",
        simulate=(64, 1024),
        measure=experiments / "coupled-t31-3deg.toml",
    )
    assert scaling.several(request)
    found = scaling.predict(request, None)
    assert asked["atmosphere.toml"][0]["grid"]["truncation"] == 106
    assert asked["ocean.toml"][1] == "ocean-measured.toml" and found["every"] == 3600.0
    one, many = found["layouts"]
    assert one["atmosphere"] == pytest.approx(3.0) and one["ocean"] == pytest.approx(3.0)
    assert many["ranks"] == 1024 and many["atmosphere"] == pytest.approx(192 / 1024)
    assert one["side_by_side"] == pytest.approx(6.0 + one["coupling"])  # half of the ranks each
    assert one["ranks_of_air"] == 32
    assert 0 < many["coupling"] < 24 * 0.01
    file = tmp_path / "found.json"
    assert scaling.present(found, file) == 0 and file.is_file()
    assert "TripolarGrid 360×300×40" in capsys.readouterr().out
