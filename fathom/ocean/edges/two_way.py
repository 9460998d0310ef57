"""A region that gives its state back to the sea around it (two-way nesting), after each interval
`outer_every`, when both stand at the same time:

1. covered cells of the sea around get the means of the region, of tracers by volume, of the height
   by area, of the flow by the volume around corners;
2. cells outside next to the edge get what tracers the region has lost through it in that interval,
   in place of what the sea around has reckoned with (core/ocean/open_edges/nests.hpp).

    sea = TwoWaySea(wanted, simulation, every, region)
    sea.join(); state = sea.given_back(inner); sea.take_back(state)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from fathom.base import mpi
from fathom.base.failure import InputError
from fathom.grids.water import WaterGrid
from fathom.model.component import Array, Field, Renaming
from fathom.model.order import Order
from fathom.model.outer import Every, State
from fathom.model.schemes import Scheme
from fathom.ocean.components.component import OceanComponent, Tendency
from fathom.ocean.components.diffusion import lateral_scale
from fathom.ocean.edges.around import Around
from fathom.ocean.edges.given import HEIGHT, Arrays, At, Beyond, between_records
from fathom.ocean.edges.nest import TWO_WAY, Cells, Nest
from fathom.ocean.edges.outer import OuterSea, Wanted
from fathom.ocean.edges.sides import Cuts

FLOW = "flow through the edge"  # [m3 s-1], out of the region
ADVECTION = ("momentum_advection_x", "momentum_advection_y")  # fields of the sea around [m s-2]
OF_NEST = ("nest_advection_x", "nest_advection_y")
CONTENT, DIFFUSED = "content through the edge of ", "diffusion through the edge of "
VELOCITY = ("velocity_x", "velocity_y")


class TwoWaySea(OuterSea):
    """The sea around a region that gives its state back.

    cuts : the edges of the region.  stretched : whether its layers follow the surface.
    """

    two_way = True  # the state of the region comes back

    def __init__(
        self,
        wanted: Wanted,
        simulation: Any,
        every: float | str | None,
        cuts: Cuts,
        stretched: bool,
    ) -> None:
        super().__init__(wanted, simulation, every)
        self.cuts, self.stretched = cuts, stretched
        self._corners: Around | None = None

    def __str__(self) -> str:
        return f"{super().__str__()}, two-way"

    @cached_property
    def nest(self) -> Nest:
        """Returns how cells of both lie. InputError: the grids do not nest."""
        return Nest(self.sea.grid, self.wanted.grid, self.cuts)

    def join(self) -> None:
        """Lets the sea around know its region, before it is prepared. InputError: they do not
        fit.
        """
        model, own = self.simulation.model, self.wanted.every_tracer
        _ = self.sea  # an ocean with these tracers
        if model.sea_ice is not None:
            raise InputError(f"{TWO_WAY}: the sea around has sea_ice, which no region gives back")
        there = [field.name for field in model.tracer_fields]
        if missing := [name for name in there if name not in own]:
            raise InputError(
                f"{TWO_WAY}: the sea around has {' and '.join(missing)}, and the region has not"
            )
        if bool(model.stretched) != self.stretched:
            told = ("volume" if one else "salt" for one in (self.stretched, model.stretched))
            raise InputError(
                f"{TWO_WAY}: fresh water is {', in the sea around '.join(told)}"
                " (FreeSurface freshwater); both must be the same"
            )
        model.nests.add(self, self.nest)

    def state(self, number: int) -> State:
        """Returns the state of that number. InputError: the clock of both has not handed it
        over.
        """
        if number not in self.held and self.simulation is not None:
            now = self.simulation.seconds / self.every
            if self.simulation.sequence is not None and number > round(now):
                raise InputError(
                    f"{TWO_WAY}: the region steps with the sea around it, by `run`; not alone"
                )
        return super().state(number)

    def forget_now(self) -> None:
        """Forgets the present state, which has changed."""
        self.held.pop(self._number_now, None)

    # ---- forth -----------------------------------------------------------------------------------

    def _taken(self) -> State:
        """Returns what is beyond the edges, and the flow through them in the last interval."""
        outside = self.nest.outside
        found = super()._taken()
        found |= self._advection()
        found[FLOW] = self._summed("volume_from_nest", outside) / self.every
        for name in self.wanted.every_tracer:
            moved = self._summed(f"{name}_diffused_from_nest", outside)
            found[DIFFUSED + name] = moved / self.every
        return found

    def _advection(self) -> State:
        """Returns the advection of momentum at the corners of the region next to its edge."""
        grid = self.wanted.grid
        self._corners = self._corners or self._around_corners()
        if not self.simulation.fields.has(ADVECTION[0]):
            places = len(self._corners.index)
            return {name: np.zeros((grid.shape[0], places)) for name in ADVECTION}
        found = (self._of_ranks(name, self._corners.needed) for name in ADVECTION)
        return {name: self._corners.flow(one) for name, one in zip(ADVECTION, found)}

    def _around_corners(self) -> Around:
        """Returns the corners of the sea around next to those of the region at its edge."""
        grid = self.wanted.grid
        which = self.cuts.corners(grid) > 0
        x, y = (np.asarray(one)[which] for one in grid.coordinates("corner"))
        return Around(self.sea, "corner", x, y, grid.levels.middles)

    def _summed(self, field: str, cells: Cells) -> Array:
        """Returns a field (levels, cells) of the sea around."""
        return columns(self.simulation, field, cells, self.nest.outer.shape[0])

    # ---- back ------------------------------------------------------------------------------------

    def given_back(self, inner: Any) -> State:
        """Returns what the region gives back, on each of its ranks, which call it together."""
        nest, record, nz = self.nest, self.held[self.latest], self.nest.inner.shape[0]
        found, parts = dict[str, Array](), nest.of_parts(record[FLOW])
        out, into = np.maximum(parts, 0.0), np.minimum(parts, 0.0)
        centers, corners = nest.centers, nest.corners
        height = columns(inner, HEIGHT, centers.own, 1)
        volume, around = self._volumes(height[0])
        found[HEIGHT] = centers(height, centers.area)
        for name in self.wanted.every_tracer:
            own = f"{name}_in_time", f"{name}_beyond_in_time"
            here, beyond = (columns(inner, one, nest.edge, nz)[:, nest.cell] for one in own)
            found[CONTENT + name] = nest.on_faces(out * here + into * beyond)
            found[name] = centers(columns(inner, name, centers.own, nz), volume)
            for one in own:
                clear(inner, one, nest.edge, nz)
        for name in VELOCITY:
            found[name] = corners(columns(inner, name, corners.own, nz), around)
        return found

    def _volumes(self, height: Array) -> tuple[Array, Array]:
        """Returns the volumes of the region's cells, and of those around corners (at rest)."""
        centers, corners = self.nest.centers, self.nest.corners
        h = deep(centers.thickness, height, centers.depth, self.stretched)
        return centers.area * h, corners.area * corners.thickness

    def take_back(self, state: State) -> None:
        """Puts what the region gives back into the sea around, on each of its ranks."""
        s, nest, nz = self.simulation, self.nest, self.nest.outer.shape[0]
        volume = self._volumes_outside()
        for name in self.wanted.every_tracer:
            moved = f"{name}_from_nest"
            gain = state[CONTENT + name] - columns(s, moved, nest.outside, nz)
            change(s, name, nest.outside, np.where(volume > 0, gain, 0.0) / np.maximum(volume, 1.0))
            replace(s, name, nest.centers.cells, state[name])
            for one in (moved, f"{name}_diffused_from_nest"):
                clear(s, one, nest.outside, nz)
        for name in VELOCITY:
            replace(s, name, nest.corners.cells, state[name])
        replace(s, HEIGHT, nest.centers.cells, state[HEIGHT])
        clear(s, "volume_from_nest", nest.outside, nz)
        s.changed = True  # halos are those of before

    def _volumes_outside(self) -> Array:
        """Returns the volumes of the cells next to the edge, (levels, cells)."""
        grid, cells = self.nest.outer, self.nest.outside
        height = columns(self.simulation, HEIGHT, cells, 1)[0]
        at = cells.rows, cells.points
        levels, nz = np.asarray(grid.wet_levels)[at], grid.shape[0]
        h = np.array([np.asarray(grid.thickness(k))[at] * (k < levels) for k in range(nz)])
        h = deep(h, height, np.asarray(grid.depth())[at], self.stretched)
        return np.asarray(h * np.asarray(grid.areas[0], float)[at])


