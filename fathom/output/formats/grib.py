"""GRIB2 (WMO FM 92): one file of messages, one for each level of a variable at a time, written by
one rank through eccodes.

    a line of JSON with the contents of the file (readers of GRIB ignore everything before the
    first message), the constant messages, then those of each time, in one order: variables
    as they were given, their levels from the top

Values are packed in 24 bits between the least and the greatest of a message, by the lossless code
of CCSDS 121.0-B: an error of at most 2^-25 of the range. Rows go from north to south there, those
of maps from the south, as in arrays. A time is written by `extend`, in one call: a last time that
is not whole is not shown, and cut off when the run is continued.
"""

from __future__ import annotations

import datetime
import json
import os
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fathom.base.failure import FileError, InputError
from fathom.base.near import near
from fathom.names import describe, fields
from fathom.output import files
from fathom.output.formats import grib_map, grib_waves
from fathom.output.formats.whole_times import (
    Finished,
    WholeTimes,
    are_smooth,
    axes_of,
    check_compression,
    check_equidistant,
    check_place,
    check_rows,
    dims_of,
    elsewhere,
    is_zonal,
    map_of,
    rows_of_whole,
    sphere_of,
    truncation_of,
)
from fathom.output.specification import TimeAxis, VariableSpec, coordinate_arrays, explain, sizes_of

bits = 24
# Table 4.5: type of the surface of a chosen level, and the factor of its coordinate.
surfaces = {
    "pressure": (100, 100),
    "altitude": (102, 1),
    "height": (103, 1),
    "potential_temperature": (107, 1),
}
compressions = {"ccsds": "grid_ccsds", "simple": "grid_simple"}


