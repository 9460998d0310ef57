#!/usr/bin/env python3
"""Simple errors of text files: tabs, blanks at the end of a line, no line end at the end of the
file, lines too long, unfinished merges. In the package: errors that are no
`fathom.base.failure.Error`; barriers that do not say what they wait for.

    tools/check_text.py [directory]        exit status 1, and a line for each fault
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

folders = ("core", "fathom", "tests", "tools", "bench", "examples", "experiments", "docs", "cmake")
endings = (".cpp", ".hpp", ".py", ".toml", ".md", ".cmake")
code = (".cpp", ".hpp", ".py")
widest = 100  # characters of a line of code
# A user catches all errors of Fathom as fm.Error: fathom.base.failure has a class for each of
# these.
bare = re.compile(r"raise (ValueError|KeyError|OSError|File\w+Error|PermissionError)\(")

# Each barrier costs the wait for the slowest rank; measurements alone need no reason for one.
barrier = re.compile(r"\b(MPI_Barrier|[Bb]arrier)\([^)]*\);?$")
measuring = ("fathom/performance", "core/parallel/measure.cpp")


def faults(file: Path, package: bool) -> Iterator[tuple[int, str]]:
    text = file.read_text(encoding="utf-8")
    if text and not text.endswith("\n"):
        yield len(text.splitlines()), "no line end at the end of the file"
    waiting = waits(file)
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(("<" * 7, ">" * 7)):
            yield number, "two versions side by side"
        if "\t" in line:
            yield number, "tab"
        if line != line.rstrip():
            yield number, "blanks at the end of the line"
        if file.suffix in code:
            yield from ((number, fault) for fault in of_code(line, package, waiting))


def of_code(line: str, package: bool, waiting: bool) -> Iterator[str]:
    if package and (found := bare.search(line)):
        yield f"{found[1]} is no fathom.base.failure.Error: raise InputError or FileError"
    if waiting and barrier.search(line):
        yield "a barrier without a comment that says what it waits for"
    if len(line) > widest:
        yield f"{len(line)} characters in a line; at most {widest}"


def waits(file: Path) -> bool:
    """Returns whether a file is of the package or the core, and not only measures."""
    path = file.as_posix()
    return any(f"/{part}/" in path for part in ("core", "fathom")) and not any(
        part in path for part in measuring
    )


def main(root: Path) -> int:
    files = [
        (file, folder == "fathom")
        for folder in folders
        for file in sorted((root / folder).rglob("*"))
        if file.suffix in endings
    ]
    wrong = [(file, *fault) for file, package in files for fault in faults(file, package)]
    for file, line, message in wrong:
        print(f"{file.relative_to(root)}:{line}: {message}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
    )
