"""The verb `fathom scale`: short runs on the ranks that are here, then steps on the ranks that are
not.
"""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from fathom.names import near
from fathom.run import launch
from fathom.scaling.machine import Machine, load

pays = 0.5  # parallel efficiency, against one rank, below which more ranks are said not to pay
of_run = {
    "solver": "model.free_surface.solver",
    "preconditioner": "model.free_surface.preconditioner",
}  # measured, not priced
what_ifs = (*of_run, "exchange", "sum", "block", "noise", "threads", "io_servers", "io_sets")


@dataclass(frozen=True)
class Request:
    """What the user asked for. measure: a smaller case of the same processes, run instead of
    `file`; probe: where a measured cost goes.
    """

    file: Path
    ranks: tuple[int, ...] = (1, 2)
    simulate: tuple[int, ...] = (256, 1024, 4096)
    machine: str = "here"
    what_if: dict[str, str] = field(default_factory=dict)
    settings: tuple[str, ...] = ()
    measure: Path | None = None
    threads: int = 1
    json: Path | None = None
    picture: Path | None = None
    probe: Path | None = None

    @property
    def settled(self) -> tuple[str, ...]:
        """Settings of the runs."""
        return (
            *self.settings,
            *(f"{of_run[key]}={value}" for key, value in self.what_if.items() if key in of_run),
        )

    @property
    def servers(self) -> int | None:
        """That are supposed, or in a probe started beside the ranks; None: output is not asked for."""
        return int(self.what_if["io_servers"]) if "io_servers" in self.what_if else None

    @property
    def sets(self) -> int:
        """Of servers; each server by default."""
        return int(self.what_if.get("io_sets", self.servers or 0))

    def arguments(
        self, ranks: int, probe: Path, servers: int | None = None, threads: int | None = None
    ) -> list[str]:
        """Of the command that measures on so many ranks: a step, or, with so many servers, output."""
        settings = [text for setting in self.settled for text in ("--set", setting)]
        output = [] if servers is None else ["--what-if", f"io_servers={servers}"]
        return [
            "scale",
            str(self.measure or self.file),
            "--ranks",
            str(ranks),
            "--threads",
            str(threads or self.threads),
            "--probe",
            str(probe),
            *output,
            *settings,
        ]


def counts(text: str, option: str) -> tuple[int, ...]:
    """(1, 2, 4) of "1,2,4"."""
    numbers = text.split(",")
    if not all(n.strip().isdigit() and int(n) for n in numbers):
        raise ValueError(f"{option} {text}: must be numbers of ranks, as in {option} 1,2,4")
    return tuple(sorted({int(n) for n in numbers}))


def suppositions(texts: tuple[str, ...]) -> dict[str, str]:
    """{"solver": "pcsi", "network.latency": "1e-6"} of "solver=pcsi,network.latency=1e-6";
    quantities of the machine have a dot.
    """
    found = {}
    for part in (p for text in texts for p in text.split(",")):
        name, equals, value = part.partition("=")
        if not equals or not value:
            raise ValueError(
                f"--what-if {part}: expected name=value, as in solver=pcsi,sum=hardware or"
                " network.latency=1e-6"
            )
        if "." not in name and name not in what_ifs:
            raise ValueError(
                f"--what-if {part}: unknown '{name}'{near(name, what_ifs) or ';'} allowed:"
                f" {', '.join(what_ifs)}, or a quantity of the machine as network.latency"
            )
        found[name] = value
    return found


def supposed(machine: Machine, given: dict[str, str]) -> Machine:
    """The machine with what is supposed of it."""
    values: dict[str, Any] = {}
    for name, text in given.items():
        if "." in name:
            try:
                values[name] = (
                    {"true": True, "false": False}.get(text, None)
                    if text in ("true", "false")
                    else float(text)
                )
            except ValueError:
                values[name] = text
    if noise := given.get("noise"):
        allowed = {
            "none": {"noise.frequency": 0.0, "noise.duration": 0.0},
            "synchronised": {"noise.synchronised": True},
            "loose": {"noise.synchronised": False},
        }
        if noise not in allowed:
            raise ValueError(f"--what-if noise={noise}: allowed: {', '.join(allowed)}")
        values |= allowed[noise]
    return machine.but(values)


