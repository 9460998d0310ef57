"""Background errors of the sea: diffusion between wet cells, and the height that follows it."""

import numpy as np
import pytest

from fathom.assimilation import Cost, Matrix, Slot, adjoint_error, lanczos, sea


@pytest.fixture(scope="module")
def ocean():
    """Two basins of 2 degrees with a wall of land between them, four layers, a shelf."""
    longitude, latitude = np.meshgrid(np.arange(1.0, 60, 2), np.arange(-19.0, 20, 2))
    wet = np.full(longitude.shape, 4)
    wet[:, 15], wet[:, -1], wet[3:6, 3:6] = 0, 0, 2
    return sea.Sea(longitude, latitude, np.array([50.0, 100, 200, 400]), wet, periodic=False)


def test_correlations(ocean):
    """One on the diagonal; nothing beyond the wall; at a length D as Matern's function, and less
    farther off; the adjoint.
    """
    C = sea.Diffusion(ocean, 6e5, 150.0, samples=1000)
    unit = np.zeros(C.cells)
    unit[at := C.number[1, 10, 7]] = 1
    column = C.apply(C.adjoint(unit))
    field = lambda k, j, i: column[C.number[k, j, i]]
    assert field(1, 10, 7) == pytest.approx(1, abs=0.1)
    assert 0.95 > field(1, 10, 8) > field(1, 10, 9) > field(1, 10, 11) > 0
    assert field(1, 10, 16) == 0  # behind the wall
    assert 0 < field(3, 10, 7) < field(2, 10, 7) < field(1, 10, 7)
    random = np.random.default_rng(1)
    assert adjoint_error(C, *random.standard_normal((2, C.cells))) < 1e-13
    assert at >= 0


def test_normalisation_by_all_columns(ocean):
    small = sea.Sea(ocean.longitude[:6, :8], ocean.latitude[:6, :8], ocean.thickness[:2],
                    np.minimum(ocean.wet_levels[:6, :8], 2), periodic=False)  # fmt: skip
    C = sea.Diffusion(small, 5e5, 100.0, samples=0)
    diagonal = [np.sum(C.adjoint(unit) ** 2) for unit in np.eye(C.cells)]
    np.testing.assert_allclose(diagonal, 1, rtol=1e-12)


def test_height_tells_of_what_is_below(ocean):
    """One datum of the surface warms the column; the adjoint of the whole L; half the departure
    where errors are alike.
    """
    profile = np.array([1.0, 1.0, 0.7, 0.3])
    errors = sea.SeaErrors(profile, 0.1 * profile, 0.03, 5e5, 200.0, 5e5,
                           np.full(4, 2e-4), np.full(4, 7.6e-4))  # fmt: skip
    L = sea.SeaBackground(ocean, errors, samples=500)
    random = np.random.default_rng(2)
    assert adjoint_error(L, *random.standard_normal((2, ocean.size))) < 1e-13
    at = (np.array([10]), np.array([7]))
    H = sea.surface(ocean, at, "height")
    variance = float(np.sum(L.adjoint(H.T @ np.ones(1)) ** 2))
    found = lanczos(Cost(L, [Slot(np.array([0.1]), np.array([variance]), Matrix(H))]))
    T, S, eta = ocean.fields(found.increment)
    assert eta[10, 7] == pytest.approx(0.05, rel=1e-9)
    assert T[0, 10, 7] > 0.05 and S[0, 10, 7] < 0 and abs(T[:, 10, 20]).max() < 1e-12
    assert sea.columns(ocean, at, 4).shape == (8, ocean.size)
    there = ocean.vector(*ocean.fields(found.increment))
    np.testing.assert_array_equal(there, found.increment)


def test_mistakes(ocean):
    with pytest.raises(ValueError, match="steps = 5"):
        sea.Diffusion(ocean, 1e5, steps=5)
    with pytest.raises(ValueError, match="must be positive"):
        sea.Diffusion(ocean, 0.0)