class GribWriter(WholeTimes):
    """A GRIB2 file open for writing."""

    compressions = (*compressions, "waves")
    encodes = True
    _file = -1

    def __init__(self, path: str | Path, writes: files.Writes | None = None) -> None:
        """Opens a file made by `create`, to append; what follows its last complete time is cut."""
        self._hold(Path(path), writes or files.Writes())
        self._file = os.open(self.path, os.O_WRONLY)
        self._cut(len(self._held.times))

    def _hold(self, path: Path, writes: files.Writes) -> None:
        self.path, self.writes = path, writes
        self._held = Contents(self.path)
        self.variables, self.sizes = self._held.variables, self._held.sizes
        self._encoded, self._bounds = {}, self._held.head["time"][2]

    @classmethod
    def create(
        cls,
        path: str | Path,
        coordinates: Any,
        variables: list[VariableSpec],
        chunks: Mapping[str, int] | None = None,
        *,
        time: TimeAxis | None = None,
        attributes: Mapping[str, Any] | None = None,
        compression: str = "ccsds",
        overwrite: bool = False,
    ) -> GribWriter:
        """Creates the file with its coordinates and no times. Arguments and errors as
        `ZarrWriter.create`; compression "waves": smooth fields of a Gaussian grid as spherical
        harmonics, others as "ccsds"; ValueError too for what GRIB2 cannot hold.
        """
        path, time = Path(path), time or TimeAxis()
        check_compression(compression, cls.compressions)
        arrays = coordinate_arrays(coordinates)
        waves = truncation_of("GRIB2", arrays) if compression == "waves" else None
        sizes = sizes_of(arrays, variables)
        _check(arrays, variables, time)
        check_place(path, overwrite and path.is_file())
        axes = axes_of(arrays)
        _grid(axes, "projection" in arrays)
        fixed = [
            VariableSpec(name, dims, "float32", given)
            for name, (dims, array, given) in arrays.items()
            if dims == dims_of(arrays) and _parameter(name)
        ]
        head = {
            "fathom": 1,
            "sizes": sizes,
            "coordinates": axes,
            "packing": compressions.get(compression, "grid_ccsds"),
            "waves": waves,
            "upward": "projection" in arrays,
            "attributes": dict(attributes or {}),
            "time": [time.start, time.calendar, time.bounds],
            "fixed": [v.described for v in fixed],
            "variables": [v.described for v in variables],
        }
        writes = files.Writes()
        try:
            messages = [
                message for v in fixed for message in messages_of(v, arrays[v.name][1], head, axes)
            ]
            files.write(path, [_first_line(head), *messages], files.OfMetadata(writes))
        except OSError as error:
            raise explain(error, path, f"creating {path}") from None
        return cls(path, writes)

    def _encode(self, variable: VariableSpec, array: np.ndarray, first: int = 0) -> list[Any]:
        axes = self._held.head["coordinates"]
        return list(messages_of(variable, array, self._held.head, axes, first))

    def _finish(
        self, held: list[Any], seconds: float, bounds: tuple[float, float] | None
    ) -> Finished:
        return Finished(at_time(message, *(bounds or (seconds,))) for message in held)

    def _put(self, seconds: float, bounds: tuple[float, float] | None) -> None:
        """Writes all messages of a time in one call."""
        messages = [
            message for name in self.variables for message in self._finished(name, seconds, bounds)
        ]
        os.lseek(self._file, self._held.end, os.SEEK_SET)
        files.put(self._file, messages, self.writes)
        self._held.add(list(map(len, messages)), seconds)

    def close(self) -> None:
        """Closes the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _cut(self, count: int) -> None:
        self._held.keep(count)
        os.ftruncate(self._file, self._held.end)


def _first_line(head: dict[str, Any]) -> bytes:
    """Returns the description at the start of a file; readers of GRIB skip it."""
    line = json.dumps(head, ensure_ascii=True, default=_plain)
    return line.replace("GRIB", "G\\u0052IB").encode() + b"\n"


class Contents:
    """Where the messages of a file lie; only complete times count. ValueError for a file that
    `GribWriter` has not made, OSError for a damaged one.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with open(path, "rb") as file:
            line = file.readline(1 << 24)
            self.head = _head(path, line)
            self.variables = _specifications(self.head["variables"])
            self.fixed = _specifications(self.head["fixed"])
            self.sizes = self.head["sizes"]
            self.counts = {
                name: self.sizes[v.dims[1]] if len(v.dims) == 4 else 1
                for name, v in self.variables.items()
            }
            self.first, self.per_time = len(line), sum(self.counts.values())
            self.places = _places(path, file, self.first)
            if len(self.places) < len(self.fixed):
                raise FileError(
                    f"{path} is truncated: {len(self.places)} of {len(self.fixed)} constant"
                    " messages are there"
                )
            whole = (len(self.places) - len(self.fixed)) // max(self.per_time, 1)
            self.bounds = [
                _interval(self.message(len(self.fixed) + n * self.per_time, file))
                for n in range(whole)
            ]
        self.times = [sum(b) / len(b) for b in self.bounds]
        self.keep(whole)

    @property
    def end(self) -> int:
        """Returns the end of the last complete time, in bytes."""
        return sum(self.places[-1]) if self.places else self.first

    def keep(self, count: int) -> None:
        """Forgets all but the first `count` times."""
        del (
            self.times[count:],
            self.bounds[count:],
            self.places[len(self.fixed) + count * self.per_time :],
        )

    def add(self, lengths: list[int], seconds: float) -> None:
        """Adds a time with the lengths of its messages [bytes]."""
        for length in lengths:
            self.places.append((self.end, length))
        self.times.append(seconds)
        self.bounds.append(())

    def message(self, n: int, file: Any) -> bytes:
        """Returns a message of the file, which is open; several threads may call it."""
        at, length = self.places[n]
        found = os.pread(file.fileno(), length, at)
        if found[-4:] != b"7777":
            raise FileError(f"{self.path} is damaged: the message at byte {at} has no end")
        return found


def _head(path: Path, line: bytes) -> dict[str, Any]:
    """Returns the first line of a file, decoded."""
    try:
        head: dict[str, Any] = json.loads(line)
        head["fathom"]
    except (ValueError, KeyError, TypeError):
        raise (
            FileError(f"{path} is damaged: it ends within its first line")
            if line.startswith(b'{"fathom"')
            else InputError(
                f"{path} is not a GRIB file of Fathom: it does not begin with its contents"
            )
        ) from None
    return head


