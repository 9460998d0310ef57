"""Extremes, means and motion of a state against numpy, the same bits for any blocks; what is not a
number is found and named.
"""

import json

import numpy as np
import pytest

import fathom as fm
from fathom.base.failure import UnstableError
from fathom.run.series import Series


def simulation(blocks=None, precision="fp64"):
    rng = np.random.default_rng(3)
    bottom = np.where(rng.random((12, 20)) < 0.2, 0.0, 400 + 600 * rng.random((12, 20)))
    grid = fm.CartesianGrid(
        nx=20,
        ny=12,
        extent=(2e5, 1e5),
        levels=fm.ZLevels(thickness=[100, 200, 300, 400]),
        bathymetry=bottom,
    )
    ocean = fm.Ocean(grid, precision=precision, coriolis=(1e-4, 0.0))
    s = fm.Simulation(
        ocean, time_step=60, parallel={"blocks": blocks} if blocks else None
    ).prepare()
    for name in ("temperature", "velocity_x", "velocity_y"):
        s.fields.set(name, rng.normal(size=(4, 12, 20)))
    return s


@pytest.mark.parametrize("precision", ["fp64", "fp32"])
def test_against_numpy(precision):
    s, cut = simulation(precision=precision), simulation((7, 5), precision)
    e, m = s.fields.extremes("temperature"), s.fields.motion(s.time_step)
    assert e == cut.fields.extremes("temperature") and m == cut.fields.motion(s.time_step)
    wet, corner = (
        np.arange(4)[:, None, None] < np.asarray(levels)
        for levels in (s.model.grid.wet_levels, s.model.grid.corner_levels)
    )
    t, u, v = (s.gather(name).astype(float) for name in ("temperature", "velocity_x", "velocity_y"))
    thickness = np.array([100, 200, 300, 400.0])[:, None, None]
    low, high = (np.where(wet, t, fill) for fill in (np.inf, -np.inf))
    assert (
        e["minimum"] == low.min()
        and e["at_maximum"] == np.unravel_index(high.argmax(), high.shape)
        and e["finite"]
    )
    assert e["mean"] == pytest.approx(
        (thickness * t)[wet].sum() / (thickness * wet).sum(), rel=1e-13
    )
    square = np.where(corner, u**2 + v**2, 0.0)
    assert m["speed"] == square.max() ** 0.5 and m["kinetic_energy"] == pytest.approx(
        0.5 * (thickness * square).sum() / (thickness * corner).sum(), rel=1e-13
    )


def test_what_is_not_a_number_is_named():
    s = simulation((7, 5))
    k, j, i = np.argwhere(np.arange(4)[:, None, None] < np.asarray(s.model.grid.wet_levels))[-1]
    t = s.gather("temperature")
    t[k, j, i] = np.nan
    s.fields.set("temperature", t)
    e = s.fields.extremes("temperature")
    assert not e["finite"] and e["not_finite"] == (k, j, i) and np.isnan(e["mean"])


def test_a_part_of_a_block():
    s = simulation()
    whole = s.fields.windows("temperature")[0]
    assert (s.fields.part("temperature", 0, 2, 3, 4, 5) == whole[:, 2:6, 3:8]).all()
    with pytest.raises(ValueError, match="no part"):
        s.fields.part("temperature", 0, 10, 0, 4, 5)


def test_series_of_any_length_are_bounded(monkeypatch):
    monkeypatch.setattr(Series, "most", 10)
    whole, cut = Series(), Series()
    for look in range(1000):
        for series in (whole, cut):
            series.note(60.0 * look, {"speed": (2.0 * look, "m s-1")})
        cut = Series(**json.loads(json.dumps(cut.kept())))  # as a restart has it
        times = np.asarray(whole.times)
        assert (
            len(times) <= 10
            and times[0] == 0
            and len(set(np.diff(times))) <= 1
            and times[-1] > 60 * (look - whole.stride)
        )
        assert whole.last == {"speed": (2.0 * look, "m s-1")}
    curve, again = whole.curves()["speed"], cut.curves()["speed"]
    assert len(curve[0]) > 5 and (curve[1] == curve[0] / 30).all() and curve[2] == "m s-1"
    assert (again[0] == curve[0]).all() and (again[1] == curve[1]).all() and cut.last == whole.last


def test_a_state_is_looked_at_before_its_first_step(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    s = simulation()
    s.overwrite = True
    (
        s.fields.set("velocity_x", np.zeros((4, 12, 20))),
        s.fields.set("velocity_y", np.zeros((4, 12, 20))),
    )
    seen = []
    vars(s.model)["watch"] = lambda simulation, watch=s.model.watch: (
        seen.append(simulation.count),
        watch(simulation),
    )[1]
    s.advance(3)
    s.run("3m", report=False)
    assert (
        seen[0] == 3 and s.series.times[0] > 3 * s.time_step
    )  # what progress says is there, but not noted again
    t = s.gather("temperature")
    t[0][np.asarray(s.model.grid.wet_levels) > 0] = np.nan
    s.fields.set("temperature", t)
    with pytest.raises(UnstableError, match="temperature is not a number .* found at step 6"):
        s.run("3m", report=False)
