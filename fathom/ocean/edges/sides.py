"""Which cells an open edge cuts, and the grid with these cells cut through their middle
(core/ocean/open_edges/open_edges.hpp).
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from fathom.base import earth
from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.grids.arguments import pair
from fathom.grids.water import WaterGrid
from fathom.model.component import Array

SIDES = ("west", "east", "south", "north")
FLOWS = {"radiated": 1.0, "prescribed": 0.0, "clamped": 1000.0}  # speed of waves over sqrt(g H)


class OpenEdge(Configurable):
    """A side of the grid, or a part of it, where the sea goes on.

    Parameters
    ----------
    side : "west", "east", "south" or "north": the first or last column or row of the grid.
    between : (from, to) along it: latitudes of a western or eastern side, longitudes of the others
        [degrees], or metres on a plane; None: all of it.
    flow : "radiated" (default): waves leave, those of the sea surface (Flather 1976) and internal
        ones (Orlanski 1976); "prescribed": the flow is the given one, whatever the sea does;
        "clamped": the height is the given one, and the flow through the edge what the sea makes of
        it: waves of the surface are reflected, internal ones leave.
    """

    def __init__(
        self,
        side: str,
        between: Sequence[float] | None = None,
        flow: str = "radiated",
    ) -> None:
        if side not in SIDES:
            raise InputError(
                f"OpenEdge side = {side!r}{near(str(side), SIDES) or ';'} allowed:"
                f" {', '.join(SIDES)}"
            )
        if flow not in FLOWS:
            allowed = ", ".join(map(repr, FLOWS))
            raise InputError(
                f"OpenEdge flow = {flow!r}{near(str(flow), FLOWS) or ';'} allowed: {allowed}"
            )
        self.side, self.flow = side, flow
        self.between = None if between is None else pair("OpenEdge between", between, "degrees")
        if self.between is not None and self.between[0] >= self.between[1]:
            raise InputError(f"OpenEdge between = {between!r} must be (from, to) with from < to")

    def __repr__(self) -> str:
        more = "" if self.between is None else f", between={self.between}"
        return f"OpenEdge({self.side!r}{more})"

    @property
    def along_x(self) -> bool:
        """Returns whether the flow through it is that along x."""
        return self.side in ("west", "east")

    @property
    def outward(self) -> float:
        """Returns 1 where the axis of the grid points outward, else -1."""
        return 1.0 if self.side in ("east", "north") else -1.0

    @property
    def cells(self) -> tuple[Any, Any]:
        """Returns the index of its cells in (ny, nx)."""
        end = -1 if self.outward > 0 else 0
        return (slice(None), end) if self.along_x else (end, slice(None))

    def inside(self, values: Array) -> Array:
        """Returns the values (ny, nx) of the cells next to its cells."""
        next_ = -2 if self.outward > 0 else 1
        return values[:, next_] if self.along_x else values[next_]

    def open_on(self, grid: WaterGrid) -> Array:
        """Returns which of its cells are open, as many as there are along it. InputError: none, or
        the grid has no such side.
        """
        h, wet = grid.horizontal, np.asarray(grid.wet_levels) > 0
        closed = {
            "west": h.periodic,
            "east": h.periodic,
            "north": h.fold,
            "south": False,
        }[self.side]
        if closed:
            raise InputError(f"{self!r}: the grid has no edge there: it goes round the earth")
        if min(wet.shape) < 4:
            raise InputError(f"{self!r}: the grid needs 4 rows and 4 columns or more")
        found = wet[self.cells] & self.inside(wet)
        corner = np.asarray(grid.levels_at("corner")) > 0
        one = corner[self.cells] if self.outward < 0 else self.inside(corner)
        before = np.roll(one, 1)
        if not (h.periodic and not self.along_x):
            before[0] = False
        found = found & (one | before)
        if self.between is not None:
            x, y = grid.coordinates()
            place = (y if self.along_x else x)[self.cells]
            first, last = self.between
            if not self.along_x and h.spherical:
                found = found & ((place - first) % 360 <= last - first)
            else:
                found = found & (place >= first) & (place <= last)
        if not found.any():
            raise InputError(f"{self!r}: there is no water at it")
        return np.asarray(found)


def listed(given: Any) -> list[OpenEdge]:
    """Returns the edges of a user's list of sides and OpenEdge. InputError: one is neither."""
    if isinstance(given, str) and given == "all":
        given = SIDES
    found = [given] if isinstance(given, (str, OpenEdge)) else list(given)
    edges = [OpenEdge(one) if isinstance(one, str) else one for one in found]
    if strange := [one for one in edges if not isinstance(one, OpenEdge)]:
        raise InputError(f"open edges: {strange[0]!r} is no side and no OpenEdge")
    if not edges:
        raise InputError("open edges: no side is given")
    return edges


