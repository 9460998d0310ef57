"""Benchmark of the spectral atmosphere: simulated days a day, and where the time of a step goes,
against the limits of the machine.

The least time of several pieces counts; each piece includes all processes, also radiation. Phases:
transforms (Legendre and Fourier), transpositions, semi-Lagrangian (halo and packing, departure
points, interpolation), semi-implicit (solve and diffusion), physics, dynamics (the column processes
of the dynamical core), other. Each but the last has its operations and bytes (kernels.py says how
they are counted), and the fraction of the machine's limit.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import click
import numpy as np

import fathom as fm
from fathom.base import constants, machine, mpi
from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.model import device
from fathom.performance import load, roofline
from fathom.performance.work import declared_bytes, steps_of_a_cycle
from fathom.run.tree import tree

# truncation, levels, grid, step, diffusion, physics: those with which the climates of
# docs/spectral.md are made
cases: dict[str, tuple[int, int | str, str, str, str, str]] = {
    "held-suarez-t42l24": (42, 24, "quadratic", "40min", "12h", "held-suarez"),
    "held-suarez-t85l24": (85, 24, "linear", "30min", "2.4h", "held-suarez"),
    "held-suarez-t159l60": (159, 60, "linear", "20min", "2.4h", "held-suarez"),
    "physics-t31l8": (31, "L8", "linear", "40min", "2.4h", "first"),
    "physics-t42l24": (42, 24, "linear", "30min", "2.4h", "first"),
    "physics-t106l31": (106, "L31", "linear", "15min", "2.4h", "first"),
    "physics-t106l60": (106, "L60", "linear", "15min", "2.4h", "first"),
}
suites = {"first": fm.BasicPhysics, "full": fm.ForecastPhysics}


@dataclass(frozen=True)
class Case:
    """The settings of the benchmark. ValueError for a name that does not exist."""

    case: str = "held-suarez-t42l24"
    ranks: int = 1
    threads: int = 1
    precision: str = "fp32"
    grid: str | None = None
    steps: int = 36
    spin_up: int = 36
    step: str | None = None
    tile: int | str = "measured"
    device: str | None = None
    peers: bool = True  # with a device, also the processor's cores

    command: ClassVar[str] = "atmosphere"
    known: ClassVar[Mapping[str, Any]] = cases

    def __post_init__(self) -> None:
        for what, given, allowed in (
            ("case", self.case, self.known),
            ("precision", self.precision, ("fp64", "fp32")),
            ("grid", self.grid, ("linear", "quadratic", "cubic")),
            ("device", self.device, device.names),
        ):
            if given is not None and given not in allowed:
                raise InputError(
                    f"bench {self.command}: {what} = '{given}'{near(given, allowed) or ';'}"
                    f" allowed: {', '.join(allowed)}"
                )

    def interpolation(self, simulation: Any) -> dict[str, float]:
        """Returns the time of interpolation alone; nothing where it is not measured."""
        bytes_ = 8 if self.precision == "fp64" else 4
        with roofline.one_clock(self.ranks, self.threads):
            return Interpolation(simulation.model.grid, bytes_, simulation.time_step).ratios()

    def simulation(self, **more: Any) -> Any:
        """Returns the simulation of the case. `more`: keywords of the Simulation."""
        truncation, levels, grid, step, diffusion, physics = cases[self.case]
        return simulation(
            truncation,
            levels,
            self.grid or grid,
            self.step or step,
            diffusion,
            physics,
            self.precision,
            self.threads,
            self.tile,
            **{"parallel": {"device": self.device}} | more,
        )


def simulation(
    truncation: int,
    levels: int | str,
    grid: str,
    step: str,
    diffusion: str,
    physics: str,
    precision: str,
    threads: int,
    tile: int | str = "measured",
    parallel: Mapping[str, Any] | None = None,
    land: str = "LandSurface",
    **more: Any,
) -> Any:
    """Returns an atmosphere with waves in it: with Held & Suarez, or over a sea without land with
    all of the first or of the full physics.
    """
    schemes = (
        [fm.HeldSuarez()]
        if physics == "held-suarez"
        else suites[physics](sunlight=fm.Sunlight(fixed_season=1), land=land)
    )
    layers = fm.HybridLevels(levels) if isinstance(levels, str) else fm.SigmaLevels(levels)
    atmosphere = fm.SpectralAtmosphere(
        fm.GaussianGrid(truncation, grid=grid, levels=layers),
        physics=schemes,
        diffusion_time=diffusion,
        precision=precision,
    )
    atmosphere.set(**waves(moist=physics != "held-suarez"))
    parallel = {"threads": threads, "tile": tile, **(parallel or {})}
    return fm.Simulation(atmosphere, time_step=step, parallel=parallel, **more)


def waves(moist: bool) -> dict[str, Any]:
    """Returns a state with waves in it: functions of longitude, latitude and pressure."""
    radians = np.deg2rad
    air = {
        "air_temperature": lambda lon, lat, p: np.maximum(
            200,
            (
                300
                - 40 * np.sin(radians(lat)) ** 2
                + 2 * np.sin(radians(3 * lon)) * np.cos(radians(lat)) ** 3
            )
            * (p / 1e5) ** 0.19,
        ),
        "eastward_wind": lambda lon, lat, p: 25 * np.sin(2 * radians(lat)) ** 2 * (1 - p / 1e5),
    }
    if not moist:
        return air
    return air | {
        "specific_humidity": lambda lon, lat, p: 0.015 * np.cos(radians(lat)) ** 4 * (p / 1e5) ** 3,
        "sea_surface_temperature": _sea,
    }


def _sea(longitude: Any, latitude: Any) -> Any:
    """Returns the sea temperature of experiments/aquaplanet-t31l8.toml [K]."""
    square = np.sin(1.5 * np.deg2rad(latitude)) ** 2
    return constants.celsius + np.where(abs(latitude) < 60, 27 * (1 - (square + square**2) / 2), 0)


@dataclass(frozen=True)
class Piece:
    """Some steps. seconds: of one; processor: what its rank's processors gave it meanwhile, less
    where others use them too; inside: (seconds, operations, bytes) of the parts of the
    dynamics; processes: their timings.
    """

    seconds: float
    processor: float
    inside: dict[str, tuple[float, float, float]]
    processes: list[dict[str, Any]]


def _timed(simulation: Any, steps: int) -> Piece:
    """Returns the seconds of steps; all ranks start and end together."""
    comm, solver = simulation.comm, simulation.find(mpi.core.SpectralProcess)
    simulation.sequence.reset_timings()
    before = solver.spent
    comm.barrier()
    start = time.perf_counter(), time.process_time()
    simulation.advance(steps)
    processor = comm.allreduce(time.process_time() - start[1]) / comm.size / steps
    comm.barrier()
    seconds = comm.allreduce(time.perf_counter() - start[0]) / comm.size / steps
    inside = {
        name: tuple((x - y) / steps for x, y in zip(value, before[name]))
        for name, value in solver.spent.items()
    }
    processes = [
        {**p, "seconds": p["seconds"] / steps, "calls": p["calls"] / steps}
        for p in simulation.sequence.timings
    ]
    return Piece(seconds, processor, inside, processes)


def _best_piece(simulation: Any, steps: int, limits: roofline.Measuring, most: int = 6) -> Piece:
    """Returns the quickest of up to six pieces of together so many steps, or of one with all
    processes; the limits of the machine are measured between them.
    """
    found, cycle = [], steps_of_a_cycle(simulation)
    pieces = min(max(steps // cycle, 1), most)
    for _ in range(pieces):
        simulation.comm.barrier()
        with roofline.one_clock(simulation.comm.size, mpi.core.threads()):
            limits.again()
            found.append(_timed(simulation, max(steps // pieces // cycle, 1) * cycle))
    least = min(piece.processor for piece in found)
    return replace(min(found, key=lambda piece: piece.seconds), processor=least)


def with_work(simulation: Any, timings: list[dict[str, Any]], bytes_: int) -> list[dict[str, Any]]:
    """Returns the timings of processes with their operations and bytes in a step, which are counted
    in other steps.
    """
    listed = simulation.model.processes(simulation.time_step, simulation.surface)
    moved = declared_bytes(simulation, listed, bytes_)
    every, cycle = {p.name: p.every for p in listed}, steps_of_a_cycle(simulation)
    simulation.sequence.reset_timings()
    simulation.sequence.counting = True
    simulation.advance(cycle)
    simulation.sequence.counting = False
    operations = {
        p["process"]: p.get("operations", 0.0) / cycle for p in simulation.sequence.timings
    }
    found = []
    for timing in timings:
        name = timing["process"]
        counted = operations[name]
        of_a_step = moved[name] / every[name] if counted else 0.0
        found.append({**timing, "operations": counted, "bytes": of_a_step})
    return found


def _tiles(simulation: Any) -> list[dict[str, Any]]:
    """Returns the tiles of each group of processes that has them."""
    return [
        {
            "first": g["processes"][0],
            "columns": g["tile"],
            "reason": g["tile_reason"],
            "tried": g["tiles_tried"],
        }
        for g in simulation.sequence.groups
        if g["tile"]
    ]


def measure(case: Case) -> dict[str, Any] | None:
    """Returns the figures of a case on its ranks, as plain data on rank 0, None elsewhere."""
    began = time.perf_counter()
    simulation = case.simulation().prepare()
    ready = time.perf_counter()
    simulation.advance(1)
    first = time.perf_counter()
    simulation.advance(max(case.spin_up - 1, 1))

    comm, bytes_ = simulation.comm, 8 if case.precision == "fp64" else 4
    limits = roofline.Measuring(bytes_)
    best = _best_piece(simulation, case.steps, limits)
    seconds, inside = best.seconds, best.inside
    processes = with_work(simulation, best.processes, bytes_)
    interpolation = case.interpolation(simulation)
    faults = machine.page_faults()
    simulation.advance(4)
    faults, checksum = comm.allreduce(machine.page_faults() - faults) / 4, simulation.checksum()
    if not simulation.is_root:
        return None
    known, cells = limits.limits, simulation.model.grid.wet_cells
    rates = phases(inside, processes, seconds, known)
    transforming = max(inside["legendre"][0] + inside["fourier"][0], 1e-12)
    return {
        "case": asdict(case),
        "machine": machine.name(),
        "grid": repr(simulation.model.grid),
        "cells": cells,
        "step": simulation.time_step,
        "seconds_per_step": seconds,
        "processor_seconds_per_step": best.processor,
        "processor_gflops": _gflops(rates, processes, best),
        "simulated_days_per_day": simulation.time_step / seconds,
        "simulated_years_per_day": simulation.time_step / seconds / 365.2425,
        "phases": {r["name"]: r["seconds"] for r in rates},
        "rates": rates,
        "inside": {name: value[0] for name, value in inside.items()},
        "processes": processes,
        "nanoseconds_per_cell": seconds * 1e9 / cells * case.ranks * case.threads,
        **known.plain(),
        "limits": known.describe(),
        "transform_fraction_of_fma": inside["legendre"][1] / transforming / known.operations,
        "interpolation": interpolation,
        "tiles": _tiles(simulation),
        "page_faults_per_step": faults,
        "peak_megabytes": machine.memory()["peak_megabytes"],
        "seconds_to_prepare": ready - began,
        "seconds_of_first_step": first - ready,
        "checksum": checksum,
    }


def _gflops(rates: list[dict[str, Any]], processes: list[dict[str, Any]], piece: Piece) -> float:
    """Returns operations in the processor time of a step, less the share of physics that does not
    count its operations (RRTMGP).
    """
    counts = [p["phase"] != "physics" or p["operations"] for p in processes]
    silent = sum(p["seconds"] for p, counted in zip(processes, counts) if not counted)
    seconds = piece.processor * (1 - silent / piece.seconds)
    result: float = sum(r["operations"] for r in rates) / seconds / 1e9
    return result


class Interpolation:
    """Semi-Lagrangian advection alone, on one rank, with a wind that carries points across some
    grid spacings.
    """

    def __init__(self, grid: Any, bytes_: int, step: float) -> None:

        self.shape, self.cells, self.size = (
            (grid.rows.rows, grid.levels.nz, grid.rows.longest),
            grid.wet_cells,
            bytes_,
        )
        self.core = mpi.core.SemiLagrangian(
            grid.rows, np.linspace(0.02, 0.98, self.shape[1]).tolist(), bytes_, step, grid.radius
        )
        wave = (
            np.sin(np.linspace(0, 6 * np.pi, self.shape[2]))
            * np.cos(np.deg2rad(grid.latitude))[:, None, None]
            * np.ones(self.shape)
        )
        self.core.depart([25 + 10 * wave, 8 * wave, 1e-6 * wave])

    def once(self, pass_: str) -> tuple[float, float]:
        """Returns (seconds, operations) of one pass over all points with four fields."""
        result: tuple[float, float] = self.core.pass_(pass_)
        return result

    def bytes(self, pass_: str) -> float:
        """Returns bytes that a pass must read and write: the wind of the trajectories; with
        interpolation, also four fields read and written.
        """
        result: float = self.cells * self.size * (3 if pass_ in ("departure", "weights") else 8)
        return result

    def ratios(self, repetitions: int = 5) -> dict[str, float]:
        """Returns nanoseconds a point and field: four fields interleaved, the same kernel given one
        field after the other, one field by levels.
        """
        found = dict.fromkeys(("interleaved", "single", "by_levels"), np.inf)
        for _ in range(repetitions):  # in turn, so that all meet the same machine
            for name, together in (("interleaved", 4), ("single", 1), ("by_levels", 1)):
                found[name] = min(
                    found[name],
                    self.core.seconds(together, 1, name == "by_levels") / (self.cells * 4 / 1e9),
                )
        return found | {"ratio": found["single"] / found["interleaved"]}


def phases(
    inside: dict[str, tuple[float, float, float]],
    processes: list[dict[str, Any]],
    seconds: float,
    limits: Any,
) -> list[dict[str, Any]]:
    """Returns a step by phase, each with its rates; `other` is the rest: waiting, Python, what has
    no timer.
    """
    column = {
        name: [
            (p["seconds"], p["operations"], p["bytes"])
            for p in processes
            if p["phase"] == name and p["operations"]
        ]
        for name in ("physics", "dynamics")
    }
    whole = {
        "transforms": ("legendre", "fourier"),
        "transpositions": ("transpositions",),
        "semi-Lagrangian": ("packing", "departure", "interpolation"),
        "semi-implicit": ("semi_implicit", "diffusion"),
    }
    found = {name: [inside[part] for part in parts] for name, parts in whole.items()} | column
    rates = [
        {
            "name": name,
            **limits.against(
                *(sum(part[n] for part in parts) for n in range(3)),
                within=0 if name in column else None,
            ),
        }
        for name, parts in found.items()
    ]
    rest = seconds - sum(r["seconds"] for r in rates)
    return [
        *rates,
        {
            "name": "other",
            "seconds": rest,
            "operations": 0.0,
            "bytes": 0.0,
            "gflops": 0.0,
            "gigabytes_per_second": 0.0,
            "limit": "",
            "fraction": 0.0,
        },
    ]


def _rates(r: dict[str, Any]) -> str:
    if not r["operations"] and not r["bytes"]:
        return ""
    work = f"{r['gflops']:8.1f} GF/s" if r["operations"] else " " * 13
    return (
        f"{work}{r['gigabytes_per_second']:8.1f} GB/s {100 * r['fraction']:4.0f} % of {r['limit']}"
    )


# long: one line of the table after the other
def present(figures: dict[str, Any] | None, file: Path | None = None) -> int:
    """Print the figures, and write them as JSON; only where they are. Returns the exit status 0."""
    if figures is None:
        return 0

    load.leave(figures, file)
    case, total, around = figures["case"], figures["seconds_per_step"], figures["interpolation"]
    slowest = sorted(figures["processes"], key=lambda p: -p["seconds"])
    entries: list[tuple[str, str | list[str]]] = [
        (
            "grid",
            (
                f"{figures['grid']}, {figures['cells']:,} cells, {case['ranks']} ×"
                f" {case['threads']} thread{'s' * (case['threads'] > 1)}"
            ),
        ),
        (
            "speed",
            [
                (
                    f"{figures['simulated_days_per_day']:,.0f} simulated days a day,"
                    f" {figures['simulated_years_per_day']:,.0f} years"
                ),
                (
                    f"{1e3 * total:.2f} ms a step of {figures['step']:g} s,"
                    f" {figures['nanoseconds_per_cell']:.1f} ns a cell and thread;"
                    f" {figures['processor_gflops']:.1f} GF/s of processor time"
                ),
            ],
        ),
        (
            "phases",
            [
                f"{r['name']:<16}{1e3 * r['seconds']:9.3f} ms {100 * r['seconds'] / total:5.1f}"
                f" %{_rates(r)}"
                for r in figures["rates"]
            ],
        ),
        (
            "processes",
            [
                f"{p['process']:<44.44}{1e3 * p['seconds']:9.3f} ms"
                f" {100 * p['seconds'] / total:5.1f} %"
                for p in slowest
                if p["seconds"] > 0.005 * total
            ],
        ),
        (
            "limits",
            [
                figures["limits"],
                (
                    "Sums within wavenumbers take the transforms to"
                    f" {100 * figures['transform_fraction_of_fma']:.0f} % of the multiply-adds"
                ),
                *(
                    [
                        f"interpolation {around['interleaved']:.2f} ns a point and field, four"
                        f" fields interleaved; {around['single']:.2f} ns field by field:"
                        f" {around['ratio']:.1f} times; {around['by_levels']:.2f} ns a field"
                        " alone, by levels"
                    ]
                    if around
                    else []
                ),
            ],
        ),
        (
            "tiles",
            [
                f"{t['first']:<28.28}{t['columns']:5d} columns, {t['reason']}"
                + "".join(f"; {c}: {1e3 * seconds:.3f} ms" for c, seconds in t["tried"].items())
                for t in figures["tiles"]
            ],
        ),
        (
            "memory",
            (
                f"at most {figures['peak_megabytes']:.0f} MB, {figures['page_faults_per_step']:.2g}"
                " page faults a step"
            ),
        ),
        (
            "start",
            (
                f"{figures['seconds_to_prepare']:.2f} s to prepare,"
                f" {figures['seconds_of_first_step']:.2f} s for the first step"
            ),
        ),
    ]
    click.echo(tree(f"{case['case']}, {case['precision']}, {figures['machine']}", entries))
    return 0
