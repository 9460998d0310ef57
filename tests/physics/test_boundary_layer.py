"""Surface and boundary layer: conductances against the formulae, budgets of air and ground closed
to round-off, snow and bucket.
"""

import numpy as np
import pytest

from columns import catalogue, run

g, cp, L, fusion, R, sigma = 9.80616, 3.5 * 287.0597, 2.5008e6, 3.337e5, 287.0597, 5.670374419e-8
levels, columns, step = 12, 64, 2400.0
interface = 1e5 * np.linspace(0, 1, levels + 1) ** 0.8 + 10
p = 0.5 * (interface[1:] + interface[:-1])
mass = np.diff(interface)[:, None] / g


def call(name, state, **parameters):
    """Runs a scheme on the fields of `state` and keeps its results there."""
    fields = {f["name"]: f for f in catalogue[name]["fields"]}
    timed = {"step": step} if "step" in [q["name"] for q in catalogue[name]["parameters"]] else {}
    given = {}
    for n, f in fields.items():
        if f["access"] != "writes":
            value = np.asarray(state.get(n, 0.0), float)
            shape = {
                "layer": (levels, 1, columns),
                "interface": (levels + 1, 1, columns),
                "column": (1, columns),
            }[f["vertical"]]
            given[n] = np.ascontiguousarray(
                np.broadcast_to(
                    value if value.ndim < 2 or f["vertical"] == "column" else value[:, None, :],
                    shape,
                )
            )
    out = run(name, given, levels, {**timed, **parameters})
    for n, v in out.items():
        state[n] = v[0] if fields[n]["vertical"] == "column" else v[:, 0]
    return state


def weather(seed=0):
    random = np.random.default_rng(seed)

    def uniform(low, high, *shape):
        return random.uniform(low, high, (*shape, columns))

    T = uniform(245, 303) * (p[:, None] / 1e5) ** uniform(0.12, 0.25)
    q = 0.7 * 0.622 / p[:, None] * 610.78 * np.exp(17.27 * (T - 273.16) / (T - 35.86))
    phi_s, phi, below = uniform(0, 2e4), np.empty_like(T), 0
    for k in range(levels - 1, -1, -1):
        thick = R * T[k] * (1 + 0.608 * q[k]) * np.log(interface[k + 1] / interface[k])
        phi[k], below = below + 0.5 * thick, below + thick
    land = np.clip(uniform(-0.5, 1.5), 0, 1)
    return {
        "eastward_wind": uniform(-15, 15, levels),
        "northward_wind": uniform(-15, 15, levels),
        "air_temperature": T,
        "specific_humidity": q,
        "geopotential": phi + phi_s,
        "surface_geopotential": phi_s,
        "air_pressure": np.repeat(p[:, None], columns, 1),
        "pressure_interface": np.repeat(interface[:, None], columns, 1),
        "land_fraction": land,
        "sea_ice_fraction": np.clip(uniform(-1, 1.5), 0, 1),
        "sea_ice_thickness": np.full(columns, 1.5),
        "sea_surface_temperature": T[-1] + uniform(-3, 8),
        "ground_temperature": T[-1] + uniform(-8, 12),
        "deep_ground_temperature": T[-1],
        "soil_moisture": uniform(0, 150),
        "snow_amount": np.maximum(uniform(-20, 30), 0),
        "snow_free_albedo": uniform(0.1, 0.4),
        "roughness_length": 10 ** uniform(-3, 0.3),
        "surface_net_shortwave": uniform(0, 700),
        "surface_downward_longwave": uniform(150, 420),
        **{
            f"{n}_tendency": uniform(-1, 1, levels) * s
            for n, s in (
                ("eastward_wind", 1e-4),
                ("northward_wind", 1e-4),
                ("air_temperature", 1e-4),
                ("specific_humidity", 1e-11),
            )
        },
    }


def surface(state):
    for name in ("SurfaceState", "GroundResponse", "BulkExchange", "KProfileDiffusion"):
        call(name, state)
    return state


