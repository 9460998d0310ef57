"""METAR (ICAO Annex 3): wind, temperature, dew point and pressure of airfields.

    METAR LKPR 201200Z 24008KT 9999 FEW030 04/M01 Q1021

A report says the day of the month, not the month, and no place: `month` ("2018-11") and a table of
`stations` (CSV: station, longitude, latitude, height) say both.
"""

from __future__ import annotations

import csv
import hashlib
import re
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation.observations.base import Observations
from fathom.assimilation.observations.reports import with_errors, wrapped
from fathom.assimilation.observations.tables import time_of
from fathom.base import constants
from fathom.base.failure import InputError, MissingFileError

start = re.compile(
    r"(?:^|\n)(?:METAR |SPECI )?(?:COR )?([A-Z][A-Z0-9]{3}) (\d{2})(\d{2})(\d{2})Z ([^=\n]*)"
)
wind = re.compile(r"\b(\d{3}|VRB)(\d{2,3})(?:G\d{2,3})?(KT|MPS|KMH)\b")
temperatures = re.compile(r"(?<=\s)(M?\d{2})/(M?\d{2})?(?=\s|$)")
pressure = re.compile(r"\b([QA])(\d{4})\b")
speeds = {"KT": 1852 / 3600, "MPS": 1.0, "KMH": 1 / 3.6}
inch_of_mercury = 3386.389  # Pa


def looks_like_it(text: str) -> bool:
    """Returns whether a text begins as a METAR or a SPECI does."""
    return start.search(text) is not None


def read(
    path: Path, account: Any, month: str = "", stations: str | Path | None = None
) -> Observations:
    """Returns the observations of a file. ValueError: no month, no table of stations."""
    if not month or stations is None:
        raise InputError(
            f"{path}: METAR contain neither month nor place; give both: --month 2018-11 --stations"
            " FILE (CSV: station, longitude, latitude, height)"
        )
    if not re.fullmatch(r"\d{4}-\d{2}", month):
        raise InputError(f"month '{month}' must be a year and a month, 2018-11")
    places = _places(Path(stations))
    rows = []
    text = path.read_text(encoding="ascii", errors="replace")
    _count_damaged(text, account)
    for found in start.finditer(text):
        account.parts += 1
        icao, day, hour, minute, text = found.groups()
        if icao not in places:
            account.add("a station that is not in the table", icao)
            continue
        try:
            time = time_of(f"{month}-{day}T{hour}:{minute}:00")
        except ValueError:
            account.add("a time that is none", f"{icao} {day}{hour}{minute}Z")
            continue
        key = hashlib.blake2b(" ".join(found.groups()).encode(), digest_size=8).digest()
        data = _data(f" {text} ")
        account.empty += not data
        rows += [
            (int.from_bytes(key, signed=True), n, icao, time, *places[icao], variable, value)
            for n, (variable, value) in enumerate(data)
        ]
    account.named = account.named[:5]
    names = ("report", "datum", "station", "time", "longitude", "latitude", "height", "variable",
             "value")  # fmt: skip
    if not rows:
        return Observations(value=[])
    return with_errors(
        Observations(
            kind=np.full(len(rows), "metar"),
            **{n: np.array(column) for n, column in zip(names, zip(*rows))},
        )
    )


def _count_damaged(text: str, account: Any) -> None:
    """Counts reports with a wrong beginning, and winds without a direction."""
    for line in re.findall(r"(?:METAR|SPECI) [^\n]*", text):
        if not start.match(line):
            account.parts += 1
            account.add("a report without its station and time", line[:40])
        elif (w := wind.search(line)) and w[1] != "VRB" and int(w[1]) > 360:
            account.add("a direction of the wind that is none", line[:40])


def _is_known(w: re.Match[str]) -> bool:
    """Returns whether the direction is one: at most 360; "VRB" in a calm alone."""
    return int(w[2]) == 0 if w[1] == "VRB" else int(w[1]) <= 360


def _data(text: str) -> list[tuple[str, float]]:
    found = []
    body = text.split(" RMK ")[0]
    if (w := wind.search(body)) and _is_known(w):
        speed = int(w[2]) * speeds[w[3]]
        direction = 0.0 if w[1] == "VRB" else np.deg2rad(int(w[1]))
        found += [
            ("eastward_wind", -speed * float(np.sin(direction)) + 0.0),
            ("northward_wind", -speed * float(np.cos(direction)) + 0.0),
        ]
    if t := temperatures.search(body):
        kelvin = [constants.celsius + float(x.replace("M", "-")) for x in t.groups() if x]
        found += zip(("air_temperature", "dew_point_temperature"), kelvin)
    if p := pressure.search(body):
        factor = 100 if p[1] == "Q" else inch_of_mercury / 100
        found.append(("air_pressure_at_mean_sea_level", int(p[2]) * factor))
    return found


def _places(path: Path) -> dict[str, tuple[float, float, float]]:
    if not path.is_file():
        raise MissingFileError(f"{path}: no such table of stations")
    with open(path, newline="", encoding="utf-8-sig") as file:
        lines = list(csv.DictReader(file))
    try:
        return {
            line["station"]: (
                float(wrapped(float(line["longitude"]))), float(line["latitude"]),
                float(line["height"]),
            )
            for line in lines
        }  # fmt: skip
    except (KeyError, ValueError, TypeError) as error:
        raise InputError(
            f"{path}: a table of stations has columns station, longitude, latitude, height"
            f" ({error})"
        ) from None