def _specifications(described: list[Any]) -> dict[str, VariableSpec]:
    return {
        name: VariableSpec(name, tuple(dims), dtype, given)
        for name, dims, dtype, given in described
    }


def _places(path: Path, file: Any, at: int) -> list[tuple[int, int]]:
    """Returns (first byte, bytes) of each message from byte `at`; one that is cut off counts for
    none.
    """
    found, size = [], path.stat().st_size
    while at + 16 <= size:
        file.seek(at)
        start = file.read(16)
        length = int.from_bytes(start[8:16], "big")
        if start[:4] != b"GRIB" or length < 20:
            raise FileError(f"{path} is damaged: no GRIB message begins at byte {at}")
        if at + length > size:
            break
        found.append((at, length))
        at += length
    return found


def _check(
    arrays: Mapping[str, tuple[Any, ...]], variables: list[VariableSpec], time: TimeAxis
) -> None:
    """Raises ValueError for what GRIB2 cannot hold, or what is not supported here."""
    check_rows("GRIB2", arrays, variables, time, surfaces)
    allowed = [row.alias for row in _rows()]
    for variable in variables:
        if not _parameter(variable.name):
            raise InputError(
                f"GRIB2 has no parameter for '{variable.name}' here{near(variable.name, allowed)};"
                f" allowed: {', '.join(allowed)}; others: {elsewhere()}"
            )


def _rows() -> list[Any]:
    return [row for row in fields.values() if row.grib]


def _parameter(alias: str) -> Any:
    return next((row.grib for row in _rows() if row.alias == alias), None)


def _surface(alias: str) -> tuple[int, float, float]:
    """Returns type and value of the surface of what has one value a column; factor to the unit of
    GRIB2.
    """
    given = _parameter(alias)[3:]
    return (*given, *(1, 0, 1.0)[len(given) :])


def _plain(value: Any) -> Any:
    return value.tolist()


# ---- one message ---------------------------------------------------------------------------------


