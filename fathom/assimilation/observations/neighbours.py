"""Groups of equal keys, and data far from their neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.base import earth


def grouped(*keys: Any, best: tuple[Any, ...] = ()) -> tuple[np.ndarray, np.ndarray]:
    """Returns order that puts equal keys side by side, within them the best (least) first; and the
    number of the group of each place of that order.
    """
    order = np.lexsort([*best[::-1], *keys[::-1]])
    new = np.zeros(len(order), bool)
    for key in keys:
        sorted_ = np.asarray(key)[order]
        new[1:] |= sorted_[1:] != sorted_[:-1]
    return order, np.cumsum(new)


def apart(
    z: np.ndarray, places: np.ndarray, height: np.ndarray, reach: float, limit: float,
    most: int = 12, step: float = 300.0, own: Any = None,
) -> np.ndarray:  # fmt: skip
    """Returns where a normalised departure is far from the median of its neighbours, |z - median| >
    limit sqrt(1 + 1 / n), and has at least three: the buddy check.

    places (n, 3) unit vectors; reach: how far neighbours are [m]; step: how much higher or lower
    [m]; own: numbers of those that are asked for, None: all.
    """
    from scipy.spatial import cKDTree

    chord = 2 * np.sin(min(reach / earth.RADIUS, np.pi) / 2)
    near = min(most + 1, len(z))
    own = np.arange(len(z)) if own is None else own
    tree = cKDTree(places)
    _, index = tree.query(places[own], np.arange(1, near + 1), distance_upper_bound=chord)
    there = (index < len(z)) & (index != own[:, None])
    index = np.minimum(index, len(z) - 1)
    with np.errstate(invalid="ignore"):
        there &= ~(np.abs(height[index] - height[own, None]) > step)
    count = there.sum(axis=1)
    around = np.sort(np.where(there, z[index], np.inf), axis=1)
    middle = (np.maximum(count - 1, 0) // 2, count // 2)
    first, second = (np.take_along_axis(around, n[:, None], 1)[:, 0] for n in middle)
    around = np.where(count > 0, 0.5 * (first + second), 0)
    result: np.ndarray = (count >= 3) & (
        np.abs(z[own] - around) > limit * np.sqrt(1 + 1 / np.maximum(count, 1))
    )
    return result
