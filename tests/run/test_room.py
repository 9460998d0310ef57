"""What has no room on this machine is refused before anything is taken or started."""

from pathlib import Path

import pytest

import box
import cases
import fathom as fm
from fathom.base import machine
from fathom.run.experiment import larger
from fathom.run.experiment.experiment import Experiment
from fathom.run.experiment.toml import Document


@pytest.mark.parametrize(
    "make",
    [
        lambda: fm.CartesianGrid(10**6, 10**6, levels=fm.ZLevels(2)),
        lambda: fm.CartesianGrid(2 * 10**9, 1),
        lambda: fm.LatitudeLongitudeGrid(nx=10**6, ny=10**5),
        lambda: fm.LatitudeLongitudeGrid(nx=10**9, ny=10**9, spacing="mercator"),
        lambda: fm.TripolarGrid(nx=10**6, ny=10**6),
        lambda: fm.DipoleGrid(nx=10**6, ny=10**6),
    ],
)
def test_grids(make):
    with pytest.raises(ValueError, match="columns needs some .* GB are left on this machine"):
        make()


def test_gaussian_grid(monkeypatch):
    monkeypatch.setattr(machine, "free_memory", lambda: 1e6)
    with pytest.raises(ValueError, match="nx = 127, ny = 63: .* 0.001 GB are left"):
        fm.GaussianGrid(42)


def test_fields(tmp_path, monkeypatch):
    simulation = fm.Simulation(cases.stirred(cases.box()), "1h", directory=tmp_path / "run")
    monkeypatch.setattr(machine, "free_memory", lambda: 1e6)
    with pytest.raises(ValueError, match="on one machine, which has 1.0 MB"):
        simulation.run("1d", report=False)
    assert simulation.fields is None


@pytest.mark.long
def test_start_of_the_largest_area(monkeypatch):
    """Before any of it is made."""
    file = Path(__file__).parents[2] / "experiments" / "arome-large.toml"
    monkeypatch.setattr(machine, "free_memory", lambda: 16e9)
    with pytest.raises(ValueError, match="166,400,000 cells: its start needs some 30 GB"):
        Experiment.read(file, ['model.outer="initial"', "model.orography=0"]).simulation()


area = """
[grid]
type = "LimitedAreaGrid"
centre = [8.0, 46.5]
resolution = 20e3
points = [72, 60]
coupling = 4
levels = { type = "SigmaLevels", nz = 6 }
[model]
type = "LimitedAreaAtmosphere"
outer = "initial"
[state]
air_temperature = 280.0
[simulation]
time_step = "5min"
run = "1h"
"""


def test_an_area_without_room_is_estimated_from_smaller_ones(tmp_path, monkeypatch):
    (tmp_path / "large.toml").write_text(area)
    document = Document.read(tmp_path / "large.toml")
    monkeypatch.setattr(larger, "sides", (24, 36))
    low, high, small = larger.bytes_of_point(document)
    there = Experiment(document).simulation().prepare()
    points = there.model.grid.size[0] * there.model.grid.size[1]
    assert 0.9 * low * points < there.sequence.bytes_allocated < 1.1 * high * points
    room_for_small = 1.1 * small.sequence.bytes_allocated
    assert room_for_small < there.sequence.bytes_allocated
    monkeypatch.setattr(machine, "free_memory", lambda: room_for_small)
    status, out, said = box.fathom("show", "large.toml", folder=tmp_path)
    assert status == 0 and not said and "LimitedAreaAtmosphere at 2000-01-01, estimated" in out
    for text in ("72×60×6", "of fields, by areas of 24×24, 36×36 points", "300 s, 12 in 1 h"):
        assert text in out
    assert "needs" in out and "are left here" in out
    status, _, said = box.fathom("run", "large.toml", "--out", "x", folder=tmp_path)
    assert status == 2 and said.count("\n") == 1 and "on one machine" in said


def test_ranks_and_threads(tmp_path):
    box.write(tmp_path)
    for asked, message in (
        (("--ranks", 10**5), "100000 ranks (I/O servers included) are asked for; this machine"),
        (("--set", "parallel.per_node=1000000"), "1000001 ranks (I/O servers included)"),
        (("--io-servers", 10**6), "1000001 ranks (I/O servers included)"),
        (("--threads", 10**6), "threads = 1000000 of a rank; allowed: at most 1024"),
    ):
        status, out, said = box.fathom("run", "box.toml", *asked, folder=tmp_path)
        assert (status, out, said.count("\n")) == (2, "", 1) and message in said, said


def test_tables_within_tables(tmp_path):
    """Not as deep as Python can fall."""
    deep = "[" * 3000 + "]" * 3000
    (tmp_path / "deep.toml").write_text(f"[grid]\nnx = {deep}\n")
    box.write(tmp_path)
    dotted = ".".join("a" * 2000) + "=1"
    settings = [["box.toml", "--set", setting] for setting in (f"a={deep}", dotted)]
    for words in (["deep.toml"], *settings):
        status, _, said = box.fathom("show", *words, folder=tmp_path)
        assert status == 2 and "more than 32 deep" in said and "Traceback" not in said


def test_the_memory_is_told_before_a_run(tmp_path):
    simulation = fm.Simulation(cases.stirred(cases.box()), "1h", directory=tmp_path / "run")
    told = []
    simulation.told = lambda text: told.append((text, simulation.fields))
    simulation.prepare()
    [(text, fields)] = told
    assert " of fields on 1 rank" in text and text.startswith("Ocean: ") and fields is None
