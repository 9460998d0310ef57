"""What is named for the forcing is used, or is an error: never replaced by the climatology, never
taken for something else.
"""

import numpy as np
import pytest
import xarray as xr

import fathom as fm
from fathom.data.input.records import Input, Points, Records
from fathom.ocean.surface.air import Air

latitude, longitude = np.arange(-85.0, 86, 10), np.arange(0.0, 360, 20)
shape = (12, latitude.size, longitude.size)
months = np.arange("2000-01", "2001-01", dtype="datetime64[M]").astype("datetime64[ns]")


def wind(dims=("time", "latitude", "longitude"), shape=shape, coords=None, **attributes):
    places = {"latitude": latitude, "longitude": longitude, "time": months}
    known = {name: values for name, values in places.items() if name in dims}
    return xr.DataArray(np.full(shape, 5.0), dims=dims, coords=known | (coords or {})).assign_attrs(
        {"units": "m s-1"} | attributes
    )


def air(data, tmp_path, **keywords):
    """The air of an ocean: its eastward wind from a file, the rest from the climatology."""
    if isinstance(data, xr.DataArray):
        data = data.to_dataset(name="u10")
    data.to_netcdf(tmp_path / "u.nc")
    given = {"eastward_wind": str(tmp_path / "u.nc")}
    wanted = {"eastward_wind": "eastward_wind", "air_temperature": "air_temperature"}
    return Air(given, wanted, missing="coads", **keywords)


@pytest.mark.parametrize("name", ["time", "valid_time", "t", "month"])
def test_time_may_be_called_otherwise(tmp_path, name):
    when = {} if name == "month" else {name: months}
    taken = air(wind((name, "latitude", "longitude"), coords=when), tmp_path)
    (one,) = taken.inputs
    assert one.field == "eastward_wind" and len(one.axis) == 12
    assert taken.climate == {"air_temperature": "air_temperature"}


@pytest.mark.parametrize(
    "data, said",
    [
        (
            wind(("time", "height", "latitude", "longitude"), (12, 2, *shape[1:])),
            r"u10: of its dimensions \(time, height, latitude, longitude\) height has 2 values",
        ),
        (wind(("number", "time", "latitude", "longitude"), (3, *shape)), "number has 3 values"),
        (wind(("latitude", "longitude", "time"), (*shape[1:], 12)), "wanted: time first"),
        (wind(("Times", "latitude", "longitude")), "Times has 12 values"),
        (wind(("time", "station"), (12, 5)), "are not two of place"),
        (
            xr.Dataset({"first": wind(), "second": wind()}),
            r"no variable for eastward_wind \(first, second\); wanted: eastward_wind or uas or u10",
        ),
        (wind(standard_name="air_temperature"), "u10 is air_temperature .* not eastward_wind"),
        (wind().assign_coords(latitude=np.deg2rad(latitude) * 90), "degrees from -90 to 90"),
        (
            wind().assign_coords(latitude=np.deg2rad(latitude), longitude=np.deg2rad(longitude)),
            "as in radians; wanted: degrees",
        ),
        (wind().assign_coords(latitude=np.where(latitude > 0, latitude, np.nan)), "not a number"),
    ],
)
def test_what_is_named_is_used_or_an_error(tmp_path, data, said):
    if said.startswith("u10 is"):
        data = data.rename("x").to_dataset(name="u10")
    with pytest.raises(ValueError, match=said):
        air(data, tmp_path)


def test_files_of_which_nothing_is_used(tmp_path):
    wind().to_dataset(name="precipitable_water").to_netcdf(tmp_path / "all.nc")
    wanted = {"eastward_wind": "eastward_wind"}
    with pytest.raises(ValueError, match="has no eastward_wind: all would come from"):
        Air(str(tmp_path / "all.nc"), wanted, missing="coads")


@pytest.mark.parametrize("factor, refused", [(1.0, False), (np.pi / 180, True), (0.4, True)])
def test_records_cover_the_sea(factor, refused):
    grid = fm.LatitudeLongitudeGrid(nx=24, ny=16, latitude=(-60, 60))
    data = wind().assign_coords(latitude=latitude * factor)
    one = Input("eastward_wind", Records(data), "m s-1")
    if refused:
        with pytest.raises(ValueError, match=r"has latitudes from .*% of its points lie outside"):
            one.check(grid)
    else:
        one.check(grid)
        assert np.isfinite(one.read(3, Points(grid))).all()


def test_infinite_values_are_no_gaps():
    data = wind()
    data[3, 2, 2] = np.inf
    one = Input("eastward_wind", Records(data), "m s-1")
    with pytest.raises(ValueError, match="eastward_wind: .* is infinite in places"):
        one.read(3, None)


def test_forcing_of_another_year(tmp_path):
    """A run outside the years of its forcing does not begin."""
    wind().to_dataset(name="uas").to_netcdf(tmp_path / "u.nc")
    levels = fm.ZLevels(thickness=[100.0] * 3)
    grid = fm.LatitudeLongitudeGrid(nx=18, ny=12, latitude=(-60, 60), levels=levels)
    surface = fm.BulkForcing(data={"eastward_wind": str(tmp_path / "u.nc")}, missing="coads")
    simulation = fm.Simulation(
        fm.Ocean(grid), "1h", start="2005-01-01", surface=surface, directory=tmp_path / "run"
    )
    with pytest.raises(ValueError, match="eastward_wind are of 1999-12-01 .* the run is from 2005"):
        simulation.run("1d")
