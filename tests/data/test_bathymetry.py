"""Depth on any grid, and wet levels that a B grid can use."""

import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fathom.data import bathymetry, embedded
from fathom.data.bathymetry import Mesh, Sill, ocean_depth, wet_levels

THICKNESS = np.full(10, 100.0)


def regular(resolution, south=-80.0, north=84.0, west=0.0):
    """Corners and centres of a longitude-latitude grid."""
    x = west + np.arange(0, 360 + resolution / 2, resolution)
    y = np.arange(south, north + resolution / 2, resolution)
    corners = np.meshgrid(x, y)
    centers = np.meshgrid((x[1:] + x[:-1]) / 2, (y[1:] + y[:-1]) / 2)
    return corners, centers


@pytest.fixture(scope="module")
def one_degree():
    corners, (longitude, latitude) = regular(1.0)
    thickness = 10 + (np.arange(40) / 39) ** 2 * 350
    thickness *= 5500 / thickness.sum()
    fraction, depth = ocean_depth(*corners)
    levels = wet_levels(
        depth,
        fraction,
        thickness,
        sills=bathymetry.sills(),
        center_longitude=longitude,
        center_latitude=latitude,
    )
    return levels, thickness, longitude, latitude, fraction, depth


# ---------------------------------------------------------------------------- averages over cells


def test_volume_does_not_depend_on_the_grid():
    for resolution in (3.0, 1.5):
        (x, y), _ = regular(resolution, -90, 90)
        fraction, depth = ocean_depth(x, y)
        edges = np.sin(np.deg2rad(y[:, 0]))
        area = 6371.0**2 * np.deg2rad(resolution) * np.diff(edges)[:, None]
        assert (fraction * depth * area).sum() / 1e3 == pytest.approx(1.338e9, rel=0.01)
        assert (fraction * area).sum() == pytest.approx(362.6e6, rel=0.01)


def test_volume_of_a_grid_with_other_poles():
    """A regular grid turned so that its poles lie elsewhere: no row of it follows a parallel."""
    (x, y), _ = regular(2.0, -90, 90)
    a, b = np.deg2rad(40), np.deg2rad(76)
    turn = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]]) @ np.array(
        [[np.sin(b), 0, np.cos(b)], [0, 1, 0], [-np.cos(b), 0, np.sin(b)]]
    )
    X, Y, Z = np.moveaxis(bathymetry.unit_vectors(x, y) @ turn.T, -1, 0)
    fraction, depth = ocean_depth(
        np.rad2deg(np.arctan2(Y, X)), np.rad2deg(np.arcsin(Z.clip(-1, 1)))
    )
    area = 6371.0**2 * np.deg2rad(2.0) * np.diff(np.sin(np.deg2rad(y[:, 0])))[:, None]
    assert (fraction * depth * area).sum() / 1e3 == pytest.approx(1.338e9, rel=0.01)


def test_a_cell_around_the_pole():
    fraction, depth = ocean_depth([[0.0, 90.0], [270.0, 180.0]], np.full((2, 2), 89.0))
    assert fraction[0, 0] == pytest.approx(1) and 3500 < depth[0, 0] < 4500


def test_longitudes_may_wind_around():
    x, y = np.meshgrid(np.arange(170.0, 195, 2), np.arange(-10.0, 11, 2))
    wound = np.where(x > 180, x - 360, x)
    for one, other in zip(ocean_depth(x, y), ocean_depth(wound, y)):
        np.testing.assert_allclose(
            one, other, atol=1e-3
        )  # round-off of the sine, times the slope of the sea floor


def test_corner_arrays_that_do_not_fit():
    with pytest.raises(ValueError, match=r"has shape \(3, 4\).*has \(4, 3\)"):
        ocean_depth(np.zeros((3, 4)), np.zeros((4, 3)))
    with pytest.raises(ValueError, match=r"not \(5,\)"):
        ocean_depth(np.zeros(5), np.zeros(5))
    with pytest.raises(ValueError, match=r"corner_latitude is not finite at index \(1, 0\)"):
        ocean_depth(np.zeros((2, 2)), [[0, 0], [np.nan, 0]])


# ---------------------------------------------------------------------------- wet levels


def levels_of(picture, **options):
    """Wet levels of a picture: '#' land, '.' 1000 m, '-' 450 m; first row is the north."""
    depth = np.array(
        [[{"#": 0, ".": 1000, "-": 450}[c] for c in row] for row in reversed(picture)], float
    )
    return wet_levels(depth, (depth > 0).astype(float), THICKNESS, **{"periodic": False} | options)[
        ::-1
    ]


