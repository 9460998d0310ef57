"""Passive tracers: they are carried like temperature and change nothing else. A tracer is a
declaration, like a scheme: its name, its sources, and the fields and tables in time that these
need; advection, mixing, budgets, output and restarts follow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base.clock import Clock
from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.grids.arguments import number_of
from fathom.grids.water import WaterGrid
from fathom.model.component import Array, Field, Table
from fathom.model.order import Order
from fathom.model.schemes import Scheme, scheme
from fathom.ocean.components.component import OceanComponent, Tendency
from fathom.ocean.region import Region, share_of_columns, share_of_layers

if TYPE_CHECKING:
    from fathom.ocean.surface.forcing import Surface


class PassiveTracer(Configurable):
    """A tracer without sources: only its initial state is carried.

    Parameters
    ----------
    name : str, small letters, digits and underscores; its name in fields, `set` and output.
    units : str.
    """

    def __init__(self, name: str = "passive_tracer", units: str = "1") -> None:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", str(name)):
            raise InputError(
                f"the name of a tracer, {name!r}, must be of small letters, digits and underscores,"
                " as in 'gulf_stream'"
            )
        self.name, self.units = name, units

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def field(self) -> Field:
        """Returns its field."""
        return Field(self.name, self.units)

    def sources(self) -> Mapping[str, Scheme]:
        """Returns the schemes that add to its tendency, by their terms in the budget."""
        return {}

    def fluxes(self, surface: Surface) -> Sequence[Scheme]:
        """Returns the schemes that make its flux through the surface, {name}_surface_flux [units m
        s-1].
        """
        return []

    def holding(self) -> Scheme | None:
        """Returns the scheme that holds it at a value after its update; None: none."""
        return None

    def at_start(self, grid: WaterGrid, clock: Clock) -> Any:
        """Returns its initial value where the user sets nothing, as for `set`; None: 0."""
        return None

    def fields(self, grid: WaterGrid) -> Mapping[str, Array]:
        """Returns fields that never change, name -> (ny, nx)."""
        return {}

    def tables(self, grid: WaterGrid, clock: Clock) -> Mapping[str, Table]:
        """Returns profiles that follow a table: name -> (times [s], rows, whether it is
        interpolated between them).
        """
        return {}


class IdealAge(PassiveTracer):
    """Time since water was at the surface [s] (England 1995, J. Phys. Oceanogr. 25): grows by a
    second a second, and is set to 0 in the top layer.
    """

    def __init__(self, name: str = "ideal_age") -> None:
        super().__init__(name, "s")

    def sources(self) -> Mapping[str, Scheme]:
        """Returns its growth."""
        return {"ageing": scheme("Ageing")}


class Dye(PassiveTracer):
    """A dye of a region, kept there at a value, released there at a rate, or there at the start.

    Parameters
    ----------
    name : as of a PassiveTracer.
    region : None: everywhere; a box ((west, east), (south, north)), a polygon [(longitude,
        latitude), ...] in degrees (metres on a plane), a map (ny, nx) or a
        function of these coordinates, 1 inside and 0 outside.
    depth : (top, bottom) [m]; None: the top layer, or all depths of a dye that has an initial
        value alone.
    kept : value that it has there after each step, in columns and layers of which half or more
        are inside.
    released : rate [s-1] of its growth there. The total is this rate times the volume times the
        time.
    initial : value there at the start; elsewhere 0.
    start, end : dates between which it is kept or released, as "2001-01-01"; None: always.
    `kept` and `released` exclude each other. Without `kept`, `released` and `initial` it is kept
    at 1.
    """

    def __init__(
        self,
        name: str = "dye",
        region: Region | None = None,
        *,
        depth: tuple[float, float] | None = None,
        kept: float | None = None,
        released: float | None = None,
        initial: float | None = None,
        start: str | None = None,
        end: str | None = None,
        units: str = "1",
    ) -> None:
        super().__init__(name, units)
        given = {
            key: value if value is None else number_of(f"{name}: {key}", value, "units of the dye")
            for key, value in (("kept", kept), ("released", released), ("initial", initial))
        }
        if kept is not None and released is not None:
            raise InputError(
                f"the dye '{name}' is both kept at {kept} and released at {released} a second; give"
                " one of them, and another dye the other"
            )
        self.region, self.depth, self.start, self.end = region, depth, start, end
        self.kept = 1.0 if all(value is None for value in given.values()) else given["kept"]
        self.released, self.initial = given["released"], given["initial"]

    def sources(self) -> Mapping[str, Scheme]:
        """Returns its release."""
        return {} if self.released is None else {"release": scheme("Release", rate=self.released)}

    def holding(self) -> Scheme | None:
        """Returns the scheme that keeps it at its value."""
        return None if self.kept is None else scheme("Keep", value=self.kept)

    def at_start(self, grid: WaterGrid, clock: Clock) -> Callable[..., Any] | None:
        """Returns a function of x, y and depth: its value in the region."""
        value: float | None = self.initial
        layers: Any = self._layers(grid)
        if value is None:  # the fixed value, if it is fixed now
            times, rows, _ = self.tables(grid, clock)[f"{self.name}_layers"]
            value, layers = (
                self.kept,
                next(row for time, row in zip(times[::-1], rows[::-1]) if time <= 0),
            )
        if value is None:
            return None
        columns, inside = self._columns(grid), dict(zip(grid.levels.middles, layers))
        return lambda x, y, depth: value * inside[depth] * columns

    def fields(self, grid: WaterGrid) -> Mapping[str, Array]:
        """Returns the share of each column in the region."""
        columns = self._columns(grid)
        if not (np.asarray(grid.wet_levels)[columns > 0] > np.argmax(self._layers(grid) > 0)).any():
            raise InputError(
                f"{self.name}: depth = {self.depth!r} lies below the sea floor everywhere in its"
                " region"
            )
        return {self.field.part("region"): columns}

    def tables(self, grid: WaterGrid, clock: Clock) -> Mapping[str, Table]:
        """Returns the share of each layer in the region, 0 at times when it is not there."""
        there = self._layers(grid).tolist()
        nothing, rows = [0.0] * len(there), {-np.inf: there}
        if self.start is not None:
            rows = {-np.inf: nothing, self._seconds(clock, "start", self.start): there}
        if self.end is not None:
            end = self._seconds(clock, "end", self.end)
            if end <= max(rows):
                raise InputError(
                    f"{self.name}: start = {self.start!r} must be before end = {self.end!r}"
                )
            rows[end] = nothing
        return {self.field.part("layers"): (list(rows), list(rows.values()), False)}

    def _seconds(self, clock: Clock, what: str, date: str) -> float:
        """Returns the time of a date since the start of the run [s]."""
        return float(clock.seconds(clock.date_of(date, f"{self.name}: {what}")))

    def _columns(self, grid: WaterGrid) -> Array:
        """Returns the share of each column, (ny, nx)."""
        share = share_of_columns(grid, self.region, f"{self.name}: region")
        return self._shares(share, "region", self.region)

    def _layers(self, grid: WaterGrid) -> Array:
        """Returns the share of each layer, (nz)."""
        if self.depth is None and self.kept is None and self.released is None:
            return np.ones(len(grid.levels.middles))
        share = share_of_layers(grid, self.depth, f"{self.name}: depth")
        return self._shares(share, "depth", self.depth)

    def _shares(self, share: Array, what: str, given: Any) -> Array:
        """Returns parts of cells in the region; whole ones where it is kept at a value."""
        if self.kept is not None and not (share >= 0.5).any():
            raise InputError(f"{self.name}: {what} = {given!r}: no cell is at least half inside")
        return share if self.kept is None else np.where(share >= 0.5, 1.0, 0.0)


class PassiveTracers(OceanComponent):
    """The passive tracers of an ocean: their sources, and what these need.

    Parameters
    ----------
    grid : of water.
    tracers : of the user.
    """

    def __init__(self, grid: WaterGrid, tracers: Sequence[PassiveTracer]) -> None:
        self.grid = grid
        self.by_name = {tracer.name: tracer for tracer in tracers}

    def fixed_fields(self) -> Mapping[str, Any]:
        """Returns what their sources need."""
        parts = [tracer.fields(self.grid) for tracer in self.by_name.values()]
        return {name: values for part in parts for name, values in part.items()}

    def tables(self, clock: Clock) -> Mapping[str, Table]:
        """Returns what their sources need in time."""
        parts = [tracer.tables(self.grid, clock) for tracer in self.by_name.values()]
        return {name: table for part in parts for name, table in part.items()}

    def at_start(self, clock: Clock) -> dict[str, Any]:
        """Returns initial values that are not 0, where the user sets nothing."""
        found = {name: one.at_start(self.grid, clock) for name, one in self.by_name.items()}
        return {name: value for name, value in found.items() if value is not None}

    def add_to(self, tracer: Field, add: Tendency) -> None:
        """Adds the sources of a tracer."""
        if tracer.name in self.by_name:
            for term, what in self.by_name[tracer.name].sources().items():
                add(what, term=term)

    def holding(self, tracer: Field) -> Scheme | None:
        """Returns the scheme that holds a tracer at a value after its update; None: none."""
        own = self.by_name.get(tracer.name)
        return own.holding() if own else None


class FluxesOfTracers(OceanComponent):
    """Fluxes of passive tracers through the surface.

    Parameters
    ----------
    tracers : of the user.
    surface : the forcing, whose wind gas exchange needs.
    """

    def __init__(self, tracers: Iterable[PassiveTracer], surface: Surface) -> None:
        self.tracers, self.surface = tracers, surface

    def processes(self, phase: str, do: Order) -> None:
        """Adds what makes the fluxes."""
        if phase == "gas exchange":
            for tracer in self.tracers:
                for what in tracer.fluxes(self.surface):
                    label = f"{what.name} of {tracer.name}"
                    do(what, roles={"tracer": tracer.field}, label=label)
