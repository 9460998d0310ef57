"""Conservative: from the cells of a grid to other cells, by their common area A,

    value of a new cell = sum of A f / sum of A        over the old cells that have a value f

so that, with the part of a new cell that lies in old cells with a value,

    sum of value x part x area over new cells = sum of f x area over old ones

to round-off. Where the old cells or the new ones are boxes of latitudes and longitudes, areas are
exact with sides along parallels (cell_means.py); else all sides are great circles (clipping.py).
Cells of a plane are rectangles, whose common area is a product of common lengths.
The area of an old cell is that of the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.grids.regrid import clipping
from fathom.grids.regrid.cell_means import CellMeans
from fathom.grids.regrid.places import compass


@dataclass(frozen=True)
class Overlap:
    """`area` (new cells, points of the grid row by row), sparse [m2]; `points` of a row."""

    area: Any
    points: int

    @classmethod
    def of(cls, grid: Any, new: Mapping[str, Any]) -> Overlap:
        """Returns the overlap from the cells of a grid to those of a mapping, as
        `output.coordinates` takes it. InputError: as `check`, or there is no common area.
        """
        check(grid, new)
        if not grid.horizontal.spherical:
            area = _between_rectangles(grid, new)
        elif boxes := _boxes(new):
            area = _into_boxes(grid, *boxes)
        elif boxes := _boxes(grid.mapping()):
            area = _out_of_boxes(grid, new, *boxes)
        else:
            area = _between_curved(grid, new)
        if not area.nnz:
            raise InputError("regrid = 'conservative': no cell of the model lies in the new ones")
        return cls(area, grid.shape[2])

    def rows(self, places: np.ndarray) -> tuple[int, int]:
        """Returns first and end row of the points that these cells need."""
        index = self.area[places].indices
        if not index.size:
            return 0, 1
        return int(index.min()) // self.points, int(index.max()) // self.points + 1

    def _part(
        self, matrix: Any, values: np.ndarray, first_row: int, places: np.ndarray
    ) -> tuple[Any, np.ndarray]:
        """Returns the rows of a matrix of these cells, and the points (points, levels) from
        `first_row` on.
        """
        flat = np.asarray(values, float).reshape(len(values), -1).T
        begin = first_row * self.points
        return matrix[places][:, begin : begin + len(flat)], flat

    def __call__(self, values: np.ndarray, first_row: int, places: np.ndarray) -> np.ndarray:
        """Returns (levels, cells) from values (levels, rows, points) of whole rows from first_row
        on.
        """
        area, flat = self._part(self.area, values, first_row, places)
        return _mean(area @ np.where(known := np.isfinite(flat), flat, 0.0), area @ (known * 1.0))

    def part(self, there: np.ndarray, areas: np.ndarray) -> np.ndarray:
        """Returns the part of each new cell, of those areas, in old cells with a value (levels,
        points): (levels, new cells).
        """
        result: np.ndarray = (
            self.area @ there.reshape(len(there), -1).T.astype(float)
        ).T / areas.ravel()
        return result

    def turn(
        self, there: tuple[np.ndarray, np.ndarray], here: tuple[np.ndarray, np.ndarray]
    ) -> TurnOver:
        """Turns winds from cells at longitude and latitude there [degrees], row by row, to the new
        ones.
        """
        area = self.area.tocoo()
        row, column = area.coords

        def frame(places: Any, index: Any) -> Any:
            return compass(*(np.asarray(x, float).ravel()[index] for x in places))

        (e, n), (e_i, n_i) = frame(here, row), frame(there, column)

        def dot(a: Any, b: Any) -> Any:
            return (a * b).sum(-1)

        cosine, sine = dot(e, e_i) + dot(n, n_i), dot(e, n_i) - dot(n, e_i)
        length = np.maximum(np.hypot(cosine, sine), 1e-9)
        weighted = []
        for component in (cosine, sine):
            made = area.copy()
            made.data = area.data * component / length
            weighted.append(made.tocsr())
        return TurnOver(*weighted)


@dataclass(frozen=True)
class TurnOver:
    """Areas of an Overlap times cosine and sine of the angle between the old cell and the new."""

    cosine: Any
    sine: Any

    def wind(
        self, found: Overlap, u: np.ndarray, v: np.ndarray, first_row: int, places: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns both components (levels, cells), of those (levels, rows, points) of whole
        rows."""
        area, x = found._part(found.area, u, first_row, places)
        y = found._part(found.area, v, first_row, places)[1]
        cosine, sine = (
            found._part(matrix, u, first_row, places)[0] for matrix in (self.cosine, self.sine)
        )
        known = np.isfinite(x) & np.isfinite(y)
        x, y, there = (*(np.where(known, w, 0.0) for w in (x, y)), area @ (known * 1.0))
        return _mean(cosine @ x + sine @ y, there), _mean(cosine @ y - sine @ x, there)


