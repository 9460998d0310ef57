"""Radiation: limits that are known without it, magnitudes of known places, of CO2 and of clouds,
and what must hold between fluxes.
"""

import numpy as np
import pytest

from columns import run

sigma, levels, g = 5.670374419e-8, 24, 9.80616
interface = 1e5 * np.linspace(0, 1, levels + 1) ** 1.5 + 10
p = 0.5 * (interface[1:] + interface[:-1])


def spread(profile, columns=8):
    return np.ascontiguousarray(
        np.broadcast_to(np.asarray(profile, float)[:, None, None], (len(profile), 1, columns))
    )


def column(T, q, surface, zenith=0.5, albedo=0.1, ozone=None, cloud=0.0, water=0.0, **parameters):
    ozone = (
        run("StandardOzone", {"air_pressure": spread(p)}, levels)["ozone"]
        if ozone is None
        else ozone
    )
    given = {
        "air_temperature": spread(T),
        "specific_humidity": spread(q),
        "air_pressure": spread(p),
        "pressure_interface": spread(interface),
        "ozone": ozone,
        "cloud_fraction": cloud,
        "cloud_water": water,
        "surface_temperature": surface,
        "surface_emission": sigma * surface**4,
        "albedo": albedo,
        "cosine_zenith_ahead": zenith,
    }
    return {
        name: value[..., 0, 0]
        for name, value in run("Radiation", given, levels, parameters).items()
    }


def standard(surface, lapse, humidity, stratosphere):
    T = np.maximum(surface * (p / 1e5) ** (287 * lapse / 9.8), stratosphere)
    e = 610.78 * np.exp(17.27 * (T - 273.16) / (T - 35.86))
    return T, np.where(T > stratosphere, humidity * np.minimum(p / 1e5, 1) * 0.622 * e / p, 3e-6)


def test_one_temperature_has_no_source():
    """Where air and ground are equally warm, upward flux is the ground's at every height, and space
    takes all of it; the air only cools to space.
    """
    out = column(np.full(levels, 280.0), np.full(levels, 5e-3), 280.0)
    assert out["longwave_flux"][0] == pytest.approx(sigma * 280**4, rel=1e-12)
    assert out["surface_downward_longwave"] < sigma * 280**4
    assert (np.diff(out["longwave_flux"]) <= 1e-9).all()  # less and less leaves downward


def test_air_without_absorbers_is_not_there():
    """Methane, nitrous oxide and the rest, which the fit knows as one constant, remain."""
    out = column(np.full(levels, 250.0), np.zeros(levels), 300.0, ozone=0.0, carbon_dioxide=0.0)
    assert (
        out["longwave_flux"][0] > 0.75 * sigma * 300**4
        and out["surface_downward_longwave"] < 0.2 * sigma * 300**4
    )


@pytest.mark.parametrize(
    "given, up, down, absorbed",
    [
        ((300.0, 6.5e-3, 0.78, 200.0), (265, 300), (370, 425), (0.2, 0.28)),  # the tropics
        ((257.0, 4.5e-3, 0.78, 217.0), (190, 212), (145, 190), (0.1, 0.18)),  # subarctic winter
    ],
)
def test_known_places(given, up, down, absorbed):
    """Outgoing and downward long wave, and the share of the sun that clear air absorbs, of columns
    like those of two climates.
    """
    out = column(*standard(*given), given[0], albedo=0.2, zenith=0.5)
    assert (
        up[0] < out["longwave_flux"][0] < up[1]
        and down[0] < out["surface_downward_longwave"] < down[1]
    )
    assert absorbed[0] < out["shortwave_share"][0] - out["shortwave_share"][-1] < absorbed[1]


def test_doubling_carbon_dioxide():
    """The forcing at the tropopause of a mid-latitude column: 3 to 6 W m-2, with nothing else
    changed; the stratosphere cools.
    """
    T, q = standard(288.0, 6.5e-3, 0.7, 217.0)
    once, twice = (column(T, q, 288.0, carbon_dioxide=x) for x in (400.0, 800.0))
    tropopause = np.argmin(np.abs(interface - 2e4))
    assert 3 < once["longwave_flux"][tropopause] - twice["longwave_flux"][tropopause] < 6
    cooling = [np.diff(x["longwave_flux"])[p < 5e3].sum() for x in (once, twice)]
    assert cooling[1] < cooling[0] < 0


