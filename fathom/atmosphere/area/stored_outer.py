"""States of an outer model in a store of another run, or in a file of others, as a limited area
takes them.

On latitudes and longitudes around the globe: on levels of pressure or hybrid ones, as a forecast
starts from them (fathom/data/stored_state.py, fathom/atmosphere/remap/initial.py).

On the points of a larger area, on its map or in a box of latitudes and longitudes
(fathom/atmosphere/remap/stored_area.py).

On the area's own points (`grid = {...}` of the output of the outer run), on hybrid levels with
surface_air_pressure and surface_geopotential: columns are brought to the area's ground and levels,
cubic in ln p; with the same ground and levels they stay as they are:
    p_s = p_s(outer) exp((phi_s(outer) - phi_s) / (R T_v)),    T_v of the lowest layer
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from fathom import output
from fathom.atmosphere.remap.around_area import Receiver
from fathom.atmosphere.remap.initial import initial_state
from fathom.atmosphere.remap.stored_area import StoredArea
from fathom.atmosphere.spectral import compressible
from fathom.base import longitudes, moist_air, units
from fathom.base.clock import Period
from fathom.base.failure import InputError
from fathom.base.instants import TimeAxis
from fathom.data import atmosphere, stored_state
from fathom.data.input import checks, variables
from fathom.grids.hybrid import interfaces_of
from fathom.grids.periodic_plane import PeriodicPlane
from fathom.grids.regrid import column

PIECES = {"linear": 1, "cubic": 8}  # straight ones between two records


class Stored:
    """The states of a path in time, for a model of an area.

    receiver: what that takes of a state
    in_time: "linear", or "cubic": on Lagrange's cubic through the four records around, in pieces
        that are straight
    every: of the records, those at multiples of it after the first; by default all
    """

    def __init__(
        self,
        receiver: Receiver,
        path: str | Path,
        in_time: str = "linear",
        every: float | str | None = None,
    ) -> None:
        self.receiver, self.path, self.in_time = receiver, Path(path), in_time
        self.every = every and Period(every, "outer_every")
        self.pieces = PIECES[in_time]
        self.data: Any = None  # on levels of pressure, made when first requested
        self.held: dict[int, dict[str, np.ndarray]] = {}  # the last records, of a cubic

    def __str__(self) -> str:
        return f"{self.path}, {self.axis}, {self.in_time} in time"

    @cached_property
    def taken(self) -> tuple[np.ndarray, Any]:
        """Returns the records that are taken: their numbers and their times, an
        xarray.DataArray."""
        times = self.moments()
        numbers = np.arange(times.size)
        if self.every:
            since = (times.values - times.values[0]) / np.timedelta64(1, "s")
            late = since.astype(float) % self.every.seconds
            numbers = np.flatnonzero(np.minimum(late, self.every.seconds - late) < 0.5)
            if numbers.size == 1 < times.size:
                raise InputError(
                    f"outer_every = {self.every.text!r} leaves one of the {times.size} records of"
                    f" {self.path}, {times.values[0]} to {times.values[-1]}"
                )
        return numbers, times[numbers]

    def moments(self) -> Any:
        """Returns the times of all records, an xarray.DataArray."""
        with output.open(self.path) as data:
            if "time" not in data.dims:
                raise InputError(f"outer = {str(self.path)!r} has no states in time")
            times = data.time.load()
        if times.dtype.kind not in "MO":
            raise InputError(variables.why_no_dates(f"outer = {str(self.path)!r}", data, "time"))
        return times

    @cached_property
    def axis(self) -> TimeAxis:
        """Returns the times of the records, with those of pieces between them."""
        times = self.taken[1].values
        finer = [
            first + n * (last - first) / self.pieces
            for first, last in pairwise(times)
            for n in range(self.pieces)
        ]
        return TimeAxis(variables.moments(np.array([*finer, times[-1]], times.dtype)))

    @cached_property
    def _of_area(self) -> Any:
        """Returns it as the states of a larger area, which lie on a map or in a box; None: of the
        globe, or on the columns of the area.
        """
        if self._on_own_points:
            return None
        around = None
        if not stored_state.is_area(self.path):
            if not stored_state.covers_a_part(self.path):
                return None
            around = self.receiver.where.grid.coordinates()
        data = stored_state.state(self.path, around, humid=self.receiver.air.moist)
        return StoredArea(data, self.receiver, f"outer = {str(self.path)!r}")

    @cached_property
    def _on_own_points(self) -> bool:
        """Returns whether it lies on the columns of the area."""
        grid = self.receiver.where.grid
        shape = grid.points[::-1]
        with output.open(self.path) as data:
            if "latitude" in data.dims:
                return False
            if (data.sizes.get("y"), data.sizes.get("x")) != shape:
                if not isinstance(grid, PeriodicPlane) and stored_state.is_area(self.path):
                    return False
                windows = self.receiver.where.windows
                more = ", those around it too, for windows" if windows else ""
                raise InputError(
                    f"outer = {str(self.path)!r} has {dict(data.sizes)}: allowed are latitudes and"
                    " longitudes, a larger area on its map, or the area's own"
                    f" {shape[0]} rows of {shape[1]} points{more}"
                )
            if isinstance(grid, PeriodicPlane):
                return True
            away = [
                np.abs(data[name].values - own[: shape[0], : shape[1]]).max()
                for name, own in zip(("longitude", "latitude"), grid.coordinates())
            ]
            if max(away) > 1e-3 and not stored_state.is_area(self.path):
                raise InputError(
                    f"outer = {str(self.path)!r} lies on other points, up to {max(away):.3g}"
                    " degrees away; write it with grid = that of the area"
                )
            return bool(max(away) <= 1e-3)

    def check(self) -> None:
        """Raises ValueError: not of states in time, on points that are neither, or of a part of the
        earth or of the air that the area goes beyond.
        """
        _ = self.axis
        if not self._on_own_points:
            self._check_covers()
            _ = self._of_area

    def _check_covers(self) -> None:
        """Raises InputError: latitudes, longitudes or levels of pressure that the area leaves."""
        with output.open(self.path) as data:
            axes = {
                kind: np.asarray(data[name].values, float)
                for kind, known in variables.horizontal.items()
                for name in known
                if name in data.dims and name in data.coords
            }
            level = next((n for n in stored_state.vertical if n in data.dims), None)
            pressure = None if level is None or "ap" in data else data[level].load()
        if len(axes) == 2:
            columns = longitudes.eastward(axes["longitude"])
            longitude, latitude = self.receiver.where.grid.coordinates()
            places = np.asarray(latitude).ravel(), np.asarray(longitude).ravel()
            checks.check_covers(
                f"outer = {str(self.path)!r}",
                axes["latitude"],
                columns.longitude,
                columns.around,
                places,
            )
        if pressure is not None:
            factor, _ = units.conversion(pressure.attrs.get("units", "Pa"), "Pa")
            checks.check_reaches_top(f"outer = {str(self.path)!r}", factor * pressure.values)

    def state(self, number: int) -> dict[str, np.ndarray]:
        """Returns a record, or the state between two records, as arguments of `set`."""
        before, piece = divmod(number, self.pieces)
        if not piece:
            return self._record(before)
        count = self.taken[1].size
        first = max(min(before - 1, count - 4), 0)
        around = range(first, min(first + 4, count))
        self.held = {n: self.held.get(n) or self._record(n) for n in around}
        at = before + piece / self.pieces  # records follow each other evenly
        shares = [np.prod([(at - m) / (n - m) for m in around if m != n]) for n in around]
        return {
            name: sum(share * self.held[n][name] for share, n in zip(shares, around))
            for name in self.held[first]
        }

    def _record(self, number: int) -> dict[str, np.ndarray]:
        number = int(self.taken[0][number])
        found = (
            self._of_area.state(number)
            if self._of_area is not None
            else self._from_columns(number)
            if self._on_own_points
            else self._from_globe(number)
        )
        if not self.receiver.air.moist and "specific_humidity" in found:
            found["air_temperature"] = moist_air.virtual_temperature(
                found["air_temperature"], found["specific_humidity"]
            )
        return {n: values for n, values in found.items() if n in self.receiver.names}

    def _from_globe(self, number: int) -> dict[str, np.ndarray]:
        levels, where = self.receiver.levels, self.receiver.where
        if self.data is None:
            self.data = atmosphere.complete(stored_state.state(self.path))
        result: dict[str, np.ndarray] = where.whole(
            initial_state(self.data.isel(time=number), where.grid, levels, where.ground)
        )
        return result

    def _from_columns(self, number: int) -> dict[str, np.ndarray]:
        sound = compressible.fields if self.receiver.compressible else ()
        tracers, where = self.receiver.air.tracer_names, self.receiver.where
        found, a, b = stored_state.in_layers(self.path, number, (*tracers, *sound))
        shape = where.grid.points[::-1]
        flat = {name: v.reshape(*v.shape[:-2], -1) for name, v in found.items()}
        p_s = flat.pop("surface_air_pressure")
        ground = where.ground[where.grid.wet_levels > 0]
        there = flat.pop("surface_geopotential", ground)
        humidity = flat.get("specific_humidity", 0.0)
        virtual = moist_air.virtual_temperature(flat["air_temperature"], humidity)
        pressure = p_s * np.exp((there - ground) / (moist_air.GAS_CONSTANT * virtual[-1]))
        x, target = (
            column.layer_logarithms(column.interface_pressure(*levels, p))
            for levels, p in (((a, b), p_s), (interfaces_of(self.receiver.levels), pressure))
        )
        same = x.shape == target.shape and np.array_equal(x, target)
        between = column.Between(x, target)
        below = np.exp(column.EXPONENT * np.maximum(target - x[-1], 0))
        result = {n: v if same else between.cubic(v) for n, v in flat.items()}
        result["air_temperature"] = result["air_temperature"] * below
        fields = {n: v.reshape(len(v), *shape) for n, v in result.items() if len(v) > 1}
        made: dict[str, np.ndarray] = where.whole(
            fields | {"log_surface_pressure": np.log(pressure).reshape(shape)}
        )
        return made
