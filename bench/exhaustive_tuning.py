"""How near is the result of `fathom tune` to the best of all? A space small enough to exhaust,
in which everything is measured, and then searched in the same processes.

    python bench/exhaustive_tuning.py experiments/ocean-3deg.toml \\
        --json tests/performance/tune/recorded/ocean-3deg-1-rank.json
    mpiexec -n 2 python bench/exhaustive_tuning.py experiments/ocean-3deg.toml \\
        --json tests/performance/tune/recorded/ocean-3deg-2-ranks.json

All configurations take turns, several times, each with the usual one. Then the search runs;
it begins at the slowest of all. Its result is compared with the best of the table in new pairs, in
the order abba. It prints the best, the slowest and the found configuration, and how much slower the
found one is than the best, by the table and in pairs. Exit status 1 beyond 8 % in pairs.
docs/results/tuning.md
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import sys
from pathlib import Path
from statistics import median
from typing import Any

from fathom.base import machine
from fathom.base.mpi import world
from fathom.performance.tune.search import Axis, Rejected, Search
from fathom.performance.tune.trials import Trials
from fathom.run.experiment.toml import Document

allowed = 0.08
axes = [
    Axis("tile", ["cache", 16, 256]),
    Axis(
        "decomposition", [("auto", None), ("space-filling", (48, 30)), ("space-filling", (32, 15))]
    ),
]
axes += (
    [Axis("exchange", ["packed", "put-fence", "shared"]), Axis("sum", ["allreduce", "tree"])]
    if world.size > 1
    else [
        Axis("model.free_surface.solver", ["chrongear", "pcg", "pcsi"]),
        Axis("model.free_surface.preconditioner", ["factorisation", "diagonal", "evp"]),
    ]
)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("case", type=Path)
    options.add_argument("--json", type=Path, help="of the table")
    options.add_argument("--turns", type=int, default=8)
    options.add_argument("--seconds", type=float, default=20, help="of the search")
    options.add_argument("--pairs", type=int, default=30)
    given = options.parse_args()

    def read(more: list[str]) -> Document:
        document = Document.read(given.case, more)
        document.tables["parallel"] = {"ranks": world.size, "threads": 1}
        return document

    with Trials(read, world, sample=0.04) as trials:
        usual = {axis.name: axis.values[0] for axis in axes}
        trials.simulation(usual)
        trials.keep = [usual]
        seconds = exhaust(trials, usual, given.turns)
        finite = [values for values in seconds if seconds[values] < math.inf]
        best, slowest = (
            dict(zip(usual, of_all(finite, key=seconds.__getitem__))) for of_all in (min, max)
        )
        trials.keep = [slowest]
        trials.rejected.clear()  # the search measures the rest
        began = trials.clock()
        found = Search(
            trials.measure, trials.clock, began + given.seconds, settled=trials.settled
        ).run(beginning(slowest))
        searched = trials.clock() - began
        ratio = paired(trials, found.best, best, given.pairs)
    if world.rank == 0:

        def of(configuration: dict[str, Any]) -> float:
            return seconds[tuple(configuration.values())]

        for name, which in (("best", best), ("slowest", slowest), ("found", found.best)):
            settings = ", ".join(f"{key} = {value}" for key, value in which.items())
            print(f"{name:<8} {1e3 * of(which):.3f} ms  {settings}")
        print(
            f"found in {searched:.0f} s, slower than the best of {len(seconds)}:"
            f" {100 * (of(found.best) / of(best) - 1):.1f} % by the table,"
            f" {100 * ratio:.1f} % in {given.pairs} pairs"
        )
        if given.json:
            what = (
                f"{given.case.stem} on {world.size} ranks, {machine.name()}:"
                f" seconds of a step, the median of {given.turns}"
            )
            given.json.write_text(
                json.dumps(
                    {
                        "what": what,
                        "axes": {a.name: a.values for a in axes},
                        "seconds": [round(s, 7) for s in seconds.values()],
                    }
                )
                + "\n"
            )
    return int(world.bcast(ratio) > allowed)


def beginning(configuration: dict[str, Any]) -> list[Axis]:
    """The axes with the values of this configuration first."""
    return [
        Axis(
            axis.name,
            [
                configuration[axis.name],
                *(value for value in axis.values if value != configuration[axis.name]),
            ],
        )
        for axis in axes
    ]


def exhaust(trials: Trials, usual: dict[str, Any], turns: int) -> dict[tuple, float]:
    """Seconds of a step of every configuration, in the order of the product of the axes: the median
    of its ratios to the usual one measured with it, times the median of that.
    """
    every = list(itertools.product(*(axis.values for axis in axes)))
    ratios: dict[tuple, list[float]] = {values: [] for values in every}
    references, size = [], max(1, trials.most_live - 2)
    for first in range(0, len(every), size):
        for _ in range(turns):
            for few in range(first, min(first + size, len(every)), 4):
                before, seen = trials.measure(usual), {}
                for values in every[few : min(few + 4, first + size)]:
                    try:
                        seen[values] = trials.measure(dict(zip(usual, values)))
                    except Rejected:
                        ratios[values].append(math.inf)
                references.append(math.sqrt(before * trials.measure(usual)))
                for values, seconds in seen.items():
                    ratios[values].append(seconds / references[-1])
        trials.settled([])
    return {values: median(several) * median(references) for values, several in ratios.items()}


def paired(trials: Trials, one: dict[str, Any], other: dict[str, Any], pairs: int) -> float:
    """The part by which one is slower than the other."""
    if one == other:
        return 0.0
    x = []
    for _ in range(pairs // 2):
        a, b, c, d = (trials.measure(each) for each in (one, other, other, one))
        x += [math.log(a / b), math.log(d / c)]
    return math.expm1(median(x))


if __name__ == "__main__":
    sys.exit(main())
