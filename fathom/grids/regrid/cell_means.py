"""Exact means over the cells of a grid, of regular data that are finer than the cells: the integral
over the sphere is the same for data and cells, to round-off.

With lambda the longitude and mu the sine of the latitude, areas on the sphere are areas in the
plane (lambda, mu). Data are f in boxes around their points, half-way to the next ones. Then

    integral over a cell = - (closed integral along its sides) of F dlambda
    F(lambda, mu) = integral of f from the south pole to mu

and F is linear in mu within a box: sides are cut where they meet lines between boxes, and the
integral of mu along each piece has a closed form. A common side of two cells has opposite signs in
both, so sums over cells are exact. Sides are great circles, and parallels where all corners of
a line have the same latitude: areas are those of the model's grids (core/grid/horizontal.hpp).

A cell around the north pole has in addition the contents of all longitudes; a cell with a corner
there, those of its longitudes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fathom.base.earth import RADIUS


def finer(latitude: Any, longitude: Any, area: np.ndarray) -> bool:
    """Returns whether data are at least twice as fine as cells of that area [m2]."""
    degree = RADIUS * np.pi / 180
    spacing = min(np.ptp(axis) / max(len(axis) - 1, 1) for axis in (latitude, longitude))
    return bool(np.sqrt(np.median(area)) >= 2 * degree * max(spacing, 1e-9))


def edges_between(latitude: Any, longitude: Any) -> tuple[np.ndarray, np.ndarray]:
    """Returns edges of boxes around points [degrees]: latitudes (lat + 1) from pole to pole in the
    order of the points, longitudes (lon + 1) once around.
    """
    lat, lon = np.asarray(latitude, float), np.asarray(longitude, float)
    ends = (-90.0, 90.0) if lat[-1] > lat[0] else (90.0, -90.0)
    rows = np.concatenate([ends[:1], 0.5 * (lat[1:] + lat[:-1]), ends[1:]])
    west = 0.5 * (lon[0] + lon[-1] - 360)
    return rows, np.concatenate([[west], 0.5 * (lon[1:] + lon[:-1]), [west + 360]])


@dataclass
class CellMeans:
    """Computes means over cells of data in boxes, or the share of each box in a cell.

    edges   : of the boxes, latitudes (lat + 1) from pole to pole and longitudes (lon + 1) once
              around eastward [degrees].
    corners : latitude and longitude [degrees] of the corners of cells, (ny + 1, nx + 1).
    """

    edges: tuple[np.ndarray, np.ndarray]
    corners: tuple[Any, Any]

    @classmethod
    def of_points(cls, latitude: Any, longitude: Any, corners: tuple[Any, Any]) -> CellMeans:
        """Returns means of data at latitudes and longitudes, each in a box half-way to the next
        ones.
        """
        return cls(edges_between(latitude, longitude), corners)

    def __post_init__(self) -> None:
        rows, columns = (np.asarray(edges, float) for edges in self.edges)
        self.north = rows[-1] > rows[0]
        self.mu = np.sin(np.deg2rad(rows if self.north else rows[::-1]))
        self.columns = np.deg2rad(columns)
        latitude, longitude = (np.asarray(x, float) for x in self.corners)
        corners = np.deg2rad(longitude), np.deg2rad(latitude)
        parallel = np.broadcast_to(np.ptp(latitude, axis=1, keepdims=True) < 1e-9, latitude.shape)
        every, first, second = slice(None), slice(None, -1), slice(1, None)
        along_i = self._between(corners, (every, first), (every, second), parallel[:, 1:])
        meridians = np.zeros(parallel[1:].shape, bool)
        along_j = self._between(corners, (first, every), (second, every), meridians)
        self.sides = along_i, along_j
        self._close(latitude)
        self.area = self._inside(np.ones((self.mu.size - 1, self.columns.size - 1)))

    def _between(
        self,
        corners: tuple[np.ndarray, np.ndarray],
        begin: tuple[slice, slice],
        end: tuple[slice, slice],
        parallel: np.ndarray,
    ) -> _Sides:
        """Returns sides from some corners to others."""
        (x0, y0), (x1, y1) = ([x[at] for x in corners] for at in (begin, end))
        return _Sides.between(x0, y0, x1, y1, parallel, self.columns, self.mu)

    def _close(self, latitude: np.ndarray) -> None:
        """Finds cells around the north pole, and those with a corner there, which hold an angle
        `corner_angle` of longitudes from `corner_west` on.
        """
        along_i, along_j = self.sides
        turns = self._around(*(side.sum(side.step) for side in self.sides))
        self.corner_west = np.zeros((4, *turns.shape))
        self.corner_angle = np.zeros((4, *turns.shape))
        arrivals = along_j.begin[:, :-1], along_i.end[:-1], along_j.end[:, 1:], along_i.begin[1:]
        departures = along_i.begin[:-1], along_j.begin[:, 1:], along_i.end[1:], along_j.end[:, :-1]
        at = latitude[:-1, :-1], latitude[:-1, 1:], latitude[1:, 1:], latitude[1:, :-1]
        for n in range(4):
            angle = (arrivals[n] - departures[n]) % (2 * np.pi)
            pole = (at[n] > _pole) & (angle > 1e-9) & (angle < 2 * np.pi - 1e-9)
            self.corner_west[n], self.corner_angle[n] = departures[n], np.where(pole, angle, 0.0)
        self.around_pole = turns - self.corner_angle.sum(0) > np.pi

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """Returns means of values (..., lat, lon): (..., ny, nx) in their type; NaN where a cell
        has some of the missing ones. A mean lies between the least and the greatest value.
        """
        values = np.asarray(values)
        flat = values.reshape(-1, *values.shape[-2:])
        made = np.stack([self._mean(layer.astype(float)) for layer in flat])
        return made.reshape(*values.shape[:-2], *made.shape[1:]).astype(values.dtype, copy=False)

    def _mean(self, values: np.ndarray) -> np.ndarray:
        known = np.isfinite(values)
        if not known.any():
            return np.full(self.area.shape, np.nan)
        least, greatest = values[known].min(), values[known].max()
        inside = self._inside(np.where(known, values - least, 0.0)) / self.area + least
        mean: np.ndarray = np.clip(inside, least, greatest)
        if known.all():
            return mean
        return np.where(self._inside((~known).astype(float)) > 1e-9 * self.area, np.nan, mean)

    def shares(self) -> Any:
        """Returns the area that each cell has of each box [sr], (cells, boxes), both row by row: a
        sparse array of scipy.
        """
        from scipy.sparse import coo_array  # start-up time

        cell, j, i, step, moment = self._pieces()
        lowest = self._lowest(cell, j)
        # each piece: what lies below it, down to the lowest box of its cell, and in its own box
        below = j - lowest[cell]
        piece = np.repeat(np.arange(cell.size), below)
        under = np.arange(piece.size) - np.repeat(np.cumsum(below) - below, below)
        rows = lowest[cell[piece]] + under
        parts = [(cell[piece], rows, i[piece], -step[piece] * np.diff(self.mu)[rows])]
        parts += [(cell, j, i, -moment), *self._boxes_at_pole(lowest)]
        cell, j, i, area = (np.concatenate(some) for some in zip(*parts))
        ny, nx = self.mu.size - 1, self.columns.size - 1
        box = (j if self.north else ny - 1 - j) * nx + i
        made = coo_array((area, (cell, box)), shape=(self.area.size, ny * nx)).tocsr()
        whole = np.repeat(self.area.ravel(), np.diff(made.indptr))
        made.data[np.abs(made.data) < 1e-12 * whole] = 0
        made.eliminate_zeros()
        return made

    def _pieces(self) -> tuple[np.ndarray, ...]:
        """Returns cell, box (j, i), step and moment of each piece of the sides around each cell,
        counterclockwise.
        """
        ny, nx = self.area.shape
        cells = np.arange(ny * nx).reshape(ny, nx)
        along_i, along_j = self.sides
        south, north = ((0, 1), (0, 0)), ((1, 0), (0, 0))  # the side is that of the cell
        east, west = ((0, 0), (1, 0)), ((0, 0), (0, 1))
        found = []
        for side, place, sign in (
            (along_i, south, 1),
            (along_i, north, -1),
            (along_j, east, 1),
            (along_j, west, -1),
        ):
            cell = np.pad(cells, place, constant_values=-1).ravel()
            cell = np.repeat(cell, np.diff(np.append(side.first, side.step.size)))
            pieces = cell, side.j, side.i, sign * side.step, sign * side.moment
            found.append([piece[cell >= 0] for piece in pieces])
        return tuple(np.concatenate(some) for some in zip(*found))

    def _lowest(self, cell: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Returns the lowest row of boxes of each cell; the first around the south pole."""
        lowest = np.full(self.area.size, self.mu.size)
        np.minimum.at(lowest, cell, j)
        turns = self._around(*(side.sum(side.step) for side in self.sides))
        north = self.corner_angle.sum(0) + np.where(self.around_pole, 2 * np.pi, 0.0)
        return np.where(np.abs(turns - north).ravel() > 1e-9, 0, lowest)

    def _boxes_at_pole(self, lowest: np.ndarray) -> Any:
        """Returns, as `shares` does, what cells around the north pole, or with a corner there, have
        to it.
        """
        width, height = np.diff(self.columns), np.diff(self.mu)
        turns = [(j, i, self.columns[0], 2 * np.pi) for j, i in np.argwhere(self.around_pole)]
        for n, j, i in np.argwhere(self.corner_angle > 0):
            turns.append((j, i, self.corner_west[n, j, i], self.corner_angle[n, j, i]))
        for j, i, west, angle in turns:
            cell = j * self.area.shape[1] + i
            rows = np.arange(lowest[cell], height.size)
            from_west = (self.columns[:-1] - west) % (2 * np.pi)
            again = np.clip(from_west + width - 2 * np.pi, 0, angle)  # round to the west end
            share = np.clip(angle - from_west, 0, width) + again
            columns = np.flatnonzero(share > 0)
            row, column = (a.ravel() for a in np.meshgrid(rows, columns, indexing="ij"))
            yield np.full(row.size, cell), row, column, height[row] * share[column]

    def _inside(self, values: np.ndarray) -> np.ndarray:
        """Returns integral of values over each cell, (ny, nx) [sr]."""
        values = values if self.north else values[::-1]
        boxes = values * np.diff(self.mu)[:, None]
        below = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(boxes, 0)])
        integrals = (
            side.sum(below[side.j, side.i] * side.step + values[side.j, side.i] * side.moment)
            for side in self.sides
        )
        result: np.ndarray = self._at_pole(below[-1]) - self._around(*integrals)
        return result

    def _at_pole(self, columns: np.ndarray) -> np.ndarray:
        """Returns the contents of longitudes that belong to cells around the north pole, or with a
        corner there.
        """
        held = np.append(0.0, np.cumsum(columns * np.diff(self.columns)))
        found = np.where(self.around_pole, held[-1], 0.0)
        for n, j, i in np.argwhere(self.corner_angle > 0):
            west = self.columns[0] + (self.corner_west[n, j, i] - self.columns[0]) % (2 * np.pi)
            ends = np.array([west, west + self.corner_angle[n, j, i]])
            turns, rest = np.divmod(ends - self.columns[0], 2 * np.pi)
            at = turns * held[-1] + np.interp(rest + self.columns[0], self.columns, held)
            found[j, i] += at[1] - at[0]
        return found

    @staticmethod
    def _around(along_i: np.ndarray, along_j: np.ndarray) -> np.ndarray:
        """Returns sums along the four sides of cells, counterclockwise."""
        result: np.ndarray = along_i[:-1] + along_j[:, 1:] - along_i[1:] - along_j[:, :-1]
        return result


