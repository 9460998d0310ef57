"""GRIB of other writers (CDS, ECMWF, NCEP, ...), of either edition, as a lazy xarray.Dataset: a
message is decoded when its values are asked for.

Each variable is on ([time,] [level,] latitude, longitude) and has the names of CF that eccodes
gives: `t2m` with the standard name air_temperature. Times are those at which fields are valid; sums
over a period end there. Grids are regular ones of latitude and longitude, even or Gaussian.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray
from xarray.backends import BackendArray, CachingFileManager
from xarray.core import indexing

from fathom.base.failure import InputError
from fathom.output.formats import grib_messages
from fathom.output.formats.grib_messages import (
    Place,
    check_once,
    library,
    placed,
    regular,
    valid_time,
)

_axes = {  # of levels: name, attributes
    "isobaricInhPa": ("pressure_level", {"units": "hPa", "positive": "down"}),
    "isobaricInPa": ("pressure_level", {"units": "Pa", "positive": "down"}),
    "depthBelowSea": ("depth", {"units": "m", "positive": "down"}),
    "oceanSurface": ("depth", {"units": "m", "positive": "down"}),
}
_statistics = {"avg": "mean", "accum": "sum", "max": "maximum", "min": "minimum",
               "sd": "standard_deviation", "diff": "range"}  # fmt: skip


class _Message(NamedTuple):
    """Where a field lies, and what it is."""

    place: Place
    name: str
    kind: str  # of its level
    level: float
    time: np.datetime64
    attributes: dict[str, str]


def begins(path: Path) -> bool:
    """Returns whether a file is GRIB that begins with a message."""
    with open(path, "rb") as file:
        return file.read(4) == b"GRIB"


def open_dataset(path: Path) -> xarray.Dataset:
    """Opens a file for `fathom.output.open`. InputError: other grids, or fields twice; FileError:
    it is damaged.
    """
    messages, latitude, longitude = _messages(path)
    found: dict[tuple[str, str], list[_Message]] = {}
    for one in messages:
        found.setdefault((one.name, one.kind), []).append(one)
    names = [name for name, _ in found]
    axes, held = _Axes(), CachingFileManager(open, path, mode="rb")  # once, for all variables
    made = {}
    for (name, kind), fields in found.items():
        own = name if names.count(name) == 1 else f"{name}_{kind}"
        shape = latitude.size, longitude.size
        dims, at = _places_of(path, own, kind, fields, axes)
        values = indexing.LazilyIndexedArray(_Fields(held, at, shape))
        made[own] = xarray.Variable((*dims, "latitude", "longitude"), values, fields[0].attributes)
    made["latitude"] = xarray.Variable("latitude", latitude, {"units": "degrees_north"})
    made["longitude"] = xarray.Variable("longitude", longitude, {"units": "degrees_east"})
    dataset = xarray.Dataset(made | axes.variables, attrs={"Conventions": "CF-1.11"})
    dataset = dataset.set_coords([*axes.variables, "latitude", "longitude"])
    dataset.set_close(held.close)
    return dataset


class _Axes:
    """Times and levels of the variables; those that are the same have one name."""

    def __init__(self) -> None:
        self.variables: dict[str, xarray.Variable] = {}

    def named(self, name: str, values: np.ndarray, attributes: dict[str, str]) -> str:
        """Returns the name of the axis with these values."""
        for number in range(1, 1000):
            own = name if number == 1 else f"{name}_{number}"
            there = self.variables.get(own)
            if there is not None and not np.array_equal(there.values, values):
                continue
            self.variables[own] = xarray.Variable(own, values, attributes)
            return own
        raise InputError(f"GRIB: too many different axes of {name}")


def _places_of(
    path: Path, name: str, kind: str, fields: list[_Message], axes: _Axes
) -> tuple[list[str], np.ndarray]:
    """Returns the dimensions of a variable above its rows, and where its messages lie, (..., 3).
    InputError: some are missing, or there twice.
    """
    places: dict[tuple[np.datetime64, float], Place] = {}
    for one in fields:
        check_once(path, name, (one.time, one.level), places)
        places[one.time, one.level] = one.place
    times = sorted({time for time, _ in places})
    levels = sorted({level for _, level in places})
    if len(places) != len(times) * len(levels):
        raise InputError(f"{path} lacks some of the levels or times of {name}")
    dims = [axes.named("time", np.array(times, "datetime64[ns]"), {"standard_name": "time"})]
    layered = kind in _axes or len(levels) > 1
    if layered:
        dims.append(axes.named(*_level(kind, levels)))
    at = np.array([places[t, level] for t in times for level in levels], np.int64)
    return dims, at.reshape(len(times), *([len(levels)] if layered else []), 3)


def _level(kind: str, levels: list[float]) -> tuple[str, np.ndarray, dict[str, str]]:
    name, attributes = _axes.get(kind, (kind, {}))
    return name, np.array(levels, float), attributes


class _Fields(BackendArray):
    """A variable whose messages lie in the file `held` at `at`, (..., 3): first byte, length,
    number of the field.
    """

    def __init__(
        self, held: CachingFileManager[Any], at: np.ndarray, shape: tuple[int, int]
    ) -> None:
        self.held, self.at, self.dtype = held, at, np.dtype("float64")
        self.shape = (*at.shape[:-1], *shape)

    def __getitem__(self, key: Any) -> np.ndarray:
        outer = indexing.IndexingSupport.OUTER
        result: np.ndarray = indexing.explicit_indexing_adapter(key, self.shape, outer, self._read)
        return result

    def _read(self, key: tuple[Any, ...]) -> np.ndarray:
        front = [np.atleast_1d(np.arange(n)[k]) for n, k in zip(self.at.shape, key[:-2])]
        found = np.empty((*map(len, front), *self.shape[-2:]))
        with self.held.acquire_context() as file:
            for place in np.ndindex(*found.shape[:-2]):
                first, length, part = map(int, self.at[tuple(n[i] for n, i in zip(front, place))])
                found[place] = _rows(os.pread(file.fileno(), length, first), part)
        scalar = tuple(0 if isinstance(k, (int, np.integer)) else slice(None) for k in key[:-2])
        return found[scalar][..., key[-2], :][..., key[-1]]


def _rows(message: bytes, part: int) -> np.ndarray:
    """Returns the numbers of a field of a message (rows, columns); NaN where one is missing."""
    import eccodes

    if part:
        message = grib_messages.separated(message)[part]
    handle = eccodes.codes_new_from_message(message)
    try:
        return grib_messages.in_rows(eccodes, handle, grib_messages.numbers(eccodes, handle))
    finally:
        eccodes.codes_release(handle)


def _messages(path: Path) -> tuple[list[_Message], np.ndarray, np.ndarray]:
    """Returns the messages of a file, and latitudes and longitudes of their grid."""
    eccodes, found, grids = library(path), [], {}
    for place, handle in placed(path):

        def get(key: Any, kind: Any = str, of: Any = handle) -> Any:
            return eccodes.codes_get(of, key, kind)

        if (grid := get("md5GridSection")) not in grids:
            grids[grid] = _grid(path, eccodes, handle)
        found.append(_message(get, valid_time(eccodes, handle), place))
    if len(grids) != 1:
        raise InputError(f"{path} has fields on {len(grids)} grids; wanted: one in a file")
    return found, *grids[grid]


def _grid(path: Path, eccodes: Any, handle: Any) -> tuple[np.ndarray, np.ndarray]:
    """Returns latitudes of its rows and longitudes of its columns [degrees]."""
    kind = eccodes.codes_get(handle, "gridType")
    if kind not in regular:
        raise InputError(
            f"{path} has fields on a grid {kind}; wanted: rows of latitude and longitude"
            f" ({' or '.join(regular)}), as the centre or `grib_to_netcdf` gives them"
        )
    return grib_messages.axes(eccodes, handle)


def _message(get: Any, time: np.datetime64, place: Place) -> _Message:
    """Returns what a field says of itself: keys by `get(key, type)`."""

    def known(*keys: Any) -> Any:
        return next((t for key in keys if (t := get(key)) not in ("unknown", "~")), "")

    said = {"standard_name": known("cfName"), "long_name": known("name"), "units": known("units")}
    if statistic := _statistics.get(get("stepType")):
        said["cell_methods"] = f"time: {statistic}"
    return _Message(
        place,
        known("cfVarName", "shortName") or f"parameter_{get('paramId')}",
        get("typeOfLevel"),
        get("level", float),
        time,
        {name: text for name, text in said.items() if text},
    )
