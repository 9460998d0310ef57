"""Sea ice on a small sea: budgets, bounds, motion against what is known, same bits however it is
run.
"""

import json

import numpy as np
import pytest

import box
import cases
import fathom as fm
import icy
from fathom.base.failure import RunError
from fathom.data import fluxes
from fathom.model.order import Order
from fathom.ocean.products.series import by_basin
from fathom.run.experiment.experiment import Experiment
from fathom.run.experiment.toml import Document

rho_cp, ice, snow, fresh = 1026.0 * 3996.0, 917.0, 330.0, 1000.0


def contents(simulation, virtual):
    """Of the sea and its ice: heat [J], salt [1e-3 m3], water [kg]; less what ice is short of.
    virtual: where fresh water takes salt in place of bringing volume.
    """
    of = lambda name, moving=False: simulation.fields.content(name, moving)
    volume, cover = ice * of("sea_ice_volume"), snow * of("sea_ice_snow")
    salt = of("salinity", True) + 4 * volume / fresh
    if virtual:
        salt -= 34.7 * (volume + cover) / fresh
    water = fresh * of("sea_surface_height") + volume + cover
    return np.array([rho_cp * of("temperature", True) - of("sea_ice_heat"), salt, water])


@pytest.mark.parametrize("air", [-20.0, 4.0])
@pytest.mark.parametrize("freshwater", ["salt", "volume"])
def test_heat_salt_and_water_are_kept(freshwater, air):
    """What sea and ice have gained is what came from the air, to round-off: freezing, melting,
    snow, motion, categories, thin ice that vanishes.
    """
    virtual = freshwater == "salt"
    sim = icy.uneven(freshwater=freshwater, weather={"air_temperature": air}.items())
    sim.advance(1)
    start, heat, water = contents(sim, virtual), 0.0, 0.0
    size = np.array([1e16, 1e12, 1e15])
    for _ in range(60):
        sim.advance(1)
        heat += 3600 * sim.fields.content("air_heat_flux", False)
        water += 3600 * sim.fields.content("air_water_flux", False)
    gained = contents(sim, virtual) - start
    assert abs(heat) > 1e18 and abs(water) > 1e11
    if virtual:
        np.testing.assert_allclose(gained[0], heat, rtol=1e-12)
        assert gained[1] == pytest.approx(-34.7 * water / fresh, abs=1e-12 * size[1] * 100)
    else:  # rain brings heat: the rest is conserved (docs/numerics.md)
        np.testing.assert_allclose(gained[2], water, rtol=1e-8)
        assert abs(gained[1]) < 1e-12 * size[1] * 100


def test_shares_lie_between_nothing_and_all():
    """Wind presses the ice together against a wall and into all categories: never more than all of
    a cell, never less than none, none thinner than what there may be.
    """
    sim = icy.uneven(weather={"wind_speed": 20.0, "eastward_wind": 19.0}.items())
    sim.advance(120)
    of = lambda name: sim.fields.extremes(name)
    assert of("sea_ice_area")["maximum"] <= 1 + 1e-12
    for n in range(1, 6):
        for part in ("area", "volume", "snow", "upper_heat", "lower_heat", "ponds"):
            assert of(f"ice_{part}_{n}")["minimum"] >= 0
    assert of("sea_ice_volume")["maximum"] > 2.5  # compressed by convergence
    assert of("temperature")["minimum"] > -1.95


def drift(stress, current, mass, cover):
    """Speed of ice that only wind, sea and rotation push: complex u + i v."""
    u = 0j
    for _ in range(200):
        drag = 1026 * 5.5e-3 * cover * abs(current - u)
        u = 0.5 * u + 0.5 * (cover * stress + drag * current) / (drag + 1j * 1.4e-4 * mass)
    return u


def test_free_drift():
    """Without strength ice far from walls moves as wind, drag and rotation have it."""
    sim = icy.sea(strength=0.0, area=0.8, thickness=1.0)
    sim.advance(24)
    at = lambda name: sim.fields.part(name, 0, 6, 6, 1, 1)[0, 0, 0]
    pair = lambda x, y: at(x) + 1j * at(y)
    area, volume = at("sea_ice_area"), at("sea_ice_volume")
    dense = 101000.0 / (287.05 * 253.15 * (1 + 0.608 * 5e-4))
    expected = drift(
        1.63e-3 * dense * 8.5 * (8 + 1j),
        pair("velocity_x", "velocity_y"),
        917 * volume + 330 * at("sea_ice_snow"),
        area,
    )
    found = pair("ice_velocity_x", "ice_velocity_y")
    assert 0.1 < abs(found) < 0.4
    assert abs(found - expected) < 0.02 * abs(found)


