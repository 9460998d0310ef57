"""Tiles of the surface: energy and water of each closed, nothing negative, snow never above
melting, fluxes of the end of the step, the same bits on ranks and after a restart.
"""

from pathlib import Path

import numpy as np
import pytest

import fathom as fm
from columns import catalogue, run

sigma, fusion, L, cp, g = 5.670374419e-8, 3.337e5, 2.5008e6, 3.5 * 287.0597, 9.80616
melting, skin, ice_store, snow_heat = 273.15, 2e4, 4e5, 2100.0
thickness = np.array([0.07, 0.21, 0.72, 1.89])
room = 451 * thickness
layers, tiles = range(1, 5), ("plant", "bare_ground", "snow", "ice")
chain = ("TileState", "TileResponse", "TileExchange", "TileDiffusion", "TiledLand")
interface = np.array([5e4, 9.8e4, 1e5])


def cover(snow):
    return snow / (snow + 10)


def parts(snow):
    first = np.minimum(1 / 3, 10 / (snow + 10))
    second = np.minimum((1 - first) / 2, 50 / (snow + 10))
    return first, second, 1 - first - second


def snow_temperature(s, k):
    cold = np.minimum(s["ground_temperature"] + s[f"snow_departure_{k}"], melting)
    return np.where(s[f"snow_liquid_{k}"] > 0, melting, cold)


def heat(s):
    """Of the tiles and the soil below, of a column [J m-2]."""
    v, c, mean = s["vegetation_fraction"], cover(s["snow_amount"]), s["ground_temperature"]
    above = lambda name: mean + s[f"{name}_departure"] - melting
    land = skin * (1 - c) * (v * above("plant") + (1 - v) * above("bare_ground"))
    for k, part in enumerate(parts(s["snow_amount"]), 1):
        mass, liquid = part * s["snow_amount"], s[f"snow_liquid_{k}"]
        land = land + snow_heat * mass * (snow_temperature(s, k) - melting)
        land = land + fusion * (liquid - mass)
    for k, d in zip(layers, thickness, strict=True):
        T, W = s[f"soil_temperature_{k}"], s[f"soil_water_{k}"]
        land = land + 2.19e6 * d * (T - melting) - fusion * np.clip((melting - T) / 3, 0, 1) * W
    ice = (1 - s["land_fraction"]) * s["sea_ice_fraction"]
    return s["land_fraction"] * land + ice * (ice_store * above("ice") - fusion * s["snow_on_ice"])


def water(s):
    """On and in the land [kg m-2]."""
    return sum(s[f"soil_water_{k}"] for k in layers) + s["snow_amount"] + s["canopy_water"]


def weather(seed, columns=64, **more):
    """Air, radiation and ground of all kinds."""
    random = np.random.default_rng(seed)
    u = lambda low, high: random.uniform(low, high, columns)
    rain, snow = np.maximum(u(-2e-3, 2e-3), 0), np.maximum(u(-30, 100), 0)
    T = u(255, 305)
    s = {
        "land_fraction": np.clip(u(-0.5, 1.5), 0, 1),
        "sea_ice_fraction": np.clip(u(-1, 1.5), 0, 1),
        "sea_surface_temperature": np.full(columns, 273.0),
        "ground_temperature": u(255, 290),
        "vegetation_fraction": np.clip(u(-0.2, 1.2), 0, 1),
        "snow_free_albedo": u(0.1, 0.3),
        "roughness_length": u(0.01, 1.0),
        "snow_amount": snow,
        "snow_density": u(100, 300),
        "snow_albedo": u(0.5, 0.85),
        "snow_on_ice": np.maximum(u(-30, 60), 0),
        "canopy_water": 0.0 * T,
        "light": np.maximum(u(-300, 900), 0),
        "surface_downward_longwave": u(150, 400),
        "convective_precipitation": 0.3 * rain,
        "stratiform_precipitation": 0.7 * rain,
        "snowfall": rain * u(0, 1),
        "air_temperature": np.stack([T - 20, T]),
        "specific_humidity": np.stack([0 * T, u(1e-4, 8e-3)]),
        "eastward_wind": np.stack([u(-20, 20), u(-10, 10)]),
        "air_pressure": np.array([7e4, 9.9e4])[:, None] + 0 * T,
        "pressure_interface": interface[:, None] + 0 * T,
        "geopotential": np.array([2e4, 800.0])[:, None] + 0 * T,
        "air_diffusivity": np.full((3, columns), 5.0),
    }
    for k, room_k in zip(layers, room, strict=True):
        s |= {f"soil_temperature_{k}": u(262, 290), f"soil_water_{k}": room_k * u(0, 1)}
    for k, part in zip((1, 2, 3), parts(snow), strict=True):
        wet = np.maximum(u(-0.05, 0.05), 0) * part * snow
        s |= {f"snow_departure_{k}": u(-8, 4), f"snow_liquid_{k}": wet}
    s |= {f"{name}_departure": u(-8, 8) for name in ("plant", "bare_ground", "ice")}
    return s | {k: np.broadcast_to(np.asarray(v, float), s[k].shape) for k, v in more.items()}


