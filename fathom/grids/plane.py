"""A plane with air above it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.grids.arguments import core, integer, length_of, pair, room_for, span, yes_or_no
from fathom.grids.grid import Grid
from fathom.grids.levels import HeightLevels


class PlaneGrid(Grid):
    """A plane of even spacing, periodic along x, with levels of height: a vertical slice, a channel
    with walls at both ends of y, or a plane that is periodic along y too.

    Parameters
    ----------
    nx, ny : int. Columns and rows; ny = 1 (default): a slice, in which nothing varies along y, and
        air may move along it.
    extent : (width, length) [m], or the width: cells are square then.
    walls : whether there are walls at both ends of y (True), or it is periodic along y too (False).
    levels : HeightLevels.
    """

    level_coordinate = "height"
    radius = 0.0  # of no sphere

    def __init__(
        self,
        nx: int | None = None,
        ny: int = 1,
        *,
        extent: float | Sequence[float] | None = None,
        walls: bool = True,
        levels: HeightLevels | None = None,
    ) -> None:
        if nx is None or extent is None:
            raise InputError("PlaneGrid needs nx and extent = [width, length] [m], or a width")
        room_for(nx, ny)
        nx, ny = integer("nx", nx), integer("ny", ny)
        if nx < 4 or ny not in (1, *range(4, ny + 1)):
            raise InputError(f"nx = {nx}, ny = {ny}: 4 columns or more; 1 row, or 4 or more")
        sides: Any = extent
        if np.ndim(extent) == 0:
            sides = (extent, length_of("extent", extent) * ny / nx)
        width, length = (length_of("extent", side) for side in pair("extent", sides, "m"))
        if levels is not None and not isinstance(levels, HeightLevels):
            raise InputError(f"levels = {levels!r} must be HeightLevels(...)")
        self.levels = levels or HeightLevels()
        self.walls = yes_or_no("walls", walls) and ny > 1
        self.dx, self.dy = width / nx, length / ny
        self._sides = [[self.dx * i for i in range(nx + 1)], [self.dy * j for j in range(ny + 1)]]
        self._size = nx, ny

    @property
    def slice(self) -> bool:
        """Returns whether it is one row wide."""
        return self._size[1] == 1

    @cached_property
    def horizontal(self) -> Any:
        """Returns coordinates, lengths and areas (HorizontalGrid of the core)."""
        return core().cartesian_grid(
            *self._sides, periodic=True, periodic_j=not (self.walls or self.slice)
        )

    @cached_property
    def wet_levels(self) -> np.ndarray:
        """Returns levels of each column (ny, nx), int32: all."""
        nx, ny = self._size
        levels = np.full((ny, nx), self.levels.nz, np.int32)
        levels.flags.writeable = False
        return levels

    @property
    def corner_levels(self) -> np.ndarray:
        return self.wet_levels

    @property
    def identity(self) -> dict[str, Any]:
        return {
            "interfaces": self.levels.interfaces,
            "decay": np.array(self.levels.decay),
            "spacing": np.array([self.dx, self.dy]),
            "walls": np.array(int(self.walls)),
        }

    def mapping(self) -> dict[str, Any]:
        """Returns coordinates of centres and corners, heights, area: what output and pictures
        take."""
        h = self.horizontal
        x, y = self.coordinates()
        return {
            "corner_x": np.asarray(h.corner_longitude),
            "corner_y": np.asarray(h.corner_latitude),
            "x": x,
            "y": y,
            "height_interfaces": self.levels.interfaces,
            "area": np.asarray(h.area_center),
        }

    def describe(self) -> dict[str, str]:
        """Returns label -> text, for the tree."""
        nx, ny = self._size
        sides = (
            "a slice" if self.slice
            else "walls in the south and north" if self.walls else "periodic along y too"
        )  # fmt: skip
        return {
            "plane": f"{self.dx * nx / 1e3:g} × {self.dy * ny / 1e3:g} km, {sides}",
            "spacing": f"{span([self.dx], 'm')} along x, {span([self.dy], 'm')} along y",
            "levels": str(self.levels),
        }
