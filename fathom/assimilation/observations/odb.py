"""The base as ODB-2, the format in which weather services exchange observations, through pyodc
(an extra: pip install pyodc).

    odb.write(observations, "today.odb");  odb.read("today.odb")

Where ODB has a name for a column, that is used; others have ours with @fathom. Kinds,
variables and stations are texts. An integer of ODB-2 has 31 bits, so a report's key is three
columns; numbers go as doubles and come back to the last bit.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation.observations.base import Observations, columns, texts
from fathom.base.failure import FileError, InputError

magic = b"\xff\xffODA"
called = {
    "station": "statid@hdr",
    "longitude": "lon@hdr",
    "latitude": "lat@hdr",
    "height": "stalt@hdr",
    "value": "obsvalue@body",
    "background_departure": "fg_depar@body",
    "analysis_departure": "an_depar@body",
    "error": "obs_error@errstat",
    "error_final": "final_obs_error@errstat",
    "background_error": "fg_error@errstat",
}
parts = ("report_high@fathom", "report_middle@fathom", "report_low@fathom")  # 22 bits each
bits = np.uint64(22)
day, of_day = "date@hdr", "time@hdr"  # yyyymmdd, hhmmss


def name_of(column: str) -> str:
    """Returns the name of a column in ODB."""
    return called.get(column, f"{column}@fathom")


def pyodc() -> Any:
    """Returns the module. InputError: it is not installed."""
    try:
        import pyodc
    except ImportError:
        raise InputError("files of ODB-2 need pyodc: pip install pyodc") from None
    return pyodc


def write(observations: Observations, path: str | Path) -> None:
    """Writes a file of ODB-2. ValueError: no pyodc."""
    odc = pyodc()
    import pandas

    made: dict[str, Any] = {}
    for name, (kind, _, _) in columns.items():
        values = observations[name]
        if name == "report":
            left = values.view("u8")
            shifted = (left >> (bits * np.uint64(n)) for n in (2, 1, 0))
            for part, held in zip(parts, shifted):
                made[part] = (held & np.uint64((1 << 22) - 1)).astype("i8")
        elif name == "time":
            made[day], made[of_day] = _date(values)
        elif name in texts:
            made[name_of(name)] = np.array(texts[name], object)[values]
        else:
            made[name_of(name)] = values.astype({"f": "f8", "i": "i8", "U": "O"}[kind[0]])
    doubles = {name_of(n): odc.constants.DataType.DOUBLE
               for n, (kind, _, _) in columns.items() if kind == "f8"}  # fmt: skip
    with open(path, "wb") as file:
        odc.encode_odb(pandas.DataFrame(made), file, types=doubles)


def read(path: str | Path) -> Observations:
    """Reads what `write` wrote. ValueError: an ODB-2 file of others, which has other names for its
    columns; OSError: damaged.
    """
    odc = pyodc()
    try:
        frame = odc.read_odb(str(path), single=True)
    except Exception as error:  # any kind of error, because it parses bytes
        raise FileError(f"{path} is not a whole file of ODB-2: {error}") from None
    named = {name: name_of(name) for name in columns if name not in ("report", "time")}
    missing = [n for n in (*parts, day, of_day, *named.values()) if n not in frame]
    if missing:
        raise InputError(
            f"{path} has no column {', '.join(missing)}; read are files of ODB-2 that fathom"
            " observations export wrote"
        )
    given: dict[str, Any] = {}
    for name, there in named.items():
        held = frame[there].to_numpy()
        is_text = columns[name][0][0] == "U" or name in texts
        given[name] = held.astype("U") if is_text else held.astype(float)
    report = np.zeros(len(frame), "u8")
    for part in parts:
        report = report << bits | frame[part].to_numpy().astype("u8")
    return Observations(report=report.view("i8"), time=_seconds(frame), **given)


def _date(seconds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns yyyymmdd and hhmmss of seconds since 1970."""
    month = seconds.astype("M8[s]").astype("M8[M]")
    day_of_month = (seconds.astype("M8[s]").astype("M8[D]") - month.astype("M8[D]")).astype(int)
    year, m = np.divmod(month.astype(int) + 12 * 1970, 12)
    clock = seconds % 86400
    hms = clock // 3600 * 10000 + clock % 3600 // 60 * 100 + clock % 60
    return year * 10000 + (m + 1) * 100 + day_of_month + 1, hms


def _seconds(frame: Any) -> np.ndarray:
    date, clock = (frame[name].to_numpy().astype("i8") for name in (day, of_day))
    month = (date // 10000 - 1970) * 12 + date // 100 % 100 - 1
    days = month.astype("M8[M]").astype("M8[D]").astype("i8") + date % 100 - 1
    result: np.ndarray = (
        days * 86400 + clock // 10000 * 3600 + clock // 100 % 100 * 60 + clock % 100
    )
    return result
