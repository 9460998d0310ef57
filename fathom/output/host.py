"""What output asks of the simulation that it belongs to (fathom/run/simulation.py makes one)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np

    from fathom.base import mpi
    from fathom.base.clock import Clock
    from fathom.base.ranks import Division
    from fathom.model.model import Model
    from fathom.output.gather import Gather
    from fathom.output.servers import Servers
    from fathom.output.streams import Delivery, Stream


class Host(Protocol):
    """A simulation, as its output sees it."""

    model: Model
    surface: Any
    clock: Clock
    time_step: float  # [s]
    directory: Path
    overwrite: bool
    parallel: dict[str, Any]  # how it is spread over the machine
    comm: mpi.MPI.Comm  # the ranks that compute
    everyone: mpi.MPI.Comm  # those of all groups of an ensemble
    division: Division  # which ranks step, and which help
    servers: Servers | None  # those at work
    domain: Any  # its blocks on the ranks (core.Domain)
    fields: Any  # the fields of a step (core.FieldSet)
    sequence: Any  # the step (core.StepProgram)
    members: Any  # of the ensemble, one of which is in the fields
    count: int  # steps since the start
    restored: set[str]  # fields that a restart has given
    identity: Any  # of the run: its id, the stores that it has begun, what it may replace
    goes_on_here: bool  # whether it goes on with the run in its directory, from a restart
    resumes: bool  # as that, also from its start where there is no restart
    at_start: frozenset[str]  # data of steps for the first record
    stopped: bool  # before its end
    delivery: Delivery
    gathers: dict[Any, Gather]  # plans that several streams share

    @property
    def roles(self) -> Any:
        """Returns roles of ranks that serve output (core.Roles); None: there are none."""

    @property
    def serves(self) -> bool:
        """Returns whether this rank takes no steps."""

    @property
    def helpers(self) -> dict[str, list[int]]:
        """Returns the ranks that help, by their task."""

    @property
    def outputs(self) -> Sequence[Any]:
        """Returns what was asked for by `output`."""

    @property
    def checkpoints(self) -> Sequence[Any]:
        """Returns what was asked for by `checkpoint`."""

    @property
    def streams(self) -> list[Stream]:
        """Returns the open stores."""

    @property
    def seconds(self) -> float:
        """Returns seconds after the start."""

    @property
    def bytes_of_number(self) -> int:
        """Returns the size of a number: 4 or 8."""

    @property
    def in_restarts(self) -> list[str]:
        """Returns the names of the fields in restarts."""

    @property
    def is_root(self) -> bool:
        """Returns whether this is rank 0."""

    @property
    def writers(self) -> list[int]:
        """Returns the ranks that write."""

    def on_root(self, action: Callable[[], object], comm: mpi.MPI.Comm | None = None) -> None:
        """Does it on rank 0, of all or of others; an error there is raised on all of them."""

    def tidy(self) -> None:
        """Gives back what was needed only for a while."""

    def assemble(self, windows: Sequence[np.ndarray]) -> np.ndarray | None:
        """Returns the global grid, (levels, ny, nx), on rank 0; None elsewhere."""
