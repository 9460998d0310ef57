"""The messages of a GRIB file, one after another: for all that read GRIB of other writers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from fathom.base.failure import FileError, InputError


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
    """Yields a handle of eccodes for each message, released after use. FileError: the file is
    damaged.
    """
    eccodes = library(file)
    with file.open("rb") as stream:
        while True:
            try:
                handle = eccodes.codes_grib_new_from_file(stream)
            except eccodes.CodesInternalError as error:
                raise FileError(
                    f"{file} cannot be read: damaged or truncated? ({error})"
                ) from error
            if handle is None:
                return
            try:
                yield handle
            finally:
                eccodes.codes_release(handle)


def valid_time(eccodes: Any, handle: Any) -> np.datetime64:
    """Returns date and time at which the values hold."""
    date, clock = (eccodes.codes_get(handle, f"validity{key}", int) for key in ("Date", "Time"))
    day = f"{date // 10000:04d}-{date // 100 % 100:02d}-{date % 100:02d}"
    return np.datetime64(f"{day}T{clock // 100:02d}:{clock % 100:02d}", "ns")
