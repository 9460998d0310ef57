"""The analysis of the surface for a run: increments at the points of its restart, added to ground,
snow and sea; the run continues from the restart that this writes.

    air temperature          ground and soil below (surface.ground_increments), on land
    relative humidity        with the temperature: water of the soil (surface.wetness_increments),
                             by day, where neither snow nor frost is; from the dew point
    snow thickness           snow_amount by the density of the snow, on land without an ice sheet
    sea water temperature    sea_surface_temperature, not below freezing

Ranks share the points. Each point is solved alone, so the file is the same on any ranks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation.observations import base, looks, surface
from fathom.assimilation.observations.base import Observations
from fathom.assimilation.observations.variables import names
from fathom.atmosphere.remap.given_state import grid_of
from fathom.base import earth, mpi
from fathom.base.clock import Clock
from fathom.base.earth import STANDARD_GRAVITY
from fathom.base.failure import InputError
from fathom.base.moist_air import saturation_pressure
from fathom.output.formats import restart

handed = (
    "air_temperature",
    "relative_humidity",
    "surface_snow_thickness",
    "sea_water_temperature",
)
kinds = ("synop", "ship", "buoy", "metar")
dew_point = "dew_point_temperature"
ice_sheet = 900.0  # kg m-2 of snow that means an ice sheet
frost, bare, roots = 273.65, 1.0, 3  # K: no water moves below; kg m-2 of snow; layers with roots

Fields = dict[str, np.ndarray]


def analyse(
    path: str | Path, start: str | Path, out: str | Path, comm: Any = None, hours: float = 3.0,
    lengths: dict[str, float] | None = None, threads: int = 1, missing: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Returns the restart `start` with the increments of the used data of a base that lie within
    `hours` of its date, as `out`. lengths: variable -> length of the structure [m] instead of the
    usual one. missing: whether there may be no datum. All ranks call it. Returns variable -> counts
    and rms of departures before, after, and withheld.

    FileNotFoundError; ValueError: a restart that has no geometry, no datum to use.
    """
    comm = mpi.world if comm is None else comm
    with restart.read(start) as file:
        header, fields = file.header, {name: np.array(file[name]) for name in file.names}
    grid = grid_of(header, start)
    _must_have(fields, start)
    data = _near(path, header, hours)
    told, made = {}, {}
    for name in handed:
        some = data.taken(data.variable_is(name))
        if len(some) > 1 and (points := _points(name, fields, grid.wet_levels > 0)).any():
            structure = surface.structure_of(name)
            if lengths and name in lengths:
                structure = replace(structure, length=lengths[name])
            made[name], told[name] = _of(some, structure, grid, fields, points, comm, threads)
    if not told and not missing:
        raise InputError(
            f"{path} has no used datum of {', '.join(handed)} with a departure within {hours:g} h"
            f" of {start}"
        )
    told |= _moisten(fields, made, _sun(header, grid))
    for name in made.keys() & _hand_over.keys():
        _hand_over[name](fields, made[name])
    if comm.rank == 0:
        restart.write(out, fields, header)
    comm.barrier()  # the restart is there for all
    return told


def _must_have(fields: Fields, start: Any) -> None:
    missing = [n for n in ("land_fraction", "surface_geopotential") if n not in fields]
    if missing:
        raise InputError(
            f"{start}: a surface needs {' and '.join(missing)}, which it does not have"
        )


def _near(path: str | Path, header: Any, hours: float) -> Observations:
    """Returns data of the surface that are used, by key."""
    if not hours > 0:
        raise InputError(f"hours = {hours} must be positive")
    now = _since(header, 1970)

    def listed(names: Any) -> Any:
        return ", ".join(f"'{name}'" for name in names)

    data = base.read(
        path,
        f"reason = 0 AND background_departure IS NOT NULL AND pressure IS NULL"
        f" AND kind IN ({listed(kinds)}) AND variable IN ({listed((*handed, dew_point))})"
        f" AND time >= {now - 3600 * hours:.0f} AND time < {now + 3600 * hours:.0f}",
    ).sorted()
    return with_humidity(data)


def _since(header: Any, year: int, hour: int = 0) -> float:
    """Returns its date [s] since the beginning of a year, or since an hour of that day."""
    date = Clock(header.start, header.calendar).date(header.seconds)
    first = type(date)(year, 1, 1, hour, calendar=header.calendar)
    result: float = (date - first).total_seconds()
    return result


def _sun(header: Any, grid: Any) -> np.ndarray:
    """Returns the cosine of its zenith angle at all points (rows, points)."""
    places = earth.unit_vectors(*grid.coordinates("center"))
    result: np.ndarray = places @ np.array(mpi.core.sun_direction(_since(header, 2000, 12) / 86400))
    return result


