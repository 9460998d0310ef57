"""Drawings over a map: contours, coasts, vectors, places of highs and lows."""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.plots.colours import ink
from fathom.plots.mesh import Raster


def contours(
    axes: Any,
    raster: Raster,
    field: np.ndarray,
    levels: Any,
    *,
    colour: str = ink,
    width: float = 0.55,
    dashed: bool = False,
    bold: float | None = None,
    label: str = "",
    apart: float = 0.0,
) -> None:
    """Draws contours traced in the space of grid indices, then projected onto the map: no line
    crosses its edge.

    dashed: those below zero. bold: this level is thicker. label: format of the numbers on the
    lines, as "%g". apart: the interval of the levels; differences of 1 % of it are no signal.
    """
    from contourpy import contour_generator
    from matplotlib.collections import LineCollection

    ny, nx = field.shape
    closed = np.concatenate([field, field[:, :1]], axis=1) if raster.mesh.cyclic else field

    def traced(level: float) -> Any:
        shown = away_from(closed, level, apart) if apart else closed
        return contour_generator(z=np.ma.masked_invalid(shown)).lines(level)

    groups: dict[tuple[Any, float], list[Any]] = {}
    taken: list[np.ndarray] = []
    for level in levels:
        thick = bold is not None and abs(level - bold) < 1e-9 * max(1, abs(bold))
        style = (0, (4, 2)) if dashed and level < 0 else "-"
        pieces = [
            piece
            for line in traced(float(level))
            for piece in _carried(raster, np.asarray(line), ny, nx)
        ]
        groups.setdefault((style, 2 * width if thick else width), []).extend(pieces)
        if label:
            text = label % (round(level, 12) + 0.0)  # no -0
            _numbers(axes, raster, pieces, text, colour, taken)
    for (style, wide), lines in groups.items():
        axes.add_collection(
            LineCollection(lines, colors=colour, linewidths=wide, linestyles=[style], zorder=2.5)
        )


def _carried(raster: Raster, line: np.ndarray, ny: int, nx: int) -> list[np.ndarray]:
    """Returns a line in (i, j) of cell centres as pieces in points of the map."""
    x, y = line[:, 0] + 0.5, line[:, 1] + 0.5
    i, j = np.floor(x).astype(int), np.clip(np.floor(y).astype(int), 0, ny - 1)
    s, t = x - i, y - j
    column, row = raster.project(*raster.mesh.locate(j * nx + i % nx, s, t))
    away = ~raster.holds(column, row)
    jumps = np.abs(np.diff(column)) > 0.25 * raster.width
    cuts = np.flatnonzero(jumps | (np.diff(away.astype(int)) != 0)) + 1
    return [
        piece
        for piece, out in zip(np.split(np.stack([column, row], axis=1), cuts), np.split(away, cuts))
        if len(piece) > 1 and not out[0]
    ]


def _numbers(
    axes: Any,
    raster: Raster,
    pieces: list[np.ndarray],
    text: str,
    colour: str,
    taken: list[np.ndarray],
) -> None:
    """Writes the number of a contour on its longest pieces, along the line, away from the places
    that are taken by others; there is none where it has no room.
    """
    from matplotlib.patheffects import withStroke

    for piece in sorted(pieces, key=len)[-2:]:
        length = np.hypot(*np.diff(piece, axis=0).T).sum()
        if length < 0.12 * raster.width:
            continue
        n = _free(piece, taken, 0.035 * raster.width)
        if n is None:
            continue
        taken.append(piece[n])
        before, after = piece[max(n - 3, 0)], piece[min(n + 3, len(piece) - 1)]
        angle = -np.degrees(np.arctan2(after[1] - before[1], after[0] - before[0]))
        axes.text(
            *piece[n],
            text,
            fontsize=5.5,
            color=colour,
            rotation=(angle + 90) % 180 - 90,
            ha="center",
            va="center",
            zorder=4,
            rotation_mode="anchor",
            path_effects=[withStroke(linewidth=1.6, foreground="white")],
            clip_on=True,
        )


def away_from(field: np.ndarray, level: float, interval: float) -> np.ndarray:
    """Returns a field whose values within 1 % of the interval of contours around a level are moved
    above it: a line then parts what differs, and does not wind through round-off.
    """
    little = 0.01 * abs(interval)
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(field - level) < little, level + little, field)


def _free(piece: np.ndarray, taken: list[np.ndarray], apart: float) -> int | None:
    """Returns the index of the point nearest to the middle of a piece that is that far from all
    places that are taken; None: there is none.
    """
    for share in (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8):
        n = int(share * (len(piece) - 1))
        if all(np.hypot(*(piece[n] - place)) > apart for place in taken):
            return n
    return None


