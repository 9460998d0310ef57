"""Screening: which data an analysis uses. Steps in this order; each sets the reason of data that
are still used, and of no other, so the reason is that of the first step.

    1  domain, window [start, end), gross limits; soundings: hydrostatics, lapse rate; blacklist
    2  first guess: d^2 > k^2 (sigma_o^2 + sigma_b^2); a sounding of which four neighbouring levels
       fail goes as a whole
    3  duplicates: of one station, place and level, the most complete report, then the one next to
       the time of the analysis, then the smaller key
    4  buddies: too far from the mean of the neighbours; spatial consistency: from what the
       neighbours tell by optimal interpolation (fields of the surface)
    5  thinning: of each box of space, pressure and time the datum next to its centre, ties by key

The outcome depends on the data alone: neither on their order nor on ranks and threads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from fathom import earth
from fathom.observations import blacklist, neighbours, soundings, surface
from fathom.observations.base import Observations
from fathom.observations.reasons import code
from fathom.observations.variables import kinds, names, variables

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
    """What a screening goes by. window: [start, end) [s since 1970]; region: west, east, south,
    north [degrees]; limit: k of the first guess; nearest: neighbours of buddy and consistency
    checks; None or 0 leaves a step out.
    """

    window: tuple[float, float] | None = None
    region: tuple[float, float, float, float] | None = None
    limit: float = 5.0
    buddy_limit: float = 4.0
    buddy_reach: float = 150e3  # m
    consistency_limit: float = 4.0
    boxes: Mapping[str, tuple[float, float, float]] = field(default_factory=lambda: boxes)
    rules: Sequence[blacklist.Rule] = ()
    threads: int = 1

    def __post_init__(self) -> None:
        if self.window is not None and not self.window[0] < self.window[1]:
            raise ValueError(f"a window from {self.window[0]} to {self.window[1]} holds no time")
        if self.region is not None and not -90 <= self.region[2] < self.region[3] <= 90:
            raise ValueError(
                f"a region from {self.region[2]} to {self.region[3]} degrees north holds no place"
            )
        for name in ("limit", "buddy_limit", "buddy_reach", "consistency_limit"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} = {getattr(self, name)} must not be negative")
        for kind in self.boxes:
            if kind not in kinds:
                raise ValueError(f"a box of thinning for '{kind}': allowed are {', '.join(kinds)}")


def screen(data: Observations, settings: Settings | None = None) -> dict[str, int]:
    """Sets the reasons of what is not used. Returns step -> how many data it removed."""
    settings = Settings() if settings is None else settings
    removed = {
        "outside the domain": data.remove(_outside(data, settings), code["outside the domain"]),
        "outside the window": data.remove(_late(data, settings), code["outside the window"]),
        "gross limits": data.remove(_gross(data), code["gross limits"]),
        "no error": data.remove(~(data["error_final"] > 0), code["no error"]),
        "hydrostatic": data.remove(soundings.not_hydrostatic(data), code["hydrostatic"]),
        "lapse rate": data.remove(soundings.too_steep(data), code["lapse rate"]),
        "blacklist": sum(blacklist.apply(data, settings.rules).values()),
    }
    removed["first guess"] = data.remove(_far(data, settings), code["first guess"])
    removed["multi-level"] = data.remove(soundings.failed(data), code["multi-level"])
    removed["duplicate"] = data.remove(_duplicates(data, settings), code["duplicate"])
    removed["buddy"] = data.remove(_alone(data, settings), code["buddy"])
    removed["spatial consistency"] = data.remove(
        _inconsistent(data, settings), code["spatial consistency"]
    )
    removed["thinning"] = data.remove(_thinned(data, settings), code["thinning"])
    return removed


def _outside(data: Observations, settings: Settings) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        inside = (np.abs(data["latitude"]) <= 90) & (np.abs(data["longitude"]) <= 180)
        if settings.region is not None:
            west, east, south, north = settings.region
            along = (data["longitude"] - west) % 360 <= (east - west if east > west else 360)
            inside &= along & (data["latitude"] >= south) & (data["latitude"] <= north)
    return ~inside


def _late(data: Observations, settings: Settings) -> np.ndarray:
    start, end = settings.window or (1, np.inf)
    return (data["time"] < start) | (data["time"] >= end)


def _gross(data: Observations) -> np.ndarray:
    low, high = np.array([v.limits for v in variables]).T
    value, number = data["value"], data["variable"]
    return ~((value >= low[number]) & (value <= high[number]))


def _far(data: Observations, settings: Settings) -> np.ndarray:
    """Winds go together: where a component is too far, the other goes with it."""
    usual = np.array([background_errors[name] for name in names])[data["variable"]]
    given = data["background_error"]
    data["background_error"] = np.where(np.isnan(given), usual, given)
    if not settings.limit:
        return np.zeros(len(data), bool)
    departure = data["background_departure"]
    spread = data["error_final"] ** 2 + data["background_error"] ** 2
    with np.errstate(invalid="ignore"):
        far = departure**2 > settings.limit**2 * spread
    return far | _partners(data, far)


def _partners(data: Observations, which: np.ndarray) -> np.ndarray:
    """The other components of winds of a mask: the same report and level."""
    wind = np.flatnonzero(data.variable_is("eastward_wind") | data.variable_is("northward_wind"))
    if not len(wind):
        return np.zeros(len(data), bool)
    key = [np.nan_to_num(data[n][wind], nan=-1) for n in ("report", "pressure", "height")]
    order, group = neighbours.grouped(*key)
    some = np.bincount(group, which[wind][order]) > 0
    found = np.zeros(len(data), bool)
    found[wind[order]] = some[group]
    return found


def _duplicates(data: Observations, settings: Settings) -> np.ndarray:
    """All but the best of a station (where it has no name: of a kind), a cell of 0.05 degrees, a
    level and half an hour.
    """
    of = np.flatnonzero(data.used)
    if not len(of):
        return np.zeros(len(data), bool)
    some = data.taken(of)
    _, report, size = np.unique(some["report"], return_inverse=True, return_counts=True)
    middle = sum(settings.window) / 2 if settings.window else float(np.median(some["time"]))
    cell = [np.floor(some[n] / 0.05 + 0.5) for n in ("longitude", "latitude")]
    level = [np.nan_to_num(some[n], nan=-1) for n in ("pressure", "depth", "channel")]
    sounding = np.isin(some["kind"], [kinds.index(k) for k in soundings.kinds_of_profiles])
    height = np.where(sounding, np.nan_to_num(some["height"], nan=-1), -1)
    half_hour = np.floor(some["time"] / 1800)
    _, station = np.unique(some["station"], return_inverse=True)
    key = (some["kind"], station, some["variable"], *cell, *level, height, half_hour)
    worth = (-size[report], np.abs(some["time"] - middle), some["report"], some["datum"])
    order, group = neighbours.grouped(*key, best=worth)
    again = np.append(False, group[1:] == group[:-1])
    found = np.zeros(len(data), bool)
    found[of[order[again]]] = True
    return found


def _alone(data: Observations, settings: Settings) -> np.ndarray:
    """Data whose departure is far from the mean of at least three neighbours."""
    found = np.zeros(len(data), bool)
    if not settings.buddy_limit:
        return found
    for of in _sets(data):
        spread = np.hypot(data["error_final"][of], data["background_error"][of])
        z = data["background_departure"][of] / spread
        places = earth.unit_vectors(data["longitude"][of], data["latitude"][of])
        found[of] = neighbours.apart(
            z, places, data["height"][of], settings.buddy_reach, settings.buddy_limit
        )
    return found | _partners(data, found)


def _inconsistent(data: Observations, settings: Settings) -> np.ndarray:
    found = np.zeros(len(data), bool)
    if not settings.consistency_limit:
        return found
    for of in _sets(data):
        name = names[data["variable"][of[0]]]
        if name not in surface.structures:
            continue
        some = surface.Data(
            *(data[n][of] for n in ("longitude", "latitude", "height", "background_departure"))
        )
        found[of] = surface.outliers(
            surface.structures[name], some, settings.consistency_limit, threads=settings.threads
        )
    return found


def _sets(data: Observations) -> list[np.ndarray]:
    """Data of the surface with departures that are still used, by variable."""
    at_surface = np.isin(data["kind"], [kinds.index(k) for k in ("synop", "ship", "buoy", "metar")])
    there = at_surface & data.used & np.isfinite(data["background_departure"])
    there &= np.isnan(data["pressure"])
    sets = [np.flatnonzero(there & (data["variable"] == n)) for n in range(len(names))]
    return [of for of in sets if len(of) > 3]


def _thinned(data: Observations, settings: Settings) -> np.ndarray:
    """All but the datum next to the centre of its box."""
    found = np.zeros(len(data), bool)
    for kind, box in settings.boxes.items():
        of = np.flatnonzero(data.kind_is(kind) & data.used)
        if len(of):
            found[of] = ~_central(data.taken(of), *box)
    return found


def _central(some: Observations, length: float, depth: float, minutes: float) -> np.ndarray:
    """Which data are next to the centre of their box of km, hPa and minutes."""
    degrees = np.degrees(length * 1e3 / earth.RADIUS)
    row = np.floor(some["latitude"] / degrees)
    around = np.maximum(1, np.floor(360 / degrees * np.cos(np.deg2rad((row + 0.5) * degrees))))
    along = (some["longitude"] + 180) / 360 * around
    pressure = np.nan_to_num(some["pressure"]) / (100 * depth)
    time = some["time"] / (60 * minutes)
    box = (row, np.floor(along), np.floor(pressure), np.floor(time))
    place = (some["latitude"] / degrees, along, pressure, time)
    offset = sum((p - b - 0.5) ** 2 for p, b in zip(place, box))
    order, group = neighbours.grouped(
        some["variable"], some["channel"], *box, best=(offset, some["report"], some["datum"])
    )
    first = np.append(True, group[1:] != group[:-1])
    keep = np.zeros(len(some), bool)
    keep[order[first]] = True
    return keep
