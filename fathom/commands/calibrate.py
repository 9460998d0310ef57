"""`fathom calibrate`: parameters of an experiment from data, with what is left unknown."""

from __future__ import annotations

import json
from pathlib import Path

import click

from fathom.base import mpi
from fathom.commands.experiment import trust_option
from fathom.commands.options import (
    PathOf,
    file_option,
    json_option,
    ranks_option,
    settings_option,
    threads_option,
)
from fathom.run import launch
from fathom.run.experiment import trust


@click.command(short_help="Parameters of an experiment from data, with posteriors.")
@click.argument("experiment", type=PathOf())
@file_option("--out", metavar="DIR", help="Directory; by default runs/FILE-calibration.")
@ranks_option
@threads_option
@settings_option
@trust_option
@json_option()
def calibrate(
    experiment: Path,
    out: Path | None,
    ranks: int,
    threads: int,
    settings: tuple[str, ...],
    trusted: bool,
    file: Path | None,
) -> int:
    """Run EXPERIMENT (TOML with [calibration]) with many values of its parameters, and find those
    that its costs and priors allow. If stopped, it continues from there. Writes report.json,
    report.txt and report.png.
    """
    if trusted:
        trust.give()

    def act() -> int:
        from fathom.assimilation.calibration import report, run  # start-up time: loads the models
        from fathom.assimilation.calibration import settings as files  # start-up time

        where = out or Path("runs") / f"{experiment.stem}-calibration"
        say = lambda text: click.echo(text) if mpi.is_root else None
        calibration = files.read(experiment, settings)
        if calibration.settings.method == "gradient":
            found = run.by_gradient(calibration, say)
            lines = [f"{key}: {x:.6g}" for key, x in found["parameters"].items()]
            best = found["parameters"]
        else:
            result = run.calibrate(calibration, where, say)
            found = report.figures(calibration, result)
            lines = report.text(found)
            best = {key: one["posterior"] for key, one in found["parameters"].items()}
        given = " ".join(f"--set {key}={x:.6g}" for key, x in best.items())
        lines.append(f"fathom run {calibration.file} {given}")
        if mpi.is_root:
            where.mkdir(parents=True, exist_ok=True)
            click.echo("\n".join(lines))
            (where / "report.txt").write_text("\n".join(lines) + "\n")
            for path in (where / "report.json", file):
                if path is not None:
                    path.write_text(json.dumps(found, indent=1))
            if calibration.settings.method != "gradient":
                report.picture(calibration, result).savefig(where / "report.png", dpi=110)
        return 0

    return launch.distribute(ranks, threads, None, act)
