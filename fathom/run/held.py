"""Data that the parts of a Simulation share: fathom/run/simulation.py makes it."""

from pathlib import Path
from typing import Any

from fathom.base.configurable import Configurable


class Held(Configurable):
    """Attributes of a Simulation that its other parts use."""

    # the arguments
    model: Any
    surface: Any
    clock: Any
    time_step: float  # [s]
    directory: Path
    overwrite: bool
    parallel: dict[str, Any]
    configuration: str
    stretch: Any  # what its record says of time
    set_between: dict[str, str]  # fields that Python has set between steps, and when
    first_count: int  # steps before those of this simulation
    outputs: list[Any]
    checkpoints: list[Any]
    observing: list[Any]  # departures that are made in the run
    events: list[Any]
    trace_events: int
    # on which ranks it runs
    comm: Any
    division: Any  # which ranks step, and which help
    roles: Any  # which ranks serve output; None: none
    place: int  # of this rank, where ranks of a node share devices
    serves: Any  # whether this rank takes no steps
    apart: Any  # ranks of radiation
    companions: Any  # simulations that run with it
    agenda: list[Any] | None  # events of the present run
    servers: Any  # those at work; those of the last run
    served: Any
    # its parts
    sequence: Any  # the program of a step
    fields: Any  # the fields of the program
    changed: bool  # fields have been set since the last step
    count: int  # steps since the start
    at_start: frozenset[str]  # data of steps for the first record
    forcing: Any
    delivery: Any
    lock: Any
    wishes: Any
    between: Path | None  # a restart between two sequences
    alone: bool  # no other program runs under the same clock
    # its abilities
    is_root: Any
    seconds: Any
    experiment: Any
    goes_on_here: Any
    streams: Any
    prepare: Any
    settle: Any
    on_root: Any
    write_restart: Any
    _seen: Any
    put_away: Any
