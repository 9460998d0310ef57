"""Adjoints of the processes of an ocean, one after another: those of a step that have one."""

from itertools import pairwise

import numpy as np
import pytest

import sea_adjoints
import small_seas
from fathom.base.mpi import core


@pytest.fixture(scope="module")
def sea():
    return small_seas.sea()


def test_the_solve_is_its_own_adjoint(sea):
    """To 1e-13, also where the height that follows is the same to 1e-8 only."""
    solve = sea_adjoints.Part(sea, lambda p: p.name == "BarotropicSolve")
    error, _, backward = sea_adjoints.transposed(solve)
    assert error <= 1e-13
    assert np.abs(backward["barotropic_convergence"]).max() > 0
    assert (backward["sea_surface_height_increment"] == 0).all()  # the first guess


def test_adjoint_of_a_step_is_the_transpose(sea):
    """Motion, free surface, tracers: two steps with time levels that change places."""
    part = sea_adjoints.Part(sea)
    assert {
        "BarotropicDivergence",
        "BarotropicSolve",
        "BarotropicCorrection",
        "VolumeTransport",
        "PressureGradient",
        "MomentumAdvection",
        "ImplicitMomentum",
    } <= set(part.names)
    error, _, backward = sea_adjoints.transposed(part, 2)
    assert error <= 1e-12, error
    for name, values in backward.items():
        assert (values[:, part.depth == 0] == 0).all(), name


def test_tangent_of_a_step_is_the_derivative(sea):
    """Taylor's remainder falls tenfold with a tenth of the change."""
    part = sea_adjoints.Part(sea)
    start = core.FieldSet(part.fields)
    part.linear.follow(part.fields, 2)
    change = part.random(4)
    change.scale(1e-2)
    tangent = core.FieldSet(change)
    part.linear.tangent(tangent, 0, 2)

    def after(size):
        fields = core.FieldSet(start)
        fields.axpy(size, change)
        part.sequence.advance(fields, 2)
        return part.values(fields)["temperature"]

    here, ahead = after(0.0), part.values(tangent)["temperature"]
    found = [
        np.linalg.norm((after(size) - here) / size - ahead) / np.linalg.norm(ahead)
        for size in (1e-2, 1e-3, 1e-4)
    ]
    for larger, smaller in pairwise(found):
        assert 8 < larger / smaller < 12, found


@pytest.mark.parametrize(
    "ranks, threads",
    [(2, 2), *(pytest.param(*n, marks=pytest.mark.long) for n in ((3, 2), (4, 1)))],
)
def test_same_bits_on_ranks_and_threads(on_ranks, ranks, threads):
    alone = on_ranks(1, sea_adjoints, "bits")
    assert on_ranks(ranks, sea_adjoints, "bits", threads=threads) == alone
