"""The surface of a sea with ice, as an atmosphere sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from fathom.base import constants, mpi

CELSIUS = constants.celsius
salty = 0.98  # vapour pressure over sea water over that over fresh water


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
    north : current [m s-1]; e, e_ice : vapour pressure over both [Pa]; slope : de/dT over ice
    [Pa K-1].
    """

    parts = ("cover", "water", "ice", "white", "east", "north", "e", "e_ice", "slope")
    dark: ClassVar[float] = 0.066  # albedo of water in the mean that the ice has made
    usual_ice: ClassVar[float] = 0.6  # albedo of ice that was not there before

    def __init__(self, values: Any) -> None:
        self.values = values  # in the order of `parts`
        for name, one in zip(self.parts, values, strict=True):
            setattr(self, name, one)

    cover: np.ndarray
    water: np.ndarray
    ice: np.ndarray
    white: np.ndarray
    east: np.ndarray
    north: np.ndarray
    e: np.ndarray
    e_ice: np.ndarray
    slope: np.ndarray

    @classmethod
    def of(cls, fields: Mapping[str, np.ndarray]) -> SeaState:
        """Returns it of the fields of an ocean."""
        water = fields["temperature"] + CELSIUS
        none = np.zeros_like(water)
        ice = fields.get("ice_surface_temperature", none - 1.8) + CELSIUS
        covered, mean = fields.get("covered_share", none), fields.get("surface_albedo", none)
        known = covered > 1e-6
        of_water = cls.dark * (1 - covered)
        white = np.where(known, (mean - of_water) / np.where(known, covered, 1.0), cls.usual_ice)
        e = (
            salty * vapour_pressure(water),
            vapour_pressure(ice),
            vapour_slope(ice),
        )
        return cls(
            (
                np.clip(fields.get("sea_ice_area", none), 0.0, 1.0),
                water,
                ice,
                np.clip(white, 0.0, 0.99),
                fields["surface_current_eastward"],
                fields["surface_current_northward"],
                *e,
            )
        )
