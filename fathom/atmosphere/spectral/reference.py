"""Dry air at rest, as a function of geopotential height z: the reference of a grid-point
atmosphere.

isothermal    pi = exp(-g z / (c_p T)),                                    theta = T / pi
stratified    pi = 1 - g^2 / (c_p theta_s N^2) (1 - exp(-N^2 z / g)),
                                                             theta = theta_s exp(N^2 z / g)
isentropic    N = 0: pi = 1 - g z / (c_p theta_s),                         theta = theta_s
standard      d(pi)/dz = -g / (c_p T) pi,  T = T_s - lapse z below a bend, T_t above it,
                                                             theta = T / pi
density       p0 pi^((1 - kappa) / kappa) / (R theta)
"""

from typing import Any, NamedTuple

import numpy as np


class Constants(NamedTuple):
    """Constants of dry air: gravity [m s-2], gas constant and heat capacity [J kg-1 K-1], pressure
    of the ground [Pa].
    """

    gravity: float
    gas_constant: float
    heat_capacity: float
    pressure: float

    def density(self, exner: Any, theta: Any) -> Any:
        """Returns [kg m-3]"""
        kappa = self.gas_constant / self.heat_capacity
        return self.pressure * exner ** ((1 - kappa) / kappa) / (self.gas_constant * theta)


class Isothermal(NamedTuple):
    """One temperature [K]."""

    temperature: float

    def exner(self, z: Any, c: Any) -> Any:
        """Returns the Exner function at heights z [m]."""
        return np.exp(-c.gravity * z / (c.heat_capacity * self.temperature))

    def potential_temperature(self, z: Any, c: Any) -> Any:
        """Returns it at heights z [m] [K]."""
        return self.temperature / self.exner(z, c)


class Stratified(NamedTuple):
    """One buoyancy frequency [s-1] above a potential temperature at height 0 [K]."""

    surface: float
    stability: float

    def exner(self, z: Any, c: Any) -> Any:
        """Returns the Exner function at heights z [m]."""
        depth = c.heat_capacity * self.surface / c.gravity  # of isentropic air [m]
        if self.stability == 0:
            return 1 - z / depth
        rate = self.stability**2 / c.gravity
        return 1 + np.expm1(-rate * z) / (depth * rate)

    def potential_temperature(self, z: Any, c: Any) -> Any:
        """Returns it at heights z [m] [K]."""
        return self.surface * np.exp(self.stability**2 / c.gravity * z)


class Standard(NamedTuple):
    """A troposphere of one lapse rate [K m-1] below a stratosphere of one temperature [K], about as
    the standard atmosphere has them; the bend is `width` [K] wide.
    """

    surface: float = 288.15
    lapse: float = 6.5e-3
    stratosphere: float = 216.65
    width: float = 4.0

    def temperature(self, z: Any) -> Any:
        """Returns it at heights z [m] [K]."""
        warmer = self.surface - self.lapse * np.asarray(z) - self.stratosphere
        return self.stratosphere + self.width * np.logaddexp(0, warmer / self.width)

    def exner(self, z: Any, c: Any) -> Any:
        """Returns the Exner function at heights z [m]."""
        from scipy.interpolate import CubicSpline

        fine = np.linspace(min(np.min(z), 0.0), max(np.max(z), 1.0), 8001)
        slope = CubicSpline(fine, -c.gravity / (c.heat_capacity * self.temperature(fine)))
        log = slope.antiderivative()
        return np.exp(log(z) - log(0.0))

    def potential_temperature(self, z: Any, c: Any) -> Any:
        """Returns it at heights z [m] [K]."""
        return self.temperature(z) / self.exner(z, c)
