"""`fathom bench barotropic`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fathom.commands.options import (
    json_option,
    number_option,
    positive,
    ranks_option,
    record_option,
    threads_option,
    usual_option,
)
from fathom.run import launch


@click.command()
@usual_option("--grid", default="x1", help="x1, 1deg, 3deg, 0.1deg (3600×2400), or WIDTHxHEIGHT.")
@usual_option("--solver", default="chrongear", help="pcg, chrongear, pipelined, s-step, pcsi.")
@usual_option(
    "--preconditioner",
    default="diagonal",
    help="none, diagonal, evp, polynomial, factorisation.",
)
@usual_option("--exchange", default="packed", help="Method of the halo exchange.")
@usual_option("--sum", default="allreduce", help="Method of sums.")
@click.option(
    "--reproducible/--plain",
    default=True,
    help="Sums with the same bits on any ranks, or of plain numbers.",
)
@usual_option("--precision", default="fp64", help="fp64, or mixed: fp32 inside fp64 refinement.")
@ranks_option
@threads_option
@click.option("--tolerance", type=positive, default=1e-10, show_default=True)
@number_option("--iterations", default=5000, help="At most.")
@number_option(
    "--repetitions",
    default=3,
    help="Number of solves; the fastest counts. If not 1, two seconds of further solves are added.",
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Each solver with each preconditioner; on several ranks each exchange with each sum.",
)
@click.option("--peers/--no-peers", default=True, help="SciPy's cg on the same matrix.")
@click.option(
    "--layouts",
    is_flag=True,
    help="Instead: the operator on rectangles, on cells with water and on water alone.",
)
@record_option
@json_option()
def barotropic(
    ranks: int,
    threads: int,
    everything: bool,
    layouts: bool,
    file: Path | None,
    record: Path | None,
    **given: Any,
) -> int:
    """Measure the barotropic solver: nanoseconds per wet point and iteration, where they go."""
    from fathom.performance.bench import recorded  # start-up time: loads NumPy
    from fathom.performance.bench.barotropic import (  # start-up time: loads NumPy
        Case,
        measure,
        present,
    )

    if layouts:
        from fathom.performance.bench import layouts as bench  # start-up time: loads NumPy

        return bench.present(bench.measure(given["grid"]), file)
    case = Case(ranks=ranks, threads=threads, **given)

    def act() -> int:
        return recorded.told("barotropic", present, measure(case, everything), file, record)

    return launch.distribute(ranks, threads, None, act)
