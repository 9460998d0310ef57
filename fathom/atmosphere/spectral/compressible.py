"""The additional fields of compressible air in a limited area, and its linear terms
(core/atmosphere/nonhydrostatic/): q = ln(p / pi), the departure of pressure, and d, the
vertical divergence.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fathom.base import mpi
from fathom.grids.levels import HybridLevels
from fathom.model.component import Array

fields = ("log_pressure_departure", "vertical_divergence")  # q, d


def vertical_divergence(
    grid: Any,
    truncation: tuple[int, int],
    air: Mapping[str, float],
    u: Array,
    v: Array,
    log_pressure_ratio: Array,
) -> Array:
    """Returns d of air that stays hydrostatic, (levels, rows, points) [s-1]: D + d = -(c_v / c_p)
    omega / pi.

    grid : of all points of the area or plane.
    truncation : waves along x and y.
    air : gas_constant and heat_capacity of dry air [J kg-1 K-1], by name.
    u, v : wind of the layers along the axes of the map, (levels, rows, points) [m s-1].
    log_pressure_ratio : ln(p_s / 1000 hPa), (rows, points).
    """
    from fathom.grids.transform import BiFourier  # start-up time: loads the core

    waves = BiFourier(grid.size, grid.spacing, truncation=truncation)
    m = 1.0 if grid.map_factor is None else grid.map_factor
    divergence = waves.vorticity_divergence(u / m, v / m)[1]
    divergence[:, 0] = 0  # the mean wind is stored in its place
    D = m**2 * waves.inverse(divergence)
    s = waves.direct(log_pressure_ratio)
    east, north = (m * x for x in waves.gradient(s))
    surface = 1e5 * np.exp(waves.inverse(s))
    a, b = (np.asarray(x, float) for x in (grid.levels.a, grid.levels.b))
    d, total = np.empty_like(D), np.zeros_like(surface)
    for k in range(len(D)):
        above, below = a[k] + b[k] * surface, a[k + 1] + b[k + 1] * surface
        thick, along = below - above, u[k] * east + v[k] * north
        ratio, alpha = np.zeros_like(thick), np.ones_like(thick)
        if a[k] or b[k]:
            ratio = np.log(below / above)
            alpha = 1 - above / thick * ratio
        out = D[k] * thick + surface * (b[k + 1] - b[k]) * along
        slope = surface / thick * (ratio * b[k] + alpha * (b[k + 1] - b[k]))
        omega = slope * along - (ratio * total + alpha * out) / thick
        total = total + out
        d[k] = -D[k] - (1 - air["gas_constant"] / air["heat_capacity"]) * omega
    return d


class LinearTerms:
    """G, S and L of the model, (levels, levels).

    levels : of the air.
    p : off_centring, reference_pressure [Pa], reference_temperature, acoustic_temperature [K],
        gas_constant, heat_capacity [J kg-1 K-1], by name.
    step : [s].
    """

    def __init__(self, levels: HybridLevels, p: Mapping[str, float], step: float) -> None:
        self.beta = 0.5 * step * (1 + p["off_centring"])
        of = mpi.core.compressible_reference(
            list(map(float, levels.a)),
            list(map(float, levels.b)),
            self.beta,
            p["reference_pressure"],
            p["reference_temperature"],
            p["acoustic_temperature"],
            p["gas_constant"],
            p["heat_capacity"],
        )
        count = levels.nz
        self.G, self.S = (np.reshape(of[name], (count, count)) for name in ("G", "S"))
        above, here, below = of["acceleration"]
        self.L = np.diag(above[1:], -1) + np.diag(here) + np.diag(below[:-1], 1)
        self.a = 1 - p["gas_constant"] / p["heat_capacity"]
        self.RT = p["gas_constant"] * p["reference_temperature"]
        self.heating = self.RT / (p["heat_capacity"] * self.a)
        self.acoustic = of["acoustic"]

    def potential(self, q: np.ndarray) -> np.ndarray:
        """Returns the part of q in R G T + R T_r s."""
        result: np.ndarray = self.RT * (q - np.tensordot(self.G, q, 1))
        return result

    def right_side(self, D: np.ndarray, q: np.ndarray, d: np.ndarray) -> Any:
        """Returns (1 - beta L) of q and d by name, and its part of T; D: M times that of the
        map."""
        q_field, d_field = fields
        more = {
            q_field: q - self.beta * (np.tensordot(self.S, D, 1) - (D + d) / self.a),
            d_field: d + self.beta * self.acoustic * np.tensordot(self.L, q, 1),
        }
        return more, self.beta * self.heating * (D + d)
