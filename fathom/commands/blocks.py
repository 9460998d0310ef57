"""`fathom blocks`: how a grid falls into blocks, and onto ranks."""

from __future__ import annotations

from pathlib import Path

import click

from fathom.commands.options import file_option, json_option, usual_option


@click.command(short_help="Blocks of a grid, and their distribution to ranks.")
@usual_option("--grid", "name", default="x1", help="x1, 1deg, 3deg, 0.1deg (3600×2400).")
@click.option(
    "--block",
    "sizes",
    multiple=True,
    default=("36x24",),
    show_default=True,
    help="Points of a block, WIDTHxHEIGHT; may be repeated.",
)
@click.option("--ranks", type=click.IntRange(1), help="Distribute them to ranks, with each method.")
@json_option()
@file_option("--out", "picture", metavar="PNG", help="A map of the blocks of each rank.")
def blocks(
    name: str, sizes: tuple[str, ...], ranks: int | None, file: Path | None, picture: Path | None
) -> int:
    """Show how many blocks of a grid hold water, how full they are, and how evenly the Cartesian,
    rake and space-filling distributions share them.
    """
    from fathom.performance.bench.blocks import (  # start-up time: loads NumPy
        present,
        size_of,
        study,
    )

    return present(study(name, [size_of(text) for text in sizes], ranks), file, picture)
