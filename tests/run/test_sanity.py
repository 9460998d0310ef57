"""Absurd states and steps: refused at the start, found while running."""

import numpy as np
import pytest

import fathom as fm
from fathom.base.failure import UnstableError


def channel(**keywords):
    levels = fm.ZLevels(thickness=[100.0] * 4)
    grid = fm.CartesianGrid(nx=8, ny=6, extent=(160e3, 120e3), levels=levels)
    return fm.Ocean(grid, coriolis=(1e-4, 0.0), **keywords)


def simulation(model, tmp_path, step="10min", **keywords):
    return fm.Simulation(model, time_step=step, directory=tmp_path / "run", **keywords)


@pytest.mark.parametrize(
    "name, value",
    [
        ("temperature", -1e30),
        ("salinity", 1e4),
        ("velocity_x", 40.0),
        ("sea_surface_height", -1e5),
    ],
)
def test_an_absurd_start_is_refused(tmp_path, name, value):
    ocean = channel()
    field = np.full((4, 6, 8) if name != "sea_surface_height" else (6, 8), 1.0)
    field[..., 2, 3] = value
    s = simulation(ocean, tmp_path)
    s.prepare().state[name][...] = field
    with pytest.raises(ValueError, match=f"initial {name} = "):
        s.run("1h")


@pytest.mark.parametrize("name", ["temperature", "sea_surface_height", "dye"])
def test_what_is_not_a_number_is_refused(tmp_path, name):
    s = simulation(channel(tracers=[fm.PassiveTracer("dye")]), tmp_path)
    state = s.prepare().state
    with pytest.raises(ValueError, match=f"'{name}' is set to nan at"):
        state[name][...] = np.nan


@pytest.mark.parametrize(
    "values", [{"specific_humidity": -5.0}, {"air_temperature": -5.0}, {"eastward_wind": 1e4}]
)
def test_an_absurd_atmosphere_is_refused(tmp_path, values):
    grid = fm.GaussianGrid(10, levels=fm.SigmaLevels(4))
    model = fm.SpectralAtmosphere(grid, tracers=["specific_humidity"])
    model.set(**({"air_temperature": 280.0} | values))
    with pytest.raises(ValueError, match="initial .* is outside .* to allow it set limits"):
        simulation(model, tmp_path).run("1h", report=False)


def test_a_field_that_runs_away_is_found_with_its_place(tmp_path):
    """No number of the time series tells of it: salinity is in none."""
    s = simulation(channel(), tmp_path)

    def spoil(simulation):
        if simulation.count == 6:
            simulation.state["salinity"][0, 2, 3] = 500.0

    s.call(spoil, every="1h")
    with pytest.raises(UnstableError, match="salinity is .*found at step"):
        s.run("12h")
    assert (tmp_path / "run" / "last-state.fathom").exists()


def test_limits_can_be_given(tmp_path):
    ocean = channel().set(temperature=90.0)
    with pytest.raises(ValueError, match=r"temperature = 90.*limits = \{temperature"):
        simulation(ocean, tmp_path).run("1h")
    simulation(channel().set(temperature=90.0), tmp_path, limits={"temperature": (0, 100)}).run(
        "1h", report=False
    )
    with pytest.raises(ValueError, match="no field 'temprature'; did you mean 'temperature'"):
        simulation(channel(), tmp_path, limits={"temprature": (0, 1)})
    with pytest.raises(ValueError, match="two numbers"):
        simulation(channel(), tmp_path, limits={"temperature": (1, 0)})


def test_a_step_beyond_stability_is_refused_unless_asked_for(tmp_path):
    s = simulation(channel(), tmp_path, step="12h")
    ratio = max(c.value / c.limit for c in s.model.criteria(s.time_step))
    assert ratio > 1.25
    with pytest.raises(
        ValueError, match="time_step = 43200 s is too long: .*try .* s; beyond_stability"
    ):
        s.run("1d")
    assert not (tmp_path / "run").exists()
    simulation(channel(), tmp_path, step="12h", beyond_stability=True).run("1d", report=False)
