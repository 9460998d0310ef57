"""Absorption of microwaves by oxygen, water vapour and nitrogen, line by line, and the brightness
temperature of clear air.

    oxygen   kappa = A p_d theta^3 / pi sum_k S_k (f / f_k)^2 (shape at f - f_k + shape at f + f_k),
             shape = (w + (f - f_k) y) / ((f - f_k)^2 + w^2), lines coupled to first order by y
    vapour   lines without mixing, cut off at 750 GHz, and a continuum of air and of itself
    theta    300 K / T

Sources: Rosenkranz (1993, 1998); the parameters of the lines are in fathom/data/microwave-lines.txt
with theirs. Frequencies up to some 300 GHz.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from fathom.base import constants
from fathom.base.earth import STANDARD_GRAVITY
from fathom.base.moist_air import GAS_CONSTANT, RATIO, virtual_temperature
from fathom.data.embedded import FOLDER

planck, boltzmann = constants.planck, constants.boltzmann
cosmic = constants.cosmic_background


@cache
def lines(gas: str) -> np.ndarray:
    """Returns parameters (parameters, lines) of "O2" or "H2O"."""
    text = (FOLDER / "microwave-lines.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split()[1:] for line in text if line.startswith(f"{gas} ")]
    return np.array(rows, float).T


def oxygen(
    f: np.ndarray,
    temperature: np.ndarray,
    dry_pressure: np.ndarray,
    vapour_pressure: np.ndarray,
    exponent: float = 0.8,
    debye: float = 1.6e-17,
) -> np.ndarray:
    """Returns absorption by oxygen at frequencies [GHz] and pressures [hPa], all of one shape:
    [km-1].

    exponent: of theta in the widths of all lines but the first; debye: strength of the
    non-resonant absorption.
    """
    theta = 300 / np.asarray(temperature, float)
    air = dry_pressure * theta**exponent + 1.1 * vapour_pressure * theta
    own = 0.56e-3 * air
    total = debye * f**2 * own / (theta * (f**2 + own**2))
    pressure = 1e-3 * (dry_pressure + vapour_pressure) * theta**0.8
    for n, (f_k, S, energy, width, y, slope) in enumerate(lines("O2").T):
        own = (dry_pressure + 1.1 * vapour_pressure) * theta if n == 0 else air
        w, mixing = 1e-3 * width * own, pressure * (y + slope * (theta - 1))
        near, far = f - f_k, f + f_k
        shape = (w + near * mixing) / (near**2 + w**2) + (w - far * mixing) / (far**2 + w**2)
        total = total + S * np.exp(-energy * (theta - 1)) * shape * (f / f_k) ** 2
    result: np.ndarray = 0.5034e12 * total * dry_pressure * theta**3 / np.pi
    return result


def vapour(
    f: np.ndarray, temperature: np.ndarray, dry_pressure: np.ndarray, vapour_pressure: np.ndarray
) -> np.ndarray:
    """Returns [km-1]"""
    theta = 300 / np.asarray(temperature, float)
    total = np.zeros(np.broadcast_shapes(np.shape(f), np.shape(theta)))
    for f_k, S, exponent, air, of_air, own, of_own in lines("H2O").T:
        w = air * dry_pressure * theta**of_air + own * vapour_pressure * theta**of_own
        base = w / (750.0**2 + w**2)
        shape = sum(
            np.where(np.abs(f - s) < 750, w / ((f - s) ** 2 + w**2) - base, 0) for s in (f_k, -f_k)
        )
        total += S * theta**2.5 * np.exp(exponent * (1 - theta)) * shape * (f / f_k) ** 2
    density = 217 * vapour_pressure / temperature  # g m-3
    continuum = 5.43e-10 * dry_pressure * theta**3 + 1.8e-8 * vapour_pressure * theta**7.5
    result: np.ndarray = 0.3183e-4 * 3.335e16 * density * total + continuum * vapour_pressure * f**2
    return result


def nitrogen(f: np.ndarray, temperature: np.ndarray, pressure: np.ndarray) -> np.ndarray:
    """Returns [km-1]"""
    result: np.ndarray = (
        6.4e-14 * pressure**2 * f**2 * (300 / np.asarray(temperature, float)) ** 3.55
    )
    return result


def layer_depths(
    f: np.ndarray,
    pressure: np.ndarray,
    temperature: np.ndarray,
    humidity: np.ndarray,
    **of_oxygen: float,
) -> np.ndarray:
    """Returns optical depths (frequencies, layers, profiles) along the vertical, of layers between
    levels: pressure (levels) [Pa] downwards, temperature and specific humidity (levels, profiles).
    """

    def mean(x: Any) -> Any:
        return 0.5 * (x[1:] + x[:-1])

    T, q = mean(np.asarray(temperature, float)), mean(np.asarray(humidity, float))
    p = np.asarray(pressure, float)
    middle = ((p[1:] - p[:-1]) / np.log(p[1:] / p[:-1]) / 100)[:, None]  # hPa
    e = middle * q / (RATIO + (1 - RATIO) * q)
    thickness = 1e-3 * GAS_CONSTANT / STANDARD_GRAVITY * virtual_temperature(T, q)
    thickness = thickness * np.log(p[1:] / p[:-1])[:, None]  # km
    result = np.empty((len(f), *T.shape))
    for n, each in enumerate(f):
        kappa = oxygen(each, T, middle - e, e, **of_oxygen) + vapour(each, T, middle - e, e)
        result[n] = (kappa + nitrogen(each, T, middle)) * thickness
    return result


def brightness(
    f: np.ndarray,
    depth: np.ndarray,
    temperature: np.ndarray,
    skin: np.ndarray,
    emissivity: np.ndarray | float = 1.0,
    secant: np.ndarray | float = 1.0,
) -> np.ndarray:
    """Returns brightness temperatures (frequencies, profiles) from above, of optical depths as
    above.
    """
    T = 0.5 * (temperature[1:] + temperature[:-1])
    factor = (planck * 1e9 / boltzmann * np.asarray(f, float))[:, None]

    def emitted(x: Any) -> Any:
        return 1 / np.expm1(factor / x)

    down = emitted(np.full((1, T.shape[1]), cosmic))
    for j in range(len(T)):
        kept = np.exp(-secant * depth[:, j])
        down = down * kept + emitted(T[j]) * (1 - kept)
    up = emissivity * emitted(np.asarray(skin, float)) + (1 - emissivity) * down
    for j in range(len(T) - 1, -1, -1):
        kept = np.exp(-secant * depth[:, j])
        up = up * kept + emitted(T[j]) * (1 - kept)
    result: np.ndarray = factor / np.log1p(1 / up)
    return result
