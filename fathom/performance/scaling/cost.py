"""The cost of a step of a case: measured in a short run on few ranks, in parts that scale
differently.

columns and levels
    seconds of processes, for the work of a rank as the decomposition counts it
    (core/parallel/ownership/work.hpp)
columns               seconds of the solver's sweeps, for each water column and iteration;
    of preconditioners the same
messages              exchanges of a step: levels and widths that travel together;
    halos and sums of a solve
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from fathom.base import mpi, regions
from fathom.performance.bench import traffic
from fathom.performance.scaling import noise
from fathom.performance.scaling.machine import Machine

moving = ("exchange", "sum", "input", "output")  # kinds of regions that are not computing


@dataclass
class Measured:
    """A run on few ranks; seconds: of a step; step: its length; bytes: of a number; traffic: bytes
    of a step that processes of columns of a rank move on a device; pieces: seconds of a step
    in each piece of the measured run. `kind` is the kind of cost (command.py).
    """

    kind: ClassVar[str] = ""
    ranks: int
    threads: int
    seconds: float
    step: float
    bytes: int
    traffic: float
    pieces: list[float] = field(default_factory=list, kw_only=True)

    @property
    def mean(self) -> float:
        """Returns seconds of a step in the mean of the pieces, of which `seconds` is the best."""
        return float(np.mean(self.pieces or [self.seconds]))

    @property
    def spread(self) -> float:
        """Returns the slowest piece over the quickest."""
        return max(self.pieces) / min(self.pieces) if self.pieces else 1.0

    def undisturbed(self, here: Machine) -> float:
        """Returns the factor from a measured second to one without the interruptions of the
        measured machine: 1 for one rank with one thread, whose seconds are processor time
        (`measured_steps`).
        """
        alone = self.ranks == self.threads == 1
        return 1.0 if alone else 1 / (1 + noise.dilution(here))

    def write(self, path: Path) -> None:
        """Writes it as JSON."""
        path.write_text(json.dumps(asdict(self) | {"kind": self.kind}))

    @classmethod
    def read(cls, path: Path) -> Self:
        """Reads a cost of the class itself, or of the one that the file names."""
        found = json.loads(path.read_text())
        kind = found.pop("kind")
        return next(c for c in (cls, *cls.__subclasses__()) if c.kind == kind)(**found)


@dataclass
class Cost(Measured):
    """Of a step of columns on blocks: work, columns, points: of the fullest rank (points of halos);
    three, two, packing: seconds of processes of columns and levels, of the solver, of filling and
    emptying messages; exchanges: (levels of 8 bytes, width) of each exchange of a step; iterations,
    halos, sums: of a step's solve; words: of a sum; halo_bytes: of a halo of the solver, for a
    point along an edge."""

    kind: ClassVar[str] = "columns on blocks"
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
    words: float
    halo_bytes: float
    solver: str
    preconditioner: str

    reach: ClassVar[int] = 2  # points of a halo

    @property
    def computing(self) -> float:
        """Returns seconds of computing in a step of one rank."""
        return self.three + self.two + self.packing

    def with_messages_of(self, other: Cost) -> Cost:
        """Returns the cost itself: its messages follow from the plan."""
        return self

    def text(self) -> list[str]:
        """Returns lines about it for people."""
        return [
            f"{self.solver} with {self.preconditioner}: {self.iterations:.0f} iterations a step,"
            f" {self.halos:.0f} halos, {self.sums:.0f} sums"
        ]


def work_of(decomposition: Any, messages: np.ndarray) -> np.ndarray:
    """Returns the work of each rank, without the cost of messages."""
    neighbours = (
        np.bincount(messages[messages[:, 0] != messages[:, 1], 1], minlength=decomposition.ranks)
        if len(messages)
        else np.zeros(decomposition.ranks)
    )
    result: np.ndarray = np.maximum(
        np.asarray(decomposition.load) - mpi.core.work_of_message * neighbours, 1.0
    )
    return result


def points_of(ranks: int, messages: np.ndarray) -> np.ndarray:
    """Returns points of a halo that each rank receives, from its own blocks, too."""
    return np.maximum(
        np.bincount(messages[:, 1], messages[:, 2], ranks) if len(messages) else np.zeros(ranks),
        1.0,
    )


def columns_of(decomposition: Any, wet: np.ndarray) -> np.ndarray:
    """Returns columns with water of each rank."""
    table = np.zeros((wet.shape[0] + 1, wet.shape[1] + 1), np.int64)
    table[1:, 1:] = np.cumsum(np.cumsum(wet > 0, axis=0), axis=1)
    blocks = decomposition.blocks[decomposition.blocks[:, 5] >= 0]
    i0, j0, i1, j1 = (
        blocks[:, 1],
        blocks[:, 2],
        blocks[:, 1] + blocks[:, 3],
        blocks[:, 2] + blocks[:, 4],
    )
    return np.bincount(
        blocks[:, 5],
        table[j1, i1] - table[j0, i1] - table[j1, i0] + table[j0, i0],
        decomposition.ranks,
    )


def measured_steps(
    simulation: Any,
    steps: int = 0,
    seconds: float = 4.0,
    period: int = 1,
    advance: Callable[[int], Any] | None = None,
) -> tuple[list[float], list[dict[str, Any]], int]:
    """Returns seconds of a step in three pieces, the regions of the quickest, and its steps;
    all ranks together. steps: 0: as many as fit into `seconds`; a piece is whole periods. One rank
    with one thread never waits: its seconds are processor time, which other programs on the machine
    change little. advance: takes so many steps, by default of the model.
    """
    simulation.prepare()
    comm, advance = simulation.comm, advance or simulation.advance
    advance(3)
    began = time.perf_counter()
    advance(1)
    one = comm.allreduce(time.perf_counter() - began) / comm.size
    n = -(-(steps or int(np.clip(seconds / one, 3, 200))) // 3)
    n = -(-n // period) * period
    pieces: list[float] = []
    profile: list[dict[str, Any]] = []
    alone = comm.size == 1 and simulation.parallel["threads"] == 1
    for _ in range(3):
        comm.barrier()
        regions.begin(comm)
        began, spent = time.perf_counter(), time.process_time()
        advance(n)
        spent = time.process_time() - spent
        comm.barrier()
        elapsed = comm.bcast(time.perf_counter() - began)
        taken = min(spent, elapsed) if alone else elapsed
        found = regions.gathered(comm)["regions"]
        pieces.append(taken / n)
        if min(pieces) == pieces[-1]:
            inside = sum(r["seconds"] for r in found if r["phase"] != "run")
            own = taken / max(inside, taken) if alone else 1.0
            profile = [r | {k: own * r[k] for k in ("seconds", "communication")} for r in found]
    return pieces, profile, n


def of_a_step(records: list[dict[str, Any]], what: str, n: int) -> float:
    """Returns calls, messages or bytes of some regions."""
    result: float = sum(r[what] for r in records) / n
    return result


def traffic_of(simulation: Any) -> float:
    """Returns bytes of a step that processes of columns of a rank move on a device."""
    result: float = traffic.declared(simulation, together=False) / simulation.comm.size
    return result


def seconds_by_phase(profile: list[dict[str, Any]], n: int) -> dict[str, float]:
    """Returns seconds of computation of a step, of `n` steps: without data movement, and without
    work between steps.
    """
    found: dict[str, float] = {}
    for r in profile:
        if r["kind"] not in moving and r["phase"] != "run":
            found[r["phase"]] = found.get(r["phase"], 0.0) + r["seconds"] / n
    return found


def seconds_of_packing(profile: list[dict[str, Any]], n: int) -> float:
    """Returns seconds of a step for filling and emptying messages, without those of the solver."""
    exchanges = [r for r in profile if r["kind"] == "exchange" and r["phase"] != "barotropic"]
    result: float = max(sum(r["seconds"] - r["communication"] for r in exchanges) / n, 0.0)
    return result


def halos_of_solver(profile: list[dict[str, Any]], n: int) -> float:
    """Returns halo exchanges of the solver in a step."""
    of_solver = [r for r in profile if r["kind"] == "exchange" and "BarotropicSolve" in r["path"]]
    result: float = sum(r["calls"] for r in of_solver) / n
    return result


def exchanges_of(simulation: Any) -> list[tuple[float, int]]:
    """Returns (levels, width) of each exchange of a step: of all fields that travel together, and
    the widest of their halos.
    """
    levels = {f["name"]: f["levels"] for f in simulation.fields.fields}
    found = []
    for group in simulation.sequence.groups:
        if not group["exchange"]:
            continue
        together, widest = 0, 0
        for text in group["exchange"]:  # "temperature(2)"
            name, _, width = text.partition("(")
            together += levels[name]
            widest = max(widest, int(width.rstrip(")")))
        found.append((float(together), widest))
    return found


def _counts(solver: Any) -> dict[str, int]:
    """Returns counts of a solver so far."""
    names = ("iterations", "solves", "reductions", "words", "halos", "halo_bytes")
    return {name: getattr(solver, name) for name in names}


def measure(simulation: Any, steps: int = 0, seconds: float = 4.0) -> Cost | None:
    """Measures on all ranks of a simulation; the result is on rank 0."""
    simulation.prepare().advance(3)
    comm, solver = simulation.comm, simulation.find(mpi.core.BarotropicSolve)
    before = _counts(solver)
    taken, profile, n = measured_steps(simulation, steps, seconds)
    did = {name: count - before[name] for name, count in _counts(solver).items()}
    decomposition = simulation.domain.decomposition
    plan = mpi.core.halo_plan(decomposition, "center", simulation.model.halo, 1).messages
    wet = np.asarray(simulation.model.grid.wet_levels)
    exchanges = exchanges_of(simulation)
    if not simulation.is_root:
        return None
    by_phase = seconds_by_phase(profile, n)
    two = by_phase.get("barotropic", 0.0)
    surface = simulation.model.free_surface
    return Cost(
        ranks=comm.size,
        threads=int(simulation.parallel["threads"]),
        seconds=min(taken),
        pieces=taken,
        step=simulation.time_step,
        bytes=simulation.bytes_of_number,
        traffic=traffic_of(simulation),
        work=float(work_of(decomposition, plan).max()),
        columns=float(columns_of(decomposition, wet).max()),
        three=sum(by_phase.values()) - two,
        two=two,
        packing=seconds_of_packing(profile, n),
        points=float(points_of(decomposition.ranks, plan).max()),
        phases=by_phase,
        exchanges=exchanges,
        iterations=did["iterations"] / did["solves"],
        halos=halos_of_solver(profile, n),
        sums=did["reductions"] / did["solves"],
        words=did["words"] / max(did["reductions"], 1),
        halo_bytes=did["halo_bytes"] / max(did["halos"], 1),
        solver=str(surface.solver),
        preconditioner=str(surface.preconditioner),
    )
