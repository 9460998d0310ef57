#!/usr/bin/env python3
"""The balance of the columns of a limited area and of its extension among ranks.

    python docs/results/area_split.py [--ranks 4,32] [--points 600x512] [--levels 60] [--json FILE]
    python docs/results/area_split.py --widths 48,37 [--precision fp64]

A point of the extension E costs a share of a column of C + I: 0.15 with compressible air and all
physics, more with less physics. Rows are divided by C + I alone (best for physics), by C + I + E
equally (best for transforms), and by both costs, as a LimitedAreaAtmosphere does; the idle time of
each is estimated with both costs. north-south: whole rows; square: blocks; several: many
blocks a rank, in Hilbert's order; cartesian: many as well, rank by rank in both directions. Idle:
1 - mean / longest time of a rank. --widths: instead the processor time of a step of `fathom bench
limited-area` on one rank, whose blocks have so many points along x and 30 along y, in turn.
"""

import argparse
import json
import resource
import sys
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.base import mpi
from fathom.performance.bench.limited_area import Case

splits = ("C + I", "C + I + E", "both")
distributions = ("north-south", "square", "cartesian", "several")


def work(grid, share):
    """Levels of work of all points, negative in E."""
    vars(grid)["share_of_extension"] = share
    levels = np.ascontiguousarray(grid.work_levels, np.int32)
    return levels.ravel().tolist()


def dealt(grid, levels, ranks, distribution):
    """Cuts and owners by these levels of work."""
    topology = mpi.core.Topology(*grid.size, False, False)
    if distribution == "several":  # sizes of blocks by search
        distribution = "space-filling"
    return mpi.core.decompose(topology, levels, ranks, distribution=distribution, halo=0)


def idle(d, priced):
    """Of a decomposition, by the real work of each rank."""
    points = np.asarray(priced, float).reshape(d.topology.ny, d.topology.nx)
    times = np.zeros(d.ranks)
    for _, i, j, nx, ny, owner in np.asarray(d.blocks).reshape(-1, 6):
        if owner >= 0:
            times[owner] += np.abs(points[j : j + ny, i : i + nx]).sum()
    return 1 - times.mean() / times.max()


def by_itself(grid, share, ranks, rows):
    """What a model chooses on so many ranks: its idle time, how much faster that is than whole rows
    by both costs, and how much slower it were if points were dealt out by C + I alone or all alike.
    """
    vars(grid)["share_of_extension"] = share
    distribution = grid.distribution(ranks)
    chosen = rows[distribution]
    wrong = max(chosen["C + I"], chosen["C + I + E"])
    return {
        "distribution": distribution,
        "idle": chosen["both"],
        "gain": (1 - chosen["both"]) / (1 - rows["north-south"]["both"]) - 1,
        "gain_over_wrong_split": (1 - chosen["both"]) / (1 - wrong) - 1,
    }


def step_in_blocks(widths, precision, turns=6, steps=4):
    """Least milliseconds of a processor for a step, by the width of blocks."""
    spent = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_utime
    least = dict.fromkeys(widths, np.inf)
    running = {
        width: Case(precision=precision)
        .simulation(parallel={"blocks": (width, 30), "tile": "cache", "automatic": False})
        .prepare()
        for width in widths
    }
    for turn in range(turns + 1):
        for width, simulation in running.items():
            began = spent()
            simulation.advance(steps)
            if turn:
                least[width] = min(least[width], 1e3 * (spent() - began) / steps)
    return least


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", default="600x512")
    parser.add_argument("--levels", type=int, default=60)
    parser.add_argument("--ranks", default="4,32,64")
    parser.add_argument("--share", type=float, default=0.15)
    parser.add_argument("--widths")
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--json", metavar="FILE")
    given = parser.parse_args()
    if given.widths:
        for width, ms in step_in_blocks(
            [int(width) for width in given.widths.split(",")], given.precision
        ).items():
            print(f"{width:6} points wide: {ms:.2f} ms of a processor")
        return 0
    nx, ny = map(int, given.points.split("x"))
    area = fm.LimitedAreaGrid(
        (2.0, 46.5), resolution=2.5e3, points=(nx, ny), levels=fm.HybridLevels(given.levels)
    )
    grid = fm.LimitedAreaAtmosphere(area).grid
    weights = {"C + I": 0.0, "C + I + E": 1.0, "both": given.share}
    true = work(grid, given.share)
    result = {
        "size": list(grid.size),
        "points": [nx, ny],
        "share": given.share,
        "idle": {},
        "chosen": {},
    }
    print(f"{nx} x {ny} of {grid.size[0]} x {grid.size[1]} points; idle time of ranks [%]")
    print(f"{'ranks':>6} {'':14}" + "".join(f"{s:>12}" for s in splits))
    for ranks in map(int, given.ranks.split(",")):
        rows = {}
        for distribution in distributions:
            row = {
                split: idle(dealt(grid, work(grid, weights[split]), ranks, distribution), true)
                for split in splits
            }
            result["idle"][f"{ranks}, {distribution}"] = row
            rows[distribution] = row
            print(
                f"{ranks:6} {distribution:14}" + "".join(f"{100 * x:12.1f}" for x in row.values())
            )
        result["chosen"][str(ranks)] = by_itself(grid, given.share, ranks, rows)
    if given.json:
        Path(given.json).write_text(json.dumps(result, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
