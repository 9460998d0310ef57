"""Air and sea in one run: what the air loses is what the sea gets, and neither depends on ranks."""

import json
from pathlib import Path

import numpy as np
import pytest

import fathom as fm
from fathom.atmosphere.ground.over_ocean import land_fraction, sea_share
from fathom.base import constants
from fathom.coupled.between import ToSea
from small_earth import sea, small

script = str(Path(__file__).parent / "small_earth.py")


def lost_by_air(link):
    """Heat, water and snow that the air has lost to the sea in the last interval [W, kg s-1]."""
    air = link.ends[0].program
    grid, n = air.model.grid, link.steps
    mean = {name: air.gather(of)[0] / n for name, of in link.sums.items()}
    now = {name: air.gather(name)[0] for name in link.back.takes}
    area = np.asarray(grid.areas[0]) * sea_share(grid, link.ends[1].program.model.grid)
    c, w = now["sea_ice_fraction"], 1 - now["sea_ice_fraction"]
    L, fusion = constants.evaporation_heat, constants.fusion_heat
    vapour = w * mean["open_water_evaporation"] + c * mean["sea_ice_evaporation"]
    warmth = w * mean["open_water_sensible_heat_flux"] + c * mean["sea_ice_sensible_heat_flux"]
    snow = mean["snowfall"]
    rain = mean["convective_precipitation"] + mean["stratiform_precipitation"] - snow
    dark = now["sea_surface_emission"] - mean["surface_downward_longwave"]
    light = (1 - now["sea_surface_albedo"]) * mean["surface_sunlight"]
    heat = light - dark - warmth - L * vapour - fusion * snow
    return [float((area * x).sum()) for x in (heat, rain - vapour, snow)]


def test_the_sea_gets_what_the_air_loses(tmp_path, monkeypatch):
    seen = []

    def compared(link, at_start=False):
        lost = lost_by_air(link)
        hand(link, at_start)
        sea = link.ends[1].program
        grid = sea.model.grid
        area = np.where(grid.wet_levels > 0, np.asarray(grid.areas[0]), 0.0)
        got, scale = [], []
        for name in ("heat_from_air", "water_from_air", "snowfall_flux"):
            flux = area * sea.gather(name)[0]
            got.append(flux.sum())
            scale.append(abs(flux).sum())
        seen.append(np.subtract(got, lost) / np.maximum(scale, 1.0))

    hand = ToSea.hand
    monkeypatch.setattr(ToSea, "hand", compared)
    small(tmp_path).run("4h", report=False, progress=False)
    assert len(seen) == 4
    assert np.abs(seen).max() < 1e-13


def test_what_sea_and_ice_do_not_take_goes_back(tmp_path):
    both = small(tmp_path)
    both.run("4h", report=False, progress=False)
    air, sea = (m.program for m in both.members.values())
    grid = sea.model.grid
    area = np.where(grid.wet_levels > 0, np.asarray(grid.areas[0]), 0.0)
    given, taken = (sea.gather(name)[0] for name in ("heat_from_air", "air_heat_flux"))
    rest = air.gather("heat_returned")[0] * np.asarray(air.model.grid.areas[0])
    assert abs(rest).sum() > 0
    assert abs(rest.sum() - (area * (given - taken)).sum()) < 1e-12 * (area * abs(given)).sum()


def test_the_budget_is_closed(tmp_path):
    """Round-off of the sea's store, which is 10^25 J, is what is left of an hour."""
    both = small(tmp_path, budget="4h")
    both.run("8h", report=False, progress=False)
    assert len(both.budget.closed) == 2
    earth = 5.1e14
    for found in both.budget.closed:
        assert abs(found["heat"]["share"]) < 1e-12
        assert abs(found["water"]["share"]) < 1e-13
        assert abs(found["salt"]["share"]) < 1e-13
        made = found["heat"]["lines"]["dynamics of the air"]
        assert abs(made) / earth / found["seconds"] < 1e-6


@pytest.mark.parametrize("order", ["in turn", "side by side"])
def test_rivers_keep_the_water_of_land(tmp_path, order):
    both = small(tmp_path, budget="3h", rivers=True, every="3h", order=order)
    both.run("6h", report=False, progress=False)
    assert both.budget.closed[-1]["water"]["stores"]["rivers"] > 0
    for found in both.budget.closed:
        assert abs(found["water"]["share"]) < 1e-12
        assert abs(found["heat"]["share"]) < 1e-12


