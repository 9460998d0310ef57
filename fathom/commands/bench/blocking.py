"""`fathom bench blocking`."""

from __future__ import annotations

from pathlib import Path

import click

from fathom.base import mpi
from fathom.commands.options import (
    Number,
    PathOf,
    file_option,
    json_option,
    ranks_option,
    settings_option,
    threads_option,
)
from fathom.run import launch
from fathom.run.experiment.toml import Document
from fathom.run.progress import Line


@click.command()
@click.argument("case", type=PathOf())
@click.option(
    "--tile",
    "tiles",
    help="Columns at once (NPROMA), as 16,64,256; by default powers of two up to a row.",
)
@click.option(
    "--block",
    "blocks",
    help="Sizes of blocks, as 36x24,18x12; by default the grid cut in halves again and again.",
)
@ranks_option
@threads_option
@click.option(
    "--seconds",
    type=Number(1),
    default=30.0,
    show_default=True,
    help="Time for repetitions; each is measured at least three times.",
)
@settings_option
@json_option()
@file_option("--picture", metavar="PNG", help="Draw both curves.")
def blocking(
    case: Path,
    tiles: str | None,
    blocks: str | None,
    ranks: int,
    threads: int,
    seconds: float,
    settings: tuple[str, ...],
    file: Path | None,
    picture: Path | None,
) -> int:
    """Time of a step of the experiment CASE against the length of tiles and the size of blocks,
    each in turns with the usual.
    """

    def read(more: list[str]) -> Document:
        document = Document.read(case, (*settings, *more))
        document.tables.pop("output", None)
        kept = {
            k: v
            for k, v in document.section("parallel").items()
            if k not in ("tile", "blocks", "distribution", "io_servers", "per_node")
        }
        document.tables["parallel"] = kept | {"ranks": ranks, "threads": threads}
        return document

    def act() -> int:
        from fathom.performance.bench.blocking import (  # start-up time: loads NumPy
            measure,
            present,
        )

        line = Line() if mpi.is_root else None
        figures = measure(read, seconds, tiles, blocks, line)
        if line is None:
            return 0
        line.clear()
        return present(figures, case.stem, file, picture)

    return launch.distribute(ranks, threads, None, act)
