"""From a curvilinear grid to the points of a picture.

A `Mesh` has the four corners of every cell. A `Raster` has, for every point of a picture, the
number of the cell that covers it: each cell is sampled finely enough on the sphere, the samples are
projected, and each writes the number of its cell at its point. A cell that crosses the edge of the
map, holds a pole or lies at a grid fold needs no special treatment, and one raster serves every
field of the grid.

Projection of the globe: Equal Earth (Šavrič, Patterson & Jenny 2018,
doi:10.1080/13658816.2018.1504949).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import earth
from fathom.base.failure import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Mesh:
    """Corners (ny, nx, 4, 2), counter-clockwise from the south-west: degrees, or a plane's
    units.
    """

    corners: np.ndarray
    spherical: bool = True
    units: str = "degrees"

    @property
    def shape(self) -> tuple[int, int]:
        """Returns its cells (ny, nx)."""
        return self.corners.shape[:2]

    @cached_property
    def vertices(self) -> np.ndarray:
        """Returns corners as (cells, 4, 3) on the unit sphere, or (cells, 4, 2) on the plane."""
        flat = self.corners.reshape(-1, 4, 2)
        return earth.unit_vectors(flat[..., 0], flat[..., 1]) if self.spherical else flat

    @property
    def cyclic(self) -> bool:
        """Returns whether the last cell of a row touches the first."""
        if not self.spherical:
            return False
        corners = self.vertices.reshape(*self.shape, 4, 3)
        return bool(np.nanmax(np.abs(corners[:, -1, 1] - corners[:, 0, 0])) < 1e-3)

    def locate(
        self, cells: np.ndarray, s: np.ndarray, t: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns longitude and latitude (or x and y) at the fractions s (along i) and t (along j)
        of cells: one place in each.
        """
        a, b, c, d = (self.vertices[cells, n] for n in range(4))
        s, t = s[..., None], t[..., None]
        return self._placed((1 - t) * ((1 - s) * a + s * b) + t * ((1 - s) * d + s * c))

    def samples(
        self, cells: np.ndarray, s: np.ndarray, t: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns longitude and latitude (or x and y), (cells, places), at all the fractions s, t
        of each cell.
        """
        weights = np.stack([(1 - t) * (1 - s), (1 - t) * s, t * s, t * (1 - s)])
        corners = np.moveaxis(self.vertices[cells], -1, 0)
        return self._placed(np.moveaxis(corners @ weights, 0, -1))

    def _placed(self, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return earth.places(point) if self.spherical else (point[..., 0], point[..., 1])

    @cached_property
    def extent(self) -> tuple[float, float, float, float]:
        """Returns west, east, south, north of the cells (longitudes continuous around their
        middle).
        """
        x, y = self.corners[..., 0], self.corners[..., 1]
        if self.spherical:
            x = self.middle + _wrapped(x - self.middle)
        return float(np.nanmin(x)), float(np.nanmax(x)), float(np.nanmin(y)), float(np.nanmax(y))

    @cached_property
    def middle(self) -> float:
        """Returns middle longitude: of the vector mean, which a regional grid has and a global one
        lacks.
        """
        mean = np.nanmean(self.vertices.reshape(-1, 3), axis=0)
        return float(np.degrees(np.arctan2(mean[1], mean[0])))

    @property
    def is_global(self) -> bool:
        """Returns whether the cells reach around the globe."""
        if not self.spherical:
            return False
        turns = np.unique(np.floor(self.corners[..., 0] % 360 / 10))
        return len(turns[np.isfinite(turns)]) >= 34


def mesh_of(grid: Mapping[str, Any]) -> Mesh:
    """Returns the mesh of a grid given by one of (as arrays; x, y on a plane instead of longitude,
    latitude):

    corner_longitude, corner_latitude (ny+1, nx+1) · longitude_bounds, latitude_bounds (ny, nx, 4) ·
    longitude, latitude (ny, nx) or 1-D centres, between which corners are put. ValueError
    otherwise.
    """
    for first, second, spherical in (("longitude", "latitude", True), ("x", "y", False)):
        units = "degrees" if spherical else None
        for names in (
            (f"corner_{first}", f"corner_{second}"),
            (f"{first}_bounds", f"{second}_bounds"),
            (first, second),
        ):
            if all(name in grid for name in names):
                x, y = (np.asarray(grid[name], float) for name in names)
                if units is None:
                    units = getattr(grid[names[0]], "attrs", {}).get("units", "m")
                return Mesh(_corners(x, y, names[0], spherical), spherical, units)
    raise InputError(
        "no horizontal coordinates: a grid needs corner_longitude and corner_latitude, or"
        f" longitude and latitude, or x and y; it has {', '.join(map(str, grid)) or 'none'}"
    )


def _corners(x: np.ndarray, y: np.ndarray, name: str, spherical: bool) -> np.ndarray:
    if name.endswith("_bounds"):
        return np.stack([x, y], axis=-1)
    if x.ndim == 1:
        x, y = np.meshgrid(x, y)
    if not name.startswith("corner_"):
        x, y = _between(x, y, spherical)
    both = np.stack([x, y], axis=-1)
    return np.stack([both[:-1, :-1], both[:-1, 1:], both[1:, 1:], both[1:, :-1]], axis=2)


def _between(x: np.ndarray, y: np.ndarray, spherical: bool) -> tuple[np.ndarray, np.ndarray]:
    """Returns corners (ny+1, nx+1) half way between centres (ny, nx), continued linearly at the
    edges, or around the globe.
    """
    point = earth.unit_vectors(x, y) if spherical else np.stack([x, y], axis=-1)
    for axis in (0, 1):
        point = np.moveaxis(point, axis, 0)
        if len(point) > 1:
            before, after = 2 * point[:1] - point[1:2], 2 * point[-1:] - point[-2:-1]
            if spherical and axis == 1 and _around(point):
                before, after = point[-1:], point[:1]
            point = np.concatenate([before, point, after])
            point = np.moveaxis(0.5 * (point[1:] + point[:-1]), 0, axis)
        else:
            raise InputError(
                f"cells of a grid of {x.shape} points cannot be drawn without their corners"
            )
    return earth.places(point) if spherical else (point[..., 0], point[..., 1])


def _around(point: np.ndarray) -> bool:
    """Returns whether the last of the columns (nx, ny, 3) is the western neighbour of the first."""
    gap, step = (np.linalg.norm(point[a] - point[b], axis=-1) for a, b in ((0, -1), (1, 0)))
    return len(point) > 3 and bool(np.nanmedian(gap / np.maximum(step, 1e-12)) < 1.5)


def _wrapped(longitude: np.ndarray) -> np.ndarray:
    return (longitude + 180) % 360 - 180


class EqualEarth:
    """The globe, equal in area, with longitude `middle` [degrees] in the middle; the edge is far
    from most sea.
    """

    def __init__(self, middle: float = 205.0) -> None:
        self.middle = middle
        half_width, half_height = self._plane(180.0, 0.0)[0], self._plane(0.0, 90.0)[1]
        self.bounds = -float(half_width), float(half_width), -float(half_height), float(half_height)

    def __call__(
        self, longitude: np.ndarray, latitude: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        return self._plane(_wrapped(longitude - self.middle), latitude)

    @staticmethod
    def _plane(longitude: ArrayLike, latitude: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        a1, a2, a3, a4 = 1.340264, -0.081106, 0.000893, 0.003796
        theta = np.arcsin(np.sqrt(0.75) * np.sin(np.radians(latitude)))
        t2 = theta * theta
        t6 = t2 * t2 * t2
        slope = a1 + 3 * a2 * t2 + t6 * (7 * a3 + 9 * a4 * t2)
        return (
            2 * np.sqrt(3) * np.radians(longitude) * np.cos(theta) / (3 * slope),
            theta * (a1 + a2 * t2 + t6 * (a3 + a4 * t2)),
        )

    def inside(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Returns which points (x of columns, y of rows) lie on the globe."""
        latitude = np.linspace(-90, 90, 721)
        edge, height = self._plane(180.0, latitude)
        result: np.ndarray = np.abs(x)[None, :] <= np.interp(y, height, edge)[:, None]
        return result


class Hemisphere:
    """Around a pole, equal in area (Lambert's azimuthal projection), to latitude `edge` [degrees];
    longitude `middle` points down.
    """

    def __init__(self, pole: int = 1, middle: float = 0.0, edge: float = 20.0) -> None:
        self.pole, self.middle, self.edge = pole, middle, edge
        self.reach = float(np.sqrt(2) * np.sqrt(1 - np.sin(np.radians(edge))))
        self.bounds = -self.reach, self.reach, -self.reach, self.reach

    def __call__(
        self, longitude: np.ndarray, latitude: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        distance = np.sqrt(2) * np.sqrt(np.maximum(1 - self.pole * np.sin(np.radians(latitude)), 0))
        angle = np.radians(longitude - self.middle)
        return distance * np.sin(angle), -self.pole * distance * np.cos(angle)

    def inside(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Returns which points (x of columns, y of rows) lie within the edge."""
        result: np.ndarray = np.hypot(x[None, :], y[:, None]) <= self.reach
        return result


class Around:
    """Around a place (longitude, latitude), equal in area (Lambert's azimuthal projection), as far
    as `reach` [degrees]; north is up in the middle.
    """

    def __init__(self, longitude: float, latitude: float, reach: float = 30.0) -> None:
        self.longitude, self.latitude = longitude, latitude
        self.reach = float(2 * np.sin(np.radians(reach) / 2))
        self.bounds = -self.reach, self.reach, -self.reach, self.reach

    def __call__(
        self, longitude: np.ndarray, latitude: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        along, up, middle = (
            np.radians(longitude - self.longitude),
            np.radians(latitude),
            np.radians(self.latitude),
        )
        near = np.sin(middle) * np.sin(up) + np.cos(middle) * np.cos(up) * np.cos(along)
        scale = np.sqrt(2 / np.maximum(1 + near, 1e-9))
        return scale * np.cos(up) * np.sin(along), scale * (
            np.cos(middle) * np.sin(up) - np.sin(middle) * np.cos(up) * np.cos(along)
        )

    def inside(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Returns which points (x of columns, y of rows) lie within reach."""
        result: np.ndarray = np.hypot(x[None, :], y[:, None]) <= self.reach
        return result


class Plain:
    """Longitude (shrunk by the cosine of the middle latitude) and latitude, or the plane itself:
    all of a mesh, or a region of it (west, east, south, north).
    """

    def __init__(self, mesh: Mesh, region: tuple[float, float, float, float] | None = None) -> None:
        west, east, south, north = self.extent = region or mesh.extent
        if not (west < east and south < north):
            raise InputError(f"region {region} must be west < east, south < north")
        self.spherical, self.middle = mesh.spherical, 0.5 * (west + east)
        self.shrink = max(0.2, np.cos(np.radians(0.5 * (south + north)))) if mesh.spherical else 1.0
        self.bounds = (*(self.shrink * (edge - self.offset) for edge in (west, east)), south, north)

    @property
    def offset(self) -> float:
        """Returns the longitude in the middle [degrees]; 0 on a plane."""
        return self.middle if self.spherical else 0.0

    def __call__(
        self, longitude: np.ndarray, latitude: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        if not self.spherical:
            return longitude, latitude
        return self.shrink * _wrapped(longitude - self.middle), latitude

    def inside(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Returns which places lie within it (ny, nx): all."""
        return np.ones((len(y), len(x)), bool)


class Raster:
    """The cell of a mesh that covers each point of a picture `width` points wide; `cell` is -1
    where none does.
    """

    def __init__(self, mesh: Mesh, width: int = 1920, projection: Any = None) -> None:
        self.mesh = mesh
        self.projection: Any = projection or (EqualEarth() if mesh.is_global else Plain(mesh))
        left, right, bottom, top = self.bounds = self.projection.bounds
        aspect = (right - left) / (top - bottom)
        self.stretch = (
            min(max(aspect, 0.8), 4.0) / aspect
        )  # a long channel is drawn wider than it is
        self.width = width
        self.height = 2 * round(width / (aspect * self.stretch) / 2)
        x = left + (np.arange(self.width) + 0.5) * (right - left) / self.width
        y = top - (np.arange(self.height) + 0.5) * (top - bottom) / self.height
        self.inside = self.projection.inside(x, y)
        self.cell = self._paint()

    def project(self, longitude: np.ndarray, latitude: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns column and row (as real numbers, from the upper left corner) of places."""
        left, right, bottom, top = self.bounds
        x, y = self.projection(longitude, latitude)
        return (x - left) / (right - left) * self.width, (top - y) / (top - bottom) * self.height

    def holds(self, column: np.ndarray, row: np.ndarray) -> np.ndarray:
        """Returns which places lie within the picture."""
        x, y = (
            np.clip(np.nan_to_num(at, nan=-1.0), -1, size).astype(int)
            for at, size in ((column, self.width), (row, self.height))
        )
        on = (x >= 0) & (x < self.width) & (y >= 0) & (y < self.height)
        result: np.ndarray = (
            on & self.inside[np.clip(y, 0, self.height - 1), np.clip(x, 0, self.width - 1)]
        )
        return result

    def image(self, field: np.ndarray) -> np.ndarray:
        """Returns the field (ny, nx) at every point of the picture, NaN outside the mesh."""
        values = np.append(np.asarray(field, float).ravel(), np.nan)
        result: np.ndarray = values[self.cell]
        return result

    def _paint(self) -> np.ndarray:
        picture = np.full(self.height * self.width, -1, np.int32)
        for cells, along, across in self._groups():
            middles = ((np.arange(n) + 0.5) / n for n in (along, across))
            s, t = (at.ravel() for at in np.meshgrid(*middles))
            step = max(1, 400_000 // s.size)
            for start in range(0, cells.size, step):
                part = cells[start : start + step]
                column, row = self.project(*self.mesh.samples(part, s, t))
                part = np.broadcast_to(part[:, None], column.shape)
                on = (
                    (column > -1) & (column <= self.width) & (row > -1) & (row <= self.height)
                )  # cells beyond a region are not drawn
                column = np.clip(column[on].astype(np.int32), 0, self.width - 1)
                row = np.clip(row[on].astype(np.int32), 0, self.height - 1)
                picture[row * self.width + column] = part[on]
        whole = picture.reshape(self.height, self.width)
        for _ in range(3):
            _fill_pinholes(whole)
        whole[~self.inside] = -1
        return whole

    def _groups(self) -> Iterator[tuple[np.ndarray, int, int]]:
        """Yields cells of the picture with the number of samples they need along i and across:
        (cells, along, across).
        """
        corners = self.mesh.corners.reshape(-1, 4, 2)
        column, row = self.project(corners[..., 0], corners[..., 1])
        longitude = corners[..., 0]
        counts = []
        for first, second, third, fourth in ((0, 1, 3, 2), (0, 3, 1, 2)):
            size = np.zeros(len(corners))
            for a, b in ((first, second), (third, fourth)):
                across = np.abs(column[:, b] - column[:, a])
                if (
                    self.mesh.spherical
                ):  # an edge over the rim of the map is measured on the other side
                    around = (
                        np.abs(_wrapped(longitude[:, b] - longitude[:, a])) / 360 * self.width * 1.2
                    )
                    across = np.where(across > 0.5 * self.width, around, across)
                size = np.maximum(size, np.maximum(across, np.abs(row[:, b] - row[:, a])))
            counts.append(size)
        steps = np.array([1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256])
        valid = np.isfinite(counts[0]) & np.isfinite(counts[1])
        margin = np.maximum(*counts) + 1  # curved edges reach beyond their corners, so does a pole
        for at, end in ((column, self.width), (row, self.height)):
            valid &= (at.max(axis=1) + margin > 0) & (at.min(axis=1) - margin < end)
        along, across = (
            np.searchsorted(steps, np.minimum(1.15 * np.where(valid, size, 0) + 0.5, steps[-1]))
            for size in counts
        )
        key = np.where(valid, along * len(steps) + across, -1)
        order = np.argsort(key, kind="stable")
        starts = np.flatnonzero(np.diff(key[order], prepend=-2))
        for cells in np.split(order, starts[1:]):
            if key[cells[0]] >= 0:
                yield cells, int(steps[along[cells[0]]]), int(steps[across[cells[0]]])


def _fill_pinholes(picture: np.ndarray) -> None:
    """Gives points that no sample hit the cell next to them where cells lie on two opposite
    sides.
    """
    hole = np.zeros(picture.shape, bool)
    hole[1:-1, 1:-1] = picture[1:-1, 1:-1] < 0
    row, column = np.nonzero(hole)
    west, east, north, south = (
        picture[row, column - 1],
        picture[row, column + 1],
        picture[row - 1, column],
        picture[row + 1, column],
    )
    found = np.where(
        (west >= 0) & (east >= 0), west, np.where((north >= 0) & (south >= 0), north, -1)
    )
    picture[row, column] = found
