"""The earth as a sphere, and places on it as unit vectors; the model's constants of earth and sea,
as in core/base/constants.hpp.
"""

from __future__ import annotations

import numpy as np

RADIUS = 6371220.0  # m
ROTATION = 7.292123516990375e-5  # s-1
GRAVITY = 9.80616  # m s-2
SEA_WATER_DENSITY = 1026.0  # kg m-3, of the Boussinesq approximation
SEA_WATER_HEAT_CAPACITY = 3996.0  # J kg-1 K-1


def unit_vectors(longitude, latitude) -> np.ndarray:
    """Vectors (..., 3) to places in degrees, which broadcast."""
    longitude, latitude = np.broadcast_arrays(np.deg2rad(longitude), np.deg2rad(latitude))
    return np.stack(
        [
            np.cos(latitude) * np.cos(longitude),
            np.cos(latitude) * np.sin(longitude),
            np.sin(latitude),
        ],
        -1,
    )


def places(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Longitude and latitude [degrees] of vectors (..., 3) of any length."""
    x, y, z = vectors[..., 0], vectors[..., 1], vectors[..., 2]
    return np.degrees(np.arctan2(y, x)), np.degrees(np.arctan2(z, np.hypot(x, y)))
