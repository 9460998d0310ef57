"""Blocks, owners and their estimated work."""

import itertools

import numpy as np
import pytest

from fathom import _core
from halos import TOPOLOGIES, depths, topology


def longest(t, wet, ranks, i_cuts, j_cuts, owners):
    return max(_core.arrange(t, wet, ranks, i_cuts, j_cuts, owners).load)


def cuts(n, pieces, unit=1):
    for c in itertools.combinations(range(unit, n, unit), pieces - 1):
        yield [0, *c, n]


def uniform(n, size):
    return [*range(0, n, size), n]


def pieces(n, k):
    """All ways to cut a list of n into k consecutive pieces."""
    for c in itertools.combinations(range(1, n), k - 1):
        yield np.repeat(np.arange(k), np.diff([0, *c, n]))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_within_two_percent_of_the_best(seed, ranks):
    """Against every processor grid with cuts at multiples of 16 columns and every way to deal out
    uniform blocks row by row; the curve's choices come on top, so the choice may be better than the
    best found here."""
    nx, ny = 96, 15
    t, wet = topology("periodic", nx, ny), depths(nx, ny, seed).ravel()
    best = np.inf
    for px in range(1, ranks + 1):
        if ranks % px == 0:
            for i in cuts(nx, px, 16):
                for j in cuts(ny, ranks // px):
                    d = _core.arrange(t, wet, ranks, i, j, list(range(ranks)))
                    if (d.blocks[:, 5] >= 0).all():
                        best = min(best, max(d.load))
    for bx, by in itertools.product((16, 32, 48), (4, 5, 8, 15)):
        i, j = uniform(nx, bx), uniform(ny, by)
        water = np.flatnonzero(
            _core.arrange(t, wet, 1, i, j, [0] * (len(i) - 1) * (len(j) - 1)).blocks[:, 5] >= 0
        )
        if ranks <= len(water) <= 14:
            for owners in pieces(len(water), ranks):
                full = np.zeros((len(i) - 1) * (len(j) - 1), int)
                full[water] = owners
                best = min(best, longest(t, wet, ranks, i, j, full.tolist()))
    chosen = _core.decompose(t, wet, ranks)
    assert max(chosen.load) <= 1.02 * best


@pytest.mark.parametrize("kind", TOPOLOGIES)
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 7, 40])
@pytest.mark.parametrize("distribution", ["auto", "cartesian", "space-filling", "rake"])
def test_all_water_is_owned_once(kind, ranks, distribution):
    nx, ny = 98, 45
    wet = depths(nx, ny, seed=ranks, land=0.5)
    d = _core.decompose(topology(kind, nx, ny), wet.ravel(), ranks, distribution=distribution)
    count = np.zeros((ny, nx), int)
    for _, i0, j0, bx, by, owner in d.blocks:
        count[j0 : j0 + by, i0 : i0 + bx] += 1
        assert (owner < 0) == (not wet[j0 : j0 + by, i0 : i0 + bx].any())
    assert (count == 1).all()
    assert sorted({b[5] for b in d.blocks} - {-1}) == list(range(ranks))  # no rank is idle
    assert 1 <= d.imbalance < (1.15 if ranks < 7 else 1.5)
    same = _core.arrange(
        d.topology, wet.ravel(), ranks, d.i_cuts, d.j_cuts, d.blocks[:, 5].tolist()
    )
    assert same.load == d.load
    assert f"on {ranks} rank" in d.describe()


def test_curve_keeps_neighbours_together():
    """Each rank's part of the curve is compact: fewer points to exchange than in rows of blocks."""
    t, wet = topology("periodic", 256, 256), np.ones(256 * 256, np.int32)
    sent = {}
    for distribution in ("cartesian", "space-filling"):
        d = _core.decompose(t, wet, 16, 16, 16, distribution=distribution)
        m = _core.halo_plan(d, "center").messages
        sent[distribution] = m[m[:, 0] != m[:, 1], 2].sum()
    assert (
        sent["space-filling"] < 0.6 * sent["cartesian"]
    )  # squares of 4 x 4 blocks: half the border of 16 x 1


def test_given_blocks():
    wet = np.ones((20, 30), np.int32)
    d = _core.decompose(topology("closed", 30, 20), wet.ravel(), 2, 8, 6)
    assert d.i_cuts == [0, 8, 16, 24, 30] and d.j_cuts == [0, 6, 12, 18, 20]
    assert "4 x 4 blocks of 6-8 x 2-6 points, on 2 ranks" in d.describe()
    assert (
        _core.decompose(topology("closed", 30, 20), wet.ravel(), 2, block_nx=8).i_cuts == d.i_cuts
    )


