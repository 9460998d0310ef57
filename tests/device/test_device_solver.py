"""The elliptic solver in memory of a device: every bit is the processor's."""

import numpy as np
import pytest
from mpi4py import MPI

from computers import computer
from elliptic_cases import Case

KINDS = {"closed": (False, False), "periodic": (True, False), "tripolar": (True, True)}
METHODS = [("chrongear", "mixed"), ("chrongear", "fp64"), ("pcsi", "mixed"), ("pcsi", "fp64")]


def both(case, block=(0, 0), **options):
    """The same solver on the processor and on a device."""
    here, there = (case.distribute(MPI.COMM_SELF, block, **options) for _ in range(2))
    assert there.on_device(computer())
    return here, there


def solved(case, solver, b, guess, dtype=np.float64):
    """The solution, and all else that the solver says."""
    blocks = [a.astype(dtype) for a in case.scatter(guess)]
    said = ""
    try:
        solver.solve([a.astype(dtype) for a in case.scatter(b)], blocks)
    except ValueError as error:
        said = str(error)
    return blocks, (said, solver.iterations, solver.passes, solver.last_residual, solver.history)


def same(one, other):
    return one[1] == other[1] and all(
        np.array_equal(*two, equal_nan=True) for two in zip(one[0], other[0], strict=True)
    )


def random(case, count=2):
    return np.random.default_rng(7).normal(size=(count, *case.wet.shape))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "block", [(0, 0), (7, 5), pytest.param((16, 9), marks=pytest.mark.long), (3, 3)]
)
@pytest.mark.parametrize("method, precision", METHODS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_same_bits(kind, block, method, precision, dtype):
    case = Case(42, 21, *KINDS[kind], seed=1, compactness=0.3 * (kind != "closed"))
    here, there = both(case, block, solver=method, precision=precision)
    for b, guess in zip(random(case), random(case)[::-1], strict=True):  # a second solve too
        found = solved(case, there, b, guess, dtype)
        assert same(found, solved(case, here, b, guess, dtype))
        assert there.iterations > 30 and not found[1][0]


@pytest.mark.parametrize("mass", [2e-8, pytest.param(1e-10, marks=pytest.mark.long), 1e-13])
@pytest.mark.parametrize("method, precision", METHODS)
def test_badly_conditioned(mass, method, precision):
    """Also where fp64 takes over from fp32, and where a search begins anew."""
    case = Case(60, 40, True, True, seed=3, mass=mass)
    here, there = both(case, (20, 20), solver=method, precision=precision, tolerance=1e-10,
                       maximum_iterations=20000)  # fmt: skip
    b, _ = random(case)
    assert same(solved(case, there, b, 0 * b), solved(case, here, b, 0 * b))


@pytest.mark.parametrize("size", [1e-200, 1e-30, 1, 1e30, 1e150])
def test_any_size(size):
    """Units of sums follow the numbers."""
    case = Case(42, 21, True, True, seed=1)
    here, there = both(case, (16, 9))
    b = size * random(case)[0]
    b[:, :20] *= 1e-9
    assert same(solved(case, there, b, 0 * b), solved(case, here, b, 0 * b))


@pytest.mark.parametrize("maximum", [3, 12, 25, 30, 31])
@pytest.mark.parametrize("method, precision", METHODS)
def test_same_errors(maximum, method, precision):
    case = Case(42, 21, True, True, seed=1)
    b, guess = random(case)
    for options in ({"maximum_iterations": maximum}, {"tolerance": 1e-19}):
        here, there = both(case, (16, 9), solver=method, precision=precision, **options)
        found = solved(case, there, b, guess)
        assert "largest at i = " in found[1][0] and same(found, solved(case, here, b, guess))


@pytest.mark.parametrize("method, precision", METHODS)
def test_what_is_not_a_number(method, precision):
    case = Case(42, 21, True, True)
    good, _ = random(case)
    bad = good.copy()
    j, i = np.argwhere(case.wet)[70]
    bad[j, i] = np.nan
    here, there = both(case, solver=method, precision=precision)
    assert f"not a number; tolerance 1e-12; it is largest at i = {i}, j = {j}" in str(
        solved(case, there, bad, good)[1]
    )
    assert "not a number" in solved(case, there, good, bad)[1][0]
    found = solved(case, there, good, 0 * good)  # the solver can be used again
    assert not found[1][0] and same(found, solved(case, here, good, 0 * good))


def test_zero_right_hand_side():
    case = Case(20, 12, True, False)
    there = both(case)[1]
    blocks, _ = solved(case, there, np.zeros((12, 20)), np.ones((12, 20)))
    assert there.iterations == 0 and not case.gather(MPI.COMM_SELF, blocks).any()


def test_what_stays_on_the_processor():
    case = Case(20, 12, True, False)
    for options in ({"solver": "pcg"}, {"preconditioner": "evp"}, {"solver": "s-step"}):
        solver = case.distribute(MPI.COMM_SELF, **options)
        assert not solver.on_device(computer())
        b = random(case)[0]
        assert solver.solve(case.scatter(b), case.scatter(0 * b)) > 0
