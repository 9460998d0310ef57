"""Runs over the turn of the years 0, 1582, 2262 and 9999: dates go on, stores open in xarray with
these dates, and a run from a restart on the other side gives the same bits.
"""

import numpy as np
import pytest
import xarray as xr

import fathom as fm


def sea(start, calendar, directory):
    levels = fm.ZLevels(nz=2, depth=100)
    grid = fm.CartesianGrid(nx=6, ny=6, extent=(400e3, 400e3), levels=levels)
    model = fm.Ocean(grid, coriolis=(1e-4, 0.0)).set(temperature=lambda x, y, d: 10 + x / 4e5)
    surface = fm.SurfaceForcing(heat_flux=lambda x, y: 100 + y / 1e4)
    return fm.Simulation(
        model, "6h", start=start, calendar=calendar, surface=surface, directory=directory
    )


@pytest.mark.parametrize(
    "start, calendar, last",
    [
        ("0000-12-28", "noleap", "0001-01-07"),
        pytest.param("0001-01-01", "standard", "0001-01-11", marks=pytest.mark.long),
        pytest.param(
            "1582-10-01", "standard", "1582-10-21", marks=pytest.mark.long
        ),  # ten days were left out
        ("2262-04-08", "standard", "2262-04-18"),  # nanoseconds end
        pytest.param("9999-12-28", "noleap", "10000-01-07", marks=pytest.mark.long),
        ("9999-12-28", "standard", "10000-01-07"),
    ],
)
@pytest.mark.filterwarnings("ignore:output .*b.zarr")
def test_dates_go_on(tmp_path, start, calendar, last):
    whole = sea(start, calendar, tmp_path / "whole")
    whole.output("a.nc", ["temperature"], every="1d")
    whole.output("b.zarr", ["temperature"], every="5d", statistic="mean")
    whole.run("10d", progress=False, report=False)
    assert str(whole.date).startswith(last)
    dates = xr.coders.CFDatetimeCoder(use_cftime=True)
    for name, count in (("a.nc", 11), ("b.zarr", 2)):
        with xr.open_dataset(tmp_path / "whole" / name, decode_times=dates) as data:
            assert data.sizes["time"] == count and np.isfinite(data.thetao).all()
    with xr.open_dataset(tmp_path / "whole/a.nc", decode_times=dates) as data:
        assert str(data.time.values[-1]).startswith(last)
    with fm.open(tmp_path / "whole/a.nc") as data:
        assert data.sizes["time"] == 11
    part = sea(start, calendar, tmp_path / "part")
    part.run("4d", progress=False, report=False)
    later = sea(start, calendar, tmp_path / "later").restore(tmp_path / "part/restart.fathom")
    later.run("6d", progress=False, report=False)
    assert later.checksum() == whole.checksum() and str(later.date) == str(whole.date)