class Cuts:
    """The cells that open edges cut.

    edges : at least one.  grid : before it is cut.
    """

    def __init__(self, edges: Iterable[OpenEdge], grid: WaterGrid) -> None:
        h, shape = grid.horizontal, np.shape(grid.wet_levels)
        self.depth = grid.depth()
        self.open_x, self.open_y = np.zeros(shape), np.zeros(shape)  # outward: -1, 0 or 1
        radiates_x, radiates_y = np.zeros(shape), np.zeros(shape)
        for edge in edges:
            there = edge.open_on(grid)
            which = self.open_x if edge.along_x else self.open_y
            which[edge.cells] = np.where(there, edge.outward, which[edge.cells])
            waves = radiates_x if edge.along_x else radiates_y
            waves[edge.cells] = np.where(there, FLOWS[edge.flow], waves[edge.cells])
        half_x, half_y = (np.where(one != 0, 0.5, 1.0) for one in (self.open_x, self.open_y))
        self.share = half_x * half_y  # of a cell that is inside
        self.half_x, self.half_y = half_x, half_y
        # as the flow through the other side of the cell: half of each wet corner
        dx, dy = (np.asarray(getattr(h, name), float) for name in ("dx_center", "dy_center"))
        of_x, of_y = _corners_inside(grid, self.open_x, self.open_y)
        self.length_x, self.length_y = self.open_x * dy * of_x, self.open_y * dx * of_y
        wave = np.sqrt(earth.GRAVITY * self.depth)
        self.radiation = wave * (
            radiates_x * np.abs(self.length_x) + radiates_y * np.abs(self.length_y)
        )

    @property
    def cells(self) -> Array:
        """Returns 1 in the cells that are cut, else 0, (ny, nx)."""
        return np.where(self.share < 1, 1.0, 0.0)

    def zone(self, width: int, where: str = "center") -> Array:
        """Returns cos2 of the distance from an open edge, 1 at it and 0 from `width` cells on,
        (ny, nx); where: "center" or "corner".
        """
        found: Array = np.zeros(self.share.shape)
        ny, nx = found.shape
        shift = 0.5 if where == "corner" else 0.0
        j, i = np.arange(ny)[:, None] + shift, np.arange(nx)[None, :] + shift
        for open_, distance in (
            (self.open_x[:, :1] < 0, i),
            (self.open_x[:, -1:] > 0, nx - 1 - i),
            (self.open_y[:1] < 0, j),
            (self.open_y[-1:] > 0, ny - 1 - j),
        ):
            share = np.cos(0.5 * np.pi * np.clip(distance / width, 0, 1)) ** 2
            found = np.maximum(found, np.where(open_, share, 0.0))
        return np.where(found > 1e-12, found, 0.0)

    def corners(self, grid: WaterGrid) -> Array:
        """Returns 1 at the wet corners round these cells, else 0, (ny, nx)."""
        around = self.cells.copy()
        around[:, :-1] = np.maximum(around[:, :-1], self.cells[:, 1:])
        both = around.copy()
        both[:-1] = np.maximum(both[:-1], around[1:])
        return np.where(np.asarray(grid.levels_at("corner")) > 0, both, 0.0)


def _corners_inside(grid: WaterGrid, open_x: Array, open_y: Array) -> tuple[Array, Array]:
    """Returns the share of the two corners on the inner side of each cell that are wet, for cells
    that are open along x, and along y.
    """
    wet = (np.asarray(grid.levels_at("corner")) > 0).astype(float)  # the north-east one
    south, west = np.zeros_like(wet), np.zeros_like(wet)
    south[1:], west[:, 1:] = wet[:-1], wet[:, :-1]
    if grid.horizontal.periodic:
        west[:, 0] = wet[:, -1]
    both = np.zeros_like(wet)
    both[1:] = west[:-1]
    of_x = np.where(open_x > 0, west + both, wet + south) / 2
    of_y = np.where(open_y > 0, south + both, wet + west) / 2
    return of_x, of_y


class Cut:
    """A horizontal grid with other areas and lengths of some cells."""

    def __init__(self, whole: Any, **changed: Array) -> None:
        self.whole = whole
        self.__dict__.update(changed)

    def __getattr__(self, name: str) -> Any:
        if name == "whole":
            raise AttributeError(name)
        return getattr(self.whole, name)


def opened(
    grid: WaterGrid, edges: Iterable[OpenEdge], sponge: tuple[float, int]
) -> tuple[WaterGrid, Cuts]:
    """Returns the grid with the cells at its open edges cut, and where. sponge: factor of lateral
    coefficients at the edges, and its width in cells.
    """
    cuts, make = Cuts(edges, grid), grid._make
    grid.describe()  # keeps the angles of the whole cells
    beyond_north = np.minimum(cuts.half_x, np.roll(cuts.half_x, -1, 0))
    beyond_east = np.minimum(cuts.half_y, np.roll(cuts.half_y, -1, 1))

    def cut() -> Cut:
        h = make()
        return Cut(
            h,
            area_center=np.asarray(h.area_center, float) * cuts.share,
            length_north_face=np.asarray(h.length_north_face, float) * beyond_north,
            length_east_face=np.asarray(h.length_east_face, float) * beyond_east,
        )

    found = copy.copy(grid)
    found._make = cut
    factor, width = sponge
    if factor > 1:
        found.lateral_factor = {
            where: 1 + (factor - 1) * cuts.zone(width, where) for where in ("center", "corner")
        }
    found.release()
    return found, cuts
