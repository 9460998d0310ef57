"""Forces of moon and sun, and of the pressure of the air, on the sea."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from fathom.base.clock import Clock
from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.base.near import near_or_all
from fathom.data.input.records import interpolate
from fathom.grids.arguments import number_of
from fathom.grids.water import WaterGrid
from fathom.model.component import Array
from fathom.model.order import Order
from fathom.ocean.components.component import OceanComponent


class Constituent(NamedTuple):
    """One wave of the tide (Schwiderski 1980, Rev. Geophys. 18; Wahr 1981, Geophys. J. 64).

    species : 1 daily, 2 twice a day.  amplitude : of the equilibrium tide [m].
    frequency : [s-1].  yielding : 1 + k - h, the part that the solid earth leaves.
    argument : multiples of s, h, p, and degrees, of its phase at midnight in Greenwich.
    """

    species: int
    amplitude: float
    frequency: float
    yielding: float
    argument: tuple[int, int, int, int]


CONSTITUENTS = {
    "M2": Constituent(2, 0.242334, 1.405189e-4, 0.693, (-2, 2, 0, 0)),
    "S2": Constituent(2, 0.112841, 1.454441e-4, 0.693, (0, 0, 0, 0)),
    "N2": Constituent(2, 0.046398, 1.378797e-4, 0.693, (-3, 2, 1, 0)),
    "K2": Constituent(2, 0.030704, 1.458423e-4, 0.693, (0, 2, 0, 0)),
    "K1": Constituent(1, 0.141565, 0.7292117e-4, 0.736, (0, 1, 0, 90)),
    "O1": Constituent(1, 0.100514, 0.6759774e-4, 0.695, (-2, 1, 0, -90)),
    "P1": Constituent(1, 0.046843, 0.7252295e-4, 0.706, (0, -1, 0, -90)),
    "Q1": Constituent(1, 0.019256, 0.6495854e-4, 0.695, (-3, 1, 1, -90)),
}
_origin = datetime.datetime(1900, 1, 1)  # of the numbers of records
EVERY = 600  # seconds between two records: a line between them is off by 0.1 % of M2


def longitudes_of_moon_and_sun(date: datetime.datetime) -> tuple[float, float, float]:
    """Returns the mean longitudes s of the moon, h of the sun, and p of the moon's perigee
    [degrees] at 0 h of a day (Schwiderski 1980).
    """
    days = (date.date() - datetime.date(1974, 12, 31)).days
    T = (27392.500528 + 1.0000000356 * days) / 36525
    return (
        270.434358 + 481267.88314137 * T - 0.001133 * T**2 + 1.9e-6 * T**3,
        279.69668 + 36000.768930485 * T + 3.03e-4 * T**2,
        334.329653 + 4069.0340329575 * T - 0.010325 * T**2 - 1.2e-5 * T**3,
    )


class Tides(Configurable):
    """The force of moon and sun on the sea.

    Parameters
    ----------
    constituents : of "M2", "S2", "N2", "K2", "K1", "O1", "P1", "Q1"; default: all eight.
    self_attraction : beta; the attraction and load of the tide itself is that of beta times its
        height.
    """

    def __init__(
        self, constituents: Sequence[str] = tuple(CONSTITUENTS), self_attraction: float = 0.085
    ) -> None:
        given = [constituents] if isinstance(constituents, str) else list(constituents)
        for name in given:
            if name not in CONSTITUENTS:
                known = near_or_all(str(name), [*CONSTITUENTS])
                raise InputError(f"Tides: no constituent {name!r}{known}")
        if not given:
            raise InputError("Tides: no constituent is given")
        self.constituents = given
        self.self_attraction = number_of("Tides self_attraction", self_attraction, "1")

    def height(self, date: datetime.datetime, longitude: Array, latitude: Array) -> Array:
        """Returns the equilibrium tide over a yielding earth [m] at places [degrees]."""
        s, h, p = longitudes_of_moon_and_sun(date)
        midnight = datetime.datetime(date.year, date.month, date.day)
        seconds = (date - midnight).total_seconds()
        x, y = np.radians(longitude), np.radians(latitude)
        total = np.zeros(np.shape(x))
        for name in self.constituents:
            one = CONSTITUENTS[name]
            of_s, of_h, of_p, more = one.argument
            phase = math.radians((of_s * s + of_h * h + of_p * p + more) % 360)
            along = np.cos(y) ** 2 if one.species == 2 else np.sin(2 * y)
            wave = np.cos(one.frequency * seconds + phase + one.species * x)
            total += one.yielding * one.amplitude * along * wave
        return total


class EvenTimes:
    """Times of records at even distances since 1900 (fathom/base/instants.py)."""

    def bracket(self, clock: Clock, seconds: float) -> tuple[int, int, float, float]:
        """Returns (record before, record after, when they hold [s after the start])."""
        since = _since(clock)
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


def _since(clock: Clock) -> float:
    """Returns seconds from 1900 to the start of a clock. InputError: its calendar is another."""
    start = clock.start
    if clock.calendar not in ("standard", "gregorian", "proleptic_gregorian"):
        raise InputError(f"tides need the calendar of the moon, 'standard', not {clock.calendar!r}")
    day = datetime.datetime(
        start.year, start.month, start.day, start.hour, start.minute, start.second
    )
    return (day - _origin).total_seconds()


def _date(number: int) -> datetime.datetime:
    """Returns the date of a record."""
    return _origin + datetime.timedelta(seconds=number * EVERY)


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
        do("AirPressureForce", when=self.air_pressure)
