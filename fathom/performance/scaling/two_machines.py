"""`fathom compare` of two machine files: quantity by quantity, and how many times as much."""

from __future__ import annotations

import json
from pathlib import Path

import click

from fathom.performance.scaling.here import shown_value
from fathom.performance.scaling.machine import load, quantities
from fathom.plots.report.tables import lines

clear = 1.1  # times as much: less may be the noise of measurements that are no ranges


def present(before: Path, now: Path, file: Path | None = None) -> None:
    """Prints two machines side by side; marked are quantities that differ beyond their ranges.
    InputError: one is no machine file.
    """
    a, b = load(before), load(now)
    click.echo(f"{before}: {a.name}\n{now}: {b.name}\n")
    rows, records = [], []
    for section, known in quantities.items():
        for key, quantity in known.items():
            name = f"{section}.{key}"
            if name not in a.values and name not in b.values:
                continue
            shown = [shown_value(m, name) if name in m.values else "not known" for m in (a, b)]
            x, y = (m.get(name, None) for m in (a, b))
            numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in (x, y))
            ratio = y / x if numbers and x else None
            apart = _apart(a, b, name) if numbers else x != y
            rows.append(
                [name, *shown, quantity.units if quantity.units != "1" else "",
                 "" if ratio is None else f"{ratio:.3g}", "*" * apart]
            )  # fmt: skip
            records.append({"quantity": name, "before": x, "now": y, "differs": bool(apart)})
    head = ["quantity", "before", "now", "units", "times", ""]
    click.echo("\n".join(lines(head, rows, left=(0, 3, 5))))
    if file:
        file.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")


def _apart(a: object, b: object, name: str) -> bool:
    """Returns whether two numbers differ by more than their ranges, or by a tenth where they have
    none.
    """
    (low, x, high), (least, y, most) = (m.range(name) for m in (a, b))  # type: ignore[attr-defined]
    if x == low == high and y == least == most:
        return not (1 / clear <= (y / x if x else 1.0) <= clear) if x or y else False
    return bool(high < least or most < low)
