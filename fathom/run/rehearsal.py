"""A part of a run that is taken back: the state of a simulation in memory, steps without the events
of the run, and the way back. `fm.Coupled(order="repeated")` goes twice through each interval.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from fathom.run.simulation import Simulation


class Kept(NamedTuple):
    """The state of a simulation: fields on the global grid, and steps."""

    fields: dict[str, np.ndarray]
    steps: int


def kept(simulation: Simulation) -> Kept:
    """Returns the present state, as a restart has it; all ranks of the simulation call it."""
    s = simulation
    names = sorted({*s.in_restarts, *s.handed.taken} & {f["name"] for f in s.fields.fields})
    return Kept({name: s.handed.whole(name) for name in names}, s.count)


def rehearse(simulation: Simulation, seconds: float) -> None:
    """Takes steps to that time [s], without what a run does between them."""
    simulation.advance(round((seconds - simulation.seconds) / simulation.time_step))


def put_back(simulation: Simulation, state: Kept) -> None:
    """Puts a state back; all ranks of the simulation call it."""
    s = simulation
    for name, values in state.fields.items():
        s.fields.set(name, values, nearest_outside=name in s.handed.taken)
    s.count = s.fields.count = state.steps
    s.changed = True
