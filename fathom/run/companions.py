"""Simulations that run with another one, under its clock: the outer model of an area, which may be
an area in another one. Each gives its whole state at times T_k, and goes ahead for it, as the giver
of an exchange that is not lagged does (docs/coupled.md):

    outer    T_0 --------> T_1 --------> T_2 --------> T_3
    area                   T_0 --------> T_1 --------> T_2

It has the ranks, the run and the restarts of the one that it runs with:

    runs/area/restart.fathom             the area, after 36 steps
    runs/area/restart.fathom.outer-36    its outer model
    runs/area/outer/                     output and summary of the outer model

A restart counts with the files of its own step alone; those are whole before it is.
"""

from __future__ import annotations

import glob
import math
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from weakref import ref

from fathom.base import mpi, ranks
from fathom.base.failure import InputError
from fathom.base.timetable import Link, Timetable, microseconds, said
from fathom.output.formats import restart


class Companions:
    """Those of a simulation; `model.companions` names them."""

    def __init__(self, simulation: Any) -> None:
        self._simulation = ref(simulation)  # which holds this
        self._restored: Path | None = None
        for one in self:
            self._check(one)

    @property
    def simulation(self) -> Any:
        """Returns the simulation with which they run."""
        return self._simulation()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.simulation.model.companions)

    # ---- when it is made -------------------------------------------------------------------------

    def _check(self, one: Any) -> None:
        """Checks that dates and steps fit. InputError, with both values: they do not."""
        own, other = self.simulation, one.simulation
        who, calendars = f"the {one.name} model", (own.clock.calendar, other.clock.calendar)
        if calendars[0] != calendars[1]:
            raise InputError(f"calendar = {calendars[0]!r}; that of {who} is {calendars[1]!r}")
        late = -float(own.clock.seconds(other.clock.start))
        if late < 0:
            raise InputError(
                f"start = {own.clock.start}; {who} starts later, at {other.clock.start}"
            )
        name = type(own.model).__name__
        steps = {
            name: microseconds(own.time_step, "time_step"),
            who: microseconds(other.time_step, f"the step of {who}"),
        }
        every = microseconds(one.every, one.keyword)
        Timetable.of(steps, [Link(who, name, every, False, who, one.keyword)])
        if late and microseconds(late, "start") % steps[name]:
            raise InputError(
                f"start = {own.clock.start} is no whole number of steps, {said(steps[name])},"
                f" after that of {who}, {other.clock.start}"
            )

    # ---- ranks -----------------------------------------------------------------------------------

    def asks_for(self, comm: Any) -> dict[str, tuple[int, int]]:
        """Returns the helping ranks that they want, as `divide` takes them."""
        asked: dict[str, tuple[int, int]] = {}
        for one in self:
            asked |= ranks.named(one.simulation.asks_for(comm), one.name)
        return asked

    def take_ranks(self, division: ranks.Division) -> None:
        """Lets them step where this one does, with helpers of their own. What is prepared on other
        ranks already is put away until then.
        """
        for one in self:
            other, own = one.simulation, division.of(one.name)
            if other.sequence is not None and not _alike(other.comm, own.comm):
                other.put_away()
                one.moved()
            other.take_ranks(own)

    def help(self, period: Any) -> Any:
        """Returns the summary of a rank that helps one of them, for a run."""
        for one in self:
            if one.simulation.comm is not None and one.simulation.serves:
                self._lead(one)
                return one.simulation.run(period)
        return {}

    # ---- the run ---------------------------------------------------------------------------------

    def _lead(self, one: Any) -> None:
        """Says where one of them writes, and from whose restarts it goes on."""
        own, other = self.simulation, one.simulation
        other.directory = own.directory / one.name
        other.overwrite, other.alone = own.overwrite, False
        if own.goes_on_here:
            other.handed.restarts = own.restart_from.resolve().parent

    @contextmanager
    def engaged(self) -> Iterator[None]:
        """Holds what their runs need from begin to end."""
        with ExitStack() as held:
            for one in self:
                self._lead(one)
            self.restore()
            for one in self:
                held.enter_context(one.simulation.engaged())
            yield

    def start_run(self, period: Any) -> None:
        """Begins their runs: to the end of this one, and on to the next time that it needs."""
        own = self.simulation
        for one in self:
            late = float(own.clock.seconds(one.simulation.clock.start))
            number = math.floor((own.end - late) / one.every + 1e-9) + 1
            one.simulation.start_run_to(number * one.every, period)

    def show_start(self) -> None:
        """Shows their states before the first step."""
        for one in self:
            one.simulation.show_start()

    def end_run(self, report: bool) -> None:
        """Ends their runs: all output is there."""
        for one in self:
            one.simulation.stopped = self.simulation.stopped
            one.simulation.end_run(report)

    # ---- restarts --------------------------------------------------------------------------------

    def write_restart(self, path: Path) -> None:
        """Writes what they need to go on, next to a restart `path` that is not there yet. All ranks
        that step call it.
        """
        for one in self:
            one.write_restart(_beside(path, one, self.simulation.count))

    def restore(self) -> None:
        """Lets them go on from the files next to the restart of this one, where there are such
        files. All ranks that step call it.
        """
        own = self.simulation
        path = own.restart_from
        if path is None or path == self._restored or own.between is not None or not [*self]:
            return
        steps, self._restored = None, path
        if own.comm.rank == 0:
            with (
                suppress(OSError, ValueError),
                restart.read(path) as file,
            ):  # read_state tells of it
                steps = file.header.steps
        steps = own.comm.bcast(steps)
        for one in self if steps is not None else ():
            one.restore(_beside(path, one, steps))

    def forget(self, path: Path, steps: int | None = None) -> None:
        """Deletes the files of other steps next to a restart; None: all."""
        for one in self:
            keep = None if steps is None else _beside(path, one, steps).name
            for file in path.parent.glob(glob.escape(path.name) + f".{one.name}-*"):
                if keep is None or not re.match(re.escape(keep) + r"(\D|$)", file.name):
                    file.unlink(missing_ok=True)


def _beside(path: Path, one: Any, steps: int) -> Path:
    """Returns the file of one of them next to a restart after so many steps."""
    whole = Path(path).resolve()
    return whole.with_name(f"{whole.name}.{one.name}-{steps}")


def _alike(one: Any, other: Any) -> bool:
    """Returns whether two communicators have the same ranks in the same order."""
    if one is None or other is None:
        return one is other
    return mpi.MPI.Comm.Compare(one, other) in (mpi.MPI.IDENT, mpi.MPI.CONGRUENT)
