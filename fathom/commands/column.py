"""`fathom column`: a single column from a DEPHY driver file."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(short_help="A single column from a DEPHY driver file.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--for", "period", metavar="TIME", help="How long; by default to the file's end.")
@click.option("--step", default="60s", show_default=True, help="Time step.")
@click.option("--every", default="10min", show_default=True, help="Time between records.")
@click.option("--top", default=3000.0, show_default=True, help="Height of the top [m].")
@click.option("--levels", default=80, show_default=True, help="Layers, all equally deep.")
@click.option("--physics", multiple=True, metavar="SCHEME", help="Schemes, in order.")
@click.option("--roughness", type=float, help="Of the ground [m], where the file gives none.")
def column(file, out, period, step, every, top, levels, physics, roughness) -> int:
    """Run the case of FILE (`*_SCM_driver.nc`) in one column; write profiles to OUT (netCDF)."""
    import warnings

    if not out.absolute().parent.is_dir():
        raise click.UsageError(f"{out}: the folder {out.absolute().parent} does not exist")

    import numpy as np

    from fathom import mpi
    from fathom.atmosphere.published_columns import compared
    from fathom.atmosphere.single_column import ForcedColumn

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        case = ForcedColumn(
            file,
            np.linspace(0, top, levels + 1),
            list(physics) or None,
            step=step,
            roughness=roughness,
        )
    profiles = case.run(period, every)
    if mpi.MPI.COMM_WORLD.rank > 0:  # every rank has run the same column
        return 0
    for warning in said:
        click.echo(f"warning: {warning.message}", err=True)
    profiles.to_netcdf(out)
    click.echo("means of the last hours:")
    for quantity, found, published in compared(profiles):
        click.echo(f"  {quantity}: {found}" + (f"; large eddies {published}" if published else ""))
    return 0
