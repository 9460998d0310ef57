"""Linear maps with their adjoints, between vectors that are NumPy arrays of one dimension.

    <A x, y> = <x, A* y>

A map is an object with `apply` and `adjoint`. Products of maps are maps, too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fathom.base.failure import InputError

Vector = np.ndarray


class LinearMap(ABC):
    """x -> A x, and y -> A* y."""

    @abstractmethod
    def apply(self, x: Vector) -> Vector:
        """Returns A x."""

    @abstractmethod
    def adjoint(self, y: Vector) -> Vector:
        """Returns A* y."""

    def __matmul__(self, first: LinearMap) -> LinearMap:
        """Returns the map that applies `first`, and then this one."""
        return Product(self, first)


class Identity(LinearMap):
    """The map that changes nothing: propagation in 3D-Var and FGAT."""

    def apply(self, x: Vector) -> Vector:
        return x

    def adjoint(self, y: Vector) -> Vector:
        return y


class Matrix(LinearMap):
    """A matrix, dense or sparse (rows, columns)."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def apply(self, x: Vector) -> Vector:
        result: Vector = self.values @ x
        return result

    def adjoint(self, y: Vector) -> Vector:
        result: Vector = self.values.T @ y
        return result


class Product(LinearMap):
    """A B C ...: the last is applied first."""

    def __init__(self, *maps: LinearMap) -> None:
        self.maps = maps

    def apply(self, x: Vector) -> Vector:
        for each in reversed(self.maps):
            x = each.apply(x)
        return x

    def adjoint(self, y: Vector) -> Vector:
        for each in self.maps:
            y = each.adjoint(y)
        return y


class Ensemble(LinearMap):
    """The root of the covariance of an ensemble, each member with a field of weights,

        L chi = sum_i x'_i o (C^1/2 chi_i) / (N - 1)^1/2,

    so that B is the sample covariance times the localisation C, element by element. perturbations:
    members less their mean (N, n). localisation: the map C^1/2 from its control to n; None: one
    weight a member, no localisation (Lorenc 2003).
    """

    def __init__(
        self, perturbations: np.ndarray, localisation: LinearMap | None = None, size: int = 1
    ) -> None:
        perturbations = np.asarray(perturbations, float)
        if perturbations.ndim != 2 or len(perturbations) < 2:
            raise InputError(
                f"perturbations of shape {perturbations.shape}: (members, n) with two or more"
            )
        self.scaled = perturbations / np.sqrt(len(perturbations) - 1)
        self.localisation, self.size = localisation, size if localisation is not None else 1

    @property
    def controls(self) -> int:
        """Returns length of chi."""
        return len(self.scaled) * self.size

    def apply(self, x: Vector) -> Vector:
        weights = x.reshape(len(self.scaled), self.size)
        if self.localisation is None:
            plain: Vector = self.scaled.T @ weights[:, 0]
            return plain
        parts = (member * self.localisation.apply(w) for member, w in zip(self.scaled, weights))
        return np.asarray(sum(parts))

    def adjoint(self, y: Vector) -> Vector:
        if self.localisation is None:
            result: Vector = self.scaled @ y
            return result
        return np.concatenate([self.localisation.adjoint(member * y) for member in self.scaled])


class Hybrid(LinearMap):
    """The root of a sum of covariances, L = [w_1^1/2 L_1, w_2^1/2 L_2, ...], each with a part of
    the control vector, of the length `controls`. ValueError: no term, or a negative weight.
    """

    def __init__(self, *terms: tuple[float, Any]) -> None:
        if not terms or any(weight < 0 for weight, _ in terms):
            raise InputError("a sum of covariances needs weights that are not negative")
        self.terms = [(float(np.sqrt(weight)), root) for weight, root in terms]
        self.ends = np.cumsum([root.controls for _, root in self.terms])

    @property
    def controls(self) -> int:
        """Returns length of chi."""
        return int(self.ends[-1])

    def apply(self, x: Vector) -> Vector:
        parts = np.split(x, self.ends[:-1])
        several = (root_weight * L.apply(part) for (root_weight, L), part in zip(self.terms, parts))
        return np.asarray(sum(several))

    def adjoint(self, y: Vector) -> Vector:
        return np.concatenate([root_weight * L.adjoint(y) for root_weight, L in self.terms])


def adjoint_error(map_: LinearMap, x: Vector, y: Vector) -> float:
    """Returns |<A x, y> - <x, A* y>|, relative to the sum of the absolute terms."""
    forward, backward = map_.apply(x) * y, x * map_.adjoint(y)
    size = max(np.abs(forward).sum(), np.abs(backward).sum(), np.finfo(float).tiny)
    result: float = abs(float(forward.sum() - backward.sum())) / size
    return result


def tangent_error(
    model: Callable[[Vector], Vector],
    tangent: LinearMap,
    x: Vector,
    direction: Vector,
    steps: Sequence[float],
) -> np.ndarray:
    """Returns |(M(x + s d) - M(x)) / s - M' d| / |M' d| for each step s: falls with s where M' is
    the tangent of M at x.
    """
    here, linear = model(x), tangent.apply(direction)
    size = np.linalg.norm(linear)
    return np.array(
        [np.linalg.norm((model(x + s * direction) - here) / s - linear) / size for s in steps]
    )
