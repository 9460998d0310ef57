"""Benchmark of the ocean against the limits of the machine: seconds per step per million wet cells,
by process and phase.

A wet cell is counted once, sub-steps belong to their step. The bandwidth that bounds the model is
measured in the same run, on the same ranks and threads at once.
"""

from __future__ import annotations

from collections.abc import Callable
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
from fathom.performance import load
from fathom.performance.bench import on_device, veros
from fathom.performance.bench.traffic import cache, declared
from fathom.plots.report.summary import profile
from fathom.run.tree import tree

physics = ("lean", "full")
grids = {
    "x1": ("DipoleGrid", "x1", "20min"),
    "1deg": ("TripolarGrid", "1deg", "1h"),
    "3deg": ("TripolarGrid", "3deg", "2h"),
    "0.25deg": ("TripolarGrid", "0.25deg", "10min"),
}  # class, resolution, step
levels = {"x1": 40, "1deg": 40, "3deg": 25, "0.25deg": 40}
solver_streams = (
    14  # of 8 bytes a column and iteration: a Chronopoulos-Gear iteration in two sweeps
)


published = [
    {
        "model": "Veros",
        "years_per_day": 1.3,
        "what": "global, 0.1°, fp32, 16 NVIDIA A100",
        "source": "Häfner et al. 2021, doi:10.1029/2021MS002717, abstract",
    },
    {
        "model": "Oceananigans",
        "years_per_day": 9.9,
        "what": "near-global, 10 km, 68 NVIDIA A100",
        "source": "Silvestri et al. 2023, arXiv:2309.06662, abstract",
    },
    {
        "model": "Oceananigans",
        "years_per_day": 10.0,
        "what": "near-global, 8 km, 64 NVIDIA A100",
        "source": "Silvestri et al. 2025, doi:10.1029/2024MS004465, abstract",
    },
]


@dataclass(frozen=True)
class Case:
    """The settings of the benchmark. ValueError for a name that does not exist."""

    grid: str = "x1"
    physics: str = "lean"
    ranks: int = 1
    threads: int = 1
    precision: str = "fp64"
    device: str | None = None
    steps: int = 48
    spin_up: int = 48
    step: str | None = None
    solver: str = "automatic"
    preconditioner: str = "automatic"
    peers: bool = True

    command: ClassVar[str] = "ocean"

    def __post_init__(self) -> None:

        for what, given, allowed in (
            ("grid", self.grid, grids),
            ("physics", self.physics, physics),
            ("precision", self.precision, ("fp64", "fp32")),
            ("device", self.device or "cuda", device.names),
        ):
            if given not in allowed:
                raise InputError(
                    f"bench ocean: {what} = '{given}'{near(given, allowed) or ';'} allowed:"
                    f" {', '.join(allowed)}"
                )

    def simulation(self, **keywords: Any) -> Any:
        """Returns the forced global ocean of the case: MWJF, Laplacian friction, solver to 1e-12,
        monthly forcing; lean: Richardson mixing, centred advection and Laplacian diffusion of
        tracers; full: KPP, sunlight that penetrates, Gent-McWilliams and isoneutral diffusion,
        third-order upwind advection. keywords: more of the Simulation.
        """
        maker, resolution, step = grids[self.grid]
        grid = getattr(fm, maker)(
            resolution=resolution, levels=fm.ZLevels(nz=levels[self.grid], depth=5500)
        )
        lean = {
            "vertical_mixing": fm.RichardsonMixing(),
            "tracer_advection": fm.CentredAdvection(),
            "diffusion": fm.LaplacianDiffusion(),
        }
        full = {
            "vertical_mixing": fm.KPP(),
            "tracer_advection": fm.UpwindAdvection(),
            "eddies": fm.GentMcWilliams(),
        }
        ocean = fm.Ocean(
            grid,
            physics="simple",
            equation_of_state=fm.MWJF(),
            friction=fm.LaplacianFriction(),
            precision=self.precision,
            **(lean if self.physics == "lean" else full),
            free_surface=fm.FreeSurface(
                tolerance=1e-12,
                rotation=False,  # as in POP
                solver=self.solver,
                preconditioner=self.preconditioner,
            ),
        )
        ocean.set(temperature="levitus", salinity="levitus")
        return fm.Simulation(
            ocean,
            time_step=self.step or step,
            surface=fm.BulkForcing("coads"),
            **{"parallel": {"threads": self.threads, "device": self.device}} | keywords,
        )


