"""The network: hops between nodes, and the time of a message (LogGP: Alexandrov et al. 1995).

    message     o + L + h (hops - 1) + c (g + bytes / B) + o
    exchange    not sooner than all bytes have passed all links that they need:  sum (bytes hops) /
        (links B_link)

o a core's own time, L adapters and wires, h a further switch; g the gap: a node's adapter takes one
message after another, each for so long; B the bandwidth of a node into the network. c cores of the
node send at once and share the adapter.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.performance.scaling.machine import Machine


@cache
def shape_of(nodes: int, dimensions: int) -> tuple[int, ...]:
    """Returns the most compact box of at least so many nodes: the least longest side, then the
    fewest nodes, then the sides nearest to each other. 7600: 19 x 20 x 20.
    """
    if dimensions == 1:
        return (nodes,)
    longest = math.ceil(nodes ** (1 / dimensions) - 1e-9)
    best: tuple[Any, ...] = ()
    for sides in itertools.combinations_with_replacement(
        range(max(1, longest - 8), longest + 1), dimensions - 1
    ):
        last = -(-nodes // math.prod(sides))
        if last <= longest:
            every = tuple(sorted((*sides, last)))
            key = (max(every), math.prod(every), max(every) - min(every), every)
            best = min(best, key) if best else key
    result: tuple[int, ...] = best[-1]
    return result


@dataclass(frozen=True)
class Network:
    """Nodes 0 ... nodes - 1 of a job, in the order of the topology: along the last side of a torus
    first.
    """

    topology: str
    nodes: int
    shape: tuple[int, ...]

    @classmethod
    def of(cls, machine: Machine, ranks: int, shape: tuple[int, ...] | None = None) -> Network:
        """Returns the network that a job of so many ranks sees. shape: of a torus, as the job asks
        for it.
        """
        nodes, topology = machine.nodes(ranks), machine["network.topology"]
        if topology == "torus":
            shape = shape or shape_of(nodes, int(machine.get("network.dimensions", 3)))
            if math.prod(shape) < nodes:
                raise InputError(
                    f"a torus of {' x '.join(map(str, shape))} nodes has no place for {nodes}"
                )
        return cls(topology, nodes, tuple(shape or machine.get("network.shape", [16])))

    def hops(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Returns links between nodes; 0 within one."""
        a, b = np.broadcast_arrays(np.asarray(a), np.asarray(b))
        if self.topology == "crossbar":
            result: np.ndarray = (a != b).astype(int)
            return result
        if self.topology == "torus":
            total = np.zeros(a.shape, int)
            for side in reversed(self.shape):
                apart = np.abs(a % side - b % side)
                total += np.minimum(apart, side - apart)
                a, b = a // side, b // side
            return total
        if self.topology == "fat-tree":
            total = np.zeros(a.shape, int)
            while np.any(a != b):
                total += 2 * (a != b)
                a, b = a // self.shape[0], b // self.shape[0]
            return total
        router, group = self.shape[0], math.prod(self.shape[:2])
        return np.where(
            a == b,
            0,
            np.where(a // router == b // router, 2, np.where(a // group == b // group, 3, 5)),
        )

    @property
    def links(self) -> float:
        """Returns directed links of the job's nodes."""
        if self.topology == "torus":
            return self.nodes * sum(2 if side > 2 else side - 1 for side in self.shape) or 1
        if self.topology == "fat-tree":
            return 2 * self.nodes * max(1, math.ceil(math.log(max(self.nodes, 2), self.shape[0])))
        return {"crossbar": 1, "dragonfly": 3}[self.topology] * self.nodes

    @property
    def mean_hops(self) -> float:
        """Returns the mean number of hops between two different nodes."""
        if self.nodes == 1:
            return 0.0
        a = (
            np.arange(self.nodes)
            if self.nodes <= 512
            else np.random.default_rng(0).integers(self.nodes, size=512)
        )
        b = np.arange(self.nodes)
        return float(self.hops(a[:, None], b[None, :]).sum() / (len(a) * (self.nodes - 1)))


def wire(machine: Machine, hops: np.ndarray | float, put: bool = False) -> np.ndarray:
    """Returns seconds between the end of sending and the beginning of receiving, without bytes."""
    hops = np.asarray(hops)
    between = machine["network.put_latency" if put else "network.latency"] + machine.get(
        "network.hop", 0.0
    ) * np.maximum(hops - 1, 0)
    within = machine.get("node.latency", machine["network.latency"])
    result: np.ndarray = np.where(
        hops > 0, between, min(within, machine["network.put_latency"]) if put else within
    )
    return result


def overhead(machine: Machine, put: bool = False) -> float:
    """Returns the time of a core at one end of a message."""
    result: float = machine["network.put_overhead" if put else "network.overhead"]
    return result


def gap(machine: Machine) -> float:
    """Returns the least time between two messages of a node's adapter."""
    result: float = machine["network.gap"]
    return result


def entering(
    machine: Machine, hops: np.ndarray | float, size: np.ndarray | float, sharing: float = 1.0
) -> np.ndarray:
    """Returns seconds until a message of so many bytes has entered the network, or has been copied
    within a node. sharing: cores of a node that send such a message at once.
    """
    size = np.asarray(size, float)
    result: np.ndarray = np.where(
        np.asarray(hops) > 0,
        sharing * (gap(machine) + size / machine["network.bandwidth"]),
        size / machine.get("node.bandwidth", machine["network.bandwidth"]),
    )
    return result


def neighbours_away(cores: int) -> float:
    """Returns, of the eight neighbours of a rank, the mean number on other nodes, if the ranks of a
    node are a box as compact as can be.
    """
    high = max(side for side in range(1, math.isqrt(cores) + 1) if cores % side == 0)
    wide = cores // high
    pairs = (3 * wide - 2) * (3 * high - 2) - cores
    return 8 - pairs / cores