def test_what_is_no_number_says_where_and_keeps_the_restart(tmp_path):
    both = small(tmp_path).checkpoint("1h")
    sea = both.members["ocean"].program

    def spoil(simulation):
        if simulation.seconds > 2 * 3600:
            values = simulation.gather("temperature")
            values[0, 6, 12] = np.nan
            simulation.fields.set("temperature", values)

    sea.call(spoil, "1h")
    with pytest.raises(fm.RunError, match="ocean: temperature is not a number at .* found at"):
        both.run("6h", report=False, progress=False)
    assert (tmp_path / "restart-2000-01-01T020000" / "programs.json").is_file()


@pytest.fixture(scope="module")
def in_turn(on_ranks):
    return {
        order: on_ranks(1, script, "bits", f"order={json.dumps(order)}")
        for order in ("in turn", "side by side")
    }


@pytest.mark.parametrize("ranks", [3, pytest.param(4, marks=pytest.mark.long)])
def test_any_ranks(on_ranks, in_turn, ranks):
    assert on_ranks(ranks, script, "bits") == in_turn["in turn"]


@pytest.mark.parametrize(
    "size, ranks",
    [
        (3, {"atmosphere": [2, 0], "ocean": [1]}),
        pytest.param(3, {"atmosphere": 1, "ocean": 2}, marks=pytest.mark.long),
        pytest.param(2, {"atmosphere": 1, "ocean": 1}, marks=pytest.mark.long),
    ],
)
def test_side_by_side_as_in_turn(on_ranks, in_turn, size, ranks):
    arguments = f"ranks={json.dumps(ranks)}", 'order="side by side"'
    assert on_ranks(size, script, "bits", *arguments) == in_turn["side by side"]


@pytest.mark.long
def test_rivers_run_on_the_ranks_of_the_ocean(on_ranks):
    how = "rivers=true", 'every="3h"', 'order="side by side"'
    beside = on_ranks(2, script, "bits", 'ranks={"atmosphere": 1, "ocean": 1}', *how)
    assert beside == on_ranks(1, script, "bits", *how)


@pytest.mark.parametrize("order", ["in turn", "side by side"])
def test_continued_as_if_uninterrupted(on_ranks, in_turn, order):
    found = on_ranks(1, script, "continued", f"order={json.dumps(order)}")
    assert found == {name: in_turn[order][name] for name in found}


def test_a_physics_without_tiles_is_refused():
    globe = fm.GaussianGrid(10, levels=fm.SigmaLevels(5))
    air = fm.SpectralAtmosphere(globe, physics=fm.BasicPhysics())
    with pytest.raises(fm.InputError, match='no surface of tiles; give BasicPhysics.land="Tiled'):
        fm.Coupled(air, sea(), "1h")


def test_steps_that_do_not_fit_are_refused(tmp_path):
    with pytest.raises(fm.InputError, match="every = 90 min is no whole number of steps of ocean"):
        small(tmp_path, every="90min")


def test_a_sea_beyond_the_air_is_refused():
    area = fm.LimitedAreaGrid(
        (8.0, 46.5), resolution=50e3, points=(24, 20), levels=fm.SigmaLevels(5)
    )
    with pytest.raises(fm.InputError, match="cells of the sea lie beyond the cells of the atmosph"):
        land_fraction(area, sea().grid)


def test_air_at_two_metres_lies_between_sea_and_lowest_air(tmp_path):
    programs = small(tmp_path)
    air, ocean = (programs.members[n].program for n in ("atmosphere", "ocean"))
    names = ["air_temperature_2m", "air_temperature", "sea_surface_temperature", "sea_ice_fraction"]
    air.output("near.nc", names, every="1h")
    programs.run("1h", progress=False, report=False)
    with fm.open(tmp_path / "atmosphere" / "near.nc") as held:
        near = held.isel(time=-1).load()
    water = (sea_share(air.model.grid, ocean.model.grid) > 0.99) & (near.siconca.values == 0)
    lowest, sea_below = near.ta.values[-1] + 15, near.tos.values  # 15 K: at most 1.5 km, adiabatic
    between = np.minimum(lowest - 15, sea_below), np.maximum(lowest, sea_below)
    found = near.tas.values
    assert water.sum() > 20
    assert (between[0][water] <= found[water]).all() and (found[water] <= between[1][water]).all()


@pytest.mark.long
def test_a_run_ends_with_a_report_of_all(tmp_path):
    programs = small(tmp_path)
    programs.run("1h", progress=False)
    for folder in (tmp_path, tmp_path / "atmosphere", tmp_path / "ocean"):
        assert "<html" in (folder / "report.html").read_text()[:200]
    assert "heat" in (tmp_path / "report.html").read_text()
