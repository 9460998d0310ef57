"""How many I/O servers a case should have: the cost of its output at its usual interval, from short
runs with none, one and two servers. And which ranks read and write, where a trial is worth while:
one rank of each node, or all.

    a step with its output takes   t + sum over stores c / m
        t: a step without output, c: the time that an output adds to the run, m: steps between two

The runs write every few steps, so that a short run has several outputs: c is their time minus the
time of the same number of steps without output. c is divided among stores like the stalls. There
may be more servers than cores: they sleep while there is nothing to write.
"""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fathom.base import mpi
from fathom.base.clock import Period
from fathom.base.reading import every_rank
from fathom.run.experiment.experiment import Experiment

outputs, apart = 4, 6  # of a run; steps between two, at most
long_reading, surely = 1.0, 0.1  # s; the part that another way to read or write must save
worth = 0.02  # of a step: output that costs less needs no server, and a server must gain as much
Shape = tuple[int, int]  # ranks that compute, servers
Priced = dict[
    str, float
]  # step: seconds without output; output: seconds that it adds to a step, on average


def candidates(ranks: int, given: bool) -> list[Shape]:
    """Returns the candidates; given: the user chose the ranks. Else servers may also take the place
    of ranks.
    """
    found = [(ranks, 0), (ranks, 1), (ranks, 2)]
    return (
        found
        if given
        else found + [(ranks - servers, servers) for servers in (1, 2) if ranks > servers]
    )


@dataclass
class Ran:
    """A short run: its summary, seconds of its steps, its stores as the case has them, the length
    of a step [s], ranks that computed.
    """

    summary: dict[str, Any]
    steps: Any
    stores: dict[str, Any]
    step: float
    ranks: int


def short_run(document: Any) -> Ran | None:
    """Returns the case with all its stores for some steps, written every few of them; called by all
    ranks, the answer on the first that computes.
    """
    tables = document.tables
    step, stores = Period(tables["simulation"]["time_step"]).seconds, tables["output"]
    every = min(
        [apart, *(_steps(Period(table.get("every", "1d")), step) for table in stores.values())]
    )
    tables["simulation"] = {
        key: value
        for key, value in tables["simulation"].items()
        if key not in ("checkpoint", "run")
    }
    tables["output"] = {
        name: table | {"every": f"{every * step:.9g}s"} for name, table in stores.items()
    }
    tables["parallel"] = {"tile": "cache"} | tables["parallel"] | {"automatic": False}
    with (
        tempfile.TemporaryDirectory(prefix="fathom-tune-", dir=Path.cwd())
        if mpi.world.rank == 0
        else contextlib.nullcontext()
    ) as own:
        simulation = Experiment(document).simulation(directory=mpi.world.bcast(own), overwrite=True)
        stamps: list[float] = []
        simulation.call(lambda _: stamps.append(time.perf_counter()), every=step)
        summary = simulation.run(
            f"{(outputs * every + 1) * step:.9g}s", progress=False, report=False
        )
        mpi.world.barrier()
    return (
        Ran(summary, np.diff(stamps), stores, step, simulation.comm.size)
        if simulation.is_root
        else None
    )


def price(document: Any) -> Priced | None:
    """Returns the price on the first rank that computes; all ranks call it."""
    ran = short_run(document)
    if ran is None:
        return None
    between = {
        name: _steps(Period(table.get("every", "1d")), ran.step)
        for name, table in ran.stores.items()
    }
    usual = float(np.quantile(ran.steps, 0.25))
    added = max(0.0, float(ran.steps.sum()) - usual * len(ran.steps)) / outputs
    stalls = {name: ran.summary["output"]["stores"][name]["stall_seconds"] for name in ran.stores}
    return {
        "step": usual,
        "output": sum(
            added * seconds / max(sum(stalls.values()), 1e-12) / between[name]
            for name, seconds in stalls.items()
        ),
        "input": ran.summary["input"]["seconds_in_all"],
    }


def _steps(every: Any, step: float) -> int:
    result: int = max(1, round((every.seconds or 30 * 86400 * every.months) / step))
    return result


def choose(
    shapes: Sequence[Shape], probe: Callable[[Shape], Priced | None], in_time: Callable[[], bool]
) -> tuple[Shape, dict[Shape, list[Priced]]]:
    """Returns the shape with the least time of a step and its output, and the measurements: all in
    turn, twice where there is time. It is the first, without servers, where its output costs
    little, where it cannot be measured, or where none is clearly faster in the least and in the
    mean.
    """
    found: dict[Shape, list[Priced]] = {}
    for turn in range(2):
        for shape in shapes:
            if (turn or found) and not in_time():
                break
            priced = probe(shape)
            if priced:
                found.setdefault(shape, []).append(priced)
            if shape == shapes[0] and _needs_no_server(priced):
                return shapes[0], found
    return _surely_fastest(found, shapes[0]), found


def by_node(
    usual: Priced,
    serves: bool,
    probe: Callable[[str, Any], Priced | None],
    in_time: Callable[[], bool],
) -> dict[str, tuple[Any, str]]:
    """Returns, of `writers` and `readers`, the value that is surely better than the usual, and why:
    one writer a node instead of all ranks, where no server writes and output is expensive; all
    ranks as readers instead of one a node, where reading takes long.
    """
    tried: list[tuple[str, Any, str, str]] = []
    if not serves and not _needs_no_server(usual):
        tried.append(("writers", 0, "output", "s of output in a step"))
    if usual.get("input", 0.0) > long_reading:
        tried.append(("readers", every_rank, "input", "s of reading"))
    found = {}
    for name, value, what, text in tried:
        priced = probe(name, value) if in_time() else None
        if priced and priced[what] < (1 - surely) * usual[what]:
            found[name] = (value, f"{usual[what]:.3g} → {priced[what]:.3g} {text}")
    return found


def _needs_no_server(priced: Priced | None) -> bool:
    """Returns whether the output of a case without servers costs little, or could not be
    measured."""
    return not priced or priced["output"] < worth * priced["step"]


def _surely_fastest(found: dict[Shape, list[Priced]], first: Shape) -> Shape:
    """Returns the first, unless another beats it in the least and in the mean."""
    least, mean = {}, {}
    for shape, several in found.items():
        times = [total(priced) for priced in several]
        least[shape], mean[shape] = min(times), sum(times) / len(times)
    best = min(least, key=lambda shape: least[shape])
    faster = (times[best] < (1 - worth) * times[first] for times in (least, mean))
    return best if all(faster) else first


def total(priced: Priced) -> float:
    """Returns seconds of step and output."""
    return priced["step"] + priced["output"]


def told(shape: Shape, found: dict[Shape, list[Priced]]) -> str:
    """Returns a text about what was measured and chosen."""
    first = min(next(iter(found.values()), []), key=total, default=None)
    if first is None:
        return ""
    if len(found) == 1:
        little = first["output"] < worth * first["step"]
        return f"output costs {100 * first['output'] / first['step']:.1f} % of a step" + (
            ": no I/O servers" if little else "; no time to try I/O servers"
        )
    least = sorted((min(map(total, several)), shape) for shape, several in found.items())
    seen = ", ".join(f"{ranks} + {servers}: {seconds:.4g}" for seconds, (ranks, servers) in least)
    gain = total(first) / min(map(total, found[shape])) - 1
    return f"ranks + I/O servers, s a step with output: {seen}; " + (
        f"io_servers = {shape[1]}, {100 * gain:.1f} % faster"
        if shape[1]
        else "no server is surely worth it"
    )