def test_ice_plugs_a_strait():
    """Thick ice packed in a strait holds against the wind by its strength; without, it passes."""
    strait = lambda x, y: 60.0 * ((x < 3e5) | (x > 6e5) | (np.abs(y - 1.5e5) < 2.6e4))
    passed = {}
    for strength in (2.75e4, 0.0):
        sim = icy.sea(
            nx=36,
            ny=12,
            spacing=2.5e4,
            bathymetry=strait,
            strength=strength,
            area=lambda x, y: 1.0 * (x < 6e5),
            thickness=2.0,
            weather={"northward_wind": 0.0}.items(),
        )
        sim.advance(96)
        speed = sim.fields.part("ice_velocity_x", 0, 0, 0, 12, 36)[0, :, 14:22]
        passed[strength] = np.abs(speed).max()
    assert passed[2.75e4] < 0.01 < 0.1 < passed[0.0]


@pytest.mark.parametrize(
    "ranks, blocks", [(3, [5, 7]), pytest.param(2, None, marks=pytest.mark.long)]
)
def test_same_bits_on_ranks(on_ranks, ranks, blocks):
    one = on_ranks(1, icy)
    assert on_ranks(ranks, icy, json.dumps(blocks)) == one
    assert one["ice"] > 0


def test_rows_without_ice_are_passed_over(monkeypatch):
    """Ice in the middle of a sea, which moves and grows into other rows: the same bits."""
    add, found = Order.__call__, []
    for conditions in (True, False):
        if not conditions:
            without = lambda do, *given, where=None, **more: add(do, *given, **more)
            monkeypatch.setattr(Order, "__call__", without)
        simulation = icy.sea(
            ny=40,
            area=lambda x, y: 0.8 * (np.abs(y - 1e6) < 3e5),
            thickness=lambda x, y: 0.5 + np.abs(np.sin(x / 1e5)),
            weather={"northward_wind": 15.0, "air_temperature": -2.0},
        )
        simulation.advance(30)
        rows = simulation.fields.part("sea_ice_volume", 0, 0, 0, 40, 12)[0].max(axis=-1)
        found.append((simulation.checksum(), int((rows > 0).sum())))
    assert found[0] == found[1]
    assert 12 < found[0][1] < 40


