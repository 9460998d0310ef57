"""Equivalents of microwave sounders of a model: its columns on the levels of a radiometer
(radiances.py), and the emission of the surface.

    seen = Seen(columns, channel, emissivity, zenith)
    seen.apply(); seen.tangent(change); seen.adjoint(value)        # (n), (n), (n, 4 K + 2)

A field of layers is linear in ln p between them and that of the lowest below it. Above the highest,
at s = ln(p_1 / p), it goes over to climate,

    T = S(p) + (T_1 - S(p_1)) e^{-s/2},    q = q_S + (q_1 - q_S) e^{-s},    q_S = 3e-6

with S the standard atmosphere. Layers move with the surface pressure: derivatives have that term.
Emissivities are given: tangent and adjoint hold them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from fathom.assimilation.observations import operators, radiances
from fathom.base import constants

# WMO's number of an instrument (Common Code Table C-8) -> its name in radiances.py
instruments: dict[int, str] = {570: "AMSU-A", 574: "AMSU-B", 203: "MHS", 621: "ATMS"}
standard = np.array(  # p [hPa], T [K] of the US Standard Atmosphere 1976
    [*radiances.standard.items(), (20, 222.6), (50, 217.3), (100, 216.7), (225, 216.7),
     (300, 228.7), (500, 252.4), (700, 268.6), (1013.25, 288.15)]
).T  # fmt: skip
little_vapour = 3e-6
land, ice, frozen = 0.95, 0.92, 271.35  # emissivities; K: the surface of a sea is ice below this


@cache
def radiometer() -> radiances.Radiometer:
    """Returns the embedded microwave instruments and their channels."""
    return radiances.open("microwave")


def index_of(instrument: Any, channel: Any) -> np.ndarray:
    """Returns indices of channels in the radiometer; -1: of another instrument."""
    channel = np.asarray(channel)
    found = np.full(np.shape(instrument), -1)
    for number, name in instruments.items():
        own = radiances.of_instrument(name)
        there = (np.asarray(instrument) == number) & (channel >= 1) & (channel <= len(own))
        found = np.where(there, own[np.clip(channel - 1, 0, len(own) - 1)], found)
    return found


def emissivity(channel: Any, zenith: Any, skin: Any, land_fraction: Any) -> np.ndarray:
    """Returns emissivity of the surface, by the share of land; zenith [degrees], skin [K]."""
    frequency = np.array([centre for centre, _, _ in radiances.channels])[channel]
    sea = np.where(skin < frozen, ice, of_calm_sea(1e9 * frequency, skin, zenith))
    result: np.ndarray = land_fraction * land + (1 - land_fraction) * sea
    return result


def of_calm_sea(frequency: Any, skin: Any, zenith: Any, salinity: float = 35.0) -> np.ndarray:
    """Returns Fresnel's reflection on sea water, whose permittivity is that of Klein & Swift
    (1977); polarisation turns with the scan: cos^2 of the vertical, sin^2 of the horizontal.
    """
    t, S = np.clip(np.asarray(skin, float) - constants.celsius, -2, 35), salinity
    static: Any = 87.134 + (-1.949e-1 + (-1.276e-2 + 2.491e-4 * t) * t) * t
    static *= 1 + 1.613e-5 * S * t + (-3.656e-3 + (3.21e-5 - 4.232e-7 * S) * S) * S
    time: Any = 1.768e-11 + (-6.086e-13 + (1.104e-14 - 8.111e-17 * t) * t) * t
    time *= 1 + 2.282e-5 * S * t + (-7.638e-4 + (-7.76e-6 + 1.105e-8 * S) * S) * S
    d = 25 - t
    conducts: Any = S * (0.182521 + (-1.46192e-3 + (2.09324e-5 - 1.28205e-7 * S) * S) * S)
    conducts *= np.exp(
        -d * (2.033e-2 + (1.266e-4 + 2.464e-6 * d) * d
              - S * (1.849e-5 + (-2.551e-7 + 2.551e-8 * d) * d))
    )  # fmt: skip
    omega: Any = 2 * np.pi * np.asarray(frequency, float)
    permittivity: Any = 4.9 + (static - 4.9) / (1 + 1j * omega * time)
    permittivity = permittivity - 1j * conducts / (omega * 8.854e-12)
    angle = np.deg2rad(zenith)
    c, inside = np.cos(angle), np.sqrt(permittivity - np.sin(angle) ** 2)
    horizontal = 1 - np.abs((c - inside) / (c + inside)) ** 2
    vertical = 1 - np.abs((permittivity * c - inside) / (permittivity * c + inside)) ** 2
    result: np.ndarray = vertical * c**2 + horizontal * (1 - c**2)
    return result


@dataclass(frozen=True)
class Seen:
    """What is observed in columns (n): channel: index in the radiometer, emissivity [1], zenith
    [degrees].
    """

    columns: operators.Columns
    channel: np.ndarray
    emissivity: np.ndarray
    zenith: np.ndarray

    def apply(self, threads: int = 1) -> np.ndarray:
        """Returns brightness temperatures [K]."""
        return radiometer().apply(self._on_levels, *self._scene, threads)

    def tangent(self, change: np.ndarray, threads: int = 1) -> np.ndarray:
        """Returns their change by a change (n, 4 K + 2) of the state of the columns."""
        layers, alone = self._parted(change)
        on_levels = [
            field.tangent(values, alone[:, 0]) for field, values in zip(self._fields, layers)
        ]
        moved = np.concatenate([*on_levels, alone], axis=1)
        channel, emissivity, secant = self._scene
        return radiometer().tangent(self._on_levels, channel, moved, emissivity, secant, threads)

    def adjoint(self, value: np.ndarray, threads: int = 1) -> np.ndarray:
        """Returns the adjoint (n, 4 K + 2) of the state by those (n) of the observed values."""
        channel, emissivity, secant = self._scene
        back = radiometer().adjoint(self._on_levels, channel, value, emissivity, secant, threads)
        L, K = len(radiometer().pressure), self.columns.temperature.shape[1]
        made = np.zeros((len(back), 4 * K + 2))
        made[:, -2:] = back[:, -2:]
        for n, field in enumerate(self._fields):
            layers, pressure = field.adjoint(back[:, n * L : (n + 1) * L])
            made[:, n * K : (n + 1) * K] = layers
            made[:, -2] += pressure
        return made

    @property
    def _scene(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.channel, self.emissivity, 1 / np.cos(np.deg2rad(self.zenith))

    def _parted(self, state: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
        K = self.columns.temperature.shape[1]
        return [state[:, :K], state[:, K : 2 * K]], state[:, -2:]

    @cached_property
    def _fields(self) -> list[OnLevels]:
        c, p = self.columns, radiometer().pressure
        x, slope = layer_logs(c.a, c.b, c.surface_pressure)
        between = Between(x, slope, np.log(p))
        T, q = (np.asarray(f, float) for f in (c.temperature, c.humidity))
        S = np.interp(np.log(p / 100), np.log(standard[0]), standard[1])
        S1 = np.interp(x[:, 0] - np.log(100), np.log(standard[0]), standard[1])
        at = np.searchsorted(np.log(standard[0]), x[:, 0] - np.log(100)).clip(
            1, len(standard[0]) - 1
        )
        dS1 = (np.diff(standard[1]) / np.diff(np.log(standard[0])))[at - 1]
        zero = np.zeros(len(x))
        return [
            OnLevels(between, T, S, S1, dS1, 0.5),
            OnLevels(between, q, np.full(len(p), little_vapour), zero + little_vapour, zero, 1.0),
        ]

    @cached_property
    def _on_levels(self) -> np.ndarray:
        c = self.columns
        alone = np.stack([np.asarray(c.surface_pressure, float), np.asarray(c.skin, float)], axis=1)
        return np.concatenate([*(field.apply() for field in self._fields), alone], axis=1)


def layer_logs(a: Any, b: Any, surface_pressure: Any) -> tuple[np.ndarray, np.ndarray]:
    """Returns ln p of layers (n, K) and its slope by the surface pressure;
    core/observation/column.hpp.
    """
    a, b = np.asarray(a, float), np.asarray(b, float)
    p = a + b * np.asarray(surface_pressure, float)[:, None]
    upper, lower, du, dl = p[:, :-1], p[:, 1:], b[:-1], b[1:]
    open_top = upper <= 0
    safe = np.where(open_top, 0.5 * lower, upper)
    D, log = lower - safe, np.log(lower / safe)
    alpha = 1 - safe * log / D
    dalpha = -(du * log + safe * (dl / lower - du / safe)) / D + safe * log * (dl - du) / D**2
    x = np.log(lower) - np.where(open_top, np.log(2), alpha)
    return x, dl / lower - np.where(open_top, 0, dalpha)


@dataclass(frozen=True)
class Between:
    """Where levels X (L) lie among layers x (n, K)."""

    x: np.ndarray
    slope: np.ndarray
    levels: np.ndarray

    @cached_property
    def weights(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Returns layer above k (n, L), the share of the one below it, and the slope of the share
        by the surface pressure; e^{-s} where a level is above all layers, 1 elsewhere.
        """
        x, n = self.x, np.arange(len(self.x))[:, None]
        k = np.zeros((len(x), len(self.levels)), int)
        for layer in range(1, x.shape[1] - 1):
            k += x[:, layer, None] < self.levels
        width = x[n, k + 1] - x[n, k]
        share = (self.levels - x[n, k]) / width
        inside = (share > 0) & (share < 1)
        by_pressure = -((1 - share) * self.slope[n, k] + share * self.slope[n, k + 1]) / width
        fall = np.exp(-np.maximum(x[:, :1] - self.levels, 0))
        return k, np.clip(share, 0, 1), np.where(inside, by_pressure, 0), fall


