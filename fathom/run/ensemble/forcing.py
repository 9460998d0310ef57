"""Errors of a forcing: random fields, smooth in space and in time, on what a surface reads.

    value -> value + r        of an amplitude in the unit of the field
    value -> value max(0, 1 + r)        of one in percent

    r(x, t) = s M^-1/2 sum_m a_m(t) cos(k_m x) + b_m(t) sin(k_m x),   k_m ~ N(0, L^-2)
    a(t + dt) = phi a(t) + (1 - phi^2)^1/2 eta,   phi = exp(-dt / T)

r has the standard deviation s and the correlations exp(-d^2 / (2 L^2)) at a distance d and
exp(-t / T) after a time t; x is the place in space, so that poles leave no mark, and planes have
errors as well. The directions k_m follow from the seed, eta from (seed, member, field, number of
the interval dt since the start) alone (Philox), so that neither ranks nor a restart change a bit.

A field in time has r at multiples of dt and at its own records, with straight lines between them;
one that does not change in time has it for dt. The speed of a wind follows its components.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base.clock import seconds_of
from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.run.ensemble.perturbation import amplitude_of, in_space, in_unit, metres

if TYPE_CHECKING:
    from fathom.base.clock import Clock
    from fathom.run.forcing import Source

waves = 256  # M
_points = 1 << 14  # of the grid at a time
_kept = 1 << 23  # numbers of cosines and sines that are kept
_zero = 1 << 49  # of the numbers of times
_member = 1 << 50
of_wind = ("eastward_wind", "northward_wind")
speed = "wind_speed"
never_negative = (
    "downward_shortwave_flux",
    "downward_longwave_flux",
    "precipitation_flux",
    "specific_humidity",
    "sea_ice_fraction",
    speed,
)


class ForcingPerturbation(Configurable):
    """Errors of a forcing: {field: standard deviation, with a unit, or in percent}; `length` and
    `time` of their correlation; `every`, dt; `seed`.
    """

    def __init__(
        self,
        *,
        length: float | str = 1e6,
        time: float | str = "2d",
        every: float | str = "6h",
        seed: int = 0,
        **fields: float | str,
    ) -> None:
        if not fields:
            raise InputError('forcing names no field; allowed is { eastward_wind = "1 m/s" }')
        self.length, self.time = metres(length, "forcing"), seconds_of(time, "forcing: time")
        self.every, self.seed = seconds_of(every, "forcing: every"), seed
        if not (self.length > 0 and self.time > 0 and self.every > 0):
            raise InputError(
                f"forcing: length = {length!r}, time = {time!r}, every = {every!r}: all must be"
                " positive"
            )
        if not 0 <= seed < 1 << 63:
            raise InputError(f"forcing: seed = {seed!r} must be a whole number from 0 on")
        self.fields = {name: amplitude_of(name, given, "forcing") for name, given in fields.items()}

    def on(
        self,
        sources: Sequence[Source],
        fixed: Mapping[str, Any],
        units: Mapping[str, str],
        grid: Any,
    ) -> list[Any]:
        """Returns the sources of a forcing with errors, and others of what does not change in time.

        fixed : field -> its values; units : of fields.
        InputError: a field that the forcing does not have, or in another unit.
        """
        in_time = {name: one for one in sources if _is_of_grid(one) for name in one.fields}
        constant = {n: v for n, v in fixed.items() if n in units and n not in in_time}
        errors = Errors(self, self._sizes([*in_time, *constant], units), grid)
        moved = {*self.fields, *([speed] * bool({*of_wind} & {*self.fields}))}
        found: list[Any] = []
        for one in sources:
            has_errors = _is_of_grid(one) and moved.intersection(one.fields)
            found.append(Perturbed(one, errors, in_time) if has_errors else one)
        held = {name: constant[name] for name in sorted(moved) if name in constant}
        if {*held} - {speed}:
            found.append(Perturbed(Constant(held), errors, constant))
        return found

    def _sizes(
        self, names: Sequence[str], units: Mapping[str, str]
    ) -> dict[str, tuple[float, bool]]:
        """Returns the standard deviation of each field in its unit, or as a share of it, and which
        of both. InputError: a field that is not among these names, or in another unit.
        """
        found = {}
        for name, (value, unit) in self.fields.items():
            if name not in names or name == speed:
                allowed = [n for n in names if n != speed]
                raise InputError(f"forcing: {unknown('field', name, allowed)}")
            of = units.get(name, "") or units.get(f"{name}_previous", "")
            relative = unit == "%"
            size = value / 100 if relative else in_unit(name, value, unit, of)
            found[name] = size, relative
        return found


class Errors:
    """The fields r of the members on the points of a grid."""

    def __init__(
        self, how: ForcingPerturbation, sizes: Mapping[str, tuple[float, bool]], grid: Any
    ) -> None:
        self.how, self.sizes, self.grid = how, sizes, grid
        random = np.random.Generator(np.random.Philox(key=_key(how.seed, "waves")))
        self.directions = random.standard_normal((waves, 3)) / how.length
        self.known: dict[tuple[int, str], dict[int, np.ndarray]] = {}  # a and b by their number
        self.shape: tuple[int, ...] = ()
        self._held: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def at(self, name: str, member: int, seconds: float) -> np.ndarray:
        """Returns r of a field [its unit, or 1] (ny, nx) at a time [s after the start]."""
        number, part = divmod(seconds / self.how.every, 1.0)
        now = self.amplitudes(name, member, int(number))
        if part > 1e-9:
            now = (1 - part) * now + part * self.amplitudes(name, member, int(number) + 1)
        return self.sizes[name][0] * self.sum(now)

    def amplitudes(self, name: str, member: int, number: int) -> np.ndarray:
        """Returns a and b, (2, waves), after so many intervals."""
        known = self.known.setdefault((member, name), {})
        if number in known:
            return known[number]
        kept = math.exp(-self.how.every / self.how.time)
        fresh = math.sqrt(1 - kept * kept)
        before = max((n for n in known if n < number), default=-1)
        found = known[before] if before >= 0 else np.zeros((2, waves))
        key = _key(self.how.seed, f"{member} {name}")
        for n in range(before + 1, number + 1):
            bits = np.random.Philox(key=key, counter=[0, n, 0, 0])
            drawn = np.random.Generator(bits).standard_normal((2, waves))
            found = kept * found + fresh * drawn if n else drawn
        known[number] = found
        for old in sorted(known)[:-3]:
            del known[old]
        return found

    def sum(self, amplitudes: np.ndarray) -> np.ndarray:
        """Returns the sum over all waves, (ny, nx), of variance 1."""
        x = in_space(self.grid, "center")
        self.shape, size = x[0].shape, x[0].size
        found = np.empty(size)
        for begin in range(0, size, _points):
            cosines, sines = self._cosines(x, begin, size)
            there = slice(begin, begin + _points)
            found[there] = np.einsum("m,mp->p", amplitudes[0], cosines, optimize=False)
            found[there] += np.einsum("m,mp->p", amplitudes[1], sines, optimize=False)
        made: np.ndarray = found.reshape(self.shape) / math.sqrt(waves)
        return made

    def _cosines(
        self, x: tuple[np.ndarray, ...], begin: int, size: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns cos(k x) and sin(k x), (waves, points), of the points from `begin` on."""
        if begin in self._held:
            return self._held[begin]
        piece = slice(begin, begin + _points)
        angle = sum(k[:, None] * each.ravel()[piece] for k, each in zip(self.directions.T, x))
        made = np.cos(angle), np.sin(angle)
        if 2 * waves * size <= _kept:
            self._held[begin] = made
        return made


