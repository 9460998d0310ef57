"""Where the water of the land goes: for each cell of 1/4 degree the next one on its way to the sea.

    height     mean less twice its deviation in the cell: rivers run in valleys
    carved     no higher along each line of `valleys.toml` than before it
    filled     priority flood (Barnes, Lehman & Mulla 2014, Comput. Geosci. 62, 117-127): from the
               shores inward, the lowest cell first; z' = max(z, z' of the cell it is reached from)
    next       steepest descent of z' among eight neighbours; where all are as high or higher, the
               cell that the flood came from

So there are no sinks and no circles: the water of closed basins (Caspian, Chad, Tarim) leaves over
their lowest pass.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from fathom.base import earth
from fathom.base.failure import InputError
from fathom.data import embedded
from fathom.data.bathymetry import along

AROUND = [(j, i) for j in (-1, 0, 1) for i in (-1, 0, 1) if (j, i) != (0, 0)]  # eight neighbours


@dataclass(frozen=True)
class Valley:
    """A line along which the land is carved: longitude and latitude of points along the flow."""

    name: str
    reason: str
    path: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        if len(self.path) < 2:
            raise InputError(f"valley {self.name!r}: a path has 2 points or more")


@cache
def valleys() -> tuple[Valley, ...]:
    """Returns the table of valleys in `valleys.toml`, with the reason of each."""
    with (embedded.FOLDER / "valleys.toml").open("rb") as file:
        return tuple(Valley(**entry) for entry in tomllib.load(file)["valley"])


class Drainage(NamedTuple):
    """The ways of water over the cells of land between parallels and meridians, row by row."""

    latitude: np.ndarray  # of rows [degrees]
    longitude: np.ndarray  # of columns [degrees]
    cells: np.ndarray  # numbers of the cells of land (land,)
    next: np.ndarray  # the position among them of the next one; -1: the sea (land,)
    sea: np.ndarray  # number of the cell of sea that a mouth ends in; -1: no mouth (land,)
    length: np.ndarray  # from centre to centre [m] (land,)
    order: np.ndarray  # positions, each after that of the next one on its way (land,)

    @property
    def area(self) -> np.ndarray:
        """Returns the area of each cell of land [m2]."""
        half = np.deg2rad(abs(self.latitude[1] - self.latitude[0]) / 2)
        rows = np.deg2rad(self.latitude)
        band = np.sin(rows + half) - np.sin(rows - half)
        width = 2 * np.pi / self.longitude.size
        result: np.ndarray = (earth.RADIUS**2 * width * band)[self.cells // self.longitude.size]
        return result

    def drained(self, amount: np.ndarray) -> np.ndarray:
        """Returns what passes through each cell of land, where each adds an amount (land,)."""
        total = amount.tolist()
        next_ = self.next.tolist()
        for cell in self.order[::-1].tolist():
            if next_[cell] >= 0:
                total[next_[cell]] += total[cell]
        return np.asarray(total)

    def places(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns latitude and longitude [degrees] of cells by their numbers."""
        j, i = np.divmod(numbers, self.longitude.size)
        return self.latitude[j], self.longitude[i]


@cache
def of_earth() -> Drainage:
    """Returns the ways of water on the earth."""
    latitude, longitude = embedded.read("land", "latitude", "longitude").values()
    return drainage(*carved_earth(), latitude, longitude)


def carved_earth() -> tuple[np.ndarray, np.ndarray]:
    """Returns carved heights [m] and where there is land (720, 1440), from `land.nc`,
    `topography.nc` and `valleys.toml`.

    A cell is land where the ocean has less than half of it.
    """
    names = "surface_altitude", "altitude_deviation", "latitude", "longitude"
    height, deviation, latitude, longitude = embedded.read("land", *names).values()
    ocean = embedded.read("topography", "ocean_fraction")["ocean_fraction"].astype(float)
    land = _two_of_three(_two_of_three(ocean).T).T < 0.5
    valley = height.astype(float) - 2 * deviation.astype(float)
    return carved(valley, land, latitude, longitude), land


