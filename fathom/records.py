"""Fields in time from files: NetCDF, Zarr and what else `fathom.open` reads, or xarray.DataArrays; brought to the points of a grid, in the units of the model.

    Records("era5/*.nc", "t2m")                 what the user says
    Input("air_temperature", records, "degC")   a field of the model that they give
    Source(axis, inputs, grid)                  inputs with the same times: `read(number)` gives all fields of a record; what fathom/forcing.py asks for
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from fathom import names, times, units
from fathom.reading import library, once

endings = (".nc", ".nc4", ".zarr", ".grib2", ".fa")
horizontal = {"latitude": ("latitude", "lat", "degrees_north"), "longitude": ("longitude", "lon", "degrees_east")}


@dataclass
class Variable:
    """What files say of a variable; parts: (file, records in it), one after another in time."""

    name: str
    standard_name: str
    units: str
    axis: times.TimeAxis
    shape: tuple[int, int]
    latitude: np.ndarray | None = None  # None: on the points of the model
    longitude: np.ndarray | None = None
    parts: tuple[tuple[str, int], ...] = ()
    first: int = 0  # record of the files that is number 0 of the axis


class Records:
    """A field in time, or one that stays, from files or an xarray.DataArray.

    Its last two dimensions are latitude and longitude (degrees, once around the earth), from which it is brought to the model's points bilinearly, or those of the
    model, (ny, nx). Time is as CF says: instants, or intervals where there are `time_bounds`; between instants and middles of intervals a model interpolates.

    Parameters
    ----------
    data : a file, a folder, a pattern with *, a list of files (each a part of the time), or an xarray.DataArray.
    variable : its name in the files; by default what has the right CF name, or the only one.
    units : of the numbers; by default what the data say.
    repeated_year : True: its year is that of every year; a number: this year of several; False: calendar years. By default as the data say (a CF climatology,
        years 0 or 1, a dimension `month`: repeated).
    gaps : "land" (default): missing values are filled from what is around where only land is in them, and are an error at sea; "fill": filled everywhere.
    """

    def __init__(self, data, variable=None, *, units=None, repeated_year=None, gaps="land"):
        if gaps not in ("land", "fill"):
            raise ValueError(f"gaps = {gaps!r}; allowed: 'land', 'fill'")
        if not (repeated_year is None or isinstance(repeated_year, int)):
            raise ValueError(f"repeated_year = {repeated_year!r}; allowed: true, false or a year")  # noqa: TRY004  all errors of the user are ValueErrors
        self.data, self.variable, self.units, self.repeated_year, self.gaps = data, variable, units, repeated_year, gaps
        self.in_memory = hasattr(data, "dims")
        self._variables = None

    def __repr__(self):
        return f"Records({self.data.name if self.in_memory else self.data!r}{f', {self.variable!r}' if self.variable else ''})"

    @property
    def variables(self) -> dict[str, Variable]:
        """What is there, by name."""
        if self._variables is None:
            self._variables = {self.data.name or "data": _described(self.data.name or "data", self.data, self.data.coords)} if self.in_memory else contents(files(self.data))
        return self._variables

    def matches(self, wanted: tuple[str, ...], only: bool = True) -> list[Variable]:
        """What may be meant: the variable that the user names, else that of the first of the names wanted, of a standard name, of an alias, else the only one."""
        there = self.variables
        if self.variable is not None:
            if self.variable not in there:
                raise ValueError(f"{self}: {names.unknown('variable', self.variable, there)}")
            return [there[self.variable]]
        found = [v for v in there.values() if v.name == wanted[0]] or [v for v in there.values() if v.standard_name in wanted] or [v for v in there.values() if v.name in wanted]
        return found or (list(there.values()) if only and len(there) == 1 else [])

    def find(self, wanted: tuple[str, ...], only: bool = True) -> Variable:
        """The one that is. ValueError, with what is there and what is wanted."""
        found = self.matches(wanted, only)
        if len(found) != 1:
            which = ", ".join(v.name for v in found or self.variables.values())
            raise ValueError(f"{self} has {'several variables' if found else 'no variable'} for {wanted[0]} ({which or 'none'}); wanted: {' or '.join(wanted)}, "
                             f"or say which, as in Records(file, 'name')")  # fmt: skip
        return self._of_years(found[0])

    def _of_years(self, variable):
        """The same with the times that are asked for."""
        axis, wanted = variable.axis, self.repeated_year
        if wanted is None or axis.constant:
            return variable
        if isinstance(wanted, bool):
            return replace(variable, axis=times.TimeAxis(axis.begin, axis.end, wanted))
        axis, first = axis.year(wanted)
        return replace(variable, axis=axis, first=first)

    def read(self, variable: Variable, number: int) -> np.ndarray:
        """Record `number` of the axis, (*shape), as it stands in the data. OSError: what cannot be read."""
        number += variable.first
        if self.in_memory:
            return _record(self.data, number)
        for path, count in variable.parts:
            if number < count:
                break
            number -= count
        try:
            with library:
                return _record(_open(path)[variable.name], number)
        except (OSError, RuntimeError, ValueError, KeyError) as error:
            raise OSError(f"{path}: {variable.name} cannot be read: damaged or truncated? ({error})") from error


def given(value: Any) -> Records | None:
    """Records that a user has given, as such, by the name of a file, or as an xarray.DataArray with coordinates; None: something else."""
    if isinstance(value, Records):
        return value
    if isinstance(value, Path) or (isinstance(value, str) and value.endswith(endings)):
        return Records(str(value))
    return Records(value) if hasattr(value, "dims") and hasattr(value, "coords") and len(value.coords) else None


class Input:
    """A field of the model that records give.

    field, wanted : its name and unit in the model.  called : its own name, CF names and aliases that it may have in files.  where : "center" or "corner".
    only : whether the one variable of a file is it, whatever it is called.
    """

    def __init__(self, field: str, records: Records, wanted: str, called: tuple[str, ...] = (), where: str = "center", only: bool = True):
        self.field, self.records, self.where = field, records, where
        self.variable = records.find(called or (field,), only)
        self.axis = self.variable.axis
        told = records.units or self.variable.units or (wanted if records.in_memory else "")
        try:
            if not told:
                raise ValueError("they have no units")
            self.factor, self.offset = units.conversion(told, wanted)
        except ValueError as error:
            raise ValueError(f"{records}: {self.variable.name} for {field} in '{wanted}': {error}; say which, as in Records(file, units='{wanted}')") from None

    def read(self, number: int, points: Points) -> np.ndarray:
        """The field at a record, (ny, nx). OSError: what cannot be read; ValueError: no value at sea, and where."""
        try:
            values = self.records.read(self.variable, number)
            if (self.factor, self.offset) != (1.0, 0.0):
                values = (values * self.factor + self.offset).astype(values.dtype, copy=False)
            return self._on(points, values)
        except (OSError, ValueError) as error:
            raise type(error)(f"{self.field}: {error}") from error

    def check(self, grid) -> None:
        """ValueError where it does not fit the grid."""
        v = self.variable
        if v.latitude is None and v.shape != np.shape(grid.wet_levels):
            raise ValueError(f"{self.records}: {v.name} for {self.field} has shape {v.shape} and no latitude and longitude; the grid takes {np.shape(grid.wet_levels)}")
        if v.latitude is not None and not grid.horizontal.spherical and v.shape != np.shape(grid.wet_levels):
            raise ValueError(f"{self.records}: {v.name} for {self.field} has latitude and longitude; the grid is a plane and takes {np.shape(grid.wet_levels)}")

    def _on(self, points, values):
        from fathom.data import fill, regrid

        v, wet = self.variable, points.wet
        if v.latitude is None or not points.spherical:
            return self._whole(points, values, ~np.isfinite(values) & wet, values)
        bring = lambda what: regrid.bilinear(what, v.latitude, v.longitude, points.latitude, points.longitude)  # noqa: E731
        there = bring(values)
        if np.isfinite(there[wet]).all():
            return np.where(np.isfinite(there), there, 0)
        known = np.isfinite(values)
        if self.records.gaps == "land":
            self._whole(points, values, wet & (bring(known.astype(values.dtype)) == 0), there)
        return bring(fill.harmonic(np.where(known, values, np.nan), v.latitude).astype(values.dtype))

    def _whole(self, points, values, missing, result):
        if missing.any():
            j, i = np.argwhere(missing)[0]
            raise ValueError(f"no value at {points.place(j, i)}, nor at {missing.sum() - 1} more points of the sea; gaps = 'fill' fills them from what is around")
        return np.where(np.isfinite(result), result, 0)


class Speed:
    """The speed of a wind, from inputs of its components."""

    def __init__(self, field: str, east: Input, north: Input):
        if east.axis != north.axis:
            raise ValueError(f"{east.field} and {north.field} are not given at the same times: {field} has to be given too")
        self.field, self.components, self.axis, self.where = field, (east, north), east.axis, east.where

    def read(self, number, points):
        return np.hypot(*(component.read(number, points) for component in self.components))

    def check(self, grid):
        """Its components are inputs themselves."""


class Points:
    """The points of a grid that a field is wanted at."""

    def __init__(self, grid, where="center"):
        self.spherical, self.place = grid.horizontal.spherical, grid.place
        self.longitude, self.latitude = (np.array(x) for x in grid.coordinates(where))
        self.wet = np.asarray(grid.levels_at(where)) > 0


class Source:
    """Inputs with the same times. fields : their names;  axis : when their records are;  read(number) : name -> array (ny, nx), called by threads."""

    def __init__(self, axis, inputs, grid):
        self.axis, self.inputs = axis, inputs
        self.points = {where: Points(grid, where) for where in {i.where for i in inputs}}
        for i in inputs:
            i.check(grid)

    @property
    def fields(self):
        return [i.field for i in self.inputs]

    def read(self, number):
        return {i.field: i.read(number, self.points[i.where]) for i in self.inputs}


def sources(inputs: list[Input], grid) -> list[Source]:
    """Inputs in groups with the same times."""
    groups: list[list[Input]] = []
    for one in inputs:
        group = next((g for g in groups if g[0].axis == one.axis), None)
        if group is None:
            groups.append([one])
        else:
            group.append(one)
    return [Source(group[0].axis, group, grid) for group in groups]


def interpolation(field: str, precision: int, where: str = "center"):
    """The process that makes a field from its records before and after."""
    from fathom.components import scheme

    on = {"previous": field + "_previous", "next": field + "_next", "forcing_weight": field + "_weight", "value": field}
    return scheme("TimeInterpolation" if where == "center" else "TimeInterpolationAtCorners").process(precision, phase="surface", on=on, label=f"TimeInterpolation of {field}")


# ---- files ---------------------------------------------------------------------------------------------------------------------------


def files(data: Any) -> tuple[str, ...]:
    """The files that are meant: one, those of a folder, of a pattern, of a list. FileNotFoundError, ValueError."""
    if isinstance(data, (list, tuple)):
        return tuple(path for one in data for path in files(one))
    path = Path(data).expanduser()
    if "*" in path.name:
        found = sorted(map(str, path.parent.glob(path.name)))
    elif path.is_dir() and not (path / "zarr.json").is_file():
        found = sorted(str(p) for p in path.iterdir() if p.name.endswith(endings))
    else:
        found = [str(path)]
    if not found:
        raise FileNotFoundError(f"{path}: there is no file that ends in {', '.join(endings)}")
    return tuple(found)


@once
def contents(paths: tuple[str, ...]) -> dict[str, Variable]:
    """Variables of files with two dimensions on the earth or more."""
    found: dict[str, list[Variable]] = {}
    for path in paths:
        with library:
            try:
                data = _open(path)
                for name, array in data.data_vars.items():
                    if (one := _described(str(name), array, data.variables)) is not None:
                        found.setdefault(str(name), []).append(replace(one, parts=((path, len(one.axis)),)))
            except ValueError as error:
                raise ValueError(f"{path}: {error}") from error
    return {name: _joined(parts) for name, parts in found.items()}


def _open(path):
    """A data set, held open as long as the file stays the same."""
    return _opened(path, Path(path).stat().st_mtime_ns if Path(path).exists() else 0)


@lru_cache(64)
def _opened(path, changed):
    from fathom.output import open

    return open(path)


def _joined(parts):
    """One variable of the parts of its time."""
    parts.sort(key=lambda v: v.axis.begin[0])
    whole = parts[0]
    for part in parts[1:]:
        files_ = f"{whole.parts[-1][0]} and {part.parts[0][0]}"
        if part.shape != whole.shape or not (_same(part.latitude, whole.latitude) and _same(part.longitude, whole.longitude)):
            raise ValueError(f"{files_}: {part.name} is not on the same points")
        if whole.axis == times.always == part.axis:
            continue  # what stays is in each of the files
        if whole.axis.repeated or part.axis.repeated or part.units != whole.units:
            raise ValueError(f"{files_} both have {part.name}, and are not parts of one series in time")
        try:
            axis = times.TimeAxis(whole.axis.begin + part.axis.begin, whole.axis.end + part.axis.end)
        except ValueError as error:
            raise ValueError(f"{files_}: of {part.name} {error}") from error
        whole = replace(whole, axis=axis, parts=whole.parts + part.parts)
    return whole


def _same(a, b):
    return a is b or (a is not None and b is not None and np.array_equal(a, b))


def _described(name, array, coords):
    """The Variable of an array; None: it has no two dimensions of place. coords: where its bounds are."""
    dims = [dim for dim in array.dims if array.sizes[dim] > 1 or _is_time(array, dim)]
    time = next((dim for dim in dims if _is_time(array, dim)), None)
    places = [dim for dim in dims if dim != time]
    if len(places) != 2 or (time and dims.index(time) != 0):
        return None
    found = [next((c for c in places if c in array.coords and _is(array[c], c, kind)), None) for kind in horizontal]
    latitude, longitude = (None if None in found else np.asarray(array[dim].values, float) for dim in found)
    if None not in found and places != found:
        raise ValueError(f"{name} has its dimensions in the order {', '.join(places)}; wanted: latitude, longitude")
    axis = times.always if time is None else _axis(name, array, time, coords)
    return Variable(name, array.attrs.get("standard_name", ""), array.attrs.get("units", ""), axis, tuple(array.sizes[d] for d in places), latitude, longitude)


def _is(coordinate, name, kind):
    """Whether a coordinate is latitude, or longitude."""
    return coordinate.ndim == 1 and bool({str(name).lower(), coordinate.attrs.get("standard_name"), coordinate.attrs.get("units")} & set(horizontal[kind]))


def _is_time(array, dim):
    return dim in ("time", "month") or (dim in array.coords and array[dim].attrs.get("standard_name") == "time")


def _axis(name, array, dim, coords):
    """The TimeAxis of a dimension."""
    if dim == "month" and array.sizes[dim] == 12:
        return times.months
    if dim not in array.coords or array[dim].dtype.kind not in "MO":
        raise ValueError(f"{name}: its dimension {dim} has no dates; CF: units = 'days since 2000-01-01'")
    time = array[dim]
    held = {**time.encoding, **time.attrs}
    climate, bounds = held.get("climatology"), held.get("climatology") or held.get("bounds")
    moments = _moments(time.values)
    if bounds is None or bounds not in coords:
        return times.TimeAxis(moments, None, moments[-1][0] <= 1)
    begin, end = (_moments(_dates(coords[bounds].values[:, n], held)) for n in (0, 1))
    if climate:  # from the first year's beginning to the last year's end
        end = [(a[0] + (b[1:] <= a[1:]), *b[1:]) for a, b in zip(begin, end)]
        year = begin[0][0]
        begin, end = ([(m[0] - a[0] + year, *m[1:]) for a, m in zip(begin, which)] for which in (begin, end))
    return times.TimeAxis(begin, end, bool(climate) or end[-1][0] <= 2 and begin[0][0] <= 1)


def _dates(values, held):
    """Bounds as dates: where they have no units of their own they have those of the time."""
    if values.dtype.kind in "MO":
        return values
    import cftime

    return cftime.num2date(values, held["units"], held.get("calendar", "standard"))


def _moments(values):
    """(year, month, day, second of the day) of dates."""
    import pandas
    import xarray

    index = pandas.DatetimeIndex(values) if np.asarray(values).dtype.kind == "M" else xarray.CFTimeIndex(values)
    seconds = index.hour * 3600.0 + index.minute * 60.0 + index.second + index.microsecond / 1e6
    return list(zip(*(np.asarray(part).tolist() for part in (index.year, index.month, index.day, seconds))))


def _record(array, number):
    """One record as numbers, (*shape)."""
    dims = [dim for dim in array.dims if array.sizes[dim] > 1 or _is_time(array, dim)]
    time = next((dim for dim in dims if _is_time(array, dim)), None)
    place = {dim: 0 for dim in array.dims if dim not in dims} | ({time: number} if time else {})
    values = np.asarray(array.isel(place).values)
    return values if values.dtype.kind == "f" else values.astype(float)
