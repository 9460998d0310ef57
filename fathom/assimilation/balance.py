"""Background errors of the state of a spectral atmosphere: what is balanced follows from the stream
function, what is not has its own controls.

    wind     = k x grad psi + grad chi          psi = V_psi x_psi,  chi = V_chi x_chi
    phi_b    : laplace phi_b = div(f grad psi), the linear balance,
        phi_n = 2 Omega [(n - 1) / n eps_n psi_{n-1} + (n + 2) / (n + 1) eps_{n+1} psi_{n+1}],
        eps_n = sqrt((n^2 - m^2) / (4 n^2 - 1))
    (T, pi)  = N phi_b + V_mass x_mass

pi is ln p_s, N a matrix between levels: by regression, or the temperatures and the pressure whose
geopotential is phi_b. All of it is linear and has its adjoint; vectors are those of a `Trajectory`:
wind, temperature and pi at the points of a Gaussian grid.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fathom import earth, mpi
from fathom.assimilation.maps import LinearMap, Vector
from fathom.assimilation.spectral import (
    SpectralRoot,
    correlation_spectrum,
    root_of,
    second_order,
)
from fathom.failure import InputError
from fathom.transform import SphericalHarmonics

parts = ("stream_function", "velocity_potential", "mass")


def linear_balance(transform: SphericalHarmonics, rotation: float = earth.ROTATION) -> Any:
    """Sparse (waves, waves): coefficients of geopotential [m2 s-2] from those of the stream
    function [m2 s-1]; that of n = 0 is 0."""
    from scipy import sparse

    m, n = np.asarray(transform.m), np.asarray(transform.n)
    epsilon = lambda n, m: np.sqrt((n * n - m * m) / (4.0 * n * n - 1))
    below, above = np.flatnonzero(n > m), np.flatnonzero((n < transform.truncation) & (n > 0))
    low, high = (n - 1.0) / np.maximum(n, 1), (n + 2.0) / (n + 1)
    made = sparse.coo_matrix(
        (
            np.concatenate(
                [
                    (low * epsilon(np.maximum(n, 1), m))[below],
                    (high * epsilon(n + 1, m))[above],
                ]
            ),
            (np.concatenate([below, above]), np.concatenate([below - 1, above + 1])),
        ),
        (len(n), len(n)),
    )
    return (2 * rotation * made).tocsr()


def mass_of_geopotential(
    a: np.ndarray, b: np.ndarray, temperature: float = 280.0, smoothness: float = 1e-5
) -> np.ndarray:
    """N (levels + 1, levels): temperatures [K] and ln p_s of a geopotential [m2 s-2] of the layers,

        phi = gamma T + R T_r pi

    by least squares with T as straight from level to level as fits: there is one unknown more than
    there are equations, and a noise of two levels in T hardly shows in phi. a, b: of the
    interfaces.
    """
    reference = mpi.core.hybrid_reference(list(map(float, a)), list(map(float, b)))
    levels = len(a) - 1
    gamma = np.asarray(reference["gamma"]).reshape(levels, levels)
    per_pi = 1.0 / temperature  # pi in units that move phi about as 1 K does
    A = np.concatenate([gamma, np.full((levels, 1), 287.0 * temperature * per_pi)], axis=1)
    bend = np.zeros((max(levels - 2, 0), levels + 1))
    for k in range(len(bend)):
        bend[k, k : k + 3] = 1.0, -2.0, 1.0
    weight = smoothness * np.trace(A @ A.T) / levels
    normal = A.T @ A + weight * (bend.T @ bend) + 1e-9 * weight * np.eye(levels + 1)
    made = np.linalg.solve(normal, A.T)
    made[-1] *= per_pi
    return made


@dataclass
class Errors:
    """Covariances of background errors: of each part a C_n (truncation + 1, levels, levels) of its
    coefficients, with the variance of a field sum_n (2 n + 1) C_n; and N (levels + 1, levels)."""

    stream_function: np.ndarray
    velocity_potential: np.ndarray
    mass: np.ndarray
    balance: np.ndarray

    def scaled(self, factor: float) -> Errors:
        """All variances times a factor."""
        return Errors(
            factor * self.stream_function,
            factor * self.velocity_potential,
            factor * self.mass,
            self.balance,
        )

    def truncated(self, truncation: int) -> Errors:
        """Of a coarser model."""
        if not 0 < truncation < len(self.mass):
            raise InputError(
                f"truncation = {truncation} of errors of T{len(self.mass) - 1}: allowed is the"
                " same or less"
            )
        return replace(self, **{name: getattr(self, name)[: truncation + 1] for name in parts})

    def write(self, path: str) -> None:
        """Writes the covariances as NetCDF."""
        import xarray as xr

        levels = len(self.balance) - 1
        variables: dict[str, Any] = {
            name: (("degree", f"{name}_level", f"{name}_other"), getattr(self, name))
            for name in parts
        }
        variables["balance"] = (("mass_level", "level"), self.balance)
        xr.Dataset(
            variables, attrs={"title": "covariances of background errors", "levels": levels}
        ).to_netcdf(path)

    @staticmethod
    def read(path: str) -> Errors:
        """Reads what `write` wrote. ValueError: the file is another one."""
        import xarray as xr

        with xr.open_dataset(path) as data:
            if missing := [n for n in (*parts, "balance") if n not in data]:
                raise InputError(
                    f"{path}: no {', '.join(missing)}; expected is the file of"
                    " fathom background --nmc"
                )
            return Errors(*(data[n].values for n in (*parts, "balance")))


class Waves:
    """Maps vectors of a state to coefficients of stream function, velocity potential, and
    temperature with pi below it, and back.
    """

    def __init__(self, transform: SphericalHarmonics, levels: int) -> None:
        self.transform, self.levels = transform, levels
        n = np.asarray(transform.n, float)
        self.laplace = -n * (n + 1) / transform.radius**2
        self.inverse_laplace = np.divide(1.0, self.laplace, out=0 * n, where=n > 0)
        self.points = int(transform.inside.sum())

    @property
    def size(self) -> int:
        """Length of a vector of a state."""
        return (3 * self.levels + 1) * self.points

    def fields(self, vector: Vector) -> np.ndarray:
        """(3 levels + 1, rows, points): wind, temperature, pi."""
        made = np.zeros((3 * self.levels + 1, *self.transform.shape))
        made[:, self.transform.inside] = vector.reshape(-1, self.points)
        return made

    def vector(self, *fields: np.ndarray) -> Vector:
        return np.concatenate([f[:, self.transform.inside].ravel() for f in fields])

    def to_points(self, psi: np.ndarray, chi: np.ndarray, mass: np.ndarray) -> Vector:
        wind = self.transform.wind(self.laplace * psi, self.laplace * chi)
        return self.vector(*wind, self.transform.inverse(mass))

    def to_points_adjoint(self, vector: Vector) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        u, v, mass = np.split(self.fields(vector), [self.levels, 2 * self.levels])
        zeta, D = self.transform.wind_adjoint(u, v)
        return self.laplace * zeta, self.laplace * D, self.transform.inverse_adjoint(mass)

    def to_waves(self, vector: Vector) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The direct transform of a state."""
        u, v, mass = np.split(self.fields(vector), [self.levels, 2 * self.levels])
        zeta, D = self.transform.vorticity_divergence(u, v)
        return (
            self.inverse_laplace * zeta,
            self.inverse_laplace * D,
            self.transform.direct(mass),
        )


