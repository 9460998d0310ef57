"""Records of a region give the sea of a grid what those of the whole earth give it, whatever the
order and the origin of their longitudes; those that do not cover it are refused by `show`.
"""

import re

import numpy as np
import pytest
import xarray as xr

import box
import fathom as fm
from fathom.data.input.records import Input, Records, sources

west, south = -12, 34  # of the grid
grid = fm.LatitudeLongitudeGrid(
    nx=6, ny=5, longitude=(west, west + 6), latitude=(south, south + 5), levels=fm.ZLevels(2)
)
experiment = """
[grid]
type = "LatitudeLongitudeGrid"
nx = 6
ny = 5
longitude = [-12, -6]
latitude = [34, 39]
levels = {{ type = "ZLevels", nz = 2 }}
[model]
type = "Ocean"
[simulation]
time_step = "10min"
run = "1h"
surface = {{ {surface} }}
"""


def flux(longitude, latitude):
    """Heat [W m-2] that is not linear in either."""
    x, y = np.radians(longitude)[None, :], np.radians(latitude)[:, None]
    return xr.DataArray(
        100 * np.cos(3 * x) * np.sin(2 * y),
        {"latitude": latitude, "longitude": longitude},
        ("latitude", "longitude"),
        "hfds",
        {"units": "W m-2"},
    )


def on_grid(array):
    inputs = [Input("surface_heat_flux", Records(array), "W m-2")]
    return sources(inputs, grid)[0].read(0)["surface_heat_flux"]


rows = np.arange(33.0, 41)
everywhere = on_grid(flux(np.arange(0.0, 360), np.arange(-90.0, 91)))


@pytest.mark.parametrize(
    "columns",
    [
        np.arange(-13.0, -4),
        np.arange(347.0, 356),
        np.arange(-4.0, -14, -1),
        np.append(np.arange(-8.0, -4), np.arange(347.0, 352)),
        np.arange(-12.0, -5),
    ],
    ids=["a margin of a cell", "from 0 to 360", "westward", "two halves", "the edges alone"],
)
@pytest.mark.parametrize("latitude", [rows, rows[::-1], rows[1:-1]], ids=["north", "south", "bare"])
def test_a_region_gives_what_the_whole_earth_gives(columns, latitude):
    np.testing.assert_allclose(on_grid(flux(columns, latitude)), everywhere, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "keyword, columns, latitude, said",
    [
        ("heat_flux", (-9, 4), (33, 41), "longitudes from -9 to 3; .*from -11.5 to -6.5: 33%"),
        ("heat_flux", (-13, -4), (36, 41), "latitudes from 36 to 40, .*from 34.5 to 38.5"),
        ("runoff", (-13, -4), (36, 41), "latitudes from 36 to 40, .*from 34.5 to 38.5"),
    ],
)
def test_what_does_not_cover_the_sea_is_refused_by_show(tmp_path, keyword, columns, latitude, said):
    data = flux(np.arange(*columns, dtype=float), np.arange(*latitude, dtype=float))
    if keyword == "runoff":
        data = abs(data).rename("friver").assign_attrs(units="kg m-2 s-1")
    data.to_dataset().to_netcdf(tmp_path / "region.nc")
    surface = f'type = "SurfaceForcing", {keyword} = "region.nc"'
    (tmp_path / "case.toml").write_text(experiment.format(surface=surface))
    status, _, wrong = box.fathom("show", "case.toml", folder=tmp_path)
    assert status == 2
    assert len(wrong.splitlines()) == 1 and re.search(said, wrong), wrong