def advance(s, step, dtype=float, below=0.0, **of_land):
    """A step of all of them: the state, with their results."""
    s = {n: v for n, v in s.items() if not n.endswith("_tendency")}
    for name in chain:
        wanted = [f["name"] for f in catalogue[name]["fields"]]
        given = {n: np.ascontiguousarray(s[n][..., None, :]) for n in wanted if n in s}
        known = {"step": step, "heat_from_below": below}
        if name != "TiledLand" and name != "TileResponse":
            del known["heat_from_below"]
        if name == "TileState":
            known = {}
        known |= of_land if name == "TiledLand" else {}
        out = run(name, given, levels=2, parameters=known, dtype=dtype)
        s = s | {n: np.asarray(v[..., 0, :], float) for n, v in out.items()}
        if name == "TileState":
            s["surface_net_shortwave"] = (1 - s["albedo"]) * s["light"]
    return s


def land_share(s):
    return s["plant_share"] + s["bare_ground_share"] + s["snow_share"]


def ground_gain(before, after, below=0.0):
    """What passes the surface of the ground and its bottom [W m-2]."""
    ground = 1 - after["open_sea"]
    takes = ground * after["ground_absorption"] * after["surface_net_shortwave"]
    gain = takes + ground * (before["surface_downward_longwave"] - fusion * before["snowfall"])
    for name in tiles:
        share = after["icy_share" if name == "ice" else f"{name}_share"]
        gain = gain - share * (after["emitted"][name] + after[f"{name}_turbulent_flux"])
    return gain + land_share(after) * below - ground * after["ice_base_flux"]


def emitted(s):
    T = {n: s["ground_temperature"] + s[f"{n}_departure"] for n in ("plant", "bare_ground", "ice")}
    T["snow"] = snow_temperature(s, 1)
    return {"emitted": {name: sigma * T[name] ** 4 for name in tiles}}


@pytest.mark.parametrize(
    "seed, step, most_snow", [(0, 60.0, 1e9), (1, 1200.0, 50.0), (2, 7200.0, 50.0)]
)
def test_energy_and_water_close(seed, step, most_snow):
    """Of the ground as a whole, in one step of any length, with calving of snow beyond a limit;
    tolerance: round-off of 1e9 J m-2. Where there is no land nothing runs off.
    """
    s = weather(seed)
    after = advance(s, step, below=0.1, most_snow=most_snow)
    gain = ground_gain(s, after | emitted(s), below=0.1)
    gain = gain - s["land_fraction"] * after["calving_heat_flux"]
    np.testing.assert_allclose(heat(after) - heat(s), step * gain, atol=1e-6)
    rain = s["convective_precipitation"] + s["stratiform_precipitation"]
    c = cover(s["snow_amount"])
    share = {"plant": (1 - c) * s["vegetation_fraction"], "snow": c}
    share["bare_ground"] = 1 - share["plant"] - c
    taken = sum(share[name] * after[f"{name}_evaporation"] for name in share)
    land, leaves = s["land_fraction"] > 0, after["runoff"] + after["calving_flux"]
    np.testing.assert_allclose(
        (water(after) - water(s))[land], (step * (rain - taken - leaves))[land], atol=1e-10
    )
    np.testing.assert_array_equal(leaves[~land], 0)
    assert (after["snow_amount"][land] <= most_snow * (1 + 1e-14)).all()
    calved = after["calving_flux"] > 0
    assert calved.any() == (most_snow < 1e9)
    # ice that was cold takes along less heat than water at melting has, wet snow more than ice
    assert (after["calving_heat_flux"][calved] < 0).all()