class AirBackground(LinearMap):
    """L: from the control vector, the numbers of the three parts one after another, to a state.

    transform : on the grid of the state. errors : those that `estimated` finds, or other ones.
    """

    def __init__(
        self, transform: SphericalHarmonics, errors: Errors, rotation: float = earth.ROTATION
    ) -> None:
        levels = errors.balance.shape[1]
        self.waves, self.errors = Waves(transform, levels), errors
        self.geopotential = linear_balance(transform, rotation)
        self.roots = [
            SpectralRoot(transform, None, np.array([root_of(C) for C in getattr(errors, name)]))
            for name in parts
        ]
        self.ends = np.cumsum([root.controls for root in self.roots])

    @property
    def controls(self) -> int:
        """Length of chi."""
        return int(self.ends[-1])

    def apply(self, x: Vector) -> Vector:
        psi, chi, mass = (
            root.coefficients(root.apply(part))
            for root, part in zip(self.roots, np.split(x, self.ends[:-1]))
        )
        balanced = (self.geopotential @ psi.T).T
        return self.waves.to_points(psi, chi, mass + self.errors.balance @ balanced)

    def adjoint(self, y: Vector) -> Vector:
        psi, chi, mass = self.waves.to_points_adjoint(y)
        psi = psi + (self.geopotential.T @ (self.errors.balance.T @ mass).T).T
        return np.concatenate(
            [root.adjoint(root.flat(c)) for root, c in zip(self.roots, (psi, chi, mass))]
        )


