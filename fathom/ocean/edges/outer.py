"""The sea around a region, of which the region takes what is beyond its open edges, and its start:
another ocean that runs at the same time (`OuterSea`), or has run (`StoredSea`).

    outer = OuterSea(wanted, simulation)
    outer.axis; outer.state(number)["temperature"]      # (levels, points at the edges)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from fathom import names as known_names
from fathom.base import mpi
from fathom.base.failure import InputError
from fathom.grids.water import WaterGrid
from fathom.model.component import Array
from fathom.model.outer import Outer, State
from fathom.ocean.edges.around import Around
from fathom.ocean.edges.given import HEIGHT, TOWARDS

beginning = "start of "  # of the names of fields of the whole region
# (name, numbers of points, levels) -> values (levels, points); of TOWARDS both
Reader = Callable[[Sequence[str], str, Array], Sequence[Array]]


class Wanted:
    """What a region takes of the sea around it.

    grid : of the region.  edges : the cells (ny, nx) at its open edges.
    names : of tracers, the height and TOWARDS that the sea around gives there.
    every_tracer : names of all tracers, for a start.
    """

    def __init__(
        self,
        grid: WaterGrid,
        edges: Array,
        names: Sequence[str],
        every_tracer: Sequence[str],
    ) -> None:
        self.grid, self.edges = grid, np.asarray(edges) > 0
        self.names, self.every_tracer = list(names), list(every_tracer)
        self.starts = False  # whether the region starts from that sea

    @property
    def fields(self) -> list[str]:
        """Returns the names of all tracers and of the height that are taken."""
        every = [*self.names, *(self.every_tracer if self.starts else ())]
        return [name for name in dict.fromkeys(every) if name not in TOWARDS]

    def at_edges(self, sea: Any) -> dict[str, Around]:
        """Returns the points of a sea around the edges. InputError: it does not reach them."""
        x, y = (np.asarray(one)[self.edges] for one in self.grid.coordinates())
        depth = self.grid.levels.middles
        found = {where: Around(sea, where, x, y, depth) for where in ("center", "corner")}
        self._check(sea, found["center"])
        return found

    def _check(self, sea: Any, center: Around) -> None:
        """Checks that there is water near each cell of an edge. InputError: there is none."""
        for which, why in ((center.outside, "leaves"), (center.far, "meets land of")):
            if which.any():
                j, i = (int(one[which][0]) for one in np.nonzero(self.edges))
                raise InputError(
                    f"open_edges outer: the region {why} the sea around it, {sea.text}, in"
                    f" {int(which.sum())} of {which.size} cells of its edges, as at"
                    f" {self.grid.place(j, i)}"
                )

    def of(self, at: dict[str, Around], read: Reader) -> State:
        """Returns what is beyond the edges: name -> (levels, points)."""
        found = {}
        for name in self.names:
            if name not in TOWARDS:
                (values,) = read([name], "center", at["center"].needed)
                found[name] = at["center"].tracer(values)
        if TOWARDS[0] in self.names:
            for name, values in zip(TOWARDS, read(TOWARDS, "corner", at["corner"].needed)):
                found[name] = at["corner"].flow(values)
        return found

    def whole(self, sea: Any, read: Reader) -> State:
        """Returns the start of the region: name -> (levels, ny, nx); the flow at corners."""
        grid, depth, found = self.grid, self.grid.levels.middles, {}
        for where in ("center", "corner"):
            x, y = grid.coordinates(where)
            shape = np.shape(x)
            at = Around(sea, where, np.ravel(x), np.ravel(y), depth)
            if where == "center":
                wet = np.ravel(grid.wet_levels) > 0
                if (at.outside & wet).any():
                    n = int(np.flatnonzero(at.outside & wet)[0])
                    raise InputError(
                        f"analysis = 'outer': the region leaves the sea around it, {sea.text}, as"
                        f" at {grid.place(*divmod(n, shape[1]))}"
                    )
                for name in (*self.every_tracer, HEIGHT):
                    (values,) = read([name], where, at.needed)
                    whole = at.tracer(values).reshape(-1, *shape)
                    found[name] = whole[0] if name == HEIGHT else whole
            else:
                there = np.arange(depth.size)[:, None, None] < np.asarray(grid.corner_levels)
                for name, values in zip(TOWARDS, read(TOWARDS, where, at.needed)):
                    found[name] = np.where(there, at.flow(values).reshape(-1, *shape), 0.0)
        return found


class OfGrid:
    """The sea of a model that runs, as `Around` asks for it."""

    def __init__(self, grid: WaterGrid) -> None:
        self.grid = grid
        self.spherical = bool(grid.horizontal.spherical)
        self.periodic = bool(grid.horizontal.periodic)
        self.depth = np.asarray(grid.levels.middles)
        self.text = repr(grid)

    def coordinates(self, where: str) -> tuple[Array, Array]:
        """Returns longitude and latitude [degrees], or x and y [m]."""
        x, y = self.grid.coordinates(where)
        return np.asarray(x, float), np.asarray(y, float)

    def levels(self, where: str) -> Array:
        """Returns how many layers have water."""
        return np.asarray(self.grid.levels_at(where))


class OuterSea(Outer):
    """The states of an ocean that runs at the same time as the region inside it."""

    def __init__(self, wanted: Wanted, simulation: Any, every: float | str | None = None) -> None:
        super().__init__(simulation, every)
        self.wanted = wanted
        self.begun = False  # whether the start of the region was made
        self._at: dict[str, Around] = {}

    def start(self, clock: Any) -> State:
        """Returns the start of the region, once: name -> (levels, ny, nx)."""
        state = self.state(self.number_at(clock))
        whole = {n: state.pop(n) for n in [*state] if n.startswith(beginning)}
        return {name.removeprefix(beginning): values for name, values in whole.items()}

    def continue_from(self, kept: dict[str, Any]) -> None:
        """Forgets all states but one of `kept`; the region has its start."""
        super().continue_from(kept)
        self.begun = True

    def present(self) -> tuple[int, State]:
        """Returns the present state, the first one with the start of the region."""
        number = self._number_now
        if number in self.held and (self.begun or not self.wanted.starts):
            return number, self.held[number]
        return number, self._taken()

    @cached_property
    def sea(self) -> OfGrid:
        """Returns the points of the outer model. InputError: it is no ocean, or lacks a tracer."""
        model = self.simulation.model
        if not isinstance(model.grid, WaterGrid):
            raise InputError(
                f"open_edges outer: a {type(model).__name__} runs there; allowed is an Ocean"
            )
        sea = OfGrid(model.grid)
        if sea.spherical != bool(self.wanted.grid.horizontal.spherical):
            raise InputError(
                f"open_edges outer: {sea.text} and {self.wanted.grid!r}: both on the earth, or both"
                " on a plane"
            )
        there = [*model.prognostic]
        if missing := [name for name in self.wanted.fields if name not in there]:
            raise InputError(
                f"open_edges outer: the sea around has no {' and '.join(missing)}; give"
                f" tracers = {{{missing[0]!r}: ...}} for water that enters"
            )
        return sea

    def _taken(self) -> State:
        """Returns what is beyond the edges, and once the start of the region."""
        self._at = self._at or self.wanted.at_edges(self.sea)
        found = self.wanted.of(self._at, self._read)
        if self.wanted.starts and not self.begun:
            whole = self.wanted.whole(self.sea, self._read)
            found |= {beginning + name: values for name, values in whole.items()}
        self.begun = True
        return found

    def _read(self, fields: Sequence[str], where: str, needed: Array) -> Sequence[Array]:
        """Returns fields at points, on all ranks of the outer model."""
        if tuple(fields) != TOWARDS:
            return [self._of_ranks(name, needed) for name in fields]
        u, v = (self._of_ranks(name, needed) for name in ("velocity_x", "velocity_y"))
        cosine, sine = (np.asarray(part).ravel()[needed] for part in self.sea.grid.turn)
        return u * cosine - v * sine, u * sine + v * cosine

    def _of_ranks(self, name: str, needed: Array) -> Array:
        """Returns a field (levels, points needed), of the blocks of all ranks."""
        s = self.simulation
        levels = 1 if name == HEIGHT else self.sea.depth.size
        rows, points = np.divmod(needed, np.shape(self.sea.grid.wet_levels)[1])
        found = np.array(s.fields.columns(name, rows.tolist(), points.tolist(), levels))
        if s.comm.size > 1:  # each point is of one rank, 0 on the others
            s.comm.Allreduce(mpi.MPI.IN_PLACE, found, mpi.MPI.SUM)
        return found


def alias(field: str) -> set[str]:
    """Returns the names that a field may have in a file."""
    row = known_names.get(field) if known_names.known(field) else None
    return {field} | ({row.alias} if row else set())
