"""Levels that output is brought to: values of one coordinate in the column, chosen by the user.

levels = [500, 850]                              the model's usual coordinate, in its unit
levels = { altitude = [1000, 5000] }             another that the model knows
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fathom.names import unknown


@dataclass(frozen=True)
class Coordinate:
    """A vertical coordinate by which levels may be chosen. `units` are those of files and users,
    `factor` makes them SI."""

    name: str  # of the dimension in files
    units: str
    factor: float
    standard_name: str
    positive: str  # up or down
    long_name: str = ""
    signed: bool = False  # whether values below zero have a meaning

    @property
    def attributes(self) -> dict[str, str]:
        """Of CF."""
        return {
            "standard_name": self.standard_name,
            "long_name": self.long_name or self.name.replace("_", " "),
            "units": self.units,
            "positive": self.positive,
            "axis": "Z",
        }


@dataclass(frozen=True)
class ChosenLevels:
    """Values [SI] of a coordinate; equal ones are the same key."""

    coordinate: Coordinate
    values: tuple[float, ...]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def name(self) -> str:
        return self.coordinate.name

    @property
    def stored(self) -> np.ndarray:
        """As users and files say them."""
        return np.array(self.values) / self.coordinate.factor


def chosen(levels: Any, known: tuple[Coordinate, ...]) -> ChosenLevels:
    """What `levels` of an output say; the first of `known` is the usual coordinate. ValueError:
    another coordinate, or values that are none.
    """
    by_name = {coordinate.name: coordinate for coordinate in known}
    given = levels if isinstance(levels, Mapping) else {known[0].name: levels}
    if len(given) != 1:
        raise ValueError(f"levels = {levels} are of {len(given)} coordinates; one is allowed")
    ((name, values),) = given.items()
    if name not in by_name:
        raise ValueError(f"levels = {levels}: {unknown('coordinate', name, by_name)}")
    coordinate = by_name[name]
    try:
        numbers = np.atleast_1d(np.asarray(values, float)) * coordinate.factor
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if (
        numbers.ndim != 1
        or not numbers.size
        or not np.isfinite(numbers).all()
        or (numbers.min() < 0 and not coordinate.signed)
    ):
        least = "" if coordinate.signed else ", 0 or more"
        raise ValueError(f"levels = {levels} are of {name} [{coordinate.units}]{least}")
    return ChosenLevels(coordinate, tuple(map(float, numbers)))


pressure = Coordinate("pressure", "hPa", 100.0, "air_pressure", "down")
altitude = Coordinate("altitude", "m", 1.0, "altitude", "up", "altitude above mean sea level")
height = Coordinate("height", "m", 1.0, "height", "up", "height above the ground")
potential_temperature = Coordinate(
    "potential_temperature", "K", 1.0, "air_potential_temperature", "up"
)
depth = Coordinate("depth", "m", 1.0, "depth", "down")
