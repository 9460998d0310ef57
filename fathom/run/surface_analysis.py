"""The analysis of the surface for a run: increments at the points of its restart, handed to ground,
snow and sea; the run goes on from the restart that this writes.

    air temperature          ground and soil below (surface.ground_increments), on land
    snow thickness           snow_amount by the density of the snow, on land without an ice sheet
    sea water temperature    sea_surface_temperature, not below freezing

Ranks share the points. Each is solved by itself, so the file is the same on any of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fathom import mpi
from fathom.atmosphere.given_state import grid_of
from fathom.failure import InputError
from fathom.moist_air import GRAVITY
from fathom.observations import base, surface
from fathom.observations.base import Observations
from fathom.output.formats import restart
from fathom.regrid.rows import Rows
from fathom.time.clock import Clock

handed = ("air_temperature", "surface_snow_thickness", "sea_water_temperature")
kinds = ("synop", "ship", "buoy", "metar")
usual_density = 250.0  # kg m-3, of snow where the scheme of land has none
ice_sheet = 900.0  # kg m-2 of snow from which on it stands for one

Fields = dict[str, np.ndarray]


def analyse(
    path: str | Path, start: str | Path, out: str | Path, comm: Any = None, hours: float = 3.0,
    lengths: dict[str, float] | None = None, threads: int = 1,
) -> dict[str, Any]:  # fmt: skip
    """The restart `start` with the increments of the used data of a base that lie within `hours` of
    its date, as `out`. lengths: variable -> length of the structure [m] instead of the usual one.
    All ranks call it. Returns variable -> counts and rms of departures before, after, and withheld.

    FileNotFoundError; ValueError: a restart that has no geometry, no datum to use.
    """
    comm = mpi.world if comm is None else comm
    with restart.read(start) as file:
        header, fields = file.header, {name: np.array(file[name]) for name in file.names}
    grid = grid_of(header, start)
    missing = [n for n in ("land_fraction", "surface_geopotential") if n not in fields]
    if missing:
        raise InputError(
            f"{start}: a surface needs {' and '.join(missing)}, which it does not have"
        )
    data = _near(path, header, hours)
    told = {}
    for name in handed:
        some = data.taken(data.variable_is(name))
        if len(some) > 1 and (points := _points(name, fields, Rows.of(grid).used)).any():
            structure = surface.structure_of(name)
            if lengths and name in lengths:
                structure = replace(structure, length=lengths[name])
            made, told[name] = _of(some, structure, grid, fields, points, comm, threads)
            _hand_over[name](fields, made)
    if not told:
        raise InputError(
            f"{path} has no used datum of {', '.join(handed)} with a departure within {hours:g} h"
            f" of {start}"
        )
    if comm.rank == 0:
        restart.write(out, fields, header)
    comm.barrier()
    return told


def _near(path: str | Path, header: Any, hours: float) -> Observations:
    """Data of the surface that are used, by key."""
    if not hours > 0:
        raise InputError(f"hours = {hours} must be positive")
    date = Clock(header.start, header.calendar).date(header.seconds)
    now = (date - type(date)(1970, 1, 1, calendar=header.calendar)).total_seconds()
    listed = lambda names: ", ".join(f"'{name}'" for name in names)
    return base.read(
        path,
        f"reason = 0 AND background_departure IS NOT NULL AND pressure IS NULL"
        f" AND kind IN ({listed(kinds)}) AND variable IN ({listed(handed)})"
        f" AND time >= {now - 3600 * hours:.0f} AND time < {now + 3600 * hours:.0f}",
    ).sorted()


def _points(name: str, fields: Fields, used: np.ndarray) -> np.ndarray:
    """Where an increment has somewhere to go."""
    land = fields["land_fraction"][0] >= 0.5
    if name == "sea_water_temperature":
        return ~land & used & ("sea_surface_temperature" in fields)
    if name == "surface_snow_thickness":
        return land & used & (fields.get("snow_amount", np.full_like(land, 1e9))[-1] < ice_sheet)
    return land & used & ("ground_temperature" in fields)


def _of(
    some: Observations, structure: surface.Structure, grid: Any, fields: Fields,
    points: np.ndarray, comm: Any, threads: int,
) -> tuple[np.ndarray, dict[str, Any]]:  # fmt: skip
    """Increments (rows, points), 0 elsewhere; and what departures were and are."""
    columns = ("longitude", "latitude", "height", "background_departure")
    data = surface.Data(*(some[name] for name in columns))
    height = fields["surface_geopotential"][0].astype(float) / GRAVITY
    x, y = grid.coordinates("center")
    longitude, latitude, height = (
        np.append(a[points], of)
        for a, of in ((x, data.longitude), (y, data.latitude), (height, data.height))
    )
    own = slice(*(len(height) * (comm.rank + n) // comm.size for n in (0, 1)))
    share, _ = surface.analyse(
        structure, longitude[own], latitude[own], height[own], data, threads=threads
    )
    found = np.concatenate(comm.allgather(share))
    count = int(points.sum())
    made = np.zeros(points.shape)
    made[points] = found[:count]
    d = data.departure
    rms = lambda values: float(np.sqrt(np.mean(values**2)))
    left = surface.withheld(structure, data, min(10, len(data)), threads=threads)
    return made, {
        "data": len(data), "points": count, "rms_background": rms(d),
        "rms_analysis": rms(d - found[count:]), "rms_withheld": rms(left),
        "largest_increment": float(np.abs(made).max()),
    }  # fmt: skip


def lines(told: dict[str, Any]) -> list[str]:
    """What `analyse` returns, for people."""
    return [
        f"{name}: {t['data']} data, rms of departures {t['rms_background']:.3g}, after the analysis"
        f" {t['rms_analysis']:.3g}, withheld {t['rms_withheld']:.3g}; {t['points']} points, largest"
        f" increment {t['largest_increment']:.3g}"
        for name, t in told.items()
    ]


def _warm(fields: Fields, made: np.ndarray) -> None:
    land = "SoilLayers" if "soil_temperature_1" in fields else "LandSurface"
    for name, increment in surface.ground_increments(made, land).items():
        if name in fields:
            fields[name][0] += increment.astype(fields[name].dtype)


def _snow(fields: Fields, made: np.ndarray) -> None:
    density = fields["snow_density"][0] if "snow_density" in fields else usual_density
    amount = fields["snow_amount"]
    amount[0] = np.where(made == 0, amount[0], np.maximum(amount[0] + density * made, 0))


def _sea(fields: Fields, made: np.ndarray) -> None:
    sea = fields["sea_surface_temperature"]
    sea[0] = np.where(made == 0, sea[0], np.maximum(sea[0] + made, mpi.core.ground["freezing_sea"]))


_hand_over: dict[str, Callable[[Fields, np.ndarray], None]] = {
    "air_temperature": _warm,
    "surface_snow_thickness": _snow,
    "sea_water_temperature": _sea,
}
