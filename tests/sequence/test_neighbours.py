"""Tangents and adjoints of sequences with schemes that look at neighbours: across coasts, blocks,
the periodic edge and the fold.
"""

import numpy as np
import pytest

import neighbours
import small
from fathom.base.mpi import core
from program import Program


@pytest.mark.parametrize("name", neighbours.schemes())
def test_adjoint_is_the_transpose(name):
    """To 1e-14 of the sum of the magnitudes of all terms; no adjoint on land. Random numbers at all
    own points: both points of the seam, coasts, columns of one level.
    """
    found = neighbours.of_scheme(name, blocks=(8, 6))
    assert found["error"] <= 1e-14, found
    assert found["land"] == 0


def test_bits_on_blocks_ranks_and_threads(on_ranks):
    alone = neighbours.hashes()
    other = neighbours.hashes((5, 7), every=4)
    assert other == {name: alone[name] for name in other} and len(other) > 5
    some = {name: alone[name] for name in neighbours.schemes()[::12]}
    asked = "blocks=[6, 5]", "every=12"
    assert on_ranks(3, neighbours, "hashes", *asked, threads=2) == some


def matrix(linear, s, name, steps, adjoint):
    """What becomes of the unit changes of a field of one level, columns of a matrix."""
    where, columns = small.domain(), []
    for n in range(small.ny * small.nx):
        change = core.FieldSet(s.sequence)
        unit = np.zeros((small.nz, small.ny, small.nx))
        unit[0].flat[n] = 1
        change.put(name, 0, unit)
        (linear.adjoint if adjoint else linear.tangent)(change, 0, steps)
        columns.append(small.gather(change, where, name)[0].ravel())
    return np.array(columns)


def test_matrix_of_a_laplacian():
    """Against the Laplacian of small.py, written in NumPy: both matrices, with a rotation of time
    levels, and a process that runs in every second step.
    """
    processes = [
        small.laplacian("now", "laplacian"),
        small.add("laplacian", "later"),
        small.add("now", "later"),
    ]
    slow = small.add("laplacian", "slow")
    slow.every = 2
    processes += [slow, small.add("slow", "later")]
    s = small.sequence(processes, keep=["laplacian"], rotate=[["now", "later"]])
    linear = core.LinearStepProgram(s.sequence)
    linear.follow(s.fields_, 3)
    forward, backward = (matrix(linear, s, "now", 3, a) for a in (False, True))
    water = (small.wet > 0).ravel()
    L = np.array(
        [
            small.laplacian_of(np.eye(water.size)[n].reshape(1, small.ny, small.nx))[0].ravel()
            for n in range(water.size)
        ]
    ).T
    L[~water] = 0
    one = np.diag(water.astype(float))
    now, later, kept = one, np.zeros_like(one), np.zeros_like(one)
    for step in range(3):
        laplacian = L @ now
        if step % 2 == 0:
            kept = kept + laplacian
        now, later = later + laplacian + now + kept, now
    np.testing.assert_allclose(forward.T[:, water], now[:, water], atol=1e-14)
    np.testing.assert_allclose(backward[water], now[water], atol=1e-14)


def test_bits_of_wide_rows(monkeypatch):
    """Rows of more slots than a cache holds: the bits of narrow blocks."""
    nz, ny, nx = 50, 9, 300
    random = np.random.default_rng(2)
    wet = random.integers(0, nz + 1, (ny, nx))
    wet[-1, [0, nx // 2 - 1, nx // 2, nx - 1]] = 0  # the poles of the grid are land
    for name, value in {"nz": nz, "ny": ny, "nx": nx, "wet": wet}.items():
        monkeypatch.setattr(small, name, value)
    given, found = random.standard_normal((nz, ny, nx)), []
    for blocks in ((300, 9), (40, 5)):
        where = small.domain(blocks)
        s = small.sequence([small.laplacian("a", "b"), small.add("b", "a")], where, keep=["b"])
        linear = core.LinearStepProgram(s.sequence)
        linear.follow(s.fields_, 1)
        gradient = core.FieldSet(s.sequence)
        for block, (j, i, my, mx) in enumerate(where.blocks):
            gradient.put("a", block, given[:, j : j + my, i : i + mx].copy())
        linear.adjoint(gradient, 0, 1)
        found.append(small.gather(gradient, where, "a"))
    assert np.abs(found[0]).max() > 1
    np.testing.assert_array_equal(*found)


def test_wide_rows_against_a_scatter():
    measured = core.MeasuredSums(400, 20, 40)
    measured.sums()
    measured.scatter()
    assert measured.difference <= 1e-14


@pytest.mark.parametrize("every", [1, 2])
def test_states_alone_give_the_same_bits(every):
    s = neighbours.program("UpwindAdvection", small.domain((8, 6)))
    neighbours.fill(s)
    start = core.FieldSet(s.fields_)
    found = []
    for options in ({}, {"keep": "states", "every": every}):
        s.fields_.copy(start)
        s.count = 0
        linear = core.LinearStepProgram(s.sequence, **options)
        linear.follow(s.fields_, 4)
        gradient = core.FieldSet(s.sequence)
        neighbours.vary(s, small.domain((8, 6)), gradient, 2)
        linear.adjoint(gradient, 0, 4)
        found.append(neighbours.values(s, small.domain((8, 6)), gradient))
    for name, one in found[0].items():
        np.testing.assert_array_equal(one, found[1][name], err_msg=name)


def test_following_takes_the_steps_of_the_sequence():
    """Halos are exchanged elsewhere than in a step of the sequence: the same bits."""
    s = neighbours.program("UpwindAdvection", small.domain((8, 6)))
    neighbours.fill(s)
    alone = core.FieldSet(s.fields_)
    core.LinearStepProgram(s.sequence).follow(s.fields_, 3)
    s.sequence.advance(alone, 3)
    for name in s.state:
        for one, other in zip(s.fields_.windows(name), alone.windows(name)):
            np.testing.assert_array_equal(one, other, err_msg=name)


def test_what_has_no_adjoint_says_so():
    least = core.process("TimeMinimum")
    s = Program(small.domain(), [least], 8, keep=["value", "statistic"])
    linear = core.LinearStepProgram(s.sequence)
    linear.follow(s.fields_, 1)
    with pytest.raises(ValueError, match="TimeMinimum has no adjoint"):
        linear.adjoint(core.FieldSet(s.sequence), 0, 1)
