"""Forcing as others give it: longitudes in any order, the files of reanalyses, signs and names.

The same field is read from all of them, or an error says what is wrong with the file.
"""

import numpy as np
import pytest
import xarray as xr

import fathom as fm
from fathom.data.input.records import Input, Records, sources

latitude = np.arange(-87.5, 90, 5)
longitude = np.arange(0.0, 360, 5)
heat = "surface_downward_heat_flux_in_sea_water"


def globe():
    return fm.LatitudeLongitudeGrid(
        nx=36, ny=18, latitude=(-80, 80), levels=fm.ZLevels(nz=2, depth=100)
    )


def read(data, name, units, number=0, names=(heat,), **how):
    """A record on the cells of a globe."""
    one = Input(name, Records(data, **how), units, names)
    return sources([one], globe())[0].read(number)[name]


def wave(x, y):
    return np.cos(np.radians(x)) + np.sin(np.radians(y))


orders = {
    "from Greenwich": longitude,
    "from the date line": longitude - 180,
    "middles of cells": longitude + 2.5,
    "middles from the date line": longitude - 177.5,
    "from 30 degrees": longitude + 30,
    "second time around": longitude + 360,
    "uneven": np.sort(np.append(np.arange(0, 360, 7.0), [1.0, 2.0, 180.5])),
}


@pytest.mark.parametrize("name", orders)
@pytest.mark.parametrize("north_first", [False, True])
def test_longitudes_of_any_order(tmp_path, name, north_first):
    """A wave around the earth is where it is, whichever longitude comes first."""
    x, y = orders[name], latitude[::-1] if north_first else latitude
    data = xr.DataArray(
        wave(*np.meshgrid(x, y)),
        dims=("lat", "lon"),
        coords={"lat": y, "lon": x},
        attrs={"units": "W m-2", "standard_name": heat},
    )
    data.to_dataset(name="hfds").to_netcdf(tmp_path / "a.nc")
    found = read(tmp_path / "a.nc", "heat_flux", "W m-2")
    np.testing.assert_allclose(found, wave(*globe().coordinates()), atol=0.01)


hours = np.arange(48.0)
instants = np.datetime64("2000-01-01", "ns") + np.arange(48) * np.timedelta64(1, "h")


def by_hours(values, dims, shape, **attributes):
    """Uniform in space, on `dims` and places; `values` lie along all of `dims`."""
    places = {"latitude": np.arange(80.0, -81, -10), "longitude": np.arange(0.0, 360, 10)}
    there = np.reshape(values, (*np.shape(values), 1, 1)) * np.ones((17, 36))
    return xr.DataArray(there.reshape(*shape, 17, 36), dims=(*dims, *places), attrs=attributes)


def test_two_states_of_a_reanalysis_in_one_file():
    """Final and preliminary hours along a dimension of their own are not averaged: the error names
    the dimension; merged by the user they are one series.
    """
    values = np.full((48, 2), np.nan)
    values[:30, 0], values[30:, 1] = 100 + hours[:30], 100 + hours[30:]
    data = by_hours(values, ("time", "expver"), (48, 2), units="W m-2", standard_name=heat)
    places = {"latitude": np.arange(80.0, -81, -10), "longitude": np.arange(0.0, 360, 10)}
    data = data.assign_coords(time=instants, expver=[1, 5], **places)
    with pytest.raises(fm.InputError, match="expver has 2 values"):
        read(data, "heat_flux", "W m-2")
    named = fm.Records(data.rename("ssrd"), "ssrd")
    with pytest.raises(fm.InputError, match="ssrd: of its dimensions .* expver has 2 values"):
        named.find(("heat_flux",))
    merged = data.sel(expver=1).combine_first(data.sel(expver=5))
    assert read(merged, "heat_flux", "W m-2", number=40) == pytest.approx(140)
    with pytest.raises(fm.InputError, match="no value at"):
        read(data.isel(expver=0), "heat_flux", "W m-2", number=40)


@pytest.fixture
def reanalysis(tmp_path):
    """Two files, of instants and of sums over the hour before, whose rates are linear in time."""
    at = {
        "valid_time": ("valid_time", instants, {"standard_name": "time"}),
        "latitude": ("latitude", np.arange(80.0, -81, -10), {"units": "degrees_north"}),
        "longitude": ("longitude", np.arange(0.0, 360, 10), {"units": "degrees_east"}),
        "number": ((), 0, {"standard_name": "realization"}),
        "expver": ("valid_time", np.array(["0001"] * 30 + ["0005"] * 18)),
    }
    of = lambda values, units, name="unknown": by_hours(
        values, ("valid_time",), (48,), units=units, standard_name=name
    )
    middles = hours - 0.5
    downward = "surface_downwelling_shortwave_flux_in_air"
    folder = tmp_path / "era5"
    folder.mkdir()
    xr.Dataset(
        {"u10": of(5 + 0.1 * hours, "m s**-1"), "t2m": of(290 + 0.05 * hours, "K")}, at
    ).to_netcdf(folder / "instant.nc")
    xr.Dataset(
        {
            "ssrd": of(3600 * 2 * middles, "J m**-2", downward),
            "tp": of(3.6 * 1e-5 * middles, "m"),
        },
        at,
    ).to_netcdf(folder / "accum.nc")
    return folder


