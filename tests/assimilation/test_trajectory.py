"""Tangent and adjoint of the spectral atmosphere and of shallow water along a trajectory."""

import numpy as np
import pytest

import small_trajectories
from fathom.assimilation import adjoint_error
from small_trajectories import followed

kinds = [
    ("primitive_equations", {}),
    ("primitive_equations", {"reduced": "classical", "physics": []}),
    ("shallow_water", {}),
]


@pytest.mark.parametrize("model, options", kinds)
def test_adjoint_is_the_transpose(model, options):
    trajectory, size = followed(model, 4, **options)
    M, random = trajectory.propagation(), np.random.default_rng(2)
    x, y = (random.standard_normal(trajectory.size) for _ in range(2))
    assert adjoint_error(M, x * size, y / size) < 1e-14
    forward, backward = M.apply(x * size) @ (y / size), (x * size) @ M.adjoint(y / size)
    assert forward == pytest.approx(backward, rel=1e-13)


def test_single_precision():
    trajectory, size = followed("primitive_equations", 2, precision="fp32")
    M, random = trajectory.propagation(), np.random.default_rng(8)
    x, y = (random.standard_normal(trajectory.size) for _ in range(2))
    assert adjoint_error(M, x * size, y / size) < 1e-6


@pytest.mark.parametrize("model, options", kinds)
def test_tangent_is_the_derivative(model, options):
    """Taylor's remainder falls as the perturbation does, down to 1e-7 of the tangent. A departure
    point that changes its cell makes a step in it: with this perturbation none does below 1e-3.
    """
    trajectory, size = followed(model, 4, **options)
    random = np.random.default_rng(6)
    smooth = trajectory.propagation(0)  # truncates
    d = smooth.apply(random.standard_normal(trajectory.size) * size)
    x, tangent = trajectory.vector(trajectory.first), trajectory.propagation().apply(d)
    here, remainders = trajectory.run(x, 4), []
    for step in (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5):
        change = (trajectory.run(x + step * d, 4) - here) / step - tangent
        remainders.append(np.linalg.norm(change / size) / np.linalg.norm(tangent / size))
    assert remainders[0] > 1e-4 and min(remainders) < 1e-7, remainders
    assert 7 < remainders[-3] / remainders[-2] < 12.5, remainders


def test_same_bits_on_ranks_and_threads(on_ranks):
    alone = on_ranks(1, small_trajectories, "bits")
    for ranks, threads in ((2, 2), (4, 1)):
        assert on_ranks(ranks, small_trajectories, "bits", threads=threads) == alone


def test_what_has_no_tangent_says_so():
    from fathom.assimilation.trajectory import Trajectory

    moist = small_trajectories.primitive_equations(tracers=["specific_humidity"])
    with pytest.raises(ValueError, match="tracers specific_humidity"):
        Trajectory(moist)
