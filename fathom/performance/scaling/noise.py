"""Interruptions by the operating system, and the ranks that they delay.

A core is interrupted `frequency` times a second for `duration`. In a time t between two sums the
number of interruptions of a rank is Poisson's with mean m = f t. If cores are interrupted
independently, a sum over P ranks waits for the one with the most:

    E[max] = sum over k >= 1 of  1 - F(k - 1)^P,      F Poisson's distribution function

If all are interrupted at once, all lose the same time m d, and no rank waits.

`noise` of a machine is that of the operating system, measured or published, never the remainder of
a fit; 0 where nobody has published it.
"""

from __future__ import annotations

import numpy as np

from fathom.performance.scaling.machine import Machine


def expected_most(mean: float, ranks: int) -> float:
    """Returns expected greatest number of events of any of so many ranks, each with this mean."""
    if mean <= 0:
        return 0.0
    from scipy.special import pdtrc

    if mean > 1e5:  # nearly Gauss's
        return mean + float(np.sqrt(2 * mean * np.log(ranks))) if ranks > 1 else mean

    k = np.arange(0, int(mean + 12 * np.sqrt(mean) + 40))
    return float(-np.expm1(ranks * np.log1p(-np.minimum(pdtrc(k, mean), 1 - 1e-16))).sum())


def _events(machine: Machine) -> tuple[float, float]:
    """Returns the number of interruptions a second, and the length of each."""
    return machine.get("noise.frequency", 0.0), machine.get("noise.duration", 0.0)


def dilution(machine: Machine) -> float:
    """Returns time that interruptions take, for each second of computing."""
    frequency, duration = _events(machine)
    return frequency * duration


def excess(machine: Machine, seconds: float, ranks: int) -> float:
    """Returns the mean delay of the most delayed rank beyond the mean one after so many seconds."""
    frequency, duration = _events(machine)
    mean = frequency * seconds
    if not mean or not duration or machine.get("noise.synchronised", False):
        return 0.0
    return duration * (expected_most(mean, ranks) - mean)
