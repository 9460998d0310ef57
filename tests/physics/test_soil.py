"""Soil of four layers under snow: heat and water closed, nothing negative, against the analytic
solutions for steady heat, waves of heat and steady seepage.
"""

from pathlib import Path

import numpy as np
import pytest

import fathom as fm
from columns import run

sigma, fusion, melting = 5.670374419e-8, 3.337e5, 273.15
thickness = np.array([0.07, 0.21, 0.72, 1.89])
middle = np.cumsum(thickness) - thickness / 2
porosity, b, conductivity = 0.451, 5.39, 6.95e-6
room = 1000 * thickness * porosity
store, soil_capacity = 4e4, 2.19e6
layers = range(1, 5)


def soil_of(state):
    """Temperature and water, (4, columns)."""
    return tuple(
        np.array([state[f"soil_{what}_{k}"] for k in layers]) for what in ("temperature", "water")
    )


def ground(T, water, **more):
    """A state of columns of land; T, water: (4, columns)."""
    T, water = np.atleast_2d(np.asarray(T, float).T).T, np.atleast_2d(np.asarray(water, float).T).T
    columns = max(T.shape[1], water.shape[1])
    state = {f"soil_temperature_{k}": T[k - 1] for k in layers}
    state |= {f"soil_water_{k}": water[k - 1] for k in layers}
    state |= {"ground_temperature": T[0], "snow_amount": 0.0, "snow_density": 300.0}
    state |= {"ice_share": 0.0, "ground_absorption": 1.0, "soil_wetness": 0.5, "land_fraction": 1.0}
    state |= {"vegetation_fraction": 1.0, "sea_surface_temperature": 273.0}
    state |= {"sea_ice_thickness": 1.5}
    state |= more
    return {name: np.broadcast_to(np.asarray(v, float), (columns,)) for name, v in state.items()}


def advance(state, step, dtype=float, below=0.0, **of_layers):
    """A step of both schemes: the state with their results."""
    for name in ("SoilResponse", "SoilLayers"):
        given = {n: np.ascontiguousarray(v[None]) for n, v in state.items()}
        parameters = {"step": step, "heat_from_below": below}
        parameters |= of_layers if name == "SoilLayers" else {}
        out = run(name, given, parameters=parameters, dtype=dtype)
        state = state | {n: np.asarray(v[0], float) for n, v in out.items()}
    return state


def warmed(state, flux):
    """Radiation that brings `flux` to the surface."""
    emitted = sigma * state["ground_temperature"] ** 4
    return state | {"surface_downward_longwave": flux + emitted}


def heat(state):
    """Of surface, soil and snow [J m-2]."""
    T, water = soil_of(state)
    frozen = np.clip((melting - T) / 3, 0, 1)
    soil = (soil_capacity * thickness[:, None] * (T - melting) - fusion * frozen * water).sum(0)
    ice = state["ice_share"]
    surface = (store + ice * (4e5 - store)) * (state["ground_temperature"] - melting)
    return surface + (1 - ice) * soil - fusion * state["snow_amount"]


def weather(seed, columns=64):
    random = np.random.default_rng(seed)
    u = lambda low, high, *shape: random.uniform(low, high, (*shape, columns))
    rain = np.maximum(u(-2e-3, 4e-3), 0)
    ice = np.clip(u(-2, 1.5), 0, 1)
    return ground(
        u(262, 284, 4),
        room[:, None] * u(0, 1, 4),
        ground_temperature=u(255, 290),
        snow_amount=np.maximum(u(-30, 60), 0),
        snow_density=u(100, 300),
        ice_share=ice,
        surface_net_shortwave=u(0, 600),
        surface_downward_longwave=u(150, 400),
        ground_turbulent_flux=u(-50, 300),
        ground_evaporation=u(-2e-5, 1.5e-4),
        soil_wetness=u(1e-6, 1),
        vegetation_fraction=u(0, 1),
        convective_precipitation=0.3 * rain,
        stratiform_precipitation=0.7 * rain,
        snowfall=rain * u(0, 1),
    )


