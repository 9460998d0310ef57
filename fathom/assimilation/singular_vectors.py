"""Singular vectors: the perturbations that grow most in the total energy norm (Buizza & Palmer
1995).

    E(x) = 1/2 sum over points and layers of [u^2 + v^2 + (c_p / T_r) T^2] d(eta) + R T_r pi^2
    A    = E^1/2 P M' L,     L: from coordinates of length one to states of energy one
    A v_i = sigma_i u_i,     sigma the growth of amplitude, by Lanczos on A* A

P takes a part of the sphere alone at the end (local projection), by its points. Coordinates are
coefficients of stream function, velocity potential, temperature and pi, each with the root of its
energy: no two of them make the same state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fathom.assimilation.balance import Waves
from fathom.assimilation.maps import LinearMap, Product, Vector
from fathom.base import constants
from fathom.base.failure import InputError
from fathom.grids.transform import SphericalHarmonics


class EnergyRoot(LinearMap):
    """Maps coordinates x to a state whose energy is x.x / 2, as a mean over the sphere [m2 s-2].

    thickness : d(eta) of the layers, which add up to one.
    """

    def __init__(
        self,
        transform: SphericalHarmonics,
        thickness: np.ndarray,
        *,
        reference_temperature: float = 300.0,
        gas_constant: float = constants.dry_air_gas_constant,
        heat_capacity: float = constants.spectral_heat_capacity,
    ) -> None:
        self.waves = Waves(transform, len(thickness))
        self.layers = np.asarray(thickness, float)
        self.of_temperature = heat_capacity / reference_temperature
        self.of_pressure = gas_constant * reference_temperature
        # a mean over the sphere is sum |f_n^m|^2, those of m > 0 twice
        twice = np.where(transform.m == 0, 1.0, 2.0)
        wind = np.sqrt(-self.waves.inverse_laplace / twice)[None] / np.sqrt(self.layers)[:, None]
        mass = np.append(self.layers * self.of_temperature, self.of_pressure)
        self.scales = [wind, wind, 1 / np.sqrt(mass[:, None] * twice[None])]
        still = transform.n == 0
        real = np.ones(transform.waves, bool)
        imaginary = transform.m > 0
        self.kept = [
            np.stack([np.broadcast_to(part & use, s.shape) for part in (real, imaginary)])
            for s, use in zip(self.scales, (~still, ~still, real))
        ]

    @property
    def controls(self) -> int:
        """Returns the length of the control vector."""
        return sum(int(kept.sum()) for kept in self.kept)

    def apply(self, x: Vector) -> Vector:
        made, at = [], 0
        for scale, kept in zip(self.scales, self.kept):
            both = np.zeros(kept.shape)
            count = int(kept.sum())
            both[kept] = x[at : at + count]
            at += count
            made.append(scale * (both[0] + 1j * both[1]))
        return self.waves.to_points(*made)

    def adjoint(self, y: Vector) -> Vector:
        found = []
        for scale, kept, c in zip(self.scales, self.kept, self.waves.to_points_adjoint(y)):
            found.append(np.stack([scale * c.real, scale * c.imag])[kept])
        return np.concatenate(found)

    def weights(self, inside: np.ndarray | None = None) -> Vector:
        """Returns weight of each number of a state in twice its energy; inside (rows, points):
        P."""
        transform = self.waves.transform
        row = np.asarray(transform.weight) / np.asarray(transform.grid.points)
        area = np.broadcast_to(row[:, None], transform.shape)
        area = np.where(transform.inside if inside is None else inside, area, 0.0)
        of = [
            self.layers,
            self.layers,
            np.append(self.layers * self.of_temperature, self.of_pressure),
        ]
        return self.waves.vector(*(w[:, None, None] * area for w in of))


class _Weighted(LinearMap):
    def __init__(self, weights: Vector) -> None:
        self.root = np.sqrt(weights)

    def apply(self, x: Vector) -> Vector:
        result: Vector = self.root * x
        return result

    def adjoint(self, y: Vector) -> Vector:
        result: Vector = self.root * y
        return result


@dataclass
class SingularVectors:
    """values sigma, largest first; `initial` and `final` states (number, length of a state), of
    twice the energy one at the start; `applications` of A and of its adjoint."""

    values: np.ndarray
    initial: np.ndarray
    final: np.ndarray
    applications: int


def growth(trajectory: Any, root: Any, inside: np.ndarray | None = None) -> LinearMap:
    """Returns A, of all steps of a trajectory."""
    return Product(_Weighted(root.weights(inside)), trajectory.propagation(), root)


def singular_vectors(
    trajectory: Any,
    root: Any,
    number: int,
    *,
    inside: np.ndarray | None = None,
    tolerance: float = 1e-10,
) -> SingularVectors:
    """Returns the first singular vectors of all steps of a trajectory, by Lanczos (ARPACK's). root:
    L, with `weights` of E and `controls`; EnergyRoot of the air, SeaRoot of the sea.
    """
    from scipy.sparse import linalg

    if not 0 < number < root.controls:
        raise InputError(f"number = {number} must be positive and below {root.controls}")
    A, M, count = growth(trajectory, root, inside), trajectory.propagation(), 0

    def twice(x: np.ndarray) -> np.ndarray:
        nonlocal count
        count += 1
        return A.adjoint(A.apply(x.ravel()))

    operator = linalg.LinearOperator((root.controls, root.controls), matvec=twice, dtype=float)
    start = np.random.default_rng(0).standard_normal(root.controls)
    squares, vectors = linalg.eigsh(operator, number, tol=tolerance, v0=start)
    order = np.argsort(-squares)
    initial = np.array([root.apply(v) for v in vectors.T[order]])
    return SingularVectors(
        np.sqrt(squares[order]), initial, np.array([M.apply(x) for x in initial]), count
    )
