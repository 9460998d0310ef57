"""Short runs on the ranks of this machine, each a separate command: the cost of a step, this
machine, the gain by threads, and output.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fathom.base import mpi
from fathom.performance.scaling import cost, grid_points, here, inner_loop, spectral, writing
from fathom.performance.scaling.cost import Measured
from fathom.performance.scaling.machine import Machine, read, write
from fathom.performance.scaling.request import Request
from fathom.performance.scaling.starting import Reading
from fathom.performance.scaling.threads import speedups
from fathom.performance.scaling.writing import Writing
from fathom.run import launch
from fathom.run.experiment import larger
from fathom.run.experiment.experiment import Experiment
from fathom.run.experiment.toml import Document
from fathom.run.progress import Line


@dataclass
class Found:
    """By the number of ranks: costs of a step, and this machine; speed-ups by threads, where the
    file of the other machine does not have them; output, where servers are supposed; input of
    the most ranks, where readers are.
    """

    costs: dict[int, Any] = field(default_factory=dict)
    machines: dict[int, Machine] = field(default_factory=dict)
    faster: dict[str, float] = field(default_factory=dict)
    writes: Writing | None = None
    reads: Reading | None = None


def measure(request: Request, machine: Machine | None, line: Line) -> Found:
    """Returns everything that pricing needs. machine: None: this one. SystemExit where a run fails,
    after its message.
    """
    found, cores = Found(), launch.cores()
    with tempfile.TemporaryDirectory() as folder:

        def probe(ranks: int, servers: int | None = None, threads: int = request.threads) -> Path:
            return _start(request, Path(folder), ranks, servers, threads, line)

        for ranks in request.ranks:
            file = probe(ranks)
            found.costs[ranks] = Measured.read(file)
            text = file.with_suffix(".toml").read_text()
            found.machines[ranks] = read(text, "this machine")
            if "readers" in request.what_if:
                found.reads = Reading.read(file.with_suffix(".input"))
        threads = request.supposed_threads
        known = machine is not None and "threads.number" in machine.values
        if threads != request.threads and not known:
            most = max(2, min(max(threads, request.threads), cores))
            one, many = (Measured.read(probe(1, threads=n)) for n in (1, most))
            found.faster = speedups(one, many)
        if request.servers is not None:  # a core for the server, where there is one
            ranks = max((r for r in request.ranks if r < cores), default=min(request.ranks))
            found.writes = Writing.joined(probe(ranks, 0), probe(ranks, 1))
    return found


def _start(
    request: Request, folder: Path, ranks: int, servers: int | None, threads: int, line: Line
) -> Path:
    """Runs this command on so many ranks, and servers if output is asked for; the file that it
    writes.
    """
    what = "a step" if servers is None else "output"
    beside = "" if servers is None else f" and {servers} server{'s' * (servers != 1)}"
    line.redraw(f"measuring {what} on {ranks} rank{'s' * (ranks > 1)}{beside}")
    file = folder / f"{ranks}-{servers}-{threads}.json"
    if launch.launched() is not None:
        raise SystemExit(2)  # ranks cannot start ranks
    arguments = request.arguments(ranks, file, servers, threads)
    status = launch.start(ranks + (servers or 0), threads, arguments, None)
    if status or not file.exists():
        raise SystemExit(status or 1)  # the error has been printed
    return file


def act(request: Request, to: Path) -> int:
    """Acts on the present ranks: writes the cost of a step and the machine, or the cost of
    output.
    """
    document = Document.read(request.file, request.settings)
    document = larger.smaller(document) or document
    document.tables["parallel"] = document.section("parallel") | {
        "ranks": request.ranks[0],
        "threads": request.threads,
    }
    if request.servers is not None:
        document.tables["parallel"]["io_servers"] = request.servers
        if (ran := writing.measure(document)) is not None:
            ran.write(to)
        return 0
    document.tables.pop("output", None)
    simulation = Experiment(document).simulation(tempfile.gettempdir(), True).prepare()
    reads = Reading.of(simulation)
    by_solver = {mpi.core.BarotropicSolve: cost, mpi.core.HelmholtzSolve: grid_points}
    kind = next((k for solver, k in by_solver.items() if simulation.find(solver)), spectral)
    measured = (inner_loop if request.inner_loop else kind).measure(simulation)
    of_here = here.measure(mpi.world)
    if measured is not None:
        measured.write(to)
        reads.write(to.with_suffix(".input"))
        write(of_here, to.with_suffix(".toml"))
    return 0
