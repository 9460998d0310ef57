"""Wind at 10 m and temperature at 2 m follow the exchange as it was given: its gusts, its
roughness, the depth of its surface layer.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from fathom.atmosphere.physics import near_surface
from fathom.base.mpi import core
from fathom.model.schemes import scheme

g, c_p, R = 9.80616, 1004.7088, 287.0597


def state(wind=8.0, warmer=0.0, sea=0.0, ice=0.0, roughness=0.5, middle=60.0, **parameters):
    """What BulkExchange leaves over one column of dry air of 285 K, `middle` above ground that is
    as warm as mixing would make it, and `warmer`.
    """
    exchange = scheme("BulkExchange", **parameters)
    one, two = np.ones((1, 1)), np.ones((2, 1, 1))
    ground = 285.0 + g * middle / c_p + warmer
    fields = {
        "eastward_wind": wind * two,
        "northward_wind": 0 * two,
        "air_temperature": 285.0 * two,
        "specific_humidity": 0 * two,
        "air_pressure": 9.9e4 * two,
        "pressure_interface": np.array([0, 9.8e4, 1e5])[:, None, None],
        "geopotential": g * middle * two,
        "surface_geopotential": 0 * one,
        "open_sea": sea * one,
        "ice_share": ice * one,
        "soil_moisture": 0 * one,
        "snow_amount": 0 * one,
        "surface_net_shortwave": 0 * one,
        "roughness_length": roughness * one,
        "sea_surface_temperature": ground * one,
        "ground_temperature": ground * one,
    }
    left = core.run_column(core.process("BulkExchange", exchange.all_parameters), fields, 2)
    columns = {name: np.asarray(a).reshape(-1, 1) for name, a in (fields | left).items()} | {
        "surface_air_pressure": np.full((1, 1), 1e5)
    }

    class Held(dict):
        model = SimpleNamespace(physics=[exchange])

    return Held(columns)


def at(name, **given):
    return float(near_surface.at(state(**given), name)[0])


@pytest.mark.parametrize("gust", [0.5, 2, 8])
@pytest.mark.parametrize(
    "given, z_0", [({"roughness": 0.5}, 0.5), ({"roughness": 3.0, "most_roughness": 1.0}, 1.0)]
)
def test_neutral_wind_is_logarithmic_whatever_the_gusts(gust, given, z_0):
    """The exchange gets its drag from the wind with its gusts; without knowing them the profile
    would bend.
    """
    log = np.log1p(10 / z_0) / np.log1p(60 / z_0)
    assert at("eastward_wind_10m", gust=gust, **given) == pytest.approx(8 * log, rel=0.01)
    assert at("wind_speed_10m", gust=gust, **given) == pytest.approx(8 * log, rel=0.01)


def test_ice_has_a_roughness_of_its_own():
    assert state(ice=1.0, ice_roughness=0.01)["ground_roughness"].item() == pytest.approx(0.01)
    assert state(ice=0.5, ice_roughness=0.01)["ground_roughness"].item() == pytest.approx(0.255)


def test_the_surface_layer_is_as_deep_as_it_is_said_to_be():
    z_0 = 0.5
    for layer in (20.0, 40.0):
        assert at("eastward_wind_10m", layer=layer) == pytest.approx(
            8 * np.log1p(10 / z_0) / np.log1p(layer / z_0), rel=0.01
        )


def test_the_sea_is_as_rough_as_the_wind_makes_it():
    """The neutral coefficient of Large & Yeager (2009) at 10 m, from the wind there."""
    for wind in (5.0, 15.0, 25.0):
        ten = at("eastward_wind_10m", wind=wind, sea=1.0, gust=0.1)
        drag = 1e-3 * (2.7 / ten + 0.142 + ten / 13.09 - 3.14807e-10 * ten**6)
        rough = state(wind=wind, sea=1.0, gust=0.1)["sea_roughness"].item()
        assert (0.4 / np.log(10 / rough)) ** 2 == pytest.approx(drag, rel=0.05)
        assert 0.8 * wind < ten < wind


def test_two_metres_lie_between_ground_and_air():
    neutral = 285.0 + g * 58 / c_p
    assert at("air_temperature_2m") == pytest.approx(neutral, abs=0.05)
    for warmer in (-8.0, 8.0):
        calm, windy = (at("air_temperature_2m", warmer=warmer, wind=w) for w in (2.0, 15.0))
        low, high = sorted((neutral, neutral + warmer))
        assert low < windy < high and low < calm < high
        assert at("relative_humidity_2m", warmer=warmer) == pytest.approx(0.0, abs=1e-6)
