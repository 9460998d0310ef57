"""Vorticity and potential vorticity of a whole Gaussian grid, as output has them.

    zeta = m^2 curl(u/m, v/m)                  by coefficients, m the map factor of a stretched grid
    P    = -g ((zeta + f) theta_p - v_p theta_x + u_p theta_y)

zeta, theta_x and theta_y are taken along the model's levels: P is the same as along levels of
potential temperature (Ertel 1942; Hoskins, McIntyre & Robertson 1985, hydrostatic). f_p = f_x / p
with x = ln p, of second order between the layers around, of first order in the end layers.
"""

import numpy as np

from fathom.moist_air import GRAVITY

wind = ("eastward_wind", "northward_wind")


def vorticity(state) -> np.ndarray:
    """zeta [s-1], (layers, points), of a State that has the whole grid."""
    harmonics, m = _transform(state)
    along = (np.asarray(state.given[part], float) / m for part in wind)
    waves, _ = harmonics.vorticity_divergence(*along)
    return _packed(state, m**2 * harmonics.inverse(waves))


def potential_vorticity(state) -> np.ndarray:
    """P [K m2 kg-1 s-1], (layers, points), of a State that has the whole grid."""
    harmonics, m = _transform(state)
    theta = state["potential_temperature"]
    waves = harmonics.direct(state.spread(theta))
    east, north = (_packed(state, m * part) for part in harmonics.gradient(waves))
    pressure = state["air_pressure"]
    x = np.log(pressure)
    u, v = (_packed(state, np.asarray(state.given[part], float)) for part in wind)
    spin = (state["vorticity"] + coriolis(state)) * slope(theta, x)
    return -GRAVITY / pressure * (spin - slope(v, x) * east + slope(u, x) * north)


def coriolis(state) -> np.ndarray:
    """f [s-1], (points), of places on earth."""
    latitude = np.asarray(state.model.grid.coordinates()[1])[state.there]
    return 2 * state.model.parameters["rotation"] * np.sin(np.deg2rad(latitude))


def slope(f, x) -> np.ndarray:
    """df/dx of layers (layers, points)."""
    steep, step = np.diff(f, axis=0) / np.diff(x, axis=0), np.diff(x, axis=0)
    inner = (steep[1:] * step[:-1] + steep[:-1] * step[1:]) / (step[1:] + step[:-1])
    return np.concatenate([steep[:1], inner, steep[-1:]])


def _transform(state):
    grid = state.model.grid
    return grid.harmonics, grid.sphere.map_factor(grid.latitude)[:, None]


def _packed(state, values):
    return np.ascontiguousarray(values[:, state.there])
