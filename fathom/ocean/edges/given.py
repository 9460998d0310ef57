"""What is given beyond the open edges of an ocean: numbers, arrays, functions and data sets, which
stay, or records in time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.base.instants import TimeAxis
from fathom.data.input import layers_in_time
from fathom.data.input.layers_in_time import Series
from fathom.data.input.records import given
from fathom.data.input.values import as_grid_has, check_shape, on_columns
from fathom.grids.water import WaterGrid
from fathom.model.component import Array
from fathom.ocean.edges.sides import Cuts
from fathom.ocean.initial import check_data_set, layers_of, names_of_height

HEIGHT = "sea_surface_height"
ALONG_GRID, TOWARDS = ("velocity_x", "velocity_y"), ("eastward_velocity", "northward_velocity")


class At:
    """Points of a grid at which something is given: which (ny, nx), of centres or corners."""

    def __init__(self, grid: WaterGrid, which: Array, where: str = "center") -> None:
        self.grid, self.where, self.which = grid, where, np.asarray(which) > 0
        self.depth = grid.levels.middles

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
        """Returns a record there, (levels, ny, nx), 0 elsewhere; of a column: one level."""
        depth = np.zeros(1) if series.column else self.depth
        if self.grid.horizontal.spherical:
            longitude, latitude = (x[self.which] for x in self.grid.coordinates(self.where))
            return self.spread(series.on_points(number, latitude, longitude, depth))
        array = series.record(number)
        values = as_grid_has(self.grid, array, series.field, self.where, layers=not series.column)
        shape = (len(depth), *self.which.shape)
        whole = np.broadcast_to(np.asarray(values, float), shape)
        return np.where(self.which, whole, 0.0)


class InTime:
    """Fields that are made of records with the same times (fathom/run/forcing.py)."""

    def __init__(self, fields: Sequence[str], of: Sequence[Series], at: At, make: Any) -> None:
        self.fields, self.series, self.at, self.make = fields, of, at, make
        self.axis: TimeAxis = of[0].axis
        for one in of:
            at.check(one)
            if one.axis != self.axis:
                raise InputError(
                    f"{of[0].field} and {one.field} of open edges are not given at the same times"
                )

    def describe(self) -> list[str]:
        """Returns where its fields come from, and of which times."""
        return [f"{one.field} at open edges: {one.source}, {self.axis}" for one in self.series]

    def read(self, number: int) -> Mapping[str, Array]:
        """Returns the fields of a record."""
        made: Mapping[str, Array] = self.make(
            {one.field: self.at.record(one, number) for one in self.series}
        )
        return made


class Outside:
    """The sea beyond the open edges, in the fields that the processes there read.

    grid : with its edges cut, where: `cuts`.
    values : by field, as for `set` of an ocean, or in time.
    balanced : whether the given flow keeps the volume of the sea.
    """

    def __init__(
        self, grid: WaterGrid, cuts: Cuts, values: Mapping[str, Any], balanced: bool
    ) -> None:
        self.grid, self.cuts, self.values, self.balanced = grid, cuts, values, balanced
        self.at = At(grid, cuts.cells)
        for name, value in values.items():
            if isinstance(value, str):
                check_data_set(value, name)
            check_shape(grid, value, name)
        self.in_time: list[InTime] = []
        self.constant: dict[str, Any] = {}  # field -> a function that gives its array
        for name in values:
            if name not in (HEIGHT, *ALONG_GRID, *TOWARDS):
                self._add((name,), self._tracer, (f"{name}_at_open_edge",))
        self._add((HEIGHT,), self._height, ("open_edge_height_given",))
        flow = TOWARDS if {*TOWARDS} & {*values} else ALONG_GRID
        if {*TOWARDS} & {*values} and {*ALONG_GRID} & {*values}:
            raise InputError(
                f"{' and '.join(TOWARDS)} are given at open edges instead of"
                f" {' and '.join(ALONG_GRID)}, not with them"
            )
        fields = [f"open_edge_{part}_given" for part in ("flow", *ALONG_GRID)]
        self._add(flow, self._flow, fields)

    def _add(self, names: Sequence[str], make: Any, fields: Sequence[str]) -> None:
        """Takes fields that are made of some values: in time, or once."""
        column = names[0] == HEIGHT
        given_ = {name: self.values.get(name, 0.0) for name in names}
        found = {name: layers_in_time.series(value, name, column) for name, value in given_.items()}
        series = [one for one in found.values() if one is not None]
        if series and len(series) < len(names):
            raise InputError(
                f"{' and '.join(names)} of open edges: both must be given in time, or none"
            )
        if series:
            self.in_time.append(InTime(fields, series, self.at, make))
            return
        for field in fields:
            self.constant[field] = lambda f=field: make(self._of_numbers(given_))[f]

    def _of_numbers(self, values: Mapping[str, Any]) -> dict[str, Array]:
        """Returns what stays, (levels, ny, nx) each."""
        found = {}
        for name, value in values.items():
            if name == HEIGHT:
                column = on_columns(
                    self.grid, value, name=name, units="m", called=names_of_height, gaps="fill"
                )
                found[name] = column[None]
            else:
                parts = [layer for _, layer in layers_of(self.grid, name, value, "center")]
                found[name] = np.stack(parts)
        return found

    def _tracer(self, values: Mapping[str, Array]) -> dict[str, Array]:
        return {f"{name}_at_open_edge": array for name, array in values.items()}

    def _height(self, values: Mapping[str, Array]) -> dict[str, Array]:
        return {"open_edge_height_given": values[HEIGHT][0]}

    def _flow(self, values: Mapping[str, Array]) -> dict[str, Array]:
        """Returns the given flow out of each cell [m3 s-1], (ny, nx), and the flow along x and y
        less its mean over the column [m s-1], (levels, ny, nx).
        """
        cuts, grid = self.cuts, self.grid
        u, v = (values[name] for name in (TOWARDS if TOWARDS[0] in values else ALONG_GRID))
        if TOWARDS[0] in values:
            angle = np.asarray(grid.horizontal.angle_center, float)
            u, v = u * np.cos(angle) + v * np.sin(angle), v * np.cos(angle) - u * np.sin(angle)
        there = np.arange(len(u))[:, None, None] < np.asarray(grid.wet_levels)
        h = np.where(there, [grid.thickness(k) for k in range(len(u))], 0.0)
        total = np.maximum(h.sum(0), 1e-3)
        mean_u, mean_v = ((h * part).sum(0) / total for part in (u, v))
        flow = (cuts.length_x * mean_u + cuts.length_y * mean_v) * h.sum(0)
        if self.balanced:
            section = (np.abs(cuts.length_x) + np.abs(cuts.length_y)) * h.sum(0)
            flow = flow - section * (flow.sum() / section.sum())
        inside = lambda part, mean, open_: np.where(there & (open_ != 0), part - mean, 0.0)
        return {
            "open_edge_flow_given": flow,
            "open_edge_velocity_x_given": inside(u, mean_u, cuts.open_x),
            "open_edge_velocity_y_given": inside(v, mean_v, cuts.open_y),
        }


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