@dataclass(frozen=True)
class OnLevels:
    """A field of layers (n, K) on the levels; climate there (L), at the highest layer (n) with its
    slope by ln p, and how fast it is reached.
    """

    between: Between
    field: np.ndarray
    climate: np.ndarray
    climate_of_first: np.ndarray
    climate_slope: np.ndarray
    rate: float

    @cached_property
    def _parts(self) -> tuple[Any, ...]:
        k, share, by_pressure, fall = self.between.weights
        n = np.arange(len(k))[:, None]
        return (
            n,
            k,
            share,
            by_pressure,
            fall**self.rate,
            self.between.levels < self.between.x[:, :1],
        )

    def apply(self) -> np.ndarray:
        """Returns values on the levels (n, L)."""
        n, k, share, _, fall, above = self._parts
        inside = (1 - share) * self.field[n, k] + share * self.field[n, k + 1]
        excess = (self.field[:, 0] - self.climate_of_first)[:, None]
        result: np.ndarray = np.where(above, self.climate + excess * fall, inside)
        return result

    @cached_property
    def _by_pressure(self) -> np.ndarray:
        """Returns the derivative by the surface pressure (n, L)."""
        n, k, _, by_pressure, fall, above = self._parts
        inside = by_pressure * (self.field[n, k + 1] - self.field[n, k])
        excess = self.field[:, 0] - self.climate_of_first
        by_log = -(self.climate_slope + self.rate * excess)[:, None] * fall
        result: np.ndarray = np.where(above, by_log * self.between.slope[:, :1], inside)
        return result

    def tangent(self, change: np.ndarray, pressure: np.ndarray) -> np.ndarray:
        """Returns how they change (n, L) with the field (n, K) and the surface pressure (n)."""
        n, k, share, _, fall, above = self._parts
        inside = (1 - share) * change[n, k] + share * change[n, k + 1]
        here = np.where(above, change[:, :1] * fall, inside)
        result: np.ndarray = here + self._by_pressure * pressure[:, None]
        return result

    def adjoint(self, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns gradients by the field (n, K) and by the surface pressure (n), from that by
        values on levels.
        """
        n, k, share, _, fall, above = self._parts
        made = np.zeros_like(self.field)
        inside = np.where(above, 0, value)
        np.add.at(made, (n, k), (1 - share) * inside)
        np.add.at(made, (n, k + 1), share * inside)
        made[:, 0] += np.sum(np.where(above, value * fall, 0), axis=1)
        return made, np.sum(self._by_pressure * value, axis=1)