def ahead(state, name):
    return state[name] + step * state[f"{name}_tendency"]


def column_energy(state):
    T, q, u, v = (
        ahead(state, n)
        for n in ("air_temperature", "specific_humidity", "eastward_wind", "northward_wind")
    )
    return (mass * (cp * T + L * q + 0.5 * (u * u + v * v))).sum(0)


@pytest.mark.parametrize("seed", range(3))
def test_diffusion_closes_energy_water_and_momentum(seed):
    s = surface(weather(seed))
    energy, water, momentum = (
        column_energy(s),
        (mass * ahead(s, "specific_humidity")).sum(0),
        (mass * ahead(s, "eastward_wind")).sum(0),
    )
    lowest = min(0, ahead(s, "specific_humidity").min())
    call("VerticalDiffusion", s)
    np.testing.assert_allclose(
        column_energy(s) - energy,
        step * (s["sensible_heat_flux"] + L * s["evaporation_flux"]),
        atol=1e-14 * energy.max() * levels,
    )
    np.testing.assert_allclose(
        (mass * ahead(s, "specific_humidity")).sum(0) - water,
        step * s["evaporation_flux"],
        atol=1e-13 * water.max(),
    )
    np.testing.assert_allclose(
        (mass * ahead(s, "eastward_wind")).sum(0) - momentum,
        -step * s["surface_stress_eastward"],
        atol=1e-10 * np.abs(mass).sum(),
    )
    assert (ahead(s, "specific_humidity") >= lowest).all()


@pytest.mark.parametrize("seed, most_snow", [(0, 1e9), (1, 15.0), (2, 15.0)])
def test_ground_and_air_share_one_flux(seed, most_snow):
    """The ground's own budget: heat less heat of fusion, water and snow, against what passes the
    surface, runs off and calves; the last two where there is land.
    """
    s = call("VerticalDiffusion", surface(weather(seed)))
    random = np.random.default_rng(seed)
    rain = random.uniform(0, 3e-4, columns)
    s |= {"convective_precipitation": 0.3 * rain, "stratiform_precipitation": 0.7 * rain}
    before = column_energy(s)
    call("Snowfall", s)
    np.testing.assert_allclose(
        column_energy(s) - before, step * fusion * s["snowfall"], atol=1e-13 * before.max()
    )
    T, ice = s["ground_temperature"], s["ice_share"]
    capacity = 1.2e5 + ice * 2.8e5
    store = lambda s: (
        capacity * s["ground_temperature"]
        + 3e6 * s["deep_ground_temperature"]
        - fusion * s["snow_amount"]
    )
    heat, water = store(s), s["soil_moisture"] + s["snow_amount"]
    gain = (
        s["ground_absorption"] * s["surface_net_shortwave"]
        + s["surface_downward_longwave"]
        - sigma * T**4
        - s["ground_turbulent_flux"]
        - ice * 1.4 * (T - 271.35)
        - fusion * s["snowfall"]
    )
    call("LandSurface", s, most_snow=most_snow)
    gain = gain - s["ice_melt_flux"] - s["calving_heat_flux"]
    np.testing.assert_allclose(store(s) - heat, step * gain, atol=1e-12 * np.abs(heat).max())
    on_land, leaves = s["land_fraction"] > 0, s["runoff"] + s["calving_flux"]
    np.testing.assert_array_equal(leaves[~on_land], 0)
    assert (s["snow_amount"][on_land] <= most_snow).all()
    assert (s["calving_flux"] > 0).any() == (most_snow < 1e9)
    land = on_land & (ice == 0)  # what melts on ice, and what ice evaporates, is not the soil's
    np.testing.assert_allclose(
        (s["soil_moisture"] + s["snow_amount"] - water)[land],
        (step * (rain - s["ground_evaporation"] - leaves))[land],
        rtol=1e-9,
        atol=1e-11,
    )
    assert land.sum() > 10
    assert (
        (s["soil_moisture"] >= 0).all()
        and (s["soil_moisture"] <= 150).all()
        and (s["snow_amount"] >= 0).all()
    )
    assert (
        s["ground_temperature"] <= np.where(s["snow_amount"] > 0, 273.15 + 1e-9, 400)
    ).all() and (s["ground_temperature"][ice > 0.5] <= 273.15 + 1e-9).all()


