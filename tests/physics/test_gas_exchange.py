"""Gas exchange: published coefficients against each other and published values, and the kernel
against them in numbers and packs.
"""

import numpy as np
import pytest

from columns import run

# Warner & Weiss 1985, Bullister et al. 2002: fits of the same measurements per litre and per
# kilogram
per_litre = {
    "CFC11": (-229.9261, 319.6552, 119.4471, -1.39165, -0.142382, 0.091459, -0.0157274),
    "CFC12": (-218.0971, 298.9702, 113.8049, -1.39165, -0.143566, 0.091015, -0.0153924),
    "SF6": (-80.0343, 117.232, 29.5817, 0, 0.0335183, -0.0373942, 0.00774862),
}
per_kilogram = {
    "CFC11": (-232.0411, 322.5546, 120.4956, -1.39165, -0.146531, 0.093621, -0.0160693),
    "CFC12": (-220.2120, 301.8695, 114.8533, -1.39165, -0.147718, 0.093175, -0.0157340),
    "SF6": (-82.1639, 120.152, 30.6372, 0, 0.0293201, -0.0351974, 0.00740056),
}
at_20 = {
    "CFC11": 1179,
    "CFC12": 1188,
    "SF6": 1028,
}  # Schmidt numbers in sea water, Wanninkhof 2014, table 1


def solubility(a, t, S):
    T = (t + 273.15) / 100
    return np.exp(
        a[0] + a[1] / T + a[2] * np.log(T) + a[3] * T**2 + S * (a[4] + a[5] * T + a[6] * T**2)
    )


def flux(gas, dtype=float, width=0, **given):
    usual = {
        "wind_speed": 10.0,
        "sea_ice_fraction": 0.0,
        "air_pressure": 101325.0,
        "northern_share": 1.0,
        "temperature": 20.0,
        "salinity": 35.0,
        "tracer": 0.0,
    }
    arrays = {name: np.atleast_2d(value) for name, value in (usual | given).items()}
    arrays |= {name: arrays[name][None] for name in ("temperature", "salinity", "tracer")}
    return run(
        f"{gas}Exchange",
        arrays | {"tracer_in_air": np.array([100.0, 50.0])},
        dtype=dtype,
        width=width,
    )["tracer_surface_flux"].ravel()


@pytest.mark.parametrize("gas", at_20)
def test_solubility_and_schmidt_number_are_those_published(gas):
    gsw = pytest.importorskip("gsw")
    k = 0.251 * 100 / np.sqrt(at_20[gas] / 660) / 360000
    saturated = 1000 * solubility(per_litre[gas], 20.0, 35.0) * 100e-12
    assert flux(gas)[0] == pytest.approx(
        k * saturated, rel=5e-4
    )  # the Schmidt number to its last digit
    t, S = (a.ravel() for a in np.meshgrid(np.linspace(-1, 30, 32), [0.0, 20.0, 35.0]))
    without, with_less = (
        flux(gas, temperature=t, salinity=S),
        flux(gas, temperature=t, salinity=S, tracer=-1e-9),
    )
    density = gsw.rho_t_exact(S * 35.16504 / 35, t, 0) / 1000  # [kg L-1]
    np.testing.assert_allclose(
        without / (with_less - without) * 1e-9,
        1000 * density * solubility(per_kilogram[gas], t, S) * 100e-12,
        rtol=2e-3,
    )


def test_a_flux_is_what_is_missing():
    r = np.random.default_rng(0)
    t, wind, ice, share = (
        r.uniform(-1.8, 31, 50),
        r.uniform(0, 25, 50),
        r.uniform(0, 1, 50),
        r.uniform(0, 1, 50),
    )
    t4 = np.array([3579.2, -222.63, 7.5749, -0.14595, 0.0011874])
    saturated = 1000e-12 * solubility(per_litre["CFC11"], t, 34.0) * (50 + 50 * share) * 0.98
    expected = (
        (1 - ice)
        * 0.251
        / 360000
        * wind**2
        * np.sqrt(660 / np.polyval(t4[::-1], t))
        * (saturated - 2e-9)
    )
    given = {
        "temperature": t,
        "salinity": 34.0,
        "wind_speed": wind,
        "sea_ice_fraction": ice,
        "northern_share": share,
        "air_pressure": 0.98 * 101325,
        "tracer": 2e-9,
    }
    out = flux("CFC11", **given)
    np.testing.assert_allclose(out, expected, rtol=1e-11, atol=1e-26)
    np.testing.assert_array_equal(out, flux("CFC11", width=1, **given))  # pack = number
    np.testing.assert_allclose(
        flux("CFC11", dtype=np.float32, **given),
        expected,
        rtol=3e-4,
        atol=1e-4 * np.abs(expected).max(),
    )
