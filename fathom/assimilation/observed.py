"""Observations of a state: columns of wind, temperature and surface pressure at places, by
bilinear interpolation on a Gaussian grid, as a sparse matrix on vectors of a `Trajectory`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.assimilation.maps import Matrix
from fathom.base.failure import InputError
from fathom.grids.transform import SphericalHarmonics


def bilinear(transform: SphericalHarmonics, longitude: np.ndarray, latitude: np.ndarray) -> Any:
    """Returns a sparse matrix (places, rows x points) from a full grid to places [degrees]; beyond
    the last row its values. ValueError: reduced rows.
    """
    from scipy import sparse

    if not transform.inside.all():
        raise InputError("interpolation to places needs a full grid: reduced = False")
    rows, points = transform.shape
    longitude, latitude = np.atleast_1d(longitude), np.atleast_1d(latitude)
    j = np.clip(np.searchsorted(transform.latitude, latitude) - 1, 0, rows - 2)
    t = (latitude - transform.latitude[j]) / (transform.latitude[j + 1] - transform.latitude[j])
    x = np.mod(longitude, 360) / 360 * points
    i = np.floor(x).astype(int)
    s, t, place = x - i, np.clip(t, 0, 1), np.arange(len(longitude))
    found = sparse.csr_matrix((len(longitude), rows * points))
    for dj, wj in ((0, 1 - t), (1, t)):
        for di, wi in ((0, 1 - s), (1, s)):
            column = (j + dj) * points + (i + di) % points
            found = found + sparse.csr_matrix((wj * wi, (place, column)), found.shape)
    return found


def columns(
    transform: SphericalHarmonics,
    levels: int,
    longitude: np.ndarray,
    latitude: np.ndarray,
    parts: tuple[str, ...] = ("wind", "temperature", "pressure"),
) -> Matrix:
    """Returns H of the columns at places: eastward and northward wind and temperature of all
    levels, level by level, and pi = ln p_s; of a state (wind, temperature, pi).
    """
    from scipy import sparse

    at = bilinear(transform, longitude, latitude)
    counts = {"wind": 2 * levels, "temperature": levels, "pressure": 1}
    if unknown := [p for p in parts if p not in counts]:
        raise InputError(f"parts {', '.join(unknown)}: allowed are {', '.join(counts)}")
    taken = np.concatenate([np.full(n, name in parts) for name, n in counts.items()])
    return Matrix(sparse.kron(sparse.eye(len(taken), format="csr")[taken], at, format="csr"))


def errors_of_columns(
    levels: int, places: int, parts: tuple[str, ...], sizes: dict[str, float]
) -> np.ndarray:
    """Returns standard deviations of what `columns` observes; sizes: wind [m s-1], temperature [K],
    pressure, of pi [1]."""
    counts = {"wind": 2 * levels, "temperature": levels, "pressure": 1}
    return np.concatenate([np.full(n * places, sizes[k]) for k, n in counts.items() if k in parts])
