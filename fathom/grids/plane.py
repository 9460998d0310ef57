"""A plane with air above it, velocities on faces."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.grids.arguments import core, length_of, pair, room_for, span
from fathom.grids.columns import whole_levels
from fathom.grids.grid import Grid
from fathom.grids.levels import HeightLevels


class PlaneOfFaces(Grid):
    """A plane of even spacing, periodic along x, with levels of height: a vertical slice, a channel
    with walls at both ends of y, or a plane that is periodic along y too.
    """

    levels_of = (HeightLevels,)
    level_coordinate = "height"
    radius = 0.0  # of no sphere

    def _build(
        self,
        nx: int | None,
        ny: int | None,
        extent: Any,
        periodic: tuple[bool, bool] | None,
        levels: HeightLevels | None,
    ) -> None:
        """Makes the grid of its arguments. InputError: they do not fit."""
        if nx is None or extent is None:
            raise InputError(
                "CartesianGrid with staggering 'C' needs nx and extent = [width, length] [m], or a"
                " width"
            )
        nx, ny = room_for(nx, 1 if ny is None else ny)
        if nx < 4 or ny not in (1, *range(4, ny + 1)):
            raise InputError(f"nx = {nx}, ny = {ny}: 4 columns or more; 1 row, or 4 or more")
        sides: Any = extent
        if np.ndim(extent) == 0:
            sides = (extent, length_of("extent", extent) * ny / nx)
        width, length = (length_of("extent", side) for side in pair("extent", sides, "m"))
        along_x, along_y = periodic or (True, False)
        if not along_x:
            raise InputError("periodic = false: air with staggering 'C' is periodic along x")
        self.levels = self._levels(levels)
        self.walls = not along_y and ny > 1
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
        return whole_levels(*self._size, self.levels.nz)

    @property
    def corner_levels(self) -> np.ndarray:
        """Returns levels of each corner (ny, nx), int32: those of columns."""
        return self.wet_levels

    @property
    def identity(self) -> dict[str, Any]:
        """Returns arrays that say which grid it is, by name."""
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
