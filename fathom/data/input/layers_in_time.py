"""Fields of layers in time from data on (time, depth, latitude, longitude): what is given at open
edges, and what the sea is drawn to. Each record is brought to the model's points as a start is
(fathom/data/input/layers.py).

    found = series("glorys/*.nc", "temperature")    # None: it does not vary in time
    found.axis; found.on_points(number, latitude, longitude, depth)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fathom import names
from fathom.base import instants as times
from fathom.base import longitudes
from fathom.base.failure import FileError, InputError
from fathom.base.reading import library
from fathom.data.input import checks, layers, variables
from fathom.data.input.records import Records, given


@dataclass
class Series:
    """A field of layers in time.

    field : its name in the model.  source : for messages.  units : instead of its own; "": its own.
    parts : arrays, one after another in time, and the number of records of each.
    first : the record of them that is number 0 of the axis.
    """

    field: str
    source: str
    axis: times.TimeAxis
    parts: list[tuple[Any, str, int]]  # array, its dimension of time, records
    units: str = ""
    first: int = 0
    column: bool = False  # of the surface: without depth

    def record(self, number: int) -> Any:
        """Returns a record as an array of xarray."""
        number += self.first
        for array, time, count in self.parts:  # noqa: B007  those of the break
            if number < count:
                break
            number -= count
        found = array.isel({time: number}, drop=True).squeeze(drop=True)
        return found.assign_attrs(units=self.units) if self.units else found

    def on_points(
        self, number: int, latitude: np.ndarray, longitude: np.ndarray, depth: np.ndarray
    ) -> np.ndarray:
        """Returns a record at places [degrees] and depths [m], (levels, *places). InputError: it
        does not fit; OSError: it cannot be read.
        """
        used = np.ones(np.shape(latitude), bool)
        try:
            with library:
                array = self.record(number).load()
            if self.column:  # the same at all depths
                array = array.expand_dims({"depth": [0.0, 1.0]})
                array["depth"].attrs["units"] = "m"
            return layers.on_places(array, self.field, (latitude, longitude, depth), used)
        except InputError as error:
            raise InputError(f"{self.source}: {error}") from error
        except (RuntimeError, LookupError) as error:
            raise FileError(f"{self.source}: a record cannot be read: {error}") from error

    def check_covers(self, latitude: np.ndarray, longitude: np.ndarray) -> None:
        """Raises InputError: it does not cover these places."""
        array = self.record(0)
        axes = array.dims[-2:]
        y, x = (np.asarray(array[name].values, float) for name in axes)
        columns = longitudes.eastward(x)
        name = f"{self.source}: {array.name}"
        checks.check_covers(name, y, columns.longitude, columns.around, (latitude, longitude))


def series(value: Any, field: str, column: bool = False) -> Series | None:
    """Returns data in time that a user gives for a field; None: they do not vary in time.

    column : whether it is of the surface: (time, latitude, longitude).
    InputError: no such variable, or no dates.
    """
    records = given(value)
    if records is None:
        return None
    held = _held(records)
    parts = [_part(*one, field, records) for one in held]
    if any(time is None or (len(held) == 1 and len(axis) == 1) for _, time, axis in parts):
        return None
    parts.sort(key=lambda part: part[2].begin[0])
    first_axis = parts[0][2]
    begin = [moment for _, _, axis in parts for moment in axis.begin]
    end = [moment for _, _, axis in parts for moment in axis.end]
    whole = times.TimeAxis(begin, end, first_axis.repeated, first_axis.calendar)
    axis, first = _of_years(whole, records.repeated_year)
    counted = [(array, str(time), len(one)) for array, time, one in parts]
    return Series(field, repr(records), axis, counted, records.units or "", first, column)


def _part(
    source: str, data: Any, field: str, records: Records
) -> tuple[Any, str | None, times.TimeAxis]:
    """Returns an array of a field, its dimension of time (None: it has none), and its times."""
    array = _variable(data, field, records)
    time = variables.dimension_of_time(array)
    if time is None:
        return array, None, times.always
    try:
        coords = getattr(data, "variables", array.coords)
        return array, time, variables.axis_of(str(array.name), array, time, coords)
    except InputError as error:
        raise InputError(f"{source}: {error}") from error


def _held(records: Records) -> list[tuple[str, Any]]:
    """Returns (name, data set or array) of each file, or of what is in memory."""
    if records.in_memory:
        return [(repr(records), records.data)]
    return [(path, variables.opened(path)) for path in variables.files(records.data)]


def _variable(data: Any, field: str, records: Records) -> Any:
    """Returns the variable of a data set that is meant."""
    if not hasattr(data, "data_vars"):
        return data
    if records.variable is not None:
        return layers.named(data, records)
    row = names.get(field)
    known = (field, row.alias, row.attributes.get("standard_name", ""))
    found = layers.meant_in(data, field, known)
    checks.check_meaning(checks.said_by(str(found.name), found), field, repr(records), (row.alias,))
    return found


def _of_years(axis: times.TimeAxis, wanted: bool | int | None) -> tuple[times.TimeAxis, int]:
    """Returns the axis with the times that are asked for, and the number of the first record."""
    if wanted is None or axis.constant:
        return axis, 0
    if isinstance(wanted, bool):
        return times.TimeAxis(axis.begin, axis.end, wanted, axis.calendar), 0
    return axis.year(wanted)


def has(records: Records, field: str) -> bool:
    """Returns whether a data set has a variable of that name, by name, CF name or alias."""
    _, data = _held(records)[0]
    arrays = getattr(data, "data_vars", None)
    if arrays is None:
        return False
    row = names.get(field)
    known = {field, row.alias, row.attributes.get("standard_name")} - {"", None}
    return any(n in known or a.attrs.get("standard_name") in known for n, a in arrays.items())
