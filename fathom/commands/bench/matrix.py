"""`fathom bench matrix`."""

from __future__ import annotations

from pathlib import Path

import click

from fathom.base.failure import InputError
from fathom.commands.options import (
    PathOf,
    file_option,
    json_option,
    number_option,
    settings_option,
    usual_option,
)


@click.command()
@click.argument("case", type=PathOf())
@usual_option("--ranks", default="1,2", help="Numbers of ranks.")
@usual_option("--threads", default="1", help="Numbers of threads.")
@usual_option("--distribution", "distributions", default="auto", help="Distributions.")
@usual_option(
    "--block", "tiles", default="cache", help="Lengths of blocks (NPROMA): cache, measured, 64."
)
@usual_option(
    "--disk", "disks", default="none", help="none, local, or MB/s that all writers share."
)
@usual_option("--readers", default="0", help="Ranks that read: 0 (one a node), numbers, all.")
@usual_option("--writers", default="all", help="Ranks that write: numbers, all.")
@usual_option("--servers", default="0", help="Numbers of I/O servers beside the ranks.")
@usual_option(
    "--barriers", default="off", help="off, on, halos, transpositions, on_demand: meet before."
)
@usual_option("--staging", default="none", help="none, or folders of this node.")
@number_option("--steps", default=4, help="Of a sample.")
@number_option("--repeats", default=5, help="Samples of each.")
@settings_option
@json_option()
@file_option("--picture", metavar="PNG", help="Draw mean and best of each against the ranks.")
def matrix(
    case: Path,
    ranks: str,
    threads: str,
    servers: str,
    steps: int,
    repeats: int,
    settings: tuple[str, ...],
    file: Path | None,
    picture: Path | None,
    **texts: str,
) -> int:
    """Time a step of the experiment CASE in every shape: ranks × threads × distributions × blocks ×
    disks × readers × writers × servers × barriers × staging; medians of samples in turn.
    """
    from fathom.performance.bench import matrix as table  # start-up time: loads NumPy
    from fathom.run.progress import Line  # start-up time

    def numbers(text: str, option: str, least: int = 1) -> tuple[int, ...]:
        parts = text.split(",")
        if not all(part.isdigit() and int(part) >= least for part in parts):
            raise InputError(
                f"{option} {text}: must be numbers of at least {least}, as in {option} 1,2"
            )
        return tuple(map(int, parts))

    asked = table.Case(
        str(case),
        numbers(ranks, "--ranks"),
        numbers(threads, "--threads"),
        servers=numbers(servers, "--servers", 0),
        settings=settings,
        steps=steps,
        repeats=repeats,
        **{name: tuple(text.split(",")) for name, text in texts.items()},
    )
    return table.present(table.measure(asked, Line()), file, picture)
