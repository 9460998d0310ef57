"""`fathom compare`: two profiles side by side."""

from __future__ import annotations

from pathlib import Path

import click

from fathom.commands.options import PathOf, file_option, json_option


@click.command(short_help="Compare two profiles.")
@click.argument("before", type=PathOf())
@click.argument("now", type=PathOf())
@json_option(help="Write the records of all regions.")
@file_option("--picture", metavar="PNG", help="Draw both, region by region.")
@file_option("--gantt", metavar="PNG", help="Draw three steps of the ranks of both.")
def compare(
    before: Path, now: Path, file: Path | None, picture: Path | None, gantt: Path | None
) -> int:
    """Compare two profiles, region by region, and name the settings that differ. Allowed are files
    of `fathom profile --json`, which contain their noise, summary.json, or directories of runs.
    """
    from fathom.performance.comparison import present  # start-up time: loads NumPy

    return present(before, now, file, picture, gantt)
