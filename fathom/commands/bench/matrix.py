"""`fathom bench matrix`."""

from __future__ import annotations

from pathlib import Path

import click

from fathom.base.failure import InputError
from fathom.commands.options import (
    PathOf,
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
    "--disk", "disks", default="none", help="none, local, or MB/s that all writers share."
)
@number_option("--steps", default=4, help="Of a sample.")
@number_option("--repeats", default=5, help="Samples of each.")
@settings_option
@json_option()
def matrix(
    case: Path,
    ranks: str,
    threads: str,
    distributions: str,
    disks: str,
    steps: int,
    repeats: int,
    settings: tuple[str, ...],
    file: Path | None,
) -> int:
    """A step of the experiment CASE on ranks × threads × distributions × disks, medians."""
    from fathom.performance.bench import matrix as table  # start-up time: loads NumPy

    def numbers(text: str, option: str) -> tuple[int, ...]:
        parts = text.split(",")
        if not all(part.isdigit() and int(part) for part in parts):
            raise InputError(f"{option} {text}: must be numbers, as in {option} 1,2")
        return tuple(map(int, parts))

    asked = table.Case(
        str(case),
        numbers(ranks, "--ranks"),
        numbers(threads, "--threads"),
        tuple(distributions.split(",")),
        tuple(disks.split(",")),
        settings,
        steps,
        repeats,
    )
    return table.present(table.measure(asked), file)
