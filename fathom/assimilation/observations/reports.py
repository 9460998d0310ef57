"""The meaning of elements of BUFR: which are coordinates, which tell the station, which are data,
and how data of one report become variables with SI units.

    wind      u = -f sin d,  v = -f cos d            (d: where it comes from; 0 with f = 0: calm)
    height    z = geopotential / g                   (g = 9.80665)
    q         r / (1 + r) of a mixing ratio r
    sea level altitude - range - its corrections - mean sea surface - tides - inverted barometer
              + mean dynamic topography: its height above the geoid; over open ocean
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from fathom.assimilation.observations.base import Observations
from fathom.assimilation.observations.variables import error, kinds, names
from fathom.base import constants
from fathom.base.earth import STANDARD_GRAVITY

# In force until the next of its kind.
slots: dict[str, tuple[int, ...]] = {
    "latitude": (5001, 5002),
    "longitude": (6001, 6002),
    "latitude_shift": (5015, 5016),
    "longitude_shift": (6015, 6016),
    "time_shift": (4086,),
    "pressure": (7004,),
    "height": (7002, 7007, 7009, 7010, 7071, 10070),
    "geopotential": (10003, 10008),
    "geopotential_height": (10009,),
    "impact": (7040,),
    "frequency": (2121,),
    "depth": (7062, 7063),
    "water_pressure": (7065,),
    "channel": (5042,),
    "atovs_channel": (2150,),
    "zenith": (7024,),
    "statistic": (8023,),
    "time_meaning": (8021,),
}
# The first that is not missing.
headers: dict[str, tuple[int, ...]] = {
    "year": (4001,),
    "month": (4002,),
    "day": (4003,),
    "hour": (4004,),
    "minute": (4005,),
    "second": (4006, 4007),
    "ground": (7030, 7001),
    "block": (1001,),
    "number": (1002,),
    "buoy": (1005, 1087),
    "satellite": (1007,),
    "instrument": (2019,),
    "sensor": (2048,),
    "selected": (21102,),
    "curvature": (10035,),  # the Earth's, at an occultation
    "over": (8029,),  # of an altimeter: 0 is open ocean
    "altitude": (10081,),
    "topography": (10096,),
    **{
        f"correction {d[0]}": d
        for d in (
            (25163, 25132),
            (25126,),
            (25164, 25128),
            (25133,),  # ionosphere, dry, wet, sea state
            (10085, 10097),
            (10092,),
            (10088, 10089),
            (10093,),
            (25127,),  # mean sea, tides, pressure
        )
    },
}
station_names: tuple[int, ...] = (1011, 1008, 1006, 1063, 1128, 1018, 1015, 1019)

# Element -> variable, factor and offset to its unit, or what is made of it below.
observed: dict[int, tuple[str, float, float]] = {
    10004: ("surface_air_pressure", 1, 0),
    10051: ("air_pressure_at_mean_sea_level", 1, 0),
    10003: ("geopotential_height", 1 / STANDARD_GRAVITY, 0),
    10008: ("geopotential_height", 1 / STANDARD_GRAVITY, 0),
    10009: ("geopotential_height", 1, 0),
    11001: ("direction", 1, 0),
    11011: ("direction", 1, 0),
    11002: ("speed", 1, 0),
    11012: ("speed", 1, 0),
    11003: ("eastward_wind", 1, 0),
    11004: ("northward_wind", 1, 0),
    12001: ("air_temperature", 1, 0),
    12004: ("air_temperature", 1, 0),
    12101: ("air_temperature", 1, 0),
    12104: ("air_temperature", 1, 0),
    12003: ("dew_point_temperature", 1, 0),
    12006: ("dew_point_temperature", 1, 0),
    12103: ("dew_point_temperature", 1, 0),
    12106: ("dew_point_temperature", 1, 0),
    12063: ("toa_brightness_temperature", 1, 0),
    12163: ("toa_brightness_temperature", 1, 0),
    13001: ("specific_humidity", 1, 0),
    13002: ("mixing_ratio", 1, 0),
    13003: ("relative_humidity", 0.01, 0),
    13009: ("relative_humidity", 0.01, 0),
    13013: ("surface_snow_thickness", 1, 0),
    15036: ("refractivity", 1, 0),
    15037: ("bending_angle", 1, 0),
    22042: ("sea_water_temperature", 1, -constants.celsius),
    22043: ("sea_water_temperature", 1, -constants.celsius),
    22045: ("sea_water_temperature", 1, -constants.celsius),
    22049: ("sea_water_temperature", 1, -constants.celsius),
    22062: ("sea_water_salinity", 1, 0),
    22064: ("sea_water_salinity", 1, 0),
    22070: ("sea_surface_wave_significant_height", 1, 0),
    22156: ("sea_surface_wave_significant_height", 1, 0),
    10102: ("sea_level_anomaly", 1, 0),
    22151: ("altimeter_range", 1, 0),
}
# variables, and parts of variables
meanings = (*names, "direction", "speed", "mixing_ratio", "sea_level_anomaly", "altimeter_range")
# Category of table A -> kind, where the data do not say more.
of_category = {
    0: "synop", 1: "ship", 2: "temp", 3: "radiance", 4: "aircraft", 5: "amv", 12: "scatterometer",
    21: "radiance", 31: "argo",
}  # fmt: skip
years = 1900, 2200  # of a possible date; the second is not in it
missing_heights = 1e5  # m: no observation lies above; 2147483647 is a missing number


def roles(core: Any) -> Any:
    """Returns the elements that the decoder looks for."""

    def numbered(table: Any) -> dict[Any, int]:
        return {d: n for n, group in enumerate(table.values()) for d in group}

    return core.BufrRoles(
        numbered(slots),
        numbered(headers),
        {d: n for n, d in enumerate(station_names)},
        list(observed),
        len(slots),
        len(headers),
        len(station_names),
    )


def observations(
    rows: dict[str, Any], data: bytes, messages: Sequence[Any], anomalies: bool = False
) -> Observations:
    """Returns the data of decoded messages, in SI units, with their places and times. anomalies: of
    sea level, without the mean dynamic topography.
    """
    at = dict(zip(slots, rows["slots"].reshape(-1, len(slots)).T))
    head = dict(zip(headers, rows["headers"].reshape(-1, len(headers)).T))
    report, descriptor = rows["report"], rows["descriptor"]
    known = sorted(observed)
    place = np.searchsorted(known, descriptor)
    factor, offset = (np.array([observed[d][n] for d in known])[place] for n in (1, 2))
    name = np.array([meanings.index(observed[d][0]) for d in known])[place]
    value = rows["value"] * factor + offset
    category = np.array([m.category for m in messages], int)
    kind_of_report = _kinds(rows, category, name, head)
    kind = kind_of_report[report]
    profile = np.isin(kind, [kinds.index(k) for k in ("temp", "pilot", "aircraft", "amv")])
    height = np.where(np.abs(at["height"]) < missing_heights, at["height"], np.nan)
    surface = np.isin(kind, [kinds.index(k) for k in ("synop", "ship", "buoy")])
    by_level = np.where(
        np.isnan(at["geopotential_height"]),
        at["geopotential"] / STANDARD_GRAVITY,
        at["geopotential_height"],
    )
    sounding = np.isin(kind, [kinds.index(k) for k in ("temp", "pilot")])
    height = np.where(sounding & np.isnan(height), by_level, height)
    height = np.where(np.isnan(height), at["impact"] - head["curvature"][report], height)
    height = np.where(surface | np.isnan(height), head["ground"][report], height)
    instrument, channel = _instruments(at, head, report)
    radiance = _is(name, "toa_brightness_temperature")
    channel = np.where(radiance & (channel == 0), _numbers(radiance, report), channel)
    aircraft = kind == kinds.index("aircraft")
    pressure = np.where(aircraft & np.isnan(at["pressure"]), _of_flight(height), at["pressure"])
    keys = _keys(data, messages, rows)
    made = Observations(
        report=keys[report],
        datum=rows["position"],
        kind=kind,
        station=_stations(rows, head)[report],
        time=_times(head)[report] + np.nan_to_num(at["time_shift"]).astype("i8"),
        longitude=wrapped(at["longitude"], at["longitude_shift"]),
        latitude=at["latitude"] + np.nan_to_num(at["latitude_shift"]),
        height=np.where(np.abs(height) < missing_heights, height, np.nan),
        pressure=np.where(profile, pressure, np.nan),
        depth=np.where(np.isnan(at["depth"]), at["water_pressure"] / 1e4, at["depth"]),
        instrument=instrument,
        channel=channel,
        zenith=at["zenith"],
        value=value,
    )
    whole = np.isnan(at["statistic"]) & ~_other_times(at["time_meaning"])
    cloud = kind == kinds.index("amv")
    whole &= ~(cloud & _is(name, "air_temperature"))  # by which its height was found
    _sea_level(made["value"], name, report, head, anomalies)
    first = np.where(kind_of_report == kinds.index("amv"), 1, head["selected"])  # then: its parts
    return _with_variables(made, name, report, whole, first)


def wrapped(longitude: Any, shift: Any = 0.0) -> Any:
    """Returns degrees from -180 to 180, moved by a drift; NaN for what is not between -180 and
    360."""
    with np.errstate(invalid="ignore"):
        here = (longitude >= -180) & (longitude <= 360)
        return np.where(here, (longitude + np.nan_to_num(shift) + 180) % 360 - 180, np.nan)


def _of_flight(height: np.ndarray) -> np.ndarray:
    """Returns pressure [Pa] of an aircraft's height [m], which is that of its barometer in the
    standard atmosphere of ICAO.
    """
    low = 101325 * np.maximum(1 - 2.25577e-5 * height, 0.1) ** 5.25588
    return np.where(height < 11e3, low, 22632 * np.exp((11e3 - height) / 6341.62))


def _sea_level(
    value: np.ndarray, name: np.ndarray, report: np.ndarray, head: dict[str, np.ndarray],
    anomalies: bool,
) -> None:  # fmt: skip
    """Turns ranges of altimeters and anomalies of sea level into heights above the geoid, or both
    into anomalies; NaN over land and where a correction is missing. An anomaly is taken before a
    range.
    """
    of = np.flatnonzero(_is(name, "sea_level_anomaly", "altimeter_range"))
    if not len(of):
        return
    here = {key: values[report[of]] for key, values in head.items()}
    corrections = sum(v for key, v in here.items() if key.startswith("correction"))
    ranges = _is(name[of], "altimeter_range")
    made = np.where(ranges, here["altitude"] - value[of] - corrections, value[of])
    made = made if anomalies else made + np.nan_to_num(here["topography"])
    twice = ranges & np.isin(report[of], report[of[~ranges]])
    value[of] = np.where((np.nan_to_num(here["over"]) != 0) | twice, np.nan, made)
    name[of] = meanings.index("sea_surface_height_above_geoid")


def _other_times(meaning: np.ndarray) -> np.ndarray:
    """Returns forecasts and the like; 2: an average, 18: at a launch, 25: nominal, 26: of the last
    known position.
    """
    return np.isin(meaning, (4, 27))


def _kinds(rows: Any, category: np.ndarray, name: np.ndarray, head: Any) -> np.ndarray:
    """Returns kind of each report, from the category of its message and its contents."""
    report, reports = rows["report"], len(rows["message"])
    usual = np.array([kinds.index(of_category.get(c, "other")) for c in range(256)], "i2")
    kind = usual[category[rows["message"]]]

    def holds(*what: str) -> np.ndarray:
        return np.bincount(report, _is(name, *what), minlength=reports) > 0

    def say(which: np.ndarray, what: str) -> None:
        kind[which] = kinds.index(what)

    say((kind == kinds.index("temp")) & ~holds("air_temperature"), "pilot")
    sea = np.isin(kind, [kinds.index("ship"), kinds.index("argo")])
    say(sea & ~np.isnan(head["buoy"]), "buoy")
    deep = np.bincount(report, np.isfinite(rows["slots"][:, list(slots).index("water_pressure")]),
                       minlength=reports) > 0  # fmt: skip
    say(deep & holds("sea_water_temperature"), "argo")
    say(holds("bending_angle", "refractivity"), "gnss_ro")
    say(holds("toa_brightness_temperature"), "radiance")
    waves = holds("sea_surface_wave_significant_height", "altimeter_range", "sea_level_anomaly")
    say(waves & ~np.isnan(head["satellite"]), "altimeter")
    return np.asarray(kind)


amsu_a, amsu_b, mhs = 570, 574, 203  # WMO's Common Code Table C-8
with_mhs = (
    3,
    4,
    5,
    209,
    223,
)  # satellites (table C-5) with MHS for AMSU-B: Metop, NOAA-18, NOAA-19
of_sensor = {3: amsu_a, 4: amsu_b, 15: mhs}  # code table 0 02 048


def _instruments(at: Any, head: Any, report: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns instrument of each datum and its own channel. The channels of ATOVS go through all of
    its instruments: 28 to 42 are AMSU-A's, 43 to 47 those of AMSU-B or MHS, by the satellite.
    """
    sensor = np.nan_to_num(head["sensor"], nan=-1).astype(int)
    by_sensor = sum((number * (sensor == code) for code, number in of_sensor.items()), 0 * sensor)
    own = np.where(np.isnan(head["instrument"]), by_sensor, np.nan_to_num(head["instrument"]))
    instrument = own[report].astype("i4")
    channel = np.nan_to_num(at["channel"]).astype("i4")
    of_all = np.nan_to_num(at["atovs_channel"]).astype("i4")
    channel = np.where(of_all > 0, of_all, channel)
    first, second = ((of_all >= a) & (of_all <= b) for a, b in ((28, 42), (43, 47)))
    channel = channel - np.where(first, 27, np.where(second, 42, 0)).astype("i4")
    humidity = np.where(np.isin(head["satellite"], with_mhs), mhs, amsu_b)[report]
    instrument = np.where(first, amsu_a, instrument)
    return np.where(second & (instrument != mhs), humidity, instrument), channel