def test_air_gains_what_the_tiles_lose():
    """Fluxes are those of temperatures and of the air at the end of the step; their sums by area
    are those into the air.
    """
    step, s = 1800.0, weather(4)
    after = advance(s, step)
    T = s["air_temperature"][1] + step * after["air_temperature_tendency"][1]
    q = s["specific_humidity"][1] + step * after["specific_humidity_tendency"][1]
    wind = s["eastward_wind"][1]
    left = wind + step * after["eastward_wind_tendency"][1]
    T = T - 0.5 * (wind**2 - left**2) / cp  # heat of friction comes after
    sums = {"sensible_heat_flux": 0.0, "evaporation_flux": 0.0}
    for name in tiles:
        share = after["icy_share" if name == "ice" else f"{name}_share"]
        E = after[f"{name}_evaporation"]
        H = after[f"{name}_turbulent_flux"] - L * E
        sums["sensible_heat_flux"] = sums["sensible_heat_flux"] + share * H
        sums["evaporation_flux"] = sums["evaporation_flux"] + share * E
        if name in ("plant", "bare_ground"):  # the others lose heat to melting afterwards
            end = after[f"{name}_temperature"]
            expected = after[f"{name}_conductance"] * (cp * (end - T) - 800.0)
            np.testing.assert_allclose(H, expected, atol=1e-6 * np.abs(H).max())
    sea = after["open_sea"]
    over = after["sea_conductance"] * (cp * (s["sea_surface_temperature"] - T) - 800.0)
    total = sums["sensible_heat_flux"] + sea * over
    np.testing.assert_allclose(after["sensible_heat_flux"], total, atol=1e-6 * np.abs(total).max())
    mass = np.diff(interface)[:, None] / g
    gained = (mass * after["specific_humidity_tendency"]).sum(0)
    np.testing.assert_allclose(gained, after["evaporation_flux"], atol=1e-15)
    assert (q > 0).all()


@pytest.mark.parametrize("dtype", [pytest.param(np.float64, marks=pytest.mark.long), np.float32])
def test_nothing_is_negative_and_snow_is_not_warm(dtype):
    """A hundred steps of extreme weather, an hour each."""
    s = weather(3)
    roundoff = 1e-5 if dtype == np.float32 else 1e-12
    kept = ("soil_", "snow_", "canopy", "ground_", "_departure", "vegetation", "land_", "ice_frac")
    for n in range(100):
        more = {k: v for k, v in weather(100 + n).items() if not any(w in k for w in kept)}
        s = advance(s | more, 3600.0, dtype)
        W = np.array([s[f"soil_water_{k}"] for k in layers])
        T = np.array([s[f"soil_temperature_{k}"] for k in layers])
        assert (W >= 0).all() and (W <= room[:, None] * (1 + roundoff)).all()
        assert ((T > 180) & (T < 360)).all()
        for name in ("snow_amount", "snow_on_ice", "canopy_water", *liquids):
            assert (s[name] >= 0).all(), name
        assert (s["snow_temperature"] <= melting * (1 + roundoff)).all()
        assert (s["ice_temperature"] <= melting * (1 + roundoff)).all()
        for name in tiles:
            assert ((s[f"{name}_temperature"] > 150) & (s[f"{name}_temperature"] < 370)).all(), name
        assert sum(s[n] for n in liquids).max() <= 0.06 * s["snow_amount"].max() + roundoff
        assert ((s["snow_albedo"] >= 0.5) & (s["snow_albedo"] <= 0.8501)).all()
        assert (s["canopy_water"] <= 0.5 * (1 + roundoff)).all()


liquids = tuple(f"snow_liquid_{k}" for k in (1, 2, 3))
calm = {"land_fraction": 1.0, "light": 0.0, "vegetation_fraction": 0.5}
calm |= {n: 0.0 for n in ("convective_precipitation", "stratiform_precipitation", "snowfall")}
calm |= {n: 0.0 for n in ("plant_departure", "bare_ground_departure", "ice_departure")}
calm |= {f"snow_departure_{k}": 0.0 for k in (1, 2, 3)} | dict.fromkeys(liquids, 0.0)
calm |= {f"soil_water_{k}": 0.25 * 1000 * d for k, d in zip(layers, thickness, strict=True)}


