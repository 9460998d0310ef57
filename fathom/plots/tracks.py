"""Tracks of drifters on a map, coloured by the time since they were released."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fathom.names import describe, known
from fathom.plots.colours import colour_map, ink
from fathom.plots.map import caption, displayed, paint, panel, raster_of
from fathom.plots.mesh import Raster
from fathom.plots.style import colour_bar, range_of, signed, styled

__all__ = ["tracks"]


@styled
def tracks(
    x: np.ndarray,
    y: np.ndarray,
    days: np.ndarray,
    wet: np.ndarray,
    grid: Mapping[str, Any] | Raster,
    *,
    title: str = "Drifters",
    note: str = "",
    values: np.ndarray | None = None,
    name: str = "",
    units: str | None = None,
    limits: tuple[float, float] | None = None,
) -> Any:
    """Draw the tracks of places (times, drifters), longitude and latitude [degrees] or x and y of a
    plane, NaN before a release, at times in days. Colours are the time since the release, or
    `values` (times, drifters) of the field `name` in its units.

    wet (ny, nx): where the grid has water. A ring is where a drifter was released, a dot where it
    is. Returns the figure; `path` saves it.
    """
    from matplotlib.collections import LineCollection

    raster = raster_of(grid, np.shape(wet))
    column, row = raster.project(np.asarray(x, float), np.asarray(y, float))
    lost = ~np.isfinite(column) | ~raster.holds(column, row)
    age = np.asarray(days, float)[:, None] - np.where(
        lost, np.inf, np.asarray(days, float)[:, None]
    ).min(0)
    oldest = max(float(np.where(lost, 0, age).max()) if age.size else 0.0, 1e-9)
    figure, axes, bar = panel(raster)
    paint(axes, raster, np.where(np.asarray(wet) > 0, 0.0, np.nan), "drifting sea", 0.0, 1.0)
    points = np.stack([column, row], -1)
    pieces = np.stack([points[:-1], points[1:]], 2)
    drawn = (
        ~lost[1:] & ~lost[:-1] & (np.abs(np.diff(column, axis=0)) < 0.25 * raster.width)
    )  # not across the rim
    width = float(np.clip(150 / max(points.shape[1], 1), 0.7, 1.8))
    colours, shown, ends, said = "drift", age, (0.0, oldest), "days"
    if values is not None:
        named = describe(name)
        shown, said, typical = displayed(named, values, units or None)
        colours = signed(named.colours, shown, known(name))
        ends = range_of(shown, limits, colours, typical)
    lines = LineCollection(
        pieces[drawn], cmap=colour_map(colours), linewidths=width, zorder=2.5, capstyle="round"
    )
    lines.set_array(0.5 * (shown[1:] + shown[:-1])[drawn])
    lines.set_clim(*ends)
    axes.add_collection(lines)
    n = np.flatnonzero(~lost.all(0))
    first, last = np.argmin(lost, 0)[n], len(lost) - 1 - np.argmin(lost[::-1], 0)[n]
    axes.plot(
        *points[first, n].T,
        ls="",
        marker="o",
        ms=1.2 + width,
        mfc="white",
        mec=ink,
        mew=0.5,
        zorder=3,
    )
    axes.plot(*points[last, n].T, ls="", marker="o", ms=0.8 + width, color=ink, mew=0, zorder=3)
    held = np.array(ends) if values is None else shown
    colour_bar(figure, bar, colours, *ends, held, said)
    caption(axes, title, note or f"{points.shape[1]} drifters, {oldest:.3g} days")
    return figure
