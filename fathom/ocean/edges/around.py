"""Values of an outer sea at points of a sea inside it.

A value is bilinear between the four points around it. Of tracers and the height only points with
water count, by their weight; where none of the four has any, the nearest one. Where a layer of the
outer sea has no water around a place, the value is that of the layer above. The flow is 0 on land,
as on the B grid. Between layers a value is linear, above and below them constant.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from fathom.base.earth import unit_vectors
from fathom.grids.regrid import places, points
from fathom.model.component import Array

rim = 0.75  # of the distance between points, so far a place may lie beyond the outermost ones


class Sea(Protocol):
    """What is known of an outer sea: its points, and how deep it is there."""

    spherical: bool
    periodic: bool
    depth: Array  # of the middles of layers [m]

    def coordinates(self, where: str) -> tuple[Array, Array]:
        """Returns longitude and latitude [degrees], or x and y [m], of centres or corners."""

    def levels(self, where: str) -> Array:
        """Returns how many layers have water, (ny, nx)."""


class Around:
    """The points of a sea around places, at "center" or "corner" of its cells.

    x, y : of the places, (places,).  depth : of the middles of the layers inside [m].
    """

    def __init__(self, sea: Sea, where: str, x: Array, y: Array, depth: Array) -> None:
        there = sea.coordinates(where)
        if sea.spherical:
            found = places.from_quads(*there, x, y, sea.periodic)
            index, weight = found.index.astype(int), found.weight.astype(float)
        else:
            index, weight = _on_plane(*there, x, y)
        weight = np.where(weight < 1e-6, 0.0, weight)
        self.outside = weight.sum(1) == 0  # of the sea
        levels = np.asarray(sea.levels(where)).ravel()
        here = (weight * (levels[index] > 0)).sum(1)
        self.dry = (here == 0) & ~self.outside
        self.far = self.dry.copy()  # from water: further than two cells
        if self.dry.any():
            self.far[self.dry] = _take_nearest(index, weight, self.dry, levels, there, (x, y), sea)
        self.needed, again = np.unique(index, return_inverse=True)
        self.index, self.weight = again.reshape(index.shape), weight
        self.wet = levels[self.needed][self.index]
        self.depths = np.asarray(sea.depth, float), np.asarray(depth, float)

    def tracer(self, values: Array) -> Array:
        """Returns a tracer or the height (levels, places), of the values at `needed`."""
        found = np.empty((len(values), len(self.index)))
        for k, layer in enumerate(values):
            share = self.weight * (self.wet > k)
            whole = share.sum(1)
            known = whole > 0
            mean = (share * layer[self.index]).sum(1) / np.where(known, whole, 1.0)
            found[k] = np.where(known, mean, found[k - 1]) if k else mean
        return self._to_layers(found)

    def flow(self, values: Array) -> Array:
        """Returns a component of the flow (levels, places), of the values at `needed`."""
        found = [
            (self.weight * (self.wet > k) * layer[self.index]).sum(1)
            for k, layer in enumerate(values)
        ]
        return self._to_layers(np.array(found))

    def _to_layers(self, values: Array) -> Array:
        """Returns the values in the layers of the sea inside; those of a column as they are."""
        there, here = self.depths
        if len(values) != there.size or np.array_equal(there, here):
            return values
        if there.size == 1:
            return np.repeat(values, here.size, 0)
        return points.vertical(values, there, here)


def _on_plane(there_x: Array, there_y: Array, x: Array, y: Array) -> tuple[Array, Array]:
    """Returns numbers and weights of the four points of a plane around places, (places, 4); no
    weight where a place lies beyond the rim.
    """
    nx = there_x.shape[1]
    (i, east, in_x), (j, north, in_y) = _bracket(there_x[0], x), _bracket(there_y[:, 0], y)
    weight = np.stack(
        [(1 - north) * (1 - east), (1 - north) * east, north * (1 - east), north * east], 1
    )
    corners = np.stack([j * nx + i, j * nx + i + 1, (j + 1) * nx + i, (j + 1) * nx + i + 1], 1)
    return corners, weight * (in_x & in_y)[:, None]


def _bracket(axis: Array, target: Array) -> tuple[Array, Array, Array]:
    """Returns the number of the point of an axis before each target, the weight of the next one,
    and whether the target lies between the points or in the rim around them.
    """
    before = np.clip(np.searchsorted(axis, target, side="right") - 1, 0, axis.size - 2)
    share = (target - axis[before]) / (axis[before + 1] - axis[before])
    return before, np.clip(share, 0.0, 1.0), (share > -rim) & (share < 1 + rim)


def _take_nearest(
    index: Array,
    weight: Array,
    which: Array,
    levels: Array,
    there: tuple[Array, Array],
    here: tuple[Array, Array],
    sea: Sea,
) -> Array:
    """Lets some places have the value of the nearest point with water. Returns which of them are
    further from it than two cells are long.
    """
    from scipy.spatial import cKDTree  # start-up time

    make = unit_vectors if sea.spherical else (lambda x, y: np.stack([x, y], -1))
    points_, wet = make(*(np.ravel(one) for one in there)), np.flatnonzero(levels > 0)
    if not wet.size:
        return np.ones(int(which.sum()), bool)
    places_ = make(*(one[which] for one in here))
    distance, nearest = cKDTree(points_[wet]).query(places_)
    four = points_[index[which]]
    cell = np.linalg.norm(four - four[:, :1], axis=2).max(1)  # a diagonal, or 0: beyond the rim
    index[which] = wet[nearest][:, None]
    weight[which] = np.array([1.0, 0.0, 0.0, 0.0])
    return np.asarray(distance > 1.5 * np.where(cell > 0, cell, cell.max()))
