"""Background errors of a limited area, and 3D-Var with them: one datum, a twin, adjoints."""

from types import SimpleNamespace

import numpy as np
import pytest

from fathom.assimilation import Cost, Matrix, Slot, adjoint_error, area, lanczos
from fathom.base import mpi
from fathom.grids.levels import SigmaLevels
from fathom.grids.transform import BiFourier

f = 1.0e-4


@pytest.fixture(scope="module")
def plane():
    """80 x 64 points of 40 km, 6 levels, L = 250 km."""
    transform, levels = BiFourier((80, 64), 4e4), SigmaLevels(6)
    errors = area.AreaErrors(wind=3.0, temperature=1.0, length=2.5e5)
    return transform, area.AreaBackground(transform, levels.a, levels.b, f, errors)


def test_deviations(plane):
    """Of the wind and of unbalanced mass are those that were asked for; the adjoint."""
    transform, L = plane
    random = np.random.default_rng(1)
    draws = np.array([L.fields(L.apply(random.standard_normal(L.controls))) for _ in range(12)])
    wind = np.sqrt(np.mean(draws[:, : 2 * L.levels] ** 2))
    assert wind == pytest.approx(3.0, rel=0.05)
    assert np.sqrt(np.mean(draws[:, 2 * L.levels : 3 * L.levels] ** 2)) > 0.9
    x, y = random.standard_normal(L.controls), random.standard_normal(L.size)
    assert adjoint_error(L, x, y) < 1e-14
    with pytest.raises(ValueError, match="must be positive"):
        area.spectrum(transform, 0.0)


def test_correlation_is_that_of_its_length(plane):
    """(1 + r/L) exp(-r/L), except for the truncated part and the periodic images."""
    transform, _ = plane
    root = area.PlaneRoot(transform, area.spectrum(transform, 2.5e5), np.eye(1))
    at = lambda y: transform.inverse(root.coefficients(y))
    back = lambda field: root.adjoint(root.flat(transform.inverse_adjoint(field)))
    unit = np.zeros((1, *transform.shape))
    unit[0, 30, 40] = 1
    made = at(root.apply(back(unit)))[0, 30]
    r = 4e4 * np.arange(0, 20) / 2.5e5
    np.testing.assert_allclose(made[40:60], (1 + r) * np.exp(-r), atol=0.03)


def test_one_datum_of_pressure(plane):
    """Half the departure at its place; next to it the geostrophic wind of the geopotential, to 5 %
    on the three lowest layers, where nearly all is balanced.
    """
    transform, levels, K = plane[0], SigmaLevels(6), 6
    errors = area.AreaErrors(temperature=0.02, pressure=2.0, length=2.5e5)
    L = area.AreaBackground(transform, levels.a, levels.b, f, errors)
    H = np.zeros((1, L.size))
    points = int(np.prod(transform.shape))
    H[0, place := 3 * K * points + 32 * 80 + 40] = 1
    variance = np.sum(L.adjoint(H[0]) ** 2)
    slot = Slot(np.array([2e-3]), np.array([variance]), Matrix(H))
    found = lanczos(Cost(L, [slot]), iterations=20, tolerance=1e-12)
    assert found.increment[place] == pytest.approx(1e-3, rel=1e-9)
    made = L.fields(found.increment)
    reference = mpi.core.hybrid_reference(list(map(float, levels.a)), list(map(float, levels.b)))
    gamma = np.asarray(reference["gamma"]).reshape(K, K)
    T = np.tensordot(gamma, made[2 * K : 3 * K], 1)
    phi = T + 287.0 * 280 * made[-1]
    v, slope = made[K : 2 * K, 32, 43], (phi[:, 32, 44] - phi[:, 32, 42]) / 8e4
    np.testing.assert_allclose(v[3:], slope[3:] / f, rtol=0.05)
    assert (v[3:] < 0).all()  # to the east of a high


def test_columns_of_a_twin(plane):
    """From 150 columns the analysis has three quarters of the error, or less, of the background."""
    transform, L = plane
    random, points = np.random.default_rng(4), int(np.prod(transform.shape))
    truth = L.apply(random.standard_normal(L.controls))
    j, i = random.uniform(0, 63, 150), random.uniform(0, 79, 150)
    j0, i0, t, s = np.floor(j).astype(int), np.floor(i).astype(int), j % 1, i % 1
    corner = [(j0 + a) % 64 * 80 + (i0 + b) % 80 for a in (0, 1) for b in (0, 1)]
    weight = [(a * t + (1 - a) * (1 - t)) * (b * s + (1 - b) * (1 - s))
              for a in (0, 1) for b in (0, 1)]  # fmt: skip
    H = area.columns(
        SimpleNamespace(index=np.stack(corner, 1), weight=np.stack(weight, 1)), points, L.levels
    )
    sizes = np.repeat([1.0] * (2 * L.levels) + [0.5] * L.levels + [5e-4], 150)
    y = H.apply(truth) + sizes * random.standard_normal(len(sizes))
    found = lanczos(Cost(L, [Slot(y, sizes**2, H)]), iterations=25, tolerance=1e-4)
    left = L.fields(found.increment - truth)
    for part in (slice(0, 2 * L.levels), slice(2 * L.levels, 3 * L.levels)):
        whole = L.fields(truth)[part]
        assert np.sqrt(np.mean(left[part] ** 2)) < 0.75 * np.sqrt(np.mean(whole**2))
