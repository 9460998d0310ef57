"""Descriptions of the variables in files: names, units, times, place.

contents(files("era5/*.nc"))["t2m"]
    # of several files, parts of one series in time: one Variable
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from fathom.base import instants as times
from fathom.base import longitudes
from fathom.base.failure import InputError, MissingFileError
from fathom.base.home import at_home
from fathom.base.reading import library, once
from fathom.data.input import checks
from fathom.output import formats, open

horizontal = {  # names, and units as CF allows them
    "latitude": ("latitude", "lat", "degrees_north", "degree_north", "degrees_N", "degree_N"),
    "longitude": ("longitude", "lon", "degrees_east", "degree_east", "degrees_E", "degree_E"),
}
calendars = (  # of CF
    "standard",
    "gregorian",
    "proleptic_gregorian",
    "julian",
    "noleap",
    "365_day",
    "360_day",
    "all_leap",
    "366_day",
)


@dataclass
class Variable:
    """The description of a variable in files; parts: (file, records in it), one after another in
    time.
    """

    name: str
    standard_name: str
    units: str
    axis: times.TimeAxis
    shape: tuple[int, int]
    latitude: np.ndarray | None = None  # None: on the points of the model
    longitude: np.ndarray | None = None
    parts: tuple[tuple[str, int], ...] = ()
    first: int = 0  # record of the files that is number 0 of the axis
    said: checks.Said = field(default_factory=lambda: checks.Said(""))
    columns: longitudes.Columns | None = None  # of its longitudes
    curved: tuple[
        tuple[str, Any], ...
    ] = ()  # its latitudes and longitudes, where these have two dimensions


def files(data: Any) -> tuple[str, ...]:
    """Returns the files that are meant: one, those of a folder, of a pattern, of a list.
    FileNotFoundError, ValueError.
    """
    if isinstance(data, (list, tuple)):
        return tuple(path for one in data for path in files(one))
    path = at_home(data)
    if "*" in path.name:
        found = sorted(map(str, path.parent.glob(path.name)))
    elif path.is_dir() and not formats.is_zarr(path):
        found = sorted(str(p) for p in path.iterdir() if p.name.endswith(formats.readable()))
    else:
        found = [str(path)]
    if not found:
        raise MissingFileError(
            f"{path}: there is no file that ends in {', '.join(formats.readable())}"
        )
    return tuple(found)


@once
def contents(paths: tuple[str, ...]) -> dict[str, Variable]:
    """Returns variables of files with two dimensions on the earth or more."""
    found: dict[str, list[Variable]] = {}
    for path in paths:
        with library:
            try:
                data, place = opened(path), os.path.abspath(path)
                for name, one in described(data.data_vars, data.variables).items():
                    found.setdefault(name, []).append(replace(one, parts=((place, len(one.axis)),)))
            except ValueError as error:
                raise InputError(f"{path}: {error}") from error
    return {name: _joined(parts) for name, parts in found.items()}


def described(arrays: Mapping[Any, Any], coords: Any) -> dict[str, Variable]:
    """Returns variables of arrays by name, of those that have two dimensions of place and are no
    bounds or places of others.
    """
    without = bounds_in(coords)
    return {
        str(name): one
        for name, array in arrays.items()
        if str(name) not in without
        and not _kind_of_place(array, str(name))
        and (one := _described(str(name), array, coords)) is not None
    }


def bounds_in(variables: Mapping[Any, Any]) -> set[str]:
    """Returns the names of bounds: those that a variable calls so, and usual ones."""
    said = {
        str(where.get(key))
        for held in variables.values()
        for where in (held.attrs, held.encoding)
        for key in ("bounds", "climatology")
    }
    usual = ("_bnds", "_bounds", "_bnd", "_vertices")
    return said | {str(name) for name in variables if str(name).endswith(usual)}


def _kind_of_place(array: Any, name: str) -> str:
    """Returns "latitude" or "longitude" where an array gives these; else ""."""
    said = {array.attrs.get("standard_name"), array.attrs.get("units")}
    for kind, words in horizontal.items():
        if said & {kind, *words[2:]} or name.lower() in (f"nav_{words[1]}", f"geo{words[1]}"):
            return kind
    return ""


def curved(array: Any, variables: Mapping[Any, Any]) -> tuple[tuple[str, Any], ...]:
    """Returns (name, array) of the latitudes and the longitudes (rows, columns) of an array on
    curved rows; (): it has none.
    """
    found: dict[str, Any] = {}
    for name, held in {**variables, **array.coords}.items():
        if held.ndim == 2 and set(held.dims) <= set(array.dims):
            kind = _kind_of_place(held, str(name)) or next(
                (k for k, words in horizontal.items() if str(name).lower() in words[:2]), ""
            )
            found.setdefault(kind, (str(name), held))
    return tuple(found[kind] for kind in horizontal) if {*horizontal} <= found.keys() else ()


def why_curved(places: tuple[tuple[str, Any], ...]) -> str:
    """Returns words for data on curved rows."""
    names = " and ".join(name for name, _ in places)
    return (
        f"on curved rows: its {names} have two dimensions; wanted: rows of latitude and columns of"
        " longitude, as `cdo remapbil,r360x180` makes them"
    )


def opened(path: Any) -> Any:
    """Returns a data set, opened once as long as the file stays the same; it is closed when nobody
    holds it any more, so that the file can be written anew. One that has changed is closed before
    it is opened again: a library that still holds it would not look at it anew.
    """
    key, now = str(path), _stamp(path)
    before, data = _open_as.get(key, now), _open.get(key)
    if data is not None and before != now:
        data.close()
        data = None
    if data is None:
        data = _open[key] = open(path)
        _open_as[key] = now
    return data


_open: WeakValueDictionary[str, Any] = WeakValueDictionary()
_open_as: dict[str, tuple[int, ...]] = {}  # what stood there when it was opened


def _stamp(path: Any) -> tuple[int, ...]:
    """Returns which file a path is, how long, and when it was written; (): there is none."""
    try:
        found = Path(path).stat()
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns


def length(path: Any) -> int | None:
    """Returns the length of a file [bytes]; None of a folder, or where there is none."""
    return os.path.getsize(path) if os.path.isfile(path) else None


def _joined(parts: list[Variable]) -> Variable:
    """Returns one variable of the parts of its time."""
    parts.sort(key=lambda v: v.axis.begin[0])
    whole, stays = parts[0], parts[0].axis == times.always
    for before, part in itertools.pairwise(parts):
        _check_joint(whole, before, part)
    if stays or len(parts) == 1:
        return whole
    begin, end = (
        [moment for part in parts for moment in getattr(part.axis, which)]
        for which in ("begin", "end")
    )
    return replace(
        whole,
        axis=times.TimeAxis(begin, end, calendar=whole.axis.calendar),
        parts=tuple(one for part in parts for one in part.parts),
    )


def _check_joint(whole: Variable, before: Variable, part: Variable) -> None:
    """Raises ValueError where a part does not begin where the one before ends."""
    files_ = f"{before.parts[0][0]} and {part.parts[0][0]}"
    if part.shape != whole.shape or not (
        _same(part.latitude, whole.latitude) and _same(part.longitude, whole.longitude)
    ):
        raise InputError(f"{files_}: {part.name} is not on the same points")
    if whole.axis == part.axis == times.always:
        return  # constant variables are in each of the files
    if whole.axis.repeated or part.axis.repeated or part.units != whole.units:
        raise InputError(f"{files_} both have {part.name}, and are not parts of one series in time")
    if part.axis.begin[0] <= before.axis.begin[-1]:
        raise InputError(
            f"{files_}: of {part.name} its times do not increase:"
            f" {times.text(part.axis.begin[0])} comes after {times.text(before.axis.begin[-1])}"
        )


def _same(a: Any, b: Any) -> bool:
    return a is b or (a is not None and b is not None and np.array_equal(a, b))


def _described(name: str, array: Any, coords: Any) -> Variable | None:
    """Returns the Variable of an array; None: it has no two dimensions of place. coords: where its
    bounds are.
    """
    if why_not(array):
        return None
    time, places = _dimensions(array)
    latitude, longitude = _places(name, array, places)
    axis = times.always if time is None else axis_of(name, array, time, coords)
    columns = None if longitude is None else longitudes.eastward(longitude)
    return Variable(
        name,
        array.attrs.get("standard_name", ""),
        array.attrs.get("units", ""),
        axis,
        tuple(array.sizes[d] for d in places),
        latitude,
        None if columns is None else columns.longitude,
        said=checks.said_by(name, array),
        columns=columns,
        curved=curved(array, coords) if latitude is None else (),
    )


def why_not(array: Any) -> str:
    """Returns why an array is no field in time on the earth; "": it is one."""
    time, places = _dimensions(array)
    order = ", ".join(map(str, array.dims))
    if len(places) > 2:
        more = [f"{dim} has {array.sizes[dim]} values" for dim in places[:-2]]
        return f"of its dimensions ({order}) {' and '.join(more)}: choose one, or say what is time"
    if len(places) < 2:
        return f"its dimensions ({order}) are not two of place"
    if time is not None and array.dims.index(time) > min(map(array.dims.index, places)):
        return f"its dimensions are ({order}); wanted: time first"
    return ""


def _dimensions(array: Any) -> tuple[str | None, list[str]]:
    """Returns (the dimension of time or None, the others that are longer than one)."""
    dims = [dim for dim in array.dims if array.sizes[dim] > 1 or _is_time(array, dim)]
    time = dimension_of_time(array)
    return time, [dim for dim in dims if dim != time]


def dimension_of_time(array: Any) -> str | None:
    """Returns the dimension of an array that is time; None: it has none."""
    return next((str(dim) for dim in array.dims if _is_time(array, dim)), None)


def _places(
    name: str, array: Any, dims: Sequence[str]
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Returns latitude and longitude of an array's points; None where a dimension is none of
    them."""
    found = [
        next((dim for dim in dims if dim in array.coords and is_place(array[dim], dim, kind)), None)
        for kind in horizontal
    ]
    if None in found:
        return None, None
    if dims != found:
        raise InputError(
            f"{name} has its dimensions in the order {', '.join(dims)}; wanted: latitude, longitude"
        )
    latitude, longitude = (np.asarray(array[dim].values, float) for dim in found)
    check_degrees(name, latitude, longitude)
    return latitude, longitude


