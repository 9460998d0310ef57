"""Covariances of an ensemble, alone and with others: against dense algebra, and on the sphere."""

import numpy as np
import pytest

from fathom.assimilation import Cost, Matrix, Slot, adjoint_error, ensembles, lanczos
from fathom.assimilation.maps import Ensemble, Hybrid
from fathom.grids.transform import SphericalHarmonics

pressure = np.array([2e4, 5e4, 9e4])


@pytest.fixture(scope="module")
def localisation():
    return ensembles.AirLocalisation(SphericalHarmonics(21), pressure, 3e6, 1.0)


def test_full_rank_is_the_kalman_filter():
    """Without localisation and with more members than numbers of the state, EnVar is the Kalman
    filter with their covariance; a hybrid that with the sum of both.
    """
    random, n, p = np.random.default_rng(2), 12, 7
    members = random.standard_normal((40, n)) @ random.standard_normal((n, n))
    B, H, R = np.cov(members.T), random.standard_normal((p, n)), random.uniform(0.5, 2, p)
    d, S = random.standard_normal(p), random.standard_normal((n, n))
    static = Matrix(S)
    static.controls = n
    of_day = ensembles.background_of(members)
    for L, P in ((of_day, B), (Hybrid((0.3, static), (0.7, of_day)), 0.3 * S @ S.T + 0.7 * B)):
        found = lanczos(Cost(L, [Slot(d, R, Matrix(H))]), iterations=60, tolerance=1e-13)
        gain = P @ H.T @ np.linalg.inv(H @ P @ H.T + np.diag(R))
        np.testing.assert_allclose(found.increment, gain @ d, atol=1e-9 * np.abs(gain @ d).max())
    with pytest.raises(ValueError, match="not negative"):
        Hybrid((-1.0, static))


def test_gaspari_cohn():
    r = np.array([0, 0.5, 1, 1.5, 2, 3])
    made = ensembles.gaspari_cohn(r)
    assert made[0] == 1 and made[2] == pytest.approx(5 / 24) and (np.diff(made[:5]) < 0).all()
    assert abs(made[4]) < 1e-14 and made[5] == 0


def test_localisation_on_the_sphere(localisation):
    """Its diagonal is 1; it is 0 at twice its length, except for truncation; the
    adjoint; one column of an ensemble's covariance is cut off there.
    """
    transform, random = SphericalHarmonics(21), np.random.default_rng(1)
    points = int(transform.inside.sum())
    unit = np.zeros(10 * points)
    unit[at := points + 16 * transform.shape[1]] = 1  # eastward wind of the middle layer
    column = localisation.apply(localisation.adjoint(unit)).reshape(10, points)
    assert column[1, at - points] == pytest.approx(1, abs=1e-6)
    np.testing.assert_allclose(column[1], column[7], atol=1e-12)  # wind and temperature alike
    opposite = 16 * transform.shape[1] + transform.shape[1] // 2
    assert abs(column[1, opposite]) < 0.01 and abs(column[0, at - points]) < 0.7
    x = random.standard_normal(localisation.controls)
    assert adjoint_error(localisation, x, random.standard_normal(10 * points)) < 1e-14
    members = random.standard_normal((5, 10 * points))
    L = ensembles.background_of(members, localisation)
    assert isinstance(L, Ensemble) and L.controls == 5 * localisation.controls
    made = L.apply(L.adjoint(unit))
    sample = np.cov(members.T[[at, at + 3 * points]])
    assert made[at] == pytest.approx(sample[0, 0], rel=1e-5)


def test_spread_is_inflated_by_its_factor():
    members = np.random.default_rng(0).standard_normal((6, 50))
    made = ensembles.inflated(members, 1.3)
    np.testing.assert_allclose(made.std(0), 1.3 * members.std(0))
    np.testing.assert_allclose(made.mean(0), members.mean(0), atol=1e-14)
