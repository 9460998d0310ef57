"""States of the atmosphere in stores: of Fathom (Zarr, NetCDF, FA), and of others by CF's names.

A variable is found by its name here, its alias (`ta`), or its CF standard name; its units are
converted. Levels are of pressure, or hybrid with `ap` and `b` (of layers with bounds, or of
interfaces). Rows that are reduced, stretched or about another pole are brought to full
Gaussian ones of the earth (fathom/data/rows_of_store.py). A limited area keeps its points and
levels (fathom/data/area_state.py), and all fields with names that are known here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom import names, output
from fathom.base import earth, units
from fathom.base.failure import InputError
from fathom.data import area_state, layered_state, rows_of_store
from fathom.data.input import states

if TYPE_CHECKING:
    import xarray as xr

fields = (
    *layered_state.needed,
    *("specific_humidity", "relative_humidity", "geopotential", "geopotential_height"),
    *("surface_air_pressure", "log_surface_pressure", "surface_geopotential"),
)
vertical = ("pressure", "plev", "level", "isobaricInhPa", "pressure_level")
places = {"lat": "latitude", "lon": "longitude"}
map_axes = {"grid_x": "x", "grid_y": "y", "rlon": "x", "rlat": "y"}


def state(file: Path, around: tuple[Any, Any] | None = None, humid: bool = True) -> xr.Dataset:
    """Returns all times of a store, (time, pressure [Pa], latitude, longitude), or of an area;
    around: longitudes and latitudes [degrees] about which a box of it is the area; humid: an area
    on hybrid levels without humidity is refused.
    ValueError: missing or repeated fields, units that do not fit; OSError: it cannot be read.
    """
    data = output.open(file)
    if around is not None:
        data = _box_around(_renamed(data, {}), *around)
    if _is_area(data):
        return _of_area(file, data, humid)
    found = _in_our_units(_renamed(data, _found(file, data)))
    found = rows_of_store.on_full_rows(found)
    if "ap" not in data or "b" not in data:
        return _on_pressures(file, found)
    found, a, b = _from_top(file, data, found)
    layered_state.check(file, found.data_vars)
    layered_state.check(file, found.data_vars, found.sizes.get("level", 0), a.size - 1)
    used = [name for name in fields if name in found and name != "geopotential"]
    return layered_state.on_pressures(_in_order(found[used], "level"), a, b)


def covers_a_part(file: Path) -> bool:
    """Returns whether a store around the earth has values on a part of it alone, as an area writes
    it, or levels of height, which are taken of areas only.
    """
    with output.open(file) as data:
        if _is_area(data) or not {"latitude", "lat"} & set(data.dims):
            return False
        if "height" in data.dims:
            return True
        name = next((n for n, here in _found(file, data).items() if here in fields[:3]), None)
        return name is not None and bool(np.isnan(data[name].isel(time=0).values).any())


def _box_around(data: xr.Dataset, longitude: Any, latitude: Any) -> xr.Dataset:
    """Returns the rows and columns around places, three more on each side where there are."""
    there = data.longitude.values.astype(float)
    middle = np.rad2deg(np.angle(np.exp(1j * np.deg2rad(longitude)).mean()))
    data = data.isel(longitude=np.argsort((there - middle + 180) % 360))
    held = {
        "longitude": (data.longitude.values - middle + 180) % 360,
        "latitude": data.latitude.values,
    }
    wanted = {"longitude": (np.asarray(longitude) - middle + 180) % 360, "latitude": latitude}
    for name, axis in held.items():
        inside = (axis >= np.min(wanted[name])) & (axis <= np.max(wanted[name]))
        wide = np.convolve(inside, np.ones(7), "same") > 0
        data = data.isel({name: np.flatnonzero(wide)})
    return data


def is_area(file: Path) -> bool:
    """Returns whether a store lies on a part of the earth."""
    with output.open(file) as data:
        return _is_area(data)


def _is_area(data: xr.Dataset) -> bool:
    """Returns whether it lies on a map, or on a box of latitudes and longitudes."""
    if _mapping(data):
        return True
    longitude = next((n for n in ("longitude", "lon") if n in data.dims), None)
    return longitude is not None and not area_state.around(data[longitude].values.astype(float))


def _mapping(data: xr.Dataset) -> dict[str, Any]:
    """Returns the CF grid mapping of rows and columns that are none of latitude and longitude."""
    for array in data.data_vars.values():
        name = array.attrs.get("grid_mapping", array.encoding.get("grid_mapping"))
        if name in data.variables and not {"latitude", "lat"} & set(array.dims):
            return dict(data[name].attrs)
    return {}


def _of_area(file: Path, data: xr.Dataset, humid: bool = True) -> xr.Dataset:
    """Returns fields on (time, level, y, x): layers with `ap` and `b` of their interfaces, or
    levels of pressure.
    """
    held = {str(name) for name in data.data_vars}
    also = [row.name for row in names.fields.values() if {row.name, row.alias} & held]
    wanted = tuple(dict.fromkeys((*fields, *also)))
    found = _in_our_units(_renamed(data, _found(file, data, wanted)), wanted)
    found = found.rename({old: new for old, new in map_axes.items() if old in found.dims})
    found = found[[name for name in wanted if name in found.data_vars]]
    if "height" in found.dims and "air_pressure" in found:  # of a grid-point atmosphere
        found = _with_geopotential(found).sortby("height", ascending=False)
        return _at_its_places(data, _in_order(found, "height"))
    if "ap" not in data or "b" not in data:
        return _at_its_places(data, _on_pressures(file, found))
    found, a, b = _from_top(file, data, found)
    layered_state.check(file, found.data_vars, humid=humid)
    layered_state.check(file, found.data_vars, found.sizes.get("level", 0), a.size - 1, humid)
    found = found.drop_vars(["geopotential", "geopotential_height"], errors="ignore")
    found = _at_its_places(data, _in_order(found, "level"))
    return found.assign(ap=("interface", a), b=("interface", b))


def _at_its_places(data: xr.Dataset, found: xr.Dataset) -> xr.Dataset:
    """Returns fields of an area, with the longitude and latitude of its points."""
    if "latitude" in found.dims:
        return area_state.box(found)
    mapping, (longitude, latitude) = _mapping(data), _places(data)
    if (inside := mapping.pop("physical_area", None)) is not None:  # FA: the rest is no place
        south, north, west, east = (int(n) for n in inside)
        part = slice(south, north + 1), slice(west, east + 1)
        found = found.isel(y=part[0], x=part[1])
        longitude, latitude = longitude[part], latitude[part]
    along = "winds_along_axes" in data.attrs
    return area_state.on_map(found, mapping, longitude, latitude, along_axes=along)


def _places(data: xr.Dataset) -> list[np.ndarray]:
    """Returns longitude and latitude of the points of a map."""
    there = [
        np.asarray(data[name].values, float)
        for both in (("longitude", "lon"), ("latitude", "lat"))
        for name in both
        if name in data.variables and data[name].ndim == 2
    ]
    if len(there) != 2:
        raise InputError(
            "a map of an area without longitude and latitude of its points (CF 5.6): give both as"
            " coordinates (y, x)"
        )
    return there


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
        found, a, b = _from_top(file, data, found)
        if lacking or found.sizes.get("level") != a.size - 1:
            raise InputError(
                f"{file} lacks {', '.join(lacking) or 'some of its hybrid levels'}: all of them are"
                f" needed, with {', '.join(layered_state.needed)} and surface_air_pressure"
            )
        record = found.isel(time=number)
        made = {n: np.asarray(record[n].values, float) for n in names if n in record}
        for name, values in made.items():
            states.check_field(file, name, values)
        return made, a, b


def _on_pressures(file: Path, found: xr.Dataset) -> xr.Dataset:
    """Returns the state with pressure in Pa, geopotential and specific humidity."""
    level = next((name for name in vertical if name in found.dims and name in found.coords), None)
    if level is None:
        raise InputError(
            f"{file} has no levels of pressure ({', '.join(vertical)}) and no hybrid levels (ap,"
            f" b); it has {', '.join(map(str, found.dims)) or 'no dimension'}"
        )
    factor, _ = units.conversion(found[level].attrs.get("units", "Pa"), "Pa")
    found = found.assign_coords({level: factor * found[level].values.astype(float)})
    found = found.rename({level: "pressure"} if level != "pressure" else {})
    found = states.ordered(file, _with_geopotential(found))
    return layered_state.with_specific_humidity(_in_order(found, "pressure"))


def _with_geopotential(found: xr.Dataset) -> xr.Dataset:
    """Returns the state with the geopotential of its heights, where these alone are there."""
    if "geopotential" not in found and "geopotential_height" in found:
        found["geopotential"] = earth.STANDARD_GRAVITY * found.geopotential_height
    return found


def _found(file: Path, data: xr.Dataset, wanted: Sequence[str] = fields) -> dict[str, str]:
    """Returns {variable: its name here}."""
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
        for one in there:
            states.check_meaning(file, one, data[one], name)
        new |= dict.fromkeys(there, name)
    return new


def _renamed(data: xr.Dataset, new: dict[str, str]) -> xr.Dataset:
    axes = {old: name for old, name in places.items() if old in data.dims}
    if "valid_time" in data.coords and "time" not in data.variables:  # of the Copernicus store
        axes["valid_time"] = "time"
    return data.rename(new | axes)


def _in_our_units(data: xr.Dataset, wanted: Sequence[str] = fields) -> xr.Dataset:
    """Returns the variables of a state in the units of Fathom; those without units have these."""
    for name in (name for name in wanted if name in data):
        ours = names.describe(name).units or "1"
        try:
            factor, offset = units.conversion(data[name].attrs.get("units") or ours, ours)
        except InputError as error:
            raise InputError(
                f"{data.encoding.get('source', 'the state')}: {name}: {error}"
            ) from None
        if (factor, offset) != (1.0, 0.0):
            data[name] = factor * data[name] + offset
    return data


def _from_top(
    file: Path, data: xr.Dataset, found: xr.Dataset
) -> tuple[xr.Dataset, np.ndarray, np.ndarray]:
    """Returns fields on hybrid levels from the top, and `ap` [Pa] and `b` of the interfaces."""
    a, b = (_interfaces(data, name) for name in ("ap", "b"))
    return states.from_top(file, found, a, b)


def _interfaces(data: xr.Dataset, name: str) -> np.ndarray:
    """Returns ap or b of the interfaces of layers."""
    if f"{name}_bounds" not in data:
        return np.asarray(data[name].values, float)
    pairs = data[f"{name}_bounds"].values.astype(float)
    if len(pairs) > 1 and (pairs[1:, 1] == pairs[:-1, 0]).all():  # each from its other end
        pairs = pairs[:, ::-1]
    return np.append(pairs[:, 0], pairs[-1, 1])


def _in_order(data: xr.Dataset, level: str) -> xr.Dataset:
    dims = ("time", level, "latitude", "longitude")
    return data.transpose(*(d for d in dims if d in data.dims), ...)
