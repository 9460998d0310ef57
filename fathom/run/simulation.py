"""Simulation: a model in time, on its ranks, with forcing, output and restarts. C++ advances to the
next event; this module handles the event.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from fathom.base import mpi, shown
from fathom.base.clock import Clock, Duration, seconds_of
from fathom.base.failure import InputError
from fathom.base.home import at_home
from fathom.base.ranks import Division, divide, no_part
from fathom.base.reading import Readers, every_rank, placed
from fathom.base.regions import region
from fathom.grids.arguments import integer, yes_or_no
from fathom.model import device
from fathom.model.model import Model
from fathom.output import servers
from fathom.output.streams import Delivery
from fathom.run import apart, blocks, identity, preparation, sanity, wishes
from fathom.run import parallel as spread
from fathom.run.arguments import check_model, surface_of
from fathom.run.checkpoint import Checkpoint
from fathom.run.ensemble.ensemble import Ensemble, checked_ensemble
from fathom.run.ensemble.states import States, joined
from fathom.run.events import Events
from fathom.run.experiment.stretch import Stretch
from fathom.run.experiment.written import written
from fathom.run.handed import Handed
from fathom.run.identity import Identity
from fathom.run.lock import DirectoryLock
from fathom.run.members import nest
from fathom.run.other import Other
from fathom.run.requests import Requests
from fathom.run.series import Series
from fathom.run.show import date_text, describe, overview
from fathom.run.together import Together
from fathom.run.whole import WholeGrid

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
    ensemble : Ensemble. Several members of this model in one run (docs/ensembles.md).
    configuration : TOML text with the [constants] and [extensions] of the file that it is made
        from, which its record keeps (resolved.toml); default "".
    comm : the MPI ranks that compute, an mpi4py communicator; None (default): all, less those that
        serve output (parallel: io_servers, docs/output.md).
    """

    recorded = ("output", "checkpoint", "observe", "call")
    assignable: ClassVar[Mapping[str, Callable[[Any], Any]]] = {
        "directory": lambda given: at_home(given).absolute(),
        "overwrite": lambda given: yes_or_no("overwrite", given),
        "told": lambda given: given,
        "beyond_stability": lambda given: yes_or_no("beyond_stability", given),
        "changed": bool,
        "trace_events": lambda given: integer("trace_events", given),
    }
    instead: ClassVar[Mapping[str, str]] = {
        "state": "set its fields, as in simulation.state['temperature'] = 10.0",
        **dict.fromkeys(
            ("model", "surface", "time_step", "clock", "limits", "parallel", "ensemble", "comm"),
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
        ensemble: Ensemble | None = None,
        configuration: str = "",
        comm: mpi.MPI.Comm | None = None,
    ) -> None:
        self.model = check_model(model)
        self.limits = sanity.limits(model, limits or {})
        self.beyond_stability = yes_or_no("beyond_stability", beyond_stability)
        self.time_step = seconds_of(time_step, "time_step")
        self.clock = Clock(start, calendar)
        self.surface = surface_of(model, surface)
        self.directory, self.overwrite = at_home(directory).absolute(), overwrite
        self.parallel, self.named, self.why = (
            spread.checked(parallel or {}),
            {name for name, value in (parallel or {}).items() if value is not None},
            dict[str, str](),
        )
        self.division: Division = no_part
        self.place = device.place(self.parallel["device"], comm)
        self.members = States(self._seen, checked_ensemble(ensemble, self.parallel))
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
        self.balanced: dict[str, Any] = {}  # its processes that share columns among ranks
        self.domain: Any = None  # its ranks
        self.fields: Any = None  # its fields
        self.choices = None  # kept for this machine and case
        self.restart_from: Path | None = None
        self.restored: set[str] = set()
        self.between: Path | None = None  # a restart between two sequences of this simulation
        self.count, self.start_steps, self.stopped, self.anew = 0, 0, False, 0
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
        self.gathers: dict[Any, Any] = {}  # plans of messages with fields, by their regions
        # room for a trace of the next run; that of the last, on rank 0
        self.trace_events, self.traces = 0, None
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
    _begins_as: Identity | None = None

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
            preparation.take_back(self)
            self._forget()
        self.restart_from, self.begun_in = at_home(path).absolute(), None
        self.identity, self.goes_on_here, self._begins_as = None, False, None
        for store in self.outputs:
            store.opened = store.goes_on = False

    @property
    def takes_other_steps(self) -> bool:
        """Returns whether it continues from a restart that was written with another step."""
        return self.model.takes_other_steps

    @property
    def experiment(self) -> str:
        """Returns the experiment as the text of a TOML file, as resolved.toml has it."""
        return written(self)

    @property
    def begins_as(self) -> Identity:
        """Returns the identity of a run that begins anew here."""
        if self._begins_as is None:
            self._begins_as = identity.made(self)
        return self._begins_as

    def resume(self, further: bool = True) -> None:
        """Lets it go on with the run in its directory, also without a restart."""
        self.resumes = further

    def share(self, run: Identity) -> None:
        """Takes the number of the run of all programs, where it begins anew."""
        if self.identity is None:
            self._begins_as = replace(identity.made(self), id=run.id)

    @property
    def starts_here(self) -> bool:
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
        """Returns names of fields: the state, what the model wants to go along, and what a step
        makes of the state that counts as a part of it.
        """
        state, model = self.fields.state, self.model
        along = [n for n in (*model.restart_extras, *model.prognostic) if self.fields.has(n)]
        return [*dict.fromkeys([*state, *along, *self.handed.taken])]

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
        """Returns the present date."""
        return self.clock.date(self.seconds)

    # ---- ranks -----------------------------------------------------------------------------------

    def asks_for(self, comm: Any) -> dict[str, tuple[int, int]]:
        """Returns the ranks of `comm` that [parallel] wants as helpers, as `divide` takes them."""
        radiation, output = self.parallel[apart.task], servers.asked(self.parallel, comm)
        own = {apart.task: (radiation, 1), servers.task: output}
        return {name: how for name, how in own.items() if how[0]}

    def take_ranks(self, division: Division) -> None:
        """Takes its ranks."""
        self.division, self.everyone = division, division.comm
        self.comm = self.members.take_ranks(self.everyone)
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
        """Returns whether this rank is the first of those that step."""
        return not self.serves and self.everyone.rank == 0

    def prepare(self) -> Self:
        """Makes blocks, fields, processes, initial state: everything but time. Returns the
        simulation.
        """
        if self.sequence is not None and self.model.changes != self._changes:
            self._take_changes()
        if self.sequence is None and not self.serves:
            self._changes = self.model.changes  # a filter takes steps while it is prepared
            self.readers = Readers(self.comm, self.parallel["readers"])
            with self.readers:
                preparation.prepare(self)
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

    def domain_of(self, grid: Grid, halo: int) -> Any:
        """Returns a grid's blocks on the ranks that compute, as core.Domain, with so many columns
        of neighbours.
        """
        if self._order is None:
            self._order = blocks.order_of(self.comm, self.parallel["mapping"])
        return blocks.domain_of(grid, halo, self.comm, self.parallel, self._order)

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
        processes (fathom/run/other.py).
        """
        return Other.of(self, model, step, processes, keep, tangent)

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
        return self._whole.assemble(windows)

    def scatter(self, name: str, values: ArrayLike | None) -> None:
        """Sets a field from the global grid, (levels, ny, nx), of rank 0; others may give None. One
        message to each rank, with all levels. All ranks call it.
        """
        own = self.fields.windows(name)
        for block, part in enumerate(self._whole.scatter(name, values, own)):
            self.fields.put(name, block, np.ascontiguousarray(part, float))
        self.changed = True
        self.set_between[name] = str(self.date)

    @property
    def _whole(self) -> WholeGrid:
        """Returns the way between blocks and the global grid."""
        if "whole" not in self.gathers:
            shape = np.shape(self.model.grid.wet_levels)
            self.gathers["whole"] = WholeGrid(self.comm, self.domain, shape)
        whole: WholeGrid = self.gathers["whole"]
        return whole

    def write_restart(self, path: str | Path) -> Path:
        """Writes the whole present state in one file, by the ranks that compute; of an area with
        its outer model in one folder. Returns its path.
        """
        if self.together is not None:
            return self.together.write_restart(path)
        return self.write_state(path)

    def write_state(self, path: str | Path, present: bool = False) -> Path:
        """Writes its own state alone in one file, by the ranks that compute; present: of an
        ensemble only the member in the fields. Returns its path.
        """
        self.settle()
        if not self.between and self.agenda is not None:  # in a run
            self.write_departures()
        return Checkpoint(self._seen, path).prepare(self.in_restarts, present).write_here()

    def settle(self) -> None:
        """Waits until all that was written is at its place, and visible."""
        if self.servers is not None:
            self.servers.drain()
        self.delivery.settle(wait=True)

    def on_root(self, action: Callable[[], object], comm: mpi.MPI.Comm | None = None) -> None:
        """Does it on rank 0 of those that compute, or of others; an error there is raised on all
        of them, so that no rank waits for another.
        """
        comm, error = comm or self.everyone, None
        if comm.rank == 0:
            try:
                action()
            except (OSError, ValueError) as e:
                error = e
        with region("decision of rank 0", kind="sum", comm=comm):
            error = comm.bcast(error)
        if error is not None:
            raise error

    # ---- what the run was ------------------------------------------------------------------------

    def checksum(self) -> str:
        """Returns 16 hexadecimal digits of the bits of the state, of an ensemble of all members;
        the same on any ranks, blocks and threads.
        """
        return joined(self.members.checksums())

    def describe(self) -> Any:
        """Returns (title, [(label, text or list)]) for `show`; prepares what is not prepared."""
        return describe(self if self.sequence else self.prepare())