def check(grid: Any, new: Mapping[str, Any]) -> None:
    """Raises InputError: a plane; reduced rows about another pole, or to cells that are no
    boxes."""
    if not grid.horizontal.spherical:
        if "corner_x" not in new:
            raise InputError(
                "regrid = 'conservative': the grid is a plane, the new cells lie on the earth"
            )
        return
    if "corner_longitude" not in new or (grid.reduced and _boxes(new) is None):
        raise InputError(
            "regrid = 'conservative': from reduced rows the new cells must lie between latitudes"
            " and longitudes; give latlon_resolution = 1, a GaussianGrid that is not turned,"
            " or regrid = 'bilinear'"
        )
    if grid.reduced and np.ptp(grid.horizontal.corner_latitude, axis=1).max() > 1e-9:
        raise InputError(
            "regrid = 'conservative': the rows of the model's grid are reduced and turned; give"
            " regrid = 'bilinear'"
        )


def _mean(total: np.ndarray, area: np.ndarray) -> np.ndarray:
    """Returns (levels, cells); NaN where no old cell has a value."""
    return np.where(area > 0, total / np.where(area > 0, area, 1.0), np.nan).T


def _into_boxes(grid: Any, edges: tuple[np.ndarray, np.ndarray], inside: np.ndarray) -> Any:
    """Returns areas (new boxes, points) of a grid; inside: those of the boxes around the earth that
    are new.
    """
    from scipy.sparse import vstack  # start-up time

    parts, points = [], []
    for index, corners in _cells(grid):
        means = CellMeans(edges, corners)
        parts.append(_as_large(means.shares(), grid, index))
        points.append(index)
    order = np.concatenate(points)
    area = vstack(parts).tocsc()[:, inside].tocoo()
    return _sparse(area.data, area.coords[1], order[area.coords[0]], inside.size, grid)


def _out_of_boxes(
    grid: Any, new: Any, edges: tuple[np.ndarray, np.ndarray], inside: np.ndarray
) -> Any:
    """Returns areas (new cells, points) of a grid of boxes; inside: those of the boxes around the
    earth that are its cells.
    """
    corners = np.asarray(new["corner_latitude"]), np.asarray(new["corner_longitude"])
    shares = CellMeans(edges, corners).shares().tocsc()[:, inside]
    height, width = np.abs(np.diff(np.sin(np.deg2rad(edges[0])))), np.deg2rad(np.diff(edges[1]))
    sizes = np.outer(height, width).ravel()[inside]
    area = _as_large(shares.T, grid, np.arange(inside.size), sizes).tocoo()
    return _sparse(area.data, area.coords[1], area.coords[0], shares.shape[0], grid)


def _between_curved(grid: Any, new: Any) -> Any:
    """Returns areas (new cells, points) if neither grid consists of boxes."""
    from scipy.sparse import coo_array  # start-up time

    h = grid.horizontal
    old = clipping.quadrilaterals(h.corner_latitude, h.corner_longitude)
    cells = clipping.quadrilaterals(new["corner_latitude"], new["corner_longitude"])
    first, second = clipping.pairs(old, cells)
    common = clipping.common(old[first], cells[second])
    sizes = clipping.area(old)
    kept = common > 1e-12 * sizes[first]
    shares = coo_array(
        (common[kept], (first[kept], second[kept])), shape=(len(old), len(cells))
    ).tocsr()
    # what lies wholly in new cells is as large as its parts together
    total = np.asarray(shares.sum(1)).ravel()
    whole = np.abs(total - sizes) < 1e-9 * sizes
    area = _as_large(shares, grid, np.arange(len(old)), np.where(whole, total, sizes)).tocoo()
    return _sparse(area.data, area.coords[1], area.coords[0], len(cells), grid)