def _grid(axes: Mapping[str, Any], upward: bool) -> dict[str, Any]:
    """Returns section 3: rows of latitude, Gaussian or equidistant, or a map; upward: from the
    south.
    """
    if "projection" in axes:
        return grib_map.keys(*map_of(axes))
    if "sphere" in axes:
        return grib_map.of_sphere(sphere_of(axes), *(len(axes[n][1]) for n in dims_of(axes)))
    latitude, longitude = (np.array(axes[name][1]) for name in ("latitude", "longitude"))
    ny, nx = len(latitude), len(longitude)
    if is_zonal(axes):  # one cell a row, as wide as the region of the mean
        west, east = axes["longitude_bounds"][1][0]
        step = east - west
    else:
        step = np.diff(longitude).mean()
    found = {
        "Ni": nx,
        "Nj": ny,
        "iScansNegatively": 0,
        "jScansPositively": int(upward),
        "jPointsAreConsecutive": 0,
        "longitudeOfFirstGridPointInDegrees": float(longitude[0]),
        "longitudeOfLastGridPointInDegrees": float(longitude[-1]),
        "latitudeOfFirstGridPointInDegrees": float(latitude[0 if upward else -1]),
        "latitudeOfLastGridPointInDegrees": float(latitude[-1 if upward else 0]),
        "iDirectionIncrementInDegrees": float(step),
    }
    if (rows := rows_of_whole(latitude)) is not None:
        return {"gridType": "regular_gg", "N": rows // 2} | found
    check_equidistant("GRIB2", latitude, longitude)
    return (
        {"gridType": "regular_ll"}
        | found
        | {"jDirectionIncrementInDegrees": float(np.diff(latitude).mean())}
    )


def messages_of(
    variable: VariableSpec,
    array: np.ndarray,
    head: Mapping[str, Any],
    axes: Mapping[str, Any],
    first: int = 0,
) -> Iterator[bytes]:
    """Yields messages of the levels `first` ... of a variable, at the start (`at_time`); values
    from south to north, written so where head["upward"] says it. One handle of eccodes has them one
    after another: to copy it would take longer than to pack a level.
    """
    import eccodes

    surface, value, factor = _surface(variable.name)
    vertical = variable.dims[1] if len(variable.dims) == 4 else ""
    waves = in_waves(variable, head)
    message = eccodes.codes_grib_new_from_samples(grib_waves.sample if waves else "GRIB2")
    for key, held in _keys(variable, head, axes).items():
        eccodes.codes_set(message, key, held)
    if vertical == "level":
        _set_interfaces(message, axes)
        surface = 105
    elif vertical:
        surface, factor_of_level = surfaces[vertical]
    eccodes.codes_set(message, "typeOfFirstFixedSurface", surface)
    for k, values in enumerate(array if array.ndim == 3 else array[None], first):
        if vertical:
            value = k + 1 if vertical == "level" else factor_of_level * axes[vertical][1][k]
        scale = 0 if float(value).is_integer() else 2
        eccodes.codes_set(message, "scaleFactorOfFirstFixedSurface", scale)
        eccodes.codes_set(message, "scaledValueOfFirstFixedSurface", round(value * 10**scale))
        numbers = (
            grib_waves.to_waves(values[None], head["waves"])[0] if waves
            else np.asarray(values[:: 1 if head["upward"] else -1], float).ravel()
        )  # fmt: skip
        _set_values(message, numbers * factor)
        yield eccodes.codes_get_message(message)
    eccodes.codes_release(message)


def _keys(
    variable: VariableSpec, head: Mapping[str, Any], axes: Mapping[str, Any]
) -> dict[str, Any]:
    """Returns keys of eccodes that all levels of a variable have in common, sections 1, 3, 4 and
    5."""
    discipline, category, number = _parameter(variable.name)[:3]
    start, interval = _moment(head["time"][0]), variable.varies and head["time"][2]
    zonal = is_zonal(axes)
    if in_waves(variable, head):
        grid = {"PVPresent": 0, "typeOfFirstFixedSurface": 1, "typeOfProcessedData": 255}
        grid |= grib_waves.keys(sphere_of(axes), head["waves"])
    else:
        grid = {**_grid(axes, head["upward"]), "packingType": head["packing"]}
    keys = {
        "tablesVersion": 30,
        "centre": head.get("centre", 255),
        "significanceOfReferenceTime": 1,
        "dataDate": start.year * 10000 + start.month * 100 + start.day,
        "hour": start.hour,
        "minute": start.minute,
        "second": start.second,
        "productDefinitionTemplateNumber": 8 if interval else 15 if zonal else 0,
        **grid,
        "discipline": discipline,
        "parameterCategory": category,
        "parameterNumber": number,
        "bitsPerValue": bits,
    }
    if interval:
        cells = str(variable.attributes.get("cell_methods", "time: mean"))
        keys["typeOfStatisticalProcessing"] = _statistics[" ".join(cells.split()[:2])]
    elif zonal:  # a mean over the area of a cell; the number of points is not given
        keys |= {"statisticalProcess": 0, "spatialProcessing": 0}
    return keys


def _set_interfaces(message: Any, axes: Mapping[str, Any]) -> None:
    """Sets a and b of hybrid levels."""
    import eccodes

    pairs = np.array([[*axes[name + "_bounds"][1]] for name in ("ap", "b")])
    eccodes.codes_set(message, "PVPresent", 1)
    eccodes.codes_set_array(
        message, "pv", np.concatenate([[*held[:, 0], held[-1, 1]] for held in pairs])
    )


def in_waves(variable: VariableSpec, head: Mapping[str, Any]) -> bool:
    """Returns whether messages of a variable hold waves."""
    if not head.get("waves") or not variable.varies:
        return False
    stretched = "sphere" in head["coordinates"] and sphere_of(head["coordinates"]).stretching > 1
    return are_smooth(describe(variable.name).name, stretched)


def _set_values(message: Any, values: np.ndarray) -> None:
    """Sets the values of a message; those that are NaN are missing."""
    import eccodes

    nothing = np.isnan(values)
    if (some := int(nothing.any())) != eccodes.codes_get(message, "bitmapPresent", int):
        eccodes.codes_set(message, "bitmapPresent", some)
    if some:
        eccodes.codes_set(message, "missingValue", _missing)
        values = np.where(nothing, _missing, values)
    eccodes.codes_set_values(message, values)


_missing = 1e20
_statistics = {"time: mean": 0, "time: sum": 1, "time: maximum": 2, "time: minimum": 3}  # 4.10
_units = ((3600, 1), (60, 0), (1, 13))  # seconds in an hour, a minute, a second: codes of table 4.4


def at_time(message: bytes, seconds: float, end: float | None = None) -> bytes:
    """Returns a message with its instant, or its interval [s since the start]: octets of section 4,
    whose templates 0, 8 and 15 (the only ones here) have these at the same places.
    """
    whole = [round(t) for t in (seconds, seconds if end is None else end)]
    if max(abs(whole[0] - seconds), abs(whole[1] - (seconds if end is None else end))) > 1e-3:
        raise InputError(f"GRIB2 counts whole seconds; a time of {seconds} s: {elsewhere()}")
    size, unit = next(u for u in _units if not any(t % u[0] for t in whole))
    made = bytearray(message)
    at = _sections(message)
    product = at[4] - 1  # octets are counted from 1
    struct.pack_into(">BI", made, product + 18, unit, whole[0] // size)
    if end is not None:
        last = datetime.datetime(*struct.unpack_from(">HBBBBB", message, at[1] + 12))
        last += datetime.timedelta(seconds=whole[1])
        struct.pack_into(">HBBBBB", made, product + 35, *last.timetuple()[:6])
        struct.pack_into(">BI", made, product + 49, unit, (whole[1] - whole[0]) // size)
    return bytes(made)


def _sections(message: bytes) -> dict[int, int]:
    """Returns where the sections of a message begin, up to the one of its values."""
    found, at = {}, 16
    while 7 not in found:
        length, number = struct.unpack_from(">IB", message, at)
        found[number], at = at, at + length
    return found


def _moment(text: str) -> Any:
    return datetime.datetime.fromisoformat(text)


def _interval(message: bytes) -> tuple[float, ...]:
    """Returns its instant, or begin and end of its interval [s since the start]."""
    import eccodes

    handle, lengths = eccodes.codes_new_from_message(message), {unit: size for size, unit in _units}
    try:
        begin = float(
            eccodes.codes_get(handle, "forecastTime")
            * lengths[eccodes.codes_get(handle, "indicatorOfUnitOfTimeRange", int)]
        )
        if eccodes.codes_get(handle, "productDefinitionTemplateNumber") != 8:
            return (begin,)
        return begin, begin + float(
            eccodes.codes_get(handle, "lengthOfTimeRange")
            * lengths[eccodes.codes_get(handle, "indicatorOfUnitForTimeRange", int)]
        )
    finally:
        eccodes.codes_release(handle)


def decoded(
    message: bytes, shape: tuple[int, int], alias: str, upward: bool, waves: int | None = None
) -> np.ndarray:
    """Returns values (rows, points) from south to north, in the units of the table of names;
    upward: as they stand; waves: the truncation of a message that holds those.
    """
    if waves:
        return grib_waves.to_points(unpacked(message), waves, *shape) / factor(alias)
    return unpacked(message).reshape(shape)[:: 1 if upward else -1] / factor(alias)


def unpacked(message: bytes) -> np.ndarray:
    """Returns the numbers of a message as they stand in it; NaN where one is missing."""
    import eccodes

    handle = eccodes.codes_new_from_message(message)
    try:
        eccodes.codes_set(handle, "missingValue", _missing)
        values: np.ndarray = eccodes.codes_get_values(handle)
    finally:
        eccodes.codes_release(handle)
    values[values == _missing] = np.nan
    return values


def factor(alias: str) -> float:
    """Returns the factor from the unit of the table of names to that of GRIB2."""
    return _surface(alias)[2]
