"""This machine, measured: rates of its cores, messages between two of its ranks, sums,
interruptions.

The network between nodes can be measured only with ranks on several nodes; on one node the network
of the file is the memory that its ranks share.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from fathom.base import machine as limits
from fathom.base import mpi
from fathom.performance import load as busy_now
from fathom.performance.scaling import gates
from fathom.performance.scaling.machine import Machine, best_of, load, names, quantities, write
from fathom.performance.scaling.ranges import Range
from fathom.run import launch
from fathom.run.tree import tree


# long: one quantity of the machine after the other, with where it comes from
def measure(comm: Any, seconds: float = 0.3) -> Machine:
    """Returns all ranks together, two or more of them; the same on each."""
    ranks = comm.size
    cores = launch.cores()
    nodes = len(set(comm.allgather(os.uname().nodename)))
    alone = comm.bcast(_alone(mpi.core) if comm.rank == 0 else None)
    comm.barrier()
    together = limits.limits(comm, 64)
    pieces = [interruptions(seconds / 6) for _ in range(6)]
    quietest = min(pieces, key=lambda found: found.frequency * found.duration)
    noise = comm.allreduce(np.array(quietest[:2])) / ranks
    together_too = at_once(comm, pieces)
    values: dict[str, Any] = {
        "node.cores": max(cores, 1),
        "node.nodes": nodes,
        "node.multiply_add": alone[0],
        "node.triad_of_core": alone[1],
        "node.triad": max(together["triad_bytes_per_second"] / nodes, alone[1]),
        "node.cache": limits.last_level_cache() / cores,
        "node.copy": alone[1] * 2 / 3,
        "network.topology": "fat-tree",
        "network.shape": [16],
    }
    if ranks > cores * nodes:
        turns = ranks / (cores * nodes)
        values["node.slice"] = slice_of(comm, turns)
    elif ranks > 1:
        values |= messages(comm, nodes)
    values |= {
        "noise.frequency": float(noise[0]),
        "noise.duration": float(noise[1]),
        "noise.synchronised": bool(together_too),
    }
    said = {
        "network.topology": "estimate: what ranks of more nodes would meet",
        "network.shape": "estimate: a switch",
        "network.hop": "estimate: one node",
        "node.copy": "measured: triad, two of three streams",
        "sum.algorithm": "estimate",
    }
    if together_too is None:
        said["noise.synchronised"] = "estimate: too few interruptions at the same time to tell"
    said["network.gap"] = gap_said(nodes)
    plain = {k: float(v) if isinstance(v, np.floating) else v for k, v in values.items()}
    return Machine(
        limits.name(),
        {key: best_of(value) for key, value in plain.items()},
        {key: said.get(key, "measured") for key in values},
        {key: value for key, value in plain.items() if isinstance(value, Range)},
    )


def messages(comm: Any, nodes: int, repeats: int = 3, times: int = 300) -> dict[str, Any]:
    """Returns quantities of the network, as ranges of the repeats."""
    c = comm.py2f()
    of = Range.of_repeats
    one = of([mpi.core.seconds_of_pairs(c, False, 1, False, times) for _ in range(repeats)])
    many = [mpi.core.seconds_of_pairs(c, False, 65536, False, times // 20) for _ in range(repeats)]
    put = of(
        [mpi.core.seconds_of_halo(c, "put-flags", 1, False, times) / 2 for _ in range(repeats)]
    )
    total = mpi.core.seconds_of_sum(c, "allreduce", 1, 1, 5 * times)
    copied = of([max(seconds - one.best, 1e-9) for seconds in many])
    bandwidth = copied.inverse(8 * 65536)
    half, quarter = one.times(1 / 2), one.times(1 / 4)
    return {
        "network.latency": half,
        "network.overhead": quarter,
        "network.gap": gap_of(comm, nodes),
        "network.bandwidth": bandwidth,
        "network.hop": 0.0,
        "network.put_overhead": put.times(1 / 4),
        "network.put_latency": put.times(1 / 2),
        "node.latency": half,
        "node.bandwidth": bandwidth,
        "sum.algorithm": "recursive-doubling",
        "sum.stage": max(0.0, total / np.ceil(np.log2(comm.size)) - one.best),
    }


def gap_of(comm: Any, nodes: int, repeats: int = 3, times: int = 10) -> Range:
    """Returns seconds for which a message keeps busy what the ranks of a node share: how much
    longer a message in a stream takes for each further rank of the node that sends one. On one
    node half of the ranks receive what the others send, so that their own receiving is in it: from
    nothing to all of the difference is possible there.
    """
    of_node = comm.size // nodes
    if of_node < 2:
        return Range(0.0, 0.0, _stream(comm, 1, 1, 1, times))
    away = of_node if nodes > 1 else 1
    one, every = (
        Range.of_repeats([_stream(comm, n, of_node, away, times) for _ in range(repeats)])
        for n in (1, of_node)
    )
    low, best, high = (
        max(longer - one.best, 0.0) / (of_node - 1)
        for longer in (every.low, every.best, every.high)
    )
    return Range(low, best, high) if nodes > 1 else Range(0.0, best / 2, high)


def _stream(comm: Any, senders: int, of_node: int, away: int, times: int) -> float:
    return float(mpi.core.seconds_of_stream(comm.py2f(), senders, of_node, away, times))


def gap_said(nodes: int) -> str:
    """Returns where the gap is from."""
    if nodes > 1:
        return "measured: streams of one rank of each node, and of all"
    return "measured at most, in the memory of one node: streams of one rank, and of all"


def slice_of(comm: Any, turns: float, work: float = 2e-4, times: int = 60) -> float:
    """Returns the time of a meeting of ranks that share cores, beyond their computing in turn, for
    each rank waited for.
    """
    numbers = np.ones(1000)
    comm.barrier()
    began, computed = time.perf_counter(), 0.0
    for _ in range(times):
        start = time.process_time()
        while time.process_time() < start + work:
            numbers.dot(numbers)
        computed += time.process_time() - start
        comm.barrier()
    result: float = max(
        comm.allreduce(time.perf_counter() - began - turns * computed)
        / comm.size
        / times
        / (turns - 1),
        0.0,
    )
    return result


def _alone(core: Any) -> tuple[float, float]:
    """Returns multiply-adds and bytes a second of one core, by processor time: that of other
    programs on the machine is not counted.
    """
    triads = [_own(lambda: core.triad_bandwidth(64 << 20, 1)) for _ in range(8)]
    return _own(lambda: core.fma_rate(8, 0.1)), max(triads)


def _own(measured: Callable[[], float]) -> float:
    """Returns a rate, over the part of the time in which this process had a processor."""
    began, spent = time.perf_counter(), time.process_time()
    rate = measured()
    share = (time.process_time() - spent) / (time.perf_counter() - began)
    return rate / min(1.0, share)


class Interrupted(NamedTuple):
    """Interruptions of this rank: how often [1/s], how long on average [s], and when the
    longest were that took half of the time lost, by the clock on the wall [s].
    """

    frequency: float
    duration: float
    moments: np.ndarray


def at_once(comm: Any, pieces: Sequence[Interrupted], tolerance: float = 1e-4) -> bool | None:
    """Returns whether all ranks are interrupted at the same moments: more than half of the moments
    of the rank that has fewest lie next to one of each other, and three times as many as by chance.
    None: one rank, or too few to tell. All ranks together.
    """
    moments = np.sort(np.concatenate([piece.moments for piece in pieces]))
    of_all = comm.gather(moments)
    if of_all is None:
        return bool(found) if (found := comm.bcast(None)) is not None else None
    first, *others = sorted(of_all, key=len)
    answer: bool | None = None
    if others and all(len(each) >= 10 for each in of_all):
        met = np.ones(len(first), bool)
        chance = 1.0
        for each in others:
            met &= _distance(first, each) < tolerance
            span = each[-1] - each[0]
            chance *= min(1.0, 2 * tolerance * len(each) / max(span, tolerance))
        answer = bool(met.mean() > max(0.5, min(0.95, 3 * chance)))
    comm.bcast(answer)
    return answer


def _distance(moments: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Returns how far each moment is from the nearest of others, which are in order."""
    after = np.searchsorted(others, moments).clip(1, len(others) - 1)
    near = np.abs(others[after] - moments), np.abs(others[after - 1] - moments)
    return np.asarray(np.minimum(*near))


