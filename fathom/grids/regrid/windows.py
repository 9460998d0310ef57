"""Parts of the earth as targets: the window of a grid that holds a box of longitudes and latitudes,
and means along latitude circles.

The window is the fewest rows and columns of the grid in which all points of the box lie: on rows of
latitude and longitude the box itself, on curvilinear rows somewhat more. A mean along a circle is
that of the points that have a value, with equal weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from fathom.base.failure import InputError
from fathom.grids.regrid.places import Interpolation
from fathom.grids.regrid.targets import Region, Target

globe = (0.0, 360.0, -90.0, 90.0)
axes = {"longitude": -1, "latitude": -2, "x": -1, "y": -2}  # the name of the dimension


@dataclass
class Window(Target):
    """A target of the grid's own points: `index` (rows, columns) among them, row by row."""

    index: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), int))
    points: int = 0  # of a row of the grid
    between: ClassVar[bool] = False

    def find(self, grid: Any, horizontal: str) -> None:
        if grid.reduced:  # rows have fewer points than they show
            return super().find(grid, horizontal)
        index = np.repeat(self.index.reshape(-1, 1), 4, 1).astype(np.int32)
        weight = np.zeros(index.shape, np.float32)
        weight[:, 0] = 1
        self.interpolations[horizontal] = Interpolation(index, weight, self.points)
        return None

    def bring(
        self, horizontal: str, region: Region, values: np.ndarray, first_row: int
    ) -> np.ndarray:
        if self.interpolations[horizontal].weight[0, 0] != 1:  # a reduced grid
            return super().bring(horizontal, region, values, first_row)
        j0, j1, i0, i1 = region
        points = self.index[j0:j1, i0:i1] - first_row * self.points
        return np.take(values.reshape(len(values), -1), points, axis=1)

    def without_grid(self) -> Target:
        """Returns the places without a grid, to be interpolated to."""
        return Target(self.longitude, self.latitude, self.mapping)


class Inside(Window):
    """All columns of a grid that has points beyond them."""

    def cut(self, values: np.ndarray) -> np.ndarray:
        """Returns (ny, nx) of its points from those of the grid."""
        result: np.ndarray = np.asarray(values).reshape(-1)[self.index]
        return result


def window(own: Mapping[str, Any], area: Any) -> Window:
    """Returns the part of a grid (as `output.coordinates` takes it) in area = [west, east, south,
    north], degrees, or metres on a plane. ValueError: no box, or none of the grid's points in it.
    """
    names = ("longitude", "latitude") if "longitude" in own else ("x", "y")
    box = box_of(area, spherical="longitude" in own)
    x, y = (np.asarray(own[name], float) for name in names)
    x, y = (x, y) if x.ndim == 2 else np.broadcast_arrays(x, y[:, None])
    inside = within(x, y, box, "longitude" in own)
    if not inside.any():
        raise InputError(f"area = {area}: none of the grid's {inside.size} points lies in it")
    rows = np.flatnonzero(inside.any(1))
    j = np.arange(rows[0], rows[-1] + 1)
    i = _together(np.flatnonzero(inside.any(0)), x.shape[1], _closed(own, names[0]))
    mapping = {
        name: cut
        for name, values in own.items()
        if (cut := _cut(name, np.asarray(values), x.shape, j, i)) is not None
    }
    if "projection" in own:  # rows and columns of a map are those of the same map
        mapping["projection"] = own["projection"]
    west = np.asarray(mapping[names[0]]).flat[0]
    for name in [n for n in mapping if n.endswith("longitude")]:  # as the box counts them
        mapping[name] = mapping[name] - 360.0 * np.floor((west - box[0]) / 360 + 1e-9)
    index = j[:, None] * x.shape[1] + i % x.shape[1]
    return Window(mapping[names[0]], mapping[names[1]], mapping, {}, index, x.shape[1])


def box_of(area: Any, spherical: bool = True) -> np.ndarray:
    """Returns [west, east, south, north], checked; east up to 360 degrees beyond west."""
    try:
        west, east, south, north = np.asarray(area, float)
        good = np.isfinite([west, east, south, north]).all() and south < north
        good = good and (max(abs(south), abs(north)) <= 90 if spherical else west < east)
    except (TypeError, ValueError):
        good = False
    if not good:
        unit = "degrees, south below north within [-90, 90]" if spherical else "m, in rising pairs"
        raise InputError(f"area = {area!r}: allowed is [west, east, south, north] in {unit}")
    if spherical:
        east = west + ((east - west) % 360 or 360.0)
    return np.array([west, east, south, north])


def within(
    x: np.ndarray, y: np.ndarray, box: Sequence[float] | np.ndarray, spherical: bool
) -> np.ndarray:
    """Returns whether points lie in a box."""
    west, east, south, north = box
    across = (x - west) % 360 <= east - west if spherical else (x >= west) & (x <= east)
    return across & (y >= south) & (y <= north)


