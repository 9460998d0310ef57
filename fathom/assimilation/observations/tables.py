"""Observations from text tables (CSV) with a header line, one row a report or one row a datum.

Columns are found by their names in the base (time, longitude, latitude, station, kind, height,
pressure, depth, channel); data are either columns named by a variable, with its unit in brackets
(`air_temperature [degC]`), or the columns `variable`, `value`, `units`, `error`. Times are ISO
(UTC, or with an offset), dates of digits (20181120) or seconds since 1970.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation.observations import variables
from fathom.assimilation.observations.base import Observations
from fathom.assimilation.observations.reports import with_errors, wrapped, years
from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.base.units import conversion

needed = ("time", "longitude", "latitude")
numbers = ("height", "pressure", "depth", "instrument", "channel", "zenith")


def read(path: Path, account: Any) -> Observations:
    """Returns the observations of a table; lines that are damaged are counted. ValueError: a header
    that says nothing.
    """
    with open(path, newline="", encoding="utf-8-sig", errors="replace") as file:
        lines = list(csv.DictReader(file))
        header = list(lines[0]) if lines else []
    columns = _columns([h for h in header if h], path)
    for name, lost in _unknown(columns, lines).items():
        account.add(f"{lost} values of a column that is not known: {name}", "the header")
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 2):
        account.parts += 1
        try:
            data, impossible = _data(line, columns)
            rows += data
            for problem in impossible:
                account.add(problem, f"line {number}")
        except (ValueError, TypeError, OverflowError) as error:
            account.add(f"a line that cannot be read: {error}", f"line {number}")
    account.named = account.named[:5]
    if not rows:
        return Observations(value=[])
    return with_errors(Observations(**{n: np.array([r[n] for r in rows]) for n in rows[0]}))


def _columns(header: list[str], path: Path) -> Mapping[str, tuple[str, str]]:
    """Returns header -> (name, unit). ValueError where a needed column is missing."""
    found = {}
    for text in header:
        name, _, unit = text.strip().partition("[")
        found[text] = (name.strip(), unit.strip(" ]"))
    names = {name for name, _ in found.values()}
    for wanted in needed:
        if wanted not in names:
            raise InputError(f"{path} has no column '{wanted}'{near(wanted, names)}")
    if "value" not in names and not names & set(variables.names):
        raise InputError(
            f"{path} has no data: a column 'value' with 'variable', or one of"
            f" {', '.join(variables.names)}"
        )
    return found


def _unknown(columns: Mapping[str, tuple[str, str]], lines: list[dict[str, str]]) -> dict[str, int]:
    """Returns columns with a unit that are unknown here, and their numbers of values."""
    known = {*needed, *numbers, *variables.names, "value", "error"}
    return {
        f"{name}{near(name, known)}": sum(bool((line.get(text) or "").strip()) for line in lines)
        for text, (name, unit) in columns.items()
        if unit and name not in known
    }


def _data(
    line: dict[str, str], columns: Mapping[str, tuple[str, str]]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Returns the data of one line, and what is wrong with those of its numbers that cannot be."""
    if None in line:  # of csv: what is left over
        raise InputError("more values than columns; a number has no comma")
    by_name = {name: (line.get(text) or "").strip() for text, (name, _) in columns.items()}
    units = dict(columns.values())
    common = _report(by_name, units)
    if by_name.get("variable"):
        held = [(by_name["variable"], by_name["value"], by_name.get("units", ""))]
    else:
        held = [(n, by_name[n], units[n]) for n in by_name if n in variables.names]
    made: list[dict[str, Any]] = []
    impossible = []
    for datum, (name, text, unit) in enumerate(held):
        value = _number(text, unit, variables.variable(name).units)
        error = _number(by_name.get("error", ""), unit, variables.variable(name).units, False)
        if error <= 0:
            raise InputError("an error that is not positive")
        least, most = variables.variable(name).limits
        if not least <= value <= most and np.isfinite(value):
            impossible.append(
                f"{name} beyond {least:g} to {most:g}"
                f" {variables.variable(name).units}: missing, or in another unit?"
            )
        elif np.isfinite(value):
            made.append({**common, "datum": datum, "variable": name, "value": value,
                         "error": error})  # fmt: skip
    return made, impossible


def _report(by_name: Mapping[str, str], units: Mapping[str, str]) -> dict[str, Any]:
    """Returns the entries that data of a line share."""
    kind = by_name.get("kind") or "other"
    if kind not in variables.kinds:
        raise InputError(f"kind '{kind}'{near(kind, variables.kinds)}")
    longitude = float(wrapped(float(by_name["longitude"])))
    latitude = float(by_name["latitude"])
    if not (np.isfinite(longitude) and abs(latitude) <= 90):
        raise InputError("a place that is not on Earth")
    digest = hashlib.blake2b(repr(sorted(by_name.items())).encode(), digest_size=8).digest()
    common: dict[str, Any] = {
        "report": int.from_bytes(digest, signed=True),
        "kind": kind,
        "station": by_name.get("station", ""),
        "time": time_of(by_name["time"]),
        "longitude": longitude,
        "latitude": latitude,
    }
    for name in numbers:
        wanted = {"pressure": "Pa", "height": "m", "depth": "m"}.get(name, "")
        common[name] = _number(by_name.get(name, ""), units.get(name, ""), wanted)
    for name in ("instrument", "channel"):
        common[name] = int(np.nan_to_num(common[name]))
    return common


def _number(text: str, unit: str, wanted: str, absolute: bool = True) -> float:
    """Returns a number in the unit that is wanted; NaN where there is none. Not absolute: a
    difference.
    """
    if text.lower() in ("", "nan", "na", "null", "-"):
        return np.nan
    factor, offset = conversion(unit, wanted) if unit and wanted else (1.0, 0.0)
    value = float(text) * factor + offset * absolute
    return value if abs(value) < 1e9 else np.nan  # 1e11, 2147483647: missing in other programs


def time_of(text: str) -> int:
    """Returns seconds since 1970 of an ISO time, a date without separators (20181120, 201811201200)
    or such a number of seconds. InputError: it may be several of these, or is a day's number in a
    spreadsheet.
    """
    try:
        seconds = float(text)
    except ValueError:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
        if not years[0] <= moment.year < years[1]:
            raise InputError(f"a time that is impossible: {text}") from None
        return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    digits = text.strip().removesuffix(".0")
    if set(digits) == {"9"}:
        raise InputError(f"a time that is missing: {text}")
    date = _date_of_digits(digits)
    if date is not None and seconds < 1e9:  # of 8 digits: as seconds it were the summer of 1970
        return date
    if 0 < abs(seconds) < 1e5 or (date is not None and seconds < 1e10):
        kind = "the number of a day in a spreadsheet" if date is None else "a date or seconds"
        raise InputError(f"a time that may be {kind}: {text}; write 2018-11-20T12:00")
    return round(seconds) if date is None else date


def _date_of_digits(text: str) -> int | None:
    """Returns seconds since 1970 of 20181120, 2018112012, 201811201200 or 20181120120000; None: it
    is no such date.
    """
    formats = {8: "%Y%m%d", 10: "%Y%m%d%H", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}
    if not text.isdecimal() or len(text) not in formats:
        return None
    try:
        moment = datetime.strptime(text, formats[len(text)]).replace(tzinfo=UTC)
    except ValueError:
        return None
    return round(moment.timestamp()) if years[0] <= moment.year < years[1] else None
