"""Lorenz (1996) cycle by cycle as DAPPER's 3D-Var and 4D-Var: the same truth, data and B."""

import numpy as np
import pytest

from fathom.assimilation import Cost, Matrix, Slot, b_pcg, lanczos, rpcg
from fathom.assimilation.spectral import root_of

pytest.importorskip("dapper")
cycles = 25


@pytest.fixture(scope="module")
def experiment():
    """HMM, truth, data; the covariance of the truth's climate."""
    import dapper.tools.seeding
    from dapper.mods.Lorenz96.sakov2008 import HMM

    model = HMM.copy()
    model.tseq.Ko = cycles
    dapper.tools.seeding.set_seed(3)
    truth, data = model.simulate()
    return model, truth, data


def theirs(method, experiment, series="a"):
    """Analyses of all cycles."""
    model, truth, data = experiment
    method.assimilate(model, truth, data, fail_gently=False)
    return getattr(method.stats.mu, series)


class Seen:
    """An operator of DAPPER's observations that bears being asked for its cycle twice, as Var4D of
    1.7.1 does.
    """

    def __init__(self, operator):
        self.operator, self.linear = operator, operator.linear
        self.noise, self.M = operator.noise, operator.M

    def __call__(self, x):
        return self if np.ndim(x) == 0 else self.operator(x)


@pytest.mark.parametrize("minimise", [lanczos, b_pcg, rpcg])
def test_3d_var(experiment, minimise):
    import dapper.da_methods as methods

    model, truth, data = experiment
    expected = theirs(methods.Var3D(xB=0.02), experiment)
    root = root_of(0.02 * np.cov(truth.T))
    x = model.X0.mu
    for _, cycle, t, dt in model.tseq.ticker:
        x = model.Dyn(x, t - dt, dt)
        if cycle is None:
            continue
        slot = Slot(data[cycle] - x, np.ones(40))
        found = minimise(Cost(Matrix(root), [slot]), iterations=60, tolerance=1e-12)
        x = x + found.increment
        np.testing.assert_allclose(x, expected[cycle], atol=1e-8)


def test_4d_var(experiment):
    """Windows of one cycle, three outer loops, from the smoothed state of the window before."""
    import dapper.da_methods as methods

    model, truth, data = experiment
    model, once = model.copy(), model.Obs
    model.Obs = lambda cycle: Seen(once(cycle))
    expected = theirs(methods.Var4D(Lag=1, nIter=3, xB=0.02), (model, truth, data))
    root = root_of(0.02 * np.cov(truth.T))
    L, start = Matrix(root), model.X0.mu
    for cycle in range(cycles + 1):
        chi, before = np.zeros(40), np.zeros(40)
        for _ in range(3):
            x, M = start + L.apply(chi), np.eye(40)
            for _, t, dt in model.tseq.cycle(cycle):
                M = model.Dyn.linear(x, t - dt, dt) @ M
                x = model.Dyn(x, t - dt, dt)
            d = data[cycle] - x + M @ L.apply(chi)
            before, end, tangent = chi, x, M
            cost = Cost(L, [Slot(d, np.ones(40), propagation=Matrix(M))])
            chi = lanczos(cost, iterations=60, tolerance=1e-13).control
        made = end + tangent @ L.apply(chi - before)
        np.testing.assert_allclose(made, expected[cycle], atol=1e-7)
        start = start + L.apply(chi)
        for _, t, dt in model.tseq.cycle(cycle):
            start = model.Dyn(start, t - dt, dt)
