"""What a file says of itself counts: another quantity, another sign, an extreme over time, another
level, a band of the earth or a number that stands for a missing value is not read in silence.
"""

from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

from fathom.base import longitudes
from fathom.base.failure import InputError
from fathom.data.input import layers
from fathom.data.input.records import Input, Records, sources
from fathom.ocean.surface.air import Air
from fathom.ocean.surface.forcing import BulkForcing
from fathom.ocean.surface.given_fluxes import SurfaceForcing

latitude, longitude = np.arange(-85.0, 86, 10), np.arange(5.0, 360, 10)
east, north = np.meshgrid([3.0, 100.0, 271.0, 356.0], [-61.0, 0.0, 44.0])
wet = np.ones((3, 4), bool)


def grid_at(east, north):
    return SimpleNamespace(
        wet_levels=wet.astype(int),
        horizontal=SimpleNamespace(spherical=True),
        coordinates=lambda where: (east, north),
        levels_at=lambda where: wet.astype(int),
        place=lambda j, i: f"(j={j}, i={i})",
    )


grid = grid_at(east, north)


def uniform(value, units, name="", x=longitude, y=latitude, **said):
    said = {"units": units} | ({"standard_name": name} if name else {}) | said
    return xr.DataArray(
        np.full((y.size, x.size), value), {"lat": y, "lon": x}, ("lat", "lon"), attrs=said
    )


def flux(data, key="heat_flux", name="qnet", variable=None):
    return SurfaceForcing(**{key: Records(data.to_dataset(name=name), variable)})


up = "surface_upward_heat_flux_in_air"


@pytest.mark.parametrize(
    "key, name, data, said",
    [
        ("heat_flux", "qnet", uniform(1.0, "W m-2", up), f"is {up}"),
        ("heat_flux", "qnet", uniform(1.0, "W m-2", positive="up"), "says positive = 'up'"),
        ("heat_flux", "q", uniform(1.0, "W m-2", long_name="net upward heat flux"), "net upward"),
        ("heat_flux", "q", uniform(1.0, "W m-2", long_name="heat (positive up)"), "positive up"),
        (
            "freshwater_flux",
            "evspsbl",
            uniform(1e-5, "kg m-2 s-1", "water_evapotranspiration_flux"),
            "is water_evapotranspiration_flux",
        ),
        (
            "freshwater_flux",
            "e",
            uniform(1e-5, "kg m-2 s-1", long_name="Evaporation minus precipitation"),
            "Evaporation",
        ),
        (
            "stress_eastward",
            "taux",
            uniform(0.1, "N m-2", "surface_upward_eastward_stress"),
            "is surface_upward_eastward_stress",
        ),
        (
            "restoring_temperature",
            "thetao",
            uniform(4.0, "degC", "sea_water_potential_temperature").assign_coords(depth=1500.0),
            "1500 m below the surface",
        ),
    ],
)
def test_another_quantity_sign_or_level_is_refused(key, name, data, said):
    with pytest.raises(InputError, match=f"{name} .*{said}.*, not {key}; to use it nevertheless"):
        flux(data, key, name)
    flux(data, key, name, variable=name)  # the user knows


def test_directions_that_are_right_are_taken():
    for said in (
        {"long_name": "surface heat flux (positive down)"},
        {"long_name": "downward less upward heat flux"},
        {"positive": "down"},
        {"long_name": "Precipitation minus evaporation"},
    ):
        flux(uniform(1.0, "W m-2", **said))


@pytest.mark.parametrize("statistic", ["maximum", "minimum within days", "standard_deviation"])
def test_an_extreme_over_time_is_no_mean(statistic):
    data = uniform(290.0, "K", "air_temperature", cell_methods=f"area: mean time: {statistic}")
    records = Records(data.to_dataset(name="tasmax"))
    with pytest.raises(InputError, match=f"tasmax is a {statistic.split()[0]} over time"):
        Input("air_temperature", records, "degC", ("air_temperature", "tas"))
    mean = data.assign_attrs(cell_methods="time: mean")
    Input("air_temperature", Records(mean.to_dataset(name="tas")), "degC")