def measure(case: Case) -> dict[str, Any] | None:
    """Returns the figures of a case on its ranks, as plain data on rank 0, None elsewhere."""
    simulation, start = on_device.started(case)
    comm = simulation.comm
    solver = simulation.find(mpi.core.BarotropicSolve)
    iterations, solves, faults = solver.iterations, solver.solves, machine.page_faults()
    pieces = on_device.timed(simulation, case.steps)
    iterations = (solver.iterations - iterations) / max(solver.solves - solves, 1)
    faults, held = comm.allreduce(machine.page_faults() - faults), comm.allgather(machine.memory())
    processes, fields = profile(simulation), comm.allreduce(simulation.sequence.bytes_allocated)
    moved, launched = (traffic(simulation, iterations, together) for together in (True, False))
    motion = simulation.fields.motion(simulation.time_step)
    limits = machine.limits(comm)
    seconds, wet = sum(s for _, s in pieces) / case.steps, simulation.model.grid.wet_cells
    there = _there(simulation, case, seconds) if case.device else None
    bandwidth = there["copy_bytes_per_second"] if there else limits["triad_bytes_per_second"]
    if not simulation.is_root:
        return None
    return {
        "case": asdict(case),
        "machine": machine.name(),
        "grid": repr(simulation.model.grid),
        "blocks": simulation.domain.describe(),
        "step": simulation.time_step,
        "steps": case.steps,
        "wet_cells": wet,
        "seconds_per_step": seconds,
        "best_seconds_per_step": min(s / n for n, s in pieces),
        "seconds_per_step_per_million_wet_cells": seconds / wet * 1e6,
        "wall_seconds_per_simulated_day": seconds * 86400 / simulation.time_step,
        "simulated_years_per_day": simulation.time_step / seconds / 365.2425,
        "solver_iterations": iterations,
        "solver_tolerance": simulation.model.free_surface.tolerance,
        "maximum_speed": motion["speed"],
        "resident_megabytes": max(h["resident_megabytes"] for h in held),
        "peak_megabytes": max(h["peak_megabytes"] for h in held),
        "fields_megabytes": fields / 1e6,
        "page_faults_per_step": faults / case.steps,
        "bytes_per_step": moved,
        "bytes_per_step_one_by_one": launched,
        "fraction_of_bandwidth": moved / seconds / bandwidth,
        **limits,
        "phases": on_device.by_phase(processes, case.steps),
        "processes": [
            {**p, "seconds": p["seconds"] / case.steps, "calls": p["calls"] / case.steps}
            for p in processes
        ],
        **start,
        "peers": _peers(case) if case.peers else {},
        "device": there,
    }


def _there(simulation: Any, case: Case, seconds: float) -> dict[str, Any]:
    return on_device.of_a_model(simulation, case, seconds, seconds) | {"published": published}


def traffic(simulation: Any, iterations: float, together: bool = True) -> float:
    """Returns bytes of a step, all ranks together: of its processes (traffic.py), and of the
    solver, whose arrays (or its factors, up and down the tree) come from memory once, or in every
    iteration where they do not fit into the last cache.
    """
    columns = int(np.count_nonzero(simulation.model.grid.wet_levels))
    factors = 4 * simulation.comm.allreduce(
        simulation.find(mpi.core.BarotropicSolve).factor_numbers
    )
    solver = 2 * factors if factors else solver_streams * 8 * columns
    times = iterations if solver > cache(simulation) else 1
    return declared(simulation, together) + solver * times


