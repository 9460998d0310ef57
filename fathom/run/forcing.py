"""Forcing in time: records interpolated between instants or middles of intervals, with any distance
in time; the next is read while the model runs.

The time-dependent inputs of surface and model are sources: `fields`, names of the fields
NAME_previous and NAME_next of a sequence; `axis`, when records are (fathom/base/instants.py);
`read(number)`, name -> array (ny, nx), or (levels, ny, nx). One that gives columns alone has
`columns`, their rows and points; its arrays are (columns,), or (levels, columns).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from fathom.base import reading
from fathom.base.failure import InputError, RunError

if TYPE_CHECKING:
    from fathom.base.clock import Clock
    from fathom.base.instants import TimeAxis
    from fathom.model.model import Model
    from fathom.run.simulation import Simulation


class Source(Protocol):
    """An input in time: the fields that it gives, when its records are, and each of them."""

    fields: Sequence[str]
    axis: TimeAxis

    def read(self, number: int) -> Mapping[str, np.ndarray]:
        """Returns the record of that number by field, each (ny, nx) or (levels, ny, nx)."""


class Forcing:
    """The records of sources in the fields of a sequence."""

    def __init__(self, sources: Sequence[Source], readers: reading.Readers) -> None:
        self.sources = sources
        # (record before, after, when they hold) of each
        self.held: list[tuple[int, int, float, float] | None] = [None] * len(sources)
        self.coming: list[list[int]] = [[]] * len(sources)  # records that are needed again, or next
        self.records = reading.Ahead(
            readers, lambda key: sources[key[0]].read(key[1]), "records of forcing"
        )

    @classmethod
    def of(
        cls,
        surface: Any,
        model: Model,
        readers: reading.Readers,
        errors: Any = None,
        fields: Any = None,
    ) -> Self | None:
        """Returns the forcing of a simulation; None where nothing is read in time.

        errors : those of the members of an ensemble (fathom/run/ensemble/forcing.py), None: none.
        fields : of the sequence.
        """
        of_surface = model.forcing(surface)
        given = [*of_surface.records()]
        if errors is not None:
            units = {f["name"]: f["units"] for f in fields.fields}
            given = errors.on(given, of_surface.fixed_fields(), units, model.grid)
        sources = [*given, *model.records(model)]
        return cls(sources, readers) if sources else None

    def check(self, clock: Clock, begin: float, end: float) -> None:
        """Raises ValueError where a run from `begin` to `end` [s] continues without records."""
        for source in self.sources:
            try:
                first, last = source.axis.coverage(clock)
                inside = first <= begin and end <= last + 1e-6
                if inside:
                    source.axis.bracket(clock, begin)
            except ValueError as error:
                raise InputError(f"{', '.join(source.fields)}: {error}") from error
            if not inside:
                raise InputError(
                    f"{_named(source)} are of {clock.date(first)} to {clock.date(last)}; the run is"
                    f" from {clock.date(begin)} to {clock.date(end)}{_remedy(source)}"
                )

    def close(self) -> None:
        """Closes the files of its sources, so that they can be written anew after a run."""
        for source in self.sources:
            getattr(source, "close", lambda: None)()

    def take_member(self, member: int | None) -> None:
        """Makes the records those of a member from now on; None: of none, without errors."""
        for source in self.sources:
            getattr(source, "take_member", lambda _: None)(member)

    def forget(self) -> None:
        """Says that the fields hold no records: they are others now."""
        self.held = [None] * len(self.sources)

    def read_anew(self, outer: Any) -> None:
        """Says that the records of an outer model have changed since they were read."""
        for n, source in enumerate(self.sources):
            if getattr(source, "outer", None) is outer and self.held[n] is not None:
                self.held[n] = (-1, -1, math.nan, math.nan)

    def load(self, simulation: Simulation) -> int:
        """Returns the records around now into the fields; how many steps they are good for. All
        ranks call it, all get the same RunError where one cannot be read.
        """
        s, until = simulation, math.inf
        for n, source in enumerate(self.sources):
            before, after, t0, t1 = now = source.axis.bracket(s.clock, s.seconds)
            until = min(until, t1)
            if now == self.held[n] or self._put_fixed(simulation, n, now):
                continue
            next_ = _next_after(source, s, t1 + s.time_step)
            wanted = [("_previous", before, [after]), ("_next", after, [after, *next_])]
            held = self.held[n]
            if held and before == held[1]:
                wanted = wanted[1:] if after != before else []  # the next one is there as well
                for name in source.fields:
                    s.fields.copy_field(name + "_next", name + "_previous")
            for suffix, number, ahead in wanted:
                self.coming[n] = ahead
                for name, values in self._fields(n, number):
                    _put(s.fields, name + suffix, values, getattr(self.sources[n], "columns", None))
            for name in source.fields:
                s.sequence.ramp(name + "_weight", s.time_step, t0, t1 - t0)
            if self.held[n] is None:
                s.tidy()
            self.held[n] = now
        return (
            max(1, int(np.ceil((until - s.seconds) / s.time_step - 1e-9)))
            if until < math.inf
            else 1 << 60
        )

    def _put_fixed(
        self, simulation: Simulation, n: int, now: tuple[int, int, float, float]
    ) -> bool:
        """Puts fields of a source that has no records, only values, into those of the sequence;
        returns whether it is one.
        """
        if not getattr(self.sources[n], "direct", False):
            return False
        for name, values in self._fields(n, now[0]):
            _put(simulation.fields, name, values, None)
        simulation.changed, self.held[n] = True, now
        return True

    def _fields(self, n: int, number: int) -> Iterator[tuple[str, np.ndarray]]:
        if getattr(self.sources[n], "collective", False):  # made by all ranks, not read
            yield from self.sources[n].read(number).items()
            return
        ahead = [
            (m, wanted)
            for m, coming in enumerate(self.coming)
            for wanted in coming
            if not getattr(self.sources[m], "collective", False)
        ]
        try:
            yield from self.records.items((n, number), ahead)
        except (OSError, ValueError, KeyError) as error:
            date = self.sources[n].axis.date(number)
            if isinstance(error, InputError) and self.held[n] is None:
                raise InputError(f"the forcing{date and f' of {date}'}: {error}") from error
            raise RunError(
                f"the forcing{date and f' of {date}'} cannot be read: {error}"
            ) from error


def _next_after(source: Source, simulation: Simulation, seconds: float) -> list[int]:
    """Returns the record that is needed after that time; none: the run or the records end there."""
    end = min(simulation.end, source.axis.coverage(simulation.clock)[1])
    return [source.axis.bracket(simulation.clock, seconds)[1]] if seconds < end else []


def _put(fields: Any, name: str, values: np.ndarray, columns: Any) -> None:
    """Puts (ny, nx), or (levels, ny, nx), into a field; of columns those."""
    if columns is not None:
        fields.put_columns(name, *columns, np.ascontiguousarray(np.atleast_2d(values), float))
        return
    for k, layer in enumerate(values if np.ndim(values) == 3 else [values]):
        fields.set(name, np.ascontiguousarray(layer, float), k, nearest_outside=True)


def _named(source: Source) -> str:
    """Returns the records of a source, in messages."""
    return f"the records of {getattr(source, 'text', '') or ', '.join(source.fields)}"


def _remedy(source: Source) -> str:
    """Returns the advice for a run that continues without records."""
    own = getattr(source, "remedy", "repeated_year = true uses them for every year")
    return f" ({own})"