def carved(
    height: np.ndarray,
    land: np.ndarray,
    latitude: np.ndarray,
    longitude: np.ndarray,
    lines: tuple[Valley, ...] | None = None,
) -> np.ndarray:
    """Returns the height (ny, nx), along lines (default: `valleys`) no higher than before."""
    result = height.copy()
    step = float(latitude[1] - latitude[0]), float(longitude[1] - longitude[0])
    for valley in valleys() if lines is None else lines:
        x, y = earth.places(along(valley.path, 0.2 * step[0]))
        j = np.rint((y - latitude[0]) / step[0]).astype(int)
        i = np.rint((x - longitude[0]) / step[1]).astype(int) % longitude.size
        there = land[j, i]
        j, i = j[there], i[there]
        np.minimum.at(result, (j, i), np.minimum.accumulate(height[j, i]))
    return result


def drainage(
    height: np.ndarray, land: np.ndarray, latitude: np.ndarray, longitude: np.ndarray
) -> Drainage:
    """Returns the ways of water over heights (ny, nx) [m] around the earth, to the cells that are
    not land. InputError: there is no sea.
    """
    from fathom.base.mpi import core  # `import fathom.data` stays cheap

    cells = np.flatnonzero(land)
    if cells.size in (0, land.size):
        raise InputError("water needs land that it comes from, and a sea that it goes to")
    numbers = _neighbours(cells, land.shape)
    position = np.full(land.size + 1, -1)  # the last: beyond a pole
    position[cells] = np.arange(cells.size)
    neighbours = position[numbers]
    at_sea = (numbers >= 0) & (neighbours < 0)
    mouth = at_sea.any(1)
    filled, source, order = core.flood(height.ravel()[cells], neighbours, mouth)
    if order.size < cells.size:
        raise InputError(f"no way leads to the sea from {cells.size - order.size} cells of land")
    distance = _distances(latitude, longitude.size)[cells // longitude.size]
    fall = np.where(neighbours < 0, -1.0, (filled[:, None] - filled[neighbours]) / distance)
    steepest, rows = fall.argmax(1), np.arange(cells.size)
    way = np.where(fall[rows, steepest] > 0, steepest, (neighbours == source[:, None]).argmax(1))
    shore = np.where(at_sea, distance, np.inf).argmin(1)
    way = np.where(mouth, shore, way)
    to = np.where(mouth, -1, neighbours[rows, way])
    sea = np.where(mouth, numbers[rows, way], -1)
    return Drainage(latitude, longitude, cells, to, sea, distance[rows, way], order)


def _two_of_three(values: np.ndarray) -> np.ndarray:
    """Returns means over rows one and a half times as wide (2 n / 3, m), from (n, m)."""
    first, middle, last = values.reshape(-1, 3, values.shape[1]).transpose(1, 0, 2)
    both = np.stack([2 * first + middle, middle + 2 * last], 1) / 3
    return both.reshape(-1, values.shape[1])


def _neighbours(cells: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Returns numbers of the eight neighbours of cells (cells, 8), -1 beyond a pole."""
    ny, nx = shape
    row, column = np.divmod(cells, nx)
    result = np.empty((cells.size, len(AROUND)), int)
    for k, (north, east) in enumerate(AROUND):
        j, i = row + north, column + east
        i += np.where(i < 0, nx, np.where(i >= nx, -nx, 0))
        result[:, k] = np.where((j >= 0) & (j < ny), j * nx + i, -1)
    return result


def _distances(latitude: np.ndarray, nx: int) -> np.ndarray:
    """Returns distances to the eight neighbours in each row (ny, 8) [m]."""
    north, east = np.array(AROUND).T
    step = np.deg2rad(abs(latitude[1] - latitude[0])), 2 * np.pi / nx
    wide = step[1] * np.cos(np.deg2rad(latitude))[:, None] * east
    result: np.ndarray = earth.RADIUS * np.hypot(step[0] * north, wide)
    return result
