"""Simulation: a model in time, on its ranks, with forcing, output and restarts. C++ advances to the
next event; this module handles the event.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from fathom.base import mpi, places, shown
from fathom.base.clock import Clock, Duration, Period
from fathom.base.failure import InputError
from fathom.base.ranks import Division, divide, no_part
from fathom.base.reading import Readers, every_rank, placed
from fathom.base.regions import region
from fathom.data.input.values import fill_fixed, fill_profiles
from fathom.grids.arguments import integer, yes_or_no
from fathom.model import device, parts
from fathom.model.model import Model
from fathom.output import servers
from fathom.output.formats.restart import check_there
from fathom.output.gather import Gather
from fathom.output.streams import Delivery
from fathom.run import apart, choices, first_record, room, sanity, wishes
from fathom.run import parallel as spread
from fathom.run.checkpoint import Checkpoint, read_state
from fathom.run.events import Events, march
from fathom.run.experiment.stretch import Stretch
from fathom.run.experiment.written import written
from fathom.run.forcing import Forcing
from fathom.run.handed import Handed
from fathom.run.lock import DirectoryLock
from fathom.run.members import nest
from fathom.run.requests import Requests, declared
from fathom.run.series import Series
from fathom.run.show import date_text, describe, overview
from fathom.run.together import Together

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from fathom.grids.grid import Grid
    from fathom.model.component import Component
    from fathom.output.streams import Stream
    from fathom.run.state import State


class Simulation(Requests, Events):
    """A model in time.

    Parameters
    ----------
    model : Ocean, or another model with the attributes of docs/models.md.
    time_step : "1h", or a number [s].
    start : date, default "2000-01-01".
    surface : the forcing at its surface, as BulkForcing, its class or its name; None (default): the
        model's usual one.
    calendar : "standard" (default), "noleap" or "360_day".
    directory : where output, restart, summary and report go, default "." (here).
    overwrite : bool, default False. Whether an earlier run in that directory may be replaced.
    parallel : dict. How it is distributed over the machine, docs/parallel.md: threads, blocks (nx,
        ny), distribution, tile, exchange, sum, synchronise, balance, carrier, balance_threshold;
        others have the values measured before on this machine (automatic=False: the usual ones).
        They never change a bit of the answer. device: "cuda" computes on a GPU; an ocean then has
        another solver of its free surface where none is named (docs/device.md).
    limits : {field: (least, most)}, in the units of the field, instead of the model's. A start
        beyond them is refused; a run beyond them is unstable.
    beyond_stability : bool, default False. Whether a step beyond the limits of `show` is allowed.
    configuration : TOML text with the [constants] and [extensions] of the file that it is made
        from, which its record keeps (resolved.toml); default "".
    comm : the MPI ranks that compute, an mpi4py communicator; None (default): all, less those that
        serve output (parallel: io_servers, docs/output.md).
    """

    recorded = ("output", "checkpoint", "observe", "call")
    assignable: ClassVar[Mapping[str, Callable[[Any], Any]]] = {
        "directory": Path,
        "overwrite": lambda given: yes_or_no("overwrite", given),
        "told": lambda given: given,
        "beyond_stability": lambda given: yes_or_no("beyond_stability", given),
        "changed": bool,
        "trace_events": lambda given: integer("trace_events", given),
    }
    instead: ClassVar[Mapping[str, str]] = {
        "state": "set its fields, as in simulation.state['temperature'] = 10.0",
        **dict.fromkeys(
            ("model", "surface", "time_step", "clock", "limits", "parallel", "comm"),
            "make another simulation; its restore() starts it from the restart of this one",
        ),
    }

    def __init__(
        self,
        model: Model,
        time_step: Duration,
        start: str = "2000-01-01",
        surface: Component | type[Component] | str | None = None,
        calendar: str = "standard",
        directory: str | Path = ".",
        overwrite: bool = False,
        parallel: dict[str, Any] | None = None,
        limits: Mapping[str, Sequence[float]] | None = None,
        beyond_stability: bool = False,
        configuration: str = "",
        comm: mpi.MPI.Comm | None = None,
    ) -> None:
        self.model = _model(model)
        self.limits = sanity.limits(model, limits or {})
        self.beyond_stability = yes_or_no("beyond_stability", beyond_stability)
        period = Period(time_step, "time_step")
        if period.months:
            raise InputError(f"time_step = {time_step!r}: seconds, minutes or hours")
        self.time_step = period.seconds
        self.clock = Clock(start, calendar)
        self.surface = _surface(model, surface)
        self.directory, self.overwrite = Path(directory), overwrite
        self.parallel, self.named, self.why = (
            spread.checked(parallel or {}),
            {name for name, value in (parallel or {}).items() if value is not None},
            dict[str, str](),
        )
        self.division: Division = no_part
        self.place = device.place(self.parallel["device"], comm)
        self.take_ranks(divide(comm or mpi.world, {} if comm else self.asks_for(mpi.world)))
        self.servers = self.served = None  # those at work; those of the last run
        self.configuration = configuration
        self.lock = DirectoryLock()
        self.outputs, self.checkpoints, self.events, self.series = [], [], [], Series()
        self.observing = []  # departures that are made in the run
        self.handed = Handed(self)  # fields from and to other programs
        self.alone = True  # no other program runs under the same clock
        self.together: Together | None = None  # programs that run with it, of which it is the first
        self.sequence: Any = None  # the program of a step
        self.domain: Any = None  # its ranks
        self.fields: Any = None  # its fields
        self.choices = None  # kept for this machine and case
        self.restart_from: Path | None = None
        self.restored: set[str] = set()
        self.between: Path | None = None  # a restart between two sequences of this simulation
        self.count, self.start_steps, self.stopped = 0, 0, False
        self.first_count = 0  # steps before those of this simulation: in the restart
        self.stretch = Stretch()  # what its record says of time
        self.set_between: dict[str, str] = {}  # fields that Python has set between steps, and when
        self.source = ""  # the file that it was read from
        self.told: Callable[[str], None] | None = None  # of the memory, before it is taken
        self.longest = 1  # longest call interval of any process, in steps
        self.at_start: frozenset[str] = frozenset()  # data of steps for the first record
        self.wishes = wishes.Wishes()
        self.readers: Any = None  # the ranks that read files
        self.forcing: Any = None  # where it comes in records
        self.agenda: list[Any] | None = None  # events of the present run
        self.changed = False  # fields have been set since the last step
        self.end = np.inf  # of the run [s]
        self.wall_seconds = 0.0
        self.gathers: dict[Any, Gather] = {}
        self.trace_events, self.traces = (
            0,
            None,
        )  # room for a trace of the next run; that of the last, on rank 0
        self._writers: list[int] | None = None
        self._order: list[int] | None = None
        self.delivery = Delivery(self._seen)
        if model.extra_processes:
            model.processes(self.time_step, self.surface)  # an error if its place is unknown
        self._join_outer(comm)

    def _join_outer(self, comm: Any) -> None:
        """Puts a model and the outer models that it holds under one clock; comm: of all ranks."""
        if self.model.companions and all(
            one.simulation is not None for one in self.model.companions
        ):
            self.together = Together({nest: self._seen}, comm=comm)
            self.together.wishes = self.wishes

    shows = True  # it has a line of progress
    _changes = (0, 0)  # of the model when it was prepared

    def __repr__(self) -> str:
        return f"Simulation of {date_text(self)}"

    def _repr_html_(self) -> str:
        return shown.table(repr(self), overview(self))

    # ---- what it starts from ---------------------------------------------------------------------

    def restore(self, path: str | Path) -> Self:
        """Starts from a restart file of the same grid, on any ranks; an area that runs with its
        outer model from a folder of restarts of all. A restart in the directory of the run
        continues the stores there; one from elsewhere begins new ones.
        """
        self.check_idle("restore")
        if self.together is not None:
            self.together.restore(path)
        else:
            self.start_from(path)
        return self

    def start_from(self, path: str | Path) -> None:
        """Starts from its own restart file alone, also where it has a state already."""
        if self.sequence is not None:
            self._take_back()
            self._forget()
        self.restart_from, self.begun_in = Path(path), None

    @property
    def experiment(self) -> str:
        """Returns the experiment as the text of a TOML file, as resolved.toml has it."""
        return written(self)

    @property
    def goes_on_here(self) -> bool:
        """Returns whether it starts from a restart in its directory."""
        own = [self.directory, *(checkpoint.at(0.0).parent for checkpoint in self.checkpoints)]
        own += [self.handed.restarts] if self.handed.restarts else []
        return self.restart_from is not None and self.restart_from.resolve().parent in [
            folder.resolve() for folder in own
        ]

    @property
    def _seen(self) -> Simulation:
        """Returns the simulation for its own parts, without a reference cycle: so Python deletes it
        at the same time on all ranks, as its MPI windows need.
        """
        seen: Simulation = weakref.proxy(self)
        return seen

    # ---- state -----------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """Returns the present fields as an xarray.Dataset, to be read and set between steps; all
        ranks ask for it (fathom/run/state.py).
        """
        from fathom.run.state import State  # start-up time: loads xarray

        return State.of(self.prepare())

    @property
    def seconds(self) -> float:
        """Returns model time since the start [s]."""
        return self.count * self.time_step

    @property
    def in_restarts(self) -> list[str]:
        """Returns names of fields: the state, and what the model wants to go along."""
        state = self.fields.state
        fields = self.model.restart_extras
        along = [n for n in fields if n not in state and self.fields.has(n)]
        taken = [name for name in self.handed.taken if name not in state]
        return [*dict.fromkeys([*state, *along, *taken])]

    @property
    def bytes_of_number(self) -> int:
        """Returns bytes of a number of the fields in the sequence."""
        return 8 if self.model.precision == "fp64" else 4

    @property
    def writers(self) -> list[int]:
        """Returns the computing ranks that write what no I/O server does; the first has rank 0's
        files.
        """
        if self._writers is None:
            how = self.parallel["writers"]
            everyone = list(range(self.comm.size))
            self._writers = everyone if how == every_rank else placed(self.comm, how)
        return self._writers

    @property
    def streams(self) -> list[Stream]:
        """Returns all streams of the run."""
        return [
            *(store for store in self.outputs if store.travels),
            *(part for checkpoint in self.checkpoints for part in checkpoint.parts),
        ]

    @property
    def date(self) -> Any:
        return self.clock.date(self.seconds)

    # ---- ranks -----------------------------------------------------------------------------------

    def asks_for(self, comm: Any) -> dict[str, tuple[int, int]]:
        """Returns the ranks of `comm` that [parallel] wants as helpers, as `divide` takes them."""
        radiation, output = self.parallel[apart.task], servers.asked(self.parallel, comm)
        own = {apart.task: (radiation, 1), servers.task: output}
        return {name: how for name, how in own.items() if how[0]}

    def take_ranks(self, division: Division) -> None:
        """Takes its ranks."""
        self.division, self.comm = division, division.comm
        self.apart = apart.Apart(self, division)  # radiation on separate ranks

    @property
    def roles(self) -> Any:
        """Returns which ranks serve output; None: none."""
        return self.division.helps[servers.task].roles if servers.task in self.helpers else None

    @property
    def serves(self) -> bool:
        """Returns whether this rank takes no steps: it helps, or has no part."""
        return self.comm is None or bool(self.division.task)

    @property
    def helpers(self) -> dict[str, list[int]]:
        """Returns the ranks that serve output or compute radiation, by their task."""
        return self.division.helpers

    @property
    def is_root(self) -> bool:
        return not self.serves and self.comm.rank == 0

    def prepare(self) -> Self:
        """Makes blocks, fields, processes, initial state: everything but time. Returns the
        simulation.
        """
        if self.sequence is not None and self.model.changes != self._changes:
            self._take_changes()
        if self.sequence is None and not self.serves:
            self.readers = Readers(self.comm, self.parallel["readers"])
            with self.readers:
                self._prepare()
            self._changes = self.model.changes
        return self

    def put_away(self) -> None:
        """Writes the fields to a file, from which the next preparation reads them: the same bits in
        another sequence.
        """
        self.on_root(lambda: self.directory.mkdir(parents=True, exist_ok=True))
        self.between = self.write_state("between.fathom")
        self.rest()
        self._forget()

    def _forget(self) -> None:
        """Gives back the fields, and what was made for them."""
        self.fields = self.sequence = self.domain = self.forcing = None
        self.gathers = {}

    def _take_changes(self) -> None:
        """Prepares anew where the model has been changed since. InputError: steps have been taken,
        or fields were set.
        """
        if self.count != self.first_count or self.set_between or self.agenda is not None:
            raise InputError(
                "set() or insert() has changed the model after this simulation had begun: set"
                " fields by simulation.state['temperature'] = 10.0; for other processes make"
                " another simulation, and restore() the restart of this one"
            )
        self._forget()

    def _take_back(self) -> None:
        """The fields are back in memory."""
        if self.between is not None:
            self.comm.barrier()
            self.on_root(self.between.unlink)
            self.between = None

    def _prepare(self) -> None:
        model, begin = self.model, self.between or self.restart_from
        if begin is not None:
            self.on_root(lambda: check_there(begin))
        model.choose_for(device=self.parallel["device"] is not None)
        choices.settle(self)
        mpi.core.set_threads(int(self.parallel["threads"]))
        spread.message_habits(self.parallel, self.comm)
        self._place_on_ranks()
        precision = self.bytes_of_number
        own = model.processes(self.time_step, self.surface)
        processes, self.balanced = spread.share(self.apart.placed(own), self.parallel)
        known = declared(processes)
        keep = list(model.diagnostics)
        for store in self.outputs:
            processes += store.processes(known, precision)
            keep += store.keep
        processes += self.handed.processes(known, precision)
        keep += self.handed.given
        self._take_memory(processes, keep)
        model.receive_state(self)
        self.longest = max(p.every for p in processes)
        self.follow_sun(self.sequence, self.fields)
        self.at_start = first_record.names(self, own, keep)
        self.sequence.prepare(self.fields, lambda _: fill_fixed(self))
        for checkpoint in self.checkpoints:
            checkpoint.prepare(self.in_restarts)
        self.forcing = Forcing.of(self.surface, model, self.readers)
        kept = read_state(self, begin) if begin else self._start()
        self._note_start()
        for store in self.outputs:
            store.begin(kept.get(str(store.path)))
        self._take_back()
        if (name := self.parallel["device"]) is not None:
            self.fields.live_on(device.open(name, self.place))
        self.tidy()

    def _take_memory(self, processes: list[Any], keep: Iterable[str]) -> None:
        """Makes the sequence of the processes and its fields. InputError: too little memory."""
        tile, tiles = spread.columns(self.parallel["tile"])
        self.sequence = mpi.core.StepProgram(
            self.domain,
            processes,
            self.bytes_of_number,
            sorted(set(keep)),
            self.model.rotations,
            tile=tile,
            tiles=tiles,
            device=self.parallel["device"] is not None,
        )
        room.for_fields(self)
        needed = room.of_fields(self)
        if self.told is not None and not self.between and self.is_root:
            self.told(f"{type(self.model).__name__}: {needed}")
        self.fields = mpi.core.FieldSet(self.sequence)

    def _place_on_ranks(self) -> None:
        """Blocks of the grid, their ranks, and their weights."""
        grid = self.model.grid
        self.domain = self.domain_of(grid, self.model.halo)
        self.domain.weigh(
            *(np.ascontiguousarray(a, float) for a in grid.areas),
            list(map(float, grid.levels.weights)),
        )

    def domain_of(self, grid: Grid, halo: int) -> Any:
        """Returns a grid's blocks on the ranks that compute."""
        wet, h = np.ascontiguousarray(grid.work_levels, np.int32), grid.horizontal
        blocks, distribution = self.parallel["blocks"] or (0, 0), self.parallel["distribution"]
        free = not any(blocks) and distribution not in spread.of_one_block
        if free and self.parallel["device"] is not None and self.comm.size == 1:
            blocks = (h.nx, h.ny)  # a launch has all its columns
        if distribution == "auto" and not any(blocks):
            distribution = grid.distribution(self.comm.size)
        return mpi.core.Domain(
            self.comm.py2f(),
            h.nx,
            h.ny,
            h.periodic,
            h.fold,
            grid.levels.nz,
            wet.ravel().tolist(),
            halo,
            int(blocks[0]),
            int(blocks[1]),
            distribution,
            self.parallel["exchange"],
            self.parallel["sum"],
            h.periodic_j,
            self.order,
        )

    @property
    def order(self) -> list[int]:
        """Returns ranks in which the pieces of a grid are handed out; []: as they are numbered."""
        if self._order is None:
            by_node = self.parallel["mapping"] == "nodes"
            self._order = places.by_node(places.of_ranks(self.comm)) if by_node else []
        return self._order

    def _start(self) -> dict[str, Any]:
        """Returns the initial state, without data of stores."""
        if not self.model.initialise(self):
            self.sequence.start(self.fields)
        self.changed = False
        self.model.finish_initialisation(self)
        return {}

    def _note_start(self) -> None:
        """For the record: what comes from here on is of this simulation."""
        if not self.between:
            self.first_count, self.set_between = self.count, {}

    def follow_sun(self, sequence: Any, fields: Any) -> None:
        """Gives a sequence the sun of each step, if it has one."""
        if fields.has("sun"):
            period = self.time_step * self.longest
            sequence.follow_sun(
                self.time_step, self.clock.days_since_2000, period, self.model.fixed_season
            )

    def find(self, kind: type) -> Any:
        """Returns the global process of that type, as core.BarotropicSolve; None where there is
        none.
        """
        return next((p for p in self.sequence.globals if isinstance(p, kind)), None)

    def other(
        self,
        model: Model,
        step: float,
        processes: Sequence[Any] | None = None,
        keep: Iterable[str] = (),
        tangent: bool = False,
    ) -> Other:
        """Returns another model on these ranks and from this state, with another step [s], or other
        processes: it has its own sequence and fields, from which its global processes are
        prepared. keep: fields to be read after steps; tangent: it takes steps with a change, too.
        """
        sequence = mpi.core.StepProgram(
            self.domain,
            model.processes(step, self.surface) if processes is None else processes,
            self.bytes_of_number,
            list(keep),
            rotate=model.rotations,
            tangent=tangent,
        )

        def fill(fields: Any) -> None:
            fields.copy(self.fields)
            fill_profiles(model, fields)

        fields = mpi.core.FieldSet(sequence)
        sequence.prepare(fields, fill)
        fill(fields)  # what is prepared is prepared in these fields already
        return Other(model, sequence, fields)

    @contextmanager
    def going_back(self, before: Other, span: float) -> Iterator[None]:
        """Surrounds steps of `other` backward in time, of a digital filter over `span` [s].
        InputError where they are unstable.
        """
        reason = ""
        try:
            yield
        except (RuntimeError, ValueError) as error:  # of a solver
            reason = str(error)
        sanity.check_way_back(self, before.fields, span, reason)

    def tidy(self) -> None:
        """Gives back what was needed only to fill the sequence."""
        self.model.grid.release()
        mpi.core.release_memory()

    def gather(self, name: str) -> Any:
        """Returns the field on the global grid, (levels, ny, nx), on rank 0; None elsewhere."""
        return next(self.gathered([name]))[1]

    def gathered(self, fields: Iterable[str]) -> Iterator[tuple[str, Any]]:
        """Yields (name, array on the global grid on rank 0, None elsewhere), one after another:
        only one is in memory at a time.
        """
        for name in fields:
            yield name, self.assemble(self.fields.windows(name))

    def assemble(self, windows: Sequence[np.ndarray]) -> np.ndarray | None:
        """Returns the global grid, (levels, ny, nx), from the windows of this rank's blocks, on
        rank 0; None elsewhere.
        """
        found: dict[int, np.ndarray] = self._whole(windows)
        return found.get(0)

    def scatter(self, name: str, values: ArrayLike | None) -> None:
        """Sets a field from the global grid, (levels, ny, nx), of rank 0; others may give None. One
        message to each rank, with all levels. All ranks call it.
        """
        own = self.fields.windows(name)
        levels, dtype = own[0].shape[0], own[0].dtype
        shape = (levels, *np.shape(self.model.grid.wet_levels))
        given = {}
        if self.is_root:
            given[0] = np.asarray(values)
        fault = self.is_root and given[0].shape != shape
        if self.comm.bcast(fault):
            raise InputError(f"scatter: values of {name} must have the shape {shape}")
        for block, part in enumerate(self._whole.back(given, levels, dtype)):
            self.fields.put(name, block, part)
        self.changed = True
        self.set_between[name] = str(self.date)

    @property
    def _whole(self) -> Gather:
        """Between blocks and the global grid on rank 0."""
        if "whole" not in self.gathers:
            ny, nx = np.shape(self.model.grid.wet_levels)
            self.gathers["whole"] = Gather(self.comm, self.domain, [(0, ny, 0, nx)], [0])
        return self.gathers["whole"]

    def write_restart(self, path: str | Path) -> Path:
        """Writes the whole present state in one file, by the ranks that compute; of an area with
        its outer model in one folder. Returns its path.
        """
        if self.together is not None:
            return self.together.write_restart(path)
        return self.write_state(path)

    def write_state(self, path: str | Path) -> Path:
        """Writes its own state alone in one file, by the ranks that compute. Returns its path."""
        self.settle()
        return Checkpoint(self._seen, path).prepare(self.in_restarts).write_here()

    def settle(self) -> None:
        """Waits until all that was written is at its place, and visible."""
        if self.servers is not None:
            self.servers.drain()
        self.delivery.settle(wait=True)

    def on_root(self, action: Callable[[], object]) -> None:
        """Does it on rank 0; an error there is raised everywhere, so that no rank waits for
        another.
        """
        error = None
        if self.is_root:
            try:
                action()
            except (OSError, ValueError) as e:
                error = e
        with region("decision of rank 0", kind="sum", comm=self.comm):
            error = self.comm.bcast(error)
        if error is not None:
            raise error

    # ---- what the run was ------------------------------------------------------------------------

    def checksum(self) -> str:
        """Returns 16 hexadecimal digits of the bits of the state; the same on any ranks, blocks and
        threads.
        """
        return f"{self.fields.checksum(self.model.prognostic):016x}"

    def describe(self) -> Any:
        """Returns (title, [(label, text or list)]) for `show`; prepares what is not prepared."""
        return describe(self if self.sequence else self.prepare())


def _model(given: object) -> Model:
    if not isinstance(given, Model):
        raise InputError(f"model = {given!r} must be a model, as fm.Ocean(grid)")
    return given


def _surface(model: Model, given: Any) -> Any:
    """Returns the forcing at the surface: an object, a class or its name; None: that of the
    model."""
    if given is None:
        return model.usual_surface and model.usual_surface()
    known = {cls.__name__: cls for cls in model.surfaces}
    named = isinstance(given, (str, type)) and given not in known and given not in known.values()
    if not known:
        raise InputError(f"surface = {given!r}: a {type(model).__name__} has none; its physics may")
    if named:
        raise InputError(
            f"surface = {given!r} must be a forcing of the model, {' or '.join(known)}:"
            " BulkForcing('coads')"
        )
    return parts.one_or_none("surface", given, known)


class Other(NamedTuple):
    """A model on the ranks of a simulation."""

    model: Model
    sequence: Any  # core.StepProgram
    fields: Any  # core.FieldSet

    def advance(self, steps: int) -> None:
        for _ in range(steps):
            march(self.model, self.sequence, self.fields, 1)
