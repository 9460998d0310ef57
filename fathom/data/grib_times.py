"""The states of GRIB files in time: where each field lies, and one time of them near an area."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fathom.base.failure import InputError
from fathom.data import grib_state
from fathom.data.grib_files import Files
from fathom.data.grib_rows import RowsOf
from fathom.output.formats import grib_messages
from fathom.output.formats.grib_messages import Place, library, placed, valid_time

if TYPE_CHECKING:
    import xarray as xr


of_ground = (("surface", "surface_geopotential"), ("hybrid", "geopotential"))


class Entry(NamedTuple):
    """A field in a file."""

    file: Path
    place: Place
    key: grib_state.Key


class Times:
    """What GRIB files hold, by time. InputError: no field of a state; several members and none
    chosen; FileError: one is damaged.
    """

    def __init__(self, files: Files) -> None:
        self.files = files
        self.entries: dict[np.datetime64, list[Entry]] = {}
        member = grib_state.Member(files)
        for path in files.paths:
            eccodes = library(path)
            for place, message in placed(path):
                key = grib_state.key_of(eccodes, message)
                if key is not None and member.has(eccodes, message):
                    when = valid_time(eccodes, message)
                    self.entries.setdefault(when, []).append(Entry(path, place, key))
        member.check()
        self.times = sorted(when for when, held in self.entries.items() if _has_air(held))
        if not self.times:
            raise InputError(
                f"{files} has no state of the atmosphere: no temperature on levels of"
                " pressure, or hybrid ones"
            )
        everything = (one for held in self.entries.values() for one in held)
        self.ground = [one for one in everything if one.key[:2] in of_ground][:1]

    def state(self, number: int, around: tuple[Any, Any] | None = None) -> xr.Dataset:
        """Returns a time, near the longitudes and latitudes of an area where it is one
        (fathom/data/area_state.py). An orography of any time is that of all.
        """
        when = self.times[number]
        own = self.entries[when]
        if not any(one.key[:2] in of_ground for one in own):
            own = [*own, *self.ground]
        named = f"{self.files} at {when.astype('M8[m]')}"
        return grib_state.of_fields(named, _fields(own), RowsOf(named, around))


def _has_air(entries: list[Entry]) -> bool:
    """Returns whether they have a state of the air."""
    return any(one.key[1] == "air_temperature" for one in entries)


def _fields(entries: list[Entry]) -> Iterator[tuple[grib_state.Key, Any]]:
    """Yields the key and message of each of these fields, in the order of the files."""
    for one in entries:
        with grib_messages.at(one.file, one.place) as message:
            yield one.key, message
