#!/usr/bin/env python3
"""How often `fathom tune` makes the same choice on this machine as it is, with whatever else runs.

    python docs/results/ten_choices.py [FILE] [--runs 10] [--seconds 30] [--json FILE] [-- OPTIONS]

Each run has a cache of its own, so that none knows what others have found. A choice is the table
[parallel] of the tuned file.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

root = Path(__file__).resolve().parents[2]


def choice(file, seconds, options):
    """The table [parallel] of one run."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "tuned.toml"
        command = [
            *(sys.executable, "-P", "-m", "fathom", "tune", str(file), "--no-proposals"),
            *("--seconds", str(seconds), "--out", str(out), *options),
        ]
        alone = os.environ | {"FATHOM_CACHE": str(Path(folder) / "cache")}
        subprocess.run(command, check=True, capture_output=True, env=alone)
        found = tomllib.loads(out.read_text(encoding="utf-8"))
        return found.get("parallel", {})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", default=root / "experiments" / "ocean-3deg.toml")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--json", type=Path)
    parser.add_argument("options", nargs="*", help="of fathom tune, after --")
    given = parser.parse_args()
    choices = []
    for n in range(given.runs):
        parallel = choice(given.file, given.seconds, given.options)
        choices.append(json.dumps(parallel, sort_keys=True))
        print(f"{n + 1:3}  {choices[-1]}", flush=True)
    ((most, times),) = collections.Counter(choices).most_common(1)
    print(f"the same choice in {times} of {given.runs} runs: {most}")
    if given.json:
        found = {"runs": given.runs, "same": times / given.runs, "choices": choices}
        given.json.write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
