"""Other terms for the points of the 0.1-degree solver that were predicted worst (cgpop.beyond):
each in place of the one of cgpop.py, fitted to the same points, without those that are predicted.

    pairs      log2 of the largest power of two not above the ranks, and two stages for the rest:
               recursive doubling as MPICH does it
    tree       twice as many stages: a sum to one rank, and back
    node       ranks of a node sum in their memory first, then one of each node
    scattered  nodes of a job anywhere in the machine's torus: each message passes the mean number
               of links between two of its nodes, and all halos share the links of the job's nodes
    late       no gap; ranks are late for any cause, as if interrupted 1.33 times a second, and how
               long is fitted, in the place of the gap

`apart`, `alike` and `between` show why none of them can explain the points: two programs on the
same number of cores of one machine; a line between the neighbours of a point.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from fathom.performance.scaling import noise, sums
from fathom.performance.scaling.machine import Machine
from fathom.performance.scaling.network import entering, gap, overhead, wire
from fathom.performance.scaling.studies import cgpop

torus = {"Cray XE6": (17, 8, 24), "Cray XT5": (25, 16, 24)}  # Hopper, Kraken: unconfirmed
Program = Mapping[str, float]
Parts = dict[str, float]


def pairs(machine: Machine, program: Program, ranks: int, way: str) -> Parts:
    """Returns the sum in pairs of a power of two."""
    found = cgpop.iteration(machine, program, ranks, way)
    if not gap(machine):
        return found
    most = 1 << (ranks.bit_length() - 1)
    aside = float(entering(machine, 1, 0, machine["node.cores"]) + wire(machine, 1))
    extra = 2 * (2 * overhead(machine) + aside) if most < ranks else 0.0
    return found | {"sum": sums.seconds(machine, most, 3, way) + extra}


def tree(machine: Machine, program: Program, ranks: int, way: str) -> Parts:
    """Returns the sum to one rank and back."""
    return _summed(machine, program, ranks, "tree")


def node(machine: Machine, program: Program, ranks: int, way: str) -> Parts:
    """Returns the sum within nodes first."""
    return _summed(machine, program, ranks, "node-shared")


def scattered(machine: Machine, program: Program, ranks: int, way: str) -> Parts:
    """Returns nodes anywhere in the machine."""
    found = cgpop.iteration(machine, program, ranks, way)
    if machine.name not in torus:
        return found
    sides, nodes, hop = torus[machine.name], machine.nodes(ranks), machine["network.hop"]
    hops = sum(side / 4 for side in sides)
    points, _ = cgpop.points(ranks)
    moved = 8 * cgpop.halo * 4 * (math.sqrt(points) + cgpop.halo)
    shared = ranks * moved * hops / (nodes * 2 * len(sides) * machine["network.link"])
    alone = moved * machine["node.cores"] / machine["network.bandwidth"]
    halo = found["halo"] + hop * hops + max(0.0, shared - alone)
    return found | {"halo": halo, "sum": found["sum"] + hop * hops * math.log2(max(nodes, 1))}


def late(machine: Machine, program: Program, ranks: int, way: str) -> Parts:
    """Returns late ranks in the place of the gap."""
    each = 300 * gap(machine)  # so that the first guess of the gap is one of this, too
    quick = machine.but({"network.gap": 0.0, "noise.frequency": 1.33, "noise.duration": each})
    found = cgpop.iteration(machine.but({"network.gap": 0.0}), program, ranks, way)
    return found | {"waiting": noise.excess(quick, sum(found.values()), ranks)}


terms = {each.__name__: each for each in (pairs, tree, node, scattered, late)}


def _summed(machine: Machine, program: Program, ranks: int, way: str) -> Parts:
    found = cgpop.iteration(machine, program, ranks, "allreduce")
    return found | {"sum": sums.seconds(machine, ranks, 3, way)} if gap(machine) else found


def apart(name: str, other: str) -> dict[int, tuple[float, float]]:
    """Returns, by the cores that both curves have, additional seconds of a day of the first, and
    the total computing seconds of the slower one, as fitted.
    """
    curves = [dict(zip(*cgpop.series(each))) for each in (name, other)]
    known = [cgpop.known(each) for each in (name, other)]

    def computing(cores: Any) -> Any:
        return cgpop.iterations * max(cgpop.iteration(*each, cores)["calc"] for each in known)

    both = sorted(map(int, curves[0].keys() & curves[1].keys()))
    return {cores: (curves[0][cores] - curves[1][cores], computing(cores)) for cores in both}


def alike(name: str, other: str) -> tuple[float, float]:
    """Returns the rms of the logarithm of what two curves of a machine have on the same cores, up
    to 1000 and beyond.
    """
    curves = [dict(zip(*cgpop.series(each))) for each in (name, other)]
    both = np.array(sorted(curves[0].keys() & curves[1].keys()))
    apart = np.array([math.log(curves[0][cores] / curves[1][cores]) for cores in both])
    few, many = (float(np.sqrt(np.mean(apart[part] ** 2))) for part in (both < 1000, both > 1000))
    return few, many


def between(name: str) -> dict[int, float]:
    """Returns, by cores, seconds on the line between the neighbours of a point of the curve, in
    logarithms, over those of the point, less one. Without any model, and with what was measured on
    more cores.
    """
    cores, seconds = (np.log(values) for values in cgpop.series(name))
    order = np.argsort(cores)
    cores, seconds = cores[order], seconds[order]
    others = [np.delete(np.arange(len(cores)), n) for n in range(1, len(cores) - 1)]
    return {
        round(math.exp(cores[n])): math.expm1(
            np.interp(cores[n], cores[rest], seconds[rest]) - seconds[n]
        )
        for n, rest in enumerate(others, 1)
    }
