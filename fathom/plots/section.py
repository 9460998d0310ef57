"""Depth, height or pressure against latitude: a zonal mean, or a cut along one grid line."""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.names import describe, known
from fathom.plots.area import degrees_text
from fathom.plots.colours import colour_map, ink, land
from fathom.plots.lines import away_from
from fathom.plots.map import caption, displayed
from fathom.plots.style import (
    colour_bar,
    is_constant,
    new_figure,
    range_of,
    signed,
    span_text,
    styled,
    unit_text,
)

labels = {"depth": "depth [m]", "height": "height [km]", "pressure": "pressure [hPa]"}


@styled
def section(
    values: np.ndarray,
    along: np.ndarray,
    depth: np.ndarray,
    *,
    name: str = "",
    title: str | None = None,
    note: str = "",
    units: str | None = None,
    limits: tuple[float, float] | None = None,
    colours: str | None = None,
    label: str = "latitude",
    vertical: str = "depth",
    down: str | None = None,
) -> Any:
    """Draw values (nz, n) between the edges `along` (n+1: degrees north, or another coordinate
    named by `label`) and the interfaces `depth` (nz+1) [m, positive down]; NaN is the bottom.
    Returns the figure.

    Half of the height belongs to the upper 1000 m where the sea is deeper than 2000 m. With
    vertical = "pressure" the interfaces are in hPa from the top down, drawn by their roots; with
    "height" in m from the ground up. down: the label of another coordinate that grows downward.
    """
    if np.shape(values) != (len(depth) - 1, len(along) - 1):
        raise InputError(
            f"a section between {len(along)} edges and {len(depth)} interfaces needs values of"
            f" shape {(len(depth) - 1, len(along) - 1)}; it was given {np.shape(values)}"
        )
    named = describe(name)
    shown, units, typical = displayed(named, values, units)
    colours = colours or signed(named.colours, shown, known(name))
    low, high = range_of(shown, limits, colours, typical)
    figure = new_figure(7.4, 3.6)
    axes = figure.add_axes((0.085, 0.125, 0.80, 0.75), facecolor=land)
    depth = depth / 1e3 if vertical == "height" else depth
    {"pressure": _by_root, "height": _upward}.get(vertical, _stretch)(axes, depth)
    axes.pcolormesh(
        along, depth, np.ma.masked_invalid(shown), cmap=colour_map(colours), vmin=low, vmax=high
    )
    _contours(axes, shown, along, depth, low, high)
    axes.set(
        xlim=(along[0], along[-1]),
        ylabel=down or labels[vertical],
    )
    if label == "latitude":
        axes.set_xticks(*_latitudes(along[0], along[-1]))
    else:
        axes.set_xlabel(label)
    colour_bar(
        figure, figure.add_axes((0.905, 0.165, 0.0145, 0.66)), colours, low, high, shown, units
    )
    caption(
        axes,
        title if title is not None else named.long_name[:1].upper() + named.long_name[1:],
        note or f"{span_text(shown)} {unit_text(units)}".strip(),
    )
    return figure


def zonal_mean(
    field: np.ndarray, latitude: np.ndarray, area: np.ndarray, bands: int = 180
) -> tuple[np.ndarray, np.ndarray]:
    """Returns mean (nz, n) of a field (nz, ny, nx) in bands of latitude (or y) and the n+1 edges of
    the bands.

    area (ny, nx) weighs; NaN cells do not count; a band without wet cells is NaN. A band between
    two rows of a coarse grid that contains no centre of a cell has the values of the nearest band
    that contains one.
    """
    latitude = np.asarray(latitude, float)
    edges = np.linspace(
        np.nanmin(latitude), np.nanmax(latitude), max(2, min(bands, latitude.shape[0])) + 1
    )
    n = len(edges) - 1
    band = np.clip(np.digitize(latitude.ravel(), edges) - 1, 0, n - 1)
    weight = np.broadcast_to(np.asarray(area, float), latitude.shape).ravel()
    result = np.full((len(field), n), np.nan)
    for k, level in enumerate(np.asarray(field)):
        values = level.ravel()
        wet = np.isfinite(values)
        total = np.bincount(band[wet], weight[wet], n)
        sums = np.bincount(band[wet], weight[wet] * values[wet], n)
        np.divide(sums, total, out=result[k], where=total > 0)
    held = np.flatnonzero(np.bincount(band, minlength=n))
    nearest = held[np.abs(np.arange(n)[:, None] - held).argmin(axis=1)]
    return result[:, nearest], edges


def _stretch(axes: Any, depth: np.ndarray) -> None:
    """Shows depth downward, the upper kilometre in the upper half where there is much below it."""
    bottom = float(depth[-1])
    if bottom > 2000:
        upper = 1000.0
        at = np.array([0.0, upper, bottom])
        place = np.array([0.0, 0.5, 1.0])
        axes.set_yscale(
            "function", functions=(lambda z: _line(z, at, place), lambda p: _line(p, place, at))
        )
        axes.axhline(upper, color="white", lw=0.9, zorder=3)
        axes.set_yticks([0, 250, 500, 750, *np.arange(1000, bottom, 1000)])
    axes.set_ylim(bottom, float(depth[0]))


def _upward(axes: Any, height: np.ndarray) -> None:
    axes.set_ylim(float(height[0]), float(height[-1]))


def _by_root(axes: Any, pressure: np.ndarray) -> None:
    """Shows pressure downward, as its root: troposphere and stratosphere both have room."""
    axes.set_yscale("function", functions=(lambda p: np.sqrt(np.maximum(p, 0)), np.square))
    axes.set_yticks(
        [
            p
            for p in (1, 10, 50, 100, 200, 300, 500, 700, 850, 1000)
            if pressure[0] <= p <= pressure[-1]
        ]
    )
    axes.set_ylim(pressure[-1], pressure[0])


def _line(x: np.ndarray, at: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Returns piecewise linear through (at, value), continued beyond its ends."""
    x = np.asarray(x, float)
    below = (value[1] - value[0]) / (at[1] - at[0])
    above = (value[2] - value[1]) / (at[2] - at[1])
    result: np.ndarray = np.where(
        x < at[1], value[0] + (x - at[0]) * below, value[1] + (x - at[1]) * above
    )
    return result


def _contours(
    axes: Any, values: np.ndarray, along: np.ndarray, depth: np.ndarray, low: float, high: float
) -> None:
    from matplotlib.ticker import MaxNLocator

    if min(values.shape) < 2 or is_constant(values):
        return
    ticks = MaxNLocator(16).tick_values(low, high)
    for level in (float(v) for v in ticks if low < v < high):
        shown = away_from(values, level, ticks[1] - ticks[0])
        if not np.nanmin(shown) < level < np.nanmax(shown):
            continue
        lines = axes.contour(
            0.5 * (along[1:] + along[:-1]),
            0.5 * (depth[1:] + depth[:-1]),
            np.ma.masked_invalid(shown),
            levels=[level],
            colors=ink,
            linewidths=0.5,
            linestyles="--" if level < 0 else "-",
            alpha=0.75,
        )
        axes.clabel(lines, fontsize=6.5, inline_spacing=2, fmt="%g")


def _latitudes(low: float, high: float) -> tuple[list[float], list[str]]:
    from matplotlib.ticker import MaxNLocator

    ticks = np.arange(-90, 91, 30) if high - low > 100 else MaxNLocator(7).tick_values(low, high)
    ticks = [float(t) for t in ticks if low <= t <= high]
    return ticks, [degrees_text(t, "NS") for t in ticks]


__all__ = ["section", "zonal_mean"]
