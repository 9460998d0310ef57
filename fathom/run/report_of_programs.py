"""The report of programs that run together: one page with their budget, the numbers of each, and
links to the report of each.
"""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from typing import Any

from fathom.base import writing
from fathom.plots.report.markup import table
from fathom.plots.report.page import write_report

# quantity -> (its unit in tables, the factor to it), of an interval of the budget
Units = Callable[[dict[str, Any]], dict[str, tuple[str, float]]]


def write(
    programs: Any, summaries: dict[str, dict[str, Any]], seconds: float, units: Units
) -> None:
    """Writes report.html and summary.json into the directory of the run; rank 0 calls it.

    summaries : of the programs that stepped on this rank; seconds : wall clock of the run; units :
    of the budget.
    """
    folder, budget = programs.directory, programs.budget
    closed = [] if budget is None else budget.closed
    text = folder / "resolved.toml"
    summary: dict[str, Any] = {
        "wall_seconds": seconds,
        "start": str(programs.clock.start),
        "end": str(programs.date),
        "programs": {name: _short(one) for name, one in summaries.items()},
        "budget": closed[-1] if closed else {},
    }
    writing.replace(folder / "summary.json", json.dumps(summary, indent=2) + "\n")
    write_report(
        folder / "report.html",
        title=f"Coupled system {_day(programs.clock.start)} to {_day(programs.date)}",
        summary={"wall_seconds": seconds},
        configuration=text.read_text() if text.is_file() else "",
        parts={"Budgets": _budgets(closed, units), "Components": _components(programs, summaries)},
    )


def _day(date: Any) -> str:
    """Returns a date, with its time of the day where it has one."""
    return str(date)[:16].removesuffix(" 00:00")


def _short(summary: dict[str, Any]) -> dict[str, Any]:
    """Returns the numbers of a component that the summary of all has."""
    names = ("model", "grid", "steps", "step", "wall_seconds", "checksum")
    return {name: summary[name] for name in names if name in summary}


def _budgets(closed: list[dict[str, Any]], units: Units) -> str:
    """Returns tables of the last interval, and the residuals of all."""
    if not closed:
        return ""
    last, found = closed[-1], ""
    for quantity, (unit, factor) in units(last).items():
        of = last[quantity]
        rows = [
            (kind, html.escape(name), f"{value * factor:+.6e}")
            for kind in ("stores", "lines")
            for name, value in of[kind].items()
        ]
        rows += [("", "residual", f"{of['residual'] * factor:+.6e}")]
        rows += [("", "residual over the sum of absolute terms", f"{of['share']:+.1e}")]
        found += f"<h3>{quantity}, {unit}, the last {last['seconds'] / 86400:g} days</h3>"
        found += table(("", quantity, html.escape(unit)), rows)
    shares = [
        (f"{one['to'] / 86400:g}", *(f"{one[q]['share']:+.1e}" for q in units(one)))
        for one in closed
    ]
    head = ("day", *units(last))
    return found + "<h3>residuals over the sum of absolute terms</h3>" + table(head, shares)


def _components(programs: Any, summaries: dict[str, dict[str, Any]]) -> str:
    """Returns who gives what to whom, and links to the reports of the components."""
    lines = "".join(f"<li>{html.escape(line)}</li>" for line in programs.describe())
    links = "".join(
        f'<li><a href="{name}/report.html">{name}</a>: {html.escape(str(one["grid"]))}</li>'
        if "grid" in one
        else f"<li>{name}</li>"
        for name, one in summaries.items()
    )
    return f"<ul>{links}</ul><ul>{lines}</ul>"
