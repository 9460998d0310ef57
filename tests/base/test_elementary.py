"""exp, log, sin, cos, atan and pow of packs against the C library in extended precision."""

import numpy as np
import pytest

from fathom.base.mpi import core

precisions = [np.float64, np.float32]
rng = np.random.default_rng(7)


def run(name, x, width=0, power=0.0):
    x = np.array(x)
    core.elementary(name, x, width, power)
    return x


def check(name, x, most, exact=None, **power):
    """At most `most` units of the last place from the true value, and the same bits from packs and
    numbers.
    """
    got = run(name, x, **power)
    true = (exact or getattr(np, name))(x.astype(np.longdouble))
    unit = np.spacing(np.abs(true.astype(x.dtype)))
    assert np.max(np.abs(got - true) / unit) < most
    np.testing.assert_array_equal(got, run(name, x, 1, **power))


@pytest.mark.parametrize("dtype", precisions)
def test_exp_and_log(dtype):
    tiny, huge = float(np.log(np.finfo(dtype).tiny)), float(np.log(np.finfo(dtype).max))
    for low, high in (
        (tiny, huge),
        (-1, 1),
        (-1e-3, 1e-3),
        (tiny - 12, tiny),
    ):  # the last: denormal results
        check("exp", rng.uniform(low, high, 1 << 16).astype(dtype), 1)
    check("log", np.exp(rng.uniform(tiny, huge, 1 << 16)).astype(dtype), 1)
    for low, high in ((0.5, 2), (0.999, 1.001)):
        check("log", rng.uniform(low, high, 1 << 16).astype(dtype), 1)
    denormal = np.finfo(dtype).smallest_subnormal * rng.integers(1, 1 << 20, 1 << 12).astype(dtype)
    check("log", denormal, 1)


@pytest.mark.parametrize("dtype", precisions)
def test_sin_and_cos(dtype):
    for most in (0.8, 7, 1e3, 1e5):
        x = rng.uniform(-most, most, 1 << 16).astype(dtype)
        check("sin", x, 1.6)
        check("cos", x, 1.6)


@pytest.mark.parametrize("dtype", precisions)
def test_atan(dtype):
    for most in (0.4, 0.5, 3, 1e4):
        check("atan", rng.uniform(-most, most, 1 << 16).astype(dtype), 2.5, np.arctan)


@pytest.mark.parametrize("dtype", precisions)
@pytest.mark.parametrize("power", [0.2857, -1.5, 7.0])
def test_pow(dtype, power):
    x = np.exp(rng.uniform(-5, 5, 1 << 16)).astype(dtype)
    y = np.longdouble(dtype(power))
    check("pow", x, 1 + 2.7 * 5 * abs(power), lambda x: x**y, power=power)


@pytest.mark.parametrize("dtype", precisions)
@pytest.mark.parametrize("width", [0, 1])
def test_limits(dtype, width):
    inf, nan, lanes = np.inf, np.nan, 64 // np.dtype(dtype).itemsize

    def at(name, *x, power=0.0):
        full = np.resize(np.array(x, dtype), lanes * 2)  # x is repeated
        return run(name, full, width, power)[: len(x)]

    np.testing.assert_array_equal(at("exp", 0, inf, -inf, nan, 1e4, -1e4), [1, inf, 0, nan, inf, 0])
    np.testing.assert_array_equal(
        at("log", 1, inf, 0, nan, -1, -inf), [0, inf, -inf, nan, nan, nan]
    )
    np.testing.assert_array_equal(at("pow", 0, inf, 1, nan, -1, power=2.0), [0, inf, 1, nan, nan])
    np.testing.assert_array_equal(at("sin", 0, inf, nan), [0, nan, nan])
    np.testing.assert_array_equal(at("cos", 0, inf, nan), [1, nan, nan])
    np.testing.assert_allclose(
        at("atan", 0, inf, -inf, nan),
        np.array([0, np.pi / 2, -np.pi / 2, nan]),
        rtol=np.finfo(dtype).eps,
    )
    last = np.finfo(dtype).max
    assert np.isfinite(at("exp", np.log(last) * dtype(1 - 1e-6)))[0]


def test_wrong_name():
    with pytest.raises(ValueError, match="no elementary function 'ex'"):
        core.elementary("ex", np.ones(8))