def _closed(own: Mapping[str, Any], name: str) -> bool:
    """Returns whether the last column is next to the first."""
    edges = np.asarray(own[f"corner_{name}"], float)
    return name == "longitude" and bool(
        np.abs((edges[..., -1] - edges[..., 0] + 180) % 360 - 180).max() < 1e-6
    )


def _together(columns: np.ndarray, count: int, closed: bool) -> np.ndarray:
    """Returns the shortest run of columns that holds these; beyond `count` it continues at the
    first.
    """
    if not closed or columns.size == count:
        return np.arange(columns[0], columns[-1] + 1)
    gaps = np.diff(np.append(columns, columns[0] + count))
    last = int(gaps.argmax())
    first = columns[(last + 1) % columns.size]
    result: np.ndarray = first + np.arange((columns[last] - first) % count + 1)
    return result


def _cut(
    name: str, values: np.ndarray, shape: tuple[int, int], j: Any, i: Any
) -> np.ndarray | None:
    """Returns rows j and columns i of values at points or corners; None for values elsewhere."""
    corner = name.startswith("corner_")
    j, i = (np.append(n, n[-1] + 1) if corner else n for n in (j, i))
    size = tuple(n + corner for n in shape)
    wide = size[1] - corner  # columns before the first comes again
    again = i[-1] >= size[1]
    column = i % wide if again else i
    turn = 360.0 * (i // wide) if again and name.endswith("longitude") else 0.0
    axis = {1: axes.get(name.removeprefix("corner_")), 2: "both"}.get(values.ndim)
    if axis == "both" and values.shape == size:
        return values[np.ix_(j, column)] + turn
    if axis == -2 and len(values) == size[0]:
        return np.asarray(values[j])
    if axis == -1 and len(values) == size[1]:
        return np.asarray(values[column] + turn)
    return None


def _rows(own: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns coordinates with one latitude of each row and one longitude of each column; None:
    points of a row lie on several.
    """
    found = dict(own)
    for part in ("", "corner_"):
        x, y = (np.asarray(own[f"{part}{name}"], float) for name in ("longitude", "latitude"))
        if x.ndim == 2:
            if np.ptp(x, axis=0).max() > 1e-9 or np.ptp(y, axis=1).max() > 1e-9:
                return None
            x, y = x[0], y[:, 0]
        found[f"{part}longitude"], found[f"{part}latitude"] = x, y
    found.pop("projection", None)
    return found


class ZonalMean(Target):
    """Means along the rows of another target, which lies on latitudes and longitudes."""

    def __init__(self, along: Target) -> None:
        if "corner_longitude" not in along.mapping:
            raise InputError("a zonal mean is of the earth; the grid is a plane")
        rows = _rows(along.mapping)
        if rows is None:
            raise InputError(
                "a zonal mean needs rows of one latitude each; on this grid give"
                " latlon_resolution = 1, or other degrees, as well"
            )
        corners = np.asarray(rows["corner_longitude"], float)
        ends = corners[[0, -1]]
        mapping = rows | {
            "longitude": np.array([0.5 * ends.sum()]),
            "corner_longitude": ends,
            "area": np.asarray(along.mapping["area"]).sum(1, keepdims=True),
        }
        for name in ("wet_levels", "bottom_thickness", "land_fraction", "sphere"):
            mapping.pop(name, None)
        super().__init__(
            mapping["longitude"], rows["latitude"], mapping, interpolations=along.interpolations
        )
        self.along = along

    def as_cells(self) -> Target:
        """Returns rings around the earth, or the part of them in an area, to take means over."""
        return Target(self.longitude, self.latitude, self.mapping, conservative=True)

    @property
    def between(self) -> bool:  # type: ignore[override]
        """Returns whether its places lie between points of the model."""
        return self.along.between

    def find(self, grid: Any, horizontal: str) -> None:
        self.along.find(grid, horizontal)

    def _whole(self, region: Region) -> Region:
        return (*region[:2], 0, self.along.shape[1])

    def rows(self, horizontal: str, region: Region) -> tuple[int, int]:
        return self.along.rows(horizontal, self._whole(region))

    def find_turn(self, grid: Any, horizontal: str) -> None:
        self.along.find_turn(grid, horizontal)

    def wind(
        self, horizontal: str, region: Region, u: np.ndarray, v: np.ndarray, first_row: int
    ) -> list[np.ndarray]:
        whole = self._whole(region)
        return [self._mean(w) for w in self.along.wind(horizontal, whole, u, v, first_row)]

    def bring(
        self, horizontal: str, region: Region, values: np.ndarray, first_row: int
    ) -> np.ndarray:
        return self._mean(self.along.bring(horizontal, self._whole(region), values, first_row))

    @staticmethod
    def _mean(values: np.ndarray) -> np.ndarray:
        """Returns the mean of existing values along rows."""
        there = ~np.isnan(values)
        total = np.where(there, values, 0).sum(-1, keepdims=True)
        count = there.sum(-1, keepdims=True)
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)
