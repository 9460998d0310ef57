"""Checks of a state of the air from a file, whatever its format: what it says of itself, the order
of its levels and columns, and whether its numbers can be.

    check_meaning(source, name, array, field)    a variable of a store is that field
    check_numbers(source, data)                  one time of a state has numbers that can be
    data = ordered(source, data)                 from the top down, from the south, each place once
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fathom import names
from fathom.base import longitudes
from fathom.base.failure import InputError, beside
from fathom.data.input import checks
from fathom.names import quantities

if TYPE_CHECKING:
    import xarray as xr


def check_meaning(source: Any, name: str, array: Any, field: str) -> None:
    """Raises InputError: a variable that stands for a field of a state says that it is another
    quantity, or an extreme over time.
    """
    said = checks.said_by(name, array)
    row = names.describe(field)
    same = {"", field, row.standard_name}
    why = (
        f"is {said.standard_name} (its standard_name)"
        if row.standard_name and said.standard_name not in same
        else checks.other_statistic(said)
    )
    if why:
        raise InputError(f"{source}: its variable {name} {why}, not {field} of a state")


def check_numbers(source: Any, data: xr.Dataset, level: str = "pressure") -> None:
    """Raises InputError: a field of one time of a state holds numbers that air cannot have."""
    for name in map(str, data.data_vars):
        if quantities.of_state(name) is not None:
            check_field(source, name, data[name].values, lambda *at, n=name: _place(data[n], at))


def check_field(source: Any, name: str, values: np.ndarray, place: Any = None) -> None:
    """Raises InputError: numbers of a field, in its own units, that air cannot have. place: text of
    their indices.
    """
    if (row := quantities.of_state(name)) is None or not np.size(values):
        return
    if (bad := row.impossible(values)).any():
        where = place(*np.argwhere(bad)[0]) if place else ""
        raise InputError(
            f"{source}: {name} = {values[bad][0]:g} {row.units}{where}{beside(bad)} must lie"
            f" between {row.least:g} and {row.most:g} {row.units}; is it a missing value, or in"
            " another unit?"
        )


def _place(array: Any, at: tuple[int, ...]) -> str:
    """Returns where a number lies: " at 850 hPa, latitude 10, longitude 20"."""
    where = array.isel(dict(zip(array.dims, map(int, at))))
    said = [
        f"{name} {float(where[name]):g}"
        for name in ("level", "latitude", "longitude")
        if name in where.coords and where[name].size == 1
    ]
    if "pressure" in where.coords and where.pressure.size == 1:
        said.insert(0, f"{float(where.pressure) / 100:g} hPa")
    return f" at {', '.join(said)}" if said else ""


def ordered(source: Any, data: xr.Dataset) -> xr.Dataset:
    """Returns a state with its levels of pressure [Pa] from the top down and, where it has rows and
    columns of the earth, rows from the south and no column twice.
    """
    if "pressure" in data.dims:
        data = _increasing(source, data, "pressure", 100.0, "hPa")
    if not {"latitude", "longitude"} <= set(data.dims):
        return data
    data = _increasing(source, data, "latitude")
    if not np.isfinite(data.longitude.values.astype(float)).all():
        raise InputError(f"{source}: longitude of the state is no number in places")
    taken = longitudes.eastward(data.longitude.values).taken
    return data if taken is None else data.isel(longitude=taken)


def _increasing(
    source: Any, data: xr.Dataset, axis: str, unit: float = 1.0, called: str = "degrees"
) -> xr.Dataset:
    """Returns the data along an increasing axis. InputError: a place twice, or that is none."""
    at = np.asarray(data[axis].values, float)
    data = data.sortby(axis)
    values, times = np.unique(at, return_counts=True)
    if not np.isfinite(at).all() or (times > 1).any():
        which = values[times > 1]
        text = f"{which[0] / unit:g} {called} more than once" if which.size else "no number"
        raise InputError(f"{source}: {axis} of the state is {text}")
    return data


def from_top(
    source: Any, data: xr.Dataset, a: np.ndarray, b: np.ndarray
) -> tuple[xr.Dataset, np.ndarray, np.ndarray]:
    """Returns fields on hybrid levels from the top down, and a [Pa], b of the interfaces, from data
    in this order or the other one.
    """
    steps = np.diff(a + 1e5 * b)
    if (steps > 0).all():
        return data, a, b
    if (steps < 0).all():
        data = data.isel(level=slice(None, None, -1)) if "level" in data.dims else data
        return data, a[::-1], b[::-1]
    raise InputError(f"{source}: its hybrid levels (ap, b) do not follow each other in pressure")
