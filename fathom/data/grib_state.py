"""States of the atmosphere in GRIB of both editions, written by Fathom or by a centre.

On levels of pressure: temperature, wind, humidity (specific or relative), geopotential (or height).
On hybrid levels (`pv`): temperature, wind, specific humidity, the surface's pressure (or its
logarithm) and geopotential; layered_state.py interpolates them to pressure levels. So it does with
levels of a model whose pressure is a field, as those of HRRR and ICON. Rows of latitude
and longitude are Gaussian, also reduced, or even; Gaussian rows may be about another pole, also
stretched. Spherical harmonics are supported, also of vorticity and divergence
(fathom/data/grib_rows.py). Maps of an area, and boxes of latitudes and longitudes, keep their
levels (fathom/data/area_state.py). A missing field is an error that names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import earth
from fathom.base.failure import InputError
from fathom.data import area_state, layered_state
from fathom.data.grib_files import Files, mark
from fathom.data.grib_rows import RowsOf, maps
from fathom.output.formats import grib_messages
from fathom.output.formats.grib_messages import library, messages, valid_time

if TYPE_CHECKING:
    import xarray as xr

Key = tuple[str, str, float, float]  # kind of level, name, factor, level [Pa or number]

fields = {  # short names -> names here, and the factor to their units
    "t": ("air_temperature", 1.0),
    "u": ("eastward_wind", 1.0),
    "v": ("northward_wind", 1.0),
    "q": ("specific_humidity", 1.0),
    "r": ("relative_humidity", 0.01),
    "z": ("geopotential", 1.0),
    "gh": ("geopotential", earth.STANDARD_GRAVITY),
    "vo": ("vorticity", 1.0),
    "d": ("divergence", 1.0),
}
of_layers = {**fields, "pres": ("air_pressure", 1.0)}
layer_kinds = ("hybrid", "generalVerticalLayer")
surface_fields = {
    "sp": ("surface_air_pressure", 1.0),
    "lnsp": ("log_surface_pressure", 1.0),
    "z": ("surface_geopotential", 1.0),
    "orog": ("surface_geopotential", earth.STANDARD_GRAVITY),
    "gh": ("surface_geopotential", earth.STANDARD_GRAVITY),
    "h": ("surface_geopotential", earth.STANDARD_GRAVITY),
}


def state(file: Path | Files) -> xr.Dataset:
    """Returns all times of a file, or of several, (time, pressure [Pa], latitude, longitude)."""
    files = file if isinstance(file, Files) else Files((file,))
    return of_fields(str(files), _fields(files), RowsOf(str(files)))


def of_fields(file: str, fields: Iterable[tuple[Key, Any]], rows: RowsOf) -> xr.Dataset:
    """Returns the state of the fields of files: of each its key, and its message.

    file : how errors call it.
    """
    found, interfaces = _collected(file, fields, rows)
    if any(kind == "hybrid" for kind, _ in found):
        return _of_layers(file, found, rows, interfaces)
    names = {name for kind, name in found if kind == "pressure"}
    humid = {"specific_humidity", "relative_humidity"} & names
    lacking = [n for n in (*layered_state.needed, "geopotential") if n not in names]
    if lacking or not humid:
        raise InputError(
            f"{file} has no {', '.join(lacking) or 'humidity'} on levels of pressure; it has"
            f" {', '.join(sorted(names)) or 'none'}"
        )
    _check_levels(file, found)
    return layered_state.with_specific_humidity(_dataset(found, rows, "pressure", "pressure"))


def _check_levels(file: str, found: dict[Any, Any]) -> None:
    """Raises InputError: a field that lacks a time or a level of pressure that another one has."""
    needed = [*layered_state.needed, "geopotential", "specific_humidity"]
    if ("pressure", "specific_humidity") not in found:
        needed[-1] = "relative_humidity"
    for of, name in ((needed[0], one) for one in needed[1:]):
        there, here = found["pressure", of].keys(), found["pressure", name].keys()
        for lacks, has, which in ((name, of, there - here), (of, name, here - there)):
            if which:
                when, level = min(which)
                raise InputError(
                    f"{file} has no {lacks} at {level / 100:g} hPa, {when.astype('M8[m]')}, but"
                    f" {has}: all fields of a state are needed at all of its levels and times"
                )


def is_area(file: Path) -> bool:
    """Returns whether the first field that is of use here lies on a part of the earth."""
    eccodes = library(file)
    for message in messages(file):
        if key_of(eccodes, message) is None:
            continue
        kind = eccodes.codes_get(message, "gridType")
        if kind != "regular_ll":
            return kind in maps
        return not area_state.around(grib_messages.axes(eccodes, message)[1])
    return False


def _fields(files: Files) -> Iterator[tuple[Key, Any]]:
    """Yields the key and the message of each field of use here."""
    member = Member(files)
    for path in files.paths:
        eccodes = library(path)
        for message in messages(path):
            if (key := key_of(eccodes, message)) is not None and member.has(eccodes, message):
                yield key, message
    member.check()


class Member:
    """The member of files of an ensemble that is wanted. InputError, once fields are asked for:
    there are several, and none is chosen.
    """

    def __init__(self, files: Files) -> None:
        self.files, self.seen = files, set[int]()

    def has(self, eccodes: Any, message: Any) -> bool:
        """Returns whether a field is of it; of a file without members all are."""
        if not eccodes.codes_is_defined(message, "number"):
            return True
        number = eccodes.codes_get(message, "number", int)
        self.seen.add(number)
        if self.files.member < 0 and len(self.seen) > 1:
            raise InputError(
                f"{self.files} has {grib_messages.several}; by its number: {self.files}{mark}"
                f"{min(self.seen)}"
            )
        return self.files.member in (-1, number)

    def check(self) -> None:
        """Raises InputError: it is not there."""
        if self.files.member >= 0 and self.files.member not in self.seen:
            there = ", ".join(map(str, sorted(self.seen)))
            raise InputError(
                f"{self.files}: the files have {f'members {there}' if there else 'no members'}"
            )


def _collected(
    file: str, fields: Iterable[tuple[Key, Any]], rows: RowsOf
) -> tuple[dict[Any, Any], Any]:
    """Returns {(kind of level, name): {(time, level): values}} on the rows, and pv. InputError: a
    field twice.
    """
    import eccodes  # the fields come from there

    held: dict[tuple[str, str], dict[Any, Any]] = {}
    called: dict[tuple[str, str], str] = {}
    interfaces = None
    for (kind, name, factor, level), message in fields:
        short = eccodes.codes_get(message, "shortName")
        if called.setdefault((kind, name), short) != short:
            continue  # a height beside the geopotential
        values = factor * grib_messages.numbers(eccodes, message)
        when = valid_time(eccodes, message), level
        of = held.setdefault((kind, name), {})
        grib_messages.check_once(file, short, when, of)
        of[when] = rows.take(eccodes, message, values)
        if kind == "hybrid" and interfaces is None and eccodes.codes_get(message, "PVPresent", int):
            interfaces = eccodes.codes_get_array(message, "pv")
    found = {key: {when: rows.on(one) for when, one in of.items()} for key, of in held.items()}
    return found | _winds(found, held, rows) | _ground(found), interfaces


def _winds(found: dict[Any, Any], held: dict[Any, Any], rows: RowsOf) -> dict[Any, Any]:
    """Returns winds from vorticity and divergence in waves, where there are no others."""
    made: dict[tuple[str, str], dict[Any, Any]] = {}
    for kind in ("pressure", "hybrid"):
        pair = [held.get((kind, name), {}) for name in ("vorticity", "divergence")]
        if (kind, "eastward_wind") in found or not all(pair):
            continue
        for when in pair[0].keys() & pair[1].keys():
            for name, values in zip(
                ("eastward_wind", "northward_wind"), rows.wind(*(of[when] for of in pair))
            ):
                made.setdefault((kind, name), {})[when] = values
    return made


def _ground(found: dict[Any, Any]) -> dict[Any, Any]:
    """Returns the geopotential of the ground, which some centres call that of the uppermost
    layer."""
    there = found.get(("hybrid", "geopotential"), {})
    if ("surface", "surface_geopotential") in found or {level for _, level in there} != {1}:
        return {}
    return {("surface", "surface_geopotential"): {(t, 0): held for (t, _), held in there.items()}}


def key_of(eccodes: Any, message: Any) -> Key | None:
    """Returns kind of level, name, factor, level [Pa or number]; None: of no use here."""
    short, kind, level = (
        eccodes.codes_get(message, key) for key in ("shortName", "typeOfLevel", "level")
    )
    if short == "lnsp" or (kind == "surface" and short in surface_fields):
        return ("surface", *surface_fields[short], 0)
    if short in fields and kind in ("isobaricInhPa", "isobaricInPa"):
        return ("pressure", *fields[short], level * (100.0 if kind == "isobaricInhPa" else 1.0))
    if short in of_layers and kind in layer_kinds:
        return ("hybrid", *of_layers[short], level)
    return None


def _dataset(found: dict[Any, Any], rows: RowsOf, kind: str, dimension: str) -> xr.Dataset:
    """Returns fields on levels (time, level, rows, columns), of the surface (time, rows,
    columns)."""
    import xarray

    temperature = found[kind, "air_temperature"]
    times, levels = (sorted({key[n] for key in temperature}) for n in (0, 1))
    data: dict[str, Any] = {}
    for (place, name), held in found.items():
        if place == kind and all((t, p) in held for t in times for p in levels):
            values = np.stack([[held[t, p] for p in levels] for t in times])
            data[name] = (("time", dimension, *rows.dimensions), values)
        elif place == "surface":
            first = next(iter(held.values()))  # an orography has no time
            values = np.stack([held.get((t, 0), first) for t in times])
            data[name] = (("time", *rows.dimensions), values)
    coordinates = {dimension: np.array(levels, float), "time": times}
    places = dict(zip(rows.dimensions, rows.axes or ()))
    return rows.on_earth(xarray.Dataset(data, coordinates | places))


def _of_layers(file: str, found: dict[Any, Any], rows: RowsOf, interfaces: Any) -> xr.Dataset:
    """Returns fields on levels of a model, on levels of pressure; those of an area on hybrid levels
    as they are."""
    if interfaces is None:
        return _of_own_pressures(file, found, rows)
    data = _layers(file, found, rows, len(interfaces) // 2 - 1)
    a, b = np.split(np.asarray(interfaces, float), 2)
    if area_state.is_area(data):
        return data.assign(ap=("interface", a), b=("interface", b))
    return layered_state.on_pressures(data, a, b)


def _of_own_pressures(file: str, found: dict[Any, Any], rows: RowsOf) -> xr.Dataset:
    """Returns fields on levels whose pressure is a field, on levels of pressure. InputError: it is
    none, and there are no coefficients.
    """
    if ("hybrid", "air_pressure") not in found:
        raise InputError(
            f"{file} has levels of the model without the coefficients of their pressures (pv); give"
            " levels of pressure, hybrid ones with coefficients, or the pressure of each level"
        )
    layered_state.check(file, {name for kind, name in found if kind in ("hybrid", "surface")})
    data = _dataset(found, rows, "hybrid", "level")
    layered_state.check(file, data.data_vars)
    if "air_pressure" not in data:
        raise InputError(f"{file} lacks air_pressure on some of its levels: all need it")
    return layered_state.of_own_pressures(file, data)


def _layers(file: str, found: dict[Any, Any], rows: RowsOf, layers: int) -> xr.Dataset:
    """Returns all fields on hybrid levels and of the surface. ValueError: a missing field."""
    names = {name for kind, name in found if kind in ("hybrid", "surface")}
    layered_state.check(file, names)
    data = _dataset(found, rows, "hybrid", "level")
    layered_state.check(file, data.data_vars, data.sizes["level"], layers)
    return data
