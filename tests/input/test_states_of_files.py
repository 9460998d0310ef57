"""States of the air from files of others: levels and columns in any order give the same state, and
what is another quantity, an extreme over time, impossible, doubled or missing is refused.
"""

import numpy as np
import pytest
import xarray as xr

import fathom as fm
from fathom.atmosphere.remap import initial
from fathom.data import atmosphere, stored_state
from fathom.data.input import states

globe = np.arange(-80.0, 81, 20)
pressure = np.array([10.0, 100, 300, 500, 850, 1000])  # hPa
fields = {
    "t": ("air_temperature", "K", 250.0),
    "u": ("eastward_wind", "m s-1", 10.0),
    "v": ("northward_wind", "m s-1", -3.0),
    "q": ("specific_humidity", "kg kg-1", 1e-3),
    "z": ("geopotential", "m2 s-2", 1e4),
}


def era5(longitude, latitude=globe, levels=pressure, **more):
    """A state as the Copernicus store delivers it: each number tells its place."""
    y, x = np.deg2rad(latitude)[:, None], np.deg2rad(longitude)[None, :]
    form = 1 + 0.01 * (np.cos(x) + np.sin(y)) + 0.02 * np.log(levels)[:, None, None]
    data = {
        name: (
            ("valid_time", "pressure_level", "latitude", "longitude"),
            (typical * form)[None],
            {"units": units, "standard_name": standard} | more.get(name, {}),
        )
        for name, (standard, units, typical) in fields.items()
    }
    coordinates = {
        "valid_time": [np.datetime64("2020-01-01", "ns")],
        "pressure_level": ("pressure_level", levels, {"units": "hPa"}),
        "latitude": ("latitude", latitude, {"units": "degrees_north"}),
        "longitude": ("longitude", longitude, {"units": "degrees_east"}),
    }
    return xr.Dataset(data, coordinates)


def read(tmp_path, data, name="a.nc"):
    """The state of a file."""
    data.to_netcdf(tmp_path / name)
    return atmosphere.open(str(tmp_path / name))


around = np.arange(0.0, 360, 30)
part = np.arange(-20.0, 21, 5)
north = np.arange(40.0, 61, 5)
orders = {
    "as it is": lambda d: d,
    "from the ground": lambda d: d.isel(pressure_level=slice(None, None, -1)),
    "from north": lambda d: d.isel(latitude=slice(None, None, -1)),
    "westward": lambda d: d.isel(longitude=slice(None, None, -1)),
    "0 to 360": lambda d: d.assign_coords(longitude=d.longitude % 360).sortby("longitude"),
    "-180 to 180": lambda d: d.assign_coords(longitude=(d.longitude + 180) % 360 - 180).sortby(
        "longitude"
    ),
    "two halves": lambda d: d.roll(longitude=5, roll_coords=True),
}


@pytest.mark.parametrize("order", orders)
@pytest.mark.parametrize("longitude, latitude", [(around, None), (part, north)])
def test_levels_and_columns_in_any_order(tmp_path, order, longitude, latitude):
    data = era5(longitude) if latitude is None else era5(longitude, latitude)
    right, found = read(tmp_path, data), read(tmp_path, orders[order](data), "b.nc")
    assert set(found.dims) == set(right.dims)
    for name in (*(n for n, _, _ in fields.values()), "pressure", "latitude"):
        np.testing.assert_allclose(found[name].values, right[name].values, rtol=1e-12)
    np.testing.assert_allclose(np.cos(np.deg2rad(found.longitude - right.longitude)), 1)


def test_a_column_twice_counts_once(tmp_path):
    data = era5(np.append(around, 360.0))
    found = read(tmp_path, data)
    np.testing.assert_array_equal(found.longitude, around)


def test_a_level_twice_is_refused(tmp_path):
    data = era5(around, levels=np.append(pressure, 500.0))
    with pytest.raises(fm.InputError, match="a.nc: pressure of the state is 500 hPa more than"):
        read(tmp_path, data)


@pytest.mark.parametrize(
    "said, why",
    [
        ({"standard_name": "air_potential_temperature"}, "is air_potential_temperature"),
        ({"cell_methods": "time: maximum"}, "is a maximum over time"),
    ],
)
def test_another_quantity_or_an_extreme_is_no_state(tmp_path, said, why):
    with pytest.raises(fm.InputError, match=f"its variable ta {why}.*, not air_temperature of"):
        read(tmp_path, era5(around, t=said).rename(t="ta"))


@pytest.mark.parametrize("number", [0.0, 9999.0, -999.0, 1e20])
def test_numbers_that_air_cannot_have(tmp_path, number):
    data = era5(around)
    data["t"][0, 3, 2, 1] = number
    state = read(tmp_path, data).isel(time=0)
    grid = fm.GaussianGrid(10, levels=fm.SigmaLevels(4))
    ground = np.zeros((grid.latitude.size, max(grid.points)))
    with pytest.raises(fm.InputError, match="air_temperature = .* K at 500 hPa, latitude -40, lo"):
        initial.initial_state(state, grid, grid.levels, ground)


def test_hybrid_levels_from_the_ground_are_turned():
    a, b = np.array([0.0, 2e4, 1e4, 0]), np.array([0, 0.1, 0.6, 1.0])
    data = xr.Dataset({"t": ("level", [1.0, 2, 3])})
    same, turned = (states.from_top("f", data, *pair) for pair in ((a, b), (a[::-1], b[::-1])))
    np.testing.assert_array_equal(turned[1], same[1])
    np.testing.assert_array_equal(turned[0].t, same[0].t[::-1])
    with pytest.raises(fm.InputError, match="do not follow each other"):
        states.from_top("f", data, a[[0, 2, 1, 3]], b[[0, 2, 1, 3]])


def test_bounds_of_layers_may_be_in_either_order():
    pairs = np.array([[0.0, 1], [1, 3], [3, 4]])
    for given, right in ((pairs, [0, 1, 3, 4]), (pairs[::-1], [4, 3, 1, 0])):
        for both in (given, given[:, ::-1]):
            held = xr.Dataset({"ap": ("k", [0.0] * 3), "ap_bounds": (("k", "two"), both)})
            np.testing.assert_array_equal(stored_state._interfaces(held, "ap"), right)
