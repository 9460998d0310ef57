"""The layer next to the ground after Monin and Obukhov: what passes it, from values at its top.

u* = k V / F_m(z/L),  theta* = k dtheta / F_h(z/L),  L = theta u*^2 / (k g theta*)
F = ln(z / z_0) - Psi(z/L)
stable     Psi_m = -4.8 z/L,  Psi_h = -7.8 z/L                 (Beare et al. 2006)
unstable   Paulson (1970), x = (1 - 16 z/L)^1/4
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.base.earth import GRAVITY

KARMAN, STABLE_M, STABLE_H = 0.4, 4.8, 7.8
MOST_STABLE, MOST_UNSTABLE = 10.0, -50.0  # z/L that are looked at


def profiles(zeta: Any, log_height: Any, log_heat: Any) -> tuple[float, float]:
    """Returns F_m and F_h at z/L."""
    if zeta >= 0:
        return log_height + STABLE_M * zeta, log_heat + STABLE_H * zeta
    x = (1 - 16 * zeta) ** 0.25
    heat = 2 * np.log((1 + x**2) / 2)
    momentum = 2 * np.log((1 + x) / 2) + heat / 2 - 2 * np.arctan(x) + np.pi / 2
    least = 0.2 * log_height  # light wind over hot ground
    return max(log_height - momentum, least), max(log_heat - heat, least)


def from_difference(
    height: Any, roughness: Any, of_heat: Any, speed: Any, theta: Any, difference: Any
) -> tuple[float, float]:
    """Returns u* [m s-1] and the transfer velocity of heat [m s-1], from theta_v of the air less
    that of the ground [K]; roughness lengths of momentum and of heat [m].
    """
    from scipy.optimize import brentq

    logs = np.log(height / roughness), np.log(height / of_heat)
    richardson = GRAVITY * height * difference / (theta * speed**2)

    def wrong(zeta: Any) -> Any:
        momentum, heat = profiles(zeta, *logs)
        return zeta * heat / momentum**2 - richardson

    if wrong(MOST_STABLE) <= 0:
        zeta = MOST_STABLE
    elif wrong(MOST_UNSTABLE) >= 0:
        zeta = MOST_UNSTABLE
    else:
        zeta = brentq(wrong, MOST_UNSTABLE, MOST_STABLE)
    momentum, heat = profiles(zeta, *logs)
    u_star = KARMAN * speed / momentum
    return u_star, KARMAN * u_star / heat


def from_flux(height: Any, roughness: Any, speed: Any, buoyancy_flux: Any) -> float:
    """Returns u* [m s-1] where the flux of buoyancy [m2 s-3] is given."""
    log_height = np.log(height / roughness)
    u_star: float = KARMAN * speed / log_height
    for _ in range(30):
        zeta = np.clip(
            -KARMAN * height * buoyancy_flux / max(u_star, 1e-3) ** 3, MOST_UNSTABLE, MOST_STABLE
        )
        u_star = 0.5 * (u_star + KARMAN * speed / profiles(zeta, log_height, log_height)[0])
    return u_star
