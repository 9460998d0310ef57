"""The clock of several programs: models with their own grid, step and ranks, which run in turn or
side by side. `fm.Programs` is made of it, and an area that runs with its outer model
(docs/coupled.md).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

import numpy as np

from fathom.base import mpi, regions
from fathom.base import ranks as given_ranks
from fathom.base.clock import Event, Period
from fathom.base.failure import InputError, RunError
from fathom.base.home import at_home
from fathom.base.regions import region
from fathom.base.timetable import Advance, Timetable, microseconds, said, second
from fathom.base.turns import in_turn
from fathom.run import agreed, wishes
from fathom.run import members as parts
from fathom.run.boundaries import Boundaries
from fathom.run.members import Member
from fathom.run.one_restart import Restarts
from fathom.run.progress import chosen


class Together:
    """Programs that step under one clock; programs, directory, ranks: as `fm.Programs` has them.

    comm: of the ranks on which all step, without helpers; None: all ranks.
    """

    exchanges: list[Any]  # Boundaries, and exchanges of fields (fathom/coupled/exchange.py)

    def __init__(
        self,
        programs: Mapping[str, Any],
        directory: str | Path = ".",
        ranks: Mapping[str, int | Iterable[int]] | None = None,
        comm: Any = None,
    ) -> None:
        if not isinstance(programs, Mapping) or not programs:
            raise InputError(f"programs = {programs!r} must be names with simulations")
        check_no_ensembles(programs)
        self._directory = at_home(directory).absolute()
        self.lead = next(iter(programs))  # whose start and dates are those of all
        self.wishes = wishes.Wishes()
        self.stopped = self.overwrite = False
        self.end = np.inf  # of the run [s]
        self._now = 0.0  # where no program steps here [s]
        self._opened, self._going = set[int](), list[str]()
        self._checkpointed = False
        self._checkpoints: list[tuple[Event, int | None]] = []
        self._watched: list[Event] = []  # what else happens between intervals
        every, folders = parts.with_outer(programs)
        self.boundaries = parts.boundaries(every)
        self.order = parts.in_order(every, self.boundaries)
        late = parts.starts(every, self.boundaries)
        self.exchanges = [*self.boundaries, *parts.feedbacks(self.boundaries)]
        steps = {n: microseconds(p.time_step, f"the step of {n}") for n, p in every.items()}
        self.timetable = Timetable.of(steps, [one.link for one in self.exchanges])
        self._check_starts(late)
        division = parts.divided(every, ranks, comm)
        self.comm, self.members = parts.placed(every, division, late, folders)
        self.restarts = Restarts(self)
        for link in self.boundaries:
            link.ends = self.members[link.giver], self.members[link.taker]
        for program in every.values():
            former, program.alone, program.together = program.together, False, None
            for given, keep in former.checkpoints if former is not None else ():
                self.checkpoint(given, keep)
        self.place()

    def __repr__(self) -> str:
        return "\n".join(self.describe())

    def describe(self) -> list[str]:
        """Returns a line for each program, and for each exchange: who gives what to whom, when,
        between which grids.
        """
        lines = [
            f"{m.name}: {m.program}, step {said(self._step(m.name))}, on ranks"
            f" {given_ranks.listed(m.ranks)}"
            for m in self.members.values()
        ]
        for one in self.exchanges:
            grids = (repr(_grid(self.members[name].program)) for name in (one.giver, one.taker))
            lines.append(f"{one}, from {' to '.join(grids)}")
        return lines

    # ---- where it runs ---------------------------------------------------------------------------

    @property
    def directory(self) -> Path:
        """Returns the directory of the run: that of an area is the one of its simulation."""
        lead = self.members[self.lead]
        return Path(lead.program.directory) if lead.folder == Path() else self._directory

    def place(self) -> None:
        """Gives each program its folder in the directory of the run."""
        root, lead = self.directory, self.members[self.lead]
        for member in self.members.values():
            member.program.directory = root / member.folder
            if lead.folder == Path():
                member.program.overwrite = lead.program.overwrite
                member.program.resumes = lead.program.resumes

    def resume(self, further: bool = True) -> None:
        """Lets each program go on with the run in its folder, also without a restart."""
        for member in self.members.values():
            member.program.resumes = further

    @property
    def here(self) -> list[Member]:
        """Returns the programs that step on this rank."""
        return [member for member in self.members.values() if member.here]

    def _step(self, name: str) -> int:
        """Returns the step of a program [us]."""
        return microseconds(self.members[name].program.time_step, f"the step of {name}")

    def _timetable(self, exchanges: Iterable[Any]) -> Timetable:
        """Returns the order of one interval with these exchanges."""
        steps = {name: self._step(name) for name in self.members}
        return Timetable.of(steps, [one.link for one in exchanges])

    def _check_starts(self, late: Mapping[str, float]) -> None:
        """Checks later starts. InputError, with both values: they are not between intervals."""
        for name, seconds in late.items():
            if seconds and microseconds(seconds, "start") % self.timetable.interval:
                raise InputError(
                    f"{name} starts {said(round(seconds * second))} after the first program; that"
                    f" is no whole number of {said(self.timetable.interval)}, after which all"
                    " programs stand at the same time"
                )

    @property
    def seconds(self) -> float:
        """Returns the time since the first start at which all programs stand between intervals
        [s].
        """
        return next((m.seconds for m in parts.started(self.here, self._now)), self._now)

    @property
    def date(self) -> Any:
        """Returns the date at which all programs stand between intervals."""
        lead = self.members[self.lead]
        return lead.program.clock.date(self.seconds - lead.late)

    @property
    def clock(self) -> Any:
        """Returns start and calendar of the first program that is named."""
        return self.members[self.lead].program.clock

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

    @property
    def checkpoints(self) -> list[tuple[str, int | None]]:
        """Returns how often restarts are written, and how many stay, of each request."""
        return [(str(event.every), keep) for event, keep in self._checkpoints]

    def restore(self, path: str | Path | None = None) -> Self:
        """Continues from a folder of a restart; None: the latest one of the directory."""
        self._now = self.restarts.restore(path)
        return self

    def write_restart(self, path: str | Path | None = None) -> Path:
        """Writes the whole present state of all programs into a folder; returns its path. None: a
        folder in the directory, with the date in its name.
        """
        return self.restarts.write(None, path)

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

    @in_turn
    def run(
        self, period: Any, progress: Any = True, report: bool = True, from_start: bool = False
    ) -> dict[str, Any]:
        """Runs all programs for a period; leaves a restart of all of them. Returns the summary of
        each program that steps on this rank. Arguments as those of Simulation.run.
        """
        self._check_length(Period(period, "run"), "run")
        self.place()
        if (helper := self._helper()) is not None:
            return {helper.name: helper.program.help()}
        if self.comm is None:
            return {}
        told = {"run": period, "from_start": from_start, "programs": [*self.members]}
        agreed.check_same(self.comm, told)
        line = chosen(progress)
        try:
            with agreed.staying(self.comm), ExitStack() as held:
                self._going = []
                for name in self._coming(self._now):
                    self._engage(name, held)
                self._check_times()
                self._set_end(period, from_start)
                self._record()
                with self.wishes.heard():
                    self._begin(self._going, period)
                    self._go_on(line, held, period)
                if not self._checkpointed:
                    self.restarts.write(None)
                return {m.name: m.program.end_run(report) for m in self.here if self._goes(m)}
        finally:
            getattr(line, "close", lambda: None)()

    def _helper(self) -> Member | None:
        """Returns the program that this rank serves, None where it serves none."""
        members = self.members.values()
        return next((m for m in members if m.program.comm is not None and not m.here), None)

    def _goes(self, member: Member) -> bool:
        """Returns whether a program has started in this run."""
        return member.name in self._going

    def _coming(self, now: float) -> list[str]:
        """Returns the programs whose start has come and that do not run yet, outer models first."""
        there = {m.name for m in parts.started(self.members.values(), now)}
        return [name for name in self.order if name in there and name not in self._going]

    def _engage(self, name: str, held: ExitStack) -> None:
        """Prepares a program, whose outer model is prepared, from the state of which it may
        start.
        """
        member = self.members[name]
        if (run := self.restarts.run()) is not None:
            member.program.share(run)
        own = [link for link in self.boundaries if link.taker == name]
        for link in own:
            self._open(self.exchanges.index(link))
            if link.starts_area and any(end.here for end in link.ends):
                link.hand(at_start=True)
        if member.here:
            held.enter_context(member.program.engaged())
        for link in own:
            if any(end.here for end in link.ends):
                link.hand_ground()
        self._going.append(name)

    def _set_end(self, period: Any, from_start: bool) -> None:
        """Sets the end of a run: the period counts from now, or from the start of the first program
        that is named.
        """
        lead = self.members[self.lead]
        begin = 0.0 if from_start else max(self.seconds - lead.late, 0.0)
        self.end = lead.late + lead.program.clock.after(begin, Period(period, "run"))

    def _record(self) -> None:
        """Writes the record of a run; an area's own has its outer model."""

    def _begin(self, names: Sequence[str], period: Any) -> None:
        """Begins the runs of programs, outer models first, and shows their starts."""
        own = [self.members[name] for name in names if self.members[name].here]
        for member in own:
            member.program.start_run_to(self.end - member.late, period)
        self._measure(own)
        restored = self.seconds > max(self.members[name].late for name in names)
        for n, one in enumerate(self.exchanges):
            if not ({one.giver, one.taker} & {*names}) or not {one.giver, one.taker} <= {
                *self._going
            }:
                continue
            new = self._open(n)
            if isinstance(one, Boundaries) or (one.lagged and new and not restored):
                self._hand(n, at_start=True)
        for member in own:
            member.program.show_start()

    def _measure(self, own: Sequence[Member]) -> None:
        """Begins the profile of all programs, with room for the trace that one of them wants."""
        if len(self.members) > 1:
            events = max((m.program.trace_events for m in own), default=0)
            regions.begin(self.comm, events)

    def _open(self, n: int) -> bool:
        """Prepares an exchange, once. Returns whether it was not prepared before."""
        if n in self._opened:
            return False
        one = self.exchanges[n]
        one.ends = self.members[one.giver], self.members[one.taker]
        if any(end.here for end in one.ends):
            one.open(self.comm)
        self._opened.add(n)
        return True

    def _check_times(self) -> None:
        """Checks that all stand at one time. InputError: one has a restart of another time."""
        steps = {m.name: m.seconds for m in self.here if self._goes(m)}
        if len(set(steps.values())) > 1:
            told = ", ".join(f"{name} at {value:g} s" for name, value in steps.items())
            raise InputError(f"programs stand at different times: {told}")

    def _hand_lagged(self, at: int) -> None:
        """Uses the lagged exchanges of a time at which all programs stand [us]."""
        for n, one in enumerate(self.exchanges):
            going = {one.giver, one.taker} <= {*self._going}
            if one.lagged and going and at % one.link.every == 0:
                self._hand(n)

    def _hand(self, n: int, at_start: bool = False) -> None:
        """Uses an exchange, on the ranks of its programs."""
        one = self.exchanges[n]
        if any(end.here for end in one.ends):
            with region("exchange", "coupled", "transposition"):
                one.hand(at_start)

    def _go_on(self, progress: Any, held: ExitStack, period: Any) -> None:
        """Takes intervals to the end, with restarts between them; programs join at their starts."""
        table, self.stopped, self._checkpointed = self.timetable, False, False
        lead, pace = self.members[self.lead], 1
        self._started()
        for event in self._events:
            event.schedule(lead.program.clock, self.seconds - lead.late)
        while self.seconds < self.end - 1e-6 and not self.stopped:
            later = [m.late for m in self.members.values() if not self._goes(m)]
            due = min([self.end, *later, *(e.due + lead.late for e in self._events)])
            left = max(1, round((due - self.seconds) * second / table.interval))
            began, number = time.perf_counter(), min(left, pace)
            self._advance(table, number, progress)
            longest = self._agree(time.perf_counter() - began)
            pace = max(1, int(number * 0.5 / max(longest, 1e-9)))
            if coming := self._coming(self._now):
                for name in coming:
                    self._engage(name, held)
                self._begin(coming, period)
            self._keep()

    def _advance(self, table: Timetable, number: int, progress: Any) -> None:
        """Takes so many intervals; hands over the lagged values of the next one at the end."""
        start = round(self.seconds * second)
        self._now = (start + number * table.interval) / second
        if not self.exchanges:
            for member in self.here:
                self._run_to(member, start + number * table.interval, progress)
            return
        for n in range(number):
            begin = start + n * table.interval
            for action in table.actions:
                if isinstance(action, Advance):
                    member = self.members[action.program]
                    if member.here and self._goes(member):
                        self._run_to(member, begin + action.until, progress)
                else:
                    self._hand_within(action.link, action.at)
            self._hand_lagged(begin + table.interval)

    def _hand_within(self, n: int, at: int) -> None:
        """Uses an exchange of an interval, whose programs have started; lagged ones of its begin
        were used before.
        """
        one = self.exchanges[n]
        if not (one.lagged and at == 0) and {one.giver, one.taker} <= {*self._going}:
            self._hand(n)

    def _run_to(self, member: Member, until: int, progress: Any) -> None:
        """Lets a program go on to a time [us]; the first one of this rank shows how far it is."""
        first = next((m.name for m in self.here if m.program.shows), "")
        shows = progress if member.name == first else None
        try:
            with region(member.name, "coupled"):
                member.program.run_to(until / second - member.late, shows)
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

    @property
    def _events(self) -> list[Event]:
        """Returns all that happens between intervals."""
        return [*self._watched, *(event for event, _ in self._checkpoints)]

    def _started(self) -> None:
        """Begins what counts from the start of a run: nothing here."""

    def before_restart(self) -> None:
        """Ends what must not go on across a restart: nothing here. All ranks call it."""

    def write_own(self, folder: Path) -> None:
        """Writes what is of no single program into a restart: nothing here."""

    def read_own(self, folder: Path) -> None:
        """Continues from what `write_own` has written there."""

    def _keep(self) -> None:
        """Writes a restart where one is due, and does what else is due."""
        self._checkpointed = False
        lead = self.members[self.lead]
        for event in self._watched:
            if event.due + lead.late <= self.seconds + 1e-6:
                event.action(self)
                event.schedule(lead.program.clock, self.seconds - lead.late)
        for event, keep in self._checkpoints:
            if event.due + lead.late <= self.seconds + 1e-6:
                with region("restart", "coupled", "output"):
                    self.restarts.write(keep)
                self._checkpointed = True
                event.schedule(lead.program.clock, self.seconds - lead.late)


def check_no_ensembles(programs: Mapping[str, Any]) -> None:
    """Raises InputError: a program is an ensemble."""
    for name, program in programs.items():
        if getattr(getattr(program, "members", None), "several", False):
            raise InputError(f"{name} is an ensemble, which runs under no common clock yet")


def _grid(program: Any) -> Any:
    """Returns the grid of a program."""
    return program.handed.grid
