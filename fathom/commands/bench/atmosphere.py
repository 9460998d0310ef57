"""`fathom bench atmosphere`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fathom.base.failure import InputError
from fathom.commands.options import (
    cores_option,
    device_option,
    file_option,
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
    "--case",
    "name",
    default="held-suarez-t42l24",
    help="held-suarez-t42l24, -t85l24, -t159l60, physics-t31l8, physics-t42l24.",
)
@ranks_option
@threads_option
@precision_option("fp32")
@click.option("--grid", help="linear, quadratic, cubic; by default that of the case.")
@number_option("--steps", default=36, help="Measured steps.")
@number_option("--spin-up", default=36, least=0, help="Steps before the measured ones.")
@click.option("--step", help="Time step; by default that of the case.")
@usual_option(
    "--tile",
    "tiles",
    default="measured",
    help="Columns at once: a number, measured, cache; several, as 16,64,2046, are compared.",
)
@device_option
@cores_option
@record_option
@json_option()
@file_option("--out", "picture", metavar="PNG", help="The curve of several tiles.")
def atmosphere(
    name: str,
    ranks: int,
    threads: int,
    tiles: str,
    file: Path | None,
    record: Path | None,
    picture: Path | None,
    **given: Any,
) -> int:
    """Measure the simulated days a day of the spectral atmosphere, and the time of a step by phase
    against the machine's limits.
    """
    from fathom.performance.bench import recorded  # start-up time: loads NumPy
    from fathom.performance.bench import tiles as lengths  # start-up time: loads NumPy
    from fathom.performance.bench.atmosphere import (  # start-up time: loads NumPy
        Case,
        measure,
        present,
    )

    tile = lengths.given(tiles)
    if given["device"] and len(tile) > 1:
        raise InputError(f"bench atmosphere: --tile {tiles}: a launch of a device has all columns")
    case = Case(case=name, ranks=ranks, threads=threads, tile=tile[0], **given)

    def act() -> int:
        if len(tile) > 1:
            return lengths.present(lengths.sweep(case, tile), file, picture)
        return recorded.measured("atmosphere", case, measure, present, file, record)

    return launch.distribute(ranks, threads, None, act)
