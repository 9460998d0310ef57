"""Tangent and adjoint of the spectral atmosphere, of shallow water and of a limited area along a
trajectory.
"""

import numpy as np
import pytest

import small_trajectories
from fathom.assimilation import adjoint_error
from fathom.assimilation.trajectory import Trajectory
from fathom.base.mpi import core
from small_trajectories import followed

kinds = [
    ("primitive_equations", {}),
    ("primitive_equations", {"reduced": "classical", "physics": []}),
    ("shallow_water", {}),
    ("moist", {}),
]
without_clipping = kinds[:3]
areas = [
    ("limited_area", {"upper_zone": 3e4}),
    ("limited_area", {"periodic": True}),
    ("compressible_area", {}),
]
kinds += [*areas, ("limited_area", {"tracers": ["dye"]})]


@pytest.mark.parametrize("model, options", kinds)
def test_adjoint_is_the_transpose(model, options):
    trajectory, size = followed(model, 4, **options)
    M, random = trajectory.propagation(), np.random.default_rng(2)
    x, y = (random.standard_normal(trajectory.size) for _ in range(2))
    assert adjoint_error(M, x * size, y / size) < 1e-14
    product = lambda a, b: float(np.sum(a.astype(np.longdouble) * b))
    forward, backward = (
        product(M.apply(x * size), y / size),
        product(x * size, M.adjoint(y / size)),
    )
    assert forward == pytest.approx(backward, rel=1e-13)


@pytest.mark.parametrize("model", ["primitive_equations", "shallow_water"])
def test_ways_to_keep_a_trajectory(model):
    """States alone give the same bits, of each step or of every second one, in less memory; in
    fp32 the transposition is as exact, the tangent that of a rounded state. Dual numbers and tapes
    give the same.
    """
    trajectory, size = followed(model, 3)
    M, random = trajectory.propagation(), np.random.default_rng(4)
    x, y = (random.standard_normal(trajectory.size) for _ in range(2))
    x, y, apart = x * size, y / size, lambda a, b: np.linalg.norm(a - b) / np.linalg.norm(b)
    kept, end = trajectory.linear, trajectory.vector()
    tangent, gradient = M.apply(x), M.adjoint(y)

    def follow_again(**how):
        trajectory.linear = core.LinearStepProgram(trajectory.sequence, **how)
        trajectory.restart()
        trajectory.follow(3)
        np.testing.assert_array_equal(trajectory.vector(), end)
        return M.apply(x), M.adjoint(y)

    for every in (1, 2):
        forth, back = follow_again(keep="states", every=every)
        np.testing.assert_array_equal(forth, tangent)
        np.testing.assert_array_equal(back, gradient)
        np.testing.assert_array_equal(M.apply(x), tangent)  # from the values computed last
    forth, back = follow_again(keep="fp32")
    assert trajectory.linear.bytes < 0.7 * kept.bytes
    assert adjoint_error(M, x, y) < 1e-14
    assert 1e-9 < apart(forth / size, tangent / size) < 1e-5
    assert apart(back * size, gradient * size) < 1e-5
    forth, back = follow_again(by_hand=False)
    assert apart(forth / size, tangent / size) < 1e-13
    assert apart(back * size, gradient * size) < 1e-13


def test_following_takes_the_steps_of_the_model():
    trajectory, _ = followed("primitive_equations", 3)
    alone = core.FieldSet(trajectory.first)
    for _ in range(3):
        trajectory._weigh(alone)
        trajectory.sequence.advance(alone, 1)
    np.testing.assert_array_equal(trajectory.vector(), trajectory.vector(alone))


@pytest.mark.parametrize("options", [{"physics": []}, {}])
def test_trajectory_is_that_of_the_simulation(options):
    """Over 120 steps from the same start, bit for bit, unforced and forced as by Held and
    Suarez.
    """
    simulation = small_trajectories.primitive_equations(**options).prepare()
    trajectory = Trajectory(simulation)
    simulation.fields.copy(trajectory.first)
    simulation.advance(120)
    trajectory.follow(120)
    np.testing.assert_array_equal(trajectory.vector(), trajectory.vector(simulation.fields))


def test_single_precision():
    trajectory, size = followed("primitive_equations", 2, precision="fp32")
    M, random = trajectory.propagation(), np.random.default_rng(8)
    x, y = (random.standard_normal(trajectory.size) for _ in range(2))
    assert adjoint_error(M, x * size, y / size) < 1e-6


