"""The fields of a GRIB file, one after another, and their numbers in rows: for all that read GRIB
of other writers.

A message of edition 2 with several fields (its sections 2 to 7 repeat) becomes as many messages.
Points may follow each other in any order of GRIB's table 3.4: along rows or columns, from either
end, every other line backwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fathom.base.failure import FileError, InputError

regular = ("regular_ll", "regular_gg")
missing_mark = 1e36  # that no field holds
several = "fields of several members or forecasts: keep one of them"


class Place(NamedTuple):
    """Where a field lies in a file: first byte and length of its message, its number in it."""

    at: int
    length: int
    part: int


def library(file: Path) -> Any:
    """Returns eccodes. InputError: it is not installed."""
    try:
        import eccodes
    except ImportError as error:
        raise InputError(
            f"{file.name} is a GRIB file: reading it needs eccodes (pip install eccodes)"
        ) from error
    return eccodes


def messages(file: Path) -> Iterator[Any]:
    """Yields a handle of eccodes for each field, released after use. FileError: the file is
    damaged.
    """
    for _, handle in placed(file):
        yield handle


def placed(file: Path) -> Iterator[tuple[Place, Any]]:
    """Yields the place and a handle of each field, in the order of the file."""
    eccodes = library(file)
    eccodes.codes_grib_multi_support_off()  # whole messages: their fields are told apart here
    with file.open("rb") as stream:
        while (whole := _next(eccodes, stream, file)) is not None:
            try:
                at, length = (eccodes.codes_get(whole, k, int) for k in ("offset", "totalLength"))
                parts = _parts(eccodes, whole, file)
                if not parts:
                    yield Place(at, length, 0), whole
            finally:
                eccodes.codes_release(whole)
            for number, part in enumerate(parts):
                handle = eccodes.codes_new_from_message(part)
                try:
                    yield Place(at, length, number), handle
                finally:
                    eccodes.codes_release(handle)


@contextmanager
def at(file: Path, place: Place) -> Iterator[Any]:
    """Yields the handle of a field of a file, which is released after use."""
    eccodes = library(file)
    with file.open("rb") as stream:
        stream.seek(place.at)
        message = stream.read(place.length)
    if place.part:
        message = separated(message)[place.part]
    handle = eccodes.codes_new_from_message(message)
    try:
        yield handle
    finally:
        eccodes.codes_release(handle)


def _next(eccodes: Any, stream: Any, file: Path) -> Any:
    """Returns the handle of the next message; None: there is none. FileError: it is damaged."""
    try:
        return eccodes.codes_grib_new_from_file(stream)
    except eccodes.CodesInternalError as error:
        raise FileError(f"{file} cannot be read: damaged or truncated? ({error})") from error


def _parts(eccodes: Any, handle: Any, file: Path) -> list[bytes]:
    """Returns the fields of a message as messages; none: it has one only."""
    if eccodes.codes_get(handle, "edition", int) < 2:
        return []
    try:
        parts = separated(eccodes.codes_get_message(handle))
    except ValueError as error:
        raise FileError(f"{file} cannot be read: damaged or truncated? ({error})") from error
    return parts if len(parts) > 1 else []


def separated(message: bytes) -> list[bytes]:
    """Returns the fields of a message of edition 2, each as a message of its own. InputError: its
    sections do not follow each other.
    """
    held: dict[int, bytes] = {}
    bitmap, found, at = b"", [], 16
    while message[at : at + 4] != b"7777":
        length, number = int.from_bytes(message[at : at + 4], "big"), message[at + 4]
        if length < 5 or at + length > len(message):
            raise InputError(f"section {number} has {length} bytes")
        held[number] = message[at : at + length]
        at += length
        if number == 6:
            if held[6][5] == 254:  # that of the field before
                held[6] = bitmap
            bitmap = held[6] if held[6][5] == 0 else bitmap
        if number == 7:
            body = b"".join(held[n] for n in sorted(held)) + b"7777"
            found.append(message[:8] + (16 + len(body)).to_bytes(8, "big") + body)
    return found


def numbers(eccodes: Any, handle: Any) -> np.ndarray:
    """Returns the numbers of a field in the order of the file, NaN where one is missing."""
    if not eccodes.codes_get(handle, "bitmapPresent", int):
        plain: np.ndarray = eccodes.codes_get_values(handle)
        return plain
    eccodes.codes_set(handle, "missingValue", missing_mark)
    values: np.ndarray = eccodes.codes_get_values(handle)
    values[values == missing_mark] = np.nan
    return values


def in_rows(eccodes: Any, handle: Any, values: np.ndarray) -> np.ndarray:
    """Returns numbers of a field with as many points in each row (rows, columns), both as they
    scan.
    """
    ny, nx = _shape(eccodes, handle)
    by_columns = eccodes.codes_get(handle, "jPointsAreConsecutive", int)
    lines = np.array(values.reshape((nx, ny) if by_columns else (ny, nx)))
    if _alternate(eccodes, handle):
        lines[1::2] = lines[1::2, ::-1]
    return lines.T if by_columns else lines


def _shape(eccodes: Any, handle: Any) -> tuple[int, int]:
    """Returns rows and columns."""
    rows, columns = (
        eccodes.codes_get(handle, next(k for k in keys if eccodes.codes_is_defined(handle, k)), int)
        for keys in (("Nj", "Ny"), ("Ni", "Nx"))
    )
    return rows, columns


def _alternate(eccodes: Any, handle: Any) -> bool:
    """Returns whether every other line runs backwards."""
    key = "alternativeRowScanning"
    return bool(eccodes.codes_is_defined(handle, key) and eccodes.codes_get(handle, key, int))


def check_one_way(eccodes: Any, handle: Any) -> None:
    """Raises InputError: every other line of a field runs backwards."""
    if _alternate(eccodes, handle):
        kind = eccodes.codes_get(handle, "gridType")
        raise InputError(f"GRIB: a grid {kind} of which every other line runs backwards")


def check_eastward(eccodes: Any, handle: Any) -> None:
    """Raises InputError: rows of a reduced grid that do not run eastward, one after another."""
    check_one_way(eccodes, handle)
    for key in ("iScansNegatively", "jPointsAreConsecutive", "jScansPositively"):
        if eccodes.codes_get(handle, key, int):
            raise InputError(
                f"GRIB: a reduced grid with {key}; its rows must run eastward from the north"
            )


def places(eccodes: Any, handle: Any, name: str) -> np.ndarray:
    """Returns `latitudes` or `longitudes` of the points [degrees], (rows, columns), as they scan.
    Eccodes gives them in the order of lines that all run the same way.
    """
    ny, nx = _shape(eccodes, handle)
    all_points = np.asarray(eccodes.codes_get_array(handle, name), float)
    if eccodes.codes_get(handle, "jPointsAreConsecutive", int):
        return all_points.reshape(nx, ny).T
    return all_points.reshape(ny, nx)


def axes(eccodes: Any, handle: Any) -> tuple[np.ndarray, np.ndarray]:
    """Returns latitudes of the rows and longitudes of the columns [degrees] of a regular grid, as
    they scan.
    """
    latitude, longitude = (places(eccodes, handle, name) for name in ("latitudes", "longitudes"))
    return latitude[:, 0], longitude[0]


def check_once(path: Path | str, name: str, when: Any, there: Any) -> None:
    """Raises InputError: a field of a time and level that is there already."""
    if when in there:
        raise InputError(
            f"{path} has {name} more than once at a time and level, as of {several[10:]}"
        )


def valid_time(eccodes: Any, handle: Any) -> np.datetime64:
    """Returns date and time at which the values hold."""
    date, clock = (eccodes.codes_get(handle, f"validity{key}", int) for key in ("Date", "Time"))
    day = f"{date // 10000:04d}-{date // 100 % 100:02d}-{date % 100:02d}"
    return np.datetime64(f"{day}T{clock // 100:02d}:{clock % 100:02d}", "ns")
