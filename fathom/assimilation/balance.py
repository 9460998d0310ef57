"""Background errors of the state of a spectral atmosphere: what is balanced follows from the stream
function, what is not has its own controls.

    wind     = k x grad psi + grad chi          psi = V_psi x_psi,  chi = V_chi x_chi
    phi_b    : laplace phi_b = div(f grad psi), the linear balance,
        phi_n = 2 Omega [(n - 1) / n eps_n psi_{n-1} + (n + 2) / (n + 1) eps_{n+1} psi_{n+1}],
        eps_n = sqrt((n^2 - m^2) / (4 n^2 - 1))
    (T, pi)  = N phi_b + V_mass x_mass

pi is ln p_s, N a matrix between levels: by regression, or the temperatures and the pressure whose
geopotential is phi_b. Regression may find more (Derber & Bouttier 1999, Berre 2000), matrices of
each degree n: the velocity potential that phi_b explains, the mass that the rest of it explains,
and of humidity what all three explain,

    chi      = M_n phi_b + chi_u,             chi_u = V_chi x_chi
    (T, pi)  = N phi_b + P_n chi_u + mass_u,  mass_u = V_mass x_mass
    q / q_s  = Q_n (phi_b, chi_u, mass_u) + V_q x_q

q_s is the saturation of a state that is given. All of it is linear and has its adjoint; vectors are
those of a `Trajectory`: wind, temperature, pi and, if any, humidity at the points of a Gaussian
grid.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fathom.assimilation.maps import LinearMap, Vector
from fathom.assimilation.spectral import (
    SpectralRoot,
    correlation_spectrum,
    root_of,
    second_order,
)
from fathom.base import constants, earth, mpi, reading, writing
from fathom.base.failure import InputError
from fathom.grids.transform import SphericalHarmonics

parts = ("stream_function", "velocity_potential", "mass")
more = ("divergence_balance", "mass_by_divergence", "humidity", "humidity_balance")


def linear_balance(transform: SphericalHarmonics, rotation: float = earth.ROTATION) -> Any:
    """Returns sparse (waves, waves): coefficients of geopotential [m2 s-2] from those of the stream
    function [m2 s-1]; that of n = 0 is 0."""
    from scipy import sparse

    m, n = np.asarray(transform.m), np.asarray(transform.n)

    def epsilon(n: Any, m: Any) -> Any:
        return np.sqrt((n * n - m * m) / (4.0 * n * n - 1))

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
    """Returns N (levels + 1, levels): temperatures [K] and ln p_s of a geopotential [m2 s-2] of the
    layers,

        phi = gamma T + R T_r pi

    by least squares with T as straight from level to level as fits: there is one unknown more than
    there are equations, and a noise of two levels in T hardly shows in phi. a, b: of the
    interfaces.
    """
    reference = mpi.core.hybrid_reference(list(map(float, a)), list(map(float, b)))
    levels = len(a) - 1
    gamma = np.asarray(reference["gamma"]).reshape(levels, levels)
    per_pi = 1.0 / temperature  # pi in units that move phi about as 1 K does
    A = np.concatenate(
        [gamma, np.full((levels, 1), constants.balance_gas_constant * temperature * per_pi)], axis=1
    )
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
    coefficients, with the variance of a field sum_n (2 n + 1) C_n; N (levels + 1, levels); and,
    where they were found, M_n, P_n, Q_n (truncation + 1, to, from)."""

    stream_function: np.ndarray
    velocity_potential: np.ndarray
    mass: np.ndarray
    balance: np.ndarray
    divergence_balance: np.ndarray | None = None  # M_n
    mass_by_divergence: np.ndarray | None = None  # P_n
    humidity: np.ndarray | None = None
    humidity_balance: np.ndarray | None = None  # Q_n

    def _with(self, names: tuple[str, ...], change: Callable[..., Any]) -> Errors:
        """Returns the same errors with those of these parts that there are changed."""
        there = {name: getattr(self, name) for name in names}
        return replace(self, **{n: change(x) for n, x in there.items() if x is not None})

    def scaled(self, factor: float) -> Errors:
        """Returns all variances times a factor."""
        return self._with((*parts, "humidity"), lambda C: factor * C)

    def truncated(self, truncation: int) -> Errors:
        """Returns the errors of a coarser model, of degrees up to `truncation`."""
        if not 0 < truncation < len(self.mass):
            raise InputError(
                f"truncation = {truncation} of errors of T{len(self.mass) - 1}: allowed is the"
                " same or less"
            )
        return self._with((*parts, *more), lambda x: x[: truncation + 1])

    def write(self, path: str) -> None:
        """Writes the covariances as NetCDF; the file appears when it is whole."""
        import xarray as xr

        levels = len(self.balance) - 1
        variables: dict[str, Any] = {
            name: (("degree", f"{name}_level", f"{name}_other"), getattr(self, name))
            for name in parts
        }
        variables["balance"] = (("mass_level", "level"), self.balance)
        for name in more:
            if (matrices := getattr(self, name)) is not None:
                variables[name] = (("degree", f"{name}_to", f"{name}_from"), matrices)
        attributes = {"title": "covariances of background errors", "levels": levels}
        with writing.whole(path) as part:
            xr.Dataset(variables, attrs=attributes).to_netcdf(part)

    @staticmethod
    def read(path: str) -> Errors:
        """Reads what `write` wrote. ValueError: the file is another one."""
        import xarray as xr

        with reading.told(path), xr.open_dataset(path) as data:
            if missing := [n for n in (*parts, "balance") if n not in data]:
                raise InputError(
                    f"{path}: no {', '.join(missing)}; expected is the file of"
                    " fathom background --nmc"
                )
            there = [n for n in (*parts, "balance", *more) if n in data]
            return Errors(**{n: data[n].values for n in there})


