"""`fathom machine`: the rates of this machine, or of one of the catalogue."""

from __future__ import annotations

from pathlib import Path

import click

from fathom.base.failure import InputError
from fathom.commands.options import file_option, number_option
from fathom.run import launch


@click.command(short_help="Measure this machine, or show one of the catalogue.")
@click.argument("name", required=False)
@click.option("--list", "listed", is_flag=True, help="The machines of the catalogue.")
@number_option("--ranks", default=2, help="Ranks for the measurement.")
@file_option("--write", "file", help="Write what was measured, for `fathom scale --machine FILE`.")
@file_option(
    "--case",
    metavar="TOML",
    help="Measure the speed-up of threads with this experiment, and add it to FILE.",
)
def machine(
    name: str | None, listed: bool, ranks: int, file: Path | None, case: Path | None
) -> int:
    """Rates of cores, memory, messages and sums of this machine, and how often it is interrupted;
    or those of NAME, with the source of each.
    """
    from fathom.performance.scaling import threads  # start-up time: loads NumPy
    from fathom.performance.scaling.here import show  # start-up time: loads NumPy

    if listed or name:
        return show(name)
    if case is not None and file is None:
        raise InputError(
            f"machine --case {case}: the speed-up of threads is added to a file; give --write"
            " FILE, too"
        )
    status = launch.distribute(ranks, 1, None, lambda: show(None, file, True))
    if case is not None and file is not None and status == 0 and launch.launched() is None:
        threads.add_to(file, case)
    return status
