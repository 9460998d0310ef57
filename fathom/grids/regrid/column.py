"""Columns of air: pressures of hybrid levels, hydrostatics, interpolation in the logarithm of
pressure.

Level first, points last; k = 0 is the top. With interfaces p_{k-1/2}, p_{k+1/2} of layer k (Simmons
& Burridge 1981),

    l_k = ln(p_{k+1/2} / p_{k-1/2}),    alpha_k = 1 - p_{k-1/2} l_k / dp_k
        (ln 2 where p_{k-1/2} = 0)
    phi_{k-1/2} = phi_{k+1/2} + R T_v l_k,    phi_k = phi_{k+1/2} + alpha_k R T_v,
        ln p_k = ln p_{k+1/2} - alpha_k

so that an isothermal atmosphere has phi exactly linear in ln p on layers as on interfaces. Between
levels phi is the cubic in x = ln p with the values phi and the slopes d phi / dx = -R T_v at its
ends: consistent with hydrostatic balance, continuous, of fourth order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike

from fathom.base import mpi
from fathom.base.earth import STANDARD_GRAVITY
from fathom.base.moist_air import GAS_CONSTANT, LAPSE_RATE

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

EXPONENT = (
    GAS_CONSTANT * LAPSE_RATE / STANDARD_GRAVITY
)  # of T ~ p^EXPONENT in the standard troposphere


def interface_pressure(a: np.ndarray, b: np.ndarray, surface_pressure: ArrayLike) -> np.ndarray:
    """Returns p = a + b p_s (interfaces, *points)."""
    surface_pressure = np.asarray(surface_pressure)
    shape = (-1,) + (1,) * surface_pressure.ndim
    result: np.ndarray = np.reshape(a, shape) + np.reshape(b, shape) * surface_pressure
    return result


def layer_logarithms(interfaces: np.ndarray) -> np.ndarray:
    """Returns ln p_k of layers (layers, *points)."""
    layers = np.asarray(interfaces, float)[1:]
    result: np.ndarray = _layers(interfaces, np.ones_like(layers), np.zeros(layers.shape[1:]))[0]
    return result


def layer_pressure(interfaces: np.ndarray) -> np.ndarray:
    """Returns the pressure of layers between interfaces, (layers, points) [Pa]."""
    result: np.ndarray = np.exp(layer_logarithms(interfaces))
    return result


def layer_geopotential(
    interfaces: np.ndarray, virtual_temperature: np.ndarray, surface_geopotential: ArrayLike
) -> np.ndarray:
    """Returns phi_k [m2 s-2] (layers, *points)."""
    result: np.ndarray = _layers(interfaces, virtual_temperature, surface_geopotential)[1]
    return result


def _layers(
    interfaces: np.ndarray, virtual_temperature: np.ndarray, surface_geopotential: ArrayLike
) -> np.ndarray:
    """Returns both (core/post/air.hpp)."""
    shape = np.shape(interfaces)[1:]

    def flat(a: Any) -> np.ndarray:
        return np.reshape(np.asarray(a, float), (len(a), -1))

    ground = np.ascontiguousarray(np.broadcast_to(surface_geopotential, shape), float).ravel()
    found = mpi.core.hydrostatic_layers(
        numbers(flat(interfaces)), numbers(flat(virtual_temperature)), ground
    )
    result: np.ndarray = found.reshape(2, -1, *shape)
    return result


class Between:
    """Where targets (targets, points) lie among levels x (levels, points), increasing downward; x
    or targets may be the same at all points, (n, 1). Made once, used for many fields.
    core/post/between.hpp.
    """

    def __init__(self, x: np.ndarray, target: np.ndarray) -> None:
        self.x, self.target = numbers(x, float), numbers(target, float)
        self._core = mpi.core.Between(self.x, self.target)

    def linear(self, values: np.ndarray) -> np.ndarray:
        """Returns linear in x; constant above the first and below the last level."""
        result: np.ndarray = self._core.linear(numbers(values, float))
        return result

    def cubic(self, values: np.ndarray) -> np.ndarray:
        """Returns Lagrange's cubic through four levels; linear next to the ends and where there are
        fewer than four, constant outside.
        """
        result: np.ndarray = self._core.cubic(numbers(values, float))
        return result

    def hermite(self, values: np.ndarray, slopes: np.ndarray) -> np.ndarray:
        """Returns the cubic with these values and slopes at levels; outside, straight on with the
        slope at the end.
        """
        result: np.ndarray = self._core.hermite(numbers(values, float), numbers(slopes, float))
        return result


def numbers(array: Any, dtype: DTypeLike | None = None) -> np.ndarray:
    """Returns float64, or float32 where it is that, points one after another; no copy where it is
    so.
    """
    array = np.asarray(array, dtype)
    if array.dtype not in (np.float64, np.float32):
        array = array.astype(float)
    return array if array.strides[-1] == array.itemsize else np.ascontiguousarray(array)


def pressure_at(
    geopotential: np.ndarray,
    x: np.ndarray,
    levels_geopotential: np.ndarray,
    virtual_temperature: np.ndarray,
) -> np.ndarray:
    """Returns pressure [Pa] (*points) where the column reaches `geopotential` (*points).

    x                    (levels,) ln p, increasing downward
    levels_geopotential  (levels, *points); virtual_temperature the same

    Below the last level the lapse rate is that of the standard atmosphere; above the first the
    column is isothermal.
    """
    level = np.clip((levels_geopotential[1:-1] >= geopotential).sum(0), 0, len(x) - 2)[None]
    upper, lower = (np.take_along_axis(levels_geopotential, level + n, 0)[0] for n in (0, 1))
    slopes = [
        -GAS_CONSTANT * np.take_along_axis(virtual_temperature, level + n, 0)[0] for n in (0, 1)
    ]
    length = (x[1:] - x[:-1])[level[0]]
    parts = np.broadcast_arrays(geopotential, upper, lower, *(length * s for s in slopes))
    t = mpi.core.place_of(*(np.ascontiguousarray(part, float).ravel() for part in parts))
    t = t.reshape(length.shape)
    inside = np.exp(x[level[0]] + t * length)
    T = virtual_temperature[-1]
    fall = levels_geopotential[-1] - geopotential
    below = np.exp(x[-1]) * (1 + np.maximum(fall, 0) * LAPSE_RATE / (STANDARD_GRAVITY * T)) ** (
        1 / EXPONENT
    )
    above = np.exp(
        x[0]
        - np.maximum(geopotential - levels_geopotential[0], 0)
        / (GAS_CONSTANT * virtual_temperature[0])
    )
    result: np.ndarray = np.where(
        fall > 0, below, np.where(geopotential > levels_geopotential[0], above, inside)
    )
    return result
