"""Limits of the time step for an ocean on its grid. `show` prints them, and so does a run that
blows up. docs/time-stepping.md has the joint limits.
"""

from __future__ import annotations

import numpy as np

from fathom.grids.water import WaterGrid
from fathom.model.component import Array, Criterion


def nearest(grid: WaterGrid, name: str, values: Array, limit: float) -> Criterion:
    """Returns the criterion at the wet corner where values (ny, nx) are largest."""
    values = np.where(grid.wet_corners, values, 0)
    j, i = np.unravel_index(values.argmax(), values.shape)
    return Criterion(name, float(values[j, i]), limit, grid.place(int(j), int(i)))


def inverse_square(grid: WaterGrid) -> Array:
    """Returns 1 / dx^2 + 1 / dy^2 at corners [m-2], (ny, nx), for diffusion, which is forward."""
    h = grid.horizontal
    dx, dy = np.asarray(h.dx_corner), np.asarray(h.dy_corner)
    return np.asarray(1 / dx**2 + 1 / dy**2)
