#!/usr/bin/env python3
"""Few points of a processor, with and without observations: by how much vector processors of the
SX-8R together work more than one would, in a minimisation on more and more of them.

    python docs/results/few_points.py [--data 50000] [--window 6] [--json FILE]

The cost of a datum (the observation operator of columns, both ways) over that of a column of the
model in the window (tangent and adjoint) is measured here, at T21 with 10 levels, by the
processor's clock; the rest is the model of fathom/performance/scaling/studies/few_points.py.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

from fathom.assimilation import observed
from fathom.assimilation.cycle.experiment import Air
from fathom.assimilation.cycle.twin import Model
from fathom.performance.scaling.machine import load
from fathom.performance.scaling.studies.arome import vector_machine
from fathom.performance.scaling.studies.few_points import Minimisation, curve, points_of

truncations = (48, 107)
processors = range(1, 129)


def least(act, times):
    spent = []
    for _ in range(times):
        began = time.process_time()
        act()
        spent.append(time.process_time() - began)
    return min(spent)


def cost_of_a_datum(window, places=400, times=7):
    """Of a datum over that of a column of the model in the window, both ways."""
    model = Model.of(Air(truncation=21, levels=10, step="1h"), threads=1)
    trajectory, random = model.trajectory, np.random.default_rng(0)
    grid = trajectory.model.grid
    H = observed.columns(
        model.transform, 10, random.uniform(0, 360, places), random.uniform(-85, 85, places)
    )
    x = random.standard_normal(H.values.shape[1])
    y = random.standard_normal(H.values.shape[0])
    datum = least(lambda: (H.apply(x), H.adjoint(y)), times) / len(y)
    trajectory.restart()
    trajectory.follow(2)
    change = trajectory.nothing(1)
    trajectory.put(random.standard_normal(trajectory.size), change)
    linear = trajectory.linear
    both = lambda: (linear.tangent(change, 1, 1), linear.adjoint(change, 1, 1))
    column = window * least(both, times) / sum(grid.points)
    return datum / column


def measure(data, window):
    """Curves, crossings and the share of data, by truncation."""
    datum, vector = cost_of_a_datum(window), vector_machine(load("nec-sx8r"))
    found = {"datum": datum, "data": data, "window": window, "curves": {}}
    found |= {"crossing": {}, "share_of_data": {}, "half": {}}
    for truncation in truncations:
        name, points = f"T{truncation}", points_of(truncation)
        both = Minimisation(points, data, datum)
        ways = {"model": Minimisation(points), "with data": both}
        found["curves"][name] = {kind: curve(of, processors) for kind, of in ways.items()}
        found["crossing"][name] = {kind: of.crossing(vector) for kind, of in ways.items()}
        found["share_of_data"][name] = both.share_of_data
        found["half"][name] = points / data
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=int, default=50000)
    parser.add_argument("--window", type=int, default=6)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = measure(given.data, given.window)
    print(f"a datum costs {found['datum']:.4f} columns of the model in {given.window} steps")
    for name, curves in found["curves"].items():
        print(
            f"{name}: data take {100 * found['share_of_data'][name]:.1f} % of the work; 5 % dearer"
            f" from {found['crossing'][name]['model']} processors on,"
            f" with data from {found['crossing'][name]['with data']}; data would be half of the"
            f" work if one cost {found['half'][name]:.2f} columns"
        )
        for alone, both in zip(*curves.values(), strict=True):
            if alone["processors"] & (alone["processors"] - 1):
                continue
            print(
                f"{alone['processors']:6} processors {alone['points']:9.0f} points"
                f" {both['data']:8.0f} data {100 * alone['excess']:7.1f} %"
                f" {100 * both['excess']:7.1f} % with data"
            )
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
