"""Restarts as datasets: by Fathom, and by xarray itself."""

import numpy as np
import pytest
import xarray as xr

import fathom as fm
from cases import box, earth


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    sim = fm.Simulation(earth(), "1h", calendar="noleap", directory=tmp_path_factory.mktemp("run"))
    sim.output("mean.zarr", ["temperature"], every="1d", statistic="mean")
    sim.run("2h", report=False)
    return sim


@pytest.mark.parametrize("opened", [fm.open, xr.open_dataset])
def test_the_state(run, opened):
    with opened(run.directory / "restart.fathom") as found:
        assert found.temperature.dims == ("level", "y", "x")
        assert found.velocity_x.dims == ("level", "y_corner", "x_corner")
        assert found.sea_surface_height.dims == ("y", "x")
        assert found.temperature.attrs["standard_name"] == "sea_water_potential_temperature"
        assert np.array_equal(found.temperature, run.gather("temperature"))
        assert found.sea_surface_height[3, 2] == run.gather("sea_surface_height")[0, 3, 2]
        assert str(found.time.values) == "2000-01-01 02:00:00"
        assert found.attrs["source"].startswith("Fathom") and "Ocean" in found.attrs["title"]
        assert "sum_of_temperature_for_mean_zarr" in found


def test_it_becomes_netcdf(run, tmp_path):
    fm.open(run.directory / "restart.fathom").to_netcdf(tmp_path / "state.nc")
    found = fm.open(tmp_path / "state.nc")
    assert np.array_equal(found.temperature, run.gather("temperature"))


def test_a_store_without_times(run):
    """xarray makes no dates of nothing in this calendar; Fathom's engine does."""
    store = run.directory / "mean.zarr"
    assert xr.open_dataset(store, engine="fathom").sizes["time"] == 0
    assert "thetao" not in xr.open_dataset(store, engine="fathom", drop_variables="thetao")


def test_no_output_goes_there(run, tmp_path):
    with pytest.raises(fm.InputError, match="an output file ends in"):
        run.output("more.fathom", ["temperature"], every="1h")
    (tmp_path / "broken.fathom").write_bytes(b"Fathom restart 5\n" + b"0" * 20)
    with pytest.raises((fm.Error, ValueError), match="not a whole restart"):
        fm.open(tmp_path / "broken.fathom")


def test_where_it_lies(run, tmp_path):
    found = fm.open(run.directory / "restart.fathom")
    longitude, latitude = run.model.grid.coordinates()
    assert found.temperature.longitude.dims == ("y", "x")
    assert np.allclose(found.longitude, longitude) and np.allclose(found.latitude, latitude)
    sim = fm.Simulation(box(nx=12, ny=10, nz=2), "10min", directory=tmp_path)
    sim.run("10min", report=False)
    found = fm.open(tmp_path / "restart.fathom")
    x, y = sim.model.grid.coordinates()
    assert np.allclose(found.temperature.x, x[0]) and np.allclose(found.temperature.y, y[:, 0])
