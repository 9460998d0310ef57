"""The whole sphere between parallels and meridians, with air above it, velocities on faces."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.grids.arguments import core, integer, length_of, room_for, span
from fathom.grids.columns import whole_levels
from fathom.grids.grid import Grid
from fathom.grids.levels import HeightLevels
from fathom.grids.regrid.schmidt import Schmidt


class SphereOfFaces(Grid):
    """Cells between meridians and parallels of even spacing, from pole to pole, with levels of
    height. The centre of column 0 lies on longitude 0; v lies on the poles.
    """

    levels_of = (HeightLevels,)
    level_coordinate = "height"
    slice = False
    south = -90.0  # where the first row begins
    sphere = Schmidt()  # neither stretched nor rotated

    def _build(
        self,
        nx: int | str | None,
        ny: int | None,
        latitude: Any,
        periodic: bool | None,
        levels: HeightLevels | None,
        radius: float,
    ) -> None:
        """Makes the grid of its arguments. InputError: they do not fit."""
        if nx is None:
            raise InputError("nx (the number of columns) is missing")
        if isinstance(nx, str) and nx[:1] == "N" and nx[1:].isdigit():
            nx = 2 * int(nx[1:])
        nx = integer("nx", nx)
        ny = integer("ny", 3 * nx // 4 if ny is None else ny)
        room_for(nx, ny)
        if nx < 8 or nx % 2 or ny < 4:
            raise InputError(
                f"nx = {nx}, ny = {ny}: 8 columns or more, an even number, for rows continue half a"
                " turn further beyond a pole; 4 rows or more"
            )
        if periodic is False or (latitude is not None and tuple(latitude) != (-90, 90)):
            raise InputError(
                f"latitude = {latitude!r}, periodic = {periodic!r}: with staggering 'C' rows go"
                " around the earth, from pole to pole; for an area take a RotatedGrid"
            )
        self.levels, self.radius = self._levels(levels), length_of("radius", radius)
        self.dx, self.dy = 360 / nx, 180 / ny  # [degrees]
        self._size = nx, ny
        self.truncation = nx // 3  # down to which the ground of the earth is kept: 3 columns a wave

    @cached_property
    def horizontal(self) -> Any:
        """Returns coordinates, lengths and areas (HorizontalGrid of the core)."""
        nx, ny = self._size
        latitudes = [-90 + 180 * j / ny for j in range(ny + 1)]
        return core().latitude_longitude_grid(
            nx, latitudes, -self.dx / 2, 360 - self.dx / 2, True, self.radius
        )

    @property
    def latitude(self) -> np.ndarray:
        """Returns latitudes of the rows [degrees]."""
        return -90 + self.dy * (np.arange(self._size[1]) + 0.5)

    @property
    def points(self) -> np.ndarray:
        """Returns the number of points of each row."""
        return np.full(self._size[1], self._size[0])

    @cached_property
    def wet_levels(self) -> np.ndarray:
        """Returns levels of each column (ny, nx), int32: all."""
        return whole_levels(*self._size, self.levels.nz)

    @property
    def corner_levels(self) -> np.ndarray:
        """Returns levels of each corner (ny, nx), int32: those of columns."""
        return self.wet_levels

    @property
    def areas(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns areas around centres and around corners, (ny, nx) [m2]: those of cells."""
        area = np.asarray(self.horizontal.area_center)
        return area, area

    @property
    def identity(self) -> dict[str, Any]:
        """Returns arrays that say which grid it is, by name."""
        return {
            "interfaces": self.levels.interfaces,
            "decay": np.array(self.levels.decay),
            "radius": np.array(self.radius),
        }

    def mapping(self) -> dict[str, Any]:
        """Returns coordinates along each axis with their edges, heights, area: what output and
        pictures take.
        """
        h = self.horizontal
        return {
            "longitude": np.asarray(h.center_longitude)[0],
            "latitude": np.asarray(h.center_latitude)[:, 0],
            "corner_longitude": np.asarray(h.corner_longitude)[0],
            "corner_latitude": np.asarray(h.corner_latitude)[:, 0],
            "height_interfaces": self.levels.interfaces,
            "area": np.asarray(h.area_center),
        }

    def describe(self) -> dict[str, str]:
        """Returns label -> text, for the tree."""
        nx, ny = self._size
        step = np.deg2rad(self.dx) * self.radius / 1e3
        widest, least = step * np.cos(np.deg2rad(self.dy / 2 * np.array([ny % 2 == 0, ny - 1])))
        return {
            "rows": f"{ny} of {nx} points, {self.dy:g}° apart, from pole to pole",
            "spacing": f"{span([least, widest], 'km')} along rows,"
            f" {np.deg2rad(self.dy) * self.radius / 1e3:.4g} km across",
            "levels": str(self.levels),
            "points": f"{nx * ny:,} columns, {self.wet_cells:,} cells",
        }