def _stations(rows: Any, head: Any) -> np.ndarray:
    texts = np.array(rows["names"], "U16").reshape(-1, len(station_names))
    with np.errstate(invalid="ignore"):
        number = np.nan_to_num(1000 * head["block"] + head["number"], nan=-1).astype(int)
        buoy = np.nan_to_num(head["buoy"], nan=-1).astype(int)
        satellite = np.nan_to_num(head["satellite"], nan=-1).astype(int)
    found = np.full(len(number), "", "U16")
    for column in texts.T:
        found = np.where(found == "", column, found)
    found = np.where(satellite >= 0, np.char.add("satellite ", satellite.astype("U6")), found)
    found = np.where(buoy >= 0, buoy.astype("U16"), found)
    if not len(found):
        return found
    return np.where(number >= 0, np.char.zfill(number.astype("U16"), 5), found)


def _times(head: Any) -> np.ndarray:
    """Returns seconds since 1970; 0 where there is no date, which no window holds."""
    part = {n: head[n] for n in ("year", "month", "day", "hour", "minute", "second")}
    bad = np.isnan(part["year"]) | np.isnan(part["month"]) | np.isnan(part["day"])
    bad |= (part["year"] < years[0]) | (part["year"] >= years[1])
    bad |= (part["month"] < 1) | (part["month"] > 12) | (part["day"] < 1)
    year, month, day = (
        np.where(bad, usual, part[n]).astype(int)
        for n, usual in (("year", 1970), ("month", 1), ("day", 1))
    )
    months = (year - 1970).astype("M8[Y]").astype("M8[M]") + (month - 1).astype("m8[M]")
    first, next_ = (m.astype("M8[D]").astype(np.int64) for m in (months, months + 1))
    days = first + day - 1
    rest = [np.nan_to_num(part[n]) for n in ("hour", "minute", "second")]
    bad |= (days >= next_) | (rest[0] > 24) | (rest[1] > 60) | (rest[2] > 60)
    seconds = days * 86400 + np.rint(3600 * rest[0] + 60 * rest[1] + rest[2]).astype(np.int64)
    return np.where(bad, 0, seconds)


