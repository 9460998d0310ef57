"""The time of a sum over all ranks, once all have come.

    recursive-doubling
        ceil(log2 P) stages: a message to and from a rank at distance 1, 2, 4 ... each
    dissemination        a stage for each power of two below P, and for each one digit but the
        first of P as a binary number
    tree                 as many stages up, and the sum down again
    tree of k            levels of k children: up, the numbers of the children one after another;
        down, a put to each, one after another
    master               all to one rank, which takes them one after another,
        and answers one after another; one-sided: those who send have their overhead at once, the
        master reads a line for each, and each answer is a put
            barrier      all meet before the master reads, and before the others do
            flags        a second put with each number, and with each answer; side by side they
                share lines, which the master reads again
            sentinel     the number itself shows its arrival
    non-blocking         the library's, with a call to begin and one to wait
    hardware             the network adds: one sum for as many numbers as it takes at once

A stage costs a message (network.py) over the mean number of hops at its distance, and `sum.stage`,
the work of the processor in between. Ways to sum of core/parallel/sums/global_sum.hpp are known by
their names.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.performance.scaling.machine import Machine
from fathom.performance.scaling.network import Network, entering, gap, overhead, wire

# name: (algorithm, "" for the library's own; by one-sided puts; cores of a node first, in memory
# that MPI shares or that they map)
ways = {
    "allreduce": ("", False, ""),
    "non-blocking": ("non-blocking", False, ""),
    "recursive-doubling": ("recursive-doubling", False, ""),
    "tree": ("tree", False, ""),
    "dissemination": ("dissemination", False, ""),
    "one-sided-barrier": ("barrier", True, ""),
    "one-sided-flags": ("flags", True, ""),
    "one-sided-flags-unpadded": ("flags side by side", True, ""),
    "one-sided-sentinel": ("sentinel", True, ""),
    "one-sided-tree": ("tree", True, ""),
    "one-sided-tree-of-4": ("tree of 4", True, ""),
    "one-sided-tree-of-8": ("tree of 8", True, ""),
    "node-shared": ("", False, "shared"),
    "node-mapped": ("", False, "mapped"),
    "hardware": ("hardware", False, ""),
}
one_sided = ("barrier", "flags", "flags side by side", "sentinel")
children = {"tree of 4": 4, "tree of 8": 8}
line = 5e-8  # s to read what another core of the node has written


@cache
def _distances(network: Network, ranks: int, cores: int) -> list[tuple[float, float]]:
    """Returns, of each stage, the part of the ranks whose partner is on their own node, and the
    mean hops beyond the first of the others.
    """
    found, rank, distance = [], np.arange(ranks), 1
    while distance < ranks:
        hops = network.hops(rank // cores, (rank + distance) % ranks // cores)
        away = hops > 0
        found.append((1 - float(away.mean()), float(hops[away].mean() - 1) if away.any() else 0.0))
        distance *= 2
    return found


def _stages(machine: Machine, ranks: int, cores: int, put: bool, network: Network | None) -> float:
    network = network or Network.of(machine, ranks)
    inside, outside, hop = (
        float(wire(machine, 0, put)),
        float(wire(machine, 1, put) + entering(machine, 1, 0, cores)),
        machine.get("network.hop", 0.0),
    )
    each = 2 * overhead(machine, put) + machine.get("sum.stage", 0.0)
    result: float = sum(
        each + near_by * inside + (1 - near_by) * (outside + hop * further)
        for near_by, further in _distances(network, ranks, cores)
    )
    return result


def _rounds(ranks: int) -> int:
    """Returns how many messages one after another a rank gets where partial sums are passed on."""
    return ranks.bit_length() - 1 + ranks.bit_count() - 1


def _by_master(
    machine: Machine, ranks: int, cores: int, word: str, network: Network | None
) -> float:
    """Returns one-sided: all put at once, the master reads and answers."""
    puts, journey = overhead(machine, True), float(wire(machine, int(ranks > cores), True))
    each, queue = 2 if "flags" in word else 1, _at_one_adapter(machine, ranks, cores)
    lines = 2 if word == "flags side by side" else 1  # a flag takes the line of the others away
    there = each * puts + journey + lines * (ranks - 1) * line + queue
    back = (ranks - 1) * each * puts + journey + queue
    meetings = 2 * _stages(machine, ranks, cores, True, network) if word == "barrier" else 0.0
    return there + back + meetings


def _tree_of(machine: Machine, ranks: int, cores: int, k: int, network: Network | None) -> float:
    """Returns one-sided: children of rank r are k r + 1 to k r + k, level by level."""
    network = network or Network.of(machine, ranks)
    inside, hop = float(wire(machine, 0, True)), machine.get("network.hop", 0.0)
    outside, puts = float(wire(machine, 1, True)), overhead(machine, True)
    seconds, first, width = 0.0, 1, k
    while first < ranks:
        rank = np.arange(first, min(first + width, ranks))
        hops = network.hops(rank // cores, (rank - 1) // k // cores)
        journey = float(
            np.mean(np.where(hops > 0, outside + hop * np.maximum(hops - 1, 0), inside))
        )
        siblings = min(k, len(rank))
        up = 2 * puts + journey + siblings * line + machine.get("sum.stage", 0.0)
        seconds += up + 2 * siblings * puts + journey
        first, width = first + width, width * k
    return seconds


def _at_one_adapter(machine: Machine, ranks: int, cores: int) -> float:
    """Returns messages between all ranks of other nodes and one."""
    return max(ranks - cores, 0) * gap(machine)


def _node_first(machine: Machine, ranks: int, cores: int, memory: str) -> float:
    """Returns a sum in shared memory, then between nodes."""
    nodes = machine.nodes(ranks)
    there = float(wire(machine, 0)) if memory == "shared" else line
    journeys = 1 if memory == "mapped" and nodes == 1 else 2
    within = journeys * there + min(ranks, cores) * line
    if nodes == 1:
        return within
    alone = Network.of(machine.but({"node.cores": 1}), nodes)
    return within + _stages(machine, nodes, 1, False, alone)


def seconds(
    machine: Machine,
    ranks: int,
    words: int = 1,
    way: str = "allreduce",
    network: Network | None = None,
) -> float:
    """Returns seconds of a sum of `words` numbers over all ranks."""
    if way not in ways:
        raise InputError(f"no way to sum '{way}'{near(way, ways) or ';'} known: {', '.join(ways)}")
    algorithm, put, memory = ways[way]
    algorithm = algorithm or machine.get("sum.algorithm", "recursive-doubling")
    cores = int(machine["node.cores"])
    if ranks == 1:
        return 0.0
    if algorithm in children:
        return _tree_of(machine, ranks, cores, children[algorithm], network)
    if algorithm in one_sided:
        return _by_master(machine, ranks, cores, algorithm, network)
    if algorithm == "non-blocking":
        return overhead(machine) + seconds(machine, ranks, words, "allreduce", network)
    if algorithm == "hardware":
        result: float = machine["sum.hardware"] * -(-words // int(machine.get("sum.elements", 1)))
        return result
    if memory and cores > 1:
        return _node_first(machine, ranks, cores, memory)
    if algorithm == "master":
        journey = float(wire(machine, int(machine.nodes(ranks) > 1), put))
        queue = _at_one_adapter(machine, ranks, cores)
        return 2 * ((ranks - 1) * overhead(machine, put) + journey + queue)
    rounds = {"tree": 2.0, "dissemination": _rounds(ranks) / (ranks - 1).bit_length()}
    return rounds.get(algorithm, 1.0) * _stages(machine, ranks, cores, put, network)
