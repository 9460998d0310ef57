"""The states of an outer model in GRIB files of a centre: all times in one file, or a file for each
time or field, on levels of pressure or hybrid ones, on any of the grids that a start is read from.

The files are looked through once. When a time is needed, its fields are decoded, and each is cut to
the surroundings of the area before anything is made of it (fathom/data/near_area.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from fathom.atmosphere.area.stored_outer import Stored
from fathom.atmosphere.remap.around_area import Receiver
from fathom.atmosphere.remap.initial import initial_state
from fathom.atmosphere.remap.stored_area import StoredArea
from fathom.base.failure import InputError
from fathom.base.home import at_home
from fathom.base.reading import told
from fathom.data import area_state, atmosphere
from fathom.data.grib_files import Files, files_of, several
from fathom.data.grib_times import Times
from fathom.grids.periodic_plane import PeriodicPlane


def is_grib(given: Any) -> bool:
    """Returns whether an outer model is GRIB files of a centre, and no store of a run."""
    if several(given):
        return True
    if not isinstance(given, (str, Path)) or not at_home(given).is_file():
        return False
    with at_home(given).open("rb") as file:
        return file.read(4) == b"GRIB"


class StoredGrib(Stored):
    """The states of GRIB files in time, for a model of an area; given: as
    fathom/data/grib_files.py names them, others as those of Stored.
    """

    def __init__(
        self,
        receiver: Receiver,
        given: str | Path | Sequence[str | Path],
        in_time: str = "linear",
        every: float | str | None = None,
    ) -> None:
        self.files: Files = files_of(given)
        super().__init__(receiver, Path(str(self.files)), in_time, every)

    @cached_property
    def times(self) -> Times:
        """Returns what the files hold."""
        with told(self.path):
            return Times(self.files)

    def moments(self) -> Any:
        """Returns the times of all records."""
        import xarray  # start-up time

        return xarray.DataArray(np.array(self.times.times, "datetime64[ns]"), dims="time")

    def check(self) -> None:
        """Raises InputError: no times, or an area that is none of the earth."""
        if isinstance(self.receiver.where.grid, PeriodicPlane):
            raise InputError(f"outer = {str(self.path)!r} is of the earth; the area is a plane")
        _ = self.axis

    @cached_property
    def _of_area(self) -> Any:
        """Returns what makes a record of them."""
        return NearArea(self.times, self.receiver, f"outer = {str(self.path)!r}")

    _on_own_points = False


class NearArea:
    """The records of files near an area, on its columns.

    times : what the files hold.
    said : how errors call the files.
    """

    def __init__(self, times: Times, receiver: Receiver, said: str) -> None:
        self.times, self.receiver, self.said = times, receiver, said
        self.area: StoredArea | None = None  # with the way from their points to the columns

    def state(self, number: int) -> dict[str, np.ndarray]:
        """Returns a record as `set` takes it."""
        where = self.receiver.where
        with told(self.said):
            data = self.times.state(number, where.grid.coordinates())
        if not area_state.is_area(data):
            whole = atmosphere.complete(data).isel(time=0)
            found = initial_state(whole, where.grid, self.receiver.levels, where.ground)
            result: dict[str, np.ndarray] = where.whole(found)
            return result
        if self.area is None:
            self.area = StoredArea(data, self.receiver, self.said)
        self.area.data = data
        return self.area.state(0)
