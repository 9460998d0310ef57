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
ends: what hydrostatic balance says, continuous, of fourth order.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from fathom.moist_air import GAS_CONSTANT, GRAVITY, LAPSE_RATE

EXPONENT = GAS_CONSTANT * LAPSE_RATE / GRAVITY  # of T ~ p^EXPONENT in the standard troposphere


def interface_pressure(a, b, surface_pressure) -> np.ndarray:
    """p = a + b p_s (interfaces, *points)."""
    surface_pressure = np.asarray(surface_pressure)
    shape = (-1,) + (1,) * surface_pressure.ndim
    return np.reshape(a, shape) + np.reshape(b, shape) * surface_pressure


def layer_logarithms(interfaces) -> tuple[np.ndarray, np.ndarray]:
    """ln p_k of layers and alpha_k (layers, *points)."""
    upper, lower = interfaces[:-1], interfaces[1:]
    logarithm = np.log(lower / np.where(upper > 0, upper, lower))
    alpha = np.where(upper > 0, 1 - upper * logarithm / (lower - upper), np.log(2))
    return np.log(lower) - alpha, alpha


def layer_pressure(interfaces) -> np.ndarray:
    return np.exp(layer_logarithms(interfaces)[0])


def layer_geopotential(interfaces, virtual_temperature, surface_geopotential) -> np.ndarray:
    """phi_k [m2 s-2] (layers, *points)."""
    alpha = layer_logarithms(interfaces)[1]
    thickness = (
        np.log(interfaces[2:] / interfaces[1:-1]) * GAS_CONSTANT * virtual_temperature[1:]
    )  # of all layers but the top one
    below = surface_geopotential + np.concatenate(
        [np.cumsum(thickness[::-1], 0)[::-1], np.zeros_like(thickness[:1])]
    )
    return below + alpha * GAS_CONSTANT * virtual_temperature


class Between:
    """Where targets (targets, points) lie among levels x (levels, points), increasing downward; x
    or targets may be the same at all points, (n, 1).

    `level` is k with x_k <= target <= x_{k+1} where inside, `weight` that of level k + 1; outside
    it is beyond [0, 1]. Made once, used for many fields.
    """

    def __init__(self, x, target):
        points = np.broadcast_shapes(x.shape[1:], target.shape[1:])
        self.x, self.target = x, np.broadcast_to(target, target.shape[:1] + points)
        self.level = np.zeros(self.target.shape, np.intp)
        for inner in x[1:-1]:
            self.level += self.target >= inner
        self._place = self.level * points[0] + np.arange(points[0])
        upper, lower = self._pair(x)
        self.length = lower - upper
        self.weight = (self.target - upper) / self.length

    def _levels(self, values):
        return np.ascontiguousarray(
            np.broadcast_to(values, values.shape[:1] + self.target.shape[1:])
        ).ravel()

    def _pair(self, values):
        values = self._levels(values)
        return values.take(self._place), values.take(self._place + self.target.shape[1])

    @cached_property
    def _lagrange(self):
        """Place of the first of four levels, and their weights: those of a straight line next to
        the ends, of a constant outside.
        """
        count, points = len(self.x), self.target.shape[1]
        first = np.clip(self.level - 1, 0, count - 4)
        place = self._place + (first - self.level) * points
        x = self._levels(self.x)
        x = [x.take(place + n * points) for n in range(4)]
        inside = (self.level > 0) & (self.level < count - 2)
        along, offset, weights = np.clip(self.weight, 0, 1), self.level - first, []
        for n in range(4):
            weight = 1.0
            for other in range(4):
                if other != n:
                    weight = weight * ((self.target - x[other]) / (x[n] - x[other]))
            line = np.where(offset == n, 1 - along, np.where(offset + 1 == n, along, 0.0))
            weights.append(np.where(inside, weight, line))
        return place, weights

    def linear(self, values) -> np.ndarray:
        """Linear in x; constant above the first and below the last level."""
        upper, lower = self._pair(values)
        return upper + np.clip(self.weight, 0, 1) * (lower - upper)

    def cubic(self, values) -> np.ndarray:
        """Lagrange's cubic through four levels; linear next to the ends and where there are fewer
        than four, constant outside.
        """
        if len(values) < 4:
            return self.linear(values)
        (place, weights), values, points = (
            self._lagrange,
            self._levels(values),
            self.target.shape[1],
        )
        result = weights[0] * values.take(place)
        for n in (1, 2, 3):
            result += weights[n] * values.take(place + n * points)
        return result

    def hermite(self, values, slopes) -> np.ndarray:
        """The cubic with these values and slopes at levels; outside, straight on with the slope at
        the end.
        """
        (upper, lower), (up, down) = self._pair(values), self._pair(slopes)
        t = np.clip(self.weight, 0, 1)
        inside = hermite(t, upper, lower, up * self.length, down * self.length)
        return (
            inside
            + np.minimum(self.weight, 0) * self.length * up
            + np.maximum(self.weight - 1, 0) * self.length * down
        )


def hermite(t, left, right, slope_left, slope_right):
    """Cubic on [0, 1] with values and slopes at its ends."""
    return left + t * (
        slope_left
        + t
        * (
            3 * (right - left)
            - 2 * slope_left
            - slope_right
            + t * (2 * (left - right) + slope_left + slope_right)
        )
    )


def pressure_at(geopotential, x, levels_geopotential, virtual_temperature) -> np.ndarray:
    """Pressure [Pa] (*points) where the column reaches `geopotential` (*points).

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
    t = np.clip((geopotential - upper) / (lower - upper), 0, 1)
    for _ in range(4):  # Newton; the cubic is all but straight
        value = hermite(t, upper, lower, *(length * s for s in slopes))
        ahead = hermite(t + 1e-4, upper, lower, *(length * s for s in slopes))
        t = np.clip(t - (value - geopotential) * 1e-4 / (ahead - value), 0, 1)
    inside = np.exp(x[level[0]] + t * length)
    T = virtual_temperature[-1]
    fall = levels_geopotential[-1] - geopotential
    below = np.exp(x[-1]) * (1 + np.maximum(fall, 0) * LAPSE_RATE / (GRAVITY * T)) ** (1 / EXPONENT)
    above = np.exp(
        x[0]
        - np.maximum(geopotential - levels_geopotential[0], 0)
        / (GAS_CONSTANT * virtual_temperature[0])
    )
    return np.where(fall > 0, below, np.where(geopotential > levels_geopotential[0], above, inside))
