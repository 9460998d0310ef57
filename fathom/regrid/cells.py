"""Means over the cells of a grid, of regular data that are finer than the cells.

Each cell is cut into n x n parts along its sides; its value is the mean of the data, bilinear, at
the middle of each part. So fluxes from fine data keep their sum, where the value at the middle of a
cell would be one of many. Parts lie on the sphere: at the date line and at the poles as elsewhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.earth import unit_vectors
from fathom.regrid.points import bilinear

most_parts = 8  # along a side


def parts_of(latitude: Any, longitude: Any, area: np.ndarray, radius: float) -> int:
    """Parts along the side of a cell of that area [m2], so that each has about the size of a cell
    of the data; 1 where the data are not at least twice as fine.
    """
    degree = radius * np.pi / 180
    fine = min(np.ptp(axis) / max(len(axis) - 1, 1) for axis in (latitude, longitude))
    ratio = np.sqrt(np.median(area)) / (degree * max(fine, 1e-9))
    return int(min(np.ceil(ratio - 1e-6), most_parts)) if ratio >= 2 else 1


def means(
    values: np.ndarray, latitude: Any, longitude: Any, corners: tuple[Any, Any], parts: int
) -> np.ndarray:
    """Of values (..., lat, lon) over the cells between corners, latitude and longitude [degrees]
    (ny + 1, nx + 1); (..., ny, nx).
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
    """Middles (nx, n, n, 3) of the parts of the cells between two lines of corners (nx + 1, 3)."""
    t = (np.arange(n) + 0.5) / n
    lines = south[:, None] + t[:, None] * (north - south)[:, None]  # (nx + 1, n, 3)
    return lines[:-1, :, None] + t[:, None] * (lines[1:] - lines[:-1])[:, :, None]
