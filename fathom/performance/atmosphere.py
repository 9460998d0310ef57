"""Benchmark of the spectral atmosphere: simulated days a day, and where the time of a step goes, against the limits of the machine.

The least time of several pieces counts. Phases: transforms (Legendre and Fourier), transpositions, semi-Lagrangian (halo and packing, departure points,
interpolation), semi-implicit (solve and diffusion), physics, dynamics (the column processes of the dynamical core), other.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fathom.names import near

# truncation, levels, grid, step, diffusion, physics: those with which the climates of docs/spectral.md are made
cases = {
    "held-suarez-t42l24": (42, 24, "quadratic", "40min", "12h", "held-suarez"), "held-suarez-t85l24": (85, 24, "linear", "30min", "2.4h", "held-suarez"),
    "held-suarez-t159l60": (159, 60, "linear", "20min", "2.4h", "held-suarez"),
    "physics-t31l8": (31, "L8", "linear", "40min", "2.4h", "first"), "physics-t42l24": (42, 24, "linear", "30min", "2.4h", "first"),
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """What is measured. ValueError for a name that does not exist."""

    case: str = "held-suarez-t42l24"
    ranks: int = 1
    threads: int = 1
    precision: str = "fp32"
    grid: str | None = None
    steps: int = 36
    spin_up: int = 36
    step: str | None = None

    def __post_init__(self):
        for what, given, allowed in (("case", self.case, cases), ("precision", self.precision, ("fp64", "fp32")), ("grid", self.grid, ("linear", "quadratic", "cubic"))):
            if given is not None and given not in allowed:
                raise ValueError(f"bench atmosphere: {what} = '{given}'{near(given, allowed) or ';'} allowed: {', '.join(allowed)}")

    def simulation(self) -> Any:
        """The atmosphere of the case, with waves in it."""
        import fathom as fm

        truncation, levels, grid, step, diffusion, physics = cases[self.case]
        schemes = [fm.HeldSuarez()] if physics == "held-suarez" else fm.FirstPhysics(sunlight=fm.Sunlight(fixed_season=1))
        layers = fm.HybridLevels(levels) if isinstance(levels, str) else fm.SigmaLevels(levels)
        atmosphere = fm.SpectralAtmosphere(
            fm.GaussianGrid(truncation, grid=self.grid or grid, levels=layers), physics=schemes, diffusion_time=diffusion, precision=self.precision)
        radians = np.deg2rad
        atmosphere.set(
            air_temperature=lambda lon, lat, p: np.maximum(200, (300 - 40 * np.sin(radians(lat)) ** 2 + 2 * np.sin(radians(3 * lon)) * np.cos(radians(lat)) ** 3) * (p / 1e5) ** 0.19),
            eastward_wind=lambda lon, lat, p: 25 * np.sin(2 * radians(lat)) ** 2 * (1 - p / 1e5))  # fmt: skip
        if physics != "held-suarez":
            atmosphere.set(specific_humidity=lambda lon, lat, p: 0.015 * np.cos(radians(lat)) ** 4 * (p / 1e5) ** 3, sea_surface_temperature=_sea)
        return fm.Simulation(atmosphere, step=self.step or step, parallel={"threads": self.threads})


def _sea(longitude: Any, latitude: Any) -> Any:
    """Of experiments/aquaplanet-t31l8.toml [K]."""
    square = np.sin(1.5 * np.deg2rad(latitude)) ** 2
    return 273.15 + np.where(abs(latitude) < 60, 27 * (1 - (square + square**2) / 2), 0)


def measure(case: Case) -> dict[str, Any] | None:
    """The figures of a case on its ranks, as plain data on rank 0, None elsewhere."""
    from fathom.mpi import core
    from fathom.performance import machine

    began = time.perf_counter()
    simulation = case.simulation().prepare()
    ready = time.perf_counter()
    simulation.advance(1)
    first = time.perf_counter()
    simulation.advance(max(case.spin_up - 1, 1))
    comm, solver, best = simulation.comm, simulation.solvers["dynamics"], None
    for number in np.diff(np.linspace(0, case.steps, min(6, case.steps) + 1).astype(int)):
        simulation.sequence.reset_timings()
        before = solver.seconds
        comm.barrier()
        start = time.perf_counter()
        simulation.advance(int(number))
        comm.barrier()
        seconds = comm.allreduce(time.perf_counter() - start) / comm.size / int(number)
        if best is None or seconds < best[0]:
            inside = {name: (value - before[name]) / int(number) for name, value in solver.seconds.items()}
            processes = [{**p, "seconds": p["seconds"] / int(number)} for p in simulation.sequence.timings]
            best = seconds, inside, processes
    seconds, inside, processes = best
    bytes_ = 8 if case.precision == "fp64" else 4
    interpolation = _interpolation(simulation.model.grid, bytes_, simulation.step)
    rate = core.fma_rate(bytes_, 0.05)
    faults = machine.page_faults()
    simulation.advance(4)
    faults = comm.allreduce(machine.page_faults() - faults) / 4
    if not simulation.is_root:
        return None
    cells, groups = simulation.model.grid.wet_cells, simulation.sequence.groups
    return {
        "case": asdict(case), "machine": machine.name(), "grid": repr(simulation.model.grid), "cells": cells, "step": simulation.step,
        "seconds_per_step": seconds, "simulated_days_per_day": simulation.step / seconds, "simulated_years_per_day": simulation.step / seconds / 365.2425,
        "phases": phases(inside, processes, seconds), "inside": inside, "processes": processes,
        "nanoseconds_per_cell": seconds * 1e9 / cells * case.ranks * case.threads, "fma_gflops": rate / 1e9,
        "transform_fraction_of_fma": simulation.solvers["dynamics"].transform_flops / max(inside["transforms"], 1e-12) / (rate * case.threads),
        "interpolation": interpolation, "tiles": [{"first": g["processes"][0], "columns": g["tile"], "reason": g["tile_reason"], "tried": g["tiles_tried"]} for g in groups if g["tile"]],
        "page_faults_per_step": faults, "peak_megabytes": machine.memory()["peak_megabytes"], "seconds_to_prepare": ready - began, "seconds_of_first_step": first - ready,
    }  # fmt: skip


def _interpolation(grid: Any, bytes_: int, step: float) -> dict[str, float]:
    """Nanoseconds a point and field: four fields interleaved, the same kernel given one field after the other, one field by levels."""
    from fathom.mpi import core

    shape = (grid.rows.rows, grid.levels.number, grid.rows.longest)
    advection = core.SemiLagrangian(grid.rows, np.linspace(0.02, 0.98, shape[1]).tolist(), bytes_, step, grid.radius)
    wave = np.sin(np.linspace(0, 6 * np.pi, shape[2])) * np.cos(np.deg2rad(grid.latitude))[:, None, None] * np.ones(shape)
    advection.depart([25 + 10 * wave, 8 * wave, 1e-6 * wave])
    points = grid.wet_cells * 4 / 1e9
    found = {name: advection.seconds(together, 5) / points for name, together in (("interleaved", 4), ("single", 1))}
    return found | {"by_levels": advection.seconds(1, 5, True) / points, "ratio": found["single"] / found["interleaved"]}


def phases(inside: dict[str, float], processes: list[dict], seconds: float) -> dict[str, float]:
    """Seconds of a step by phase; the rest is `other`: waiting, Python, what has no timer."""
    of = lambda name: sum(p["seconds"] for p in processes if p["phase"] == name)  # noqa: E731
    found = {
        "transforms": inside["transforms"], "transpositions": inside["transpositions"], "semi-Lagrangian": inside["packing"] + inside["departure"] + inside["interpolation"],
        "semi-implicit": inside["semi_implicit"], "physics": of("physics"), "dynamics": of("dynamics"),
    }  # fmt: skip
    return found | {"other": seconds - sum(found.values())}


def present(figures: dict[str, Any] | None, file: Path | None = None) -> int:
    """Print the figures, and write them as JSON; only where they are. Returns the exit status 0."""
    if figures is None:
        return 0
    import click

    from fathom.show import tree

    if file is not None:
        file.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    case, total, around = figures["case"], figures["seconds_per_step"], figures["interpolation"]
    slowest = sorted(figures["processes"], key=lambda p: -p["seconds"])
    entries: list[tuple[str, str | list[str]]] = [
        ("grid", f"{figures['grid']}, {figures['cells']:,} cells, {case['ranks']} × {case['threads']} thread{'s' * (case['threads'] > 1)}"),
        ("speed", [f"{figures['simulated_days_per_day']:,.0f} simulated days a day, {figures['simulated_years_per_day']:,.0f} years",
                   f"{1e3 * total:.2f} ms a step of {figures['step']:g} s, {figures['nanoseconds_per_cell']:.1f} ns a cell and thread"]),
        ("phases", [f"{name:<16}{1e3 * value:9.3f} ms {100 * value / total:5.1f} %" for name, value in figures["phases"].items()]),
        ("processes", [f"{p['process']:<44.44}{1e3 * p['seconds']:9.3f} ms {100 * p['seconds'] / total:5.1f} %" for p in slowest if p["seconds"] > 0.005 * total]),
        ("limits", [f"transforms at {100 * figures['transform_fraction_of_fma']:.0f} % of {figures['fma_gflops']:.0f} GF/s a thread",
                    f"interpolation {around['interleaved']:.2f} ns a point and field, four fields interleaved; {around['single']:.2f} ns field by field: {around['ratio']:.1f} times; "
                    f"{around['by_levels']:.2f} ns a field alone, by levels"]),
        ("tiles", [f"{t['first']:<28.28}{t['columns']:5d} columns, {t['reason']}" + "".join(f"; {c}: {1e3 * seconds:.3f} ms" for c, seconds in t["tried"].items()) for t in figures["tiles"]]),
        ("memory", f"at most {figures['peak_megabytes']:.0f} MB, {figures['page_faults_per_step']:.2g} page faults a step"),
        ("start", f"{figures['seconds_to_prepare']:.2f} s to prepare, {figures['seconds_of_first_step']:.2f} s for the first step"),
    ]  # fmt: skip
    click.echo(tree(f"{case['case']}, {case['precision']}, {figures['machine']}", entries))
    return 0