def test_a_level_of_pressure_is_not_near_the_sea():
    data = uniform(280.0, "K", "air_temperature").assign_coords(plev=85000.0)
    with pytest.raises(InputError, match="ta lies on a level of pressure, 85000"):
        Input("air_temperature", Records(data.to_dataset(name="ta")), "degC")


@pytest.mark.parametrize("by_name", [True, False])
def test_the_height_of_the_air_is_that_of_its_file(by_name):
    """Names of ECMWF and the coordinate of CMIP tell 2 m; a user's own number counts more."""
    at = {} if by_name else {"height": ((), 2.0, {"units": "m"})}
    names = ("t2m", "d2m", "u10", "v10") if by_name else ("tas", "huss", "uas", "vas")
    humid = (283.0, "K", "") if by_name else (0.007, "1", "specific_humidity")
    values = ((288.0, "K", ""), humid, (7.0, "m s-1", ""), (0.0, "m s-1", ""))
    data = {name: uniform(*value) for name, value in zip(names, values)}
    data |= {name: data[name].assign_coords(at) for name in names[:2]}
    data["msl"] = uniform(101325.0, "Pa")
    data["siconc"], data["tos"] = uniform(0.0, "1"), uniform(15.0, "degC")  # get the height, too
    records = Records(xr.Dataset(data))
    assert BulkForcing(records, missing="coads").bulk.parameters == {"air_height": 2.0}
    own = BulkForcing(records, missing="coads", air_height=4.0)
    assert own.bulk.parameters == own.parameters == {"air_height": 4.0}
    assert BulkForcing("coads").bulk.parameters == {}


def test_temperature_and_humidity_of_two_heights():
    at = lambda h: {"height": ((), h, {"units": "m"})}
    data = {
        "air_temperature": uniform(288.0, "K").assign_coords(at(2.0)),
        "specific_humidity": uniform(0.007, "1").assign_coords(at(10.0)),
    }
    air = Air(data, {name: name for name in data})
    with pytest.raises(InputError, match=r"at 2 m and .* at 10 m.*give air_height"):
        air.heights()


# ---- numbers


def sst(fill, units):
    """15 degC at sea, and a continent at 85 E to 115 E with a number of its own."""
    data = uniform(15.0 if units == "degC" else 288.15, units, "sea_surface_temperature")
    data[:, (data.lon > 85) & (data.lon < 115)] = fill
    return data


@pytest.mark.parametrize(
    "fill, units", [(0.0, "K"), (-999.0, "degC"), (9999.0, "K"), (1e20, "K"), (-32767.0, "K")]
)
@pytest.mark.parametrize("field", ["restoring_temperature", "air_temperature"])
def test_numbers_in_place_of_missing_values(fill, units, field):
    """An error where the model would take them, with value, place and source; none where no sea
    is near.
    """
    one = Input(field, Records(sst(fill, units)), "degC", (field, "sea_surface_temperature"))
    with pytest.raises(InputError, match=rf"{field} = \S+ degC at \(j=0, i=1\).*must lie between"):
        sources([one], grid)[0].read(0)
    away = grid_at(east - 60, north)
    assert sources([one], away)[0].read(0)[field] == pytest.approx(15)


@pytest.mark.parametrize("fill", [-999.0, 9999.0])
def test_a_usual_number_for_missing_values_within_the_limits(fill):
    """Where it stands many times; a constant of that size is meant."""
    data = uniform(15.0, "W m-2")
    data[:, (data.lon > 85) & (data.lon < 115)] = fill
    one = Input("heat_flux", Records(data.to_dataset(name="hfds")), "W m-2")
    with pytest.raises(InputError, match=rf"heat_flux = {fill:g} W m-2 at \(j=0, i=1\)"):
        sources([one], grid)[0].read(0)
    if fill < 0:
        same = Input("heat_flux", Records(uniform(fill, "W m-2").to_dataset(name="q")), "W m-2")
        assert (sources([same], grid)[0].read(0)["heat_flux"] == fill).all()


def test_salinity_as_a_share_is_refused():
    one = Input("restoring_salinity", Records(uniform(0.035, "1e-3")), "1e-3")
    with pytest.raises(InputError, match="is nowhere above 0.035 1e-3: are its numbers in another"):
        sources([one], grid)[0].read(0)
    for value, name in ((300, "restoring_temperature"), (0.035, "restoring_salinity")):
        with pytest.raises(InputError, match=rf"{name} = {value} must lie between"):
            SurfaceForcing(**{name: value})


