"""The spectral atmosphere with the first physics, an aquaplanet: order, TOML, restart between two
radiations, a day that is weather.
"""

import numpy as np
import pytest

import fathom as fm
from fathom.base import mpi
from fathom.run.experiment.experiment import Experiment
from fathom.run.experiment.toml import Document

text = """
[grid]
type = "GaussianGrid"
truncation = 10
levels = { type = "HybridLevels", nz = 9 }
[model]
type = "SpectralAtmosphere"
[model.physics]
type = "BasicPhysics"
radiation_every = "2h"
sunlight = { type = "Sunlight", fixed_season = 1 }
convection = { type = "BettsMiller", relaxation = 5400 }
drag = "none"
[state]
sea_surface_temperature = "273.15 + 27 * maximum(0, \
1 - sin(1.5 * radians(clip(latitude, -60, 60)))**2)"
air_temperature = "maximum(205, (250 + 47 * cos(radians(latitude))**2 \
+ 3 * sin(radians(3 * longitude)) * cos(radians(latitude))) * (pressure / 1e5)**0.19)"
specific_humidity = "0.014 * cos(radians(latitude))**4 * (pressure / 1e5)**3"
[simulation]
start = "2000-03-20"
time_step = "40min"
"""


def aquaplanet():
    return Experiment(Document(text, "aquaplanet.toml"))


def test_the_full_physics_is_the_first_with_other_schemes(tmp_path):
    full = fm.ForecastPhysics(ozone=None, mixing="KProfileDiffusion")
    names = [p.name for p in full]
    assert [n for n in names if n in ("KProfileDiffusion", "TKE")] == ["KProfileDiffusion"]
    assert {"RRTMGP", "LocalAlbedo", "PrognosticCloud", "MassFluxConvection"} < set(names)
    assert full.condensation.parameters["cloud_threshold"] == 3e-4 and full.radiation.spacing == 3
    assert fm.ForecastPhysics(condensation="GraupelMicrophysics").condensation.parameters == {}
    assert "Radiation" in [p.name for p in fm.ForecastPhysics(radiation="Radiation")]
    for given, spacing in ((fm.RRTMGP, 3), (fm.RRTMGP(angles=2), 3), (fm.RRTMGP(spacing=1), 1)):
        assert fm.ForecastPhysics(radiation=given).radiation.spacing == spacing
    assert fm.ForecastPhysics(radiation=fm.RRTMGP(angles=2)).radiation.parameters == {"angles": 2}
    document = Document(text.replace("BasicPhysics", "ForecastPhysics"), "full.toml")
    sim = Experiment(document).simulation(directory=tmp_path).prepare()
    sim.advance(2)
    assert np.isfinite(sim.gather("virtual_temperature")).all()


def test_from_toml_and_back():
    e = aquaplanet()
    names = [p.name for p in e.model.physics]
    assert (
        names[:6]
        == [
            "SurfaceState",
            "Sunlight",
            "StandardOzone",
            "DiagnosticCloud",
            "Radiation",
            "RadiativeHeating",
        ]
        and names[-1] == "LandSurface"
    )
    assert e.model.fixed_season and next(
        p for p in e.model.physics if p.name == "BettsMiller"
    ).parameters == {"relaxation": 5400}
    resolved = e.resolved()
    again = Experiment(Document(resolved, "resolved.toml"))
    assert again.resolved() == resolved and [p.name for p in again.model.physics] == names
    radiation = {p.name: p.every for p in e.model.processes(2400.0)}
    assert (
        radiation["Radiation"] == 3
        and radiation["DiagnosticCloud"] == 3
        and radiation["BettsMiller"] == 1
    )
    with pytest.raises(
        ValueError,
        match="no field 'sea_temperature' to set; did you mean .*'sea_surface_temperature'",
    ):
        e.model.set(sea_temperature=300)
    with pytest.raises(ValueError, match="Radiation: every = '1month'"):
        fm.schemes.Radiation(every="1month")


@pytest.mark.parametrize("radiation", ['"RRTMGP"', '{ type = "Radiation" }', '"Radiation"'])
def test_radiation_is_as_seldom_as_said(radiation):
    """Whatever names it: a text, a table, its own `every`."""
    for more, expected in (("", 3), (', every = "4h"', 6)):
        if more and not radiation.startswith("{"):
            continue
        given = radiation.replace(" }", more + " }")
        changed = text.replace('drag = "none"', f'drag = "none"\nradiation = {given}')
        model = Experiment(Document(changed, "seldom.toml")).model
        every = {p.name: p.every for p in model.processes(2400.0)}
        assert every[model.physics[4].name] == expected


def test_restart_between_two_radiations(tmp_path):
    whole, part = (aquaplanet().simulation(directory=tmp_path).prepare() for _ in range(2))
    whole.advance(7)
    part.advance(4)
    path = part.write_restart("restart.fathom")
    again = aquaplanet().simulation(directory=tmp_path, restart=path).prepare()
    again.advance(3)
    assert again.checksum() == whole.checksum()
    other = aquaplanet().simulation(directory=tmp_path)
    other.parallel.update({"threads": 2, "blocks": (16, 5), "tile": 16})
    other.prepare().advance(7)
    assert other.checksum() == whole.checksum()


