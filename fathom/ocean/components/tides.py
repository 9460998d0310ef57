"""Forces of moon and sun, and of the pressure of the air, on the sea."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from fathom.base.clock import Clock
from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.data import tides as of_sea_floor
from fathom.data.input.records import interpolate
from fathom.grids.arguments import number_of, yes_or_no
from fathom.grids.water import WaterGrid
from fathom.model.component import Array
from fathom.model.order import Order
from fathom.ocean.components.component import OceanComponent
from fathom.ocean.constituents import EQUILIBRIUM, ORIGIN, known, since_origin, wave

EVERY = 600  # seconds between two records: a line between them is off by 0.1 % of M2


class Tides(Configurable):
    """The force of moon and sun on the sea.

    Parameters
    ----------
    constituents : of "M2", "S2", "N2", "K2", "K1", "O1", "P1", "Q1"; default: all eight.
    self_attraction : beta; the attraction and load of the tide itself is that of beta times its
        height.
    nodal : whether amplitudes and phases follow the nodes of the moon's path in 18.6 years.
    wave_drag : factor of the drag of the internal waves that the tide makes over the real sea floor
        (Jayne & St. Laurent 2001); 0 (default): none. It also slows other flows: for runs of tides.
    """

    def __init__(
        self,
        constituents: Sequence[str] = tuple(EQUILIBRIUM),
        self_attraction: float = 0.085,
        nodal: bool = True,
        wave_drag: float = 0.0,
    ) -> None:
        self.constituents = known(constituents, "Tides", EQUILIBRIUM)
        self.self_attraction = number_of("Tides self_attraction", self_attraction, "1")
        self.nodal = yes_or_no("Tides nodal", nodal)
        self.wave_drag = number_of("Tides wave_drag", wave_drag, "1")
        if not 0 <= self.wave_drag <= 100:
            raise InputError(f"Tides wave_drag = {wave_drag!r} must lie between 0 and 100")

    def height(self, date: datetime.datetime, longitude: Array, latitude: Array) -> Array:
        """Returns the equilibrium tide over a yielding earth [m] at places [degrees]."""
        x, y = np.radians(longitude), np.radians(latitude)
        total = np.zeros(np.shape(x))
        for name in self.constituents:
            one, now = EQUILIBRIUM[name], wave(name, date, self.nodal)
            along = np.cos(y) ** 2 if one.species == 2 else np.sin(2 * y)
            turned = now.real * np.cos(one.species * x) - now.imag * np.sin(one.species * x)
            total += one.yielding * one.amplitude * along * turned
        return total


class EvenTimes:
    """Times of records at even distances since 1900 (fathom/base/instants.py)."""

    def bracket(self, clock: Clock, seconds: float) -> tuple[int, int, float, float]:
        """Returns (record before, record after, when they hold [s after the start])."""
        since = since_origin(clock)
        before = math.floor((since + seconds + 1e-6) / EVERY)
        return before, before + 1, before * EVERY - since, (before + 1) * EVERY - since

    def coverage(self, clock: Clock) -> tuple[float, float]:
        """Returns the period with records: all times."""
        return -math.inf, math.inf

    def date(self, number: int) -> str:
        """Returns the date of a record."""
        return str(_date(number))

    def __str__(self) -> str:
        return f"every {EVERY} s"


def _date(number: int) -> datetime.datetime:
    """Returns the date of a record."""
    return ORIGIN + datetime.timedelta(seconds=number * EVERY)


class EquilibriumTide:
    """The equilibrium tide as a source in time (fathom/run/forcing.py)."""

    fields = ("equilibrium_tide",)

    def __init__(self, grid: WaterGrid, tides: Tides) -> None:
        self.grid, self.tides, self.axis = grid, tides, EvenTimes()

    def describe(self) -> list[str]:
        """Returns which waves it has."""
        return [f"equilibrium_tide: {', '.join(self.tides.constituents)}, {self.axis}"]

    def read(self, number: int) -> Mapping[str, Array]:
        """Returns the tide at a record [m]."""
        longitude, latitude = map(np.asarray, self.grid.coordinates())
        return {"equilibrium_tide": self.tides.height(_date(number), longitude, latitude)}


class ForcesFromAbove(OceanComponent):
    """The tides, and the pressure of the air.

    Parameters
    ----------
    grid : of water.
    tides : or None.
    air_pressure : whether that of the surface forcing presses the sea.
    """

    def __init__(self, grid: WaterGrid, tides: Tides | None, air_pressure: bool) -> None:
        if tides is not None and not grid.horizontal.spherical:
            raise InputError("tides need a grid on the sphere; this one is a plane")
        self.grid, self.tides, self.air_pressure = grid, tides, air_pressure

    def fixed_fields(self) -> Mapping[str, Any]:
        """Returns the drag of internal waves."""
        if self.tides is None or not self.tides.wave_drag:
            return {}
        h = self.grid.horizontal
        drag = of_sea_floor.wave_drag(h.corner_longitude, h.corner_latitude)
        return {"internal_wave_drag": self.tides.wave_drag * drag}

    def records(self) -> Iterable[Any]:
        """Returns the equilibrium tide."""
        return [] if self.tides is None else [EquilibriumTide(self.grid, self.tides)]

    def processes(self, phase: str, do: Order) -> None:
        """Adds the forces on momentum."""
        if phase != "momentum":
            return
        if self.tides is not None:
            interpolate(do, "equilibrium_tide")
            do("TidalForce", self_attraction=self.tides.self_attraction)
            do("InternalWaveDrag", when=self.tides.wave_drag > 0)
        do("AirPressureForce", when=self.air_pressure)
