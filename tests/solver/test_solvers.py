"""The catalogues of solvers and preconditioners on one rank: one answer from all of them, few sums
where few are promised, honest failures.
"""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from mpi4py import MPI
from scipy.sparse import diags
from scipy.sparse.linalg import spsolve

from elliptic_cases import Case
from fathom.base.mpi import core

KINDS = {"closed": (False, False), "periodic": (True, False), "tripolar": (True, True)}
SOLVERS = [name for name, _ in core.solvers()]
PRECONDITIONERS = [name for name, _ in core.preconditioners()]
SUMS_AN_ITERATION = {"pcg": 2, "chrongear": 0.5, "pipelined": 1, "s-step": 0.25, "pcsi": 0.1}


@pytest.fixture(scope="module", params=KINDS)
def problem(request):
    """(case, right-hand side, first guess, solution at the wet points)."""
    compactness = 0 if request.param == "closed" else 0.8
    case = Case(42, 21, *KINDS[request.param], seed=1, compactness=compactness)
    b, guess = np.random.default_rng(7).normal(size=(2, *case.wet.shape))
    return case, b, guess, spsolve(case.matrix().tocsc(), b[case.wet > 0])


def solved(case, b, guess, block=(0, 0), **options):
    solver = case.distribute(MPI.COMM_SELF, block, **options)
    x = case.scatter(guess)
    solver.solve(case.scatter(b), x)
    return solver, case.gather(MPI.COMM_SELF, x)


