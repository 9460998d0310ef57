"""`fathom forcing`: checks of the forcing of an ocean, before any run; the q-flux of a slab."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from fathom.base.failure import InputError
from fathom.commands.options import Number, PathOf, file_option, json_option


@click.group(short_help="Check the forcing of an ocean, or make the q-flux of a slab.")
def forcing() -> None:
    """Check the forcing of an ocean before a run, or make the q-flux of a slab ocean."""


@forcing.command(short_help="Transports of heat and fresh water that a forcing implies.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--resolution", type=click.Choice(("1deg", "3deg")), default="1deg", show_default=True
)
@click.option(
    "--samples", type=click.IntRange(12), default=100, show_default=True, help="Of the year."
)
@file_option("--picture", metavar="FILE.png", help="Draw transports and stress by latitude.")
@json_option()
def check(
    files: tuple[str, ...], resolution: str, samples: int, picture: Path | None, file: Path | None
) -> int:
    """Compute the northward transports of heat and fresh water that a forcing implies, by basin,
    and its stress by latitude, compared with published figures.

    FILE: files, a folder or a pattern with net fluxes (hfds, wfo, tauuo, tauvo ...) or the air
    (names of CF, CMIP, ECMWF, CORE-II, JRA55-do) on latitudes and longitudes; "ncep" or "coads",
    the embedded climatologies.
    """
    import fathom as fm  # start-up time: loads NumPy
    from fathom.run import implied

    named: dict[str, Any] = {
        "ncep": lambda: fm.SurfaceForcing(data="ncep"),
        "coads": lambda: fm.BulkForcing("coads"),
    }
    name = files[0] if len(files) == 1 else f"{len(files)} files"
    surface = (
        named[name]()
        if name in named
        else implied.surface_of(files[0] if len(files) == 1 else list(files))
    )
    grid = implied.usual_grid(resolution)
    for source in surface.over(grid).records():
        for line in source.describe():
            click.echo(line)
    found = {Path(name).name: implied.of_surface(surface, grid, samples)}
    click.echo(implied.table(found))
    if picture:
        implied.picture(found, f"What {name} implies").savefig(picture, dpi=150)
    if file:
        (figures,) = (implied.figures(one) for one in found.values())
        file.write_text(json.dumps(figures, indent=2) + "\n")
    return 0


@forcing.command(short_help="The q-flux of a slab ocean from a run over a given sea.")
@click.argument("run", type=PathOf(exists=True), metavar="RUN")
@click.option("--out", type=PathOf(), required=True, metavar="FILE.nc", help="Of the q-flux.")
@click.option("--depth", type=Number(1), default=50.0, show_default=True, help="Of the slab [m].")
@click.option(
    "--thinnest-ice",
    type=Number(0.1, 10),
    default=1.5,
    show_default=True,
    help="Thickness of ice until it covers the sea [m].",
)
@click.option("--from", "start", metavar="DATE", help="Records before it do not count.")
def qflux(run: Path, out: Path, depth: float, thinnest_ice: float, start: str | None) -> int:
    """Compute the heat that a slab ocean needs so that it keeps the given sea of RUN, by month.

    RUN: output with sea_heat_flux, sea_surface_temperature and sea_ice_fraction, means by month, of
    a run of air over a GivenSea. The last whole years count.
    """
    import fathom as fm  # start-up time: loads NumPy
    from fathom.atmosphere.products import q_flux as of
    from fathom.base import writing

    writing.check_netcdf("--out", out)
    if out.exists() and out.samefile(run):
        raise InputError(f"--out = '{out}' is the run itself, which stays as it is")
    with fm.open(run) as data:
        made = of.q_flux(data, depth, thinnest_ice=thinnest_ice, start=start)
        whole = of.mean(made, data)
    writing.netcdf("--out", out, made)
    least, most = float(made.q_flux.min()), float(made.q_flux.max())
    click.echo(
        f"q-flux of {made.q_flux.attrs['years']:g} years for a slab of {depth:g} m: mean over the"
        f" sea {whole:.2f} W m-2, from {least:.0f} to {most:.0f}\n{out}"
    )
    return 0
