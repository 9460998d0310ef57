"""A column of sea ice: growth against the exact solution, heat of ice, layers, categories."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import erf

from columns import run
from fathom.data import surface

L, c, rho, k = 3.337e5, 2106.0, 917.0, 2.03
upper, lower = 0.653, 1.347  # salinity of the halves over the mean


def heat(T, salinity):
    melting = -0.0544 * salinity
    return c * (melting - T) + L * (1 - melting / T)


def grown(state, air, sea, **parameters):
    """A category that air and sea act on, alone in its cell, after a step: all fields."""
    given = state | air | sea | {"sea_ice_area": state["category_area"]}
    albedo = run("FirstIceAlbedo", given)
    names = ("surface_albedo", "category_albedo", "category_passing_light")
    known = {name: albedo[name].item() for name in names}
    return run("IceThermodynamics", given | known, parameters=parameters)


def grow(state, air, sea, steps, **parameters):
    """Its state after so many steps."""
    for _ in range(steps):
        out = grown(state, air, sea, **parameters)
        state = {name: out[name].item() for name in state}
    return state


def slab(h, T, salinity, area=1.0):
    E = 0.5 * rho * h * area
    return {
        "category_area": area,
        "category_volume": h * area,
        "category_snow": 0.0,
        "category_upper_heat": E * heat(T[0], upper * salinity),
        "category_lower_heat": E * heat(T[1], lower * salinity),
        "category_ponds": 0.0,
        "category_surface_temperature": T[0],
    }


def test_growth_follows_stefan():
    """Ice on water at its freezing point under a surface kept at -20 degC. Exact (Neumann):
    h = 2 l sqrt(kappa t),  sqrt(pi) l exp(l^2) erf(l) = c dT / q,  q what freezing gives off.
    """
    T_f, T_s, salinity, h = -1.8, -20.0, 0.1, 0.4
    share = c * (T_f - T_s) / heat(T_f, lower * salinity)
    root = brentq(lambda x: np.sqrt(np.pi) * x * np.exp(x * x) * erf(x) - share, 1e-3, 2)
    kappa = k / (rho * c)
    T = [T_s + (T_f - T_s) * part for part in (0.25, 0.75)]
    air = {"ice_heat_flux_slope": -1e7, "ice_surface_temperature": T_s}
    sea = {"ice_bottom_temperature": T_f, "ice_crowding": 1.0}
    begin, days = (h / (2 * root)) ** 2 / kappa, 100
    state = slab(h, T, salinity)
    state = grow(state, air, sea, days * 12, step=7200, salinity=salinity)
    exact = 2 * root * np.sqrt(kappa * (begin + days * 86400))
    assert exact > 1.2
    assert state["category_volume"] == pytest.approx(exact, rel=0.01)


def test_heat_in_is_heat_lost():
    """Strong sun on cold snowy ice: what the air gave is what the ice has taken and what the sea
    got.
    """
    state = slab(1.3, [-12.0, -5.0], 4.0, area=0.7) | {"category_snow": 0.1}
    content = lambda s: (
        s["category_upper_heat"] + s["category_lower_heat"] + 330 * L * s["category_snow"]
    )
    air = {
        "ice_heat_flux": 10.0,
        "ice_heat_flux_slope": -15.0,
        "ice_surface_temperature": -3.0,
        "ice_shortwave_flux": 600.0,
        "snowfall_flux": 1e-5,
    }
    sea = {
        "ice_bottom_temperature": -1.8,
        "ice_bottom_flux": 60.0,
        "ice_lateral_melt": 1e-4,
        "ice_crowding": 1.0,
    }
    gone, ponds, most_light = False, 0.0, 0.0
    for _ in range(1200):
        out = grown(state, air, sea)
        after = {name: out[name].item() for name in state}
        into_sea, from_air = out["surface_heat_flux"].item(), out["air_heat_flux"].item()
        assert 3600 * (from_air - into_sea) == pytest.approx(
            content(state) - content(after), rel=1e-9, abs=1.0
        )
        light = out["surface_shortwave_flux"].item()
        if after["category_volume"] > 0.05:  # the sea gets light, and gives heat below and aside
            area = min(state["category_area"], state["category_volume"] / 0.05)
            sides = 1e-4 / (1 - 1e-4) * content(after) / 3600
            assert into_sea - light == pytest.approx(-60 * area - sides, rel=1e-6)
        state = after
        ponds, most_light = max(ponds, state["category_ponds"]), max(most_light, light)
        gone = state["category_volume"] == 0
        if gone:
            break
    assert gone and state["category_area"] == 0 and state["category_snow"] == 0
    assert ponds > 0.1 and most_light > 30 and state["category_ponds"] == 0


def test_snow_presses_ice_below_the_water():
    state = slab(0.5, [-5.0, -3.0], 4.0) | {"category_snow": 0.6}
    sea = {"ice_bottom_temperature": -1.8, "ice_crowding": 1.0}
    air = {"ice_heat_flux_slope": -10.0, "ice_surface_temperature": -5.0}
    out = grown(state, air, sea)
    h, snow = out["category_volume"].item(), out["category_snow"].item()
    assert 330 * snow == pytest.approx((1026 - 917) * h, rel=1e-9)  # as high as the water
    assert h > 0.5 and out["ice_salt_flux"].item() < 0


def test_layers_stay_below_melting():
    random = np.random.default_rng(4)
    for _ in range(12):
        h = random.uniform(0.06, 4)
        state = slab(h, random.uniform([-25, -15], [-2, -1]), 4.0) | {
            "category_snow": random.uniform(0, 0.3)
        }
        air = {
            "ice_heat_flux": random.uniform(-200, 200),
            "ice_heat_flux_slope": -15.0,
            "ice_surface_temperature": random.uniform(-30, 0),
            "ice_shortwave_flux": random.uniform(0, 400),
        }
        sea = {
            "ice_bottom_temperature": -1.85,
            "ice_bottom_flux": random.uniform(-20, 40),
            "ice_crowding": 1.0,
        }
        state = grow(state, air, sea, 40)
        mass = 0.5 * rho * state["category_volume"]
        if mass > 0:
            for half in ("upper", "lower"):
                q = state[f"category_{half}_heat"] / mass
                assert 0 < q < heat(-60.0, 4.0 * (upper if half == "upper" else lower))


def test_transfer_keeps_all():
    random = np.random.default_rng(5)
    given = {
        f"{side}_{p}": random.random((1, 50)) for side in ("thinner", "thicker") for p in parts
    }
    out = run("IceTransfer", given, parameters={"limit": 1.0})
    for p in parts:
        np.testing.assert_allclose(
            out[f"thinner_{p}"] + out[f"thicker_{p}"], given[f"thinner_{p}"] + given[f"thicker_{p}"]
        )
    stayed = given["thinner_volume"] < given["thinner_area"]  # the other is thicker than 1 m
    apart = stayed & (given["thicker_volume"] > given["thicker_area"])
    assert apart.any() and (out["thinner_volume"][apart] == given["thinner_volume"][apart]).all()


def test_light_is_shared_between_floes_and_leads():
    """Clouds send back what floes reflect on leads too: S_0 / (1 - R A) on both."""
    a, R, S = 0.7, 0.4, 150.0
    ice = slab(2.0, [-5.0, -3.0], 4.0, area=a) | {"sea_ice_area": a, "category_snow": 0.7}
    albedo = run("FirstIceAlbedo", ice)
    A, white = albedo["surface_albedo"].item(), albedo["category_albedo"].item()
    assert A == pytest.approx(a * white + (1 - a) * 0.066, rel=1e-12) and 0.83 < white < 0.846
    passing = albedo["category_passing_light"].item()  # through what is bare under 1 m of snow
    bare = 0.066 + (0.68 - 0.066) * (1 - np.exp(-2.0 / 0.4))
    assert passing == pytest.approx(0.33 * 0.02 / 1.02 * (1 - bare), rel=1e-6)
    absorbed = {"surface_heat_flux": -20.0 + (1 - 0.066) * S}
    absorbed |= {"surface_shortwave_flux": (1 - 0.066) * S, "surface_albedo": A}
    out = run("LightInLeads", absorbed | {"ice_sky_reflection": R})
    lit = (1 - 0.066) * S * (1 - 0.066 * R) / (1 - R * A)
    assert out["surface_shortwave_flux"].item() == pytest.approx(lit, rel=1e-12)
    assert out["surface_heat_flux"].item() == pytest.approx(lit - 20, rel=1e-12)
    assert lit / ((1 - 0.066) * S) == pytest.approx(1.285, abs=0.005)


parts = ("area", "volume", "snow", "upper_heat", "lower_heat", "ponds")


def remapped(ice, growth, limit=1.0):
    """Two categories after growth of the whole of both by `growth`, as a step has it."""
    both = {f"thinner_{p}": ice[0][p] for p in parts} | {f"thicker_{p}": ice[1][p] for p in parts}
    both |= {"thinner_growth": growth, "thicker_growth": growth}
    after = run("IceLimit", both, parameters={"limit": limit})["limit_after"].item()
    ends = run(
        "IceEnds",
        {f"category_{p}": ice[0][p] for p in ("area", "volume")} | {"category_growth": growth},
        parameters={"limit": limit},
    )
    both["thinner_area"] = ends["category_area"].item()
    limits = {"limit_after": after, "limit_below_after": ends["lowest_limit"].item()}
    limits["limit_above_after"] = ends["highest_limit"].item()
    shift = run("IceShift", both | limits, parameters={"limit": limit})
    shifted = {name: shift[name].item() for name in ("shifted_area", "shifted_volume")}
    out = run("IceCarry", both | shifted)
    return [{p: out[f"{side}_{p}"].item() for p in parts} for side in ("thinner", "thicker")]


def evenly(low, high, area):
    """Ice spread evenly over thicknesses: its contents."""
    volume = area * 0.5 * (low + high)
    return dict(zip(parts, (area, volume, 0.1 * area, 3e8 * volume, 3e8 * volume, 0.05 * area)))


def test_growth_carries_ice_across_a_limit():
    """An even spread from 0 to 1 m grows by 0.1 m: a tenth of its area has become thicker than 1 m,
    and its mean is 1.05 m. All is kept, up and down.
    """
    none = dict.fromkeys(parts, 0.0)
    grown_ice = evenly(0.1, 1.1, 0.8)
    thin, thick = remapped([grown_ice, none], 0.1)
    assert thick["area"] == pytest.approx(0.08, rel=1e-6)
    assert thick["volume"] == pytest.approx(0.08 * 1.05, rel=1e-6)
    for p in parts:
        assert thin[p] + thick[p] == pytest.approx(grown_ice[p], rel=1e-12)
    melted = [evenly(0.0, 0.0, 0.0), evenly(0.9, 1.4, 0.5)]
    thin, thick = remapped(melted, -0.1)
    assert 0 < thin["area"] < 0.5 and 0.9 < thin["volume"] / thin["area"] < 1
    for p in parts:
        assert thin[p] + thick[p] == pytest.approx(melted[1][p], rel=1e-12)


def test_melt_opens_the_water():
    """An even spread from 0 to 1 m melts by 0.1 m: the tenth that was thinner is gone. Ice that was
    pressed to more than its limit gets no more area by melting.
    """
    before, steps = evenly(0.0, 1.0, 0.8), 10
    given = {"category_area": 0.8, "category_growth": -0.1, "category_volume": 0.8 * 0.4}
    out = run("IceEnds", given, parameters={"limit": 1.0})
    assert out["category_area"].item() == pytest.approx(0.8 * 0.9, rel=1e-6)
    pressed = run("IceEnds", given | {"category_volume": 0.8 * 1.2}, parameters={"limit": 1.0})
    assert 0.7 < pressed["category_area"].item() <= 0.8
    ice = [before, dict.fromkeys(parts, 0.0)]
    for _ in range(steps):  # melts by a fifth: the distribution stays nearly uniform
        ice[0]["volume"] -= 0.02 * ice[0]["area"]
        ice = remapped(ice, -0.02)
        assert 0 < ice[0]["volume"] < ice[0]["area"]
    assert ice[0]["area"] == pytest.approx(0.8 * 0.8, rel=0.04)


def seasons(weather, years, thickness, sky_reflection=0.0):
    """Thickness in the months of the last year under (shortwave, longwave, the rest by COADS)."""
    state = slab(thickness, [-8.0, -4.0], 4.0) | {"category_snow": 0.2}
    found = []
    for _ in range(12 * years):
        month = weather[len(found) % 12]
        for _ in range(6):
            T = state["category_surface_temperature"]
            over = run(
                "BulkOverIce",
                month | {"ice_surface_temperature": T},
                parameters={"sky_reflection": sky_reflection},
            )
            air = {name: over[name].item() for name in of_air} | {"ice_surface_temperature": T}
            sea = {
                "ice_bottom_temperature": -1.8,
                "ice_bottom_flux": 2.0,
                "ice_crowding": 1.0,
            }
            state = grow(state, air, sea, 1, step=365 / 72 * 86400)
        found.append(state["category_volume"])
    return found[-12:]


of_air = (
    "ice_heat_flux",
    "ice_heat_flux_slope",
    "ice_shortwave_flux",
    "ice_sky_reflection",
    "snowfall_flux",
)


@pytest.mark.long
def test_light_that_the_sky_sends_back_decides_the_thickness():
    """At 87 degrees north under the embedded climatology of the air, with and without it."""
    at = lambda m: surface.on_points(np.array([87.0]), np.array([0.0]), month=m)
    coads = [{name: value.item() for name, value in at(m).items()} for m in range(12)]
    dark, lit = seasons(coads, 6, 3.0), seasons(coads, 6, 3.0, sky_reflection=0.4)
    assert 2 < min(dark) < max(dark) < 4
    assert 0.3 < min(lit) < 1 < max(lit) < 2.5


def test_wind_blows_half_of_the_snow_into_leads():
    """The sea has all that falls, less the part of the ice."""
    air = {name: 0.0 for name in of_air} | {"snowfall_flux": 1e-3, "ice_surface_temperature": -9.0}
    sea = {"ice_bottom_temperature": -1.8, "ice_bottom_flux": 0.0, "ice_crowding": 1.0}
    half, whole = (
        grown(slab(2.0, [-9.0, -5.0], 4.0), air, sea, **parameters)
        for parameters in ({}, {"drifting_snow": 0.0})
    )
    for out, fallen in ((half, 1.8), (whole, 3.6)):
        assert 330 * out["category_snow"].item() == pytest.approx(fallen, rel=1e-6)
    name = "surface_freshwater_flux"
    assert half[name].item() - whole[name].item() == pytest.approx(5e-4, rel=0.01)
