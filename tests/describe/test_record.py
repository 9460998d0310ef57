"""The record is the run: `fathom run` of its resolved.toml gives the same checksum. What a file
cannot hold is named in it, and such a file is refused until it is given.
"""

import tomllib
from pathlib import Path

import numpy as np
import pytest

import box
import fathom as fm
from fathom.atmosphere import GridPointAtmosphere, LimitedAreaAtmosphere, ShallowWater
from fathom.atmosphere import SpectralAtmosphere as Spectral
from fathom.grids import (
    CartesianGrid,
    HeightLevels,
    LatitudeLongitudeGrid,
    LimitedAreaGrid,
    ZLevels,
)
from fathom.grids.gaussian import GaussianGrid
from fathom.grids.levels import SigmaLevels
from fathom.model.order import Insertion
from fathom.ocean import GentMcWilliams, Ocean, SurfaceForcing
from fathom.ocean.components.free_surface import FreeSurface
from fathom.run.experiment.experiment import Experiment
from fathom.run.experiment.expression import Expression
from fathom.run.experiment.toml import Document, dumps
from fathom.run.experiment.words import Words
from fathom.run.experiment.written import sections
from fathom.run.simulation import Simulation


def record(folder):
    return tomllib.loads((folder / "resolved.toml").read_text(encoding="utf-8"))


def run(simulation, length):
    return simulation.run(length, progress=False, report=False)


def run_again(folder, *more, out="again"):
    """The checksum of a run of the record in a folder, by the command line from elsewhere."""
    there = folder.parent / out
    done = box.fathom(
        "run", folder / "resolved.toml", "--out", there, "--no-report", *more, folder=folder.parent
    )
    assert done[0] == 0, done[2]
    return box.summary(there)["checksum"]


def ocean(grid_of, levels_of, ocean_of, **keywords):
    """A model of which the arguments are none of the defaults, from classes by any path."""
    on = {"tracer": "salinity", "tracer_tendency": "salinity_tendency"}
    grid = grid_of(12, 10, extent=(4e5, 3e5), levels=levels_of(nz=4, depth=900, surface=30))
    model = ocean_of(
        grid,
        coriolis=[1e-4, 2e-11],
        friction=fm.LaplacianFriction(viscosity=3e3),
        tracers=["dye"],
        free_surface=FreeSurface(tolerance=1e-9, implicitness=0.7),
        eddies=GentMcWilliams(600.0, taper_width=0.002),
        momentum_advection=None,
        extra_processes=[
            Insertion("LaplacianDiffusion", after="CentredAdvection of salinity", on=on)
        ],
        bottom_drag=2e-3,
        **keywords,
    )
    model.set(temperature=8.0, salinity=35).set(dye=1.5)
    return model.set(temperature=np.float32(9.25))


def sea(folder, surface_of=fm.SurfaceForcing, simulation_of=fm.Simulation, model=None, **keywords):
    surface = surface_of(stress_x=0.1, heat_flux=-20.0)
    model = model or ocean(fm.CartesianGrid, fm.ZLevels, fm.Ocean)
    return simulation_of(
        model, time_step="20min", start="2001-02-03", surface=surface, directory=folder, **keywords
    )


models = {}


def model(function):
    models[function.__name__] = function
    return function


@model
def an_ocean(folder):
    return sea(folder, SurfaceForcing, Simulation, ocean(CartesianGrid, ZLevels, Ocean)), "2h"


@model
def a_standard_ocean(folder):
    grid = LatitudeLongitudeGrid(
        20, 12, latitude=(-60, 60), bathymetry="etopo5", levels=ZLevels(nz=4, depth=4000)
    )
    model = Ocean(grid, physics="standard", eddies=None, tidal_energy=1e-3)
    return sea(folder, model=model.set(temperature=8.0, salinity=35)), "2h"


@model
def spectral_air(folder):
    grid = GaussianGrid(10, levels=SigmaLevels(6))
    air = Spectral(grid, physics=fm.BasicPhysics(radiation_every="2h"), tracers=["dust"])
    air.set(case="jablonowski-williamson", dust=0.5)
    return Simulation(air, "40min", "2000-03-01", directory=folder), "2h"


@model
def shallow_water(folder):
    air = ShallowWater(GaussianGrid(15), mean_geopotential=2e5).set(case="williamson-6")
    return Simulation(air, "20min", directory=folder), "3h"


@model
def grid_point_air(folder):
    grid = CartesianGrid(32, extent=25.6e3, levels=HeightLevels(12, top=6.4e3))
    air = GridPointAtmosphere(grid, surface_potential_temperature=300, stability=0, viscosity=75.0)
    bubble = Expression("-depth_of * exp(-((x - 1e4) / 4e3)**2)", {"depth_of": 7.5})
    return Simulation(air.set(temperature_deviation=bubble), 5, directory=folder), "1min"


