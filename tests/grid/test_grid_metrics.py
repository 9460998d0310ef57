"""Metrics: exact where closed forms exist, second order elsewhere, positive everywhere, the same on
both sides of a fold.
"""

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from fathom.base.mpi import core

R = 6371220.0
degree = np.pi / 180


def spacing(equatorial=1.0, width=10.0, polar=0.3):
    return core.MeridionalSpacing(equatorial, width, polar)


def dipole(n=1, **changes):
    return core.dipole_grid(
        **{
            "nx": 40 * n,
            "ny": 48 * n,
            "south": -79,
            "pole_longitude": -40.5,
            "pole_latitude": 76,
            "ring": 4,
            "spacing": spacing(),
        }
        | changes
    )


def tripolar(n=1, **changes):
    return core.tripolar_grid(
        **{
            "nx": 40 * n,
            "ny": 36 * n,
            "south": -79,
            "join": 64,
            "pole_longitude": 59,
            "cap": 0.8,
            "spacing": spacing(),
        }
        | changes
    )


def mercator(nx=36, ny=20, **changes):
    return core.latitude_longitude_grid(nx, core.mercator_latitudes(-70, 60, ny), **changes)


def vectors(longitude, latitude):
    x, y = np.asarray(longitude) * degree, np.asarray(latitude) * degree
    return np.stack([np.cos(y) * np.cos(x), np.cos(y) * np.sin(x), np.sin(y)], -1)


CATALOGUE = {
    "global": lambda: mercator(),
    "to both poles": lambda: core.latitude_longitude_grid(24, core.uniform_latitudes(-90, 90, 12)),
    "basin": lambda: core.latitude_longitude_grid(
        9, core.uniform_latitudes(10, 50, 8), -60, -10, False
    ),
    "one cell": lambda: core.latitude_longitude_grid(1, [10, 11], 0, 1, False),
    "plane": lambda: core.cartesian_grid([0, 1, 3, 7], [0, 2, 3], True),
    "dipole": dipole,
    "tripolar": tripolar,
    "tripolar, corner on the pole": lambda: tripolar(nx=44),
    "tripolar, cell over the pole": lambda: tripolar(nx=42),
    "any": lambda: core.curvilinear_grid(*rotated(20, 12)[0]),
}


def rotated(nx, ny, tilt=50.0):
    """A latitude-longitude grid tilted by `tilt` degrees about the x axis: (corner longitude,
    latitude), and the grid before.
    """
    grid = core.latitude_longitude_grid(nx, core.uniform_latitudes(20, 60, ny), 10, 80, False)
    c, s = np.cos(tilt * degree), np.sin(tilt * degree)
    turn = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    p = vectors(grid.corner_longitude, grid.corner_latitude) @ turn.T
    return [
        np.ascontiguousarray(a)
        for a in (
            np.arctan2(p[..., 1], p[..., 0]) / degree,
            np.arctan2(p[..., 2], np.hypot(p[..., 0], p[..., 1])) / degree,
        )
    ], grid


@pytest.mark.parametrize("name", CATALOGUE)
def test_finite_and_positive(name):
    grid = CATALOGUE[name]()
    for metric, (_, units, _) in core.metrics.items():
        values = getattr(grid, metric)
        assert (
            values.shape == (grid.ny, grid.nx)
            and values.dtype == np.float64
            and not values.flags.writeable
        )
        assert np.isfinite(values).all(), metric
        if units in ("m", "m2"):
            assert values.min() > 0, metric
    for where, more in (("corner", 1), ("center", 0)):
        assert (
            getattr(grid, f"{where}_longitude").shape
            == getattr(grid, f"{where}_latitude").shape
            == (grid.ny + more, grid.nx + more)
        )


