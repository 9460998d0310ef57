"""An exchange: a field of one program that becomes a field of another, at set times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fathom.base.clock import Period
from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.base.ranks import group
from fathom.base.timetable import Link, microseconds
from fathom.coupled.remap import Remap, ways

statistics = ("last", "mean")
Values = Callable[[np.ndarray], np.ndarray]


class Exchange:
    """A field of a giver, for a field of a taker.

    Parameters
    ----------
    field, to : the giver's field and the taker's: "air.heat_flux", "sea.surface_heat_flux". The
        taker's is one of columns that its model reads and no process of it writes.
    every : how often; the value holds until the next one.
    statistic : "last", the value at that time; "mean", that of all steps since the time before.
    lagged : whether the taker gets what the giver has at the begin of the taker's interval. Both
        then step at the same time; else the giver goes ahead.
    level : of a giver's field with levels: 0 the top one, -1 the lowest.
    by : "same" grid, "conservative" means over shared areas, or a function from values (ny, nx) on
        the giver's grid to those on the taker's; None: same where the grids are, else conservative.
    change : a function of the taker's values, for other units or signs.
    first : the value of a lagged exchange in the first interval of all; None: the giver's field at
        the start.
    """

    def __init__(
        self,
        field: str,
        to: str,
        every: str | float,
        statistic: str = "last",
        *,
        lagged: bool = False,
        level: int = 0,
        by: str | Values | None = None,
        change: Values | None = None,
        first: float | None = None,
    ) -> None:
        self.field, self.to = field, to
        (self.giver, self.gives), (self.taker, self.takes) = _split(field), _split(to)
        self.text = f"exchange {field} -> {to}"
        period = Period(every, f"{self.text}: every")
        if period.months:
            raise InputError(f"{self.text}: every = {every!r}: seconds, minutes, hours or days")
        self.every, self.seconds = period, period.seconds
        if statistic not in statistics:
            raise InputError(f"{self.text}: {unknown('statistic', statistic, statistics)}")
        if isinstance(by, str) and by not in ways:
            raise InputError(f"{self.text}: {unknown('by', by, ways)}")
        if self.giver == self.taker:
            raise InputError(f"{self.text}: {self.giver} gives to itself")
        if first is not None and not lagged:
            raise InputError(f"{self.text}: first = {first!r} is for lagged=True")
        self.statistic, self.lagged, self.level = statistic, bool(lagged), level
        self.by, self.change, self.first = by, change, first
        self.source = self.gives  # the field that is read: itself, or its sum
        self.steps = 1  # of the giver in an interval
        self.ends: tuple[Any, Any] = (None, None)  # members of Programs: giver and taker
        self.remap: Any = None
        self.kept: Any = None  # of the taker, where the giver has nothing

    @property
    def link(self) -> Link:
        """Returns the exchange as the timetable sees it."""
        every = microseconds(self.seconds, f"{self.text}: every")
        return Link(self.giver, self.taker, every, self.lagged, str(self))

    def __str__(self) -> str:
        mean = "mean of " * (self.statistic == "mean")
        lag = ", lagged" * self.lagged
        return f"{mean}{self.field} -> {self.to} every {self.every}{lag}"

    def join(self, giver: Any, taker: Any) -> None:
        """Asks both programs, giver and taker, for their fields. InputError: fields, units or
        places that do not fit.
        """
        given = _known(giver, self.gives, self.field)
        taken = _known(taker, self.takes, self.to)
        if taken["vertical"] != "column":
            raise InputError(f"{self.text}: {self.to} has levels; a field of columns is set")
        if taken["written"]:
            raise InputError(f"{self.text}: a process of {self.taker} writes {self.to} itself")
        if given["vertical"] == "profile":
            raise InputError(f"{self.text}: {self.field} is a profile, the same everywhere")
        self._check_places(given, taken)
        units = given["units"], taken["units"]
        if units[0] != units[1] and self.change is None and not callable(self.by):
            raise InputError(
                f"{self.text}: {self.field} is in {units[0]}, {self.to} in {units[1]}; change ="
                " a function of the values converts them"
            )
        flat = given["vertical"] == "column"
        top = not flat and self.level == 0
        mean = self.to if self.statistic == "mean" else ""
        self.source = giver.handed.give(self.gives, mean, top)
        self.level = 0 if flat else self.level
        self.steps = round(self.seconds / giver.time_step)
        taker.handed.take(self.takes)

    def _check_places(self, given: Any, taken: Any) -> None:
        """Checks that both lie at centres. InputError: no means over cells are known of others."""
        places = given["horizontal"], taken["horizontal"]
        if callable(self.by) or (places[0] == places[1] and self.by == "same"):
            return
        if places != ("center", "center"):
            raise InputError(
                f"{self.text}: {self.field} lies at the {places[0]}, {self.to} at the {places[1]}"
                " of cells; give fields at centres, or by = a function"
            )

    def open(self, comm: Any) -> None:
        """Prepares the way between the ranks of both, which call it together; comm: of all."""
        giver, taker = self.ends
        gives, takes = giver.here, taker.here
        given, taken = giver.program.handed, taker.program.handed
        ranks = group(comm, [*giver.ranks, *taker.ranks])
        cells = given.cells if gives else np.zeros(0, np.int64)
        takers = taker.program.comm if takes else None
        self.remap = Remap((given.grid, taken.grid), ranks, takers, cells, self.by or "")
        self.kept = taken.whole(self.takes) if takes else None

    def hand(self, at_start: bool) -> None:
        """Hands the field over. The ranks of both programs call it."""
        giver, taker = (end.program if end.here else None for end in self.ends)
        mean = self.statistic == "mean" and not (at_start and self.lagged)
        values = np.zeros(0)
        if giver is not None:
            values = giver.handed.values(self.source if mean else self.gives, self.level)
            values = values / self.steps if mean else values
            if self.statistic == "mean":
                giver.handed.clear(self.source)
        found = self.remap(values)
        if taker is not None:
            self._put(taker, found, at_start)

    def _put(self, taker: Any, found: np.ndarray, at_start: bool) -> None:
        """Sets the taker's field; where the giver has nothing it keeps what it has."""
        there = np.isfinite(found)
        if at_start and self.lagged and self.first is not None:
            found = np.where(there, float(self.first), found)
        elif self.change is not None:
            found = self.change(found)
        taker.handed.put(self.takes, np.where(there, found, self.kept))


def _split(text: str) -> tuple[str, str]:
    """Returns program and field of "air.heat_flux"."""
    program, dot, field = text.partition(".")
    if not (dot and program and field):
        raise InputError(
            f"exchange: {text!r} must be a program and its field, as 'sea.temperature'"
        )
    return program, field


def _known(program: Any, field: str, text: str) -> Any:
    """Returns the declaration of a field. InputError: the program has none of that name."""
    known = program.handed.known()
    if field not in known:
        name = text.partition(".")[0]
        raise InputError(unknown(f"field of {name}", field, sorted(known)))
    return known[field]
