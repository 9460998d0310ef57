"""A plane that is periodic in both directions, with air above: for tests of a limited-area model
against exact solutions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.grids.arguments import core, length_of, number_of, room_for
from fathom.grids.grid import Grid
from fathom.grids.levels import HybridLevels, SigmaLevels
from fathom.grids.limited_area import _least, _points
from fathom.grids.zones import zone_of


class PeriodicPlaneGrid(Grid):
    """Points of even spacing on a plane that is periodic both ways; it has no map factor.

    Parameters
    ----------
    points : (along x, along y).
    resolution : float [m].
    latitude : [degrees] of the whole plane: of its Coriolis parameter and of the sun.
    coupling : points along each edge that are relaxed to an outer model, if there is one.
    levels : HybridLevels or SigmaLevels; by default one layer.
    """

    level_coordinate = "pressure"
    map_factor = angle = None

    def __init__(
        self,
        points: Sequence[int] | None = None,
        *,
        resolution: float | None = None,
        latitude: float = 45.0,
        coupling: int = 0,
        levels: HybridLevels | SigmaLevels | None = None,
    ) -> None:
        if points is None or resolution is None:
            raise InputError(
                "PeriodicPlaneGrid needs points = [along x, along y] and resolution [m]"
            )
        self.size = self.points = _points(points)
        room_for(*self.size)
        self.spacing = length_of("resolution", resolution)
        self.latitude = number_of("latitude", latitude, "degrees")
        if not -90 <= self.latitude <= 90:
            raise InputError(f"latitude = {latitude!r} must lie within [-90, 90] degrees")
        if levels is not None and not isinstance(levels, (HybridLevels, SigmaLevels)):
            raise InputError(f"levels = {levels!r} must be HybridLevels(...) or SigmaLevels(...)")
        self.levels = levels or SigmaLevels(1)
        self.coupling = _least("coupling", coupling, 0)
        if 2 * self.coupling >= min(self.points):
            raise InputError(f"coupling = {coupling} leaves nothing of {self.points} points")
        self._sides = [[self.spacing * i for i in range(n + 1)] for n in self.size]

    @cached_property
    def horizontal(self) -> Any:
        """Returns coordinates, lengths and areas (HorizontalGrid of the core)."""
        return core().cartesian_grid(*self._sides, periodic=True)

    @cached_property
    def wet_levels(self) -> np.ndarray:
        """Returns levels of each column (ny, nx), int32: all."""
        levels = np.full(self.size[::-1], self.levels.nz, np.int32)
        levels.flags.writeable = False
        return levels

    @property
    def corner_levels(self) -> np.ndarray:
        return self.wet_levels

    @cached_property
    def zone(self) -> np.ndarray:
        """Where a point lies: 0 within, 1 on the edge (fathom/grids/zones.py)."""
        return zone_of(self.points, self.coupling)

    def spread(self, values: np.ndarray) -> np.ndarray:
        """Returns the values themselves: they are periodic already."""
        return np.asarray(values, float)

    continued = spread

    def distribution(self, ranks: int) -> str:
        """Returns whole rows, as transforms want them."""
        return "north-south"

    @property
    def identity(self) -> dict[str, Any]:
        return {
            "spacing": np.array([self.spacing, *self.size]),
            "latitude": np.array(self.latitude),
            "a": self.levels.a,
            "b": self.levels.b,
        }

    def mapping(self) -> dict[str, Any]:
        """Returns coordinates of centres and corners, levels, area: what output and pictures
        take."""
        h = self.horizontal
        x, y = self.coordinates()
        return {
            "x": x,
            "y": y,
            "corner_x": np.asarray(h.corner_longitude),
            "corner_y": np.asarray(h.corner_latitude),
            "area": np.asarray(h.area_center),
            "hybrid_a": self.levels.a,
            "hybrid_b": self.levels.b,
        }

    def describe(self) -> dict[str, str]:
        """Returns label -> text, for the tree."""
        nx, ny = self.size
        return {
            "plane": f"{nx * self.spacing / 1e3:g} × {ny * self.spacing / 1e3:g} km, periodic both"
            f" ways, at {self.latitude:g}°",
            "spacing": f"{self.spacing / 1e3:g} km",
            "levels": str(self.levels),
        }