def coast(axes: Any, raster: Raster, land_fraction: np.ndarray) -> None:
    """Draws the coast of the model's own land."""
    contours(axes, raster, np.asarray(land_fraction, float), [0.5], colour="#3c3a36", width=0.7)


def vectors(
    axes: Any,
    raster: Raster,
    east: np.ndarray,
    north: np.ndarray,
    *,
    apart: int = 42,
    units: str = "m/s",
) -> None:
    """Draws arrows of a field of vectors, one for every `apart` points of the picture, and one next
    to the map with the scale.
    """
    row, column = np.meshgrid(
        np.arange(apart // 2, raster.height, apart),
        np.arange(apart // 2, raster.width, apart),
        indexing="ij",
    )
    cell = raster.cell[row, column]
    row, column, cell = (a[cell >= 0] for a in (row, column, cell))
    u, v = (np.asarray(a, float).ravel()[cell] for a in (east, north))
    middle = raster.mesh.locate(cell, np.full(cell.size, 0.5), np.full(cell.size, 0.5))
    speed = np.hypot(u, v)
    cosine = np.cos(np.deg2rad(middle[1]))
    with np.errstate(invalid="ignore", divide="ignore"):
        step = 0.002 / speed  # degrees: short on the map of a small area too
        there = raster.project(middle[0] + u * step / cosine, middle[1] + v * step)
    here = raster.project(*middle)
    along, down = there[0] - here[0], there[1] - here[1]
    length = np.hypot(along, down)
    good = (
        np.isfinite(length)
        & (length > 0)
        & (length < 0.05 * raster.width)
        & (np.abs(middle[1]) < 88)
    )
    longest = _round(np.percentile(speed[good], 99)) if good.any() else 1.0
    size = 1.7 * apart / longest
    with np.errstate(invalid="ignore", divide="ignore"):
        along, down = (size * speed * part / length for part in (along, down))
    good &= raster.holds(np.nan_to_num(column + along), np.nan_to_num(row + down))
    arrows = axes.quiver(
        column[good],
        row[good],
        along[good],
        down[good],
        angles="xy",
        scale_units="xy",
        scale=1,
        width=0.0013,
        headwidth=3.6,
        headlength=4.2,
        headaxislength=3.8,
        color=ink,
        alpha=0.85,
        zorder=2.6,
    )
    axes.quiverkey(
        arrows,
        0.94,
        0.02,
        longest * size,
        f"{longest:g} {units}",
        labelpos="S",
        coordinates="axes",
        fontproperties={"size": 7},
        labelsep=0.04,
    )


def _round(value: float) -> float:
    power = 10.0 ** np.floor(np.log10(max(value, 1e-12)))
    return float(min((1, 2, 5, 10), key=lambda m: abs(m * power - value)) * power)


def highs_and_lows(
    axes: Any, raster: Raster, field: np.ndarray, reach: int, text: str = "%.0f"
) -> None:
    """Writes H and L with their values where the field is the greatest or the least within `reach`
    cells.
    """
    from matplotlib.patheffects import withStroke
    from scipy.ndimage import maximum_filter, minimum_filter

    ny, nx = field.shape
    mode = ["nearest", "wrap" if raster.mesh.cyclic else "nearest"]
    mean = float(np.nanmean(field))
    for letter, extreme, colour in (
        ("H", maximum_filter(field, size=2 * reach + 1, mode=mode), "#9f2233"),
        ("L", minimum_filter(field, size=2 * reach + 1, mode=mode), "#14567a"),
    ):
        j, i = np.nonzero(
            (field == extreme) & ((field > mean) if letter == "H" else (field < mean))
        )
        inner = (j > reach) & (j < ny - 1 - reach)
        column, row = raster.project(
            *raster.mesh.locate(j * nx + i, np.full(j.size, 0.5), np.full(j.size, 0.5))
        )
        for c, r, value in zip(
            *(a[inner & raster.holds(column, row)] for a in (column, row, field[j, i]))
        ):
            effects = [withStroke(linewidth=2, foreground="white")]
            axes.text(
                c,
                r,
                letter,
                color=colour,
                fontsize=9,
                fontweight="bold",
                ha="center",
                va="center",
                zorder=5,
                path_effects=effects,
                clip_on=True,
            )
            axes.text(
                c,
                r + 0.013 * raster.width,
                text % value,
                color=colour,
                fontsize=5.5,
                ha="center",
                va="center",
                zorder=5,
                path_effects=effects,
                clip_on=True,
            )


__all__ = ["away_from", "coast", "contours", "highs_and_lows", "vectors"]
