"""`fathom profile`: some steps of an experiment, and all figures of their regions: tables, rates
against the limits of the machine, files, imbalance, efficiencies, the noise of repeats, counters of
the processor, and the cost of profiling.

fathom.base.regions is always on. This module measures more, at a cost too high for a normal run:
separate steps count operations (core/base/counted.hpp), steps with and without profiling alternate,
and events are kept for a trace.
"""

from __future__ import annotations

import json
import tempfile
import time
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from fathom.base import machine, mpi, provenance, regions
from fathom.grids.wide_halo import halo_everywhere
from fathom.model import device
from fathom.performance import history, load, roofline, vectors
from fathom.performance.pairs import middle
from fathom.performance.profile import noise as interrupted
from fathom.performance.work import declared_bytes, of_regions, steps_of_a_cycle
from fathom.plots.report import otf2_trace, timeline, traces
from fathom.plots.report import tables as profile_tables
from fathom.plots.report.file_use import FileUse
from fathom.run.tree import tree

pieces = 8  # of the run, each a repeat: their spread is the noise
pairs = 40  # of steps with and without profiling, at most
of_the_run = (
    "model",
    "grid",
    "step",
    "steps",
    "precision",
    "cells",
    "ranks",
    "threads",
    "blocks",
    "wall_seconds",
    "seconds_per_step",
    "checksum",
    "input",
    "profile",
    "efficiency",
    "seconds_of_ranks",
    "step_seconds",
    "output_steps",
)


@dataclass(frozen=True)
class Request:
    """The request of the user."""

    steps: int = 48
    spin_up: int = 8
    file: Path | None = None
    trace: Path | None = None
    pictures: Path | None = None
    record: Path | None = None
    out: Path | None = None
    noise: interrupted.Noise | None = None

    @property
    def events(self) -> int:
        """Returns room for a trace."""
        return 2_000_000 if self.trace or self.pictures or self.out else 0


def run(experiment: Any, request: Request, case: str) -> int:
    """Profile an experiment on its ranks and say what was found. Returns the exit status."""
    if request.trace is not None and request.trace.suffix == ".otf2":
        otf2_trace.library()  # ranks that do not have it get it now
    counters = mpi.core.Counters()
    with nullcontext(request.out) if request.out else tempfile.TemporaryDirectory() as folder:
        directory = Path(mpi.world.bcast(str(folder)))
        simulation = experiment.simulation(directory, True)
        simulation.directory.mkdir(parents=True, exist_ok=True)
        if simulation.serves:
            simulation.run(_period(simulation, request), progress=False, report=False)
            return 0
        found = measure(simulation, request, case, counters)
        status = _present(found, request) if simulation.is_root else 0
        return int(simulation.comm.bcast(status))


def _period(simulation: Any, request: Request) -> str:
    return f"{request.steps * simulation.time_step:.0f}s"


def measure(simulation: Any, request: Request, case: str, counters: Any) -> dict[str, Any]:
    """Returns all figures as plain data, on rank 0; all ranks together."""
    s = simulation
    s.prepare()
    s.advance(request.spin_up)
    samples = Samples(s)
    s.call(samples.sample, f"{max(1, request.steps // pieces) * s.time_step:.0f}s")
    s.trace_events = request.events
    before, use = counters.read(), FileUse(s)
    load.begin()
    alone = s.comm.size * s.parallel["threads"] == 1
    speeds = _speeds(s)
    spent = time.process_time()
    with use:
        samples.begin()
        summary = s.run(_period(s, request), progress=False, report=request.out is not None)
    spent = time.process_time() - spent
    counted = {
        name: s.comm.allreduce(value - before.get(name, 0.0))
        for name, value in counters.read().items()
    }
    found = {key: summary[key] for key in of_the_run}
    found["output_steps"].pop("sample", None)
    found |= {
        "case": case,
        "machine": machine.name(),
        "environment": provenance.environment(),
        "configuration": s.experiment,
        "samples": samples.by_region(),
        "files": use.by_file(),
        "counters": counted or counters.why_not,
        "speeds": {what: (speed + speeds[what]) / 2 for what, speed in _speeds(s).items()},
        "processor_seconds_per_step": spent / summary["steps"] if alone else None,
        "load": load.so_far(),
        "overhead": overhead(s),
    }
    found["halo_on_demand"] = halo_on_demand(s)
    if request.noise is not None:
        found["noise"] = interrupted.cost(s, request.noise)
    found["rates"], found["limits"] = rates(s, found["profile"])
    found["trace"] = s.traces
    return found