def interruptions(seconds: float = 0.3, quantum: float = 5e-5) -> Interrupted:
    """Returns those of so many seconds: pieces of work of the same length, again and again; those
    that took longer by more than a tenth were interrupted.
    """
    numbers = np.ones(1000)
    began = time.perf_counter()
    for _ in range(20):
        numbers.dot(numbers)
    times = max(1, int(quantum * 20 / (time.perf_counter() - began)))
    enabled = gc.isenabled()
    gc.disable()
    try:
        stamps, clock = [time.perf_counter()], time.perf_counter
        while stamps[-1] - stamps[0] < seconds:
            for _ in range(times):
                numbers.dot(numbers)
            stamps.append(clock())
    finally:
        if enabled:
            gc.enable()
    taken = np.diff(stamps)
    usual = float(np.median(taken))
    late = taken > 1.1 * usual
    longer = taken[late] - usual
    mean = float(longer.mean()) if len(longer) else 0.0
    descending = np.sort(longer)[::-1]  # the longest, which took half of what was lost
    half = np.searchsorted(np.cumsum(descending), longer.sum() / 2)
    long = taken - usual >= (descending[half] if len(longer) else np.inf)
    return Interrupted(
        len(longer) / (stamps[-1] - stamps[0]),
        mean,
        np.array(stamps[1:])[long] + (time.time() - time.perf_counter()),
    )


