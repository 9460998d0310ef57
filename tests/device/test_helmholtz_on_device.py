"""The Helmholtz equation of a grid-point atmosphere on a device: every bit is the processor's, and
of its arrays only sums return, on one rank; on several also what other ranks need.
"""

from pathlib import Path

import pytest

import computers
import fathom as fm
import small_planes
import small_spheres
from fathom.base.mpi import core

sphere, plane = small_spheres.turning, small_planes.bubble
cases_of = {
    "separable-lines": (sphere, {}),
    "separable-lines, fp32": (sphere, {"precision": "fp32"}),
    "separable": (sphere, {"preconditioner": "separable", "solver_precision": "fp32"}),
    "lines": (sphere, {"preconditioner": "lines", "solver": "bicgstab"}),
    "multigrid": (sphere, {"preconditioner": "multigrid", "blocks": [7, 5]}),
    "a matrix that stays": (plane, {"blocks": [13, 3]}),
    "joined rows": (plane, {"walls": False, "precision": "fp32"}),
    "area": (small_spheres.around_the_axis, {}),
    "seven points": (sphere, {"nx": 28}),
    "convolution": (sphere, {"nx": 34, "precision": "fp32"}),
    "odd rows": (plane, {"nx": 27}),
    "odd rows, convolution": (plane, {"nx": 17, "ny": 4, "precision": "fp32"}),
}


def advanced(make, options, device, steps=2):
    s = make(**options)
    s.parallel["device"] = device
    s.prepare().advance(steps)
    return s, s.find(core.HelmholtzSolve)


@pytest.mark.parametrize("name", cases_of)
def test_same_bits(name):
    found = []
    for device in (None, computers.name):
        s, solve = advanced(*cases_of[name], device)
        found.append((s.checksum(), solve.iterations, solve.residual))
    assert found[0] == found[1]
    assert "HelmholtzSolve" not in ", ".join(dict(s.describe()[1])["device"][1:])


@pytest.mark.parametrize(
    "ranks, cases",
    [
        pytest.param(2, (), marks=pytest.mark.long),
        pytest.param(3, ("separable-lines", "multigrid"), marks=pytest.mark.long),
        pytest.param(5, ("fewer modes than ranks",), marks=pytest.mark.long),
    ],
)
def test_several_ranks(on_ranks, ranks, cases):
    found = on_ranks(ranks, Path(__file__).with_name("helmholtz_on_ranks.py"), *cases)
    assert found
    for name, (here, there, left) in found.items():
        assert here == there, name
        assert "HelmholtzSolve" not in left


def test_only_sums_return():
    """More iterations, and hardly more bytes."""
    device, travelled, iterations = fm.model.device.open(computers.name), [], []
    for tolerance in (1e-2, 1e-9):
        s, solve = advanced(sphere, {"tolerance": tolerance}, computers.name)
        before = device.travelled, solve.iterations
        s.advance(1)
        travelled.append(device.travelled - before[0])
        iterations.append(solve.iterations - before[1])
    more = iterations[1] - iterations[0]
    field = 24 * 16 * 8 * 8  # bytes
    assert more > 10 and travelled[1] - travelled[0] < more * field / 20