def _speeds(s: Any) -> dict[str, float]:
    """Returns what the machine does now, by the clock of the alarm."""
    with roofline.one_clock(s.comm.size, s.parallel["threads"]):
        return roofline.speeds(s.bytes_of_number)


def halo_on_demand(s: Any) -> dict[str, float]:
    """Returns points that ranks receive for their departure points, and those of a halo that is
    everywhere as wide as the farthest departure point; {}: no model on the sphere, or one rank; all
    ranks together.
    """
    dynamics, grid = s.find(mpi.core.SpectralProcess), s.model.grid
    if s.comm.size == 1 or grid.sphere is None or dynamics is None:
        return {}
    points, reach = dynamics.halo[0], dynamics.rows_away
    received, rows = s.comm.allreduce(points), s.comm.allreduce(reach, op=mpi.MPI.MAX)
    blocks = s.domain.decomposition.blocks
    blocks = blocks[blocks[:, 5] >= 0]
    full = halo_everywhere(blocks, np.asarray(grid.points), rows, s.comm.size)[:, 2].sum()
    return {"points": float(received), "everywhere": float(full), "rows": float(rows)}


class Samples:
    """Exclusive seconds a step of each region in pieces of a run, as a callback takes them."""

    def __init__(self, simulation: Any) -> None:
        self.simulation = simulation
        self.taken: list[Any] = []

    def begin(self) -> None:
        """Forgets the samples so far."""
        self.taken = []

    def sample(self, simulation: Any) -> None:
        """Takes a sample now."""
        self.taken.append(
            (
                simulation.count,
                {r["region"]: r["seconds"] for r in regions.exclusive(regions.mine())},
            )
        )

    def by_region(self) -> dict[str, list[float]]:
        """Returns means over ranks of each piece of each region; all ranks call it together."""
        s = self.simulation
        held: dict[str, list[float]] = {}
        for n, ((start, before), (end, after)) in enumerate(
            zip([(s.start_steps, {}), *self.taken], self.taken)
        ):
            for name, seconds in after.items():
                held.setdefault(name, [0.0] * len(self.taken))[n] = (
                    seconds - before.get(name, 0.0)
                ) / max(end - start, 1)
        gathered = s.comm.gather(held)
        if gathered is None:
            return {}
        return {
            name: (
                np.mean(
                    [rank.get(name, [0.0] * len(self.taken)) for rank in gathered], axis=0
                ).tolist()
            )
            for name in dict.fromkeys(name for rank in gathered for name in rank)
        }


def overhead(s: Any, seconds: float = 20.0) -> dict[str, float]:
    """Returns the cost of profiling, as a part of the time of a step: the median of steps with and
    without it, in pairs, either first in turn, for so many seconds or a little more; all ranks
    together.
    """

    def timed(on: bool, steps: int) -> float:
        mpi.core.profiling(on)
        s.comm.barrier()
        began = time.perf_counter()
        s.advance(steps)
        s.comm.barrier()
        return time.perf_counter() - began

    regions.begin(s.comm)
    cycle = steps_of_a_cycle(s)
    steps = s.comm.bcast(
        cycle * min(20, max(1, round(0.02 / max(timed(True, cycle), 1e-9))))
    )  # short, so that other programs disturb few of them
    ratios: list[float] = []
    ends = time.perf_counter() + seconds
    try:
        while len(ratios) < pairs:
            first = bool(len(ratios) % 2)
            took = {on: timed(on, steps) for on in (first, not first)}
            ratios.append(took[True] / took[False] - 1)
            if s.comm.bcast(time.perf_counter() > ends):
                break
    finally:
        mpi.core.profiling(True)
    share, error = s.comm.bcast(middle(ratios))
    return {
        "share": share,
        "error": error,
        "pairs": len(ratios),
        "steps": steps,
    }


