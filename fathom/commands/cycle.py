"""`fathom cycle` and `fathom background`: forecast and analysis in turns, and the covariances of
background errors.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from fathom.base import mpi
from fathom.base.clock import seconds_if_any
from fathom.base.failure import InputError
from fathom.commands.options import (
    PathOf,
    file_option,
    json_option,
    ranks_option,
    settings_option,
    threads_option,
)
from fathom.run import launch

experiment_argument = click.argument("experiment", type=PathOf())
out_option = file_option(
    "--out",
    metavar="DIR",
    help="Directory of all results; by default runs/ and the name of the file.",
)


def _say(text: str) -> None:
    if mpi.is_root:
        click.echo(text)


@click.command(short_help="Cycles of forecast and analysis, with a report.")
@experiment_argument
@out_option
@click.option("--method", "method", help="Only this method of the file.")
@ranks_option
@threads_option
@settings_option
@json_option()
def cycle(
    experiment: Path,
    out: Path | None,
    method: str | None,
    ranks: int,
    threads: int,
    settings: tuple[str, ...],
    file: Path | None,
) -> int:
    """Run the cycles of EXPERIMENT (TOML): nature, observations, background errors, and for each
    method window after window; a file with [area] has those of a limited area, one with [sea] those
    of an ocean. If stopped, it continues from there. Writes report.json, report.txt and report.png.
    """

    def act() -> int:
        from fathom.assimilation.cycle import area, report, sea  # start-up time: loads the models
        from fathom.assimilation.cycle import experiment as files
        from fathom.assimilation.cycle import sea_experiment as seas
        from fathom.assimilation.cycle.chain import areas as chains  # start-up time
        from fathom.assimilation.cycle.chain import settings as suites
        from fathom.assimilation.cycle.run import Cycles

        where = out or Path("runs") / experiment.stem
        suite = suites.read(experiment, settings)
        if suite is not None:
            of_suite = chains.of(suite, where, _say)
            _say("\n".join(of_suite.report(of_suite.run())))
            return 0
        read: Any = area.read(experiment, settings)
        of_sea = None if read is not None else seas.read(experiment, settings)
        if read is not None:
            cycles: Any = area.AreaCycles(read, where, _say)
        elif of_sea is not None:
            read, cycles = of_sea, sea.SeaCycles(of_sea, where, _say)
        else:
            read = files.read(experiment, settings)
            cycles = Cycles(read, where, _say)
        wanted = [method] if method else read.assimilation.methods
        results = {name: cycles.run(name) for name in wanted}
        if mpi.is_root:
            given = read.cycle.deadline
            deadline = seconds_if_any(given, "deadline")
            lines = report.text(results) + report.times(cycles.seconds, deadline)
            click.echo("\n".join(lines))
            (cycles.out / "report.txt").write_text("\n".join(lines) + "\n")
            made = {
                "kind": "twin",
                "means": report.means(results),
                "windows": results,
                "seconds": cycles.seconds,
                "deadline": deadline,
            }
            for path in (cycles.out / "report.json", file):
                if path is not None:
                    path.write_text(json.dumps(made, indent=1))
            report.picture(results).savefig(cycles.out / "report.png", dpi=110)
        return 0

    return launch.distribute(ranks, threads, None, act)


@click.command(short_help="Covariances of background errors.")
@click.option(
    "--nmc", is_flag=True, help="From differences of forecasts over two days and one day."
)
@click.option("--ensemble", is_flag=True, help="From the members of an ensemble of analyses.")
@experiment_argument
@out_option
@ranks_option
@threads_option
@settings_option
def background(
    nmc: bool,
    ensemble: bool,
    experiment: Path,
    out: Path | None,
    ranks: int,
    threads: int,
    settings: tuple[str, ...],
) -> int:
    """Estimate the covariances of background errors of the model of EXPERIMENT (TOML), as
    background.nc in --out, where `fathom cycle` finds them; those of an ensemble, which needs them
    itself, as background-ensemble.nc, for [background] file.
    """
    if nmc == ensemble:
        raise click.UsageError("how are they to be estimated? allowed: --nmc or --ensemble")

    def act() -> int:
        from fathom.assimilation.cycle import experiment as files  # start-up time: loads the models
        from fathom.assimilation.cycle.chain import settings as suites  # start-up time
        from fathom.assimilation.cycle.chain import statistics  # start-up time
        from fathom.assimilation.cycle.run import Cycles

        where = out or Path("runs") / experiment.stem
        suite = suites.read(experiment, settings)
        if suite is not None:
            if ensemble:
                raise InputError(f"{experiment} is a chain; allowed is --nmc")
            _say(str(statistics.nmc(suite, where, _say)))
            return 0
        cycles = Cycles(files.read(experiment, settings), where, _say)
        if ensemble:
            _say(str(cycles.of_members()))
        else:
            cycles.statistics()
            _say(str(cycles.out / "background.nc"))
        return 0

    return launch.distribute(ranks, threads, None, act)
