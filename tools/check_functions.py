#!/usr/bin/env python3
"""Functions that are too long to read: at most 60 lines after their arguments
and 12 branches each.

A longer one needs a reason in the comment just above it, in a line that begins
    // long: the reason                  (C++)
    # long: the reason                   (Python)

    tools/check_functions.py [path ...]        exit status 1, and a line for each that does not
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import lizard

root = Path(__file__).resolve().parent.parent
# Not tests: each `and` of an assertion would count as a branch.
folders = ("core", "fathom", "tools", "bench", "examples", "experiments", "docs/results")
endings = (".cpp", ".hpp", ".py")
lines, branches = 60, 12

reason = re.compile(r"\s*(///?|#)\s*long:\s*\S")
# Lines allowed between the comment and the line where lizard finds the begin of a function.
above = re.compile(r"\s*(//|#|@|template\b|\[\[|[\w:<>,&*\s]+$)")


def has_reason(text: list[str], start: int) -> bool:
    """Whether there is a reason above line `start` (from 1), or in it."""
    number = start - 1
    while number >= 0 and (number == start - 1 or above.match(text[number])):
        if not text[number].strip():
            return False
        if reason.match(text[number]):
            return True
        number -= 1
    return False


def signature(text: list[str], start: int) -> int:
    """Lines of a function from `start` (from 1) to where its arguments end: of a kernel, they are
    the declaration of its fields.
    """
    depth, begun = 0, False
    for number, line in enumerate(text[start - 1 :], 1):
        for letter in line.replace("operator()", ""):
            depth += (letter == "(") - (letter == ")")
            begun |= depth > 0
        if begun and depth == 0:
            return number
    return 1


def too_long(file: Path) -> Iterator[tuple[int, str]]:
    """(line, message) of each function beyond the limits that gives no reason."""
    text = file.read_text(encoding="utf-8").splitlines()
    for function in lizard.analyze_file(str(file)).function_list:
        over = []
        length = function.length - signature(text, function.start_line) + 1
        if length > lines:
            over.append(f"{length} lines after its arguments, at most {lines}")
        if function.cyclomatic_complexity > branches + 1:
            over.append(f"{function.cyclomatic_complexity - 1} branches, at most {branches}")
        if over and not has_reason(text, function.start_line):
            yield (
                function.start_line,
                f"{function.long_name.split('(')[0].strip()}: {'; '.join(over)}",
            )


def files(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_file():
            yield path
        else:
            yield from sorted(file for file in path.rglob("*") if file.suffix in endings)


def main(paths: list[Path]) -> int:
    wrong = 0
    for file in files(paths):
        shown = file.resolve()
        name = shown.relative_to(root) if shown.is_relative_to(root) else file
        for line, message in too_long(file):
            print(f"{name}:{line}: {message}")
            wrong += 1
    if wrong:
        mark = "'// long: the reason' or '# long: the reason'"
        print(f"{wrong} functions: make them shorter, or say why not above them, {mark}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main([Path(path) for path in sys.argv[1:]] or [root / folder for folder in folders]))
