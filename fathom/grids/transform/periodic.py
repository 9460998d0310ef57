"""Fields of a limited area made periodic, for bi-Fourier transforms.

A row of n points becomes a row of N > n points. The points between n - 1 and N are the extension
E; point N is point 0 of the next period.

`by_splines`: E is of the cubic spline through points n - 2, n - 1, N, N + 1 whose second derivative
is 0 at both ends; rows, then columns. Each row of E is independent of the next, so E is smoothed,
1-2-1 both ways, once at its edges and once more with each step inwards (Haugen &
Machenhauer 1993, with the smoothing of ALADIN).

`by_windows`: two copies of the field, one period apart, blended over E and `zone` points of either
side (Boyd 2005):
    F(i) = (1 - B) f(i) + B f(i - N),   B = (1 + erf(L q / sqrt(1 - q^2))) / 2,   -1 < q < 1
All derivatives of B are 0 at its ends, so coefficients fall off faster than any power. It needs the
field N - n + zone points beyond the area.

`by_waves`: of a field f that was a sum of few waves and is known in the area only: with P the
projection on these waves and M = 1 inside, 0 in E, the least squares
    P M P x = P M f
by conjugate gradients, from P of the result of splines. They are stopped early: f in E is lost, and
each step reduces the difference inside.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from fathom.base.failure import InputError

Points = tuple[int, int]  # along x, along y


def by_splines(field: np.ndarray, points: Points, smooth: bool = True) -> np.ndarray:
    """Returns (..., rows, points) made `points` = (along x, along y): field first, then E.

    smooth: False leaves the streaks that splines of one row next to another make
    """
    field = np.asarray(field)
    inside = field.shape[-1], field.shape[-2]
    _check(inside, points, least=2)
    whole = _splined(_splined(field, points[0], -1), points[1], -2)
    if smooth:
        _smooth(whole, inside)
    return whole


def by_waves(whole: np.ndarray, inside: Points, transform: Any, steps: int = 20) -> np.ndarray:
    """Returns (..., rows, points), splined: the same `inside`, with an E for which it is a sum of
    the waves of the transform (fathom.grids.transform.BiFourier).
    """
    nx, ny = inside
    there = np.zeros(whole.shape[-2:])
    there[:ny, :nx] = 1

    def project(field: np.ndarray) -> Any:
        return transform.inverse(transform.direct(field))

    def total(field: np.ndarray) -> Any:
        return (field * field).sum((-2, -1), keepdims=True)

    x = project(whole)
    rest = project(there * (whole - x))
    along, size = rest, total(rest)
    for _ in range(steps):
        there_too = project(there * along)
        share = size / np.maximum((along * there_too).sum((-2, -1), keepdims=True), 1e-300)
        x, rest = x + share * along, rest - share * there_too
        before, size = size, total(rest)
        along = rest + size / np.maximum(before, 1e-300) * along
    return np.where(there > 0, whole, x)


def by_windows(
    field: np.ndarray, inside: Points, points: Points, zone: int = 0, sharpness: float = 2.0
) -> np.ndarray:
    """Returns (..., rows, points) of the area `inside` and N - n + zone points more on each of its
    sides, made `points`. Only E and `zone` points along the edges are changed.

    sharpness: L
    """
    field = np.asarray(field)
    _check(inside, points, least=2 * zone + 1)
    if zone < 0 or not 0 < sharpness < np.inf:
        raise InputError(f"zone = {zone} must be at least 0, sharpness = {sharpness} more than 0")
    needed = tuple(2 * N - n + 2 * zone for n, N in zip(inside, points))
    if field.shape[-1:-3:-1] != needed:
        raise InputError(
            f"field has {field.shape[-2]} rows of {field.shape[-1]} points; windows need"
            f" {needed[1]} rows of {needed[0]}: the area and {points[0] - inside[0] + zone} points"
            f" more each way along x, {points[1] - inside[1] + zone} along y"
        )
    along_x = _blended(field, inside[0], points[0], zone, sharpness)
    return np.ascontiguousarray(
        _blended(along_x.swapaxes(-1, -2), inside[1], points[1], zone, sharpness).swapaxes(-1, -2)
    )


def window(number: int, sharpness: float = 2.0) -> np.ndarray:
    """Returns B at `number` points between its ends, where it is 0 and 1."""
    from scipy.special import erf

    q = np.linspace(-1, 1, number + 2)[1:-1]
    result: np.ndarray = 0.5 * (1 + erf(sharpness * q / np.sqrt(1 - q * q)))
    return result


def _check(inside: Points, points: Points, least: int) -> None:
    for name, n, N in zip("xy", inside, points):
        if not least <= n <= N:
            raise InputError(
                f"{n} points along {name} cannot be made {N}: at least {least}, at most {N}"
            )


def _splined(field: np.ndarray, number: int, axis: int) -> np.ndarray:
    """Returns the field with its extension along one axis."""
    n = field.shape[axis]
    if number == n:
        return field.copy()
    ends = np.moveaxis(field, axis, -1)[..., [n - 2, n - 1, 0, 1]]
    extension = (ends @ _natural(n, number).astype(field.dtype)).swapaxes(-1, axis)
    return np.concatenate([field, extension], axis)


@functools.cache
def _natural(n: int, number: int) -> np.ndarray:
    """Returns weights of points n - 2, n - 1, number, number + 1 at those between n - 1 and number:
    (4, number - n). With the slopes s of a cubic spline f between steps h, differences d,
        h2 s1 + 2 (h1 + h2) s2 + h1 s3 = 3 (h2 d1 + h1 d2)
    and no second derivative at both ends.
    """
    h = np.array([1.0, number - n + 1.0, 1.0])
    f = np.eye(4)
    d = np.diff(f, axis=0) / h[:, None]
    matrix = np.diag([2 * h[0], 2 * (h[0] + h[1]), 2 * (h[1] + h[2]), 2 * h[2]])
    matrix += np.diag([h[1], h[2], h[2]], -1) + np.diag([h[0], h[0], h[1]], 1)
    inside = 3 * (h[1:, None] * d[:-1] + h[:-1, None] * d[1:])
    s = _solved(matrix, np.stack([3 * (f[1] - f[0]), *inside, 3 * (f[3] - f[2])]))
    third = (s[1] + s[2] - 2 * d[1]) / h[1]
    second = (d[1] - s[1]) / h[1] - third
    x = np.arange(1.0, number - n + 1)[:, None]
    result: np.ndarray = (f[1] + s[1] * x + second * (x * x) + third / h[1] * (x * x * x)).T
    return result


def _solved(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Returns the solution of a tridiagonal system (n, n) with right sides (n, any number), by
    elimination; the larger of two coefficients goes first.
    """
    rows = np.hstack([matrix, right])
    n = len(rows)
    for k in range(n - 1):
        if abs(rows[k + 1, k]) > abs(rows[k, k]):
            rows[[k, k + 1]] = rows[[k + 1, k]]
        rows[k + 1] -= rows[k + 1, k] / rows[k, k] * rows[k]
    for k in reversed(range(n)):
        for other in range(k + 1, n):
            rows[k, n:] -= rows[k, other] * rows[other, n:]
        rows[k, n:] /= rows[k, k]
    return rows[:, n:]


