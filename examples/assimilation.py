"""Assimilation: find a trajectory of Lorenz's chaotic model from half of its numbers, with errors,
at eight times. Four maps make the cost function; another map gives another method.
"""

import numpy as np

from fathom.assimilation import Cost, LinearMap, Matrix, Slot, lanczos

random = np.random.default_rng(1)
dt, F = 0.0025, 8.0  # time step, forcing


def model(x):
    return x + dt * ((np.roll(x, -1) - np.roll(x, 2)) * np.roll(x, 1) - x + F)


class Tangent(LinearMap):
    """Derivative of twenty steps of the model, along its trajectory from x."""

    def __init__(self, x):
        self.states = [x]
        for _ in range(20):
            self.states.append(model(self.states[-1]))

    def apply(self, d):
        for x in self.states[:-1]:
            ahead = (np.roll(d, -1) - np.roll(d, 2)) * np.roll(x, 1)
            d = d + dt * (ahead + (np.roll(x, -1) - np.roll(x, 2)) * np.roll(d, 1) - d)
        return d

    def adjoint(self, y):
        for x in reversed(self.states[:-1]):
            one = np.roll(x, 1) * y
            other = np.roll((np.roll(x, -1) - np.roll(x, 2)) * y, -1)
            y = y + dt * (np.roll(one, 1) - np.roll(one, -2) + other - y)
        return y


truth = 8 + random.standard_normal(40)
for _ in range(4000):
    truth = model(truth)
background = truth + 0.5 * random.standard_normal(40)
H = np.eye(40)[::2]  # each second number is observed

x, y, slots = background, truth, []
for _ in range(8):
    M = Tangent(x)
    x, y = M.states[-1], Tangent(y).states[-1]
    data = H @ y + 0.1 * random.standard_normal(20)
    slots.append(Slot(data - H @ x, np.full(20, 0.1**2), Matrix(H), M))

cost = Cost(Matrix(0.5 * np.eye(40)), slots)
found = lanczos(cost, iterations=40)
analysis = background + found.increment

rms = lambda a: float(np.sqrt(np.mean((a - truth) ** 2)))
print(
    f"{found.iterations} iterations ({found.reason}): error {rms(background):.3f}, then"
    f" {rms(analysis):.3f}"
)
