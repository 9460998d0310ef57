"""What comes in at the boundary of the air is possible and belongs together: numbers of sea, ice
and sun, an outer store that reaches the area and its top, one ground.
"""

import numpy as np
import pytest
import xarray as xr

import fathom as fm
import small_areas
from fathom.atmosphere.area.stored_outer import Stored

levels = fm.HybridLevels("L8")


def globe(**model):
    grid = fm.GaussianGrid(truncation=5, levels=levels)
    return fm.SpectralAtmosphere(grid, physics=fm.BasicPhysics(), **model)


@pytest.mark.parametrize(
    "name, value, said",
    [
        ("sea_surface_temperature", 15.0, "= 15 K .* must lie between 200 and 400 K"),
        ("sea_surface_temperature", -300.0, "= -300 K"),
        ("sea_surface_temperature", lambda x, y: 20 + 0 * x, "= 20 K"),
        ("sea_ice_fraction", 5.0, "= 5 at"),
        ("ground_temperature", 20.0, "= 20 K"),
    ],
)
def test_sea_ice_and_ground(name, value, said):
    model = globe().set(**{name: value})
    with pytest.raises(fm.InputError, match=f"{name} {said}"):
        model.geometry()


def test_the_sun():
    with pytest.raises(fm.InputError, match="Sunlight solar_constant = 1.361 must lie between 10"):
        fm.SpectralAtmosphere(
            fm.GaussianGrid(truncation=5, levels=levels),
            physics=fm.BasicPhysics(sunlight=fm.Sunlight(solar_constant=1.361)),
        )


@pytest.mark.parametrize(
    "orography, said", [(30000.0, "30000"), (lambda x, y: 0 * x, "a function")]
)
def test_an_orography_beside_that_of_an_analysis(orography, said):
    with pytest.raises(fm.InputError, match=f"orography = {said} together with analysis = 'gfs'"):
        globe(orography=orography).set(analysis="gfs")


around = np.arange(0.0, 360, 10)


def store(file, latitude, longitude=around, pressure=(1000, 500, 100, 10)):
    """States in time on levels of pressure [hPa]."""
    at = {
        "time": np.array(["2011-10-11", "2011-10-11T01"], "M8[ns]"),
        "pressure": ("pressure", np.array(pressure, float), {"units": "hPa"}),
        "latitude": latitude,
        "longitude": longitude,
    }
    shape = (2, len(pressure), latitude.size, longitude.size)
    field = (("time", "pressure", "latitude", "longitude"), np.full(shape, 250.0), {"units": "K"})
    xr.Dataset({"air_temperature": field}, at).to_netcdf(file)
    return file


north = np.arange(-90.0, 91, 10)


@pytest.mark.parametrize(
    "latitude, more, said",
    [
        (north[north <= 0], {}, "latitudes from -90 to 0; .*100% of its points lie outside"),
        (
            north,
            {"longitude": np.arange(100.0, 200, 10)},
            "longitudes from 100 to 190; .*100% of its points lie outside",
        ),
        (north, {"pressure": (1000, 850, 500)}, "from 1000 to 500 hPa; the uppermost must lie at"),
    ],
)
def test_an_outer_store_that_does_not_reach_the_area(tmp_path, latitude, more, said):
    model = fm.LimitedAreaAtmosphere(small_areas.area(levels=levels))
    file = store(tmp_path / "outer.nc", latitude, **more)
    with pytest.raises(fm.InputError, match=f"outer = .*outer.nc' has .*{said}"):
        Stored(model.receiver, file).check()
    Stored(model.receiver, store(tmp_path / "whole.nc", north)).check()


def test_times_of_an_outer_store(tmp_path):
    """Records between two seconds stand where their file says; times must be dates."""
    model = fm.LimitedAreaAtmosphere(small_areas.area(levels=levels))
    with xr.open_dataset(store(tmp_path / "outer.nc", north)) as data:
        later = data.assign_coords(time=data.time + np.timedelta64(250, "ms"))
        later.to_netcdf(tmp_path / "later.nc")
        data.drop_vars("time").to_netcdf(tmp_path / "no-dates.nc")
        data.isel(time=0, drop=True).to_netcdf(tmp_path / "one.nc")
    axis = Stored(model.receiver, tmp_path / "later.nc").axis
    assert axis.begin[0][3] % 1 == 0.25
    for file, said in (("no-dates.nc", "its dimension time has no dates"), ("one.nc", "no states")):
        with pytest.raises(fm.InputError, match=f"{file}'.*{said}"):
            Stored(model.receiver, tmp_path / file).check()


def test_a_start_from_levels_that_end_in_the_troposphere():
    from fathom.data.input import checks

    checks.check_reaches_top("the state", np.array([1e5, 3e4]))
    with pytest.raises(fm.InputError, match="the state has levels of pressure from 1000 to 400"):
        checks.check_reaches_top("the state", np.array([1e5, 4e4]))