def test_a_day_is_weather(tmp_path):
    sim = aquaplanet().simulation(directory=tmp_path)
    sim.output(
        "day.nc",
        [
            "convective_precipitation",
            "stratiform_precipitation",
            "evaporation_flux",
            "outgoing_longwave",
            "toa_net_shortwave",
        ],
        every="1d",
        statistic="mean",
    )
    sim.run("3d", report=False)
    day = fm.open(tmp_path / "day.nc").isel(time=-1)
    weight = np.cos(np.deg2rad(day.latitude))
    mean = {
        name: float(day[name].weighted(weight).mean())
        for name in day.data_vars
        if day[name].dims == ("latitude", "longitude")
    }
    rain = (mean["prc"] + mean["prl"]) * 86400
    assert (
        1 < rain < 6
        and 1 < mean["evaporation_flux"] * 86400 < 6
        and 200 < mean["outgoing_longwave"] < 280
        and 220 < mean["toa_net_shortwave"] < 320
    )
    T, q = sim.gather("virtual_temperature"), sim.gather("specific_humidity")
    assert 170 < T.min() and T.max() < 320 and q.min() > -1e-4 and 5e-3 < q.max() < 0.03


def with_microphysics():
    clouds = 'condensation = "GraupelMicrophysics"\nclouds = "PrognosticCloud"\ndrag = "none"'
    return Experiment(Document(text.replace('drag = "none"', clouds), "clouds.toml"))


def test_water_in_all_its_kinds_is_carried(tmp_path):
    """Clouds and precipitation are state: tracers of the model, in a restart, the same bits in any
    blocks; their snow counts, and what the sky holds is what a sky holds.
    """
    sim = with_microphysics().simulation(directory=tmp_path).prepare()
    names = [p.name for p in sim.model.physics]
    assert "SnowfallOfConvection" in names and "Snowfall" not in names
    kinds = ["cloud_liquid_water", "rain_water", "cloud_ice", "snow_water", "graupel_water"]
    assert sim.model.tracers == ["specific_humidity", *kinds]
    sim.advance(4)
    path = sim.write_restart("clouds.fathom")
    sim.advance(56)
    later = with_microphysics().simulation(directory=tmp_path, restart=path)
    later.parallel.update({"threads": 2, "blocks": (16, 5), "tile": 16})
    later.prepare().advance(56)
    assert later.checksum() == sim.checksum()
    most = {kind: sim.gather(kind).max() for kind in kinds}
    assert all(0 < value < 5e-3 for value in most.values()), most
    assert most["cloud_liquid_water"] > 2e-6 < most["cloud_ice"]
    assert all(sim.gather(kind).min() > -1e-4 for kind in kinds)
    condensed = sum(sim.gather(kind).sum() for kind in kinds)
    assert 1e-4 < condensed / sim.gather("specific_humidity").sum() < 0.2


def with_soil():
    land = 'land = "SoilLayers"\nlake = "MixedLake"\ndrag = "none"'
    ground = """[state]
land_fraction = "clip(sin(radians(2 * longitude)), 0, 1)"
ground_temperature = "265 + 30 * cos(radians(latitude))"
soil_temperature_1 = "265 + 30 * cos(radians(latitude))"
vegetation_fraction = "cos(radians(latitude))"
lake_depth = "10 * cos(radians(longitude))**2"
"""
    changed = text.replace('drag = "none"', land).replace("[state]\n", ground)
    return Experiment(Document(changed, "soil.toml"))


def test_soil_and_lakes_are_state(tmp_path):
    """In a restart, and the same bits in any blocks."""
    sim = with_soil().simulation(directory=tmp_path).prepare()
    sim.advance(4)
    path = sim.write_restart("soil.fathom")
    sim.advance(20)
    later = with_soil().simulation(directory=tmp_path, restart=path)
    later.parallel.update({"threads": 2, "blocks": (16, 5), "tile": 16})
    later.prepare().advance(20)
    assert later.checksum() == sim.checksum()
    T, water = sim.gather("soil_temperature_1"), sim.gather("soil_water_1")
    assert 240 < T.min() < T.max() < 320 and 0 < water.min() < water.max() <= 0.451 * 70 + 1e-9
    assert np.ptp(water) > 0.1 and sim.gather("lake_ice_amount").max() > 0


def test_single_column_carries_its_clouds():
    physics = fm.BasicPhysics(
        condensation="IceMicrophysics", clouds="PrognosticCloud", convection=None, drag=None
    )
    column = fm.SingleColumn(
        fm.HybridLevels(20), physics, latitude=20.0, keep=["stratiform_snowfall"]
    )
    moist = 0.02 * (column.pressure / 1e5) ** 3
    column.set(
        air_temperature=295 * (column.pressure / 1e5) ** 0.19,
        specific_humidity=moist,
        sea_surface_temperature=300.0,
    )
    column.advance("12h")
    assert column["cloud_liquid_water"].max() > 1e-6
    assert column["cloud_ice"].max() > 1e-7


def small(levels):
    model = fm.SpectralAtmosphere(
        fm.GaussianGrid(10, levels=fm.SigmaLevels(levels)), physics=fm.BasicPhysics(drag=None)
    )
    model.set(air_temperature=280.0)
    return fm.Simulation(model, time_step="30min").prepare()


def test_four_levels_have_a_sun_too():
    simulation = small(4)
    simulation.advance(2)
    assert np.isfinite(simulation.gather("insolation")).all()


def test_more_threads_than_it_was_prepared_for():
    """Memory is laid out for the threads of the beginning: more are not taken."""
    threads, found = mpi.core.threads(), []
    for later in (1, 4):
        mpi.core.set_threads(1)
        simulation = small(8)
        mpi.core.set_threads(later)
        simulation.advance(2)
        found.append(simulation.checksum())
    mpi.core.set_threads(threads)
    assert found[0] == found[1]
