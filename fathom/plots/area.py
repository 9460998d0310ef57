"""The place of a map on the earth: the projection of a picture, and a limited area on the map that
its file names, with lines of longitude and latitude and their degrees at the edges.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.plots.lines import contours
from fathom.plots.mesh import Around, EqualEarth, Hemisphere, Mesh, Plain, Raster

Region = tuple[float, float, float, float]  # west, east, south, north [degrees, or x and y]


def projection_of(text: str | None, region: Region | None, mesh: Mesh) -> Any:
    """Returns the projection that a user asks for: globe, north, south, plain, or
    around:LON,LAT[,REACH]; a region is drawn plain. None: the usual one of the mesh.
    """
    if region is not None:
        if text not in (None, "plain"):
            raise InputError(f"a region is drawn plain: leave out the region or {text!r}")
        return Plain(mesh, region)
    if text is None:
        return None
    if not mesh.spherical:
        raise InputError(f"projection {text!r}: these points have no longitude and latitude")
    if text.startswith("around:"):
        return Around(*_numbers(text))
    usual: dict[str, Callable[[], Any]] = {
        "globe": lambda: EqualEarth(10.0),
        "north": lambda: Hemisphere(1),
        "south": lambda: Hemisphere(-1),
        "plain": lambda: Plain(mesh),
    }
    if text not in usual:
        raise InputError(unknown("projection", text, [*usual, "around:LON,LAT"]))
    return usual[text]()


def _numbers(text: str) -> list[float]:
    """Returns longitude, latitude and, if it is said, the reach of around:LON,LAT[,REACH]
    [degrees].
    """
    try:
        place = [float(word) for word in text.removeprefix("around:").split(",")]
    except ValueError:
        place = []
    reach = place[2] if len(place) == 3 else 30.0
    if len(place) not in (2, 3) or not (abs(place[1]) <= 90 and 0 < reach <= 120):
        raise InputError(
            f"projection {text!r} must be around:LON,LAT or around:LON,LAT,REACH, latitude within"
            " 90 and reach in (0, 120] degrees"
        )
    return place


def degrees(axes: Any, raster: Raster, longitude: np.ndarray, latitude: np.ndarray) -> None:
    """Draws lines of longitude and latitude (ny, nx) over a map in x and y; their degrees are at
    the edges, below and to the left.
    """
    from matplotlib.ticker import MaxNLocator

    middle = longitude[longitude.shape[0] // 2, longitude.shape[1] // 2]
    longitude = middle + (longitude - middle + 180) % 360 - 180
    corners = raster.mesh.corners
    column, _ = raster.project(corners[0, :, :2, 0].mean(1), corners[0, :, 0, 1])
    _, row = raster.project(corners[:, 0, 0, 0], corners[:, 0, [0, 3], 1].mean(1))
    for values, edge, at, set_ticks, signs in (
        (longitude, longitude[0], column, axes.set_xticks, "EW"),
        (latitude, latitude[:, 0], row, axes.set_yticks, "NS"),
    ):
        levels = MaxNLocator(7, steps=[1, 2, 5, 10]).tick_values(values.min(), values.max())
        contours(axes, raster, values, levels, colour="#ffffff99", width=0.5)
        order = np.argsort(edge)
        seen = [level for level in levels if edge.min() <= level <= edge.max()]
        places = np.interp(seen, edge[order], at[order])
        set_ticks(places, [degrees_text(level, signs) for level in seen])
    axes.set(xlabel="", ylabel="")


def degrees_text(value: float, signs: str) -> str:
    """Returns a longitude (signs "EW") or latitude ("NS") as a label: 20°W."""
    value = (value + 180) % 360 - 180 if signs == "EW" else value
    letter = signs[0] if value > 0 else signs[1] if value < 0 else ""
    return f"{abs(value):g}°{letter}"
