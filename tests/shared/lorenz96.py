"""The model of Lorenz (1996) with its tangent and adjoint, and data of a truth, for tests.

dx_i/dt = (x_i+1 - x_i-2) x_i-1 - x_i + F, by the Runge-Kutta method of fourth order.
"""

import numpy as np

from fathom.assimilation import LinearMap

FORCING, STEP = 8.0, 0.05


def rate(x):
    return (np.roll(x, -1) - np.roll(x, 2)) * np.roll(x, 1) - x + FORCING


def rate_tangent(x, d):
    return (
        (np.roll(d, -1) - np.roll(d, 2)) * np.roll(x, 1)
        + (np.roll(x, -1) - np.roll(x, 2)) * np.roll(d, 1)
        - d
    )


def rate_adjoint(x, d):
    ahead = np.roll(x, 1) * d
    return (
        np.roll(ahead, 1)
        - np.roll(ahead, -2)
        + np.roll((np.roll(x, -1) - np.roll(x, 2)) * d, -1)
        - d
    )


def stages(x):
    """States at which the rates of a step are taken."""
    found = [x]
    for share in (0.5, 0.5, 1.0):
        found.append(x + share * STEP * rate(found[-1]))
    return found


def step(x):
    k = [rate(s) for s in stages(x)]
    return x + STEP / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3])


def steps(x, count):
    for _ in range(count):
        x = step(x)
    return x


class Tangent(LinearMap):
    """M' along a trajectory of so many steps from x."""

    def __init__(self, x, count=1):
        self.trajectory = []
        for _ in range(count):
            self.trajectory.append(stages(x))
            x = step(x)
        self.end = x

    def apply(self, x):
        for at in self.trajectory:
            k = [rate_tangent(at[0], x)]
            for n, share in enumerate((0.5, 0.5, 1.0), 1):
                k.append(rate_tangent(at[n], x + share * STEP * k[-1]))
            x = x + STEP / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3])
        return x

    def adjoint(self, y):
        for at in reversed(self.trajectory):
            total, ahead = y.copy(), 0.0
            for n, weight, share in ((3, 1, 1.0), (2, 2, 0.5), (1, 2, 0.5), (0, 1, 0.0)):
                ahead = rate_adjoint(at[n], STEP / 6 * weight * y + ahead)
                total = total + ahead
                ahead = share * STEP * ahead
            y = total
        return y
