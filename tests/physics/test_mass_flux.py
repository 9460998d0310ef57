"""Convection by mass flux: budgets closed, wind bounded, closures met, trade cumulus of BOMEX,
steady rain over a warm sea.
"""

import numpy as np
import pytest

import fathom as fm
from columns import run
from test_moist import L, R, cp, g, levels, mass, weather
from test_turbulent_energy import convective_layer, steepest

deep, low = "MassFluxConvection", "ShallowMassFlux"


def windy(seed=0, humid=(0.4, 1.0)):
    random = np.random.default_rng(seed + 100)
    given = weather(seed, humid)
    columns = given["air_temperature"].shape[-1]
    for wind in ("eastward_wind", "northward_wind"):
        given[wind] = np.cumsum(random.normal(0, 3, (levels, 1, columns)), axis=0)
    return given | {
        "sensible_heat_flux": 20.0,
        "evaporation_flux": 5e-5,
        "friction_velocity": 0.3,
    }


def apply(given, depth=levels, name=deep, **parameters):
    """Tendencies (levels, columns) and column values (columns)."""
    out = run(name, given, depth, {"step": 1800.0, **parameters})
    return {k: v[..., 0, :] for k, v in out.items()}


@pytest.mark.parametrize("name", [deep, low])
@pytest.mark.parametrize("step", [60.0, 1800.0, 7200.0])
def test_water_energy_and_momentum_close(name, step):
    convecting = 0
    for seed in range(4):
        given = windy(seed)
        out = apply(given, name=name, step=step)
        m, rain = mass[:, None], out.get("convective_precipitation", np.zeros(96))
        dT, dq = out["air_temperature_tendency"], out["specific_humidity_tendency"]
        kinetic = 0.0
        for wind in ("eastward_wind", "northward_wind"):
            rate, v = out[f"{wind}_tendency"], given[wind][:, 0]
            kinetic = kinetic + (m * rate * (v + 0.5 * step * rate)).sum(0)
            assert np.abs((m * rate).sum(0)).max() <= 1e-13 * np.abs(m * rate).sum(0).max()
        water, energy = m * dq, m * (cp * dT + L * dq)
        np.testing.assert_allclose(water.sum(0), -rain, atol=1e-12 * np.abs(water).sum(0).max())
        np.testing.assert_allclose(
            energy.sum(0), -kinetic, atol=1e-11 * np.abs(m * L * dq).sum(0).max()
        )
        assert (rain >= 0).all()
        assert (given["specific_humidity"][:, 0] + step * dq >= -1e-12).all()
        convecting += (np.abs(dq).sum(0) > 0).sum()
    assert convecting > 40


@pytest.mark.parametrize("name, own", [(deep, {"pressure_gradient": 0.0}), (low, {})])
def test_wind_stays_between_its_extremes(name, own):
    for seed in range(4):
        given = windy(seed)
        out = apply(given, name=name, step=7200.0, **own)
        for wind in ("eastward_wind", "northward_wind"):
            v = given[wind][:, 0]
            after = v + 7200 * out[f"{wind}_tendency"]
            span = 1e-9 + 1e-6 * np.ptp(v, axis=0)
            assert (after <= v.max(0) + span).all() and (after >= v.min(0) - span).all()


def profile(heights, potential_temperature, humidity, surface):
    """Columns in balance, from heights of interfaces [m], bottom first."""
    z = 0.5 * (heights[1:] + heights[:-1])
    theta, q = potential_temperature(z), humidity(z)
    p, T = [surface], []
    for k in range(len(z)):
        middle = p[k]
        for _ in range(6):
            T_k = theta[k] * (middle / 1e5) ** (2 / 7)
            thick = g * (heights[k + 1] - heights[k]) / (R * T_k * (1 + 0.608 * q[k]))
            middle = p[k] * np.exp(-0.5 * thick)
        T.append(T_k)
        p.append(p[k] * np.exp(-thick))
    p = np.array(p[::-1])
    turned = {
        "air_temperature": np.array(T[::-1]),
        "specific_humidity": q[::-1],
        "geopotential": g * z[::-1],
        "air_pressure": 0.5 * (p[1:] + p[:-1]),
        "pressure_interface": p,
    }
    return {
        k: np.ascontiguousarray(np.tile(v[:, None, None], (1, 1, 4))) for k, v in turned.items()
    }


def trade_cumulus():
    """BOMEX (Siebesma et al. 2003, J. Atmos. Sci. 60, 1201-1219): table B1, above it dry air."""
    heights = np.concatenate([np.linspace(0, 3000, 31), np.linspace(3250, 12000, 36)])
    theta = ([0, 520, 1480, 2000, 3000, 12000], [298.7, 298.7, 302.4, 308.2, 311.85, 344.7])
    q = ([0, 520, 1480, 2000, 3000, 6000], [0.017, 0.0163, 0.0107, 0.0042, 0.003, 0.0005])
    given = profile(heights, lambda z: np.interp(z, *theta), lambda z: np.interp(z, *q), 101500.0)
    return given | {
        "eastward_wind": np.interp(given["geopotential"] / g, [700, 3000], [-8.75, -4.61]),
        "sensible_heat_flux": 9.5,
        "evaporation_flux": 153 / L,
    }


