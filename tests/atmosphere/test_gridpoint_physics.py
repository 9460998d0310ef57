"""Moisture and physics in the grid-point atmosphere: tracers, the schemes of other models, starts
from an analysis.
"""

import numpy as np
import pytest

import fathom as fm
import small_spheres


def test_moist_air_at_rest():
    """Its water does not move it: the density of moist air is that of the reference."""
    sim = small_spheres.sphere(tracers=["specific_humidity"])
    sim.model.set(specific_humidity=lambda x, y, z: 0.01 * np.exp(-z / 2e3) + 0 * x)
    sim.prepare().advance(20)
    e = sim.fields.extremes("upward_air_velocity")
    assert max(abs(e["minimum"]), abs(e["maximum"])) < 1e-10


def test_air_in_cloud(tmp_path):
    """Saturated air of a neutral column stays at rest under the weight of its cloud; a bubble in it
    rises, is symmetric and keeps vapour and cloud together.
    """
    import moist_bubble

    sim = moist_bubble.simulation(500, 10.0, tmp_path)
    sim.advance(20)
    e = sim.fields.extremes("upward_air_velocity")
    assert max(abs(e["minimum"]), abs(e["maximum"])) < 1e-3  # the start is interpolated
    moist_bubble.warm_bubble(sim)
    sim.advance(40)
    w = sim.gather("upward_air_velocity")[:, 0]
    assert 3 < w.max() < 15
    assert np.abs(w - w[:, ::-1]).max() < 1e-9
    water = sim.gather("specific_humidity") + sim.gather("cloud_liquid_water")
    assert np.abs(water / moist_bubble.WATER - 1).max() < 0.01


def test_tracers_over_the_poles():
    """One that is 1 everywhere stays so; a bell keeps its mass and bounds and crosses the pole."""
    sim = small_spheres.turning(
        nx=32, ny=24, step="60min", tracers=["one", "bell"], ground=False, wind=60.0
    )
    near = lambda x, y: np.cos(np.deg2rad(y)) * np.cos(np.deg2rad(x - 90))  # of the equator, 90 E
    sim.model.set(one=1.0, bell=lambda x, y, p: np.maximum(near(x, y), 0) ** 4)
    sim.prepare()
    before = mass(sim, "bell")
    sim.advance(46)  # a quarter round
    one, bell = sim.gather("one"), sim.gather("bell")
    assert np.abs(one - 1).max() < 1e-12
    assert mass(sim, "bell") == pytest.approx(before, rel=1e-12)
    assert bell.min() > -1e-15 and 0.7 < bell.max() <= 1 + 1e-3
    j, _ = np.unravel_index(bell[4].argmax(), bell[4].shape)
    assert abs(sim.model.grid.latitude[j]) > 75


def test_the_mass_of_a_tracer_is_returned_where_there_is_much_of_it():
    """Thin vapour above much of it stays as the transport leaves it."""
    made, thin = {}, {}
    spot = lambda x, y: np.maximum(np.cos(np.deg2rad(y)) * np.cos(np.deg2rad(x)), 0) ** 20
    for fix_mass in (False, True):
        sim = small_spheres.turning(
            nx=32, ny=24, step="60min", tracers=["vapour"], ground=False, fix_mass=fix_mass
        )
        sim.model.set(vapour=lambda x, y, p: np.where(p > 5e4, 1.0, 1e-4) * (0.1 + spot(x, y)))
        sim.prepare()
        before = mass(sim, "vapour")
        sim.advance(6)
        made[fix_mass] = abs(mass(sim, "vapour") / before - 1)
        thin[fix_mass] = sim.gather("vapour")[:3]
    assert made[True] < 1e-13 and made[False] > 1e-6
    assert np.abs(thin[True] / thin[False] - 1).max() < 1e-2 * made[False]


def mass(sim, tracer):
    """Of a tracer, whose interfaces have half of the layers beside, the last one all below."""
    h = sim.model.heights
    air = sim.gather("air_density") * (h[:-1] - h[1:])
    q = sim.gather(tracer)
    layers = (q + np.concatenate([q[1:], q[-1:]])) / 2
    area = np.asarray(sim.model.grid.horizontal.area_center)
    return float(np.sum(air * layers * area))


def test_a_scheme_does_here_what_it_says():
    """Newtonian cooling of Held and Suarez on air at rest."""
    sim = small_spheres.sphere(
        physics=[fm.HeldSuarez()], ground=False, reference_temperature=290.0, step="20min"
    ).prepare()
    model = sim.model
    before = sim.gather("air_potential_temperature")
    sim.advance(1)
    change = (sim.gather("air_potential_temperature") - before)[:-1]
    exner = model.reference.exner(model.rest.geopotential(model.heights[:-1]), model.constants)
    latitude = np.deg2rad(model.grid.coordinates()[1])
    sine, cosine = np.sin(latitude) ** 2, np.cos(latitude) ** 2
    pressure = 1e5 * exner ** (1 / 0.2857142857)
    kappa = model.constants.gas_constant / model.constants.heat_capacity
    aim = (315 - 60 * sine - 10 * np.log(pressure / 1e5) * cosine) * (pressure / 1e5) ** kappa
    rate = (
        1 / (40 * 86400)
        + (1 / (4 * 86400) - 1 / (40 * 86400))
        * np.maximum(0, (pressure / 1e5 - 0.7) / 0.3)
        * cosine**2
    )
    wanted = 1200 * rate * (np.maximum(200, aim) - 290) / exner
    inside = slice(2, -1)  # the immediate response of the air is small there
    error = np.abs(change - wanted)[inside]
    assert error.max() < 0.15 * np.abs(wanted[inside]).max()


