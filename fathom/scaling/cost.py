"""What a step of a case costs: measured in a short run on few ranks, told apart by what it scales with.

    columns and levels    seconds of processes, for the work of a rank as the decomposition counts it (core/parallel/work.hpp)
    columns               seconds of the solver's sweeps, for each water column and iteration; of preconditioners the same
    messages              exchanges of a step: levels and widths that travel together; halos and sums of a solve
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

moving = ("exchange", "sum", "input", "output")  # kinds of regions that are not computing


@dataclass
class Cost:
    """seconds: of a step, measured; work, columns, points: of the fullest rank (points of halos); three, two, packing: seconds of processes of columns and levels, of the
    solver, of filling and emptying messages; exchanges:
    (levels of 8 bytes, width) of each exchange of a step; iterations, halos, sums: of a step's solve; words: of a sum."""

    ranks: int
    threads: int
    seconds: float
    step: float
    bytes: int
    work: float
    columns: float
    three: float
    two: float
    packing: float
    points: float
    phases: dict[str, float]
    exchanges: list[tuple[float, int]]
    iterations: float
    halos: float
    sums: float
    words: int
    solver: str
    preconditioner: str

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)))

    @classmethod
    def read(cls, path: Path) -> Cost:
        return cls(**json.loads(path.read_text()))


def work_of(decomposition: Any, messages: np.ndarray) -> np.ndarray:
    """Of each rank, without what messages cost: that is the machine's."""
    from fathom.mpi import core

    neighbours = np.bincount(messages[messages[:, 0] != messages[:, 1], 1], minlength=decomposition.ranks) if len(messages) else np.zeros(decomposition.ranks)
    return np.maximum(np.asarray(decomposition.load) - core.work_of_message * neighbours, 1.0)


def points_of(ranks: int, messages: np.ndarray) -> np.ndarray:
    """Points of a halo that each rank receives, of its own blocks too."""
    return np.maximum(np.bincount(messages[:, 1], messages[:, 2], ranks) if len(messages) else np.zeros(ranks), 1.0)


def columns_of(decomposition: Any, wet: np.ndarray) -> np.ndarray:
    """Columns with water of each rank."""
    table = np.zeros((wet.shape[0] + 1, wet.shape[1] + 1), np.int64)
    table[1:, 1:] = np.cumsum(np.cumsum(wet > 0, axis=0), axis=1)
    blocks = decomposition.blocks[decomposition.blocks[:, 5] >= 0]
    i0, j0, i1, j1 = blocks[:, 1], blocks[:, 2], blocks[:, 1] + blocks[:, 3], blocks[:, 2] + blocks[:, 4]
    return np.bincount(blocks[:, 5], table[j1, i1] - table[j0, i1] - table[j1, i0] + table[j0, i0], decomposition.ranks)


def measure(simulation: Any, steps: int = 0, seconds: float = 4.0) -> Cost | None:
    """On all ranks of a simulation; on rank 0. steps: 0: as many as fit into `seconds`. ValueError for a model whose messages are not those of halos."""
    from fathom import regions
    from fathom.mpi import core

    simulation.prepare()
    comm = simulation.comm
    solver = simulation.solvers.get("barotropic")
    if solver is None:
        raise ValueError(f"scale: {type(simulation.model).__name__} on {type(simulation.model.grid).__name__} has no solver of a free surface; what can be priced is a model of columns on blocks, as Ocean")
    simulation.advance(3)
    began = time.perf_counter()
    simulation.advance(1)
    one = comm.allreduce(time.perf_counter() - began) / comm.size
    steps = steps or int(np.clip(seconds / one, 3, 200))
    least, profile, iterations, reductions = np.inf, None, 0, 0
    for _ in range(3):
        before = solver.iterations, solver.reductions
        comm.barrier()
        regions.begin(comm)
        began = time.perf_counter()
        simulation.advance(-(-steps // 3))
        comm.barrier()
        taken = comm.bcast((time.perf_counter() - began) / -(-steps // 3))
        found = regions.gathered(comm)["regions"]
        if taken < least:
            least, profile = taken, found
            iterations, reductions = (solver.iterations - before[0]), (solver.reductions - before[1])
    n = -(-steps // 3)
    d = simulation.domain.decomposition
    plan = core.halo_plan(d, "center", simulation.model.halo, 1).messages
    wet = np.asarray(simulation.model.grid.wet_levels)
    by_phase: dict[str, float] = {}
    for r in profile:
        if r["kind"] not in moving and r["phase"] != "run":
            by_phase[r["phase"]] = by_phase.get(r["phase"], 0.0) + r["seconds"] / n
    two = by_phase.get("barotropic", 0.0)
    packing = sum(r["seconds"] - r["communication"] for r in profile if r["kind"] == "exchange" and r["phase"] != "barotropic") / n
    levels = {f["name"]: f["levels"] for f in simulation.sequence.fields}
    exchanges = []
    for group in simulation.sequence.groups:
        if group["exchange"]:
            widths = [(name.partition("(")[0], int(name.partition("(")[2].rstrip(")"))) for name in group["exchange"]]
            exchanges.append((float(sum(levels[name] for name, _ in widths)), max(width for _, width in widths)))
    halos = sum(r["calls"] for r in profile if r["kind"] == "exchange" and r["phase"] == "barotropic") / n
    if not simulation.is_root:
        return None
    surface = simulation.model.free_surface
    return Cost(comm.size, int(simulation.parallel["threads"]), least, simulation.step, simulation.bytes_of_number, float(work_of(d, plan).max()), float(columns_of(d, wet).max()),
                sum(by_phase.values()) - two, two, max(packing, 0.0), float(points_of(d.ranks, plan).max()), by_phase, exchanges, iterations / n, halos, reductions / n, 3, str(surface.solver), str(surface.preconditioner))  # fmt: skip
