"""Vorticity and potential vorticity on a Gaussian grid, as output has them.

    zeta = m^2 curl(u/m, v/m)                  by coefficients, m the map factor of a stretched grid
    P    = -g ((zeta + f) theta_p - v_p theta_x + u_p theta_y)

zeta, theta_x and theta_y are taken along the model's levels, by all ranks together
(`Together`); P of each column is the same as along levels of potential temperature (Ertel 1942;
Hoskins, McIntyre & Robertson 1985, hydrostatic). f_p = f_x / p with x = ln p, of second order
between the layers around, of first order in the end layers.
"""

from typing import Any

import numpy as np

from fathom.base.earth import STANDARD_GRAVITY
from fathom.output.diagnostics import Diagnostic, Together, of_blocks

wind = ("eastward_wind", "northward_wind")
spin = "vorticity_along_layers"
slopes = ("eastward_slope_of_potential_temperature", "northward_slope_of_potential_temperature")


def vorticity_along() -> Together:
    """Returns zeta [s-1]."""

    def of(simulation: Any, blocks: Any) -> dict[str, Any]:
        waves = _waves(simulation)
        m = waves.map_factor
        levels = simulation.model.grid.levels.nz
        east, north = ([u / f for u, f in zip(blocks(part), m)] for part in wind)
        turning = waves.vorticity(east, north, levels)
        return {spin: [f**2 * zeta for f, zeta in zip(m, turning)]}

    return Together(wind, (spin,), of, units="s-1")


def slopes_along(theta: Diagnostic) -> Together:
    """Returns theta_x, theta_y [K m-1], of the potential temperature that a Diagnostic gives."""

    def of(simulation: Any, blocks: Any) -> dict[str, Any]:
        waves = _waves(simulation)
        warmth = of_blocks(simulation, theta, "center", blocks)
        both = waves.gradient(warmth, simulation.model.grid.levels.nz)
        m = waves.map_factor
        return {name: [f * g for f, g in zip(m, part)] for name, part in zip(slopes, both)}

    return Together(theta.needs, slopes, of, units="K m-1")


def _waves(simulation: Any) -> Any:
    from fathom.grids.transform.on_blocks import OnBlocks  # loads the core

    return OnBlocks.of(simulation, simulation.model.grid.truncation)


def potential_vorticity(state: Any) -> np.ndarray:
    """Returns P [K m2 kg-1 s-1], (layers, points), of a State that has the fields along its
    layers."""
    east, north = (np.asarray(state[name], float) for name in slopes)
    pressure = state["air_pressure"]
    x = np.log(pressure)
    u, v = (state.about_the_pole(part) for part in wind)
    turning = (state[spin] + coriolis(state)) * slope(state["potential_temperature"], x)
    result: np.ndarray = (
        -STANDARD_GRAVITY / pressure * (turning - slope(v, x) * east + slope(u, x) * north)
    )
    return result


def coriolis(state: Any) -> np.ndarray:
    """Returns f [s-1], (points), of places on earth."""
    latitude = state.of_window(state.model.grid.coordinates()[1])
    result: np.ndarray = 2 * state.model.parameters["rotation"] * np.sin(np.deg2rad(latitude))
    return result


def slope(f: Any, x: Any) -> np.ndarray:
    """Returns df/dx of layers (layers, points)."""
    steep, step = np.diff(f, axis=0) / np.diff(x, axis=0), np.diff(x, axis=0)
    inner = (steep[1:] * step[:-1] + steep[:-1] * step[1:]) / (step[1:] + step[:-1])
    return np.concatenate([steep[:1], inner, steep[-1:]])
