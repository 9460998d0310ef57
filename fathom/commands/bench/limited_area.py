"""`fathom bench limited-area`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fathom.commands.options import (
    cores_option,
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


@click.command("limited-area")
@usual_option(
    "--case",
    "name",
    default="area-7680-l31",
    help="area (hydrostatic), compressible, aladin (hydrostatic, full physics) or arome (with its"
    " physics), columns and levels: area-7680-l31, arome-64800-l41, compressible-307200-l60.",
)
@ranks_option
@threads_option
@precision_option("fp32")
@click.option("--grid", help="linear, quadratic, cubic; by default quadratic.")
@number_option("--steps", default=24, help="Measured steps.")
@number_option("--spin-up", default=12, least=0, help="Steps before the measured ones.")
@click.option("--step", help="Time step; by default that of the case.")
@device_option
@cores_option
@record_option
@json_option()
def limited_area(
    name: str, ranks: int, threads: int, file: Path | None, record: Path | None, **given: Any
) -> int:
    """Forecast days a day of the limited-area atmosphere, and the time of a step by phase against
    the machine's limits.
    """
    from fathom.performance.bench import recorded  # start-up time: loads NumPy
    from fathom.performance.bench.atmosphere import measure, present  # the same
    from fathom.performance.bench.limited_area import Case  # the same

    case = Case(case=name, ranks=ranks, threads=threads, **given)

    def act() -> int:
        return recorded.measured("limited-area", case, measure, present, file, record)

    return launch.distribute(ranks, threads, None, act)
