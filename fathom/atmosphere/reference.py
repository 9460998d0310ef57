"""Dry air at rest, as a function of height z: what a grid-point atmosphere is told apart from.

isothermal    pi = exp(-g z / (c_p T)),                                    theta = T / pi
stratified    pi = 1 - g^2 / (c_p theta_s N^2) (1 - exp(-N^2 z / g)),
                                                             theta = theta_s exp(N^2 z / g)
isentropic    N = 0: pi = 1 - g z / (c_p theta_s),                         theta = theta_s
density       p0 pi^((1 - kappa) / kappa) / (R theta)
"""

from typing import NamedTuple

import numpy as np


class Constants(NamedTuple):
    """Of dry air: gravity [m s-2], gas constant and heat capacity [J kg-1 K-1], pressure of the
    ground [Pa].
    """

    gravity: float
    gas_constant: float
    heat_capacity: float
    pressure: float

    def density(self, exner, theta):
        """[kg m-3]"""
        kappa = self.gas_constant / self.heat_capacity
        return self.pressure * exner ** ((1 - kappa) / kappa) / (self.gas_constant * theta)


class Isothermal(NamedTuple):
    """One temperature [K]."""

    temperature: float

    def exner(self, z, c):
        return np.exp(-c.gravity * z / (c.heat_capacity * self.temperature))

    def potential_temperature(self, z, c):
        return self.temperature / self.exner(z, c)


class Stratified(NamedTuple):
    """One buoyancy frequency [s-1] above a potential temperature at height 0 [K]."""

    surface: float
    stability: float

    def exner(self, z, c):
        depth = c.heat_capacity * self.surface / c.gravity  # of isentropic air [m]
        if self.stability == 0:
            return 1 - z / depth
        rate = self.stability**2 / c.gravity
        return 1 + np.expm1(-rate * z) / (depth * rate)

    def potential_temperature(self, z, c):
        return self.surface * np.exp(self.stability**2 / c.gravity * z)
