"""The common area of quadrilaterals on the sphere, for two curved grids. Their
sides are great circles: those of a grid fill it without gaps and share their sides.

A quadrilateral is cut along the great circle of each side of the other (Sutherland & Hodgman 1974,
Comm. ACM 17, 32): what is left is a polygon of at most eight corners.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.base.earth import unit_vectors

together = 1 << 14  # pairs that are cut at once


def quadrilaterals(latitude: Any, longitude: Any) -> np.ndarray:
    """Returns corners (cells, 4, 3), counterclockwise, of cells between (ny + 1, nx + 1)
    [degrees]."""
    at = unit_vectors(np.asarray(longitude, float), np.asarray(latitude, float))
    corners = np.stack([at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]], 2).reshape(-1, 4, 3)
    turned = area(corners) < 0
    corners[turned] = corners[turned, ::-1]
    return corners


def area(polygons: np.ndarray) -> np.ndarray:
    """Returns the areas of polygons (n, corners, 3) [sr], positive where they are counterclockwise:
    triangles from the first corner (Eriksson 1990, Math. Mag. 63, 184).
    """
    a, b, c = polygons[:, :1], polygons[:, 1:-1], polygons[:, 2:]

    def dot(x: np.ndarray, y: np.ndarray) -> Any:
        return (x * y).sum(-1)

    volume = dot(a, np.cross(b - a, c - a))  # differences: small cells keep their digits
    result: np.ndarray = 2 * np.arctan2(volume, 1 + dot(a, b) + dot(b, c) + dot(c, a)).sum(1)
    return result


def pairs(old: np.ndarray, new: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns numbers of cells, old and new, that may have something in common."""
    from scipy.spatial import cKDTree  # start-up time

    middles, reaches = zip(*(_around(cells) for cells in (old, new)))
    tree = cKDTree(middles[0])
    near = tree.query_ball_point(middles[1], reaches[1] + reaches[0].max(), return_sorted=True)
    count = np.array([len(found) for found in near])
    first, second = np.concatenate(near).astype(int), np.repeat(np.arange(len(new)), count)
    distance = np.linalg.norm(middles[0][first] - middles[1][second], axis=1)
    close = distance < reaches[0][first] + reaches[1][second]
    return first[close], second[close]


def _around(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns middles of cells, and the distance of the farthest corner."""
    middle = cells.mean(1)
    middle /= np.linalg.norm(middle, axis=1)[:, None]
    return middle, np.linalg.norm(cells - middle[:, None], axis=2).max(1) * (1 + 1e-9)


def common(old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Returns areas in common of cells (n, 4, 3) each with each [sr]."""
    parts = [
        _common(old[n : n + together], new[n : n + together]) for n in range(0, len(old), together)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


def _common(polygon: np.ndarray, clip: np.ndarray) -> np.ndarray:
    for side in range(4):
        normal = np.cross(clip[:, side], clip[:, (side + 1) % 4])
        normal[np.abs(normal).max(1) < 1e-12] = 0.0  # two corners at a pole: no side
        polygon = _cut(polygon, normal)
    result: np.ndarray = np.maximum(area(polygon), 0.0)
    return result


def _cut(polygon: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Returns the part of polygons (n, corners, 3) to the left of great circles: two more corners
    each; unused corners repeat the last one.
    """
    after = np.roll(polygon, -1, 1)
    here, there = ((p * normal[:, None]).sum(-1) for p in (polygon, after))
    crosses = (here < 0) != (there < 0)
    share = here / np.where(crosses, here - there, 1.0)
    met = polygon + share[..., None] * (after - polygon)
    length = np.linalg.norm(met, axis=-1, keepdims=True)
    met = met / np.where(length > 0, length, 1.0)
    corners = np.stack([polygon, met], 2).reshape(len(polygon), -1, 3)
    kept = np.stack([here >= 0, crosses], 2).reshape(len(polygon), -1)
    order = np.argsort(~kept, 1, kind="stable")[:, : polygon.shape[1] + 2]
    last = np.maximum(kept.sum(1) - 1, 0)
    take = np.minimum(np.arange(order.shape[1]), last[:, None])
    chosen = np.take_along_axis(order, take, 1)
    found = np.take_along_axis(corners, chosen[..., None], 1)
    found[kept.sum(1) == 0] = corners[kept.sum(1) == 0, :1]  # nothing is left: a point
    return found
