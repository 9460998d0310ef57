"""Regions of the sea: columns by a box, a polygon, a map or a function; layers by a range of
depth.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.data.input.values import on_columns
from fathom.grids.arguments import numbers, pair
from fathom.grids.water import WaterGrid
from fathom.model.component import Array

# ((west, east), (south, north)), corners of a polygon, a map (ny, nx), or a function
Region = Sequence[Sequence[float]] | Array | Callable[..., Any]


def _as_share(region: Any) -> Any:
    """Returns a map or a function whose truths are numbers: 1 inside, 0 outside."""
    if callable(region):
        return functools.wraps(region)(lambda x, y: np.asarray(region(x, y)) + 0.0)
    return region + 0.0 if str(getattr(region, "dtype", "")) == "bool" else region


def share_of_columns(grid: WaterGrid, region: Region | None, name: str = "region") -> Array:
    """Returns the share of each column in a region, (ny, nx) in 0 ... 1, 0 on land.

    region : None: everywhere; ((west, east), (south, north)), three or more (longitude, latitude)
        of a polygon whose sides are straight in both, all in degrees,
        or metres on a plane; an array (ny, nx) or a function of these coordinates. InputError: no
        wet column lies in it.
    """
    if region is None:
        share = np.ones(np.shape(grid.wet_levels))
    elif (
        not callable(region)
        and np.ndim(region) == 2
        and np.shape(region)[1] == 2
        and np.shape(region) != np.shape(grid.wet_levels)
    ):
        corners = np.stack([numbers(name, corner, "degrees or m") for corner in region])
        inside = in_box if len(corners) == 2 else _in_polygon
        x, y = grid.coordinates()
        share = inside(x, y, corners, grid.horizontal.spherical).astype(float)
    elif isinstance(region, str):
        raise InputError(
            f"{name} = {region!r} must be a box ((west, east), (south, north)), a polygon, a map or"
            " a function"
        )
    else:
        share = np.clip(on_columns(grid, _as_share(region), name=name), 0, 1)
    share = np.where(np.asarray(grid.wet_levels) > 0, share, 0.0)
    if not share.any():
        raise InputError(f"{name} = {region!r}: no wet column of this grid lies in it")
    return np.asarray(share)


def share_of_layers(grid: WaterGrid, depth: Sequence[float] | None, name: str = "depth") -> Array:
    """Returns the share of each layer in depth = (top, bottom) [m], (nz); None: the top layer
    alone.
    """
    bottom = np.cumsum(grid.levels.weights)
    top = bottom - grid.levels.weights
    if depth is None:
        return np.where(np.arange(len(top)) == 0, 1.0, 0.0)
    depth = pair(name, depth, "m")
    if not 0 <= depth[0] < depth[1]:
        raise InputError(f"{name} = {depth!r} must be (top, bottom) [m] with 0 <= top < bottom")
    share = np.clip(
        (np.minimum(bottom, depth[1]) - np.maximum(top, depth[0])) / (bottom - top), 0, 1
    )
    if not share.any():
        raise InputError(
            f"{name} = {depth!r} lies below the lowest layer, which ends at {bottom[-1]:g} m"
        )
    return np.asarray(share)


def in_box(x: Array, y: Array, corners: Any, spherical: bool) -> Array:
    """Returns whether places lie in ((west, east), (south, north))."""
    (west, east), (south, north) = corners
    along = (
        (x - west) % 360 <= (east - west if west < east else east - west + 360)
        if spherical
        else (x >= west) & (x <= east)
    )
    return np.asarray((y >= south) & (y <= north) & along)


def _in_polygon(x: Array, y: Array, corners: Array, spherical: bool) -> Array:
    """Returns whether points are in a polygon: a line to the east crosses its sides an odd number
    of times.
    """
    px, py = corners.T
    if spherical:
        px = np.unwrap(px, period=360)
        middle = (px.min() + px.max()) / 2
        x = middle + (x - middle + 180) % 360 - 180
    inside = np.zeros(np.shape(x), bool)
    for x0, y0, x1, y1 in zip(px, py, np.roll(px, -1), np.roll(py, -1)):
        if y0 != y1:
            inside ^= ((y0 > y) != (y1 > y)) & (x < x0 + (y - y0) * (x1 - x0) / (y1 - y0))
    return inside
