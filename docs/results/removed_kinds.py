#!/usr/bin/env python3
"""What is lost without a kind of data: a chain with all kinds, and one without each, over the same
nature and the same observations; the rms error of analyses and backgrounds with and without it.

    python docs/results/removed_kinds.py experiments/suite-t42.toml --out runs/removed --windows 12

A number is the mean over the windows (after the first four) of the change of mean square errors
without the kind, over those with it, in percent: positive where the kind helps. The interval
of 95 % is Student's, with a third of the windows as independent ones. A stopped script goes on.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation.cycle.chain import chain, network, settings

fields = ("pressure", "wind 850", "wind 500", "wind 250", "temperature 850", "temperature 500",
          "temperature 250", "humidity 850", "humidity 500")  # fmt: skip
first = 4  # windows in which the first background still counts
kept = ("observed.parquet", "middle.fathom", "end.fathom", "stage-observations.json")


def run(suite: Path, out: Path, sets: Sequence[str], given: Path | None) -> list[Any]:
    """Returns the windows of a chain; given: that of another one, whose nature it takes."""
    read = settings.read(suite, sets)
    if read is None:
        raise SystemExit(f"{suite} is no chain")
    if given is not None:
        for number in range(read.chain.windows):
            folder = out / f"window-{number:04d}"
            folder.mkdir(parents=True, exist_ok=True)
            for name in kept:
                if not (folder / name).exists():
                    shutil.copy(given / folder.name / name, folder / name)
        shutil.copytree(given / "nature", out / "nature", dirs_exist_ok=True)
    return chain.Cycles(read, out, lambda text: print(f"{out.name}: {text}", flush=True)).run()


def lost(
    full: Sequence[Any], without: Sequence[Any], state: str, region: str, field: str
) -> tuple[float, float]:
    """Returns the growth of the mean square error without a kind [%], and half of its interval."""
    a, b = (
        np.array([w["scores"][state][region][field] ** 2 for w in windows[first:]])
        for windows in (full, without)
    )
    grown = 100 * (b - a) / a.mean()
    independent = max(len(grown) / 3, 2)
    from scipy.stats import t

    half = t.ppf(0.975, independent - 1) * grown.std(ddof=1) / np.sqrt(independent)
    return float(grown.mean()), float(half)


def lines(full: Sequence[Any], each: dict[str, Sequence[Any]], state: str) -> list[str]:
    """Returns the table as Markdown; an interval that holds zero is in brackets."""
    made = [f"| without | {' | '.join(fields)} |", "|---" * (len(fields) + 1) + "|"]
    for kind, windows in each.items():
        cells = []
        for field in fields:
            mean, half = lost(full, windows, state, "globe", field)
            text = f"{mean:+.1f} ± {half:.1f}"
            cells.append(text if abs(mean) > half else f"({text})")
        made.append(f"| {kind} | {' | '.join(cells)} |")
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("suite", type=Path)
    parser.add_argument("--out", type=Path, default=Path("runs/removed"))
    parser.add_argument("--windows", type=int, default=12)
    parser.add_argument("--kinds", nargs="*", default=list(network.usual))
    parser.add_argument("--set", nargs="*", default=[])
    given = parser.parse_args()
    sets = [*given.set, f"chain.windows={given.windows}", "report.impact=false", "report.samples=0"]
    full = run(given.suite, given.out / "all", sets, None)
    each: dict[str, Sequence[Any]] = {}
    for kind in given.kinds:
        own = [*sets, f"observations.without=['{kind}']"]
        each[kind] = run(given.suite, given.out / kind, own, given.out / "all")
        for state in ("analysis", "background"):
            text = "\n".join(lines(full, each, state))
            (given.out / f"{state}.md").write_text(text + "\n")
            print(f"{state}\n{text}", flush=True)
    numbers = {k: [w["scores"] for w in windows] for k, windows in {"all": full, **each}.items()}
    (given.out / "scores.json").write_text(json.dumps(numbers))


if __name__ == "__main__":
    main()
