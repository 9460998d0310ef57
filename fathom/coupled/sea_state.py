"""The surface of a sea with ice, as an atmosphere sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from fathom.base import constants, mpi

CELSIUS = constants.celsius


def vapour_pressure(temperature: np.ndarray) -> np.ndarray:
    """Returns e_s [Pa] of a temperature [K], as the air's physics has it."""
    return _each(mpi.core.surface_vapour_pressure, temperature)


def vapour_slope(temperature: np.ndarray) -> np.ndarray:
    """Returns de_s/dT [Pa K-1] of a temperature [K]."""
    return _each(mpi.core.surface_vapour_slope, temperature)


def _each(function: Any, values: np.ndarray) -> np.ndarray:
    return np.asarray(function(np.ascontiguousarray(values, float).ravel())).reshape(values.shape)


class SeaState:
    """The surface of the sea as the air sees it, at some points.

    cover : share of ice [1]; water, ice : temperatures [K]; white : albedo of ice [1]; east,
    north : current [m s-1].
    """

    def __init__(self, fields: Mapping[str, np.ndarray]) -> None:
        self.water = fields["temperature"] + CELSIUS
        self.east, self.north = (
            fields["surface_current_eastward"],
            fields["surface_current_northward"],
        )
        none = np.zeros_like(self.water)
        self.cover = np.clip(fields.get("sea_ice_area", none), 0.0, 1.0)
        self.ice = fields.get("ice_surface_temperature", none - 1.8) + CELSIUS
        covered, mean = fields.get("covered_share", none), fields.get("surface_albedo", none)
        known = covered > 1e-6
        of_water = SeaState.dark * (1 - covered)
        self.white = np.where(
            known, (mean - of_water) / np.where(known, covered, 1.0), SeaState.usual_ice
        )
        self.white = np.clip(self.white, 0.0, 0.99)

    dark: ClassVar[float] = 0.066  # albedo of water in the mean that the ice has made
    usual_ice: ClassVar[float] = 0.6  # albedo of ice that was not there before