_pole = 90 - 1e-9  # [degrees]
_seam = 0.1234  # where longitudes begin again [rad]: no line of a usual grid


@dataclass
class _Sides:
    """Pieces of sides, each within a box (j, i): `step` in longitude, and `moment`, the integral of
    mu above the box's southern edge along it; `first`: where the pieces of each side begin.
    `begin`, `end`: longitudes of the sides' ends.
    """

    j: np.ndarray
    i: np.ndarray
    step: np.ndarray
    moment: np.ndarray
    first: np.ndarray
    begin: np.ndarray
    end: np.ndarray

    def sum(self, pieces: np.ndarray) -> np.ndarray:
        """Returns the sum over the pieces of each side."""
        return np.add.reduceat(pieces, self.first).reshape(self.begin.shape)

    @classmethod
    def between(
        cls,
        x0: np.ndarray,
        y0: np.ndarray,
        x1: np.ndarray,
        y1: np.ndarray,
        parallel: np.ndarray,
        columns: np.ndarray,
        mu: np.ndarray,
    ) -> _Sides:
        """Returns sides from longitude x0, latitude y0 to x1, y1 [rad]; great circles, or
        parallels.
        """
        x0, x1 = _at_poles(_once_around(x0), y0, _once_around(x1), y1)
        chords = _Chords(*(a.ravel() for a in (x0, y0, x1, y1, parallel)))
        part, west, south, east, north = chords.cut(columns, mu)
        step, flat = _step(west, east), chords.parallel[part]
        middle = columns[0] + (west + 0.5 * step - columns[0]) % (2 * np.pi)
        i = np.clip(np.searchsorted(columns, middle, "right") - 1, 0, columns.size - 2)
        j = np.searchsorted(mu, np.sin(0.5 * (south + north)), "right") - 1
        j = np.clip(j, 0, mu.size - 2)
        under = np.where(flat, np.sin(south) * step, _under(step, south, north))
        first = np.searchsorted(part, np.arange(x0.size))
        j, i = j.astype(np.int32), i.astype(np.int32)
        return cls(j, i, step, under - mu[j] * step, first, x0, x1)