def _smooth(whole: np.ndarray, inside: Points) -> None:
    """Smooths E in place: strips of columns and of rows, one point narrower on both sides each
    time.
    """
    ny, nx = whole.shape[-2:]
    widest = max(nx - inside[0], ny - inside[1])
    for narrower in range((widest + 1) // 2):
        for turned, n, N in (
            (whole, inside[0], nx),
            (whole.swapaxes(-1, -2), inside[1], ny),
        ):
            strip = np.arange(n + narrower, N - narrower)
            if strip.size:
                wider = np.arange(strip[0] - 1, strip[-1] + 2) % N
                held = turned[..., wider]
                along = 0.25 * held[..., :-2] + 0.5 * held[..., 1:-1] + 0.25 * held[..., 2:]
                across = np.roll(along, 1, -2) + np.roll(along, -1, -2)
                turned[..., strip] = 0.5 * along + 0.25 * across


def _blended(field: np.ndarray, n: int, N: int, zone: int, sharpness: float) -> np.ndarray:
    """Returns the field, blended along the last axis: N points."""
    before = N - n + zone  # points of the field before point 0
    bell = window(before + zone, sharpness).astype(field.dtype)
    place = np.arange(n - zone, N + zone)
    whole = field[..., before : before + N].copy()
    here, there = field[..., place + before], field[..., place + before - N]
    whole[..., place % N] = (1 - bell) * here + bell * there
    return whole
