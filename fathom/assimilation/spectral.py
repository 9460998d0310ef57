"""Background errors on the sphere: homogeneous in the horizontal, with covariances between levels.

    f_n^m(k) = (b_n)^1/2 sum_j V(k, j) chi_n^m(j),    sum_n (2n + 1) b_n = 1

so that the covariance of f at two points an angle apart is V V^T times the correlation whose
Legendre series is b_n; or, with a separate V_n for each n, f_n^m(k) = sum_j V_n(k, j) chi_n^m(j).
chi are real numbers, degree by degree: the real part of m = 0, then both parts of m = 1, 2, ...,
each of all modes. So each degree is one product of matrices in memory that lies together.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fathom.assimilation.maps import LinearMap, Vector
from fathom.base import mpi
from fathom.base.failure import InputError
from fathom.grids.transform import SphericalHarmonics

few_levels = 24  # up to these the core multiplies matrices of a degree faster than a library


def correlation_spectrum(
    truncation: int, correlation: Callable[[np.ndarray], np.ndarray], points: int = 2048
) -> np.ndarray:
    """Returns b_n, n = 0 ... truncation, of a correlation function of the angle [rad]: its Legendre
    coefficients, what is below zero left out, with a variance of one."""
    from scipy.special import roots_legendre

    x, weight = roots_legendre(points)  # NumPy's needs seconds for so many
    value = correlation(np.arccos(x))
    b, older, old = np.zeros(truncation + 1), np.ones_like(x), x
    for n in range(truncation + 1):
        b[n] = 0.5 * np.sum(weight * value * older)
        older, old = old, ((2 * n + 3) * x * old - (n + 1) * older) / (n + 2)
    b = np.maximum(b, 0)
    return b / np.sum((2 * np.arange(truncation + 1) + 1) * b)


def second_order(length: float, radius: float) -> Callable[[np.ndarray], np.ndarray]:
    """Returns (1 + r/L) exp(-r/L), r the distance along the sphere."""
    return lambda angle: (1 + radius * angle / length) * np.exp(-radius * angle / length)


def root_of(covariance: np.ndarray) -> np.ndarray:
    """Returns V with V V^T = covariance, without negative eigenvalues."""
    values, vectors = np.linalg.eigh(0.5 * (covariance + covariance.T))
    result: np.ndarray = vectors * np.sqrt(np.maximum(values, 0))
    return result


class SpectralRoot(LinearMap):
    """Maps chi to coefficients of fields on levels, flat: (waves, real and imaginary part, levels).

    Parameters
    ----------
    transform : of the sphere.
    spectrum : b_n, n = 0 ... truncation.
    vertical : V (levels, modes), a root of the covariance between levels; or V_n (truncation + 1,
        levels, modes), where `spectrum` is a factor more, by default 1.
    """

    def __init__(
        self,
        transform: SphericalHarmonics,
        spectrum: np.ndarray | None,
        vertical: np.ndarray,
    ) -> None:
        spectrum = np.ones(transform.truncation + 1) if spectrum is None else np.asarray(spectrum)
        vertical = np.asarray(vertical, float)
        if len(spectrum) != transform.truncation + 1:
            raise InputError(
                f"a spectrum of {len(spectrum)} numbers; T{transform.truncation} has"
                f" {transform.truncation + 1}"
            )
        if vertical.ndim == 2:
            vertical = np.broadcast_to(vertical, (len(spectrum), *vertical.shape))
        self.transform = transform
        # of a real number each: those with m > 0 count twice
        vertical = np.sqrt(spectrum)[:, None, None] * vertical
        self.of_waves = np.ascontiguousarray(np.sqrt(0.5) * vertical)
        self.transposed = np.ascontiguousarray(self.of_waves.transpose(0, 2, 1))
        self.levels, self.modes = vertical.shape[1:]
        self.reals = (transform.truncation + 1) ** 2
        # where each real number lies among the parts of the waves, and the parts without one
        m, n = transform.m, transform.n
        real = n * n + np.maximum(2 * m - 1, 0)
        here = np.stack([real, np.where(m > 0, real + 1, self.reals)], 1).ravel()
        within = here < self.reals
        self.there = np.empty(self.reals, np.int64)
        self.there[here[within]] = np.flatnonzero(within)
        self.without = np.flatnonzero(~within)

    @property
    def controls(self) -> int:
        """Returns length of chi."""
        result: int = self.modes * self.reals
        return result

    def coefficients(self, flat: Vector) -> np.ndarray:
        """Returns (levels, waves), complex, of what `apply` gives."""
        parts = flat.reshape(self.transform.waves, 2, self.levels)
        return (parts[:, 0] + 1j * parts[:, 1]).T

    @staticmethod
    def flat(coefficients: np.ndarray) -> Vector:
        """Returns the numbers that `coefficients` reads, the inverse of it."""
        return np.stack([coefficients.real.T, coefficients.imag.T], 1).ravel()

    def _few(self) -> bool:
        """Returns whether a product of a library would be slower than the core's."""
        return bool(max(self.levels, self.modes) <= few_levels)

    def _products(self, x: np.ndarray, matrices: np.ndarray, to: np.ndarray) -> None:
        """Computes the products of each degree; the real number of m = 0 counts once."""
        for n, V in enumerate(matrices):
            these = slice(n * n, (n + 1) * (n + 1))
            np.matmul(x[these], V, out=to[these])
        to[np.arange(len(matrices)) ** 2] *= np.sqrt(2.0)

    def apply(self, x: Vector) -> Vector:
        made = np.empty((2 * self.transform.waves, self.levels))
        made[self.without] = 0
        given = np.ascontiguousarray(x, float).reshape(self.reals, self.modes)
        if self._few():
            mpi.core.between_levels(given, self.transposed, self.there, made, True)
        else:
            products = np.empty((self.reals, self.levels))
            self._products(given, self.transposed, products)
            made[self.there] = products
        return made.ravel()

    def adjoint(self, y: Vector) -> Vector:
        given = np.ascontiguousarray(y, float).reshape(-1, self.levels)
        made = np.empty((self.reals, self.modes))
        if self._few():
            mpi.core.between_levels(given, self.of_waves, self.there, made, False)
        else:
            self._products(np.take(given, self.there, axis=0), self.of_waves, made)
        return made.ravel()


class Fields(LinearMap):
    """Maps flat coefficients to values on the Gaussian grid, and to derivatives where asked for:
    (levels, rows, points) one after another, flat.
    """

    def __init__(self, root: SpectralRoot, value: bool = True, gradient: bool = False) -> None:
        self.root, self.value, self.gradient = root, value, gradient

    def apply(self, x: Vector) -> Vector:
        spectral, transform = self.root.coefficients(x), self.root.transform
        fields = [transform.inverse(spectral)] if self.value else []
        return np.concatenate(
            [*fields, *(transform.gradient(spectral) if self.gradient else ())]
        ).ravel()

    def adjoint(self, y: Vector) -> Vector:
        transform = self.root.transform
        parts = y.reshape(-1, self.root.levels, *transform.shape)
        spectral = np.zeros((self.root.levels, transform.waves), complex)
        if self.value:
            spectral = spectral + transform.inverse_adjoint(parts[0])
        if self.gradient:
            spectral = spectral + transform.gradient_adjoint(parts[-2], parts[-1])
        return self.root.flat(spectral)
