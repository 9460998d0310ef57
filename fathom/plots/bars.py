"""The time by region: one bar for each, coloured by phase."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from fathom.base.failure import InputError
from fathom.plots.colours import colours_of, faint, ink
from fathom.plots.style import new_figure, styled

__all__ = ["bars", "merged", "seconds_text"]


@styled
def bars(
    profile: Iterable[Mapping[str, Any]], *, title: str = "Where the time went", most: int = 16
) -> Any:
    """Draw a profile: records with region, phase, seconds, calls. Returns the figure; ValueError if
    empty.

    The `most` longest regions have their own bars, the others share one, divided by phase.
    """
    records = merged(profile, most)
    total = sum(record["seconds"] for record in records) or 1.0
    figure = new_figure(7.4, 0.95 + 0.225 * len(records))
    height = figure.get_figheight()
    axes = figure.add_axes((0.32, 0.12 / height, 0.55, 1 - 0.8 / height))
    parts = {
        row: record.get("parts", {record["phase"]: record["seconds"]})
        for row, record in enumerate(records)
    }
    colour = colours_of(list(dict.fromkeys(phase for part in parts.values() for phase in part)))
    longest = max(record["seconds"] for record in records) or 1.0
    for row, record in enumerate(records):
        begin = 0.0
        for phase, seconds in parts[row].items():
            axes.barh(row, seconds, left=begin, height=0.68, color=colour[phase])
            begin += seconds
        axes.text(
            record["seconds"] + 0.012 * longest,
            row,
            seconds_text(record["seconds"]),
            va="center",
            fontsize=7.5,
            color=ink,
        )
        axes.text(
            1.29 * longest,
            row,
            f"{100 * record['seconds'] / total:.1f} %",
            va="center",
            ha="right",
            fontsize=7.5,
            color=faint,
        )
    axes.set_yticks(range(len(records)), [_short(record["region"]) for record in records])
    axes.set(xlim=(0, 1.17 * longest), ylim=(len(records) - 0.4, -0.6), xticks=[])
    axes.spines[["bottom"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    share = {
        phase: sum(part.get(phase, 0.0) for part in parts.values()) / total for phase in colour
    }
    _legend(figure, colour, share, title)
    return figure


def merged(profile: Iterable[Mapping[str, Any]], most: int) -> list[dict[str, Any]]:
    """Returns the records in order of their seconds, those beyond `most` summed into one, with the
    seconds of each phase as its `parts`.
    """
    records = sorted((dict(record) for record in profile), key=lambda record: -record["seconds"])
    if not records:
        raise InputError("the profile is empty")
    rest = records[most:]
    if rest:
        phases = {record["phase"]: 0.0 for record in rest}
        for record in rest:
            phases[record["phase"]] += record["seconds"]
        records = [
            *records[:most],
            {
                "region": f"{len(rest)} others",
                "phase": "others",
                "seconds": sum(r["seconds"] for r in rest),
                "calls": sum(r.get("calls", 0) for r in rest),
                "parts": dict(sorted(phases.items(), key=lambda part: -part[1])),
            },
        ]
    return records


def _short(name: str, most: int = 40) -> str:
    return name if len(name) <= most else name[: most - 1].rstrip(" ,_") + "…"


def seconds_text(seconds: float) -> str:
    """Returns 13.3 s, 240 ms, 31 µs: three digits in the nearest unit."""
    for factor, unit in ((1, "s"), (1e-3, "ms")):
        if seconds >= factor:
            return f"{seconds / factor:.{max(0, 2 - int(math.log10(seconds / factor)))}f} {unit}"
    return f"{seconds * 1e6:.0f} µs"


def _legend(figure: Any, colour: Mapping[str, str], share: Mapping[str, float], title: str) -> None:
    from matplotlib.patches import Patch

    height = figure.get_figheight()
    handles = [
        Patch(color=colour[phase], label=f"{phase} {100 * share[phase]:.0f} %")
        for phase in sorted(share, key=lambda phase: share[phase], reverse=True)
    ]
    figure.text(
        0.012, 1 - 0.2 / height, title, fontsize=11, fontweight="bold", va="center", color=ink
    )
    figure.legend(
        handles=handles,
        loc="center left",
        bbox_to_anchor=(0.012, 1 - 0.5 / height),
        ncols=min(8, len(handles)),
        frameon=False,
        fontsize=7.5,
        handlelength=0.9,
        handleheight=0.9,
        columnspacing=1.0,
        handletextpad=0.5,
        borderpad=0,
    )
