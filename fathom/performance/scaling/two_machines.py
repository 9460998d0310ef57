"""`fathom compare` of two machine files: quantity by quantity, and how many times as much."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from fathom.performance.scaling.here import shown_value
from fathom.performance.scaling.machine import Machine, load, quantities
from fathom.plots.report.tables import lines

clear = 1.1  # times as much: less may be the noise of measurements that are no ranges


def present(before: Path, now: Path, file: Path | None = None) -> None:
    """Prints two machines side by side; marked are quantities that differ beyond their ranges.
    InputError: one is no machine file.
    """
    a, b = load(before), load(now)
    click.echo(f"{before}: {a.name}\n{now}: {b.name}\n")
    names = [f"{section}.{key}" for section, known in quantities.items() for key in known]
    held = [name for name in names if name in a.values or name in b.values]
    made = [_row(a, b, name) for name in held]
    rows, records = [row for row, _ in made], [record for _, record in made]
    head = ["quantity", "before", "now", "units", "times", ""]
    click.echo("\n".join(lines(head, rows, left=(0, 3, 5))))
    if file:
        file.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")


def _row(a: Machine, b: Machine, name: str) -> tuple[list[str], dict[str, Any]]:
    """Returns a quantity as a row of the table, and as plain data."""
    section, _, key = name.partition(".")
    units = quantities[section][key].units
    shown = [shown_value(m, name) if name in m.values else "not known" for m in (a, b)]
    x, y = (m.get(name, None) for m in (a, b))
    numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in (x, y))
    apart = _apart(a, b, name) if numbers else x != y
    times = f"{y / x:.3g}" if numbers and x else ""
    row = [name, *shown, "" if units == "1" else units, times, "*" * apart]
    return row, {"quantity": name, "before": x, "now": y, "differs": bool(apart)}


def _apart(a: Machine, b: Machine, name: str) -> bool:
    """Returns whether two numbers differ by more than their ranges, or by a tenth where they have
    none.
    """
    (low, x, high), (least, y, most) = (m.range(name) for m in (a, b))
    if x == low == high and y == least == most:
        return not (1 / clear <= (y / x if x else 1.0) <= clear) if x or y else False
    return bool(high < least or most < low)
