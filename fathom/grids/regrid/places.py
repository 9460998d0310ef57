"""From the points of any grid to places on earth: the four points around each and their weights,
found once, used for every field.

    rows        along the two rows around a place linearly, then between them; beyond the last row
                its value
    quads       of curvilinear grids: (a, b) in [0, 1]^2 where the bilinear map of four neighbours,
                projected onto the plane that touches the sphere at the place, meets it; the nearest
                point where no quad of neighbours contains the place, but one is as near as
                neighbours are

Missing values (land: NaN) are left out and the other weights grow; NaN where less than half of the
weight is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import mpi
from fathom.base.earth import unit_vectors
from fathom.base.failure import InputError
from fathom.grids.regrid.rows import Rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from fathom.grids.regrid.rows import Rows


@dataclass(frozen=True)
class Interpolation:
    """`index` (places, 4), of the grid's points row by row, and `weight` (places, 4); `points` of a
    row. ValueError for a place that is not finite.
    """

    index: np.ndarray
    weight: np.ndarray
    points: int

    def rows(self, places: slice) -> tuple[int, int]:
        """Returns first and end row of the points that these places need."""
        j = self.index[places] // self.points
        return int(j.min()), int(j.max()) + 1

    def turn(
        self, there: tuple[np.ndarray, np.ndarray], here: tuple[np.ndarray, np.ndarray]
    ) -> Turn:
        """Turns winds from the points at longitude and latitude there [degrees] to the places."""
        return Turn.of(self, there, here)

    def __call__(
        self, values: np.ndarray, first_row: int, places: slice, factor: np.ndarray | None = None
    ) -> np.ndarray:
        """Returns (levels, places) from values (levels, rows, points) of whole rows from first_row
        on, each of the four times a factor (places, 4).
        """
        flat = np.asarray(values)
        if flat.dtype not in (np.float32, np.float64):
            flat = flat.astype(float)
        flat = np.ascontiguousarray(flat.reshape(len(flat), -1))
        around = (
            np.ascontiguousarray(self.index[places], np.int32),
            np.ascontiguousarray(self.weight[places], np.float32),
        )
        if factor is not None:
            factor = np.ascontiguousarray(factor, float)
        result: np.ndarray = mpi.core.at_places(flat, first_row * self.points, *around, factor)
        return result


@dataclass(frozen=True)
class Turn:
    """Turns vectors from the points of an Interpolation to its places, along great circles: cosine
    and sine of the angle (places, 4).
    """

    cosine: np.ndarray
    sine: np.ndarray

    @classmethod
    def of(
        cls,
        found: Interpolation,
        there: tuple[np.ndarray, np.ndarray],
        here: tuple[np.ndarray, np.ndarray],
    ) -> Turn:
        """Returns longitude and latitude [degrees] there, of the points row by row, and of the
        places.
        """
        e, n = compass(*(np.asarray(x, float).ravel() for x in here))
        x, y = (np.asarray(x, float).ravel()[found.index] for x in there)
        e_i, n_i = compass(x, y)
        cosine = np.einsum("pc,pkc->pk", e, e_i) + np.einsum("pc,pkc->pk", n, n_i)
        sine = np.einsum("pc,pkc->pk", e, n_i) - np.einsum("pc,pkc->pk", n, e_i)
        length = np.hypot(cosine, sine)
        length[length < 1e-9] = 1.0  # opposite each other: no point that counts
        return cls((cosine / length).astype(np.float32), (sine / length).astype(np.float32))

    def wind(
        self, found: Interpolation, u: np.ndarray, v: np.ndarray, first_row: int, places: slice
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns both components (levels, places), of those (levels, rows, points) of whole
        rows."""
        cosine, sine = (part[places].astype(float) for part in (self.cosine, self.sine))

        def by(values: Any, factor: Any) -> Any:
            return found(values, first_row, places, factor)

        return by(u, cosine) + by(v, sine), by(v, cosine) - by(u, sine)


