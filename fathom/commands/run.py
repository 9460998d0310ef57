"""`fathom run`: an experiment from its start, a restart, or the point that it has reached."""

from __future__ import annotations

import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fathom.base.failure import InputError, stopped_status
from fathom.commands.experiment import experiment_options, on_ranks, parallel_settings
from fathom.commands.options import file_option
from fathom.run import wishes
from fathom.run.progress import Progress

if TYPE_CHECKING:
    import fathom
    from fathom.run.experiment.experiment import Experiment
    from fathom.run.simulation import Simulation


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
    "--members",
    type=click.IntRange(1),
    help="Run so many members of the ensemble that FILE describes.",
)
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
    members: int | None,
    **how: Any,
) -> int:
    """Run FILE: output, restart, summary.json, report.html and the resolved TOML go to the run
    directory.

    Ctrl-C writes a restart and ends cleanly, with status 3; continue from it with --continue, or
    from any other with --restart. SIGUSR1 writes restart-now.fathom, and the run continues.
    """
    settings += parallel_settings(ranks, servers, threads)
    settings += (f'simulation.run="{period}"',) if period else ()
    settings += (f"ensemble.members={members}",) if members else ()
    directory = out or Path("runs") / file.stem
    return on_ranks(
        file,
        settings,
        directory,
        lambda file: _run(file, file.simulation, directory, **how),
        lambda file: _run(file, file.programs, directory, **how),
    )


def _run(
    file: Experiment | fathom.ProgramsFile,
    make: Callable[[Path, bool, Path | None], Simulation | fathom.Programs],
    directory: Path,
    overwrite: bool,
    restart: Path | None,
    further: bool,
    report: bool,
) -> int:
    """Runs what a file describes, one simulation or several programs; returns the exit status.

    make : returns it, of the directory, whether an earlier run there may go, and the restart.
    """
    from fathom.run import checkpoint  # start-up time: loads NumPy
    from fathom.run.show import headline  # start-up time: loads NumPy

    period = file.period
    if further:
        _check_restart(directory, restart)
        with file.readers():
            restart = checkpoint.latest(directory)
    work = make(directory, overwrite, restart)
    here = _simulations(work)
    work.resume(further)
    for one in here.values():
        _tell(one)
    signal.signal(signal.SIGTERM, lambda *_: work.wishes.hear(wishes.stop))
    if any(one.is_root for one in here.values()):
        work.wishes.told = partial(click.echo, err=True)
    progress = Progress()
    try:
        summary = work.run(period, progress=progress, report=report, from_start=further)
    finally:
        progress.close()
    for name, one in here.items():
        if one.is_root:
            own = summary[name] if name else summary
            click.echo(f"{name}: {headline(one, own)}" if name else headline(one, own))
    return stopped_status if work.stopped else 0


def _simulations(work: Any) -> dict[str, Any]:
    """Returns the simulations of this rank by name, "" of a single one."""
    from fathom.run.simulation import Simulation  # start-up time: loads NumPy

    if isinstance(work, Simulation):
        return {"": work}
    return {m.name: m.program for m in work.here if isinstance(m.program, Simulation)}


def _check_restart(directory: Path, restart: Path | None) -> None:
    """Checks that --continue stands without --restart. InputError: both are given."""
    if restart:
        raise InputError(
            f"--continue starts from the last restart in {directory}; --restart names another one"
        )


def _tell(simulation: Any) -> None:
    """Has the memory of the models printed before it is taken, of outer ones too."""
    simulation.told = click.echo
    for other in simulation.model.companions:
        if other.simulation is not None:
            _tell(other.simulation)
