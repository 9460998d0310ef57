"""How the cells of a region lie among those of the sea around it, where the region gives its state
back (core/ocean/open_edges/nests.hpp).

    west edge            the cells at the edge of the region are cut through their middle; the cut
    |                    lies on faces of the sea around: `faces`
    +---+-------+-----   a part of a face belongs to one cell of the region: `parts`
    |   |       |        cells of the sea around inside are covered, those outside next to a face
    +---+-------+-----   are its neighbours
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fathom.base.failure import InputError
from fathom.grids.cartesian import CartesianGrid
from fathom.grids.latitude_longitude import LatitudeLongitudeGrid
from fathom.grids.water import WaterGrid
from fathom.model.component import Array
from fathom.ocean.edges.sides import Cuts

TWO_WAY = 'open_edges nesting = "two-way"'
# which face of the cell outside is at a side of the region: its eastern one in the west
SIDES = {"west": 1.0, "east": 2.0, "south": 3.0, "north": 4.0}


class Cells(NamedTuple):
    """Cells or corners of a grid: rows and points, and their numbers in (ny nx)."""

    rows: Array
    points: Array
    flat: Array

    @classmethod
    def at(cls, flat: Array, grid: WaterGrid) -> Cells:
        """Returns those of these numbers."""
        rows, points = np.divmod(np.asarray(flat, int), int(grid.shape[2]))
        return cls(rows, points, np.asarray(flat, int))


class Axis:
    """One direction of both grids: which cells of the sea around the region covers.

    outer, inner : coordinates of faces.  middles : of the centres of cells, of both.
    open_ : whether the region is cut at its beginning and end.
    around : after how much the sea around comes back to its beginning; 0: it does not.
    measure : sin of latitudes, else nothing.
    """

    def __init__(
        self,
        name: str,
        lines: tuple[Array, Array],
        middles: tuple[Array, Array],
        open_: tuple[bool, bool],
        around: float,
        measure: Any,
    ) -> None:
        self.count, self.measure = middles[0].size, measure
        outer, inner = lines
        if around:
            shift = around * np.round((middles[1].mean() - middles[0].mean()) / around)
            outer = np.concatenate([outer[:-1] + turn for turn in (-around, 0, around)])
            outer = np.append(outer, lines[0][-1] + around) + shift
            middles = np.concatenate([middles[0] + t for t in (-around, 0, around)]), middles[1]
            middles = middles[0] + shift, middles[1]
        ends = [middles[1][n] if cut else inner[n] for n, cut in zip((0, -1), open_)]
        self.first, self.last = (self._line(name, outer, end) for end in ends)
        if not around and (
            (open_[0] and self.first < 1) or (open_[1] and self.last > self.count - 1)
        ):
            raise InputError(
                f"{TWO_WAY}: the region reaches the end of the sea around it along {name}; that"
                " must have a cell beyond each open edge"
            )
        self.around = around
        low, high = outer[self.first], outer[self.last]
        # cells of the region, clipped at its edges; between centres for corners
        self.edges = np.clip(inner, low, high)
        self.outer = outer[self.first : self.last + 1]
        self.corner_edges = np.append(middles[1], high)
        self.corners = middles[0][self.first : self.last]

    def _line(self, name: str, outer: Array, end: float) -> int:
        """Returns the number of the line of faces at an end. InputError: there is none."""
        n = int(np.abs(outer - end).argmin())
        width = np.diff(outer)[min(n, outer.size - 2)]
        if abs(outer[n] - end) > 1e-6 * width:
            raise InputError(
                f"{TWO_WAY}: the region ends at {name} = {end:.10g}, and the nearest faces of cells"
                f" of the sea around it are at {outer[n]:.10g}; open edges go through the middles"
                " of the region's outermost cells, and must lie on such faces"
            )
        return n

    @property
    def numbers(self) -> Array:
        """Returns the covered cells."""
        return np.asarray(np.arange(self.first, self.last) % self.count)

    def beyond(self, end: int) -> int:
        """Returns the cell beyond the beginning (0) or the end (1)."""
        return int((self.last if end else self.first - 1) % self.count)

    def shares(self) -> Array:
        """Returns which share of each cell of the region is in each covered cell, (covered,
        cells).
        """
        return self._shares(self.outer, self.edges)

    def corner_shares(self) -> Array:
        """Returns the same of cells around corners; covered ones: those between covered cells."""
        return self._shares(self.corners, self.corner_edges)

    def _shares(self, outer: Array, inner: Array) -> Array:
        a, b = (self.measure(one) for one in (outer, inner))
        common = np.minimum(a[1:, None], b[None, 1:]) - np.maximum(a[:-1, None], b[None, :-1])
        length = np.diff(b)
        found = np.where(common > 1e-9 * np.diff(a)[:, None], common, 0.0)
        return np.asarray(found / np.where(length > 0, length, 1.0))

    def lengths(self) -> tuple[Array, Array]:
        """Returns which share of each covered cell's side is along each cell of the region, and how
        far the middle of that part is from the middle of the side, in sides.
        """
        a, b = self.outer, self.edges
        low = np.maximum(a[:-1, None], b[None, :-1])
        high = np.minimum(a[1:, None], b[None, 1:])
        side = np.diff(a)[:, None]
        share = np.where(high - low > 1e-9 * side, (high - low) / side, 0.0)
        away = ((low + high) - (a[:-1] + a[1:])[:, None]) / (2 * side)
        return share, np.where(share > 0, away, 0.0)


class Nest:
    """The region `inner`, cut where `cuts`, in the sea `outer`."""

    def __init__(self, outer: WaterGrid, inner: WaterGrid, cuts: Cuts) -> None:
        self.outer, self.inner, self.cuts = outer, inner, cuts
        self._check()
        self.x, self.y = self._axis(0), self._axis(1)
        rows, points = self.y.numbers, self.x.numbers
        self._covered = np.add.outer(rows * outer.shape[2], points).ravel()
        self.edge = Cells.at(np.flatnonzero(cuts.cells), inner)
        self._find_faces()
        self._check_walls()
        self._find_parts()
        self.centers = Restriction(self, "center", self._covered)
        corners = np.add.outer(rows[:-1] * outer.shape[2], points[:-1]).ravel()
        self.corners = Restriction(self, "corner", corners)

    def _check(self) -> None:
        """Checks the kinds of both grids and their levels. InputError: both are said."""
        for grid in (self.outer, self.inner):
            if not isinstance(grid, (CartesianGrid, LatitudeLongitudeGrid)):
                raise InputError(
                    f"{TWO_WAY} is for a LatitudeLongitudeGrid or a CartesianGrid in one; given"
                    f" {self.inner!r} in {self.outer!r}"
                )
        a, b = (np.asarray(grid.levels.weights) for grid in (self.outer, self.inner))
        if a.shape != b.shape or np.abs(a - b).max() > 1e-9 * a.max():
            told = (f"{one.size} layers, {one.sum():g} m" for one in (b, a))
            raise InputError(
                f"{TWO_WAY}: the region has levels of {', the sea around it of '.join(told)}; they"
                " must be the same"
            )

    def _axis(self, n: int) -> Axis:
        """Returns the direction x (0) or y (1)."""

        def of(grid: WaterGrid) -> tuple[Array, Array]:
            h = grid.horizontal
            corner = np.asarray((h.corner_longitude, h.corner_latitude)[n], float)
            center = np.asarray((h.center_longitude, h.center_latitude)[n], float)
            return (corner[:, 0], center[:, 0]) if n else (corner[0], center[0])

        (lines, middles), (own, own_middles) = of(self.outer), of(self.inner)
        open_ = (self.cuts.open_x, self.cuts.open_y)[n]
        both = (bool((open_ < 0).any()), bool((open_ > 0).any()))
        h = self.outer.horizontal
        around = float(lines[-1] - lines[0]) if n == 0 and h.periodic else 0.0
        if self.inner.horizontal.periodic:
            raise InputError(f"{TWO_WAY}: {self.inner!r} goes around and has no edges there")
        measure = (lambda a: np.sin(np.deg2rad(a))) if n == 1 and h.spherical else np.asarray
        name = (("longitude", "latitude") if h.spherical else ("x", "y"))[n]
        return Axis(name, (lines, own), (middles, own_middles), both, around, measure)

    def _find_faces(self) -> None:
        """Finds the faces of the sea around at the open edges, side by side: their side, the cell
        outside and the one inside, their levels, and how they follow each other.
        """
        nx = self.outer.shape[2]
        wet = np.asarray(self.outer.wet_levels).ravel()
        sides = {
            "west": (self.cuts.open_x < 0, self.x.beyond(0), self.x.numbers[:1], self.y.numbers),
            "east": (self.cuts.open_x > 0, self.x.beyond(1), self.x.numbers[-1:], self.y.numbers),
            "south": (self.cuts.open_y < 0, self.y.beyond(0), self.y.numbers[:1], self.x.numbers),
            "north": (self.cuts.open_y > 0, self.y.beyond(1), self.y.numbers[-1:], self.x.numbers),
        }
        outside, inside, side, place = [], [], [], []
        for name, (open_, beyond, last, along) in sides.items():
            if not open_.any():
                continue
            across = name in ("west", "east")
            outside.append(along * nx + beyond if across else beyond * nx + along)
            inside.append(along * nx + last if across else last * nx + along)
            side.append(np.full(along.size, SIDES[name]))
            place.append(np.arange(along.size))
        self.outside = Cells.at(np.concatenate(outside), self.outer)
        self.inside = Cells.at(np.concatenate(inside), self.outer)
        self.side, self.place = np.concatenate(side), np.concatenate(place)
        self.face_levels = np.minimum(wet[self.outside.flat], wet[self.inside.flat])

    def _check_walls(self) -> None:
        """Checks that the sea around has walls where the region has. InputError: it has none."""
        covered = np.zeros(self.outer.shape[1:], bool)
        covered.ravel()[self._covered] = True
        wet = np.asarray(self.outer.wet_levels) > 0
        known = {*zip(self.outside.flat.tolist(), self.inside.flat.tolist())}
        ny, nx = covered.shape
        for j, i in np.argwhere(covered & wet).tolist():
            for dj, di in ((0, 1), (0, -1), (1, 0), (-1, 0)):
                b, a = j + dj, (i + di) % nx if self.x.around else i + di
                if not (0 <= b < ny and 0 <= a < nx) or covered[b, a] or not wet[b, a]:
                    continue
                if (b * nx + a, j * nx + i) not in known:
                    raise InputError(
                        f"{TWO_WAY}: the region has a wall at {self.outer.place(j, i)} and the sea"
                        " around it has none; open that side, or end it at land"
                    )

    def _find_parts(self) -> None:
        """Finds the parts of faces: `of` which face, `cell` of the edge to which they belong, the
        `share` of the face by layer, and the `tilt`: the same times how far it is from the middle.
        """
        number = np.full(self.inner.shape[1:], -1)
        number.ravel()[self.edge.flat] = np.arange(self.edge.flat.size)
        of, cell, share, tilt, before = [], [], [], [], 0
        for name, code in SIDES.items():
            faces = np.flatnonzero(self.side == code)
            if not faces.size:
                continue
            across = name in ("west", "east")
            end = -1 if name in ("east", "north") else 0
            cells = number[:, end] if across else number[end]
            lengths, away = (self.y if across else self.x).lengths()
            face, one = np.nonzero((lengths > 0) & (cells >= 0))
            of.append(face + before)
            cell.append(cells[one])
            share.append(lengths[face, one])
            tilt.append(away[face, one])
            before += faces.size
        self.of, self.cell = np.concatenate(of), np.concatenate(cell)
        length, away = np.concatenate(share), np.concatenate(tilt)
        layers = np.arange(self.outer.shape[0])[:, None]
        wet = np.asarray(self.inner.wet_levels).ravel()[self.edge.flat][self.cell]
        there = np.where(layers < wet, length, 0.0)
        whole = self.on_faces(there)
        water = layers < self.face_levels
        if (bad := water & (whole <= 0)).any():
            f = int(np.argwhere(bad.any(0))[0, 0])
            place = self.outer.place(int(self.outside.rows[f]), int(self.outside.points[f]))
            raise InputError(
                f"{TWO_WAY}: the sea around the region has {int(self.face_levels[f])} layers of"
                f" water at its edge next to {place}, and the region has fewer there"
            )
        self.share = there / np.where(whole > 0, whole, 1.0)[:, self.of]
        full = water & (whole > 1 - 1e-9)
        tilt = self.share * away * full[:, self.of]
        self.tilt = tilt - self.share * self.on_faces(tilt)[:, self.of]  # nothing in sum
        self.full = full

    def on_faces(self, values: Array) -> Array:
        """Returns the sums over the parts of each face, (levels, faces)."""
        return _sums(values, self.of, self.side.size)

    def on_edge(self, values: Array) -> Array:
        """Returns the sums over the parts of each cell at the edge, (levels, cells)."""
        return _sums(values, self.cell, self.edge.flat.size)

    def of_parts(self, flow: Array) -> Array:
        """Returns the flow through parts of faces (levels, parts) of that through faces: linear
        along a side, and in sum that of the face.
        """
        slope = np.zeros_like(flow)
        inner = (self.place[1:-1] > 0) & (np.diff(self.place)[1:] == 1)
        beside = np.flatnonzero(inner) + 1
        there = self.full[:, beside] & self.full[:, beside - 1] & self.full[:, beside + 1]
        slope[:, beside] = np.where(there, 0.5 * (flow[:, beside + 1] - flow[:, beside - 1]), 0.0)
        found: Array = self.share * flow[:, self.of] + self.tilt * slope[:, self.of]
        return found

    def fields(self) -> tuple[Array, Array, Array]:
        """Returns in the sea around: which face of a cell is at an edge, (ny, nx), and whether its
        eastern and northern face are, from either side.
        """
        side = np.zeros(self.outer.shape[1:])
        side.ravel()[self.outside.flat] = self.side
        east, north = np.zeros(side.shape, bool), np.zeros(side.shape, bool)
        for code, field, cells in (
            (1, east, self.outside),
            (2, east, self.inside),
            (3, north, self.outside),
            (4, north, self.inside),
        ):
            which = self.side == code
            field[cells.rows[which], cells.points[which]] = True
        return side, east, north


def _sums(values: Array, of: Array, count: int) -> Array:
    """Returns sums of the columns of (levels, parts) with the same number, in their order."""
    found = np.zeros((count, len(values)))
    np.add.at(found, of, values.T)
    return np.asarray(found.T)


class Restriction:
    """Means over the cells of the region in each cell of the sea around, by volume; or over the
    cells around corners.
    """

    def __init__(self, nest: Nest, where: str, covered: Array) -> None:
        from scipy.sparse import csr_array, kron  # start-up time

        outer, inner = nest.outer, nest.inner
        corner = where == "corner"
        shares = [one.corner_shares() if corner else one.shares() for one in (nest.y, nest.x)]
        there = np.asarray(outer.levels_at(where)).ravel()[covered] > 0
        here = np.asarray(inner.levels_at(where)).ravel() > 0
        matrix = csr_array(kron(csr_array(shares[0]), csr_array(shares[1])))
        self.matrix = csr_array(matrix[there][:, here])
        self.cells = Cells.at(covered[there], outer)
        self.own = Cells.at(np.flatnonzero(here), inner)
        self.area = np.asarray(inner.areas[corner], float).ravel()[here]
        layers = np.arange(inner.shape[0])[:, None]
        levels = np.asarray(inner.levels_at(where)).ravel()[here]
        h = [np.asarray(inner.thickness(int(k), where), float).ravel()[here] for k in layers[:, 0]]
        self.thickness = np.where(layers < levels, np.array(h), 0.0)
        self.depth = np.asarray(inner.depth(where), float).ravel()[here]

    def __call__(self, values: Array, weights: Array) -> Array:
        """Returns the means of values (levels, cells) with these weights, (levels, covered); nan
        where there is none of the region.
        """
        whole = (self.matrix @ np.broadcast_to(weights, values.shape).T).T
        found = (self.matrix @ (weights * values).T).T
        return np.where(whole > 0, found / np.where(whole > 0, whole, 1.0), np.nan)
