"""Fields of layers from data on latitude, longitude and depth: initial states of the ocean.

Gaps are filled from the water around, then the values are brought to the model's points bilinearly,
and to its depths linearly, constant above and below what the data have. Temperatures as measured
(in situ, as WOA has them) become potential ones by TEOS-10.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from fathom import names, output
from fathom.base import longitudes, units
from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.base.reading import once, told
from fathom.data import sets
from fathom.data.input import checks, variables
from fathom.data.input.records import Records
from fathom.grids.regrid import fill, points

in_situ = "sea_water_temperature"  # its CF name
_absolute_salinity = 35.16504  # of sea water with 35 of practical salinity [g kg-1]
vertical = ("depth", "lev", "level", "z", "st_ocean", "deptht", "olevel")


def is_data(value: Any) -> bool:
    """Returns whether it is the name of a data set, the path of a file, Records, or from xarray."""
    if isinstance(value, str):
        return sets.find(value) is not None or value.endswith(output.formats.readable())
    return isinstance(value, (Path, Records)) or bool(len(getattr(value, "coords", ())))


def on_points(
    value: Any, field: str, latitude: Any, longitude: Any, depth: Any, wet: Any = None
) -> np.ndarray:
    """Returns `field` of such data, (levels, *shape of latitude), at depths [m] and places
    [degrees].

    wet : the points at which it is used; None: all.
    ValueError: no such variable, coordinates or units that do not fit, data that do not cover the
    points, numbers that cannot be; OSError: no such file.
    """
    used = np.ones(np.shape(latitude), bool) if wet is None else np.asarray(wet, bool)
    return once(_on_points)(value, field, latitude, longitude, depth, used)


def _on_points(
    value: Any,
    field: str,
    latitude: np.ndarray,
    longitude: np.ndarray,
    depth: np.ndarray,
    used: np.ndarray,
) -> np.ndarray:
    try:
        return on_places(_array(value, field), field, (latitude, longitude, depth), used)
    except InputError as error:
        source = value if isinstance(value, (str, Path, Records)) else "the data"
        raise InputError(f"{field} of {source}: {error}") from error


def on_places(
    array: Any, field: str, places: tuple[np.ndarray, np.ndarray, np.ndarray], used: np.ndarray
) -> np.ndarray:
    """Returns an array of xarray on (depth, latitude, longitude) at places: latitude, longitude,
    depth; as `on_points`.
    """
    latitude, longitude, depth = places
    array = _on_axes(array)
    # practical salinity is a number, which files call 1e-3 or psu
    wanted = "1e-3" if field == "salinity" else names.get(field).units
    z, y, x = (np.asarray(array[d].values, float) for d in array.dims)
    variables.check_degrees(str(array.name), y, x)
    z = _depths(z * _to(array[array.dims[0]], "m")[0], array)
    downward = np.argsort(z)
    _check_units(array, field, wanted)
    factor, offset = _to(array, wanted)
    with told(array.encoding.get("source", f"the data of {field}")):
        values = variables.numbers(array).astype(float)[downward] * factor + offset
    z = z[downward]
    if np.isinf(values).any():
        raise InputError(f"{array.name} is infinite in places")
    columns = longitudes.eastward(x)
    values, x = values if columns.taken is None else values[..., columns.taken], columns.longitude
    targets = latitude[used], longitude[used]
    checks.check_covers(str(array.name), y, x, columns.around, targets)
    if not columns.around:
        values, x = longitudes.closed(values, x)
    near = lambda bad: points.bilinear(bad.astype(float), y, x, *targets) > 0
    checks.check_values(values, field, wanted, str(array.name), _at(*targets), near)
    values = _potential(values, z, y) if _is_in_situ(array, field) else values
    if np.isnan(values).any():
        values = fill.harmonic(_continued(values), y)
    flat = points.bilinear(values, y, x, latitude, longitude)
    return points.vertical(flat, z, depth)


def _at(latitude: np.ndarray, longitude: np.ndarray) -> Callable[[int, int], str]:
    """Returns the text of the place of a point, of any level."""
    return lambda _, n: f"latitude {latitude[n]:.4g}, longitude {longitude[n]:.4g}"


def _depths(z: np.ndarray, array: Any) -> np.ndarray:
    """Returns depths [m, positive] of levels that are counted down or up. InputError: some of both,
    one twice, or none at all.
    """
    if not np.isfinite(z).all() or (z.min() < 0 < z.max()) or np.unique(z).size < z.size:
        raise InputError(
            f"{array.name} lies at the depths {', '.join(f'{one:g}' for one in z[:6])} ... m:"
            " each must be there once, all of them counted from the surface"
        )
    return np.asarray(abs(z))


def _on_axes(array: Any) -> Any:
    """Returns the array as (depth, latitude, longitude). InputError: it is on other axes."""
    kinds = ("depth", "latitude", "longitude")
    found = [
        next((d for d in array.dims if d in array.coords and _is(array[d], d, kind)), None)
        for kind in kinds
    ]
    if None in found and (places := variables.curved(array, {})):
        raise InputError(f"{array.name} is {variables.why_curved(places)}")
    if None in found or len(array.dims) != 3:
        raise InputError(
            f"{array.name} has dimensions ({', '.join(map(str, array.dims))}); wanted: depth,"
            " latitude and longitude, each with its coordinate"
        )
    return array.transpose(*found)


def _check_units(array: Any, field: str, wanted: str) -> None:
    """Raises InputError: an array of a file has no units. Salinity is a number without them."""
    if field != "salinity" and "source" in array.encoding and not array.attrs.get("units"):
        raise InputError(
            f"{array.name} has no units; say which, as in Records(file, units={wanted!r})"
        )


def _to(array: Any, wanted: str) -> tuple[float, float]:
    """Returns factor and offset from its units, by default those wanted."""
    return units.conversion(array.attrs.get("units") or wanted, wanted)


def _is_in_situ(array: Any, field: str) -> bool:
    """Returns whether it is a temperature with the metadata of a measured one."""
    return field == "temperature" and array.attrs.get("standard_name") == in_situ


def _potential(temperature: np.ndarray, depth: np.ndarray, latitude: np.ndarray) -> np.ndarray:
    """Returns potential temperature [degC, at 0 dbar] of measured ones (depth, lat, lon), of water
    with a salinity of 35: 34 to 37 change it by less than 0.02 K at 5000 m.
    """
    try:
        import gsw
    except ImportError:
        raise InputError(
            "temperature: the file has in-situ temperatures (sea_water_temperature); the package"
            " gsw, which makes them potential, is missing: pip install gsw"
        ) from None
    pressure = gsw.p_from_z(-depth[:, None, None], latitude[None, :, None])
    return np.asarray(gsw.pt0_from_t(_absolute_salinity, temperature, pressure))


def _is(coordinate: Any, name: Any, kind: str) -> bool:
    if kind in variables.horizontal:
        return variables.is_place(coordinate, name, kind)
    said = coordinate.attrs
    return str(name).lower() in vertical or said.get("axis") == "Z" or "positive" in said


def _array(value: Any, field: str, checked: bool = True) -> Any:
    """Returns the variable that is meant: the one that Records name; by name, CF name or alias; or
    the only one. checked: it must not say that it is something else.
    """
    if isinstance(value, Records):
        return _of_records(value, field)
    if (known := sets.find(value)) is not None:
        value = known.open()
    if isinstance(value, (str, Path)):
        value = output.open(value)
    if not hasattr(value, "data_vars"):
        return value.squeeze(drop=True)
    row = names.get(field)
    wanted = (field, row.alias, row.attributes.get("standard_name") or "")
    found = meant_in(value, field, wanted)
    if checked:
        said = checks.said_by(str(found.name), found)
        measured = (in_situ,) if field == "temperature" else ()
        checks.check_meaning(said, field, "the data", (*wanted, *measured))
    return found.squeeze(drop=True)


def meant_in(data: Any, field: str, wanted: tuple[str, ...]) -> Any:
    """Returns the variable of a data set with one of the wanted names, or the only one.
    InputError: there is none, or there are several.
    """
    without = variables.bounds_in(data.variables)
    arrays = {name: array for name, array in data.data_vars.items() if str(name) not in without}
    there = _meant(arrays, field, wanted)
    if len(there) != 1:
        raise InputError(
            f"no such variable among {', '.join(map(str, data.data_vars)) or 'none'};"
            f" wanted: {' or '.join(filter(None, wanted))}"
        )
    return next(iter(there.values()))


def named(data: Any, records: Records) -> Any:
    """Returns the variable of a data set that records name. InputError: it has none."""
    if records.variable not in data.data_vars:
        raise InputError(unknown(f"variable of {records}", str(records.variable), data.data_vars))
    return data[records.variable]


def _of_records(records: Records, field: str) -> Any:
    """Returns the same of Records: the variable and units that they name, of one file."""
    data = records.data
    if not records.in_memory:
        (data, *others) = variables.files(data)
        if others:
            raise InputError(
                f"{field}: {records} has {1 + len(others)} files; an initial state: one"
            )
        data = output.open(data)
    if records.variable is not None and hasattr(data, "data_vars"):
        data = named(data, records)
    array = _array(data, field, records.variable is None)
    return array if records.units is None else array.assign_attrs(units=records.units)


def _meant(arrays: Any, field: str, wanted: tuple[str, ...]) -> dict[str, Any]:
    """Returns arrays with one of the wanted names; else measured temperatures; else the only
    one."""

    def of(known: Any) -> Any:
        return {
            str(name): array
            for name, array in arrays.items()
            if name in known or array.attrs.get("standard_name", "-") in known[1:]
        }

    there = of(wanted) or (of(("", in_situ)) if field == "temperature" else {})
    if len(there) > 1:  # of WOA: the analysis, not its errors and counts
        there = {name: array for name, array in there.items() if name.endswith("_an")} or there
    return there or (dict(arrays.items()) if len(arrays) == 1 else {})


def _continued(values: np.ndarray) -> np.ndarray:
    """Returns levels that have no value at all have those of the level above."""
    for k in range(len(values)):
        if np.isnan(values[k]).all():
            if k == 0:
                raise InputError("there is no value in the first level")
            values[k] = values[k - 1]
    return values