def with_humidity(data: Observations) -> Observations:
    """Returns the data with relative humidity, e_s(T_d) / e_s(T), in place of each dew point whose
    report has a temperature, and its departure; without other dew points.
    """
    moist, warm = (np.flatnonzero(data.variable_is(n)) for n in (dew_point, "air_temperature"))
    warm = warm[np.unique(data["report"][warm], return_index=True)[1]]  # one of each report
    at = np.searchsorted(data["report"][warm], data["report"][moist])
    at = np.minimum(at, max(len(warm) - 1, 0))
    both = data["report"][warm[at]] == data["report"][moist] if len(warm) else moist < 0
    moist, warm = moist[both], warm[at[both]] if len(warm) else warm
    T, T_d = data["value"][warm], data["value"][moist]
    here, there = ((T, T_d), tuple(data["value"][n] - data["background_departure"][n]
                                   for n in (warm, moist)))  # fmt: skip
    seen, expected = (
        np.minimum(saturation_pressure(b) / saturation_pressure(a), 1) for a, b in (here, there)
    )
    data["value"][moist], data["background_departure"][moist] = seen, seen - expected
    data["variable"][moist] = names.index("relative_humidity")
    return data.taken(~data.variable_is(dew_point))


def _points(name: str, fields: Fields, used: np.ndarray) -> np.ndarray:
    """Returns points where an increment can be added."""
    land = fields["land_fraction"][0] >= 0.5
    if name == "sea_water_temperature":
        return np.asarray(~land & used & ("sea_surface_temperature" in fields))
    if name == "surface_snow_thickness":
        snow = fields.get("snow_amount", np.full_like(land, 1e9))[-1]
        return np.asarray(land & used & (snow < ice_sheet))
    return np.asarray(land & used & ("ground_temperature" in fields))


def _of(
    some: Observations, structure: surface.Structure, grid: Any, fields: Fields,
    points: np.ndarray, comm: Any, threads: int,
) -> tuple[np.ndarray, dict[str, Any]]:  # fmt: skip
    """Returns increments (rows, points), 0 elsewhere; and departures before and after."""
    columns = ("longitude", "latitude", "height", "background_departure")
    data = surface.Data(*(some[name] for name in columns))
    height = fields["surface_geopotential"][0].astype(float) / STANDARD_GRAVITY
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

    def rms(values: Any) -> float:
        return float(np.sqrt(np.mean(values**2)))

    left = surface.withheld(structure, data, min(10, len(data)), threads=threads)
    return made, {
        "data": len(data), "points": count, "rms_background": rms(d),
        "rms_analysis": rms(d - found[count:]), "rms_withheld": rms(left),
        "largest_increment": float(np.abs(made).max()),
    }  # fmt: skip


def lines(told: dict[str, Any]) -> list[str]:
    """Returns the result of `analyse` as text."""
    return [_line(name, t) for name, t in told.items()]


def _line(name: str, t: dict[str, Any]) -> str:
    where = f"{t['points']} points, largest increment {t['largest_increment']:.3g}"
    if "data" not in t:
        return f"{name}: {where} kg m-2, mean {t['mean_increment']:.3g}"
    return (
        f"{name}: {t['data']} data, rms of departures {t['rms_background']:.3g}, after the analysis"
        f" {t['rms_analysis']:.3g}, withheld {t['rms_withheld']:.3g}; {where}"
    )


def _moisten(fields: Fields, made: dict[str, np.ndarray], sun: np.ndarray) -> dict[str, Any]:
    """Returns water of the soil, between the wilting point and the field capacity: into the bucket,
    or the layers with roots. Returns the added water [kg m-2].
    """
    nothing = np.zeros_like(sun)
    warm, moist = (made.get(n, nothing) for n in ("air_temperature", "relative_humidity"))
    layers = _water_limits(fields)
    if not layers or "ground_temperature" not in fields or not (warm.any() or moist.any()):
        return {}
    T, snow = (fields.get(n, [nothing])[0] for n in ("ground_temperature", "snow_amount"))
    open_ = (fields["land_fraction"][0] >= 0.5) & (T > frost) & (snow < bare)
    share = np.where(open_, surface.wetness_increments(warm, moist, sun), 0)
    got = nothing
    for name, (least, most) in layers.items():
        old = fields[name][0].astype(float)
        new = old + share * (most - least)
        new = np.clip(new, np.minimum(old, least), np.maximum(old, most))
        got = got + new - old
        fields[name][0] = np.where(share == 0, fields[name][0], new)
    return {"soil_water": {"points": int((got != 0).sum()), "mean_increment": float(got.mean()),
                           "largest_increment": float(np.abs(got).max())}}  # fmt: skip


def _water_limits(fields: Fields) -> dict[str, tuple[float, float]]:
    """Returns fields of water for plants, and their limits [kg m-2]."""
    own = mpi.core.ground
    if "soil_water_1" not in fields:
        return {"soil_moisture": (0.0, own["bucket"])} if "soil_moisture" in fields else {}
    volume = [own[name] for name in ("wilting_point", "field_capacity")]
    return {
        f"soil_water_{k}": tuple(1000 * thickness * share for share in volume)
        for k, thickness in enumerate(own["thickness"][:roots], 1)
    }


def _warm(fields: Fields, made: np.ndarray) -> None:
    land = "SoilLayers" if "soil_temperature_1" in fields else "LandSurface"
    for name, increment in surface.ground_increments(made, land).items():
        if name in fields:
            fields[name][0] += increment.astype(fields[name].dtype)


def _snow(fields: Fields, made: np.ndarray) -> None:
    density = fields["snow_density"][0] if "snow_density" in fields else looks.usual_density
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