def test_clouds_reflect_and_hold_heat():
    T, q = standard(290.0, 6.5e-3, 0.7, 210.0)
    clear = column(T, q, 290.0)
    for place, cover in (((p > 8e4) & (p < 9e4), "low"), ((p > 2e4) & (p < 3e4), "high")):
        cloudy = column(
            T, q, 290.0, cloud=spread(0.7 * place), water=spread(np.where(place, 2e-4, 0))
        )
        assert cloudy["shortwave_share"][-1] < 0.75 * clear["shortwave_share"][-1]
        assert cloudy["surface_downward_longwave"] > clear["surface_downward_longwave"]
        less = clear["longwave_flux"][0] - cloudy["longwave_flux"][0]
        assert less > 50 if cover == "high" else 0 < less < 25


def test_neighbouring_clouds_lie_above_each_other():
    """However finely a cloud is cut into layers, it hides what it hides; two clouds with clear air
    between nearly what independent ones hide.
    """
    T, q = standard(290.0, 6.5e-3, 0.7, 210.0)
    black = lambda where: column(
        T, q, 290.0, cloud=spread(0.4 * where), water=spread(np.where(where, 1.0, 0.0))
    )["emission_share"][0]
    layer = np.arange(levels)
    clear, one, six = black(layer < 0), black(layer == 10), black((layer > 9) & (layer < 16))
    assert six == pytest.approx(one, rel=1e-12) and one == pytest.approx(0.6 * clear, rel=1e-12)
    two = black((layer == 10) | (layer == 16))
    assert 0.36 * clear <= two < 0.46 * clear


def test_aerosol_reflects_and_absorbs():
    T, q = standard(290.0, 6.5e-3, 0.7, 210.0)
    clean, hazy = (
        column(T, q, 290.0, albedo=0.06, aerosol=a)["shortwave_share"] for a in (0, 0.12)
    )
    assert hazy[-1] < clean[-1] and hazy[0] < clean[0] and hazy[0] - hazy[-1] > clean[0] - clean[-1]


def test_water_of_clouds_falls_with_height():
    """At 0 m rho_l; e times less at 700 m ln(1 + W); not more than 50 hPa of it in a layer."""
    z = np.linspace(12000, 0, levels)
    given = {
        "air_temperature": spread(np.full(levels, 280.0)),
        "specific_humidity": spread(np.full(levels, 4e-3)),
        "air_pressure": spread(p),
        "pressure_interface": spread(interface),
        "geopotential": spread(g * z),
    }
    limited, whole = (
        run("DiagnosticCloud", given, levels, {"depth": depth})["cloud_water"][:, 0, 0]
        * p
        / (287.0597 * 280)
        for depth in (5e3, 1e5)
    )
    depth = 700 * np.log(1 + 4e-3 * np.diff(interface).sum() / g)
    np.testing.assert_allclose(whole, 2.1e-4 * np.exp(-z / depth), rtol=1e-6)
    np.testing.assert_allclose(limited, whole * np.minimum(1, 5e3 / np.diff(interface)), rtol=1e-6)


def test_fluxes_are_shares():
    """Whatever the column: net short wave falls downward and lies between 0 and 1, more sun is not
    reflected by a darker ground, emission reaches less and less far.
    """
    random = np.random.default_rng(0)
    for _ in range(20):
        surface = random.uniform(230, 310)
        T, q = standard(
            surface, random.uniform(4e-3, 9e-3), random.uniform(0.1, 1), random.uniform(190, 225)
        )
        state = {
            "cloud": spread(random.uniform(0, 1, levels)),
            "water": spread(random.uniform(0, 1e-3, levels)),
            "zenith": random.uniform(0, 1),
        }
        dark, bright = (column(T, q, surface, albedo=a, **state) for a in (0.05, 0.8))
        for out in (dark, bright):
            assert (
                (np.diff(out["shortwave_share"]) <= 1e-12).all()
                and 0 <= out["shortwave_share"][-1]
                and out["shortwave_share"][0] <= 1
            )
            assert (
                (np.diff(out["emission_share"]) >= 0).all()
                and out["emission_share"][0] >= 0
                and out["emission_share"][-1] == 1
            )
        assert dark["shortwave_share"][0] > bright["shortwave_share"][0]
        assert dark["longwave_flux"][-1] == pytest.approx(
            sigma * surface**4 - dark["surface_downward_longwave"], rel=1e-12
        )
