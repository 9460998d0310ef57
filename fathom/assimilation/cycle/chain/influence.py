"""What data count for: degrees of freedom for signal of each kind, from random vectors,

    trace (H K)_kind = < xi_kind . (R^-1/2 H K R^1/2 xi)_kind >,    xi of variance one

(Girard 1987; Chapnik et al. 2006): one more minimisation with R^1/2 xi for departures.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.assimilation.cost import Cost
from fathom.assimilation.cycle.chain.minimisation import Increments
from fathom.assimilation.cycle.chain.settings import Suite
from fathom.assimilation.maps import Vector
from fathom.assimilation.minimisers import lanczos
from fathom.assimilation.observations.base import Observations
from fathom.assimilation.observations.variables import kinds


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
