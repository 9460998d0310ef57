"""The part of a stored variable that is drawn: which time, which level, which basin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fathom.base import longitudes
from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.base.units import conversion
from fathom.names import describe, quantities
from fathom.names.roles import role_of


def at_names(dataset: Any, data: Any, chosen: Mapping[str, str]) -> tuple[Any, str]:
    """Returns the data at named places of dimensions, as {"basin": "atlantic"}, and these in words.
    A value is a name of the coordinate, or a number from 0. InputError: no such dimension or name.
    """
    words = []
    for dim, value in chosen.items():
        if dim not in data.dims or dim == "time":
            raise InputError(unknown(f"dimension of {data.name}", dim, map(str, data.dims)))
        names = names_along(dataset, dim, data.sizes[dim])
        if value not in names:
            raise InputError(unknown(dim, value, names))
        data = data.isel({dim: names.index(value)})
        words.append(value.replace("_", " "))
    return data, ", ".join(words)


def names_along(dataset: Any, dim: str, size: int) -> list[str]:
    """Returns names along a dimension: those in the file, or numbers from 0."""
    coordinate = dataset.variables.get(dim)
    if coordinate is not None and "flag_meanings" in coordinate.attrs:
        meanings = coordinate.attrs["flag_meanings"].split()
        return [meanings[int(n)] for n in coordinate.values]
    if coordinate is not None and coordinate.dtype.kind in "OSUT":
        return [str(name) for name in coordinate.values]
    return [str(n) for n in range(size)]


def in_columns(data: Any) -> Any:
    """Returns a field on longitudes of any order with its columns from west to east, each once."""
    dim = data.dims[-1] if data.dims else ""
    if dim not in data.coords or role_of(data[dim], str(dim)) != "longitude":
        return data
    columns = longitudes.eastward(data[dim].values)
    if columns.taken is None:
        return data
    return data.isel({dim: columns.taken}).assign_coords(
        {dim: (dim, columns.longitude, data[dim].attrs)}
    )


def possible(data: Any, name: str) -> tuple[Any, str]:
    """Returns a field without the numbers that its quantity cannot have, as 1e20 where a file does
    not say that it means none; and words that say how many were left out.
    """
    known = describe(name).name
    row = quantities.of_state(known) or quantities.of(known)
    if row is None or data.dtype.kind != "f":
        return data, ""
    try:
        factor, offset = conversion(row.units, str(data.attrs.get("units") or row.units))
    except InputError:
        return data, ""
    bad = row.impossible(data.values, factor, offset)
    if not bad.any():
        return data, ""
    return data.where(~bad), f"without {int(bad.sum())} impossible numbers"


def without_rock(dataset: Any, data: Any) -> Any:
    """Returns a field of an ocean's restart with NaN where there is no water: there its temperature
    and its salinity are 0. Fields on corners stay.
    """
    ocean = "Ocean" in str(dataset.attrs.get("source", "")).split(", ")
    tracers = ("temperature", "salinity")
    if not ocean or not str(dataset.attrs.get("title", "")).startswith("Restart"):
        return data
    if any(name not in dataset.data_vars for name in tracers):
        return data
    held = [dataset[name] for name in tracers]
    if data.dims == held[0].dims[1:]:
        held = [one[0] for one in held]
    if data.dims != held[0].dims:
        return data
    return data.where((held[0].values != 0) | (held[1].values != 0))


def check_times(data: Any) -> None:
    """Raises InputError: a file of a run that has not written anything yet."""
    if not data.sizes.get("time", 1):
        raise InputError("there is no complete time in the file yet")


def at_time(data: Any, time: str | int) -> tuple[Any, str]:
    """Returns the data at a time ("first", "last", or its number) and the date as text. InputError:
    there is no such time.
    """
    if "time" not in data.dims:
        return data, ""
    check_times(data)
    count = data.sizes["time"]
    words = {"last": count - 1, "first": 0}
    index = words.get(time) if isinstance(time, str) else int(time)
    if (
        index is None
        and isinstance(time, str)
        and time.lstrip("-").isdigit()
        and len(time.lstrip("-")) < 4
    ):
        index = int(time)
    if index is None:
        index = _nearest_time(data.time, str(time))
    if not -count <= index < count:
        first, last = (_date(data.time.values[n]) for n in (0, -1))
        raise InputError(
            f"time {time} is not in the file: it has times 0 to {count - 1}, {first} to {last}"
        )
    chosen = data.isel(time=index)
    return chosen, _date(chosen.time.values)


year = 12.0 * 31 * 24 * 60  # in minutes of months of 31 days


def _nearest_time(times: Any, wanted: str) -> int:
    """Returns index of the time nearest to a date such as 2000, 2000-02 or 2000-02-11 06:00.
    InputError: it is none, or more than a year away from the data.
    """

    def seconds(text: str) -> float:
        parts = [
            int(part)
            for part in (
                text.replace("T", "-").replace(" ", "-").replace(":", "-").split(".")[0].split("-")
            )
        ]
        year, month, day, hour, minute = (*parts, *(0, 1, 1, 0, 0)[len(parts) :])[:5]
        return (((year * 12 + month - 1) * 31 + day - 1) * 24 + hour) * 60 + minute

    try:
        target = seconds(wanted)
    except (ValueError, TypeError):
        raise InputError(
            f"time {wanted!r} is none of: last, first, an index, a date such as 2000-02-11"
        ) from None
    at = np.array([seconds(str(value)) for value in times.values])
    reach = max(year, float(np.diff(at).max(initial=0)))
    if not at.min() - reach <= target <= at.max() + reach:
        first, last = (_date(times.values[n]) for n in (0, -1))
        raise InputError(f"time {wanted} is far from those of the file, {first} to {last}")
    return int(np.argmin(np.abs(at - target)))


def _date(value: Any) -> str:
    return str(value).replace("T", " ")[:16].removesuffix(" 00:00")


def vertical(data: Any) -> str | None:
    """Returns the vertical dimension, if there is one: what is left other than time and the last
    two.
    """
    rest = [dim for dim in data.dims if dim != "time"][:-2]
    return rest[0] if rest else None


def at_level(dataset: Any, data: Any, level: float | str | None) -> tuple[Any, str]:
    """Returns data at the nearest level, and its name as text. InputError: no levels."""
    dim = vertical(data)
    if dim is None and level in (None, "surface"):
        return data, ""
    if dim is None:
        raise InputError(f"level {level}: {data.name} has no levels in the file")
    count = data.sizes[dim]
    values, pressure = _levels(dataset, dim, count)
    hybrid, units = dim.startswith("level") and not pressure, "hPa" if pressure else "m"
    if level == "bottom":
        return _bottom(data, dim), "bottom"
    if level in (None, "surface") and pressure:
        level = values.max() if level == "surface" else 500
    if level in (None, "surface"):
        index = _surface(dataset, count) if hybrid else 0
    else:
        index = _nearest_level(level, values, hybrid, units)
    return data.isel({dim: index}), (
        f"level {index + 1} of {count}" if hybrid else f"{values[index]:.4g} {units}"
    )


def _surface(dataset: Any, count: int) -> int:
    """Returns, of levels without depths, as in restarts, the first of an ocean, else the last."""
    return 0 if "Ocean" in str(dataset.attrs.get("source", "")).split(", ") else count - 1


def _levels(dataset: Any, dim: str, count: int) -> tuple[np.ndarray, bool]:
    """Returns the values of a vertical axis, in hPa if it is one of pressure, and whether it is."""
    there = dim in dataset.variables
    values = np.asarray(dataset[dim].values if there else np.arange(count), float)
    factor = _hectopascals(dim, dataset[dim].attrs.get("units", "") if there else "")
    return values * (factor or 1.0), factor > 0


def _hectopascals(dim: str, said: str) -> float:
    """Returns the factor from the unit of an axis of pressure to hPa; 0: it is none."""
    return {"hPa": 1.0, "mbar": 1.0, "millibars": 1.0, "Pa": 0.01}.get(
        said, float(dim == "pressure")
    )


def _nearest_level(level: Any, values: Any, hybrid: bool, units: str) -> int:
    """Returns the index of a hybrid level by its number, of another by its place; ValueError:
    neither.
    """
    try:
        wanted = float(level)
        if not np.isfinite(wanted):
            raise ValueError
    except (TypeError, ValueError):
        numbers = (
            f"a level from 1 to {len(values)}"
            if hybrid
            else f"{units} from {values[0]:g} to {values[-1]:g}"
        )
        raise InputError(f"level {level!r} is none of: surface, bottom, {numbers}") from None
    if hybrid:
        return int(np.clip(wanted - 1, 0, len(values) - 1))
    return int(np.argmin(np.abs(values - wanted)))


def _bottom(data: Any, dim: str) -> Any:
    """Returns the last level of each column that has a value."""
    wet = np.isfinite(data.values)
    last = np.where(wet.any(0), wet.shape[0] - 1 - np.argmax(wet[::-1], axis=0), 0)
    return data.isel({dim: 0}).copy(data=np.take_along_axis(data.values, last[None], 0)[0])
