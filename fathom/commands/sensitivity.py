"""`fathom sensitivity`: how a number of the sea or the air depends on all before it: maps and a
table.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from fathom.base import mpi
from fathom.base.failure import InputError
from fathom.commands.options import (
    PathOf,
    file_option,
    json_option,
    ranks_option,
    settings_option,
    threads_option,
    usual_option,
)
from fathom.run import launch


@click.command(short_help="How a number of sea or air depends on all before it, by the adjoint.")
@click.argument("experiment", type=PathOf())
@usual_option(
    "--cost",
    default="overturning",
    help="The number: overturning (at 26.5 N), drake (transport), heat (temperature of the upper"
    " 700 m), or as Average('temperature', latitude=(-10, 10), depth=(0, 300)) or"
    " Transport(latitude=26.5, longitude=(-82, -12), depth=(0, 1000)). Of the air: pressure (at the"
    " ground, 45 to 60 N, 20 W to 10 E), or as Average('virtual_temperature', latitude=(60, 90)).",
)
@usual_option("--run", default="30d", help="Length of the run that is reversed.")
@click.option("--mean", help="The number is a mean over the last part of the run, as 1d.")
@click.option("--spin-up", help="A run before it, as 1y.")
@click.option("--restart", type=PathOf(), help="Begin with this restart.")
@click.option("--stored", type=click.IntRange(1), help="States kept at once; usually by memory.")
@click.option(
    "--optimal",
    type=click.IntRange(1),
    metavar="NUMBER",
    help="Instead of a cost: so many perturbations of temperature, salinity and height, those that"
    " grow most in the run.",
)
@click.option(
    "--parameter",
    "parameters",
    multiple=True,
    metavar="KEY",
    help="A positive number of the file, as model.eddies.diffusivity: what a unit of it changes.",
)
@click.option("--freeze", multiple=True, help="A process whose results are to stay as they are.")
@file_option("--out", metavar="DIR", help="Directory; by default runs/FILE-sensitivity.")
@ranks_option
@threads_option
@settings_option
@json_option()
def sensitivity(
    experiment: Path,
    cost: str,
    run: str,
    mean: str | None,
    spin_up: str | None,
    restart: Path | None,
    stored: int | None,
    optimal: int | None,
    parameters: tuple[str, ...],
    freeze: tuple[str, ...],
    out: Path | None,
    ranks: int,
    threads: int,
    settings: tuple[str, ...],
    file: Path | None,
) -> int:
    """Run EXPERIMENT (TOML, an ocean or spectral air), then its adjoint. Writes sensitivity.nc, a
    map of each field, and a table: what one unit more everywhere would change, and where a unit
    changes most.
    """

    def act() -> int:
        from fathom.assimilation import (
            costs_of_state,
            sensitivity,
        )  # start-up time: loads the models
        from fathom.run.experiment.experiment import Experiment

        where = out or Path("runs") / f"{experiment.stem}-sensitivity"
        wanted = costs_of_state.read(cost)
        simulation = Experiment.read(experiment, settings).simulation(
            where, overwrite=True, restart=restart
        )
        if optimal is not None:
            told = sensitivity.write_optimal(simulation, run, spin_up, optimal, freeze, where)
            if mpi.is_root:
                click.echo("\n".join(told))
            return 0
        numbers = _numbers_of(experiment, settings, parameters)
        found = sensitivity.of(
            simulation, wanted, run, mean, spin_up, stored, where, freeze, numbers
        )
        if mpi.is_root:
            lines = sensitivity.write(found, simulation.model.grid, where)
            click.echo("\n".join(lines))
            if file is not None:
                file.write_text(json.dumps(sensitivity.figures(found), indent=1))
        return 0

    return launch.distribute(ranks, threads, None, act)


def _numbers_of(
    file: Path, settings: Sequence[str], names: Sequence[str]
) -> dict[str, tuple[Any, Any, float]]:
    """Returns models with more and less of numbers of an experiment's file, as `adjoint` takes
    them. InputError: the file has no such number.
    """

    from fathom.assimilation.sea_parameters import models_around  # start-up time
    from fathom.run.experiment.experiment import Experiment
    from fathom.run.experiment.toml import Document

    def make(numbers: Mapping[str, float]) -> Any:
        more = [f"{name}={value!r}" for name, value in numbers.items()]
        return Experiment.read(file, [*settings, *more])

    document = Document.read(file, settings)
    values = {}
    for name in names:
        value: Any = document.tables
        for part in name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise InputError(
                f"parameter {name!r}: {file} has no such number; write it, as"
                " model.eddies.diffusivity of eddies = { type = ..., diffusivity = 800 }"
            )
        values[name] = float(value)
    return models_around(make, values)
