"""A run continues with another step, with more tracers, or with fewer; each is said."""

import warnings

import numpy as np
import pytest

import box
import fathom as fm
from fathom.base.failure import InputError


def sea(tracers=("red",), step="1h", folder="a", **more):
    grid = fm.CartesianGrid(nx=8, ny=8, extent=(4e5, 4e5), levels=fm.ZLevels(nz=3, depth=100))
    dyes = [fm.Dye(name, initial=value) for name, value in zip(tracers, (1.0, 0.5))]
    model = fm.Ocean(grid, coriolis=(1e-4, 0), tracers=dyes, **more)
    model.set(temperature=lambda x, y, z: 10 + x / 4e5, salinity=35.0)
    surface = fm.SurfaceForcing(stress_x=0.1)
    return fm.Simulation(model, step, surface=surface, directory=folder, overwrite=True)


@pytest.fixture
def day(tmp_path):
    """A restart after a day."""
    first = sea(folder=tmp_path / "first")
    first.advance(24)
    return first, first.write_restart("day.fathom")


def said(sim, path):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sim.restore(path)
        sim.prepare()
    return " ".join(str(one.message) for one in caught)


def test_a_new_tracer_begins_and_the_old_goes_on(day, tmp_path):
    first, path = day
    more = sea(("red", "blue"), folder=tmp_path / "more")
    assert "lacks blue: it begins at the initial value" in said(more, path)
    assert np.array_equal(more.gather("red"), first.gather("red"))
    assert np.all(more.gather("blue") == 0.5)  # at all depths
    for sim in (first, more):
        sim.advance(3)
    assert np.array_equal(more.gather("red"), first.gather("red"))


def test_a_tracer_that_is_left_out_is_named(day, tmp_path):
    first, path = day
    less = sea((), folder=tmp_path / "less")
    assert "holds red, which this model lacks: left out" in said(less, path)
    for sim in (first, less):
        sim.advance(3)
    assert np.array_equal(less.gather("temperature"), first.gather("temperature"))


def test_half_the_step(day, tmp_path):
    """The date goes on, and the answer is that of the whole steps to their error."""
    first, path = day
    half = sea(step="30min", folder=tmp_path / "half")
    assert "with a step of 3600 s; this run has 1800 s" in said(half, path)
    assert half.date == first.date
    before = first.gather("velocity_x").copy()
    first.advance(6)
    half.advance(12)
    assert half.date == first.date
    change, off = (
        np.abs(first.gather("velocity_x") - v).max() for v in (before, half.gather("velocity_x"))
    )
    assert 0 < off < 0.5 * change  # of inertial waves, by the implicit Coriolis force
    again = half.write_restart("again.fathom")
    rest = sea(step="30min", folder=tmp_path / "rest").restore(again)
    half.advance(3)
    rest.advance(3)
    assert rest.checksum() == half.checksum()


def test_a_step_that_does_not_fit_is_refused(day, tmp_path):
    _, path = day
    with pytest.raises(InputError, match="86400 s after the start, is no whole number"):
        sea(step="7min", folder=tmp_path / "odd").restore(path).prepare()


def test_the_advice_after_a_blow_up_can_be_followed(tmp_path):
    """--restart with --set simulation.time_step, as the message says."""
    box.write(tmp_path)
    run = ("run", "box.toml", "--no-report")
    status, _, wrong = box.fathom(*run, "--for", "6h", "--out", "a", folder=tmp_path)
    assert status == 0, wrong
    smaller = ("--restart", "a/restart.fathom", "--set", "simulation.time_step=20min")
    status, out, wrong = box.fathom(*run, "--for", "3h", *smaller, "--out", "b", folder=tmp_path)
    assert status == 0, wrong
    assert "with a step of 3600 s; this run has 1200 s" in wrong + out
