"""The greatest depth of the mixed layer in the year, from the monthly climatology of Levitus (1994)
at 4 degrees on 15 layers, in the way of Monterey & Levitus (1997, NOAA Atlas NESDIS 14).
"""

from __future__ import annotations

import numpy as np

from fathom.base.reading import once
from fathom.data import embedded

STEP = 0.125  # of potential density, from the top layer to the foot of the mixed layer [kg m-3]


def depth_of(density: np.ndarray, depth: np.ndarray, step: float = STEP) -> np.ndarray:
    """Returns depth at which density exceeds that of the top layer by `step`, linear between layers
    [m].

    density  (..., levels, lat, lon) potential density [kg m-3], NaN below the sea floor
    depth    (levels,) of the middles of layers [m]

    Returns (..., lat, lon): the middle of the lowest layer with water where all is mixed, NaN where
    there is none.
    """
    depth, excess = np.asarray(depth, float), density - density[..., :1, :, :] - step
    water = np.isfinite(excess)
    count = water.sum(-3)
    found = np.where(count > 0, depth[np.maximum(count - 1, 0)], np.nan)
    for n in range(depth.size - 1, 0, -1):
        above, here = excess[..., n - 1, :, :], excess[..., n, :, :]
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.clip(-above / (here - above), 0, 1)
            crossed = here > 0
        found = np.where(crossed, depth[n - 1] + share * (depth[n] - depth[n - 1]), found)
    return found


@once
def on_points(latitude: np.ndarray, longitude: np.ndarray) -> np.ndarray:
    """Returns the deepest of twelve months [m] at points [degrees] of any one shape; float32."""
    name = "deepest_mixed_layer"
    (found,) = embedded.on_points("levitus-4deg", latitude, longitude, name).values()
    return found