def _at_poles(
    x0: np.ndarray, y0: np.ndarray, x1: np.ndarray, y1: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the longitudes of both ends; a side to a pole is a meridian."""
    at = [np.abs(y) > np.deg2rad(_pole) for y in (y0, y1)]
    return np.where(at[0] & ~at[1], x1, x0), np.where(at[1] & ~at[0], x0, x1)


def _once_around(x: np.ndarray) -> np.ndarray:
    """Returns a longitude [rad] in [_seam, _seam + 2 pi)."""
    return (x - _seam) % (2 * np.pi) + _seam


def _step(x0: np.ndarray, x1: np.ndarray) -> np.ndarray:
    """Returns the shorter way from one longitude to another; through a pole the same both ways."""
    change = x1 - x0
    result: np.ndarray = np.where(
        np.abs(change) > np.pi + 1e-9, change - np.copysign(2 * np.pi, change), change
    )
    return result


class _Chords:
    """Lines between two points on the sphere: arcs of great circles, or of parallels."""

    def __init__(
        self, x0: np.ndarray, y0: np.ndarray, x1: np.ndarray, y1: np.ndarray, parallel: np.ndarray
    ) -> None:
        self.x0, self.y0, self.x1, self.y1, self.parallel = x0, y0, x1, y1, parallel
        self.step = _step(x0, x1)
        self.straight = parallel | (np.abs(self.step) < 1e-12)

        def vector(x: np.ndarray, y: np.ndarray) -> np.ndarray:
            return np.stack([np.cos(y) * np.cos(x), np.cos(y) * np.sin(x), np.sin(y)])

        self.begin = vector(x0, y0)
        self.change = vector(x1, y1) - self.begin

    def at(self, n: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns longitude and latitude at a share t of chords n; their ends as they are."""
        v = self.begin[:, n] + t * self.change[:, n]
        x, y = _once_around(np.arctan2(v[1], v[0])), np.arctan2(v[2], np.hypot(v[0], v[1]))
        x = np.where(self.straight[n], _once_around(self.x0[n] + t * self.step[n]), x)
        y = np.where(self.parallel[n], self.y0[n], y)
        ends, values = [t <= 0, t >= 1], ((self.x0[n], self.x1[n]), (self.y0[n], self.y1[n]))
        return np.select(ends, values[0], x), np.select(ends, values[1], y)

    def cut(
        self, columns: np.ndarray, mu: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Returns pieces between longitudes (once around) and sines of latitudes: for each its
        chord, in order, and longitude and latitude of its begin and end.
        """
        x = columns[0] + (self.x0 - columns[0]) % (2 * np.pi)
        around = np.concatenate([columns[:-1] + 2 * np.pi * n for n in (-1, 0, 1)])
        n, s, meridian = _meetings(x, self.step, around)
        s = self._at_meridian(n, s, meridian)
        m, t = self._at_heights(mu)
        line = np.concatenate([np.arange(x.size), n, m])
        t = np.clip(np.concatenate([np.zeros(x.size), s, t]), 0.0, 1.0)
        known = np.concatenate([self.x0, _once_around(meridian), np.full(m.size, np.nan)])
        along = np.concatenate([x, meridian, np.zeros(m.size)]) * np.sign(self.step[line])
        along[: x.size] = -np.inf  # a chord begins with its begin
        order = np.lexsort((along, t, line))
        line, t, known = line[order], t[order], known[order]
        west, south = self.at(line, t)
        west = np.where(np.isnan(known), west, known)  # also at a pole
        last = np.append(line[1:] != line[:-1], True)
        east, north = (
            np.where(last, ends[line], np.append(begins[1:], 0))
            for begins, ends in ((west, self.x1), (south, self.y1))
        )
        return line, west, south, east, north

    def _at_meridian(self, n: np.ndarray, guess: np.ndarray, meridian: np.ndarray) -> np.ndarray:
        """Returns where chords n have that longitude, of a guess along parallels; all of them at a
        pole.
        """
        a, d = self.begin[:, n], self.change[:, n]
        from_it = [np.cos(meridian) * v[1] - np.sin(meridian) * v[0] for v in (a, d)]
        reach = [np.hypot(*v[:2]) for v in (a, a + d)]
        through = self._through_pole(n)
        found = -from_it[0] / np.where(through | (from_it[1] == 0), 1.0, from_it[1])
        found = np.where(through, reach[0] / np.where(through, sum(reach), 1.0), found)
        return np.where(self.straight[n], guess, found)

    def _at_heights(self, mu: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns (n, t): where chords n meet those sines of latitudes; and where they are nearest
        to a pole: great circles may meet one before and after that.
        """
        z0, z1 = np.sin(self.y0), np.sin(self.y1)
        turn, top = self._turn()
        n = np.flatnonzero(turn > 0)
        cut = n[~self._through_pole(n)]  # there all meridians meet it
        m, t, height = _meetings(z0, np.where(turn > 0, 0.0, z1 - z0), mu)
        lines, places = [cut, m], [turn[cut], self._at_height(m, t, height)]
        for z, before in ((z0, True), (z1, False)):
            m, _, height = _meetings(z[n], top[n] - z[n], mu)
            lines.append(n[m])
            places.append(self._next_to_turn(n[m], height, turn[n[m]], top[n[m]], before))
        return np.concatenate(lines), np.concatenate(places)

    def _through_pole(self, n: np.ndarray) -> np.ndarray:
        result: np.ndarray = np.abs(np.abs(self.step[n]) - np.pi) < 1e-9
        return result

    def _turn(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns where great circles are nearest to a pole between their ends, and the sine of the
        latitude there; 0 where they are not.
        """
        (_, _, z), (_, _, dz) = self.begin, self.change
        b, c = (self.begin * self.change).sum(0), (self.change**2).sum(0)
        with np.errstate(all="ignore"):
            t = (z * b - dz) / (dz * b - z * c)
        t = np.where(~self.straight & (t > 1e-9) & (t < 1 - 1e-9), t, 0.0)
        return t, (z + t * dz) / np.sqrt(1 + 2 * t * b + t * t * c)

    def _next_to_turn(
        self, n: np.ndarray, mu: np.ndarray, turn: np.ndarray, top: np.ndarray, before: bool
    ) -> np.ndarray:
        """Returns where chords n have that sine of the latitude, before their turn or after it."""
        away, near = np.full(turn.shape, 0.0 if before else 1.0), turn
        for _ in range(52):  # by halves: at the turn the slope is 0
            middle = 0.5 * (away + near)
            v = self.begin[:, n] + middle * self.change[:, n]
            past = (v[2] / np.sqrt((v * v).sum(0)) - mu) * np.sign(top - mu) > 0
            away, near = np.where(past, away, middle), np.where(past, middle, near)
        return near

    def _at_height(self, n: np.ndarray, guess: np.ndarray, mu: np.ndarray) -> np.ndarray:
        """Returns where chords n have that sine of the latitude, next to a guess."""
        a, d = self.begin[:, n], self.change[:, n]
        for _ in range(3):
            v = a + guess * d
            length = np.sqrt((v * v).sum(0))
            slope = (d[2] - v[2] * (v * d).sum(0) / length**2) / length
            guess = np.clip(guess - (v[2] / length - mu) / np.where(slope, slope, np.inf), 0, 1)
        return guess


def _under(step: np.ndarray, y0: np.ndarray, y1: np.ndarray) -> np.ndarray:
    """Returns integral of the sine of the latitude along a great circle."""
    p, q = np.tan(0.5 * y0), np.tan(0.5 * y1)
    result: np.ndarray = 2 * np.arctan2(
        np.sin(0.5 * step) * (p + q), np.cos(0.5 * step) * (1 + p * q)
    )
    return result


def _meetings(
    start: np.ndarray, change: np.ndarray, at: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns (line, t, value) where start + t change, 0 < t < 1, is a value of `at`, which
    increase.
    """
    low, high = np.minimum(start, start + change), np.maximum(start, start + change)
    first, last = np.searchsorted(at, low, "right"), np.searchsorted(at, high, "left")
    count = np.maximum(last - first, 0)
    line = np.repeat(np.arange(start.size), count)
    number = np.arange(line.size) - np.repeat(np.cumsum(count) - count, count) + first[line]
    value = at[number]
    return line, (value - start[line]) / change[line], value
