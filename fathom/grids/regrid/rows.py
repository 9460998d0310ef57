"""Grids made of rows: latitudes from south to north, on each any number of points around the earth
from one longitude eastward, 0 if nothing else is said.

On a stretched and rotated sphere (`schmidt`) these are the latitudes and longitudes of the
computational one.

A field is (..., rows, longest row), as the model keeps it: a shorter row leaves the columns from
its number of points on unused. Work is done on packed fields (..., points of the grid), row after
row.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base.failure import InputError
from fathom.grids.regrid.schmidt import Schmidt

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class Packed:
    """Points of a grid in the order of its rows: `shape` (rows, longest row), `used` (rows, longest
    row) True where there is one, `point_longitude`, `point_latitude` of each on earth.
    """

    shape: tuple[int, int]
    size: int
    used: np.ndarray
    point_longitude: np.ndarray
    point_latitude: np.ndarray
    in_rows = False  # whether they lie on parallels

    @cached_property
    def weights(self) -> dict[str, Any]:
        """Returns what interpolation to these points keeps for the next field
        (fathom/grids/regrid/sphere.py)."""
        return {}

    def pack(self, field: ArrayLike) -> np.ndarray:
        """Returns (..., rows, longest row) -> (..., points of the grid)."""
        field = np.asarray(field)
        if field.shape[-2:] != self.shape:
            raise InputError(
                f"a field of shape {field.shape} does not fit a grid of {self.shape[0]} rows with"
                f" up to {self.shape[1]} points"
            )
        return field[..., self.used]

    def unpack(self, values: np.ndarray, fill: float = 0.0) -> np.ndarray:
        """Returns (..., points of the grid) -> (..., rows, longest row), `fill` where there is no
        point.
        """
        values = np.asarray(values)
        field = np.empty(values.shape[:-1] + self.shape, values.dtype)
        field[..., self.used] = values
        field[..., ~self.used] = fill
        return field


class Scattered(Packed):
    """Points anywhere: those of longitude, latitude (rows, columns) [degrees] where `used`."""

    def __init__(self, longitude: np.ndarray, latitude: np.ndarray, used: np.ndarray) -> None:
        self.used = np.asarray(used, bool)
        self.shape, self.size = self.used.shape, int(self.used.sum())
        self.point_longitude = np.asarray(longitude, float)[self.used] % 360
        self.point_latitude = np.asarray(latitude, float)[self.used]


@dataclass(frozen=True)
class Rows(Packed):
    """latitude (rows,) [degrees], increasing; points (rows,), of each row; the sphere that they are
    on; first: longitude of the first point of all rows [degrees].
    """

    latitude: np.ndarray
    points: np.ndarray
    sphere: Schmidt = field(default_factory=Schmidt)
    first: float = 0.0

    def __post_init__(self) -> None:
        latitude, points = np.asarray(self.latitude, float), np.asarray(self.points, int)
        if latitude.ndim != 1 or latitude.shape != points.shape or latitude.size < 2:
            raise InputError(
                f"latitude has shape {latitude.shape}, points {points.shape}: both must be one"
                " number for each of at least 2 rows"
            )
        if not (np.diff(latitude) > 0).all() or np.abs(latitude).max() > 90:
            raise InputError(
                f"latitudes must increase within [-90, 90] degrees; they run from {latitude[0]:g}"
                f" to {latitude[-1]:g}"
            )
        if points.min() < 4:
            raise InputError(
                f"row {points.argmin()} has {points.min()} points; at least 4 are needed"
            )
        object.__setattr__(self, "latitude", latitude)
        object.__setattr__(self, "points", points)

    @classmethod
    def gaussian(cls, rows: int, points: int | str | None = None) -> Rows:
        """Returns Gaussian latitudes with `points` on each row (default 2 `rows`), or "octahedral":
        4 i + 16 on the i-th row from a pole.
        """
        if rows < 2 or rows % 2:
            raise InputError(f"a Gaussian grid has an even number of rows, at least 2; not {rows}")
        latitude = np.rad2deg(np.arcsin(np.polynomial.legendre.leggauss(rows)[0]))
        if points == "octahedral":
            return cls(
                latitude, 4 * np.minimum(np.arange(1, rows + 1), np.arange(rows, 0, -1)) + 16
            )
        if isinstance(points, str):
            raise InputError(f"points = {points!r}: allowed are a number or 'octahedral'")
        return cls(latitude, np.full(rows, points or 2 * rows))

    @classmethod
    def of(cls, grid: Any) -> Rows:
        """Returns the rows of anything that has `latitude` [degrees] and `points` for each row, and
        may have a `sphere`.
        """
        if isinstance(grid, cls):
            return grid
        missing = [name for name in ("latitude", "points") if not hasattr(grid, name)]
        if missing:
            raise InputError(
                "a grid of rows has latitude and points, one number for each row;"
                f" {type(grid).__name__} has no {' and no '.join(missing)}"
            )
        return cls(grid.latitude, grid.points, getattr(grid, "sphere", None) or Schmidt())

    @property
    def in_rows(self) -> bool:  # type: ignore[override]
        """Returns whether rows lie along parallels of the earth."""
        return self.sphere.plain

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]
        """Returns (rows, longest row)."""
        return self.points.size, int(self.points.max())

    @property
    def size(self) -> int:  # type: ignore[override]
        """Returns points of the whole grid."""
        return int(self.points.sum())

    @cached_property
    def start(self) -> np.ndarray:
        """Returns place of the first point of each row in a packed field, and the end (rows +
        1,)."""
        return np.concatenate([[0], np.cumsum(self.points)])

    @cached_property
    def used(self) -> np.ndarray:  # type: ignore[override]
        """Returns (rows, longest row) True where there is a point."""
        return np.arange(self.shape[1]) < self.points[:, None]

    @cached_property
    def area(self) -> np.ndarray:
        """Returns part of the sphere that belongs to each point, packed; the sum is 1. Gaussian
        weights where the latitudes are Gaussian.
        """
        sine, weight = np.polynomial.legendre.leggauss(self.points.size)
        here = np.sin(np.deg2rad(self.latitude))
        if np.abs(here - sine).max() > 1e-7:
            edge = np.concatenate(
                [[-1], np.sin(np.deg2rad(0.5 * (self.latitude[1:] + self.latitude[:-1]))), [1]]
            )
            weight = np.diff(edge)
        return np.repeat(
            0.5 * weight / self.points / self.sphere.map_factor(self.latitude) ** 2, self.points
        )

    @cached_property
    def _on_earth(self) -> tuple[np.ndarray, np.ndarray]:
        return self.sphere.to_earth(
            np.concatenate([self.longitude(j) for j in range(self.points.size)]),
            np.repeat(self.latitude, self.points),
        )

    @property
    def point_longitude(self) -> np.ndarray:  # type: ignore[override]
        """Returns longitude of each point on earth, packed."""
        return self._on_earth[0]

    @property
    def point_latitude(self) -> np.ndarray:  # type: ignore[override]
        """Returns the latitude of all points on earth [degrees]."""
        return self._on_earth[1]

    def longitude(self, row: int) -> np.ndarray:
        """Returns the longitudes of the points of a row [degrees]."""
        result: np.ndarray = self.first + 360.0 / self.points[row] * np.arange(self.points[row])
        return result


def points_of(grid: Any) -> Packed:
    """Returns the points of anything that has rows, or `scattered` points."""
    points = getattr(grid, "scattered", None)
    return Rows.of(grid) if points is None else points
