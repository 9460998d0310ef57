"""An exchange: a field of one program, or both parts of a vector, that becomes that of another, at
set times.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fathom.base.clock import Period, seconds_of
from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.base.ranks import group
from fathom.base.timetable import Link, microseconds, said
from fathom.coupled.remap import Remap, ways
from fathom.coupled.vectors import axes

statistics = ("last", "mean")
Values = Callable[[np.ndarray], np.ndarray]
Name = str | tuple[str, str]  # of a field; of the two parts of a vector


class Exchange:
    """A field of a giver, for a field of a taker; of a vector two.

    Parameters
    ----------
    field, to : the giver's field and the taker's: "air.heat_flux", "sea.surface_heat_flux". The
        taker's is one that its model reads and no process of it writes. Of a vector both parts,
        along the axes of the grids: ("air.stress_x", "air.stress_y"); it is turned to the axes of
        the taker's (fathom/coupled/vectors.py).
    every : how often; the value holds until the next one.
    statistic : "last", the value at that time; "mean", that of all steps since the time before.
    lagged : whether the taker gets what the giver has at the begin of the taker's interval. Both
        then step at the same time; else the giver goes ahead.
    level : of a giver's field with levels, for a taker's of columns: 0 the top one, -1 the lowest.
        A taker's field with levels gets all.
    by : "same" grid, "conservative" means over shared areas, or a function from values (ny, nx) on
        the giver's grid to those on the taker's, with levels and the two parts of a vector, where
        there are any, before these; None: same where the grids are, else conservative.
    change : a function of the taker's values, (ny, nx) or as above, for other units or signs.
    first : the value of a lagged exchange in the first interval of all; None: the giver's field at
        the start.
    """

    def __init__(
        self,
        field: Name,
        to: Name,
        every: str | float,
        statistic: str = "last",
        *,
        lagged: bool = False,
        level: int = 0,
        by: str | Values | None = None,
        change: Values | None = None,
        first: float | None = None,
    ) -> None:
        self.field, self.to = _listed(field), _listed(to)
        (self.giver, self.gives), (self.taker, self.takes) = _split(field), _split(to)
        self.text = f"exchange {self.field} -> {self.to}"
        if len(self.gives) != len(self.takes):
            raise InputError(f"{self.text}: one field for one, or both parts of a vector for both")
        self.seconds = seconds_of(every, f"{self.text}: every")
        self.every = Period(every)
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
        self.sources = [*self.gives]  # the fields that are read: themselves, or their sums
        self.levels: list[int] = [0]  # of the giver's field
        self.places = ("center", "center")  # of points: giver's and taker's
        self.steps = 1  # of the giver in an interval
        self.ends: tuple[Any, Any] = (None, None)  # members of Programs: giver and taker
        self.remap: Any = None
        self.axes: tuple[Any, Any] = (None, None)  # of a vector: unit vectors of giver and taker
        self.kept: list[np.ndarray] = []  # of the taker, where the giver has nothing

    @property
    def link(self) -> Link:
        """Returns the exchange as the timetable sees it."""
        every = microseconds(self.seconds, f"{self.text}: every")
        return Link(self.giver, self.taker, every, self.lagged, str(self))

    def __str__(self) -> str:
        mean = "mean of " * (self.statistic == "mean")
        lag = ", lagged" * self.lagged
        every = said(microseconds(self.seconds, "every"))
        return f"{mean}{self.field} -> {self.to} every {every}{lag}"

    def join(self, giver: Any, taker: Any) -> None:
        """Asks both programs, giver and taker, for their fields. InputError: fields, units, levels
        or places that do not fit.
        """
        for gives, takes in zip(self.gives, self.takes, strict=True):
            given = _known(giver, gives, f"{self.giver}.{gives}")
            taken = _known(taker, takes, f"{self.taker}.{takes}")
            self._check_field(given, taken)
            self._check_places(given, taken)
            self._check_units(given, taken)
            grids = giver.handed.grid_of(gives), taker.handed.grid_of(takes)
            self.levels = self._levels(given, taken, grids)
            self.places = given["horizontal"], taken["horizontal"]
        top = self.levels == [0] and given["vertical"] != "column"
        self.steps = round(self.seconds / giver.time_step)
        for n, (gives, takes) in enumerate(zip(self.gives, self.takes, strict=True)):
            mean = f"{self.taker}.{takes}" if self.statistic == "mean" else ""
            self.sources[n] = giver.handed.give(gives, mean, top)
            taker.handed.take(takes)

    def _check_field(self, given: Any, taken: Any) -> None:
        """Checks that a field can be handed over. InputError: the taker writes it; a profile."""
        field, to = f"{self.giver}.{given['name']}", f"{self.taker}.{taken['name']}"
        if taken["written"]:
            raise InputError(f"{self.text}: a process of {self.taker} writes {to} itself")
        if given["vertical"] == "profile":
            raise InputError(f"{self.text}: {field} is a profile, the same everywhere")

    def _check_units(self, given: Any, taken: Any) -> None:
        """Checks that both have the same units. InputError: others, and nothing converts them."""
        field, to = f"{self.giver}.{given['name']}", f"{self.taker}.{taken['name']}"
        units = given["units"], taken["units"]
        if units[0] != units[1] and self.change is None and not callable(self.by):
            raise InputError(
                f"{self.text}: {field} is in {units[0]}, {to} in {units[1]}; change ="
                " a function of the values converts them"
            )

    def _levels(self, given: Any, taken: Any, grids: tuple[Any, Any]) -> list[int]:
        """Returns the levels of the giver's field. InputError: the taker's has others."""
        kinds = given["vertical"], taken["vertical"]
        count, there = (grid.levels.nz for grid in grids)
        if kinds[1] == "column":
            if kinds[0] == "column":
                return [0]
            last = count - (kinds[0] == "layer")
            if not -last - 1 <= self.level <= last:
                raise InputError(f"{self.text}: level = {self.level}; there are {last + 1}")
            return [self.level % (last + 1)]
        if kinds[0] != kinds[1] or count != there:
            raise InputError(
                f"{self.text}: {self.field} has {_told(kinds[0], count)}, {self.to}"
                f" {_told(kinds[1], there)}; fields with levels need as many"
            )
        return [*range(count + (kinds[0] != "layer"))]

    def _check_places(self, given: Any, taken: Any) -> None:
        """Checks that both lie at centres, or are vectors at centres or corners. InputError: no
        means over cells are known of others.
        """
        places = given["horizontal"], taken["horizontal"]
        allowed = ("center", "corner") if len(self.gives) == 2 else ("center",)
        if callable(self.by) or (places[0] == places[1] and self.by == "same"):
            return
        if not {*places} <= {*allowed}:
            raise InputError(
                f"{self.text}: {self.field} lies at the {places[0]}, {self.to} at the {places[1]}"
                " of cells; give fields at centres, both parts of a vector, or by = a function"
            )

    def open(self, comm: Any) -> None:
        """Prepares the way between the ranks of both, which call it together; comm: of all."""
        giver, taker = self.ends
        gives, takes = giver.here, taker.here
        given, taken = giver.program.handed, taker.program.handed
        ranks = group(comm, [*giver.ranks, *taker.ranks])
        cells = given.cells_of(self.gives[0]) if gives else np.zeros(0, np.int64)
        takers = taker.program.comm if takes else None
        grids = given.grid_of(self.gives[0]), taken.grid_of(self.takes[0])
        by = self.by or ""
        self.remap = Remap(grids, ranks, takers, cells, by, self.places, self.levels)
        if len(self.gives) == 2 and not callable(by):
            own, there = (axes(grid, place) for grid, place in zip(grids, self.places, strict=True))
            self.axes = own[cells], there
        self.kept = [taken.whole(name) for name in self.takes] if takes else []

    def hand(self, at_start: bool) -> None:
        """Hands the field over. The ranks of both programs call it."""
        giver, taker = (end.program if end.here else None for end in self.ends)
        values = np.zeros((0, len(self.levels), len(self.gives)))
        if giver is not None:
            values = self._values(giver, at_start)
        if self.axes[0] is not None:  # to the three parts in space
            values = np.einsum("pka,pax->pkx", values, self.axes[0])
        found = self.remap(values)
        if taker is not None:
            self._put(taker, found, at_start)

    def _values(self, giver: Any, at_start: bool) -> np.ndarray:
        """Returns the giver's values on this rank (points, levels, fields); a mean begins anew."""
        means = self.statistic == "mean"
        mean = means and not (at_start and self.lagged)
        names = self.sources if mean else self.gives
        values = np.stack([giver.handed.values(name, self.levels) for name in names], -1)
        for name in self.sources if means else ():
            giver.handed.clear(name)
        return values / self.steps if mean else values

    def _put(self, taker: Any, found: np.ndarray, at_start: bool) -> None:
        """Sets the taker's fields from (levels, parts, ny, nx); where the giver has nothing they
        keep what they have.
        """
        if self.axes[1] is not None:
            along = self.axes[1].reshape(*found.shape[-2:], 2, 3)
            found = np.einsum("kxji,jiax->kaji", found, along)
        there = np.isfinite(found)
        if at_start and self.lagged and self.first is not None:
            found = np.where(there, float(self.first), found)
        elif self.change is not None:
            shape = found.shape
            more = tuple(n for n in shape[:2] if n > 1)
            found = np.reshape(self.change(found.reshape(*more, *shape[2:])), shape)
        for n, (name, kept) in enumerate(zip(self.takes, self.kept, strict=True)):
            taker.handed.put(name, np.where(there[:, n], found[:, n], kept))


def _listed(names: Name) -> str:
    """Returns a field, or both parts of a vector, in messages."""
    return names if isinstance(names, str) else ", ".join(map(str, names))


def _told(kind: str, count: int) -> str:
    """Returns the levels of a field in messages."""
    return "no levels" if kind == "column" else f"{count + (kind != 'layer')} levels ({kind})"


def _split(names: Name) -> tuple[str, tuple[str, ...]]:
    """Returns the program of "air.heat_flux" and its field; of a vector both."""
    found = [_parts(name) for name in ([names] if isinstance(names, str) else names)]
    programs = {program for program, _ in found}
    if len(found) not in (1, 2) or len(programs) != 1:
        raise InputError(f"exchange: {names!r} must be a field, or both parts of a vector")
    return found[0][0], tuple(field for _, field in found)


def _parts(text: str) -> tuple[str, str]:
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
