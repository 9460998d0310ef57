"""Open edges of an ocean: the user's OpenEdges, and the component with their part of a step
(core/ocean/open_edges/open_edges.hpp, docs/regional.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fathom.base.clock import Clock, seconds_of
from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.base.near import near, unknown
from fathom.grids.arguments import integer, number_of, yes_or_no
from fathom.grids.water import WaterGrid
from fathom.model.component import Field, Given, Wave
from fathom.model.order import Order
from fathom.model.schemes import scheme
from fathom.ocean.components.component import OceanComponent, Tendency
from fathom.ocean.edges.given import ALONG_GRID, HEIGHT, TOWARDS, Outside, values_of
from fathom.ocean.edges.outer import OuterSea, Wanted
from fathom.ocean.edges.sides import Cuts, OpenEdge, listed
from fathom.ocean.edges.stored import sea_around
from fathom.ocean.edges.tides import BoundaryTides, TidesAtEdges, boundary_tides
from fathom.ocean.edges.two_way import NestOutside, TwoWaySea

NESTING = ("one-way", "two-way")


class OpenEdges(Configurable):
    """Edges of the grid where the sea goes on, and what is beyond them.

    The sea around is an ocean that runs or has run (`outer`), or values. These are numbers, arrays,
    functions and data sets as for `Ocean.set`, which stay; or files and Records with times (time,
    depth, latitude, longitude), which are linear between two.

    Parameters
    ----------
    sides : "west", "east", "south", "north", OpenEdge(side, between), a list of these, or "all".
    data : a file, folder or Records with all that no other argument gives, by their CF names.
    temperature, salinity : of water that enters [degC, 1e-3]. They must be given, here or by data.
    outer : the sea around, which gives all that no other argument gives: the store of an ocean's
        output, the folder of its run, a Simulation of an Ocean, its name in Programs, or its file
        ("globe.toml").
    outer_every : how often a state of one that runs is taken; by default each of its steps.
    nesting : "one-way" (default); or "two-way": an `outer` that runs gets the state of the region
        back as often, and fluxes through the edges are those of both, so that volume, heat, salt
        and tracers are kept. The edges must lie on faces of its cells, its levels be the same.
    sea_surface_height : [m], default 0.
    velocity_x, velocity_y : along the axes of the grid; or eastward_velocity, northward_velocity
        [m s-1], default 0.
    tracers : name -> value of every further tracer.
    tides : BoundaryTides, or the files of its data; None (default): none.
    inflow_time, outflow_time : in which tracers, and the flow less its mean over the column, are
        drawn to the given values where water or waves enter, and where they leave (Marchesiello et
        al. 2001).
    sponge : factor of lateral friction and diffusion at the edges, default 1; it falls to 1 within
        sponge_cells.
    sponge_cells : width of the sponge, default 10.
    balanced : whether the same speed is added to the given flow through all edges, so that it keeps
        the volume of the sea.
    """

    mappings = ("tracers",)
    experiments = ("outer",)  # arguments that may be files of experiments, which then run with it

    def __init__(
        self,
        sides: str | OpenEdge | Sequence[str | OpenEdge],
        data: Any = None,
        *,
        outer: Any = None,
        outer_every: str | float | None = None,
        nesting: str = "one-way",
        temperature: Given | None = None,
        salinity: Given | None = None,
        sea_surface_height: Given | None = None,
        velocity_x: Given | None = None,
        velocity_y: Given | None = None,
        eastward_velocity: Given | None = None,
        northward_velocity: Given | None = None,
        tracers: Mapping[str, Given] | None = None,
        tides: BoundaryTides | str | Path | None = None,
        inflow_time: str | float = "1d",
        outflow_time: str | float = "360d",
        sponge: float = 1.0,
        sponge_cells: int = 10,
        balanced: bool = False,
    ) -> None:
        self.edges = listed(sides)
        self.data, self.outer, self.outer_every = data, outer, outer_every
        if data is not None and outer is not None:
            raise InputError("OpenEdges has data and outer: the sea around is one of them")
        if nesting not in NESTING:
            raise InputError(
                f"OpenEdges nesting = {nesting!r}{near(str(nesting), NESTING) or ';'} allowed:"
                f" {', '.join(NESTING)}"
            )
        self.two_way = nesting == "two-way"
        self.own = {
            "temperature": temperature,
            "salinity": salinity,
            HEIGHT: sea_surface_height,
            "velocity_x": velocity_x,
            "velocity_y": velocity_y,
            "eastward_velocity": eastward_velocity,
            "northward_velocity": northward_velocity,
            **(tracers or {}),
        }
        self.tides = boundary_tides(tides)
        self.inflow_time = _time("inflow_time", inflow_time)
        self.outflow_time = _time("outflow_time", outflow_time)
        self.balanced = yes_or_no("OpenEdges balanced", balanced)
        self.sponge = float(number_of("OpenEdges sponge", sponge, "1"))
        self.sponge_cells = integer("OpenEdges sponge_cells", sponge_cells)
        if not (1 <= self.sponge <= 1000 and 1 <= self.sponge_cells):
            raise InputError(
                f"OpenEdges sponge = {sponge!r}, sponge_cells = {sponge_cells!r}; allowed: a factor"
                " from 1 to 1000, and a width of 1 or more"
            )

        if self.two_way:
            self._check_two_way()

    def _check_two_way(self) -> None:
        """Checks what goes with nesting = "two-way". InputError: something else is given."""
        given = [name for name, value in self.own.items() if value is not None]
        given += [name for name in ("tides", "balanced") if getattr(self, name)]
        given += [f"flow = {one.flow!r} of {one!r}" for one in self.edges if one.flow != "radiated"]
        if self.outer is None or given:
            also = f"; given {', '.join(given)}" if given else ""
            raise InputError(
                'OpenEdges nesting = "two-way" is for an outer that runs at the same time and gives'
                f" all{also}"
            )

    def __repr__(self) -> str:
        return f"OpenEdges({', '.join(one.side for one in self.edges)})"


def _time(name: str, given: str | float) -> float:
    """Returns seconds. InputError: it is none, or below a second."""
    seconds = seconds_of(given, f"OpenEdges {name}")
    if not seconds >= 1:
        raise InputError(f"OpenEdges {name} = {given!r} must be a second or more")
    return float(seconds)


class Edges(OceanComponent):
    """The part of a step that open edges have.

    Parameters
    ----------
    grid : with the cells at its edges cut, where: `cuts`.
    given : what is beyond.
    tracers : all that the sea has.
    advection : the name of the process that advects momentum; None: none does.
    friction : whether momentum has lateral friction.
    stretched : whether layers follow the surface.
    """

    def __init__(
        self,
        grid: WaterGrid,
        cuts: Cuts,
        given: OpenEdges,
        tracers: Sequence[Field],
        advection: str | None,
        friction: bool,
        stretched: bool = False,
    ) -> None:
        self.grid, self.cuts, self.given = grid, cuts, given
        self.advection, self.friction, self.stretched = advection, friction, stretched
        names = [tracer.name for tracer in tracers]
        values = self._values(names)
        around = self.outer
        self.nested = (
            NestOutside(grid, cuts, around, names) if isinstance(around, TwoWaySea) else None
        )
        self.outside = self.nested or Outside(
            grid, cuts, values, given.balanced, self.outer, given.tides is not None
        )
        self.tides = None if given.tides is None else TidesAtEdges(grid, cuts, given.tides)
        if self.tides is not None:
            self.tides.check(given.edges)
        self.times = {"inflow_time": given.inflow_time, "outflow_time": given.outflow_time}

    def _values(self, names: Sequence[str]) -> Mapping[str, Any]:
        """Returns what is given by field, and finds the sea around. InputError: a tracer is not
        known, or has no value.
        """
        given, wanted = self.given, (*names, HEIGHT, *TOWARDS)
        known = (*wanted, *ALONG_GRID)
        if strange := [name for name in given.own if name not in known]:
            raise InputError(unknown("tracer at open edges", strange[0], names))
        values = values_of(given.data, wanted, given.own)
        self.outer = None if given.outer is None else self._around(names, values)
        if missing := [n for n in names if n not in values and self.outer is None]:
            where = f"tracers = {{{missing[0]!r}: ...}}" if missing[0] in names[2:] else missing[0]
            raise InputError(
                f"{given!r} has no value of {' and '.join(missing)} for water that enters; give"
                f" {where}, or data that have it"
            )
        return values

    outer: Any = None  # the sea around

    def _around(self, names: Sequence[str], values: Mapping[str, Any]) -> Any:
        """Returns the sea around, which gives what `values` lack."""
        if self.given.two_way:
            wanted = Wanted(self.grid, self.cuts.cells, names, names)
            found = sea_around(wanted, self.given.outer, self.given.outer_every)
            if not isinstance(found, OuterSea):
                raise InputError(
                    f'OpenEdges nesting = "two-way" is for an outer that runs at the same time;'
                    f" {self.given.outer!r} has run before"
                )
            simulation = found.name if found.simulation is None else found.simulation
            every = self.given.outer_every
            return TwoWaySea(wanted, simulation, every, self.cuts, self.stretched)
        taken = [name for name in (*names, HEIGHT) if name not in values]
        if not {*TOWARDS, *ALONG_GRID} & {*values}:
            taken += TOWARDS
        return sea_around(
            Wanted(self.grid, self.cuts.cells, taken, names),
            self.given.outer,
            self.given.outer_every,
        )

    def fixed_fields(self) -> Mapping[str, Any]:
        """Returns where the edges are, and what is given for ever."""
        cuts = self.cuts
        where = {
            "open_edge": cuts.cells,
            "open_edge_corner": cuts.corners(self.grid),
            "open_edge_length_x": cuts.length_x,
            "open_edge_length_y": cuts.length_y,
            "open_edge_radiation": cuts.radiation,
        }
        tides = {} if self.tides is None else self.tides.fields
        given = [one.constant() for one in self.outside.values]
        return where | tides | {name: array for one in given for name, array in one.items()}

    def waves_in_time(self, clock: Clock) -> Mapping[str, Wave]:
        """Returns the waves of the tides."""
        return {} if self.tides is None else self.tides.waves(clock)

    def diagnostics(self) -> Iterable[str]:
        """Returns the flow through the edges, which stays readable between steps."""
        return ["open_edge_outflow"]

    def records(self) -> Iterable[Any]:
        """Returns what is given in time."""
        own = [one.in_time for one in self.outside.values if one.in_time is not None]
        return [*own, *([self.nested.advection] if self.nested and self.advection else [])]

    def processes(self, phase: str, do: Order) -> None:
        """Adds the flow through the edges; momentum next to them is without lateral friction."""
        if phase == "viscosity" and self.nested and self.advection:
            self.nested.advection.interpolate(do, "open_edge")
        if phase == "momentum":
            do("EdgeKeepsTendency", when=self.friction)
        if phase == "friction":
            do("EdgeWithoutFriction", when=self.friction)
        if phase == "divergence":
            for values in self.outside.values:
                values.interpolate(do, "open_edge")
            if self.tides is not None:
                self.tides.add(do)
            do("NestConvergence" if self.given.two_way else "EdgeConvergence")
        if phase == "transport":
            do("NestTransport", when=self.given.two_way)
            do(scheme("EdgeTransport", **self.times), when=not self.given.two_way)

    def add_to(self, tracer: Field, add: Tendency) -> None:
        """Adds what a tracer loses and gains through the edges."""
        inside = scheme("EdgeContent", **self.times)
        add("NestContent" if self.given.two_way else inside, term="open_edges")

    def sums(self, tracers: Iterable[Field]) -> set[str]:
        """Returns the names of fields that are sums in an interval, 0 at its start."""
        parts = ("in_time", "beyond_in_time") if self.given.two_way else ()
        return {one.part(part) for one in tracers for part in parts}

    def complete(self, do: Order) -> None:
        """Leaves momentum at the corners next to the edges without advection of its own."""
        if self.advection is not None:
            what = "NestAdvection" if self.nested else "EdgeWithoutAdvection"
            do.insert(do.kinds.index(self.advection) + 1, what)
