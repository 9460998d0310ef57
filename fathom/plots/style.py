"""Common parts of all pictures: figures without global state, fonts, colour bars, units, saving."""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.base.shown import number
from fathom.names import describe
from fathom.plots.colours import coast, colour_map, diverging, faint, ink, phases

most_signs = 8  # that have room above a bar of colours
dots = 150  # per inch: a picture of 7.4 inches has 1110 points

_look: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlecolor": ink,
    "axes.labelsize": 9,
    "axes.labelcolor": ink,
    "axes.edgecolor": faint,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": faint,
    "ytick.color": faint,
    "xtick.labelcolor": ink,
    "ytick.labelcolor": ink,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "grid.color": "#e3e6e8",
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.markersize": 4,
    "svg.fonttype": "none",
    "figure.dpi": dots,
}


def styled(draw: Callable[..., Any]) -> Callable[..., Any]:
    """Draw with Fathom's look; save to `path` if one is given; return the figure."""

    @functools.wraps(draw)
    def wrapped(*arguments: Any, path: str | Path | None = None, **options: Any) -> Any:
        import matplotlib
        from matplotlib.rcsetup import cycler

        cycle = cycler("color", phases)
        with matplotlib.rc_context(_look | {"axes.prop_cycle": cycle}):
            figure = draw(*arguments, **options)
            if path is not None:
                figure.savefig(path)
        return figure

    return wrapped


def new_figure(width: float, height: float) -> Any:
    """Returns a separate figure in inches: no pyplot, no window; a notebook shows it."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = _figure()(figsize=(width, height), dpi=dots, facecolor="white")
    FigureCanvasAgg(figure)
    return figure


@functools.cache
def _figure() -> Any:
    """Returns the class of figures that show themselves in a notebook."""
    from matplotlib.figure import Figure  # slow to load

    class Picture(Figure):
        def _repr_png_(self) -> bytes:
            return encoded(self)

    return Picture


def new_panels(rows: int, columns: int, width: float, height: float, **options: Any) -> Any:
    """Returns such a figure, and its axes, which keep clear of each other."""
    figure = new_figure(width, height)
    figure.set_layout_engine("constrained")
    return figure, figure.subplots(rows, columns, **options)


def encoded(figure: Any, format: str = "png", colours: int | None = None) -> bytes:
    """Returns the picture as the bytes of a png or svg file. colours: a png of that many, at most
    256; it is a third as large.
    """
    import matplotlib

    with matplotlib.rc_context({**_look, "svg.hashsalt": "fathom"}), io.BytesIO() as buffer:
        options = (
            {"metadata": {"Date": None}}
            if format == "svg"
            else {"pil_kwargs": {"compress_level": 4}}
        )
        figure.savefig(buffer, format=format, **options)
        return buffer.getvalue() if colours is None else _of_colours(buffer, colours)


def _of_colours(png: Any, colours: int) -> bytes:
    """Returns the picture with a palette."""
    from PIL import Image

    with Image.open(png) as picture, io.BytesIO() as buffer:
        median = Image.Quantize.MEDIANCUT
        palette = picture.convert("RGB").quantize(colours, median, dither=Image.Dither.NONE)
        palette.save(buffer, "png", optimize=True)
        return buffer.getvalue()


_raised = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_celsius = re.compile(r"\bdeg(rees?)?_?(C|[Cc]elsius)\b")


def unit_text(units: str) -> str:
    """Returns units as one prints them: degC -> °C, "m s-1" -> "m s⁻¹", "1" -> ""."""
    if units in ("", "1"):
        return ""
    return re.sub(
        r"(?<=[A-Za-z])-?\d+", lambda power: power[0].translate(_raised), _celsius.sub("°C", units)
    )


def unit_of(field: str) -> str:
    """Returns the units of a field as one prints them."""
    return unit_text(describe(field).units)


_of_transports = {"m3 s-1": ("Sv", 1e-6), "W": ("PW", 1e-15)}


def of_oceans(values: np.ndarray, units: str) -> tuple[np.ndarray, str]:
    """Returns transports in Sv, those of heat in PW where they are as large as an ocean's; others
    as they are.
    """
    shown, factor = _of_transports.get(units, (units, 1.0))
    if units == "W" and np.nanmax(np.abs(values), initial=0.0) < 1e12:
        return values, units
    return values * factor, shown


def range_of(
    values: np.ndarray,
    limits: tuple[float, float] | None,
    colours: str,
    typical: tuple[float, float] | None = None,
) -> tuple[float, float]:
    """Ends of the colour bar: `limits`; or the `typical` ones where these values fill them and stay
    inside; or the 1st and 99th percentile, symmetric for a diverging map of values around 0."""
    if limits is not None:
        if not limits[0] < limits[1]:
            raise InputError(f"limits = {limits[0]:g}, {limits[1]:g}: the lower one comes first")
        return limits
    finite = values[np.isfinite(values)]
    if finite.size == 0:
        return typical or (0.0, 1.0)
    if is_constant(finite, typical):
        return _around_constant(float(np.median(finite)), colours, typical)
    if typical is not None and _suits(typical, finite):
        return typical
    low, high = np.percentile(finite, (1, 99))
    least, most = sorted(map(abs, (low, high)))
    if colours in diverging and not (low * high > 0 and least > 0.5 * most):
        low, high = -most, most
    elif 0 <= low < 0.25 * high:
        low = 0.0
    if not low < high:
        spread = max(abs(low) * 1e-3, 1e-12)
        low, high = low - spread, high + spread
    return float(low), float(high)


def is_constant(values: np.ndarray, typical: tuple[float, float] | None = None) -> bool:
    """Returns whether values differ by no more than the round-off of single precision, of
    themselves or of what is typical.
    """
    finite = values[np.isfinite(values)]
    if not finite.size:
        return True
    largest = float(np.abs(finite).max())
    usual = 0.0 if typical is None else typical[1] - typical[0]
    return float(np.ptp(finite)) <= max(2e-6 * largest, 1e-9 * usual, 1e-30)


def _around_constant(
    value: float, colours: str, typical: tuple[float, float] | None
) -> tuple[float, float]:
    """Returns ends of a colour bar that show one value as one colour."""
    if typical is not None and typical[0] <= value <= typical[1]:
        return typical
    reach = max(0.5 * abs(value), 1e-9 if value else 1.0)
    return (-2 * reach, 2 * reach) if colours in diverging else (value - reach, value + reach)


def signed(colours: str, values: np.ndarray, known: bool) -> str:
    """Returns a diverging map of colours for a field without a name of its own that has as much
    below zero as above.
    """
    finite = values[np.isfinite(values)]
    if known or not finite.size or is_constant(finite):
        return colours
    low, high = np.percentile(finite, (2, 98))
    return "balance" if low < 0 < high and min(-low, high) > 0.2 * max(-low, high) else colours


def _suits(typical: tuple[float, float], finite: np.ndarray) -> bool:
    low, high = np.percentile(finite, (10, 90))
    span = typical[1] - typical[0]
    result: bool = (
        low >= typical[0] - 0.1 * span
        and high <= typical[1] + 0.1 * span
        and high - low > 0.45 * span
    )
    return result


def colour_bar(
    figure: Any, axes: Any, name: str, low: float, high: float, values: np.ndarray, units: str
) -> None:
    """Draws a slim bar in `axes`, its unit on top, pointed where values lie beyond its ends."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.ticker import FuncFormatter

    finite = values[np.isfinite(values)]
    slack = 1e-6 * (high - low)
    below, above = (
        finite.size and finite.min() < low - slack,
        finite.size and finite.max() > high + slack,
    )
    extend = {(0, 0): "neither", (1, 0): "min", (0, 1): "max", (1, 1): "both"}[
        bool(below), bool(above)
    ]
    power = _power(low, high)
    bar = figure.colorbar(
        ScalarMappable(Normalize(low, high), colour_map(name)),
        cax=axes,
        extend=extend,
        extendfrac=0.03,
    )
    bar.formatter = FuncFormatter(lambda value, _: f"{value / 10.0**power:.5g}".replace("-", "−"))
    bar.update_ticks()
    bar.outline.set_linewidth(0.5)
    bar.outline.set_edgecolor(faint)
    axes.tick_params(length=2.5)
    raised = str(power).translate(_raised)
    text = folded(" ".join(filter(None, [f"10{raised}" if power else "", unit_text(units)])))
    if more := text.count("\n"):  # room for its lines
        place = axes.get_position()
        lower = place.height - 0.16 * more / figure.get_figheight()
        axes.set_position((place.x0, place.y0, place.width, lower))
    longest = max(map(len, text.split("\n")), default=0)
    size = 8.5 * min(1.0, most_signs / max(longest, 1))
    bar.ax.set_title(text, fontsize=size, fontweight="normal", loc="left", pad=9, color=ink)


