"""The earth as a sphere, and places on it as unit vectors; constants of earth and sea, from
core/base/constants.hpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fathom.base import constants

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

RADIUS = constants.earth_radius  # m
ROTATION = constants.rotation  # s-1
GRAVITY = constants.gravity  # m s-2, of the equations
STANDARD_GRAVITY = constants.standard_gravity  # m s-2, of geopotential height
SEA_WATER_DENSITY = constants.sea_water_density  # kg m-3, of the Boussinesq approximation
SEA_WATER_HEAT_CAPACITY = constants.sea_water_heat_capacity  # J kg-1 K-1


def unit_vectors(longitude: ArrayLike, latitude: ArrayLike) -> np.ndarray:
    """Returns vectors (..., 3) to places in degrees, which broadcast."""
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
    """Returns longitude and latitude [degrees] of vectors (..., 3) of any length."""
    x, y, z = vectors[..., 0], vectors[..., 1], vectors[..., 2]
    return np.degrees(np.arctan2(y, x)), np.degrees(np.arctan2(z, np.hypot(x, y)))
