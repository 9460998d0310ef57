"""Bias of observations as a linear function of predictors, whose coefficients are unknowns of the
analysis (Dee 2004; Harris & Kelly 2001).

    b = sum_i beta_i p_i,    p = 1, thicknesses 1000-300 and 200-50 hPa, powers of the scan angle

`apply` is linear in beta: its own tangent; `adjoint` its transpose.

    cost = with_bias(cost, [predictors of each slot], background_error)      # J of (chi, beta')
    state, beta = parted(lanczos(cost).increment, background_error)

In the control vector: beta = beta_b + sigma_beta beta', so that B and R share out each departure,

    J = 1/2 |chi|^2 + 1/2 |beta'|^2 + 1/2 sum_s |G_s chi + P_s beta - d_s|^2_R
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fathom.assimilation.cost import Cost, Slot
from fathom.assimilation.maps import LinearMap, Vector
from fathom.base.failure import InputError


@dataclass(frozen=True)
class Predictors:
    """Values (n, predictors) of each datum, centred and scaled so that coefficients are of the
    size of the bias.
    """

    values: np.ndarray

    @classmethod
    def of_radiances(
        cls, thickness_1000_300: np.ndarray, thickness_200_50: np.ndarray, angle: np.ndarray
    ) -> Predictors:
        """Returns thicknesses [m] about 8800 and 8600 m in units of 200 m, three powers of the
        angle from the nadir [degrees] in units of 50.
        """
        scan = np.asarray(angle) / 50
        one = np.ones_like(scan)
        first, second = (
            (np.asarray(thickness_1000_300) - 8800) / 200,
            (np.asarray(thickness_200_50) - 8600) / 200,
        )
        return cls(np.stack([one, first, second, scan, scan**2, scan**3], axis=1))

    def apply(self, coefficients: np.ndarray) -> np.ndarray:
        """Returns the bias of each datum."""
        result: np.ndarray = self.values @ coefficients
        return result

    tangent = apply

    def adjoint(self, bias: np.ndarray) -> np.ndarray:
        """Returns the gradient by the coefficients (6), from that by the biases (n)."""
        result: np.ndarray = self.values.T @ bias
        return result

    def fitted(
        self, departure: np.ndarray, error: np.ndarray, background: np.ndarray,
        background_error: np.ndarray,
    ) -> np.ndarray:  # fmt: skip
        """Returns the coefficients from departures, with the earlier ones as a background: the
        least of |d - b|^2 / error^2 + |beta - background|^2 / background_error^2.
        """
        weighted = self.values / error[:, None]
        A = weighted.T @ weighted + np.diag(1 / background_error**2)
        right = weighted.T @ (departure / error) + background / background_error**2
        return np.linalg.solve(A, right)


class _Widened(LinearMap):
    """A root of B for (dx, beta), of (chi, beta')."""

    def __init__(self, root: LinearMap, deviation: np.ndarray) -> None:
        self.root, self.deviation = root, deviation

    def apply(self, x: Vector) -> Vector:
        state, beta = _split(x, self.deviation)
        return np.concatenate([self.root.apply(state), self.deviation * beta])

    def adjoint(self, y: Vector) -> Vector:
        state, beta = _split(y, self.deviation)
        return np.concatenate([self.root.adjoint(state), self.deviation * beta])


class _Beside(LinearMap):
    """H dx + P beta of a slot; without P: M dx, beta as it is."""

    def __init__(self, of_state: LinearMap, deviation: np.ndarray, of: Predictors | None) -> None:
        self.of_state, self.deviation, self.predictors = of_state, deviation, of

    def apply(self, x: Vector) -> Vector:
        state, beta = _split(x, self.deviation)
        seen = self.of_state.apply(state)
        if self.predictors is None:
            return np.concatenate([seen, beta])
        result: Vector = seen + self.predictors.apply(beta)
        return result

    def adjoint(self, y: Vector) -> Vector:
        if self.predictors is not None:
            return np.concatenate([self.of_state.adjoint(y), self.predictors.adjoint(y)])
        state, beta = _split(y, self.deviation)
        return np.concatenate([self.of_state.adjoint(state), beta])


def _split(x: Vector, deviation: np.ndarray) -> tuple[Vector, Vector]:
    at = len(x) - len(deviation)
    return x[:at], x[at:]


def with_bias(cost: Cost, predictors: Sequence[Predictors], deviation: np.ndarray) -> Cost:
    """Returns the cost function with coefficients of bias in its control vector; predictors: of the
    data of each slot; deviation: of the coefficients. ValueError: numbers that do not fit.
    """
    deviation = np.asarray(deviation, float)
    fits = len(predictors) == len(cost.slots) and all(
        p.values.shape == (len(s.departures), len(deviation))
        for p, s in zip(predictors, cost.slots)
    )
    if not fits:
        raise InputError("each slot needs predictors (its data, coefficients) of its bias")
    slots = [
        Slot(
            slot.departures, slot.variances, _Beside(slot.observation, deviation, own),
            _Beside(slot.propagation, deviation, None),
        )
        for slot, own in zip(cost.slots, predictors)
    ]  # fmt: skip
    return Cost(_Widened(cost.background, deviation), slots)


def parted(increment: Vector, deviation: np.ndarray) -> tuple[Vector, Vector]:
    """Returns increments of the state and of the coefficients, of an increment of both."""
    return _split(increment, deviation)
