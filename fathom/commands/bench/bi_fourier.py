"""`fathom bench bi-fourier`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fathom.commands.options import (
    json_option,
    number_option,
    precision_option,
    record_option,
    threads_option,
    usual_option,
)


@click.command("bi-fourier")
@number_option("--points", default=300, help="Points of a row, with the extension zone.")
@number_option("--rows", default=270)
@number_option("--fields", default=180, help="Field-levels in one call.")
@precision_option("fp64")
@threads_option
@usual_option("--grid", default="quadratic", help="linear, quadratic, cubic.")
@number_option("--repetitions", default=10)
@click.option(
    "--peers/--no-peers",
    default=True,
    help="NumPy, SciPy and ducc0 (if installed) in the same run.",
)
@record_option
@json_option()
def bi_fourier(file: Path | None, record: Path | None, **given: Any) -> int:
    """Measure milliseconds per field-level and pair of transforms of a periodic plane, and the
    machine's limits.
    """
    from fathom.performance.bench import planes, recorded  # start-up time: loads NumPy

    figures = planes.measure(planes.Case(**given))
    return recorded.told("bi-fourier", planes.present, figures, file, record)
