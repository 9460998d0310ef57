"""A field on the globe, in a region or in a box, on the cells of the model and with its coast."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.names import describe, known
from fathom.plots import lines
from fathom.plots.area import degrees_text
from fathom.plots.colours import coast, colour_map, faint, land
from fathom.plots.mesh import Around, Hemisphere, Plain, Raster, mesh_of
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


@styled
def map(
    field: np.ndarray,
    grid: Mapping[str, Any] | Raster,
    *,
    name: str = "",
    title: str | None = None,
    note: str = "",
    units: str | None = None,
    limits: tuple[float, float] | None = None,
    colours: str | None = None,
    over: Callable[[Any, Raster], None] | None = None,
    contours: float | None = None,
) -> Any:
    """Draw a field (ny, nx); NaN is land. Returns the figure; `path` saves it.

    grid: an argument of `mesh_of`, or a Raster that is used for many pictures. name: a field of
    `fathom.names`, which gives title, units, colours and, where they suit
    the values, limits; each may be given here, limits in the unit that is shown. note: to the right
    of the title. over(axes, raster) draws on top: contours, vectors, coasts of `plots.lines`.
    contours: the interval of black lines with their numbers, in the unit shown; 0: chosen.
    """
    raster = raster_of(grid, np.shape(field))
    named = describe(name)
    shown, units, typical = displayed(named, field, units)
    colours = colours or signed(named.colours, shown, known(name))
    low, high = range_of(shown, limits, colours, typical)
    figure, axes, bar = panel(raster)
    paint(axes, raster, shown, colours, low, high)
    colour_bar(figure, bar, colours, low, high, shown, units)
    if contours is not None and not is_constant(shown):
        _every(axes, raster, shown, contours or _usual((high - low) / 12))
    if over is not None:
        over(axes, raster)
    caption(
        axes,
        title if title is not None else named.long_name[:1].upper() + named.long_name[1:],
        note or f"{span_text(shown)} {unit_text(units)}".strip(),
    )
    return figure


def _usual(interval: float) -> float:
    """Returns an interval rounded to 1, 2, 2.5 or 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(interval))
    return float(min((1, 2, 2.5, 5, 10), key=lambda n: abs(n * power - interval)) * power)


def _every(axes: Any, raster: Raster, field: np.ndarray, step: float) -> None:
    """Draws lines at multiples of an interval, with their numbers. InputError: it is below 0, or
    too small for the field.
    """
    if step < 0:
        raise InputError(f"contours = {step:g} must be an interval above 0, or 0: chosen")
    span = float(np.nanmax(field) - np.nanmin(field))
    if span > 100 * step:
        raise InputError(
            f"contours = {step:g} would draw {span / step:.0f} lines between"
            f" {np.nanmin(field):.6g} and {np.nanmax(field):.6g}; allowed: at most 100, so from"
            f" {span / 100:.2g}"
        )
    first, last = np.ceil(np.nanmin(field) / step), np.floor(np.nanmax(field) / step)
    levels = np.arange(first, last + 1) * step
    lines.contours(axes, raster, field, levels, dashed=True, label="%g", apart=step)


def raster_of(grid: Mapping[str, Any] | Raster, shape: tuple[int, ...]) -> Raster:
    """Returns the raster of a grid; ValueError where a field of that shape is not on it."""
    raster = grid if isinstance(grid, Raster) else Raster(mesh_of(grid))
    if tuple(shape) != raster.mesh.shape:
        raise InputError(
            f"a map needs a field of shape {raster.mesh.shape}, as its grid; it was given"
            f" {tuple(shape)}"
        )
    return raster


def displayed(
    named: Any, field: np.ndarray, units: str | None
) -> tuple[np.ndarray, str, tuple[float, float] | None]:
    """Returns field, units and typical limits in the unit for pictures; a field in other units
    stays as it is.
    """
    field = np.asarray(field, float)
    if units is not None and units != named.units:
        return field, units, None
    if named.display is None:
        return field, named.units, named.limits
    units, factor = named.display
    return (
        field * factor,
        units,
        named.limits and (factor * named.limits[0], factor * named.limits[1]),
    )


def panel(raster: Raster) -> tuple[Any, Any, Any]:
    """Returns figure, map axes in raster points (half its resolution: two by two samples a point),
    axes of the bar.
    """
    across, down = raster.width // 2, raster.height // 2
    framed = isinstance(raster.projection, Plain)
    left, right, top, bottom = 104 if framed else 12, 118, 52, 68 if framed else 12
    figure = new_figure((left + across + right) / 150, (top + down + bottom) / 150)
    width, height = left + across + right, top + down + bottom
    axes = figure.add_axes((left / width, bottom / height, across / width, down / height))
    axes.set(xlim=(0, raster.width), ylim=(raster.height, 0))
    shrunk = min(0.86 * down, 520)
    bar = figure.add_axes(
        (
            (left + across + 18) / width,
            (bottom + 0.45 * (down - shrunk)) / height,
            16 / width,
            shrunk / height,
        )
    )
    _ticks(axes, raster) if framed else _graticule(axes, raster)
    return figure, axes, bar