@pytest.mark.parametrize(
    "seed, step, most_snow", [(0, 60.0, 1e9), (1, 1200.0, 20.0), (2, 7200.0, 20.0)]
)
def test_heat_and_water_close(seed, step, most_snow):
    """With calving of snow beyond a limit, where there is land; elsewhere nothing runs off."""
    s = weather(seed)
    s["land_fraction"] = np.where(np.arange(64) % 8 == 7, 0.0, 0.7)
    on_land = s["land_fraction"] > 0
    ice, T = s["ice_share"], s["ground_temperature"]
    before, held = heat(s), soil_of(s)[1].sum(0) + s["snow_amount"]
    gain = s["surface_net_shortwave"] + s["surface_downward_longwave"] - sigma * T**4
    gain = gain - s["ground_turbulent_flux"] - fusion * s["snowfall"] + (1 - ice) * 0.1
    after = advance(s, step, below=0.1, most_snow=most_snow)
    gain = gain - ice * 1.4 * (after["ground_temperature"] - 271.35) - after["ice_melt_flux"]
    gain = gain - after["calving_heat_flux"]
    np.testing.assert_allclose(heat(after) - before, step * gain, atol=1e-12 * np.abs(before).max())
    land = on_land & (ice == 0)  # what melts on ice, and what ice evaporates, is not the soil's
    assert land.sum() > 20
    rain = s["convective_precipitation"] + s["stratiform_precipitation"]
    leaves = after["runoff"] + after["calving_flux"]
    np.testing.assert_allclose(
        (soil_of(after)[1].sum(0) + after["snow_amount"] - held)[land],
        (step * (rain - s["ground_evaporation"] - leaves))[land],
        atol=1e-12 * held.max(),
    )
    np.testing.assert_array_equal(leaves[~on_land], 0)
    assert (after["snow_amount"][on_land] <= most_snow).all()
    assert (after["calving_flux"] > 0).any() == (most_snow < 1e9)
    assert (after["surface_runoff"] <= after["runoff"] + 1e-18).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_nothing_is_negative_or_more_than_full(dtype):
    """Two hundred steps of extreme weather, from dry to full, thawed and frozen, an hour each."""
    s = weather(3)
    roundoff = 1e-5 if dtype == np.float32 else 1e-12
    for n in range(200):
        more = {k: v for k, v in weather(100 + n).items() if "soil_" not in k and "snow_" not in k}
        del more["ground_temperature"]
        s = advance(s | more, 3600.0, dtype)
        T, water = soil_of(s)
        assert (water >= 0).all() and (water <= room[:, None] * (1 + roundoff)).all()
        assert (s["snow_amount"] >= 0).all() and (s["surface_runoff"] >= -roundoff).all()
        assert (T > 180).all() and (T < 360).all() and np.isfinite(s["ground_temperature"]).all()
        assert (s["snow_density"] >= 99.9).all() and (s["snow_density"] <= 300.1).all()
        assert (s["soil_moisture"] >= 0).all() and (s["soil_moisture"] <= 150.01).all()


def thermal_conductivity(wetness):
    saturated = 3.44 ** (1 - porosity) * 0.57**porosity
    return 0.19 + (1 + np.log10(max(wetness, 0.1))) * (saturated - 0.19)


def test_steady_heat_flows_down_the_gradient():
    """Heat from below leaves through the surface: T falls upward by flux x resistance."""
    flux, wetness = 0.5, 0.3
    s = ground(np.full(4, 285.0), wetness * room)
    fixed = {n: v for n, v in s.items() if "soil_water" in n}
    for _ in range(1200):
        s = advance(warmed(s, -flux) | fixed, 1e5, below=flux)
    T = soil_of(s)[0][:, 0]
    resistance = np.diff(middle) / thermal_conductivity(wetness)
    np.testing.assert_allclose(np.diff(T), flux * resistance, rtol=1e-5)
    skin = 0.5 * thickness[0] / thermal_conductivity(wetness)
    assert T[0] - s["ground_temperature"][0] == pytest.approx(flux * skin, rel=1e-5)


@pytest.mark.parametrize(
    "days, step, tolerances",
    [
        pytest.param(365, 86400, (0.02, 0.03, 0.04), marks=pytest.mark.long),
        (30, 7200, (0.1, 0.1)),
        (1, 600, (0.2,)),
    ],
)
def test_waves_of_heat_sink_in_as_they_should(days, step, tolerances):
    """A wave of flux F on a slab of depth H: T(z) = F cosh(k (H - z)) / (lambda k sinh(k H) +
    i omega C cosh(k H)), k = (1 + i) / D, D^2 = 2 lambda / (omega rho c).
    """
    wetness, force = 0.65, 20.0
    omega = 2 * np.pi / (86400 * days)
    conducts = thermal_conductivity(wetness)
    depth = np.sqrt(2 * conducts / (omega * soil_capacity))
    k, H = (1 + 1j) / depth, thickness.sum()
    exact = np.cosh(k * (H - middle)) / (
        conducts * k * np.sinh(k * H) + 1j * omega * store * np.cosh(k * H)
    )
    s = ground(np.full(4, 290.0), wetness * room)
    fixed = {n: v for n, v in s.items() if "soil_water" in n}
    steps, found = round(86400 * days / step), 0
    for n in range(2 * steps):
        s = advance(warmed(s, force * np.cos(omega * step * (n + 0.5))) | fixed, float(step))
        if n >= steps:
            found = found + soil_of(s)[0][:, 0] * np.exp(-1j * omega * step * (n + 1)) * 2 / steps
    error = np.abs(found / force / exact - 1)[: len(tolerances)]
    assert (error < tolerances).all(), error


