"""`fathom bench observations`."""

from __future__ import annotations

from pathlib import Path

import click

from fathom.commands.options import file_option, json_option, number_option


@click.command()
@file_option("--file", "data", metavar="BUFR", help="Number of messages.")
@number_option("--messages", default=20000, help="How many are made.")
@number_option(
    "--repetitions", default=3, help="Repetitions of each part; the smallest time counts."
)
@json_option()
def observations(data: Path | None, messages: int, repetitions: int, file: Path | None) -> int:
    """Processor time of import, questions, screening, surface analysis and operators, next to what
    eccodes decodes; an import on more ranks is priced from it.
    """
    from fathom.performance.bench import observations as bench  # start-up time: loads NumPy

    figures = bench.measure(data, messages, repetitions)
    click.echo("\n".join(bench.present(figures, file)))
    return 0
