"""The part of a grid that lies near an area: its points, and some more on each side for the splines
between them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import longitudes
from fathom.base.earth import unit_vectors

if TYPE_CHECKING:
    import xarray as xr

MARGIN = 4  # points more on each side
Cut = tuple[np.ndarray, np.ndarray]  # rows and columns


def around_area(around: tuple[Any, Any], latitude: np.ndarray, longitude: np.ndarray) -> Cut | None:
    """Returns the rows and columns near an area, these from west to east; None: it needs all
    columns, as one around a pole does.

    around : its longitudes and latitudes [degrees].
    latitude, longitude : of the rows and columns [degrees].
    """
    x, y = (np.asarray(a, float).ravel() for a in around)
    middle = np.rad2deg(np.angle(np.exp(1j * np.deg2rad(x)).mean()))
    apart = (longitude - middle + 180) % 360 - 180
    wanted = (x - middle + 180) % 360 - 180
    step = np.abs(np.diff(np.sort(apart))).max()
    height = np.abs(np.diff(np.sort(latitude))).max()
    inside = (latitude >= y.min() - MARGIN * height) & (latitude <= y.max() + MARGIN * height)
    rows = np.flatnonzero(inside)
    order = np.argsort(apart)
    east = apart[order]
    kept = (east >= wanted.min() - MARGIN * step) & (east <= wanted.max() + MARGIN * step)
    around_earth = longitudes.eastward(np.sort(longitude % 360)).around
    if around_earth and (kept[0] or kept[-1] or np.abs(y).max() + MARGIN * height > 89):
        return None
    return rows, order[kept]


def around_on_map(around: tuple[Any, Any], longitude: np.ndarray, latitude: np.ndarray) -> Cut:
    """Returns the rows and columns of the points (rows, columns) of a map near an area."""
    from scipy.spatial import cKDTree  # start-up time

    points = unit_vectors(longitude, latitude).reshape(-1, 3)
    x, y = (np.asarray(a, float).ravel() for a in around)
    _, nearest = cKDTree(points).query(unit_vectors(x, y))
    found = []
    for index, size in zip(np.divmod(nearest, longitude.shape[1]), longitude.shape):
        first, last = int(index.min()) - MARGIN, int(index.max()) + MARGIN
        found.append(np.arange(max(first, 0), min(last + 1, size)))
    return found[0], found[1]


def evenly(data: xr.Dataset) -> xr.Dataset:
    """Returns fields on latitudes and longitudes as far apart along both, by cubic splines where
    those of a box are not: Gaussian rows, other steps along x than along y.
    """
    from scipy.interpolate import RectBivariateSpline  # start-up time

    longitude = np.rad2deg(np.unwrap(np.deg2rad(data.longitude.values.astype(float))))
    data = data.assign_coords(longitude=longitude).sortby("longitude").sortby("latitude")
    x, y = data.longitude.values, data.latitude.values
    step = np.abs(np.diff(y)).mean()
    uneven = max(np.abs(axis - np.linspace(axis[0], axis[-1], axis.size)).max() for axis in (x, y))
    if not all(np.isfinite(field.values).all() for field in data.data_vars.values()):
        return data  # an error of those that take it
    if uneven < 2e-3 * step and abs((x[-1] - x[0]) / (x.size - 1) - step) < 2e-3 * step:
        return data
    new = [
        axis[0] + step * np.arange(int((axis[-1] - axis[0]) / step + 1e-6) + 1) for axis in (x, y)
    ]

    def resampled(values: np.ndarray) -> np.ndarray:
        flat = values.reshape(-1, y.size, x.size)
        made = [RectBivariateSpline(y, x, one)(new[1], new[0]) for one in flat]
        return np.stack(made).reshape(*values.shape[:-2], new[1].size, new[0].size)

    fields = {
        name: (field.dims, resampled(field.transpose(..., "latitude", "longitude").values))
        for name, field in data.data_vars.items()
    }
    places = {"longitude": new[0], "latitude": new[1]}
    others = {n: c for n, c in data.coords.items() if n not in places}
    return type(data)(fields, others | places)
