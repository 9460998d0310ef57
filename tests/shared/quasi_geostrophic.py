"""The quasi-geostrophic gyre of Sakov & Oke (2008), whose equations DAPPER's QG has:

    dq/dt = -dpsi/dx - R J(psi, q) - A laplace^3 psi + 2 pi sin(2 pi y),   q = (laplace - F) psi

on a square with psi = laplace psi = 0 at its sides. A state is psi at the inner points (n * n), or
several of them (states, n * n). J is Arakawa's, the inversion is by sines, time by Runge and Kutta.
"""

from dataclasses import dataclass

import numpy as np
from scipy.fft import dstn, idstn


def _shifted(a, i, j):
    """a at the neighbour (i, j) of each inner point; 0 at the sides."""
    n = a.shape[-1]
    whole = np.pad(a, [(0, 0)] * (a.ndim - 2) + [(1, 1), (1, 1)])
    return whole[..., 1 + i : 1 + i + n, 1 + j : 1 + j + n]


@dataclass
class Gyre:
    n: int = 15
    F: float = 1600.0
    R: float = 1e-5
    A: float = 2e-9
    dt: float = 1.25

    def __post_init__(self):
        self.d = 1 / (self.n + 1)
        k = np.arange(1, self.n + 1)
        one = -((2 / self.d * np.sin(0.5 * np.pi * k * self.d)) ** 2)
        self.laplace = one[:, None] + one
        self.wind = 2 * np.pi * np.sin(2 * np.pi * k * self.d) * np.ones((self.n, 1))

    def waves(self, a, factor):
        """A field with a factor for each of its waves."""
        return idstn(factor * dstn(a, 1, axes=(-2, -1)), 1, axes=(-2, -1))

    def jacobian(self, a, b):
        """Arakawa's (1966), which keeps energy and enstrophy; the first index is x."""
        s, found = _shifted, 0.0
        for i, j in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            left, right = (-j, i), (j, -i)  # neighbours of the direction, at right angles
            ahead = [(i + p[0], j + p[1]) for p in (left, right)]
            flux = s(a, *left) + s(a, *ahead[0]) - s(a, *right) - s(a, *ahead[1])
            found = found - flux * s(b, i, j)
            for side, corner in ((left, ahead[0]), (right, ahead[1])):
                sign = 1 if side == left else -1
                found = found - sign * 0.5 * (s(a, *side) - s(a, i, j)) * s(b, *corner)
        return found / (12 * self.d**2)

    def change(self, q, about=None):
        """dq/dt; about another q: its tangent, applied to q."""
        of = lambda q: self.waves(q, 1 / (self.laplace - self.F))
        psi = of(q)
        made = -(_shifted(psi, 1, 0) - _shifted(psi, -1, 0)) / (2 * self.d)
        made = made - self.A * self.waves(psi, self.laplace**3)
        if about is None:
            return made - self.R * self.jacobian(psi, q) + self.wind
        return made - self.R * (self.jacobian(of(about), q) + self.jacobian(psi, about))

    def _stages(self, q):
        """States of the four stages of a step, and the next."""
        a = [q, self.change(q)]
        stages = [q]
        for weight in (0.5, 0.5, 1.0):
            stages.append(q + weight * self.dt * a[-1])
            a.append(self.change(stages[-1]))
        return stages, q + self.dt / 6 * (a[1] + 2 * a[2] + 2 * a[3] + a[4])

    def _steps(self, psi, time):
        q = self.waves(np.reshape(psi, (*np.shape(psi)[:-1], self.n, self.n)),
                       self.laplace - self.F)  # fmt: skip
        return q, round(time / self.dt)

    def run(self, psi, time):
        q, steps = self._steps(psi, time)
        for _ in range(steps):
            q = self._stages(q)[1]
        return self.waves(q, 1 / (self.laplace - self.F)).reshape(np.shape(psi))

    def tangent(self, psi, time):
        """The matrix of the tangent about the run from psi."""
        q, steps = self._steps(psi, time)
        dq, _ = self._steps(np.eye(self.n**2), time)
        for _ in range(steps):
            stages, after = self._stages(q)
            a = [self.change(dq, stages[0])]
            for weight, at in zip((0.5, 0.5, 1.0), stages[1:]):
                a.append(self.change(dq + weight * self.dt * a[-1], at))
            dq, q = dq + self.dt / 6 * (a[0] + 2 * a[1] + 2 * a[2] + a[3]), after
        return self.waves(dq, 1 / (self.laplace - self.F)).reshape(self.n**2, -1).T
