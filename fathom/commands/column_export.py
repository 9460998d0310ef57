"""`fathom column export`: columns of a run, for the training of a scheme."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fathom.commands.experiment import experiment_options, on_ranks, parallel_settings
from fathom.commands.options import file_option, number_option

if TYPE_CHECKING:
    from fathom.run.experiment.experiment import Experiment


@click.command(
    "export", short_help="Columns of a run: what schemes read, and what they make of it."
)
@experiment_options
@click.option(
    "--process",
    "processes",
    multiple=True,
    required=True,
    metavar="NAME",
    help="A process of the step, as `fathom show` prints it.",
)
@file_option("--out", metavar="DIR", required=True, help="A folder of Zarr, one group a process.")
@click.option("--for", "period", metavar="PERIOD", help="Instead of [simulation] run.")
@click.option("--every", metavar="TIME", help="Time between records; by default every call.")
@number_option("--columns", default=500, help="Columns of each record, drawn by chance.")
@number_option("--seed", default=0, least=0, help="Of the columns that are drawn.")
@click.option("--overwrite", is_flag=True, help="Replace an earlier folder of that name.")
def export(
    file: Path,
    ranks: int | None,
    servers: int | None,
    threads: int | None,
    settings: tuple[str, ...],
    processes: tuple[str, ...],
    out: Path,
    period: str | None,
    every: str | None,
    columns: int,
    seed: int,
    overwrite: bool,
) -> int:
    """Run FILE, and write columns of the processes to DIR: the fields that each reads, those that
    it writes, and what it adds to tendencies. FILE's own output is not written. The columns are
    the same on any ranks.
    """
    settings += parallel_settings(ranks, servers, threads)
    settings += (f'simulation.run="{period}"',) if period else ()

    def act(read: Experiment) -> int:
        from fathom.run.columns import export_columns  # start-up time: loads NumPy

        read.tables.pop("output", None)
        read.tables["simulation"].pop("checkpoint", None)
        simulation = read.simulation(out.parent, overwrite=True)
        recorded = export_columns(
            simulation, processes, out, every=every, columns=columns, seed=seed,
            overwrite=overwrite,
        )  # fmt: skip
        with recorded:
            simulation.prepare()
            steps = round(read.period.seconds / simulation.time_step)
            simulation.advance(steps)
        if simulation.is_root:
            for group in recorded.groups:
                click.echo(f"{out}/{group.name}: {group.rows} columns of {group.record} records")
        return 0

    return on_ranks(file, settings, None, act)
