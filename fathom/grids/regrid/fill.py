"""Fill the gaps of a data set by the harmonic function through its known values.

On the sphere div(grad f) = 0 wherever f is missing: each missing value is the mean of its
neighbours, weighted by the length of the shared side over the distance. Filled values stay inside
the range of the known ones, without a step at the edge of the data. Levels
that stand alone are solved directly; the factors are kept for the next field with the same gaps.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base.failure import InputError, RunError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def harmonic(
    values: ArrayLike, latitude: np.ndarray, *, coupling: float = 0.0, tolerance: float = 1e-6
) -> np.ndarray:
    """Fill the missing (NaN) values of a field on a regular grid, periodic in longitude.

    values    (lat, lon), or (level, lat,
        lon): then each level is filled with weight on the levels above and below
    latitude  (lat,) degrees
    coupling  weight of a neighbour above or below against one at the side, at the equator [1];
    0: levels are independent

    Returns a new array without NaN. Raises ValueError if a level that stands alone has no value at
    all.
    """
    values = np.asarray(values, float)
    levels = values.reshape((-1, *values.shape[-2:]))
    if coupling:
        return _solve(levels, latitude, coupling, tolerance).reshape(values.shape)
    return np.stack([_solve(level[None], latitude, 0.0, tolerance)[0] for level in levels]).reshape(
        values.shape
    )


def _solve(
    levels: np.ndarray, latitude: np.ndarray, coupling: float, tolerance: float
) -> np.ndarray:
    missing = np.isnan(levels).ravel()
    if missing.all():
        raise InputError(f"nothing to fill from: all {missing.size} values are missing")
    if not missing.any():
        return levels.copy()
    known = np.where(missing, 0.0, levels.ravel())
    if coupling:
        solution = _iterated(
            levels, missing, known, _laplacian(levels.shape, latitude, coupling), tolerance
        )
    else:
        rows, factors = _factorised(
            missing.tobytes(), levels.shape, tuple(np.asarray(latitude, float))
        )
        solution = factors.solve(-(rows @ known))
    result = known
    result[missing] = np.clip(solution, np.nanmin(levels), np.nanmax(levels))
    return result.reshape(levels.shape)


@lru_cache(4)  # at 0.25 degree some 300 MB each
def _factorised(
    missing: np.ndarray, shape: tuple[int, ...], latitude: np.ndarray
) -> tuple[Any, Any]:
    """Returns rows of the Laplacian where values are missing, and the factors of their part of
    it."""
    from scipy.sparse.linalg import splu

    missing = np.frombuffer(missing, bool)
    rows = _laplacian(shape, latitude, 0.0)[missing]
    return rows, splu(
        rows[:, missing].tocsc(),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )


def _iterated(
    levels: np.ndarray, missing: np.ndarray, known: np.ndarray, laplacian: Any, tolerance: float
) -> np.ndarray:
    """Returns the solution by conjugate gradients."""
    from scipy.sparse.linalg import LinearOperator, cg

    right = -(laplacian[missing] @ known)
    matrix = laplacian[missing][:, missing]
    inverse_diagonal = 1.0 / matrix.diagonal()
    guess = np.broadcast_to(_first_guess(levels), levels.shape).ravel()[missing]
    solution, failed = cg(
        matrix,
        right,
        x0=guess,
        rtol=0.0,
        atol=tolerance * np.abs(right).max(),
        maxiter=20000,
        M=LinearOperator(matrix.shape, lambda residual: inverse_diagonal * residual),
    )
    if failed:
        raise RunError(f"harmonic fill of {missing.sum()} points did not converge to {tolerance:g}")
    return np.asarray(solution)


def _first_guess(levels: np.ndarray) -> np.ndarray:
    """Returns zonal means, where there are none those of the nearest latitude."""
    there = ~np.isnan(levels)
    count = there.sum((0, 2))
    mean = np.where(there, levels, 0.0).sum((0, 2)) / np.maximum(count, 1)
    rows = np.flatnonzero(count)
    nearest = rows[np.abs(np.arange(count.size)[:, None] - rows).argmin(1)]
    result: np.ndarray = mean[nearest][:, None]
    return result


def _laplacian(shape: tuple[int, ...], latitude: np.ndarray, coupling: float) -> Any:
    """Returns graph Laplacian (symmetric, positive) of a (level, lat, lon) grid on the sphere."""
    from scipy.sparse import coo_array, diags_array

    index = np.arange(np.prod(shape)).reshape(shape)
    cosine = np.maximum(np.cos(np.deg2rad(np.asarray(latitude, float))), 0.05)[None, :, None]
    edge = 0.5 * (cosine[:, 1:] + cosine[:, :-1])
    links = [
        (index, np.roll(index, -1, 2), 1.0 / cosine),
        (index[:, :-1], index[:, 1:], edge),
        (index[:-1], index[1:], coupling * cosine),
    ]
    rows = np.concatenate([a.ravel() for a, _, _ in links])
    columns = np.concatenate([b.ravel() for _, b, _ in links])
    weights = np.concatenate([np.broadcast_to(w, a.shape).ravel() for a, _, w in links])
    one_way = coo_array((weights, (rows, columns)), shape=(index.size, index.size)).tocsr()
    both = one_way + one_way.T
    return (diags_array(both.sum(1)) - both).tocsr()
