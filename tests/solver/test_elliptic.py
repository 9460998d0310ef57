"""The nine-point operator and its solver on one rank."""

import numpy as np
import pytest
from mpi4py import MPI
from scipy.sparse.linalg import cg

from elliptic_cases import Case

KINDS = {"closed": (False, False), "periodic": (True, False), "tripolar": (True, True)}
BLOCKS = [(0, 0), (7, 5), (16, 9), (3, 3)]
PRECONDITIONERS = ["diagonal", "factorisation"]


def apply(case, solver, x):
    y = case.scatter(np.zeros_like(x))
    solver.apply(case.scatter(x), y)
    return case.gather(MPI.COMM_SELF, y)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("compactness", [0, 0.3, 0.9])
def test_operator_is_the_matrix(kind, block, compactness):
    case = Case(42, 21, *KINDS[kind], seed=1, compactness=compactness)
    solver = case.distribute(MPI.COMM_SELF, block)
    A, water = case.matrix(), case.wet > 0
    assert solver.wet_points == water.sum()
    x = np.random.default_rng(2).normal(size=case.wet.shape)
    y = apply(case, solver, x)
    error = y[water] - A @ x[water]
    assert (
        np.abs(error).max() <= 20 * np.finfo(float).eps * abs(A).max()
    )  # some twenty roundings of the largest entry