def test_tiles_of_one_column_have_temperatures_of_their_own():
    """At noon in spring: bare ground above plants, both above freezing, snow at melting; at night
    deep snow is the coldest.
    """
    soil = {f"soil_temperature_{k}": 276.0 for k in layers}
    s = weather(0, 4, **calm | soil, ground_temperature=276.0, snow_amount=10.0)
    s |= {"light": np.full(4, 600.0), "snow_free_albedo": np.full(4, 0.2)}
    s |= {"air_temperature": np.full((2, 4), 274.0), "specific_humidity": np.full((2, 4), 3e-3)}
    s |= {"surface_downward_longwave": np.full(4, 260.0), "roughness_length": np.full(4, 0.1)}
    for n in range(12):
        s = advance(s, 600.0)
        assert (s["snow_temperature"] == melting).all() or n < 2
    assert (s["bare_ground_temperature"] > 278).all() and (s["plant_temperature"] > 276).all()
    assert (np.abs(s["bare_ground_temperature"] - s["plant_temperature"]) > 0.2).all()
    night = s | {"light": np.zeros(4), "snow_amount": np.full(4, 100.0)}
    for _ in range(36):
        night = advance(night, 600.0)
    assert (night["snow_temperature"] < night["bare_ground_temperature"] - 2).all()


def test_rain_on_snow_is_held_freezes_and_runs_through():
    cold = {f"soil_temperature_{k}": 272.0 for k in layers} | {"snow_density": 250.0}
    s = weather(0, 1, **calm | cold, ground_temperature=263.0, snow_amount=200.0)
    s |= {"surface_downward_longwave": sigma * np.full(1, 263.0) ** 4}
    s |= {"air_temperature": np.full((2, 1), 263.0), "stratiform_precipitation": np.full(1, 2e-3)}
    s |= {"specific_humidity": np.full((2, 1), 1.7e-3)}
    wet = [s]
    for _ in range(48):
        wet.append(advance(wet[-1], 600.0))
    amount = np.array([w["snow_amount"][0] for w in wet])
    liquid = np.array([sum(w[n][0] for n in liquids) for w in wet])
    assert amount[6] - amount[0] > 0.95 * 6 * 600 * 2e-3 * cover(200)  # at first all is retained
    assert liquid[6] < 4  # most of it has frozen
    assert (liquid <= 0.06 * amount).all() and liquid[-1] > 0.045 * amount[-1]
    assert wet[-1]["surface_runoff"][0] + wet[-1]["soil_water_1"][0] > s["soil_water_1"][0]


def test_leaves_hold_water_and_give_it_first():
    warm = {f"soil_temperature_{k}": 290.0 for k in layers}
    s = weather(0, 1, **calm | warm, ground_temperature=290.0, snow_amount=0.0)
    s |= {"air_temperature": np.full((2, 1), 290.0), "specific_humidity": np.full((2, 1), 6e-3)}
    s |= {"surface_downward_longwave": np.full(1, 380.0), "light": np.full(1, 375.0)}
    rained = advance(s | {"stratiform_precipitation": np.full(1, 1e-3)}, 600.0)
    assert rained["canopy_water"][0] == pytest.approx(0.25, rel=1e-12)  # 0.5 on half of the land
    dries = advance(rained | {"stratiform_precipitation": np.zeros(1)}, 600.0)
    assert dries["plant_evaporation"][0] > 2 * advance(s, 600.0)["plant_evaporation"][0]
    assert dries["canopy_water"][0] < 0.25
    lost = rained["canopy_water"] - dries["canopy_water"]
    assert lost[0] == pytest.approx(
        (600 * 0.5 * dries["plant_evaporation"] * dries["wet_leaf_share"])[0], rel=1e-9
    )


def test_snow_ages_and_new_snow_is_bright():
    cold = {f"soil_temperature_{k}": 263.0 for k in layers}
    s = weather(0, 1, **calm | cold, ground_temperature=260.0, snow_amount=50.0, snow_albedo=0.8)
    s |= {"air_temperature": np.full((2, 1), 260.0)}
    s |= {"surface_downward_longwave": sigma * np.full(1, 260.0) ** 4}
    assert advance(s, 3600.0)["snow_albedo"][0] == pytest.approx(0.8 - 0.008 / 24)
    fallen = advance(
        s | {n: np.full(1, 10 / 3600) for n in ("snowfall", "convective_precipitation")}, 3600.0
    )
    assert fallen["snow_albedo"][0] == pytest.approx(0.85)


def test_physics_with_tiles():
    """BasicPhysics puts what knows tiles in the place of the rest, with its parameters."""
    physics = fm.BasicPhysics(
        land="TiledLand",
        lake="MixedLake",
        surface=fm.model.schemes.scheme("SurfaceState", ice_albedo=0.5),
    )
    names = [s.name for s in physics]
    assert {*chain, "MixedLakeOfTiles"} <= set(names)
    assert not {"SurfaceState", "BulkExchange", "VerticalDiffusion", "SoilLayers"} & set(names)
    assert physics.surface.parameters == {"ice_albedo": 0.5}
    with pytest.raises(ValueError, match="TileState.* has no parameter 'snow_albedo'"):
        fm.BasicPhysics(
            land="TiledLand", surface=fm.model.schemes.scheme("SurfaceState", snow_albedo=0.7)
        )


