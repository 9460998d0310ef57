"""Benchmark of each kernel of the spectral atmosphere: milliseconds, operations and bytes a second,
and the fraction of the machine's limit.

Column kernels (physics, vertical integrals, terms of the dynamics) run as they run in a step, tile
by tile with their tile in the second cache; their operations are counted in the kernels, with a
number type that counts (core/base/counted.hpp), their bytes are those of the fields that they
declare. The operations of transforms, interpolation and the semi-implicit solve are counted next to
their code, their bytes are those that must be read and written once. Each kernel's least time of
several steps or passes counts; radiation and its processes are timed in the steps in which they
run. A pass of interpolation finds the departure points, too: their least time is taken off.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from fathom.base import machine, mpi
from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.performance import load, roofline
from fathom.performance.bench.atmosphere import Interpolation, simulation
from fathom.performance.work import declared_bytes, parts
from fathom.run.tree import tree

# of semi-Lagrangian advection: name, pass of the core, whether the departure points are found too
passes = {
    "departure points": ("departure", False),
    "interpolation weights": ("weights", True),
    "trilinear interpolation": ("linear", True),
    "quasi-cubic interpolation": ("cubic", True),
    "quasi-monotone interpolation": ("monotone", True),
}
vertical_integrals = ("PrimitiveEquations", "HydrostaticGeopotential")


@dataclass(frozen=True)
class Case:
    """The settings of the benchmark: a grid T<truncation> of sigma levels with every scheme of the
    first physics. ValueError for unknown names.
    """

    kernel: str | None = None
    truncation: int = 85
    levels: int = 24
    precision: str = "fp32"
    threads: int = 1
    repetitions: int = 10
    land: str = "LandSurface"

    def __post_init__(self) -> None:
        if self.precision not in ("fp64", "fp32"):
            raise InputError(
                "bench kernels: precision ="
                f" '{self.precision}'{near(self.precision, ('fp64', 'fp32')) or ';'} allowed: fp64,"
                " fp32"
            )


def measure(case: Case) -> dict[str, Any]:
    """Returns the figures of all kernels, or of the one that is asked for, as plain data."""
    with roofline.one_clock(1, case.threads):
        return _measure(case)


# long: one measurement after the other
def _measure(case: Case) -> dict[str, Any]:
    bytes_ = 8 if case.precision == "fp64" else 4
    run = simulation(
        case.truncation,
        case.levels,
        "linear",
        f"{1800 * 42 // max(case.truncation, 21)}s",
        "2.4h",
        "first",
        case.precision,
        case.threads,
        land=case.land,
    ).prepare()
    columns = Columns(run, bytes_)
    names = [*columns.work, *parts, *passes]
    if case.kernel is not None and case.kernel not in names:
        raise InputError(
            f"bench kernels: kernel = '{case.kernel}'{near(case.kernel, names) or ';'} there are:"
            f" {', '.join(sorted(names, key=str.lower))}"
        )

    limits, interpolation = (
        roofline.Measuring(bytes_),
        Interpolation(run.model.grid, bytes_, run.time_step),
    )
    seconds: dict[str, float] = {}
    work: dict[str, tuple[float, float]] = {}

    def keep(name: str, value: float, operations: float, moved: float) -> None:
        if value < seconds.get(name, np.inf):
            seconds[name], work[name] = value, (operations, moved)

    columns.step()  # memory is touched, plans are made
    for _ in range(max(case.repetitions, columns.longest)):
        limits.again()
        for name, figures in columns.step().items():
            keep(name, *figures)
    for _ in range(case.repetitions):
        limits.again()
        for name, (pass_, _) in passes.items():
            keep(name, *interpolation.once(pass_), interpolation.bytes(pass_))
    for name, (_, more) in passes.items():  # a small difference may be lost in the noise of both
        rest = seconds[name] - more * seconds["departure points"]
        seconds[name] = max(rest, seconds[name] / 100)
    known = limits.limits
    chosen = [name for name in seconds if case.kernel in (None, name)]
    kernels = [
        {
            "name": name,
            "kind": columns.kind(name),
            **known.against(seconds[name], *work[name], within=0 if name in columns.work else None),
        }
        for name in chosen
    ]
    return {
        "case": asdict(case),
        "machine": machine.name(),
        "grid": repr(run.model.grid),
        "cells": run.model.grid.wet_cells,
        "clock": "processor" if case.threads == 1 else "wall",
        **known.plain(),
        "limits": known.describe(),
        "kernels": sorted(kernels, key=lambda k: -k["seconds"]),
        "interpolation": interpolation.ratios(),
    }


class Columns:
    """The steps of a simulation, taken apart: seconds, operations and bytes of each column process
    and of each part of the spectral step.
    """

    def __init__(self, run: Any, bytes_: int) -> None:

        self.run, self.dynamics = run, run.find(mpi.core.SpectralProcess)
        processes = run.model.processes(run.time_step, run.surface)
        self.longest = max(p.every for p in processes)
        self.phases = {p.name: p.phase for p in processes}
        bytes_of = declared_bytes(run, processes, bytes_)
        # a scheme's operations, in a step in which it runs
        run.sequence.counting = True
        counted: dict[str, float] = {}
        for _ in range(self.longest):
            for name, t in self._advance().items():
                counted[name] = max(counted.get(name, 0.0), t.get("operations", 0.0))
        run.sequence.counting = False
        self.work = {
            name: (operations, bytes_of[name])
            for name, operations in counted.items()
            if operations > 0
        }

    def _advance(self) -> dict[str, dict[str, Any]]:
        self.run.sequence.reset_timings()
        self.run.advance(1)
        return {t["process"]: t for t in self.run.sequence.timings if t["calls"]}

    def step(self) -> dict[str, tuple[float, float, float]]:
        """Makes a step; returns seconds, operations and bytes by process."""
        before = self.dynamics.spent
        timings, after = self._advance(), self.dynamics.spent
        found = {
            name: (timings[name]["seconds"], *work)
            for name, work in self.work.items()
            if name in timings
        }
        return found | {
            name: tuple(b - a for a, b in zip(before[part], after[part]))
            for name, part in parts.items()
        }

    def kind(self, name: str) -> str:
        """Returns the kind of work of a process."""
        if name in passes or name == "halo packing":
            return "semi-Lagrangian"
        if name in vertical_integrals:
            return "vertical integrals"
        return self.phases.get(name) or (
            "transforms" if name.endswith("transform") else "semi-implicit"
        )


def present(figures: dict[str, Any], file: Path | None = None) -> int:
    """Print the figures, and write them as JSON. Returns the exit status 0."""
    load.leave(figures, file)
    case, around = figures["case"], figures["interpolation"]
    click.echo(
        tree(
            f"Kernels of the spectral atmosphere, {case['precision']}, {figures['machine']}",
            [
                (
                    "grid",
                    (
                        f"{figures['grid']}, {figures['cells']:,} cells, {case['threads']}"
                        f" thread{'s' * (case['threads'] > 1)}"
                    ),
                ),
                ("machine", figures["limits"]),
                (
                    "interleaved",
                    (
                        f"four fields side by side {around['interleaved']:.2f} ns a point and"
                        f" field; field by field {around['single']:.2f} ns, {around['ratio']:.1f}"
                        " times as long"
                    ),
                ),
            ],
        )
    )
    click.echo("\n".join(["", *roofline.table(figures["kernels"])]))
    return 0
