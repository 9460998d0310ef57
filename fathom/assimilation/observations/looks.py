"""One kind and variable of data with the operator that sees them in the model's columns: the values
of the model (`apply`), and their slopes by the state of the columns, which are rows of H'.

    for look in equivalents.Air(a, b).looks(data, held):
        look.of, look.apply(), look.slopes()        # indices (n), (n), (n, 4 K + 2)

The state of a column: temperature, humidity, eastward and northward wind of the K layers, surface
pressure, skin temperature (operators.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from fathom.assimilation.observations import microwave, operators, plugged, radiances
from fathom.assimilation.observations.base import Observations
from fathom.assimilation.observations.variables import kinds
from fathom.base.moist_air import CELSIUS

Columns = dict[str, np.ndarray]  # name -> (levels, n)
ground_kinds = tuple(kinds.index(k) for k in ("synop", "ship", "buoy", "metar"))
widest = 65.0  # degrees: of a satellite's zenith angle
usual_density = 250.0  # kg m-3, of snow
at_once = 10_000  # radiances


def at_surface(data: Observations) -> np.ndarray:
    """Returns snow, and the sea at a depth that is not known or small."""
    flat = np.isin(data["kind"], ground_kinds)
    shallow = data.variable_is("sea_water_temperature") & ~(data["depth"] > 5)
    return flat & (data.variable_is("surface_snow_thickness") | shallow)


def known_radiances(data: Observations) -> np.ndarray:
    """Returns data of an instrument and an angle that the regression is for."""
    known = microwave.index_of(data["instrument"], data["channel"]) >= 0
    known &= data.variable_is("toa_brightness_temperature")
    with np.errstate(invalid="ignore"):
        result: np.ndarray = known & (np.abs(data["zenith"]) < widest)
        return result


class Look:
    """Data `of` one kind and variable, with the operator that sees them in their columns, and the
    level of each: a pressure [Pa] or a height [m], by `what`.
    """

    def __init__(
        self, of: np.ndarray, data: Observations, columns: Any, operator: str, what: str,
        level: np.ndarray,
    ) -> None:  # fmt: skip
        self.of, self.data, self.columns = of, data, columns
        self.operator, self.what, self.level = operator, what, level

    @property
    def has_level(self) -> bool:
        """Returns whether nothing is seen without a level."""
        return (
            self.what == "pressure"
            or self.operator == "surface_pressure"
            or self.operator in operators.by_height.values()
        )

    def apply(self) -> np.ndarray:
        """Returns the values that the model has instead of the data (n)."""
        result: np.ndarray = self.columns.apply(self.operator, self.level)
        return result

    def slopes(self) -> np.ndarray:
        """Returns their derivatives by the state of their columns (n, 4 K + 2): rows of H'."""
        result: np.ndarray = self.columns.adjoint(self.operator, np.ones(len(self.of)), self.level)
        return result


class Radiances(Look):
    """Brightness temperatures; land: fraction of land (n)."""

    def __init__(self, of: np.ndarray, data: Observations, columns: Any, land: np.ndarray) -> None:
        super().__init__(of, data, columns, "", "", np.zeros(len(of)))
        self.land = land

    def apply(self) -> np.ndarray:
        """Returns brightness temperatures [K]; NaN of an instrument that is not known, or of no
        angle."""
        seen = np.full(len(self.of), np.nan)
        for rows, one in self._scenes():
            seen[rows] = one.apply()
        return seen

    def slopes(self) -> np.ndarray:
        made = np.zeros((len(self.of), 4 * self.columns.temperature.shape[1] + 2))
        for rows, one in self._scenes():
            made[rows] = one.adjoint(np.ones(len(rows)))
        return made

    def unsure(self) -> np.ndarray:
        """Returns errors of what the model cannot know [K]. Of the surface, by the slope against
        its temperature: 2 K of that, 0.02 of its emissivity, of coasts 0.4 where half is land. Of
        vapour on small scales, and of clouds: 1.5 K above 150 GHz.
        """
        land = np.clip(self.land, 0, 1)
        emissivity = 0.02 + 0.8 * np.minimum(land, 1 - land)
        of_skin = np.abs(self.slopes()[:, -1])
        surface = of_skin * (2.0 + emissivity * self.columns.skin / microwave.land)
        channel = microwave.index_of(self.data["instrument"], self.data["channel"])
        centre = np.array([one for one, _, _ in radiances.channels])[channel]
        return np.asarray(np.hypot(surface, np.where(centre > 150, 1.5, 0.0)))

    def _scenes(self) -> Iterator[tuple[np.ndarray, microwave.Seen]]:
        channel = microwave.index_of(self.data["instrument"], self.data["channel"])
        known = np.flatnonzero(known_radiances(self.data))
        for first in range(0, len(known), at_once):
            rows = known[first : first + at_once]
            some, zenith = self.columns.taken(rows), np.abs(self.data["zenith"][rows])
            emissivity = microwave.emissivity(channel[rows], zenith, some.skin, self.land[rows])
            yield rows, microwave.Seen(some, channel[rows], emissivity, zenith)


class OfSurface(Look):
    """Fields of the surface: snow and the sea. The air has no part in them."""

    def __init__(self, of: np.ndarray, data: Observations, name: str, held: Columns) -> None:
        super().__init__(of, data, None, "", "", np.zeros(len(of)))
        self.name, self.held = name, held

    def apply(self) -> np.ndarray:
        """Returns values of a field of the surface; NaN where it has none."""
        field, factor, offset = {
            "surface_snow_thickness": ("snow_amount", 1 / usual_density, 0.0),
            "sea_water_temperature": ("sea_surface_temperature", 1.0, -CELSIUS),
        }.get(self.name, ("", 1.0, 0.0))
        if field not in self.held:
            return np.full(len(self.of), np.nan)
        at = self.held[field][0]
        return np.where(at_surface(self.data), factor * at + offset, np.nan)

    def slopes(self) -> np.ndarray:
        return np.zeros((len(self.of), 4 * len(self.held["air_temperature"]) + 2))


class OfPlugin(Look):
    """Data that an operator from elsewhere sees (plugged.py)."""

    def __init__(
        self, of: np.ndarray, data: Observations, columns: Any, own: plugged.Operator
    ) -> None:
        super().__init__(of, data, columns, "", "", np.zeros(len(of)))
        self.profiles, self.own = plugged.Profiles.of(data, columns), own

    def apply(self) -> np.ndarray:
        return plugged.equivalents(self.own, self.profiles)

    def slopes(self) -> np.ndarray:
        return plugged.slopes(self.own, self.profiles)
