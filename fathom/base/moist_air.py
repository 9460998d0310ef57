"""Moist air: equation of state, saturation, relative humidity.

    p = rho R T_v,    T_v = T (1 + (1/eps - 1) q),    eps = R / R_v = 0.622
    q = eps e / (p - (1 - eps) e),    e = r e_s(T)

The saturation pressure e_s is that over water from 0 degC on and over ice below -20 degC, linear
between: what GFS calls relative humidity. Over water Bolton (1980), over ice Buck (1981) with the
constants of the IFS.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fathom.base import constants, mpi

GAS_CONSTANT = constants.dry_air_gas_constant  # [J kg-1 K-1]
HEAT_CAPACITY = constants.dry_air_heat_capacity  # of dry air at constant pressure [J kg-1 K-1]
RATIO = GAS_CONSTANT / constants.water_vapour_gas_constant  # epsilon [1]
VIRTUAL_FACTOR = 1 / RATIO - 1  # T_v = T (1 + VIRTUAL_FACTOR q)
LAPSE_RATE = constants.lapse_rate  # of the standard atmosphere [K m-1]
EVAPORATION_HEAT = constants.evaporation_heat  # [J kg-1]
FUSION_HEAT = constants.fusion_heat  # [J kg-1]
CELSIUS = constants.celsius  # 0 degC [K]
TRIPLE_POINT = constants.triple_point  # of water [K]


def saturation_pressure(temperature: Any) -> np.ndarray:
    """Returns e_s [Pa] of a temperature [K]."""
    result: np.ndarray = _each(mpi.core.saturation_pressure, temperature)
    return result


def specific_humidity(relative_humidity: Any, temperature: Any, pressure: Any) -> np.ndarray:
    """Returns q [kg kg-1] of a relative humidity [1]. Where vapour alone would exceed the pressure
    (high up) e_s is limited to half of it.
    """
    result: np.ndarray = _each(mpi.core.specific_humidity, relative_humidity, temperature, pressure)
    return result


def humidity_of_dew_point(dew_point: Any, pressure: Any) -> Any:
    """Returns q [kg kg-1] of air with this dew point over water [K] at a pressure [Pa]: the formula
    of Tetens with the constants of the IFS (Buck 1981).
    """
    e = 611.21 * np.exp(17.502 * (dew_point - TRIPLE_POINT) / (dew_point - 32.19))
    return RATIO * e / (pressure - (1 - RATIO) * e)


def relative_humidity(specific_humidity: Any, temperature: Any, pressure: Any) -> np.ndarray:
    """Returns r [1] of a specific humidity; the inverse of `specific_humidity`."""
    result: np.ndarray = _each(mpi.core.relative_humidity, specific_humidity, temperature, pressure)
    return result


def _each(function: Callable[..., np.ndarray], *arrays: Any) -> Any:
    """Returns a function of the core (core/post/air.hpp) of all numbers of arrays that fit each
    other.
    """
    if any(hasattr(a, "dims") for a in arrays):
        import xarray as xr

        return xr.apply_ufunc(lambda *parts: _each(function, *parts), *arrays)
    whole = np.broadcast_arrays(*(np.asarray(a, float) for a in arrays))
    return function(*(np.ascontiguousarray(a).ravel() for a in whole)).reshape(whole[0].shape)


def potential_temperature(temperature: Any, pressure: Any) -> Any:
    """Returns theta [K] of a temperature [K] at a pressure [Pa]: R / c_p = 2/7, from 1000 hPa."""
    return temperature * (1e5 / pressure) ** (2 / 7)


def virtual_temperature(temperature: Any, specific_humidity: Any) -> np.ndarray:
    """Returns the temperature of dry air as dense as moist air [K]."""
    result: np.ndarray = temperature * (1 + VIRTUAL_FACTOR * specific_humidity)
    return result
