"""Folders and files with blanks, letters of other scripts and signs of the shell: all is read and
written where it was asked for.
"""

import os

import numpy as np
import pytest
import xarray as xr

import fathom as fm

names = [
    "Mes données été 2020",
    "海洋 模式",
    "it's",
    "a#b%20",
    "a=b,c&d",
    "12:30:00",
    "-dash",
    "x" * 200,
    "tab\tand [brackets]",
    "cafe\u0301",
    "a*b?",
]


def written(folder, name, variable, value, units, **at):
    at |= {"lat": np.arange(-85.0, 86, 10), "lon": np.arange(5.0, 360, 10)}
    shape = tuple(map(len, at.values()))
    field = (tuple(at), np.full(shape, value), {"units": units})
    plain = folder.parent / "plain.nc"  # as NetCDF's library writes it
    xr.Dataset({variable: field}, at).to_netcdf(plain)
    os.replace(plain, folder / name)
    return str(folder / name)


@pytest.mark.parametrize("name", names)
def test_a_run_in_such_a_folder(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    grid = fm.LatitudeLongitudeGrid(
        nx=36,
        ny=14,
        latitude=(-70, 70),
        levels=fm.ZLevels(nz=2, depth=100),
        bathymetry=written(folder, "deep sea.nc", "deptho", 90.0, "m"),
    )
    start = written(folder, "start.nc", "thetao", 12.0, "degC", depth=[5.0, 60.0])
    heat = written(folder, "wärme.nc", "hfds", 50.0, "W m-2")
    run = folder / "run one"
    made = lambda **more: fm.Simulation(
        fm.Ocean(grid, physics="simple").set(temperature=start),
        "1h",
        surface=fm.SurfaceForcing(heat_flux=heat),
        directory=run,
        **more,
    )
    one = made()
    for store in ("a.nc", "b.zarr"):
        one.output(store, ["temperature"], every="1h")
    one.run("2h", progress=False, report=False)
    there = {"a.nc", "b.zarr", "restart.fathom", "summary.json", "resolved.toml"}
    assert there <= set(os.listdir(run))
    for store in ("a.nc", "b.zarr"):
        with fm.open(run / store) as data:
            assert data.sizes["time"] == 3 and float(data.thetao.max()) > 12
    again = made(overwrite=True).restore(run / "restart.fathom")
    again.run("1h", progress=False, report=False)
    assert again.count == 3
