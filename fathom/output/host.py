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
    def roles(self) -> Any: ...  # of ranks that serve output (core.Roles); None: there are none
    @property
    def serves(self) -> bool: ...  # whether this rank takes no steps
    @property
    def helpers(self) -> dict[str, list[int]]: ...  # ranks that help, by their task
    @property
    def outputs(self) -> Sequence[Any]: ...
    @property
    def checkpoints(self) -> Sequence[Any]: ...
    @property
    def streams(self) -> list[Stream]: ...
    @property
    def seconds(self) -> float: ...
    @property
    def bytes_of_number(self) -> int: ...
    @property
    def in_restarts(self) -> list[str]: ...
    @property
    def is_root(self) -> bool: ...
    @property
    def writers(self) -> list[int]: ...
    def on_root(self, action: Callable[[], object]) -> None:
        """Does it on rank 0; an error there is raised on all ranks."""

    def tidy(self) -> None:
        """Gives back what was needed only for a while."""

    def assemble(self, windows: Sequence[np.ndarray]) -> np.ndarray | None:
        """Returns the global grid, (levels, ny, nx), on rank 0; None elsewhere."""