def check_degrees(name: str, latitude: np.ndarray, longitude: np.ndarray) -> None:
    """Raises ValueError: no latitudes and longitudes on the earth, or not in degrees."""
    for kind, values in (("latitude", latitude), ("longitude", longitude)):
        if not np.isfinite(values).all():
            raise InputError(f"{name}: its {kind} is not a number in places")
    if abs(latitude).max() > 90 + 1e-3:
        raise InputError(
            f"{name}: its latitude goes from {latitude.min():g} to {latitude.max():g}; wanted:"
            " degrees from -90 to 90"
        )
    around = np.ptp(longitude) * (1 + 1 / max(longitude.size - 1, 1))
    if longitude.size > 2 and abs(around - 2 * np.pi) < 0.05 and abs(latitude).max() < 1.6:
        raise InputError(
            f"{name}: its longitude goes from {longitude.min():g} to {longitude.max():g}, as in"
            " radians; wanted: degrees"
        )


def is_place(coordinate: Any, name: str, kind: str) -> bool:
    """Returns whether a coordinate is latitude, or longitude."""
    return coordinate.ndim == 1 and bool(
        {str(name).lower(), coordinate.attrs.get("standard_name"), coordinate.attrs.get("units")}
        & set(horizontal[kind])
    )


def _is_time(array: Any, dim: str) -> bool:
    """Returns whether it is a time: by its name, its standard name, or because its values are
    dates.
    """
    if dim in ("time", "month"):
        return True
    if dim not in array.coords:
        return False
    coordinate = array[dim]
    if coordinate.attrs.get("standard_name") == "time" or coordinate.dtype.kind == "M":
        return True
    return coordinate.dtype.kind == "O" and hasattr(coordinate.values.flat[0], "calendar")


