"""Plans without MPI: all ranks are virtual."""

import time

import numpy as np
import pytest

from fathom import _core
from halos import PLACES, TOPOLOGIES, depths, expected, named, owner_of, run_plan, topology

SHAPES = [(24, 14), (22, 9)]
CASES = [
    (kind, place, shape, block, ranks)
    for kind in TOPOLOGIES
    for place in PLACES
    for shape, block, ranks in [
        (SHAPES[0], (24, 14), 1),
        (SHAPES[0], (8, 5), 3),
        (SHAPES[1], (3, 3), 7),
        (SHAPES[1], (7, 4), 4),
    ]
]


@pytest.mark.parametrize("kind", TOPOLOGIES)
@pytest.mark.parametrize("place", PLACES)
def test_source(kind, place):
    nx, ny = 12, 7
    t = topology(kind, nx, ny)
    for j in range(-3, ny + 4):
        for i in range(-nx - 3, 2 * nx + 3):
            want = named(place, i + 1, j + 1, nx, ny, *TOPOLOGIES[kind])
            si, sj, inside, flipped = t.source(place, i, j)
            assert inside == (want is not None)
            if inside:
                assert (si, sj, -1 if flipped else 1) == (want[0] - 1, want[1] - 1, want[2])
                assert t.source(place, si, sj) == (
                    si,
                    sj,
                    True,
                    False,
                )  # an original is its own original


def numbered(d, halo, value):
    """Blocks of all ranks with value(i, j) at own points that are originals, nothing elsewhere."""
    return [[value(*b[1:5], halo) for b in d.blocks if b[5] == rank] for rank in range(d.ranks)]


@pytest.mark.parametrize("kind, place, shape, block, ranks", CASES)
@pytest.mark.parametrize("width", [1, 2])
def test_halo_shows_the_right_point(kind, place, shape, block, ranks, width):
    (nx, ny), halo = shape, 2
    wet = depths(nx, ny, seed=3, land=0.5)
    t = topology(kind, nx, ny)
    d = _core.decompose(t, wet.ravel(), ranks, *block, halo=halo)
    if block[0] < 5:
        assert (d.blocks[:, 5] < 0).any()  # dropped blocks are part of the test
    own = owner_of(d)
    identity = lambda i, j: 1.0 + i + 100 * j

    def fill(i0, j0, bx, by, halo):
        a = np.zeros((by + 2 * halo, bx + 2 * halo))
        for j in range(by):
            for i in range(bx):
                if t.source(place, i0 + i, j0 + j)[:2] == (i0 + i, j0 + j):
                    a[j + halo, i + halo] = identity(i0 + i, j0 + j)
        return a

    plan = _core.halo_plan(d, place, halo, width)
    for vector in (False, True):
        fields = numbered(d, halo, fill)
        run_plan(plan, fields, fields, vector)
        for rank in range(ranks):
            for a, b in zip(fields[rank], [b for b in d.blocks if b[5] == rank]):
                assert np.array_equal(
                    a,
                    expected(
                        place, b, halo, width, shape, *TOPOLOGIES[kind], own, vector, identity
                    ),
                )


@pytest.mark.parametrize("kind, place, shape, block, ranks", CASES)
def test_a_rank_sees_its_own_messages(kind, place, shape, block, ranks):
    d = _core.decompose(
        topology(kind, *shape), depths(*shape, seed=3, land=0.5).ravel(), ranks, *block
    )
    whole = _core.halo_plan(d, place, 2, 2).runs
    for rank in range(ranks):
        mine = whole[(whole[:, 0] == rank) | (whole[:, 1] == rank)]
        assert np.array_equal(
            mine, _core.halo_plan(d, place, 2, 2, rank).runs
        )  # in the same order on both sides


@pytest.mark.parametrize("kind, place, shape, block, ranks", CASES)
def test_adjoint(kind, place, shape, block, ranks):
    """<P x, y> = <x, P* y>: exact in integers."""
    d = _core.decompose(
        topology(kind, *shape), depths(*shape, seed=3, land=0.5).ravel(), ranks, *block
    )
    rng, halo = np.random.default_rng(1), 2
    some = lambda: numbered(
        d,
        halo,
        lambda i0, j0, bx, by, h: rng.integers(-9, 9, (by + 2 * h, bx + 2 * h)).astype(float),
    )
    none = lambda: numbered(d, halo, lambda i0, j0, bx, by, h: np.zeros((by + 2 * h, bx + 2 * h)))
    dot = lambda x, y: sum((a * b).sum() for xs, ys in zip(x, y) for a, b in zip(xs, ys))
    plan = _core.halo_plan(d, place, halo, 2)
    x, y, Px, back = some(), some(), none(), none()
    run_plan(plan, x, Px, vector=True)
    run_plan(plan.adjoint(), y, back, vector=True, add=True)
    assert dot(Px, y) == dot(x, back)
    assert np.array_equal(
        np.sort(plan.adjoint().adjoint().runs, axis=0), np.sort(plan.runs, axis=0)
    )


@pytest.mark.parametrize("kind", TOPOLOGIES)
@pytest.mark.parametrize("place", PLACES)
def test_gather(kind, place):
    (nx, ny), halo = (22, 9), 2
    t = topology(kind, nx, ny)
    d = _core.decompose(t, depths(nx, ny, seed=5, land=0.5).ravel(), 5, 4, 3)
    own = owner_of(d)
    chunks = [
        (i, j, min(10, nx - i), min(4, ny - j), (i + j) % 3)
        for j in range(0, ny, 4)
        for i in range(0, nx, 10)
    ]
    plan = _core.gather_plan(d, place, halo, chunks)
    source = numbered(
        d,
        halo,
        lambda i0, j0, bx, by, h: np.pad(
            1.0 + np.arange(i0, i0 + bx) + 100 * np.arange(j0, j0 + by)[:, None], h
        ),
    )
    target = [[np.zeros((c[3], c[2])) for c in chunks if c[4] == rank] for rank in range(5)]
    run_plan(plan, source, target, vector=True)
    at = [0] * 3
    for i0, j0, cx, cy, owner in chunks:
        got = target[owner][at[owner]]
        at[owner] += 1
        for j in range(cy):
            for i in range(cx):
                si, sj, _ = (
                    w - 1 if n < 2 else w
                    for n, w in enumerate(
                        named(place, i0 + i + 1, j0 + j + 1, nx, ny, *TOPOLOGIES[kind])
                    )
                )
                sign = named(place, i0 + i + 1, j0 + j + 1, nx, ny, *TOPOLOGIES[kind])[2]
                assert got[j, i] == (sign * (1.0 + si + 100 * sj) if own(si, sj) >= 0 else 0)


def test_thousands_of_ranks():
    """The scaling simulator prices plans for ranks that do not exist: 7500 blocks of 36 x 32 on as
    many ranks.
    """
    nx, ny = 3600, 2400
    d = _core.decompose(topology("tripolar", nx, ny), np.ones(nx * ny, np.int32), 7500, 36, 32)
    assert len(d.blocks) == 7500
    start = time.process_time()
    messages = _core.halo_plan(d, "center", 2, 2).messages
    assert time.process_time() - start < 2  # 0.3 s on an idle machine
    assert messages[:, 2].sum() == 7500 * (2 * 2 * (36 + 32) + 16) - 100 * 2 * (
        36 + 4
    )  # all halo points but the southern edge
    start = time.process_time()
    _core.halo_plan(d, "corner", 2, 2, rank=4711)
    assert time.process_time() - start < 0.1
