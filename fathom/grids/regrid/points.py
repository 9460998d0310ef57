"""From regular longitude-latitude data onto the points of any grid.

The result at a point depends on that point alone, to the last bit: a rank may ask for its own
points only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fathom.base.failure import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def bilinear(
    values: ArrayLike,
    latitude: ArrayLike,
    longitude: ArrayLike,
    target_latitude: ArrayLike,
    target_longitude: ArrayLike,
) -> np.ndarray:
    """Interpolate `values` (..., lat, lon) to points, bilinearly in latitude and longitude.

    latitude          (lat,)  degrees, increasing or decreasing
    longitude         (lon,)  degrees, increasing, once around the globe;
        the gap across the date line is closed
    target_latitude   any shape; beyond the first or last source latitude its value is used
    target_longitude  the same shape, any multiple of 360 added

    Returns (..., *target shape), in the floating-point type of `values`.
    Exact, to round-off, for fields linear in latitude and longitude inside a source cell.
    Raises ValueError for shapes or coordinates that do not fit, or for target points that are not
    finite.
    """
    values, latitude, longitude = _regular(values, latitude, longitude)
    target_latitude, target_longitude = _points(target_latitude, target_longitude)
    shape = target_latitude.shape
    j, north = _bracket(latitude, target_latitude.ravel())
    i, next_i, east = _bracket_around(longitude, target_longitude.ravel())

    type_ = values.dtype
    north, east = north.astype(type_), east.astype(type_)
    south_west, width = j * longitude.size + i, next_i - i
    corners = (
        south_west,
        south_west + width,
        south_west + longitude.size,
        south_west + longitude.size + width,
    )

    layers = values.reshape(-1, latitude.size * longitude.size)
    result = np.empty((layers.shape[0], north.size), type_)
    for layer, out in zip(layers, result):  # one layer at a time stays in cache
        sw, se, nw, ne = (layer.take(corner) for corner in corners)
        se -= sw
        se *= east
        sw += se  # along the southern line
        ne -= nw
        ne *= east
        nw += ne  # along the northern line
        nw -= sw
        nw *= north
        np.add(sw, nw, out=out)
    return result.reshape(values.shape[:-2] + shape)


def vertical(values: ArrayLike, depth: ArrayLike, target_depth: ArrayLike) -> np.ndarray:
    """Interpolate `values` (depth, ...) linearly to `target_depth`, constant above the first and
    below the last.

    depth         (depth,)   m, increasing
    target_depth  (levels,)  m, any order

    Returns (levels, ...), in the floating-point type of `values`. Raises ValueError for shapes that
    do not fit.
    """
    values = _floating(values)
    depth, target_depth = (
        _increasing(depth, "depth"),
        np.atleast_1d(np.asarray(target_depth, float)),
    )
    if values.shape[:1] != depth.shape:
        raise InputError(
            f"values has {values.shape[:1]} levels along its first axis, depth has {depth.size}"
        )
    k, below = _bracket(depth, target_depth)
    result = np.empty(target_depth.shape + values.shape[1:], values.dtype)
    for out, level, weight in zip(result, k, below.astype(values.dtype)):
        upper = values[level]
        np.subtract(values[level + 1], upper, out=out)
        out *= weight
        out += upper
    return result


def _bracket(axis: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns index of the axis point below each target, and the weight in [0, 1] of the one
    above."""
    lower = np.clip(np.searchsorted(axis, target, side="right") - 1, 0, axis.size - 2)
    start = axis[lower]
    return lower, np.clip((target - start) / (axis[lower + 1] - start), 0.0, 1.0)


def _bracket_around(
    axis: np.ndarray, target: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Works like `_bracket` on a circle of 360 degrees: index west, index east, weight of the
    eastern point.
    """
    closed = np.append(axis, axis[0] + 360.0)
    west, weight = _bracket(closed, axis[0] + np.mod(target - axis[0], 360.0))
    return west, np.where(west == axis.size - 1, 0, west + 1), weight


def _regular(
    values: ArrayLike, latitude: ArrayLike, longitude: ArrayLike
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    values = _floating(values)
    latitude, longitude = np.asarray(latitude, float), _increasing(longitude, "longitude")
    if latitude.size > 1 and latitude[0] > latitude[-1]:
        latitude, values = latitude[::-1], values[..., ::-1, :]
    latitude = _increasing(latitude, "latitude")
    if values.shape[-2:] != (latitude.size, longitude.size):
        raise InputError(
            f"values has shape {values.shape}; its last two axes must be latitude and longitude, "
            f"({latitude.size}, {longitude.size})"
        )
    gap, spacing = longitude[0] + 360.0 - longitude[-1], np.diff(longitude).max()
    if not 0.0 < gap <= 2.0 * spacing:
        raise InputError(
            f"longitude runs from {longitude[0]:g} to {longitude[-1]:g} degrees with steps up to "
            f"{spacing:g}: it must go once around the globe, without the first point repeated"
        )
    return np.ascontiguousarray(values), latitude, longitude


def _points(latitude: ArrayLike, longitude: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    latitude, longitude = np.broadcast_arrays(
        np.asarray(latitude, float), np.asarray(longitude, float)
    )
    if not (np.isfinite(latitude).all() and np.isfinite(longitude).all()):
        bad = np.argwhere(~(np.isfinite(latitude) & np.isfinite(longitude)))[0]
        raise InputError(
            f"target latitude or longitude is not finite at index {tuple(int(n) for n in bad)}"
        )
    if latitude.size and not np.abs(latitude).max() <= 90.0 + 1e-9:
        raise InputError(
            f"target latitude reaches {latitude.flat[np.abs(latitude).argmax()]:g}; it must lie in "
            "[-90, 90] degrees (are latitude and longitude swapped?)"
        )
    return latitude, longitude


def _floating(values: ArrayLike) -> np.ndarray:
    values = np.asarray(values)
    return values if np.issubdtype(values.dtype, np.floating) else values.astype(float)


def _increasing(axis: ArrayLike, name: str) -> np.ndarray:
    axis = np.asarray(axis, float)
    if axis.ndim != 1 or axis.size < 2 or not (np.diff(axis) > 0).all():
        raise InputError(
            f"{name} must be a list of at least 2 increasing numbers, not an array of shape"
            f" {axis.shape}" + (f" from {axis.flat[0]:g} to {axis.flat[-1]:g}" if axis.size else "")
        )
    return axis