def compass(longitude: ArrayLike, latitude: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Returns unit vectors (..., 3) to the east and to the north [degrees]."""
    x, y = np.deg2rad(longitude), np.deg2rad(latitude)
    east = np.stack([-np.sin(x), np.cos(x), 0 * x], -1)
    north = np.stack([-np.sin(y) * np.cos(x), -np.sin(y) * np.sin(x), np.cos(y)], -1)
    return east, north


def from_coordinates(
    there_longitude: np.ndarray,
    there_latitude: np.ndarray,
    longitude: ArrayLike,
    latitude: ArrayLike,
) -> Interpolation:
    """Returns the interpolation of the points that a file has, its longitudes and latitudes (x) and
    (y) or (y, x) [degrees], to places: by rows where they go once around the earth from longitude
    0.
    """
    if there_longitude.ndim == 1:
        around = 360.0 * np.arange(there_longitude.size) / there_longitude.size
        if np.allclose(there_longitude, around):
            count = np.full(there_latitude.size, there_longitude.size)
            return from_rows(Rows(there_latitude, count), longitude, latitude)
        there_longitude, there_latitude = np.meshgrid(there_longitude, there_latitude)
    first = there_longitude[0, 0]
    gap, step = np.abs((there_longitude[0, [-1, 1]] - first + 180) % 360 - 180)
    periodic = bool(gap < 1.5 * step)
    return from_quads(there_longitude, there_latitude, longitude, latitude, periodic)


def from_rows(rows: Rows, longitude: ArrayLike, latitude: ArrayLike) -> Interpolation:
    """Returns the interpolation from a grid of rows (fathom.grids.regrid.rows.Rows) to places
    [degrees].
    """
    longitude, latitude = rows.sphere.from_earth(*_finite(longitude, latitude))
    upper = np.clip(np.searchsorted(rows.latitude, latitude), 1, rows.latitude.size - 1)
    north = np.clip(
        (latitude - rows.latitude[upper - 1]) / (rows.latitude[upper] - rows.latitude[upper - 1]),
        0,
        1,
    )
    longest, index, weight = int(rows.points.max()), [], []
    for j, share in ((upper - 1, 1 - north), (upper, north)):
        points = rows.points[j]
        place = np.mod(longitude - rows.first, 360) / 360 * points
        west = np.floor(place).astype(int)
        east_share = place - west
        index += [j * longest + west % points, j * longest + (west + 1) % points]
        weight += [share * (1 - east_share), share * east_share]
    return Interpolation(
        np.stack(index, 1).astype(np.int32), np.stack(weight, 1).astype(np.float32), longest
    )


def from_quads(
    there_longitude: np.ndarray,
    there_latitude: np.ndarray,
    longitude: ArrayLike,
    latitude: ArrayLike,
    periodic: bool,
) -> Interpolation:
    """Returns the interpolation from the points (ny, nx) [degrees] of a curvilinear grid to
    places."""
    from scipy.spatial import cKDTree

    ny, nx = there_longitude.shape
    points, places = (
        unit_vectors(there_longitude, there_latitude).reshape(-1, 3),
        unit_vectors(*_finite(longitude, latitude)),
    )
    distance, nearest = cKDTree(points).query(places)
    j, i = np.divmod(nearest, nx)
    across = np.where(j + 1 < ny, j + 1, j - 1) * nx + np.where(i + 1 < nx, i + 1, i - 1)
    index = np.repeat(nearest[:, None], 4, 1)
    weight = (distance < 0.75 * np.linalg.norm(points[across] - points[nearest], axis=1))[
        :, None
    ] * np.array([1.0, 0.0, 0.0, 0.0])
    east, north = _tangents(places)
    open_ = np.ones(len(places), bool)
    for dj, di in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        other_j, other_i = j + dj, i + di
        other_i = other_i % nx if periodic else other_i
        inside = open_ & (other_j >= 0) & (other_j < ny) & (other_i >= 0) & (other_i < nx)
        where = np.flatnonzero(inside)
        corners = np.stack(
            [j * nx + i, j * nx + other_i, other_j * nx + i, other_j * nx + other_i], 1
        )[where]
        around = points[corners] - places[where, None]
        a, b = _bilinear_coordinates(
            (around * east[where, None]).sum(-1), (around * north[where, None]).sum(-1)
        )
        close = (
            (np.abs(around).max((1, 2)) < 1)
            & (np.minimum(a, b) >= -1e-9)
            & (np.maximum(a, b) <= 1 + 1e-9)
        )  # not across a hole of the grid
        found, a, b = where[close], a[close], b[close]
        index[found] = corners[close]
        weight[found] = np.stack([(1 - a) * (1 - b), a * (1 - b), (1 - a) * b, a * b], 1)
        open_[found] = False
    return Interpolation(index.astype(np.int32), weight.astype(np.float32), nx)


def _bilinear_coordinates(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns (a, b) at which x and y (places, 4), bilinear in them, are zero: Newton's method; far
    outside where it does not converge.
    """
    a = b = np.full(len(x), 0.5)
    with np.errstate(all="ignore"):
        for _ in range(8):
            values, by_a, by_b = (
                (
                    f[:, 0] * (1 - a) * (1 - b)
                    + f[:, 1] * a * (1 - b)
                    + f[:, 2] * (1 - a) * b
                    + f[:, 3] * a * b
                    for f in (x, y)
                ),
                ((f[:, 1] - f[:, 0]) * (1 - b) + (f[:, 3] - f[:, 2]) * b for f in (x, y)),
                ((f[:, 2] - f[:, 0]) * (1 - a) + (f[:, 3] - f[:, 1]) * a for f in (x, y)),
            )
            (fx, fy), (xa, ya), (xb, yb) = values, by_a, by_b
            determinant = xa * yb - xb * ya
            a, b = (
                np.clip(a - (fx * yb - fy * xb) / determinant, -9, 9),
                np.clip(b - (fy * xa - fx * ya) / determinant, -9, 9),
            )
    return np.nan_to_num(a, nan=9), np.nan_to_num(b, nan=9)


def _finite(longitude: ArrayLike, latitude: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    longitude, latitude = np.broadcast_arrays(
        np.asarray(longitude, float), np.asarray(latitude, float)
    )
    if not (np.isfinite(longitude).all() and np.isfinite(latitude).all()):
        raise InputError("places must have finite longitudes and latitudes")
    return longitude.ravel(), latitude.ravel()


def _tangents(places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns two unit vectors at right angles to each place."""
    axis = np.eye(3)[np.abs(places).argmin(1)]
    east = np.cross(axis, places)
    east /= np.linalg.norm(east, axis=1)[:, None]
    return east, np.cross(places, east)
