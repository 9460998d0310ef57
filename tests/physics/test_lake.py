"""Lakes: heat closed with air, ice and snow through a winter; a warm lake as a slab; thaw."""

import numpy as np
import pytest

import fathom as fm
from columns import run

sigma, fusion, L, water_heat = 5.670374419e-8, 3.337e5, 2.5008e6, 4.19e6
melting, ice_heat, ground_heat = 273.15, 4e5, 4e4
names = ("sea_surface_temperature", "sea_ice_fraction", "lake_ice_amount", "ground_temperature")
thickness = (0.07, 0.21, 0.72, 1.89)


def lake(**values):
    given = {"lake_depth": 5.0, "open_sea": 1.0, "ground_absorption": 1.0, **values}
    out = run(
        "MixedLake",
        {n: np.full((1, 4), float(v)) for n, v in given.items()},
        parameters={"step": 1000.0},
    )
    return {n: v[0, 0] for n, v in out.items()}


def test_a_warm_lake_is_a_slab_and_the_sea_is_left_alone():
    sun = {"sea_surface_temperature": 290.0, "surface_net_shortwave": 500.0}
    net = 500 + 300 - sigma * 290**4 - 100
    sun |= {"surface_downward_longwave": 300.0, "sea_turbulent_flux": 100.0}
    out = lake(**sun)
    assert out["sea_surface_temperature"] - 290 == pytest.approx(1000 * net / 5 / water_heat)
    assert out["lake_ice_amount"] == out["sea_ice_fraction"] == 0
    sea = lake(**sun, sea_ice_fraction=0.25) | lake(**sun, sea_ice_fraction=0.25, lake_depth=0.0)
    assert sea["sea_surface_temperature"] == 290 and sea["sea_ice_fraction"] == 0.25


def test_what_a_lake_lacks_freezes_and_covers_it():
    out = lake(
        sea_surface_temperature=melting, sea_turbulent_flux=400.0, ground_temperature=melting
    )
    lost = 1000 * (400 + sigma * melting**4)
    assert out["lake_ice_amount"] == pytest.approx(lost / fusion)
    assert out["sea_surface_temperature"] == melting
    assert out["sea_ice_fraction"] == pytest.approx(lost / fusion / 92)


def test_a_lake_freezes_to_its_bottom_and_thaws_back():
    """1 kW m-2 out, until the ice is colder than melting, and in again."""
    s = {"sea_surface_temperature": 275.0, "lake_depth": 0.5, "ground_temperature": melting}
    seen = []
    for flux in [1000.0] * 190 + [-1000.0] * 190:
        emitted = sigma * s["sea_surface_temperature"] ** 4
        s |= lake(**s, sea_turbulent_flux=flux, surface_downward_longwave=emitted)
        seen.append((s["sea_surface_temperature"], s["lake_ice_amount"]))
    T, ice = np.array(seen).T
    assert ice.max() == 500 and T.min() < 260 and ((ice == 0) | (T <= melting)).all()
    assert s["sea_surface_temperature"] == pytest.approx(275, abs=1e-9) and ice[-1] == 0
    assert ((T == melting).sum() > 300) and s["sea_ice_fraction"] == 0


def test_lakes_need_the_heat_that_passes_their_ice():
    with pytest.raises(ValueError, match='lake = MixedLake.* needs .* land = "SoilLayers"'):
        fm.BasicPhysics(lake="MixedLake")


def test_a_winter_closes_heat():
    """Three columns from October on, which get no heat from beside: a shallow lake, one with land
    around it, both at last ice to their bottom, and a deep lake, which does not freeze.
    """
    fluxes = ("surface_net_shortwave", "surface_downward_longwave", "surface_emission")
    fluxes += ("sensible_heat_flux", "evaporation_flux", "snowfall")
    physics = fm.BasicPhysics(land="SoilLayers", lake="MixedLake", radiation_every="6h", drag=None)
    c = fm.SingleColumn(
        fm.HybridLevels(8),
        physics,
        latitude=[50, 65, 45],
        time_step="1h",
        start="2000-10-01",
        keep=fluxes,
    )
    land, depth, p = np.array([0.0, 0.6, 0.0]), np.array([2.0, 3.0, 30.0]), c.pressure[:, None]
    T = np.array([275.0, 275.0, 285.0])
    c.set(
        land_fraction=land,
        lake_depth=depth,
        sea_surface_temperature=T,
        ground_temperature=melting,
        air_temperature=np.maximum((T - 8) * (p / 1e5) ** 0.19, 205),
        specific_humidity=0.002 * (p / 1e5) ** 3 * np.ones(3),
        **{f"soil_temperature_{k}": 276.0 for k in (1, 2, 3, 4)},
    )

    def store():
        s = {n: np.array(c[n]) for n in (*names, "snow_amount")}
        above = s["sea_surface_temperature"] - melting
        h = depth * above * np.where(above > 0, water_heat, 2.1e6)
        h = h - fusion * s["lake_ice_amount"]
        ice, ground = (1 - land) * s["sea_ice_fraction"], s["ground_temperature"] - melting
        soil = 0.0
        for k, d in enumerate(thickness, 1):
            T, W = (np.array(c[f"soil_{what}_{k}"]) for what in ("temperature", "water"))
            soil = soil + 2.19e6 * d * (T - melting)
            soil = soil - fusion * np.clip((melting - T) / 3, 0, 1) * W
        top = (land * ground_heat + ice * ice_heat) * ground
        return (1 - land) * h + land * soil + top - (land + ice) * fusion * s["snow_amount"], s

    (start, _), heated, most = store(), 0.0, 0.0
    for _ in range(200 * 24):
        c.advance(1)
        f = {n: np.array(c[n]) for n in fluxes}
        net = f["surface_net_shortwave"] + f["surface_downward_longwave"] - f["surface_emission"]
        turbulent = f["sensible_heat_flux"] + L * f["evaporation_flux"]
        heated = heated + c.time_step * (net - turbulent - fusion * f["snowfall"])
        most = np.maximum(most, np.array(c["lake_ice_amount"]))
    end, s = store()
    np.testing.assert_allclose(end - start, heated, atol=1e-9 * 6e8)
    np.testing.assert_allclose(most, 1000 * depth * [1, 1, 0])
    assert s["sea_ice_fraction"][0] == 1 and 230 < s["sea_surface_temperature"][0] < melting
    assert melting < s["sea_surface_temperature"][2] < 300
