"""`fathom bench input`."""

from __future__ import annotations

from pathlib import Path

import click

from fathom.commands.options import Number, json_option, number_option, positive
from fathom.run import launch


@click.command("input")
@number_option("--ranks", default=2)
@number_option("--truncation", default=106, help="Of the fields.")
@number_option("--fields", default=60, help="How many.")
@click.option(
    "--disk",
    type=positive,
    default=17.0,
    show_default=True,
    help="MB/s of a shared disk, for all ranks together.",
)
@click.option(
    "--surface",
    type=Number(0),
    default=0.0,
    help="MB of a file of the surface, which all ranks need: 320 is SURFEX's. None by default.",
)
@json_option()
def input_(
    ranks: int, truncation: int, fields: int, disk: float, surface: float, file: Path | None
) -> int:
    """Measure the fields read and decoded, encoded and written by one rank, by few and by all, on a
    local and a shared disk, and how many should.
    """
    from fathom.performance.bench import reading  # start-up time: loads NumPy

    case = reading.Case(ranks, truncation, fields, disk, surface)

    def act() -> int:
        return reading.present(reading.measure(case), file)

    return launch.distribute(ranks, 1, None, act)
