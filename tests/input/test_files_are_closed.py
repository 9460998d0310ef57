"""Files of forcing can be written anew after a run in the same process."""

import gc

import numpy as np
import pytest
import xarray as xr

import fathom as fm


def write(path, value):
    """A heat flux that is everywhere the same."""
    latitude, longitude = np.arange(-85.0, 86, 10), np.arange(5.0, 360, 10)
    flux = np.full((latitude.size, longitude.size), value)
    data = {"hfds": (("lat", "lon"), flux, {"units": "W m-2"})}
    xr.Dataset(data, {"lat": latitude, "lon": longitude}).to_netcdf(path)


def simulation(path, folder):
    """An ocean planet between two parallels under the flux of the file."""
    levels = fm.ZLevels(nz=2, depth=100, spacing="uniform")
    grid = fm.LatitudeLongitudeGrid(nx=36, ny=18, latitude=(-80, 80), levels=levels)
    ocean = fm.Ocean(grid, friction=None).set(temperature=10.0, salinity=35.0)
    surface = fm.SurfaceForcing(heat_flux=str(path))
    return fm.Simulation(ocean, "1h", surface=surface, directory=folder)


@pytest.mark.parametrize("keeps", [True, False])
def test_written_anew(tmp_path, keeps):
    """After a run while the simulation is there; after steps once it is gone."""
    path = tmp_path / "flux.nc"
    write(path, 100.0)
    first = simulation(path, tmp_path / "first")
    if keeps:
        first.run("2h", report=False, progress=False)
    else:
        first.prepare().advance(2)
        del first
        gc.collect()
    write(path, 0.0)
    second = simulation(path, tmp_path / "second").prepare()
    second.advance(2)
    np.testing.assert_allclose(second.gather("temperature")[0], 10.0, atol=1e-3)
