"""A run: groups of steps, and events between them. C++ advances to the next event; this module
handles the event.
"""

from __future__ import annotations

import logging
import os
import time as wall_clock
import tomllib
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import mpi, regions, writing
from fathom.base.clock import Duration, Event, Period
from fathom.base.failure import (
    ExistingFileError,
    InputError,
    NotPermittedError,
    RunError,
    file_error,
)
from fathom.base.regions import region
from fathom.output.servers import Servers, serve
from fathom.plots.report.summary import finish
from fathom.run import agreed, choices, first_record, identity, live, sanity, wishes
from fathom.run.experiment.stretch import earlier, stretch_of
from fathom.run.held import Held
from fathom.run.lock import moved
from fathom.run.progress import chosen
from fathom.run.show import Summary, headline

if TYPE_CHECKING:
    from fathom.model.model import Model
    from fathom.output.stores import Store
    from fathom.run.simulation import Simulation

most = 2**31 - 1  # steps of one call, as the core counts them
log = logging.getLogger("fathom")


class Events(Held):
    """The part of a Simulation that runs."""

    def advance(self, steps: int) -> None:
        """Takes that many steps, without events; forcing and time weights are kept right.
        InputError: steps is no whole number, or not from 0 to 2147483647.
        """
        if isinstance(steps, bool) or not isinstance(steps, Integral) or not 0 <= steps <= most:
            raise InputError(f"steps = {steps!r} must be a whole number from 0 to {most}")
        self.apart.check_no_advance()
        self.prepare()
        for _ in self.members.each():
            self._advance(steps)
        self.rest()

    def rest(self) -> None:
        """Stops reading ahead while the user's own code runs."""
        if self.forcing:
            self.forcing.records.rest()

    def _advance(self, steps: int) -> None:
        self.prepare()
        end = self.count + steps
        while self.count < end:
            piece = end - self.count
            if self.forcing:
                with region("forcing", "input", "input"):
                    piece = min(piece, self.forcing.load(self._simulation))
            first = self.count in (0, self.anew)
            piece = 1 if first else piece
            # another simulation in this process may have its own
            mpi.core.set_threads(int(self.parallel["threads"]))
            if self.changed:
                self.sequence.changed(self.fields)
                self.changed = False
            try:
                march(self.model, self.sequence, self.fields, piece, first)
            except RunError:
                raise
            except (
                RuntimeError,
                ValueError,
            ) as error:  # a solver was given something that is not a number, or does not converge
                self.count = self.fields.count
                sanity.blow_up(self._simulation, str(error))
            self.count += piece

    def request_stop(self, *_: Any) -> None:
        """Asks for the end after the current piece of steps, with a restart."""
        self.wishes.ask(wishes.stop)

    def request_restart(self, *_: Any) -> None:
        """Asks for restart-now.fathom after the current piece of steps."""
        self.wishes.ask(wishes.restart)

    def run(
        self,
        period: Duration,
        progress: bool | Callable[[Simulation, float], object] | None = True,
        report: bool = True,
        from_start: bool = False,
    ) -> Any:
        """Integrates for a period, with all events; leaves restart, summary and report in the
        directory. Returns the summary. progress: True: a line, or a bar in a notebook; False: none;
        or a function of the simulation and the fraction that is done. from_start: the period counts
        from the start of the simulation, of which a restart may have done a part.
        """
        if self.together is not None:
            found = self.together.run(period, progress, report, from_start)
            return found.get(self.together.lead) or next(iter(found.values()), {})
        for one in self.model.companions:
            one.check()
        self.check_idle("run")
        if self.serves:
            return self.help()
        sanity.check_period(Period(period, "run"), self.time_step)
        shown = chosen(progress)
        agreed.check_same(self.everyone, self._told(period, from_start))
        try:
            with agreed.staying(self.everyone), self.engaged():
                with self.wishes.heard():
                    self.start_run(period, from_start)
                    self.show_start()
                    self.run_to(self.end, shown)
                return self.end_run(report)
        finally:
            getattr(shown, "close", lambda: None)()

    def _told(self, period: Duration, from_start: bool) -> dict[str, Any]:
        """Returns what all ranks must be told alike for a run."""
        return {
            "run": Period(period, "run"),
            "from_start": from_start,
            "time_step": self.time_step,
            "start": self.clock.start,
            "model": type(self.model).__name__,
            "grid": repr(self.model.grid),
            "events": [f"{Path(e.label).name} every {e.every}" for e in self.events],
        }

    def help(self) -> Any:
        """Returns what a rank gives back that helps this simulation in a run."""
        if self.comm is None:
            return {}
        return self.apart.help() if self.apart.helps else serve(self._simulation)

    # ---- the parts of a run: other programs may run between them ---------------------------------

    @contextmanager
    def engaged(self) -> Iterator[None]:
        """Holds the directory, the files and the helping ranks of a run from its begin to its end.
        InputError: a step beyond the limits of stability.
        """
        sanity.check_step(self._simulation)
        try:
            with self.apart.engaged(self.begin):
                yield
        finally:
            self.agenda = None
            self.lock.release()
            if self.forcing:
                self.forcing.close()

    def start_run(self, period: Duration, from_start: bool = False) -> None:
        """Sets the end of a run, and the times at which its events are due."""
        begin = 0.0 if from_start else self.seconds
        self.start_run_to(self.clock.after(begin, Period(period, "run")), period)

    def start_run_to(self, end: float, period: Any) -> None:
        """Begins a run to that time [s]; period: in whose words its record tells of it."""
        self.end = end
        if self.alone:
            sanity.warn_of_end(self._simulation, str(period))
        self.agenda = self._schedule()
        self._record(period)
        self._log(
            "%s to %s in %s, on %d ranks",
            str(self),
            self.clock.date(self.end),
            self.directory,
            self.everyone.size,
        )
        self.sequence.reset_timings()
        regions.begin(self.everyone, self.trace_events)
        self.stopped = False
        self.marked: dict[str, list[int]] = {}  # steps after which something happened, by its name
        self.start_steps, self.began = self.count, wall_clock.perf_counter()
        self.shown, self.pace = self.began, 1
        self.wall_seconds = 0.0

    @property
    def elapsed_seconds(self) -> float:
        """Returns wall clock since the run began [s], with that of programs which run with it."""
        return wall_clock.perf_counter() - self.began

    @contextmanager
    def _own_time(self) -> Iterator[None]:
        """Counts the time of its body; between two of them other programs run."""
        now = wall_clock.perf_counter()
        self.entered = self.began if self.alone else now - self.wall_seconds
        try:
            yield
        finally:
            self._count()

    def _count(self) -> None:
        """Sets the wall clock of the run so far, without that of programs which run with it."""
        self.wall_seconds = wall_clock.perf_counter() - self.entered

    @contextmanager
    def _failing_in_order(self) -> Iterator[None]:
        """Ends servers and threads before the computing ranks, where the run fails on all of
        these.
        """
        try:
            yield
        except (RunError, InputError) as failure:
            if self.servers is not None:
                self.servers.finish(failed=True)
                if isinstance(failure, RunError):
                    failure.left = bool(self.servers.lost)
            self.delivery.close()
            raise

    def end_run(self, report: bool = True) -> Any:
        """Waits for all output; writes restart, summary and report. Returns the summary."""
        delivery = region("delivery", "output", "output")
        with self._failing_in_order(), self._own_time(), delivery:
            self.settle()
        self._close()
        self._log("%d steps in %.3g s", self.count - self.start_steps, self.wall_seconds)
        summary = finish(self, report)
        return Summary(summary, headline(self, summary))

    def _log(self, text: str, *values: object) -> None:
        """Writes to the log, for those who have asked for it: logging.basicConfig(level="INFO")."""
        if self.is_root:
            log.info(text, *values)

    def _schedule(self) -> list[Any]:
        """Returns the events of the run to its end, with the times at which they are due."""
        if self.forcing:
            self.forcing.check(self.clock, self.seconds, self.end)
        rhythm = sanity.rhythm(self.time_step, self.end - self.seconds)
        events = [*self.events, Event(rhythm, lambda s: s.watch(), self.time_step, "watch")]
        events.sort(key=lambda event: event.label == "checkpoint")  # after what they are to have
        for event in events:
            event.schedule(self.clock, self.seconds)
        dues = {event.label: event.due for event in events}
        for store in self.outputs:
            self._check_window(store)
            self._check_rhythm(store, dues[str(store.path)])
        return events

    def _check_window(self, store: Store) -> None:
        """Warns of an output that this run never writes."""
        if not self.is_root or (span := store.span) is None:
            return
        begin, end = span
        if end < self.seconds - 1e-6 or begin > self.end + 1e-6:
            window, run = (
                " to ".join(str(self.clock.date(time)) for time in times)
                for times in (span, (self.seconds, self.end))
            )
            warnings.warn(
                f"output {store.path}: its window, {window}, lies outside the run, {run}; nothing"
                " will be written to it",
                stacklevel=2,
            )

    def _check_rhythm(self, store: Store, due: float) -> None:
        """Warns of a new output whose first time comes after the end of the run."""
        at_start = self.count == 0 and not store.statistic
        if self.is_root and due > self.end + 1e-6 and not (at_start or self.goes_on_here):
            what = store.statistic or "time"
            warnings.warn(
                f"output {store.path}: its first {what} is complete at {self.clock.date(due)}, the"
                f" run ends at {self.clock.date(self.end)}; nothing will be written to it",
                stacklevel=2,
            )

    def show_start(self) -> None:
        """Shows watch and output the state before the first step."""
        with self._failing_in_order():
            for _ in self.members.each():
                self._show_start()

    def _show_start(self) -> None:
        with region("watch", "output", "output"):
            if self.count == 0:
                sanity.check_start(self._simulation)
                sanity.warn_of_doubts(self._simulation)
                first_record.compute(self._simulation)
            sanity.watch(self._simulation, keep=self.count == 0)
        for store in self.outputs if self.count == 0 else ():
            if store.within():
                with region(str(store.path), "output", "output"):
                    store.write_start()

    def run_to(
        self, seconds: float, progress: Callable[[Simulation, float], object] | None = None
    ) -> None:
        """Takes groups of steps to that time [s], with the events until then. A group takes about
        half a second, so that progress and Ctrl-C respond; all ranks agree on its length and on the
        end.
        """
        with self._failing_in_order(), self._own_time():
            while self.seconds < seconds - 1e-6 and not self.stopped:
                self._take_group(seconds, progress)

    def _take_group(
        self, until: float, progress: Callable[[Simulation, float], object] | None
    ) -> None:
        """Takes a group of steps, and lets happen what is due after it."""
        agenda = self.agenda or []
        due = min([until, *(e.due for e in agenda)])
        piece = min(max(1, round((due - self.seconds) / self.time_step)), self.pace)
        spent, restart, over = 0.0, False, False
        for _ in self.members.each():
            before = wall_clock.perf_counter()
            self._advance(piece)
            now = wall_clock.perf_counter()
            spent += now - before
            if self.members.is_last:
                longest, stop, restart = self._agree(spent)
                over = self.seconds >= self.end - 1e-6
                self.stopped = stop and not over
                self.pace = max(self.members.least_steps, int(piece * 0.5 / max(longest, 1e-9)))
            self._let_happen(agenda)
        if restart and not self.stopped:
            with region("restart", "output", "output"):
                self.write_restart("restart-now.fathom")
        self._count()
        if self.is_root and (now - self.shown > 0.5 or over):
            self.shown = now
            with region("progress", "output"):
                start = self.start_steps * self.time_step
                done = (self.seconds - start) / (self.end - start)
                live.tell(self._simulation, done)
                if progress is not None:
                    progress(self._simulation, done)

    def _let_happen(self, events: Iterable[Event]) -> None:
        """Lets those events happen that are due now, and the delivery of what has been written; to
        each member of an ensemble, a restart once.
        """
        last = self.members.is_last
        for event in events:
            if event.due <= self.seconds + 1e-6 and (last or event.label != "checkpoint"):
                if last and (step := self.count - self.start_steps) < regions.steps_kept():
                    self.marked.setdefault(event.label, []).append(step)
                with region(event.label, "output", "output"):
                    event.action(self)
                if last and event.label != "watch":
                    self._log("%s at %s", event.label, self.clock.date(self.seconds))
                if last:
                    event.schedule(self.clock, self.seconds)
        with region("delivery", "output", "output"):
            self.delivery.settle()
            if self.servers is not None:
                self.servers.watch()

    def _close(self) -> None:
        """Ends with the profile, the last messages of the servers, the restart."""
        self.profile, self.traces = (
            regions.gathered(self.everyone),
            regions.traced(self.everyone) if self.trace_events else None,
        )
        of_helpers = self.apart.end(traced=self.traces is not None or bool(self.trace_events))
        if self.traces is not None:
            self.traces += of_helpers
        if self.servers is not None:
            self.servers.finish()
            self.served, self.servers = self.servers, None
        for stream in (*self.streams, *(one for one in self.outputs if not one.travels)):
            stream.leave()
        self.write_departures()
        self.everyone.barrier()  # all outputs are complete
        if self.is_root:
            wishes.forget(self.directory)
            live.forget(self.directory)
        self.rest()
        if self.alone:
            self.write_restart("restart.fathom")
            self._log("%s written", self.directory / "restart.fathom")
        self.delivery.close()
        choices.learn(self._simulation)

    def _agree(self, seconds: float) -> tuple[float, bool, bool]:
        """Returns the longest of all ranks, and whether any of them asks for the end, or a restart;
        next to other programs nobody does: what holds them looks for that.
        """
        if self.is_root and self.alone:
            self.wishes.look(self.directory)
        wanted = (wishes.stop, wishes.restart)
        asked = [self.alone and self.wishes.take(wish) for wish in wanted]
        gone = self.is_root and self.lock.has_moved(self.directory)
        mine = np.array([seconds, mpi.core.meetings_full(), *asked, gone], float)
        with region("agreement", "run", "sum", self.everyone):
            self.everyone.Allreduce(mpi.MPI.IN_PLACE, mine, mpi.MPI.MAX)
        if mine[4]:
            raise RunError(moved(self.directory))
        if mine[1]:
            with region("profile", "run"):
                mpi.core.settle_meetings()
        return float(mine[0]), bool(mine[2]), bool(mine[3])

    def begin(self) -> None:
        """Prepares everything before the first step; servers get a message, or the error."""
        try:
            self._make_directory(anew=self.identity is None or self.begun_in != self.directory)
            self.prepare()
            self.on_root(lambda: identity.claim(self._simulation))
            self.delivery.open()
            for store in self.outputs:
                store.open()
            for _ in self.members.each():
                for store in self.outputs:
                    store.resume()
            for seen in self.observing:
                seen.open()
        except (OSError, ValueError, RunError) as error:
            if self.roles:
                Servers.refuse(self._simulation, error)
            raise
        if self.roles:
            self.servers = Servers(self._seen)

    def _make_directory(self, anew: bool) -> None:
        """Makes the directory of the results of the run, locked; anew: its first stretch."""

        def make() -> None:
            if self.directory.is_file():
                raise ExistingFileError(f"{self.directory} is a file; a run needs a folder")
            try:
                self.directory.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                text = f"{self.directory} cannot be made: {error.strerror}"
                raise file_error(error, text) from None
            if not os.access(self.directory, os.W_OK):
                raise NotPermittedError(f"{self.directory} cannot be written")
            self.lock.take(self.directory)
            if anew:
                self.identity, self.goes_on_here = identity.settled(self._simulation)
            wishes.forget(self.directory)
            if anew:
                self.stretch.earlier = earlier(self.directory) if self.goes_on_here else {}
                self._write_record()

        self.on_root(make)
        told = self.everyone.bcast((self.identity, self.goes_on_here))
        self.identity, self.goes_on_here = told
        self.begun_in = self.directory

    def _write_record(self) -> None:
        writing.replace(self.directory / "resolved.toml", self.experiment)

    def _record(self, period: Duration) -> None:
        """Writes the record of the run to its end."""

        def make() -> None:
            self.stretch = stretch_of(self, period, tomllib.loads(self.experiment))
            self._write_record()

        self.on_root(make)

    def watch(self) -> None:
        """Checks now and then that everything is finite and sane, and notes the numbers of the time
        series. Raises UnstableError with field, place, level and step.
        """
        sanity.watch(self._simulation)


def march(model: Model, sequence: Any, fields: Any, steps: int, first: bool) -> None:
    """Takes steps of a model on a field set; first: no step before is known, and the weights are
    others.
    """
    for name, values in model.profiles_of_step(first).items():
        if fields.has(name):
            fields.set_profile(name, values)
    sequence.advance(fields, steps)