def at_hour(hour, source, name):
    """What a model sees then: between the records around it."""
    clock = fm.Simulation(fm.Ocean(globe()), "1h", start="2000-01-01").clock
    first, second, t0, t1 = source.axis.bracket(clock, 3600 * hour)
    a, b = (source.read(number)[name].mean() for number in (first, second))
    return a + (b - a) * (3600 * hour - t0) / (t1 - t0)


@pytest.mark.parametrize("hour", [6.0, 6.25, 6.5, 30.5])
def test_sums_of_an_hour_lie_in_its_middle(reanalysis, hour):
    """Sums over the hour before are its means, half an hour earlier; instants stay."""
    wanted = {
        "eastward_wind": ("m s-1", "u10", 5 + 0.1 * hour),
        "air_temperature": ("K", "t2m", 290 + 0.05 * hour),
        "downward_shortwave_flux": ("W m-2", "ssrd", 2 * hour),
        "precipitation_flux": ("kg m-2 s-1", "tp", 1e-5 * hour),
    }
    for name, (units, variable, right) in wanted.items():
        records = Records(reanalysis, variable, accumulated="1h")
        (source,) = sources([Input(name, records, units)], globe())
        assert at_hour(hour, source, name) == pytest.approx(right, rel=1e-5)


def test_sums_without_their_time_are_refused(reanalysis):
    with pytest.raises(fm.InputError, match="adds up over a time; .*accumulated='1h'"):
        Input("downward_shortwave_flux", Records(reanalysis, "ssrd"), "W m-2")


def uniform(value, units, name="", **attributes):
    said = {"units": units} | ({"standard_name": name} if name else {}) | attributes
    places = {"latitude": latitude, "longitude": longitude}
    return xr.DataArray(np.full((36, 72), value), places, ("latitude", "longitude"), attrs=said)


def surface_of(data, key, field):
    """The mean that a field of an ocean's surface has in its first step."""

    class Watched(fm.Ocean):
        diagnostics = property(lambda self: (*fm.Ocean.diagnostics.fget(self), field))

    ocean = Watched(globe(), friction=None)
    surface = fm.SurfaceForcing(**{key: Records(data)})
    simulation = fm.Simulation(ocean, "1h", surface=surface).prepare()
    simulation.advance(1)
    return simulation.gather(field).mean()


@pytest.mark.parametrize(
    "key, field, name, data",
    [
        ("heat_flux", "surface_heat_flux", "hfds", uniform(100.0, "W m-2", heat)),
        ("heat_flux", "surface_heat_flux", "hfds", uniform(100.0, "W m-2")),
        (
            "freshwater_flux",
            "surface_freshwater_flux",
            "wfo",
            uniform(1e-5, "kg m-2 s-1", "water_flux_into_sea_water"),
        ),
        (
            "stress_eastward",
            "stress_eastward",
            "tauuo",
            uniform(0.1, "N m-2", "downward_x_stress_at_sea_water_surface"),
        ),
        (
            "stress_eastward",
            "stress_eastward",
            "tauu",
            uniform(0.1, "N m-2", "surface_downward_eastward_stress"),
        ),
        ("stress_eastward", "stress_eastward", "metss", uniform(0.1, "N m**-2")),
    ],
)
def test_fluxes_into_the_sea_are_taken_as_they_are(key, field, name, data):
    found = surface_of(data.to_dataset(name=name), key, field)
    assert found == pytest.approx(float(data.mean()), rel=1e-6)


@pytest.mark.parametrize(
    "key, name, data, said",
    [
        (
            "heat_flux",
            "hfss",
            uniform(100.0, "W m-2", "surface_upward_sensible_heat_flux"),
            "hfss is surface_upward_sensible_heat_flux .* not heat_flux",
        ),
        (
            "heat_flux",
            "rsntds",
            uniform(100.0, "W m-2", "net_downward_shortwave_flux_at_sea_water_surface"),
            "rsntds is net_downward_shortwave_flux.* not heat_flux",
        ),
        (
            "freshwater_flux",
            "pr",
            uniform(1e-5, "kg m-2 s-1", "precipitation_flux"),
            "pr is precipitation_flux .* not freshwater_flux",
        ),
        (
            "stress_eastward",
            "ewss",
            uniform(360.0, "N m**-2 s", "surface_downward_eastward_stress"),
            "adds up over a time",
        ),
    ],
)
def test_a_part_of_a_flux_is_not_the_flux(key, name, data, said):
    with pytest.raises(fm.InputError, match=said):
        surface_of(data.to_dataset(name=name), key, "surface_heat_flux")


def test_mean_and_extremes_have_one_standard_name():
    """A folder of daily mean, greatest and least temperatures: the user says which."""
    one = lambda value, how: uniform(value, "K", "air_temperature", cell_methods=f"time: {how}")
    data = {"tasmax": one(293.15, "maximum"), "tasmin": one(283.15, "minimum")}
    names = ("air_temperature", "tas", "t2m")
    for more in ({}, {"tas": one(288.15, "mean"), "areacella": uniform(1e10, "m2", "cell_area")}):
        with pytest.raises(fm.InputError, match=r"several variables for .*tasmax, tasmin"):
            read(xr.Dataset(more | data), "air_temperature", "degC", names=names)
    found = read(xr.Dataset(data), "air_temperature", "degC", variable="tasmin")
    assert found == pytest.approx(10, abs=1e-3)
