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


def named_in(name: str) -> list[str]:
    """Returns the other files of Fathom that an experiment names, and that those name."""
    found, left = [], [f"{name}.toml"]
    while left:
        text = (shipped / (at := left.pop())).read_text(encoding="utf-8")
        for other in re.findall(r'"([\w./-]+\.toml)"', text):
            path = (Path(at).parent / other).as_posix()
            if path not in found and (shipped / path).is_file():
                found.append(path)
                left.append(path)
    return sorted(found)


def first_words(name: str, file: Path) -> str:
    """Returns the commands to begin with."""
    if "fathom cycle" in (shipped / f"{name}.toml").read_text(encoding="utf-8"):
        return f"fathom cycle {file}"
    return f"fathom show {file}, then fathom run {file}"


def completed(known: Callable[[], Iterable[str]]) -> Callable[[Any, Any, str], list[str]]:
    """Returns a function that gives the completions of a name for the tab key."""
    return lambda context, argument, begun: [n for n in known() if n.startswith(begun)]


@click.command(short_help="Write one of the experiments of Fathom into a file.")
@click.argument("name", required=False, shell_complete=completed(names))
@click.argument("file", required=False, type=PathOf())
@click.option("--overwrite", is_flag=True, help="FILE may be replaced.")
def new(name: str | None, file: Path | None, overwrite: bool) -> int:
    """Write the experiment NAME to FILE (default: NAME.toml, here), and beside it the files that it
    names. Without NAME: list those that there are.
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
    for other in named_in(name):
        beside = file.parent / other
        if not beside.exists():
            beside.parent.mkdir(parents=True, exist_ok=True)
            beside.write_bytes((shipped / other).read_bytes())
            click.echo(f"{beside}: a part of it")
    file.write_bytes((shipped / f"{name}.toml").read_bytes())
    click.echo(f"{file}: {first_words(name, file)}")
    return 0
