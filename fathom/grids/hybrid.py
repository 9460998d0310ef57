"""Interfaces of hybrid levels: p = a + b p_s, k = 0 the model top, a [Pa], b [1].

    eta = a / p_0 + b with p_0 = 1000 hPa;  b = s^2 (3 - 2 s) + (1 - eta_p) s^2 (s - 1),  s = max(0,
    eta - eta_p) / (1 - eta_p)

b and its derivative are zero from eta_p upward, levels of constant pressure; at the ground db/deta
= 1, levels follow the terrain. Over a surface at 500 hPa every layer keeps a quarter of its
thickness and more.

The heights z = -H ln eta of the interfaces follow one smooth law of the thickness of layers,

    dz/ds ~ d_0 + c z / (1 + z / z_1),
        s from 0 at the ground to 1 at the first interface below the top

fine near the ground, as thick as wanted aloft; c is what makes the highest layer end where it
should. The uppermost interface is at p = 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.base.near import near

REFERENCE = 1e5  # Pa
SCALE_HEIGHT = 7000.0  # m
KNEE = 12000.0  # z_1 [m]: layers hardly thicken further above
PRESSURE_ABOVE = 0.08  # eta_p: above are levels of pressure


def named(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Returns (a, b) of a named set: L8 (SPEEDY's sigma levels), L26 (CAM's, of Jablonowski &
    Williamson 2006), L19, L24, L31, L40, L60, L91 (by `smooth`).
    """
    if name == "L8":
        sigma = np.array([0, 0.05, 0.14, 0.26, 0.42, 0.60, 0.77, 0.90, 1.0])
        return 0 * sigma, sigma
    if name == "L26":
        return REFERENCE * np.array(CAM_A), np.array(CAM_B)
    if name in SMOOTH:
        return smooth(*SMOOTH[name])

    known = ["L8", "L26", *SMOOTH]
    raise InputError(
        f"no set of levels {name!r}; there are: {', '.join(known)}" + near(str(name), known)
    )


def uniform_sigma(number: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns (a, b) of layers of equal thickness in sigma = p / p_s: Held & Suarez (1994), Polvani
    et al. (2004).
    """
    if number < 1:
        raise InputError(f"{number} layers: at least 1 is needed")
    return np.zeros(number + 1), np.arange(number + 1) / number


def smooth(
    number: int, top: float = 1000.0, lowest: float | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Returns (a, b) of `number` layers by the law above.

    top     pressure in the middle of the highest layer [Pa]; it reaches from 0 to twice that
    lowest  thickness of the lowest layer [m], by default 1200 m / number
    """
    lowest = 1200.0 / number if lowest is None else lowest
    ceiling = -SCALE_HEIGHT * np.log(2 * top / REFERENCE)
    if number < 4 or not 0 < top < 2e4 or not 0 < lowest < 0.5 * ceiling / number:
        raise InputError(
            f"{number} layers, the highest at {top:g} Pa, the lowest {lowest:g} m thick: at least 4"
            " layers, the highest between 0 and 20000 Pa, the lowest thinner than half the mean"
            f" thickness of {ceiling / number:.0f} m"
        )
    z = np.linspace(0, ceiling, 20001)
    middle = 0.5 * (z[1:] + z[:-1])

    def layers(growth: float) -> np.ndarray:
        """Returns the number of layers below each z if they grow so."""
        return np.append(
            0, np.cumsum(np.diff(z) / (lowest + growth * middle / (1 + middle / KNEE)))
        )

    slow, fast = 0.0, 10.0
    for _ in range(60):
        growth = 0.5 * (slow + fast)
        slow, fast = (growth, fast) if layers(growth)[-1] > number - 1 else (slow, growth)
    height = np.interp(np.arange(number), layers(growth) * (number - 1) / layers(growth)[-1], z)
    eta = np.append(np.exp(-height / SCALE_HEIGHT), 0)[::-1]
    s = np.maximum(eta - PRESSURE_ABOVE, 0) / (1 - PRESSURE_ABOVE)
    b = s**2 * (3 - 2 * s + (1 - PRESSURE_ABOVE) * (s - 1))
    return REFERENCE * (eta - b), b


SMOOTH = {
    "L19": (19, 1000.0),
    "L24": (24, 500.0),
    "L31": (31, 1000.0),
    "L40": (40, 100.0),
    "L60": (60, 10.0),
    "L91": (91, 1.0),
}

# Collins et al. (2004), NCAR/TN-464+STR; in units of the reference pressure
CAM_A = [
    0.002194067,
    0.004895209,
    0.009882418,
    0.01805201,
    0.02983724,
    0.04462334,
    0.06160587,
    0.07851243,
    0.07731271,
    0.07590131,
    0.07424086,
    0.07228744,
    0.06998933,
    0.06728574,
    0.06410509,
    0.06036322,
    0.05596111,
    0.05078225,
    0.04468960,
    0.03752191,
    0.02908949,
    0.02084739,
    0.01334443,
    0.00708499,
    0.00252136,
    0.0,
    0.0,
]
CAM_B = [0.0] * 8 + [
    0.01505309,
    0.03276228,
    0.05359622,
    0.07810627,
    0.1069411,
    0.1408637,
    0.1807720,
    0.2277220,
    0.2829562,
    0.3479364,
    0.4243822,
    0.5143168,
    0.6201202,
    0.7235355,
    0.8176768,
    0.8962153,
    0.9534761,
    0.9851122,
    1.0,
]


def interfaces_of(levels: Any) -> tuple[np.ndarray, np.ndarray]:
    """Returns (a, b) of levels, checked."""
    a, b = (
        np.asarray(c, float) for c in ((levels.a, levels.b) if hasattr(levels, "a") else levels)
    )
    if (
        a.shape != b.shape
        or a.ndim != 1
        or a.size < 2
        or abs(b[-1] - 1) > 1e-12
        or abs(a[-1]) > 1e-6
        or not (np.diff(a + 1e5 * b) > 0).all()
    ):
        raise InputError(
            "hybrid levels are given by a [Pa] and b at interfaces from the top down, with a = 0, b"
            " = 1 at the ground and a + b p increasing"
        )
    return a, b
