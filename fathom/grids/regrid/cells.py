"""Means over the cells of a grid, by samples of regular data: bathymetry.

Each cell is cut into n x n parts along its sides; its value is the mean of the data, bilinear, at
the middle of each part. Parts lie on the sphere: at the date line and at the poles as elsewhere.
Exact means are in cell_means.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.base.earth import unit_vectors
from fathom.grids.regrid.points import bilinear


def means(
    values: np.ndarray, latitude: Any, longitude: Any, corners: tuple[Any, Any], parts: int
) -> np.ndarray:
    """Returns means of values (..., lat, lon) over the cells between corners, latitude and
    longitude [degrees] (ny + 1, nx + 1); (..., ny, nx).
    """
    at = unit_vectors(corners[1], corners[0])
    values = np.asarray(values)
    result = np.empty((*values.shape[:-2], at.shape[0] - 1, at.shape[1] - 1), values.dtype)
    for j in range(len(at) - 1):
        x, y, z = np.moveaxis(_parts_of_row(at[j], at[j + 1], parts), -1, 0)
        places = np.rad2deg(np.arctan2(z, np.hypot(x, y))), np.rad2deg(np.arctan2(y, x))
        result[..., j, :] = bilinear(values, latitude, longitude, *places).mean((-2, -1))
    return result


def _parts_of_row(south: np.ndarray, north: np.ndarray, n: int) -> np.ndarray:
    """Returns middles (nx, n, n, 3) of the parts of the cells between two lines of corners (nx + 1,
    3).
    """
    t = (np.arange(n) + 0.5) / n
    lines = south[:, None] + t[:, None] * (north - south)[:, None]  # (nx + 1, n, 3)
    result: np.ndarray = lines[:-1, :, None] + t[:, None] * (lines[1:] - lines[:-1])[:, :, None]
    return result
