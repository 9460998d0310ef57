"""Target levels of output: values of one coordinate in the column, chosen by the user.

levels = [500, 850]                              the model's usual coordinate, in its unit
levels = { altitude = [1000, 5000] }             another that the model knows
levels = { hybrid = "L19" }                      the layers of another set of hybrid levels
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.base.near import unknown


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
    most: float = np.inf  # in `units`: beyond it, they were given in others
    layers: Callable[..., Any] | None = None  # what makes a set of them, where they come as layers

    def holds(self, numbers: np.ndarray) -> bool:
        """Returns whether all [SI] are values that it may have."""
        low = -np.inf if self.signed else 0.0
        inside = (numbers >= low) & (numbers <= self.most * self.factor)
        return bool((np.isfinite(numbers) & inside).all())

    @property
    def attributes(self) -> dict[str, str]:
        """Returns attributes of CF."""
        return ({"standard_name": self.standard_name} if self.standard_name else {}) | {
            "long_name": self.long_name or self.name.replace("_", " "),
            "units": self.units,
            "positive": self.positive,
            "axis": "Z",
        }


@dataclass(frozen=True)
class ChosenLevels:
    """Values [SI] of a coordinate; equal ones are the same key. Of hybrid levels they are layers
    between `interfaces`, a [Pa] and b, from the top down."""

    coordinate: Coordinate
    values: tuple[float, ...]
    interfaces: tuple[tuple[float, ...], ...] = ()

    def __len__(self) -> int:
        return len(self.values)

    @property
    def name(self) -> str:
        """Returns the name of their coordinate."""
        return self.coordinate.name

    @property
    def stored(self) -> np.ndarray:
        """Returns the values as users and files say them."""
        return np.array(self.values) / self.coordinate.factor

    @property
    def mapping(self) -> dict[str, Any]:
        """Returns the levels as `fathom.output.coordinates` takes them; hybrid levels as a model
        has them.
        """
        if self.interfaces:
            return dict(zip(("hybrid_a", "hybrid_b"), map(np.array, self.interfaces)))
        return {"chosen_levels": self}


def chosen(levels: Any, known: Sequence[Coordinate]) -> ChosenLevels:
    """Returns the levels of the entry `levels` of an output; the first of `known` is the usual
    coordinate. ValueError: unknown coordinate, or wrong values.
    """
    by_name = {coordinate.name: coordinate for coordinate in known}
    given = levels if isinstance(levels, Mapping) else {known[0].name: levels}
    if len(given) != 1:
        raise InputError(f"levels = {levels} are of {len(given)} coordinates; one is allowed")
    ((name, values),) = given.items()
    if name not in by_name:
        raise InputError(f"levels = {levels}: {unknown('coordinate', name, by_name)}")
    coordinate = by_name[name]
    if coordinate.layers is not None:
        return _layers(coordinate, coordinate.layers, values)
    try:
        numbers = np.atleast_1d(np.asarray(values, float)) * coordinate.factor
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if numbers.ndim != 1 or not numbers.size or not coordinate.holds(numbers):
        least = "" if coordinate.signed else ", 0 or more"
        most = f", at most {coordinate.most:g}" if np.isfinite(coordinate.most) else ""
        raise InputError(f"levels = {levels} are of {name} [{coordinate.units}]{least}{most}")
    return ChosenLevels(coordinate, tuple(map(float, numbers)))


def _layers(coordinate: Coordinate, make: Callable[..., Any], given: Any) -> ChosenLevels:
    """Returns levels from a set of them, or from what makes it: a name, a number, or a table of
    keywords.
    """
    if isinstance(given, Mapping):
        levels = make(**given)
    else:
        levels = given if hasattr(given, "a") else make(given)
    interfaces = tuple(tuple(map(float, part)) for part in (levels.a, levels.b))
    middles = levels.middles / levels.surface
    return ChosenLevels(coordinate, tuple(map(float, middles)), interfaces)


pressure = Coordinate("pressure", "hPa", 100.0, "air_pressure", "down", most=2000.0)
altitude = Coordinate("altitude", "m", 1.0, "altitude", "up", "altitude above mean sea level")
height = Coordinate("height", "m", 1.0, "height", "up", "height above the ground")
potential_temperature = Coordinate(
    "potential_temperature", "K", 1.0, "air_potential_temperature", "up"
)
potential_vorticity = Coordinate(
    "potential_vorticity",
    "1e-6 K m2 kg-1 s-1",
    1e-6,
    "",
    "up",
    "potential vorticity, of the sign that it has in the north",
)
depth = Coordinate("depth", "m", 1.0, "depth", "down")


def hybrid(make: Callable[..., Any]) -> Coordinate:
    """Returns layers of hybrid levels; make: HybridLevels."""
    standard = "atmosphere_hybrid_sigma_pressure_coordinate"
    return Coordinate("hybrid", "1", 1.0, standard, "down", layers=make)
