"""The local ensemble filter: the Kalman filter where it should be, and Lorenz (1996)."""

import numpy as np
import pytest

from fathom.assimilation import letkf
from fathom.assimilation.ensembles import gaspari_cohn
from fathom.base.failure import InputError


def test_a_linear_analysis_is_that_of_the_kalman_filter():
    """With all data at all places: mean and covariance of x + K (y - H x), (I - K H) P."""
    random = np.random.default_rng(1)
    N, n, m = 30, 6, 4
    members = random.standard_normal((N, n)) @ random.standard_normal((n, n))
    H, R = random.standard_normal((m, n)), np.array([0.5, 1.0, 2.0, 4.0])
    y = random.standard_normal(m)
    mean, P = members.mean(0), np.cov(members.T)
    K = P @ H.T @ np.linalg.inv(H @ P @ H.T + np.diag(R))
    Y = (members - mean) @ H.T
    made = letkf.analysed(members, Y, y - H @ mean, np.broadcast_to(1 / R, (n, m)))
    np.testing.assert_allclose(made.mean(0), mean + K @ (y - H @ mean), atol=1e-12)
    np.testing.assert_allclose(np.cov(made.T), (np.eye(n) - K @ H) @ P, atol=1e-12)


def test_no_data_change_nothing_and_relaxation_returns_spread():
    random = np.random.default_rng(2)
    members = random.standard_normal((8, 5))
    Y, d = members - members.mean(0), random.standard_normal(5)
    near = np.diag([1.0, 1.0, 1.0, 0.0, 0.0])
    made = letkf.analysed(members, Y, d, near)
    np.testing.assert_allclose(made[:, 3:], members[:, 3:], atol=1e-12)
    assert (made.std(0)[:3] < 0.95 * members.std(0)[:3]).all()
    kept = letkf.analysed(members, Y, d, near, relaxation=1.0)
    np.testing.assert_allclose(kept.std(0), members.std(0), rtol=1e-10)
    np.testing.assert_allclose(kept.mean(0), made.mean(0), atol=1e-12)
    with pytest.raises(InputError, match="relaxation = 2"):
        letkf.analysed(members, Y, d, near, relaxation=2)


def lorenz(x, step=0.05):
    """A step of Runge and Kutta, forcing 8."""

    def rate(x):
        before, two, after = (np.roll(x, k, -1) for k in (1, 2, -1))
        return (after - two) * before - x + 8.0

    a = rate(x)
    b = rate(x + step / 2 * a)
    c = rate(x + step / 2 * b)
    return x + step / 6 * (a + 2 * b + 2 * c + rate(x + step * c))


def errors(N, inflation, radius, cycles=300, relaxation=0.0, adaptive=False, seed=3):
    """rms error of the mean, and spread, of analyses each step of Lorenz 1996 with 40 variables,
    all observed with errors of 1, after a hundred steps."""
    random = np.random.default_rng(seed)
    truth = random.standard_normal(40)
    for _ in range(400):
        truth = lorenz(truth)
    members = truth + random.standard_normal((N, 40))
    apart = np.abs((np.arange(40)[:, None] - np.arange(40) + 20) % 40 - 20)
    weight = gaspari_cohn(apart / (radius * np.sqrt(10 / 3)))
    error, spread = [], []
    for n in range(cycles):
        truth, members = lorenz(truth), lorenz(members)
        data, mean = truth + random.standard_normal(40), members.mean(0)
        members = mean + np.sqrt(inflation) * (members - mean)
        Y = members - mean
        if adaptive:
            shown = inflation * letkf.inflation_of(Y, data - mean, np.ones(40))
            inflation = letkf.adapted(inflation, shown)
        members = letkf.analysed(members, Y, data - mean, weight, relaxation)
        if n >= 100:
            error.append(np.sqrt(np.mean((members.mean(0) - truth) ** 2)))
            spread.append(np.sqrt(np.mean(members.var(0, ddof=1))))
    return np.mean(error), np.mean(spread)


def test_lorenz_1996():
    """Published: 0.22 with 7 members, inflation 1.04 and a radius of 4 (DAPPER's list of
    Sakov & Oke 2008), 0.18 with 28 members and no localisation. Without data errors are 3.6."""
    few, spread = errors(7, 1.04**2, 4.0)
    assert few < 0.25 and 0.7 < spread / few < 1.3
    many, spread = errors(24, 1.02**2, 8.0, cycles=200)
    assert many < 0.20 and 0.8 < spread / many < 1.3


@pytest.mark.parametrize("how", [{"relaxation": 0.3}, {"adaptive": True}])
def test_spread_is_kept_without_a_number_that_was_tuned(how):
    error, spread = errors(10, 1.0, 5.0, **how)
    assert error < 0.27 and 0.6 < spread / error < 1.4
