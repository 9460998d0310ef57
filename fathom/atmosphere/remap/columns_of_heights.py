"""Columns of a grid-point atmosphere at places, on the layers of another model over its own
ground.

Density and potential temperature are brought to the places on the levels that follow the ground;
with the heights of these go pressure and temperature of layers, and of the ground. Over other
ground, h,
    p_s = p(h),   below the ground there   p_s = p_1 (1 + Gamma (z_1 - h) / T_1)^(g / (R Gamma))
and T continues with Gamma. Between layers all is cubic in ln p, tracers within the two around.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, NamedTuple

import numpy as np

from fathom.atmosphere.gridpoint import diagnostics as gridpoint_diagnostics
from fathom.atmosphere.gridpoint.diagnostics import in_layers
from fathom.atmosphere.remap.columns_over_ground import vapour, within
from fathom.base.moist_air import LAPSE_RATE
from fathom.grids.levels import HybridLevels
from fathom.grids.regrid import column
from fathom.model.component import Array


def lower(values: Any, ground: Any) -> Array:
    """Adds one level: the ground."""
    return np.concatenate([values, ground[None]])


def taken(
    of: Any,
    at: Any,
    levels: HybridLevels,
    tracers: Container[str],
    moist: bool,
    geopotential: Array,
) -> dict[str, Any]:
    """Returns fields (layers, points) by name, and log_surface_pressure (points).

    of : the GridPointAtmosphere.
    at : its fields at the places (fathom/atmosphere/remap/at_places.py).
    levels : whose layers are wanted.
    tracers : names of those that are wanted, where it has them.
    moist : whether temperature is to be that of air with vapour, not the virtual one.
    geopotential : of the ground there (points) [m2 s-2].
    """
    c = of.constants
    density, theta, z = (
        at(name) for name in ("air_density", "air_potential_temperature", "interface_height")
    )
    warm = gridpoint_diagnostics.temperature(of, density, theta)
    pressure = gridpoint_diagnostics.pressure(of, density, theta)
    middle = (z[1:] + z[:-1]) / 2
    half = middle[-1] - z[-1]
    ground = gridpoint_diagnostics.ground_pressure(c, half, pressure[-1], theta)
    kappa = c.gas_constant / c.heat_capacity
    warm = lower(warm, theta[-1] * (ground / c.pressure) ** kappa)
    columns = Columns(warm, lower(pressure, ground), lower(middle, z[-1]))
    carried = {name: at(name) for name in of.tracers if name in tracers}
    h = geopotential / c.gravity
    scale = c.gravity / (c.gas_constant * LAPSE_RATE)
    return on_layers(columns, at.wind(), carried, levels, h, scale, moist)


class Columns(NamedTuple):
    """Virtual temperature [K], pressure [Pa] and height [m] of layers and, last, of the ground,
    (layers + 1, points).
    """

    warm: Array
    pressure: Array
    height: Array


def on_layers(
    of: Columns,
    wind: tuple[Array, Array],
    tracers: Mapping[str, Array],
    levels: HybridLevels,
    h: Array,
    scale: float,
    moist: bool,
) -> dict[str, Any]:
    """Returns columns on the layers of `levels` over the ground h [m], as `taken` does.

    wind : eastward and northward of layers.
    tracers : at the interface above each layer.
    scale : g / (R Gamma) of pressure below the ground.
    """
    x = np.log(of.pressure)
    surface = column.Between(-of.height, -h[None]).linear(x)[0]
    fall = np.log1p(LAPSE_RATE * np.maximum(of.height[-1] - h, 0) / of.warm[-1])
    surface = surface + scale * fall
    a, b = (np.asarray(v)[:, None] for v in (levels.a, levels.b))
    y = column.layer_logarithms(a + b * np.exp(surface))
    between = column.Between(x, y)
    east, north = (lower(part, part[-1]) for part in wind)
    found = {"eastward_wind": between.cubic(east), "northward_wind": between.cubic(north)}
    for name, values in tracers.items():
        layers = lower(in_layers(values), values[-1])
        found[name] = np.maximum(within(between, x, y, layers), 0)
    virtual = between.cubic(of.warm) * np.exp(column.EXPONENT * np.maximum(y - x[-1], 0))
    humid = found.get("specific_humidity", 0.0) if moist else 0.0
    found["air_temperature"] = virtual / (1 + vapour * humid)
    return found | {"log_surface_pressure": surface}
