"""Areas, and fields on regular grids."""

from __future__ import annotations

import numpy as np

EARTH_RADIUS = 6.371e6  # m


def cell_area(latitude, nx):
    """Area [m2] of the cells of a regular grid, (lat, 1)."""
    half = 0.5 * (latitude[1] - latitude[0])
    edges = np.sin(np.deg2rad([latitude - half, latitude + half]))
    return (EARTH_RADIUS**2 * (edges[1] - edges[0]) * 2 * np.pi / nx)[:, None]


def mean(field, weight):
    return (field * weight).sum() / weight.sum()


def from_greenwich(longitude, *fields):
    """Longitudes in [0, 360), increasing, and the fields with their last axis in that order."""
    order = np.argsort(np.mod(longitude, 360))
    return np.mod(longitude, 360)[order], [f[..., order] for f in fields]
