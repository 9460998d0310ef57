"""The waves of the tide: their frequencies, their phases in Greenwich, and how the nodes of the
moon's path change them in 18.6 years.

A constituent of amplitude A [m] and phase lag g [degrees, Greenwich] is

    f A cos(omega t + V + u - g),   V its argument, f and u its nodal factor and angle

as files of tides and tables of ports mean them.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from fathom.base.clock import Clock
from fathom.base.failure import InputError
from fathom.base.near import near_or_all
from fathom.model.component import Wave

ORIGIN = datetime.datetime(1900, 1, 1)  # of the numbers of records
REAL = ("standard", "gregorian", "proleptic_gregorian")  # calendars in which moon and sun move


class Constituent(NamedTuple):
    """One wave of the tide (Schwiderski 1980, Rev. Geophys. 18; Wahr 1981, Geophys. J. 64).

    species : its cycles a day.  frequency : [s-1].
    argument : multiples of s, h, p, and degrees, of its phase at midnight in Greenwich.
    nodal : the row of `NODAL`, and its power.
    amplitude : of the equilibrium tide [m].  yielding : 1 + k - h, the part that the solid earth
        leaves; both of the eight that `Tides` has.
    """

    species: int
    frequency: float
    argument: tuple[int, int, int, int]
    nodal: tuple[str, int]
    amplitude: float = 0.0
    yielding: float = 0.0


EQUILIBRIUM = {
    "M2": Constituent(2, 1.405189e-4, (-2, 2, 0, 0), ("M2", 1), 0.242334, 0.693),
    "S2": Constituent(2, 1.454441e-4, (0, 0, 0, 0), ("", 0), 0.112841, 0.693),
    "N2": Constituent(2, 1.378797e-4, (-3, 2, 1, 0), ("M2", 1), 0.046398, 0.693),
    "K2": Constituent(2, 1.458423e-4, (0, 2, 0, 0), ("K2", 1), 0.030704, 0.693),
    "K1": Constituent(1, 0.7292117e-4, (0, 1, 0, 90), ("K1", 1), 0.141565, 0.736),
    "O1": Constituent(1, 0.6759774e-4, (-2, 1, 0, -90), ("O1", 1), 0.100514, 0.695),
    "P1": Constituent(1, 0.7252295e-4, (0, -1, 0, -90), ("", 0), 0.046843, 0.706),
    "Q1": Constituent(1, 0.6495854e-4, (-3, 1, 1, -90), ("O1", 1), 0.019256, 0.695),
}
# further ones, of shallow seas and of the moon's month, which files have
CONSTITUENTS = EQUILIBRIUM | {
    "2N2": Constituent(2, 1.352405e-4, (-4, 2, 2, 0), ("M2", 1)),
    "M4": Constituent(4, 2.810378e-4, (-4, 4, 0, 0), ("M2", 2)),
    "MS4": Constituent(4, 2.859630e-4, (-2, 2, 0, 0), ("M2", 1)),
    "MN4": Constituent(4, 2.783986e-4, (-5, 4, 1, 0), ("M2", 2)),
    "M6": Constituent(6, 4.215567e-4, (-6, 6, 0, 0), ("M2", 3)),
    "Mf": Constituent(0, 0.0532341e-4, (2, 0, 0, 0), ("Mf", 1)),
    "Mm": Constituent(0, 0.0263920e-4, (1, 0, -1, 0), ("Mm", 1)),
}
# f = a0 + a1 cos N + a2 cos 2N + ..., u = b1 sin N + b2 sin 2N + ... [degrees]; N the longitude of
# the ascending node (Doodson 1928, Phil. Trans. R. Soc. A 227)
NODAL: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "": ((1.0,), ()),
    "M2": ((1.0004, -0.0373, 0.0002), (-2.14,)),
    "K2": ((1.0241, 0.2863, 0.0083, -0.0015), (-17.74, 0.68, -0.04)),
    "K1": ((1.0060, 0.1150, -0.0088, 0.0006), (-8.86, 0.68, -0.07)),
    "O1": ((1.0089, 0.1871, -0.0147, 0.0014), (10.80, -1.34, 0.19)),
    "Mf": ((1.0429, 0.4135, -0.004), (-23.74, 2.68, -0.38)),
    "Mm": ((1.0000, -0.1300, 0.0013), ()),
}
NODE_RATE = -0.0529538  # degrees a day
_by_letters = {name.lower(): name for name in CONSTITUENTS}


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


def node(date: datetime.datetime) -> float:
    """Returns the mean longitude of the moon's ascending node [degrees] (Meeus 1998, Astronomical
    Algorithms).
    """
    T = (date - datetime.datetime(2000, 1, 1, 12)).total_seconds() / (86400 * 36525)
    return (125.04452 - 1934.136261 * T + 0.0020708 * T**2) % 360


def argument(name: str, date: datetime.datetime) -> float:
    """Returns V of a constituent, its phase in Greenwich [radians]."""
    s, h, p = longitudes_of_moon_and_sun(date)
    one = CONSTITUENTS[name]
    of_s, of_h, of_p, more = one.argument
    midnight = datetime.datetime(date.year, date.month, date.day)
    seconds = (date - midnight).total_seconds()
    turned = math.radians((of_s * s + of_h * h + of_p * p + more) % 360)
    return one.frequency * seconds + turned


def nodal(name: str, date: datetime.datetime) -> tuple[float, float]:
    """Returns f [1] and u [radians] of a constituent."""
    row, power = CONSTITUENTS[name].nodal
    (f, *cosines), sines = NODAL[row]
    N = math.radians(node(date))
    f += sum(a * math.cos(n * N) for n, a in enumerate(cosines, 1))
    u = sum(b * math.sin(n * N) for n, b in enumerate(sines, 1))
    return float(f**power), math.radians(power * u)


def wave(name: str, date: datetime.datetime, with_nodes: bool) -> complex:
    """Returns f exp(i (V + u)) of a constituent; a wave A exp(-i g) times it has the tide of that
    date as its real part.
    """
    f, u = nodal(name, date) if with_nodes else (1.0, 0.0)
    phase = argument(name, date) + u
    return complex(f * math.cos(phase), f * math.sin(phase))


def profiles(name: str, clock: Clock, with_nodes: bool) -> tuple[Wave, Wave]:
    """Returns f cos(omega t + V + u) and f sin(omega t + V + u) of a constituent as profiles of a
    sequence. InputError: moon and sun do not move in the calendar of the clock.
    """
    start = start_of(clock)
    row, power = CONSTITUENTS[name].nodal if with_nodes else ("", 0)
    cosines, sines = NODAL[row]
    turns = math.radians(node(start)), math.radians(NODE_RATE) / 86400
    one = Wave(
        CONSTITUENTS[name].frequency,
        argument(name, start) % (2 * math.pi),
        _power(cosines, power),
        [math.radians(power * b) for b in sines],
        *turns,
    )
    return one, one._replace(phase=one.phase - math.pi / 2)


def _power(cosines: Sequence[float], power: int) -> list[float]:
    """Returns the cosine series of a power of a cosine series."""
    both = np.concatenate(
        [np.asarray(cosines[:0:-1]) / 2, cosines[:1], np.asarray(cosines[1:]) / 2]
    )
    found = np.ones(1)
    for _ in range(power):
        found = np.convolve(found, both)
    middle = len(found) // 2
    return [float(found[middle]), *(2 * found[middle + 1 :]).tolist()]


def known(given: Any, what: str, among: Iterable[str] = CONSTITUENTS) -> list[str]:
    """Returns the names of constituents as they are written here, "m2" as "M2". InputError: one is
    unknown, given twice, or there is none.
    """
    allowed = list(among)
    listed: Sequence[Any] = [given] if isinstance(given, str) else list(given)
    names = [_by_letters.get(str(name).lower(), str(name)) for name in listed]
    for name in names:
        if name not in allowed:
            raise InputError(f"{what}: no constituent {name!r}{near_or_all(name, allowed)}")
        if names.count(name) > 1:
            raise InputError(f"{what}: the constituent {name} is given twice")
    if not names:
        raise InputError(f"{what}: no constituent is given")
    return names


def since_origin(clock: Clock) -> float:
    """Returns seconds from 1900 to the start of a clock. InputError: its calendar is another."""
    return (start_of(clock) - ORIGIN).total_seconds()


def start_of(clock: Clock) -> datetime.datetime:
    """Returns the start of a clock. InputError: moon and sun do not move in its calendar."""
    if clock.calendar not in REAL:
        raise InputError(f"tides need the calendar of the moon, 'standard', not {clock.calendar!r}")
    s = clock.start
    return datetime.datetime(s.year, s.month, s.day, s.hour, s.minute, s.second)