def shown_value(machine: Machine, name: str) -> str:
    """Returns a value for the table; a range as 3e-07 (1e-07 to 1e-06)."""
    value = machine.values[name]
    if isinstance(value, list):
        return "x".join(map(str, value))
    if isinstance(value, (bool, str)):
        return str(value)
    low, _, high = found = machine.range(name)
    best = f"{value:.4g}" if found.exact else f"{value:.3g}"
    return best if found.exact else f"{best} ({low:.2g} to {high:.2g})"


def text(machine: Machine) -> list[tuple[str, list[str]]]:
    """Returns a text by section: quantities, values, units, sources."""
    entries = []
    for section, known in quantities.items():
        lines = []
        for key, quantity in known.items():
            name = f"{section}.{key}"
            if name in machine.values:
                shown = shown_value(machine, name)
                lines.append(
                    f"{key:<14}{shown:>31} {quantity.units if quantity.units != '1' else '':<8}"
                    f" {machine.sources.get(name, '')}"
                )
        if lines:
            entries.append((section, lines))
    return entries


def show(name: str | None, file: Path | None = None, measured: bool = False) -> int:
    """Print this machine, one of the catalogue, or the names of these; of a busy machine that it
    is.
    """
    busy: list[str] = []
    if name is None and not measured:
        for each in names():
            m = load(each)
            click.echo(
                f"{each:<18}{m.name}; {len(m.values)} quantities, fitted:"
                f" {', '.join(m.fitted) or 'none'}; unconfirmed: {len(m.unconfirmed)}"
            )
        return 0
    if name is None:
        busy_now.begin()
        machine = measure(mpi.world)
        if not mpi.is_root:
            return 0
        busy = busy_now.said(busy_now.so_far())
        if busy:
            machine = _doubted(machine)
        if file is not None:
            told = [f"Measured by `fathom machine` on {mpi.world.size} ranks.", *busy]
            write(machine, file, "\n".join(told))
    else:
        machine = load(name)
    gates_here = [("hardware sums", [gates.told()])] if name is None else []
    click.echo(tree(machine.name, [*text(machine), *gates_here]))
    for line in busy:
        click.echo(line)
    return 0


def _doubted(machine: Machine) -> Machine:
    """Returns a machine whose sources say that others used it: interruptions by them are not its
    own noise.
    """
    said = {
        key: f"{source}, while other programs ran" if source.startswith("measured") else source
        for key, source in machine.sources.items()
    }
    return replace(machine, sources=said)
