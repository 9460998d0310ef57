"""Means over the cells of a grid, of regular data that are finer than the cells.

Each cell is cut into n x n parts along its sides; its value is the mean of the data, bilinear, at
the middle of each part. So fluxes from fine data keep their sum, where the value at the middle of a
cell would be one of many. Parts lie on the sphere: at the date line and at the poles as elsewhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

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
    at = np.stack(_on_sphere(*(np.deg2rad(np.asarray(c, float)) for c in corners)))
    south, north = at[:, :-1], at[:, 1:]
    middles = (np.arange(parts) + 0.5) / parts
    total: Any = 0.0
    for s in middles:
        for t in middles:
            low = (1 - s) * south[..., :-1] + s * south[..., 1:]
            high = (1 - s) * north[..., :-1] + s * north[..., 1:]
            x, y, z = (1 - t) * low + t * high
            lat, lon = np.rad2deg(np.arctan2(z, np.hypot(x, y))), np.rad2deg(np.arctan2(y, x))
            total = total + bilinear(values, latitude, longitude, lat, lon)
    return np.asarray(total / parts**2, np.asarray(values).dtype)


def _on_sphere(latitude: np.ndarray, longitude: np.ndarray) -> tuple[np.ndarray, ...]:
    cosine = np.cos(latitude)
    return cosine * np.cos(longitude), cosine * np.sin(longitude), np.sin(latitude)