def run(request: Request, distribute: Callable[..., int]) -> int:
    """Exit status."""
    if request.probe is not None:
        return distribute(
            request.ranks[0] + (request.servers or 0),
            request.threads,
            Path(tempfile.gettempdir()) / "no-run-directory",
            lambda: _probe(request),
        )
    from fathom.scaling import report

    machine = None if request.machine == "here" else load(request.machine)
    from fathom.scaling.clocks import exchanges
    from fathom.scaling.sums import ways

    for key, known in (("exchange", exchanges), ("sum", ways)):
        if request.what_if.get(key, next(iter(known))) not in known:
            raise ValueError(
                f"--what-if {key}={request.what_if[key]}{near(request.what_if[key], known) or ';'}"
                f" allowed: {', '.join(known)}"
            )
    if "block" in request.what_if and not re.fullmatch(
        r"[1-9]\d*x[1-9]\d*", request.what_if["block"]
    ):
        raise ValueError(
            f"--what-if block={request.what_if['block']}: is not WIDTHxHEIGHT, as in 36x24"
        )
    for key, what in (
        ("io_servers", "servers"),
        ("io_sets", "sets of servers"),
        ("threads", "threads"),
    ):
        text = request.what_if.get(key, "1")
        if not text.isdigit() or (key != "io_servers" and int(text) < 1):
            raise ValueError(f"--what-if {key}={text}: is not a number of {what}")
    if "io_sets" in request.what_if and (not request.servers or request.servers % request.sets):
        raise ValueError(
            f"--what-if io_sets={request.sets}: {request.servers or 'no'} servers cannot be dealt"
            f" out evenly to {request.sets} sets; io_servers={2 * request.sets} could"
        )
    if machine is not None:
        supposed(machine, request.what_if)  # mistakes before anything runs
    found = predict(request, machine)
    return report.present(found, request.json, request.picture)


def _probe(request: Request) -> int:
    """On the ranks that are here: the cost of a step and, on two or more of them or on one, the
    machine.
    """
    from fathom import mpi
    from fathom.describe.experiment import Experiment
    from fathom.describe.toml import Document
    from fathom.scaling import cost, here, machine, spectral, writing

    document = Document.read(request.file, request.settings)
    document.tables["parallel"] = document.tables.get("parallel", {}) | {
        "ranks": request.ranks[0],
        "threads": request.threads,
    }
    if request.servers is not None:
        document.tables["parallel"]["io_servers"] = request.servers
        if (ran := writing.measure(document)) is not None:
            ran.write(request.probe)
        return 0
    document.tables.pop("output", None)
    simulation = Experiment(document).simulation(tempfile.gettempdir(), True).prepare()
    measured = (cost if simulation.find(mpi.core.BarotropicSolve) else spectral).measure(simulation)
    of_here = here.measure(mpi.world)
    if measured is not None and request.probe is not None:
        measured.write(request.probe)
        machine.write(of_here, request.probe.with_suffix(".toml"))
    return 0


