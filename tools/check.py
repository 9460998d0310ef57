#!/usr/bin/env python3
"""All checks of the source that need no run: style, layout, types, architecture, plain text,
lengths of functions. They run at the same time; each prints its result.

    tools/check.py              exit status 1 where one of them fails
    tools/check.py mypy text    some of them, by name
"""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

root = Path(__file__).resolve().parent.parent
together = 2  # checks at a time


@dataclass(frozen=True)
class Outcome:
    name: str
    passed: bool
    said: str
    seconds: float


def commands() -> dict[str, list[str]]:
    """Name and command of each check, the slowest first."""
    tool = Path(sys.executable).parent
    own = lambda name: [sys.executable, f"tools/check_{name}.py"]
    sources = sorted(
        str(file.relative_to(root))
        for folder in ("core", "tools", "examples")
        for file in (root / folder).rglob("*.[chi]pp")
    )
    return {
        "mypy": [f"{tool}/mypy", "--num-workers", "2"],
        "functions": own("functions"),
        "clang-format": [f"{tool}/clang-format", "--dry-run", "--Werror", *sources],
        "architecture": own("architecture"),
        "ruff check": [f"{tool}/ruff", "check", "--quiet", "--output-format=concise"],
        "ruff format": [f"{tool}/ruff", "format", "--check", "--quiet"],
        "docstrings": own("docstrings"),
        "text": own("text"),
    }


def run(name: str, command: list[str]) -> Outcome:
    start = time.monotonic()
    try:
        done = subprocess.run(
            command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
    except FileNotFoundError:
        said = f"{command[0]} is missing; `make check` installs it\n"
        return Outcome(name, False, said, time.monotonic() - start)
    return Outcome(name, done.returncode == 0, done.stdout, time.monotonic() - start)


def main(names: list[str]) -> int:
    known = commands()
    if unknown := [name for name in names if name not in known]:
        print(f"unknown: {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    chosen = {name: known[name] for name in names or known}
    with ThreadPoolExecutor(together) as pool:
        outcomes = list(pool.map(run, chosen, chosen.values()))
    for outcome in outcomes:
        if not outcome.passed:
            print(f"---- {outcome.name}\n{outcome.said.rstrip()}\n")
    for outcome in outcomes:
        print(f"{'ok' if outcome.passed else 'FAILS':6}{outcome.name:14}{outcome.seconds:5.1f} s")
    return 0 if all(outcome.passed for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