# ---- places

orders = {
    "first repeated": np.append(longitude, 365.0),
    "both -180 and 180": np.arange(-180.0, 181, 10),
    "descending": longitude[::-1],
    "in two halves": np.concatenate([np.arange(5.0, 180, 10), np.arange(-175.0, 0, 10)]),
}


@pytest.mark.parametrize("order", orders)
def test_longitudes_in_any_order(order):
    """A wave around the earth is where it is."""
    x = orders[order]
    data = uniform(1.0, "W m-2", x=x)
    data[:] = np.cos(np.radians(x))[None] + np.sin(np.radians(latitude))[:, None]
    found = sources([Input("q", Records(data), "W m-2")], grid)[0].read(0)["q"]
    right = np.cos(np.radians(east)) + np.sin(np.radians(north))
    np.testing.assert_allclose(found, right, atol=0.02)


@pytest.mark.parametrize(
    "x, around",
    [
        (np.arange(0, 360, 10.0), True),
        (np.arange(0, 350, 10.0), True),  # one column is lacking
        (np.array([0.0, 180.0]), False),
        (np.array([0.0, 120.0, 240.0]), False),
        (np.concatenate([np.arange(0, 20.0), np.arange(190, 210.0)]), False),  # two bands
        (np.arange(0, 300, 10.0), False),
        (np.cumsum(360 * np.r_[1:20, 20:0:-1] / np.r_[1:20, 20:0:-1].sum()), True),  # stretched
    ],
)
def test_once_around(x, around):
    assert longitudes.eastward(x).around == around


def test_a_part_of_the_earth_serves_what_lies_in_it():
    x, y = np.arange(-30.0, 31, 5), np.arange(30.0, 71, 5)
    data = uniform(3.0, "W m-2", x=x, y=y)
    data[:] = x[None] + y[:, None]
    one = Input("q", Records(data), "W m-2")
    east, north = np.meshgrid([-20.0, 0.0, 12.0, 29.0], [33.0, 50.0, 66.0])
    found = sources([one], grid_at(east, north))[0].read(0)["q"]
    np.testing.assert_allclose(found, east + north, atol=1e-9)
    for shift in ((60, 0), (0, -60)):
        with pytest.raises(InputError, match=r"has l\w+itudes from .*outside"):
            sources([one], grid_at(east + shift[0], north + shift[1]))[0].read(0)


def start(data, field="temperature", at=(east, north)):
    return layers.on_points(data, field, at[1], at[0], np.array([10.0, 60.0]))


def volume(name, standard, value=10.0, x=longitude, y=latitude, **said):
    one = uniform(value, "degC", standard, x, y, **said)
    return one.expand_dims(depth=[5.0, 100.0]).to_dataset(name=name)


def test_a_start_from_another_quantity_or_from_elsewhere():
    assert start(volume("thetao", "sea_water_potential_temperature")) == pytest.approx(10)
    for name, standard, said in (
        ("bigthetao", "sea_water_conservative_temperature", "is sea_water_conservative_temp"),
        ("ta", "air_temperature", "is air_temperature"),
    ):
        with pytest.raises(InputError, match=f"{name} {said}"):
            start(volume(name, standard))
    with pytest.raises(InputError, match="thetao is a maximum over time"):
        start(volume("thetao", "", cell_methods="time: maximum"))
    with pytest.raises(InputError, match=r"temperature = 9999 degC.*must lie between -100 and 400"):
        start(volume("thetao", "", 9999.0))
    band = volume("thetao", "", x=np.arange(0.0, 90, 5))
    with pytest.raises(InputError, match=r"longitudes from 0 to 85; .* outside"):
        start(band)
    south = volume("thetao", "", y=np.arange(-80.0, -39, 5))
    with pytest.raises(InputError, match=r"has latitudes from -80 to -40; .* 67% of its points"):
        start(south)
    inside = (0.5 * (east % 90), north)
    assert start(band, at=inside) == pytest.approx(10)