def predict(request: Request, machine: Machine | None) -> dict[str, Any]:
    """All figures, as plain data."""
    from fathom.describe.experiment import Experiment
    from fathom.describe.toml import Document
    from fathom.run.progress import Line
    from fathom.scaling import spectral, virtual
    from fathom.scaling.cost import Measured
    from fathom.scaling.machine import read
    from fathom.scaling.threads import for_ranks_of, speedups, with_threads
    from fathom.scaling.writing import Writing, priced
    from fathom.time.clock import Period

    line, cores = (
        Line(),
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
    )
    costs: dict[int, Any] = {}
    machines: dict[int, Machine] = {}
    nowhere = Path(tempfile.gettempdir()) / "no-run-directory"
    document = Document.read(request.file, request.settled)
    if request.servers is not None and not document.tables.get("output"):
        raise ValueError(
            f"--what-if io_servers={request.servers}: {request.file} has no [output] that servers"
            " could write"
        )
    with tempfile.TemporaryDirectory() as folder:

        def probe(ranks: int, servers: int | None = None, threads: int = request.threads) -> Path:
            line.redraw(
                f"measuring {'a step' if servers is None else 'output'} on {ranks}"
                f" rank{'s' * (ranks > 1)}"
                + f" and {servers} server{'s' * (servers != 1)}"
                * (servers is not None)
            )
            file = Path(folder) / f"{ranks}-{servers}-{threads}.json"
            status = (
                launch.start(
                    ranks + (servers or 0),
                    threads,
                    request.arguments(ranks, file, servers, threads),
                    nowhere,
                )
                if launch.launched() is None
                else 2
            )
            if status or not file.exists():
                raise SystemExit(status or 1)  # it was said
            return file

        for ranks in request.ranks:
            file = probe(ranks)
            costs[ranks] = Measured.read(file)
            machines[ranks] = read(file.with_suffix(".toml").read_text(), "this machine")
        faster: dict[str, float] = {}
        threads = int(request.what_if.get("threads", request.threads))
        if threads != request.threads and (
            machine is None or "threads.number" not in machine.values
        ):
            faster = speedups(
                *(
                    Measured.read(probe(1, threads=n))
                    for n in (1, max(2, min(max(threads, request.threads), cores)))
                )
            )
        writes = None
        if request.servers is not None:  # a core for the server, where there is one
            ranks = max((r for r in request.ranks if r < cores), default=min(request.ranks))
            writes = Writing.joined(probe(ranks, 0), probe(ranks, 1))
    here = machines[
        max((r for r in machines if r * request.threads <= cores), default=min(machines))
    ]
    experiment = Experiment(document)
    line.redraw("building the grid")
    began = time.perf_counter()
    grid = experiment.grid
    base = costs[min(costs)].with_messages_of(costs[max(costs)])
    pricing = spectral if base.kind == spectral.Cost.kind else virtual
    step = Period(document.tables["simulation"]["step"], "step").seconds
    if "network.latency" not in here.values:
        raise ValueError(
            "scale: messages of this machine are measured on two ranks or more; give --ranks 1,2"
        )
    there = supposed((machine or here).but(faster, "measured here"), request.what_if)
    cost = base if threads == request.threads else with_threads(base, there, threads)
    there = for_ranks_of(there, threads) if threads != request.threads else there
    exchange, total = (
        request.what_if.get("exchange", "packed"),
        request.what_if.get("sum", "allreduce"),
    )
    block = (
        tuple(int(n) for n in request.what_if["block"].split("x"))
        if "block" in request.what_if
        else None
    )

    def one(
        cost: Any, ranks: int, of: Machine, block: tuple[int, int] | None = None, turns: float = 1.0
    ) -> dict[str, Any]:
        place = pricing.layout(grid, ranks, base.reach, block)
        t = pricing.step(cost, place, of, here, exchange, total, turns)
        output = (
            priced(
                writes,
                place.work,
                step,
                t.elapsed,
                request.servers or 0,
                of,
                virtual.slower(of, here, 1) / virtual.slower(here, here, 1),
                total,
                request.sets,
            )
            if writes is not None
            else {}
        )
        regions = t.regions()
        shares = {
            phase: sum(sum(regions.get(r, {}).values()) for r in parts)
            for phase, parts in pricing.phases.items()
        }
        return {
            "ranks": ranks,
            "used": place.used,
            "seconds": t.elapsed,
            "years_a_day": step / t.elapsed / 365.2425,
            "phases": shares,
            "regions": regions,
            "efficiencies": t.efficiency(),
            "output": output,
            "messages": len(place.messages),
            "imbalance": float(place.work.max() / place.work.mean()),
            "blocks": place.text,
        }

    small = request.measure is not None and request.measure != request.file
    checked = []
    for ranks, c in costs.items():
        if not small:
            line.redraw(f"{ranks} ranks, predicted")
            turns = max(1.0, ranks / cores)
            own = (
                here.but({"node.slice": machines[ranks]["node.slice"]}, "measured")
                if turns > 1
                else here
            )
            checked.append(one(base, ranks, own, turns=turns) | {"measured": c.seconds})
    simulated, refused = [], []
    alone = pricing.step(cost, pricing.layout(grid, 1, base.reach), there, here).elapsed
    for ranks in request.simulate:
        line.redraw(f"{ranks} ranks, simulated")
        try:
            simulated.append(one(cost, ranks, there, block))
        except ValueError as error:
            if not simulated:
                raise
            refused.append(f"{ranks} ranks: {error}")
            continue
        simulated[-1]["efficiency"] = alone / simulated[-1]["seconds"] / ranks
    line.redraw("")
    line.redraw("\r")
    return {
        "case": str(request.file),
        "measured_on": str(request.measure or request.file),
        "grid": repr(grid),
        "machine": there.name,
        "here": here.name,
        "fitted": there.fitted,
        "what_if": request.what_if,
        "step": step,
        "priced": base.kind,
        "communication": base.text(),
        "cost": asdict(base),
        "checked": checked,
        "simulated": simulated,
        "refused": refused,
        "alone": alone,
        "seconds": time.perf_counter() - began,
    }
