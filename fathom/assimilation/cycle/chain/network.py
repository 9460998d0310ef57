"""The observations of a nature run: where and when a usual network reports, and which data.

Fixed stations (synop, temp) stand at places drawn once, at the height of nature's ground; moving
ones (ship, buoy, aircraft, winds of clouds, satellites) are drawn anew for each hour. Nothing
depends on windows, ranks or the order of kinds: a report is drawn from the seed, its kind and its
hour alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from fathom.assimilation.observations import base, variables
from fathom.assimilation.observations.base import Observations
from fathom.assimilation.observations.variables import kinds

# kind -> reports in an hour of a usual network; of temp and synop: of all stations at once
usual: Mapping[str, int] = {
    "synop": 300, "ship": 40, "buoy": 40, "temp": 60, "aircraft": 250, "amv": 400,
    "scatterometer": 250, "radiance": 300, "gnss_ro": 20,
}  # fmt: skip
every = {"synop": 3, "temp": 6}  # hours between reports of fixed stations
levels_of_temp = 100.0 * np.array(
    [1000, 925, 850, 700, 600, 500, 400, 300, 250, 200, 150, 100, 70, 50, 30]
)
heights_of_ro = np.linspace(3e3, 25e3, 12)
sounders = ((570, range(5, 11)), (203, range(3, 6)), (621, (6, 7, 8, 9, 10, 18, 20, 22)))
at_ground = {
    "synop": ("surface_air_pressure", "air_temperature", "dew_point_temperature",
              "eastward_wind", "northward_wind"),
    "ship": ("surface_air_pressure", "air_temperature", "eastward_wind", "northward_wind",
             "sea_water_temperature"),
    "buoy": ("surface_air_pressure", "sea_water_temperature"),
    "scatterometer": ("eastward_wind", "northward_wind"),
}  # fmt: skip
of_air = ("aircraft", "amv", "radiance", "gnss_ro")
of_flight = ("air_temperature", "eastward_wind", "northward_wind")
Ground = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def places(random: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns longitudes and latitudes [degrees], even over the sphere."""
    longitude = random.uniform(-180, 180, count)
    return longitude, np.degrees(np.arcsin(random.uniform(-1, 1, count)))


def on(random: np.random.Generator, count: int, land: bool, ground: Ground) -> Any:
    """Returns places on land or at sea, and their altitude [m]; fewer where there is little."""
    longitude, latitude = places(random, 8 * count)
    altitude, fraction = ground(longitude, latitude)
    kept = np.flatnonzero((fraction > 0.5) == land)[:count]
    return longitude[kept], latitude[kept], altitude[kept]


def drawn(counts: Mapping[str, float], begin: int, end: int, seed: int, ground: Ground) -> Any:
    """Returns data without values of reports between two times [s since 1970], in the order of a
    file; counts: reports in an hour of each kind; ground: altitude [m] and share of land at places.
    """
    parts = []
    for hour in range(begin // 3600, -(-end // 3600)):
        for kind, number in counts.items():
            if round(number) and hour % every.get(kind, 1) == 0:
                parts.append(_hour(kind, round(number), hour, seed, ground))
    made = base.together(parts)
    return made.taken((made["time"] >= begin) & (made["time"] < end))


def _hour(kind: str, number: int, hour: int, seed: int, ground: Ground) -> Observations:
    """Returns the data of one kind in an hour."""
    code, fixed = kinds.index(kind), kind in every
    random = np.random.default_rng([seed, code, 0 if fixed else hour])
    if kind in of_air:
        longitude, latitude = places(random, number)
        height = np.zeros(number)
    else:
        longitude, latitude, height = on(random, number, kind in every, ground)
    count = len(longitude)
    seconds = np.zeros(count) if fixed else np.floor(random.uniform(0, 3600, count))
    column = {
        "report": (np.int64(code) << 52) + (np.int64(hour) << 24) + np.arange(count),
        "time": hour * 3600 + seconds.astype(int), "longitude": longitude, "latitude": latitude,
        "height": height, "station": np.array([f"{kind[:3]}{n:05d}" for n in range(count)], "U16"),
    }  # fmt: skip
    return _data(kind, column, [_of_kind(kind, random) for _ in range(count)])


def _data(
    kind: str, of_report: Mapping[str, np.ndarray], rows: list[list[dict[str, Any]]]
) -> Observations:
    """Returns a datum for each row of each report, without a value."""
    which = np.repeat(np.arange(len(rows)), [len(r) for r in rows])
    first = np.searchsorted(which, which)  # of its report
    flat = [one for r in rows for one in r]
    column = {name: values[which] for name, values in of_report.items()}
    column |= {name: np.array([one[name] for one in flat]) for name in flat[0]} if flat else {}
    error = np.array([variables.error(kind, one["variable"]) for one in flat])
    return Observations(
        **column, datum=np.arange(len(flat)) - first, kind=np.full(len(flat), kinds.index(kind)),
        value=np.zeros(len(flat)), error=error, error_inflated=error, error_final=error,
    )  # fmt: skip


def _of_kind(kind: str, random: np.random.Generator) -> list[dict[str, Any]]:
    """Returns the data of a report of a kind: their variables and levels."""
    if kind in at_ground:
        return [{"variable": v, "depth": 1.0 if "sea" in v else np.nan} for v in at_ground[kind]]
    if kind == "gnss_ro":
        return [{"variable": "refractivity", "height": h} for h in heights_of_ro]
    if kind == "radiance":
        return _of_sounder(random)
    if kind == "temp":
        return _of_sounding()
    p, own = float(random.uniform(1.5e4, 9e4)), of_flight if kind == "aircraft" else of_flight[1:]
    return [{"variable": v, "pressure": p} for v in own]


def _of_sounder(random: np.random.Generator) -> list[dict[str, Any]]:
    """Returns the channels of a field of view."""
    instrument, channels = sounders[int(random.integers(len(sounders)))]
    seen = {"variable": "toa_brightness_temperature", "instrument": instrument,
            "zenith": float(random.uniform(-50, 50))}  # fmt: skip
    return [{**seen, "channel": c} for c in channels]


def _of_sounding() -> list[dict[str, Any]]:
    """Returns the levels of a radiosonde; its humidity up to 300 hPa."""
    dry = [{"variable": v, "pressure": p} for p in levels_of_temp for v in of_flight]
    moist = [p for p in levels_of_temp if p >= 3e4]
    return dry + [{"variable": "relative_humidity", "pressure": p} for p in moist]


def with_errors(
    data: Observations, values: np.ndarray, seed: int, number: int, bias: float
) -> None:
    """Sets values with random errors of the size that the data are given; radiances get the bias of
    their channel, one standard deviation `bias` [K] over the channels.
    """
    random = np.random.default_rng([seed, 77, number])
    noise = random.standard_normal(len(data)) * data["error"]
    data["value"] = values + noise + bias_of(data, seed, bias)
    for name, low, high in (("relative_humidity", 0.0, 1.1), ("sea_water_temperature", -1.9, 40.0)):
        of = data.variable_is(name)
        data["value"][of] = np.clip(data["value"][of], low, high)


def bias_of(data: Observations, seed: int, bias: float) -> np.ndarray:
    """Returns the bias of each datum [K]; 0 of what is no radiance."""
    made = np.zeros(len(data))
    key = 100 * data["instrument"] + data["channel"]
    for one in np.unique(key[data.variable_is("toa_brightness_temperature")]):
        size = np.random.default_rng([seed, 78, int(one)]).standard_normal()
        made[data.variable_is("toa_brightness_temperature") & (key == one)] = bias * size
    return made
