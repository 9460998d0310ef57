"""The page for users of other models: each name, option, command and test that it says exists."""

import re
import shlex
from pathlib import Path

import click
import pytest

import fathom as fm
from fathom.commands import new
from fathom.commands.main import cli

root = Path(__file__).parents[2]
page = (root / "docs" / "for-users-of.md").read_text()
rows = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in page.splitlines()
    if line.startswith("| ") and not line.startswith("| there") and not line.startswith("| asked")
]
code = re.compile(r"`([^`]+)`")


def is_command(words):
    """Whether a verb of the command line, with these options, is there."""
    command, rest = cli, words[1:]
    while isinstance(command, click.Group) and rest:
        if rest[0] not in command.commands:
            return False
        command, rest = command.commands[rest[0]], rest[1:]
    known = {o for p in command.params for o in (*p.opts, *p.secondary_opts)}
    return {word for word in rest if word.startswith("--")} <= known


@pytest.mark.parametrize("row", [row for row in rows if len(row) == 4], ids=lambda row: row[1][:30])
def test_a_test_shows_it(row):
    shown = code.findall(row[3])
    assert shown, row
    for name in shown:
        file, _, function = name.partition("::")
        assert (root / file).exists(), name
        assert not function or re.search(rf"(?m)^def {function}\(", (root / file).read_text()), name


def test_names_are_there():
    """Classes, commands and options of what stands in the columns of Fathom."""
    said = [text for row in rows for text in code.findall(row[-2] if len(row) == 4 else row[-1])]
    classes = {found[0] for text in said if (found := re.match(r"[A-Z][A-Za-z]+(?=$|\()", text))}
    types = set(re.findall(r'type = "(\w+)"', " ".join(said)))
    assert len(classes) > 20
    missing = {n for n in classes | types if not hasattr(fm, n) and not hasattr(fm.schemes, n)}
    assert not missing - {"TOML", "OTHER"}
    options = {word for text in said for word in text.split() if word.startswith("--")}
    known = {o for verb in ("run", "plot") for p in cli.commands[verb].params for o in p.opts}
    assert options <= known
    for text in said:
        if text.startswith("fathom "):
            assert is_command(shlex.split(text)), text


def test_the_same_case():
    block = re.search(r"```sh\n(.*?)```", page, re.S)[1]
    commands = [shlex.split(line, comments=True) for line in block.splitlines()]
    assert len(commands) > 3
    for words in commands:
        assert is_command(words), words
        for word in words:
            assert not word.endswith(".toml") or (root / word).is_file(), word
        if words[1] == "new":
            assert words[2] in new.names()
