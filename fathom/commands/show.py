"""`fathom show`: the parts of an experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fathom.base.failure import RoomError
from fathom.commands.experiment import experiment_options, on_ranks, parallel_settings
from fathom.run.experiment import trust
from fathom.run.tree import tree


@click.command(short_help="The parts of an experiment: grid, memory, sequence, state, events.")
@experiment_options
def show(
    file: Path,
    ranks: int | None,
    servers: int | None,
    threads: int | None,
    settings: tuple[str, ...],
) -> int:
    """Show what FILE describes, as a tree: grid, memory, ranks, sequence with its exchanges, state,
    events; of several programs what they give to each other. An area that has no room here is
    estimated from smaller ones. Runs nothing, and the code of [extensions] only with --trust.
    """
    settings += parallel_settings(ranks, servers, threads)
    with trust.looking():
        return on_ranks(file, settings, None, _show, _show_programs)


def _show_programs(file: Any) -> int:
    from fathom.base import mpi  # start-up time: loads NumPy

    programs = file.programs()
    entries = [(name, str(line)) for name, line in _lines(programs)]
    if mpi.is_root:
        click.echo(tree(f"{len(programs.members)} programs under one clock", entries))
    return 0


def _lines(programs: Any) -> list[tuple[str, str]]:
    """Returns a line for each program and each exchange, with what it is."""
    lines, number = programs.describe(), len(programs.members)
    kinds = ["program"] * number + ["exchange"] * (len(lines) - number)
    return list(zip(kinds, lines, strict=True))


def _show(experiment: Any) -> int:
    from fathom.base import mpi  # start-up time: loads NumPy
    from fathom.run.experiment.larger import estimate  # start-up time: loads NumPy
    from fathom.run.show import describe  # start-up time: loads NumPy

    try:
        simulation = experiment.simulation().prepare()
        if simulation.serves:
            return 0
        text = tree(*describe(simulation))
    except RoomError as error:
        text = tree(*estimate(experiment.document, error))
    if mpi.is_root:
        click.echo(text)
    return 0
