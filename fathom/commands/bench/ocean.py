"""`fathom bench ocean`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fathom.commands.options import (
    device_option,
    json_option,
    number_option,
    precision_option,
    ranks_option,
    record_option,
    threads_option,
    usual_option,
)
from fathom.run import launch


@click.command()
@usual_option("--grid", default="x1", help="x1 (320×384×40), 1deg, 3deg, 0.25deg.")
@usual_option("--physics", default="lean")
@ranks_option
@threads_option
@precision_option("fp64")
@device_option
@number_option("--steps", default=48, help="Measured steps.")
@number_option("--spin-up", default=48, least=0, help="Steps before the measured ones.")
@click.option("--step", help="Time step; by default one that is stable for 30 days on that grid.")
@click.option(
    "--solver",
    default="automatic",
    help="Method of the free surface; automatic: that of the model.",
)
@click.option("--preconditioner", default="automatic", help="Of the free surface.")
@click.option("--peers/--no-peers", default=True, help="Compare with Veros, if it is installed.")
@record_option
@json_option()
def ocean(ranks: int, threads: int, file: Path | None, record: Path | None, **given: Any) -> int:
    """Measure the seconds per step of the ocean: per million wet cells, per process and phase, and
    as a fraction of the machine's bandwidth.
    """
    from fathom.performance.bench import recorded  # start-up time: loads NumPy
    from fathom.performance.bench.ocean import (  # start-up time: loads NumPy
        Case,
        measure,
        present,
    )

    case = Case(ranks=ranks, threads=threads, **given)

    def act() -> int:
        return recorded.told("ocean", present, measure(case), file, record)

    return launch.distribute(ranks, threads, None, act)
