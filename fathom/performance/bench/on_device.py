"""Common parts of the benchmarks on a device: its own bandwidth, its power, the processor of the
same machine with all its cores; and the whole measurement of an atmosphere, which on a processor is
divided into other phases.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, fields
from pathlib import Path
from statistics import mean
from typing import Any

import click
import numpy as np

from fathom.base import machine, mpi
from fathom.model import device
from fathom.model.schemes import bytes_of
from fathom.performance import roofline
from fathom.performance.bench import traffic, veros
from fathom.performance.work import steps_of_a_cycle
from fathom.plots.report.summary import profile
from fathom.run.launch import cores
from fathom.run.tree import tree

patience = 300  # [s]
watched = 4.0  # seconds of steps while the power is read, of which the first half is not counted
year = 365.2425 * 86400  # [s]


def figures(
    case: Any, parts: list[tuple[Callable[[int], Any], float]], result: str, found: float
) -> dict[str, Any]:
    """Returns the device of a case, and, of a case of one rank, its power and the processor of its
    machine.

    parts: of a step, each a function that does it so many times, and the seconds of one; result,
    found: the key of its duration in the file of the command, and its value here.
    """
    there, alone = device.open(case.device), case.ranks == 1
    joules = _joules(parts) if alone else None
    compared = alone and (case.peers if hasattr(case, "peers") else case.peer)
    return {
        "name": there.name,
        "cache_bytes": there.cache,
        "copy_bytes_per_second": roofline.of_copies(there),
        "watts": joules and joules / sum(seconds for _, seconds in parts),
        "joules_per_step": joules,
        "processor": processor(case, result, found) if compared else {},
    }


def _joules(parts: list[tuple[Callable[[int], Any], float]]) -> float | None:
    """Returns the joules of one step of these parts."""
    spent = 0.0
    for advance, seconds in parts:
        watts = power(advance, seconds)
        if watts is None:
            return None
        spent += watts * seconds
    return spent


def of_a_model(simulation: Any, case: Any, seconds: float, compared: float) -> dict[str, Any]:
    """Returns seconds: of a step; compared: those that the processor's command would give."""
    found = figures(case, [(simulation.advance, seconds)], "seconds_per_step", compared)
    spent = found["joules_per_step"]
    hours = spent and spent * year / simulation.time_step / 3.6e6
    return found | {"kilowatt_hours_per_simulated_year": hours}


