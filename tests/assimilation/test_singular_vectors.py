"""Singular vectors by Lanczos against a dense decomposition, at T5L3."""

import numpy as np
import pytest

from fathom.assimilation import adjoint_error
from fathom.assimilation.singular_vectors import EnergyRoot, growth, singular_vectors
from fathom.grids.transform import SphericalHarmonics
from small_trajectories import followed


@pytest.fixture(scope="module")
def window():
    trajectory, _ = followed(
        "primitive_equations", 3, truncation=5, levels=3, mountain=0.0, step="3600s"
    )
    transform = SphericalHarmonics(5, trajectory.model.grid.rows)
    return trajectory, EnergyRoot(transform, np.diff(trajectory.model.grid.levels.b))


def test_coordinates_have_length_one_in_energy(window):
    _, root = window
    random = np.random.default_rng(5)
    x, y = random.standard_normal(root.controls), random.standard_normal(root.waves.size)
    assert adjoint_error(root, x, y) < 1e-14
    state = root.apply(x)
    assert state @ (root.weights() * state) == pytest.approx(x @ x, rel=1e-12)


def test_lanczos_finds_the_dense_vectors(window):
    trajectory, root = window
    A = growth(trajectory, root)
    dense = np.array([A.apply(e) for e in np.eye(root.controls)]).T
    left, values, right = np.linalg.svd(dense)
    found = singular_vectors(trajectory, root, 4)
    assert found.values == pytest.approx(values[:4], rel=1e-10)
    weights = root.weights()
    for n in range(4):
        initial = np.abs(found.initial[n] @ (weights * root.apply(right[n])))
        assert initial == pytest.approx(1, rel=1e-6)
        final = found.final[n] @ (weights * found.final[n])
        assert np.sqrt(final) == pytest.approx(found.values[n], rel=1e-10)
        assert np.abs((np.sqrt(weights) * found.final[n]) @ left[:, n]) == pytest.approx(
            values[n], rel=1e-6
        )


@pytest.mark.long
def test_energy_at_the_end_of_a_part_of_the_earth(window):
    """The local projection, north of the equator: sigma of the dense vectors, the energy there at
    the end, less than without it.
    """
    trajectory, root = window
    transform = root.waves.transform
    north = np.broadcast_to(np.asarray(transform.latitude)[:, None] > 0, transform.shape)
    A = growth(trajectory, root, north)
    dense = np.array([A.apply(e) for e in np.eye(root.controls)]).T
    found = singular_vectors(trajectory, root, 2, inside=north)
    assert found.values == pytest.approx(np.linalg.svd(dense)[1][:2], rel=1e-10)
    for sigma, final in zip(found.values, found.final):
        there = np.sqrt(final @ (root.weights(north) * final))
        assert there == pytest.approx(sigma, rel=1e-10)
        assert there < np.sqrt(final @ (root.weights() * final))
    assert found.values[0] < singular_vectors(trajectory, root, 1).values[0]


def test_growth_is_that_of_the_model(window):
    """A pair of runs with a small perturbation added and subtracted: within 1 percent."""
    trajectory, root = window
    found = singular_vectors(trajectory, root, 1)
    x, d = trajectory.vector(trajectory.first), 1e-2 * found.initial[0]
    steps = trajectory.steps
    pair = (trajectory.run(x + d, steps) - trajectory.run(x - d, steps)) / 2
    energy = lambda v: np.sqrt(v @ (root.weights() * v))
    assert energy(pair) / energy(d) == pytest.approx(found.values[0], rel=0.01)