def paint(
    axes: Any, raster: Raster, field: np.ndarray, colours: str, low: float, high: float
) -> None:
    """Draws coloured cells, grey land, a line along the coast."""
    from matplotlib.colors import to_rgb

    table = np.concatenate(
        [
            colour_map(colours)(np.linspace(0, 1, 256))[:, :3],
            [to_rgb(land), to_rgb(coast), (1, 1, 1)],
        ]
    )
    flat = np.asarray(field, float).ravel()
    scaled = np.where(np.isfinite(flat), np.clip((flat - low) / (high - low), 0, 1) * 255, 256)
    index = np.append(scaled.astype(np.int16), 256)[raster.cell].astype(np.int16)
    index[_edges(index == 256) & raster.inside] = 257
    index[~raster.inside] = 258
    samples = (255 * table).round().astype(np.uint16)[index]
    pixels = (
        samples[0::2, 0::2] + samples[1::2, 0::2] + samples[0::2, 1::2] + samples[1::2, 1::2] + 2
    ) // 4
    axes.imshow(
        pixels.astype(np.uint8),
        extent=(0, raster.width, raster.height, 0),
        interpolation="nearest",
        aspect="auto",
        zorder=1,
    )


def _edges(is_land: np.ndarray) -> np.ndarray:
    """Returns land points that touch water."""
    edge = np.zeros_like(is_land)
    across = is_land[:, 1:] != is_land[:, :-1]
    down = is_land[1:] != is_land[:-1]
    edge[:, 1:] |= across
    edge[:, :-1] |= across
    edge[1:] |= down
    edge[:-1] |= down
    result: np.ndarray = edge & is_land
    return result


# how lines of a graticule are drawn: on the globe, on a part of it, and at its edge
_inner: dict[str, Any] = {"color": "#ffffff", "alpha": 0.35, "lw": 0.5, "zorder": 2}
_inner_near = _inner | {"alpha": 0.4}
_outline: dict[str, Any] = {"color": faint, "lw": 0.8, "zorder": 3, "clip_on": False}


def _graticule(axes: Any, raster: Raster) -> None:
    axes.axis("off")
    if isinstance(raster.projection, Hemisphere):
        _polar_graticule(axes, raster)
        return
    if isinstance(raster.projection, Around):
        _graticule_around(axes, raster)
        return
    line = np.linspace(-180, 180, 361)
    middle = raster.projection.middle
    for latitude in (-60, -30, 0, 30, 60):
        axes.plot(*raster.project(middle + line * 0.99999, np.full(361, latitude)), **_inner)
    for longitude in range(0, 360, 60):
        axes.plot(*raster.project(np.full(361, longitude), line / 2), **_inner)
    for side in (-0.99999, 0.99999):
        axes.plot(*raster.project(np.full(361, middle + 180 * side), line / 2), **_outline)
    for pole in (-90, 90):
        axes.plot(*raster.project(middle + line * 0.99999, np.full(361, pole)), **_outline)


def _polar_graticule(axes: Any, raster: Raster) -> None:
    projection: Any = raster.projection
    pole, edge = projection.pole, projection.edge
    around = np.linspace(0, 360, 361)
    for latitude in (40, 60, 80):
        axes.plot(*raster.project(around, np.full(361, pole * latitude)), **_inner_near)
    for longitude in range(0, 360, 30):
        axes.plot(
            *raster.project(np.full(2, longitude), pole * np.array([edge, 80.0])), **_inner_near
        )
    axes.plot(*raster.project(around, np.full(361, pole * edge)), **_outline)


def _graticule_around(axes: Any, raster: Raster) -> None:
    lines = [
        (np.linspace(-180, 180, 721), np.full(721, latitude)) for latitude in range(-80, 81, 10)
    ]
    lines += [
        (np.full(321, longitude), np.linspace(-80, 80, 321)) for longitude in range(0, 360, 10)
    ]
    for line in lines:
        column, row = raster.project(*line)
        column[~raster.holds(column, row)] = np.nan
        axes.plot(column, row, **_inner_near)
    angle, middle = np.linspace(0, 2 * np.pi, 361), np.array([raster.width, raster.height]) / 2
    axes.plot(
        middle[0] * (1 + np.cos(angle)),
        middle[1] * (1 + np.sin(angle)),
        color=faint,
        lw=0.8,
        zorder=3,
        clip_on=False,
    )


def _ticks(axes: Any, raster: Raster) -> None:
    from matplotlib.ticker import MaxNLocator

    west, east, south, north = raster.projection.extent
    spherical = raster.mesh.spherical
    factor, unit = (
        (1, "") if spherical else _length(raster.mesh.units, max(east - west, north - south))
    )
    for values, set_ticks, set_label, place in (
        (
            MaxNLocator(7).tick_values(west * factor, east * factor),
            axes.set_xticks,
            axes.set_xlabel,
            0,
        ),
        (
            MaxNLocator(6).tick_values(south * factor, north * factor),
            axes.set_yticks,
            axes.set_ylabel,
            1,
        ),
    ):
        low, high = (west, east) if place == 0 else (south, north)
        values = [v for v in values if low * factor - 1e-9 <= v <= high * factor + 1e-9]
        middle = (0.5 * (west + east), 0.5 * (south + north))
        at = [
            raster.project(*(np.asarray(v / factor if n == place else middle[n]) for n in (0, 1)))[
                place
            ]
            for v in values
        ]
        labels = [
            degrees_text(v, "EW" if place == 0 else "NS") if spherical else f"{v:g}" for v in values
        ]
        set_ticks(at, labels)
        if not spherical:
            set_label(f"{'xy'[place]} [{unit}]")
    axes.spines[["top", "right"]].set_visible(True)


def _length(units: str, size: float) -> tuple[float, str]:
    return (1e-3, "km") if units in ("m", "metre", "meter") and size > 5e3 else (1, units)


def caption(axes: Any, title: str, note: str) -> None:
    """Writes the title on the left and a note on the right."""
    axes.set_title(title, loc="left", pad=9)
    axes.set_title(note, loc="right", fontsize=8, fontweight="normal", color=faint, pad=9)


__all__ = ["map"]
