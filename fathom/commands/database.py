"""`fathom database`: a store on latitudes and longitudes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from fathom.base.failure import InputError
from fathom.commands.options import PathOf, json_option, positive, ranks_option
from fathom.run import launch


@click.command(short_help="A store on latitudes, longitudes and levels of pressure.")
@click.argument("store", type=PathOf())
@click.argument("out", type=PathOf())
@click.option(
    "--regular",
    type=positive,
    default=1.0,
    show_default=True,
    help="Cells of degrees.",
)
@click.option("--levels", help="Pressures in hPa: 850,500. Default: the levels of the store.")
@click.option("--overwrite", is_flag=True, help="Replace OUT.")
@ranks_option
@json_option()
def database(
    store: Path,
    out: Path,
    regular: float,
    levels: str | None,
    overwrite: bool,
    ranks: int,
    file: Path | None,
) -> int:
    """Bring all fields of STORE to cells of latitude and longitude in OUT (.zarr). Levels of
    pressure need air_temperature, surface_air_pressure and surface_geopotential in it.
    """

    def act() -> int:
        from fathom.base import mpi  # start-up time
        from fathom.output.post import database as work  # start-up time

        wanted = None if levels is None else [_number(one) for one in levels.split(",")]
        made = work.make(store, out, regular, wanted, overwrite)
        if mpi.is_root:
            click.echo(f"{out}: {made['times']} times, {_seconds(made):.2f} s of processors")
            if file is not None:
                file.write_text(json.dumps(made, indent=1))
        return 0

    return launch.distribute(ranks, 1, None, act)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"--levels: {text!r} is no pressure; wanted: 850,500") from None


def _seconds(made: dict[str, Any]) -> float:
    return sum(sum(one.values()) for one in made["parts"])
