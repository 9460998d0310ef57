"""A run made in Python leaves its configuration, as the text of an experiment."""

import tomllib

import numpy as np

import fathom as fm
from fathom.run.experiment.experiment import Experiment
from fathom.run.experiment.toml import Document
from fathom.run.experiment.written import written


def ocean(**state):
    grid = fm.CartesianGrid(8, 8, extent=(1e6, 1e6), levels=fm.ZLevels(nz=3, depth=900))
    model = fm.Ocean(grid, coriolis=[1e-4, 0.0], friction=fm.LaplacianFriction(viscosity=2e3))
    return model.set(temperature=12.5, salinity=35, **state)


def test_a_run_can_be_run_again(tmp_path):
    one = fm.Simulation(
        ocean(), time_step="20min", directory=tmp_path / "a", parallel={"threads": 1}
    )
    one.output("t.zarr", "temperature", every="1h", statistic="mean").checkpoint("2h", keep=None)
    one.run("2h", progress=False, report=False)
    text = (tmp_path / "a" / "resolved.toml").read_text()
    assert text.startswith("# The experiment of this run") and "viscosity = 2000.0" in text
    again = Experiment(Document(text, "resolved.toml")).simulation(tmp_path / "b")
    again.run("2h", progress=False, report=False)
    assert again.checksum() == one.checksum()
    assert again.outputs[0].statistic == "mean" and len(again.checkpoints) == 1


def test_schemes_have_the_step_of_the_run(tmp_path):
    """The step in the catalogue is none that anybody has said."""
    grid = fm.GaussianGrid(10, levels=fm.SigmaLevels(8))
    model = fm.SpectralAtmosphere(grid, physics=fm.BasicPhysics())
    text = written(fm.Simulation(model, time_step="40min", directory=tmp_path))
    assert text.count("step = ") == 1 and "MassFlux" not in text and "BettsMiller" in text
    again = Experiment(Document(text, "resolved.toml")).model.physics
    assert [s.name for s in again] == [s.name for s in model.physics]
    assert not any("step" in s.parameters for s in again)


def test_what_has_no_words_is_named(tmp_path):
    model = ocean()
    model.set(temperature=np.full((3, 8, 8), 5.0), salinity=lambda x, y, depth: 35 + 0 * x)
    simulation = fm.Simulation(model, time_step="20min", directory=tmp_path)
    simulation.call(len, "1h")
    named = tomllib.loads(written(simulation))["not_written"]
    assert named == {
        "state.temperature": "ndarray of 3 × 8 × 8",
        "state.salinity": "the function <lambda>",
        "simulation.python": "the function len is called each 1h",
    }