def rates(s: Any, records: list[dict[str, Any]]) -> tuple[dict[str, Any], str]:
    """Returns GF/s, GB/s and the fraction of the machine's limit of each region that declares its
    work, of the means over ranks; and the limits in words.
    """
    exclusive = regions.exclusive(records)
    seconds = {r["region"]: r["seconds"] / max(r["calls"], 1) for r in exclusive if r["seconds"]}
    if name := s.parallel["device"]:
        return _rates_on_device(s, seconds, device.open(name))
    limits = roofline.Measuring(s.bytes_of_number)
    for _ in range(3):
        limits.again()
    calls = {r["region"]: r["calls"] for r in exclusive}

    work = _work_of_a_cycle(s, seconds, calls)
    names = sorted(work)
    totals = (
        s.comm.allreduce(np.array([work[name][:2] for name in names]).reshape(-1, 2)) / s.comm.size
    )
    known = limits.limits
    found = {
        name: known.against(seconds[name], *map(float, total), within=work[name][2])
        for name, total in zip(names, totals)
        if seconds.get(name)
    }
    for name in found:
        _, bytes_, within = work[name]
        found[name]["data_in"] = known.place(bytes_ if within is None else within)
    if s.is_root:
        _add_vectors(s, found)
    return found, known.describe()


def _add_vectors(s: Any, found: dict[str, Any]) -> None:
    """Adds what the compiler has made of each kernel."""
    kernels = {p.name: p.kernel for p in s.model.processes(s.time_step, s.surface) if p.kernel}
    for name, of_kernel in vectors.of_core(found, s.bytes_of_number, kernels).items():
        found[name] |= {"in_vectors": of_kernel.part, "lanes": of_kernel.lanes}


def _work_of_a_cycle(s: Any, seconds: dict[str, float], calls: dict[str, int]) -> dict[str, Any]:
    """Returns the work of each process, and of each part of a spectral step that took time."""
    dynamics = s.find(mpi.core.SpectralProcess)
    before = dynamics.spent if dynamics else {}
    _count_a_cycle(s)
    work = _work_of_processes(s)
    after = dynamics.spent if dynamics else {}
    for name, keys in of_regions.items():
        if keys[0] in after and name in seconds:  # of all calls in a step
            of_a_step = calls[name] / max(calls["step"], 1)
            done = [
                _work_of_part(before[key], after[key], steps_of_a_cycle(s), of_a_step)
                for key in keys
            ]
            work[name] = sum(one[0] for one in done), sum(one[1] for one in done), None
    return work


def _rates_on_device(
    s: Any, seconds: dict[str, float], computer: Any
) -> tuple[dict[str, Any], str]:
    """Returns the same of the column processes on a device: their bytes, against copies within
    it."""
    copies = roofline.of_copies(computer)
    limits = roofline.Limits(np.inf, (("memory of the device", np.inf, copies),))
    listed = s.model.processes(s.time_step, s.surface)
    moved, left = declared_bytes(s, listed, s.bytes_of_number), s.sequence.left_by(computer)
    names = sorted({p.name for p in listed if not p.is_global} - set(left))
    total = s.comm.allreduce(np.array([moved[name] for name in names])) / s.comm.size
    found = {
        name: limits.against(seconds[name], 0.0, float(bytes_))
        for name, bytes_ in zip(names, total)
        if seconds.get(name)
    }
    return found, f"{computer.name}: copies within it {copies / 1e9:.0f} GB/s"


# of a call: operations, bytes, the size of what is gone through (None: as many as the bytes)
Work = tuple[float, float, float | None]


def _count_a_cycle(s: Any) -> None:
    """Takes steps in which the sequence counts the operations of each process."""
    s.sequence.reset_timings()
    s.sequence.counting = True
    s.advance(steps_of_a_cycle(s))
    s.sequence.counting = False


def _work_of_processes(s: Any) -> dict[str, Work]:
    """Returns the work of each process: operations, where they were counted, and bytes."""
    listed = s.model.processes(s.time_step, s.surface)
    every = {p.name: p.every for p in listed}
    moved = declared_bytes(s, listed, s.bytes_of_number)
    cycle = steps_of_a_cycle(s)
    found: dict[str, Work] = {}
    for timing in s.sequence.timings:
        name, operations = timing["process"], timing.get("operations")
        if operations and name in every:
            calls = cycle / every[name]
            found[name] = (operations / calls, moved[name], 0)
    return {p.name: (0.0, moved[p.name], None) for p in listed if moved[p.name]} | found