def test_one_block_a_rank():
    """Whole rows of a Gaussian grid whose rows are shorter towards the poles, or squares: even work
    in both.
    """
    ny, nx = 48, 96
    rows = 20 + np.minimum(np.arange(ny), np.arange(ny)[::-1]) * 76 // 23
    wet = 10 * (np.arange(nx) < rows[:, None]).astype(np.int32)
    for distribution, columns, uneven in (
        ("north-south", 1, 1.15),
        ("square", 2, 1.3),
    ):  # one lattice of cuts: rows are short, so blocks in the east have less work
        d = _core.decompose(
            _core.Topology(nx, ny, True, False), wet.ravel(), 6, distribution=distribution, halo=0
        )
        assert (len(d.i_cuts), len(d.j_cuts), len(d.blocks)) == (columns + 1, 6 // columns + 1, 6)
        assert d.imbalance < uneven
    with pytest.raises(
        ValueError,
        match=(
            "1 x 49 blocks, 'north-south' on 49 ranks, do not fit into 96 x 48 points; 'square'"
            " allows more"
        ),
    ):
        _core.decompose(
            _core.Topology(nx, ny, True, False), wet.ravel(), 49, distribution="north-south", halo=0
        )
    with pytest.raises(ValueError, match="blocks of 8 x 8 points were asked for"):
        _core.decompose(
            _core.Topology(nx, ny, True, False), wet.ravel(), 4, 8, 8, distribution="square", halo=0
        )


@pytest.mark.parametrize("ranks", [1, 2, 3, 7, 16, 64, 250])
def test_regions_of_equal_area(ranks):
    """Caps and collars: each rank has neighbouring pieces of one collar, of even work; full rows
    and such as are shorter towards the poles.
    """
    ny, nx = 80, 160
    shorter = 20 + np.minimum(np.arange(ny), np.arange(ny)[::-1]) * 140 // 39
    for rows, uneven in ((np.full(ny, nx), 1.5), (shorter, 1.8)):
        wet = 10 * (np.arange(nx) < rows[:, None]).astype(np.int32)
        d = _core.decompose(
            _core.Topology(nx, ny, True, False),
            wet.ravel(),
            ranks,
            distribution="equal-area",
            halo=0,
        )
        own = [[b for b in d.blocks if b[5] == rank] for rank in range(ranks)]
        for pieces in own:
            assert len({(b[2], b[4]) for b in pieces}) == 1  # of one collar
            assert all(a[1] + a[3] == b[1] for a, b in itertools.pairwise(pieces))
        points = [sum(wet[b[2] : b[2] + b[4], b[1] : b[1] + b[3]].sum() for b in p) for p in own]
        assert max(points) < uneven * np.mean(points) and min(points) > 0
        if ranks > 2:
            caps = [len(own[rank]) and own[rank][0] for rank in (0, ranks - 1)]
            assert caps[0][2] == 0 and caps[1][2] + caps[1][4] == ny


def test_errors():
    wet = np.ones((6, 9), np.int32)
    t = topology("closed", 9, 6)
    with pytest.raises(
        ValueError,
        match=(
            r"7 ranks are more than .* has 6 of 3 x 3 points, the smallest possible; use at most 6"
            r" ranks"
        ),
    ):
        _core.decompose(t, wet.ravel(), 7)
    with pytest.raises(
        ValueError, match=r"3 ranks .* has 2 of 9 x 3 points; use at most 2 ranks or smaller blocks"
    ):
        _core.decompose(t, wet.ravel(), 3, 9, 3)
    with pytest.raises(ValueError, match="'space-filing'; did you mean 'space-filling'"):
        _core.decompose(t, wet.ravel(), 1, distribution="space-filing")
    with pytest.raises(ValueError, match="no water"):
        _core.decompose(t, 0 * wet.ravel(), 1)
    with pytest.raises(ValueError, match="53 values for 9 x 6"):
        _core.decompose(t, wet.ravel()[1:], 1)
    with pytest.raises(ValueError, match="even number of columns"):
        _core.decompose(_core.Topology(9, 6, True, True), wet.ravel(), 1)


def test_many_ranks():
    wet = depths(1800, 1200, seed=2, levels=40)
    d = _core.decompose(topology("periodic", 1800, 1200), wet.ravel(), 1000)
    assert d.imbalance < 1.25
