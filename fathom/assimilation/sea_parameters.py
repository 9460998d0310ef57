"""Numbers of an ocean's model from data, by gradients: background diffusivity, diffusivity of
eddies, drag.

    J(p) = 1/2 |x_N(p) - y|^2_w,     dJ/d(ln p) = p dJ/dp  by the run's adjoint (adjoint_of_model)

    found = estimate(make, {"model.eddies.diffusivity": 500.0}, target, weights, "10d")

A number that is positive is searched by its logarithm, with BFGS (minimisers.quasi_newton).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from fathom.assimilation.adjoint_of_model import Gradient, adjoint, whole_steps
from fathom.assimilation.costs_of_state import Weighted
from fathom.assimilation.maps import Vector
from fathom.assimilation.minimisers import quasi_newton
from fathom.base.failure import InputError

Numbers = Mapping[str, float]
Make = Callable[[Numbers], Any]  # numbers of the model -> a simulation


def models_around(make: Make, numbers: Numbers, share: float = 1e-2) -> dict[str, Any]:
    """Returns for each number the model with a part more of it, with a part less, and how far they
    lie apart, as `adjoint` takes them. InputError: a number is not positive.
    """
    found = {}
    for name, value in numbers.items():
        if not value > 0:
            raise InputError(f"{name} = {value!r} must be positive to be estimated")
        models = [make({**numbers, name: value * (1 + s)}).model for s in (share, -share)]
        found[name] = (*models, 2 * share * value)
    return found


@dataclass(frozen=True)
class Estimate:
    """numbers found; `misfits`: J after each run; `gradients`: norms by the first; `reason` why it
    ended; `runs` of the model with its adjoint."""

    numbers: dict[str, float]
    misfits: list[float]
    gradients: list[float]
    reason: str
    runs: int


def misfit(
    make: Make, numbers: Numbers, target: xr.Dataset, weights: xr.Dataset, run: str
) -> tuple[float, Gradient]:
    """Returns J of a run and its gradient; target y, weights w: of fields of the state."""
    ahead = make(numbers).prepare()
    ahead.advance(whole_steps(run, "run", ahead.time_step))
    state, parts, J = ahead.state, {}, 0.0
    for name in map(str, weights.data_vars):
        left = state[name] - target[name]
        parts[name] = (weights[name] * left).fillna(0.0).transpose(*left.dims)
        J += 0.5 * float((parts[name] * left).sum())
    del ahead
    return J, adjoint(
        make(numbers), Weighted(xr.Dataset(parts)), run, parameters=models_around(make, numbers)
    )


def estimate(
    make: Make,
    start: Numbers,
    target: xr.Dataset,
    weights: xr.Dataset,
    run: str,
    iterations: int = 8,
    tolerance: float = 1e-2,
) -> Estimate:
    """Returns the numbers that bring the end of a run nearest to a state.

    make : numbers -> a simulation at its start.
    start : first guess of each, positive.
    target, weights : of fields of the state at the end.
    """
    names, misfits = list(start), list[float]()

    def value_and_gradient(logarithms: Vector) -> tuple[float, Vector]:
        numbers = dict(zip(names, np.exp(logarithms)))
        J, found = misfit(make, numbers, target, weights, run)
        misfits.append(J)
        return J / misfits[0], np.array(
            [numbers[n] * found.parameters[n] for n in names]
        ) / misfits[0]

    first = np.log([start[n] for n in names])
    at, norms, reason = quasi_newton(
        value_and_gradient, first, iterations=iterations, tolerance=tolerance
    )
    return Estimate(dict(zip(names, np.exp(at).tolist())), misfits, norms, reason, len(misfits))