def _keys(data: bytes, messages: Sequence[Any], rows: Any) -> np.ndarray:
    """Returns a number for each report, from the bytes of its message and its place in it."""
    digest = np.array(
        [
            int.from_bytes(
                hashlib.blake2b(data[m.offset : m.offset + m.length], digest_size=8).digest()
            )
            for m in messages
        ]
        or [0],
        np.uint64,
    )
    mixed = digest[rows["message"]] + rows["subset"].astype(np.uint64) * np.uint64(
        0x9E3779B97F4A7C15
    )
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    result: np.ndarray = (mixed ^ (mixed >> np.uint64(31))).view(np.int64)
    return result


def _with_variables(
    made: Observations, name: np.ndarray, report: np.ndarray, whole: np.ndarray, selected: Any
) -> Observations:
    """Returns the data with wind components of direction and speed, and specific humidity of mixing
    ratios.
    """
    moist = _is(name, "mixing_ratio")
    made["value"] = np.where(moist, made["value"] / (1 + made["value"]), made["value"])
    name[moist] = meanings.index("specific_humidity")
    snow = _is(name, "surface_snow_thickness")
    made["value"] = np.where(snow, np.maximum(made["value"], 0), made["value"])  # -0.01: a trace
    wind = np.flatnonzero(_is(name, "direction", "speed") & whole)
    first, second = _pairs(wind, _is(name, "speed"), report)
    keep = _chosen(first, report, selected)
    first, second = first[keep], second[keep]
    turned = _is(name[first], "speed")
    direction = np.where(turned, made["value"][second], made["value"][first])
    speed = np.where(turned, made["value"][first], made["value"][second])
    east, north = (-speed * f(np.deg2rad(direction)) for f in (np.sin, np.cos))
    made["value"][first], made["value"][second] = east + 0.0, north + 0.0
    name[first], name[second] = (meanings.index(f"{d}ward_wind") for d in ("east", "north"))
    satellite = np.isin(made["kind"], [kinds.index(k) for k in ("radiance", "gnss_ro")])
    coordinate = satellite & _is(name, "surface_air_pressure")  # of a retrieval
    made["variable"] = np.minimum(name, len(names) - 1)
    return with_errors(made.taken(whole & (name < len(names)) & ~coordinate))