def test_steady_rain_seeps_through():
    """Every layer conducts what falls: K(s) = rain, and as much drains."""
    rain = 1e-3
    s = ground(np.full(4, 285.0), 0.5 * room, stratiform_precipitation=rain)
    for _ in range(400):
        s = advance(warmed(s, 0.0), 7200.0)
    expected = (rain / (1000 * conductivity)) ** (1 / (2 * b + 3))
    np.testing.assert_allclose(soil_of(s)[1][:, 0] / room, expected, rtol=1e-6)
    assert s["runoff"][0] == pytest.approx(rain, rel=1e-6) and s["surface_runoff"][0] == 0


def test_full_soil_drains_as_gravity_says_and_more_rain_than_it_takes_runs_off():
    s = advance(warmed(ground(np.full(4, 285.0), room), 0.0), 60.0)
    assert s["runoff"][0] == pytest.approx(1000 * conductivity, rel=2e-3)
    s = ground(np.full(4, 285.0), room, stratiform_precipitation=0.01)
    s = advance(warmed(s, 0.0), 600.0)
    assert s["surface_runoff"][0] == pytest.approx(0.01 - 1000 * conductivity, rel=1e-6)
    frozen = ground(np.full(4, 265.0), 0.5 * room, stratiform_precipitation=1e-3)
    frozen = advance(warmed(frozen, 0.0), 600.0)
    np.testing.assert_allclose(frozen["surface_runoff"], 1e-3, rtol=1e-12)


def test_plants_draw_to_the_wilting_point_and_not_from_ice():
    for T, theta, plants, expected in (
        (285, 0.155, 1, 0),
        (285, 0.314, 1, 150),
        (285, 0.2345, 1, 75),
        (285, 0.2345, 0, 37.5),
        (265, 0.4, 1, 0),
    ):
        s = ground(np.full(4, float(T)), 1000 * theta * thickness, vegetation_fraction=plants)
        s = advance(warmed(s, 0.0), 600.0)
        assert s["soil_moisture"][0] == pytest.approx(expected, abs=0.03)


def test_roots_take_from_below_what_bare_ground_takes_from_the_top():
    evaporates = {"ground_evaporation": 1e-4, "soil_wetness": 1.0}
    deep, shallow = (
        advance(
            warmed(ground(np.full(4, 285.0), 0.5 * room, vegetation_fraction=v, **more), 0.0), 600.0
        )
        for v, more in ((1.0, evaporates), (0.0, evaporates))
    )
    still = advance(warmed(ground(np.full(4, 285.0), 0.5 * room), 0.0), 600.0)
    lost = [(soil_of(still)[1] - soil_of(s)[1])[:, 0] for s in (deep, shallow)]
    roots = -np.diff(0.966 ** np.array([0, 7, 28, 100, 1e9]))
    np.testing.assert_allclose(lost[0] / 0.06, roots, atol=0.02)
    np.testing.assert_allclose(lost[1] / 0.06, [1, 0, 0, 0], atol=0.05)


def test_wet_soil_cools_slower_where_it_freezes():
    """10 W m-2 leave for ten days; the heat that freezing gives holds the soil near melting."""
    wet, dry = (ground(np.full(4, 274.0), share * room) for share in (0.9, 0.02))
    for _ in range(240):
        wet, dry = (advance(warmed(s, -10.0), 3600.0) for s in (wet, dry))
    assert soil_of(dry)[0][0, 0] < 262 and 270 < soil_of(wet)[0][0, 0] < 273.15
    assert wet["ground_temperature"][0] > dry["ground_temperature"][0] + 8


