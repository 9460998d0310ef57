"""The barotropic stream function with its contours, in Sverdrups (1 Sv = 1e6 m3/s)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fathom.plots.lines import contours
from fathom.plots.map import caption, paint, panel, raster_of
from fathom.plots.mesh import Raster
from fathom.plots.style import colour_bar, digits, range_of, span_text, styled

__all__ = ["stream_function"]


@styled
def stream_function(
    field: np.ndarray,
    grid: Mapping[str, Any] | Raster,
    *,
    interval: float | None = None,
    title: str = "Barotropic stream function",
    note: str = "",
) -> Any:
    """Draw a stream function (ny, nx) [m3 s-1] on the cells of `grid`; NaN is land. interval: of
    contours [Sv].

    Positive (solid) turns clockwise. Returns the figure; `path` saves it.
    """
    raster = raster_of(grid, np.shape(field))
    transport = np.asarray(field, float) * 1e-6
    low, high = range_of(transport, None, "balance")
    high = max(-low, high)
    interval = interval or _interval(high)
    high = max(interval, np.ceil(high / interval) * interval)
    low = -high
    figure, axes, bar = panel(raster)
    paint(axes, raster, transport, "balance", low, high)
    finite = transport[np.isfinite(transport)]
    if finite.size and finite.max() > finite.min():
        first, last = np.ceil(finite.min() / interval), np.floor(finite.max() / interval)
        contours(
            axes, raster, transport, np.arange(first, last + 1) * interval, dashed=True, bold=0.0
        )
    colour_bar(figure, bar, "balance", low, high, transport, "Sv")
    extremes = f"{span_text(finite)} Sv, " if finite.size else ""
    caption(axes, title, note or f"{extremes}every {digits(interval)} Sv")
    return figure


def _interval(high: float) -> float:
    """Returns 1, 2 or 5 times a power of ten, for about a dozen contours on each side."""
    rough = max(high, 1e-9) / 10
    power = 10.0 ** np.floor(np.log10(rough))
    return float(min((1, 2, 5, 10), key=lambda m: abs(np.log(m * power / rough))) * power)