def deep(at_rest: Array, height: Array, depth: Array, stretched: bool) -> Array:
    """Returns the thickness of cells (levels, cells) under a surface of that height."""
    if stretched:
        return np.asarray(at_rest * (1 + height / np.where(depth > 0, depth, 1.0)))
    found = at_rest.copy()
    found[0] = np.where(found[0] > 0, found[0] + height, 0.0)
    return found


# ---- fields of a simulation ----------------------------------------------------------------------


def columns(simulation: Any, field: str, cells: Cells, levels: int) -> Array:
    """Returns a field (levels, cells), on all ranks of the simulation, which call it together."""
    s = simulation
    found = np.array(s.fields.columns(field, cells.rows.tolist(), cells.points.tolist(), levels))
    if s.comm.size > 1:  # each cell is of one rank, 0 on the others
        s.comm.Allreduce(mpi.MPI.IN_PLACE, found, mpi.MPI.SUM)
    return found


def put(simulation: Any, field: str, cells: Cells, values: Array) -> None:
    """Puts values (levels, cells) into a field."""
    rows, points = cells.rows.tolist(), cells.points.tolist()
    simulation.fields.put_columns(field, rows, points, np.ascontiguousarray(values, float))


def clear(simulation: Any, field: str, cells: Cells, levels: int) -> None:
    """Puts 0 into a field."""
    put(simulation, field, cells, np.zeros((levels, cells.flat.size)))


