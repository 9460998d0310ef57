#!/usr/bin/env python3
"""All models on hundreds of simulated ranks, each with the bits of one rank: for a scheduled job
(.ci/scheduled). It builds the core a second time and needs Debian's libsimgrid-dev.

    tools/simulated_model/scheduled.py [--ranks 256] [--only ocean] [--without-links]
        exit status 1 if a state has other bits or a run fails
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[2]
cases = {  # experiment, and settings with room for a thousand blocks
    "spectral": ("jablonowski-williamson", ("grid.truncation=42", "grid.levels.nz=6")),
    "ocean": ("baroclinic-channel", ("grid.nx=96", "grid.ny=96", "grid.levels.nz=3")),
    # each rank computes the initial state of the whole grid: one given by height costs little
    "grid-point": ("rotating-air", ("grid.nx=128", "grid.ny=96")),
}


def command(name: str, ranks: str, limit: float, links: bool) -> list[str]:
    experiment, settings = cases[name]
    return [
        *(sys.executable, str(Path(__file__).with_name("run.py"))),
        *(str(root / "experiments" / f"{experiment}.toml"), "--ranks", f"1,{ranks}"),
        *("--steps", "1", "--limit", str(limit)),
        *(() if links else ("--without-links",)),
        *(word for setting in settings for word in ("--set", setting)),
    ]


def main() -> int:
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("--ranks", default="256", help="as 256 or 256,1024")
    ask.add_argument("--only", choices=cases, action="append", help="one of the models")
    ask.add_argument("--limit", type=float, default=3600, help="seconds of one run")
    ask.add_argument("--without-links", action="store_false", dest="links", help="as of run.py")
    given = ask.parse_args()
    failed = []
    for name in given.only or cases:
        print(name, flush=True)
        words = command(name, given.ranks, given.limit, given.links)
        if subprocess.run(words, check=False).returncode:
            failed.append(name)
    if failed:
        print(f"other bits, or failed: {', '.join(failed)}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
