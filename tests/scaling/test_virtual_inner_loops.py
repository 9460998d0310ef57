"""fathom scale --inner-loop: a step of the tangent and of the adjoint, measured and distributed to
simulated ranks.
"""

from dataclasses import replace

import pytest

import fathom as fm
from fathom.performance.scaling import inner_loop, load
from fathom.performance.scaling.conditions import Conditions
from fathom.performance.scaling.cost import Measured
from machines import here


def moving(clocks):
    """The part of the time in which ranks do not compute."""
    spent = {kind: clocks.mean(kind=kind) for kind in ("computing", "waiting", "moving")}
    return 1 - spent["computing"] / sum(spent.values())


@pytest.fixture(scope="module")
def cost():
    model = fm.SpectralAtmosphere(fm.GaussianGrid(21, levels=fm.SigmaLevels(4)))
    model.set(air_temperature=280.0)
    simulation = fm.Simulation(model, time_step="20min", parallel={"threads": 1}, overwrite=True)
    return inner_loop.measure(simulation, steps=3)


def test_one_rank_takes_what_was_measured(cost, tmp_path):
    cost.write(tmp_path / "cost.json")
    assert Measured.read(tmp_path / "cost.json") == cost
    both = cost.tangent, cost.adjoint
    assert all(min(c.columns, c.fourier, c.legendre, c.waves) > 0 for c in both)
    place = inner_loop.layout(fm.GaussianGrid(21, levels=fm.SigmaLevels(4)), 1)
    assert inner_loop.step(cost, place, Conditions(here, here)).elapsed == pytest.approx(
        sum(c.computing for c in both), rel=1e-9
    )


def test_t48_and_t107_are_alike_and_bound_by_communication(cost):
    """10 levels on an SX-8R, with the seconds of T21 on one rank and messages as two ranks count
    them: both gain nothing more at last, where messages and waiting take most of the time.
    """
    known = {"columns": 4.0e-3, "fourier": 4e-4, "legendre": 5e-5, "waves": 4e-5, "packing": 0.0}
    known |= {"levels": 10, "seconds": 4.5e-3, "entry": 728.0, "batches": 3.0, "reach": 2}
    priced = replace(
        cost,
        tangent=replace(cost.tangent, halo=320.0, halos=2.0, **known),
        adjoint=replace(cost.adjoint, halo=320.0, halos=3.0, **(known | {"columns": 7.3e-3})),
    )
    machine = load("nec-sx8r")
    speed, share = {}, {}
    for truncation in (48, 107):
        grid = fm.GaussianGrid(truncation, levels=fm.SigmaLevels(10))
        steps = {
            ranks: inner_loop.step(
                priced, inner_loop.layout(grid, ranks, 2), Conditions(machine, here)
            )
            for ranks in (1, 8, 128, 256)
        }
        speed[truncation] = {n: steps[1].elapsed / t.elapsed for n, t in steps.items()}
        share[truncation] = {n: moving(t) for n, t in steps.items()}
    for truncation in (48, 107):
        assert speed[truncation][8] > 6 and share[truncation][8] < 0.25
        assert speed[truncation][256] < 1.25 * speed[truncation][128] < 1.25 * 80
        assert 0.5 < share[truncation][128] < share[truncation][256]
    assert abs(speed[48][8] / speed[107][8] - 1) < 0.15
