"""What a simulation makes before its first step: blocks, program, fields, start.

1. blocks of the grid on the ranks
2. the processes of a step, with those of output and of other programs
3. the program of these processes, and memory for its fields
4. what never changes, and what global processes make of it
5. the state: of a restart, or that of the start
6. output and checkpoints that a restart continues
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import mpi
from fathom.data.input.values import fill_fixed
from fathom.model import device
from fathom.output.formats.restart import check_there
from fathom.run import choices, first_record, room
from fathom.run import parallel as spread
from fathom.run.forcing import Forcing
from fathom.run.requests import declared

if TYPE_CHECKING:
    from fathom.run.simulation import Simulation


def prepare(s: Simulation) -> None:
    """Makes everything of a simulation but time."""
    model, begin = s.model, s.between or s.restart_from
    if begin is not None:
        s.on_root(lambda: check_there(begin))
    model.choose_for(device=s.parallel["device"] is not None)
    choices.settle(s)
    mpi.core.set_threads(int(s.parallel["threads"]))
    spread.message_habits(s.parallel, s.comm)
    _place_on_ranks(s)
    _make_program(s)
    for checkpoint in s.checkpoints:
        checkpoint.prepare(s.in_restarts)
    kept = s.members.begin(begin, lambda: _start(s), lambda: _make_program(s))
    if not s.between:  # for the record: what comes from here on is of this simulation
        s.first_count, s.set_between = s.count, {}
    for store in s.outputs:
        store.take(kept.get(str(store.path)))
    take_back(s)
    if (name := s.parallel["device"]) is not None:
        s.fields.live_on(device.open(name, s.place))
    s.tidy()


def _make_program(s: Simulation) -> None:
    """Makes the program of a step, its fields, and what never changes."""
    model, precision = s.model, s.bytes_of_number
    own = model.processes(s.time_step, s.surface)
    processes, s.balanced = spread.share(s.apart.placed(own), s.parallel)
    known = declared(processes)
    keep = [*model.diagnostics, *model.forcing(s.surface).diagnostics()]
    for store in s.outputs:
        processes += store.processes(known, precision)
        keep += store.keep
    processes += s.handed.processes(known, precision)
    keep += s.handed.given
    _take_memory(s, processes, keep)
    model.receive_state(s)
    s.longest = max(p.every for p in processes)
    s.follow_sun(s.sequence, s.fields)
    s.at_start = first_record.names(s, own, keep)
    s.sequence.prepare(s.fields, lambda _: fill_fixed(s))
    s.forcing = Forcing.of(s.surface, model, s.readers, s.members.of_forcing, s.fields)
    s.members.tell()


def take_back(s: Simulation) -> None:
    """Deletes the file of the fields, which are back in memory."""
    if s.between is not None:
        s.everyone.barrier()  # nobody reads the file any more
        s.on_root(s.between.unlink)
        s.between = None


def _place_on_ranks(s: Simulation) -> None:
    """Makes blocks of the grid, their ranks, and their weights."""
    grid = s.model.grid
    s.domain = s.domain_of(grid, s.model.halo)
    s.domain.weigh(
        *(np.ascontiguousarray(a, float) for a in grid.areas),
        list(map(float, grid.levels.weights)),
    )


def _take_memory(s: Simulation, processes: list[Any], keep: Iterable[str]) -> None:
    """Makes the program of the processes and its fields. InputError: too little memory."""
    tile, tiles = spread.columns(s.parallel["tile"])
    s.sequence = mpi.core.StepProgram(
        s.domain,
        processes,
        s.bytes_of_number,
        sorted(set(keep)),
        s.model.rotations,
        tile=tile,
        tiles=tiles,
        device=s.parallel["device"] is not None,
    )
    room.for_fields(s)
    needed = room.of_fields(s)
    if s.told is not None and not s.between and s.is_root:
        s.told(f"{type(s.model).__name__}: {needed}")
    s.fields = mpi.core.FieldSet(s.sequence)


def _start(s: Simulation) -> dict[str, Any]:
    """Puts the initial state into the fields; returns {}: there are no data of stores."""
    if not s.model.initialise(s):
        s.sequence.start(s.fields)
    s.changed = False
    s.model.finish_initialisation(s)
    return {}
