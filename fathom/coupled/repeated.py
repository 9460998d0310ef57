"""An interval of the coupled system that is taken twice: first as ever, then again from its begin,
with the surface that the sea had at the end of the first. One iteration of the method of Schwarz:
the air and the sea of an interval know each other, to the order of the second iteration.

What the sea has not taken of the air's heat belongs to the interval before, and stays.
"""

from __future__ import annotations

from typing import Any

from fathom.base.timetable import Advance, Timetable, second
from fathom.coupled.between import ToAir
from fathom.coupled.program import Program
from fathom.run import rehearsal

of_before = "heat_returned"


def rehearse(system: Any, table: Timetable) -> None:
    """Takes an interval, and puts all back but for the surface of the sea that the air then sees.
    All ranks of the system call it.
    """
    before = {member.name: kept(member.program) for member in system.here}
    _take(system, table)
    up = next(one for one in system.exchanges if isinstance(one, ToAir))
    air = up.ends[1]
    surface = {}
    if air.here:
        names = [name for name in up.takes if name != of_before]
        surface = {name: air.program.handed.whole(name) for name in names}
    for member in system.here:
        put_back(member.program, before[member.name])
    for name, values in surface.items():
        air.program.handed.put(name, values)


def _take(system: Any, table: Timetable) -> None:
    """Takes an interval without the events of the run."""
    begin = round(system.seconds * second)
    for action in table.actions:
        if isinstance(action, Advance):
            member = system.members[action.program]
            if member.here:
                take_steps(member.program, (begin + action.until) / second)
        elif not (system.exchanges[action.link].lagged and action.at == 0):
            system._hand(action.link)
    system._hand_lagged(begin + table.interval)


def take_steps(program: Any, seconds: float) -> None:
    """Takes the steps of a program to that time [s]."""
    if isinstance(program, Program):
        program.run_to(seconds)
    else:
        rehearsal.rehearse(program, seconds)


def kept(program: Any) -> Any:
    """Returns the present state of a program."""
    return program.kept() if isinstance(program, Program) else rehearsal.kept(program)


def put_back(program: Any, state: Any) -> None:
    """Puts a state back."""
    if isinstance(program, Program):
        program.put_back(state)
    else:
        rehearsal.put_back(program, state)
