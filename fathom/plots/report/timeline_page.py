"""The Gantt chart as a part of a page: drawn by the browser from the events themselves; the wheel
zooms, dragging moves, a bar shows its name.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from fathom.plots.colours import colours_of
from fathom.plots.report.timeline import Timeline, window

most = 60_000  # bars of a page, about 25 bytes each


def page(traces: Sequence[dict[str, Any]]) -> str:
    """Returns a chart of as many steps as fit; empty without events."""
    bars = sum(len(t["region"]) + 2 * len(t["met"]) for t in traces)
    if not bars:
        return ""
    timeline = _timeline(traces, bars)
    data = _data(timeline, traces)
    present = {bar[2] for lanes in data["ranks"] for lane in lanes for bar in lane}
    legend = "".join(
        f'<span><i style="background:{colour}"></i>{state}</span>'
        for n, (state, colour) in enumerate(zip(data["states"], data["colours"]))
        if n in present
    )
    return (
        _page()
        .replace("LEGEND", legend)
        .replace("DATA", json.dumps(data, separators=(",", ":")).replace("</", "<\\/"))
    )


def _timeline(traces: Sequence[dict[str, Any]], bars: int) -> Timeline:
    """Returns the chart of as many steps as fit."""
    if bars <= most:
        return Timeline(traces)
    steps = len(traces[0]["steps"])
    chosen = max(1, int(steps * most / bars)) if steps else 0
    return Timeline(traces, *window(traces, min(chosen, max(steps - 1, 1))))


def _data(timeline: Timeline, traces: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Returns data for the script of the page: bars in tenths of microseconds since the chart
    begins.
    """
    states = list(
        dict.fromkeys([*timeline.all_states(), "sum", "halo", "other", "communication", "waiting"])
    )
    lanes = (timeline.states, timeline.solver, timeline.met)
    names = list(dict.fromkeys(bar.name for rows in lanes for row in rows for bar in row))
    number = {name: n for n, name in enumerate(names)}
    place = {state: n for n, state in enumerate(states)}

    def plain(b: Any) -> list[int]:
        begin, length = round(1e7 * (b.begin - timeline.first)), round(1e7 * (b.end - b.begin))
        return [begin, length, place[b.state], number[b.name]]

    whole = timeline.last - timeline.first
    first, last = (t - timeline.first for t in window(traces))  # shown at first: three steps
    if not 0 <= first < last <= whole:
        first, last = 0.0, whole
    return {
        "view": [round(1e7 * first), round(1e7 * last)],
        "length": round(1e7 * whole),
        "states": states,
        "colours": [colours_of(states)[s] for s in states],
        "names": names,
        "ranks": [[[plain(bar) for bar in rows[r]] for rows in lanes] for r in range(len(traces))],
    }


@cache
def _page() -> str:
    """Returns the page with its style and its script; LEGEND and DATA stand for those of a
    chart."""
    page, style, script = (
        Path(__file__).with_name(f"timeline.{kind}").read_text("utf-8")
        for kind in ("html", "css", "js")
    )
    return page.replace("STYLE", style).replace("SCRIPT", script)
