"""An area and its outer model under one clock: times that do not fit are refused, both have their
output, ranks and one restart, killed anywhere.
"""

import json
import subprocess
import sys

import numpy as np
import pytest

import area_in_globe
import fathom as fm
import small_areas
from fathom.run.one_restart import complete

script = area_in_globe.__file__


@pytest.fixture(scope="module")
def alone(on_ranks):
    return on_ranks(1, script, "bits")


# ---- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "times, message",
    [
        ({"every": "1000s"}, "outer_every = 1000 s is no whole number of steps of outer, 15 min"),
        ({"step": "400s"}, "= 15 min is no whole number of steps of area, 400 s"),
        ({"step": "1h"}, "outer_every = 15 min is no whole number of steps of area, 1 h"),
    ],
)
def test_steps_that_do_not_fit(times, message):
    with pytest.raises(ValueError, match=message):
        small_areas.nested(**times)


def around(start, step="300s", calendar="standard", of_area="2000-01-01"):
    """An area in a globe that starts then."""
    globe = fm.SpectralAtmosphere(fm.GaussianGrid(21, levels=fm.SigmaLevels(6)))
    outer = fm.Simulation(globe, "900s", start=start, calendar=calendar)
    grid = small_areas.area(points=(30, 24), resolution=100e3)
    model = fm.LimitedAreaAtmosphere(grid, outer=outer)
    return fm.Simulation(model, step, start=of_area)


def test_dates_that_do_not_fit():
    with pytest.raises(ValueError, match="start = 2000-01-01 .* outer starts later, at 2000-01-02"):
        around("2000-01-02")
    with pytest.raises(ValueError, match="calendar 'standard', outer at .* in 'noleap'"):
        around("2000-01-01", calendar="noleap")
    with pytest.raises(
        ValueError, match="area starts 7 min after the first program; .* no whole number of 15 min"
    ):
        around("2000-01-01", of_area="2000-01-01 00:07:00")
    assert around("1999-12-31").together.members["area"].late == 86400  # the globe goes ahead


# ---- one run -------------------------------------------------------------------------------------


def test_output_of_the_outer_model(tmp_path):
    """Its store has what it has when it runs alone."""
    area, globe = area_in_globe.both(tmp_path / "both")
    area.run("1h", progress=False, report=False)
    _, alone = small_areas.nested()
    alone.directory = tmp_path / "alone"
    alone.output("globe.nc", ["air_temperature"], every="30min")
    alone.run("1h", progress=False, report=False)
    assert globe.seconds == 3600 and globe.checksum() == alone.checksum()
    stores = [tmp_path / "both" / "outer" / "globe.nc", tmp_path / "alone" / "globe.nc"]
    values = [fm.open(path)["ta"].values for path in stores]
    assert len(values[0]) == 3 and np.array_equal(*values)


# ---- ranks ---------------------------------------------------------------------------------------


@pytest.mark.long
def test_the_same_on_ranks_with_servers_of_the_area(on_ranks, alone):
    """The outer model has stepped to its start on all three; then it steps on two."""
    assert on_ranks(3, script, "bits", "area_servers=1") == alone


@pytest.mark.long
def test_servers_of_both(on_ranks):
    """Two ranks step, one serves the area, one the globe: four ranks, each once."""
    one = on_ranks(2, script, "bits", "globe_servers=1")
    assert on_ranks(4, script, "bits", "globe_servers=1", "area_servers=1") == one


def test_ranks_that_are_not_there():
    _, globe = small_areas.nested()
    grid = small_areas.area(points=(30, 24), resolution=100e3)
    model = fm.LimitedAreaAtmosphere(grid, outer=globe)
    with pytest.raises(ValueError, match="io_servers = 1 of 1 ranks leave none to step"):
        fm.Simulation(model, "300s", parallel={"io_servers": 1})


# ---- one restart ---------------------------------------------------------------------------------


def test_a_restart_is_one_folder(tmp_path):
    area, _ = area_in_globe.both(tmp_path)
    area.checkpoint("30min", keep=1)
    area.run("1h", progress=False, report=False)
    (folder,) = tmp_path.glob("restart*")
    assert folder.name == "restart-2000-01-01T010000"
    assert {path.name for path in folder.iterdir()} == {
        "area.fathom",
        "outer.fathom",
        "programs.json",
    }
    with pytest.raises(ValueError, match="path = 'r.fathom': the restarts .* are folders"):
        area.checkpoint("30min", path="r.fathom")


@pytest.mark.parametrize("inner", ["spectral", pytest.param("gridpoint", marks=pytest.mark.long)])
def test_continues_inside_a_gridpoint_globe(tmp_path, inner):
    """An area that continues from a restart has the bits of one that never stopped: the globe
    around it has levels of height, whose winds at the centres of cells are no state.
    """
    whole, _ = area_in_globe.in_gridpoint_globe(tmp_path / "whole", inner)
    whole.run("1h", progress=False, report=False)
    first, _ = area_in_globe.in_gridpoint_globe(tmp_path / "first", inner)
    first.run("30min", progress=False, report=False)
    later, globe = area_in_globe.in_gridpoint_globe(tmp_path / "later", inner)
    later.restore(complete(tmp_path / "first")[-1][1])
    later.run("30min", progress=False, report=False)
    assert globe.gather("eastward_wind").max() > 10
    assert later.seconds == 3600 and later.checksum() == whole.checksum()


@pytest.mark.parametrize("when", [pytest.param("before", marks=pytest.mark.long), "within"])
def test_killed_while_a_restart_is_written(on_ranks, alone, tmp_path, when):
    """The folder that is not complete does not count: the run goes on from the one before."""
    where = f"directory={json.dumps(str(tmp_path))}"
    arguments = [where, "number=3", f"when={json.dumps(when)}"]
    killed = subprocess.run([sys.executable, script, "killed", *arguments], check=False)
    assert killed.returncode == 9
    assert len([*tmp_path.glob("restart-*")]) == 3 and len(complete(tmp_path)) == 2
    found = on_ranks(1, script, "resumed", where)
    assert found == alone | {"began": 3600, "outer_began": 3600}
