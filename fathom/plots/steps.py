"""Time of each step of one or several runs, one below the other: rare long steps are visible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.plots.colours import faint, ink, mixed, phases, state_colours
from fathom.plots.style import new_figure, styled


@styled
def steps(
    runs: Mapping[str, Sequence[float]],
    marked: Mapping[str, Sequence[int]] | None = None,
    *,
    title: str = "Seconds of each step",
) -> Any:
    """Draws the seconds of the steps of each run, by its name; all on one scale; a line for the
    median. marked: steps, from 1 on, that have a colour, by their meaning. Returns the figure;
    ValueError if there is none.
    """
    if not runs or not all(len(seconds) for seconds in runs.values()):
        raise InputError("there are no steps to draw")
    longest = max(max(seconds) for seconds in runs.values())
    scale, unit = (1e3, "ms") if longest < 0.5 else (1.0, "s")
    figure = new_figure(7.4, 0.7 + (1.25 if len(runs) > 1 else 1.7) * len(runs))
    axes = figure.subplots(len(runs), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    for ax, (name, seconds) in zip(axes, runs.items()):
        values, width = scale * np.asarray(seconds, float), max(0.6, 300 / len(seconds) ** 1.1)
        ax.vlines(np.arange(1, len(values) + 1), 0, values, linewidth=width, color=phases[5])
        _mark(ax, values, marked or {}, max(width, 1.6))
        ax.axhline(np.median(values), color=faint, linewidth=0.8, linestyle=(0, (4, 3)))
        ax.set_title(
            (
                f"{name}"
                if len(runs) > 1
                else f"median {np.median(values):.3g} {unit}, longest {values.max():.3g} {unit}"
            ),
            fontsize=9,
            fontweight="normal",
        )
        ax.set_ylim(0, 1.05 * scale * longest)
        ax.set_ylabel(unit)
    if axes[0].get_legend_handles_labels()[0]:
        axes[0].legend(
            frameon=False,
            fontsize=7.5,
            ncols=4,
            loc="lower right",
            bbox_to_anchor=(1.0, 1.0),
            borderaxespad=0.2,
        )
    axes[-1].set_xlabel("step")
    figure.suptitle(title, x=0.012, ha="left", fontsize=11, fontweight="bold", color=ink)
    figure.tight_layout()
    return figure


def _mark(ax: Any, values: np.ndarray, marked: Mapping[str, Sequence[int]], width: float) -> None:
    """Draws the steps that have a colour, a shade of that of output: the first the strongest."""
    for n, (label, found) in enumerate(marked.items()):
        at = np.array([step for step in found if 1 <= step <= len(values)], int)
        colour = mixed(state_colours["output"], "#ffffff", 0.22 * (n % 4))
        if len(at):
            ax.vlines(
                at,
                0,
                values[at - 1],
                linewidth=width,
                color=colour,
                label=label,
                zorder=3 - n / 100,
            )