def test_latitude_longitude_is_analytic():
    grid = mercator()
    corner, center = grid.corner_latitude[1:, 1:] * degree, grid.center_latitude * degree
    step = 10 * degree
    south, north = grid.corner_latitude[:-1, 1:] * degree, corner
    exact = {
        "dx_center": R * np.cos(center) * step,
        "dx_east_face": R * np.cos(center) * step,
        "dx_corner": R * np.cos(corner) * step,
        "length_north_face": R * np.cos(corner) * step,
        "dy_center": R * (north - south),
        "length_east_face": R * (north - south),
        "area_center": R**2 * step * (np.sin(north) - np.sin(south)),
        "curvature_x": 0 * corner,
        "curvature_y": -np.tan(corner) / R,
        "curvature_squared": (np.tan(corner) ** 2 - 1) / R**2,
        "angle_corner": 0 * corner,
        "angle_center": 0 * corner,
    }
    for name, values in exact.items():
        scale = max(np.abs(values).max(), 1e-300)
        np.testing.assert_allclose(
            getattr(grid, name), values, rtol=2e-13, atol=2e-15 * scale, err_msg=name
        )  # areas: sines of nearby latitudes
    np.testing.assert_allclose(grid.dy_north_face[:-1], R * np.diff(center, axis=0), rtol=1e-13)
    np.testing.assert_allclose(grid.dy_corner[:-1], R * np.diff(center, axis=0), rtol=1e-13)


def test_mercator_cells_are_square():
    grid = core.latitude_longitude_grid(360, core.mercator_latitudes(-60, 60, 151))
    ratio = (grid.dy_corner / grid.dx_corner)[:-1]  # at the wall the row beyond is a mirror image
    assert ratio.max() / ratio.min() < 1 + 1e-4  # (1 degree)^2 = 3e-4


def test_plane():
    grid = core.cartesian_grid([0, 1, 3, 7], [0, 2, 3], True)
    assert (
        not grid.spherical
        and grid.center_longitude[0].tolist() == [0.5, 2, 5]
        and grid.corner_latitude[:, 0].tolist() == [0, 2, 3]
    )
    assert grid.dx_corner[0].tolist() == [1.5, 3, 2.5] and grid.dy_corner[:, 0].tolist() == [1.5, 1]
    assert grid.area_center.sum() == 21 and not grid.curvature_squared.any()


# ---- areas ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "global",
        "to both poles",
        "tripolar",
        "tripolar, corner on the pole",
        "tripolar, cell over the pole",
    ],
)
def test_areas_sum_to_the_domain(name):
    grid = CATALOGUE[name]()
    south, north = (np.sin(grid.corner_latitude[j, 0] * degree) for j in (0, -1))
    exact = 2 * np.pi * R**2 * ((1 if grid.fold else north) - south)
    assert grid.area_center.sum() == pytest.approx(exact, rel=1e-14)


@pytest.mark.parametrize("n", [1, 3])
def test_areas_of_the_dipole_sum_to_the_domain(n):
    """The sphere north of the southern edge without the polygon of the innermost circle, by its
    angles.
    """
    grid = dipole(n)
    p = vectors(grid.corner_longitude[-1, :-1], grid.corner_latitude[-1, :-1])
    before, after = np.roll(p, 1, 0), np.roll(p, -1, 0)
    a, b = np.cross(p, before), np.cross(p, after)
    turn = np.arctan2(
        np.linalg.norm(np.cross(a, b), axis=-1), (a * b).sum(-1)
    )  # interior angle at each corner
    hole = turn.sum() - (len(p) - 2) * np.pi
    exact = R**2 * (2 * np.pi * (1 - np.sin(grid.corner_latitude[0, 0] * degree)) - hole)
    assert grid.area_center.sum() == pytest.approx(exact, rel=1e-13)


def test_cell_area_converges_to_the_product_of_its_widths():
    """Second order away from the poles of the grid."""
    errors = []
    for n in (1, 2, 4):
        grid = dipole(n)
        errors.append(
            np.abs(grid.dx_center * grid.dy_center / grid.area_center - 1)[
                : int(0.9 * grid.ny)
            ].max()
        )
    assert np.log2(errors[0] / errors[1]) > 1.8 and np.log2(errors[1] / errors[2]) > 1.8


# ---- shape ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [dipole, tripolar])
def test_orthogonal_to_second_order(make):
    """Away from the poles of the tripolar grid, where rows meet at any distance from a right angle
    of one cell.
    """
    errors = []
    for n in (1, 2, 4):
        grid = make(n)
        departure = core.departure_from_right_angle(grid)
        if grid.fold:
            poles = vectors([59, 239], [64, 64])
            far = (vectors(grid.center_longitude, grid.center_latitude) @ poles.T).max(-1) < np.cos(
                8 * degree
            )
            departure = departure[far]
        errors.append(departure.max())
    assert (
        errors[0] < 2
        and np.log2(errors[0] / errors[1]) > 1.7
        and np.log2(errors[1] / errors[2]) > 1.7
    )


