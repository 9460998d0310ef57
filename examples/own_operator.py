"""Your own observation operator: the angle by which the atmosphere bends a ray of GNSS, as data
for an analysis.

An operator is an object with `kinds`, `variable`, `equivalents` (a profile in, values out) and
`adjoint`. Here the derivative of the values is found with complex numbers: the imaginary part of
H(x + i h) over h is H' to the last digit, so the operator is written only once. When it is
registered, Fathom tests the adjoint by the dot product with differences of the equivalents. Then
screening and every minimisation of `fathom cycle` use it. A file with the lines up to `register` is
named in `[extensions] python = ["own_operator.py"]`; a package has an entry point in the group
`fathom.operators`.

A profile that is wrong by 1 to 2 K is observed. The bending angles should take away most of the
error where they see it, between 5 and 25 km.

    python examples/own_operator.py [angles]
"""

import sys
from dataclasses import replace

import numpy as np
from scipy.special import erf

from fathom.assimilation import Cost, Matrix, Slot, lanczos
from fathom.assimilation.observations import plugged

count = int(sys.argv[1]) if len(sys.argv) > 1 else 30
earth, gravity, gas = 6371e3, 9.80665, 287.05


class BendingAngle:
    """alpha(a) of rays with a tangent at the height of the datum, in air whose refractivity falls
    exponentially between the layers (Healy & Thepaut 2006, eq. 4), without water vapour.
    """

    kinds, variable = ("gnss_ro",), "bending_angle"

    def equivalents(self, profiles):
        p, half = profiles.layers, profiles.interfaces
        T = profiles.temperature
        top = np.where(half[:, :-1].real > 0, half[:, :-1], 1.0)
        thickness = gas * T / gravity * np.log(half[:, 1:] / top)
        above = np.cumsum(thickness[:, ::-1], axis=1)[:, ::-1]
        z = profiles.ground[:, None] + above - thickness * 0.5
        N = 77.6e-2 * p / T
        x = (earth + z) * (1 + 1e-6 * N)  # n r of the layers
        a = earth + profiles.datum["height"][:, None]  # of the rays
        lower, upper = x[:, 1:], x[:, :-1]
        k = np.log(N[:, 1:] / N[:, :-1]) / (upper - lower)
        part = 1e-6 * np.sqrt(2 * np.pi * a * k) * N[:, 1:] * np.exp(k * (lower - a))
        return np.sum(part * (self._erf(k, upper - a) - self._erf(k, lower - a)), axis=1)

    @staticmethod
    def _erf(k, height):
        """erf of the root of k times a height; 0 below the tangent of a ray."""
        there = height.real > 0
        return np.where(there, erf(np.sqrt(k * np.where(there, height, 1.0))), 0)

    def adjoint(self, profiles, value):
        made, step = {}, 1e-20
        for name in ("temperature", "surface_pressure"):
            field = getattr(profiles, name)
            columns = field.reshape(len(value), -1)
            slope = np.zeros(columns.shape)
            for level in range(columns.shape[1]):
                moved = columns.astype(complex)
                moved[:, level] += 1j * step
                seen = self.equivalents(replace(profiles, **{name: moved.reshape(field.shape)}))
                slope[:, level] = seen.imag / step * value
            made[name] = slope.reshape(field.shape)
        return made


plugged.register("bending-angle", BendingAngle())

# The truth, and a background that is wrong: one column, once for each ray
own = BendingAngle()
profiles = plugged.standard_profiles(own, count, layers=40)
heights = np.linspace(4e3, 26e3, count)
datum = {**profiles.datum, "height": heights}
middle = np.repeat(profiles.temperature[count // 2 : count // 2 + 1], count, 0)
truth = replace(profiles, temperature=middle, datum=datum)
level = np.linspace(0, 3 * np.pi, 40)
background = replace(truth, temperature=middle + 1.5 * np.sin(level) + 0.5)

# A small 1D-Var: errors of 1.5 K, correlated over three layers, and angles to 1 percent
random = np.random.default_rng(1)
angle = own.equivalents(truth)
seen = angle * (1 + 0.01 * random.standard_normal(count))
H = plugged.slopes(own, background)[:, :40]  # by the temperatures
distance = np.subtract.outer(np.arange(40), np.arange(40)) / 3
L = np.linalg.cholesky(1.5**2 * np.exp(-0.5 * distance**2) + 1e-6 * np.eye(40))
slot = Slot(seen - own.equivalents(background), (0.01 * angle) ** 2, Matrix(H))
found = lanczos(Cost(Matrix(L), [slot]), iterations=40)

p = truth.layers[0]
there = (p > 3e3) & (p < 5e4)  # between 5 and 25 km
before = (background.temperature - truth.temperature)[0][there]
after = before + found.increment[there]
error_before, error_after = (float(np.sqrt(np.mean(e**2))) for e in (before, after))
products = plugged.dot_test(own)
print(f"dot test: <H' dx, y> = {products[0]:.6e}, <dx, H* y> = {products[1]:.6e}")
print(f"bending at {heights[0] / 1e3:.0f} km: {1e3 * angle[0]:.2f} mrad")
print(f"error of the temperature: {error_before:.2f} K before, {error_after:.2f} K after")