def axis_of(name: str, array: Any, dim: str | None, coords: Any) -> times.TimeAxis:
    """Returns the TimeAxis of a dimension."""
    if dim == "month" and array.sizes[dim] == 12:
        return times.months
    if dim not in array.coords or array[dim].dtype.kind not in "MO":
        raise InputError(why_no_dates(name, array, dim))
    time = array[dim]
    held = {**time.encoding, **time.attrs}
    calendar = getattr(np.ravel(time.values)[0], "calendar", "standard")
    climate, bounds = held.get("climatology"), held.get("climatology") or held.get("bounds")
    dates = moments(time.values)
    if bounds is None or bounds not in coords:
        return times.TimeAxis(dates, None, dates[-1][0] <= 1, calendar)
    begin, end = (moments(_dates(coords[bounds].values[:, n], held)) for n in (0, 1))
    # of so many years: those of the records follow each other, each as long as from the day it
    # begins to the day it ends
    if climate:
        year, before, followed = begin[0][0], begin[0][1:], []
        for a, b in zip(begin, end):
            year, before = year + (a[1:] < before), a[1:]
            followed.append(((year, *a[1:]), (year + (b[1:] <= a[1:]), *b[1:])))
        begin, end = map(list, zip(*followed))
    repeated = bool(climate) or (end[-1][0] <= 2 and begin[0][0] <= 1)
    return times.TimeAxis(begin, end, repeated, calendar)


