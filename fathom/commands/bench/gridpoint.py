"""`fathom bench gridpoint`."""

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
@usual_option(
    "--case", "name", default="sphere", help="sphere, sphere-physics, sphere-full-physics, plane."
)
@number_option("--nx", default=96, help="Columns of a row; on a plane also of a column.")
@number_option("--levels", default=38)
@click.option("--step", help="Time step; by default 20min, on a plane 6s.")
@ranks_option
@threads_option
@precision_option("fp32")
@number_option("--steps", default=12, help="Measured steps.")
@number_option("--spin-up", default=6, least=0, help="Steps before the measured ones.")
@click.option(
    "--peer/--no-peer",
    default=True,
    help="Also the spectral atmosphere with as many columns, in the same run; with a device the"
    " processor's cores instead.",
)
@device_option
@record_option
@json_option()
def gridpoint(
    name: str, ranks: int, threads: int, file: Path | None, record: Path | None, **given: Any
) -> int:
    """Measure the seconds a step and million cells of the grid-point atmosphere, by phase, against
    the machine's limits.
    """
    from fathom.performance.bench import recorded  # start-up time: loads NumPy
    from fathom.performance.bench.gridpoint import (  # start-up time: loads NumPy
        Case,
        measure,
        present,
    )

    case = Case(case=name, ranks=ranks, threads=threads, **given)

    def act() -> int:
        return recorded.measured("gridpoint", case, measure, present, file, record)

    return launch.distribute(ranks, threads, None, act)
