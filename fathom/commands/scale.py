"""`fathom scale`: the cost of an experiment on simulated ranks and other machines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fathom.commands.options import (
    PathOf,
    file_option,
    json_option,
    settings_option,
    threads_option,
    usual_option,
)
from fathom.run import launch


@click.command(short_help="Estimate the cost of an experiment on other machines and rank counts.")
@click.argument("file", type=PathOf())
@usual_option("--ranks", default="1,2", help="Ranks for the measurement on this machine.")
@usual_option("--simulate", default="16,64,256,1024,4096", help="Simulated ranks.")
@usual_option(
    "--machine", default="here", help="here, a name (`fathom machine --list`), or a file."
)
@click.option(
    "--what-if",
    "what_if",
    multiple=True,
    metavar="A=B,C=D",
    help=(
        "solver, preconditioner, exchange, sum, block, noise, threads, distribution, mapping,"
        " synchronise, in_flight, sum_words, radiation_ranks, io_servers, io_sets, writers,"
        " readers, work; or a quantity of the machine: network.latency=1e-6, or a range of it:"
        " network.gap=1e-8:1e-7:1e-6."
    ),
)
@file_option(
    "--measure",
    help=(
        "Run this case instead of FILE: the same processes on a grid that fits into this machine."
    ),
)
@click.option(
    "--inner-loop",
    is_flag=True,
    help="Price the tangent and the adjoint of a step, the work of an iteration of 4D-Var.",
)
@settings_option
@threads_option
@json_option("json")
@file_option("--picture", metavar="PNG", help="Draw speed over ranks.")
@file_option(
    "--gantt", metavar="PNG", help="Draw what each rank does in a step, on most simulated ranks."
)
@click.option("--probe", type=PathOf(), hidden=True)
def scale(file: Path, ranks: str, simulate: str, what_if: tuple[str, ...], **how: Any) -> int:
    """Measure FILE on few ranks here, then price a step on many ranks of any machine: blocks and
    messages of the real grid, sums, noise, waiting.
    """
    from fathom.performance.scaling.request import (  # start-up time: loads NumPy
        Request,
        counts,
        suppositions,
    )
    from fathom.performance.scaling.run import run  # start-up time: loads NumPy

    request = Request(
        file,
        counts(ranks, "--ranks"),
        counts(simulate, "--simulate"),
        what_if=suppositions(what_if),
        **how,
    )
    return run(request, launch.distribute)
