"""Simulation: a model in time, on its ranks, with forcing, output and restarts. C++ advances to the
next event; here is decided what happens there.
"""

import os
import time as wall_clock
import weakref
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fathom import device, mpi, regions, shown
from fathom.failure import FileExists, InputError, NotPermitted, RunFailure
from fathom.grids.arguments import yes_or_no
from fathom.input.values import fill_fixed
from fathom.output.gather import Gather
from fathom.output.integrals import Integrals, is_of
from fathom.output.moorings import Moorings
from fathom.output.servers import Servers, divide, serve
from fathom.output.stores import Store
from fathom.output.streams import Delivery
from fathom.reading import Readers, every_rank, placed
from fathom.regions import region
from fathom.report.summary import finish
from fathom.run import choices, room, sanity, wishes
from fathom.run import parallel as spread
from fathom.run.checkpoint import Checkpoint, read_state
from fathom.run.forcing import Forcing
from fathom.run.lock import DirectoryLock
from fathom.run.series import Series
from fathom.run.show import date_text, describe, overview
from fathom.time.clock import Clock, Event, Period


class Simulation:
    """A model in time.

    Parameters
    ----------
    model : Ocean, or another that says of itself what docs/models.md lists.
    step : time step, "1h" or seconds.
    start : date, "2000-01-01".
    surface : what drives it from above, as BulkForcing; None: what the model takes then.
    calendar : "standard", "noleap" or "360_day".
    directory : where output, restart, summary and report go.
    overwrite : whether an earlier run in that directory may be replaced.
    parallel : how it is spread over the machine, docs/parallel.md: threads, blocks (nx, ny),
        distribution, tile, exchange, sum, synchronise, balance, carrier,
        balance_threshold; what is not
        named is what was measured before on this machine (automatic=False: the usual). Never
        changes a bit of the answer. device: "cuda" computes on a GPU.
    limits : {field: (least, most)} in place of the model's own, beyond which a start is refused and
        a run has blown up.
    beyond_stability : whether a step is allowed that is beyond the limits that `show` knows.
    configuration : TOML text of the run, kept beside its results.
    comm : the MPI ranks that compute, an mpi4py communicator; by default all, less those that serve
        output (parallel: io_servers, docs/output.md).
    """

    def __init__(
        self,
        model,
        step,
        start="2000-01-01",
        surface=None,
        calendar="standard",
        directory=".",
        overwrite=False,
        parallel=None,
        limits=None,
        beyond_stability=False,
        configuration="",
        comm=None,
    ):
        self.model = model
        self.limits = sanity.limits(model, limits or {})
        self.beyond_stability = yes_or_no("beyond_stability", beyond_stability)
        period = Period(step, "step")
        if period.months:
            raise InputError(f"step = {step!r}: a step is given in seconds, minutes or hours")
        self.step = period.seconds
        self.clock = Clock(start, calendar)
        self.surface = _surface(model, surface)
        self.directory, self.overwrite = Path(directory), overwrite
        self.parallel, self.named, self.why = (
            spread.checked(parallel or {}),
            {name for name, value in (parallel or {}).items() if value is not None},
            {},
        )
        self.roles = None if comm else divide(self.parallel)  # which ranks serve output; None: none
        self.comm = comm or (mpi.MPI.Comm.f2py(self.roles.own) if self.roles else mpi.world)
        self.serves = self.roles is not None and self.roles.server >= 0
        self.servers = self.served = None  # those at work; those of the last run
        self.configuration = configuration
        self.lock = DirectoryLock()
        self.outputs, self.checkpoints, self.events, self.series = [], [], [], Series()
        self.observing = []  # departures that are made in the run
        self.sequence: Any = None  # the program of a step
        self.domain: Any = None  # its ranks
        self.fields: Any = None  # what it is run on
        self.choices = None  # kept for this machine and case
        self.restart_from, self.restored = None, set()
        self.between: Path | None = None  # a restart between two sequences of this simulation
        self.count, self.start_steps, self.stopped = 0, 0, False
        self.wishes = wishes.Wishes()
        self.readers = self.forcing = None  # the ranks that read files; where it comes in records
        self.changed = False  # somebody has set fields since the last step
        self.end = np.inf  # of the run [s]
        self.wall_seconds, self.gathers = 0.0, {}
        self.trace_events, self.traces = (
            0,
            None,
        )  # room for a trace of the next run; that of the last, on rank 0
        self._writers: list[int] | None = None
        self.delivery = Delivery(self._seen)

    def __repr__(self):
        return f"Simulation of {date_text(self)}"

    def _repr_html_(self):
        return shown.table(repr(self), overview(self))

    # ---- what the user says before the run -------------------------------------------------------

    def output(
        self,
        path,
        variables=(),
        every="1d",
        statistic=None,
        dtype="float32",
        levels=None,
        regular=None,
        section=None,
        moorings=None,
        drifters=None,
        area=None,
        zonal=None,
        window=None,
        grid=None,
        fit=None,
        compression=None,
    ):
        """A store (.zarr, .nc, .grib2 or .fa) of fields by name, instantaneous or their "mean",
        "minimum", "maximum" or "accumulation" (of rates) over the rhythm `every`; or of integrals
        (docs/output.md). Only within the window [date, date], where there is one. In place
        of the model's own: levels of pressure [hPa] or depth [m], or {altitude = [...]} and the
        like (fathom/regrid/chosen.py); a regular grid of so many degrees, or another grid; a
        spectral fit, waves up to `fit`, of a model on a Gaussian grid; what lies in an area
        [west, east, south, north]; with zonal = True the means along rows; a section along great
        circles through [[longitude, latitude], ...]; moorings, columns at {name: [longitude,
        latitude]}; drifters, which go with the flow from {places = [[longitude, latitude, depth],
        ...]} or a region. compression: one of those of the format."""
        places = {
            "levels": levels,
            "regular": regular,
            "section": section,
            "moorings": moorings,
            "drifters": drifters,
            "area": area,
            "zonal": zonal or None,
            "grid": grid,
            "fit": fit,
        }
        self._check_name(path)
        chosen = {name: value for name, value in places.items() if value is not None}
        kind = self._kind_of_store(path, variables, chosen)
        store = kind(self._seen, path, variables, every, statistic, dtype, **chosen)
        store.span = None if window is None else self._span(path, window)
        store.compress(compression)
        if self.sequence is not None:
            store.processes(_known(self.model.processes(self.step, self.surface)), 8)  # or an error
            self._put_away()
        self.outputs.append(store)
        self.events.append(Event(every, lambda simulation: store.come(), self.step, str(path)))
        return self

    def _span(self, path, window):
        """Seconds of the two dates of a window. ValueError: none, or the later first."""
        if isinstance(window, str) or np.shape(window) != (2,):
            raise InputError(f"output {path}: window = {window!r}: allowed is [date, date]")
        dates = [self.clock.date_of(date, f"output {path}: window") for date in window]
        begin, end = map(self.clock.seconds, dates)
        if not begin <= end:
            raise InputError(f"output {path}: window = {window!r} ends before it begins")
        return begin, end

    def _check_name(self, path):
        """ValueError: output outside the directory of the run, or two of one name."""
        inside = Path(os.path.normpath(path))
        if inside.is_absolute() or inside.parts[:1] == ("..",) or "://" in str(path):
            raise InputError(
                f"output {path}: it lies outside the directory of the run; allowed: a name in it,"
                f" as {inside.name!r}"
            )
        if any(Path(os.path.normpath(store.path)) == inside for store in self.outputs):
            raise InputError(f"output {path}: there is another output of that name")

    def _kind_of_store(self, path, variables, chosen):
        """The class of a store: of integrals, or what a keyword asks for. ValueError: drifters of a
        model that has none.
        """
        if is_of(self.model, variables):
            return Integrals
        kinds = {"moorings": Moorings} | getattr(self.model, "stores", {})
        if "drifters" in chosen and "drifters" not in kinds:
            raise InputError(
                f"output {path}: drifters go with the flow of an Ocean; this is"
                f" {type(self.model).__name__}"
            )
        return next((kinds[name] for name in reversed(chosen) if name in kinds), Store)

    def checkpoint(self, every="30d", path="restart-{date}.fathom", keep=None):
        """A restart file every so often; `{date}` in its name becomes the date. keep: how many of
        them stay, the latest; None: all.
        """
        checkpoint = Checkpoint(self._seen, path, keep)
        self.checkpoints.append(checkpoint)
        self.events.append(
            Event(every, lambda simulation: simulation._keep(checkpoint), self.step, "checkpoint")
        )
        return self

    def _keep(self, checkpoint):
        for seen in self.observing:
            seen.write()
        checkpoint.write()

    def observe(self, base, every="30min", path="departures.parquet"):
        """Departures of the data of a base of observations (a path, or Observations): each is
        compared with the model at its own place and time, in slots of `every`; at the end of the
        run the base with its departures is in the file `path` (docs/observations.md).
        """
        from fathom.run.departures import Departures  # start-up time

        self._check_name(path)
        seen = Departures(self._seen, base, every, path)
        self.observing.append(seen)
        self.events.insert(0, Event(every, lambda simulation: seen.come(), self.step, str(path)))
        return self

    def call(self, function, every):
        """A callback: function(simulation) every so often."""
        self.events.append(
            Event(
                every,
                lambda simulation: (simulation.rest(), function(simulation)),
                self.step,
                getattr(function, "__name__", "callback"),
            )
        )
        return self

    def restore(self, path):
        """Start from a restart file of the same grid, on any ranks. One of the run's own directory
        goes on with the stores there; one from elsewhere begins new ones.
        """
        self.restart_from = Path(path)
        return self

    @property
    def goes_on_here(self):
        """Whether it starts from a restart of its own directory."""
        own = [self.directory, *(checkpoint.at(0.0).parent for checkpoint in self.checkpoints)]
        return self.restart_from is not None and self.restart_from.resolve().parent in [
            folder.resolve() for folder in own
        ]

    @property
    def _seen(self):
        """The simulation as what belongs to it has it: without a cycle it goes when it is left, on
        all ranks at once, as the windows of MPI in it must.
        """
        return weakref.proxy(self)

    # ---- state -----------------------------------------------------------------------------------

    @property
    def state(self):
        """The fields of now as an xarray.Dataset, to be read and set between steps; all ranks ask
        for it (fathom/run/state.py).
        """
        from fathom.run.state import State  # start-up time: loads xarray

        return State.of(self.prepare())

    @property
    def seconds(self):
        """Model time since the start [s]."""
        return self.count * self.step

    @property
    def in_restarts(self):
        """Names of fields: the state, and what the model wants to go along."""
        state = self.fields.state
        fields = getattr(self.model, "goes_along", ())
        along = [n for n in fields if n not in state and self.fields.has(n)]
        return [*state, *along]

    @property
    def bytes_of_number(self):
        """Of fields in the sequence."""
        return 8 if self.model.precision == "fp64" else 4

    @property
    def writers(self):
        """The computing ranks that write what no I/O server does; the first has rank 0's files."""
        if self._writers is None:
            how = self.parallel["writers"]
            everyone = list(range(self.comm.size))
            self._writers = everyone if how == every_rank else placed(self.comm, how)
        return self._writers

    @property
    def streams(self):
        """All that leaves the run event by event."""
        return [
            *(store for store in self.outputs if store.travels),
            *(part for checkpoint in self.checkpoints for part in checkpoint.parts),
        ]

    @property
    def date(self):
        return self.clock.date(self.seconds)

    @property
    def is_root(self):
        return self.comm.rank == 0 and not self.serves

    def prepare(self):
        """Blocks, fields, processes, initial state: everything but time. Returns the simulation."""
        if self.sequence is None and not self.serves:
            self.readers = Readers(self.comm, self.parallel["readers"])
            with self.readers:
                self._prepare()
        return self

    def _put_away(self):
        """The fields go into a file, from which the next preparation takes them: the same bits in
        another sequence.
        """
        self.on_root(lambda: self.directory.mkdir(parents=True, exist_ok=True))
        self.between = self.write_restart("between.fathom")
        self.rest()
        self.fields = self.sequence = self.domain = self.forcing = None
        self.gathers = {}

    def _take_back(self):
        """The fields are back in memory."""
        if self.between is not None:
            self.comm.barrier()
            self.on_root(self.between.unlink)
            self.between = None

    def _prepare(self):
        model = self.model
        choices.settle(self)
        mpi.core.set_threads(int(self.parallel["threads"]))
        mpi.core.synchronise(self.parallel["synchronise"])
        self._place_on_ranks()
        precision = self.bytes_of_number
        processes, self.balanced = spread.share(
            model.processes(self.step, self.surface), self.parallel
        )
        known = _known(processes)
        keep = list(model.kept)
        for store in self.outputs:
            processes += store.processes(known, precision)
            keep += store.keep
        tile, tiles = spread.columns(self.parallel["tile"])
        self.sequence = mpi.core.Sequence(
            self.domain,
            processes,
            precision,
            sorted(set(keep)),
            model.rotations,
            tile=tile,
            tiles=tiles,
            device=self.parallel["device"] is not None,
        )
        room.for_fields(self)
        self.fields = mpi.core.FieldSet(self.sequence)
        if (arrive := getattr(model, "arrive", None)) is not None:
            arrive(self)
        fill_fixed(self)
        if self.fields.has("sun"):
            self.sequence.follow_sun(
                self.step,
                self.clock.days_since_2000,
                self.step * max(p.every for p in processes),
                model.fixed_season,
            )
        self.sequence.prepare(self.fields)
        for checkpoint in self.checkpoints:
            checkpoint.prepare(self.in_restarts)
        self.forcing = Forcing.of(self.surface, model, self.readers)
        begin = self.between or self.restart_from
        kept = read_state(self, begin) if begin else self._start()
        for store in self.outputs:
            store.begin(kept.get(str(store.path)))
        self._take_back()
        if (name := self.parallel["device"]) is not None:
            self.fields.live_on(device.open(name, self.comm))
        self.tidy()

    def _place_on_ranks(self):
        """Blocks of the grid, the ranks that have them, and what they weigh."""
        grid = self.model.grid
        self.domain = self.domain_of(grid, self.model.halo)
        self.domain.weigh(
            *(np.ascontiguousarray(a, float) for a in grid.areas),
            list(map(float, grid.levels.weights)),
        )

    def domain_of(self, grid, halo):
        """A grid's blocks on the ranks that compute."""
        wet, h = np.ascontiguousarray(grid.wet_levels, np.int32), grid.horizontal
        blocks, distribution = self.parallel["blocks"] or (0, 0), self.parallel["distribution"]
        if self.parallel["device"] is not None and self.comm.size == 1 and not any(blocks):
            blocks = (h.nx, h.ny)  # a launch has all its columns
        if distribution == "auto" and not any(blocks):
            distribution = grid.distribution(self.comm.size)
        return mpi.core.Domain(
            self.comm.py2f(),
            h.nx,
            h.ny,
            h.periodic,
            h.fold,
            grid.levels.number,
            wet.ravel().tolist(),
            halo,
            int(blocks[0]),
            int(blocks[1]),
            distribution,
            self.parallel["exchange"],
            self.parallel["sum"],
        )

    def _start(self):
        """The initial state; what a restart would have kept of stores: nothing."""
        if not self.model.initialise(self):
            self.sequence.start(self.fields)
        self.changed = False
        if (settle := getattr(self.model, "settle", None)) is not None:
            settle(self)
        return {}

    def find(self, kind):
        """The global process of that type, as core.BarotropicSolve; None where there is none."""
        return next((p for p in self.sequence.globals if isinstance(p, kind)), None)

    def other(self, model, step):
        """Another model on these ranks and from this state, with a step of its own [s]: a sequence
        and a field set more.
        """
        sequence = mpi.core.Sequence(
            self.domain,
            model.processes(step, self.surface),
            self.bytes_of_number,
            rotate=model.rotations,
        )
        fields = mpi.core.FieldSet(sequence)
        sequence.prepare(fields)
        fields.copy(self.fields)
        return Other(model, sequence, fields)

    def tidy(self):
        """Gives back what was needed only to fill the sequence."""
        self.model.grid.release()
        mpi.core.release_memory()

    def gather(self, name):
        """The field on the global grid, (levels, ny, nx), on rank 0; None elsewhere."""
        return next(self.gathered([name]))[1]

    def gathered(self, fields):
        """(name, array on the global grid on rank 0, None elsewhere), one after another: only one
        is in memory at a time.
        """
        for name in fields:
            yield name, self.assemble(self.fields.windows(name))

    def assemble(self, windows):
        """The global grid, (levels, ny, nx), from the windows of this rank's blocks, on rank 0;
        None elsewhere.
        """
        if "whole" not in self.gathers:
            ny, nx = np.shape(self.model.grid.wet_levels)
            self.gathers["whole"] = Gather(self.comm, self.domain, [(0, ny, 0, nx)], [0])
        return self.gathers["whole"](windows).get(0)

    def write_restart(self, path):
        """The whole state in one file, now, by the ranks that compute; returns its path."""
        self.settle()
        return Checkpoint(self._seen, path).prepare(self.in_restarts).write_here()

    def settle(self):
        """Waits until all that was written is at its place, and visible."""
        if self.servers is not None:
            self.servers.drain()
        self.delivery.settle(wait=True)

    def on_root(self, action):
        """Do it on rank 0; an error there is raised everywhere, so that no rank waits for
        another.
        """
        error = None
        if self.is_root:
            try:
                action()
            except (OSError, ValueError) as e:
                error = e
        with region("root's word", kind="sum", comm=self.comm):
            error = self.comm.bcast(error)
        if error is not None:
            raise error

    # ---- time ------------------------------------------------------------------------------------

    def advance(self, steps):
        """That many steps, without events; forcing and time weights are kept right."""
        self._advance(steps)
        self.rest()

    def rest(self):
        """Nothing is read ahead while the user's own code runs."""
        if self.forcing:
            self.forcing.records.rest()

    def _advance(self, steps):
        self.prepare()
        end = self.count + steps
        while self.count < end:
            piece = end - self.count
            if self.forcing:
                with region("forcing", "input", "input"):
                    piece = min(piece, self.forcing.load(self))
            piece = 1 if self.count == 0 else piece
            # another simulation in this process may have its own
            mpi.core.set_threads(int(self.parallel["threads"]))
            if self.changed:
                self.sequence.changed(self.fields)
                self.changed = False
            try:
                march(self.model, self.sequence, self.fields, piece)
            except RunFailure:
                raise
            except (
                RuntimeError,
                ValueError,
            ) as error:  # a solver was given something that is not a number, or does not converge
                self.count = self.fields.count
                sanity.blow_up(self, str(error))
            self.count += piece

    def request_stop(self, *_):
        """End after the current piece of steps, with a restart."""
        self.wishes.ask(wishes.stop)

    def request_restart(self, *_):
        """Write restart-now.fathom after the current piece of steps, and go on."""
        self.wishes.ask(wishes.restart)

    def run(self, period, progress=None, report=True, from_start=False):
        """Integrate for a period, with all events; leaves restart, summary and report in the
        directory. Returns the summary. from_start: the period counts from the start of the
        simulation, of which a restart may have done a part."""
        if self.serves:
            return serve(self)
        sanity.check_step(self)
        try:
            self._begin()
            return self._run(period, progress, report, from_start)
        finally:
            self.lock.release()

    def _run(self, period, progress, report, from_start):
        events = self._schedule(period, from_start)
        self.sequence.reset_timings()
        regions.begin(self.comm, self.trace_events)
        self.stopped = False
        self.marked: dict = {}  # steps after which something happened, by its name
        self.start_steps, self.began = self.count, wall_clock.perf_counter()
        try:
            with self.wishes.heard():
                self._show_start()
                self._go_on(events, progress)
            with region("delivery", "output", "output"):
                self.settle()
            self.wall_seconds = wall_clock.perf_counter() - self.began
        except RunFailure as failure:  # on all computing ranks
            if self.servers is not None:
                self.servers.finish(failed=True)
                failure.left = bool(self.servers.lost)
            self.delivery.close()
            raise
        self._close()
        return finish(self, report)

    def _schedule(self, period, from_start):
        """The end of the run, and its events with the times at which they are due."""
        self.end = self.clock.after(0.0 if from_start else self.seconds, Period(period, "run"))
        if self.forcing:
            self.forcing.check(self.clock, self.seconds, self.end)
        rhythm = sanity.rhythm(self.step, self.end - self.seconds)
        events = [*self.events, Event(rhythm, lambda s: s.watch(), self.step, "watch")]
        for event in events:
            event.schedule(self.clock, self.seconds)
        return events

    def _show_start(self):
        """What watch and output know before the first step."""
        with region("watch", "output", "output"):
            if self.count == 0:
                sanity.check_start(self)
            sanity.watch(self, keep=self.count == 0)
        if self.count == 0:
            for store in self.outputs:
                if store.within():
                    with region(str(store.path), "output", "output"):
                        store.write_start()

    def _go_on(self, events, progress):
        """Pieces of steps to the end, with what is due between them. They are of about half a
        second, so that progress and Ctrl-C are alive; all ranks agree on their length and on the
        end.
        """
        shown, pace = self.began, 1
        while self.seconds < self.end - 1e-6 and not self.stopped:
            due = min(self.end, *(e.due for e in events))
            piece = min(max(1, round((due - self.seconds) / self.step)), pace)
            before = wall_clock.perf_counter()
            self._advance(piece)
            now = wall_clock.perf_counter()
            longest, stop, restart = self._agree(now - before)
            over = self.seconds >= self.end - 1e-6
            self.stopped = stop and not over
            pace = max(1, int(piece * 0.5 / max(longest, 1e-9)))
            self._let_happen(events)
            if restart and not self.stopped:
                with region("restart", "output", "output"):
                    self.write_restart("restart-now.fathom")
            self.wall_seconds = wall_clock.perf_counter() - self.began
            if progress is not None and self.is_root and (now - shown > 0.5 or over):
                shown = now
                with region("progress", "output"):
                    start = self.start_steps * self.step
                    progress(self, (self.seconds - start) / (self.end - start))

    def _let_happen(self, events):
        """Events that are due now, and the delivery of what has been written."""
        for event in events:
            if event.due <= self.seconds + 1e-6:
                if (step := self.count - self.start_steps) < regions.steps_kept():
                    self.marked.setdefault(event.label, []).append(step)
                with region(event.label, "output", "output"):
                    event.action(self)
                event.schedule(self.clock, self.seconds)
        with region("delivery", "output", "output"):
            self.delivery.settle()
            if self.servers is not None:
                self.servers.watch()

    def _close(self):
        """Profile, last words of the servers, restart."""
        self.profile, self.traces = (
            regions.gathered(self.comm),
            regions.traced(self.comm) if self.trace_events else None,
        )
        if self.servers is not None:
            self.servers.finish()
            self.served, self.servers = self.servers, None
        for stream in self.streams:
            stream.leave()
        for seen in self.observing:
            seen.write()
        self.comm.barrier()
        if self.is_root:
            wishes.forget(self.directory)
        self.rest()
        self.write_restart("restart.fathom")
        self.delivery.close()
        choices.learn(self)

    def _agree(self, seconds):
        """The longest of all ranks, and whether any of them wishes the end, or a restart; meetings
        are settled where there are many.
        """
        if self.is_root:
            self.wishes.look(self.directory)
        asked = [self.wishes.take(wish) for wish in (wishes.stop, wishes.restart)]
        mine = np.array([seconds, mpi.core.meetings_full(), *asked], float)
        with region("agreement", "run", "sum", self.comm):
            self.comm.Allreduce(mpi.MPI.IN_PLACE, mine, mpi.MPI.MAX)
        if mine[1]:
            with region("profile", "run"):
                mpi.core.settle_meetings()
        return float(mine[0]), bool(mine[2]), bool(mine[3])

    def _begin(self):
        """Everything that comes before the first step; servers hear of it, or of why it could not
        be.
        """
        try:
            self._make_directory(anew=self.sequence is None and self.between is None)
            self.prepare()
            self.delivery.open()
            for store in [*self.outputs, *self.observing]:
                store.open()
        except (OSError, ValueError, RunFailure) as error:
            if self.roles:
                Servers.refuse(error)
            raise
        if self.roles:
            self.servers = Servers(self._seen)

    def _make_directory(self, anew):
        """Where the run leaves what it makes, locked; anew: its first stretch."""

        def make():
            if (
                anew
                and (self.directory / "summary.json").exists()
                and not self.overwrite
                and not self.goes_on_here
            ):
                raise FileExists(
                    f"{self.directory} holds a finished run; choose another directory, or allow it"
                    " to be replaced (overwrite=True, --overwrite)"
                )
            self.directory.mkdir(parents=True, exist_ok=True)
            if not os.access(self.directory, os.W_OK):
                raise NotPermitted(f"{self.directory} cannot be written")
            self.lock.take(self.directory)
            wishes.forget(self.directory)
            if anew and self.configuration:
                (self.directory / "resolved.toml").write_text(self.configuration)

        self.on_root(make)

    def watch(self):
        """Now and then: is everything finite and sane, and the numbers of the time series. Raises
        Unstable with field, place, level and step.
        """
        sanity.watch(self)

    # ---- what the run was ------------------------------------------------------------------------

    def checksum(self):
        """16 hexadecimal digits of the bits of the state; the same on any ranks, blocks and
        threads.
        """
        return f"{self.fields.checksum(self.model.prognostic):016x}"

    def describe(self):
        """(title, [(label, text or list)]) for `show`."""
        return describe(self)


def _known(processes):
    """All fields that processes declare, by name."""
    return {f["name"]: f for p in processes for f in p.fields}


def _surface(model, given):
    """What drives a model from above; None: what it takes then."""
    if isinstance(given, (bool, int, float, str, list, tuple, dict)):
        raise InputError(f"surface = {given!r} must be what drives a model, as BulkForcing()")
    return given or (model.usual_surface and model.usual_surface())


class Other(NamedTuple):
    """A model on the ranks of a simulation."""

    model: object
    sequence: object
    fields: object

    def advance(self, steps):
        for _ in range(steps):
            march(self.model, self.sequence, self.fields, 1)


def march(model, sequence, fields, steps):
    """Steps of a model on a field set; the first of a run has weights of its own."""
    for name, values in model.profiles_of_step(fields.count == 0).items():
        if fields.has(name):
            fields.set_profile(name, values)
    sequence.advance(fields, steps)