class Waves:
    """Maps vectors of a state to coefficients of stream function, velocity potential, temperature
    with pi below it, and, if `saturation` (levels, points) is given, relative humidity; and back.
    """

    def __init__(
        self,
        transform: SphericalHarmonics,
        levels: int,
        saturation: np.ndarray | None = None,
    ) -> None:
        self.transform, self.levels, self.saturation = transform, levels, saturation
        n = np.asarray(transform.n, float)
        self.laplace = -n * (n + 1) / transform.radius**2
        self.inverse_laplace = np.divide(1.0, self.laplace, out=0 * n, where=n > 0)
        self.points = int(transform.inside.sum())
        self.degrees = [np.flatnonzero(transform.n == n) for n in range(transform.truncation + 1)]

    @property
    def size(self) -> int:
        """Returns length of a vector of a state."""
        return (3 * self.levels + 1 + self.levels * (self.saturation is not None)) * self.points

    def fields(self, vector: Vector) -> np.ndarray:
        """Returns (3 levels + 1 and more, rows, points): wind, temperature, pi, humidity."""
        made = np.zeros((self.size // self.points, *self.transform.shape))
        made[:, self.transform.inside] = vector.reshape(-1, self.points)
        return made

    def vector(self, *fields: np.ndarray) -> Vector:
        """Returns fields (levels, rows, points) as one vector, without padding of short rows."""
        return np.concatenate([f[:, self.transform.inside].ravel() for f in fields])

    def to_points(
        self, psi: np.ndarray, chi: np.ndarray, mass: np.ndarray, r: np.ndarray | None = None
    ) -> Vector:
        """Returns the vector of wind, temperature and ln p_s (and humidity, where r is given) on
        the grid, from coefficients (levels, waves) of stream function, velocity potential, mass and
        relative humidity.
        """
        wind = self.transform.wind(self.laplace * psi, self.laplace * chi)
        made = self.vector(*wind, self.transform.inverse(mass))
        if r is None:
            return made
        relative = self.vector(self.transform.inverse(r)).reshape(self.levels, -1)
        return np.concatenate([made, (self.saturation * relative).ravel()])

    def _split(self, vector: Vector) -> tuple[np.ndarray, ...]:
        ends = [self.levels, 2 * self.levels, 3 * self.levels + 1]
        u, v, mass, q = np.split(self.fields(vector), ends)
        return (u, v, mass) if self.saturation is None else (u, v, mass, q)

    def to_points_adjoint(self, vector: Vector) -> tuple[np.ndarray, ...]:
        """Returns the adjoint of `to_points`: four coefficients, without humidity three."""
        u, v, mass, *q = self._split(vector)
        zeta, D = self.transform.wind_adjoint(u, v)
        made = (self.laplace * zeta, self.laplace * D, self.transform.inverse_adjoint(mass))
        return (*made, *(self.transform.inverse_adjoint(self._times(x)) for x in q))

    def to_waves(self, vector: Vector) -> tuple[np.ndarray, ...]:
        """Returns the direct transform of a state."""
        u, v, mass, *q = self._split(vector)
        zeta, D = self.transform.vorticity_divergence(u, v)
        made = (self.inverse_laplace * zeta, self.inverse_laplace * D, self.transform.direct(mass))
        return (*made, *(self.transform.direct(self._times(x, -1)) for x in q))

    def _times(self, q: np.ndarray, power: int = 1) -> np.ndarray:
        made, factor = q.copy(), np.asarray(self.saturation)
        made[:, self.transform.inside] *= factor**power
        return made

    def by_degree(self, matrices: np.ndarray, of: np.ndarray) -> np.ndarray:
        """Returns coefficients (levels, waves) times the matrix of each degree."""
        made = np.empty((matrices.shape[1], of.shape[1]), of.dtype)
        for A, these in zip(matrices, self.degrees):
            made[:, these] = A @ of[:, these]
        return made


class AirBackground(LinearMap):
    """L: from the control vector, the numbers of the parts one after another, to a state.

    transform : on the grid of the state. errors : those that `estimated` finds, or other ones.
    saturation : q_s (levels, points) [kg kg-1] of a state with humidity.
    """

    def __init__(
        self,
        transform: SphericalHarmonics,
        errors: Errors,
        rotation: float = earth.ROTATION,
        saturation: np.ndarray | None = None,
    ) -> None:
        levels = errors.balance.shape[1]
        if (errors.humidity is None) != (saturation is None):
            raise InputError(
                "humidity needs both its errors and the saturation of the state, or none of them"
            )
        self.waves, self.errors = Waves(transform, levels, saturation), errors
        self.geopotential = linear_balance(transform, rotation)
        names = parts if errors.humidity is None else (*parts, "humidity")
        self.roots = [
            SpectralRoot(transform, None, np.array([root_of(C) for C in getattr(errors, name)]))
            for name in names
        ]
        self.ends = np.cumsum([root.controls for root in self.roots])

    @property
    def controls(self) -> int:
        """Returns length of chi."""
        return int(self.ends[-1])

    def apply(self, x: Vector) -> Vector:
        psi, chi, mass, *q = (
            root.coefficients(root.apply(part))
            for root, part in zip(self.roots, np.split(x, self.ends[:-1]))
        )
        e, of = self.errors, self.waves.by_degree
        phi = (self.geopotential @ psi.T).T
        if e.humidity_balance is not None:
            q = [q[0] + of(e.humidity_balance, np.concatenate([phi, chi, mass]))]
        mass = mass + e.balance @ phi
        if e.mass_by_divergence is not None:
            mass = mass + of(e.mass_by_divergence, chi)
        if e.divergence_balance is not None:
            chi = chi + of(e.divergence_balance, phi)
        return self.waves.to_points(psi, chi, mass, *q)

    def adjoint(self, y: Vector) -> Vector:
        psi, chi, mass, *q = self.waves.to_points_adjoint(y)
        e = self.errors

        def back(A: Any, z: Any) -> Any:
            return self.waves.by_degree(A.transpose(0, 2, 1), z)

        phi = e.balance.T @ mass
        if e.divergence_balance is not None:
            phi = phi + back(e.divergence_balance, chi)
        if e.mass_by_divergence is not None:
            chi = chi + back(e.mass_by_divergence, mass)
        if e.humidity_balance is not None:
            K = self.waves.levels
            explained = np.split(back(e.humidity_balance, q[0]), [K, 2 * K])
            phi, chi, mass = phi + explained[0], chi + explained[1], mass + explained[2]
        psi = psi + (self.geopotential.T @ phi.T).T
        return np.concatenate(
            [root.adjoint(root.flat(c)) for root, c in zip(self.roots, (psi, chi, mass, *q))]
        )


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
    humidity: float = 0.0,
) -> Errors:
    """Returns covariances without statistics: correlations (1 + r/L) exp(-r/L) of the stream
    function and of unbalanced mass, exp(-(d ln p / depth)^2 / 2) between levels.

    wind [m s-1], unbalanced temperature [K] and pressure [Pa], relative humidity [1] : standard
    deviations; that of humidity falls with pressure above 300 hPa, 0: none. divergent: part of the
    wind's variance that is divergent. length [m]. a, b: of the interfaces.
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
    moist = None
    if humidity:
        size = humidity * np.minimum(p / 3e4, 1)
        moist = spectrum[:, None, None] * between * np.outer(size, size)
    balance = mass_of_geopotential(a, b)
    return Errors((1 - divergent) * psi, divergent * psi, mass, balance, humidity=moist)
