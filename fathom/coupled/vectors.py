"""Vectors of one grid on another, and fields at corners.

With the unit vectors x, y of a grid's axes in space, at its points, and overbars for the means over
shared areas, (u, v) of the giver becomes of the taker

    V = u x + v y,      u' = x' . mean(V),      v' = y' . mean(V)

so no direction is taken to another place: a steady flow across a pole stays one. Means of corners
at centres, and of centres at corners, are those of the four around:

    C(i-1, j) --- C(i, j)          T  center (i, j)          T(i, j+1)   T(i+1, j+1)
       |   T(i, j)   |             C  its corner                    C(i, j)
    C(i-1, j-1) - C(i, j-1)                                  T(i, j)     T(i+1, j)
"""

from __future__ import annotations

from typing import Any

import numpy as np


def axes(grid: Any, place: str) -> np.ndarray:
    """Returns the unit vectors of the axes at the points of a place, "center" or "corner", in
    space (points, 2, 3); on a plane those of x and y.
    """
    *_, angle = _directions(grid, place)
    east, north = np.moveaxis(eastward_and_northward(grid, place), 1, 0)
    cosine, sine = np.cos(angle)[:, None], np.sin(angle)[:, None]
    return np.stack([cosine * east + sine * north, cosine * north - sine * east], 1)


def eastward_and_northward(grid: Any, place: str) -> np.ndarray:
    """Returns the unit vectors to east and north at the points of a place in space (points, 2, 3);
    on a plane those of x and y.
    """
    longitude, latitude, _ = _directions(grid, place)
    if "longitude" not in grid.mapping():
        return np.broadcast_to(np.eye(3)[:2], (longitude.size, 2, 3))
    east = np.stack([-np.sin(longitude), np.cos(longitude), np.zeros_like(longitude)], -1)
    low = np.sin(latitude)
    north = np.stack([-low * np.cos(longitude), -low * np.sin(longitude), np.cos(latitude)], -1)
    return np.stack([east, north], 1)


def _directions(grid: Any, place: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns longitude, latitude and the angle from east to the axis of x [radians], (points,)."""
    if place == "corner":
        h = grid.horizontal
        found = [np.asarray(c)[1:, 1:] for c in (h.corner_longitude, h.corner_latitude)]
        angle = np.asarray(h.angle_corner)
    else:
        found = [np.asarray(c, float) for c in grid.coordinates()]
        angle = np.zeros(()) if grid.angle is None else np.asarray(grid.angle)
    shape = np.shape(grid.wet_levels)
    longitude, latitude = (np.deg2rad(np.broadcast_to(c, shape)).ravel() for c in found)
    return longitude, latitude, np.broadcast_to(angle, shape).ravel()


def around_corners(grid: Any) -> np.ndarray:
    """Returns the numbers of the four centers around each corner (4, points); -1 beyond an edge."""
    ny, nx = np.shape(grid.wet_levels)
    h, (j, i) = grid.horizontal, np.mgrid[:ny, :nx]
    found = [_number(h, nx, ny, j + up, i + right) for up in (0, 1) for right in (0, 1)]
    return np.stack([numbers.ravel() for numbers in found])


def around_centers(grid: Any) -> np.ndarray:
    """Returns the numbers of the four corners around each center (4, points); -1 at an edge."""
    ny, nx = np.shape(grid.wet_levels)
    h, (j, i) = grid.horizontal, np.mgrid[:ny, :nx]
    found = [_number(h, nx, ny, j - down, i - left) for down in (0, 1) for left in (0, 1)]
    return np.stack([numbers.ravel() for numbers in found])


def _number(h: Any, nx: int, ny: int, j: np.ndarray, i: np.ndarray) -> np.ndarray:
    """Returns the numbers of places row by row: of a row beyond the joined edge in the north, those
    of its centers, T(i, ny) = T(nx-1-i, ny-1); -1 beyond the others.
    """
    i = i % nx if h.periodic else i
    if h.fold:
        i, j = np.where(j >= ny, nx - 1 - i, i), np.where(j >= ny, 2 * ny - 1 - j, j)
    inside = (0 <= j) & (j < ny) & (0 <= i) & (i < nx)
    return np.where(inside, j * nx + i, -1)


def mean_of_four(around: np.ndarray, points: int) -> Any:
    """Returns the sparse matrix (places, points) of means over four points, around (4, places);
    points that are not there count as 0.
    """
    from scipy.sparse import coo_array  # start-up time

    there = around >= 0
    rows = np.broadcast_to(np.arange(around.shape[1]), around.shape)[there]
    shape = (around.shape[1], points)
    return coo_array((np.full(rows.size, 0.25), (rows, around[there])), shape=shape).tocsr()
