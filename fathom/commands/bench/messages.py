"""`fathom bench messages`."""

from __future__ import annotations

from pathlib import Path

import click

from fathom.commands.options import json_option, number_option, record_option
from fathom.run import launch


@click.command()
@number_option("--ranks", default=2)
@number_option(
    "--repetitions", default=1000, help="Of the smallest message, in each of five batches."
)
@record_option
@json_option()
def messages(ranks: int, repetitions: int, file: Path | None, record: Path | None) -> int:
    """Measure latency and bandwidth of every exchange and every sum by size, and the gain by
    packing.
    """
    from fathom.performance.bench import recorded  # start-up time: loads NumPy
    from fathom.performance.bench.messages import (  # start-up time: loads NumPy
        Case,
        measure,
        present,
    )

    case = Case(ranks, repetitions)

    def act() -> int:
        return recorded.told("messages", present, measure(case), file, record)

    return launch.distribute(ranks, 1, None, act)
