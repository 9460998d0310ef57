"""Where sunlight is absorbed: the published curves, and that the water keeps what the surface lets
in.
"""

import numpy as np
import pytest

from columns import middle, run

heat_capacity = 1026 * 3996.0


def shares(name, sun=200.0, given=None, **parameters):
    """Transmission at depths, from what the water's scheme gives."""
    out = {
        key: float(middle(value)) * (heat_capacity / sun if "flux" in key else 1)
        for key, value in run(
            name, {"surface_shortwave_flux": sun} | (given or {}), parameters=parameters
        ).items()
    }
    return lambda z: sum(
        out[f"shortwave_flux_{n}"] * np.exp(-z * out[f"shortwave_extinction_{n}"]) for n in (1, 2)
    )


def test_jerlov_types():
    """Paulson & Simpson (1977): type IB at 10 m passes 0.33 exp(-10/17) + 0.67 exp(-10) = 0.183;
    the clearer the water, the more.
    """
    assert shares("JerlovWater")(10.0) == pytest.approx(0.18327, rel=1e-4)
    assert shares("JerlovWater")(0.0) == pytest.approx(1)
    deep = [shares("JerlovWater", water_type=n)(30.0) for n in (1, 2, 3, 4, 5)]
    assert deep == sorted(deep, reverse=True) and deep[0] == pytest.approx(
        0.42 * np.exp(-30 / 23), rel=1e-6
    )


@pytest.mark.parametrize(
    "chlorophyll, A1, B1, A2, B2",
    [
        (0.01, 0.4488, 0.0319, 0.2940, 0.3306),
        (0.1, 0.4877, 0.0532, 0.2703, 0.4031),
        (0.5, 0.5408, 0.0993, 0.2356, 0.5191),
        (3.0, 0.5788, 0.2264, 0.2167, 0.6425),
        (10.0, 0.47505, 0.38132, 0.37303, 0.78155),
    ],
)
def test_table_of_ohlmann(chlorophyll, A1, B1, A2, B2):
    z = np.array([2.0, 5, 10, 20, 50])
    of_table = A1 * np.exp(-B1 * z) + A2 * np.exp(-B2 * z)
    np.testing.assert_allclose(
        shares("ChlorophyllWater", given={"chlorophyll": chlorophyll})(z),
        of_table,
        rtol=0.006,
        atol=1e-4,
    )


def test_what_is_absorbed_adds_up():
    """The tendency moves heat down and makes none; a shallow bottom takes what is left."""
    levels, dz, area = 30, 5.0, 1e6
    for wet in (1, 2, 5, levels):
        flux = {
            "shortwave_flux_1": 1e-5,
            "shortwave_flux_2": 2e-5,
            "shortwave_extinction_1": 0.05,
            "shortwave_extinction_2": 1.0,
        }
        given = flux | {
            "area_center": area,
            "wet_levels": float(wet),
            "thickness": np.full(levels, dz),
            "temperature_tendency": np.zeros(levels),
        }
        tendency = middle(run("ShortwaveHeating", given, levels)["temperature_tendency"])
        passing = 1e-5 * np.exp(-0.05 * dz * np.arange(levels + 1)) + 2e-5 * np.exp(
            -dz * np.arange(levels + 1)
        )
        passing[0], passing[wet:] = 0, 0
        np.testing.assert_allclose(
            tendency, area * (passing[:-1] - passing[1:]), rtol=1e-6, atol=1e-6 * area * 1e-5
        )
        assert abs(tendency.sum()) < 1e-15 * area


def test_albedo_and_ice_dim_it():
    air = {
        "wind_speed": 5.0,
        "eastward_wind": 5.0,
        "air_temperature": 15.0,
        "specific_humidity": 0.008,
        "air_pressure": 101e3,
        "downward_shortwave_flux": 200.0,
        "downward_longwave_flux": 330.0,
        "temperature": 16.0,
    }
    sun = middle(run("BulkForcing", air)["surface_shortwave_flux"])
    assert sun == pytest.approx(200 * (1 - 0.066))
    covered = run(
        "IceCover",
        {
            "sea_ice_fraction": 0.75,
            "surface_shortwave_flux": sun,
            "surface_heat_flux": 0.0,
            "surface_freshwater_flux": 0.0,
        },
    )
    assert middle(covered["surface_shortwave_flux"]) == pytest.approx(sun / 4)
