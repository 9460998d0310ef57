"""Background errors of the sea by diffusion: correlations that end at coasts and at the bottom.

    C = N R R^T N,    R = S_h^{M/2} S_v^{M/2} V^{-1/2},    S = (1 - l^2 laplace)^{-1}

S_h and S_v are steps of implicit diffusion along the layers and down the columns, between cells
with water; V are volumes, N makes the diagonal of C one. M steps of length l correlate as a Matern
function of Daley's length D, D^2 = (2 M - d - 2) l^2 in d dimensions (Weaver & Mirouze 2013).

A state is temperature [degC], salinity [1e-3] of the wet cells, level by level, and the height of
the surface [m] of the wet columns; it has three controls, and the height follows the column's
expansion,

    T = sigma_T C_T^1/2 x_T,   S = sigma_S C_S^1/2 x_S,
    eta = sigma_eta C_eta^1/2 x_eta + sum_k (alpha_k T_k - beta_k S_k) dz_k
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fathom.assimilation.maps import LinearMap, Vector
from fathom.base import earth
from fathom.base.failure import InputError


@dataclass(frozen=True)
class Sea:
    """Cells of an ocean: longitude and latitude of their centres (ny, nx) [degrees], thickness of
    the layers (K) [m], number of wet layers (ny, nx). periodic: the last column meets the first.
    """

    longitude: np.ndarray
    latitude: np.ndarray
    thickness: np.ndarray
    wet_levels: np.ndarray
    periodic: bool = True

    @classmethod
    def of_grid(cls, grid: Any) -> Sea:
        """Returns the cells of an ocean's grid."""
        x, y = (np.asarray(c) for c in grid.coordinates("center"))
        return cls(x, y, np.asarray(grid.levels.weights, float), np.asarray(grid.wet_levels))

    @property
    def wet(self) -> np.ndarray:
        """Returns (K, ny, nx)."""
        return np.arange(len(self.thickness))[:, None, None] < self.wet_levels

    @property
    def cells(self) -> int:
        """Returns the number of cells with water."""
        return int(self.wet.sum())

    @property
    def columns(self) -> int:
        """Returns the number of columns with water."""
        return int((self.wet_levels > 0).sum())

    @property
    def size(self) -> int:
        """Returns length of a state."""
        return 2 * self.cells + self.columns

    def vector(self, temperature: Any, salinity: Any, height: Any) -> Vector:
        """Returns the vector of two fields (K, ny, nx) and one (ny, nx)."""
        flat = np.asarray(height).reshape(self.wet_levels.shape)[self.wet_levels > 0]
        return np.concatenate([np.asarray(temperature)[self.wet],
                               np.asarray(salinity)[self.wet], flat])  # fmt: skip

    def fields(self, vector: Vector) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns the fields of a state; 0 where there is no water."""
        T, S = np.zeros((2, *self.wet.shape))
        height = np.zeros(self.wet_levels.shape)
        T[self.wet], S[self.wet], height[self.wet_levels > 0] = np.split(
            vector, [self.cells, 2 * self.cells]
        )
        return T, S, height

    def _apart(self, axis: int) -> np.ndarray:
        """Returns distance from each centre to the next [m]; 1 where there is no next one."""
        here = earth.unit_vectors(self.longitude, self.latitude)
        chord = np.linalg.norm(np.roll(here, -1, axis) - here, axis=-1)
        made = 2 * earth.RADIUS * np.arcsin(np.minimum(chord / 2, 1))
        if axis == 0 or not self.periodic:
            np.moveaxis(made, axis, 0)[-1] = 1.0
        result: np.ndarray = np.maximum(made, 1.0)
        return result

    def distances(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns distances to the next cell along i and along j [m], and areas [m2] (ny, nx)."""
        dx, dy = self._apart(1), self._apart(0)
        wide = (
            0.5 * (dx + np.roll(dx, 1, 1)) if self.periodic else np.maximum(dx, np.roll(dx, 1, 1))
        )
        high = np.maximum(dy, np.roll(dy, 1, 0))
        return dx, dy, wide * high