def test_a_gap_of_one_cell_is_closed_and_of_two_is_open():
    closed = levels_of(["....#...", "....#...", "........", "....#..."])
    assert (closed[:, 5:] == 0).all() and (closed[:, :4] == 10).all() and (closed[:, 4] == 0).all()
    open_ = levels_of(["....#...", "........", "........", "....#..."])
    assert (open_[:, 5:] == 10).all() and (open_[1:3, 4] == 10).all()


def test_dead_ends_and_lakes_are_filled():
    levels = levels_of(["...#####", ".......#", "...#####", "...##..#", "...##..#"])
    assert (levels[:, 3:] == 0).all() and (levels[:, :3] == 10).all()


def test_a_pit_of_one_cell_is_filled_to_its_rim():
    assert (levels_of(["----", "-.--", "----"]) == 4).all()


def test_nearest_interface_and_minimum():
    depth = np.array([[10.0, 149, 151, 5000]]).repeat(2, 0).repeat(2, 1)
    levels = wet_levels(depth, np.ones_like(depth), THICKNESS, periodic=False, minimum_levels=1)
    assert levels[0].tolist() == [1, 1, 1, 1, 2, 2, 10, 10]
    assert wet_levels(depth, np.ones_like(depth), THICKNESS, periodic=False).min() == 3


def test_periodic_joins_east_and_west():
    picture = ["..#..", "..#..", "..#.."]
    assert (levels_of(picture)[:, 3:] == 0).all()
    assert (levels_of(picture, periodic=True)[:, 3:] == 10).all()


def test_fold_joins_the_northern_row_to_itself():
    picture = ["..##..", "..##..", "..##.."]
    assert (levels_of(picture)[:, 4:] == 0).all()
    assert (levels_of(picture, fold=True)[:, 4:] == 10).all()


def test_fold_corners_are_symmetric():
    """The two corner rows of a fold are one: corner (ny-1, i) is corner (ny-1, nx-2-i)."""
    rng = np.random.default_rng(3)
    levels = rng.integers(0, 5, (6, 10))
    top = Mesh((6, 10), periodic=True, fold=True).corner_levels(levels)[-1]
    np.testing.assert_array_equal(top, np.roll(top[::-1], -1))


pictures = arrays(
    np.int64, st.tuples(st.integers(3, 9), st.integers(3, 9)), elements=st.integers(0, 4)
)


@settings(max_examples=60, deadline=None)
@given(pictures, st.booleans(), st.booleans())
def test_properties_of_wet_levels(depth_levels, periodic, fold):
    depth, mesh = depth_levels * 200.0, Mesh(depth_levels.shape, periodic, fold)
    options = {"periodic": periodic, "fold": fold, "minimum_levels": 2}
    try:
        levels = wet_levels(depth, depth > 0, THICKNESS, **options)
    except ValueError as error:
        if "no water is left" not in str(error):
            raise
        return
    corners = mesh.corner_levels(levels)
    assert set(np.unique(levels)) <= {0, *range(2, 11)}
    assert (levels == np.minimum(levels, mesh.deepest_corner(corners))).all(), (
        "a cell deeper than its corners"
    )
    assert (levels[depth == 0] == 0).all() and (levels * 100.0 <= depth).all()
    cells = [set(c) for c in mesh.corner_cells()[corners > 0].tolist()]
    reached = cells.pop()
    while joined := [c for c in cells if c & reached]:
        cells = [c for c in cells if c not in joined]
        reached.update(*joined)
    assert reached == set(np.flatnonzero(levels)), "the ocean is not connected"
    np.testing.assert_array_equal(
        wet_levels(levels * 100.0, levels > 0, THICKNESS, **options), levels
    )


@pytest.mark.parametrize(
    "change, message",
    [
        ({"thickness": [10, -1]}, "positive"),
        ({"minimum_levels": 11}, r"must lie in \[1, 10\]"),
        ({"fraction": np.ones((2, 3))}, "must agree"),
        ({"fraction": np.zeros((4, 4))}, "no water is left"),
        ({"sills": [Sill("x", "", 1, 9, path=((0, 0), (1, 1)))]}, "need center_longitude"),
    ],
)
def test_errors(change, message):
    arguments = {
        "depth": np.full((4, 4), 500.0),
        "fraction": np.ones((4, 4)),
        "thickness": THICKNESS,
    } | change
    with pytest.raises(ValueError, match=message):
        wet_levels(**arguments)


# ---------------------------------------------------------------------------- sills


def test_the_table_gives_reasons():
    names = [sill.name for sill in bathymetry.sills()]
    assert len(set(names)) == len(names) >= 20
    assert all(len(sill.reason) > 20 and sill.coarsest > 0 for sill in bathymetry.sills())


