"""`fathom column`: a single column from a DEPHY driver file; and its verb `export`."""

from __future__ import annotations

from pathlib import Path

import click

from fathom.commands.column_export import export
from fathom.commands.options import PathOf, positive


class Column(click.Group):
    """A group with a verb for where none is given: `fathom column FILE OUT`."""

    usual = "case"

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Returns the arguments that are left, with the verb before them."""
        named = args[:1] and args[0] in (*self.commands, *context.help_option_names)
        return super().parse_args(context, args if named or not args else [self.usual, *args])


@click.group(cls=Column, short_help="A single column, or columns of a run for training.")
def column() -> None:
    """Run a single column of a DEPHY driver file, `fathom column FILE OUT`; or write columns of a
    run for the training of a scheme, `fathom column export`.
    """


@column.command("case", short_help="A single column from a DEPHY driver file.")
@click.argument("file", type=PathOf(exists=True, dir_okay=False))
@click.argument("out", type=PathOf())
@click.option("--for", "period", metavar="TIME", help="How long; by default to the file's end.")
@click.option("--step", metavar="TIME", help="Time step.")
@click.option("--every", default="10min", show_default=True, help="Time between records.")
@click.option("--top", type=positive, help="Height of the top [m].")
@click.option("--levels", type=click.IntRange(2), help="Number of layers of equal depth.")
@click.option("--physics", multiple=True, metavar="SCHEME", help="Schemes, in order.")
@click.option(
    "--radiation",
    metavar="TIME",
    default="5min",
    show_default=True,
    help="Interval of radiation, if FILE has interactive radiation; none: never.",
)
@click.option(
    "--roughness",
    type=positive,
    help="Roughness of the ground [m], if the file has none.",
)
def case(
    file: Path,
    out: Path,
    period: str | None,
    step: str | None,
    every: str,
    top: float | None,
    levels: int | None,
    physics: tuple[str, ...],
    radiation: str,
    roughness: float | None,
) -> int:
    """Run the case of FILE (`*_SCM_driver.nc`) in one column; write profiles to OUT (netCDF).

    Step, top, layers, schemes and roughness are by default those of the published case, where FILE
    is one that is known.
    """
    import warnings

    from fathom.base import writing

    writing.check_netcdf("OUT", out)

    import numpy as np

    from fathom.atmosphere.column import published_columns as known
    from fathom.atmosphere.column.driver_file import DriverFile
    from fathom.atmosphere.column.forced import ForcedColumn
    from fathom.base import mpi

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        given = DriverFile(file)
        usual = known.case(given.name)
        single = ForcedColumn(
            given,
            np.linspace(0, top or usual.top, (levels or usual.layers) + 1),
            physics or usual.physics,
            time_step=step or usual.step,
            roughness=roughness or usual.roughness,
            radiation=None if radiation == "none" else radiation,
        )
    profiles = single.run(period, every)
    if mpi.MPI.COMM_WORLD.rank > 0:  # every rank has run the same column
        return 0
    for warning in said:
        click.echo(f"warning: {warning.message}", err=True)
    writing.netcdf("OUT", out, profiles)
    click.echo("means of the last hours:")
    for quantity, found, published in known.compared(profiles):
        click.echo(f"  {quantity}: {found}" + (f"; large eddies {published}" if published else ""))
    return 0


column.add_command(export)