def _step(volumes: np.ndarray, faces: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> Any:
    """Returns the factorised V + K of a step S = (V + K)^-1 V; faces: cells on both sides and what
    flows for a difference of one.
    """
    from scipy import sparse
    from scipy.sparse.linalg import splu

    count = len(volumes)
    matrix = sparse.diags(volumes).tocsc()
    for a, b, flow in faces:
        one = sparse.coo_matrix(
            (np.concatenate([flow, flow, -flow, -flow]),
             (np.concatenate([a, b, a, b]), np.concatenate([a, b, b, a]))), (count, count),
        )  # fmt: skip
        matrix = matrix + one.tocsc()
    return splu(matrix.tocsc(), permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True})


class Diffusion(LinearMap):
    """C^1/2 on the wet cells of `levels` layers (all: K; one: the surface), by the lengths D along
    the layers and, of several, down the columns [m]. samples: random vectors by which N is found, 2
    per cent with 1000; 0: exactly, by all columns, for small seas.
    """

    def __init__(
        self, sea: Sea, length: float, depth: float = 0.0, levels: int = 0, steps: int = 6,
        samples: int = 1000, seed: int = 0,
    ) -> None:  # fmt: skip
        if steps < 4 or steps % 2:
            raise InputError(f"steps = {steps} of a diffusion must be an even number, 4 or more")
        if not length > 0 or depth < 0:
            raise InputError(f"lengths {length} and {depth} of a diffusion must be positive")
        levels = levels or len(sea.thickness)
        wet = sea.wet[:levels]
        self.number = np.where(wet, np.cumsum(wet).reshape(wet.shape) - 1, -1)
        self.cells, self.half = int(wet.sum()), steps // 2
        dx, dy, area = sea.distances()
        areas = np.broadcast_to(area, wet.shape)[wet]
        thickness = np.broadcast_to(sea.thickness[:levels, None, None], wet.shape)[wet]
        l2 = length**2 / (2 * steps - 4)
        self.parts = [(areas, _step(areas, [
            self._faces(2, l2 * np.maximum(dy, np.roll(dy, 1, 0)) / dx, sea.periodic),
            self._faces(1, l2 * np.maximum(dx, np.roll(dx, 1, 1)) / dy, False),
        ]))]  # fmt: skip
        if depth and levels > 1:
            between = np.append(0.5 * (sea.thickness[1:] + sea.thickness[:-1]), 1.0)[:levels]
            flow = depth**2 / (2 * steps - 3) / between[:, None, None] * np.ones(wet.shape[1:])
            self.parts.append((thickness, _step(thickness, [self._faces(0, flow, False)])))
        self.root_volume = np.sqrt(areas * thickness)
        self.normal = np.ones(self.cells)
        self.normal = 1 / np.sqrt(self._diagonal(samples, seed))

    @property
    def controls(self) -> int:
        """Returns length of its control."""
        return self.cells

    def _faces(self, axis: int, flow: np.ndarray, periodic: bool) -> tuple[Any, Any, Any]:
        here, there = self.number, np.roll(self.number, -1, axis)
        both = (here >= 0) & (there >= 0)
        if not periodic:
            np.moveaxis(both, axis, 0)[-1] = False
        return here[both], there[both], np.broadcast_to(flow, here.shape)[both]

    def _diagonal(self, samples: int, seed: int) -> np.ndarray:
        if samples:
            random, total = np.random.default_rng(seed), np.zeros(self.cells)
            for _ in range(samples):
                total += self.apply(random.standard_normal(self.cells)) ** 2
            return total / samples
        return np.array([np.sum(self.adjoint(unit) ** 2) for unit in np.eye(self.cells)])

    def apply(self, x: Vector) -> Vector:
        x = x / self.root_volume
        for volumes, step in self.parts[::-1]:
            for _ in range(self.half):
                x = step.solve(volumes * x)
        result: Vector = self.normal * x
        return result

    def adjoint(self, y: Vector) -> Vector:
        y = self.normal * y
        for volumes, step in self.parts:
            for _ in range(self.half):
                y = volumes * step.solve(y)
        result: Vector = y / self.root_volume
        return result