def with_mask(case, wet):
    """The case with other land."""
    case.wet = wet.astype(float)
    if case.topology.fold:
        case.wet[-1, [case.nx // 2 - 1, case.nx // 2, case.nx - 1, 0]] = 0
    case.depth = np.where(case.corner(case.wet), np.maximum(case.depth, 500), 0)
    case.original("corner", case.depth)
    return case


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("preconditioner", PRECONDITIONERS)
def test_every_solver_and_preconditioner(problem, name, preconditioner):
    case, b, guess, exact = problem
    solver, x = solved(
        case,
        b,
        guess,
        tolerance=1e-12,
        solver=name,
        preconditioner=preconditioner,
        precision="fp64",
    )
    assert np.abs(x[case.wet > 0] - exact).max() <= 1e-10 * np.abs(exact).max()
    assert solver.last_residual <= 1e-12 and solver.passes <= 3
    iterations, residuals = zip(*solver.history)
    assert list(iterations) == sorted(iterations) and iterations[-1] == solver.iterations
    assert residuals[-1] == solver.last_residual and residuals[0] > 1
    _, other = solved(
        case,
        b,
        guess,
        (7, 5),
        tolerance=1e-12,
        solver=name,
        preconditioner=preconditioner,
        precision="fp64",
    )
    assert np.array_equal(x, other)  # any blocks: the same bits


@pytest.mark.parametrize("fold", [False, True])
@pytest.mark.parametrize("precision", ["fp64", "mixed"])
def test_long_rows(fold, precision):
    """All stages in one loop over a row, or a loop each over the rows of blocks: the same bits."""
    case = Case(1100, 8, True, fold, seed=3)
    b = np.random.default_rng(5).normal(size=case.wet.shape)
    solver, x = solved(case, b, 0 * b, tolerance=1e-12, precision=precision)
    _, other = solved(case, b, 0 * b, (110, 4), tolerance=1e-12, precision=precision)
    assert np.array_equal(x, other) and solver.last_residual <= 1e-12 and solver.passes <= 5
    exact = spsolve(case.matrix().tocsc(), b[case.wet > 0])
    assert np.abs(x[case.wet > 0] - exact).max() <= 1e-10 * np.abs(exact).max()


@pytest.mark.parametrize("name", SOLVERS)
def test_sums_of_an_iteration(name):
    """Besides those at the beginning and the end of the passes."""
    case = Case(60, 40, True, True, seed=3)
    b = np.random.default_rng(1).normal(size=case.wet.shape)
    solver = case.distribute(MPI.COMM_SELF, solver=name, precision="fp64")
    before = solver.reductions
    solver.solve(case.scatter(b), case.scatter(np.zeros_like(b)))
    assert (
        solver.reductions - before
        <= SUMS_AN_ITERATION[name] * solver.iterations + 2 + 4 * solver.passes
    )


@pytest.mark.parametrize(
    "preconditioner, precision", [("diagonal", "fp64"), ("diagonal", "mixed"), ("evp", "fp64")]
)
def test_chebyshev_sums_at_most_once_in_ten_iterations(preconditioner, precision):
    """Residuals and the right-hand side included, as soon as there are a hundred iterations."""
    case = Case(60, 40, True, True, seed=3, mass=1e-8)
    b = np.random.default_rng(1).normal(size=case.wet.shape)
    solver = case.distribute(
        MPI.COMM_SELF,
        solver="pcsi",
        preconditioner=preconditioner,
        precision=precision,
        tolerance=1e-10,
    )
    before = solver.reductions
    solver.solve(case.scatter(b), case.scatter(np.zeros_like(b)))
    assert solver.iterations >= 100 and solver.reductions - before <= 0.1 * solver.iterations


@pytest.mark.parametrize("block", [(0, 0), (16, 9)])
def test_thousands_of_iterations(block):
    """What halos hold beyond their exchanged points grows without bounds, and does no harm."""
    case = Case(60, 40, True, True, seed=3, mass=1e-10, compactness=0.3)
    b, guess = np.random.default_rng(1).normal(size=(2, *case.wet.shape))
    options = {"precision": "fp64", "tolerance": 1e-10, "maximum_iterations": 20000}
    solver, _ = solved(case, b, guess, block, solver="pcsi", **options)
    assert solver.iterations > 2000 and solver.last_residual <= 1e-10


@pytest.mark.parametrize("steps", [2, 3, 4])
def test_steps(problem, steps):
    case, b, guess, exact = problem
    _solver, x = solved(case, b, guess, tolerance=1e-12, solver="s-step", steps=steps)
    assert np.abs(x[case.wet > 0] - exact).max() <= 1e-10 * np.abs(exact).max()


@pytest.mark.parametrize("name", ["chrongear", "pcsi"])
def test_mixed_precision(problem, name):
    case, b, guess, exact = problem
    solver, x = solved(case, b, guess, tolerance=1e-12, solver=name)
    assert (
        3 <= solver.passes <= 4
        and np.abs(x[case.wet > 0] - exact).max() <= 1e-10 * np.abs(exact).max()
    )


@pytest.mark.parametrize("preconditioner", PRECONDITIONERS)
@pytest.mark.parametrize("kind", KINDS)
def test_preconditioners_are_symmetric_and_positive(kind, preconditioner):
    case = Case(42, 21, *KINDS[kind], seed=2, compactness=0.8)
    solver = case.distribute(MPI.COMM_SELF, (13, 9), preconditioner=preconditioner)
    x, y = np.random.default_rng(5).normal(size=(2, case.ny, case.nx)) * (case.wet > 0)

    def M(v):
        out = case.scatter(np.zeros_like(v))
        solver.precondition(case.scatter(v), out)
        return case.gather(MPI.COMM_SELF, out)

    Mx, My = M(x), M(y)
    size = np.linalg.norm(x) * np.linalg.norm(My)
    assert (x * Mx).sum() > 0 and (y * My).sum() > 0
    assert (
        abs((x * My).sum() - (y * Mx).sum())
        <= (1e-6 if preconditioner == "factorisation" else 1e-8) * size
    )


def test_marching_solves_a_block():
    """One tile of water: its own inverse, except at the shore, where the preconditioner has a
    shallow sea.
    """
    case = with_mask(Case(24, 24, False, False, seed=1, mass=2e-7), np.ones((24, 24)))
    solver = case.distribute(MPI.COMM_SELF, preconditioner="evp")
    A = case.matrix().toarray()
    tile = np.ravel_multi_index(np.mgrid[8:16, 8:16].reshape(2, -1), (24, 24))
    b = np.zeros((24, 24))
    b.flat[tile] = np.random.default_rng(1).normal(size=64)
    out = case.scatter(b)
    solver.precondition(case.scatter(b), out)
    exact = np.linalg.solve(A[np.ix_(tile, tile)], b.flat[tile])
    assert (
        np.abs(case.gather(MPI.COMM_SELF, out).flat[tile] - exact).max()
        <= 1e-8 * np.abs(exact).max()
    )


def test_marching_saves_half_of_the_iterations():
    case = Case(96, 80, True, True, seed=4, mass=1e-9)
    b = np.random.default_rng(1).normal(size=case.wet.shape)
    its = {
        p: (
            solved(case, b, 0 * b, preconditioner=p, precision="fp64", maximum_iterations=3000)[
                0
            ].iterations
        )
        for p in ("diagonal", "evp", "polynomial")
    }
    assert its["evp"] < 0.6 * its["diagonal"] and its["polynomial"] < 0.35 * its["diagonal"]


def test_extremes_of_a_tridiagonal_matrix():
    rng = np.random.default_rng(1)
    for n in (1, 2, 7, 60):
        a, b = rng.normal(size=n), rng.normal(size=n - 1)
        values = np.linalg.eigvalsh(np.diag(a) + np.diag(b, 1) + np.diag(b, -1))
        assert np.allclose(core.extremes(list(a), list(b)), (values[0], values[-1]), atol=1e-13)


def test_bounds_of_the_spectrum(problem):
    """They contain the spectrum except for a little at its lower end, where Chebyshev's iteration
    is only slower.
    """
    case, *_ = problem
    A = case.matrix()
    d = diags(1 / np.sqrt(A.diagonal()))
    values = np.linalg.eigvalsh((d @ A @ d).toarray())
    least, largest, steps = case.distribute(MPI.COMM_SELF, solver="pcsi").spectrum
    assert (
        0.9 * values[0] < least < 1.1 * values[0]
        and values[-1] <= largest < 1.05 * values[-1]
        and steps < 200
    )


@pytest.mark.parametrize("name", SOLVERS)
def test_honest_failures(problem, name):
    case, b, guess, _ = problem
    with pytest.raises(
        ValueError,
        match=(
            r"after \d+ iterations .at most 12. the residual, .* of the right-hand side, is not"
            r" small enough.*largest at i = \d+, j = \d+"
        ),
    ):
        solved(case, b, guess, solver=name, maximum_iterations=12)
    with pytest.raises(ValueError, match="what double precision allows"):
        solved(case, b, guess, solver=name, tolerance=1e-19)
    with pytest.raises(ValueError, match="not a number"):
        solved(case, np.where(case.wet > 0, np.nan, b), guess, solver=name)


def test_names():
    case = Case(20, 12, True, False)
    for what, given_, meant in (
        ("solver", "chrongaer", "chrongear"),
        ("preconditioner", "epv", "evp"),
        ("exchange", "persistant", "persistent"),
        ("sum", "tre", "tree"),
    ):
        with pytest.raises(ValueError, match=f"'{given_}'; did you mean '{meant}'"):
            case.distribute(MPI.COMM_SELF, **{what: given_})
    with pytest.raises(ValueError, match="must be 2, 3 or 4"):
        case.distribute(MPI.COMM_SELF, steps=5)
    with pytest.raises(ValueError, match="'mixed' or 'fp64'"):
        case.distribute(MPI.COMM_SELF, precision="fp32")


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=some.data())
def test_any_land(data):
    """Islands, straits of one cell, lakes without a corner, seas at the poles and at the edges."""
    ny, nx = data.draw(some.integers(4, 14)), 2 * data.draw(some.integers(4, 10))
    kind = data.draw(some.sampled_from(sorted(KINDS)))
    bits = data.draw(some.lists(some.booleans(), min_size=ny * nx, max_size=ny * nx))
    thick = data.draw(some.booleans())
    wet = np.array(bits).reshape(ny, nx)
    if thick:  # larger seas: a point is land where it and its neighbour are
        wet |= np.roll(wet, 1, 0) | np.roll(wet, 1, 1)
    case = with_mask(Case(nx, ny, *KINDS[kind], seed=5, compactness=0.8 * thick), wet)
    if not case.wet.any():
        return
    name, preconditioner = (
        data.draw(some.sampled_from(SOLVERS)),
        data.draw(some.sampled_from(PRECONDITIONERS)),
    )
    b = np.random.default_rng(3).normal(size=case.wet.shape)
    block = (data.draw(some.integers(3, nx)), data.draw(some.integers(3, ny)))
    _solver, x = solved(
        case,
        b,
        0 * b,
        block,
        tolerance=1e-12,
        solver=name,
        preconditioner=preconditioner,
        maximum_iterations=4000,
    )
    exact = spsolve(case.matrix().tocsc(), b[case.wet > 0])
    assert np.abs(x[case.wet > 0] - exact).max() <= 1e-9 * np.abs(exact).max()
