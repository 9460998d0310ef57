"""`fathom new`: an experiment to begin with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from fathom.base.failure import ExistingFileError, InputError
from fathom.base.near import unknown
from fathom.commands.options import PathOf
from fathom.run.tree import tree

shipped = Path(__file__).parents[1] / "experiments"


def names() -> list[str]:
    """Returns the names of the experiments that come with Fathom."""
    return sorted(path.stem for path in shipped.glob("*.toml"))


def title(name: str) -> str:
    """Returns the title of an experiment: the first sentence of its first comment."""
    words = []
    for line in (shipped / f"{name}.toml").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        words.append(line.removeprefix("#").strip())
    outside = r"(?![^(]*\))"  # of brackets
    return re.split(rf"(?<! al)\. |: |(?:; |, for){outside}", " ".join(words))[0]


def completed(known: Callable[[], Iterable[str]]) -> Callable[[Any, Any, str], list[str]]:
    """Returns a function that gives the completions of a name for the tab key."""
    return lambda context, argument, begun: [n for n in known() if n.startswith(begun)]


@click.command(short_help="Write one of the experiments of Fathom into a file.")
@click.argument("name", required=False, shell_complete=completed(names))
@click.argument("file", required=False, type=PathOf())
@click.option("--overwrite", is_flag=True, help="FILE may be replaced.")
def new(name: str | None, file: Path | None, overwrite: bool) -> int:
    """Write the experiment NAME to FILE (default: NAME.toml, here). Without NAME: list those that
    there are.
    """
    if name is None:
        known = [(one, title(one)) for one in names()]
        click.echo(tree("experiments: fathom new NAME writes one", known))
        return 0
    name = name.removesuffix(".toml")
    if name not in names():
        raise InputError(unknown("experiment", name, names()))
    file = Path(f"{name}.toml") if file is None else file
    if file.exists() and not overwrite:
        raise ExistingFileError(f"{file} exists; choose another name, or give --overwrite")
    file.write_text((shipped / f"{name}.toml").read_text(encoding="utf-8"), encoding="utf-8")
    click.echo(f"{file}: fathom show {file}, then fathom run {file}")
    return 0
