"""Observation operators on columns with their tangents and adjoints.

    seen = Columns(a, b, temperature, humidity, east, north, surface_pressure, skin, ground)
    seen.apply("refractivity", level=altitude)            # (n)
    seen.tangent("refractivity", change, level=altitude)  # (n) of changes (n, 4 K + 2)
    seen.adjoint("refractivity", value, level=altitude)   # (n, 4 K + 2) of adjoints (n)

Equations of the atmosphere: core/observation/operators.hpp. Of the sea, here: linear in depth
between layers, and its surface, eta + integral of (alpha dT - beta dS) dz.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fathom.base import mpi

# (kind of report, variable) -> operator, and the column of its level
of_surface: dict[str, str] = {
    "surface_air_pressure": "surface_pressure",
    "air_pressure_at_mean_sea_level": "surface_pressure",  # at the height 0
    "air_temperature": "temperature_2m",
    "dew_point_temperature": "dew_point_2m",
    "specific_humidity": "humidity_2m",
    "eastward_wind": "eastward_wind_10m",
    "northward_wind": "northward_wind_10m",
}
in_the_air: dict[str, str] = {
    "air_temperature": "temperature",
    "specific_humidity": "humidity",
    "relative_humidity": "relative_humidity",
    "dew_point_temperature": "dew_point",
    "eastward_wind": "eastward_wind",
    "northward_wind": "northward_wind",
    "geopotential_height": "height",
}
by_height: dict[str, str] = {"refractivity": "refractivity"}
roughness = 0.05  # m, where none is known: grass


def operator_of(variable: str, kind: str) -> tuple[str, str] | None:
    """Returns the operator of a variable seen by a kind of report, and the column of the base that
    is its level; None where there is none.
    """
    if kind == "gnss_ro":
        return (by_height[variable], "height") if variable in by_height else None
    if kind in ("temp", "pilot", "aircraft", "amv"):
        return (in_the_air[variable], "pressure") if variable in in_the_air else None
    if kind in ("synop", "ship", "buoy", "metar", "scatterometer"):
        return (of_surface[variable], "height") if variable in of_surface else None
    return None


@dataclass(frozen=True)
class Columns:
    """Columns of the atmosphere at the places of observations, k = 0 the top layer.

    a, b: of the interfaces (K + 1), [Pa] and [1]; temperature [K], humidity [kg kg-1], east and
    north [m s-1] (n, K); surface_pressure [Pa], skin [K], ground: altitude [m] (n). ValueError:
    shapes that do not fit.
    """

    a: np.ndarray
    b: np.ndarray
    temperature: np.ndarray
    humidity: np.ndarray
    east: np.ndarray
    north: np.ndarray
    surface_pressure: np.ndarray
    skin: np.ndarray
    ground: np.ndarray

    @cached_property
    def state(self) -> np.ndarray:
        """Returns all variables of the state, (n, 4 K + 2)."""
        alone = (np.reshape(x, (-1, 1)) for x in (self.surface_pressure, self.skin))
        layers = (np.asarray(x) for x in (self.temperature, self.humidity, self.east, self.north))
        return np.ascontiguousarray(np.concatenate([*layers, *alone], axis=1), float)

    def taken(self, which: np.ndarray) -> Columns:
        """Returns the columns of a mask or of indices."""
        own = ("temperature", "humidity", "east", "north", "surface_pressure", "skin", "ground")
        return Columns(self.a, self.b, *(np.asarray(getattr(self, name))[which] for name in own))

    def _seen(self, level: Any, z0: Any) -> Any:
        count = len(self.state)

        def full(x: Any) -> np.ndarray:
            return np.array(np.broadcast_to(np.asarray(x, float), (count,)))

        a, b = (np.ascontiguousarray(x, float) for x in (self.a, self.b))
        return mpi.core.ObservedColumns(a, b, self.state, full(self.ground), full(level), full(z0))

    def apply(
        self, name: str, level: Any = 0.0, roughness: Any = roughness, threads: int = 1
    ) -> np.ndarray:
        """Returns values of operator `name` at a level: pressure [Pa] or altitude [m]."""
        result: np.ndarray = self._seen(level, roughness).apply(name, threads)
        return result

    def tangent(
        self, name: str, change: np.ndarray, level: Any = 0.0, roughness: Any = roughness,
        threads: int = 1,
    ) -> np.ndarray:  # fmt: skip
        """Returns the change of these values by a change (n, 4 K + 2) of the state."""
        change = np.ascontiguousarray(change, float)
        result: np.ndarray = self._seen(level, roughness).tangent(name, change, threads)
        return result

    def adjoint(
        self, name: str, value: np.ndarray, level: Any = 0.0, roughness: Any = roughness,
        threads: int = 1,
    ) -> np.ndarray:  # fmt: skip
        """Returns the adjoint (n, 4 K + 2) of the state by those (n) of the observed values."""
        value = np.ascontiguousarray(value, float)
        result: np.ndarray = self._seen(level, roughness).adjoint(name, value, threads)
        return result


@dataclass(frozen=True)
class SeaProfile:
    """Observes a column of the sea, linear in depth between the middles of layers (K) [m], constant
    beyond them: it is linear, so it is its own tangent.
    """

    depth: np.ndarray

    def weights(self, wanted: Any) -> tuple[np.ndarray, np.ndarray]:
        """Returns layer above (n) and the share of the layer below it (n)."""
        wanted = np.asarray(wanted, float)
        k = np.clip(np.searchsorted(self.depth, wanted) - 1, 0, len(self.depth) - 2)
        share = (wanted - self.depth[k]) / (self.depth[k + 1] - self.depth[k])
        return k, np.clip(share, 0, 1)

    def apply(self, field: np.ndarray, wanted: Any) -> np.ndarray:
        """Returns a field (n, K) at depths (n)."""
        k, share = self.weights(wanted)
        n = np.arange(len(k))
        result: np.ndarray = (1 - share) * field[n, k] + share * field[n, k + 1]
        return result

    tangent = apply

    def adjoint(self, value: np.ndarray, wanted: Any) -> np.ndarray:
        """Returns the gradient by the column (n, K), from that by the values (n)."""
        k, share = self.weights(wanted)
        field = np.zeros((len(k), len(self.depth)))
        n = np.arange(len(k))
        field[n, k] += (1 - share) * value
        field[n, k + 1] += share * value
        return field


@dataclass(frozen=True)
class SeaLevel:
    """Sea surface height above the geoid of a model that keeps volume: its surface and the
    expansion of the column, relative to a reference state. thickness, expansion [K-1] and
    contraction [1/(1e-3)] (n, K) or (K).
    """

    thickness: np.ndarray
    expansion: np.ndarray
    contraction: np.ndarray

    def apply(self, eta: Any, temperature: Any, salinity: Any) -> np.ndarray:
        """Returns surface (n) [m], temperature and salinity (n, K) less those of the reference."""
        steric = self.expansion * temperature - self.contraction * salinity
        result: np.ndarray = eta + np.sum(self.thickness * steric, axis=-1)
        return result

    tangent = apply

    def adjoint(self, value: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns adjoints of the surface, of temperature and of salinity."""
        each = np.asarray(value)[:, None] * self.thickness
        return np.array(value, float), each * self.expansion, -each * self.contraction