def test_radiation_is_shared_between_sea_and_ground():
    s = call("SurfaceState", weather(4))
    sea_absorption = (1 - 0.065) / (1 - s["albedo"])
    np.testing.assert_allclose(
        s["open_sea"] * sea_absorption + (1 - s["open_sea"]) * s["ground_absorption"], 1, rtol=1e-13
    )
    np.testing.assert_allclose(
        s["surface_emission"], sigma * s["surface_temperature"] ** 4, rtol=1e-13
    )


def test_large_steps_do_not_oscillate():
    """12 h over a thin ground: the implicit solve reaches the balance, never beyond it."""
    s = surface(weather(5))
    short = call("VerticalDiffusion", {k: np.copy(v) for k, v in s.items()}, step=1.0)
    long = call("VerticalDiffusion", {k: np.copy(v) for k, v in s.items()}, step=43200.0)
    assert (np.abs(long["sensible_heat_flux"]) <= np.abs(short["sensible_heat_flux"]) + 200).all()
    T = s["air_temperature"] + 43200.0 * long["air_temperature_tendency"]
    start = s["air_temperature"] + 43200.0 * s["air_temperature_tendency"]
    assert start.min() - 5 < T.min() and T.max() < start.max() + 5


def test_exchange_over_the_sea():
    """Neutral 10 m values of Large & Yeager (2009) where air and sea are alike; more when the sea
    is warmer, little when it is colder.
    """
    n = columns
    wind = np.linspace(2, 25, n)
    T = np.full((levels, n), 290.0)
    z = 10 * g
    s = {
        "eastward_wind": np.broadcast_to(wind, (levels, n)),
        "northward_wind": np.zeros((levels, n)),
        "air_temperature": T,
        "specific_humidity": np.zeros((levels, n)) + 0.0119,
        "air_pressure": np.full((levels, n), 1e5),
        "pressure_interface": np.full((levels + 1, n), 1e5),
        "geopotential": np.full((levels, n), z),
        "open_sea": 1.0,
    }
    neutral = call("BulkExchange", s | {"sea_surface_temperature": 290.0 + z / cp}, gust=0.1)
    drag = neutral["friction_velocity"] ** 2 / wind**2
    expected = 1e-3 * (2.7 / wind + 0.142 + wind / 13.09 - 3.14807e-10 * wind**6)
    np.testing.assert_allclose(drag[wind > 6], expected[wind > 6], rtol=0.06)
    density = 1e5 / (R * 290 * (1 + 0.608 * 0.0119))
    np.testing.assert_allclose(
        (neutral["sea_conductance"] / density / wind)[wind > 6],
        (34.6e-3 * np.sqrt(expected))[wind > 6],
        rtol=0.08,
    )
    warm, cold = (
        call("BulkExchange", s | {"sea_surface_temperature": 290.0 + d})["sea_conductance"]
        for d in (5, -5)
    )
    assert (
        (warm > neutral["sea_conductance"]).all()
        and (cold < neutral["sea_conductance"]).all()
        and (cold > 0).all()
    )
    assert warm[0] / neutral["sea_conductance"][0] > 1.5 > warm[-1] / neutral["sea_conductance"][-1]


