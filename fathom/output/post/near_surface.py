"""Temperature, humidity and wind at 2 and 10 m, from the ground, the lowest layer and the exchange
between them (Geleyn 1988).

With b_N = k / sqrt(C_DN), b_M = k / sqrt(C_D), b_H = k sqrt(C_D) / C_H and r = z / z_L (z_L the
height of the lowest layer)
    stable     f(z) = f_s + (f_L - f_s) / b * (ln(1 + r (exp(b_N) - 1)) - r (b_N - b))
    unstable   f(z) = f_s + (f_L - f_s) / b * (ln(1 + r (exp(b_N) - 1)) - ln(1 + r (exp(b_N - b) -
        1)))
b is b_M for wind (f_s = 0) and b_H for temperature and humidity; stable where b > b_N. Without
exchange coefficients it is the logarithmic profile.
"""

from __future__ import annotations

import numpy as np

from fathom.base import constants
from fathom.base.failure import InputError

KARMAN = 0.4

Numbers = np.ndarray | float


def at_height(
    lowest: Numbers,
    surface: Numbers,
    height: Numbers,
    height_of_lowest: Numbers,
    roughness: Numbers,
    *,
    drag: Numbers | None = None,
    heat_transfer: Numbers | None = None,
) -> np.ndarray:
    """Returns a field at `height` [m] above the ground.

    lowest, surface   its values in the lowest layer and at the ground (0 for wind)
    height_of_lowest  z_L [m]; roughness: length z_0 [m], with C_DN = (k / ln(1 + z_L / z_0))^2
    drag              C_D, from the surface layer; None: neutral
    heat_transfer     C_H, for temperature and humidity; None: wind
    """
    z_L, z = np.asarray(height_of_lowest, float), np.asarray(height, float)
    if (z > z_L).any():
        raise InputError(
            f"{z.max():g} m lies above the middle of the lowest layer, at {np.min(z_L):g} m"
        )
    neutral = np.log(1 + z_L / np.asarray(roughness, float))
    if drag is None:
        b = neutral
    elif heat_transfer is None:
        b = KARMAN / np.sqrt(drag)
    else:
        b = KARMAN * np.sqrt(drag) / heat_transfer
    r = z / z_L
    logarithm = np.log1p(r * np.expm1(neutral))
    bend = np.where(
        b > neutral, r * (neutral - b), np.log1p(r * np.expm1(np.minimum(neutral - b, 50)))
    )
    result: np.ndarray = surface + (np.asarray(lowest) - surface) / b * (logarithm - bend)
    return result


def temperature_at_2m(
    lowest: Numbers,
    surface: Numbers,
    height_of_lowest: Numbers,
    roughness: Numbers,
    *,
    drag: Numbers | None = None,
    heat_transfer: Numbers | None = None,
    gravity: float = constants.standard_gravity,
    heat_capacity: float = constants.screen_heat_capacity,
) -> np.ndarray:
    """Returns T [K] at 2 m: the profile is that of dry static energy, c_p T + g z."""
    static = at_height(
        lowest + gravity / heat_capacity * np.asarray(height_of_lowest),
        surface,
        2.0,
        height_of_lowest,
        roughness,
        drag=drag,
        heat_transfer=drag if heat_transfer is None else heat_transfer,
    )
    return static - gravity / heat_capacity * 2.0


def wind_at_10m(
    lowest: Numbers, height_of_lowest: Numbers, roughness: Numbers, *, drag: Numbers | None = None
) -> np.ndarray:
    """Returns a component of the wind [m s-1] at 10 m."""
    return at_height(lowest, 0.0, 10.0, height_of_lowest, roughness, drag=drag)
