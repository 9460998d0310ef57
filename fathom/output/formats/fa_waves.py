"""Articles of FA that hold waves: coefficients of a field on the grid of the frame.

On the sphere, truncation N, one number for each n = 0 ... N and m = -n ... n, that of place
n^2 + n + m: the real part of coefficient (|m|, n) where m >= 0, its imaginary part where m < 0.

On a plane, four for each n = 0 ... N and m = 0 ... M within the ellipse, a, b, c, d of
    f = sum e_m e_n (a cos mX cos nY - b cos mX sin nY - c sin mX cos nY + d sin mX sin nY),
    e_0 = 1, else 2,    X = 2 pi i / nx, Y = 2 pi j / ny
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import earth
from fathom.base.mpi import core
from fathom.grids.regrid.schmidt import Schmidt
from fathom.grids.transform import BiFourier, SphericalHarmonics
from fathom.output.formats.whole_times import are_smooth

if TYPE_CHECKING:
    from fathom.output.formats.fa import Frame


def are_waves(frame: Frame, name: str) -> bool:
    """Returns whether a field of that name is a sum of the waves of the frame."""
    return are_smooth(name, stretched=frame.dimensions[4] > 0 and frame.sphere[3] > 1)


def size(frame: Frame) -> int:
    """Returns numbers of an article."""
    if frame.dimensions[4] > 0:
        return int(frame.dimensions[0] + 1) ** 2
    return 4 * len(_order_on_plane(_plane(frame))[0])


def to_points(frame: Frame, numbers: np.ndarray) -> np.ndarray:
    """Returns fields at the points of the frame, in the order of its file: row after row, on the
    sphere from the north.
    """
    if frame.dimensions[4] <= 0:
        return _plane(frame).inverse(_of_plane(_plane(frame), numbers)).ravel()
    transform, coefficients = _of_sphere(frame, numbers)
    return _on_rows(frame, transform.inverse(coefficients))


def wind(frame: Frame, sphere: Schmidt, radius: float, psi: Any, chi: Any) -> list[np.ndarray]:
    """Returns eastward and northward wind about the pole of the rows, in the order of the file, of
    the waves of stream function and velocity potential [m2 s-1] on the sphere:

        u = m (chi_x - psi_y),    v = m (chi_y + psi_x),    m the map factor
    """
    transform, rotation = _of_sphere(frame, psi)
    _, divergence = _of_sphere(frame, chi)
    (psi_x, psi_y), (chi_x, chi_y) = map(transform.gradient, (rotation, divergence))
    m = earth.RADIUS / radius * sphere.map_factor(transform.latitude)[:, None]
    return [_on_rows(frame, m * part) for part in (chi_x - psi_y, chi_y + psi_x)]


def _of_sphere(frame: Frame, numbers: np.ndarray) -> tuple[SphericalHarmonics, np.ndarray]:
    """Returns transform and coefficients of an article."""
    truncation, rows = (int(n) for n in frame.dimensions[:2])
    transform = _sphere(truncation, rows, 2 * truncation + 2)  # enough for all waves
    real, imaginary = _places(transform)
    return transform, numbers[real] + 1j * np.where(transform.m > 0, numbers[imaginary], 0.0)


def _on_rows(frame: Frame, field: np.ndarray) -> np.ndarray:
    """Returns values at the points of the frame, in the order of its file, of a field on full rows
    from south.
    """
    waves, rows = np.fft.rfft(field[::-1], axis=1), int(frame.dimensions[1])
    half = frame.rows[: rows // 2].astype(int)
    made = (_row(w, n, field.shape[1]) for w, n in zip(waves, [*half, *half[::-1]]))
    return np.concatenate(list(made))


def to_waves(frame: Frame, fields: np.ndarray) -> np.ndarray:
    """Returns the numbers (fields, numbers) of fields on the full rows of a sphere (fields, rows,
    points), from south to north.
    """
    truncation, rows, points = (int(n) for n in frame.dimensions[:3])
    transform = _sphere(truncation, rows, points)
    coefficients = transform.direct(np.asarray(fields, float))
    numbers = np.zeros((len(fields), size(frame)))
    real, imaginary = _places(transform)
    numbers[:, imaginary] = coefficients.imag
    numbers[:, real] = coefficients.real  # last, since m = 0 has one place for both
    return numbers


@lru_cache(4)
def _sphere(truncation: int, rows: int, points: int) -> SphericalHarmonics:
    return SphericalHarmonics(truncation, core.full_gaussian_grid(rows, points), threads=1)


def _places(transform: SphericalHarmonics) -> tuple[np.ndarray, np.ndarray]:
    """Returns places of the real and the imaginary parts of its coefficients."""
    m, n = (np.asarray(held, int) for held in (transform.m, transform.n))
    return n * n + n + m, n * n + n - m


def _row(waves: np.ndarray, points: int, all_points: int) -> np.ndarray:
    """Returns a row of fewer or more points with the waves that it can hold."""
    kept = np.zeros(points // 2 + 1, complex)
    number = min(waves.size, (points - 1) // 2 + 1)
    kept[:number] = waves[:number]
    return np.fft.irfft(kept, points) * (points / all_points)


@lru_cache(4)
def _plane_of(nx: int, ny: int, M: int, N: int) -> BiFourier:
    return BiFourier((nx, ny), 1.0, truncation=(M, N), threads=1)


def _plane(frame: Frame) -> BiFourier:
    N, ny, nx, _, kind = (int(n) for n in frame.dimensions)
    return _plane_of(nx, ny, -kind, N)


def _order_on_plane(plane: BiFourier) -> tuple[np.ndarray, np.ndarray]:
    """Returns m and n of the places, four numbers each."""
    m, n = (np.asarray(held)[np.asarray(plane.n) >= 0] for held in (plane.m, plane.n))
    order = np.lexsort((m, n))
    return m[order], n[order]


def _of_plane(plane: BiFourier, numbers: np.ndarray) -> np.ndarray:
    """Returns coefficients of exp(i m X + i n Y), m >= 0."""
    place = {key: k for k, key in enumerate(zip(*_order_on_plane(plane)))}
    at = np.array([place[m, abs(n)] for m, n in zip(plane.m, plane.n)])
    a, b, c, d = numbers.reshape(-1, 4)[at].T
    up, along = np.sign(plane.n), np.asarray(plane.m) == 0
    result: np.ndarray = np.where(along, a + 1j * b, a - up * d + 1j * (c + up * b))
    return result