def test_restart_is_no_restart(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cases.continued(icy.uneven)


@pytest.mark.long
def test_same_bits_on_the_globe_in_other_blocks():
    """Across the fold of the tripolar grid, under real air."""
    grid = fm.TripolarGrid(
        resolution="3deg", levels=fm.ZLevels(nz=6, depth=5500), bathymetry="etopo5"
    )
    start = fm.SeaIce(area=lambda x, y: 0.9 * (np.abs(y) > 65), thickness=1.5)
    ocean = fm.Ocean(grid, physics="simple", sea_ice=start).set(
        temperature="levitus", salinity="levitus"
    )
    found = []
    for blocks in (None, (25, 29)):
        sim = fm.Simulation(ocean, "1h", surface=fm.BulkForcing(), parallel={"blocks": blocks})
        sim.advance(4)
        found.append({field: sim.fields.checksum([field]) for field in ocean.prognostic})
    assert found[0] == found[1]


def test_what_sea_ice_refuses():
    with pytest.raises(ValueError, match="rising thicknesses"):
        fm.SeaIce(limits=[1.0, 0.5])
    with pytest.raises(ValueError, match=r"SeaIce strength = -1 must lie in \[0, 1e\+06\]"):
        fm.SeaIce(strength=-1)
    with pytest.raises(ValueError, match="allowed: IceThermodynamics"):
        fm.SeaIce(thermodynamics=fm.schemes.NewIce())
    grid = fm.CartesianGrid(nx=6, ny=6, levels=fm.ZLevels(nz=2, depth=100))
    with pytest.raises(ValueError, match="must be SeaIce"):
        fm.Ocean(grid, coriolis=(1e-4, 0), sea_ice=fm.schemes.NewIce())
    ocean = fm.Ocean(grid, coriolis=(1e-4, 0), sea_ice=fm.SeaIce())
    with pytest.raises(ValueError, match="needs the stress of the air at centres"):
        fm.Simulation(ocean, "1h", surface=fm.SurfaceForcing(stress_x=0.1)).advance(1)


@pytest.fixture(scope="module")
def globe():
    """Of 3 degrees, ice in both polar seas."""
    grid = fm.TripolarGrid(
        resolution="3deg", levels=fm.ZLevels(nz=6, depth=5500), bathymetry="etopo5"
    )
    start = fm.SeaIce(area=lambda x, y: 0.8 * (np.abs(y) > 65), thickness=1.5)
    return fm.Ocean(grid, physics="simple", sea_ice=start).set(
        temperature="levitus", salinity="levitus"
    )


@pytest.mark.parametrize(
    "surface",
    [
        fm.SurfaceForcing(data="ncep", balanced=True, piston_velocity=0.0),
        fm.BulkForcing(runoff="core2", balanced=True, salinity_restoring=0.0),
    ],
)
def test_given_fluxes_reach_sea_and_ice(globe, surface):
    """Heat of sea and ice is what came from the air; balanced water, snow and rivers included,
    leaves sea and ice together as they are.
    """
    sim = fm.Simulation(globe, "1h", surface=surface, start="2000-01-01")
    sim.advance(1)
    start, heat = contents(sim, True), 0.0
    for _ in range(24):
        sim.advance(1)
        heat += 3600 * sim.fields.content("air_heat_flux", False)
    gained = contents(sim, True) - start
    assert abs(heat) > 1e19
    np.testing.assert_allclose(gained[0], heat, rtol=1e-6)
    snow_and_ice = 1e3 * sim.fields.content("sea_ice_volume", False)
    assert abs(gained[1]) < 1e-9 * 34.7 * snow_and_ice  # salt and, as virtual salt, fresh water


def test_given_water_is_that_of_all(globe):
    """Over ice it is another form of it alone: snow, and the rest. Ice of nothing else grows."""
    sim = fm.Simulation(globe, "1h", surface=fm.SurfaceForcing(data="ncep"), start="2000-01-16")
    sim.advance(1)
    ice, of_air = (sim.gather(name)[0] for name in ("sea_ice_area", "air_water_flux"))
    y, x = map(np.asarray, globe.grid.coordinates("center")[::-1])
    name = "surface_freshwater_flux"
    given = fluxes.on_points(y, x, name, month=0)[name]
    there = ice > 0.5
    assert there.sum() > 50
    np.testing.assert_allclose(of_air[there], given[there], atol=1e-6)


def test_series_of_ice_by_hemisphere(globe):
    sim = fm.Simulation(globe, "1h", surface=fm.BulkForcing(), start="2000-01-01")
    found = by_basin(sim.prepare())
    area = np.asarray(globe.grid.areas[0]) * (np.asarray(globe.grid.wet_levels) > 0)
    north = np.asarray(globe.grid.coordinates("center")[1]) > 65
    for name, factor in (("extent", 1.0), ("area", 0.8), ("volume", 1.2)):
        value, units = found[f"sea_ice_{name}_north"]
        assert value == pytest.approx(factor * area[north].sum(), rel=1e-6)
        assert units == ("m3" if name == "volume" else "m2")
    assert found["sea_ice_extent_south"][0] > 1e12
    assert found["sea_ice_thickness_most"] == (pytest.approx(1.5, rel=1e-9), "m")
    assert found["sea_ice_speed_most"][0] == 0 and found["ice_surface_temperature_most"][0] == -5


def test_a_run_ends_where_ice_is_absurd(tmp_path):
    """The limits of the ice are those of a run, and its summary has them."""
    sim = icy.uneven(weather={"wind_speed": 20.0, "eastward_wind": 19.0}.items())
    sim.limits["sea_ice_speed_most"] = (0, 1e-3)
    sim.directory = tmp_path
    with pytest.raises(RunError, match="went bad at step"):
        sim.run("3h", report=False)


def test_in_single_precision():
    """The same ice to the accuracy of its numbers."""
    found = []
    for precision in ("fp64", "fp32"):
        sim = icy.uneven(precision=precision)
        sim.advance(24)
        found.append(sim.fields.content("sea_ice_volume", False))
        assert sim.fields.extremes("sea_ice_area")["maximum"] <= 1 + 1e-6
    assert found[1] == pytest.approx(found[0], rel=1e-4)


def test_by_toml():
    """Words and tables, as of any part of a model."""
    table = """{ type = "SeaIce", limits = [0.5], subcycles = 0,
        thermodynamics = { type = "IceThermodynamics", salinity = 5.0 } }"""
    setting = f"model.sea_ice={' '.join(table.split())}"
    ice = Experiment(Document(box.text, "box.toml", [setting])).model.sea_ice
    assert len(ice.categories) == 2 and ice.subcycles == 0
    assert ice.new_ice.all_parameters["salinity"] == 5.0