@pytest.mark.parametrize("kind", KINDS)
def test_null_space_and_symmetry(kind):
    """K 1 = 0, x.Ky = y.Kx; K (-1)^(i+j) = 0, which the fold keeps, only without compactness."""
    case = Case(40, 21, *KINDS[kind], seed=4, mass=1e-25)
    wide = case.distribute(MPI.COMM_SELF, (9, 6))
    j, i = np.mgrid[: case.ny, : case.nx]
    largest, checkerboard = abs(case.matrix()).max(), (-1.0) ** (i + j)
    assert np.abs(apply(case, wide, checkerboard)).max() <= 1e-14 * largest
    case.compactness = 0.2
    solver = case.distribute(MPI.COMM_SELF, (9, 6))
    assert np.abs(apply(case, solver, np.ones((case.ny, case.nx)))).max() <= 1e-14 * largest
    assert (checkerboard * apply(case, solver, checkerboard)).sum() > 0.2 * largest
    x, y = np.random.default_rng(5).normal(size=(2, case.ny, case.nx)) * (case.wet > 0)
    assert (
        abs((x * apply(case, solver, y)).sum() - (y * apply(case, solver, x)).sum())
        <= 1e-14 * largest * case.wet.sum()
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("preconditioner", PRECONDITIONERS)
def test_solution_agrees_with_scipy(kind, block, preconditioner):
    case = Case(42, 21, *KINDS[kind], seed=1, compactness=0.3)
    solver = case.distribute(MPI.COMM_SELF, block, tolerance=1e-13, preconditioner=preconditioner)
    A, water = case.matrix(), case.wet > 0
    rng = np.random.default_rng(7)
    b, x = rng.normal(size=(2, *case.wet.shape))
    blocks = case.scatter(x)  # a first guess far from the solution
    iterations = solver.solve(case.scatter(b), blocks)
    ours = case.gather(MPI.COMM_SELF, blocks)[water]
    theirs, failed = cg(A, b[water], rtol=1e-14, atol=0, maxiter=5000)
    assert not failed and iterations == solver.iterations
    assert iterations > 10 if preconditioner == "diagonal" else iterations <= 4
    assert np.abs(ours - theirs).max() <= 1e-10 * np.abs(theirs).max()
    assert solver.last_residual <= 1e-13
    d = 1 / np.sqrt(A.diagonal())
    residual = np.linalg.norm(d * (b[water] - A @ ours)) / np.linalg.norm(d * b[water])
    assert residual <= 1.1e-13 + 1e-15  # what is reported is true
    assert solver.solve(case.scatter(b), blocks) == 0  # a solution is its own first guess


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mass", [2e-8, 1e-10, 1e-13])
def test_factorisation_of_ever_worse_conditioned_matrices(kind, mass):
    """The smaller the mass, the less of the inverse fp32 keeps; conjugate gradients compensate."""
    case = Case(42, 21, *KINDS[kind], seed=3, mass=mass)
    solver = case.distribute(MPI.COMM_SELF, tolerance=1e-10, preconditioner="factorisation")
    b = np.random.default_rng(7).normal(size=case.wet.shape)
    assert solver.solve(case.scatter(b), case.scatter(np.zeros_like(b))) <= 12
    assert solver.last_residual <= 1e-10
    dense = case.wet.sum() ** 2
    assert 0 < solver.factor_numbers < dense / 4


def test_fp64_takes_over_from_fp32():
    """Where the least eigenvalue is lost in the rounding of fp32; else a few passes are enough."""
    for mass, passes in ((2e-8, 3), (1e-13, 5)):
        case = Case(42, 21, True, True, seed=1, mass=mass)
        solver = case.distribute(MPI.COMM_SELF, tolerance=1e-11, maximum_iterations=20000)
        b = np.random.default_rng(7).normal(size=case.wet.shape)
        x = case.scatter(np.zeros_like(b))
        solver.solve(case.scatter(b), x)
        A, water = case.matrix(), case.wet > 0
        d = 1 / np.sqrt(A.diagonal())
        residual = np.linalg.norm(
            d * (b[water] - A @ case.gather(MPI.COMM_SELF, x)[water])
        ) / np.linalg.norm(d * b[water])
        assert 1 < solver.passes <= passes and residual <= 2e-11


@pytest.mark.parametrize("preconditioner", PRECONDITIONERS)
def test_zero_right_hand_side(preconditioner):
    case = Case(20, 12, True, False)
    solver = case.distribute(MPI.COMM_SELF, preconditioner=preconditioner)
    x = case.scatter(np.ones((12, 20)))
    assert solver.solve(case.scatter(np.zeros((12, 20))), x) == 0
    assert not case.gather(MPI.COMM_SELF, x).any()


@pytest.mark.parametrize("preconditioner", PRECONDITIONERS)
def test_what_is_not_a_number(preconditioner):
    case = Case(42, 21, True, True)
    b = np.random.default_rng(1).normal(size=case.wet.shape)
    good, zero = b.copy(), np.zeros_like(b)
    j, i = np.argwhere(case.wet)[70]
    b[j, i] = np.nan
    solver = case.distribute(MPI.COMM_SELF, preconditioner=preconditioner)
    with pytest.raises(ValueError, match=f"not a number.*at i = {i}, j = {j}"):
        solver.solve(case.scatter(b), case.scatter(zero))
    with pytest.raises(
        ValueError, match=f"not a number.*at i = \\d+, j = {j - 1}"
    ):  # the first neighbour in the order of the message
        solver.solve(case.scatter(good), case.scatter(b))
    assert solver.solve(case.scatter(good), case.scatter(zero)) > 0  # and it can be used again


def test_honest_failures():
    case = Case(42, 21, True, True)
    b = np.random.default_rng(1).normal(size=case.wet.shape)
    zero = np.zeros_like(b)
    with pytest.raises(
        ValueError, match="no preconditioner 'factorization'.*did you mean 'factorisation'"
    ):
        case.distribute(MPI.COMM_SELF, preconditioner="factorization")
    with pytest.raises(
        ValueError,
        match=(
            r"after 3 iterations .at most 3. the residual, .* of the right-hand side, is not small"
            r" enough.*largest at i = \d+, j = \d+"
        ),
    ):
        case.distribute(MPI.COMM_SELF, maximum_iterations=3).solve(
            case.scatter(b), case.scatter(zero)
        )
    with pytest.raises(ValueError, match="what double precision allows"):
        case.distribute(MPI.COMM_SELF, tolerance=1e-19).solve(case.scatter(b), case.scatter(zero))
    j, i = np.argwhere(case.wet)[70]
    with pytest.raises(ValueError, match="tolerance = 2"):
        case.distribute(MPI.COMM_SELF, tolerance=2)
    case.dx[j, i] = 0
    case.depth[j, i] = 100
    case.wet[:] = 1
    with pytest.raises(ValueError, match=f"corner north-east of i = {i}, j = {j}"):
        case.distribute(MPI.COMM_SELF)