@model
def grid_point_globe(folder):
    grid = LatitudeLongitudeGrid(24, 12, levels=HeightLevels(8, top=30e3))
    air = GridPointAtmosphere(grid, physics=["HeldSuarez"], precision="fp32")
    warm = Expression("250 + 10 * sin(pi / 60 * longitude) * (pressure / 1e5)**0.19")
    return Simulation(air.set(air_temperature=warm), "20min", directory=folder), "1h"


@model
def area(folder):
    grid = LimitedAreaGrid(
        centre=(8.0, 46.5), points=(36, 30), resolution=60e3, levels=SigmaLevels(5)
    )
    air = LimitedAreaAtmosphere(grid).set(
        air_temperature=280.0, surface_air_pressure=1e5, eastward_wind=5.0
    )
    return Simulation(air, "10min", directory=folder), "1h"


@pytest.mark.parametrize("name", models)
def test_a_run_in_python_runs_again_from_its_record(tmp_path, name):
    first, length = models[name](tmp_path / "first")
    checksum = run(first, length)["checksum"]
    assert "not_written" not in record(tmp_path / "first")
    assert run_again(tmp_path / "first") == checksum
    assert record(tmp_path / "again") == record(tmp_path / "first")


def refused(folder, *more):
    """The message with which a record is refused."""
    done = box.fathom(
        "run", folder / "resolved.toml", "--out", folder / "x", *more, folder=folder.parent
    )
    assert done[0] != 0 and "Traceback" not in done[2]
    return done[2]


def test_records_are_the_same_by_every_import_path(tmp_path):
    one = sea(tmp_path)
    two = sea(tmp_path, SurfaceForcing, Simulation, ocean(CartesianGrid, ZLevels, Ocean))
    assert sections(one) == sections(two)
    assert sections(one)["grid"]["extent"] == [4e5, 3e5]
    assert sections(one)["model"]["eddies"]["diffusivity"] == 600.0
    assert sections(one)["state"] == {"temperature": 9.25, "salinity": 35, "dye": 1.5}


def test_a_run_from_a_file_runs_again_from_its_record(tmp_path):
    file = box.write(tmp_path)
    done = box.fathom("run", file, "--for", "3h", "--out", "one", "--no-report", folder=tmp_path)
    assert done[0] == 0, done[2]
    checksum = box.summary(tmp_path / "one")["checksum"]
    assert record(tmp_path / "one")["constants"] == {"L": 1e6, "tau": 0.1}
    assert run_again(tmp_path / "one") == checksum
    more = ("--restart", "one/restart.fathom", "--for", "2h", "--out", "two", "--no-report")
    assert box.fathom("run", file, *more, folder=tmp_path)[0] == 0
    assert record(tmp_path / "two")["simulation"]["restart"] == str(tmp_path / "one/restart.fathom")
    after = box.summary(tmp_path / "two")["checksum"]
    assert run_again(tmp_path / "two", out="third") == after != checksum
    more = ("--continue", "--for", "5h", "--out", "one", "--no-report")
    assert box.fathom("run", file, *more, folder=tmp_path)[0] == 0
    assert box.summary(tmp_path / "one")["checksum"] == after
    assert run_again(tmp_path / "one", out="fourth") == after


def test_a_restarted_run_has_its_restart_in_its_record(tmp_path):
    run(sea(tmp_path / "one"), "1h")
    second = sea(tmp_path / "two").restore(tmp_path / "one" / "restart.fathom")
    checksum = run(second, "40min")["checksum"]
    told = record(tmp_path / "two")["simulation"]
    assert told["restart"] == str(tmp_path / "one" / "restart.fathom") and told["run"] == "40min"
    assert run_again(tmp_path / "two") == checksum


def test_the_record_of_a_run_in_pieces_is_that_of_the_whole(tmp_path):
    first = sea(tmp_path / "one")
    run(first, "40min")
    run(first, "20min")
    assert record(tmp_path / "one")["simulation"]["run"] == "3600s"
    third = sea(tmp_path / "one").restore(tmp_path / "one" / "restart.fathom")
    checksum = run(third, "40min")["checksum"]
    told = record(tmp_path / "one")["simulation"]
    assert told["run"] == "6000s" and "restart" not in told
    assert run_again(tmp_path / "one") == checksum


