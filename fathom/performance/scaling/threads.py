"""Threads of a rank: the speed-up of each kind of process, and an estimate for other numbers of
threads.

    t(T) / t(1) = s + (1 - s) / T,     s = (n / S - 1) / (n - 1)
        Amdahl (1967); S: speed-up measured with n threads, which shared memory and caches

A rank of T threads has T cores, so a node holds fewer ranks. S includes the wait for the most
disturbed thread.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from fathom.base.failure import InputError
from fathom.performance.scaling.cost import Measured
from fathom.performance.scaling.machine import Machine, load, write
from fathom.performance.scaling.request import Request
from fathom.run import launch

seconds_of = {
    "columns": ("three", "columns"),
    "solver": ("two",),
    "transform": ("fourier", "legendre", "waves"),
    "messages": ("packing",),
}  # kind: what a measured cost may call them


def speedups(one: Measured, many: Measured) -> dict[str, float]:
    """Returns quantities of a machine, from the same case on one rank with one thread and with
    several.
    """
    found: dict[str, float] = {"threads.number": many.threads}
    for kind in seconds_of:
        before, after = (
            sum(getattr(cost, name) for name in _names(cost, kind)) for cost in (one, many)
        )
        if before > 0 and after > 0:
            found[f"threads.{kind}"] = before / after
    return found


def part(machine: Machine, kind: str, threads: int) -> float:
    """Returns the part of the time of one thread. ValueError: the machine has no speed-up by
    threads.
    """
    if threads == 1:
        return 1.0
    n = machine["threads.number"]
    serial = (n / machine[f"threads.{kind}"] - 1) / (n - 1)
    result: float = serial + (1 - serial) / threads
    return result


def with_threads(cost: Any, machine: Machine, threads: int) -> Any:
    """Returns the cost of a rank of so many threads."""
    faster = {
        name: getattr(cost, name) * part(machine, kind, threads) / part(machine, kind, cost.threads)
        for kind in seconds_of
        for name in _names(cost, kind)
        if getattr(cost, name)
    }
    return replace(cost, threads=threads, **faster)


def with_work(cost: Any, factor: float) -> Any:
    """Returns the cost of a program whose processes of columns take `factor` times as long."""
    return replace(cost, **{n: factor * getattr(cost, n) for n in _names(cost, "columns")})


def for_ranks_of(machine: Machine, threads: int) -> Machine:
    """Returns the machine as ranks of so many threads see it: each has so many cores."""
    cores = int(machine["node.cores"])
    if threads > cores:
        raise InputError(
            f"--what-if threads={threads}: a node of '{machine.name}' has {cores} cores"
        )
    alone = {"node.triad_of_core": machine.get("node.triad_of_core", machine["node.triad"] / cores)}
    return machine.but({"node.cores": cores // threads, **alone}, "threads")


def add_to(file: Path, case: Path) -> None:
    """Adds to a machine's file the speed-ups of a case with a thread on each core. SystemExit where
    a run fails, after its message.
    """
    machine, costs = load(file), []
    with tempfile.TemporaryDirectory() as folder:
        for threads in (1, launch.cores()):
            probe = Path(folder) / f"{threads}.json"
            status = launch.start(
                1,
                threads,
                Request(case, threads=threads).arguments(1, probe),
                Path(folder) / "no-run-directory",
            )
            if status or not probe.exists():
                raise SystemExit(status or 1)
            costs.append(Measured.read(probe))
    write(
        machine.but(speedups(*costs), f"measured: {case.name}, one rank"),
        file,
        "Measured by `fathom machine`.",
    )


def _names(cost: Any, kind: str) -> list[str]:
    """Returns the names of the case: on blocks `columns` is a number of columns, and the seconds
    are `three`.
    """
    return [
        name
        for name in seconds_of[kind]
        if hasattr(cost, name) and not (name == "columns" and hasattr(cost, "three"))
    ]
