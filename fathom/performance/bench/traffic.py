"""Bytes that a step must move to and from memory, by the declarations of its processes.

Every group of processes passes once over the fields that do not stay in cache: each group reads
its inputs and writes its results. A spectral step counts its own bytes (`SpectralProcess.spent`):
each number of a transform, of transport and of the solve is read once and written once.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from fathom.base import mpi
from fathom.base.machine import last_level_cache
from fathom.model import device
from fathom.model.schemes import bytes_of

spectral_parts = (
    "legendre",
    "fourier",
    "packing",
    "departure",
    "interpolation",
    "semi_implicit",
    "diffusion",
)
spectral_phases = ("spectral", "semi-Lagrangian")


def declared(simulation: Any, together: bool = True) -> float:
    """Returns bytes of a step of all ranks. A process that runs in every n-th step counts one nth;
    those of a spectral step, which count their own bytes, do not count.

    together: false where each process passes over its fields separately, as launches of a device
    do.
    """
    model, bytes_ = simulation.model, bytes_of[simulation.model.precision]
    processes = list(model.processes(simulation.time_step, simulation.surface))
    held = {f["name"]: f for f in simulation.fields.fields}
    in_cache: set[str] = set()
    sizes = [1 for _ in processes]
    if together:
        in_cache = {name for name, field in held.items() if field["scratch"]}
        in_cache |= _scratch(simulation, processes)
        sizes = [len(group["processes"]) for group in simulation.sequence.groups]
    columns, cells = int(np.count_nonzero(model.grid.wet_levels)), model.grid.wet_cells
    whole = int(np.max(model.grid.wet_levels))  # levels of layers; interfaces have one more
    counted, ahead = _counts_itself(simulation, processes), iter(processes)
    numbers = 0.0
    for size in sizes:
        group = [p for p in islice(ahead, size) if p.name not in counted]
        for (name, _), part in _passes(group, in_cache).items():
            levels = held[name]["levels"]
            numbers += part * (cells if levels >= whole else columns * levels)
    return numbers * bytes_


def spectral(simulation: Any, parts: Sequence[str] = spectral_parts) -> float:
    """Returns bytes that spectral parts of all ranks have moved so far; 0 without them."""
    process = simulation.find(mpi.core.SpectralProcess)
    own = sum(process.spent[part][2] for part in parts) if process else 0.0
    return float(simulation.comm.allreduce(own))


def cache(simulation: Any) -> int:
    """Returns bytes of the last cache of the device, or of the processor."""
    name = simulation.parallel["device"]
    return device.open(name).cache if name else last_level_cache()


def _counts_itself(simulation: Any, processes: list[Any]) -> set[str]:
    if simulation.find(mpi.core.SpectralProcess) is None:
        return set()
    return {p.name for p in processes if p.is_global and p.phase in spectral_phases}


def _scratch(simulation: Any, processes: list[Any]) -> set[str]:
    """Returns fields that stay in cache where a group of processes runs tile by tile."""
    model, bytes_ = simulation.model, bytes_of[simulation.model.precision]
    kept = sorted(set(model.diagnostics))
    return set(
        mpi.core.StepProgram(simulation.domain, processes, bytes_, kept, model.rotations).scratch
    )


def _passes(processes: list[Any], in_cache: set[str]) -> dict[tuple[str, str], float]:
    """Returns (field, read or write) of all traffic of a group of processes to and from memory, and
    in which part of the steps: results of one process stay in cache for later ones.
    """
    passes: dict[tuple[str, str], float] = {}
    for process in processes:
        part = 1 / process.every
        for field in process.fields:
            name, access = field["name"], field["access"]
            small = field["vertical"] == "profile" or field["horizontal"] == "none"
            if small or name in in_cache:
                continue
            if access != "writes" and passes.get((name, "write"), 0) < part:
                passes[name, "read"] = max(part, passes.get((name, "read"), 0))
            if access != "reads":
                passes[name, "write"] = max(part, passes.get((name, "write"), 0))
    return passes