def test_snow_insulates_settles_and_melts_at_the_melting_point():
    s, bare = (ground(np.full(4, 272.0), 0.4 * room, snow_amount=S) for S in (100.0, 0.0))
    s["snow_density"] = np.array([100.0])
    for _ in range(48):
        s, bare = (advance(warmed(x, -20.0), 3600.0) for x in (s, bare))
    assert s["ground_temperature"][0] < bare["ground_temperature"][0] - 3
    assert soil_of(s)[0][0, 0] > soil_of(bare)[0][0, 0]
    assert s["snow_density"][0] == pytest.approx(300 - 200 * np.exp(-0.48), rel=0.01)
    s = ground(np.full(4, melting), 0.4 * room, snow_amount=100.0)
    s = advance(warmed(s, 100.0), 3600.0)
    assert s["ground_temperature"][0] == pytest.approx(melting, abs=1e-9)
    assert 100 - s["snow_amount"][0] == pytest.approx(100 * 3600 / fusion, rel=1e-9)


def test_days_over_land_in_the_place_of_the_slab():
    """A meadow, a desert and snow in spring, with radiation and air: heat and water close, bounds,
    and a day is felt the less the deeper one looks.
    """
    physics = fm.BasicPhysics(land="SoilLayers", radiation_every="1h", drag=None)
    names = [s.name for s in physics]
    assert "SoilResponse" in names and not {"GroundResponse", "LandSurface"} & set(names)
    radiation = ("surface_net_shortwave", "surface_downward_longwave", "surface_emission")
    water = ("convective_precipitation", "stratiform_precipitation", "evaporation_flux", "runoff")
    fluxes = (*radiation, *water, "sensible_heat_flux", "snowfall")
    c = fm.SingleColumn(
        fm.HybridLevels(20), physics, latitude=[48, 25, 60], start="2000-06-10", keep=fluxes
    )
    p, T = c.pressure, np.array([290.0, 300.0, 274.0])
    theta = np.array([0.3, 0.1, 0.35])
    ground_of = {f"soil_water_{k}": 1000 * thickness[k - 1] * theta for k in layers}
    c.set(
        land_fraction=1.0,
        ground_temperature=T,
        snow_amount=np.array([0.0, 0.0, 20.0]),
        vegetation_fraction=np.array([1.0, 0.0, 0.5]),
        air_temperature=np.maximum(T * (p[:, None] / 1e5) ** 0.19, 210),
        specific_humidity=np.array([0.008, 0.003, 0.003]) * (p[:, None] / 1e5) ** 3,
        **{f"soil_temperature_{k}": T for k in layers},
        **ground_of,
    )

    def state():
        names = [f"soil_{what}_{k}" for what in ("temperature", "water") for k in layers]
        names += ["ground_temperature", "snow_amount"]
        return {n: np.array(c[n]) for n in names} | {"ice_share": 0.0}

    def held(s):
        return soil_of(s)[1].sum(0) + s["snow_amount"]

    start, heated, wetted, seen = state(), 0.0, 0.0, []
    for _ in range(5 * 72):
        c.advance(1)
        f = {n: np.array(c[n]) for n in fluxes}
        net = f["surface_net_shortwave"] + f["surface_downward_longwave"] - f["surface_emission"]
        turbulent = f["sensible_heat_flux"] + 2.5008e6 * f["evaporation_flux"]
        heated = heated + c.time_step * (net - turbulent - fusion * f["snowfall"])
        rain = f["convective_precipitation"] + f["stratiform_precipitation"]
        wetted = wetted + c.time_step * (rain - f["evaporation_flux"] - f["runoff"])
        seen.append([c["ground_temperature"], *soil_of(state())[0]])
    end = state()
    np.testing.assert_allclose(
        heat(end) - heat(start), heated, atol=1e-10 * np.abs(heat(end)).max()
    )
    np.testing.assert_allclose(held(end) - held(start), wetted, atol=1e-10 * held(end).max())
    swing = np.ptp(np.array(seen)[-72:], axis=0)
    assert (np.diff(swing, axis=0) < 0).all() and (swing[4] < 0.1).all(), swing
    assert swing[0, 1] > swing[0, 0] > 5 and end["snow_amount"][2] < 20, swing
    assert (soil_of(end)[1] > 0).all() and (np.array(seen) < 345).all()


@pytest.mark.long
def test_same_bits_on_ranks(on_ranks):
    """Soil, lakes and their ice through a day: no column knows which rank it is on."""
    script = Path(__file__).with_name("soil_on_ranks.py")
    alone = on_ranks(1, script)
    assert all(change > 0 for change in alone["change"].values()), alone["change"]
    assert on_ranks(3, script)["checksum"] == alone["checksum"]
