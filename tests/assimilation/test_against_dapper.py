"""Cycle by cycle as DAPPER's 3D-Var and 4D-Var, with the same truth, data and B: Lorenz (1996), and
a quasi-geostrophic gyre with the equations of DAPPER's, which itself needs a Fortran compiler.
"""

from dataclasses import dataclass

import numpy as np
import pytest

from fathom.assimilation import Cost, Matrix, Slot, b_pcg, lanczos, rpcg
from fathom.assimilation.spectral import root_of
from quasi_geostrophic import Gyre

pytest.importorskip("dapper")


@dataclass
class Case:
    """A hidden Markov model of DAPPER's with its truth and data; B (n, n), H (p, n), and the
    variance of the data."""

    model: object
    truth: np.ndarray
    data: np.ndarray
    B: np.ndarray
    H: np.ndarray
    R: float


def lorenz():
    """40 variables, all observed; B: a part of the truth's climate."""
    import dapper.tools.seeding
    from dapper.mods.Lorenz96.sakov2008 import HMM

    model = HMM.copy()
    model.tseq.Ko = 25
    dapper.tools.seeding.set_seed(3)
    truth, data = model.simulate()
    return Case(model, truth, data, 0.02 * np.cov(truth.T), np.eye(40), 1.0)


def gyre():
    """225 values of the stream function, each fifth observed; B: a Gaussian of the distance. What
    is not observed has rows of zeros in H: DAPPER's Var4D wants as many data as variables.
    """
    import dapper.mods as modelling
    import dapper.tools.seeding

    of = Gyre()
    n, x = of.n**2, np.stack(np.indices((of.n, of.n)), -1).reshape(-1, 2) * of.d
    apart = np.sum((x[:, None] - x) ** 2, -1)
    B = 0.6 * np.exp(-0.5 * apart / 0.12**2) + 1e-6 * np.eye(n)
    H = np.diag(np.arange(n) % 5 == 2).astype(float)
    spun_up = of.run(np.random.default_rng(0).standard_normal(n), 150.0)
    model = modelling.HiddenMarkovModel(
        {"M": n, "model": lambda x, t, dt: of.run(x, dt), "noise": 0,
         "linear": lambda x, t, dt: of.tangent(x, dt)},
        {"M": len(H), "model": lambda x: x @ H.T, "linear": lambda x: H,
         "noise": modelling.GaussRV(C=0.09 * np.eye(len(H)))},
        modelling.Chronology(dt=2.5, dko=1, Ko=4, BurnIn=0),
        modelling.GaussRV(C=B, mu=spun_up),
    )  # fmt: skip
    dapper.tools.seeding.set_seed(3)
    truth, data = model.simulate()
    return Case(model, truth, data, B, H, 0.09)


@pytest.fixture(scope="module", params=[lorenz, gyre], ids=["lorenz", "gyre"])
def case(request):
    return request.param()


def theirs(method, case):
    """Analyses of all cycles."""
    method.assimilate(case.model, case.truth, case.data, fail_gently=False)
    return method.stats.mu.a


class Seen:
    """An operator of DAPPER's observations that can be called twice for its cycle, as Var4D of
    1.7.1 does.
    """

    def __init__(self, operator):
        self.operator, self.linear = operator, operator.linear
        self.noise, self.M = operator.noise, operator.M

    def __call__(self, x):
        return self if np.ndim(x) == 0 else self.operator(x)


@pytest.mark.parametrize("minimise", [lanczos, b_pcg, rpcg])
def test_3d_var(case, minimise):
    import dapper.da_methods as methods

    model, H = case.model, case.H
    expected = theirs(methods.Var3D(B=case.B), case)
    L, variances, x = Matrix(root_of(case.B)), np.full(len(H), case.R), model.X0.mu
    error = []
    for k, cycle, t, dt in model.tseq.ticker:
        x = model.Dyn(x, t - dt, dt)
        if cycle is None:
            continue
        cost = Cost(L, [Slot(case.data[cycle] - H @ x, variances, Matrix(H))])
        before, x = x, x + minimise(cost, iterations=80, tolerance=1e-13).increment
        np.testing.assert_allclose(x, expected[cycle], atol=1e-8)
        error.append([np.linalg.norm(a - case.truth[k]) for a in (before, x)])
    assert np.mean(error, axis=0)[1] < np.mean(error, axis=0)[0]


def test_4d_var(case):
    """Windows of one cycle, some outer loops, from the smoothed state of the window before."""
    import dapper.da_methods as methods

    model, loops = case.model.copy(), 3 if len(case.B) == 40 else 2
    once, H, variances = model.Obs, case.H, np.full(len(case.H), case.R)
    model.Obs = lambda cycle: Seen(once(cycle))
    changed = Case(model, case.truth, case.data, case.B, H, case.R)
    expected = theirs(methods.Var4D(Lag=1, nIter=loops, B=case.B), changed)
    L, start, size = Matrix(root_of(case.B)), model.X0.mu, len(case.B)
    for cycle in range(model.tseq.Ko + 1):
        chi = before = np.zeros(size)
        for _ in range(loops):
            x, M = start + L.apply(chi), np.eye(size)
            for _, t, dt in model.tseq.cycle(cycle):
                M = model.Dyn.linear(x, t - dt, dt) @ M
                x = model.Dyn(x, t - dt, dt)
            d = case.data[cycle] - H @ x + H @ (M @ L.apply(chi))
            before, end, tangent = chi, x, M
            cost = Cost(L, [Slot(d, variances, Matrix(H), Matrix(M))])
            chi = lanczos(cost, iterations=80, tolerance=1e-13).control
        made = end + tangent @ L.apply(chi - before)
        np.testing.assert_allclose(made, expected[cycle], atol=1e-7)
        start = start + L.apply(chi)
        for _, t, dt in model.tseq.cycle(cycle):
            start = model.Dyn(start, t - dt, dt)


def test_the_gyre_has_its_equations():
    """Arakawa's J keeps energy and enstrophy and is of second order; the tangent is one."""
    random = np.random.default_rng(1)
    a, b = random.standard_normal((2, 15, 15))
    J = Gyre().jacobian(a, b)
    assert abs((a * J).sum()) + abs((b * J).sum()) < 1e-12 * abs(a * J).sum()
    errors = []
    for n in (15, 31):
        of = Gyre(n)
        x, y = np.pi * of.d * (1 + np.indices((n, n)))
        sine = np.sin(x) * np.sin(2 * y), np.sin(3 * x) * np.sin(y)
        exact = np.pi**2 * (
            np.cos(x) * np.sin(2 * y) * np.sin(3 * x) * np.cos(y)
            - 6 * np.sin(x) * np.cos(2 * y) * np.cos(3 * x) * np.sin(y)
        )
        errors.append(abs(of.jacobian(*sine) - exact).max())
    assert errors[1] < 0.27 * errors[0]
    of = Gyre(7)
    psi, d = 5 * random.standard_normal((2, 49))
    linear = of.tangent(psi, 5.0) @ d
    left = [np.linalg.norm((of.run(psi + s * d, 5.0) - of.run(psi, 5.0)) / s - linear)
            for s in (1e-2, 1e-3)]  # fmt: skip
    assert left[1] < 0.12 * left[0] and left[1] < 1e-3 * np.linalg.norm(linear)
