"""`fathom compare`: two runs, stores or profiles side by side."""

from __future__ import annotations

from pathlib import Path

import click

from fathom.commands.options import PathOf, file_option, json_option


@click.command(short_help="Compare two runs, stores, profiles or machines.")
@click.argument("before", type=PathOf())
@click.argument("now", type=PathOf())
@json_option(help="Write the records: of all regions, or of all variables with --answers.")
@file_option("--picture", metavar="PNG", help="Draw both, region by region.")
@file_option("--gantt", metavar="PNG", help="Draw three steps of the ranks of both.")
@file_option("--maps", metavar="DIR", help="Draw the differences of fields into this folder.")
@click.option("--answers", is_flag=True, help="Of runs, only what they have written.")
def compare(
    before: Path,
    now: Path,
    file: Path | None,
    picture: Path | None,
    gantt: Path | None,
    maps: Path | None,
    answers: bool,
) -> int:
    """Compare two runs, stores, profiles or machines.

    Stores (.zarr, .nc, ...) and directories of runs: bias, rms and correlation of each variable at
    the last common time, since when they differ, and the settings that differ. Profiles and runs:
    the time, region by region. Machine files of `fathom machine --write`: quantity by quantity.
    Profiles are files of `fathom profile --json`, which contain their
    noise, summary.json, or directories of runs.
    """
    from fathom.performance import answers as of_fields  # start-up time: loads NumPy
    from fathom.performance.comparison import present

    if before.suffix == now.suffix == ".toml":
        from fathom.performance.scaling import two_machines  # start-up time

        two_machines.present(before, now, file)
        return 0
    stores = of_fields.are_stores(before, now)
    if stores or answers or maps:
        of_fields.present(before, now, file, maps)
        return 0
    status = present(before, now, file, picture, gantt)
    if of_fields.are_runs(before, now):
        click.echo()
        of_fields.present_if_any(before, now)
    return status
