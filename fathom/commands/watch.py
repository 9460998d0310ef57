"""`fathom watch`: a page of a run that is under way, which the browser loads again by itself."""

from __future__ import annotations

import time
from pathlib import Path

import click

from fathom.base.failure import InputError, MissingFileError
from fathom.base.near import near
from fathom.commands.options import Number, PathOf

page_name = "live.html"


@click.command(short_help="A page of a run that is under way.")
@click.argument("directory", type=PathOf())
@click.option(
    "--every",
    type=Number(1),
    default=10.0,
    show_default=True,
    help="Seconds after which the page is made again.",
)
@click.option("--once", is_flag=True, help="Make the page once.")
def watch(directory: Path, every: float, once: bool) -> int:
    """Keep live.html in the DIRECTORY of a run: how far it is, its series, the last maps of its
    output. Ends with the run, or by Ctrl-C; the run does not notice.
    """
    from fathom.base import writing  # start-up time: loads NumPy
    from fathom.plots.report.live import page
    from fathom.run import live, lock

    _check(directory)
    click.echo(f"{directory / page_name}")
    while True:
        on = lock.held(directory)
        if on:
            live.ask(directory)
        writing.replace(
            directory / page_name, page(directory, live.read(directory), every if on else None)
        )
        if once or not on:
            return 0
        time.sleep(every)


def _check(directory: Path) -> None:
    """Raises InputError: no directory of a run."""
    if not directory.is_dir():
        beside = [p.name for p in directory.parent.iterdir()] if directory.parent.is_dir() else []
        raise MissingFileError(f"{directory} does not exist{near(directory.name, beside)}")
    if not (directory / "resolved.toml").is_file():
        raise InputError(
            f"{directory} is no directory of a run: it has no resolved.toml; `fathom run` makes"
            " one, by default runs/NAME"
        )
