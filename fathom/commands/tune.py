"""`fathom tune`: the fastest way to run an experiment here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import fathom
from fathom.commands.experiment import experiment_options, parallel_settings
from fathom.commands.options import Number, PathOf, file_option, json_option
from fathom.run import launch


@click.command(short_help="Find the fastest way to run an experiment on this machine.")
@experiment_options
@click.option(
    "--seconds",
    type=Number(1),
    default=60.0,
    show_default=True,
    help="Time limit, approximate.",
)
@click.option(
    "--proposals/--no-proposals",
    default=True,
    help="Also compare settings that change bits: solver, preconditioner, sums.",
)
@file_option(
    "--out",
    default="tuned.toml",
    show_default=True,
    help="The experiment with [parallel] filled.",
)
@json_option("evidence", help="Write everything that was measured.")
@click.option("--price", type=PathOf(), hidden=True)
@click.option("--shapes", type=PathOf(), hidden=True)
def tune(
    file: Path,
    ranks: int | None,
    servers: int | None,
    threads: int | None,
    settings: tuple[str, ...],
    **how: Any,
) -> int:
    """Measure in short runs of FILE the settings that leave every bit unchanged: tiles, blocks,
    exchange, sum; ranks, threads and I/O servers if they are not given.

    Writes tuned.toml, and stores the results for all runs of this case on this machine. Settings
    that change bits are proposed, never chosen.
    """
    from fathom.performance.tune.run import Request, run  # start-up time: loads NumPy

    settings += parallel_settings(None, servers, None)
    request = Request(file, ranks, threads, settings, several=fathom.ProgramsFile, **how)
    return run(request, launch.distribute)
