"""Background errors of a limited area: homogeneous and isotropic on its periodic plane, by waves.

    f_mn(k) = b_mn^1/2 sum_j V(k, j) chi_mn(j),    sum b_mn = 1
    b_mn    ~ (1 / L^2 + kappa^2)^{-5/2},          kappa^2 = k^2 + l^2

the spectrum of the correlation (1 + r/L) exp(-r/L) on a plane. Balance as on the sphere
(balance.py), with one Coriolis parameter f for the area:

    wind    = k x grad psi + grad chi,    phi_b = f psi,    (T, pi) = N phi_b + (T, pi)_u

Vectors are wind along x and y, temperature of all levels and pi = ln p_s at all points of the
plane, extension zone included. That zone must be longer than a few L: else data at one edge change
the opposite edge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fathom.assimilation.balance import mass_of_geopotential
from fathom.assimilation.maps import LinearMap, Matrix, Vector
from fathom.assimilation.spectral import root_of
from fathom.base.failure import InputError
from fathom.grids.transform import BiFourier


def spectrum(transform: BiFourier, length: float) -> np.ndarray:
    """Returns b of each coefficient: its part of the variance of a field, of (1 + r/L)
    exp(-r/L)."""
    if not length > 0:
        raise InputError(f"length = {length} m of a correlation must be positive")
    b = (1 / length**2 + transform.k**2 + transform.l**2) ** -2.5
    b[1:] *= 2  # each represents itself and the one of opposite sign
    result: np.ndarray = b / b.sum()
    return result


class PlaneRoot(LinearMap):
    """Maps chi to coefficients of fields on levels, flat: real parts (levels, waves), then
    imaginary parts. vertical: V (levels, modes), a root of the covariance between levels.
    """

    def __init__(self, transform: BiFourier, b: np.ndarray, vertical: np.ndarray) -> None:
        self.vertical = np.asarray(vertical, float)
        self.levels, self.modes = self.vertical.shape
        self.waves = transform.waves
        self.scale = np.sqrt(b) / np.append(1.0, np.full(self.waves - 1, 2.0))  # f = 2 Re(c e^i..)

    @property
    def controls(self) -> int:
        """Returns length of chi: the mean has no imaginary part."""
        result: int = self.modes * (2 * self.waves - 1)
        return result

    def apply(self, x: Vector) -> Vector:
        given, parts = x.reshape(self.modes, -1), np.zeros((2, self.modes, self.waves))
        parts[0], parts[1][:, 1:] = given[:, : self.waves], given[:, self.waves :]
        result: Vector = (self.vertical @ (parts * self.scale)).ravel()
        return result

    def adjoint(self, y: Vector) -> Vector:
        parts = self.vertical.T @ y.reshape(2, self.levels, self.waves) * self.scale
        return np.concatenate([parts[0], parts[1][:, 1:]], axis=1).ravel()

    def coefficients(self, flat: Vector) -> np.ndarray:
        """Returns (levels, waves), complex, of what `apply` gives."""
        real, imaginary = flat.reshape(2, self.levels, self.waves)
        return real + 1j * imaginary

    @staticmethod
    def flat(coefficients: np.ndarray) -> Vector:
        """Returns the numbers that `coefficients` reads, the inverse of it."""
        return np.stack([coefficients.real, coefficients.imag]).ravel()


@dataclass(frozen=True)
class AreaErrors:
    """Standard deviations of the wind [m s-1], of unbalanced temperature [K] and pressure [Pa], of
    relative humidity [1], less above 300 hPa, 0: it does not change;
    `divergent`: part of the wind's variance; length L [m]; depth [ln p] of exp(-(d ln p / depth)^2
    / 2) between levels.
    """

    wind: float = 3.0
    temperature: float = 1.0
    pressure: float = 100.0
    divergent: float = 0.1
    length: float = 3e5
    depth: float = 0.6
    humidity: float = 0.0


class AreaBackground(LinearMap):
    """L: from the three controls, stream function, velocity potential and unbalanced mass, to a
    state. a, b: of the interfaces; coriolis: f [s-1]; more: further fields of a state, which do not
    change, as ln(p / pi) and the vertical divergence of compressible air; saturation: q_s of a
    state with humidity (levels, rows, points), which comes after pi.
    """

    def __init__(
        self, transform: BiFourier, a: Any, b: Any, coriolis: float,
        errors: AreaErrors | None = None, more: int = 0, saturation: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        errors, self.more, self.saturation = errors or AreaErrors(), more, saturation
        a, b = (np.asarray(x, float) for x in (a, b))
        self.transform, self.coriolis = transform, coriolis
        self.levels = K = len(a) - 1
        p = 0.5 * (a[1:] + a[:-1]) + 0.5e5 * (b[1:] + b[:-1])
        between = np.exp(-0.5 * (np.log(p[:, None] / p) / errors.depth) ** 2)
        self.laplace = -(transform.k**2 + transform.l**2)
        of = spectrum(transform, errors.length)
        # of the wind of a stream function of variance one, for each component
        per_wind = errors.wind / np.sqrt(np.sum(of * -self.laplace) / 2)
        V, mass = root_of(between), np.eye(K + 1)
        mass[:K, :K] = V
        mass *= np.append(np.full(K, errors.temperature), errors.pressure / 1e5)[:, None]
        shares = np.sqrt([1 - errors.divergent, errors.divergent])
        self.roots = [PlaneRoot(transform, of, share * per_wind * V) for share in shares]
        self.roots.append(PlaneRoot(transform, of, mass))
        if saturation is not None:
            moist = errors.humidity * np.minimum(p / 3e4, 1)
            self.roots.append(PlaneRoot(transform, of, moist[:, None] * V))
        self.balance = coriolis * mass_of_geopotential(a, b)
        self.ends = np.cumsum([root.controls for root in self.roots])

    @property
    def controls(self) -> int:
        """Returns length of chi."""
        return int(self.ends[-1])

    @property
    def size(self) -> int:
        """Returns length of a state."""
        moist = self.levels * (self.saturation is not None)
        return (3 * self.levels + 1 + moist + self.more) * int(np.prod(self.transform.shape))

    def fields(self, state: Vector) -> np.ndarray:
        """Returns (3 levels + 1 + more, rows, points): wind along x and y, temperature, pi."""
        return state.reshape(-1, *self.transform.shape)

    def apply(self, x: Vector) -> Vector:
        psi, chi, mass, *moist = (
            root.coefficients(root.apply(part))
            for root, part in zip(self.roots, np.split(x, self.ends[:-1]))
        )
        wind = self.transform.wind(self.laplace * psi, self.laplace * chi)
        fields = [*wind, self.transform.inverse(mass + self.balance @ psi)]
        fields += [self.saturation * self.transform.inverse(r) for r in moist]
        return np.concatenate([*fields, np.zeros((self.more, *self.transform.shape))]).ravel()

    def adjoint(self, y: Vector) -> Vector:
        K = self.levels
        u, v, given, rest = np.split(self.fields(y), [K, 2 * K, 3 * K + 1])
        zeta, divergence = self.transform.wind_adjoint(u, v)
        mass = self.transform.inverse_adjoint(given)
        psi = self.laplace * zeta + self.balance.T @ mass
        parts = [psi, self.laplace * divergence, mass]
        if self.saturation is not None:
            parts.append(self.transform.inverse_adjoint(self.saturation * rest[:K]))
        return np.concatenate(
            [root.adjoint(root.flat(part)) for root, part in zip(self.roots, parts)]
        )


class PlaneWaves:
    """Maps vectors of a state to coefficients of vorticity and divergence, with the mean wind in
    their place, and of temperature with pi and all else below it, and back.
    """

    def __init__(self, transform: BiFourier, levels: int) -> None:
        self.transform, self.levels = transform, levels

    def to_waves(self, vector: Vector) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns the direct transform of a state."""
        fields = vector.reshape(-1, *self.transform.shape)
        u, v, mass = np.split(fields, [self.levels, 2 * self.levels])
        return (*self.transform.vorticity_divergence(u, v), self.transform.direct(mass))

    def to_points(self, zeta: np.ndarray, D: np.ndarray, mass: np.ndarray) -> Vector:
        """Returns a state."""
        fields = (*self.transform.wind(zeta, D), self.transform.inverse(mass))
        return np.concatenate([f.ravel() for f in fields])


def columns(around: Any, points: int, levels: int, more: int = 0) -> Matrix:
    """Returns H of the columns at places: wind along x and y and temperature of all levels, level
    by level, and pi; of a state of `points` a level, in which `more` fields follow. around: what
    `interpolation` of a grid gives, `index` and `weight` (places, 4).
    """
    from scipy import sparse

    places = np.repeat(np.arange(len(around.index)), around.index.shape[1])
    at = sparse.csr_matrix(
        (np.ravel(around.weight), (places, np.ravel(around.index))), (len(around.index), points)
    )
    fields = 3 * levels + 1
    taken = sparse.eye(fields, fields + more, format="csr")
    return Matrix(sparse.kron(taken, at, format="csr"))
