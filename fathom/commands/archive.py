"""`fathom archive`: stores as one array, for learned models."""

from __future__ import annotations

from pathlib import Path

import click

from fathom.commands.options import PathOf


@click.command(short_help="Stores as one array with normalisation, for learned models.")
@click.argument("stores", nargs=-1, required=True, type=PathOf(), metavar="STORE...")
@click.argument("out", type=PathOf())
@click.option("--overwrite", is_flag=True, help="Replace OUT.")
def archive(stores: tuple[Path, ...], out: Path, overwrite: bool) -> int:
    """Write the fields of stores with the same times, members and points to OUT (.zarr): data(time,
    variable, ensemble, cell), a chunk for each time, with mean and deviation of each variable, and
    fixed fields.
    """
    from fathom.output.post import archive as work  # start-up time: loads NumPy

    made = work.make(stores, out, overwrite)
    click.echo(
        f"{out}: {made['times']} times, {made['variables']} variables, {made['members']} members,"
        f" {made['cells']} cells"
    )
    return 0
