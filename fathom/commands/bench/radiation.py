"""`fathom bench radiation`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fathom.commands.options import (
    json_option,
    number_option,
    precision_option,
    record_option,
    usual_option,
)


@click.command()
@number_option("--layers", default=72)
@number_option("--columns", default=128)
@precision_option("fp64")
@usual_option("--longwave", default="lw-g128", help="Tables: a name or a file.")
@usual_option("--shortwave", default="sw-g112", help="Tables: a name or a file.")
@number_option("--repetitions", default=10)
@click.option("--device", help="cuda: also RRTMGP, as models have it, on a GPU.")
@record_option
@json_option()
def radiation(file: Path | None, record: Path | None, **given: Any) -> int:
    """Measure the columns per second of the radiation by correlated k, long and short wave, on one
    thread.
    """
    from fathom.performance.bench import radiation as bench  # start-up time: loads NumPy
    from fathom.performance.bench import recorded

    return recorded.told(
        "radiation", bench.present, bench.measure(bench.Case(**given)), file, record
    )
