"""Answers to questions to a base, as lines of text."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from fathom.assimilation.observations import base
from fathom.assimilation.observations.reasons import reasons
from fathom.base.failure import InputError


def show(path: Path, where: str = "") -> list[str]:
    """Returns counts, spans and means by kind and variable."""
    found = base.query(
        "SELECT kind, variable, count(*) AS data, count(DISTINCT report) AS reports,"
        " min(value) AS least, avg(value) AS mean, max(value) AS most, avg(error) AS error,"
        " sqrt(avg(background_departure ** 2)) AS rms_departure,"
        " sum(CAST(reason = 0 AS INTEGER)) AS used,"
        " strftime(to_timestamp(min(time)), '%Y-%m-%d %H:%M') AS first,"
        " strftime(to_timestamp(max(time)), '%Y-%m-%d %H:%M') AS last"
        f" FROM observations{_clause(where)} GROUP BY kind, variable ORDER BY kind, variable",
        path,
    )
    return lines(found)


def why(path: Path, where: str = "") -> list[str]:
    """Returns counts by kind, variable and reason, with what a reason means."""
    found = base.query(
        "SELECT kind, variable, reason, count(*) AS data FROM observations"
        f"{_clause(where)} GROUP BY ALL ORDER BY kind, variable, reason",
        path,
    ).to_pylist()
    for row in found:
        name, meaning = reasons.get(row["reason"], ("?", "a code that is not known"))
        row |= {"reason": name, "that is": meaning}
    return aligned(found)


def story(path: Path, station: str, where: str = "") -> list[str]:
    """Returns each datum of a station, in time. ValueError: it has none."""
    clause = clause_of(station, where)
    found = base.query(
        "SELECT strftime(to_timestamp(time), '%Y-%m-%d %H:%M') AS time, kind, variable,"
        " pressure, channel, value, background_departure AS departure, error_final AS error,"
        f" reason FROM observations WHERE {clause} ORDER BY time, report, datum",
        path,
    ).to_pylist()
    if not found:
        raise InputError(f"{path} has no datum of station '{station}'")
    for row in found:
        row["reason"] = reasons.get(row["reason"], ("?", ""))[0]
    return aligned(found)


def clause_of(station: str | None, where: str) -> str:
    """Returns a where-clause, of one station where it is named."""
    if station is None:
        return where
    return "station = '" + station.replace("'", "''") + "'" + (f" AND ({where})" if where else "")


def query(path: Path, sql: str, table: Path | None = None) -> list[str]:
    """Returns the answer as lines; also as a table where one is named."""
    found = base.query(sql, path)
    if table is not None:
        with open(table, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(found.column_names)
            writer.writerows(zip(*(c.to_pylist() for c in found.columns)))
    return lines(found)


def _clause(where: str) -> str:
    return f" WHERE {where}" if where else ""


def lines(found: Any) -> list[str]:
    """Returns the lines of a table, columns below each other."""
    return aligned(found.to_pylist(), found.column_names)


def aligned(rows: list[dict[str, Any]], names: list[str] | None = None) -> list[str]:
    """Returns rows under their names, numbers to the right."""
    names = names or (list(rows[0]) if rows else [])
    cells = [names, *([_text(row[n]) for n in names] for row in rows)]
    width = [max(len(line[n]) for line in cells) for n in range(len(names))]
    right = [all(isinstance(r[n], (int, float, type(None))) for r in rows) for n in names]
    return [
        "  ".join(
            c.rjust(w) if to_right else c.ljust(w) for c, w, to_right in zip(line, width, right)
        ).rstrip()
        for line in cells
    ]


def _text(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
