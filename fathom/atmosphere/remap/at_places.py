"""Fields of an atmosphere in memory at places on earth. Of the globe by the twelve points around
each (fathom/grids/regrid/twelve_points.py), wind by its Cartesian components; of a limited area by
the sixteen points around on its map, wind by its components along the axes of that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.data.area_state import UNEVEN
from fathom.grids.regrid.rows import Rows
from fathom.grids.regrid.schmidt import turned
from fathom.grids.regrid.twelve_points import TwelvePoints, lagrange, rows_needed

wind = ("eastward_wind", "northward_wind")


class AtPlaces:
    """Fields of `given` (fathom/atmosphere/remap/given_state.py) at longitude, latitude (points)
    [degrees].

    collected : function of rectangles that this rank wants and the name of a field: their values,
        by position in the list of all ranks; all ranks call it.
    angle : of the wind that is wanted, against east [rad]; None: as on earth.
    """

    def __init__(
        self,
        given: Any,
        collected: Callable[..., Any],
        longitude: Any,
        latitude: Any,
        angle: Any = None,
    ) -> None:
        self.given, self.collected, self.longitude, self.angle = given, collected, longitude, angle
        rows = Rows.of(given.grid)
        self.places = rows.sphere.from_earth(longitude, latitude)
        self.needed = rows_needed(rows, self.places[1])
        self.twelve = TwelvePoints(rows, *self.places, *self.needed)

    def __call__(self, name: str) -> np.ndarray:
        """Returns a field, (levels, points); a tracer within its neighbours."""
        return self.twelve(self._rows_of(name), within=name in self.given.tracers)

    def _rows_of(self, name: str) -> Any:
        """Returns the rows that the places need, (levels, rows, points)."""
        whole = [(*self.needed, 0, int(self.given.grid.points.max()))]
        ((_, values),) = self.collected(whole, name).items()
        return values

    def wind(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns eastward and northward, by Cartesian components seen from the pole of the given
        one.
        """
        sphere = self.given.grid.sphere
        u, v = (self._rows_of(name) for name in wind)
        points = self.given.grid.points[slice(*self.needed)][:, None]
        there = (
            np.deg2rad(360.0 * np.arange(u.shape[2]) / points),
            np.deg2rad(sphere.from_pole(self.given.grid.latitude[slice(*self.needed)]))[:, None],
        )
        parts = [self.twelve(u * east + v * north) for east, north in zip(*_compass(*there))]
        here = (np.deg2rad(self.places[0]), np.deg2rad(sphere.from_pole(self.places[1])))
        east, north = (sum(p * c for p, c in zip(parts, axes)) for axes in _compass(*here))
        if sphere.rotated:
            east, north = turned(east, north, sphere.angle(*self.places, self.longitude))
        return (east, north) if self.angle is None else turned(east, north, -self.angle)


def on_map(area: Any, longitude: Any, latitude: Any) -> list[np.ndarray]:
    """Returns places among the points of an area, along x and along y, from 0. ValueError: beyond
    them.
    """
    found = []
    places = area.projection.from_earth(longitude, latitude)
    for place, middle, n in zip(places, area._middle, area.points, strict=True):
        at = (place - middle) / area.spacing + 0.5 * (n - 1)
        if at.min(initial=0) < -UNEVEN or at.max(initial=0) > n - 1 + UNEVEN:
            raise InputError(
                "the area reaches beyond the outer one: its places lie between"
                f" {at.min():.1f} and {at.max():.1f} of the outer one's 0 to {n - 1}"
            )
        found.append(np.clip(at, 0, n - 1))
    return found


class OnMap:
    """Fields of a `given` limited area at places that its columns surround."""

    def __init__(
        self, given: Any, collected: Callable[..., Any], longitude: Any, latitude: Any
    ) -> None:
        from scipy.sparse import csr_array  # start-up time

        self.given, self.collected = given, collected
        self.longitude, self.latitude = longitude, latitude
        first, weights = [], []
        for at, n in zip(on_map(given.grid.area, longitude, latitude), given.grid.points):
            west = np.clip(np.floor(at).astype(int) - 1, 0, n - 4)
            first.append(west)
            weights.append(lagrange([0.0, 1.0, 2.0, 3.0], at - west))
        (i, j), (along, across) = first, weights
        nx, ny = given.grid.points
        i0, j0 = int(i.min(initial=nx - 4)), int(j.min(initial=ny - 4))  # a rank may have none
        self.rectangle = (j0, int(j.max(initial=j0)) + 4, i0, int(i.max(initial=i0)) + 4)
        width = self.rectangle[3] - i0
        columns = [(j - j0 + m) * width + i - i0 + n for m in range(4) for n in range(4)]
        values = [across[m] * along[n] for m in range(4) for n in range(4)]
        self.near = np.stack([columns[n] for n in (5, 6, 9, 10)])
        count = np.size(longitude)
        ends = np.arange(count + 1) * 16
        shape = (count, (self.rectangle[1] - j0) * width)
        self.matrix: Any = csr_array(
            (np.stack(values, 1).ravel(), np.stack(columns, 1).ravel(), ends), shape=shape
        )

    def __call__(self, name: str) -> np.ndarray:
        ((_, values),) = self.collected([self.rectangle], name).items()
        flat = np.reshape(values, (len(values), -1)).astype(float)
        found: np.ndarray = (self.matrix @ flat.T).T
        if name in self.given.tracers:
            four = flat[:, self.near]
            found = np.clip(found, four.min(1), four.max(1))
        return found

    def wind(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns eastward and northward wind, (levels, points) [m s-1]."""
        u, v = (self(name) for name in wind)
        projection = self.given.grid.area.projection
        result: tuple[np.ndarray, np.ndarray] = projection.on_earth(
            u, v, self.longitude, self.latitude
        )
        return result


def _compass(longitude: Any, latitude: Any) -> tuple[Any, ...]:
    """Returns Cartesian components of the unit vectors to the east and to the north, angles in
    radians.
    """
    sine, cosine = np.sin(longitude), np.cos(longitude)
    up, out = np.cos(latitude), -np.sin(latitude)
    return (-sine, cosine, 0.0), (out * cosine, out * sine, up)
