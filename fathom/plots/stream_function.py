"""The barotropic stream function with its contours, in Sverdrups (1 Sv = 1e6 m3/s)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .colours import ink
from .map import caption, paint, panel, raster_of
from .mesh import Raster
from .style import colour_bar, digits, range_of, span_text, styled

__all__ = ["stream_function"]


@styled
def stream_function(field: np.ndarray, grid: Mapping[str, Any] | Raster, *, interval: float | None = None,
                    title: str = "Barotropic stream function", note: str = "") -> Any:
    """Draw a stream function (ny, nx) [m3 s-1] on the cells of `grid`; NaN is land. interval: of contours [Sv].

    Positive (solid) turns clockwise. Returns the figure; `path` saves it.
    """
    raster = raster_of(grid, np.shape(field))
    transport = np.asarray(field, float) * 1e-6
    low, high = range_of(transport, None, "balance")
    interval = interval or _interval(high)
    high = max(interval, np.ceil(high / interval) * interval)
    low = -high
    figure, axes, bar = panel(raster)
    paint(axes, raster, transport, "balance", low, high)
    finite = transport[np.isfinite(transport)]
    if finite.size and finite.max() > finite.min():
        first, last = np.ceil(finite.min() / interval), np.floor(finite.max() / interval)
        _contours(axes, raster, transport, np.arange(first, last + 1) * interval)
    colour_bar(figure, bar, "balance", low, high, transport, "Sv")
    extremes = f"{span_text(finite)} Sv, " if finite.size else ""
    caption(axes, title, note or f"{extremes}every {digits(interval)} Sv")
    return figure


def _interval(high: float) -> float:
    """1, 2 or 5 times a power of ten, for about a dozen contours on each side."""
    rough = max(high, 1e-9) / 10
    power = 10.0 ** np.floor(np.log10(rough))
    return float(min((1, 2, 5, 10), key=lambda m: abs(np.log(m * power / rough))) * power)


def _contours(axes: Any, raster: Raster, field: np.ndarray, levels: np.ndarray) -> None:
    """Contours traced in the space of grid indices, then carried to the map: no line crosses its rim."""
    from contourpy import contour_generator
    from matplotlib.collections import LineCollection
    ny, nx = field.shape
    closed = np.concatenate([field, field[:, :1]], axis=1) if raster.mesh.cyclic else field
    generator = contour_generator(z=np.ma.masked_invalid(closed))
    solid, dashed, bold = [], [], []
    for level in levels:
        target = bold if abs(level) < 1e-9 else solid if level > 0 else dashed
        for line in generator.lines(float(level)):
            target += _carried(raster, line, ny, nx)
    for lines, style, width in ((solid, "-", 0.55), (dashed, (0, (4, 2)), 0.55), (bold, "-", 1.0)):
        axes.add_collection(LineCollection(lines, colors=ink, linewidths=width, linestyles=[style], zorder=2.5))


def _carried(raster: Raster, line: np.ndarray, ny: int, nx: int) -> list[np.ndarray]:
    """A line in (i, j) of cell centres as pieces in points of the map."""
    x, y = line[:, 0] + 0.5, line[:, 1] + 0.5
    i, j = np.floor(x).astype(int), np.clip(np.floor(y).astype(int), 0, ny - 1)
    s, t = x - i, y - j
    column, row = raster.project(*raster.mesh.locate(j * nx + i % nx, s, t))
    jumps = np.flatnonzero(np.abs(np.diff(column)) > 0.25 * raster.width) + 1
    return [piece for piece in np.split(np.stack([column, row], axis=1), jumps) if len(piece) > 1]
