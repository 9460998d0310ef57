"""`fathom run`: an experiment from its start, a restart, or the point that it has reached."""

from __future__ import annotations

import signal
from functools import partial
from pathlib import Path
from typing import Any

import click

from fathom.base.failure import InputError, stopped_status
from fathom.commands.experiment import experiment_options, on_ranks, parallel_settings
from fathom.commands.options import file_option
from fathom.run import wishes
from fathom.run.progress import Progress


@click.command(short_help="Run an experiment.")
@experiment_options
@click.option(
    "--for", "period", metavar="PERIOD", help="How long: 30d, 6h, 2y. Instead of [simulation] run."
)
@file_option("--out", metavar="DIR", help="Run directory; runs/<name of FILE> by default.")
@click.option("--overwrite", is_flag=True, help="Replace an earlier run in that directory.")
@click.option("--report/--no-report", default=True, help="Draw report.html.")
@file_option("--restart", help="Start from this restart, written on any ranks.")
@click.option(
    "--continue",
    "further",
    is_flag=True,
    help=(
        "Continue from the last restart in the run directory to the end of the period that the"
        " file names; from the beginning if there is no restart."
    ),
)
def run(
    file: Path,
    ranks: int | None,
    servers: int | None,
    threads: int | None,
    settings: tuple[str, ...],
    period: str | None,
    out: Path | None,
    **how: Any,
) -> int:
    """Run FILE: output, restart, summary.json, report.html and the resolved TOML go to the run
    directory.

    Ctrl-C writes a restart and ends cleanly, with status 3; continue from it with --continue, or
    from any other with --restart. SIGUSR1 writes restart-now.fathom, and the run continues.
    """
    settings += parallel_settings(ranks, servers, threads)
    settings += (f'simulation.run="{period}"',) if period else ()
    directory = out or Path("runs") / file.stem
    return on_ranks(
        file,
        settings,
        directory,
        lambda experiment: _run(experiment, directory, **how),
        lambda programs: _run_programs(programs, directory, **how),
    )


def _run(
    experiment: Any,
    directory: Path,
    overwrite: bool,
    restart: Path | None,
    further: bool,
    report: bool,
) -> int:
    from fathom.run import checkpoint  # start-up time: loads NumPy
    from fathom.run.show import headline  # start-up time: loads NumPy

    period = experiment.period
    if further:
        _check_restart(directory, restart)
        with experiment.readers():
            restart = checkpoint.latest(directory)
    simulation = experiment.simulation(directory, overwrite or further, restart)
    _tell(simulation)
    signal.signal(signal.SIGTERM, lambda *_: simulation.wishes.hear(wishes.stop))
    if simulation.is_root:
        simulation.wishes.told = partial(click.echo, err=True)
    progress = Progress()
    try:
        summary = simulation.run(period, progress=progress, report=report, from_start=further)
    finally:
        progress.close()
    if simulation.is_root:
        click.echo(headline(simulation, summary))
    return stopped_status if simulation.stopped else 0


def _run_programs(
    file: Any,
    directory: Path,
    overwrite: bool,
    restart: Path | None,
    further: bool,
    report: bool,
) -> int:
    """Runs several programs; returns the exit status."""
    from fathom.run import checkpoint  # start-up time: loads NumPy
    from fathom.run.show import headline  # start-up time: loads NumPy

    period = file.period
    if further:
        _check_restart(directory, restart)
        restart = checkpoint.latest(directory)
    programs = file.programs(directory, overwrite or further, restart)
    for member in programs.here:
        member.program.told = click.echo
    signal.signal(signal.SIGTERM, lambda *_: programs.wishes.hear(wishes.stop))
    programs.wishes.told = partial(click.echo, err=True)
    progress = Progress()
    try:
        summary = programs.run(period, progress=progress, report=report, from_start=further)
    finally:
        progress.close()
    for member in programs.here:
        if member.program.is_root:
            click.echo(f"{member.name}: {headline(member.program, summary[member.name])}")
    return stopped_status if programs.stopped else 0


def _check_restart(directory: Path, restart: Path | None) -> None:
    """Checks that --continue stands without --restart. InputError: both are given."""
    if restart:
        raise InputError(
            f"--continue starts from the last restart in {directory}; --restart names another one"
        )


def _tell(simulation: Any) -> None:
    """The memory of the models is printed before it is taken, of outer ones too."""
    simulation.told = click.echo
    for other in simulation.model.companions:
        if other.simulation is not None:
            _tell(other.simulation)