def present(figures: dict[str, Any] | None, file: Path | None = None) -> int:
    """Print the figures, and write them as JSON; only where they are. Returns the exit status 0."""
    if figures is None:
        return 0

    load.leave(figures, file)
    click.echo(
        tree(
            f"{figures['grid']}, {figures['case']['physics']}, {figures['case']['precision']},"
            f" {figures['machine']}",
            _lines(figures),
        )
    )
    return 0


# long: one line of the table after the other
def _lines(f: dict[str, Any]) -> list[tuple[str, str | list[str]]]:
    ranks, threads = f["case"]["ranks"], f["case"]["threads"]
    total = sum(f["phases"].values()) or 1.0
    slowest = sorted(f["processes"], key=lambda p: -p["seconds"])
    entries: list[tuple[str, str | list[str]]] = [
        ("ranks", f"{ranks} × {threads} thread{'s' * (threads > 1)}; {f['blocks']}"),
        (
            "step",
            (
                f"{f['seconds_per_step']:.4f} s (best piece {f['best_seconds_per_step']:.4f} s),"
                f" {f['steps']} steps of {f['step']:g} s after {f['case']['spin_up']}"
            ),
        ),
        (
            "speed",
            [
                (
                    f"{f['seconds_per_step_per_million_wet_cells']:.4f} s per step per million wet"
                    f" cells ({f['wet_cells']:,} wet cells)"
                ),
                (
                    f"{f['wall_seconds_per_simulated_day']:.2f} s per simulated day,"
                    f" {f['simulated_years_per_day']:.3g} years/day"
                ),
            ],
        ),
        (
            "solver",
            (
                f"{f['solver_iterations']:.0f} iterations to {f['solver_tolerance']:g}; |u| ≤"
                f" {f['maximum_speed']:.2g} m/s"
            ),
        ),
        (
            "memory",
            (
                f"{f['resident_megabytes']:.0f} MB resident on the largest rank (at most"
                f" {f['peak_megabytes']:.0f} MB), {f['fields_megabytes']:.0f} MB of fields,"
                f" {f['page_faults_per_step']:.2g} page faults a step"
            ),
        ),
        (
            "bandwidth",
            (
                f"{f['bytes_per_step'] / 1e9:.2f} GB a step, {100 * f['fraction_of_bandwidth']:.0f}"
                f" % of {_bandwidth(f)}"
            ),
        ),
        *on_device.told(f["device"]),
        (
            "phases",
            [
                f"{phase:<12}{seconds:9.4f} s {100 * seconds / total:5.1f} %"
                for phase, seconds in f["phases"].items()
            ],
        ),
        (
            "processes",
            [
                f"{p['process']:<44.44}{1e3 * p['seconds']:9.2f} ms"
                f" {100 * p['seconds'] / total:5.1f} %"
                for p in slowest
                if p["seconds"] > 0.002 * total
            ],
        ),
        (
            "start",
            (
                f"{f['seconds_to_prepare']:.2f} s to prepare, {f['seconds_of_first_step']:.2f} s"
                " for the first step"
            ),
        ),
    ]
    for name, peer in f["peers"].items():
        entries.append(
            (
                name,
                peer.get("message")
                or f"{peer['seconds_per_step_per_million_cells']:.3f} s per step per million cells:"
                f" {peer['what']}",
            )
        )
    return entries


def _bandwidth(f: dict[str, Any]) -> str:
    if f["device"] is None:
        return f"the triad's {f['triad_bytes_per_second'] / 1e9:.1f} GB/s"
    return f"the {f['device']['copy_bytes_per_second'] / 1e9:.0f} GB/s of copies within the device"


def _peers(case: Case) -> dict[str, dict[str, Any]]:
    """Returns figures of Veros, measured in a separate process; a message where it cannot run."""
    runners: dict[str, Callable[..., dict[str, Any]]] = {"veros": veros.measured}
    return {name: run(threads=case.ranks * case.threads) for name, run in runners.items()}
