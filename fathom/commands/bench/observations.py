"""`fathom bench observations`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fathom.commands.options import (
    file_option,
    json_option,
    number_option,
    ranks_option,
    record_option,
)
from fathom.run import launch


@click.command()
@file_option("--file", "data", metavar="BUFR", help="Messages of this file, not made ones.")
@number_option("--messages", default=20000, help="How many are made.")
@number_option(
    "--repetitions", default=3, help="Repetitions of each part; the smallest time counts."
)
@ranks_option
@record_option
@json_option()
def observations(
    data: Path | None,
    messages: int,
    repetitions: int,
    ranks: int,
    file: Path | None,
    record: Path | None,
) -> int:
    """Measure the processor time of import, questions, screening, surface analysis and operators,
    next to what eccodes decodes; an import and a screening on more ranks are priced from it, and
    measured on --ranks.
    """

    def act() -> int:
        from fathom.base import mpi
        from fathom.performance.bench import observations as bench  # start-up time: loads NumPy
        from fathom.performance.bench import recorded

        measured = bench.on_ranks(mpi.world, data, messages, repetitions) if ranks > 1 else {}
        if not mpi.is_root:
            return 0
        figures = bench.measure(data, messages, repetitions) | {"measured": measured}
        return recorded.told("observations", present, figures, file, record)

    def present(figures: Any, to: Path | None) -> int:
        from fathom.performance.bench import observations as bench  # start-up time: loads NumPy

        click.echo("\n".join(bench.present(figures, to)))
        return 0

    return launch.distribute(ranks, 1, None, act)