@dataclass(frozen=True)
class SeaErrors:
    """Standard deviations of temperature and salinity by layer (K) and of the surface that density
    does not explain [m]; lengths D [m] of temperature and salinity along and across the layers, of
    the surface; expansion [K-1] and contraction [1 / 1e-3] by layer (K)."""

    temperature: np.ndarray
    salinity: np.ndarray
    height: float
    length: float
    depth: float
    length_of_surface: float
    expansion: np.ndarray
    contraction: np.ndarray


class SeaBackground(LinearMap):
    """L: from the three controls, one after another, to a state."""

    def __init__(self, sea: Sea, errors: SeaErrors, **options: Any) -> None:
        self.sea, self.errors = sea, errors
        self.inside = Diffusion(sea, errors.length, errors.depth, **options)
        self.surface = Diffusion(sea, errors.length_of_surface, levels=1, **options)
        level = np.broadcast_to(np.arange(len(sea.thickness))[:, None, None], sea.wet.shape)[
            sea.wet
        ]
        self.deviations = errors.temperature[level], errors.salinity[level]
        dz = sea.thickness[level]
        self.steric = errors.expansion[level] * dz, -errors.contraction[level] * dz
        number = np.cumsum(sea.wet_levels.ravel() > 0).reshape(sea.wet_levels.shape) - 1
        self.column = np.broadcast_to(number, sea.wet.shape)[sea.wet]
        self.ends = np.cumsum([sea.cells, sea.cells])

    @property
    def controls(self) -> int:
        """Returns length of chi: as many as a state has."""
        return self.sea.size

    def apply(self, x: Vector) -> Vector:
        *inside, surface = np.split(x, self.ends)
        T, S = (s * self.inside.apply(part) for s, part in zip(self.deviations, inside))
        eta = self.errors.height * self.surface.apply(surface)
        eta = eta + np.bincount(
            self.column, self.steric[0] * T + self.steric[1] * S, minlength=self.sea.columns
        )
        return np.concatenate([T, S, eta])

    def adjoint(self, y: Vector) -> Vector:
        T, S, eta = np.split(y, self.ends)
        below = eta[self.column]
        parts = [
            self.inside.adjoint(s * (part + steric * below))
            for s, part, steric in zip(self.deviations, (T, S), self.steric)
        ]
        return np.concatenate([*parts, self.errors.height * self.surface.adjoint(eta)])


def columns(sea: Sea, at: tuple[np.ndarray, np.ndarray], levels: int) -> Any:
    """Returns sparse H of profiles: temperature and salinity of the wet among the first `levels`
    layers at cells (j, i).
    """
    from scipy import sparse

    number = np.where(sea.wet, np.cumsum(sea.wet).reshape(sea.wet.shape) - 1, -1)
    cells = number[:levels, at[0], at[1]]
    cells = cells[cells >= 0]
    both = np.concatenate([cells, sea.cells + cells])
    return sparse.csr_matrix((np.ones(len(both)), (np.arange(len(both)), both)),
                             (len(both), sea.size))  # fmt: skip


def surface(sea: Sea, at: tuple[np.ndarray, np.ndarray], what: str) -> Any:
    """Returns sparse H of the "height" or the "temperature" of the surface at wet cells (j, i)."""
    from scipy import sparse

    wet = sea.wet_levels > 0
    number = np.cumsum(wet).reshape(wet.shape) - 1
    first = number[at]  # level by level: the top layer comes first
    place = first + (2 * sea.cells if what == "height" else 0)
    return sparse.csr_matrix((np.ones(len(place)), (np.arange(len(place)), place)),
                             (len(place), sea.size))  # fmt: skip
