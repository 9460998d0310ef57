"""Atmospheres known in closed form, on hybrid levels over hills."""

import numpy as np

from fathom.base.earth import STANDARD_GRAVITY as GRAVITY
from fathom.base.moist_air import GAS_CONSTANT as R
from fathom.base.moist_air import LAPSE_RATE
from fathom.grids.regrid import column

ALPHA = R * LAPSE_RATE / GRAVITY
HILLS = np.array([0.0, 10.0, 300.0, 1200.0, 1900.0])  # m


def isothermal(pressure, T=270.0):
    """T [K] and height [m] at a pressure, 1000 hPa at height 0."""
    return np.full_like(pressure, T), R * T / GRAVITY * np.log(1e5 / pressure)


def polytropic(pressure, T=280.0):
    """The same with the lapse rate of the standard atmosphere."""
    here = T * (pressure / 1e5) ** ALPHA
    return here, (T - here) / LAPSE_RATE


def state(atmosphere, levels):
    """On `levels` over the hills: the pressure at their height is found by bisection."""
    low, high = np.full(HILLS.shape, 3e4), np.full(HILLS.shape, 1.1e5)
    for _ in range(60):
        middle = 0.5 * (low + high)
        above = atmosphere(middle)[1] > HILLS
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    pressure = column.layer_pressure(column.interface_pressure(*levels, low))
    return {
        "air_temperature": atmosphere(pressure)[0],
        "log_surface_pressure": np.log(low),
        "surface_geopotential": GRAVITY * HILLS,
        "eastward_wind": 10 * np.log(pressure),
    }
