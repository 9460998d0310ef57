"""`fathom bench assimilation`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fathom.base import mpi
from fathom.base.failure import InputError
from fathom.commands.options import json_option, number_option, record_option
from fathom.run import launch


@click.command()
@number_option("--truncation", default=21, least=5)
@number_option("--levels", default=10, least=2)
@number_option("--window", default=6, help="Steps of 4D-Var's window.")
@number_option(
    "--repetitions", default=3, help="Repetitions of each step; the smallest time counts."
)
@number_option("--ranks", default=1, help="Of the minimisation.")
@click.option("--step", default="1h", help="Of the model.")
@click.option(
    "--keep",
    type=click.Choice(["all", "fp32", "states"]),
    default="all",
    help="What the minimisation keeps of a step.",
)
@click.option(
    "--precision",
    type=click.Choice(["fp64", "fp32"]),
    default="fp64",
    help="Of the model, its tangent and adjoint; B and products of vectors are in fp64.",
)
@click.option(
    "--only", default="", help="step, areas, kept, interpolation, minimisation or vertical."
)
@click.option(
    "--inner",
    "inner",
    type=int,
    multiple=True,
    help="Instead: inner loops at these truncations, one iteration each, of a model of --truncation"
    " on a linear grid, their steps twice as long.",
)
@record_option
@json_option()
def assimilation(
    truncation: int,
    levels: int,
    window: int,
    repetitions: int,
    ranks: int,
    step: str,
    keep: str,
    precision: str,
    only: str,
    inner: tuple[int, ...],
    file: Path | None,
    record: Path | None,
) -> int:
    """Measure the processor time of a step of the model, its tangent and its adjoint, and of an
    iteration of 4D-Var by its maps and kernels; with --inner, of an outer loop of 4D-Var with
    several resolutions.
    """
    from fathom.performance.bench import assimilation as bench  # start-up time: loads NumPy
    from fathom.performance.bench import multi_resolution, recorded

    if inner:
        figures = multi_resolution.measure(truncation, list(inner), levels, window, step)
        click.echo("\n".join(multi_resolution.present(figures, file)))
        return 0
    if ranks > 1 and only != "minimisation":
        raise InputError(
            f"bench assimilation: ranks = {ranks} is for the minimisation alone: give --only"
            " minimisation too"
        )

    def present(found: Any, to: Path | None) -> int:
        click.echo("\n".join(bench.present(found, to)))
        return 0

    def act() -> int:
        found = bench.measure(truncation, levels, window, repetitions, keep, only, step, precision)
        root = mpi.is_root
        return recorded.told("assimilation", present, found, file, record) if root else 0

    return launch.distribute(ranks, 1, None, act) if ranks > 1 else act()
