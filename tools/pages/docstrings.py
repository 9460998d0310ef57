"""Docstrings are plain text; Sphinx reads them as reStructuredText."""

from __future__ import annotations

import re
from itertools import groupby
from typing import Any

marks = re.compile(r"([*_|])")
parameter = re.compile(r"^([*\w]+(?:, [*\w]+)*) : (.*)$")


def plain(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Called for each docstring before napoleon reads its sections. `code` becomes literal, other
    marks get a backslash; the text in the line of a parameter's name is its meaning; indented lines
    of a paragraph stay lines.
    """
    head = next((n for n, line in enumerate(lines) if line.strip() == "Parameters"), len(lines))
    made = []
    for blank, those in groupby(lines[:head], lambda line: not line.strip()):
        paragraph = list(those)
        made += paragraph if blank else _paragraph(paragraph)
    for line in lines[head:]:
        found = parameter.match(line)
        made += [found[1], f"    {_line(found[2])}"] if found else [_line(line)]
    lines[:] = made


def _paragraph(lines: list[str]) -> list[str]:
    """Equations and lists keep their lines."""
    indents = {len(line) - len(line.lstrip()) for line in lines}
    is_code = lines[0].lstrip().startswith(">>>")
    if len(indents) == 1 or is_code:
        return [_line(line) for line in lines]
    return [f"| {_line(line)}" for line in lines]


def _line(line: str) -> str:
    if line.lstrip().startswith((">>>", "...")) or set(line.strip()) <= {"-"}:
        return line
    parts = re.split(r"(`[^`]*`)", line)
    return "".join(
        f"`{part}`" if part.startswith("`") and len(part) > 2 else marks.sub(r"\\\1", part)
        for part in parts
    )
