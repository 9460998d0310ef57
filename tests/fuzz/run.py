#!/usr/bin/env python3
"""Tries thousands of experiments with something wrong in them (experiments.py), and hundreds of
files of cycles, chains, calibration and machines (configured.py), damaged files (damaged.py),
command lines (commands.py), files of others (files.py) and calls in Python (calls.py), and prints
what came of them.

    python tests/fuzz/run.py [--cases 3000] [--configured 600] [--damaged 400] [--lines 300]
        [--files 500] [--calls 800] [--seed 0] [--json FILE]

Exit status 1 where one ended in a traceback, hung, or was accepted without a message.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import select
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

here = Path(__file__).resolve().parent
sys.path[:0] = [str(here), str(here.parent / "shared")]

import experiments  # noqa: E402  next to this file

patience = 60.0  # seconds that a case may take


class Worker:
    """A process that tries cases; another one after one that it did not outlive."""

    def __init__(self):
        self.process = None

    def outcome(self, case: experiments.Case) -> dict[str, str]:
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, "-P", str(here / "worker.py")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=environment(),
            )
        self.process.stdin.write(json.dumps([case.name, *case.settings]) + "\n")
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], patience)
        line = self.process.stdout.readline() if ready else ""
        if line:
            return json.loads(line)
        self.process.kill()
        status, self.process = self.process.wait(), None
        if ready:
            return {"what": "traceback", "said": f"the process ended with status {status}"}
        return {"what": "hang", "said": f"no end after {patience:g} s"}

    def close(self) -> None:
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()


def environment() -> dict[str, str]:
    paths = [str(here), str(here.parent / "shared"), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def resolved() -> dict[str, dict[str, Any]]:
    """Of each experiment its tables with all their keys."""
    from fathom.run.experiment.experiment import Experiment
    from fathom.run.experiment.toml import Document

    return {
        name: tomllib.loads(Experiment(Document(text, name)).resolved())
        for name, text in experiments.cases.items()
    }


def tried(number: int, seed: int, of: Any = resolved) -> list[dict[str, str]]:
    """What became of so many cases: {"case", "what", "said"}. of: gives the tables of each."""
    worker = Worker()
    found = [
        {"case": repr(case), **worker.outcome(case)}
        for case in experiments.made(number, of(), seed)
    ]
    worker.close()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cases", type=int, default=3000)
    parser.add_argument("--configured", type=int, default=600)
    parser.add_argument("--damaged", type=int, default=400)
    parser.add_argument("--lines", type=int, default=300)
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--calls", type=int, default=800)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, help="write all of them")
    given = parser.parse_args()
    import calls
    import commands
    import configured
    import damaged
    import files

    found = {
        "experiments": tried(given.cases, given.seed),
        "files of cycles, calibration and machines": tried(
            given.configured, given.seed, configured.resolved
        ),
        "damaged files": damaged.tried(given.damaged, given.seed),
        "command lines": commands.tried(given.lines, given.seed),
        "files of others": files.tried(given.files, given.seed),
        "calls": calls.tried(given.calls, given.seed),
    }
    for what, several in found.items():
        for one in wrong(several):
            print(f"{one['what']:10} {one['case']}\n{'':10} {one['said']}")
        count = collections.Counter(one["what"] for one in several)
        print(f"{len(several)} {what}: {', '.join(f'{n} {w}' for w, n in count.most_common())}")
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n")
    return 1 if any(map(wrong, found.values())) else 0


def wrong(found: list[dict[str, str]]) -> list[dict[str, str]]:
    """The errors of Fathom. A library that hangs with a damaged file is not counted."""
    return [one for one in found if one["what"] not in ("error", "ran", "same", "library")]


if __name__ == "__main__":
    sys.exit(main())