def test_trade_cumulus_has_the_base_and_top_of_large_eddies():
    """Base 500 to 650 m and top 1.5 to 2 km; its flux out of the layer below the base is that of
    the surface; a mass flux of a few hundredths, hardly any rain.
    """
    given = trade_cumulus()
    out = apply(given, given["air_temperature"].shape[0], step=300.0)
    p, z = given["air_pressure"][:, 0, 0], given["geopotential"][:, 0, 0] / g
    base, top = (
        np.interp(np.log(out[f"convective_cloud_{end}_pressure"][0]), np.log(p), z)
        for end in ("base", "top")
    )
    assert 450 < base < 700 and 1400 < top < 2000
    assert 0.01 < out["convective_mass_flux"][0] < 0.08
    assert out["convective_precipitation"][0] * 86400 < 1.0
    m = np.diff(given["pressure_interface"][:, 0, 0]) / g
    dh = cp * out["air_temperature_tendency"][:, 0] + L * out["specific_humidity_tendency"][:, 0]
    taken = -(m * dh)[z < base].sum()
    assert taken == pytest.approx(9.5 + 153, rel=0.1)
    assert (apply(given, len(p), shallow=0.0)["convective_mass_flux"] == 0).all()
    assert (
        apply(given | {"evaporation_flux": 0.0, "sensible_heat_flux": -1.0}, len(p))[
            "convective_mass_flux"
        ]
        == 0
    ).all()


def test_an_updraught_from_the_surface_makes_trade_cumulus():
    given = trade_cumulus() | {"friction_velocity": 0.28}
    out = apply(given, given["air_temperature"].shape[0], low, step=300.0)
    z = given["geopotential"][:, 0, 0] / g
    M = out["shallow_mass_flux"][:-1, 0]  # at the tops of layers
    assert 900 < out["shallow_cloud_top_height"][0] < 2000
    assert 0.01 < M[np.argmin(abs(z - 700))] < 0.03
    assert M[np.argmin(abs(z - 1200))] < M[np.argmin(abs(z - 800))]
    calm = apply(given | {"evaporation_flux": -1e-5, "sensible_heat_flux": -5.0}, len(z), low)
    assert all((x == 0).all() for x in calm.values())


@pytest.mark.parametrize("levels, step", [(60, 60), (60, 600), (20, 1200)])
def test_a_dry_updraught_turns_the_gradient_of_a_convective_layer(levels, step):
    """The layer has the height of encroachment, a fifth more, and two layers; its upper half is
    stable, where diffusion alone needs an unstable one.
    """
    rise = {}
    for name, plume in (("without", []), ("with", [low])):
        physics = ["TKE", "VerticalDiffusion", *plume]
        theta, z, edges, height = convective_layer(levels, step, physics)
        assert 0.93 * height < steepest(theta, z, edges) < 1.2 * height + 2 * edges[-2]
        upper, lower = (np.interp(x * height, z[::-1], theta[::-1]) for x in (0.75, 0.4))
        rise[name] = upper - lower
    assert rise["with"] > max(rise["without"], 0.0)


def tropical():
    """A mixed layer of 500 m under an unstable troposphere."""
    theta = ([0, 500, 1000, 5000, 10000, 14000, 16000], [300, 300, 302.5, 322, 338, 350, 375])
    q = ([0, 500, 2000, 4000, 6000, 8000, 12000], [17.5, 17, 11.5, 6.5, 3.5, 1.5, 0.1])
    return profile(
        np.linspace(0, 16000, 61),
        lambda z: np.interp(z, *theta),
        lambda z: 1e-3 * np.interp(z, *q),
        1e5,
    )


def test_deep_clouds_take_cape_in_the_time_that_is_said():
    slow, fast = (apply(tropical(), 60, step=60.0, relaxation=t) for t in (7200.0, 3600.0))
    assert (slow["convective_precipitation"] * 86400 > 1).all()
    assert (slow["convective_cloud_top_pressure"] < 3e4).all()
    np.testing.assert_allclose(
        fast["convective_mass_flux"], 2 * slow["convective_mass_flux"], rtol=1e-12
    )
    np.testing.assert_allclose(
        fast["convective_precipitation"], 2 * slow["convective_precipitation"], rtol=1e-12
    )
    dry = apply(tropical(), 60, step=60.0, relaxation=3600.0, downdraught=0.0)
    lowest = slice(-2, None)  # the downdraught brings cool air down and evaporates rain
    unit = fast["air_temperature_tendency"] / fast["convective_mass_flux"]
    unit_dry = dry["air_temperature_tendency"] / dry["convective_mass_flux"]
    assert (unit[lowest] < unit_dry[lowest]).all()
    assert (
        fast["convective_precipitation"] / fast["convective_mass_flux"]
        < dry["convective_precipitation"] / dry["convective_mass_flux"]
    ).all()
    inverted = tropical()
    inverted["air_temperature"][:-1] += 30
    assert all((x == 0).all() for x in apply(inverted, 60).values())


def test_it_rains_steadily_over_a_warm_sea():
    """Thirty days over 300 K: as much rain as evaporation, within a tenth, in half of the steps;
    Betts-Miller rains in one of twenty.
    """
    column = fm.SingleColumn(
        fm.HybridLevels(26),
        fm.BasicPhysics(
            drag=None, convection="MassFluxConvection", sunlight=fm.Sunlight(fixed_season=1)
        ),
        start="2000-03-21",
        keep=("convective_precipitation", "evaporation_flux"),
    )
    p = column.pressure
    column.set(
        air_temperature=np.maximum(299 * (p / 1e5) ** 0.19, 200.0),
        specific_humidity=np.maximum(0.018 * (p / 1e5) ** 3, 2e-6),
        sea_surface_temperature=300.0,
        eastward_wind=5.0,
    )
    rain, evaporation = [], []
    for n in range(30 * 72):
        column.set(eastward_wind=5.0, northward_wind=0.0).advance(1)
        if n >= 20 * 72:
            rain.append(column["convective_precipitation"] * 86400)
            evaporation.append(column["evaporation_flux"] * 86400)
    assert np.mean(rain) == pytest.approx(np.mean(evaporation), rel=0.1)
    assert 1 < np.mean(rain) < 5 and np.mean(np.array(rain) > 0.01) > 0.4
