"""Fields in time from files: NetCDF, Zarr and what else `fathom.open` reads, or xarray.DataArrays;
brought to the points of a grid, in the units of the model.

Records("era5/*.nc", "t2m")                 what the user says
Input("air_temperature", records, "degC")   a field of the model that they give
Source(axis, inputs, grid)
    inputs with the same times: `read(number)` gives all fields of a record;
    what fathom/run/forcing.py asks for
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from fathom import names
from fathom.base import instants as times
from fathom.base import longitudes, units
from fathom.base.clock import seconds_of
from fathom.base.configurable import Configurable
from fathom.base.earth import unit_vectors
from fathom.base.failure import FileError, InputError, beside, file_error
from fathom.base.reading import library
from fathom.data import sets
from fathom.data.input import checks, labelled, of_grid
from fathom.data.input.variables import (
    Variable,
    contents,
    described,
    files,
    length,
    opened,
    record,
    why_curved,
    why_not,
)
from fathom.grids.regrid import fill
from fathom.grids.regrid import points as regrid
from fathom.grids.regrid.cell_means import CellMeans, finer
from fathom.names import quantities
from fathom.output import formats


class Records(Configurable):
    """A field in time, or one that stays, from files or from xarray.

    Its last two dimensions are latitude and longitude (degrees, around the earth or over a part of
    it that contains the grid), from which it is brought to the model's cells or points, or those of
    the model, (ny, nx). Time is
    that of CF: instants, or intervals where there are `time_bounds`; between instants and middles
    of intervals a model interpolates.

    Parameters
    ----------
    data : a file, a folder, a pattern with *, a list of files (each a part of the time), an
        xarray.DataArray or Dataset.
    variable : its name in the files; by default the one with the right CF name, or the only one.
    units : of the numbers; by default those of the data.
    repeated_year : True: its year is that of every year; a number: this year of several; False:
        calendar years. By default as in the data (a CF climatology,
        years 0 or 1, a dimension `month`: repeated).
    gaps : "land" (default): missing values are filled from their neighbours where they are only on
        land, and are an error at sea; "fill": filled everywhere.
    accumulated : the time over which numbers add up that are no rates, as J m-2 or m of rain: each
        belongs to the interval of this length that ends at its time ("1h" for ERA5 by hours).
    average : whether data at least twice as fine as the model are means over its cells
        (docs/data.md); False: always the value at the middle of a cell.
    """

    def __init__(
        self,
        data: Any,
        variable: str | None = None,
        *,
        units: str | None = None,
        repeated_year: bool | int | None = None,
        gaps: str = "land",
        average: bool = True,
        accumulated: str | float | None = None,
    ) -> None:
        if not isinstance(average, bool):
            raise InputError(f"average = {average!r}; allowed: true, false")
        self.average = average
        self.accumulated = None if accumulated is None else _length(accumulated)
        if gaps not in ("land", "fill"):
            raise InputError(f"gaps = {gaps!r}; allowed: 'land', 'fill'")
        if not (repeated_year is None or isinstance(repeated_year, int)):
            raise InputError(f"repeated_year = {repeated_year!r}; allowed: true, false or a year")
        file = isinstance(data, (str, Path, list, tuple)) and bool(data)
        if not (file or hasattr(data, "dims")):
            raise InputError(
                f"{data!r} is no source of records; allowed: a file, a folder, a pattern, a"
                " list of files, an xarray.DataArray or Dataset"
            )
        self.data, self.variable, self.units, self.repeated_year, self.gaps = (
            data,
            variable,
            units,
            repeated_year,
            gaps,
        )
        self.in_memory = hasattr(data, "dims")
        self.called = ""  # of a data set: its name
        self._variables: dict[str, Variable] | None = None
        self._lengths: dict[str, int] = {}  # of files, when they were first read [bytes]

    def __repr__(self) -> str:
        data = ", ".join(self.arrays) if self.in_memory else repr(self.data)
        data = repr(self.called) if self.called else data
        return f"Records({data}{f', {self.variable!r}' if self.variable else ''})"

    @property
    def arrays(self) -> dict[str, Any]:
        """Returns arrays that are in memory, or held open by the user, by name."""
        return (
            {str(name): array for name, array in self.data.data_vars.items()}
            if hasattr(self.data, "data_vars")
            else {str(self.data.name or "data"): self.data}
        )

    @property
    def variables(self) -> dict[str, Variable]:
        """Returns the fields that exist, by name."""
        if self._variables is None:
            self._variables = (
                described(self.arrays, getattr(self.data, "variables", self.data.coords))
                if self.in_memory
                else contents(files(self.data))
            )
        return self._variables

    def matches(self, wanted: tuple[str, ...], only: bool = True) -> list[Variable]:
        """Returns the variables that may be meant: the one that the user names, else those with the
        first of the names wanted that is there, as own or standard name, else the only one.
        """
        there = self.variables
        if self.variable is not None:
            if self.variable not in there:
                if why := self._refused().get(self.variable):
                    raise InputError(f"{self}: {self.variable}: {why}")
                raise InputError(f"{self}: {names.unknown('variable', self.variable, there)}")
            return [there[self.variable]]
        for name in wanted:
            if found := (
                [there[name]]
                if name in there
                else [v for v in there.values() if v.standard_name == name]
            ):
                return found
        if only and len(there) == 1:
            return list(there.values())
        self._check_refused(wanted)
        return []

    def _check_refused(self, wanted: tuple[str, ...]) -> None:
        """Raises InputError: a variable that is wanted is there, with dimensions that are refused:
        nothing else may stand for it.
        """
        refused = self._refused()
        for name in wanted:
            if name in refused and "two of place" not in refused[name]:
                raise InputError(f"{self}: {name}: {refused[name]}")

    def find(self, wanted: tuple[str, ...], only: bool = True) -> Variable:
        """Returns the existing one. ValueError with the existing and the wanted names."""
        found = self.matches(wanted, only)
        if len(found) != 1:
            which = ", ".join(v.name for v in found or self.variables.values())
            refused = "".join(f"; {name}: {why}" for name, why in self._refused().items())
            raise InputError(
                f"{self} has {'several variables' if found else 'no variable'} for {wanted[0]}"
                f" ({which or 'none'}); wanted: {' or '.join(wanted)}, or say which, as in"
                f" Records(file, 'name'){refused}"
            )
        (one,) = found
        if self.variable is None:
            known = quantities.of(wanted[0]) is not None  # which says what it may be
            if not known and one.standard_name in _other_quantities(wanted):
                raise InputError(
                    f"{self}: its variable {one.name} is {one.standard_name} (its standard_name),"
                    f" not {wanted[0]}; to use it nevertheless, name it as in Records(file,"
                    f" {one.name!r})"
                )
            checks.check_meaning(one.said, wanted[0], str(self), wanted)
        return self._of_years(one)

    def array(self, variable: Variable) -> Any:
        """Returns a variable as xarray has it; of several files that of the first."""
        if self.in_memory:
            return self.arrays[variable.name]
        return opened(variable.parts[0][0])[variable.name]

    def _refused(self) -> dict[str, str]:
        """Returns why existing arrays are no field in time on the earth, by name."""
        if self.in_memory:
            arrays = self.arrays
        else:
            with library:
                data = opened(files(self.data)[0])
            arrays = {str(name): array for name, array in data.data_vars.items()}
        return {name: why for name, array in arrays.items() if (why := why_not(array))}

    def _of_years(self, variable: Variable) -> Variable:
        """Returns the variable with the times that are asked for."""
        axis, wanted = variable.axis, self.repeated_year
        if wanted is None or axis.constant:
            return variable
        if isinstance(wanted, bool):
            return replace(
                variable, axis=times.TimeAxis(axis.begin, axis.end, wanted, axis.calendar)
            )
        axis, first = axis.year(wanted)
        return replace(variable, axis=axis, first=first)

    def read(self, variable: Variable, number: int) -> np.ndarray:
        """Record `number` of the axis, (rows, columns), in the units of the data, columns from west
        to east. OSError: it cannot be read.
        """
        values, columns = self._read(variable, number), variable.columns
        return values if columns is None or columns.taken is None else values[..., columns.taken]

    def _read(self, variable: Variable, number: int) -> np.ndarray:
        """Returns a record as in the data."""
        number += variable.first
        if self.in_memory:
            array = self.arrays[variable.name]
            with library:  # it may be a file that the user holds open
                self._check_length(array.encoding.get("source"))
                return record(array, number)
        for path, count in variable.parts:  # noqa: B007  that of the break
            if number < count:
                break
            number -= count
        try:
            with library:
                self._check_length(path)
                values = record(self._held_open(path)[variable.name], number)
                self._check_length(path)
                return values
        except (OSError, RuntimeError, ValueError, LookupError) as error:
            raise FileError(
                f"{path}: {variable.name} cannot be read: damaged or truncated? ({error})"
            ) from error

    def _held_open(self, path: str) -> Any:
        """Returns a file as a data set, which stays open for the next record."""
        held = _open_files.setdefault(self, {})
        found = opened(path)
        held.pop(path, None)
        held[path] = found
        if len(held) > most_open:
            del held[next(iter(held))]
        return found

    def close(self) -> None:
        """Closes its files; the next record opens them again."""
        _open_files.pop(self, None)

    def _check_length(self, path: str | None) -> None:
        """Checks that a file has not become shorter since it was first read; what a library reads
        beyond its end would be 0. OSError: it has.
        """
        if path is None or (now := length(path)) is None:
            return
        before = self._lengths.setdefault(path, now)
        if now < before:
            raise FileError(
                f"it had {before} bytes when it was first read, now {now}: cut off or replaced"
            )


most_open = 4  # files of one Records
_open_files: WeakKeyDictionary[Records, dict[str, Any]] = WeakKeyDictionary()


def _as_rate(told: str, wanted: str) -> float | None:
    """Returns the factor from a unit a second to the one wanted; None: it is no such rate."""
    with contextlib.suppress(ValueError):
        return units.conversion(f"{told} s-1", wanted)[0] if told else None
    return None


def _length(time: Any) -> float:
    """Returns seconds of a length of time."""
    return seconds_of(time, "accumulated")


def _other_quantities(wanted: tuple[str, ...]) -> set[str]:
    """Returns names, of Fathom and of CF, of all unwanted fields."""
    known = {name for row in names.fields.values() for name in (row.name, row.standard_name)}
    return known - {*wanted, ""}


def given(value: Any) -> Records | None:
    """Returns records that a user has given, as such, by the name of a file, or as an
    xarray.DataArray with coordinates; None: something else.
    """
    if isinstance(value, Records):
        return value
    if (data_set := sets.find(value)) is not None:
        records = Records(data_set.open())
        records.called = data_set.name
        return records
    if isinstance(value, Path) or (isinstance(value, str) and value.endswith(formats.readable())):
        return Records(str(value))
    return (
        Records(value)
        if hasattr(value, "dims") and hasattr(value, "coords") and len(value.coords)
        else None
    )


class Input:
    """A field of the model that records give.

    field, wanted : its name and unit in the model.  called : its own name, CF names and aliases
        that it may have in files.  where : "center" or "corner".
    only : whether the only variable of a file is used, with any name.
    """

    def __init__(
        self,
        field: str,
        records: Records,
        wanted: str,
        called: tuple[str, ...] = (),
        where: str = "center",
        only: bool = True,
    ) -> None:
        self.field, self.records, self.units, self.where = field, records, wanted, where
        self.variable = records.find(called or (field,), only)
        self.axis = self.variable.axis
        told = records.units or self.variable.units or (wanted if records.in_memory else "")
        which = f"{records}: {self.variable.name} for {field} in '{wanted}'"
        try:
            if not told:
                raise InputError("they have no units")
            self.factor, self.offset = units.conversion(told, wanted)
        except ValueError as error:
            if (factor := _as_rate(told, wanted)) is None:
                raise InputError(
                    f"{which}: {error}; say which, as in Records(file, units='{wanted}')"
                ) from None
            if (over := records.accumulated) is None:
                raise InputError(
                    f"{which}: '{told}' adds up over a time; give this time, as in Records(file,"
                    " accumulated='1h')"
                ) from None
            self.factor, self.offset = factor / over, 0.0
            self.axis = self.axis.ended_by(over)

    def describe(self) -> str:
        """Returns in words where the field comes from."""
        return f"{self.variable.name} of {self.records!r}"

    def close(self) -> None:
        """Closes the files of its records."""
        self.records.close()

    def interpolate(self, do: Any) -> None:
        """Adds the process that makes the field from its records."""
        interpolate(do, self.field, self.where)

    def read(
        self, number: int, points: Points, others: Mapping[str, np.ndarray] | None = None
    ) -> np.ndarray:
        """Returns the field at a record, (ny, nx); others: fields of it that have been read.
        OSError: what cannot be read; ValueError: no value at sea, and where.
        """
        try:
            values = self.records.read(self.variable, number)
            if np.isinf(values).any():
                raise InputError(f"{self.records}: {self.variable.name} is infinite in places")
            if (self.factor, self.offset) != (1.0, 0.0):
                values = (values * self.factor + self.offset).astype(values.dtype, copy=False)
            return self._on(points, values)
        except (OSError, ValueError) as error:
            text = f"{self.field}: {error}"
            raise (
                file_error(error, text) if isinstance(error, OSError) else InputError(text)
            ) from error

    def check(self, grid: Any) -> None:
        """Raises ValueError where it does not fit the grid."""
        v = self.variable
        if v.curved and not _same_places(v.curved, grid, self.where):
            raise InputError(f"{self._source} for {self.field} is {why_curved(v.curved)}")
        if v.latitude is None and v.shape != np.shape(grid.wet_levels):
            raise InputError(
                f"{self.records}: {v.name} for {self.field} has shape {v.shape} and no latitude and"
                f" longitude; the grid takes {np.shape(grid.wet_levels)}"
            )
        if (
            v.latitude is not None
            and not grid.horizontal.spherical
            and v.shape != np.shape(grid.wet_levels)
        ):
            raise InputError(
                f"{self.records}: {v.name} for {self.field} has latitude and longitude; the grid is"
                f" a plane and takes {np.shape(grid.wet_levels)}"
            )
        if v.latitude is None or not grid.horizontal.spherical:
            self._check_order(grid)
        else:
            self._check_covers(grid)

    def _check_covers(self, grid: Any) -> None:
        """Raises InputError: data on the earth do not cover the sea of the grid."""
        v, points = self.variable, Points(grid, self.where)
        of_sea = points.latitude[points.wet], points.longitude[points.wet]
        assert v.latitude is not None
        assert v.longitude is not None
        around = v.columns is None or v.columns.around
        checks.check_covers(self._source, v.latitude, v.longitude, around, of_sea)

    def _check_order(self, grid: Any) -> None:
        """Raises InputError: rows and columns on the points of the model run another way."""
        with library:
            array = self.records.array(self.variable)
            first = array.isel({dim: 0 for dim in array.dims[:-2]}, drop=True)
        labelled.check_order(first, of_grid.place(grid, self.field, "", self.where))

    def _on(self, points: Points, values: np.ndarray) -> np.ndarray:
        v, wet = self.variable, points.wet
        if v.latitude is None or v.longitude is None or not points.spherical:
            self._check_values(values, points, lambda bad: bad & wet)
            return self._whole(points, values, ~np.isfinite(values) & wet, values)
        around = v.columns is None or v.columns.around
        longitude = v.longitude
        if not around:
            values, longitude = longitudes.closed(values, longitude)
        means = points.means_of(v.latitude, longitude) if self.records.average else None
        bring = means or (
            lambda what: regrid.bilinear(
                what, v.latitude, longitude, points.latitude, points.longitude
            )
        )
        self._check_values(values, points, lambda bad: wet & (bring(bad.astype(values.dtype)) > 0))
        there = bring(values)
        if np.isfinite(there[wet]).all():
            return np.where(np.isfinite(there), there, 0)
        known = np.isfinite(values)
        if self.records.gaps == "land":
            self._whole(points, values, wet & (bring(known.astype(values.dtype)) == 0), there)
        return bring(
            fill.harmonic(np.where(known, values, np.nan), v.latitude).astype(values.dtype)
        )

    @property
    def _source(self) -> str:
        """Returns its file and its variable, for messages."""
        return f"{self.records}: {self.variable.name}"

    def _check_values(self, values: np.ndarray, points: Points, used: Any) -> None:
        """Raises ValueError: numbers that the quantity cannot have, at sea."""
        checks.check_values(values, self.field, self.units, self._source, points.place, used)

    def _whole(
        self, points: Points, values: np.ndarray, missing: np.ndarray, result: np.ndarray
    ) -> np.ndarray:
        if missing.any():
            j, i = np.argwhere(missing)[0]
            raise InputError(
                f"no value at {points.place(j, i)}{beside(missing, ' of the sea', 'nor')};"
                " gaps = 'fill' fills from neighbours"
            )
        return np.where(np.isfinite(result), result, 0)


def _same_places(curved: tuple[tuple[str, Any], ...], grid: Any, where: str) -> bool:
    """Returns whether latitudes and longitudes (rows, columns) are those of the model, to its
    spacing; on a plane: whether their shape is.
    """
    latitude, longitude = (np.asarray(held.values, float) for _, held in curved)
    if latitude.shape != np.shape(grid.wet_levels):
        return False
    if not grid.horizontal.spherical:
        return True
    x, y = (np.asarray(places, float) for places in grid.coordinates(where))
    here, there = unit_vectors(x, y), unit_vectors(longitude, latitude)
    spacing = np.linalg.norm(np.diff(here, axis=1), axis=-1)
    return bool(np.nanmedian(np.linalg.norm(here - there, axis=-1)) <= np.nanmedian(spacing))


class Joined:
    """A field that is made of two inputs at the same times: the speed of a wind, np.hypot of its
    components; precipitation, np.add of rain and snow.
    """

    def __init__(self, field: str, made: Any, *components: Input) -> None:
        first, *others = components
        if any(one.axis != first.axis for one in others):
            raise InputError(
                f"{' and '.join(one.field for one in components)} are not given at the same times:"
                f" {field} has to be given too"
            )
        self.field, self.made, self.components = field, made, components
        self.axis, self.where = first.axis, first.where

    def close(self) -> None:
        """Closes the files of its components."""
        for one in self.components:
            one.close()

    def describe(self) -> str:
        """Returns in words where the field comes from."""
        return f"from {' and '.join(part.field for part in self.components)}"

    def read(self, number: int, points: Points, others: Mapping[str, np.ndarray]) -> np.ndarray:
        """Returns record `number` at the points, made from its components; those in `others` are
        not read again.
        """
        result: np.ndarray = self.made(
            *(
                others[c.field] if c.field in others else c.read(number, points)
                for c in self.components
            )
        )
        return result

    def check(self, grid: Any) -> None:
        """Raises InputError where a component does not fit the grid."""
        for one in self.components:
            one.check(grid)


class Points:
    """The points of a grid that a field is wanted at; made where and when one is read."""

    def __init__(self, grid: Any, where: str = "center") -> None:
        self.grid, self.where, self.place = grid, where, grid.place
        self._means: dict[tuple[bytes, bytes], CellMeans] = {}  # by latitudes and longitudes

    @cached_property
    def spherical(self) -> bool:
        """Returns whether the points lie on a sphere."""
        result: bool = self.grid.horizontal.spherical
        return result

    @cached_property
    def _coordinates(self) -> tuple[np.ndarray, np.ndarray]:
        longitude, latitude = (np.array(x) for x in self.grid.coordinates(self.where))
        return longitude, latitude

    longitude = property(lambda self: self._coordinates[0])
    latitude = property(lambda self: self._coordinates[1])

    @cached_property
    def wet(self) -> np.ndarray:
        """Returns where the model has water (ny, nx)."""
        return np.asarray(self.grid.levels_at(self.where)) > 0

    def means_of(self, latitude: np.ndarray, longitude: np.ndarray) -> CellMeans | None:
        """Returns means over cells of such data, where they are fine; None: values of points
        (coarse data, winds on corners, grids without corners of cells).
        """
        h, (rows, columns) = self.grid.horizontal, np.shape(self.grid.wet_levels)
        shape = np.shape(getattr(h, "corner_latitude", ()))
        if self.where != "center" or shape != (rows + 1, columns + 1):
            return None
        if not finer(latitude, longitude, np.asarray(h.area_center)):
            return None
        key = np.asarray(latitude).tobytes(), np.asarray(longitude).tobytes()
        if key not in self._means:
            corners = np.asarray(h.corner_latitude), np.asarray(h.corner_longitude)
            self._means[key] = CellMeans.of_points(latitude, longitude, corners)
        return self._means[key]


class Source:
    """Inputs with the same times. fields : their names;  axis : when their records are;
    read(number) : name -> array (ny, nx), called by threads.
    """

    def __init__(self, axis: times.TimeAxis, inputs: Sequence[Input | Joined], grid: Any) -> None:
        self.axis, self.inputs = axis, inputs
        self.points = {where: Points(grid, where) for where in {i.where for i in inputs}}
        for i in inputs:
            i.check(grid)

    @property
    def fields(self) -> list[str]:
        """Returns the names of the fields that it gives."""
        return [i.field for i in self.inputs]

    def describe(self) -> list[str]:
        """Returns where each field comes from, and of which times."""
        return [f"{i.field}: {i.describe()}, {self.axis}" for i in self.inputs]

    def close(self) -> None:
        """Closes its files; the next record opens them again."""
        for i in self.inputs:
            i.close()

    def read(self, number: int) -> dict[str, np.ndarray]:
        """Returns record `number` of all its fields, at their points."""
        fields: dict[str, np.ndarray] = {}
        for i in self.inputs:
            fields[i.field] = i.read(number, self.points[i.where], fields)
        return fields


def sources(inputs: Sequence[Input | Joined], grid: Any) -> list[Source]:
    """Returns inputs in groups with the same times."""
    groups: list[list[Input | Joined]] = []
    for one in inputs:
        group = next((g for g in groups if g[0].axis == one.axis), None)
        if group is None:
            groups.append([one])
        else:
            group.append(one)
    return [Source(group[0].axis, group, grid) for group in groups]


def interpolate(do: Any, field: str, where: str = "center") -> None:
    """Adds the process that makes a field from its records before and after; do: a
    fathom.model.order."""
    names = {
        "previous": field + "_previous",
        "next": field + "_next",
        "forcing_weight": field + "_weight",
        "value": field,
    }
    scheme = "TimeInterpolation" if where == "center" else "TimeInterpolationAtCorners"
    do(scheme, on=names, label=f"TimeInterpolation of {field}")