def estimated(
    differences: list[Vector],
    transform: SphericalHarmonics,
    levels: int,
    rotation: float = earth.ROTATION,
    ridge: float = 1e-4,
) -> Errors:
    """Covariances from differences of states of one time, as of forecasts of two lengths (Parrish &
    Derber 1992): N by regression over all waves, C_n as means over m, the samples and the degrees
    next to."""
    waves, geopotential = Waves(transform, levels), linear_balance(transform, rotation)
    all_waves = [waves.to_waves(d) for d in differences]
    balanced = [(geopotential @ psi.T).T for psi, _, _ in all_waves]
    inner = lambda a, b: np.real(a @ (np.where(transform.m == 0, 1.0, 2.0) * b).conj().T)
    A = sum(inner(phi, phi) for phi in balanced)
    B = sum(inner(mass, phi) for (_, _, mass), phi in zip(all_waves, balanced))
    N = np.linalg.solve(A + ridge * np.trace(A) / levels * np.eye(levels), B.T).T
    rest = [mass - N @ phi for (_, _, mass), phi in zip(all_waves, balanced)]
    psi, chi = ([w[k] for w in all_waves] for k in (0, 1))
    of = lambda samples: _covariances(samples, transform)
    return Errors(of(psi), of(chi), of(rest), N)


def _covariances(samples: list[np.ndarray], transform: SphericalHarmonics) -> np.ndarray:
    """C_n (truncation + 1, levels, levels), smoothed over n with weights 1, 2, 1 times the number
    of real numbers of a degree."""
    size, levels = transform.truncation + 1, len(samples[0])
    sums = np.zeros((size, levels, levels))
    twice = np.where(transform.m == 0, 1.0, 2.0)
    for n in range(size):
        these = np.flatnonzero(transform.n == n)
        for s in samples:
            here = s[:, these]
            sums[n] += np.real(here @ (twice[these] * here).conj().T)
    count = len(samples) * (2.0 * np.arange(size) + 1)
    smooth = lambda x: 2 * x + np.concatenate([x[:1], x[:-1]]) + np.concatenate([x[1:], x[-1:]])
    return smooth(sums) / smooth(count)[:, None, None]


def simple_errors(
    transform: SphericalHarmonics,
    a: np.ndarray,
    b: np.ndarray,
    *,
    wind: float = 3.0,
    temperature: float = 1.0,
    pressure: float = 100.0,
    length: float = 5e5,
    depth: float = 0.6,
    divergent: float = 0.1,
) -> Errors:
    """Covariances without statistics: correlations (1 + r/L) exp(-r/L) of the stream function and
    of unbalanced mass, exp(-(d ln p / depth)^2 / 2) between levels.

    wind [m s-1], unbalanced temperature [K] and pressure [Pa] : standard deviations; divergent:
    part of the wind's variance that is divergent. length [m]. a, b: of the interfaces.
    """
    p = 0.5 * (a[1:] + a[:-1]) + 0.5e5 * (b[1:] + b[:-1])
    apart = np.log(p[:, None] / p[None]) / depth
    between = np.exp(-0.5 * apart**2)
    n = np.arange(transform.truncation + 1)
    spectrum = correlation_spectrum(transform.truncation, second_order(length, transform.radius))
    # of the wind of a stream function of variance one: sum (2 n + 1) b_n n (n + 1) / a^2 over both
    of_wind = np.sum((2 * n + 1) * spectrum * n * (n + 1)) / transform.radius**2 / 2
    psi = spectrum[:, None, None] * between * wind**2 / of_wind
    deviation = np.append(np.full(len(p), temperature), pressure / 1e5)
    mass_between = np.eye(len(p) + 1)
    mass_between[:-1, :-1] = between
    mass = spectrum[:, None, None] * mass_between * np.outer(deviation, deviation)
    return Errors((1 - divergent) * psi, divergent * psi, mass, mass_of_geopotential(a, b))
