"""The places of ranks: their node by MPI, and the cores that the kernel lets them use."""

from __future__ import annotations

import os
from typing import Any, NamedTuple


class Place(NamedTuple):
    """Of a rank. node: the first rank there; cores: numbers as the kernel has them."""

    node: int
    cores: tuple[int, ...]


def of_ranks(comm: Any) -> list[Place]:
    """Returns the places of all ranks of a communicator, the same on each."""
    from mpi4py import MPI  # start-up time: loads the library

    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    first = node.bcast(comm.rank)
    node.Free()
    result: list[Place] = comm.allgather(Place(first, _cores()))
    return result


def _cores() -> tuple[int, ...]:
    if hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))


def by_node(places: list[Place]) -> list[int]:
    """Returns the ranks, those of a node one after another: in this order they get the pieces of a
    grid, whose neighbours follow each other. [] where the numbers already have this order.
    """
    order = sorted(range(len(places)), key=lambda rank: (places[rank].node, rank))
    return [] if order == list(range(len(places))) else order


def told(places: list[Place]) -> dict[str, Any]:
    """Returns, for people, nodes with their ranks, cores of each rank, and ranks that have to
    share.
    """
    nodes: dict[int, list[int]] = {}
    for rank, place in enumerate(places):
        nodes.setdefault(place.node, []).append(rank)
    crowded = 0
    for ranks in nodes.values():
        cores = {core for rank in ranks for core in places[rank].cores}
        crowded += max(0, len(ranks) - len(cores))
    return {
        "nodes": [spans(ranks) for ranks in nodes.values()],
        "cores": list(dict.fromkeys(spans(place.cores) for place in places)),
        "ranks_without_a_core": crowded,
    }


def spans(numbers: Any) -> str:
    """Returns "0-3, 8" of 0, 1, 2, 3, 8."""
    found: list[list[int]] = []
    for number in sorted(numbers):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ", ".join(f"{a}-{b}" if b > a else str(a) for a, b in found)
