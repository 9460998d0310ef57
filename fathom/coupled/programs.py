"""Several programs under one clock: models with their own grid, step and ranks, which run in turn
or side by side and hand fields to each other.

    air = fm.Simulation(atmosphere, time_step="20min")
    sea = fm.Simulation(ocean, time_step="1h", surface=fm.SurfaceForcing(heat_flux=0.0))
    both = fm.Programs({"air": air, "sea": sea}, directory="runs/both")
    both.exchange("air.heat_flux", "sea.surface_heat_flux", every="3h", statistic="mean")
    both.run("10d")
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from fathom.base import mpi
from fathom.base import ranks as given_ranks
from fathom.base.clock import Event, Period
from fathom.base.configurable import Configurable
from fathom.base.failure import InputError, RunError
from fathom.base.regions import region
from fathom.base.timetable import Advance, Timetable, microseconds, said, second
from fathom.coupled.exchange import Exchange, Name, Values
from fathom.coupled.restarts import Restarts
from fathom.run import wishes
from fathom.run.progress import chosen


class Member(NamedTuple):
    """A program, and the ranks of all programs on which it steps."""

    name: str
    program: Any
    ranks: list[int]

    @property
    def here(self) -> bool:
        """Returns whether it steps on this rank."""
        return self.program.comm is not None and not self.program.serves


class Programs(Configurable):
    """Programs that step under one clock.

    Parameters
    ----------
    programs : name -> Simulation, or a Program of your own. They start on the same date, in the
        same calendar.
    directory : of the run; each program writes into a folder of its name in it.
    ranks : name -> how many ranks, or which, where programs run side by side; None: all on all
        ranks, in turn.
    """

    def __init__(
        self,
        programs: Mapping[str, Any],
        directory: str | Path = ".",
        ranks: Mapping[str, int | Iterable[int]] | None = None,
    ) -> None:
        if not isinstance(programs, Mapping) or not programs:
            raise InputError(f"programs = {programs!r} must be names with simulations")
        self.directory = Path(directory)
        self.exchanges: list[Exchange] = []
        self.wishes = wishes.Wishes()
        self.stopped = False
        self.end = np.inf  # of the run [s]
        self._opened = self._checkpointed = False
        self._checkpoints: list[tuple[Event, int | None]] = []
        self._check(programs)
        self.comm, self.members = self._place(programs, ranks)
        self.restarts = Restarts(self)
        for member in self.members.values():
            member.program.directory = self.directory / member.name
            member.program.alone = False

    def __repr__(self) -> str:
        lines = [
            f"{m.name}: {m.program!r}, step {said(self._step(m.name))}, on ranks"
            f" {given_ranks.listed(m.ranks)}"
            for m in self.members.values()
        ]
        return "\n".join([*lines, *map(str, self.exchanges)])

    @staticmethod
    def _check(programs: Mapping[str, Any]) -> None:
        """Checks names and dates. InputError: no name of a folder; other starts or calendars."""
        (first, one), *others = programs.items()
        for name, other in [(first, one), *others]:
            if not str(name).isidentifier():
                raise InputError(f"programs: the name {name!r} must be letters, digits and _")
            if other.sequence is not None:
                raise InputError(f"programs: {name} is prepared already; give it before that")
        for name, other in others:
            if other is one:
                raise InputError(f"programs: {first} and {name} are the same simulation")
            here, there = ((p.clock.start, p.clock.calendar) for p in (one, other))
            if here != there:
                raise InputError(
                    f"programs: {first} starts at {here[0]} in the calendar {here[1]!r}, {name} at"
                    f" {there[0]} in {there[1]!r}"
                )

    # ---- ranks -----------------------------------------------------------------------------------

    def _place(self, programs: Mapping[str, Any], ranks: Any) -> tuple[Any, dict[str, Member]]:
        """Returns the communicator of all ranks that step, and each program with its ranks in it.
        InputError: ranks that are given twice, or too few.
        """
        found = _side_by_side(programs, ranks) if ranks is not None else _in_turn(programs)
        steps = {rank for division in found.values() for rank in division.steps}
        comm = given_ranks.group(mpi.world, steps)
        everyone = given_ranks.numbers(comm) if comm is not None else []
        members = {}
        for name, program in programs.items():
            program.take_ranks(found[name])
            own = [everyone.index(rank) for rank in found[name].steps] if everyone else []
            members[name] = Member(name, program, own)
        return comm, members

    @property
    def here(self) -> list[Member]:
        """Returns the programs that step on this rank."""
        return [member for member in self.members.values() if member.here]

    # ---- what they hand to each other ------------------------------------------------------------

    def exchange(
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
    ) -> Self:
        """Hands a field of one program to another every so often (`Exchange`). Returns the
        programs. InputError, with both values: what does not fit; programs that wait for each
        other.
        """
        found = Exchange(
            field,
            to,
            every,
            statistic,
            lagged=lagged,
            level=level,
            by=by,
            change=change,
            first=first,
        )
        for name in (found.giver, found.taker):
            if name not in self.members:
                raise InputError(
                    f"{found.text}: there is no program {name!r}; there are"
                    f" {', '.join(self.members)}"
                )
        for one in self.exchanges:
            if one.taker == found.taker and (twice := {*one.takes} & {*found.takes}):
                to = f"{one.taker}.{min(twice)}"
                raise InputError(f"{found.text}: {to} comes from {one.field} already")
        self._timetable([*self.exchanges, found])
        found.join(*(self.members[name].program for name in (found.giver, found.taker)))
        self.exchanges.append(found)
        return self

    def _step(self, name: str) -> int:
        """Returns the step of a program [us]."""
        return microseconds(self.members[name].program.time_step, f"the step of {name}")

    def _timetable(self, exchanges: Iterable[Exchange]) -> Timetable:
        """Returns the order of one interval with these exchanges."""
        steps = {name: self._step(name) for name in self.members}
        return Timetable.of(steps, [one.link for one in exchanges])

    @property
    def timetable(self) -> Timetable:
        """Returns the order of one interval, after which all programs stand at the same time."""
        return self._timetable(self.exchanges)

    @property
    def seconds(self) -> float:
        """Returns the time since the start at which all programs stand between intervals [s]."""
        return float(next(iter(self.here or self.members.values())).program.seconds)

    @property
    def date(self) -> Any:
        """Returns the date at which all programs stand between intervals."""
        return self.clock.date(self.seconds)

    @property
    def clock(self) -> Any:
        """Returns start and calendar of all programs."""
        return next(iter(self.members.values())).program.clock

    # ---- restarts --------------------------------------------------------------------------------

    def checkpoint(self, every: str = "30d", keep: int | None = None) -> Self:
        """Writes a restart of all programs every so often; keep: how many stay, the latest; None:
        all. Returns the programs.
        """
        interval = self.timetable.interval
        self._check_length(Period(every, "checkpoint every"), "checkpoint every")
        if keep is not None and not (type(keep) is int and keep > 0):
            raise InputError(f"checkpoint keep = {keep!r} must be a whole number from 1 on")
        event = Event(every, lambda programs: None, interval / second, "restart")
        self._checkpoints.append((event, keep))
        return self

    def restore(self, path: str | Path | None = None) -> Self:
        """Continues from a folder of a restart; None: the latest one of the directory."""
        self.restarts.restore(path)
        return self

    def write_restart(self) -> Path:
        """Writes the whole present state of all programs into a folder; returns its path."""
        return self.restarts.write(None)

    def _check_length(self, period: Period, what: str) -> None:
        """Checks a length of time. InputError: programs stand at different times at its end."""
        interval = self.timetable.interval
        length = 86400.0 if period.months else period.seconds
        if microseconds(length, what) % interval:
            raise InputError(
                f"{what} = {period} is no whole number of {said(interval)}, after which all"
                " programs stand at the same time"
            )

    # ---- the run ---------------------------------------------------------------------------------

    def run(
        self, period: Any, progress: Any = True, report: bool = True, from_start: bool = False
    ) -> dict[str, Any]:
        """Runs all programs for a period; leaves a restart of all of them. Returns the summary of
        each program that steps on this rank. Arguments as those of Simulation.run.
        """
        self._check_length(Period(period, "run"), "run")
        if (helper := self._helper()) is not None:
            return {helper.name: helper.program.run(period)}
        if self.comm is None:
            return {}
        line = chosen(progress)
        try:
            with ExitStack() as held:
                for member in self.here:
                    held.enter_context(member.program.engaged())
                for member in self.here:
                    member.program.start_run(period, from_start)
                self._check_times()
                begin = 0.0 if from_start else self.seconds
                self.end = self.clock.after(begin, Period(period, "run"))
                self._open()
                with self.wishes.heard():
                    for member in self.here:
                        member.program.show_start()
                    self._go_on(line)
                if not self._checkpointed:
                    self.restarts.write(None)
                return {m.name: m.program.end_run(report) for m in self.here}
        finally:
            getattr(line, "close", lambda: None)()

    def _helper(self) -> Member | None:
        """Returns the program that this rank serves, None where it serves none."""
        members = self.members.values()
        return next((m for m in members if m.program.comm is not None and not m.here), None)

    def _check_times(self) -> None:
        """Checks that all stand at one time. InputError: one has a restart of another time."""
        steps = {m.name: m.program.seconds for m in self.here}
        if len(set(steps.values())) > 1:
            told = ", ".join(f"{name} at {value:g} s" for name, value in steps.items())
            raise InputError(f"programs stand at different times: {told}")

    def _open(self) -> None:
        """Prepares the exchanges, once; hands over the first values of those that are lagged."""
        if self._opened:
            return
        restored = self.seconds > 0
        for one in self.exchanges:
            one.ends = self.members[one.giver], self.members[one.taker]
            if any(end.here for end in one.ends):
                one.open(self.comm)
        if not restored:
            self._hand_lagged(0, at_start=True)
        self._opened = True

    def _hand_lagged(self, at: int, at_start: bool = False) -> None:
        """Uses the lagged exchanges of a time at which all programs stand [us]."""
        for n, one in enumerate(self.exchanges):
            if one.lagged and at % one.link.every == 0:
                self._hand(n, at_start)

    def _hand(self, n: int, at_start: bool = False) -> None:
        """Uses an exchange, on the ranks of its programs."""
        one = self.exchanges[n]
        if any(end.here for end in one.ends):
            with region("exchange", "coupled", "transposition"):
                one.hand(at_start)

    def _go_on(self, progress: Any) -> None:
        """Takes intervals to the end, with restarts between them."""
        table, self.stopped, self._checkpointed = self.timetable, False, False
        clock, end, pace = self.clock, self.end, 1
        for event, _ in self._checkpoints:
            event.schedule(clock, self.seconds)
        while self.seconds < end - 1e-6 and not self.stopped:
            due = min([end, *(event.due for event, _ in self._checkpoints)])
            left = max(1, round((due - self.seconds) * second / table.interval))
            began, number = time.perf_counter(), min(left, pace)
            self._advance(table, number, progress)
            longest = self._agree(time.perf_counter() - began)
            pace = max(1, int(number * 0.5 / max(longest, 1e-9)))
            self._keep()

    def _advance(self, table: Timetable, number: int, progress: Any) -> None:
        """Takes so many intervals; hands over the lagged values of the next one at the end."""
        start = round(self.seconds * second)
        if not self.exchanges:
            for member in self.here:
                self._run_to(member, start + number * table.interval, progress)
            return
        for n in range(number):
            begin = start + n * table.interval
            for action in table.actions:
                if isinstance(action, Advance):
                    member = self.members[action.program]
                    if member.here:
                        self._run_to(member, begin + action.until, progress)
                elif not (self.exchanges[action.link].lagged and action.at == 0):
                    self._hand(action.link)  # those at 0 were handed over before
            self._hand_lagged(begin + table.interval)

    def _run_to(self, member: Member, until: int, progress: Any) -> None:
        """Lets a program go on to a time [us]; the first one of this rank shows how far it is."""
        first = next((m.name for m in self.here if m.program.shows), "")
        shows = progress if member.name == first else None
        try:
            with region(member.name, "coupled"):
                member.program.run_to(until / second, shows)
        except RunError as failure:
            failure.args = (f"{member.name}: {failure.args[0]}", *failure.args[1:])
            raise

    def _agree(self, seconds: float) -> float:
        """Returns the longest time of all ranks [s]; takes requests to stop or for a restart."""
        if self.comm.rank == 0:
            self.wishes.look(self.directory)
        own = (m.program.wishes for m in self.here if m.program.wishes is not None)
        heard = [self.wishes, *own]
        asked = [sum(one.take(wish) for one in heard) for wish in (wishes.stop, wishes.restart)]
        mine = np.array([seconds, *asked], float)
        with region("agreement", "coupled", "sum", self.comm):
            self.comm.Allreduce(mpi.MPI.IN_PLACE, mine, mpi.MPI.MAX)
        over = self.seconds >= self.end - 1e-6
        self.stopped = bool(mine[1]) and not over
        for member in self.here:
            member.program.stopped = self.stopped
        if mine[2] and not self.stopped:
            self.restarts.write(None)
        return float(mine[0])

    def _keep(self) -> None:
        """Writes a restart where one is due."""
        self._checkpointed = False
        for event, keep in self._checkpoints:
            if event.due <= self.seconds + 1e-6:
                with region("restart", "coupled", "output"):
                    self.restarts.write(keep)
                self._checkpointed = True
                event.schedule(self.clock, self.seconds)


def _in_turn(programs: Mapping[str, Any]) -> dict[str, given_ranks.Division]:
    """Returns the division of all ranks for programs in turn: all step where none has a helper."""
    asked: dict[str, tuple[int, int]] = {}
    for name, program in programs.items():
        asked |= given_ranks.named(program.asks_for(mpi.world), name)
    whole = given_ranks.divide(mpi.world, asked)
    return {name: whole.of(name) for name in programs}


def _side_by_side(programs: Mapping[str, Any], ranks: Any) -> dict[str, given_ranks.Division]:
    """Returns the division of the ranks of each program, which are named or numbered; its helpers
    are among them. InputError on all ranks: ranks given twice; too few for the helpers of one.
    """
    if set(ranks) != set(programs):
        raise InputError(
            f"ranks are given to {', '.join(map(str, ranks))}; the programs are"
            f" {', '.join(programs)}"
        )
    found, fault = dict[str, given_ranks.Division](), ""
    for name, own in given_ranks.shared_out(ranks, mpi.world.size).items():
        comm = given_ranks.group(mpi.world, own)
        if comm is None:
            continue
        try:
            found[name] = given_ranks.divide(comm, programs[name].asks_for(comm))
        except InputError as error:
            fault = f"{name}: {error}"
    told = mpi.world.allgather((fault, {name: one.steps for name, one in found.items()}))
    if first := next((text for text, _ in told if text), ""):
        raise InputError(first)
    steps = {name: own for _, part in told for name, own in part.items()}
    return {n: found.get(n, given_ranks.no_part._replace(steps=steps[n])) for n in programs}
