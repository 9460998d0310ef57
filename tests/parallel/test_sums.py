"""Exact sums: the same bits in any order."""

import math

import numpy as np
import pytest
from mpi4py import MPI

from fathom import _core

SELF = MPI.COMM_SELF.py2f()


def test_order_does_not_matter():
    rng = np.random.default_rng(0)
    x = rng.normal(size=100_003) * 10.0 ** rng.integers(-8, 9, 100_003)
    sums = {_core.exact_sum(SELF, rng.permutation(x)) for _ in range(5)}
    assert sums == {math.fsum(x)}  # and it is the correctly rounded sum


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 20000, 300_001])
def test_any_length(n):
    x = np.random.default_rng(n).normal(size=n)
    assert _core.exact_sum(SELF, x) == math.fsum(x)


@pytest.mark.parametrize("scale", [0.0, 5e-324, 1e-280, 1e-30, 1e30, 1e300])
def test_any_size(scale):
    x = np.random.default_rng(1).normal(size=1000) * scale
    assert math.isclose(_core.exact_sum(SELF, x), math.fsum(x), rel_tol=1e-15, abs_tol=1e-300)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_reported(bad):
    x = np.ones(1000)
    x[37] = bad
    assert np.isnan(_core.exact_sum(SELF, x))
    assert _core.exact_sum_with_unit(x, 0)[1] is False


def test_unit_too_small_is_noticed():
    for exponent in (-30, 0, 30):
        limit = 2.0 ** (51 + exponent)
        for x in (limit * 1.01, -limit * 1.01, limit * 2, -limit * 4, limit * 1e200):
            assert _core.exact_sum_with_unit(np.array([1.0, x]), exponent)[1] is False
        for x in (limit * 0.99, -limit * 0.99):
            value, valid = _core.exact_sum_with_unit(
                np.array([x, 2.0 ** (exponent - 40)]), exponent
            )
            assert valid and value == x + 2.0 ** (exponent - 40)


def test_wrong_type_is_refused():
    with pytest.raises(TypeError):
        _core.exact_sum(SELF, np.ones(3, np.float32))
