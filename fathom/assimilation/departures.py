"""The sizes of errors from departures alone (Desroziers et al. 2005): with d_b = y - H x_b and
d_a = y - H x_a, means over many columns of observations,

    <d_a d_b^T> = R,      <(d_b - d_a) d_b^T> = H B H^T

hold where R and B are right, and repeated use converges to them. Such an R contains errors of
representativeness: the part of y that the grid cannot represent. These errors are correlated from
level to level, so R is a matrix between the values of a column.

Each part of B has a size at each degree n and level k, which follows from the
increments dx of an analysis and those dx* of data that were drawn from B and R: J_b by parts over
its expected value (Desroziers & Ivanov 2001),

    s_n(k)^2 = sum over m of |dx_n^m(k)|^2 / sum over m of |dx*_n^m(k)|^2,    C_n <- s_n C_n s_n

Without R: errors of data at two places do not depend on each other, those of the background do
(Hollingsworth & Lonnberg 1986). Over pairs of columns i, j of two places, with weights w_ij,

    sum of w_ij d_i d_j / sum of w_ij <x'_i x'_j>

is the variance of the background divided by that of members with deviations x'. The variance of the
quotient is small where w_ij is the covariance of the background errors.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fathom.assimilation.balance import AirBackground, Errors, linear_balance, parts
from fathom.base.failure import InputError
from fathom.grids.transform import SphericalHarmonics


@dataclass
class Statistics:
    """Means over columns of n values: `of_data` <d_a d_b^T>, `of_background` <(d_b - d_a) d_b^T>
    (n, n), and the number of columns they are of."""

    of_data: np.ndarray
    of_background: np.ndarray
    columns: float = 0.0

    @staticmethod
    def empty(values: int) -> Statistics:
        """Returns statistics of no column, of so many values."""
        return Statistics(np.zeros((values, values)), np.zeros((values, values)))

    def after(self, background: np.ndarray, analysis: np.ndarray, kept: float = 1.0) -> Statistics:
        """Adds the departures d_b and d_a (n, columns) of one more window; the earlier estimate
        keeps a part of its weight. Columns with a value that is not finite do not count."""
        whole = np.isfinite(background).all(0) & np.isfinite(analysis).all(0)
        b, a = background[:, whole], analysis[:, whole]
        old, count = kept * self.columns, kept * self.columns + whole.sum()
        if not count:
            return self

        def mean(before: Any, now: Any) -> Any:
            return (old * before + 0.5 * (now + now.T)) / count

        return Statistics(mean(self.of_data, a @ b.T), mean(self.of_background, (b - a) @ b.T),
                          count)  # fmt: skip

    def data_errors(self, instrument: np.ndarray) -> np.ndarray:
        """Returns R (n, n): the instrument's variances (n), and the other part, never negative."""
        with_it = np.diag(instrument)
        values, vectors = np.linalg.eigh(self.of_data - with_it)
        result: np.ndarray = with_it + (vectors * np.maximum(values, 0)) @ vectors.T
        return result


