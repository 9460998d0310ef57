"""Data that the parts of a Simulation share: fathom/run/simulation.py makes it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from fathom.base.configurable import Configurable
from fathom.base.failure import InputError

if TYPE_CHECKING:
    from fathom.base import mpi
    from fathom.base.clock import Clock, Event
    from fathom.base.ranks import Division
    from fathom.model.model import Model
    from fathom.output.servers import Servers
    from fathom.output.stores import Store
    from fathom.output.streams import Delivery, Stream
    from fathom.run.apart import Apart
    from fathom.run.checkpoint import Checkpoint
    from fathom.run.choices import Choices
    from fathom.run.departures import Departures
    from fathom.run.ensemble.states import States
    from fathom.run.experiment.stretch import Stretch
    from fathom.run.forcing import Forcing
    from fathom.run.identity import Identity
    from fathom.run.lock import DirectoryLock
    from fathom.run.series import Series
    from fathom.run.simulation import Simulation
    from fathom.run.together import Together
    from fathom.run.wishes import Wishes


class Held(Configurable):
    """Attributes of a Simulation that its other parts use."""

    in_turn = True

    # the arguments
    model: Model
    surface: Any  # the forcing at the surface; None: there is none
    clock: Clock
    time_step: float  # [s]
    directory: Path
    overwrite: bool
    parallel: dict[str, Any]
    configuration: str
    limits: dict[str, tuple[float, float]]  # (least, most) of fields and series
    stretch: Stretch  # what its record says of time
    set_between: dict[str, str]  # fields that Python has set between steps, and when
    first_count: int  # steps before those of this simulation
    outputs: list[Store]
    checkpoints: list[Checkpoint]
    observing: list[Departures]  # departures that are made in the run
    events: list[Event]
    members: States  # of the ensemble; of a run without one its only state
    series: Series
    trace_events: int  # room for a trace of the next run
    traces: list[dict[str, Any]] | None  # that of the last run, on rank 0
    # on which ranks it runs
    comm: mpi.MPI.Comm  # those that step one state together
    everyone: mpi.MPI.Comm  # those of all groups of an ensemble
    division: Division  # which ranks step, and which help
    place: int  # of this rank, where ranks of a node share devices
    apart: Apart  # ranks of radiation
    agenda: list[Event] | None  # events of the present run
    servers: Servers | None  # those at work
    served: Servers | None  # those of the last run
    # its parts
    sequence: Any  # the program of a step (core.StepProgram)
    domain: Any  # its blocks on the ranks (core.Domain)
    fields: Any  # the fields of the program (core.FieldSet)
    changed: bool  # fields have been set since the last step
    count: int  # steps since the start
    anew: int  # that of a step for which none before is known
    at_start: frozenset[str]  # data of steps for the first record
    forcing: Forcing | None  # where it comes in records
    delivery: Delivery
    choices: Choices | None  # kept for this machine and case
    lock: DirectoryLock
    identity: Identity | None = None  # of the run; None: it has not begun
    goes_on_here = False  # whether it goes on with the run in its directory, from a restart
    resumes = False  # as that, also from its start where there is no restart
    wishes: Wishes
    between: Path | None  # a restart between two sequences
    alone: bool  # no other program runs under the same clock
    together: Together | None  # programs that run with it, of which it is the first
    now: str  # what the model says of the present state
    begun_in: Path | None = None  # the directory of the last run since a start or a restart
    wall_seconds: float  # of the run so far, or of the last one

    def check_idle(self, request: str) -> None:
        """Raises InputError: a request comes while the run goes on, of which it is no part."""
        if self.agenda is not None:
            raise InputError(
                f"{request}: not while a run goes on; ask before it, or between two runs"
            )

    @property
    def _simulation(self) -> Simulation:
        """Returns itself, as the class that has all parts."""
        return cast("Simulation", self)

    if TYPE_CHECKING:  # its abilities

        @property
        def is_root(self) -> bool: ...
        @property
        def serves(self) -> bool: ...
        @property
        def roles(self) -> Any: ...
        @property
        def seconds(self) -> float: ...
        @property
        def experiment(self) -> str: ...
        @property
        def streams(self) -> list[Stream]: ...
        @property
        def _seen(self) -> Simulation: ...
        def prepare(self) -> Self: ...
        def settle(self) -> None: ...
        def write_departures(self) -> None: ...
        def on_root(
            self, action: Callable[[], object], comm: mpi.MPI.Comm | None = None
        ) -> None: ...
        def write_restart(self, path: str | Path) -> Path: ...
        def write_state(self, path: str | Path) -> Path: ...
        def put_away(self) -> None: ...