def test_orthogonality_of_a_skewed_grid_is_reported():
    x, y = np.meshgrid(np.arange(6.0), np.arange(5.0))
    grid = core.curvilinear_grid(np.ascontiguousarray(x + 0.5 * y), np.ascontiguousarray(y))
    assert core.departure_from_right_angle(grid)[0, 2] == pytest.approx(
        np.degrees(np.arctan(0.5)), abs=0.05
    )


def test_circles_of_the_dipole():
    """Each row north of the equator is a circle on the stereographic plane, and so on the sphere:
    its corners lie in one plane.
    """
    grid = dipole(2)
    for j in range(grid.regular_rows + 1, grid.ny + 1, 5):
        p = vectors(grid.corner_longitude[j], grid.corner_latitude[j])
        assert np.linalg.svd(p - p.mean(0))[1][2] < 1e-13
    pole = vectors(-40.5, 76)
    ring = np.degrees(
        np.arccos(vectors(grid.corner_longitude[-1], grid.corner_latitude[-1]) @ pole)
    )
    assert 3.5 < ring.min() <= ring.max() < 4.2  # inside Greenland: 4.27 degrees at most


def angle_of(z, tangent):
    """From east to the tangent, where z = tan(colatitude / 2) exp(i longitude)."""
    return np.angle(tangent / (1j * z / np.abs(z)))


def turned(a, b):
    """Difference of angles in [-pi, pi]."""
    return np.angle(np.exp(1j * (a - b)))


def plane_of(grid, j, pole):
    """Corners C(:, j) on the stereographic plane, the pole line along the real axis."""
    return np.tan((90 - grid.corner_latitude[j + 1, 1:]) / 2 * degree) * np.exp(
        1j * (grid.corner_longitude[j + 1, 1:] - pole) * degree
    )