class Constant:
    """Fields that do not change in time, as a source (fathom/run/forcing.py)."""

    axis: Any = None

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values, self.fields = values, list(values)

    def read(self, number: int) -> dict[str, np.ndarray]:
        """Returns the fields (ny, nx)."""
        return {name: np.asarray(one, float) for name, one in self.values.items()}


class Perturbed:
    """A source with the errors of a member; its records are those of the source and, between these,
    others at multiples of dt.
    """

    def __init__(self, source: Any, errors: Errors, others: Mapping[str, Any]) -> None:
        self.source, self.errors, self.others = source, errors, others
        self.fields = list(source.fields)
        self.direct = source.axis is None  # into the fields themselves, without records
        self.axis = Times(source.axis, errors.how.every)
        self.read_before: dict[tuple[int, int], Mapping[str, np.ndarray]] = {}

    def take_member(self, member: int | None) -> None:
        """Makes it that of a member from now on; None: without errors."""
        self.axis.member = -1 if member is None else member

    def describe(self) -> list[str]:
        """Returns what a run prints about it."""
        how = self.errors.how
        moved = [name for name in self.fields if name in self.errors.sizes]
        lines = getattr(self.source, "describe", lambda: [f"{', '.join(self.fields)}: fixed"])()
        told = f"{', '.join(moved) or speed}: with errors, {how.length / 1e3:g} km,"
        return [*lines, f"{told} {how.time / 86400:g} d"]

    def close(self) -> None:
        """Closes the files of its source."""
        getattr(self.source, "close", lambda: None)()

    def read(self, number: int) -> dict[str, np.ndarray]:
        """Returns its fields (ny, nx) at the member and the time that a number of its axis says."""
        member, seconds = decoded(number)
        given = self._given(self.source, seconds)
        found = {name: self._moved(name, given[name], member, seconds) for name in self.fields}
        if speed in found and member >= 0:
            found[speed] = self._speed(given, member, seconds)
        return found

    def _given(self, source: Any, seconds: float) -> Mapping[str, np.ndarray]:
        """Returns the fields of a source at a time."""
        if source.axis is None:
            return self._record(source, 0)
        before, after, t0, t1 = source.axis.bracket(self.axis.clock, seconds)
        first = self._record(source, before)
        part = (seconds - t0) / (t1 - t0) if math.isfinite(t1) and after != before else 0.0
        if part <= 0:
            return first
        last = self._record(source, after)
        return {name: (1 - part) * first[name] + part * last[name] for name in first}

    def _record(self, source: Any, number: int) -> Mapping[str, np.ndarray]:
        """Returns a record of a source; the last ones are kept."""
        key = id(source), number
        found = self.read_before.pop(key, None)
        if found is None:
            found = {n: np.asarray(v, float) for n, v in source.read(number).items()}
        self.read_before[key] = found
        while len(self.read_before) > 6:
            del self.read_before[next(iter(self.read_before))]
        return found

    def _moved(self, name: str, values: np.ndarray, member: int, seconds: float) -> np.ndarray:
        """Returns a field with the error of a member."""
        if name not in self.errors.sizes or member < 0:
            return values
        r, relative = self.errors.at(name, member, seconds), self.errors.sizes[name][1]
        found = values * np.maximum(0.0, 1 + r) if relative else values + r
        if name in never_negative:
            found = np.maximum(found, 0.0)
        if name == "sea_ice_fraction":
            found = np.minimum(found, 1.0)
        made: np.ndarray = found
        return made

    def _speed(self, given: Mapping[str, np.ndarray], member: int, seconds: float) -> np.ndarray:
        """Returns the speed of the wind with errors: what it has beyond that of its mean stays."""
        squares = given[speed] ** 2
        for name in of_wind:
            if name in self.errors.sizes:
                own = given.get(name)
                of = self._given(self._of(name), seconds)[name] if own is None else own
                squares = squares - of**2 + self._moved(name, of, member, seconds) ** 2
        made: np.ndarray = np.sqrt(np.maximum(squares, 0.0))
        return made

    def _of(self, name: str) -> Any:
        """Returns the source of a field that another one has."""
        one = self.others[name]
        return one if hasattr(one, "read") else Constant({name: one})