def test_a_restart_that_the_run_replaces_is_named(tmp_path):
    """The second run has another model, so that the first one's start is none of its own."""
    run(sea(tmp_path / "one"), "40min")
    other = ocean(CartesianGrid, ZLevels, Ocean, bottom_speed=0.1)
    second = sea(tmp_path / "one", model=other).restore(tmp_path / "one" / "restart.fathom")
    run(second, "20min")
    lost = record(tmp_path / "one")["not_written"]["simulation.restart"]
    assert lost.endswith("restart.fathom of 2001-02-03 00:40:00, which the run has replaced")
    assert "simulation.restart" in refused(tmp_path / "one")


def warm(x, y, depth):
    return 10 + 0 * x


def test_a_function_is_named_and_the_file_is_refused_without_it(tmp_path):
    model = ocean(CartesianGrid, ZLevels, Ocean).set(temperature=warm)
    model.set(salinity=np.full((4, 10, 12), 35.0))
    first = sea(tmp_path / "one", model=model)
    checksum = run(first, "40min")["checksum"]
    named = record(tmp_path / "one")["not_written"]
    assert set(named) == {"state.temperature", "state.salinity"}
    said = refused(tmp_path / "one")
    assert (
        "[not_written]: this record of a run lacks what a file cannot hold: state.temperature, the"
        " function warm; state.salinity, ndarray of 4 × 10 × 12. Give it, as --set"
        " state.temperature=VALUE, or make the run in Python"
    ) in said
    assert "state.salinity" in refused(tmp_path / "one", "--set", "state.temperature=10")
    given = ("--set", "state.temperature=10 + 0 * x", "--set", "state.salinity=35")
    assert run_again(tmp_path / "one", *given) == checksum
    assert "not_written" not in record(tmp_path / "again")


def test_what_python_does_between_steps_is_named(tmp_path):
    first = sea(tmp_path / "one").call(lambda simulation: None, "20min")
    run(first, "20min")
    first.state["temperature"] = 9.0
    run(first, "20min")
    named = record(tmp_path / "one")["not_written"]["simulation.python"]
    assert named == (
        "the function <lambda> is called each 20min; temperature is set at 2001-02-03 00:20:00"
    )
    assert 'simulation.python="none": without it' in refused(tmp_path / "one")
    assert run_again(tmp_path / "one", "--set", "simulation.python=none")
    with pytest.raises(fm.InputError, match="a file cannot name functions"):
        Experiment(Document('[simulation]\npython = "len"'))


def test_a_diagnostic_of_a_script_is_named_and_given_by_its_file(tmp_path):
    own = """
import fathom as fm

@fm.diagnostic("twice_as_warm", needs=["temperature"], units="degC")
def twice(model, window, temperature):
    return 2 * temperature
"""
    (tmp_path / "own.py").write_text(own)
    exec(own, {})
    first = sea(tmp_path / "one").output("warm.nc", ["twice_as_warm"], every="20min")
    checksum = run(first, "20min")["checksum"]
    named = record(tmp_path / "one")["not_written"]["extensions.python"]
    assert named == "the diagnostic twice_as_warm: a file of Python that registers it"
    given = ("--set", f'extensions.python=["{tmp_path}/own.py"]')
    assert run_again(tmp_path / "one", *given) == checksum
    assert record(tmp_path / "again")["extensions"] == {"python": [str(tmp_path / "own.py")]}


def test_an_own_scheme_has_its_header_in_the_record(tmp_path):
    header = Path(__file__).parents[2] / "examples" / "own_scheme.hpp"
    schemes = fm.load_scheme(header)
    one = schemes[0] if isinstance(schemes, tuple) else schemes
    model = ocean(CartesianGrid, ZLevels, Ocean)
    model.insert(one(), before="TracerUpdate of temperature")
    found = sections(Simulation(model, "20min", directory=tmp_path))
    assert found["extensions"] == {"schemes": [str(header)]} and not found["not_written"]
    assert {"type": one.__name__}.items() <= found["model"]["extra_processes"][-1].items()


def test_a_text_that_a_file_would_read_as_a_number_is_named(tmp_path):
    model = Ocean(CartesianGrid(8, 8, extent=(4e5, 4e5)), tracers=["z"])
    named = sections(Simulation(model, "20min", directory=tmp_path))["not_written"]
    assert named == {"model.tracers": "the text 'z', which a file reads as an expression"}


def test_what_lies_in_a_table_or_a_list_is_named(tmp_path):
    model = ocean(CartesianGrid, ZLevels, Ocean, geothermal_heat=warm)
    model.insert(
        fm.PythonScheme(warm, [fm.reads("temperature", "center layer", "degC")], name="w"),
        after="LaplacianFriction",
    )
    surface = fm.SurfaceForcing(stress_x=warm, stress_y=0.2)
    simulation = Simulation(model, "20min", directory=tmp_path, surface=surface)
    found = sections(simulation)
    assert found["not_written"] == {
        "model.geothermal_heat": "the function warm",
        "model.extra_processes": "the function warm",
        "simulation.surface.stress_x": "the function warm",
    }
    assert found["simulation"]["surface"]["stress_y"] == 0.2


