"""Numbers in time: one small panel for each series."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.plots.colours import faint, phases
from fathom.plots.style import new_figure, of_oceans, styled, unit_text

__all__ = ["curves_in_time", "time_series"]

round_off = 1e-11  # of a sum over many cells in double precision
_scales = (
    (2 * 86400.0, 3600.0, "hours"),
    (1100 * 86400.0, 86400.0, "days"),
    (math.inf, 365.2425 * 86400.0, "years"),
)


def scale_of(seconds: float) -> tuple[float, str]:
    """Returns the unit of an axis of that many seconds: how many seconds it has, and its name."""
    return next((scale, unit) for limit, scale, unit in _scales if seconds <= limit)


@styled
def time_series(
    series: Mapping[str, tuple[np.ndarray, np.ndarray, str]], *, columns: int = 2, title: str = ""
) -> Any:
    """Draw {name: (time [s], values, units)}, each in its own panel over a common time. Returns the
    figure.
    """
    if not series:
        raise InputError("there is no series to draw")
    columns = min(columns, len(series))
    rows = math.ceil(len(series) / columns)
    figure = new_figure(7.4, 0.5 + 1.55 * rows)
    last = max((float(np.max(time)) for time, _, _ in series.values() if len(time)), default=0.0)
    scale, unit = scale_of(last)
    panels = figure.subplots(rows, columns, squeeze=False, sharex=True)
    top = 1 - (0.62 if title else 0.36) / figure.get_figheight()
    figure.subplots_adjust(
        left=0.105,
        right=0.985,
        bottom=0.42 / figure.get_figheight(),
        top=top,
        hspace=0.45,
        wspace=0.3,
    )
    for n, (axes, (name, (time, values, units))) in enumerate(zip(panels.flat, series.items())):
        _panel(
            axes,
            np.asarray(time, float) / scale,
            np.asarray(values, float),
            name,
            units,
            phases[n % len(phases)],
        )
    for axes in panels.flat[len(series) :]:
        axes.axis("off")
    for n in range(max(0, len(series) - columns), len(series)):
        panels.flat[n].set_xlabel(unit)
        panels.flat[n].xaxis.set_tick_params(labelbottom=True)
    if title:
        figure.suptitle(title, x=0.012, ha="left", fontsize=11, fontweight="bold")
    return figure


@styled
def curves_in_time(
    panels: Mapping[str, tuple[np.ndarray, Mapping[str, np.ndarray], str]], *, title: str = ""
) -> Any:
    """Draw {title: (time [s], {name: values}, unit)}, one panel below another; the names stand
    above. Returns the figure.
    """
    if not panels:
        raise InputError("there are no curves to draw")
    figure = new_figure(7.4, 0.7 + 1.7 * len(panels))
    rows = figure.subplots(len(panels), 1, squeeze=False, sharex=True)[:, 0]
    height = figure.get_figheight()
    figure.subplots_adjust(
        left=0.1, right=0.985, bottom=0.45 / height, top=1 - 0.75 / height, hspace=0.35
    )
    last = max(float(np.max(time)) for time, _, _ in panels.values())
    scale, unit = scale_of(last)
    for axes, (name, (time, curves, units)) in zip(rows, panels.items()):
        for n, (label, values) in enumerate(curves.items()):
            axes.plot(time / scale, values, ".-", color=phases[n % len(phases)], label=label)
        axes.grid(True, axis="y")
        axes.set_title(name + (f" [{units}]" if units else ""), fontsize=8.5, pad=4)
    rows[0].legend(
        ncols=4, loc="lower right", bbox_to_anchor=(1, 1.02), borderaxespad=0, handlelength=1.6
    )
    rows[-1].set_xlabel(unit)
    figure.suptitle(title, x=0.012, ha="left", fontsize=11, fontweight="bold")
    return figure


def _panel(
    axes: Any, time: np.ndarray, values: np.ndarray, name: str, units: str, colour: str
) -> None:
    values, units = of_oceans(values, units)
    values = values.copy()
    if "flux" in name and len(values) > 1 and values[0] == 0.0:
        values[0] = np.nan  # of the state before the first step there is none yet
    name, last = name.replace("_", " "), values[np.isfinite(values)][-1:]
    same = _is_round_off(values)
    if not same and _labels_would_be_equal(values):
        name, values, last = f"{name} − {values[0]:.6g}", values - values[0], values[:0]
    values, last, text = _short(values, last, unit_text(units))
    axes.plot(time, values, color=colour, lw=1.4, marker="." if len(values) < 3 else None)
    if same:
        reach = 0.5 * abs(float(last[0])) or 1.0
        axes.set_ylim(float(last[0]) - reach, float(last[0]) + reach)
    axes.grid(True, axis="y")
    axes.margins(x=0.01, y=0.12)
    title = name + (f" [{text}]" if text else "")
    axes.set_title(title, fontsize=_size_of(title), pad=5)
    if last.size and len(title) < 38:  # else there is no room
        axes.set_title(
            f"{last[0]:.5g}", loc="right", fontsize=8, fontweight="normal", color=faint, pad=5
        )
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.7g}")
    axes.locator_params(axis="y", nbins=5)


def _size_of(title: str) -> float:
    """Returns the size of a title that has room above a panel."""
    return 8.5 if len(title) < 34 else 7.5 if len(title) < 44 else 6.8


def _is_round_off(values: np.ndarray) -> bool:
    """Returns whether a series changes by no more than round-off, which nobody needs to see."""
    finite = values[np.isfinite(values)]
    return bool(finite.size and np.ptp(finite) <= round_off * abs(finite[-1]))


def _labels_would_be_equal(values: np.ndarray) -> bool:
    return bool(len(values) and 0 < np.ptp(values) < 1e-5 * abs(values[0]))


def _short(values: np.ndarray, last: np.ndarray, text: str) -> tuple[np.ndarray, np.ndarray, str]:
    """Returns values whose labels are short, and their unit: large and small ones by a power of
    1000.
    """
    largest = float(np.max(np.abs(values[np.isfinite(values)]), initial=0.0))
    if largest == 0 or 1e-3 <= largest < 1e5:
        return values, last, text
    power = 3 * math.floor(math.log10(largest) / 3)
    raised = str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return values / 10.0**power, last / 10.0**power, f"10{raised} {text}".strip()
