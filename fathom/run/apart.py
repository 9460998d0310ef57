"""Radiation on separate ranks: `parallel = {"radiation_ranks": n}`. docs/parallel.md,
core/field/apart.hpp.

Every rank builds the same simulation; in `run` the helpers do something else: a message of the
first rank starts them, and they compute columns until it ends them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast
from weakref import ref

import numpy as np

from fathom.base import mpi, regions
from fathom.base.failure import InputError
from fathom.base.ranks import Division
from fathom.model import device

if TYPE_CHECKING:
    from fathom.run.simulation import Simulation

schemes = ("RRTMGP", "Radiation")
task = "radiation_ranks"  # of ranks, as they are divided (fathom/base/ranks.py)


class Apart:
    """The helping ranks, and their columns."""

    def __init__(self, simulation: Simulation, division: Division) -> None:
        self._simulation = ref(simulation)  # which holds this
        self.on = task in division.helps  # whether there are any
        self.helps = division.serves and division.task == task
        self.everyone: Any = None  # those that step, and helpers
        self.roles: Any = None
        if self.on:
            self.everyone, self.roles, _ = division.helps[task]
        self.core: Any = None  # the process, on ranks that step and on helpers
        self.busy = False  # helpers wait for columns

    @property
    def simulation(self) -> Simulation:
        """Returns the simulation that these ranks belong to."""
        return cast("Simulation", self._simulation())  # it outlives its parts

    def _made(self, process: Any) -> Any:
        """Returns a process that these helpers compute."""
        return mpi.core.Apart(process, self.everyone.py2f(), self.roles.servers)

    def placed(self, processes: Sequence[Any]) -> Sequence[Any]:
        """Returns the processes of a step, with requests to the helpers in place of radiation."""
        if not self.on:
            return processes
        names = [p.name for p in processes]
        found = next((n for n in schemes if n in names), None)
        if found is None:
            raise InputError(
                f"radiation_ranks: the model has none of {', '.join(schemes)}; it has"
                f" {', '.join(names)}"
            )
        at = names.index(found)
        if processes[at].is_global:
            raise InputError(
                f"radiation_ranks: {found} is computed in samples (radiation_spacing): give one of"
                " them"
            )
        self.core = self._made(processes[at])
        process = self.core.process()
        process.every, process.phase = processes[at].every, processes[at].phase
        return [*processes[:at], process, *processes[at + 1 :]]

    def check_no_advance(self) -> None:
        """Raises InputError on all ranks outside `run`, where helpers do not work."""
        if self.on and not self.busy:
            raise InputError(
                "radiation_ranks: steps outside a run have no radiation; use run, and neither"
                " advance nor `fathom profile` or `fathom tune`"
            )

    @contextmanager
    def engaged(self, begin: Callable[[], None]) -> Iterator[None]:
        """Surrounds a run: helpers hear that it begins, or why it cannot, and that it is over. An
        error on one rank ends all (mpi.py).
        """
        try:
            begin()
        except BaseException as error:
            if self.on:
                self.everyone.bcast(error)
            raise
        if self.on:
            self.everyone.bcast(None)
            mpi.core.clock_offset(self.everyone.py2f())
            self.busy = True
        try:
            yield
        except BaseException:
            if self.busy and mpi.everywhere(self.simulation.comm):
                self.end()
            raise
        self.end()

    def end(self, traced: bool = False) -> list[dict[str, Any]]:
        """Dismisses the helpers, whose work is done. Returns their events on the first rank, if
        wanted (fathom.base.regions.traced).
        """
        if not self.busy:
            return []
        self.busy = False
        self.core.rest()
        self.simulation.comm.Barrier()  # nobody sends to those apart any more
        if self.simulation.comm.rank == 0:
            self.core.dismiss()
        if not self.everyone.bcast(traced):
            return []
        return [trace for trace in self.everyone.gather(None) or () if trace is not None]

    def help(self) -> dict[str, Any]:
        """Computes radiation for other ranks until the run ends."""
        told = self.everyone.bcast(None)
        if isinstance(told, BaseException):
            raise told
        s = self.simulation
        if self.core is None:
            mpi.core.set_threads(int(s.parallel["threads"]))
            scheme = next(p for p in s.model.physics if p.name in schemes)
            self.core = self._made(scheme.process(s.bytes_of_number, offered={"step": s.time_step}))
        ahead = mpi.core.clock_offset(self.everyone.py2f())
        regions.begin(mpi.MPI.COMM_SELF, s.trace_events)
        name = s.parallel["device"]
        self.core.help(device.open(name, s.place) if name else None)
        if self.everyone.bcast(None):
            trace = (regions.traced(mpi.MPI.COMM_SELF) or [{}])[0]
            self.everyone.gather(_of_helper(trace, ahead))
        return {}


def _of_helper(trace: dict[str, Any], ahead: float) -> dict[str, Any]:
    """Returns the events of a helper by the clock of the first rank; it waits for columns, then
    receives them or sends its results.
    """
    begin, end, region = trace["begin"] + ahead, trace["end"] + ahead, trace["region"]
    names = np.array([held["path"][-1] for held in trace["regions"]])
    meets = np.isin(names, ("no columns yet", "columns and fluxes"))[region]
    idle = (names == "no columns yet")[region]
    met = {"met": region[meets], "blocked": begin[meets], "free": end[meets]}
    waiting = np.where(idle, end - begin, 0.0)[meets]
    return dict(trace) | met | {"begin": begin, "end": end, "waiting": waiting}
