"""`fathom bench balance`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fathom.commands.options import (
    PathOf,
    json_option,
    number_option,
    precision_option,
    record_option,
    usual_option,
)
from fathom.run import launch


@click.command()
@number_option("--ranks", default=2)
@usual_option("--model", default="spectral", help="spectral or grid-point.")
@number_option("--truncation", default=31, help="Of the grid, or a grid with as many columns.")
@number_option("--levels", default=20)
@precision_option("fp32")
@usual_option("--distribution", default="auto", help="Of the blocks: as parallel.distribution.")
@number_option(
    "--spin-up", default=24, help="Steps of 40 (grid-point: 20) minutes before those measured."
)
@number_option("--steps", default=6)
@number_option("--simulated", default=32, help="Rank counts to estimate from the costs of columns.")
@usual_option("--carrier", default="messages", help="Transfer of columns: messages, pulled, list.")
@click.option(
    "--threshold",
    default=0.05,
    show_default=True,
    help="Excess above the mean from which a rank gives columns away.",
)
@click.option("--pictures", type=PathOf(), help="A folder for maps.")
@record_option
@json_option()
def balance(
    ranks: int, file: Path | None, record: Path | None, pictures: Path | None, **given: Any
) -> int:
    """Measure the efficiency of the physics' columns on ranks, before and after they are shared."""
    from fathom.performance.bench import balance as bench  # start-up time: loads NumPy
    from fathom.performance.bench import recorded

    case = bench.Case(ranks, **given)

    def act() -> int:
        return recorded.told("balance", bench.present, bench.measure(case, pictures), file, record)

    return launch.distribute(ranks, 1, None, act)
