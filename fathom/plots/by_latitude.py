"""Transports and fluxes at each latitude as curves, with observations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.plots.area import degrees_text
from fathom.plots.colours import faint, ink, phases
from fathom.plots.style import new_figure, styled


@dataclass
class Profile:
    """curves: name -> (latitudes, values); observed: name -> (latitude, value, error)."""

    ylabel: str
    curves: Mapping[str, tuple[np.ndarray, np.ndarray]]
    observed: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)


@styled
def by_latitude(panels: Mapping[str, Profile], *, title: str = "") -> Any:
    """Returns the figure: one panel below another over a common latitude. ValueError: nothing to
    draw.
    """
    if not panels:
        raise InputError("there is nothing to draw")
    figure = new_figure(7.4, 0.7 + 2.1 * len(panels))
    rows = figure.subplots(len(panels), 1, squeeze=False, sharex=True)[:, 0]
    height = figure.get_figheight()
    figure.subplots_adjust(
        left=0.1, right=0.985, bottom=0.45 / height, top=1 - 0.75 / height, hspace=0.3
    )
    names = list(dict.fromkeys(name for p in panels.values() for name in p.curves))
    for axes, (what, panel) in zip(rows, panels.items()):
        for name, (latitude, values) in panel.curves.items():
            colour = phases[names.index(name) % len(phases)]
            axes.plot(latitude, values, color=colour, lw=1.4, label=name)
        for place, value, error in panel.observed.values():
            axes.errorbar(place, value, error, fmt="o", ms=3.5, color=ink, capsize=2, lw=1)
        axes.axhline(0, color=faint, lw=0.7)
        axes.grid(True, axis="y")
        axes.set_title(what, fontsize=8.5, loc="left", pad=4)
        axes.set_ylabel(panel.ylabel, fontsize=8)
    rows[0].legend(
        fontsize=7.5, frameon=False, ncols=len(names), loc="lower right", bbox_to_anchor=(1, 1.02)
    )
    all_ = np.concatenate([at for p in panels.values() for at, _ in p.curves.values()])
    south, north = float(all_.min()), float(all_.max())
    if north - south > 100:
        rows[-1].set_xlim(-80, 90)
        rows[-1].set_xticks(range(-60, 61, 30))
    else:
        rows[-1].set_xlim(south, north)
    rows[-1].xaxis.set_major_formatter(lambda value, _: degrees_text(value, "NS"))
    if title:
        figure.suptitle(title, x=0.012, ha="left", fontsize=11, fontweight="bold")
    return figure