def test_exchange_over_a_warm_sea_is_that_of_similarity():
    """C_H of unstable air at 32 m within 1 % of Monin & Obukhov's, found by sixty iterations."""
    n, z, depth = columns, 32.0, levels
    wind, warmer = np.linspace(4, 20, n), np.linspace(8.0, 0.3, n)
    T, q, p = 290.0, 0.009, 1e5
    s = {
        "eastward_wind": np.broadcast_to(wind, (depth, n)),
        "northward_wind": np.zeros((depth, n)),
        "air_temperature": np.full((depth, n), T),
        "specific_humidity": np.full((depth, n), q),
        "air_pressure": np.full((depth, n), p),
        "pressure_interface": np.full((depth + 1, n), p),
        "geopotential": np.full((depth, n), z * g),
        "open_sea": 1.0,
        "sea_surface_temperature": T + warmer,
    }
    found = call("BulkExchange", s, gust=0.1)
    density = p / (R * T * (1 + 0.608 * q))
    sea = T + warmer
    vapour = 610.78 * np.exp(17.2693882 * (sea - 273.16) / (sea - 35.86))
    saturated = 0.98 * 0.622 * vapour / (p - 0.378 * vapour)
    above = cp * (T - sea + 0.608 * (T * q - sea * saturated)) + g * z
    richardson = g * z * above / (cp * T * (1 + 0.608 * q) * wind**2)
    at_ten = wind * np.log(1e5) / (np.log(z / 10) + np.log(1e5))
    root = np.sqrt(1e-3 * (2.7 / at_ten + 0.142 + at_ten / 13.09))
    log_m, log_h = np.log(z / 10) + 0.4 / root, np.log(z / 10) + 0.4 / 34.6e-3
    m, h = log_m, log_h
    for _ in range(60):
        x = (1 - 16 * np.maximum(richardson * m**2 / h, -10)) ** 0.25
        psi_h = 2 * np.log((1 + x**2) / 2)
        m = log_m - (np.log((1 + x) ** 2 / 4) + psi_h / 2 - 2 * np.arctan(x) + np.pi / 2)
        h = log_h - psi_h
    assert (richardson < -0.01).any() and (richardson < 0).all()
    np.testing.assert_allclose(found["sea_conductance"], density * wind * 0.16 / (m * h), rtol=0.01)


def test_plants_give_water_by_day():
    """Wet soil under full light keeps a share 1 / (1 + r C_H U); at night next to nothing passes,
    snow and ice all of it.
    """
    s = weather(7) | {
        "land_fraction": 1.0,
        "snow_amount": 0.0,
        "soil_moisture": 150.0,
        "sea_ice_fraction": 0.0,
    }
    call("SurfaceState", s)
    free, day, night = (
        call("BulkExchange", dict(s) | {"surface_net_shortwave": light}, canopy_resistance=r)
        for light, r in ((900.0, 0.0), (900.0, 70.0), (0.0, 70.0))
    )
    np.testing.assert_allclose(free["soil_wetness"], 1, rtol=1e-14)
    density = s["air_pressure"][-1] / (
        R * s["air_temperature"][-1] * (1 + (461.525 / R - 1) * s["specific_humidity"][-1])
    )
    np.testing.assert_allclose(
        day["soil_wetness"],
        1 / (1 + 70 * (1 + 100 / 900) * day["ground_conductance"] / density),
        rtol=1e-12,
    )
    assert (night["soil_wetness"] * night["ground_conductance"] / density < 1 / (70 * 101)).all()
    snowy = call("BulkExchange", dict(s) | {"snow_amount": 1e6}, canopy_resistance=70)
    np.testing.assert_allclose(snowy["ground_wetness"], 1, rtol=1e-4)


def test_boundary_layer_deepens_with_buoyancy_and_is_calm_above():
    s = surface(weather(6))
    calm, heated = (
        call("KProfileDiffusion", s | {"buoyancy_flux": B, "friction_velocity": 0.3})
        for B in (-1e-3, 1e-2)
    )
    assert (
        heated["boundary_layer_height"] >= calm["boundary_layer_height"] - 1e-9
    ).all() and heated["boundary_layer_height"].mean() > calm["boundary_layer_height"].mean() + 100
    for out in (calm, heated):
        assert (
            (out["air_diffusivity"][0] == 0).all()
            and (out["air_diffusivity"][-1] == 0).all()
            and (out["air_diffusivity"] < 3000).all()
            and (out["air_diffusivity"][1:-1] >= 0.01).all()
        )
