"""The boundaries of an area: the whole state of its outer model at times T_k = k `outer_every`,
which that gives as one that goes ahead gives a field (fathom/base/timetable.py).

    outer    T_0 --------> T_1 --------> T_2
    area                   T_0 --------> T_1 --------> T_2

The outer model makes the columns of the area on its own ranks, each a share of them; all ranks of
the area get all. States are linear in time between two.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from fathom.base import writing
from fathom.base.ranks import group
from fathom.base.timetable import Link, microseconds


class OfStates:
    """States that a giver hands to a taker; `states` makes and keeps them
    (fathom/model/outer.py).
    """

    lagged = False
    takes: tuple[str, ...] = ()  # no single fields

    def __init__(self, giver: str, taker: str, states: Any) -> None:
        self.giver, self.taker, self.states = giver, taker, states
        self.ends: tuple[Any, Any] = (None, None)
        self.comm: Any = None  # of both, where they have other ranks
        self.text = f"boundaries {giver} -> {taker}"

    @property
    def link(self) -> Link:
        """Returns it as the timetable sees it."""
        states = self.states
        every = microseconds(states.every, states.keyword)
        return Link(self.giver, self.taker, every, self.lagged, self.text, states.keyword)

    def open(self, comm: Any) -> None:
        """Prepares the way between the ranks of both, which call it together; comm: of all."""
        giver, taker = self.ends
        if giver.ranks != taker.ranks:
            self.comm = group(comm, [*giver.ranks, *taker.ranks])

    def _sent(
        self, number: int, values: dict[str, np.ndarray]
    ) -> tuple[int, dict[str, np.ndarray]]:
        """Returns what the first rank of the giver has, on all ranks of both."""
        root, here = self._root(0), self.ends[0].here
        shapes = {name: (a.shape, a.dtype.str) for name, a in values.items()}
        number, shapes = self.comm.bcast((number, shapes), root)
        found = {}
        for name, (shape, kind) in shapes.items():
            found[name] = np.ascontiguousarray(values[name]) if here else np.empty(shape, kind)
            self.comm.Bcast(found[name], root)
        return number, found

    def _root(self, end: int) -> int:
        """Returns the first rank of the giver, 0, or of the taker, 1, among those of both."""
        giver, taker = self.ends
        return sorted({*giver.ranks, *taker.ranks}).index(self.ends[end].ranks[0])


class Boundaries(OfStates):
    """States of an outer model for the boundaries of an area."""

    used = False  # whether states were handed over, the same on the ranks of both

    def __str__(self) -> str:
        return f"{self.giver} -> {self.taker}: boundaries every {self.states.every:g} s"

    @property
    def starts_area(self) -> bool:
        """Returns whether the area starts from the first state of the outer model."""
        program = self.ends[1].program
        fresh = program.restart_from is None and not self.used
        return fresh and bool(program.model.starts_from_outer)

    def hand_ground(self) -> None:
        """Lets the giver know the ground of the area, which the ranks of the area have prepared."""
        if self.comm is None:
            return
        taker = self.ends[1]
        ground = self.comm.bcast(self.states.ground if taker.here else None, self._root(1))
        if not taker.here:
            self.states.ground = ground

    def hand(self, at_start: bool = False) -> None:
        """Hands the present state of the giver over. The ranks of both call it."""
        giver, taker = self.ends
        self.used = True
        number, values = 0, dict[str, np.ndarray]()
        if giver.here:
            number, values = self.states.present()
        if self.comm is not None:
            number, values = self._sent(number, values)
        if taker.here:
            self.states.keep(number, values)

    # ---- restarts --------------------------------------------------------------------------------

    def write(self, folder: Path) -> None:
        """Writes the state before the giver's time, where the giver is ahead of the taker. All
        ranks of the taker call it.
        """
        giver, taker = self.ends
        ahead = self.states.latest * self.states.every > taker.seconds - giver.late + 1e-6
        if ahead and (kept := self.states.kept):
            taker.program.on_root(lambda: _save(folder / f"{self.taker}.boundaries.npz", kept))

    def restore(self, folder: Path) -> None:
        """Continues from what `write` has written there; without that from the giver's state."""
        path, kept = folder / f"{self.taker}.boundaries.npz", dict[str, np.ndarray]()
        if path.is_file():
            with np.load(path) as file:
                kept = {name: file[name] for name in file.files}
        self.states.continue_from(kept)


class Feedback(OfStates):
    """The state of an area that it gives back to its outer model when both stand at the same time
    (two-way nesting). `forth`: the way by which the area gets the state that results.
    """

    lagged = True

    def __init__(self, forth: Boundaries) -> None:
        super().__init__(forth.taker, forth.giver, forth.states)
        self.forth = forth
        self.text = f"feedback {self.giver} -> {self.taker}"

    def __str__(self) -> str:
        return f"{self.giver} -> {self.taker}: feedback every {self.states.every:g} s"

    def hand(self, at_start: bool = False) -> None:
        """Lets the outer model have the state of the area, but not at a start. The ranks of both
        call it.
        """
        if at_start:
            return
        giver, taker = self.ends
        values = self.states.given_back(giver.program) if giver.here else {}
        if self.comm is not None:
            _, values = self._sent(0, values)
        if taker.here:
            self.states.take_back(values)
            self.states.forget_now()
        self.forth.hand()
        if giver.here:
            giver.program.forcing.read_anew(self.states)


def _save(path: Path, values: dict[str, Any]) -> None:
    """Writes arrays into a file."""
    file = BytesIO()
    np.savez(file, **values)
    writing.replace(path, file.getvalue())
