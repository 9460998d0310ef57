"""Columns of a grid of air: levels everywhere, and their places on the sphere."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np


def whole_levels(nx: int, ny: int, nz: int) -> np.ndarray:
    """Returns levels of each column, (ny, nx), int32: all of them; they cannot be changed."""
    levels = np.full((ny, nx), nz, np.int32)
    levels.flags.writeable = False
    return levels


def on_sphere(
    center: tuple[np.ndarray, np.ndarray],
    corner: tuple[np.ndarray, np.ndarray],
    area: np.ndarray,
    radius: float,
    *,
    periodic: bool = False,
    **more: np.ndarray,
) -> SimpleNamespace:
    """Returns what a grid has as `horizontal`.

    center : longitude and latitude of columns, (ny, nx) [degrees].
    corner : of their corners, (nx + 1, ny + 1) or (ny + 1, nx + 1) [degrees].
    area : of cells, (ny, nx) [m2].
    radius : of the sphere [m].
    periodic : whether the last column is next to the first one.
    more : of cells or their faces, by name.
    """
    ny, nx = area.shape
    return SimpleNamespace(
        nx=nx,
        ny=ny,
        periodic=periodic,
        fold=False,
        periodic_j=False,
        spherical=True,
        radius=radius,
        center_longitude=center[0],
        center_latitude=center[1],
        corner_longitude=corner[0],
        corner_latitude=corner[1],
        area_center=area,
        **more,
    )