def _work_of_part(
    before: tuple[float, ...], after: tuple[float, ...], cycle: int, calls: float
) -> Work:
    """Returns the work of a part of the dynamics, from its counts before and after a cycle of
    steps.
    """
    operations, bytes_ = ((b - a) / cycle / max(calls, 1e-9) for a, b in zip(before[1:], after[1:]))
    return operations, bytes_, None


def _of_halo(halo: dict[str, float]) -> list[tuple[str, str]]:
    if not halo.get("everywhere"):
        return []
    share = 100 * halo["points"] / halo["everywhere"]
    text = f"{halo['points']:.0f} points of all ranks, {share:.0f} % of a halo of"
    return [("halo on demand", f"{text} {halo['rows']:.0f} rows everywhere")]


# long: one part of what is printed after the other
def _present(found: dict[str, Any], request: Request) -> int:
    """Prints all; returns the exit status: 1 where the history says that the program is slower."""
    status = 0
    records, trace = found["profile"], found.pop("trace")
    if trace:
        found["timeline"] = timeline.kept(trace)
    e = found["overhead"]
    said = []  # files first: a reader like `head` may end this program
    if request.file:
        request.file.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    if request.trace:
        traces.write(request.trace, trace)
        otf2 = request.trace.suffix == ".otf2"
        readers = (
            "Vampir and others that read OTF2" if otf2 else "ui.perfetto.dev or chrome://tracing"
        )
        opened = request.trace / "traces.otf2" if otf2 else request.trace
        said += ["", f"{opened}: for {readers}"]
    if request.pictures:
        said += ["", *map(str, traces.draw(request.pictures, found, trace))]
    if request.record:
        recorded = history.record(request.record, found)
        said, status = [*said, "", *recorded.lines], recorded.status
    click.echo(
        tree(
            f"{found['case']}, {found['machine']}",
            [
                ("grid", f"{found['grid']}, {found['cells']:,} cells, {found['precision']}"),
                (
                    "ranks",
                    [
                        (
                            f"{found['ranks']} × {found['threads']}"
                            f" thread{'s' * (found['threads'] > 1)}; {found['blocks']}"
                        ),
                        *(
                            profile_tables.of_ranks(found["efficiency"])
                            if found["ranks"] > 1
                            else []
                        ),
                    ],
                ),
                (
                    "steps",
                    (
                        f"{found['steps']} of {found['step']:g} s in {found['wall_seconds']:.3f} s:"
                        f" {1e3 * found['seconds_per_step']:.3f} ms a step"
                    ),
                ),
                (
                    "profiling",
                    (
                        f"costs {100 * e['share']:.2f} % (± {100 * e['error']:.2f}), {e['pairs']}"
                        f" pairs of {e['steps']} steps with and without"
                    ),
                ),
                *_of_halo(found["halo_on_demand"]),
                *([("noise", interrupted.say(found["noise"]))] if "noise" in found else []),
                ("machine", found["limits"]),
                ("environment", ", ".join(f"{n}={v}" for n, v in found["environment"].items())),
                ("counters", profile_tables.of_counters(found["counters"])),
            ],
        )
    )
    for title, table in (
        ("By exclusive time", profile_tables.by_exclusive_time(records, found["rates"])),
        ("By elapsed time, with all that is within", profile_tables.by_elapsed_time(records)),
    ):
        click.echo(
            "\n".join(
                [
                    "",
                    title,
                    "",
                    *profile_tables.lines(*table, left=(0, 1) if "exclusive" in title else (0,)),
                ]
            )
        )
    if found["ranks"] > 1:
        click.echo(
            "\n".join(
                [
                    "",
                    "Ranks",
                    "",
                    *profile_tables.lines(*profile_tables.by_rank(found["seconds_of_ranks"])),
                ]
            )
        )
    for title, (head, rows) in (
        ("Files read, with decoding", profile_tables.by_input(found["input"]["files"])),
        ("Files written", profile_tables.by_file(found["files"])),
    ):
        if rows:
            click.echo("\n".join(["", title, "", *profile_tables.lines(head, rows)]))
    busy = load.said(found["load"])
    if said or busy:
        click.echo("\n".join([*said, *busy]))
    return status
