"""Fields of hybrid levels on levels of pressure, and pressure at mean sea level.

Inside the model's column, in x = ln p:
    geopotential
        the cubic with the values phi_k of the layers and the hydrostatic slopes -R T_v;
        phi_s and R T_* at the ground
    temperature, wind, humidity
        Lagrange's cubic or straight lines; constant above the middle of the highest layer

Below the ground and at the sea (Yessad 2023, FULL-POS in ARPEGE/IFS), with y = ln(p / p_s), T_* the
temperature of the ground extrapolated from the lowest layer L with the standard lapse rate G, alpha
= R G / g, T_0 = T_* + G phi_s / g that of the sea level:
    T_* = T_L (1 + alpha (p_s / p_L - 1))
    phi = phi_s - R T_* y (1 + alpha y / 2 + (alpha y)^2 / 6),
        T = T_* (1 + alpha y + (alpha y)^2 / 2 + (alpha y)^3 / 6)
    p_sea = p_s exp(h (1 - x / 2 + x^2 / 3)),    h = phi_s / (R T_*),  x = alpha h
where T_0 would exceed 290.5 K, alpha is that which leads there (none if T_* is warmer: T_* becomes
its mean with 290.5); where T_* is below 255 K, T_* becomes its mean with 255. For T itself the
limit of T_0 is 298 K, over mountains only: from 2000 m on in part, from 2500 m on in full.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.grids.hybrid import interfaces_of
from fathom.moist_air import (
    GAS_CONSTANT,
    GRAVITY,
    LAPSE_RATE,
    relative_humidity,
    virtual_temperature,
)
from fathom.regrid import column
from fathom.regrid.rows import Rows

BLOCK = 2048  # columns at a time: what they need stays in cache
SURFACE = ("log_surface_pressure", "surface_geopotential")


class Column:
    """A state on hybrid levels, ready to be asked for values at any pressure.

    fields  air_temperature [K], log_surface_pressure, surface_geopotential [m2 s-2], and
    specific_humidity if there is any: (layers, *points), (*points) levels  anything with `a` [Pa]
    and `b`, or the pair, of interfaces from the top down
    grid    rows of the model, if the fields are (..., rows,
        longest row): what is no point is NaN in every result
    """

    def __init__(self, fields, levels, grid=None):
        self.a, self.b = interfaces_of(levels)
        self.rows = None if grid is None else Rows.of(grid)
        for name in ("air_temperature", *SURFACE):
            if name not in fields:
                raise ValueError(
                    f"{name} is needed to find pressure and height; there are"
                    f" {', '.join(sorted(fields))}"
                )
        self.shape = np.shape(fields["surface_geopotential"])
        if len(fields["air_temperature"]) != self.a.size - 1:
            raise ValueError(
                f"air_temperature has {len(fields['air_temperature'])} layers, the levels"
                f" {self.a.size - 1}"
            )
        self.surface_pressure = np.exp(self._flat(fields["log_surface_pressure"], 0))
        self.surface_geopotential = self._flat(fields["surface_geopotential"], 0)
        self.temperature = self._flat(fields["air_temperature"], 1)
        humidity = (
            self._flat(fields["specific_humidity"], 1) if "specific_humidity" in fields else 0.0
        )
        self.virtual = virtual_temperature(self.temperature, humidity)
        interfaces = column.interface_pressure(self.a, self.b, self.surface_pressure)
        self.x = column.layer_logarithms(interfaces)[0]
        self.geopotential = column.layer_geopotential(
            interfaces, self.virtual, self.surface_geopotential
        )
        self._places: tuple[Any, Any] = None, None
        self.ground = ground_temperature(
            self.virtual[-1], self.surface_pressure, np.exp(self.x[-1])
        )

    def _flat(self, field, extra):
        field = np.asarray(field, float)
        if self.rows is not None:
            return self.rows.pack(field)
        return field.reshape((*field.shape[:extra], -1))

    def _shaped(self, values):
        if self.rows is not None:
            return self.rows.unpack(values, np.nan)
        return values.reshape(values.shape[:-1] + self.shape)

    def _targets(self, pressures):
        pressures = np.atleast_1d(np.asarray(pressures, float))
        if pressures.ndim != 1 or not (pressures > 0).all():
            raise ValueError(f"pressures are positive numbers [Pa], not {pressures.tolist()}")
        return np.log(pressures)[:, None]

    def _between(self, pressures):
        """Where pressures lie among the layers; kept for the next field."""
        key = tuple(np.ravel(pressures))
        if self._places[0] != key:
            self._places = key, column.Between(self.x, self._targets(pressures))
        return self._places[1]

    def at(self, field, pressures, *, order: int = 3) -> np.ndarray:
        """A field of layers (layers, *points) at pressures [Pa] (levels, *points); `order` 3 or 1.
        Below the lowest layer its value there.
        """
        between = self._between(pressures)
        values = self._flat(field, 1)
        if order not in (1, 3):
            raise ValueError(f"order = {order}: allowed are 1 (linear) and 3 (cubic)")
        return self._shaped(between.cubic(values) if order == 3 else between.linear(values))

    def air_temperature(self, pressures, *, order: int = 3) -> np.ndarray:
        """T [K] at pressures [Pa], below the ground as said above."""
        target = self._targets(pressures)
        ground = ground_temperature(self.temperature[-1], self.surface_pressure, np.exp(self.x[-1]))
        between = column.Between(
            np.concatenate([self.x, np.log(self.surface_pressure)[None]]), target
        )
        values = np.concatenate([self.temperature, ground[None]])
        inside = between.cubic(values) if order == 3 else between.linear(values)
        height = self.surface_geopotential / GRAVITY
        sea = ground + LAPSE_RATE * height
        limited = np.minimum(sea, 298.0)
        sea = np.where(
            height > 2500,
            limited,
            np.where(
                height > 2000, 0.002 * ((2500 - height) * sea + (height - 2000) * limited), sea
            ),
        )
        steep = np.where(
            height > 2000, np.maximum(sea - ground, 0) / np.maximum(height, 1), LAPSE_RATE
        )
        y = target - np.log(self.surface_pressure)
        z = GAS_CONSTANT / GRAVITY * steep * np.maximum(y, 0)
        return self._shaped(np.where(y > 0, ground * (1 + z * (1 + z / 2 * (1 + z / 3))), inside))

    def geopotential_height(self, pressures) -> np.ndarray:
        """phi / g [m] at pressures [Pa]."""
        target = self._targets(pressures)
        bottom = np.log(self.surface_pressure)[None]
        x = np.concatenate([self.x, bottom])
        values = np.concatenate([self.geopotential, self.surface_geopotential[None]])
        slopes = -GAS_CONSTANT * np.concatenate([self.virtual, self.ground[None]])
        inside = column.Between(x, target).hermite(values, slopes)
        T, alpha = limited_ground(self.ground, self.surface_geopotential)
        y = target - bottom
        below = self.surface_geopotential - GAS_CONSTANT * T * y * (
            1 + alpha * y / 2 * (1 + alpha * y / 3)
        )
        return self._shaped(np.where(y > 0, below, inside) / GRAVITY)

    def mean_sea_level_pressure(self) -> np.ndarray:
        """p_sea [Pa]."""
        return self._shaped(
            mean_sea_level_pressure(self.surface_pressure, self.surface_geopotential, self.ground)
        )


def to_pressure_levels(
    fields, levels, pressures, grid=None, *, order: int = 3
) -> dict[str, np.ndarray]:
    """Every field of layers at pressures [Pa], with geopotential_height [m] and, of the ground,
    surface_air_pressure and air_pressure_at_mean_sea_level.

    relative_humidity [1] is added where there is specific humidity, which is interpolated on
    straight lines: it stays positive. See `Column`.
    """
    rows = None if grid is None else Rows.of(grid)
    layers, shape = (
        interfaces_of(levels)[0].size - 1,
        np.shape(fields["surface_geopotential"]) if "surface_geopotential" in fields else (),
    )
    flat = _flat(fields, rows, layers, shape)
    points = next(iter(flat.values())).shape[-1] if flat else 1
    parts = [
        _at_pressures(
            {name: field[..., first : first + BLOCK] for name, field in flat.items()},
            levels,
            pressures,
            order,
        )
        for first in range(0, points, BLOCK)
    ]
    whole = {name: np.concatenate([part[name] for part in parts], -1) for name in parts[0]}
    return {
        name: rows.unpack(values, np.nan) if rows else values.reshape(values.shape[:-1] + shape)
        for name, values in whole.items()
    }


def _flat(fields, rows, layers: int, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Fields of layers as (layers, points), those of the ground as (points); others are left
    out.
    """
    chosen = {
        name: field
        for name, field in fields.items()
        if name in SURFACE or (np.ndim(field) == len(shape) + 1 and len(field) == layers)
    }
    if rows:
        return {name: rows.pack(field) for name, field in chosen.items()}
    return {
        name: np.reshape(field, (-1,) if name in SURFACE else (layers, -1))
        for name, field in chosen.items()
    }


