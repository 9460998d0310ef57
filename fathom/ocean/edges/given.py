"""What is given at some points of an ocean: numbers, arrays, functions, data sets, which stay, or
records in time; and what is given beyond its open edges.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.base.instants import TimeAxis
from fathom.data.input import layers_in_time
from fathom.data.input.layers_in_time import Series
from fathom.data.input.records import given, interpolate
from fathom.data.input.values import as_grid_has, check_shape, on_columns
from fathom.grids.water import WaterGrid
from fathom.model.component import Array
from fathom.model.order import Order
from fathom.ocean.edges.sides import Cuts
from fathom.ocean.initial import check_data_set, layers_of, names_of_height

HEIGHT = "sea_surface_height"
ALONG_GRID, TOWARDS = ("velocity_x", "velocity_y"), ("eastward_velocity", "northward_velocity")
Arrays = Mapping[str, Array]  # by field, (levels, points)


class At:
    """Points of a grid at which something is given: which (ny, nx), of centres or corners."""

    def __init__(self, grid: WaterGrid, which: Array, where: str = "center") -> None:
        self.grid, self.where, self.which = grid, where, np.asarray(which) > 0
        self.depth = grid.levels.middles
        rows, points = np.nonzero(self.which)
        self.columns = rows.tolist(), points.tolist()

    def of(self, values: Any) -> Array:
        """Returns the values at these points (..., points) of those of the grid (..., ny, nx)."""
        found: Array = np.asarray(values, float)[..., self.which]
        return found

    def spread(self, values: Array) -> Array:
        """Returns values (..., points) in (..., ny, nx), 0 elsewhere."""
        found = np.zeros((*values.shape[:-1], *self.which.shape))
        found[..., self.which] = values
        return found

    def check(self, series: Series) -> None:
        """Raises InputError: records do not cover these points."""
        if self.grid.horizontal.spherical:
            longitude, latitude = (x[self.which] for x in self.grid.coordinates(self.where))
            series.check_covers(latitude, longitude)

    def record(self, series: Series, number: int) -> Array:
        """Returns a record there, (levels, points); of a column: one level."""
        depth = np.zeros(1) if series.column else self.depth
        if self.grid.horizontal.spherical:
            longitude, latitude = (x[self.which] for x in self.grid.coordinates(self.where))
            return series.on_points(number, latitude, longitude, depth)
        array = series.record(number)
        values = as_grid_has(self.grid, array, series.field, self.where, layers=not series.column)
        shape = (len(depth), *self.which.shape)
        return self.of(np.broadcast_to(np.asarray(values, float), shape))

    def constant(self, name: str, value: Any) -> Array:
        """Returns what stays, (levels, points); of the height: one level."""
        if name == HEIGHT:
            called = names_of_height
            height = on_columns(self.grid, value, name=name, units="m", called=called, gaps="fill")
            return self.of(height)[None]
        layers = layers_of(self.grid, name, value, self.where)
        return np.stack([self.of(layer) for _, layer in layers])

    def along_grid(self, values: Arrays) -> dict[str, Array]:
        """Returns velocities eastward and northward along the axes of the grid; others as they
        are.
        """
        if not {*TOWARDS} <= {*values}:
            return dict(values)
        u, v = (values[name] for name in TOWARDS)
        angle = self.of(getattr(self.grid.horizontal, f"angle_{self.where}"))
        turned = u * np.cos(angle) + v * np.sin(angle), v * np.cos(angle) - u * np.sin(angle)
        return dict(zip(ALONG_GRID, turned))


class InTime:
    """Fields that are made of records with the same times (fathom/run/forcing.py)."""

    def __init__(
        self,
        fields: Sequence[str],
        of: Sequence[Series],
        at: At,
        make: Callable[[Arrays], Arrays],
    ) -> None:
        self.fields, self.series, self.at, self.make = fields, of, at, make
        self.columns = at.columns
        self.axis: TimeAxis = of[0].axis
        for one in of:
            at.check(one)
            if one.axis != self.axis:
                raise InputError(
                    f"{of[0].field} and {one.field} of {one.source} are not given at the same times"
                )

    def describe(self) -> list[str]:
        """Returns where its fields come from, and of which times."""
        return [f"{one.field}: {one.source}, {self.axis}" for one in self.series]

    def read(self, number: int) -> Arrays:
        """Returns the fields of a record."""
        return self.make({one.field: self.at.record(one, number) for one in self.series})


class Values:
    """Fields that are made of given values, in time or once.

    at : where.  given : by name.  names : of those that are used; one that is not given is 0.
    make : from their arrays by name to those of `fields`.
    """

    def __init__(
        self,
        at: At,
        given: Mapping[str, Any],
        names: Sequence[str],
        make: Callable[[Arrays], Arrays],
        fields: Sequence[str],
    ) -> None:
        self.at, self.make, self.fields = at, make, fields
        self.values = {name: given.get(name, 0.0) for name in names}
        for name, value in self.values.items():
            if isinstance(value, str):
                check_data_set(value, name)
            check_shape(at.grid, value, name)
        found = [
            layers_in_time.series(value, name, column=name == HEIGHT)
            for name, value in self.values.items()
        ]
        series = [one for one in found if one is not None]
        if series and len(series) < len(found):
            raise InputError(f"{' and '.join(names)}: both must be given in time, or none")
        self.in_time = InTime(fields, series, at, make) if series else None

    def constant(self) -> Mapping[str, Array]:
        """Returns the fields that stay, (levels, ny, nx) or (ny, nx); none where they are in
        time.
        """
        if self.in_time is not None:
            return {}
        found = self.make({name: self.at.constant(name, v) for name, v in self.values.items()})
        return {name: self.at.spread(values) for name, values in found.items()}

    def interpolate(self, do: Order, used: str, where: str = "center") -> None:
        """Adds the processes that make fields from their records; used: field of columns, above 0
        where they are wanted.
        """
        if self.in_time is not None:
            between_records(do, self.fields, used, where)


class Beyond:
    """Fields at open edges that a sea around gives, in records (fathom/ocean/edges/outer.py).

    at : the cells of the edges.  outer : the sea around.
    parts : names of what it gives, how fields are made of these arrays, and the fields.
    """

    def __init__(
        self,
        at: At,
        outer: Any,
        parts: Sequence[tuple[Sequence[str], Callable[[Arrays], Arrays], Sequence[str]]],
    ) -> None:
        self.at, self.outer, self.parts, self.in_time = at, outer, parts, self
        self.fields = [field for _, _, fields in parts for field in fields]
        self.collective, self.columns = outer.collective, at.columns
        self.text = f"outer = {getattr(outer, 'text', outer)}"

    remedy = "the sea around must reach as far"

    @property
    def axis(self) -> Any:
        """Returns the times of its records."""
        return self.outer.axis

    def describe(self) -> list[str]:
        """Returns where its fields come from."""
        wanted = [name for names, _, _ in self.parts for name in names]
        return [f"open edges: {', '.join(wanted)} of {self.outer}"]

    def constant(self) -> Mapping[str, Array]:
        """Returns the fields that stay: none."""
        return {}

    def read(self, number: int) -> Arrays:
        """Returns the fields of a record."""
        state, found = self.outer.state(number), dict[str, Array]()
        for wanted, make, _ in self.parts:
            found |= make({name: state[name] for name in wanted})
        return found

    def interpolate(self, do: Order, used: str) -> None:
        """Adds the processes that make fields from their records."""
        between_records(do, self.fields, used)


def between_records(do: Order, fields: Sequence[str], used: str, where: str = "center") -> None:
    """Adds the processes that make fields from their records; used: field of columns, above 0
    where they are wanted.
    """
    scheme = "LayersInTime" if where == "center" else "LayersInTimeAtCorners"
    for field in fields:
        if field in of_columns:
            interpolate(do, field)
        else:
            parts = {"previous": "previous", "next": "next", "forcing_weight": "weight"}
            on = {name: f"{field}_{part}" for name, part in parts.items()}
            do(scheme, on=on | {"used": used, "value": field}, label=f"{scheme} of {field}")


of_columns = tuple(
    f"open_edge_{of}_{given}" for of in ("flow", "height") for given in ("given", "without_tide")
)


class Outside:
    """The sea beyond the open edges, in the fields that the processes there read.

    grid : with its edges cut, where: `cuts`.
    given : by field, as for `set` of an ocean, or in time.
    balanced : whether the given flow keeps the volume of the sea.
    outer : the sea around, which gives what it wants; None: there is none.
    tides : whether tides come on top of the given flow and height.
    """

    def __init__(
        self,
        grid: WaterGrid,
        cuts: Cuts,
        given: Mapping[str, Any],
        balanced: bool,
        outer: Any = None,
        tides: bool = False,
    ) -> None:
        self.grid, self.cuts, self.balanced = grid, cuts, balanced
        self.all_given = "without_tide" if tides else "given"
        self.at = At(grid, cuts.cells)
        if {*TOWARDS} & {*given} and {*ALONG_GRID} & {*given}:
            raise InputError(
                f"{' and '.join(TOWARDS)} are given at open edges instead of"
                f" {' and '.join(ALONG_GRID)}, not with them"
            )
        of_it = [] if outer is None else list(outer.wanted.names)
        parts, around = self._parts([*given, *of_it]), {*of_it}
        self.values: list[Values | Beyond] = [
            Values(self.at, given, *part) for part in parts if not {*part[0]} & around
        ]
        if outer is not None:
            of_outer = [part for part in parts if {*part[0]} & around]
            self.values.append(Beyond(self.at, outer, of_outer))

    def _parts(self, names: Sequence[str]) -> list[tuple[Sequence[str], Any, Sequence[str]]]:
        """Returns what belongs together of what is given: names, the function that makes fields of
        their arrays, and these.
        """
        flow = TOWARDS if {*TOWARDS} & {*names} else ALONG_GRID
        tracers = [name for name in names if name not in (HEIGHT, *ALONG_GRID, *TOWARDS)]
        height = f"open_edge_height_{self.all_given}"
        of_flow = [
            f"open_edge_flow_{self.all_given}",
            *(f"open_edge_{part}_given" for part in ALONG_GRID),
        ]
        return [
            *(((name,), _tracer, (f"{name}_at_open_edge",)) for name in tracers),
            ((HEIGHT,), lambda values: {height: values[HEIGHT][0]}, (height,)),
            (flow, self._flow, of_flow),
        ]

    @cached_property
    def _layers(self) -> tuple[Array, Array]:
        """Returns the thickness of layers [m] (levels, points), 0 in the ground, and of all."""
        levels = self.at.of(self.grid.wet_levels)
        h = [
            np.where(k < levels, self.at.of(_whole(self.grid.thickness(k), self.at.which)), 0.0)
            for k in range(len(self.grid.levels.weights))
        ]
        return np.array(h), np.sum(h, 0)

    def _flow(self, values: Arrays) -> dict[str, Array]:
        """Returns the given flow out of each cell [m3 s-1], (points,), and the flow along x and y
        less its mean over the column [m s-1], (levels, points).
        """
        of, (h, depth) = self.at.of, self._layers
        u, v = self.at.along_grid(values).values()
        mean_u, mean_v = ((h * part).sum(0) / np.maximum(depth, 1e-3) for part in (u, v))
        length_x, length_y = of(self.cuts.length_x), of(self.cuts.length_y)
        flow = (length_x * mean_u + length_y * mean_v) * depth
        if self.balanced:
            section = (np.abs(length_x) + np.abs(length_y)) * depth
            flow = flow - section * (flow.sum() / section.sum())

        def inside(part: Array, mean: Array, open_: Array) -> Array:
            return np.where((h > 0) & (of(open_) != 0), part - mean, 0.0)

        return {
            f"open_edge_flow_{self.all_given}": flow,
            "open_edge_velocity_x_given": inside(u, mean_u, self.cuts.open_x),
            "open_edge_velocity_y_given": inside(v, mean_v, self.cuts.open_y),
        }


def _whole(values: Any, like: Array) -> Array:
    """Returns a number or an array as an array."""
    found: Array = np.broadcast_to(np.asarray(values, float), like.shape)
    return found


def _tracer(values: Arrays) -> dict[str, Array]:
    return {f"{name}_at_open_edge": array for name, array in values.items()}


def values_of(data: Any, wanted: Sequence[str], own: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what is given by field: `own`, and of `data` the rest, where it has them."""
    found = {name: value for name, value in own.items() if value is not None}
    records = None if data is None else given(data)
    if data is not None and records is None:
        raise InputError(f"OpenEdges data = {data!r} is no file, folder, Records or xarray")
    for name in wanted:
        if records is not None and name not in found and layers_in_time.has(records, name):
            found[name] = records
    return found
