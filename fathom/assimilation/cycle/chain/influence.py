"""What data count for: degrees of freedom for signal of each kind, from random vectors,

    trace (H K)_kind = < xi_kind . (R^-1/2 H K R^1/2 xi)_kind >,    xi of variance one

(Girard 1987; Chapnik et al. 2006): one more minimisation with R^1/2 xi for departures. And their
impact on a forecast, by the adjoint of the model of the increments.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.assimilation.cost import Cost
from fathom.assimilation.cycle.chain.minimisation import Analyser, Increments
from fathom.assimilation.cycle.chain.models import Space
from fathom.assimilation.cycle.chain.settings import Suite
from fathom.assimilation.maps import Vector
from fathom.assimilation.minimisers import lanczos
from fathom.assimilation.observations.base import Observations
from fathom.assimilation.observations.variables import kinds
from fathom.base import constants


def degrees_of_freedom(
    made: Increments, data: Observations, suite: Suite, number: int
) -> tuple[dict[str, int], dict[str, float]]:
    """Returns of each kind how many data an analysis has used, and their degrees of freedom for
    signal; those are missing where [report] samples = 0.
    """
    kind = data["kind"][made.order]
    counts = {kinds[k]: int((kind == k).sum()) for k in np.unique(kind).tolist()}
    samples = suite.report.samples
    total = np.zeros(len(kind))
    for n in range(samples):
        xi = np.random.default_rng([suite.chain.seed, 79, number, n]).standard_normal(len(kind))
        total += xi * _seen(made.cost, xi, suite)
    if not samples:
        return counts, {}
    return counts, {
        kinds[k]: float(total[kind == k].sum() / samples) for k in np.unique(kind).tolist()
    }


def _seen(cost: Any, y: Vector, suite: Suite) -> Vector:
    """Returns R^-1/2 H K R^1/2 y, of the cost function of weighted departures."""
    (slot,) = cost.slots
    drawn = Cost(cost.background, [type(slot)(y, slot.variances, slot.observation)])
    a = suite.assimilation
    found = lanczos(drawn, iterations=a.iterations, tolerance=a.tolerance)
    result: Vector = slot.observation.apply(found.increment)
    return result


class _Towards(Cost):
    """A cost function of which J'' chi = L* g is solved."""

    def __init__(self, cost: Cost, gradient: Vector) -> None:
        super().__init__(cost.background, cost.slots)
        self.towards = gradient

    @property
    def right_side(self) -> Vector:
        return self.background.adjoint(self.towards)


def energy(space: Space, x: Vector) -> Vector:
    """Returns the derivative of half the total energy of a difference of states [J kg-1] by it,

    1/2 < u^2 + v^2 + c_p T^2 / T_r + R T_r pi^2 >, a mean over mass; T_r = 300 K.
    """
    a, b = space.air.a, space.air.b
    mass = np.diff(a + 1e5 * b) / 1e5
    rows = np.asarray(space.transform.weight)[:, None] * np.ones(space.inside.shape) * space.inside
    rows = rows / rows.sum()
    heat, gas = constants.norm_heat_capacity / 300, constants.norm_gas_constant * 300
    u, v, warm, pi, q = space.unpacked(x)
    layers = mass[:, None, None] * rows
    return space.packed([layers * u, layers * v, heat * layers * warm, gas * rows * pi, 0 * q])


def impact(
    analyser: Analyser, x: Vector, made: Increments, L: Any, errors: tuple[Vector, Vector],
    seconds: float, data: Observations,
) -> dict[str, Any]:  # fmt: skip
    """Returns the impact of each kind on the energy of a forecast's error [J kg-1] (Langland and
    Baker 2004), negative where data have made it smaller:

        e_a - e_b = 1/2 < M'* C (eps_a + eps_b), K d >,    C the energy

    x: the background; made: H' and departures about it; errors: eps of the forecasts from analysis
    and background after so many seconds.
    """
    t, steps = analyser.trajectory, round(seconds / analyser.step)
    t.restart(x)
    t.follow(steps)
    both = energy(analyser.space, errors[0] + errors[1])
    gradient = t.propagation(steps).adjoint(0.5 * both)
    cost = made.of_state
    (slot,) = cost.slots
    a = analyser.suite.assimilation
    solved = lanczos(
        _Towards(Cost(L, cost.slots), gradient), iterations=a.iterations, tolerance=a.tolerance
    )
    each = slot.departures * slot.observation.apply(solved.increment)
    kind = data["kind"][made.order]
    there = np.unique(kind).tolist()
    before, after = (0.5 * float(e @ energy(analyser.space, e)) for e in reversed(errors))
    return {
        "kinds": {kinds[k]: float(each[kind == k].sum()) for k in there},
        "helpful": {kinds[k]: float(np.mean(each[kind == k] < 0)) for k in there},
        "sum": float(each.sum()), "of_forecasts": after - before,
        "background": before, "analysis": after,
    }  # fmt: skip
