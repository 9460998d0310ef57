"""Fields of an atmosphere in memory at places on earth: by the twelve points around each
(fathom/regrid/twelve_points.py), wind by its Cartesian components.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fathom.regrid.rows import Rows
from fathom.regrid.schmidt import turned
from fathom.regrid.twelve_points import TwelvePoints, rows_needed

wind = ("eastward_wind", "northward_wind")


class AtPlaces:
    """Of `given` (fathom/atmosphere/given_state.py) at longitude, latitude (points) [degrees].

    collected : function of rectangles that this rank wants and the name of a field: their values,
        by position in the list of all ranks; all ranks call it.
    angle : of the wind that is wanted, against east [rad]; None: as on earth.
    """

    def __init__(
        self, given: Any, collected: Callable, longitude: Any, latitude: Any, angle: Any = None
    ):
        self.given, self.collected, self.longitude, self.angle = given, collected, longitude, angle
        rows = Rows.of(given.grid)
        self.places = rows.sphere.from_earth(longitude, latitude)
        self.needed = rows_needed(rows, self.places[1])
        self.twelve = TwelvePoints(rows, *self.places, *self.needed)

    def __call__(self, name: str) -> np.ndarray:
        """A field, (levels, points); a tracer within its neighbours."""
        return self.twelve(self._rows_of(name), within=name in self.given.tracers)

    def _rows_of(self, name):
        """The rows that the places need, (levels, rows, points)."""
        whole = [(*self.needed, 0, int(self.given.grid.points.max()))]
        ((_, values),) = self.collected(whole, name).items()
        return values

    def wind(self) -> tuple[np.ndarray, np.ndarray]:
        """Eastward and northward, by Cartesian components seen from the pole of the given one."""
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


def _compass(longitude, latitude):
    """Cartesian components of the unit vectors to the east and to the north, angles in radians."""
    sine, cosine = np.sin(longitude), np.cos(longitude)
    up, out = np.cos(latitude), -np.sin(latitude)
    return (-sine, cosine, 0.0), (out * cosine, out * sine, up)
