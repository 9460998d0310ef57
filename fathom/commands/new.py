"""`fathom new`: an experiment to begin with."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from itertools import takewhile
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
    words = [line.strip() for line in comment(name)]
    outside = r"(?![^(]*\))"  # of brackets
    return re.split(rf"(?<! al)\. |: |(?:; |, for){outside}", " ".join(words))[0]


def named_in(name: str) -> list[str]:
    """Returns the other files of Fathom that an experiment or its commands name, and that those
    name.
    """
    found: list[str] = []
    left = [f"{name}.toml"]
    while left:
        text = (shipped / (at := left.pop())).read_text(encoding="utf-8")
        others = re.findall(r'"([\w./-]+\.toml)"', text)
        if at == f"{name}.toml":
            said = "\n".join(commands(name))
            others += [f"/{other}" for other in re.findall(r"experiments/([\w./-]+\.toml)", said)]
        for other in others:
            path = (Path(at).parent / other).as_posix() if other[0] != "/" else other[1:]
            if path not in (*found, f"{name}.toml") and (shipped / path).is_file():
                found.append(path)
                left.append(path)
    return sorted(found)


def comment(name: str) -> list[str]:
    """Returns the lines of the first comment of an experiment."""
    lines = (shipped / f"{name}.toml").read_text(encoding="utf-8").splitlines()
    return [line[1:] for line in takewhile(lambda line: line.startswith("#"), lines)]


def commands(name: str) -> list[str]:
    """Returns the commands in the first comment of an experiment."""
    joined = re.sub(r"\\\n\s*", "", "\n".join(comment(name)))
    lines = (re.split(r"\s{3,}|\s#", line.strip())[0] for line in joined.split("\n"))
    return [line for line in lines if line.startswith(("fathom ", "mpiexec "))]


def suggestions(name: str, file: Path) -> list[str]:
    """Returns the commands to begin with: those that the comment of the file has, else what shows
    and runs it; and one that draws what it writes.
    """
    said = [_here(line, name, file) for line in commands(name)]
    if not any(f"fathom cycle {file}" in line for line in said):
        if not any(f"fathom run {file}" in line for line in said):
            said.append(f"fathom run {file}")
        if not any(f"fathom show {file}" in line for line in said):
            said.insert(0, f"fathom show {file}")
    return said + _picture(name, said, file)


def _here(line: str, name: str, file: Path) -> str:
    """Returns a command with the names of files as they lie here."""
    line = line.replace(f"experiments/{name}.toml", str(file))
    return re.sub(r"\bexperiments/(?=[\w./-]+\.toml)", _beside(file), line)


def _beside(file: Path) -> str:
    return "" if file.parent == Path(".") else f"{file.parent}/"


def _picture(name: str, said: list[str], file: Path) -> list[str]:
    """Returns the command that draws the first variable that the experiment writes."""
    tables = tomllib.loads((shipped / f"{name}.toml").read_text(encoding="utf-8"))
    run = next((line for line in said if line.startswith(f"fathom run {file}")), None)
    output = tables.get("output", {})
    if run is None or not output:
        return []
    folder = re.search(r"--out (\S+)", run)
    store, table = next(iter(output.items()))
    where = folder[1] if folder else f"runs/{file.stem}"
    return [f"fathom plot {where}/{store} {table['variables'][0]}"]


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
    click.echo(f"{file}: {title(name)}")
    click.echo("\n".join(f"    {command}" for command in suggestions(name, file)))
    return 0