def test_angle_of_the_dipole():
    """A row is a circle around c(r): its tangent is i (z - c). Chords agree to second order."""
    d, errors = np.tan(7 * degree), []
    for n in (1, 2):
        grid, worst = dipole(n), 0
        for j in range(grid.regular_rows, grid.ny):
            z = plane_of(grid, j, -40.5)
            c = 0.5 * (z[-1].real + z[grid.nx // 2 - 1].real)  # where the row crosses the pole line
            worst = max(
                worst, np.abs(turned(grid.angle_corner[j], angle_of(z, 1j * (z - c)))).max()
            )
        errors.append(worst)
    assert errors[0] < 0.05 and np.log2(errors[0] / errors[1]) > 1.7 and d < 0.58


def test_angle_of_the_tripolar_grid():
    """dz/dt of Murray's map at the corners, poles left out."""
    errors = []
    for n in (1, 2):
        grid, worst = tripolar(n), 0
        t = 2 * np.pi * (np.arange(grid.nx) + 1) / grid.nx
        for j in range(grid.regular_rows, grid.ny - 1):
            z = plane_of(grid, j, 59)
            middle = (
                z[grid.nx // 4 - 1] if grid.nx % 4 == 0 else None
            )  # t = pi / 2: z = i R tan(xi / 2)
            xi = 2 * np.arctan(middle.imag / np.tan(13 * degree))
            u = np.where(t <= np.pi, t, 2 * np.pi - t)
            above, below = np.cos(u) + 1j * np.sin(xi) * np.sin(u), 1 + np.cos(xi) * np.sin(u)
            slope = (-np.sin(u) + 1j * np.sin(xi) * np.cos(u)) * below - above * np.cos(
                xi
            ) * np.cos(u)
            slope = np.where(t <= np.pi, slope, -slope.conj())
            far = (
                np.minimum(np.abs(z - np.tan(13 * degree)), np.abs(z + np.tan(13 * degree))) > 0.05
            )
            worst = max(worst, np.abs(turned(grid.angle_corner[j], angle_of(z, slope)))[far].max())
        errors.append(worst)
    assert errors[0] < 0.2 and np.log2(errors[0] / errors[1]) > 1.6


@pytest.mark.parametrize(
    "name",
    [
        "dx_center",
        "dy_corner",
        "dx_east_face",
        "dy_north_face",
        "curvature_x",
        "curvature_y",
        "curvature_squared",
    ],
)
def test_curvilinear_metrics_converge_to_those_of_the_grid_before_it_was_tilted(name):
    errors = []
    for n in (1, 2, 4):
        corners, before = rotated(12 * n, 10 * n)
        after = core.curvilinear_grid(*corners)
        inside = slice(2 * n, -2 * n), slice(2 * n, -2 * n)
        exact, values = getattr(before, name)[inside], getattr(after, name)[inside]
        errors.append(
            np.abs(values - exact).max()
            / max(np.abs(exact).max(), R ** (-2 if name.endswith("squared") else -1))
        )
    if max(errors) > 1e-9:  # kx of a tilted grid is 0 to round-off
        assert np.log2(errors[0] / errors[1]) > 1.7 and np.log2(errors[1] / errors[2]) > 1.7, errors
    assert errors[-1] < 5e-3


def test_angle_of_a_tilted_grid():
    """Against the direction of the tilted eastward unit vector."""
    corners, before = rotated(40, 30)
    grid = core.curvilinear_grid(*corners)
    tilt = 50 * degree
    turn = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    for where, at in (("center", np.s_[:, :]), ("corner", np.s_[1:, 1:])):
        x = getattr(before, f"{where}_longitude")[at] * degree
        direction = np.stack([-np.sin(x), np.cos(x), 0 * x], -1) @ turn.T
        x = getattr(grid, f"{where}_longitude")[at] * degree
        y = getattr(grid, f"{where}_latitude")[at] * degree
        east = np.stack([-np.sin(x), np.cos(x), 0 * x], -1)
        north = np.stack([-np.sin(y) * np.cos(x), -np.sin(y) * np.sin(x), np.cos(y)], -1)
        exact = np.arctan2((direction * north).sum(-1), (direction * east).sum(-1))
        difference = np.abs(turned(getattr(grid, f"angle_{where}"), exact))
        assert (
            difference[:, :-1].max() < 1e-3 and difference.max() < 0.02
        )  # at the eastern wall the chord is one-sided


# ---- fold ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("nx", [40, 42])
def test_fold(nx):
    """Points with two names have one value; the metrics around the pole line are its mirror image
    (rotation by 180 degrees).
    """
    grid = tripolar(nx=nx)
    i = np.arange(nx)
    corner, face = (nx - 2 - i) % nx, nx - 1 - i
    p = vectors(grid.corner_longitude[-1, 1:], grid.corner_latitude[-1, 1:])
    assert (
        grid.corner_longitude[-1, 1:] % 360 == grid.corner_longitude[-1, 1:][corner] % 360
    ).all() or np.abs(p - p[corner]).max() == 0
    assert (grid.corner_latitude[-1, 1:] == grid.corner_latitude[-1, 1:][corner]).all()
    for name, (place, _, sign) in core.metrics.items():
        values = getattr(grid, name)
        if place in ("corner", "north_face"):
            other = values[-1, corner if place == "corner" else face]
            if sign:
                assert (values[-1] == sign * other).all(), name
            else:
                same = corner == i
                assert np.abs(turned(values[-1], other + np.pi))[~same].max() < 1e-15, name
        mirror = (
            corner if place in ("corner", "east_face") else face
        )  # the line between the poles is an axis of symmetry
        if sign == 1:
            np.testing.assert_allclose(
                values, values[:, mirror], rtol=1e-9, atol=1e-9 * np.abs(values).max(), err_msg=name
            )
    poles = grid.corner_latitude[-1, [nx // 2, nx]], grid.corner_longitude[-1, [nx // 2, nx]] % 360
    assert poles[0] == pytest.approx([64, 64], abs=1e-12) and sorted(poles[1]) == pytest.approx(
        [59, 239], abs=1e-12
    )
    p = vectors(grid.corner_longitude, grid.corner_latitude)
    assert np.abs(p[:, 0] - p[:, -1]).max() < 1e-14


def test_spacing_is_continuous_across_the_fold_and_the_join():
    grid = tripolar(4)
    middle = slice(grid.nx // 4 - 10, grid.nx // 4 + 10)
    dy = grid.dy_center[:, middle].mean(1)
    assert (
        np.abs(np.diff(np.log(dy)))[grid.regular_rows - 5 :].max() < 0.03
    )  # rows change by 3 % at most
    assert abs(np.log(grid.dy_north_face[-1, middle] / grid.dy_center[-1, middle])).max() < 0.02


# ---- any shape -----------------------------------------------------------------------------------


def possible(make, *arguments):
    """A grid, unless so few rows would leave the sphere, which is said."""
    try:
        return make(*arguments)
    except ValueError as error:
        if "choose more rows or an edge further north" not in str(error):
            raise
        reject()


@settings(max_examples=30, deadline=None)
@given(
    half=st.integers(4, 30),
    ny=st.integers(20, 60),
    join=st.floats(45, 80),
    pole=st.floats(-720, 720),
    cap=st.floats(0.5, 2),
    equatorial=st.floats(0.2, 2),
    polar=st.floats(0.2, 2),
    south=st.floats(-75, -30),
)
def test_any_tripolar_grid(half, ny, join, pole, cap, equatorial, polar, south):
    grid = possible(
        core.tripolar_grid, 2 * half, ny, south, join, pole, cap, spacing(equatorial, 10, polar)
    )
    edge = grid.corner_latitude[0, 0]
    assert (grid.nx, grid.ny) == (2 * half, ny) and abs(edge - south) < 1.5 * np.diff(
        grid.corner_latitude[:2, 0]
    )[0] + 2
    assert grid.area_center.sum() == pytest.approx(
        2 * np.pi * R**2 * (1 - np.sin(edge * degree)), rel=1e-12
    )
    for name, (_, units, _) in core.metrics.items():
        values = getattr(grid, name)
        assert np.isfinite(values).all() and (
            not units.startswith("m") or "-" in units or values.min() > 0
        ), name


@settings(max_examples=30, deadline=None)
@given(
    nx=st.integers(8, 60),
    ny=st.integers(20, 60),
    longitude=st.floats(-720, 720),
    latitude=st.floats(40, 90),
    ring=st.floats(1, 10),
    equatorial=st.floats(0.2, 2),
    south=st.floats(-75, -30),
)
def test_any_dipole_grid(nx, ny, longitude, latitude, ring, equatorial, south):
    grid = possible(
        core.dipole_grid, nx, ny, south, longitude, latitude, ring, spacing(equatorial, 10, 0.4)
    )
    for name, (_, units, _) in core.metrics.items():
        values = getattr(grid, name)
        assert np.isfinite(values).all() and (
            not units.startswith("m") or "-" in units or values.min() > 0
        ), name
    assert core.departure_from_right_angle(grid).max() < 0.5 * (360 / nx + 180 / ny)


@settings(max_examples=50, deadline=None)
@given(
    south=st.floats(-89, 88),
    extent=st.floats(1, 100),
    ny=st.integers(1, 200),
    equatorial=st.floats(0.1, 1),
    width=st.floats(2, 30),
    polar=st.floats(0.1, 1),
)
def test_any_rows(south, extent, ny, equatorial, width, polar):
    north = min(south + extent, 89.5)
    stretched = core.stretched_latitudes(south, north, ny, spacing(equatorial, width, polar))
    for rows in (
        core.uniform_latitudes(south, north, ny),
        core.mercator_latitudes(south, north, ny),
        stretched,
    ):
        assert (
            len(rows) == ny + 1
            and rows[0] == south
            and rows[-1] == north
            and (np.diff(rows) > 0).all()
        )


def test_rows_follow_their_spacing():
    s = spacing(0.3, 10, 0.3)
    rows = np.array(core.stretched_latitudes(-79, 64, 250, s))
    ratio = np.diff(rows) / [s(x) for x in 0.5 * (rows[1:] + rows[:-1])]
    assert ratio.max() / ratio.min() < 1.005  # the spacing changes within a row