def why_no_dates(name: str, array: Any, dim: str | None) -> str:
    """Returns why a dimension has no dates: a calendar that nobody knows, or no unit of time."""
    said = array[dim].attrs.get("calendar") if dim in array.coords else None
    if said is not None and str(said).lower() not in calendars:
        return (
            f"{name}: its {dim} has the calendar {said!r}, which is unknown; allowed:"
            f" {', '.join(calendars)}"
        )
    return f"{name}: its dimension {dim} has no dates; CF: units = 'days since 2000-01-01'"


def _dates(values: Any, held: Any) -> Any:
    """Returns bounds as dates: without units they have those of the time."""
    if values.dtype.kind in "MO":
        return values
    import cftime

    return cftime.num2date(values, held["units"], held.get("calendar", "standard"))


def moments(values: Any) -> list[times.Moment]:
    """Returns (year, month, day, second of the day) of dates."""
    import pandas
    import xarray

    index = (
        pandas.DatetimeIndex(values)
        if np.asarray(values).dtype.kind == "M"
        else xarray.CFTimeIndex(values)  # type: ignore[no-untyped-call]
    )
    seconds = index.hour * 3600.0 + index.minute * 60.0 + index.second + index.microsecond / 1e6
    return list(
        zip(*(np.asarray(part).tolist() for part in (index.year, index.month, index.day, seconds)))
    )


def record(array: Any, number: int) -> np.ndarray:
    """Returns one record as numbers, (*shape)."""
    dims = [dim for dim in array.dims if array.sizes[dim] > 1 or _is_time(array, dim)]
    time = next((dim for dim in dims if _is_time(array, dim)), None)
    place = {dim: 0 for dim in array.dims if dim not in dims} | ({time: number} if time else {})
    return numbers(array.isel(place))


def numbers(array: Any) -> np.ndarray:
    """Returns the numbers of an array of a file, of floating point. InputError: it holds texts."""
    values = np.asarray(array.values)
    if values.dtype.kind not in "fiub":
        raise InputError(f"{array.name} holds {values.dtype}, no numbers")
    return values if values.dtype.kind == "f" else values.astype(float)
