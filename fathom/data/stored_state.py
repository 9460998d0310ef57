"""States of the atmosphere in stores: of Fathom (Zarr, NetCDF, FA), and of others by CF's names.

A variable is found by its name here, its alias (`ta`), or its CF standard name; its units are
converted. Levels are of pressure, or hybrid with `ap` and `b` (of layers with bounds, or of
interfaces). Rows that are reduced, stretched or about another pole are brought to full
Gaussian ones of the earth (fathom/data/rows_of_store.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fathom import moist_air, names, output, units
from fathom.data import layered_state, rows_of_store
from fathom.failure import InputError

if TYPE_CHECKING:
    import xarray as xr

fields = (
    *layered_state.needed,
    *("specific_humidity", "relative_humidity", "geopotential", "geopotential_height"),
    *("surface_air_pressure", "log_surface_pressure", "surface_geopotential"),
)
vertical = ("pressure", "plev", "level", "isobaricInhPa", "pressure_level")
places = {"lat": "latitude", "lon": "longitude"}


def state(file: Path) -> xr.Dataset:
    """All times of a store, (time, pressure [Pa], latitude, longitude). ValueError: what it lacks
    or has twice, units that do not fit; OSError: it cannot be read.
    """
    data = output.open(file)
    found = _in_our_units(_renamed(data, _found(file, data)))
    found = rows_of_store.on_full_rows(found)
    if "ap" not in data or "b" not in data:
        return _on_pressures(file, found)
    a, b = (_interfaces(data, name) for name in ("ap", "b"))
    layered_state.check(file, found.data_vars)
    layered_state.check(file, found.data_vars, found.sizes.get("level", 0), a.size - 1)
    used = [name for name in fields if name in found and name != "geopotential"]
    return layered_state.on_pressures(_in_order(found[used], "level"), a, b)


def in_layers(
    file: Path, number: int, also: Sequence[str] = ()
) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """Record `number` of a store on hybrid levels, on its own points: fields (levels, rows,
    points), (rows, points), and those of `also` that are there; a [Pa] and b of the interfaces.
    """
    with output.open(file) as data:
        if "ap" not in data or "b" not in data:
            raise InputError(f"{file} has no hybrid levels (ap, b)")
        names = tuple(dict.fromkeys((*fields, *also)))
        found = _in_our_units(_renamed(data, _found(file, data, names)))
        lacking = [n for n in (*layered_state.needed, "surface_air_pressure") if n not in found]
        a, b = (_interfaces(data, name) for name in ("ap", "b"))
        if lacking or found.sizes.get("level") != a.size - 1:
            raise InputError(
                f"{file} lacks {', '.join(lacking) or 'some of its hybrid levels'}: all of them are"
                f" needed, with {', '.join(layered_state.needed)} and surface_air_pressure"
            )
        record = found.isel(time=number)
        return {n: np.asarray(record[n].values, float) for n in names if n in record}, a, b


def _on_pressures(file: Path, found: xr.Dataset) -> xr.Dataset:
    """With pressure in Pa, geopotential and specific humidity."""
    level = next((name for name in vertical if name in found.dims and name in found.coords), None)
    if level is None:
        raise InputError(
            f"{file} has no levels of pressure ({', '.join(vertical)}) and no hybrid levels (ap,"
            f" b); it has {', '.join(map(str, found.dims)) or 'no dimension'}"
        )
    factor, _ = units.conversion(found[level].attrs.get("units", "Pa"), "Pa")
    found = found.assign_coords({level: factor * found[level].values.astype(float)})
    found = found.rename({level: "pressure"} if level != "pressure" else {})
    if "geopotential" not in found and "geopotential_height" in found:
        found["geopotential"] = moist_air.GRAVITY * found.geopotential_height
    return layered_state.with_specific_humidity(_in_order(found, "pressure"))


def _found(file: Path, data: xr.Dataset, wanted: Sequence[str] = fields) -> dict[str, str]:
    """{variable: its name here}."""
    new: dict[str, str] = {}
    for name in wanted:
        row = names.describe(name)
        there = [str(n) for n in data.data_vars if n in (name, row.alias)] or [
            str(n)
            for n, array in data.data_vars.items()
            if row.standard_name
            and array.attrs.get("standard_name") == row.standard_name
            and bool(set(array.dims) & set(vertical)) == (row.vertical != "column")
        ]
        if len(there) > 1:
            raise InputError(f"{file} has {name} more than once: {', '.join(there)}")
        new |= dict.fromkeys(there, name)
    return new


def _renamed(data: xr.Dataset, new: dict[str, str]) -> xr.Dataset:
    axes = {old: name for old, name in places.items() if old in data.dims}
    return data.rename(new | axes)


def _in_our_units(data: xr.Dataset) -> xr.Dataset:
    """Those of a state; one without units has ours."""
    for name in (name for name in fields if name in data):
        wanted = names.describe(name).units or "1"
        factor, offset = units.conversion(data[name].attrs.get("units") or wanted, wanted)
        if (factor, offset) != (1.0, 0.0):
            data[name] = factor * data[name] + offset
    return data


def _interfaces(data: xr.Dataset, name: str) -> np.ndarray:
    """ap or b of the interfaces of layers."""
    if f"{name}_bounds" not in data:
        return np.asarray(data[name].values, float)
    pairs = data[f"{name}_bounds"].values.astype(float)
    return np.append(pairs[:, 0], pairs[-1, 1])


def _in_order(data: xr.Dataset, level: str) -> xr.Dataset:
    dims = ("time", level, "latitude", "longitude")
    return data.transpose(*(d for d in dims if d in data.dims), ...)
