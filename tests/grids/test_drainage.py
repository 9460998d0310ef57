"""Ways of water over land: by what each cell must have, whatever the algorithm; great basins."""

import numpy as np
import pytest

import river_basins
from fathom.grids import drainage

latitude, longitude = np.arange(-84.0, 85, 12), np.arange(6.0, 360, 12)


@pytest.fixture(scope="module")
def random():
    rng = np.random.default_rng(4)
    height = rng.integers(0, 40, (15, 30)).astype(float)  # with flats
    land = rng.random((15, 30)) < 0.8
    return height, land, drainage.drainage(height, land, latitude, longitude)


def around(shape, j, i):
    """Neighbours of a cell, over the date line, not over poles."""
    for north, east in drainage.AROUND:
        if 0 <= j + north < shape[0]:
            yield j + north, (i + east) % shape[1]


def lowest_pass(height, land):
    """The least height to which water in each cell must rise to reach the sea: the fixed point of
    z' = max(z, least z' around), by repetition.
    """
    level = np.where(land, np.inf, -np.inf)
    for _ in range(land.size):
        before = level.copy()
        for j, i in np.argwhere(land):
            level[j, i] = max(height[j, i], min(before[n] for n in around(land.shape, j, i)))
        if np.array_equal(level, before):
            return level
    raise AssertionError("no fixed point")


def test_water_reaches_the_sea_over_the_lowest_pass(random):
    """Each cell's way never rises above the lowest pass, goes to neighbours, and ends at a sea."""
    height, land, ways = random
    level = lowest_pass(height, land).ravel()
    place = {cell: k for k, cell in enumerate(ways.cells.tolist())}
    assert sorted(place) == np.flatnonzero(land).tolist()
    for k, start in enumerate(ways.cells.tolist()):
        cell, steps = start, 0
        while ways.next[place[cell]] >= 0:
            to = int(ways.cells[ways.next[place[cell]]])
            assert divmod(to, 30) in list(around(land.shape, *divmod(cell, 30)))
            assert level[to] <= level[cell] <= level[start]
            cell, steps = to, steps + 1
            assert steps < land.size
        sea = int(ways.sea[place[cell]])
        assert not land.ravel()[sea] and ways.sea[k] == (sea if cell == start else -1)
        assert divmod(sea, 30) in list(around(land.shape, *divmod(cell, 30)))


def test_all_that_falls_is_drained(random):
    _, _, ways = random
    total = ways.drained(ways.area)
    assert total[ways.next < 0].sum() == pytest.approx(ways.area.sum(), rel=1e-14)
    assert (total >= ways.area).all()


def test_down_the_steepest_slope():
    """On a plane that falls eastward and, less, northward, water flows east; lengths are those on
    the sphere.
    """
    j, i = np.indices((15, 30))
    land = (i > 5) & (i < 20) & (j > 2) & (j < 12)
    ways = drainage.drainage(1000.0 - 20 * i - 2 * j, land, latitude, longitude)
    row, column = np.divmod(ways.cells, 30)
    inside = (column < 19) & (row > 3) & (row < 11) & (column > 6)
    assert np.array_equal(ways.cells[ways.next[inside]], ways.cells[inside] + 1)
    arc = 6371e3 * np.deg2rad(12) * np.cos(np.deg2rad(latitude[row[inside]]))
    assert ways.length[inside] == pytest.approx(arc, rel=1e-3)


def test_along_a_carved_valley():
    """A basin behind walls overflows in the west; a valley drains it to the east."""
    j, i = np.indices((15, 30))
    land = (i > 5) & (i < 20) & (j > 2) & (j < 12)
    height = np.where(i == 15, 500.0, 100.0 - i)
    height[(j == 3) | (j == 11)] = 600.0
    height[4:11, 6] = 300.0
    path = (longitude[10], latitude[7]), (longitude[20], latitude[7])
    carved = drainage.carved(
        height, land, latitude, longitude, (drainage.Valley("a", "a test", path),)
    )
    assert carved[7, 15] == height[7, 14] and np.array_equal(carved[j != 7], height[j != 7])
    for field, side in ((height, 6), (carved, 19)):
        ways = drainage.drainage(field, land, latitude, longitude)
        begin = (ways.cells % 30 == 10) & (np.abs(ways.cells // 30 - 7) < 3)
        ends = ways.drained(begin.astype(float)) * (ways.next < 0)
        assert ends[ways.cells % 30 == side].sum() == 5


def test_great_basins_have_their_published_areas():
    found = river_basins.table()
    assert len(found["area"]) == 30 and found["within_factor_2"] >= 27


@pytest.mark.parametrize("land", [np.zeros((15, 30), bool), np.ones((15, 30), bool)])
def test_neither_land_nor_sea(land):
    with pytest.raises(ValueError, match="a sea that it goes to"):
        drainage.drainage(np.zeros((15, 30)), land, latitude, longitude)
