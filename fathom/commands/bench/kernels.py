"""`fathom bench kernels`."""

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
)
from fathom.run import launch


@click.command()
@click.option("--kernel", help="Only this one.")
@number_option("--truncation", default=85, least=21)
@number_option("--levels", default=24, least=3)
@precision_option("fp32")
@threads_option
@number_option("--repetitions", default=10)
@click.option(
    "--land",
    type=click.Choice(["LandSurface", "SoilLayers", "TiledLand"]),
    default="LandSurface",
    show_default=True,
    help="The scheme of the ground.",
)
@record_option
@json_option()
def kernels(threads: int, file: Path | None, record: Path | None, **given: Any) -> int:
    """Measure milliseconds, GF/s and GB/s of each kernel of the spectral atmosphere, and the
    fraction of the machine's limit.
    """
    from fathom.performance.bench import recorded  # start-up time: loads NumPy
    from fathom.performance.bench.kernels import (  # start-up time: loads NumPy
        Case,
        measure,
        present,
    )

    case = Case(threads=threads, **given)

    def act() -> int:
        return recorded.told("kernels", present, measure(case), file, record)

    return launch.distribute(1, threads, None, act)
