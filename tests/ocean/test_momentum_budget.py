"""Budgets of momentum and vorticity: the terms add up to what the flow gains in every cell; each is
what it is called; the flow has the bits of one without.
"""

import numpy as np
import pytest

import cases
import fathom as fm
from fathom.base import earth

terms = ("advection", "pressure", "lateral_friction", "coriolis", "vertical_friction")
terms += ("surface_height",)
step = 3600.0


def run(tmp_path, budgets=("velocity", "vorticity"), stress=0.1, shares=terms, **parts):
    usual = {"slope": False, "nx": 12, "ny": 10, "nz": 4}
    model = cases.box(budgets=budgets, **(usual | parts))
    model.set(temperature=lambda x, y, z: 15 - z / 200 + np.sin(x / 1e5) * np.exp(-z / 500))
    surface = fm.SurfaceForcing(stress_x=stress)
    sim = fm.Simulation(model, step, surface=surface, directory=tmp_path, overwrite=True)
    if budgets:
        names = [f"momentum_budget_{t}_{axis}" for t in (*shares, "total") for axis in "xy"]
        names += [f"vorticity_budget_{t}" for t in terms] if "vorticity" in budgets else []
        sim.output("b.nc", [*names, "velocity_x"], every=f"{step}s", dtype="float64")
    sim.run("4h", progress=False, report=False)
    return sim


@pytest.mark.parametrize("nudged", [False, True])
def test_terms_add_up_to_what_the_flow_gains(tmp_path, nudged):
    more = {"nudging": fm.Nudging("velocity", 0.1, "1d")} if nudged else {}
    own = (*terms, "nudging") if nudged else terms
    sim = run(tmp_path, slope=True, shares=own, **more)
    wet = np.asarray(sim.model.grid.wet_corners)
    alone = run(tmp_path / "alone", budgets=(), slope=True, **more)
    assert sim.checksum() == alone.checksum()
    with fm.open(tmp_path / "b.nc") as data:
        now = data.isel(time=-1)
        gained = (data["velocity_x"][-1] - data["velocity_x"][-2]).values[:, wet] / step
        for axis in "xy":
            shares = [now[f"momentum_budget_{t}_{axis}"].values[:, wet] for t in own]
            total = now[f"momentum_budget_total_{axis}"].values[:, wet]
            rest = np.nan_to_num(total - sum(shares))
            if axis == "x":
                np.testing.assert_allclose(total, gained, atol=1e-12 * np.nanmax(np.abs(total)))
            scale = max(np.nanmax(np.abs(one)) for one in shares)
            assert np.abs(rest).max() < 1e-12 * scale
        assert all(np.nanmax(np.abs(now[f"momentum_budget_{t}_x"])) > 1e-9 for t in own)


def test_terms_are_what_they_are_called(tmp_path):
    """A pressure gradient has no curl; the wind is all that vertical friction adds to a column."""
    sim = run(tmp_path, bottom_drag=0.0, stress=0.1)
    grid = sim.model.grid
    inside = (slice(None), slice(3, -3), slice(3, -3))
    deep = np.asarray(grid.corner_levels)[inside[1:]] == grid.levels.nz
    h = np.asarray(grid.levels.weights)[:, None, None]
    with fm.open(tmp_path / "b.nc") as data:
        now = {str(name): a.isel(time=-1).values for name, a in data.items() if "time" in a.dims}
        column = (h * now["momentum_budget_vertical_friction_x"]).sum(0)[inside[1:]]
        assert column[deep] == pytest.approx(0.1 / earth.SEA_WATER_DENSITY, rel=2e-2)
        curl = now["vorticity_budget_pressure"][inside]
        size = np.nanmax(np.abs(now["momentum_budget_pressure_x"])) / 1e5
        levels = np.asarray(grid.wet_levels)
        open_ = (
            np.minimum.reduce(
                [
                    np.roll(levels, s, (0, 1))
                    for s in [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1)]
                ]
            )[inside[1:]]
            == grid.levels.nz
        )
        assert open_.sum() > 4 and np.abs(curl[:, open_]).max() < 1e-10 * size


def test_a_budget_of_nothing_is_refused():
    with pytest.raises(fm.Error, match="velosity.*did you mean 'velocity'"):
        cases.box(budgets=["velosity"])
