"""Moist air: equation of state, saturation, relative humidity.

    p = rho R T_v,    T_v = T (1 + (1/eps - 1) q),    eps = R / R_v = 0.622
    q = eps e / (p - (1 - eps) e),    e = r e_s(T)

The saturation pressure e_s is that over water from 0 degC on and over ice below -20 degC, linear
between: what GFS calls relative humidity. Over water Bolton (1980), over ice Buck (1981) with the
constants of the IFS.
"""

from __future__ import annotations

import numpy as np

GRAVITY = 9.80665  # m s-2, of geopotential height (WMO)
GAS_CONSTANT = 287.0597  # dry air [J kg-1 K-1], as in core/base/constants.hpp
RATIO = GAS_CONSTANT / 461.525  # gas constants of dry air and vapour [1]
LAPSE_RATE = 0.0065  # of the standard atmosphere [K m-1]
MELTING = 273.16  # K
ALL_ICE = 253.16  # K, below which saturation is that over ice


def saturation_pressure(temperature) -> np.ndarray:
    """e_s [Pa] of a temperature [K]."""
    T = temperature
    water = 611.2 * np.exp(17.67 * (T - 273.15) / (T - 29.65))
    ice = 611.15 * np.exp(22.452 * (T - 273.16) / (T - 0.6))
    liquid = np.clip((T - ALL_ICE) / (MELTING - ALL_ICE), 0, 1)
    return liquid * water + (1 - liquid) * ice


def specific_humidity(relative_humidity, temperature, pressure) -> np.ndarray:
    """q [kg kg-1] of a relative humidity [1]. Where vapour alone would exceed the pressure (high
    up) e_s is limited to half of it.
    """
    e = relative_humidity * np.minimum(saturation_pressure(temperature), 0.5 * pressure)
    return RATIO * e / (pressure - (1 - RATIO) * e)


def relative_humidity(specific_humidity, temperature, pressure) -> np.ndarray:
    """r [1] of a specific humidity; the inverse of `specific_humidity`."""
    e = pressure * specific_humidity / (RATIO + (1 - RATIO) * specific_humidity)
    return e / np.minimum(saturation_pressure(temperature), 0.5 * pressure)


def virtual_temperature(temperature, specific_humidity) -> np.ndarray:
    return temperature * (1 + (1 / RATIO - 1) * specific_humidity)