def _between_rectangles(grid: Any, new: Any) -> Any:
    """Returns areas (new cells, points) of two planes of rectangles [m2]."""
    from scipy.sparse import coo_array, kron  # start-up time

    def common(old: Any, cells: Any) -> Any:
        """Returns lengths (new, old) in common of intervals between edges."""
        a, b = (np.asarray(edges, float) for edges in (old, cells))
        left, right = np.maximum.outer(b[:-1], a[:-1]), np.minimum.outer(b[1:], a[1:])
        lengths = right - left
        return coo_array(np.where(lengths > 1e-12 * np.diff(a), lengths, 0.0))

    own = grid.mapping()
    along_x = common(own["corner_x"][0], new["corner_x"][0])
    along_y = common(own["corner_y"][:, 0], new["corner_y"][:, 0])
    area = kron(along_y, along_x).tocoo()
    cells, points = area.coords
    return _sparse(area.data, cells, points, np.size(new["area"]), grid)


def _as_large(shares: Any, grid: Any, index: np.ndarray, sizes: np.ndarray | None = None) -> Any:
    """Returns shares [sr] of the points of that index, of cells of those sizes [sr] (default: their
    sums), as the model has their areas [m2].
    """
    shares = shares.tocsr()
    sizes = np.asarray(shares.sum(1)).ravel() if sizes is None else sizes
    factor = np.asarray(grid.areas[0]).ravel()[index] / sizes
    shares.data *= np.repeat(factor, np.diff(shares.indptr))
    return shares


def _sparse(data: np.ndarray, new: np.ndarray, point: np.ndarray, count: int, grid: Any) -> Any:
    from scipy.sparse import coo_array  # start-up time

    _, ny, nx = grid.shape
    made = coo_array((data, (new, point)), shape=(count, ny * nx)).tocsr()
    made.sort_indices()
    return made


def _cells(grid: Any) -> Iterator[tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]]:
    """Yields points of a grid, and latitudes and longitudes of the corners of their cells: all
    together, or each row of a reduced grid.
    """
    _, ny, nx = grid.shape
    h = grid.horizontal
    latitude, longitude = np.asarray(h.corner_latitude), np.asarray(h.corner_longitude)
    if not grid.reduced:
        yield np.arange(ny * nx), (latitude, longitude)
        return
    for j, points in enumerate(grid.points):
        meridians = 360.0 * (np.arange(points + 1) - 0.5) / points
        edges = np.repeat(latitude[j : j + 2, :1], points + 1, 1), np.tile(meridians, (2, 1))
        yield j * nx + np.arange(points), edges


def _boxes(mapping: Mapping[str, Any]) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray] | None:
    """Returns edges of boxes around the earth, latitudes and longitudes [degrees], and which of
    them are the cells of a mapping; None: its cells are no boxes.
    """
    if "corner_longitude" not in mapping:
        return None
    latitude, longitude = (
        np.asarray(mapping[f"corner_{name}"], float) for name in ("latitude", "longitude")
    )
    if longitude.ndim == 2:
        if np.ptp(latitude, axis=1).max() > 1e-9 or np.ptp(longitude, axis=0).max() > 1e-9:
            return None
        latitude, longitude = latitude[:, 0], longitude[0]
    ends = np.array([-90.0, 90.0])[:: 1 if latitude[-1] > latitude[0] else -1]
    before, after = (int(np.abs(edge - end) > 1e-9) for edge, end in zip(latitude[[0, -1]], ends))
    rows = np.concatenate([ends[:1][:before], latitude, ends[1:][:after]])
    open_ = longitude[-1] < longitude[0] + 360 - 1e-9
    columns = np.append(longitude, longitude[0] + 360) if open_ else longitude
    j = np.arange(latitude.size - 1) + before
    inside = np.add.outer(j * (columns.size - 1), np.arange(longitude.size - 1)).ravel()
    return (rows, columns), inside
