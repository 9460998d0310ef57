"""Background errors on the sphere: variances, correlations and adjoints."""

import numpy as np
import pytest

from fathom.assimilation import adjoint_error, spectral
from fathom.base import earth
from fathom.grids.transform import SphericalHarmonics

transform = SphericalHarmonics(31)
spectrum = spectral.correlation_spectrum(31, spectral.second_order(1.5e6, earth.RADIUS))
C = np.array([[4.0, 1.5], [1.5, 1.0]])


def made():
    return spectral.SpectralRoot(transform, spectrum, spectral.root_of(C))


def covariance_with(root, row, point, level):
    """A column of B on the grid: what belongs to one point and level."""
    fields = spectral.Fields(root)
    one = np.zeros((2, *transform.shape))
    one[level, row, point] = 1
    back = fields.apply(root.apply(root.adjoint(fields.adjoint(one.ravel()))))
    return back.reshape(2, *transform.shape)


@pytest.mark.parametrize("row", [1, 20, 40])
def test_variances_and_correlations_are_those_asked_for(row):
    """At any latitude, for the truncated correlation."""
    column = covariance_with(made(), row, 5, 0)
    assert column[:, row, 5] == pytest.approx(C[0], rel=1e-6)
    angle = np.radians(np.abs(transform.latitude - transform.latitude[row]))
    expected = spectral.second_order(1.5e6, earth.RADIUS)(angle) * C[0, 0]
    assert np.abs(column[0, :, 5] - expected).max() < 0.02 * C[0, 0]


@pytest.mark.parametrize("levels, modes", [(1, 2), (3, 3), (5, 4), (10, 10), (13, 7), (25, 30)])
def test_products_between_levels_are_those_of_each_degree(levels, modes):
    """As NumPy computes them, one real number after the other."""
    random, small = np.random.default_rng(1), SphericalHarmonics(5)
    V = random.standard_normal((6, levels, modes))
    root = spectral.SpectralRoot(small, None, V)
    x = random.standard_normal((36, modes))
    parts = root.apply(x.ravel()).reshape(small.waves, 2, levels)
    for wave, (m, n) in enumerate(zip(small.m, small.n)):
        if m == 0:
            assert parts[wave, 0] == pytest.approx(V[n] @ x[n * n], rel=1e-12, abs=1e-13)
            assert not parts[wave, 1].any()
        else:
            for part in (0, 1):
                expected = np.sqrt(0.5) * V[n] @ x[n * n + 2 * m - 1 + part]
                assert parts[wave, part] == pytest.approx(expected, rel=1e-12, abs=1e-13)
    y = random.standard_normal(parts.size)
    assert adjoint_error(root, x.ravel(), y) < 1e-13


def test_adjoints():
    random = np.random.default_rng(0)
    root = made()
    for value, gradient, count in ((True, False, 1), (False, True, 2), (True, True, 3)):
        map_ = spectral.Fields(root, value, gradient) @ root
        size = count * 2 * transform.shape[0] * transform.shape[1]
        x, y = random.standard_normal(root.controls), random.standard_normal(size)
        assert adjoint_error(map_, x, y) < 1e-13
    with pytest.raises(ValueError, match="T31 has 32"):
        spectral.SpectralRoot(transform, spectrum[:-1], np.eye(2))
