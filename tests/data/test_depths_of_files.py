"""Depths of a user's file: the same sea in every form in which such files come, on the globe and in
regions that cross the first and the last longitude of the file.
"""

import numpy as np
import pytest
import xarray as xr

import fathom as fm
from fathom.base.failure import InputError

regions = {
    "globe": {"nx": 36, "ny": 14, "latitude": (-70, 70)},
    "date line": {"nx": 20, "ny": 10, "longitude": (170, 190), "latitude": (-5, 5)},
    "Greenwich": {"nx": 20, "ny": 10, "longitude": (-10, 10), "latitude": (-5, 5)},
}
middles, north = np.arange(-179.5, 180), np.arange(-89.5, 90)


def sea(x, y):
    """Depth [m]: a wave around the earth, and land south of 60 degrees south."""
    return np.where(y < -60, -500.0, 1000 * (2 + np.cos(np.radians(x))))


def written(path, x=middles, y=north, sign=-1, name="elevation", dims=("lat", "lon"), **said):
    values = sign * sea(x[None, :], y[:, None])
    if said.pop("short", False):
        values = np.round(values).astype("i2")
    field = (dims, values, {"units": "m"} | said)
    xr.Dataset({name: field}, {dims[0]: y, dims[1]: x}).to_netcdf(path)
    return path


def off(region, file):
    """The largest error of a depth [m], away from the coast; land of the file is land."""
    levels = fm.ZLevels(nz=60, depth=3000, spacing="uniform", partial_cells=0.1)
    grid = fm.LatitudeLongitudeGrid(levels=levels, bathymetry=file, **regions[region])
    x, y = grid.coordinates()
    found, right = np.asarray(grid.depth()), sea(x, y)
    return np.abs(found - np.maximum(right, 0))[np.abs(y + 60) > 6].max()


forms = {
    "from the date line": {},
    "from Greenwich": {"x": middles + 180},
    "from north": {"y": north[::-1]},
    "short integers": {"short": True},
    "depths": {
        "sign": 1,
        "name": "deptho",
        "standard_name": "sea_floor_depth_below_geoid",
    },
    "of GMT": {"name": "z", "dims": ("y", "x")},
    "of GDAL": {"name": "Band1"},
    "first and last column the same": {"x": np.arange(-180.0, 181), "y": np.arange(-90.0, 91)},
    "first and last from Greenwich": {"x": np.arange(0.0, 361), "y": np.arange(-90.0, 91)},
    "depths of GMT that say so": {"name": "z", "sign": 1, "positive": "down"},
    "heights called a depth that say so": {"name": "depth", "positive": "up"},
}


@pytest.mark.parametrize("form", forms)
@pytest.mark.parametrize("region", regions)
def test_forms_of_a_file(tmp_path, form, region):
    """Within the change of depth over a cell."""
    assert off(region, written(tmp_path / "a.nc", **forms[form])) < 60


def test_a_file_of_quarter_degrees(tmp_path):
    x, y = np.arange(-179.875, 180, 0.25), np.arange(-89.875, 90, 0.25)
    assert off("date line", written(tmp_path / "a.nc", x, y)) < 60


def test_land_without_a_value(tmp_path):
    depth = sea(middles[None, :], north[:, None])
    field = (("lat", "lon"), np.where(depth > 0, depth, np.nan), {"units": "m"})
    xr.Dataset({"depth": field}, {"lat": north, "lon": middles}).to_netcdf(tmp_path / "a.nc")
    assert off("globe", tmp_path / "a.nc") < 60


@pytest.mark.parametrize("fill", [1e20, 9999.0, 32767.0])
def test_a_number_for_land_is_no_depth(tmp_path, fill):
    depth = sea(middles[None, :], north[:, None])
    field = (("lat", "lon"), np.where(depth > 0, depth, fill), {"units": "m"})
    xr.Dataset({"depth": field}, {"lat": north, "lon": middles}).to_netcdf(tmp_path / "a.nc")
    with pytest.raises(InputError, match=r"a\.nc: depth.* must lie between 0 and"):
        off("globe", tmp_path / "a.nc")


@pytest.mark.parametrize(
    "told, why",
    [
        ({"standard_name": "sea_ice_thickness"}, "is sea_ice_thickness"),
        ({"cell_methods": "time: maximum"}, "is a maximum over time"),
        ({"units": "kg"}, "'kg' has not the dimension of 'm'"),
    ],
)
def test_another_quantity_is_no_depth(tmp_path, told, why):
    with pytest.raises(InputError, match=rf"bathymetry: .*a\.nc: z:? {why}"):
        off("globe", written(tmp_path / "a.nc", name="z", **told))


def test_a_region_over_the_date_line_in_two_halves(tmp_path):
    """The longitudes of the file go from 165.5 to 179.5, then from -179.5 on."""
    x = np.concatenate([np.arange(165.5, 180), np.arange(-179.5, -164)])
    assert off("date line", written(tmp_path / "a.nc", x, np.arange(-9.5, 10))) < 60


@pytest.mark.parametrize(
    "how, said",
    [
        ({"name": "depth", "x": middles[:90]}, "depth is a depth by its name .* negative"),
        ({"name": "depth", "positive": "down"}, "positive = 'up' in the file"),
        ({"sign": 1, "y": north[40:]}, "elevation is a height by its name .* 0% of its numbers"),
        ({"sign": 1, "y": north[40:], "positive": "up"}, "positive = 'down' in the file"),
    ],
)
def test_a_sign_that_contradicts_the_name_is_refused(tmp_path, how, said):
    """Depths that are mostly negative, heights of which none is."""
    file = written(tmp_path / "a.nc", **how)
    with pytest.raises(fm.InputError, match=f"bathymetry: .*a.nc: .*{said}"):
        off("Greenwich", file)
