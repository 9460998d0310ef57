"""Series in time without a place, or by latitude, as records of fields: concentrations of gases,
the sun's irradiance, zonal means.

    everywhere([[1990, 354.2], [2000, 369.6]], ("carbon_dioxide",), "1e-6", grid)
    everywhere("co2.nc", ("carbon_dioxide", "mole_fraction_of_carbon_dioxide_in_air"), ...)

What lies on latitudes and longitudes stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fathom.base import kinds
from fathom.base.failure import InputError
from fathom.data.input.records import Records, given
from fathom.data.input.variables import files, opened

first, last = 1678, 2262  # years that dates of NumPy have
global_mean = 0  # of the dimension `sector` of input4MIPs: the globe, north, south


def _is_pairs(value: Any) -> bool:
    """Returns whether it is a list of [year, value]."""
    return (
        isinstance(value, (list, tuple)) and bool(value) and all(np.shape(p) == (2,) for p in value)
    )


def everywhere(value: Any, called: Sequence[str], units: str, grid: Any) -> Records:
    """Returns records of fields on the earth, or on the points of a plane.

    value : a list of [year, value], a file, Records or an xarray.DataArray: in time alone, by
        latitude, or by latitude and longitude.
    called : names that the variable may have, units : of a list.
    InputError: neither.
    """
    if _is_pairs(value):
        return Records(_spread(_of_pairs(value, called[0], units), grid))
    records = given(value)
    if records is None:
        raise InputError(
            f"{called[0]} = {value!r} must be a number, a list of [year, value], a file or Records"
        )
    try:
        if records.matches(tuple(called), only=False):
            return records
    except InputError:  # the variable that it names has no place
        pass
    array = _variable(records, called)
    made = Records(
        _spread(array, grid),
        units=records.units,
        repeated_year=records.repeated_year,
        gaps=records.gaps,
    )
    made.called = "a series" if records.in_memory else str(records.data)
    return made


def _of_pairs(pairs: Any, name: str, units: str) -> Any:
    """Returns a series of [year, value] as an array in time; a year is its first instant."""
    import xarray as xr

    for number in (number for pair in pairs for number in pair):
        if problem := kinds.not_a_number(number):
            raise InputError(f"{name}: {kinds.shown(number)} in its [year, value] {problem}")
    years = np.array([float(year) for year, _ in pairs])
    if (np.diff(years) <= 0).any():
        raise InputError(f"{name}: its years do not increase: {years.tolist()}")
    if not (first <= years[0] and years[-1] < last):
        raise InputError(
            f"{name}: its years go from {years[0]:g} to {years[-1]:g}; allowed: {first} to {last}"
        )
    whole = np.floor(years).astype(int)
    begin = (whole - 1970).astype("datetime64[Y]").astype("datetime64[s]")
    end = (whole - 1969).astype("datetime64[Y]").astype("datetime64[s]")
    time = begin + ((years - whole) * (end - begin).astype(float)).astype("timedelta64[s]")
    values = np.array([float(v) for _, v in pairs])
    return xr.DataArray(
        values, {"time": time.astype("datetime64[ns]")}, ("time",), name, {"units": units}
    )


def _variable(records: Records, called: Sequence[str]) -> Any:
    """Returns the variable as xarray has it, of all files."""
    import xarray as xr

    paths = () if records.in_memory else files(records.data)
    parts = [opened(path).data_vars for path in paths] or [records.arrays]
    names = [records.variable] if records.variable else _named(parts[0], called)
    if len(names) != 1 or names[0] not in parts[0]:
        there = ", ".join(map(str, parts[0])) or "none"
        raise InputError(
            f"{records} has no variable for {called[0]} ({there}); wanted: {' or '.join(called)}"
        )
    arrays = [part[names[0]] for part in parts]
    array = arrays[0] if len(arrays) == 1 else xr.concat(arrays, "time").sortby("time")
    return array.isel(sector=global_mean, drop=True) if "sector" in array.dims else array


def _named(arrays: Any, called: Sequence[str]) -> list[str]:
    """Returns the names of arrays that are meant: called so, else all in time but bounds."""
    found = [
        str(n) for n, a in arrays.items() if {str(n), a.attrs.get("standard_name")} & {*called}
    ]
    bounds = ("bnds", "bounds")
    in_time = [str(n) for n, a in arrays.items() if "time" in a.dims]
    return found or [name for name in in_time if not name.endswith(bounds)]


def _spread(array: Any, grid: Any) -> Any:
    """Returns an array in time, or by time and latitude, on the earth or on the points of a
    plane.
    """
    array = array.rename({d: "latitude" for d in ("lat",) if d in array.dims})
    rest = [d for d in array.dims if d not in ("time", "latitude")]
    if rest:
        raise InputError(
            f"{array.name} has the dimension {rest[0]}; allowed are time, latitude and longitude"
        )
    if not grid.horizontal.spherical:
        ny, nx = np.shape(grid.wet_levels)
        if "latitude" in array.dims:
            raise InputError(f"{array.name} has latitudes; the grid is a plane")
        return array.expand_dims(y=ny, x=nx).transpose(..., "y", "x")
    if "latitude" not in array.dims:
        array = array.expand_dims(latitude=[-90.0, 90.0])
        array["latitude"].attrs["units"] = "degrees_north"
    array = array.expand_dims(longitude=[0.0, 90.0, 180.0, 270.0])
    array["longitude"].attrs["units"] = "degrees_east"
    return array.transpose(..., "latitude", "longitude")
