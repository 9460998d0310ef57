"""Benchmark of the grid-point atmosphere: seconds a step and million cells, by phase, against the
limits of the machine where what is computed column by column counts its own operations and bytes;
next to it, on the sphere, the spectral atmosphere of as many columns in the same run.

The least time of several pieces counts. Phases: dynamics (right sides, increments), semi-Lagrangian
(departure points, transport, tracers), solver (residuals, Helmholtz equation), physics, other.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import click
import numpy as np

import fathom as fm
from fathom.base import machine, mpi
from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.model import device
from fathom.performance import load, roofline
from fathom.performance.bench import atmosphere, on_device
from fathom.run.tree import tree

physics_of = {"sphere": "", "sphere-physics": "first", "sphere-full-physics": "full", "plane": ""}
cases = tuple(physics_of)
phases = ("dynamics", "semi-Lagrangian", "solver", "physics")


@dataclass(frozen=True)
class Case:
    """The settings of the benchmark. ValueError for a name that does not exist."""

    case: str = "sphere"
    nx: int = 96
    levels: int = 38
    step: str | None = None
    ranks: int = 1
    threads: int = 1
    precision: str = "fp32"
    steps: int = 12
    spin_up: int = 6
    peer: bool = True
    device: str | None = None

    command: ClassVar[str] = "gridpoint"

    def __post_init__(self) -> None:
        for what, given, allowed in (
            ("case", self.case, cases),
            ("precision", self.precision, ("fp64", "fp32")),
            ("device", self.device or "cuda", device.names),
        ):
            if given not in allowed:
                raise InputError(
                    f"bench gridpoint: {what} = '{given}'{near(given, allowed) or ';'} allowed:"
                    f" {', '.join(allowed)}"
                )

    def simulation(self) -> Any:
        """Returns the sphere with a wave in its winds and temperatures, or a warm bubble in a wind
        over square cells of 1 km.
        """
        if self.case == "plane":
            return self._plane()
        eta = np.arange(self.levels + 1) / self.levels
        heights = (38e3 * (0.1 * eta + 0.9 * eta**2)).tolist()
        grid = fm.LatitudeLongitudeGrid(self.nx, levels=fm.HeightLevels(heights=heights, decay=2))
        suite = physics_of[self.case]
        sunlight = fm.Sunlight(fixed_season=1)
        schemes = atmosphere.suites[suite](sunlight=sunlight) if suite else ()
        air = fm.GridPointAtmosphere(grid, physics=schemes, precision=self.precision)
        air.set(**atmosphere.waves(moist=bool(suite)))
        return self._run(air, "20min")

    def _plane(self) -> Any:
        levels = fm.HeightLevels(nz=self.levels, top=500.0 * self.levels)
        grid = fm.CartesianGrid(self.nx, self.nx, extent=1e3 * self.nx, levels=levels)
        middle = 500.0 * self.nx
        air = fm.GridPointAtmosphere(grid, precision=self.precision)
        air.set(
            x_wind=10.0,
            potential_temperature_deviation=lambda x, y, z: (
                2
                * np.exp(
                    -(((x - middle) ** 2 + (y - middle) ** 2) / 1e8) - ((z - 3e3) / 1.5e3) ** 2
                )
            ),
        )
        return self._run(air, "6s")

    def _run(self, air: Any, step: str) -> Any:
        parallel = {"threads": self.threads, "device": self.device}
        return fm.Simulation(air, time_step=self.step or step, parallel=parallel)


def _timed(simulation: Any, steps: int) -> tuple[float, float, list[dict[str, Any]]]:
    """Returns (seconds a step, those of all processors, timings of processes a step); all ranks
    start and end together.
    """
    comm = simulation.comm
    simulation.sequence.reset_timings()
    comm.barrier()
    start, used = time.perf_counter(), time.process_time()
    simulation.advance(steps)
    used = comm.allreduce(time.process_time() - used) / steps
    comm.barrier()
    seconds = comm.allreduce(time.perf_counter() - start) / comm.size / steps
    return (
        seconds,
        used,
        [
            {**p, "seconds": p["seconds"] / steps, "calls": p["calls"] / steps}
            for p in simulation.sequence.timings
        ],
    )


def measure(case: Case) -> dict[str, Any] | None:
    """Returns the figures of a case on its ranks, as plain data on rank 0, None elsewhere."""
    simulation = case.simulation().prepare()
    simulation.advance(max(case.spin_up, 1))
    bytes_ = 8 if case.precision == "fp64" else 4
    limits, pieces = roofline.Measuring(bytes_), []
    solve = simulation.find(mpi.core.HelmholtzSolve)
    before = solve.iterations, solve.solves
    for number in on_device.whole_cycles(simulation, case.steps):
        simulation.comm.barrier()
        with roofline.one_clock(case.ranks, case.threads):
            limits.again()
            pieces.append(_timed(simulation, number))
    seconds, _, timings = min(pieces, key=lambda piece: piece[0])
    used = min(piece[1] for piece in pieces)
    iterations = (solve.iterations - before[0]) / (solve.solves - before[1])
    processes = atmosphere.with_work(simulation, timings, bytes_)
    peer = _peer(case, limits) if case.peer and case.case != "plane" else None
    checksum = simulation.checksum()
    rows = None if case.case == "plane" else _by_row(simulation)
    if not simulation.is_root:
        return None
    millions = simulation.model.grid.wet_cells / 1e6
    rates = _phases(processes, seconds, limits.limits)
    return {
        "case": asdict(case),
        "machine": machine.name(),
        "grid": repr(simulation.model.grid),
        "cells": simulation.model.grid.wet_cells,
        "step": simulation.time_step,
        "seconds_per_step": seconds,
        "seconds_per_step_per_million_cells": seconds / millions,
        "processor_seconds_per_step_per_million_cells": used / millions,
        "phases": {r["name"]: r["seconds"] / millions for r in rates},
        "rates": rates,
        "solver_iterations": iterations,
        "semi_lagrangian_by_row": rows,
        "semi_lagrangian_imbalance": rows
        and {n: imbalance(rows, n) for n in (2, 4, 32) if n <= len(rows)},
        "processor_seconds_per_step": used,
        "simulated_days_per_day": simulation.time_step / seconds,
        "peer": peer,
        "processes": processes,
        **limits.limits.plain(),
        "limits": limits.limits.describe(),
        "peak_megabytes": machine.memory()["peak_megabytes"],
        "checksum": checksum,
    }


def _by_row(simulation: Any, steps: int = 2, times: int = 4) -> list[float]:
    """Returns processor time of departure points and transport of each row, from the south [s a
    step]: the least of some measurements, since an interruption falls on one row.
    """
    rows = simulation.model.grid.shape[1]
    carriers = [p for p in simulation.sequence.globals if isinstance(p, mpi.core.GridPointCarrier)]
    spent = np.full(rows, np.inf)
    for _ in range(times):
        for carrier in carriers:
            carrier.row_seconds = [0.0] * rows
        simulation.advance(steps)
        now = np.sum([carrier.row_seconds for carrier in carriers], 0) / steps
        spent = np.minimum(spent, np.sum(simulation.comm.allgather(now), 0))
    for carrier in carriers:
        carrier.row_seconds = []
    result: list[float] = spent.tolist()
    return result


def imbalance(rows: Any, ranks: int) -> float:
    """Returns greatest over least time of ranks with as many rows each (UM10, UM12)."""
    bands = [band.mean() for band in np.array_split(np.asarray(rows), ranks)]
    return float(max(bands) / min(bands))


def _phases(processes: list[dict[str, Any]], seconds: float, limits: Any) -> list[dict[str, Any]]:
    """Returns a step by phase; rates of the column processes in it, whose seconds are `columns`."""
    found = []
    for name in phases:
        of = [p for p in processes if p["phase"] == name]
        columns = [p for p in of if p["operations"]]
        parts = (sum(p[key] for p in columns) for key in ("seconds", "operations", "bytes"))
        rates = limits.against(*parts, within=None)
        whole = sum(p["seconds"] for p in of)
        found.append({"name": name, **rates, "columns": rates["seconds"], "seconds": whole})
    rest = seconds - sum(r["seconds"] for r in found)
    return [*found, {"name": "other", "seconds": rest, "columns": 0.0, "fraction": 0.0}]


def _peer(case: Case, limits: Any) -> dict[str, Any]:
    """Returns the spectral atmosphere whose quadratic grid has about as many columns."""
    truncation = 2 * case.nx // 3 - 1
    what = physics_of[case.case] or "held-suarez"
    simulation = atmosphere.simulation(
        truncation, case.levels, "linear", "20min", "2.4h", what, case.precision, case.threads
    ).prepare()
    simulation.advance(max(case.spin_up, 1))
    pieces = [_timed(simulation, max(case.steps // 4, 1)) for _ in range(4)]
    seconds, used = min(piece[0] for piece in pieces), min(piece[1] for piece in pieces)
    return {
        "grid": repr(simulation.model.grid),
        "seconds_per_step": seconds,
        "seconds_per_step_per_million_cells": seconds * 1e6 / simulation.model.grid.wet_cells,
        "processor_seconds_per_step": used,
        "simulated_days_per_day": simulation.time_step / seconds,
    }


def _balance(found: dict[int, float] | None) -> list[tuple[str, str | list[str]]]:
    if not found:
        return []
    text = ", ".join(f"{by:.2f} on {ranks}" for ranks, by in found.items())
    return [("balance", f"semi-Lagrangian, greatest over least of bands of rows: {text} ranks")]


def present(figures: dict[str, Any] | None, file: Path | None = None) -> int:
    """Print the figures, and write them as JSON; only where they are. Returns the exit status 0."""
    if figures is None:
        return 0
    load.leave(figures, file)
    case, total = figures["case"], figures["seconds_per_step"]
    slowest = sorted(figures["processes"], key=lambda p: -p["seconds"])[:8]
    entries: list[tuple[str, str | list[str]]] = [
        ("grid", f"{figures['grid']}, {case['ranks']} × {case['threads']} threads"),
        (
            "speed",
            f"{figures['seconds_per_step_per_million_cells']:.3f} s a step and million cells,"
            f" {figures['processor_seconds_per_step_per_million_cells']:.3f} s of processors;"
            f" {figures['simulated_days_per_day']:,.0f} simulated days a day;"
            f" {figures['solver_iterations']:.1f} iterations a solve",
        ),
        ("phases", [_line(r, total) for r in figures["rates"]]),
        *_balance(figures["semi_lagrangian_imbalance"]),
        ("processes", [f"{p['process']:<44.44}{1e3 * p['seconds']:9.2f} ms" for p in slowest]),
        ("limits", figures["limits"]),
        ("memory", f"at most {figures['peak_megabytes']:.0f} MB"),
    ]
    if peer := figures["peer"]:
        speed = f"{peer['seconds_per_step_per_million_cells']:.3f} s a step and million cells"
        days = f"{peer['simulated_days_per_day']:,.0f} simulated days a day"
        entries.append(("at the same time", f"{peer['grid']}: {speed}, {days}"))
    click.echo(tree(f"{case['case']}, {case['precision']}, {figures['machine']}", entries))
    return 0


def _line(r: dict[str, Any], total: float) -> str:
    text = f"{r['name']:<16}{1e3 * r['seconds']:9.2f} ms {100 * r['seconds'] / total:5.1f} %"
    if not r["fraction"]:
        return text
    return (
        f"{text}   columns {1e3 * r['columns']:.2f} ms, {r['gigabytes_per_second']:.1f} GB/s,"
        f" {100 * r['fraction']:.0f} % of {r['limit']}"
    )
