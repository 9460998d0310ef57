"""The members of a run in turn: one program, one set of fields, and the state of each member.

A member's state is what a restart holds of it. It is copied into the fields before its steps, and
out of them after those, so that grid, matrices, tables, forcing and scratch memory are there once,
and a member goes on as a run does from a restart: to the same bits.

The ranks may be divided into groups (base/ranks.py: parted), each of which runs every G-th member
in turn. `simulation.comm` is that of the own group, `simulation.everyone` of all. They meet where a
group of steps ends, where all members have written an event, and at restarts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import machine, mpi
from fathom.base.failure import InputError, RoomError
from fathom.base.ranks import listed, parted
from fathom.base.regions import region
from fathom.output.formats import restart
from fathom.run.checkpoint import read_state
from fathom.run.ensemble.ensemble import Ensemble, number_of_members
from fathom.run.series import Series
from fathom.run.tree import bytes_text

if TYPE_CHECKING:
    from fathom.run.simulation import Simulation

# what a member has of its own where its parameters differ
of_programs = ("model", "surface", "sequence", "balanced", "fields", "forcing", "longest")
least_steps = 8  # of a turn, so that copies cost little


class States:
    """The states of the members of a simulation, one of which is in its fields; of a simulation
    without an ensemble its only one.
    """

    def __init__(self, simulation: Simulation, ensemble: Ensemble | None) -> None:
        self.simulation, self.ensemble = simulation, ensemble
        self.groups, self.group = 1, 0  # of ranks; the own one
        self.own = [0]  # members of these ranks
        self.present = 0  # the one in the fields
        self.held: dict[int, bytes] = {}  # of the others
        self.series: dict[int, Series] = {}
        # makes model and surface of a member whose parameters differ
        self.made: Callable[[int], tuple[Any, Any]] | None = None
        self.programs: dict[int, dict[str, Any]] = {}

    def take_ranks(self, everyone: Any) -> Any:
        """Divides the ranks that compute into groups, each with its members. Returns the
        communicator of the own group. InputError: they do not divide.
        """
        self.groups = self.ensemble.groups_of(everyone.size) if self.ensemble and everyone else 1
        self.group = everyone.rank * self.groups // everyone.size if everyone else 0
        self.own = list(range(self.group, self.number, self.groups))
        self.present = self.own[0]
        return parted(everyone, self.groups)

    @property
    def several(self) -> bool:
        """Returns whether the simulation is an ensemble, also one of one member."""
        return self.ensemble is not None

    @property
    def number(self) -> int:
        """Returns how many members there are."""
        return self.ensemble.members if self.ensemble else 1

    @property
    def member(self) -> int | None:
        """Returns the member in the fields; None: there is no ensemble."""
        return self.present if self.several else None

    @property
    def is_last(self) -> bool:
        """Returns whether all others have had their turn."""
        return self.present == self.own[-1]

    @property
    def said(self) -> str:
        """Returns which member is in the fields, as messages begin."""
        return f"member {self.present}: " if self.several else ""

    @property
    def least_steps(self) -> int:
        """Returns how many steps a turn takes at least, where nothing is due."""
        return least_steps if self.number > 1 else 1

    # ---- turns -----------------------------------------------------------------------------------

    def each(self) -> Iterator[int]:
        """Yields the members in turn, each with its state in the fields, at the time at which all
        stand.
        """
        s = self.simulation
        if self.number == 1:
            yield 0
            return
        count, stores = s.count, [(store, store.count, store.last) for store in s.outputs]
        for member in self.own:
            s.count = count
            for store, number, last in stores:
                store.count, store.last = number, last
            self.take(member)
            yield member

    def take(self, member: int) -> None:
        """Brings the state of a member into the fields. InputError: there is none."""
        if member not in self.own:
            there = f"members 0 to {self.number - 1}"
            own = f"; these ranks have {listed(self.own)}" if self.groups > 1 else ""
            raise InputError(f"member {member!r}: there are {there}{own}")
        if member == self.present:
            return
        s = self.simulation
        with region("change of member", "ensemble", "copy"):
            self._settle()
            self._put_away()
            self.series[self.present] = s.series
            self._bring(member)
            s.series, s.fields.count, self.present = self.series[member], s.count, member
            self.tell()

    def tell(self) -> None:
        """Tells model and forcing which member is in the fields."""
        s = self.simulation
        if self.several:
            s.model.take_member(self.present)
        if s.forcing is not None:
            control = self.ensemble is not None and self.ensemble.is_control(self.present)
            s.forcing.take_member(None if control else self.present)

    @property
    def of_forcing(self) -> Any:
        """Returns the errors of the forcing; None: there are none."""
        return None if self.ensemble is None else self.ensemble.forcing

    def _put_away(self) -> None:
        """Keeps what is in the fields as that of the present member."""
        s = self.simulation
        if self.made is None:
            self.held[self.present] = s.fields.stored(s.in_restarts)
        else:
            self.programs[self.present] = {name: getattr(s, name) for name in of_programs}

    def _bring(self, member: int) -> None:
        """Brings back what `_put_away` has kept."""
        s = self.simulation
        if self.made is None:
            s.fields.recall(s.in_restarts, self.held.pop(member))
        else:
            for name, value in self.programs[member].items():
                setattr(s, name, value)

    def _settle(self) -> None:
        """Lets processes follow what was set between steps."""
        s = self.simulation
        if s.changed:
            s.sequence.changed(s.fields)
            s.changed = False

    # ---- the start -------------------------------------------------------------------------------

    def begin(
        self,
        path: Path | None,
        start: Callable[[], dict[str, Any]],
        program: Callable[[], None],
    ) -> dict[str, Any]:
        """Fills all states: from a restart, or from the start that `start` puts into the fields;
        returns what the restart has of stores. program() makes that of a member whose parameters
        differ. RoomError: they do not fit into memory.
        """
        s = self.simulation
        if self.ensemble is None:
            return read_state(s, path) if path else start()
        self._check_room()
        self.build = program
        if path is not None and (there := s.readers.share(lambda: members_of(path))):
            return self._again(path, there)
        return self._anew(self.ensemble, path, start)

    def _again(self, path: Path, there: int) -> dict[str, Any]:
        """Fills all states from a restart of an ensemble of so many members. InputError: it has
        fewer.
        """
        if there < self.number:
            raise InputError(
                f"{path} has {there} member{'s' * (there != 1)}; members = {self.number} of them"
                " are asked for"
            )
        s, kept = self.simulation, dict[str, Any]()
        for member in self.own:
            self._own_program(member)
            kept = read_state(s, path, member)
            self._keep(member)
        self._show_first()
        return kept

    def _anew(
        self, ensemble: Ensemble, path: Path | None, start: Callable[[], dict[str, Any]]
    ) -> dict[str, Any]:
        """Fills all states from one, or from one each, with the errors of each."""
        s = self.simulation
        base, kept = b"", dict[str, Any]()
        for n, member in enumerate(self.own):
            self._own_program(member)
            source = ensemble.starts[member] if ensemble.starts and not s.between else path
            if ensemble.starts or n == 0 or self.made is not None:
                kept = read_state(s, source) if source else start()
                base = s.fields.stored(s.in_restarts) if self.number > 1 else b""
            else:
                s.fields.recall(s.in_restarts, base)
            if ensemble.perturbs(member) and ensemble.perturbation is not None:
                ensemble.perturbation.add_to(s, member)
                self._settle()
            self._keep(member)
        self._show_first()
        return kept

    def _own_program(self, member: int) -> None:
        """Makes the program of a member whose parameters differ."""
        s, self.present = self.simulation, member
        self.tell()
        if self.made is None:
            return
        told, s.told = s.told, None
        s.model, s.surface = self.made(member)
        self.build()
        s.told = told

    def _keep(self, member: int) -> None:
        """Keeps the state in the fields as that of a member."""
        s = self.simulation
        self.present = member
        self.series[member], s.series = s.series, Series()
        if self.number > 1:
            self._put_away()

    def _show_first(self) -> None:
        """Brings the first state into the fields."""
        s, first = self.simulation, self.own[0]
        s.series, self.present = self.series[first], first
        if self.number > 1:
            self._bring(first)
        self.tell()

    # ---- memory ----------------------------------------------------------------------------------

    @property
    def bytes_of_state(self) -> int:
        """Returns the bytes of the state of a member on this rank, or of its program."""
        s = self.simulation
        if self.made is not None:
            return int(s.sequence.bytes_allocated)
        h = s.model.halo
        points = sum((ny + 2 * h) * (nx + 2 * h) for _, _, ny, nx in s.domain.blocks)
        levels = {f["name"]: f["levels"] for f in s.fields.fields}
        total: int = s.bytes_of_number * points * sum(levels[name] for name in s.in_restarts)
        return total

    def _check_room(self) -> None:
        """Raises RoomError, on all ranks: a machine has no room for the states of the members."""
        s = self.simulation
        node = s.everyone.Split_type(mpi.MPI.COMM_TYPE_SHARED)
        free = node.bcast(machine.free_memory()) - node.allreduce(s.sequence.bytes_allocated)
        needed = node.allreduce(self.bytes_of_state * len(self.own))
        node.Free()
        room = int(s.everyone.allreduce(self.number * free / max(needed, 1), mpi.MPI.MIN))
        if self.number > 1 and self.number > max(room, 1):
            each = s.everyone.allreduce(self.bytes_of_state) // self.groups
            raise RoomError(
                f"members = {self.number}: the state of each needs {bytes_text(each)}, and memory"
                f" has room for {max(room, 1)} of them: take at most {max(room, 1)}, a smaller"
                " grid, precision='fp32', or more machines"
            )

    def series_of(self, member: int) -> Series:
        """Returns the time series of a member."""
        return self.simulation.series if member == self.present else self.series[member]

    def describe(self) -> list[str]:
        """Returns the members and their memory, in words; all ranks call it."""
        if self.ensemble is None:
            return []
        each = self.simulation.comm.allreduce(self.bytes_of_state)
        what = "state" if self.made is None else "fields"
        size = self.simulation.comm.size
        where = (
            f" on each of {self.groups} groups of {size} rank{'s' * (size > 1)}"
            if self.groups > 1
            else ""
        )
        return [
            f"{self.number} members in turn{where}, {bytes_text(each)} of {what} each,"
            f" {bytes_text(each * self.number)} in all",
            *(
                f"{path}: {one:g} to {other:g}"
                if kind == "range"
                else f"{path}: {one:g} ± {other:g}"
                for path, (kind, one, other) in self.ensemble.parameters.items()
            ),
        ]

    @property
    def in_headers(self) -> dict[str, Any]:
        """Returns what the header of a restart has of the members: their time series; all ranks of
        all groups ask for it.
        """
        if not self.several:
            return {}
        kept = self._of_all({n: self.series_of(n).kept() for n in self.own})
        return {"members": {str(n): one for n, one in enumerate(kept)}}

    def _of_all(self, own: Mapping[int, Any]) -> list[Any]:
        """Returns something of all members in order, of what each group has of its own; all ranks
        of all groups call it.
        """
        if self.groups == 1:
            return [own[n] for n in range(self.number)]
        parts = self.simulation.everyone.allgather(own if self.simulation.comm.rank == 0 else {})
        found = {n: one for part in parts for n, one in part.items()}
        return [found[n] for n in range(self.number)]

    def of_last(self, own: Any) -> Any:
        """Returns what the group of the last member has; all ranks of all groups call it."""
        if self.groups == 1:
            return own
        s = self.simulation
        return s.everyone.bcast(own, (self.number - 1) % self.groups * s.comm.size)

    def facts(self) -> dict[str, Any]:
        """Returns checksums, and mean and spread of the series of members, for the summary; all
        ranks call it.
        """
        sums = self.checksums()
        found: dict[str, Any] = {"checksum": joined(sums)}
        if self.several:
            series = _spreads(self._of_all({n: self.series_of(n) for n in self.own}))
            found["members"] = {"number": self.number, "checksums": sums, "series": series}
            if self.ensemble is not None and self.ensemble.parameters:
                drawn = [self.ensemble.drawn(n) for n in range(self.number)]
                found["members"]["parameters"] = drawn
        return found

    def checksums(self) -> list[str]:
        """Returns the checksum of each member, in order; all ranks call it."""
        s = self.simulation
        return self._of_all(
            {n: f"{s.fields.checksum(s.model.prognostic):016x}" for n in self.each()}
        )


def members_of(path: Path) -> int:
    """Returns how many members a restart has; 0: it is of a run without members."""
    with restart.read(path) as file:
        numbers = {number_of_members(name) for name in file.names}
    return len(numbers - {None})


def _spreads(series: list[Series]) -> dict[str, dict[str, float]]:
    """Returns mean and spread of the last values of series."""
    last = [one.last for one in series]
    return {
        name: dict(zip(("mean", "spread"), spread_of([one[name][0] for one in last])))
        for name in last[0]
    }


def joined(checksums: list[str]) -> str:
    """Returns one checksum of all members."""
    if len(checksums) == 1:
        return checksums[0]
    return hashlib.sha256(" ".join(checksums).encode()).hexdigest()[:16]


def spread_of(values: Any) -> tuple[float, float]:
    """Returns mean and standard deviation of numbers of members."""
    found = np.asarray(values, float)
    return float(found.mean()), float(found.std(ddof=1)) if len(found) > 1 else 0.0
