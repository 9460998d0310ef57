"""A number of the state of a run on blocks: its value, and its derivative by the fields."""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.base import mpi
from fathom.base.failure import InputError
from fathom.base.near import near_or_all
from fathom.grids.hybrid import REFERENCE

# Pressure at the ground, of which the state has ln(p_s / p_u):  d p_s = p_s d ln(p_s / p_u)
pressure, of_state = "surface_air_pressure", "log_pressure_ratio"


class NumberOfState:
    """J = sum of w x over fields and cells.

    Parameters
    ----------
    cost : has `weights(grid)`, field -> w (levels, ny, nx).
    sequence : of the steps, whose fields the weights get.
    grid : of the model.

    InputError: weights have another shape than their field, are no numbers, or of no field of the
    state.
    """

    def __init__(self, cost: Any, sequence: Any, grid: Any) -> None:
        self.weights, self.now = (mpi.core.FieldSet(sequence) for _ in range(2))
        self.given = dict(cost.weights(grid))
        of = {name: of_state if name == pressure else name for name in self.given}
        self.names = list(of.values())
        shapes = {f["name"]: f["levels"] for f in self.weights.fields}
        for name, values in self.given.items():
            if (held := of[name]) not in self.weights.state:
                raise InputError(f"cost: no field '{name}'{near_or_all(name, self.weights.state)}")
            expected = (shapes[held], *np.shape(grid.wet_levels))
            if np.shape(values) != expected or not np.isfinite(values).all():
                raise InputError(
                    f"cost: weights of {name} have the shape {np.shape(values)}, or are no numbers;"
                    f" the field has {expected}"
                )
            self.weights.set(held, np.ascontiguousarray(values, float))

    def value(self, fields: Any) -> float:
        """Returns J of the present fields."""
        if pressure not in self.given:
            return float(fields.dot(self.weights, self.names))
        self.now.copy(fields)
        self._put(fields, lambda ratio, _: REFERENCE * np.exp(ratio))
        return float(self.now.dot(self.weights, self.names))

    def add(self, factor: float, fields: Any, gradient: Any) -> None:
        """Adds a factor times dJ / d(fields) at the present fields."""
        if pressure not in self.given:
            gradient.axpy(factor, self.weights, self.names)
            return
        self.now.copy(self.weights)
        self._put(fields, lambda ratio, w: w * REFERENCE * np.exp(ratio))
        gradient.axpy(factor, self.now, self.names)

    def _put(self, fields: Any, value: Any) -> None:
        """Sets the pressure of `now` from the logarithm and the weights, block by block."""
        both = zip(fields.windows(of_state), self.weights.windows(of_state))
        for block, (ratio, weights) in enumerate(both):
            found = value(np.asarray(ratio, float), np.asarray(weights, float))
            self.now.put(of_state, block, np.ascontiguousarray(found, float))
