"""`fathom doctor`: what Fathom finds on this machine, and what is wrong with it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from fathom.commands.options import json_option


@click.command(short_help="Look at this machine: compiler, MPI, disks, versions.")
@json_option(help="Write what was found.")
def doctor(file: Path | None) -> int:
    """Look up, or try, what runs need: versions, the core and its MPI, the launcher (two ranks),
    Slurm, BLAS, threads, memory, disks, caches, a compiler for schemes of your own. Exit status 1
    where a run cannot start.
    """
    from fathom.run.doctor import rows  # start-up time: loads NumPy
    from fathom.run.tree import tree

    found = list(rows())
    entries = [(row.name, [row.text, *([f"! {row.wrong}"] if row.wrong else [])]) for row in found]
    click.echo(tree("This machine, as Fathom finds it", entries))
    wrong = [row for row in found if row.wrong]
    said = ", ".join(row.name for row in wrong)
    click.echo(f"to look at: {said}" if wrong else "all is well")
    if file:
        told = [asdict(row) for row in found]
        file.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    return int(any(row.needed for row in wrong))
