"""The surface in files whose levels have no depth: first in an ocean, last in an atmosphere."""

import numpy as np
import pytest
import xarray as xr

import fathom as fm
from fathom.plots.chosen import at_level, without_rock


@pytest.mark.parametrize(
    "model, value, text", [("Ocean", 0, "level 1 of 3"), ("Atmosphere", 2, "level 3 of 3")]
)
def test_surface(model, value, text):
    data = xr.DataArray(np.arange(3.0)[:, None, None], dims=("level", "y", "x"), name="temperature")
    given = data.to_dataset().assign_attrs(source=f"Fathom 0.1.0, {model}, fp64")
    found, where = at_level(given, given["temperature"], "surface")
    assert found.item() == value
    assert where == text


def test_rock_is_no_water():
    """Restarts of an ocean have zeros below its floor: they are not drawn."""
    water = np.array([[[1, 1]], [[1, 0]]], bool)
    kept = {
        name: (("level", "y", "x"), np.where(water, value, 0.0))
        for name, value in (("temperature", 0.0), ("salinity", 35.0), ("age", 7.0))
    }
    kept["sea_surface_height"] = (("y", "x"), np.array([[0.1, 0.2]]))
    attributes = {
        "source": "Fathom 0.1.0, Ocean, fp64",
        "title": "Restart of a run from 2000-01-01",
    }
    given = xr.Dataset(kept, attrs=attributes)
    found = without_rock(given, given["age"])
    assert np.array_equal(np.isfinite(found.values), water)
    assert at_level(given, found, "bottom")[0].values.tolist() == [[7.0, 7.0]]
    assert np.isfinite(without_rock(given, given["sea_surface_height"]).values).all()
    assert without_rock(given.assign_attrs(title="Run"), given["age"]).values.min() == 0


def test_rock_of_a_restart_that_a_run_has_written(tmp_path):
    """What a run says of itself does not hide that the file is a restart."""
    grid = fm.CartesianGrid(nx=6, ny=6, extent=(6e5, 6e5), levels=fm.ZLevels(nz=2, depth=200),
                            bathymetry=lambda x, y: np.where(x < 3e5, 100.0, 200.0))  # fmt: skip
    sim = fm.Simulation(fm.Ocean(grid, coriolis=(1e-4, 0.0)), time_step=600, directory=tmp_path)
    sim.state["temperature"], sim.state["salinity"] = 10.0, 35.0
    sim.run("20min", progress=False)
    sim.write_restart(tmp_path / "a.fathom")
    held = fm.open(tmp_path / "a.fathom")
    assert held.attrs["title"].startswith("Restart after 2 steps of Ocean on")
    found = without_rock(held, held["temperature"])
    assert np.isnan(found.values[1]).any() and np.isfinite(found.values[0]).any()
    assert np.nanmin(at_level(held, found, "bottom")[0].values) > 9
