"""Requests that come after the state was looked at, or after a run: they act, or are refused."""

import numpy as np
import pytest

import fathom as fm

grid = fm.CartesianGrid(nx=6, ny=5, extent=(1e6, 1e6), levels=fm.ZLevels(nz=2, depth=100))
quiet = {"progress": False, "report": False}


def made(folder, **more):
    model = fm.Ocean(grid, coriolis=(1e-4, 0.0)).set(temperature=lambda x, y, z: 10 + y / 1e6)
    return fm.Simulation(model, "1h", directory=folder, **more)


def counted(calls):
    def seen(temperature):
        calls.append(temperature.mean())

    return fm.PythonScheme(seen, [fm.reads("temperature", "center layer", "degC")])


def test_what_is_set_after_a_look_acts(tmp_path):
    sim, calls = made(tmp_path), []
    assert float(sim.state["temperature"].max()) > 10
    sim.model.set(temperature=3.0)
    assert float(sim.state["temperature"].mean()) == 3.0
    sim.model.insert(counted(calls), before="TracerUpdate")
    sim.run("2h", **quiet)
    assert len(calls) == 2
    other = made(tmp_path / "other")
    other.model.set(temperature=3.0)
    other.run("2h", **quiet)
    assert sim.checksum() == other.checksum()


def test_what_comes_too_late_is_refused(tmp_path):
    sim = made(tmp_path)
    sim.run("1h", **quiet)
    sim.model.set(temperature=3.0)
    for action in (lambda: sim.run("1h", **quiet), lambda: sim.state, lambda: sim.advance(1)):
        with pytest.raises(fm.InputError, match="has changed the model after this simulation had"):
            action()
    sim = made(tmp_path / "b")
    sim.state["temperature"] = 4.0
    sim.model.set(salinity=30.0)
    with pytest.raises(fm.InputError, match="has changed the model"):
        sim.state


def test_a_restart_is_taken_at_any_time(tmp_path):
    sim = made(tmp_path)
    sim.run("3h", **quiet)
    path = sim.write_restart("at3.fathom")
    for folder, before in (("a", lambda s: s.state), ("b", lambda s: s.run("5h", **quiet))):
        other = made(tmp_path / folder, overwrite=True)
        before(other)
        other.restore(tmp_path / path).run("1h", **quiet)
        assert other.count == 4


def test_a_run_after_a_look_replaces_no_other_run(tmp_path):
    made(tmp_path).run("1h", **quiet)
    sim = made(tmp_path)
    sim.state
    with pytest.raises(fm.Error, match="contains a run"):
        sim.run("1h", **quiet)


def test_restarts_asked_for_after_a_look_are_written(tmp_path):
    sim = made(tmp_path)
    sim.state
    sim.checkpoint("1h")
    sim.run("2h", **quiet)
    assert [path.name for path in tmp_path.glob("restart-*.fathom")] == [
        "restart-2000-01-01.fathom"
    ]


def test_requests_within_a_run_are_refused(tmp_path):
    sim, said = made(tmp_path), []

    def ask(s):
        for action in (
            lambda: s.output("a.nc", ["temperature"]),
            lambda: s.checkpoint("1h"),
            lambda: s.call(len, "1h"),
            lambda: s.restore("a.fathom"),
            lambda: s.run("1h"),
        ):
            try:
                action()
            except fm.InputError as error:
                said.append(str(error).partition(":")[0])

    sim.call(ask, "1h")
    sim.run("1h", **quiet)
    assert said == ["output", "checkpoint", "call", "restore", "run"]


def test_a_length_that_is_no_multiple_of_the_step_is_said(tmp_path):
    sim = made(tmp_path)
    with pytest.raises(
        fm.InputError, match="run = 90min is no multiple of time_step = 3600 s; nea"
    ):
        sim.run("90min", **quiet)
    odd = fm.Simulation(sim.model, 86400 / 7 * 6, directory=tmp_path, overwrite=True)
    with pytest.warns(
        UserWarning, match="run = 1month .* is no multiple .*: it ends at 2000-02-01"
    ):
        odd.run("1month", **quiet)


def test_a_dry_first_layer_is_named(tmp_path):
    shallow = fm.CartesianGrid(
        nx=20, ny=3, extent=(100e3, 15e3), levels=fm.ZLevels(thickness=[1.0, 9.0])
    )
    sea = fm.Ocean(shallow, coriolis=(0.0, 0.0)).set(temperature=15.0)
    wind = fm.SurfaceForcing(stress_x=5.0)
    sim = fm.Simulation(sea, "5min", surface=wind, directory=tmp_path)
    with pytest.raises(
        fm.UnstableError, match="first layer, 1 m thick, runs dry.*FreeSurface"
    ) as e:
        sim.run("2d", **quiet)
    assert "try a step" not in str(e.value)


def test_tracers_that_the_model_lacks_are_said(tmp_path):
    dyed = fm.Ocean(grid, coriolis=(1e-4, 0.0), tracers=["dust"])
    sim = fm.Simulation(dyed, "1h", directory=tmp_path / "a")
    sim.output("a.nc", ["temperature"], every="2h", statistic="mean")
    sim.run("1h", **quiet)
    plain = made(tmp_path / "b").restore(tmp_path / "a" / "restart.fathom")
    with pytest.warns(UserWarning, match="holds dust, which this model lacks: left out"):
        plain.prepare()
    assert np.isfinite(plain.state["temperature"]).all()
