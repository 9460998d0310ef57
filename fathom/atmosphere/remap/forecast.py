"""The start of a forecast from an analysis: all initial fields in one call, the air over the
model's ground, and the surface fields; and the record of the date at which a model starts.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fathom.atmosphere.ground import boundary, orography
from fathom.atmosphere.remap import initial
from fathom.base.failure import InputError
from fathom.base.moist_air import virtual_temperature
from fathom.base.reading import once
from fathom.data import area_state, atmosphere
from fathom.grids.arguments import room_for_start
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


def analysis(model: Any, state: Any, time: int = 0) -> dict[str, Any]:
    """Returns the values to set of everything a forecast starts from: air, ground and sea; the
    model gets the orography of `fathom.data`. Dry air gets the temperature that gives it the
    density of the moist air.

    state : "gfs", "era5", "ecmwf", the path of a file, or a data set, as `fathom.data.atmosphere`
        has them.
    time : number of its record.
    """
    room_for_start(model.grid)
    model.check_ground(state if isinstance(state, (str, Path)) else "a data set")
    fields = model.forecast_start(state, time)
    model.orography, model.ground_of_earth = fields.pop("surface_geopotential"), True
    if not model.moist:
        fields["air_temperature"] = virtual_temperature(
            fields["air_temperature"], fields["specific_humidity"]
        )
    return {name: values for name, values in fields.items() if name in model.settable}


class Analysed(NamedTuple):
    """What a model starts from: a state, the number of its record, what it has set."""

    state: Any
    time: int
    found: dict[str, Any]


def take_date(model: Any, simulation: Any) -> None:
    """Takes the record of the state that is of the date at which a simulation starts, where there
    is one, else the first; warns of a state that is more than a year away. All ranks call it.
    """
    if model.analysed is None:
        return
    state, taken, before = model.analysed
    known, date = dates(state), str(simulation.clock.start)
    number = known.index(date) if date in known else 0
    if number != taken:
        found = model.read_analysis(state, number)
        kept = {name for name in found if model.initial.get(name) is not before.get(name)}
        model.initial |= {name: values for name, values in found.items() if name not in kept}
        model.analysed = Analysed(state, number, found)
    if known and simulation.is_root and abs(_year(known[number]) - _year(date)) > 1:
        warnings.warn(
            f"the state given is of {known[number]}, this run starts at {date}", stacklevel=2
        )


def _year(date: str) -> float:
    """Returns a date in years, to a month."""
    year, month, _ = date.split("-", 2)
    return int(year) + (int(month) - 1) / 12
