"""The depth of the sea from single points, (x or longitude, y or latitude, z): soundings, or an XYZ
file.

z with negative numbers in it is a height, which is negative in the sea; else it is a depth. A cell
takes the points that are nearer to its centre than to others, and within its reach: it is sea if at
least half of them are, as deep as the mean of these. A cell without a point has the four nearest
ones, weighted by 1 / distance^2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.base.earth import RADIUS, unit_vectors
from fathom.base.failure import InputError


def are_points(values: Any, shape: tuple[int, ...]) -> bool:
    """Returns whether values (n, 3) are points, and not depths on a grid of that shape."""
    return np.ndim(values) == 2 and np.shape(values)[1] == 3 and np.shape(values) != tuple(shape)


def depth_on_cells(points: Any, horizontal: Any, shape: tuple[int, int]) -> np.ndarray:
    """Returns [m], (ny, nx), 0 on land. InputError: no points, or none near the grid."""
    from scipy.spatial import cKDTree  # start-up time

    points = np.asarray(points, float)
    points = points[np.isfinite(points).all(1)]
    place = _on_earth if horizontal.spherical else _on_plane
    centers = place(horizontal.center_longitude, horizontal.center_latitude)
    corners = place(horizontal.corner_longitude, horizontal.corner_latitude)
    at = place(points[:, 0], points[:, 1])
    reach = np.linalg.norm(
        corners.reshape(shape[0] + 1, shape[1] + 1, -1)[1:, 1:].reshape(centers.shape) - centers,
        axis=1,
    )
    distance, cell = cKDTree(centers).query(at)
    inside = distance <= 1.01 * reach[cell]
    if not inside.any():
        raise InputError(f"bathymetry: none of the {len(points)} points lies in the grid")
    z = points[:, 2]
    depth = np.maximum(-z if (z < 0).any() else z, 0.0)
    water = np.stack([depth > 0, depth])
    count = np.bincount(cell[inside], minlength=len(centers))
    sums = [np.bincount(cell[inside], w[inside], len(centers)) for w in water]
    found = np.asarray(sums, float) / np.maximum(count, 1)
    empty = count == 0
    if empty.any():
        near = min(4, len(points))
        away, n = cKDTree(at).query(centers[empty], k=[*range(1, near + 1)])
        weight = 1 / np.maximum(away, 1.0) ** 2
        found[:, empty] = (water[:, n] * weight).sum(-1) / weight.sum(-1)
    share, volume = found
    return np.where(share >= 0.5, volume / np.maximum(share, 1e-9), 0.0).reshape(shape)


def _on_earth(longitude: Any, latitude: Any) -> np.ndarray:
    """Returns (points, 3) [m]."""
    return RADIUS * unit_vectors(longitude, latitude).reshape(-1, 3)


def _on_plane(x: Any, y: Any) -> np.ndarray:
    """Returns (points, 2) [m]."""
    return np.stack([np.asarray(x, float).ravel(), np.asarray(y, float).ravel()], -1)
