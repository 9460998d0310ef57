"""`fathom forcing`: checks of the forcing of an ocean, before any run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from fathom.commands.options import file_option, json_option


@click.group(short_help="Check the forcing of an ocean before a run.")
def forcing() -> None:
    """Check the forcing of an ocean before a run."""


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
