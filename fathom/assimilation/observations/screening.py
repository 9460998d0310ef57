"""Screening: which data an analysis uses. Steps in this order; each sets the reason only of data
that are still used, so a datum keeps the reason of the first step that removed it.

    1  domain, window [start, end), gross limits; soundings: hydrostatics, lapse rate; blacklist
    2  departures of an altimeter lose the mean of their track, an error of the mean dynamic
       topography and of the orbit; first guess: d^2 > k^2 (sigma_o^2 + sigma_b^2); a sounding of
       which four neighbouring levels fail goes as a whole
    3  duplicates: of one station, place and level, the most complete report, then the one next to
       the time of the analysis, then the smaller key
    4  buddies: too far from the mean of the neighbours; spatial consistency: too far from the
       optimal interpolation of the neighbours (fields of the surface)
    5  thinning: of each box of space, pressure and time the datum next to its centre, ties by key

The outcome depends on the data alone: neither on their order nor on ranks and threads. On ranks
each has whole reports. Of groups that may lie on several, the best row of each rank meets those of
the others; neighbours are looked for among all departures of the surface, each rank for its share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from fathom.assimilation.observations import (
    base,
    blacklist,
    neighbours,
    parquet,
    soundings,
    spread,
    surface,
)
from fathom.assimilation.observations.base import Observations, order
from fathom.assimilation.observations.reasons import code
from fathom.assimilation.observations.variables import kinds, names, variables
from fathom.base import earth
from fathom.base.failure import InputError

# sigma_b of a background of short range, where the data do not bring it [units of the variable].
background_errors: Mapping[str, float] = {
    "air_temperature": 1.5,
    "dew_point_temperature": 2.5,
    "relative_humidity": 0.15,
    "specific_humidity": 1e-3,
    "eastward_wind": 2.5,
    "northward_wind": 2.5,
    "surface_air_pressure": 150.0,
    "air_pressure_at_mean_sea_level": 150.0,
    "geopotential_height": 15.0,
    "surface_snow_thickness": 0.1,
    "toa_brightness_temperature": 1.5,
    "refractivity": 3.0,
    "bending_angle": 3e-4,
    "sea_water_temperature": 1.0,
    "sea_water_salinity": 0.3,
    "sea_surface_height_above_geoid": 0.15,
    "sea_surface_wave_significant_height": 0.5,
}
at_surface = ("synop", "ship", "buoy", "metar")
# Kind -> box of thinning: km, hPa, minutes; nothing is thinned where there is none.
boxes: Mapping[str, tuple[float, float, float]] = {
    "aircraft": (70, 25, 60),
    "amv": (150, 50, 60),
    "radiance": (120, 1e9, 180),
    "scatterometer": (80, 1e9, 180),
    "gnss_ro": (50, 5, 60),
    "altimeter": (30, 1e9, 1e9),
}


@dataclass(frozen=True)
class Settings:
    """The settings of a screening. window: [start, end) [s since 1970]; region: west, east, south,
    north [degrees], across the date line where east is less than west; gap: between tracks of an
    altimeter [s]; limit: k of the first guess; None or 0 leaves a step out.
    """

    window: tuple[float, float] | None = None
    region: tuple[float, float, float, float] | None = None
    gap: float = 300.0
    limit: float = 5.0
    buddy_limit: float = 4.0
    buddy_reach: float = 150e3  # m
    consistency_limit: float = 4.0
    boxes: Mapping[str, tuple[float, float, float]] = field(default_factory=lambda: boxes)
    rules: Sequence[blacklist.Rule] = ()
    threads: int = 1

    def __post_init__(self) -> None:
        if self.window is not None and not self.window[0] < self.window[1]:
            raise InputError(f"a window from {self.window[0]} to {self.window[1]} holds no time")
        if self.region is not None and not -90 <= self.region[2] < self.region[3] <= 90:
            raise InputError(
                f"a region from {self.region[2]} to {self.region[3]} degrees north holds no place"
            )
        for name in ("limit", "buddy_limit", "buddy_reach", "consistency_limit"):
            if getattr(self, name) < 0:
                raise InputError(f"{name} = {getattr(self, name)} must not be negative")
        for kind in self.boxes:
            if kind not in kinds:
                raise InputError(f"a box of thinning for '{kind}': allowed are {', '.join(kinds)}")


def screen(
    data: Observations, settings: Settings | None = None, comm: Any = parquet.alone
) -> dict[str, int]:
    """Sets the reasons of what is not used. Returns step -> how many data it removed, on all ranks;
    `data`: those of whole reports on each.
    """
    settings = Settings() if settings is None else settings
    removed = {
        "outside the domain": data.remove(_outside(data, settings), code["outside the domain"]),
        "outside the window": data.remove(_late(data, settings), code["outside the window"]),
        "gross limits": data.remove(_gross(data), code["gross limits"]),
        "no error": data.remove(~(data["error_final"] > 0), code["no error"]),
        "hydrostatic": data.remove(soundings.not_hydrostatic(data), code["hydrostatic"]),
        "lapse rate": data.remove(soundings.too_steep(data), code["lapse rate"]),
        "blacklist": sum(blacklist.apply(data, settings.rules).values()),
        "no equivalent": data.remove(_not_compared(data, comm), code["no equivalent"]),
    }
    _level_tracks(data, settings, comm)
    removed["first guess"] = data.remove(_far(data, settings), code["first guess"])
    removed["multi-level"] = data.remove(soundings.failed(data), code["multi-level"])
    for name, step in {
        "duplicate": _duplicates,
        "buddy": _alone,
        "spatial consistency": _inconsistent,
        "thinning": _thinned,
    }.items():
        removed[name] = data.remove(step(data, settings, comm), code[name])
    everywhere = comm.allgather(list(removed.values()))
    return {name: sum(counts) for name, counts in zip(removed, zip(*everywhere))}


def screen_file(
    path: str | Path, out: str | Path, settings: Settings, comm: Any,
    before: Callable[[Observations], None] = lambda data: None,
) -> dict[str, Any]:  # fmt: skip
    """Reads, screens and writes a base on all ranks, which share its rows; the file is the same on
    any number of them. before: what is done to the rows of each rank before. Returns counts, and
    the processor time of the slowest rank [s].
    """
    import scipy.spatial  # noqa: F401  start-up time is not the screening's

    base.pyarrow()
    comm.barrier()  # its time begins for all at once
    start = process_time()
    own = base.read(path, comm=comm)
    before(own)
    whole = spread.Whole(own, comm)
    removed = screen(whole.data, settings, comm)
    whole.back(own, ("reason", "background_error", "background_departure"))
    spread.write_back(own, out, comm)
    spent = max(comm.allgather(process_time() - start))
    data, used = (sum(counts) for counts in zip(*comm.allgather((len(own), int(own.used.sum())))))
    return {"data": data, "used": used, "removed": removed,
            "processor_seconds_of_the_slowest_rank": spent}  # fmt: skip


def _outside(data: Observations, settings: Settings) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        inside = (np.abs(data["latitude"]) <= 90) & (np.abs(data["longitude"]) <= 180)
        if settings.region is not None:
            west, east, south, north = settings.region
            along = (data["longitude"] - west) % 360 <= ((east - west) % 360 or 360)
            inside &= along & (data["latitude"] >= south) & (data["latitude"] <= north)
    result: np.ndarray = ~inside
    return result


def _late(data: Observations, settings: Settings) -> np.ndarray:
    start, end = settings.window or (1, np.inf)
    return (data["time"] < start) | (data["time"] >= end)


def _not_compared(data: Observations, comm: Any) -> np.ndarray:
    """Returns data not compared with a model, where others were: of other times, for example."""
    compared = np.isfinite(data["background_departure"])
    result: np.ndarray = ~compared & any(comm.allgather(bool(compared.any())))
    return result


def _gross(data: Observations) -> np.ndarray:
    low, high = np.array([v.limits for v in variables]).T
    value, number = data["value"], data["variable"]
    result: np.ndarray = ~((value >= low[number]) & (value <= high[number]))
    return result


def _level_tracks(data: Observations, settings: Settings, comm: Any) -> None:
    """Subtracts from the departures of each track their mean, over data near the background. A
    track: heights of one satellite without a gap in time.
    """
    height = data.kind_is("altimeter") & data.variable_is("sea_surface_height_above_geoid")
    of = np.flatnonzero(height & data.used & np.isfinite(data["background_departure"]))
    names_ = ("station", *order, "background_departure")
    given = comm.allgather({n: data[n][of] for n in names_})
    every = {n: np.concatenate([part[n] for part in given]) for n in names_}
    if not len(every["time"]):
        return
    line = np.lexsort([every[n] for n in ("datum", "report", "time", "station")])
    station, time, d = (every[n][line] for n in ("station", "time", "background_departure"))
    new = (station[1:] != station[:-1]) | (np.diff(time) > settings.gap)
    track = np.append(0, np.cumsum(new))
    good = np.abs(d - np.median(d)) < 1.0  # m
    mean = np.bincount(track, np.where(good, d, 0)) / np.maximum(np.bincount(track, good), 1)
    left = np.empty_like(d)
    left[line] = d - mean[track]
    first = sum(len(part["time"]) for part in given[: comm.rank])
    data["background_departure"][of] = left[first : first + len(of)]


def _far(data: Observations, settings: Settings) -> np.ndarray:
    """Returns the mask of the background check; both components fail if one does."""
    usual = np.array([background_errors[name] for name in names])[data["variable"]]
    given = data["background_error"]
    data["background_error"] = np.where(np.isnan(given), usual, given)
    if not settings.limit:
        return np.zeros(len(data), bool)
    departure = data["background_departure"]
    spread = data["error_final"] ** 2 + data["background_error"] ** 2
    with np.errstate(invalid="ignore"):
        far = departure**2 > settings.limit**2 * spread
    result: np.ndarray = far | _partners(data, far)
    return result


def _partners(data: Observations, which: np.ndarray) -> np.ndarray:
    """Returns the other components of winds of a mask: the same report and level."""
    wind = np.flatnonzero(data.variable_is("eastward_wind") | data.variable_is("northward_wind"))
    if not len(wind):
        return np.zeros(len(data), bool)
    key = [np.nan_to_num(data[n][wind], nan=-1) for n in ("report", "pressure", "height")]
    order, group = neighbours.grouped(*key)
    some = np.bincount(group, which[wind][order]) > 0
    found = np.zeros(len(data), bool)
    found[wind[order]] = some[group]
    return found


def _duplicates(data: Observations, settings: Settings, comm: Any) -> np.ndarray:
    """Returns all but the best of a station (where it has no name: of a kind), a cell of 0.05
    degrees, a level and half an hour.
    """
    of = np.flatnonzero(data.used)
    some = data.taken(of)
    _, report, size = np.unique(some["report"], return_inverse=True, return_counts=True)
    cell = [np.floor(some[n] / 0.05 + 0.5) for n in ("longitude", "latitude")]
    level = [np.nan_to_num(some[n], nan=-1) for n in ("pressure", "depth", "channel", "instrument")]
    flat = np.isin(some["kind"], [kinds.index(k) for k in at_surface])
    height = np.where(flat, -1, np.nan_to_num(some["height"], nan=-1))
    half_hour = np.floor(some["time"] / 1800)
    late = np.abs(some["time"] - _middle(some, settings, comm))
    found = np.zeros(len(data), bool)
    found[of] = ~spread.first_of(
        (*cell, some["kind"], some["variable"], *level, height, half_hour, some["station"]),
        (-size[report], late, some["report"], some["datum"]),
        comm,
    )
    return found


def _middle(some: Observations, settings: Settings, comm: Any) -> float:
    """Returns the middle of the window; without one, the median of the times."""
    if settings.window:
        return sum(settings.window) / 2
    times = np.concatenate(comm.allgather(some["time"]))
    return float(np.median(times)) if len(times) else 0.0


@dataclass(frozen=True)
class _Set:
    """Departures of one variable of the surface that are still used, those of all ranks in one
    order: columns by name; and, of this rank's `of` its data, their places `at` among them.
    """

    name: str
    of: np.ndarray
    at: np.ndarray
    column: Mapping[str, np.ndarray]


def on_each_rank(data: Observations) -> None:
    """Does the part of a screening that every rank does, for any number of ranks; the benchmark
    measures it.
    """
    from scipy.spatial import cKDTree

    for one in _sets(data, parquet.alone):
        cKDTree(earth.unit_vectors(one.column["longitude"], one.column["latitude"]))


_of_sets = ("longitude", "latitude", "height", "background_departure", "error_final",
            "background_error")  # fmt: skip


def _sets(data: Observations, comm: Any) -> list[_Set]:
    """Returns the data by variable, where there are more than three."""
    flat = np.isin(data["kind"], [kinds.index(k) for k in at_surface])
    there = flat & data.used & np.isfinite(data["background_departure"])
    there &= np.isnan(data["pressure"])
    here = np.flatnonzero(there)
    given = comm.allgather({n: data[n][here] for n in ("variable", *order, *_of_sets)})
    every = {name: np.concatenate([part[name] for part in given]) for name in given[0]}
    first = sum(len(part["variable"]) for part in given[: comm.rank])
    made = []
    for number, name in enumerate(names):
        which = np.flatnonzero(every["variable"] == number)
        which = which[np.lexsort([every[n][which] for n in reversed(order)])]
        if len(which) > 3:
            at = np.flatnonzero((which >= first) & (which < first + len(here)))
            column = {n: every[n][which] for n in _of_sets}
            made.append(_Set(name, here[which[at] - first], at, column))
    return made


def _alone(data: Observations, settings: Settings, comm: Any) -> np.ndarray:
    """Returns data whose departure is far from the mean of at least three neighbours."""
    found = np.zeros(len(data), bool)
    if not settings.buddy_limit:
        return found
    for one in _sets(data, comm):
        column = one.column
        z = column["background_departure"] / np.hypot(
            column["error_final"], column["background_error"]
        )
        places = earth.unit_vectors(column["longitude"], column["latitude"])
        own = np.arange(*(len(z) * (comm.rank + n) // comm.size for n in (0, 1)))
        share = neighbours.apart(
            z, places, column["height"], settings.buddy_reach, settings.buddy_limit, own=own
        )
        found[one.of] = np.concatenate(comm.allgather(share))[one.at]
    result: np.ndarray = found | _partners(data, found)
    return result


def _inconsistent(data: Observations, settings: Settings, comm: Any) -> np.ndarray:
    found = np.zeros(len(data), bool)
    if not settings.consistency_limit:
        return found
    for one in _sets(data, comm):
        if one.name in surface.structures:
            bad = surface.outliers(
                surface.structures[one.name],
                surface.Data(*(one.column[n] for n in _of_sets[:4])),
                settings.consistency_limit,
                threads=settings.threads,
                comm=comm,
            )
            found[one.of] = bad[one.at]
    return found


def _thinned(data: Observations, settings: Settings, comm: Any) -> np.ndarray:
    """Returns all but the datum next to the centre of its box."""
    found = np.zeros(len(data), bool)
    for kind, box in settings.boxes.items():
        of = np.flatnonzero(data.kind_is(kind) & data.used)
        if any(comm.allgather(len(of))):
            found[of] = ~_central(data.taken(of), *box, comm)
    return found


def _central(
    some: Observations, length: float, depth: float, minutes: float, comm: Any
) -> np.ndarray:
    """Returns which data are next to the centre of their box of km, hPa and minutes."""
    degrees = np.degrees(length * 1e3 / earth.RADIUS)
    row = np.floor(some["latitude"] / degrees)
    around = np.maximum(1, np.floor(360 / degrees * np.cos(np.deg2rad((row + 0.5) * degrees))))
    along = (some["longitude"] + 180) / 360 * around
    pressure = np.nan_to_num(some["pressure"]) / (100 * depth)
    time = some["time"] / (60 * minutes)
    box = (row, np.floor(along), np.floor(pressure), np.floor(time))
    place = (some["latitude"] / degrees, along, pressure, time)
    offset = sum((p - b - 0.5) ** 2 for p, b in zip(place, box))
    keys = (*box, some["variable"], some["instrument"], some["channel"])
    return spread.first_of(keys, (offset, some["report"], some["datum"]), comm)