def test_days_over_land_and_lakes():
    """With air and radiation: forest, desert, snow, and a lake that freezes; heat of ground and
    lake and water of the land close over four days to round-off.
    """
    fluxes = ("surface_net_shortwave", "surface_downward_longwave", "surface_emission")
    rain = ("convective_precipitation", "stratiform_precipitation")
    by_tile = tuple(f"{name}_evaporation" for name in tiles[:3])
    fluxes += (*rain, *by_tile, "sensible_heat_flux", "evaporation_flux", "snowfall", "runoff")
    fluxes += ("ice_share",) * 0 + tuple(f"{name}_share" for name in tiles[:3])
    physics = fm.BasicPhysics(land="TiledLand", lake="MixedLake", radiation_every="2h", drag=None)
    c = fm.SingleColumn(
        fm.HybridLevels(8), physics, latitude=[48, 25, 60, 65], start="2000-11-10", keep=fluxes
    )
    p, T = c.pressure[:, None], np.array([285.0, 295.0, 268.0, 262.0])
    land, depth = np.array([1.0, 1.0, 1.0, 0.3]), np.array([0.0, 0.0, 0.0, 0.5])
    c.set(
        land_fraction=land,
        lake_depth=depth,
        ground_temperature=T,
        sea_surface_temperature=273.6,
        snow_amount=np.array([0.0, 0.0, 60.0, 5.0]),
        vegetation_fraction=np.array([0.9, 0.0, 0.5, 0.3]),
        air_temperature=np.maximum(T * (p / 1e5) ** 0.19, 210),
        specific_humidity=np.array([0.006, 0.003, 0.002, 0.001]) * (p / 1e5) ** 3,
        **{f"soil_temperature_{k}": T for k in layers},
        **{f"soil_water_{k}": 250 * d for k, d in zip(layers, thickness, strict=True)},
    )
    names = [n for n in weather(0, 1) if c.fields.has(n) and n in c.fields.state]

    def store():
        s = {n: np.array(c[n]) for n in (*names, "lake_ice_amount")} | {"land_fraction": land}
        s["vegetation_fraction"] = np.array(c["vegetation_fraction"])
        above = s["sea_surface_temperature"] - melting
        lake = depth * above * np.where(above > 0, 4.19e6, 2.1e6) - fusion * s["lake_ice_amount"]
        return heat(s) + (1 - land) * lake, water(s), s

    (held, wet, _), heated, wetted = store(), 0.0, 0.0
    for _ in range(4 * 72):
        snow, v = np.array(c["snow_amount"]), np.array(c["vegetation_fraction"])
        c.advance(1)
        f = {n: np.array(c[n]) for n in fluxes}
        net = f["surface_net_shortwave"] + f["surface_downward_longwave"] - f["surface_emission"]
        turbulent = f["sensible_heat_flux"] + L * f["evaporation_flux"]
        heated = heated + c.time_step * (net - turbulent - fusion * f["snowfall"])
        share = ((1 - cover(snow)) * v, (1 - cover(snow)) * (1 - v), cover(snow))
        taken = sum(a * f[name] for a, name in zip(share, by_tile, strict=True))
        wetted = wetted + c.time_step * (f[rain[0]] + f[rain[1]] - taken - f["runoff"])
    end, left, s = store()
    np.testing.assert_allclose(end - held, heated, atol=1e-12 * np.abs(end).max())
    np.testing.assert_allclose(left - wet, wetted, atol=1e-11 * left.max())
    assert s["lake_ice_amount"][3] > 0 and s["sea_ice_fraction"][3] > 0


def test_same_bits_on_ranks_and_after_a_restart(on_ranks):
    """Tiles, lakes and their ice through a day: no column knows which rank it is on."""
    script = Path(__file__).with_name("soil_on_ranks.py")
    alone = on_ranks(1, script, "TiledLand")
    assert all(change > 0 for change in alone["change"].values()), alone["change"]
    assert alone["again"] == alone["checksum"]
    assert on_ranks(3, script, "TiledLand")["checksum"] == alone["checksum"]