values = {
    "FreeSurface": {"tolerance": 1e-9, "solver": "chrongear", "preconditioner": "diagonal"},
    "SeaIce": {"limits": (0.5, 1.0), "subcycles": 30, "area": 0.5, "thickness": 2.0},
    "GentMcWilliams": {"diffusivity": 600.0, "taper": "quadratic"},
    "DenmarkStrait": {"width": 5e4},
    "RossSea": {"drag": 2e-3},
    "FaroeBankChannel": {"thickness": 300},
    "WeddellSea": {"slope": 0.05},
    "AnisotropicFriction": {"along": 500.0, "points": 2},
    "SmagorinskyFriction": {"coefficient": 0.03, "biharmonic": True},
    "PassiveTracer": {"name": "silt", "units": "kg m-3"},
    "IdealAge": {},
    "Dye": {"name": "red", "initial": 0.5, "depth": [0, 100]},
    "CFC11": {"coefficient": 0.3},
    "SF6": {"coefficient": 0.3},
    "BulkForcing": {"data": {"air_temperature": 280.0}, "missing": "coads", "albedo": 0.1},
    "SurfaceForcing": {"stress_x": 0.1, "restoring_temperature": 10.0, "balanced": False},
    "Records": {"data": "a.nc", "variable": "t", "accumulated": "1h", "repeated_year": 1990},
    "BasicPhysics": {"radiation_every": "2h", "drag": None, "convection": "MassFluxConvection"},
    "ForecastPhysics": {"radiation_spacing": 2},
    "AromePhysics": {"critical_humidity": 0.9},
    "RRTMGP": {"every": "1h", "methane": 1900.0, "overlap": "maximum-random"},
    "ZLevels": {"thickness": np.array([10.0, 20.0, 40.0]), "partial_cells": True},
    "HybridLevels": {"nz": 12, "top": 500.0},
    "SigmaLevels": {"interfaces": [0, 0.3, 0.6, 1.0]},
    "HeightLevels": {"nz": 12, "top": 1e4, "decay": 2.0},
    "LatitudeLongitudeGrid": {"nx": 12, "ny": 8, "latitude": (-40, 60), "minimum_levels": 1},
    "CartesianGrid": {"x": np.linspace(0, 1e5, 9), "ny": 6, "periodic": True},
    "DipoleGrid": {"resolution": "3deg", "bathymetry": "flat"},
    "TripolarGrid": {"resolution": "3deg", "bathymetry": "flat"},
    "GaussianGrid": {"truncation": 10, "grid": "cubic", "stretching": 2.0, "pole": (2.0, 46.0)},
    "LimitedAreaGrid": {"centre": (8, 46), "points": (36, 30), "resolution": 5e4, "coupling": 6},
    "RotatedGrid": {"centre": (8, 46), "points": (36, 30), "resolution": 5e4},
    "KPP": {"critical": 0.25, "every": "2h"},
}  # arguments that are none of the defaults
of_air = [
    ("CartesianGrid", {"nx": 16, "extent": 2e4, "periodic": (True, True), "staggering": "C"}),
    ("CartesianGrid", {"nx": 16, "ny": 8, "extent": 2e4, "levels": fm.HeightLevels(nz=6)}),
    ("CartesianGrid", {"nx": 30, "ny": 24, "extent": 6e5, "staggering": "A", "latitude": 50.0}),
    ("LatitudeLongitudeGrid", {"nx": 24, "ny": 12, "staggering": "C", "radius": 1e6}),
]  # the same for classes whose staggering makes others of them
objects = {
    "GentMcWilliams": lambda: {"structure": fm.schemes.EadyStructure(most=2.0)},
    "TripolarGrid": lambda: {"levels": fm.ZLevels(nz=5, depth=4000)},
}


@pytest.mark.parametrize("name, given", [*values.items(), *of_air])
def test_an_object_is_read_as_it_was_written(name, given):
    """Of each public class; the second object has the arguments of the first, so its bits."""
    cls = getattr(fm, name)
    first = cls(**given | objects.get(name, dict)())
    words = Words()
    table = words.table(first, ())
    assert not words.missing and table["type"] == name
    text = dumps({"grid": {"thing": table}})
    read = tomllib.loads(text)["grid"]["thing"]
    second = Experiment(Document(""))._build(read, ("grid",))
    assert type(second) is type(first) and Words().table(second, ()) == table
    for key, value in given.items():
        if isinstance(value, (int, float, list, tuple)):
            assert np.array_equal(second.arguments[key], value), key
