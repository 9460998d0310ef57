"""`fathom bench output`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fathom.commands.options import (
    Number,
    file_option,
    json_option,
    number_option,
    precision_option,
    record_option,
    threads_option,
    usual_option,
)


@click.command()
@usual_option(
    "--case",
    default="ocean-1deg",
    help="ocean-1deg, ocean-x1, ocean-3deg, forecast-t106, pressure-t106l60, aladin-7680,"
    " aladin-64800, arome-7680, arome-64800, arome-307200 (600×512×60; their own fields in FA,"
    " every 15 steps; as GRIB2: arome-7680-grib2).",
)
@click.option(
    "--every",
    help="Interval of all outputs.  [default: as the case has it: oceans and T106L60 3h; the"
    " forecast 6h, its rain 1d]",
)
@usual_option("--for", "length", default="1d", help="Length of the run.")
@number_option("--ranks", default=2, help="Ranks that compute.")
@threads_option
@precision_option("fp64")
@click.option(
    "--disk",
    type=Number(0),
    default=0.0,
    show_default=True,
    help="Rate of the disk in MB/s that all writers share; 0: unlimited.",
)
@click.option(
    "--paced",
    is_flag=True,
    help=(
        "Ranks that compute sleep for the time of a step, as if servers had separate processors."
    ),
)
@click.option(
    "--replay",
    is_flag=True,
    help=(
        "Instead: many small fields with headers, written in four ways and by the writer of FA"
        " files on an emulated slow file system."
    ),
)
@record_option
@json_option()
@file_option("--out", "picture", metavar="PNG", help="Draw the time of each step.")
def output(
    replay: bool, file: Path | None, record: Path | None, picture: Path | None, **given: Any
) -> int:
    """Run one case without output, with synchronous output, and with one and two I/O servers."""
    from fathom.performance.bench import offload, recorded  # start-up time: loads NumPy
    from fathom.performance.bench import replay as trace  # start-up time: loads NumPy

    if replay:
        return trace.present(trace.measure(), file)
    figures = offload.measure(offload.Case(**given))
    return recorded.told("output", offload.present, figures, file, record, picture)
