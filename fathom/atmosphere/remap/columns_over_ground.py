"""Columns of one atmosphere on the levels of another, over other ground.

    T_*  = T_L (1 + alpha (p_s / p_L - 1)),  h = (phi_A - phi_B) / (R T_v*),  x = alpha h
    p_s' = p_s exp(h (1 - x/2 + x^2/3))
    f_B(y) = f_A(y + s d),    y = ln p,  d = ln(p_s / p_s')
    T_B    = T_A exp(-alpha s d),    q_B = q_A q_sat(T_B, p_B) / q_sat(T_A, p_A)

Then a column keeps its vapour: q_B is scaled, by at most a tenth, so that the sum of q dp is that
of A's layers over the same ground; the same levels keep q_B bit for bit.

alpha is d ln T / d ln p between 0.85 and 0.65 of p_s, at least 0 and at most R Gamma / g; s = 1 in
the lowest tenth of ln p, then falls to 0 as 1 - t^2 (3 - 2t). Isothermal air at rest stays so: its
alpha is 0. Temperature and wind are cubic in ln p, tracers as well, but within the two levels.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.base import moist_air
from fathom.base.moist_air import GAS_CONSTANT
from fathom.grids.hybrid import REFERENCE, interfaces_of
from fathom.grids.regrid import column

BLOCK = 2048  # columns at a time: their data stay in cache
MIXED, BLEND = 0.1, 0.6  # of ln p: follows the ground; between that and free air
LOWER, UPPER = np.log(0.85), np.log(0.65)  # of p / p_s
vapour = 0.6077667  # T_v / T - 1, of q


def in_columns(
    source: Any, levels_a: Any, levels_b: Any, ground_a: Any, ground_b: Any
) -> dict[str, np.ndarray]:
    """Returns fields (layers of A, points) on B's: air_temperature [K], eastward_wind,
    northward_wind, log_pressure_ratio (1, points) and any tracers; surface geopotentials (points)
    [m2 s-2].
    """
    own, other = interfaces_of(levels_a), interfaces_of(levels_b)
    result = _on_levels(source, own, other, ground_a - ground_b)
    same = all(np.array_equal(a, b) for a, b in zip(own, other))
    if "specific_humidity" in result and not same:
        there = _on_levels(source, own, own, ground_a - ground_b)
        ratio = result["log_pressure_ratio"][0]
        kept, found = (
            (column_of["specific_humidity"] * _thickness(levels, ratio)).sum(0)
            for column_of, levels in ((there, own), (result, other))
        )
        result["specific_humidity"] *= np.clip(kept / np.maximum(found, 1e-30), 0.9, 1.1)
    return result


def _thickness(interfaces: Any, log_ratio: Any) -> np.ndarray:
    """Returns dp of layers [Pa]."""
    a, b = interfaces
    pressure = column.interface_pressure(a, b, REFERENCE * np.exp(log_ratio))
    return np.diff(pressure, axis=0)


def _on_levels(source: Any, own: Any, other: Any, difference: Any) -> dict[str, np.ndarray]:
    """Returns columns on the levels; the sum of vapour is not kept. (a, b) of interfaces, a
    difference of grounds.
    """
    (a, b), (other_a, other_b) = own, other
    log_ratio = source["log_pressure_ratio"][0]
    pressure = REFERENCE * np.exp(log_ratio)
    x = column.layer_logarithms(column.interface_pressure(a, b, pressure))
    ln_ps = np.log(REFERENCE) + log_ratio
    T = source["air_temperature"]
    alpha = fall(T, x, ln_ps)
    moved = ground_change(source, x, ln_ps, alpha, difference)
    new = log_ratio + moved
    interfaces = column.interface_pressure(other_a, other_b, REFERENCE * np.exp(new))
    y = column.layer_logarithms(interfaces)
    there = y - shape(np.log(REFERENCE) + new - y, moved) * moved
    between = column.Between(x, there)
    warm = between.cubic(T)
    beyond = np.maximum(there - x[-1], 0)
    warm = np.where(beyond > 0, T[-1] * np.exp(alpha * beyond), warm)
    result = {name: between.cubic(source[name]) for name in ("eastward_wind", "northward_wind")}
    result["air_temperature"] = warm * np.exp(alpha * (y - there))
    for name in source.keys() - {*result, "log_pressure_ratio"}:
        result[name] = within(between, x, there, source[name])
    if "specific_humidity" in result:
        result["specific_humidity"] *= moist_air.specific_humidity(
            1.0, result["air_temperature"], np.exp(y)
        ) / moist_air.specific_humidity(1.0, warm, np.exp(there))
    return result | {"log_pressure_ratio": new[None]}


def fall(T: Any, x: Any, ln_ps: Any) -> np.ndarray:
    """Returns alpha (points) of temperatures at ln p = x (layers, points)."""
    ends = column.Between(x, ln_ps + np.array([[UPPER], [LOWER]])).linear(T)
    result: np.ndarray = np.clip(np.log(ends[1] / ends[0]) / (LOWER - UPPER), 0, column.EXPONENT)
    return result


def ground_change(source: Any, x: Any, ln_ps: Any, alpha: Any, difference: Any) -> np.ndarray:
    """Returns ln(p_s' / p_s) where the ground falls by a `difference` of geopotential."""
    humid = source["specific_humidity"][-1] if "specific_humidity" in source else 0.0
    lowest = source["air_temperature"][-1] * (1 + vapour * humid)
    h = difference / (GAS_CONSTANT * lowest * (1 + alpha * np.expm1(ln_ps - x[-1])))
    s = alpha * h
    result: np.ndarray = h * (1 - s / 2 + s**2 / 3)
    return result


def shape(depth: Any, moved: Any) -> np.ndarray:
    """Returns s at a depth in ln p above the ground; wide enough that levels keep their order."""
    width = np.maximum(BLEND, 2.5 * np.abs(moved))
    t = np.clip((depth - MIXED) / width, 0, 1)
    result: np.ndarray = 1 - t**2 * (3 - 2 * t)
    return result


def within(between: Any, x: Any, there: Any, values: Any) -> np.ndarray:
    """Returns cubic, but between the values of the two levels around."""
    low, high = _around(x, there, values)
    result: np.ndarray = np.clip(between.cubic(values), low, high)
    return result


def _around(x: Any, there: Any, values: Any) -> tuple[Any, ...]:
    """Returns the least and the most of the levels above and below each target."""
    level = np.clip((x[:, None] <= there[None]).sum(0) - 1, 0, len(x) - 2)
    ends = [np.take_along_axis(values, level + n, 0) for n in (0, 1)]
    return np.minimum(*ends), np.maximum(*ends)
