"""`fathom convert`: a restart for another grid."""

from __future__ import annotations

from pathlib import Path

import click

from fathom.base.failure import InputError
from fathom.commands.options import PathOf, settings_option


@click.group(short_help="A restart for another region, grid or other levels.")
def convert() -> None:
    """Make files of one run those of another."""


@convert.command(short_help="A restart of an ocean for another experiment.")
@click.argument("old", type=PathOf(), metavar="RESTART")
@click.argument("file", type=PathOf(), metavar="EXPERIMENT")
@click.argument("out", type=PathOf(), metavar="OUT")
@settings_option
@click.option("--overwrite", is_flag=True, help="Replace OUT.")
def restart(old: Path, file: Path, out: Path, settings: tuple[str, ...], overwrite: bool) -> int:
    """Write the restart OUT of EXPERIMENT from RESTART of an ocean on another grid, with other
    levels, or of a larger region: each field bilinear between columns with water, linear between
    layers, at the date of RESTART. `fathom run EXPERIMENT --restart OUT` goes on from there.
    """
    from fathom.run.experiment.converted import converted  # start-up time: loads NumPy
    from fathom.run.experiment.experiment import Experiment  # start-up time: loads NumPy

    if not old.is_file():
        raise InputError(f"{old}: there is no such restart")
    if out.exists() and not overwrite:
        raise InputError(f"{out} exists; --overwrite replaces it")
    for line in converted(old, Experiment.read(file, settings), out.absolute()):
        click.echo(line)
    return 0