def _numbers(which: np.ndarray, report: np.ndarray) -> np.ndarray:
    """Returns numbers of the data of a mask: 1, 2, ... in each report."""
    so_far = np.cumsum(which)
    first = np.flatnonzero(np.append(True, report[1:] != report[:-1])[: len(report)])
    before = (so_far - which)[first]
    result: np.ndarray = so_far - np.repeat(before, np.diff(np.append(first, len(report))))
    return result


def _is(name: np.ndarray, *what: str) -> np.ndarray:
    return np.isin(name, [meanings.index(w) for w in what])


def _pairs(wind: np.ndarray, is_speed: np.ndarray, report: np.ndarray) -> tuple[Any, Any]:
    """Returns neighbours of one report, one of them a direction, the other a speed, none used
    twice: the one that comes first in its report comes first in each pair.
    """
    if len(wind) < 2:
        return wind[:0], wind[:0]
    speed, own = is_speed[wind], report[wind]
    starts = np.flatnonzero(np.append(True, own[1:] != own[:-1]))
    leads = np.repeat(speed[starts], np.diff(np.append(starts, len(own))))
    pair = (speed[:-1] == leads[:-1]) & (speed[1:] != leads[1:]) & (own[1:] == own[:-1])
    return wind[:-1][pair], wind[1:][pair]


def _chosen(first: np.ndarray, report: np.ndarray, selected: np.ndarray) -> np.ndarray:
    """Returns, of several winds of a report, the one with its number; all where it has none."""
    own = report[first]
    starts = np.append(True, own[1:] != own[:-1])[: len(own)]
    at = np.flatnonzero(starts)
    number = 1 + np.arange(len(own)) - np.repeat(at, np.diff(np.append(at, len(own))))
    wanted = selected[own]
    result: np.ndarray = np.isnan(wanted) | (number == wanted)
    return result


def with_errors(made: Observations) -> Observations:
    """Returns the usual errors of kinds and variables, where none was given; all three the same."""
    table = np.array([[error(k, v) for v in names] for k in kinds])
    usual = table[made["kind"], made["variable"]]
    given = np.where(np.isnan(made["error"]), usual, made["error"])
    for name in ("error", "error_inflated", "error_final"):
        made[name] = given
    return made
