"""Command lines with something wrong in them: each ends with a status and one message, never with
a traceback, and not before it has said what is wrong.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click

import box
import damaged

verbs = ("show", "run", "profile", "plot", "compare", "blocks", "data", "scale", "machine")
verbs += ("tune", "column")
words = (
    *("", " ", "-1", "0", "1", "2", "1e9", "1.5", "nan", "inf", "-inf", "none", "true", "x", "é\t"),
    *("99999999999999999999", "1h", "-3d", "1 fortnight", "[1,", "a=b", "a.b.c=1", "grid.nx=-3"),
    *("box.toml", "gone.toml", "binary.toml", "empty.toml", "run/surface.zarr", "run", ".", "/"),
    *("run/summary.json", "run/restart.fathom", "/dev/null/x", "surface.zarr", "temperature"),
    *("tos", "sea_surface_temperature", "a" * 300, "*", "../x", "json", "first", "last", "fp16"),
)


def prepare(directory: Path) -> None:
    """A run, and files that are none."""
    box.write(directory)
    (directory / "binary.toml").write_bytes(bytes(range(256)))
    (directory / "empty.toml").write_text("")
    box.fathom("run", "box.toml", "--for", "6h", "--out", "run", "--no-report", folder=directory)


def made(number: int, seed: int) -> Iterator[list[str]]:
    """So many command lines."""
    from fathom.commands.main import cli

    chance = random.Random(seed)
    context = click.Context(cli)
    for _ in range(number):
        verb = chance.choice(verbs)
        parameters = cli.get_command(context, verb).params
        line = [verb]
        for parameter in parameters:
            if isinstance(parameter, click.Argument):
                usual = {"file": "box.toml", "variable": "tos"}.get(parameter.name, "run")
                usual = "run/surface.zarr" if verb == "plot" and usual == "box.toml" else usual
                line += [usual if chance.random() < 0.6 else chance.choice(words)]
            elif chance.random() < 0.25:
                line += [chance.choice(parameter.opts)]
                line += [] if parameter.is_flag else [chance.choice(words)]
        yield line + {"run": ["--for", "1h"], "tune": ["--seconds", "1"]}.get(verb, [])


def tried(number: int, seed: int) -> list[dict[str, str]]:
    """What became of so many: {"case", "what", "said"}."""
    found = []
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        os.chdir(folder)
        try:
            for line in made(number, seed):
                what, said = damaged.apart(lambda: _outcome(line))
                hung = what == "library"
                found.append(
                    {
                        "case": " ".join(map(repr, line)),
                        "what": "hang" if hung else what,
                        "said": said,
                    }
                )
        finally:
            os.chdir(before)
    return found


def _outcome(line: list[str]) -> str:
    """error: status 2 or 1 and a word; ran: status 0 or 3."""
    from fathom.commands.main import main

    status: object = None
    with open("said", "w+") as said:  # also the output of the ranks that it starts
        os.dup2(said.fileno(), 2)
        with open(2, "w", closefd=False) as sys.stderr:
            try:
                status = main(line)
            except SystemExit as end:
                status = end.code
        said.seek(0)
        text = said.read().strip()
    if "Traceback" in text:
        return f"traceback {text[-1500:]}"
    if status in (0, 3, None):
        return f"ran {text}"
    return f"error {text}" if text else f"silent status {status}"