@pytest.mark.parametrize("model, options", without_clipping)
def test_tangent_is_the_derivative(model, options):
    """Taylor's remainder falls as the perturbation does, down to 1e-7 of the tangent. A departure
    point that changes its cell makes a step in it: with this perturbation none does below 1e-3.
    """
    trajectory, size = followed(model, 4, **options)
    random = np.random.default_rng(6)
    smooth = trajectory.propagation(0)  # only truncates
    d = smooth.apply(random.standard_normal(trajectory.size) * size)
    x, tangent = trajectory.vector(trajectory.first), trajectory.propagation().apply(d)
    here, remainders = trajectory.run(x, 4), []
    for step in (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5):
        change = (trajectory.run(x + step * d, 4) - here) / step - tangent
        remainders.append(np.linalg.norm(change / size) / np.linalg.norm(tangent / size))
    assert remainders[0] > 1e-4 and min(remainders) < 1e-7, remainders
    assert 7 < remainders[-3] / remainders[-2] < 12.5, remainders


@pytest.mark.parametrize("model, options", areas)
def test_tangent_of_an_area(model, options):
    """The difference of two runs, down to 5e-7, where round-off begins: its points are closer, more
    of them change their cells.
    """
    trajectory, size = followed(model, 4, **options)
    d = trajectory.propagation(0).apply(
        np.random.default_rng(6).standard_normal(trajectory.size) * size
    )
    x, tangent = trajectory.vector(trajectory.first), trajectory.propagation().apply(d)
    here, errors = trajectory.run(x, 4), []
    for step in (1e-1, 1e-6):
        change = (trajectory.run(x + step * d, 4) - here) / step - tangent
        errors.append(np.linalg.norm(change / size) / np.linalg.norm(tangent / size))
    assert 1e-3 < errors[0] < 3e-2 and errors[1] < 5e-7, errors


def test_tangent_of_moist_air():
    """Tracers are clipped in the model alone: the effect of a small perturbation on moist air is
    the tangent, except at the few clipped points.
    """
    trajectory, size = followed("moist", 2)
    random = np.random.default_rng(7)
    d = trajectory.propagation(0).apply(random.standard_normal(trajectory.size) * size)
    x = trajectory.vector(trajectory.first)
    change = (trajectory.run(x + 1e-4 * d, 2) - trajectory.run(x - 1e-4 * d, 2)) / 2e-4
    tangent = trajectory.propagation().apply(d)
    error = np.abs(change - tangent) / size
    assert np.quantile(error, 0.9) < 1e-4 * np.std(tangent / size), error
    assert np.linalg.norm(error) < 0.2 * np.linalg.norm(tangent / size)


@pytest.mark.parametrize(
    "ranks, threads",
    [(2, 2), *(pytest.param(*n, marks=pytest.mark.long) for n in ((3, 2), (4, 1)))],
)
def test_same_bits_on_ranks_and_threads(on_ranks, ranks, threads):
    alone = on_ranks(1, small_trajectories, "bits")
    assert on_ranks(ranks, small_trajectories, "bits", threads=threads) == alone


@pytest.mark.parametrize("model", ["primitive_equations", "compressible_area"])
def test_more_threads_than_it_was_made_with(model):
    """Memory of threads is that of the start: more of them give the same bits, and stay within."""
    before = core.threads()
    try:
        trajectory, size = followed(model, 2)
        M, x = trajectory.propagation(), size * np.sin(np.arange(trajectory.size))
        alone = M.apply(x), M.adjoint(x), trajectory.run(x, 1)
        core.set_threads(8)
        for one, other in zip(alone, (M.apply(x), M.adjoint(x), trajectory.run(x, 1))):
            np.testing.assert_array_equal(one, other)
    finally:
        core.set_threads(before)


def test_what_has_no_tangent_says_so():
    from fathom.assimilation.trajectory import Trajectory

    with pytest.raises(ValueError, match="has no tangent; allowed are SpectralAtmosphere"):
        Trajectory(small_trajectories.shallow_water(scheme="eulerian"))
    with pytest.raises(ValueError, match="extrapolation = 'settls' .* has no tangent"):
        Trajectory(small_trajectories.compressible_area(extrapolation="settls", corrections=0))
    with pytest.raises(ValueError, match="keep = 'fp64'; allowed are 'all'"):
        Trajectory(small_trajectories.shallow_water(), keep="fp64")
