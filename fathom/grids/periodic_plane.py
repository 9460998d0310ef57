"""A plane that is periodic in both directions, with air above, all on centres: for tests of a
limited-area model against exact solutions.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.grids.arguments import core, integer, length_of, number_of, pair, room_for
from fathom.grids.columns import whole_levels
from fathom.grids.grid import Grid
from fathom.grids.levels import HybridLevels, SigmaLevels
from fathom.grids.zones import zone_of


class PeriodicPlane(Grid):
    """Points of even spacing on a plane that is periodic both ways; it has no map factor."""

    levels_of = (HybridLevels, SigmaLevels)
    level_coordinate = "pressure"
    map_factor = angle = None

    def _build(
        self,
        nx: int | None,
        ny: int | None,
        extent: Any,
        periodic: tuple[bool, bool] | None,
        levels: HybridLevels | SigmaLevels | None,
        *,
        latitude: float | None,
        coupling: int,
    ) -> None:
        """Makes the grid of its arguments. InputError: they do not fit."""
        if nx is None or ny is None or extent is None:
            raise InputError(
                "CartesianGrid with staggering 'A' needs nx, ny and extent = [width, length] [m]"
            )
        if not all(periodic or (True, True)):
            raise InputError("periodic: with staggering 'A' a plane is periodic along x and y")
        self.size = self.points = room_for(nx, ny)
        if min(self.points) < 4:
            raise InputError(f"nx = {nx}, ny = {ny}: 4 or more each")
        self.spacing = _spacing(extent, nx, ny)
        self.latitude = number_of("latitude", 45.0 if latitude is None else latitude, "degrees")
        if not -90 <= self.latitude <= 90:
            raise InputError(f"latitude = {latitude!r} must lie within [-90, 90] degrees")
        self.levels = self._levels(levels, SigmaLevels(1))
        self.coupling = integer("coupling", coupling)
        if not 0 <= 2 * self.coupling < min(self.points):
            raise InputError(
                f"coupling = {coupling}: 0 or more, and less than half of {self.points} points"
            )
        self._sides = [[self.spacing * i for i in range(n + 1)] for n in self.size]

    @cached_property
    def horizontal(self) -> Any:
        """Returns coordinates, lengths and areas (HorizontalGrid of the core)."""
        return core().cartesian_grid(*self._sides, periodic=True)

    @cached_property
    def wet_levels(self) -> np.ndarray:
        """Returns levels of each column (ny, nx), int32: all."""
        return whole_levels(*self.size, self.levels.nz)

    @property
    def corner_levels(self) -> np.ndarray:
        """Returns levels of each corner (ny, nx), int32: those of columns."""
        return self.wet_levels

    @cached_property
    def zone(self) -> np.ndarray:
        """Returns where a point lies: 0 within, 1 on the edge (fathom/grids/zones.py)."""
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
        """Returns arrays that say which grid it is, by name."""
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


def _spacing(extent: Any, nx: int, ny: int) -> float:
    """Returns the distance of points [m], the same along x and y."""
    if np.ndim(extent) == 0:
        return length_of("extent", extent) / nx
    width, length = (length_of("extent", side) for side in pair("extent", extent, "m"))
    if abs(width / nx - length / ny) > 1e-9 * width / nx:
        raise InputError(
            f"extent = {extent!r}: {width / nx:g} m along x and {length / ny:g} m along y between"
            " points; with staggering 'A' they must be the same"
        )
    return width / nx
