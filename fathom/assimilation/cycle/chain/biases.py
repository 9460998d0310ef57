"""The bias of radiances as a part of the control vector (observations/bias.py): six coefficients of
each channel of each instrument, which go from window to window.

    departure = y - H x_b - P beta_b,    J = ... + 1/2 sum (beta - beta_b)^2 / sigma^2
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.assimilation.cost import Cost
from fathom.assimilation.maps import Vector
from fathom.assimilation.observations import bias, equivalents, looks, operators
from fathom.assimilation.observations.base import Observations

radiance = "toa_brightness_temperature"
shares = np.array([1.0, 0.3, 0.3, 0.3, 0.3, 0.3])  # of the error: the constant, the others
thick = ((1e5, 3e4), (2e4, 5e3))  # Pa


class Bias:
    """The coefficients of all channels; beta: channel's key -> (6). error: of a coefficient [K]."""

    def __init__(self, beta: dict[int, np.ndarray], error: float) -> None:
        self.beta, self.error = {k: np.asarray(b, float) for k, b in beta.items()}, error

    @staticmethod
    def key(data: Observations) -> np.ndarray:
        """Returns 1000 times the instrument plus the channel; 0 of what is no radiance."""
        made = 1000 * data["instrument"].astype(int) + data["channel"]
        return np.where(data.variable_is(radiance), made, 0)

    def of(self, data: Observations, air: equivalents.Air, held: looks.Columns) -> Any:
        """Returns the biases of data in their columns, and the predictors of their coefficients,
        sparse (n, 6 channels); adds channels that are new.
        """
        from scipy import sparse

        key = self.key(data)
        for one in np.unique(key[key > 0]).tolist():
            self.beta.setdefault(one, np.zeros(len(shares)))
        order = sorted(self.beta)
        rows = np.flatnonzero(key > 0)
        predictors = self._predictors(
            data.taken(rows), air, {n: f[:, rows] for n, f in held.items()}
        )
        channel = np.searchsorted(order, key[rows])
        column = len(shares) * channel[:, None] + np.arange(len(shares))
        row = np.repeat(rows[:, None], len(shares), 1)
        shape = (len(data), len(shares) * len(order))
        values = sparse.csr_matrix((predictors.ravel(), (row.ravel(), column.ravel())), shape)
        return values @ self.vector, values

    @property
    def vector(self) -> Vector:
        """Returns all coefficients, one channel after another."""
        return np.concatenate([self.beta[k] for k in sorted(self.beta)] or [np.zeros(0)])

    def moved(self, change: Vector) -> Bias:
        """Returns the coefficients with their increments."""
        parts = np.split(self.vector + change, max(len(self.beta), 1))
        return Bias(dict(zip(sorted(self.beta), parts)), self.error)

    @property
    def deviation(self) -> Vector:
        """Returns standard deviations of all coefficients [K], channel after channel."""
        return self.error * np.tile(shares, len(self.beta))

    def into(self, cost: Cost, values: list[Any]) -> Cost:
        """Returns the cost function with the coefficients; values: weighted predictors of slots."""
        return bias.with_bias(cost, [bias.Predictors(v) for v in values], self.deviation)

    @staticmethod
    def _predictors(data: Observations, air: equivalents.Air, held: looks.Columns) -> np.ndarray:
        """Returns the predictors of radiances (n, 6)."""
        if not len(data):
            return np.zeros((0, len(shares)))
        columns: operators.Columns = air.columns(held)
        heights = [
            [columns.apply("height", np.minimum(p, columns.surface_pressure)) for p in pair]
            for pair in thick
        ]
        low, high = (above - below for below, above in heights)
        return bias.Predictors.of_radiances(low, high, data["zenith"]).values

    def as_json(self) -> dict[str, list[float]]:
        """Returns the coefficients by channel, as JSON has them."""
        return {str(k): b.tolist() for k, b in sorted(self.beta.items())}

    @staticmethod
    def of_json(given: dict[str, list[float]], error: float) -> Bias:
        """Returns what `as_json` gave."""
        return Bias({int(k): np.array(b) for k, b in given.items()}, error)
