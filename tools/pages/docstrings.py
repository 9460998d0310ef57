"""Docstrings are plain text; Sphinx reads them as reStructuredText."""

from __future__ import annotations

import re
from typing import Any

marks = re.compile(r"([*_|])")
parameter = re.compile(r"^([*\w]+(?:, [*\w]+)*) : (.*)$")


def plain(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Called for each docstring before napoleon reads its sections. `code` becomes literal, other
    marks get a backslash; what is said of a parameter in the line of its name is its meaning.
    """
    made, in_section = [], False
    for line in lines:
        in_section = in_section or line.strip() == "Parameters"
        found = parameter.match(line) if in_section else None
        made += [found[1], f"    {_line(found[2])}"] if found else [_line(line)]
    lines[:] = made


def _line(line: str) -> str:
    if line.lstrip().startswith((">>>", "...")) or set(line.strip()) <= {"-"}:
        return line
    parts = re.split(r"(`[^`]*`)", line)
    return "".join(
        f"`{part}`" if part.startswith("`") and len(part) > 2 else marks.sub(r"\\\1", part)
        for part in parts
    )
