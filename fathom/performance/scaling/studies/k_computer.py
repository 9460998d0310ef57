"""The barotropic solver (CGPOP) on K with one block of 36 x 24 points a node, 7545 of the 10 000
with water, on a job of 19 x 20 x 20 nodes: the gain by each change.

    baseline     messages sent and received, one sum of three numbers by software
    sum          three sums of one number, which the network makes
    halo         and halos put by RDMA
    threads      and eight threads: 0.35 + 0.65 / (8 eta) of the computing,
        eta the efficiency of threads in a short loop

Ranks reach the sum at different times: those in the open ocean have eight neighbours, others fewer.
So a faster halo makes the sum faster too.

The overhead of a message is fitted to two figures; that of a put follows from it, so that a halo
takes the stated part of one by messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from fathom.performance.scaling.clocks import Clocks
from fathom.performance.scaling.fit import Fit, fit
from fathom.performance.scaling.machine import Machine, load
from fathom.performance.scaling.network import Network
from fathom.performance.scaling.ranges import Range
from fathom.performance.scaling.reference import rows_of
from fathom.performance.scaling.threads import part

iterations = 226 * 124
nx, ny, ranks = 36, 24, 7545
# s of one thread for a point and iteration; estimate: 100 operations and 130 bytes at a tenth of
# the peak
point = 2.2e-8
serial, threads, eta = 0.35, 8, 0.8
# assumed: speed-up of the solver by two threads, `fathom bench barotropic --threads 2` on two cores
of_two_threads = Range(1.83, 1.85, 1.87)
steps = ("baseline", "sum", "halo", "threads")
halo_by_puts = 0.61  # of one by messages: 0.55 to 0.67
figures = {
    "gain": (1.84, 0.05 / 1.84),
    "sum": (2.0, 0.2),
}  # of all measures; of the network's sums over those by messages, "about two"; relative spread
start = {"overhead": 6e-7}  # s, estimate


@lru_cache(maxsize=4)
def layout(cut: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns (from, to, bytes) of the halos of the blocks with water of the real mask, one a rank,
    counted from the south; periodic in x. cut: pieces of each block, from south to north.
    """
    mask = np.array([list(row) for row in rows_of("wet_blocks_0.1deg.txt")])[::-1] == "#"
    wet = np.repeat(mask, cut, axis=0)
    number = np.where(wet, np.cumsum(wet).reshape(wet.shape) - 1, -1)
    north = len(wet)
    found = []
    for dj in (-1, 0, 1):
        for di in (-1, 0, 1):
            if di or dj:
                there = np.full_like(number, -1)
                rows = slice(max(dj, 0), north + min(dj, 0))
                there[slice(max(-dj, 0), north + min(-dj, 0))] = np.roll(number, -di, axis=1)[rows]
                both = (number >= 0) & (there >= 0)
                words = (
                    (nx if di == 0 else 2)
                    * (ny / cut if dj == 0 else 2)
                    * (1 if di and dj else 2 if 0 in (di, dj) else 1)
                )
                found.append((there[both], number[both], np.full(both.sum(), 8 * words / 2)))
    first, second, third = (np.concatenate([f[n] for f in found]) for n in range(3))
    return first, second, third


def iteration(
    step: str,
    machine: Machine | None = None,
    shape: tuple[int, ...] | None = (19, 20, 20),
    cut: int = 1,
) -> Clocks:
    """Returns one iteration, all ranks in step before, on `cut` times as many nodes."""
    machine = machine or load("k-computer")
    t = Clocks(machine, cut * ranks, Network.of(machine, cut * ranks, shape))
    n = steps.index(step) if step in steps else {"halo only": -1}[step]
    hardware, put, threaded = n >= 1, n >= 2 or n == -1, n >= 3
    share = serial + (1 - serial) / (threads * eta) if threaded else 1.0
    t.compute(nx * ny / cut * point * share, "calc")
    t.exchange(t.messages(*layout(cut), way="put-flags" if put else "packed"), "halo")
    t.sum(3, "sum", "hardware" if hardware else "allreduce")
    return t


def computing_of_threads() -> Range:
    """Returns the computing of an iteration with eight threads over that with one, from the
    measured speed-up of two, extrapolated by Amdahl's law.
    """
    machine = load("k-computer").but({"threads.number": 2, "threads.solver": of_two_threads})
    ends = (machine, machine.at(-1, 0), machine.at(1, 0))
    return Range.spanned([serial + (1 - serial) * part(at, "solver", threads) for at in ends])


def flat(machine: Machine | None = None) -> float:
    """Returns the time of an iteration of flat MPI, a rank on each of eight cores of a node with a
    strip of its block, over that of one process a node with eight threads; both by messages.
    """
    machine = machine or load("k-computer")
    of_cores = machine.but(
        {"node.cores": threads, "network.gap": machine["network.gap"]}, "a rank on each core"
    )
    t = Clocks(of_cores, threads * ranks)
    t.compute(nx * ny / threads * point / eta, "calc")
    t.exchange(t.messages(*layout(threads)), "halo")
    t.sum(3, "sum")
    one = Clocks(machine, ranks)
    one.compute(nx * ny * point * (serial + (1 - serial) / (threads * eta)), "calc")
    one.exchange(one.messages(*layout()), "halo")
    one.sum(3, "sum")
    return t.elapsed / one.elapsed


def gains(machine: Machine | None = None) -> dict[str, float]:
    """Returns the factors by which they are faster than the baseline."""
    base = iteration("baseline", machine).elapsed
    return {step: base / iteration(step, machine).elapsed for step in steps}


def with_overhead(overhead: float) -> Machine:
    """Returns K, the overhead of a put being such that a halo takes `halo_by_puts` of one by
    messages.
    """
    from scipy.optimize import brentq

    def machine(put: float) -> Machine:
        return load("k-computer").but({"network.overhead": overhead, "network.put_overhead": put})

    def missing(put: float) -> float:
        baseline, halo = (
            iteration(step, machine(put)).mean("halo") for step in ("baseline", "halo only")
        )
        return halo / baseline - halo_by_puts

    return machine(brentq(missing, 1e-8, 5 * overhead, xtol=1e-9))


def fitted(hold_out: bool = True) -> Fit:
    """Returns the fit of gains on the K computer; hold_out: with some figures held out."""

    def model(values: Mapping[str, float]) -> list[float]:
        machine = with_overhead(values["overhead"])
        baseline, hardware = (
            iteration(step, machine).mean("sum", "moving") for step in ("baseline", "sum")
        )
        return [gains(machine)["threads"], baseline / hardware]

    return fit(
        model,
        [value for value, _ in figures.values()],
        start,
        hold_out,
        within=[spread for _, spread in figures.values()],
    )
