"""The model at the places of observations: fields of GRIB files, linear between grid
points and in time.

    background = Background.open("t2m.grib")
    background.at("air_temperature", longitude, latitude, time)     # NaN where it has no time

Grids: regular in longitude and latitude, Gaussian with the same or fewer points towards the poles.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fathom.base.earth import STANDARD_GRAVITY as gravity
from fathom.base.failure import InputError, MissingFileError, RunError
from fathom.base.moist_air import CELSIUS
from fathom.base.near import unknown
from fathom.base.reading import told
from fathom.grids.regrid import places
from fathom.grids.regrid.rows import Rows
from fathom.output.formats import grib_messages
from fathom.output.formats.grib_messages import library, messages, valid_time

# (short name of GRIB, kind of level) -> variable of observations; levels: at that pressure
surface = {
    "2t": "air_temperature",
    "2d": "dew_point_temperature",
    "2r": "relative_humidity",
    "10u": "eastward_wind",
    "10v": "northward_wind",
    "sp": "surface_air_pressure",
    "msl": "air_pressure_at_mean_sea_level",
    "sd": "surface_snow_thickness",
    "sst": "sea_water_temperature",
    "orog": "surface_altitude",
}
on_levels = {
    "t": "air_temperature",
    "u": "eastward_wind",
    "v": "northward_wind",
    "gh": "geopotential_height",
    "z": "geopotential_height",
    "q": "specific_humidity",
    "r": "relative_humidity",
}


@dataclass(frozen=True)
class Field:
    """Values (rows, longest row) on rows of a grid, at a time [s since 1970]."""

    rows: Rows
    values: np.ndarray
    time: int


class Background:
    """Fields by variable and pressure [Pa]; 0: at the surface."""

    def __init__(self, fields: dict[tuple[str, float], list[Field]]) -> None:
        self.fields = fields

    @classmethod
    def open(cls, *paths: str | Path) -> Background:
        """Returns all fields of GRIB files that are known. FileNotFoundError; OSError: damaged;
        ValueError: none is known.
        """
        fields: dict[tuple[str, float], list[Field]] = {}
        for path in map(Path, paths):
            if not path.is_file():
                raise MissingFileError(f"{path}: no such file of GRIB")
            with told(path):
                _read(path, fields)
        if not fields:
            raise InputError(
                f"{', '.join(map(str, paths))}: no field of GRIB that observations can be"
                f" compared with: {', '.join([*surface, *on_levels])}"
            )
        for of in fields.values():
            of.sort(key=lambda f: f.time)
        return cls(fields)

    @property
    def variables(self) -> list[str]:
        """Returns the names of the variables that it holds."""
        return sorted({name for name, _ in self.fields})

    def levels(self, name: str) -> list[float]:
        """Returns pressures [Pa] of a variable, upward from the ground; without the surface."""
        return sorted((p for n, p in self.fields if n == name and p), reverse=True)

    def at(self, name: str, longitude: Any, latitude: Any, time: Any, level: float = 0.0) -> Any:
        """Returns values at places and times [s since 1970], NaN beyond the times that there are by
        more than half an hour. ValueError: no such variable.
        """
        if (name, level) not in self.fields:
            raise InputError(unknown("field", name, self.variables))
        fields = self.fields[name, level]
        time = np.asarray(time, float)
        known = np.array([f.time for f in fields], float)
        at = np.stack([_interpolated(f, longitude, latitude) for f in fields])
        after = np.clip(np.searchsorted(known, time), 1, max(len(known) - 1, 1))
        before = after - 1
        after = np.minimum(after, len(known) - 1)
        span = np.maximum(known[after] - known[before], 1)
        share = np.clip((time - known[before]) / span, 0, 1)
        column = np.arange(len(time))
        value = (1 - share) * at[before, column] + share * at[after, column]
        beyond = np.maximum(known[0] - time, time - known[-1]) > 1800
        return np.where(beyond, np.nan, value)


def _interpolated(field: Field, longitude: Any, latitude: Any) -> np.ndarray:
    by = places.from_rows(field.rows, longitude, latitude)
    result: np.ndarray = by(field.values[None], 0, slice(None))[0]
    return result


def _read(path: Path, fields: dict[tuple[str, float], list[Field]]) -> None:
    eccodes = library(path)
    for handle in messages(path):
        if (key := _key(eccodes, handle)) is not None:
            fields.setdefault(key, []).append(_field(eccodes, handle, key[0]))


def _key(eccodes: Any, handle: Any) -> tuple[str, float] | None:
    name = eccodes.codes_get(handle, "shortName")
    if eccodes.codes_get(handle, "typeOfLevel") == "isobaricInhPa":
        level = 100.0 * float(eccodes.codes_get(handle, "level"))
        return (on_levels[name], level) if name in on_levels else None
    return (surface[name], 0.0) if name in surface else None


def _field(eccodes: Any, handle: Any, name: str) -> Field:
    values = grib_messages.numbers(eccodes, handle)
    if name == "geopotential_height" and eccodes.codes_get(handle, "shortName") == "z":
        values = values / gravity
    if name in ("relative_humidity",):
        values = values / 100
    if name == "sea_water_temperature":
        values = values - CELSIUS
    time = int(valid_time(eccodes, handle).astype("datetime64[s]").astype(int))
    return Field(*_rows(handle, values, eccodes), time)


def _rows(handle: Any, values: np.ndarray, eccodes: Any) -> tuple[Rows, np.ndarray]:
    """Returns rows from south to north around the globe, each from the same longitude eastwards.
    RunError: no rows of the globe.
    """
    kind = eccodes.codes_get(handle, "gridType")
    if kind == "reduced_gg":
        latitude, lines, first = _reduced(eccodes, handle, values)
    elif kind in grib_messages.regular:
        latitude, lines, first = _regular(eccodes, handle, values)
    else:
        raise RunError(f"a grid of the kind {kind} is not known; allowed: regular_ll, *_gg")
    if latitude[0] > latitude[-1]:
        latitude, lines = latitude[::-1], lines[::-1]
    points = np.array([line.size for line in lines])
    made = np.full((latitude.size, points.max()), np.nan)
    for j, line in enumerate(lines):
        made[j, : line.size] = line
    return Rows(latitude, points, first=float(first)), made


Lines = tuple[np.ndarray, list[np.ndarray], float]  # latitudes, values eastward, first longitude
partial = "a field that is not global; observations are compared with global ones"


def _reduced(eccodes: Any, handle: Any, values: np.ndarray) -> Lines:
    """Returns the rows of a reduced grid."""
    grib_messages.check_eastward(eccodes, handle)
    longitudes = np.asarray(eccodes.codes_get_array(handle, "longitudes"), float)
    points = np.asarray(eccodes.codes_get_array(handle, "pl"), int)
    if points.sum() != values.size or np.ptp(longitudes) < 300:
        raise RunError(partial)
    latitude = np.unique(eccodes.codes_get_array(handle, "latitudes"))[::-1]
    return latitude, np.split(values, np.cumsum(points)[:-1]), longitudes[0]


def _regular(eccodes: Any, handle: Any, values: np.ndarray) -> Lines:
    """Returns the rows of a grid with as many points in each; a column that is there again 360
    degrees on is left out.
    """
    latitude, columns = grib_messages.axes(eccodes, handle)
    field = grib_messages.in_rows(eccodes, handle, values)
    if columns.size > 1 and (columns[1] - columns[0]) % 360 > 180:  # westward
        columns, field = columns[::-1], field[:, ::-1]
    step = (columns[1] - columns[0]) % 360 if columns.size > 1 else 0.0
    around = round(360 / step) if step else 0
    if not around <= columns.size <= around + 1 or abs(around * step - 360) > 0.1 * step:
        raise RunError(partial)
    return latitude, list(field[:, :around]), columns[0]