def _at_pressures(fields, levels, pressures, order: int) -> dict[str, np.ndarray]:
    """`to_pressure_levels` for fields of (layers, points) and (points)."""
    state = Column(fields, levels)
    found = {
        "geopotential_height": state.geopotential_height(pressures),
        "air_temperature": state.air_temperature(pressures, order=order),
    }
    for name in (name for name in fields if name not in (*SURFACE, "air_temperature")):
        straight = "humidity" in name or "cloud" in name
        found[name] = state.at(fields[name], pressures, order=1 if straight else order)
    if "specific_humidity" in found:
        found["relative_humidity"] = relative_humidity(
            found["specific_humidity"],
            found["air_temperature"],
            np.atleast_1d(pressures)[:, None],
        )
    return found | {
        "surface_air_pressure": state.surface_pressure,
        "air_pressure_at_mean_sea_level": state.mean_sea_level_pressure(),
    }


def ground_temperature(temperature, surface_pressure, pressure) -> np.ndarray:
    """T_* [K] from the temperature of the lowest layer and its pressure."""
    return temperature * (1 + column.EXPONENT * (surface_pressure / pressure - 1))


def limited_ground(ground, surface_geopotential) -> tuple[np.ndarray, np.ndarray]:
    """T_* and alpha within the limits of warm and cold ground."""
    warm = 290.5
    sea = ground + LAPSE_RATE / GRAVITY * surface_geopotential
    raised = np.where(np.abs(surface_geopotential) > 1, surface_geopotential, 1)
    alpha = np.where(
        sea > warm,
        np.where(ground > warm, 0.0, GAS_CONSTANT * (warm - ground) / raised),
        column.EXPONENT,
    )
    T = np.where(
        (sea > warm) & (ground > warm),
        0.5 * (warm + ground),
        np.where(ground < 255, 0.5 * (255 + ground), ground),
    )
    return T, alpha


def mean_sea_level_pressure(surface_pressure, surface_geopotential, ground) -> np.ndarray:
    """p_sea [Pa] of surface pressure [Pa], surface geopotential [m2 s-2] and T_* [K]."""
    T, alpha = limited_ground(ground, surface_geopotential)
    h = surface_geopotential / (GAS_CONSTANT * T)
    x = alpha * h
    return surface_pressure * np.exp(h * (1 - x / 2 + x**2 / 3))