def power(advance: Callable[[int], Any], seconds: float) -> float | None:
    """Returns watts of the device while steps are taken, as its driver says; None where it does
    not.
    """
    command = ["nvidia-smi", "--id=0", "--query-gpu=power.draw", "--format=csv,noheader,nounits"]
    try:
        reader = subprocess.Popen(
            [*command, "--loop-ms=100"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
    except OSError:
        return None
    try:
        advance(max(math.ceil(watched / seconds), 1))
    finally:
        reader.terminate()
        said, _ = reader.communicate()
    try:
        found = [float(line) for line in said.split()]
    except ValueError:
        return None
    return mean(found[len(found) // 2 :]) if found else None


def processor(case: Any, result: str, here: float) -> dict[str, Any]:
    """Returns the case on a rank for each core, in separate processes: `result` of its file, and
    how many times that is the value here.
    """
    ranks = cores()
    with tempfile.TemporaryDirectory(prefix="fathom-bench-") as folder:
        file = Path(folder) / "processor.json"
        command = [sys.executable, "-P", "-m", "fathom", "bench", case.command, *options(case)]
        command += ["--ranks", str(ranks), "--json", str(file)]
        try:
            done = subprocess.run(
                command,
                env=veros.of_no_rank(),
                capture_output=True,
                text=True,
                timeout=patience,
            )
        except subprocess.TimeoutExpired:
            return {"message": f"no answer within {patience} s"}
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            return {"message": f"failed: {last[:160]}"}
        found = json.loads(file.read_text())
    kept = ("machine", result, "triad_bytes_per_second", "triad_gigabytes_per_second")
    return {key: found[key] for key in kept if key in found} | {
        "ranks": ranks,
        "over_device": found[result] / here,
    }


def options(case: Any) -> list[str]:
    """Returns the options of the command that measure the case on the processor, without its peers
    and in at most 48 steps.
    """
    found = []
    for field in fields(case):
        name, value = field.name.replace("_", "-"), getattr(case, field.name)
        if field.name in ("device", "ranks", "threads", "tile") or (
            value is None or value is False or value == ""
        ):
            continue
        if value is True:
            found.append(f"--{'no-' * name.startswith('peer')}{name}")
        else:
            steps = field.name in ("steps", "spin_up")
            found += [f"--{name}", str(min(value, 48) if steps else value)]
    return found


def started(case: Any) -> tuple[Any, dict[str, float]]:
    """Returns the simulation of a case after its spin-up, and the seconds of its start."""
    began = time.perf_counter()
    simulation = case.simulation().prepare()
    ready = time.perf_counter()
    simulation.advance(1)
    first = time.perf_counter()
    simulation.advance(max(case.spin_up - 1, 0))
    simulation.sequence.reset_timings()
    start = {"seconds_to_prepare": ready - began, "seconds_of_first_step": first - ready}
    return simulation, start


def whole_cycles(simulation: Any, steps: int) -> list[int]:
    """Returns the lengths of up to four pieces of about so many steps, of whole cycles each."""
    of_one = steps_of_a_cycle(simulation)
    cycles = max(steps // of_one, 1)
    edges = np.linspace(0, cycles, min(cycles, 4) + 1).astype(int) * of_one
    return [int(number) for number in np.diff(edges)]


def timed(simulation: Any, steps: int) -> list[tuple[int, float]]:
    """Returns (steps, wall seconds) of some pieces, of whole cycles; all ranks start and end
    together.
    """
    found = []
    for number in whole_cycles(simulation, steps):
        simulation.comm.barrier()
        began = time.perf_counter()
        simulation.advance(number)
        if simulation.parallel["device"]:
            device.open(simulation.parallel["device"]).wait()
        simulation.comm.barrier()
        found.append((number, time.perf_counter() - began))
    return found


def by_phase(processes: list[dict[str, Any]], steps: int) -> dict[str, float]:
    """Returns seconds of a step, the longest first."""
    phases: dict[str, float] = {}
    for p in processes:
        phases[p["phase"]] = phases.get(p["phase"], 0.0) + p["seconds"] / steps
    return dict(sorted(phases.items(), key=lambda item: -item[1]))


def measure(case: Any) -> dict[str, Any] | None:
    """Returns the figures of an atmosphere on a device, as plain data on rank 0, None elsewhere.
    Its `left` are the processes that the processor computes.
    """
    simulation, start = started(case)
    model = simulation.model
    moved, search = traffic.spectral(simulation), Search(simulation)
    pieces = timed(simulation, case.steps)
    steps = sum(n for n, _ in pieces)
    moved, search_bytes = (traffic.spectral(simulation) - moved) / steps, search.bytes(steps)
    iterations = search.iterations()
    processes = profile(simulation)
    together, apart = (
        traffic.declared(simulation, way) + moved + search_bytes for way in (True, False)
    )
    seconds, checksum = sum(s for _, s in pieces) / steps, simulation.checksum()
    best = min(s / n for n, s in pieces)
    there = of_a_model(simulation, case, seconds, best)
    if not simulation.is_root:
        return None
    return {
        "case": asdict(case),
        "machine": machine.name(),
        "grid": repr(model.grid),
        "blocks": simulation.domain.describe(),
        "cells": model.grid.wet_cells,
        "step": simulation.time_step,
        "steps": steps,
        "seconds_per_step": seconds,
        "best_seconds_per_step": best,
        "simulated_days_per_day": simulation.time_step / seconds,
        "simulated_years_per_day": simulation.time_step / seconds / 365.2425,
        "solver_iterations": iterations,
        "bytes_per_step": together,
        "bytes_per_step_one_by_one": apart,
        "fraction_of_bandwidth": together / seconds / there["copy_bytes_per_second"],
        "phases": by_phase(processes, steps),
        "processes": [
            {**p, "seconds": p["seconds"] / steps, "calls": p["calls"] / steps} for p in processes
        ],
        "left": simulation.sequence.left_by(device.open(case.device)),
        "peak_megabytes": machine.memory()["peak_megabytes"],
        **start,
        "checksum": checksum,
        "device": there,
    }


class Search:
    """The Helmholtz equation of a grid-point atmosphere, from now on; nothing of other models."""

    def __init__(self, simulation: Any) -> None:
        self.solve = simulation.find(mpi.core.HelmholtzSolve)
        self.model, self.before = simulation.model, self._now()

    def _now(self) -> tuple[int, int]:
        return (self.solve.iterations, self.solve.solves) if self.solve else (0, 0)

    def iterations(self) -> float:
        """Returns the iterations of a solve."""
        iterations, solves = (now - before for now, before in zip(self._now(), self.before))
        return iterations / max(solves, 1)

    def bytes(self, steps: int) -> float:
        """Returns the bytes of a step, at least: of a product its coefficients, and of each
        operation of the method (krylov.hpp) its vectors; without the preconditioner.
        """
        if not self.solve:
            return 0.0
        coefficients = 5
        kept = min(max(self.iterations(), 1), 10)  # directions of gcr before a restart
        gcr = 10 + 4 * (kept - 1) / kept + 3 * (kept - 1) / 2
        vectors = gcr if self.model.solver == "gcr" else 13.5
        number = bytes_of[self.model.solver_precision]
        products = (self._now()[0] - self.before[0]) / steps
        result: float = (coefficients + vectors) * products * self.model.grid.wet_cells * number
        return result


def present(f: dict[str, Any] | None, file: Path | None = None) -> int:
    """Print the figures of `measure`, and write them as JSON; only where they are. Returns the exit
    status 0.
    """
    if f is None:
        return 0
    if file is not None:
        file.write_text(json.dumps(f, indent=2) + "\n", encoding="utf-8")
    case, total = f["case"], f["seconds_per_step"]
    slowest = sorted(f["processes"], key=lambda p: -p["seconds"])[:12]
    iterations = f"; {f['solver_iterations']:.1f} iterations a solve"
    entries: list[tuple[str, str | list[str]]] = [
        ("grid", f"{f['grid']}, {f['cells']:,} cells, {case['ranks']} × {case['threads']}"),
        (
            "speed",
            f"{f['simulated_days_per_day']:,.0f} simulated days a day,"
            f" {f['simulated_years_per_day']:,.1f} years; {1e3 * total:.3f} ms a step of"
            f" {f['step']:g} s{iterations * bool(f['solver_iterations'])}",
        ),
        ("bandwidth", bandwidth(f)),
        *told(f["device"]),
        ("on the processor", ", ".join(f["left"]) or "nothing"),
        ("phases", [_share(name, seconds, total) for name, seconds in f["phases"].items()]),
        ("processes", [_share(p["process"], p["seconds"], total) for p in slowest]),
        (
            "start",
            f"{f['seconds_to_prepare']:.2f} s to prepare, {f['seconds_of_first_step']:.2f} s for"
            " the first step",
        ),
    ]
    click.echo(tree(f"{case['case']}, {case['precision']}, {f['device']['name']}", entries))
    return 0


def _share(name: str, seconds: float, total: float) -> str:
    return f"{name:<44.44}{1e3 * seconds:9.3f} ms {100 * seconds / total:5.1f} %"


def bandwidth(f: dict[str, Any], of: str = "step") -> str:
    """Returns a line about the bytes of a step, or of something else."""
    copies = f["device"]["copy_bytes_per_second"]
    moved, apart = f[f"bytes_per_{of}"], f[f"bytes_per_{of}_one_by_one"]
    return (
        f"{moved / 1e6:.4g} MB a {of}, {100 * f['fraction_of_bandwidth']:.1f} % of the"
        f" {copies / 1e9:.0f} GB/s of copies within the device; one by one {apart / 1e6:.4g} MB,"
        f" {100 * f['fraction_of_bandwidth'] * apart / moved:.1f} %"
    )


def told(found: dict[str, Any] | None) -> list[tuple[str, str | list[str]]]:
    """Returns lines about the device itself."""
    if found is None:
        return []
    lines = [found["name"]]
    if found["watts"] is not None:
        of_a_year = found.get("kilowatt_hours_per_simulated_year")
        energy = f", {of_a_year:.3g} kWh a simulated year" if of_a_year else ""
        of = "step" if "joules_per_step" in found else "pair"
        lines.append(f"{found['watts']:.0f} W, {found[f'joules_per_{of}']:.3g} J a {of}{energy}")
    there = found["processor"]
    if "over_device" in there:
        lines.append(
            f"{there['over_device']:.1f} times {there['ranks']} ranks of {there['machine']}"
        )
    elif there:
        lines.append(f"the processor: {there['message']}")
    lines += [
        f"published: {p['model']}, {p['years_per_day']} years/day, {p['what']} ({p['source']})"
        for p in found.get("published", [])
    ]
    return [("device", lines)]