def test_physics_has_the_same_bits_on_ranks_and_from_a_restart(on_ranks, tmp_path):
    alone = on_ranks(1, small_spheres, "weather")
    assert alone["humidity"][0] >= 0 and alone["rain"] > 0
    moved = on_ranks(3, small_spheres, "weather", 'balance=["Radiation", "BettsMiller"]')
    assert moved["checksum"] == alone["checksum"]
    assert moved["balanced"] == ["BettsMiller", "Radiation"]
    sim = small_spheres.aquaplanet(directory=str(tmp_path / "a")).prepare()
    sim.advance(2)
    path = sim.write_restart("half.fathom")
    again = small_spheres.aquaplanet(directory=str(tmp_path / "b")).restore(path).prepare()
    again.advance(2)
    assert again.checksum() == alone["checksum"]


def test_what_fills_a_pack_of_columns_is_in_no_table():
    """24 columns do not fill the last pack; beyond them there is no air for RRTMGP."""
    heights = [0, 600, 1500, 3000, 5000, 8000, 12000, 18000, 27000]
    grid = fm.LatitudeLongitudeGrid(24, levels=fm.HeightLevels(heights=heights))
    physics = fm.BasicPhysics(radiation="RRTMGP", radiation_every="40min", drag=None)
    model = fm.GridPointAtmosphere(grid, physics=physics)
    model.set(
        air_temperature=lambda x, y, p: 285 * (p / 1e5) ** 0.15 + 5 * np.cos(np.deg2rad(x)),
        specific_humidity=lambda x, y, p: 9e-3 * (p / 1e5) ** 3,
    )
    sim = fm.Simulation(model, time_step="10min", start="2000-06-21").prepare()
    sim.advance(5)
    flux = sim.gather("outgoing_longwave")
    assert 150 < flux.min() and flux.max() < 300


def test_start_from_an_analysis():
    """The embedded state of GFS over the ground of the earth, and an hour of weather."""
    levels = fm.HeightLevels(
        heights=[0, 200, 600, 1200, 2000, 3e3, 5e3, 8e3, 11e3, 15e3, 20e3, 26e3], decay=2
    )
    air = fm.GridPointAtmosphere(
        fm.LatitudeLongitudeGrid(24, levels=levels), physics=fm.BasicPhysics()
    )
    air.set(analysis="gfs")
    sim = fm.Simulation(air, time_step="20min", start="2011-10-11").prepare()
    pressure = fm.output.diagnostics.whole(sim, "surface_air_pressure")[0]
    area = np.asarray(air.grid.horizontal.area_center)
    assert np.average(pressure, weights=area) == pytest.approx(985e2, abs=10e2)
    sim.advance(3)
    after = fm.output.diagnostics.whole(sim, "surface_air_pressure")[0]
    assert np.sqrt(np.average((after - pressure) ** 2, weights=area)) < 1000
    e = sim.fields.extremes("upward_air_velocity")
    assert max(abs(e["minimum"]), abs(e["maximum"])) < 1
    heights = fm.output.diagnostics.whole(sim, "geopotential_height", [500])[0]
    assert 4600 < heights.min() < heights.max() < 6000


def test_bad_input():
    with pytest.raises(ValueError, match="must be a list of names"):
        fm.GridPointAtmosphere(fm.LatitudeLongitudeGrid(16, staggering="C"), tracers="smoke")
    with pytest.raises(ValueError, match="needs a LatitudeLongitudeGrid"):
        fm.GridPointAtmosphere(fm.CartesianGrid(8, extent=8e3, staggering="C")).set(analysis="gfs")


def test_ground_has_the_air_above_it():
    """Its potential temperature, of no layer of the physics, mixes with that of the interface
    above within an hour: 5 K of difference are 0.9 K after six steps of 20 min.
    """
    sim = small_spheres.sphere(ground=False, physics=[fm.HeldSuarez()]).prepare()
    rest = sim.gather("air_potential_temperature").astype(float)
    sim.fields.set("air_potential_temperature", rest[-1] - 5, len(rest) - 1)
    sim.changed = True
    sim.advance(6)
    warmer = sim.gather("air_potential_temperature") - rest
    assert np.abs(warmer[-1] - warmer[-2]).max() < 1.2
