"""The World Ocean Atlas as it is: measured temperatures, and more variables of one name."""

import numpy as np
import pytest
import xarray

import fathom as fm
from fathom.data.input import layers

gsw = pytest.importorskip("gsw")
depth, lat, lon = np.array([0.0, 1000, 4000]), np.arange(-88.0, 90, 4), np.arange(2.0, 360, 4)


def atlas(folder):
    values = np.broadcast_to(np.array([18.0, 6.0, 2.0])[:, None, None], (3, 45, 90))[None]
    dims = ("time", "depth", "lat", "lon")
    said = {"standard_name": "sea_water_temperature", "units": "degrees_celsius"}
    data = xarray.Dataset(
        {"t_an": (dims, values, said), "t_mn": (dims, values + 1, said)},
        {"depth": ("depth", depth, {"positive": "down"}), "lat": lat, "lon": lon},
    )
    data.lat.attrs["units"], data.lon.attrs["units"] = "degrees_north", "degrees_east"
    data.to_netcdf(folder / "woa.nc")
    return folder / "woa.nc"


def test_temperatures_become_potential(tmp_path):
    found = layers.on_points(
        str(atlas(tmp_path)), "temperature", np.full((1, 1), 30.0), np.full((1, 1), 200.0), depth
    )[:, 0, 0]
    pressure = gsw.p_from_z(-depth, 30.0)
    exact = gsw.pt0_from_t(35.16504, np.array([18.0, 6.0, 2.0]), pressure)
    assert found == pytest.approx(exact, abs=2e-3) and found[2] < 1.7


def test_names_are_checked_when_given(tmp_path):
    grid = fm.CartesianGrid(8, 8, levels=fm.ZLevels(nz=3, depth=900))
    simulation = fm.Simulation(
        fm.Ocean(grid, coriolis=[1e-4, 0.0]), time_step="20min", directory=tmp_path
    )
    with pytest.raises(ValueError, match="no output variable 'temperatur'.*'temperature'"):
        simulation.output("a.zarr", "temperatur")
    simulation.output("b.zarr", "temperature", window=["2001-01-01", "2001-02-01"])
    simulation.output("c.zarr", "temperature", every="2h", statistic="mean")
    with pytest.warns(UserWarning, match="nothing will be written") as warned:
        simulation.run("1h", progress=False, report=False)
    window, mean = (str(one.message) for one in warned)
    assert "b.zarr: its window" in window and "lies outside the run" in window
    assert "c.zarr: its first mean is complete at 2000-01-01 02:00:00, the run ends" in mean
