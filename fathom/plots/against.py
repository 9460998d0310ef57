"""A quantity against a size: one or several panels side by side, curves with their errors,
lines for other results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.plots.colours import faint, ink, phases
from fathom.plots.style import new_figure, styled


@dataclass
class Panel:
    """curves: name -> (x, y) or (x, y, error of y); levels: name -> y of a dashed line; ticks: x ->
    what stands below, by default x; marks: name -> x of an upright line.
    """

    xlabel: str
    ylabel: str
    curves: Mapping[str, Sequence[Sequence[float]]]
    levels: Mapping[str, float] = field(default_factory=dict)
    ticks: Mapping[float, str] = field(default_factory=dict)
    marks: Mapping[str, float] = field(default_factory=dict)
    from_zero: bool = True


@styled
def against(panels: Mapping[str, Panel], *, title: str, note: str = "") -> Any:
    """Returns the figure; ValueError where there is nothing to draw. Sizes are drawn by their
    logarithm.
    """
    panels = {
        name: p for name, p in panels.items() if any(len(curve[0]) for curve in p.curves.values())
    }
    if not panels:
        raise InputError("there are no sizes to draw")
    columns, rows = _legend_shape(panels)
    height = 3.6 + 0.17 * rows
    figure = new_figure(7.4 if len(panels) == 1 else 4.9 * len(panels), height)
    for n, (name, p) in enumerate(panels.items()):
        width = 1 / len(panels)
        axes = figure.add_axes(
            (
                n * width + 0.09 * width + 0.012,
                0.2,
                0.84 * width,
                1 - 0.2 - (0.72 + 0.17 * rows) / height,
            )
        )
        longest = _draw(axes, p)
        _label(axes, p, longest)
        axes.set_title(name, fontsize=9, fontweight="normal", loc="left", pad=4 + 12.3 * rows)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(
                fontsize=7.5,
                frameon=False,
                ncols=columns,
                loc="lower left",
                bbox_to_anchor=(-0.01, 0.985),
                borderaxespad=0.1,
                handlelength=1.6,
                columnspacing=1.1,
            )
    figure.text(
        0.012, 1 - 0.2 / height, title, fontsize=11, fontweight="bold", va="center", color=ink
    )
    if note:
        figure.text(0.012, 1 - 0.42 / height, note, fontsize=8, va="center", color=faint)
    return figure


def _legend_shape(panels: Mapping[str, Panel]) -> tuple[int, int]:
    """Returns columns and rows that the legends need."""
    long = any(len(label) > 24 for p in panels.values() for label in (*p.curves, *p.levels))
    columns = 2 if long else 4
    entries = (len(p.levels) + (len(p.curves) if len(p.curves) > 1 else 0) for p in panels.values())
    return columns, max(-(-n // columns) for n in entries)


def _draw(axes: Any, p: Panel) -> float:
    """Draws curves, levels and marks; returns the greatest value."""
    longest = 0.0
    for k, (label, (at, values, *error)) in enumerate(p.curves.items()):
        colour = phases[k % len(phases)]
        order = np.argsort(at)
        x, y = np.asarray(at, float)[order], np.asarray(values, float)[order]
        if error:
            e = np.asarray(error[0], float)[order]
            axes.fill_between(x, y - e, y + e, color=colour, alpha=0.16, linewidth=0)
        axes.plot(
            x,
            y,
            "o-",
            color=colour,
            markersize=3.8,
            linewidth=1.4,
            label=label if len(p.curves) > 1 else None,
            zorder=3,
        )
        longest = max(longest, float(y.max()))
    for k, (label, level) in enumerate(p.levels.items()):
        axes.axhline(
            level,
            color=ink if len(p.levels) == 1 else phases[k % len(phases)],
            linewidth=0.9,
            linestyle=(0, (4, 3)),
            label=label,
            zorder=2,
        )
        longest = max(longest, level)
    for label, mark in p.marks.items():
        axes.axvline(mark, color=faint, linewidth=0.8)
        axes.text(
            mark,
            0.03,
            f" {label}",
            color=faint,
            fontsize=7.5,
            transform=axes.get_xaxis_transform(),
        )
    return longest


def _label(axes: Any, p: Panel, longest: float) -> None:
    """Labels the axes with the sizes of the curves."""
    sizes = sorted({float(v) for curve in p.curves.values() for v in curve[0]})
    axes.set(xscale="log", xlabel=p.xlabel, ylabel=p.ylabel)
    axes.set_ylim(0 if p.from_zero else None, 1.12 * longest)
    axes.set_xticks(
        sizes,
        _apart(sizes, [p.ticks.get(v, f"{v:g}") for v in sizes]),
        fontsize=7.5,
        rotation=35 if any(len(p.ticks.get(v, "")) > 5 for v in sizes) else 0,
    )
    axes.minorticks_off()
    axes.grid(True, axis="y", which="major")
    axes.set_axisbelow(True)


def _apart(sizes: Sequence[float], labels: list[str]) -> list[str]:
    """Returns the labels that have room on a logarithmic axis; others are empty."""
    room, last, kept = 0.05 * np.log(sizes[-1] / sizes[0]), -np.inf, []
    for size, label in zip(sizes, labels):
        fits = np.log(size) - last >= room
        last = np.log(size) if fits else last
        kept.append(label if fits else "")
    return kept