def change(simulation: Any, name: str, cells: Cells, by: Array) -> None:
    """Adds to a field, and to its values one step earlier."""
    for field in filter(simulation.fields.has, (name, f"{name}_before")):
        own = simulation.fields.columns(field, cells.rows.tolist(), cells.points.tolist(), len(by))
        put(simulation, field, cells, np.asarray(own) + by)


def replace(simulation: Any, name: str, cells: Cells, values: Array) -> None:
    """Puts values that are numbers into a field; its values one step earlier change by as much."""
    rows, points = cells.rows.tolist(), cells.points.tolist()
    own = np.asarray(simulation.fields.columns(name, rows, points, len(values)))
    known = ~np.isnan(values)
    if simulation.fields.has(before := f"{name}_before"):
        earlier = np.asarray(simulation.fields.columns(before, rows, points, len(values)))
        put(simulation, before, cells, np.where(known, earlier + (values - own), earlier))
    put(simulation, name, cells, np.where(known, values, own))


# ---- the step of the region ----------------------------------------------------------------------


class InInterval:
    """Times of what holds for the whole interval that ends with a record."""

    def __init__(self, axis: Every) -> None:
        self.axis = axis

    def bracket(self, clock: Any, seconds: float) -> tuple[int, int, float, float]:
        """Returns the number of the record at the end, twice, and the times around it [s]."""
        _, after, first, last = self.axis.bracket(clock, seconds)
        return after, after, first, last

    def coverage(self, clock: Any) -> tuple[float, float]:
        """Returns the times of all records [s]."""
        return self.axis.coverage(clock)

    def date(self, number: int) -> str:
        """Returns the date of a record."""
        return self.axis.date(number)


class Flows(Beyond):
    """The flow through the edges, which is that of the sea around in the same interval."""

    @property
    def axis(self) -> Any:
        """Returns the times of its records."""
        return InInterval(self.outer.axis)


class FlowsAtCorners(Flows):
    """The same of what is given at the corners next to the edges."""

    def interpolate(self, do: Order, used: str) -> None:
        """Adds the processes that make fields from their records."""
        between_records(do, self.fields, f"{used}_corner", "corner")


class NestOutside:
    """What the sea around gives to a region that gives its state back, in the fields that its step
    reads; the twin of `Outside` (fathom/ocean/edges/given.py).
    """

    def __init__(self, grid: WaterGrid, cuts: Cuts, outer: TwoWaySea, names: list[str]) -> None:
        at = At(grid, cuts.cells)

        def tracer(values: Arrays) -> dict[str, Array]:
            return {f"{name}_at_open_edge": array for name, array in values.items()}

        def flow(values: Arrays) -> dict[str, Array]:
            nest = outer.nest
            parts = nest.of_parts(values[FLOW])
            return {
                "nest_leaves": nest.on_edge(np.maximum(parts, 0.0)),
                "nest_enters": nest.on_edge(np.minimum(parts, 0.0)),
            }

        def diffused(values: Arrays) -> dict[str, Array]:
            nest = outer.nest
            return {
                f"{name.removeprefix(DIFFUSED)}_diffused": nest.on_edge(
                    nest.share * array[:, nest.of]
                )
                for name, array in values.items()
            }

        given = [((name,), tracer, (f"{name}_at_open_edge",)) for name in names]
        moved = [((DIFFUSED + name,), diffused, (f"{name}_diffused",)) for name in names]
        both = ("nest_leaves", "nest_enters")
        self.values: list[Any] = [
            Beyond(at, outer, given),
            Flows(at, outer, [((FLOW,), flow, both), *moved]),
        ]
        corners = At(grid, cuts.corners(grid), "corner")
        self.advection = FlowsAtCorners(
            corners,
            outer,
            [(ADVECTION, lambda values: dict(zip(OF_NEST, values.values())), OF_NEST)],
        )


