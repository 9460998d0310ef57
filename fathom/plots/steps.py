"""Time of each step of one or several runs, one below the other: what happens now and then stands out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .style import new_figure, styled


@styled
def steps(runs: Mapping[str, Sequence[float]], *, title: str = "Seconds of each step") -> Any:
    """Seconds of the steps of each run, by its name; all on one scale. Returns the figure; ValueError if there is none."""
    if not runs or not all(len(seconds) for seconds in runs.values()):
        raise ValueError("there are no steps to draw")
    longest = max(max(seconds) for seconds in runs.values())
    figure = new_figure(7.4, 0.7 + 1.25 * len(runs))
    axes = figure.subplots(len(runs), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    for ax, (name, seconds) in zip(axes, runs.items()):
        ax.vlines(np.arange(1, len(seconds) + 1), 0, seconds, linewidth=max(0.6, 300 / len(seconds) ** 1.1))
        ax.set_title(name, fontsize=9, fontweight="normal")
        ax.set_ylim(0, 1.05 * longest)
        ax.set_ylabel("s")
    axes[-1].set_xlabel("step")
    figure.suptitle(title, x=0.02, ha="left", fontsize=11, fontweight="bold")
    figure.tight_layout()
    return figure
