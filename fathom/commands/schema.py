"""`fathom schema`: what editors need to know of experiment files."""

from __future__ import annotations

import json
from pathlib import Path

import click

from fathom.commands.options import PathOf


@click.command(short_help="Write the JSON schema of experiment files, for editors.")
@click.argument("file", required=False, type=PathOf())
def schema(file: Path | None) -> int:
    """Write the JSON schema of experiment files to FILE, or print it. An editor with taplo (VS
    Code: Even Better TOML) offers keys and their meaning where the first line of an experiment is
    "#:schema ./FILE".
    """
    from fathom.run.experiment.schema import schema as of_files  # start-up time: loads NumPy

    text = json.dumps(of_files(), indent=1) + "\n"
    if file is None:
        click.echo(text, nl=False)
        return 0
    file.write_text(text, encoding="utf-8")
    click.echo(f"{file}; first line of an experiment: #:schema ./{file}")
    return 0
