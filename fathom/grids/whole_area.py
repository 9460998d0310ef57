"""The points on which a limited-area model computes: those of the area, and the extension that
makes fields periodic, whose columns are none.
"""

from __future__ import annotations

from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np

from fathom.base import mpi
from fathom.base.failure import InputError
from fathom.grids.columns import on_sphere
from fathom.grids.grid import Grid
from fathom.grids.limited_area import LimitedAreaGrid
from fathom.grids.regrid.places import Interpolation
from fathom.grids.regrid.rows import Scattered
from fathom.grids.regrid.windows import Inside

a_transposition = 0.03  # of a step: fields along rows and back to squares


class WholeArea(Grid):
    """C + I + E of a LimitedAreaGrid (`area`): its index space, (rows, points) of `size`. Columns
    are those of C + I; places in E continue the map.
    """

    level_coordinate = "pressure"

    def __init__(self, area: LimitedAreaGrid) -> None:
        if not area.projection.conformal:
            raise InputError(
                f"{area.projection!r} is not conformal: the equations need one map factor for both"
                " directions; allowed: projection = 'lambert', 'polar stereographic', 'mercator'"
            )
        self.area, self.levels = area, area.levels
        self.size, self.points, self.spacing = area.size, area.points, area.spacing
        self.radius = area.radius
        self.share_of_extension = 0.0  # cost of a point of E, of the time of a column

    def _places(self, where: str) -> tuple[np.ndarray, np.ndarray]:
        """Returns longitude and latitude of all points, or of the edges between them."""
        more = where == "corner"
        axes = []
        for axis, n, N in zip(self.area._axes(where), self.points, self.size):
            beyond = axis[-1] + self.spacing * np.arange(1, N - n + 1)
            axes.append(np.concatenate([axis, beyond])[: N + more])
        x, y = np.meshgrid(*axes)
        if not self.area.projection.contains(x, y).all():  # E leaves the map: no place is asked for
            ends = [axis[n - 1 + more] for axis, n in zip(axes, self.points)]
            x, y = np.minimum(x, ends[0]), np.minimum(y, ends[1])
        return self.area.projection.to_earth(x, y)

    @cached_property
    def horizontal(self) -> SimpleNamespace:
        """Returns coordinates of centres and corners [degrees]; areas [m2], 0 in E."""
        (nx, ny), (columns, rows) = self.points, self.size
        center, corner = self._places("center"), self._places("corner")
        area = np.zeros((rows, columns))
        area[:ny, :nx] = self.area.horizontal.area_center
        return on_sphere(center, corner, area, self.radius)

    @property
    def areas(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns areas around centres and around corners, (rows, points) [m2]: those of cells,
        0 in E.
        """
        return self.horizontal.area_center, self.horizontal.area_center

    @cached_property
    def wet_levels(self) -> np.ndarray:
        """Returns levels of each column, int32; 0 in E."""
        levels = np.zeros(self.size[::-1], np.int32)
        levels[: self.points[1], : self.points[0]] = self.levels.nz
        levels.flags.writeable = False
        return levels

    @property
    def work_levels(self) -> np.ndarray:
        """Returns the same, with -n in E: no column, but in transforms as much work as n levels."""
        levels = self.wet_levels.copy()
        idle = int(np.ceil(self.share_of_extension * self.levels.nz))
        levels[levels == 0] = -idle
        return levels

    @property
    def corner_levels(self) -> np.ndarray:
        """Returns levels of each corner (rows, points), int32: those of columns."""
        return self.wet_levels

    @cached_property
    def angle(self) -> np.ndarray:
        """Returns the angle from east to the axis of x [radians], of all points."""
        return self.area.projection.angle(*self.coordinates())

    @property
    def zone(self) -> np.ndarray:
        """Returns where points of C + I lie (ny, nx): 0 in C, 1 on the edge, between in I."""
        return self.area.zone

    @cached_property
    def map_factor(self) -> np.ndarray:
        """Returns m of all points, periodic: in E by splines of ln m."""
        result: np.ndarray = np.exp(self.spread(np.log(self.area.map_factors[0])))
        return result

    @cached_property
    def scattered(self) -> Scattered:
        """Returns the columns as regridding takes them."""
        longitude, latitude = self.coordinates()
        return Scattered(longitude, latitude, self.wet_levels > 0)

    def continued(self, values: np.ndarray) -> np.ndarray:
        """Returns values of C + I, and in E the values of its edges, for fields that must not
        change.
        """
        nx, ny = self.points
        more = [(0, N - n) for n, N in zip((ny, nx), self.size[::-1])]
        inside = self.area.inside(np.asarray(values))
        return np.pad(inside, [(0, 0)] * (inside.ndim - 2) + more, mode="edge")

    def spread(self, values: np.ndarray) -> np.ndarray:
        """Returns (..., rows, points) or C + I alone, made periodic: E by splines."""
        return self.area.periodic(self.area.inside(np.asarray(values, float)))

    def distribution(self, ranks: int) -> str:
        """Returns whole rows, as transforms want them; squares where ranks have few rows and would
        wait longer for the slowest by more than a transposition takes.
        """
        if 16 * ranks <= self.size[1]:
            return "north-south"
        if ranks > self.size[1]:
            return "square"
        rows, squares = (self.waiting(ranks, d) for d in ("north-south", "square"))
        return "square" if rows - squares > a_transposition else "north-south"

    def waiting(self, ranks: int, distribution: str) -> float:
        """Returns share of a step in which ranks wait for the slowest, by their levels of work; 1
        where a block lies in E alone: it has no owner.
        """
        work, (nx, ny) = np.ascontiguousarray(self.work_levels, np.int32), self.size
        made = mpi.core.decompose(
            mpi.core.Topology(nx, ny, False, False),
            work.ravel().tolist(),
            ranks,
            distribution=distribution,
            halo=0,
        )
        times = np.zeros(ranks)
        for _, i, j, width, height, owner in np.asarray(made.blocks).reshape(-1, 6):
            if owner < 0:
                return 1.0
            times[owner] += np.abs(work[j : j + height, i : i + width]).sum()
        return float(1 - times.mean() / times.max())

    @property
    def window(self) -> Inside:
        """Returns the area of output: C + I."""
        nx, ny = self.points
        mapping = {n: v for n, v in self.area.mapping().items() if not n.startswith("hybrid")}
        index = np.arange(ny)[:, None] * self.size[0] + np.arange(nx)
        return Inside(mapping["longitude"], mapping["latitude"], mapping, {}, index, self.size[0])

    def interpolation(self, longitude: Any, latitude: Any, where: str = "center") -> Interpolation:
        """Returns the interpolation from the points of C + I to places on earth."""
        found = self.area.interpolation(longitude, latitude, where)
        index = np.asarray(found.index)
        j, i = index // self.points[0], index % self.points[0]
        result: Interpolation = type(found)(
            (j * self.size[0] + i).astype(index.dtype), found.weight, self.size[0]
        )
        return result

    def mapping(self) -> dict[str, Any]:
        """Returns coordinates of all points and corners, levels, area: E continues as the map
        does."""
        h = self.horizontal
        return self.area.mapping() | {
            "longitude": h.center_longitude,
            "latitude": h.center_latitude,
            "corner_longitude": h.corner_longitude,
            "corner_latitude": h.corner_latitude,
            "area": h.area_center,
        }

    @property
    def identity(self) -> dict[str, Any]:
        """Returns arrays that say which grid it is, by name."""
        return self.area.identity

    def describe(self) -> dict[str, str]:
        """Returns label -> text, for the tree."""
        return self.area.describe()

    def __repr__(self) -> str:
        return repr(self.area)
