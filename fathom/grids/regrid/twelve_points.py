"""From rows to places on earth by the twelve points around each.

    f = sum_j w_j(latitude) sum_i w_ij(longitude) f_ij

over four rows: cubic across rows and along the two middle ones (4 points), straight along the outer
two (2 points). A row beyond a pole is the row before it, half a turn further. A vector is
interpolated by its Cartesian components, which have no singularity at a pole. Weights are computed
for the wanted places and not kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fathom.grids.regrid.rows import Rows


def rows_needed(rows: Rows, latitude: np.ndarray) -> tuple[int, int]:
    """Returns first and end row that places at latitudes of the computational sphere need; (0, 1)
    for none.
    """
    if not latitude.size:
        return 0, 1
    count = rows.latitude.size
    south = np.searchsorted(rows.latitude, [latitude.min(), latitude.max()], side="right") - 1
    near = _across(np.arange(south[0] - 1, south[1] + 3), count)
    return int(near.min()), int(near.max()) + 1


class TwelvePoints:
    """The weights of places (P,) at longitude and latitude of the computational sphere of `rows`
    [degrees], on whole rows first_row ... end_row - 1.
    """

    def __init__(
        self, rows: Rows, longitude: np.ndarray, latitude: np.ndarray, first_row: int, end_row: int
    ) -> None:
        from scipy.sparse import csr_array

        count, longest = rows.latitude.size, rows.shape[1]
        south = np.searchsorted(rows.latitude, latitude, side="right") - 1
        numbers = [south + n for n in (-1, 0, 1, 2)]
        weights = lagrange([_latitude(rows, j) for j in numbers], latitude)
        columns, values, near = [], [], []
        for n, (j, weight) in enumerate(zip(numbers, weights)):
            row = _across(j, count)
            points = rows.points[row]
            turned = np.where((j < 0) | (j >= count), 0.5, 0.0)
            place = np.mod(longitude / 360 + turned, 1.0) * points
            west = np.floor(place).astype(np.int64)
            t = place - west
            middle = n in (1, 2)
            along = lagrange([-1.0, 0.0, 1.0, 2.0], t) if middle else [1 - t, t]
            first = -1 if middle else 0
            for i, share in enumerate(along, first):
                columns.append((row - first_row) * longest + (west + i) % points)
                values.append(weight * share)
                if middle and i in (0, 1):
                    near.append(columns[-1])
        size = (len(south), (end_row - first_row) * longest)
        self.near = np.stack(near) if len(south) else np.zeros((4, 0), np.int64)
        self.matrix: Any = csr_array(
            (
                np.stack(values, 1).ravel(),
                np.stack(columns, 1).astype(np.int32).ravel(),
                np.arange(len(south) + 1, dtype=np.int32) * len(columns),
            ),
            shape=size,
        )

    def __call__(self, values: np.ndarray, within: bool = False) -> np.ndarray:
        """Returns (levels, P) of values (levels, rows, points). within: between the least and the
        most of the four points next to the place.
        """
        result = np.empty((len(values), self.matrix.shape[0]))
        for level, out in zip(np.reshape(values, (len(values), -1)), result):
            out[:] = self.matrix @ level
            if within:
                four = level[self.near]
                np.clip(out, four.min(0), four.max(0), out=out)
        return result


def lagrange(nodes: Sequence[Any], x: Any) -> list[np.ndarray]:
    """Returns weights at x of the polynomial through values at the nodes."""
    weights = []
    for n, here in enumerate(nodes):
        weight = np.ones_like(x)
        for m, other in enumerate(nodes):
            if m != n:
                weight = weight * ((x - other) / (here - other))
        weights.append(weight)
    return weights


def _across(j: np.ndarray, count: int) -> np.ndarray:
    """Returns the row that row j is, also beyond a pole."""
    return np.where(j < 0, -1 - j, np.where(j >= count, 2 * count - 1 - j, j))


def _latitude(rows: Rows, j: np.ndarray) -> np.ndarray:
    """Returns latitude of row j [degrees], continued beyond the poles."""
    count = rows.latitude.size
    there = rows.latitude[_across(j, count)]
    result: np.ndarray = np.where(j < 0, -180 - there, np.where(j >= count, 180 - there, there))
    return result
