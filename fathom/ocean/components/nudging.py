"""Tracers and flow that are drawn to given values in a part of the sea."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from fathom.base.clock import seconds_of
from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.base.near import near_or_all
from fathom.grids.arguments import integer
from fathom.grids.water import WaterGrid
from fathom.model.component import Array, Field, Given
from fathom.model.order import Order
from fathom.ocean.components.component import OceanComponent, Tendency
from fathom.ocean.edges.given import ALONG_GRID, TOWARDS, At, InTime, Values
from fathom.ocean.edges.sides import Cuts
from fathom.ocean.region import Region, share_of_columns, share_of_layers


class Nudging(Configurable):
    """Draws a tracer, or the flow, to given values: dT/dt = (T_given - T) / time.

    Parameters
    ----------
    field : a tracer, or "velocity".
    to : values as for `Ocean.set`, or files and Records in time; of "velocity" those of both
        components, {"eastward_velocity": ..., "northward_velocity": ...} or velocity_x, velocity_y,
        or a file that has both.
    time : as "30d".
    region : a box ((west, east), (south, north)), a polygon, a map (ny, nx) or a function of the
        coordinates, 1 where it is drawn fully and 0 where not at all; None: everywhere.
    depth : (top, bottom) [m]; None: all depths.
    edges : cells from an open edge over which the rate falls from all to nothing; None: whatever
        the distance.
    """

    def __init__(
        self,
        field: str,
        to: Given | Mapping[str, Given],
        time: str | float,
        *,
        region: Region | None = None,
        depth: Sequence[float] | None = None,
        edges: int | None = None,
    ) -> None:
        self.field, self.to, self.region, self.depth = field, to, region, depth
        self.seconds = float(seconds_of(time, f"Nudging of {field}: time"))
        if not self.seconds > 0:
            raise InputError(f"Nudging of {field}: time = {time!r} must be longer than 0")
        self.edges = None if edges is None else integer(f"Nudging of {field}: edges", edges)
        if self.edges is not None and self.edges < 1:
            raise InputError(f"Nudging of {field}: edges = {edges} must be 1 or more")

    def __repr__(self) -> str:
        return f"Nudging({self.field!r})"

    @property
    def where(self) -> str:
        """Returns "corner" of the flow, else "center"."""
        return "corner" if self.field == "velocity" else "center"

    def values(self) -> dict[str, Any]:
        """Returns the values by field. InputError: those of the flow are not both there."""
        if self.field != "velocity":
            return {self.field: self.to}
        if not isinstance(self.to, Mapping):
            return dict.fromkeys(TOWARDS, self.to)
        if {*self.to} not in ({*ALONG_GRID}, {*TOWARDS}):
            raise InputError(
                f"Nudging of velocity to {', '.join(self.to)}; wanted: {' and '.join(TOWARDS)}, or"
                f" {' and '.join(ALONG_GRID)}"
            )
        return dict(self.to)


class Drawn:
    """One of an ocean's nudgings, on its grid.

    number : among all; it is in the names of its fields.
    """

    def __init__(self, grid: WaterGrid, given: Nudging, number: int, cuts: Cuts | None) -> None:
        self.given, name = given, f"Nudging of {given.field}"
        share = share_of_columns(grid, given.region, f"{name}: region")
        if given.edges is not None:
            if cuts is None:
                raise InputError(f"{name}: edges = {given.edges}, and the sea has no open edge")
            share = share * cuts.zone(given.edges)
        if given.where == "corner":
            share = _at_corners(grid, share)
        self.rate, self.rate_name = share / given.seconds, f"nudging_rate_{number}"
        layers = (0.0, float(np.sum(grid.levels.weights))) if given.depth is None else given.depth
        self.layers = share_of_layers(grid, layers, f"{name}: depth")
        self.layers_name = f"nudging_layers_{number}"
        fields = ALONG_GRID if given.where == "corner" else (given.field,)
        self.targets = {field: f"{field}_nudged_to_{number}" for field in fields}
        at = At(grid, self.rate, given.where)
        values = given.values()
        turned = lambda found: dict(zip(self.targets.values(), at.along_grid(found).values()))
        self.to = Values(at, values, [*values], turned, [*self.targets.values()])

    @property
    def names(self) -> dict[str, str]:
        """Returns the names of its fields, by those of the schemes."""
        return {"nudging_rate": self.rate_name, "nudging_layers": self.layers_name}


def _at_corners(grid: WaterGrid, share: Array) -> Array:
    """Returns the least share of the cells round each wet corner."""
    east = np.roll(share, -1, 1) if grid.horizontal.periodic else np.pad(share, ((0, 0), (0, 1)))
    east = east[:, -share.shape[1] :] if grid.horizontal.periodic else east[:, 1:]
    both = np.minimum(share, east)
    north = np.pad(both, ((0, 1), (0, 0)))[1:]
    return np.where(grid.levels_at("corner") > 0, np.minimum(both, north), 0.0)


class AllNudging(OceanComponent):
    """The nudging of tracers and of the flow.

    Parameters
    ----------
    grid : of water.
    given : at least one.
    tracers : all that the sea has.
    cuts : its open edges; None: it has none.
    """

    def __init__(
        self,
        grid: WaterGrid,
        given: Iterable[Nudging],
        tracers: Sequence[Field],
        cuts: Cuts | None,
    ) -> None:
        names = [*(tracer.name for tracer in tracers), "velocity"]
        for one in given:
            if one.field not in names:
                raise InputError(f"no field {one.field!r} to nudge{near_or_all(one.field, names)}")
        self.drawn = [Drawn(grid, one, n, cuts) for n, one in enumerate(given)]

    def fixed_fields(self) -> Mapping[str, Any]:
        """Returns the rates, and values that stay."""
        found: dict[str, Any] = {one.rate_name: one.rate for one in self.drawn}
        for one in self.drawn:
            found |= one.to.constant()
        return found

    def profiles(self) -> Mapping[str, Sequence[float]]:
        """Returns the shares of layers."""
        return {one.layers_name: one.layers.tolist() for one in self.drawn}

    def records(self) -> Iterable[InTime]:
        """Returns values in time."""
        return [one.to.in_time for one in self.drawn if one.to.in_time is not None]

    def processes(self, phase: str, do: Order) -> None:
        """Adds the values in time, and what draws the flow."""
        if phase == "density":
            for one in self.drawn:
                one.to.interpolate(do, one.rate_name, one.given.where)
        if phase == "friction":
            for one in self.drawn:
                if one.given.where == "corner":
                    on = {f"{field}_nudged_to": name for field, name in one.targets.items()}
                    do("VelocityNudging", on=one.names | on)

    def add_to(self, tracer: Field, add: Tendency) -> None:
        """Adds what draws a tracer."""
        for one in self.drawn:
            if one.given.field == tracer.name:
                on = {"tracer_nudged_to": one.targets[tracer.name]}
                add("TracerNudging", term="nudging", on=one.names | on)
