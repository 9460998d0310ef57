"""`fathom bench transform`."""

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
@number_option("--truncation", default=159)
@number_option("--fields", default=180, help="Field-levels in one call.")
@precision_option("fp64")
@ranks_option
@threads_option
@click.option("--synchronise", is_flag=True, help="A barrier before each transposition.")
@usual_option("--grid", default="linear", help="linear, quadratic, cubic.")
@click.option("--reduced", default="", help="classical or octahedral rows.")
@number_option("--repetitions", default=10)
@click.option(
    "--peers/--no-peers",
    default=True,
    help="Also ducc0 and SHTns in the same run, if they are installed; with a device the"
    " processor's cores instead.",
)
@device_option
@record_option
@json_option()
def transform(
    ranks: int, threads: int, file: Path | None, record: Path | None, **given: Any
) -> int:
    """Measure milliseconds per field-level and pair of spectral transforms, and as a fraction of
    the machine's multiply-adds; on several ranks without peers.
    """
    from fathom.performance.bench import (  # start-up time: loads NumPy
        recorded,
        transform_on_device,
        transforms,
    )

    case = transforms.Case(ranks=ranks, threads=threads, **given)
    if case.device:
        figures = transform_on_device.measure(case)
        return recorded.told("transform", transform_on_device.present, figures, file, record)
    if ranks == 1:
        figures = transforms.measure(case)
        return recorded.told("transform", transforms.present, figures, file, record)

    def act() -> int:
        figures = transforms.measure_on_ranks(case)
        return recorded.told("transform", transforms.present_on_ranks, figures, file, record)

    return launch.distribute(ranks, threads, None, act)
