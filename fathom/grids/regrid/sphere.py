"""Interpolation on the sphere between regular grids and grids of rows, by splines that know the
poles.

A meridian continues beyond a pole as the opposite one, so a field on it is periodic: f(lambda, 180
- phi) = +-f(lambda + 180, phi), with the minus sign for a component of a vector, whose directions
turn there. Periodic cubic splines, first along parallels or meridians, then along the other: fourth
order, two continuous derivatives everywhere, the poles included. Rows of a stretched or rotated
sphere are points anywhere on the other one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base.failure import InputError
from fathom.grids.regrid.rows import Packed, Rows, Scattered

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

BLOCK = 16384  # points at a time: their data stay in cache


def to_rows(
    values: ArrayLike,
    latitude: np.ndarray,
    longitude: np.ndarray,
    rows: Packed,
    *,
    vector: bool = False,
    order: int = 3,
) -> np.ndarray:
    """Interpolate `values` (..., lat, lon) of a regular grid to a grid of rows, or to points
    anywhere; the result is packed, (..., points of the grid).

    latitude   (lat,) degrees, increasing or decreasing, with or without the poles,
        evenly spaced or not
    longitude  (lon,) degrees, once around the earth, an even number with equal steps
    vector     True for the eastward or northward component of a vector;
        directions stay those of the source
    order      3, or 1 for what must stay between its neighbours
    """
    values, latitude, longitude = (
        np.asarray(values, float),
        np.asarray(latitude, float),
        np.asarray(longitude, float),
    )
    if latitude[0] > latitude[-1]:
        latitude, values = latitude[::-1], values[..., ::-1, :]
    if values.shape[-2:] != (latitude.size, longitude.size):
        raise InputError(
            f"values of shape {values.shape} do not fit {latitude.size} latitudes and"
            f" {longitude.size} longitudes"
        )
    step = np.diff(longitude)
    if longitude.size % 2 or np.abs(step - 360 / longitude.size).max() > 1e-6 * abs(step[0]):
        raise InputError(
            f"{longitude.size} longitudes from {longitude[0]:g} to {longitude[-1]:g}: an even"
            " number with equal steps around the earth is needed"
        )
    opposite = np.roll(values, longitude.size // 2, -1)
    if not isinstance(rows, Rows) or not rows.in_rows:
        return _scattered(
            values,
            opposite,
            latitude,
            longitude,
            rows,
            -1 if vector else 1,
            order,
        )
    lines = _along_meridians(values, opposite, latitude, rows.latitude, -1 if vector else 1, order)
    result = np.empty((*values.shape[:-2], rows.size))
    if (rows.points == rows.points[0]).all():
        result[...] = _around(lines, longitude, rows.longitude(0), order).reshape(result.shape)
    else:
        for j in range(rows.points.size):
            result[..., rows.start[j] : rows.start[j + 1]] = _around(
                lines[..., j, :], longitude, rows.longitude(j), order
            )
    return result


def to_regular(
    values: ArrayLike,
    rows: Rows,
    latitude: np.ndarray,
    longitude: np.ndarray,
    *,
    vector: bool = False,
    order: int = 3,
) -> np.ndarray:
    """Interpolate packed `values` (..., points of the grid) to a regular grid; (..., lat, lon).
    Arguments as `to_rows`; any target points.
    """
    values, latitude, longitude = (
        np.asarray(values, float),
        np.asarray(latitude, float),
        np.asarray(longitude, float),
    )
    if values.shape[-1] != rows.size:
        raise InputError(
            f"values of shape {values.shape} do not fit {rows.size} points of the grid (Rows.pack"
            " makes them)"
        )
    if not np.abs(latitude).max() <= 90:
        raise InputError(
            f"latitude reaches {latitude[np.abs(latitude).argmax()]:g}: it must lie in [-90, 90]"
            " degrees"
        )
    if not rows.sphere.plain:
        even = 360.0 / rows.points.max() * np.arange(rows.points.max())
        whole = np.stack(
            [
                _around(
                    values[..., rows.start[j] : rows.start[j + 1]], rows.longitude(j), even, order
                )
                for j in range(rows.points.size)
            ],
            -2,
        )
        x, y = rows.sphere.from_earth(longitude, latitude[:, None])
        at = _scattered(
            whole,
            np.roll(whole, even.size // 2, -1),
            rows.latitude,
            even,
            Scattered(x, y, np.ones(y.shape, bool)),
            -1 if vector else 1,
            order,
        )
        return at.reshape(at.shape[:-1] + y.shape)
    both = np.concatenate([longitude, longitude + 180])
    lines = np.empty((*values.shape[:-1], rows.points.size, both.size))
    if (rows.points == rows.points[0]).all():
        lines[...] = _around(
            values.reshape(values.shape[:-1] + rows.shape), rows.longitude(0), both, order
        )
    else:
        for j in range(rows.points.size):
            lines[..., j, :] = _around(
                values[..., rows.start[j] : rows.start[j + 1]], rows.longitude(j), both, order
            )
    here, opposite = lines[..., : longitude.size], lines[..., longitude.size :]
    return _along_meridians(here, opposite, rows.latitude, latitude, -1 if vector else 1, order)


def _along_meridians(
    here: np.ndarray,
    opposite: np.ndarray,
    latitude: np.ndarray,
    target: np.ndarray,
    sign: int,
    order: int,
) -> np.ndarray:
    """Interpolates from (..., lat, m) to (..., target, m), over the poles with the values
    `opposite`, of the meridian 180 degrees away.
    """
    south, north = (
        1 if abs(abs(pole) - 90) < 1e-9 else 0 for pole in (latitude[0], latitude[-1])
    )  # a pole counts once
    back = slice(latitude.size - 1 - north, None if not south else 0, -1)
    angle = np.concatenate([latitude, 180 - latitude[back], [latitude[0] + 360]])
    circle = np.concatenate([here, sign * opposite[..., back, :], here[..., :1, :]], -2)
    return _periodic(angle, circle, np.mod(target - angle[0], 360) + angle[0], order, -2)


def _scattered(
    here: np.ndarray,
    opposite: np.ndarray,
    latitude: np.ndarray,
    longitude: np.ndarray,
    points: Any,
    sign: int,
    order: int,
) -> np.ndarray:
    """Interpolates from (..., lat, lon) to points anywhere (...): the same splines, of so many
    points beyond the poles and around the earth that they are periodic.
    """
    from scipy.interpolate import make_interp_spline

    margin = min(12, latitude.size - 1, longitude.size)
    south, north = (
        1 if abs(abs(pole) - 90) < 1e-9 else 0 for pole in (latitude[0], latitude[-1])
    )  # a pole counts once
    below, above = (
        slice(margin - 1 + south, south - 1 if south else None, -1),
        slice(-1 - north, -1 - north - margin, -1),
    )
    y = np.concatenate([-180 - latitude[below], latitude, 180 - latitude[above]])
    whole = np.concatenate(
        [sign * opposite[..., below, :], here, sign * opposite[..., above, :]], -2
    )
    x = np.concatenate([longitude[-margin:] - 360, longitude, longitude[:margin] + 360])
    whole = np.concatenate([whole[..., -margin:], whole, whole[..., :margin]], -1)
    lines = make_interp_spline(y, whole, order, axis=-2)
    surface = make_interp_spline(x, lines.c, order, axis=-1)  # c: (along x, along y, ...)
    coefficients = surface.c.swapaxes(0, 1).reshape(y.size * x.size, -1)
    key = order, lines.t.tobytes(), surface.t.tobytes()
    if key not in points.weights:
        points.weights[key] = _weights(points, lines.t, surface.t, longitude[0], order)
    result = np.empty((coefficients.shape[1], points.size))
    for first, weights in zip(range(0, points.size, BLOCK), points.weights[key]):
        result[:, first : first + BLOCK] = (weights @ coefficients).T
    return result.reshape((*here.shape[:-2], points.size))


def _weights(points: Any, knots_y: np.ndarray, knots_x: np.ndarray, west: float, order: int) -> Any:
    """Returns the weights of each B-spline at each point, (points, y x), as sparse matrices of
    BLOCK points each.
    """
    from scipy.interpolate import BSpline
    from scipy.sparse import csr_array

    found, count = [], order + 1
    for first in range(0, points.size, BLOCK):
        part = slice(first, first + BLOCK)
        longitude = np.mod(points.point_longitude[part] - west, 360) + west
        along_y = BSpline.design_matrix(points.point_latitude[part], knots_y, order)
        along_x = BSpline.design_matrix(longitude, knots_x, order)
        (size, rows), columns = along_y.shape, along_x.shape[1]
        j, i = (m.indices.reshape(size, count) for m in (along_y, along_x))
        by, bx = (m.data.reshape(size, count) for m in (along_y, along_x))
        places = (j[:, :, None] * columns + i[:, None, :]).ravel()
        values = (by[:, :, None] * bx[:, None, :]).ravel()
        starts = np.arange(size + 1) * count**2
        found.append(csr_array((values, places, starts), shape=(size, rows * columns)))
    return found


def _around(line: np.ndarray, longitude: np.ndarray, target: np.ndarray, order: int) -> np.ndarray:
    """Interpolates from (..., lon) to (..., target)."""
    closed = np.concatenate([line, line[..., :1]], -1)
    return _periodic(
        np.append(longitude, longitude[0] + 360),
        closed,
        np.mod(target - longitude[0], 360) + longitude[0],
        order,
        -1,
    )


def _periodic(
    x: np.ndarray, y: np.ndarray, target: np.ndarray, order: int, axis: int
) -> np.ndarray:
    if order == 3:
        from scipy.interpolate import CubicSpline

        return np.asarray(CubicSpline(x, y, axis, bc_type="periodic")(target))
    if order != 1:
        raise InputError(f"order = {order}: allowed are 1 (linear) and 3 (cubic spline)")
    left = np.clip(np.searchsorted(x, target, side="right") - 1, 0, x.size - 2)
    weight = (target - x[left]) / (x[left + 1] - x[left])
    weight = weight if axis == -1 else weight[:, None]
    result: np.ndarray = (1 - weight) * y.take(left, axis) + weight * y.take(left + 1, axis)
    return result