class Times:
    """When the records of a perturbed source are (as fathom/base/instants.py says it)."""

    def __init__(self, axis: Any, every: float) -> None:
        self.axis, self.every, self.member = axis, every, 0
        self.clock: Any = None

    def bracket(self, clock: Clock, seconds: float) -> tuple[int, int, float, float]:
        """Returns (number before, number after, when they hold [s]) around a time."""
        self.clock = clock
        begin = self.every * math.floor(seconds / self.every + 1e-9)
        t0, t1 = begin, begin + self.every
        if self.axis is not None:
            _, _, first, last = self.axis.bracket(clock, seconds)
            t0, t1 = max(t0, first), min(t1, last, self.axis.coverage(clock)[1])
        if t1 <= t0:  # the end of the records
            return self._number(t0), self._number(t0), t0, t0 + self.every
        return self._number(t0), self._number(t1), t0, t1

    def coverage(self, clock: Clock) -> tuple[float, float]:
        """Returns the period with records [s]."""
        found: tuple[float, float] = (
            (-math.inf, math.inf) if self.axis is None else self.axis.coverage(clock)
        )
        return found

    def date(self, number: int) -> str:
        """Returns the date of a record, as text."""
        return str(self.clock.date(decoded(number)[1])) if self.clock else ""

    def __str__(self) -> str:
        return "fixed" if self.axis is None else str(self.axis)

    def _number(self, seconds: float) -> int:
        return (self.member + 1) * _member + _zero + round(seconds * 1000)


def decoded(number: int) -> tuple[int, float]:
    """Returns member and time [s] of a number of `Times`; member -1: without errors."""
    member, rest = divmod(number, _member)
    return member - 1, (rest - _zero) / 1000


def _is_of_grid(source: Any) -> bool:
    """Returns whether a source gives whole fields (ny, nx)."""
    return getattr(source, "columns", None) is None and not getattr(source, "collective", False)


def _key(seed: int, what: str) -> int:
    """Returns the key of random numbers of a field of a member."""
    text = hashlib.sha256(f"{seed} forcing {what}".encode()).digest()
    return int.from_bytes(text[:16], "little")
