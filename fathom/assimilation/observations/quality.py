"""Variational quality control: the cost J of a normalised departure z and the weight W of its
datum, J' = W z. Sources: Ingleby & Lorenc (1993), Andersson & Järvinen (1999), Huber (1964).

    flat     J = -ln((gamma + exp(-z^2 / 2)) / (gamma + 1)),  W = 1 - gamma / (gamma + exp(-z^2/2))
             gamma = A sqrt(2 pi) / ((1 - A) 2 D):  A: probability of a gross error, spread evenly
             over +-D deviations
    Huber    J = z^2 / 2 up to a, a |z| - a^2 / 2 beyond,     W = min(1, a / |z|): convex

The flat one has several minima: begin with the quadratic cost, or use Huber's. W that is kept
fixed within an inner loop leaves its cost quadratic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fathom.base.failure import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def huber(z: ArrayLike, limit: float = 1.5) -> tuple[np.ndarray, np.ndarray]:
    """Returns (J, W) of normalised departures; `limit`: a."""
    if not limit > 0:
        raise InputError(f"limit = {limit} of Huber's cost must be positive")
    size = np.abs(np.asarray(z, float))
    cost = np.where(size <= limit, 0.5 * size**2, limit * size - 0.5 * limit**2)
    return cost, np.where(size <= limit, 1.0, limit / np.maximum(size, limit))


def flat(
    z: ArrayLike, probability: float = 0.05, reach: float = 5.0
) -> tuple[np.ndarray, np.ndarray]:
    """Returns (J, W) of normalised departures; probability: A, reach: D."""
    if not (0 < probability < 1 and reach > 0):
        raise InputError(
            f"probability = {probability} must lie in (0, 1), reach = {reach} be positive"
        )
    gamma = probability * np.sqrt(2 * np.pi) / ((1 - probability) * 2 * reach)
    gauss = np.exp(-0.5 * np.asarray(z, float) ** 2)
    return -np.log((gamma + gauss) / (gamma + 1)), 1 - gamma / (gamma + gauss)