def variance_of_members(d: np.ndarray, x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Returns the variance that departures d (values, columns) show, divided by that of the
    deviations x (members, values, columns), from pairs of columns; weights (values, columns,
    columns). NaN are left out. One number for each value of a column.
    """
    there = np.isfinite(d) & np.isfinite(x).all(0)
    d, x = np.where(there, d, 0.0), np.where(there, x, 0.0)
    w = weights * (1 - np.eye(d.shape[1]))
    shown = np.einsum("vi,vij,vj->v", d, w, d, optimize=True)
    has = np.einsum("nvi,vij,nvj->v", x, w, x, optimize=True) / (len(x) - 1)
    result: np.ndarray = shown / has
    return result


def root_inverse(covariance: np.ndarray, taken: np.ndarray) -> Any:
    """Returns W, sparse, with W R W^T = 1 for those values that were taken: (values, places) flat,
    of columns whose errors have this covariance (values, values) and do not depend on each other.
    """
    from scipy import sparse

    values = len(covariance)
    if len(taken) % values:
        raise InputError(f"{len(taken)} data are no whole number of columns of {values} values")
    of_columns = taken.reshape(values, -1)
    at = (np.cumsum(taken) - 1).reshape(of_columns.shape)
    patterns, which = np.unique(of_columns, axis=1, return_inverse=True)
    rows, columns, numbers = [], [], []
    for n, pattern in enumerate(patterns.T):
        these, places = np.flatnonzero(pattern), np.flatnonzero(which.ravel() == n)
        if not len(these):
            continue
        W = np.linalg.inv(np.linalg.cholesky(covariance[np.ix_(these, these)]))
        i, j = np.tril_indices(len(these))
        rows.append(at[these[i]][:, places])
        columns.append(at[these[j]][:, places])
        numbers.append(np.broadcast_to(W[i, j, None], rows[-1].shape))
    total = int(taken.sum())

    def flat(parts: Any) -> Any:
        return np.concatenate([p.ravel() for p in parts]) if parts else np.zeros(0)

    return sparse.csr_matrix((flat(numbers), (flat(rows), flat(columns))), (total, total))


def spectra(background: AirBackground, control: np.ndarray) -> list[np.ndarray]:
    """Returns, of an increment by its control vector, the sums over m of the squares of its
    coefficients (degrees, levels), of each part of B.
    """
    transform, made = background.waves.transform, []
    twice = np.where(transform.m == 0, 1.0, 2.0)
    of_parts = np.split(control, background.ends[:-1])
    for root, part in zip(background.roots, of_parts):
        squares = twice * np.abs(root.coefficients(root.apply(part))) ** 2
        made.append(np.array([np.bincount(transform.n, row) for row in squares]).T)
    return made


def ratios(
    actual: list[np.ndarray], drawn: list[np.ndarray], most: float = 100.0
) -> list[np.ndarray]:
    """Returns s^2 of each part, over a few degrees next to each other, at most so large."""
    made = []
    for a, d in zip(actual, drawn):
        a, d = _neighbours(a), _neighbours(d)
        tiny = 1e-12 * d.max() + np.finfo(float).tiny
        made.append(np.clip((a + tiny) / (d + tiny), 1 / most, most))
    return made


def _neighbours(x: np.ndarray) -> np.ndarray:
    """Returns sums over degrees with weights 1, 2, 1."""
    edged = np.concatenate([x[:1], x, x[-1:]])
    result: np.ndarray = edged[:-2] + 2 * x + edged[2:]
    return result


def reshaped(errors: Errors, squares: list[np.ndarray]) -> Errors:
    """Returns B with s^2 of each part."""
    made = {}
    for name, square in zip(parts, squares):
        s = np.sqrt(square)
        made[name] = s[:, :, None] * getattr(errors, name) * s[:, None, :]
    return replace(errors, **made)


def variances(errors: Errors, transform: SphericalHarmonics) -> tuple[np.ndarray, ...]:
    """Returns means over the sphere of the variances of a B: of a component of the wind [m2 s-2]
    (levels), of the balanced and the unbalanced part of temperature [K2] and ln p_s (levels + 1).
    """
    n = np.arange(transform.truncation + 1.0)
    count, of_wind = 2 * n + 1, n * (n + 1) / (2 * transform.radius**2)
    geopotential = linear_balance(transform).tocoo()
    # sum over m of the squares of phi_n by those of psi of each degree
    twice = np.where(transform.m == 0, 1.0, 2.0)[geopotential.row]
    between = np.zeros((len(n), len(n)))
    at = transform.n[geopotential.row], transform.n[geopotential.col]
    np.add.at(between, at, twice * geopotential.data**2)
    phi = np.tensordot(between, errors.stream_function, 1)
    both = count[:, None, None] * (errors.stream_function + errors.velocity_potential)

    def explained(A: Any, C: Any) -> Any:
        return A @ C @ A.transpose(0, 2, 1)

    if errors.divergence_balance is not None:
        both = both + explained(errors.divergence_balance, phi)
    N = errors.balance
    balanced = N @ phi.sum(0) @ N.T
    if errors.mass_by_divergence is not None:
        chi = count[:, None, None] * errors.velocity_potential
        balanced = balanced + explained(errors.mass_by_divergence, chi).sum(0)
    rest = np.einsum("n,nkk->k", count, errors.mass)
    return np.einsum("n,nkk->k", of_wind, both), np.diagonal(balanced), rest


def sized(
    errors: Errors,
    transform: SphericalHarmonics,
    variance: np.ndarray,
    most: float = 10.0,
) -> Errors:
    """Returns B whose variances are those of the values of a column, wind (2 levels), temperature
    and ln p_s: those of wind by a factor at each level, those of mass by the unbalanced part. A
    deviation changes `most` times at most.
    """
    levels = errors.balance.shape[1]
    given = np.asarray(variance, float)
    if given.shape != (3 * levels + 1,):
        raise InputError(f"variances of shape {given.shape}; allowed is ({3 * levels + 1},)")

    def factor(want: Any, have: Any) -> Any:
        return np.clip(
            np.sqrt(np.maximum(want, 0) / np.maximum(have, np.finfo(float).tiny)), 1 / most, most
        )

    wind, _, rest = variances(errors, transform)
    s = factor(0.5 * (given[:levels] + given[levels : 2 * levels]), wind)
    psi, chi = (s[:, None] * C * s for C in (errors.stream_function, errors.velocity_potential))
    made = replace(errors, stream_function=psi, velocity_potential=chi)
    if errors.divergence_balance is not None:
        made.divergence_balance = s[:, None] * errors.divergence_balance / s
    _, balanced, _ = variances(made, transform)
    t = factor(given[2 * levels :] - balanced, rest)
    return replace(made, mass=t[:, None] * errors.mass * t)