def _power(low: float, high: float) -> int:
    """Returns the power of 1000 by which labels of a bar are divided: they have few digits."""
    largest = max(abs(low), abs(high))
    if largest == 0 or 5e-3 <= largest < 1e5:
        return 0
    return int(3 * np.floor(np.log10(largest) / 3))


def folded(text: str, width: int = most_signs) -> str:
    """Returns a long unit on several lines, so that it is not cut at the edge of the picture."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        lines = [*lines[:-1], longer] if len(longer) <= width else [*lines, word]
    return "\n".join(filter(None, lines))


def digits(value: float) -> str:
    """Returns a number for a caption: four significant digits at most."""
    return number(value, 4)


def span_text(values: np.ndarray) -> str:
    """Returns the least and the greatest value, to a thousandth of the greater."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return "no values"
    ends = np.array([finite.min(), finite.max()], float)
    largest = np.abs(ends).max()
    if is_constant(finite) or largest < 1e-30:
        return f"constant, {digits(float(np.median(ends)))}"
    step = 10.0 ** (np.floor(np.log10(largest)) - 3) if largest > 0 else 1.0
    return " … ".join(digits(end) for end in np.round(ends / step) * step + 0.0)


__all__ = [
    "coast",
    "colour_bar",
    "digits",
    "encoded",
    "faint",
    "ink",
    "new_figure",
    "range_of",
    "span_text",
    "styled",
    "unit_text",
]