# ---- the step of the sea around ------------------------------------------------------------------


class NestsInside(OceanComponent):
    """The part of a step that the sea around regions has: what it reckons that it gets from them.

    Parameters
    ----------
    grid : of water.
    diffusion : of tracers along layers; LaplacianDiffusion goes on at the edge of a region, all
        other lateral mixing sees a wall there.
    """

    def __init__(self, grid: WaterGrid, diffusion: Scheme | None) -> None:
        self.grid = grid
        self.diffusivity = 0.0
        if diffusion is not None and diffusion.name == "LaplacianDiffusion":
            self.diffusivity = float(diffusion.all_parameters["diffusivity"])
        self.inside: dict[int, tuple[Any, Nest]] = {}

    def add(self, of: Any, nest: Nest) -> None:
        """Adds a region. InputError: it touches another one."""
        others = [one for key, (_, one) in self.inside.items() if key != id(of)]
        for other in others:
            taken = {*other.outside.flat.tolist(), *other.centers.cells.flat.tolist()}
            if taken & {*nest.outside.flat.tolist(), *nest.centers.cells.flat.tolist()}:
                raise InputError(f"{TWO_WAY}: two regions touch each other or overlap")
        self.inside[id(of)] = of, nest

    def fixed_fields(self) -> Mapping[str, Any]:
        """Returns where edges are, without lateral mixing there but for what is `conductance`."""
        if not self.inside:
            return {}
        h = self.grid.horizontal
        east_length, north_length = (
            np.array(getattr(h, f"length_{which}_face"), float) for which in ("east", "north")
        )
        lengths = {"east": east_length, "north": north_length}
        distance = {"east": h.dx_east_face, "north": h.dy_north_face}
        scale = lateral_scale(self.grid, "center", False)
        side, conductance = np.zeros(scale.shape), np.zeros(scale.shape)
        for _, nest in self.inside.values():
            a, b = ((c.rows, c.points) for c in (nest.outside, nest.inside))
            for n, code in enumerate(nest.side):
                out, in_ = ((int(one[0][n]), int(one[1][n])) for one in (a, b))
                which = "east" if code < 2.5 else "north"
                face = out if code in (1.0, 3.0) else in_
                per = lengths[which][face] / float(np.asarray(distance[which])[face])
                conductance[out] = 0.5 * self.diffusivity * (scale[out] + scale[in_]) * per
            own, east, north = nest.fields()
            side = np.maximum(side, own)
            lengths["east"][east], lengths["north"][north] = 0.0, 0.0
        return {
            "nest_side": side,
            "nest_conductance": conductance,
            "mixing_length_east_face": east_length,
            "mixing_length_north_face": north_length,
        }

    def renamings(self) -> Iterable[Renaming]:
        """Returns the lengths of faces for the lateral mixing of tracers."""
        for name in ("length_east_face", "length_north_face") if self.inside else ():
            yield Renaming(name, f"mixing_{name}", phases=("transport", "slopes", "tracers"))

    def sums(self, tracers: Iterable[Field]) -> set[str]:
        """Returns the names of fields that are sums in an interval, 0 at its start."""
        parts = ("from_nest", "diffused_from_nest")
        return {"volume_from_nest", *(one.part(part) for one in tracers for part in parts)}

    def processes(self, phase: str, do: Order) -> None:
        """Takes the flow through edges out of transports, and puts it back."""
        if phase == "transport" and self.inside:
            do("CloseNestFaces")
        if phase == "budgets" and self.inside:
            do("OpenNestFaces")

    def add_to(self, tracer: Field, add: Tendency) -> None:
        """Adds what a tracer gets from regions."""
        add("ContentFromNest", term="nests", when=bool(self.inside))
