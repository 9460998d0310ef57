"""The start of a forecast from an analysis: all initial fields in one call, the air over the
model's ground, and the surface fields; and the record of the date at which a model starts.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fathom.atmosphere.ground import boundary, orography
from fathom.atmosphere.remap import initial
from fathom.base.failure import InputError
from fathom.base.reading import once
from fathom.data import area_state, atmosphere
from fathom.grids.hybrid import interfaces_of
from fathom.grids.regrid import column
from fathom.grids.regrid.rows import points_of

if TYPE_CHECKING:
    import xarray as xr


_dates: dict[str, list[str]] = {}  # of the states that this process has read


@once
def dates(state: str | xr.Dataset) -> list[str]:
    """Returns the dates of the records of a state, as text; those of a file that `start` has read
    are known.
    """
    if not isinstance(state, str):
        return area_state.dates_of(state)
    return _dates.get(state) or area_state.dates_of(atmosphere.open(state))


@once
def start(
    state: str | xr.Dataset,
    grid: Any,
    levels: Any = None,
    truncation: int | None = None,
    *,
    path: str | Path | None = None,
    time: int = 0,
    ground: dict[str, np.ndarray] | None = None,
) -> dict[str, np.ndarray]:
    """Returns fields of `initial.initial_state`, `orography.orography` and
    `boundary.boundary_fields`, and ozone; (levels, rows, longest row), (rows, longest row).

    state       "gfs", "era5", "ecmwf", the path of a NetCDF file,
        or a data set as `atmosphere` gives them
    grid        latitude, points, and levels and truncation unless these are given
    path        of a set that is not part of Fathom
    time        number or moment of the state, where a set has several
    ground      what `orography.orography` gives, of a grid that is not made of rows
    """
    data = atmosphere.open(state, path) if isinstance(state, str) else atmosphere.complete(state)
    if isinstance(state, str):
        _dates[state] = area_state.dates_of(data)
    if "time" in data.dims:
        data = data.isel(time=time) if isinstance(time, int) else data.sel(time=time)
    if "time" not in data.coords and "time" not in data:
        raise InputError(
            "the state has no time: the sea and its ice depend on the day; give it one,"
            " data.assign_coords(time=...)"
        )
    levels = grid.levels if levels is None else levels
    if ground is None:
        ground = orography.orography(grid, grid.truncation if truncation is None else truncation)
    air = initial.initial_state(data, grid, levels, ground["surface_geopotential"])
    below = boundary.boundary_fields(
        grid, data.time.values, ground["land_fraction"], ground["surface_geopotential"], data
    )
    rows = points_of(grid)
    a, b = interfaces_of(levels)
    pressure = column.layer_pressure(
        column.interface_pressure(a, b, np.exp(rows.pack(air["log_surface_pressure"])))
    )
    ozone = rows.unpack(boundary.ozone(rows.point_latitude, pressure))
    rows.weights.clear()  # all fields are there
    return ground | below | air | {"ozone": ozone}


class Analysed(NamedTuple):
    """What a model starts from: a state, the number of its record, what it has set."""

    state: Any
    time: int
    found: dict[str, Any]


def of_date(
    analysed: Analysed | None,
    initial: dict[str, Any],
    date: str,
    read: Callable[[Any, int], dict[str, Any]],
    warn: bool,
) -> tuple[Analysed | None, dict[str, Any]]:
    """Returns what a model starts from at a date, and its initial values with those of the record
    of that date where the state has one, else of the first; a value that was given otherwise stays.
    All ranks call it.

    analysed : what has been set; None: no state.
    read : returns the values of a record (state, number).
    warn : whether to warn of a state that is more than a year away.
    """
    if analysed is None:
        return None, initial
    known = dates(analysed.state)
    number = known.index(date) if date in known else 0
    if number != analysed.time:
        before, found = analysed.found, read(analysed.state, number)
        as_set = (name for name in found if initial.get(name) is before.get(name))
        initial = initial | {name: found[name] for name in as_set}
        analysed = Analysed(analysed.state, number, found)
    if warn and known and abs(_year(known[number]) - _year(date)) > 1:
        warnings.warn(
            f"the state given is of {known[number]}, this run starts at {date}", stacklevel=3
        )
    return analysed, initial


def _year(date: str) -> float:
    """Returns a date in years, to a month."""
    year, month, _ = date.split("-", 2)
    return int(year) + (int(month) - 1) / 12