def test_a_path_opens_and_a_wall_closes():
    longitude, latitude = np.meshgrid(np.arange(0.5, 12), np.arange(0.5, 8))
    depth = np.full((8, 12), 800.0)
    depth[:, 5] = 0
    place = {"periodic": False, "center_longitude": longitude, "center_latitude": latitude}

    def levels(*sills):
        return wet_levels(depth, depth > 0, THICKNESS, sills=sills, **place)

    path = Sill("path", "", 400, 2, path=((3, 4.2), (8, 3.7)))
    wall = Sill("wall", "", 0, 2, wall=((8.5, -1), (8.2, 9)))
    assert (levels()[:, :5] == 0).all() and (levels(path) > 0)[:, :5].all()
    assert levels(path)[:, 5].max() == 4
    closed = levels(wall)
    assert (closed[:, 8] == 0).all() and np.count_nonzero(closed) == 8 * 5
    assert (levels(Sill("coarse", "", 400, 0.5, path=path.path)) == levels()).all()


def test_straits_are_open_at_one_degree(one_degree):
    levels, thickness, longitude, latitude, *_ = one_degree
    mesh = Mesh(levels.shape)
    bottom = np.concatenate([[0], np.cumsum(thickness)])[mesh.corner_levels(levels)]
    centers = bathymetry.unit_vectors(longitude, latitude).reshape(-1, 3)
    inside = (mesh.corner_cells() >= 0).all(-1)
    middles = centers[mesh.corner_cells()[inside]].mean(1)
    middles /= np.linalg.norm(middles, axis=-1, keepdims=True)
    for sill in bathymetry.sills():
        if sill.path:
            near = (middles @ point for point in bathymetry.along(sill.path, 0.1 / 6)[::10])
            on_the_way = [
                bottom[inside][cosine > cosine.max() - 1e-6].max() for cosine in near
            ]  # among equally near cells any
            assert min(on_the_way) > 0.85 * sill.depth, (
                sill.name
            )  # nearest interface: within half a layer


@pytest.mark.parametrize(
    "sea, longitude, latitude",
    [
        ("western Mediterranean", 5, 40),
        ("Levantine", 32, 33.5),
        ("Red Sea", 38, 20.5),
        ("Hudson Bay", -85, 60),
        ("Baffin Bay", -65, 73),
        ("Japan Sea", 135, 40),
        ("Gulf of Mexico", -90, 25),
        ("Okhotsk", 148, 55),
        ("South China Sea", 115, 15),
        ("Sulu", 120, 8.5),
        ("Banda", 127, -5.5),
        ("Arctic", 150, 80),
        ("Kara", 75, 75),
    ],
)
def test_seas_at_one_degree(one_degree, sea, longitude, latitude):
    levels, _, x, y, *_ = one_degree
    assert levels[np.abs(y[:, 0] - latitude).argmin(), np.abs(x[0] - longitude % 360).argmin()] > 0


@pytest.mark.parametrize("longitude, latitude", [(34, 43.5), (51, 42), (-87, 44)])
def test_inland_seas_are_land(one_degree, longitude, latitude):
    levels, _, x, y, *_ = one_degree
    assert levels[np.abs(y[:, 0] - latitude).argmin(), np.abs(x[0] - longitude % 360).argmin()] == 0


def test_little_volume_is_lost(one_degree):
    levels, thickness, _, latitude, fraction, depth = one_degree
    area = np.cos(np.deg2rad(latitude))
    kept = (np.concatenate([[0], np.cumsum(thickness)])[levels] * area).sum()
    assert kept == pytest.approx(
        (fraction * depth * area).sum(), rel=0.02
    )  # pits and water below 5500 m


# ---------------------------------------------------------------------------- named grids


def test_embedded_levels_are_known_again(tmp_path, monkeypatch):
    for name in ("topography.nc", "sills.toml"):
        shutil.copy(embedded.FOLDER / name, tmp_path)
    monkeypatch.setattr(embedded, "FOLDER", tmp_path)
    corners, centers = regular(6.0)
    place = {"center_longitude": centers[0], "center_latitude": centers[1], "thickness": THICKNESS}
    grid = place | {"corner_longitude": corners[0], "corner_latitude": corners[1]}
    computed = bathymetry.levels_for("mine", **grid)
    marked = computed.copy()
    marked[0, 0] = 9
    bathymetry.embed("mine", marked, **place)
    np.testing.assert_array_equal(bathymetry.levels_for("mine", **grid), marked)
    for other in (
        {"thickness": THICKNESS + 1},
        {"minimum_levels": 2},
        {"periodic": False},
        {"center_longitude": centers[0] + 0.01},
    ):
        assert bathymetry.levels_for("mine", **grid | other)[0, 0] != 9
