"""`fathom profile`: where the time of an experiment goes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fathom.commands.experiment import experiment_options, on_ranks, parallel_settings
from fathom.commands.options import file_option, json_option, number_option


@click.command(short_help="The time of each part of an experiment.")
@experiment_options
@number_option("--steps", least=2, default=48, help="Measured steps.")
@number_option("--spin-up", default=8, help="Steps before the measured ones.")
@json_option("json_file", help="Write all figures, for `fathom compare`.")
@file_option(
    "--trace",
    help=(
        "Write all events, for ui.perfetto.dev (.json or .json.gz), or as an archive of Score-P"
        " (.otf2)."
    ),
)
@file_option(
    "--pictures", metavar="DIR", help="Draw Gantt charts, utilisation and the time of each step."
)
@file_option(
    "--record",
    metavar="DIR",
    help="Append to the history of this machine in this folder, and report slower regions.",
)
@click.option(
    "--noise",
    metavar="F,D",
    help="Also measure what interruptions cost: so many a second, each so long, as 1000,25us.",
)
@file_option("--out", metavar="DIR", help="Keep the files of the run, with report.html.")
def profile(
    file: Path,
    ranks: int | None,
    servers: int | None,
    threads: int | None,
    settings: tuple[str, ...],
    json_file: Path | None,
    noise: str | None,
    **how: Any,
) -> int:
    """Run some steps of FILE and show where the time goes: regions with rates and limits,
    communication and waiting, files, imbalance, efficiencies.
    """
    from fathom.performance.profile import programs  # start-up time: loads NumPy
    from fathom.performance.profile.noise import Noise
    from fathom.performance.profile.run import Request, run  # start-up time: loads NumPy

    request = Request(file=json_file, noise=Noise.read(noise) if noise else None, **how)
    settings += parallel_settings(ranks, servers, threads)
    return on_ranks(
        file,
        settings,
        None,
        lambda experiment: run(experiment, request, file.stem),
        lambda several: programs.run(several, request, file.stem),
    )