def without_mean(departure: np.ndarray, track: np.ndarray) -> np.ndarray:
    """Returns departures of sea level less the mean of each track: the errors of the mean dynamic
    topography and of the orbit.
    """
    _, number = np.unique(track, return_inverse=True)
    mean = np.bincount(number, departure) / np.bincount(number)
    return departure - mean[number]


def potential_temperature(salinity: Any, temperature: Any, pressure: Any) -> np.ndarray:
    """Returns potential temperature of sea water [degC]: salinity [1e-3], in-situ temperature
    [degC], pressure [dbar], referred to the surface. Bryden (1973), integrated as in UNESCO (1983),
    by Runge and Kutta's fourth order.
    """
    S, p = np.asarray(salinity, float) - 35, np.asarray(pressure, float)
    theta = np.asarray(temperature, float)

    def slope(T: np.ndarray, p: np.ndarray) -> Any:
        return (
            3.5803e-5 + (8.5258e-6 + (-6.836e-8 + 6.6228e-10 * T) * T) * T
            + (1.8932e-6 - 4.2393e-8 * T) * S
            + (1.8741e-8 + (-6.7795e-10 + (8.733e-12 - 5.4481e-14 * T) * T) * T
               + (-1.1351e-10 + 2.7759e-12 * T) * S) * p
            + (-4.6206e-13 + (1.8676e-14 - 2.1687e-16 * T) * T) * p**2
        )  # fmt: skip

    h = -p
    k1 = h * slope(theta, p)
    k2 = h * slope(theta + k1 / 2, p + h / 2)
    k3 = h * slope(theta + k2 / 2, p + h / 2)
    k4 = h * slope(theta + k3, p + h)
    result: np.ndarray = theta + (k1 + 2 * k2 + 2 * k3 + k4) / 6
    return result
