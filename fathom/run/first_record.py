"""The record at the start of fields that only a step computes: fluxes at the ground, and
the exchange from which wind at 10 m and temperature at 2 m follow.

The first processes of a step, before the state changes, run once on a copy of the initial state, as
far as these fields need them. This does not change the run itself. Before the first step rain and
snow are 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from fathom.output.stores import falls

if TYPE_CHECKING:
    from fathom.run.simulation import Simulation


def names(simulation: Simulation, processes: Sequence[Any], kept: Iterable[str]) -> frozenset[str]:
    """Returns fields that `compute` makes, of those kept, from the processes of a step of the
    model.
    """
    phases = simulation.model.phases_of_start
    if not phases or simulation.parallel["device"] is not None:
        return frozenset()
    state = set(simulation.fields.state)
    return frozenset((set(kept) - state) & _made(_of_start(processes, phases)))


def compute(simulation: Simulation) -> None:
    """Computes these fields from the state at the start. All ranks that compute call it."""
    s, made = simulation, sorted(simulation.at_start)
    if not made:
        return
    step = _of_start(s.model.processes(s.time_step, s.surface), s.model.phases_of_start)
    trial = s.other(s.model, s.time_step, needed(step, made), made)
    s.follow_sun(trial.sequence, trial.fields)
    trial.advance(1)
    s.fields.copy(trial.fields, made)
    for name in filter(falls, made):
        s.fields.fill(name, 0.0)
    s.tidy()


def needed(processes: Sequence[Any], wanted: Iterable[str]) -> list[Any]:
    """Returns the processes, in order, that the wanted fields follow from."""
    missing, found = set(wanted), []
    for process in reversed(processes):
        if missing & _made([process]):
            found.append(process)
            missing -= {f["name"] for f in process.fields if f["access"] == "writes"}
            missing |= {f["name"] for f in process.fields if f["access"] != "writes"}
    return found[::-1]


def _of_start(processes: Sequence[Any], phases: Sequence[str]) -> list[Any]:
    """Returns the processes of a step that work with the state from which it starts."""
    return list(takewhile(lambda process: process.phase in phases, processes))


def _made(processes: Sequence[Any]) -> set[str]:
    return {f["name"] for process in processes for f in process.fields if f["access"] != "reads"}
