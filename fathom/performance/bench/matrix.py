"""Benchmark of a case in many shapes: ranks x threads x distributions x lengths of tiles x disks x
readers x writers x servers x barriers x staging; the median of several samples of each, all shapes
in turn, and in turn again (in_turn.py).

A sample is some steps, and where a disk is asked for one output of each store of the case after
the first of them, until all of it is written: "none", no output; "local", as fast as it is; a
number, MB/s that all writers share. Servers are ranks beside those that compute.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from fathom import plots
from fathom.base import machine
from fathom.base.failure import InputError
from fathom.output import files
from fathom.performance import load
from fathom.performance.bench import in_turn, offload
from fathom.performance.bench.shared_disk import SharedDisk
from fathom.performance.work import steps_of_a_cycle
from fathom.run import parallel
from fathom.run.experiment.experiment import Experiment
from fathom.run.experiment.toml import Document
from fathom.run.launch import Ranks, cores, report
from fathom.run.progress import Line

module = "fathom.performance.bench.matrix"
off, on = "off", "on"


@dataclass(frozen=True)
class Case:
    """The settings of the benchmark. ValueError: no shape, or a value that is none."""

    file: str
    ranks: tuple[int, ...] = (1, 2)
    threads: tuple[int, ...] = (1,)
    distributions: tuple[str, ...] = ("auto",)
    tiles: tuple[str, ...] = ("cache",)
    disks: tuple[str, ...] = ("none",)
    readers: tuple[str, ...] = ("0",)
    writers: tuple[str, ...] = ("all",)
    servers: tuple[int, ...] = (0,)
    barriers: tuple[str, ...] = (off,)
    staging: tuple[str, ...] = ("none",)
    settings: tuple[str, ...] = ()
    steps: int = 4  # of a sample; 0: a few, in which all processes run
    repeats: int = 5

    def __post_init__(self) -> None:
        for name in self.distributions:
            if name not in parallel.distributions:
                raise InputError(
                    f"bench matrix: distribution = '{name}'; allowed:"
                    f" {', '.join(parallel.distributions)}"
                )
        for disk in self.disks:
            if disk not in ("none", "local") and not _rate(disk) > 0:
                raise InputError(
                    f"bench matrix: disk = '{disk}'; allowed: none, local, or MB/s that all share"
                )
        for barrier in self.barriers:
            if barrier not in (off, on, *parallel.kinds_of_exchange):
                allowed = ", ".join((off, on, *parallel.kinds_of_exchange))
                raise InputError(f"bench matrix: barriers = '{barrier}'; allowed: {allowed}")
        for shape in self.shapes():
            parallel.checked(settings_of(shape))

    def shapes(self) -> Iterator[dict[str, Any]]:
        """Yields each shape, as values by axis."""
        return in_turn.each(
            ranks=self.ranks,
            threads=self.threads,
            distribution=self.distributions,
            tile=self.tiles,
            disk=self.disks,
            readers=self.readers,
            writers=self.writers,
            servers=self.servers,
            barriers=self.barriers,
            staging=self.staging,
        )


def _rate(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _value(text: str) -> int | str:
    return int(text) if text.isdigit() else text


def settings_of(shape: dict[str, Any]) -> dict[str, Any]:
    """Returns the settings of [parallel] of a shape."""
    barriers = {off: False, on: True}.get(shape["barriers"], {shape["barriers"]: 1})
    return {
        "threads": shape["threads"],
        "distribution": shape["distribution"],
        "tile": _value(shape["tile"]),
        "readers": _value(shape["readers"]),
        "writers": _value(shape["writers"]),
        "io_servers": shape["servers"],
        "synchronise": barriers,
        "staging": None if shape["staging"] == "none" else shape["staging"],
    }


def asked_for(case: dict[str, Any], shape: dict[str, Any]) -> dict[str, Any]:
    """Returns the settings of a shape that the case asks for; others are those of its file."""
    usual = asdict(Case(""))
    alone = dict(zip(shape, next(Case("").shapes()).values()))
    free = {axis for axis in shape if list(case[plural(axis)]) == list(usual[plural(axis)])}
    names = {"servers": "io_servers", "barriers": "synchronise"}
    left = {names.get(axis, axis) for axis in free - {"threads"} if shape[axis] == alone[axis]}
    return {name: value for name, value in settings_of(shape).items() if name not in left}


def plural(axis: str) -> str:
    """Returns the name of an axis in a case."""
    return axis + "s" if axis in ("distribution", "tile", "disk") else axis


def measure(case: Case, line: Line | None = None) -> dict[str, Any]:
    """Returns the table: a record for each shape, `seconds` a step (median), `spread` (of the
    middle half), `ratio` to the best and its `error`, or why it was impossible. line: of progress.
    """
    shapes, began = list(case.shapes()), time.monotonic()
    ways = [way_of(case, shape) for shape in shapes]

    def seen(done: int, way: in_turn.Way) -> None:
        if line is not None:
            text = in_turn.time_left(began, done, len(ways) * case.repeats)
            line.redraw(f"{text}  {_words(way.what['shape'])}")

    in_turn.measure(ways, case.repeats, seen)
    if line is not None:
        line.clear()
    there = cores()
    records = [
        shape
        | ({"refused": way.refused} if way.refused else found | {"samples": way.samples})
        | {"crowded": (shape["ranks"] + shape["servers"]) * shape["threads"] > there}
        for shape, way, found in zip(
            shapes, ways, in_turn.compared([[] if w.refused else w.samples for w in ways])
        )
    ]
    return {"case": asdict(case), "machine": machine.name(), "cores": there, "records": records}


def way_of(case: Case, shape: dict[str, Any]) -> in_turn.Way:
    """Returns how a shape of the matrix is run in its turn."""
    what = {"case": asdict(case), "shape": shape}
    return in_turn.Way(module, what, shape["ranks"], shape["threads"], shape["servers"])


def _words(shape: dict[str, Any]) -> str:
    """Returns a shape in a few words: its ranks and threads, and what is not as usual."""
    usual = next(Case("").shapes())
    other = [f", {k} {v}" for k, v in list(shape.items())[2:] if v != usual[k]]
    return f"{shape['ranks']} × {shape['threads']}{''.join(other)}"


def work(settings: dict[str, Any]) -> None:
    """Runs on the ranks of a shape, those that compute and those that serve."""
    case, shape, folder = settings["case"], settings["shape"], Path(settings["folder"])
    document = Document.read(Path(case["file"]), tuple(case["settings"]))
    tables = document.tables
    how = {"tile": "cache"} | dict(tables.get("parallel", {})) | {"automatic": False}
    how |= asked_for(case, shape) | {"io_silence": 1e6}
    tables["parallel"] = {k: v for k, v in how.items() if k != "ranks" and v is not None}
    if shape["disk"] == "none":
        tables["output"] = {}
    if rate := _rate(shape["disk"]):
        files.put = offload.slowed(files.put, SharedDisk(folder / "disk", rate * 1e6))
    simulation = Experiment(document).simulation(directory=folder / "run", overwrite=True)
    if simulation.serves:
        simulation.run("1d", progress=False, report=False)
        return
    simulation.begin()
    cycle = steps_of_a_cycle(simulation)
    steps = case["steps"] or cycle * math.ceil(4 / cycle)

    def sample() -> float:
        simulation.comm.barrier()
        began = time.perf_counter()
        simulation.advance(1)
        for store in simulation.outputs:
            store.write()
        simulation.advance(steps - 1)
        simulation.settle()
        simulation.comm.barrier()
        return (time.perf_counter() - began) / steps

    in_turn.serve(settings["socket"], sample)
    if simulation.servers is not None:
        simulation.servers.finish()
    for store in simulation.outputs:
        store.leave()


def draw(figures: dict[str, Any], path: Path | None = None) -> Any:
    """Returns mean and best of the samples of each shape against its ranks; shapes that differ in
    something else have curves of their own. InputError: no shape was possible.
    """
    curves: dict[str, tuple[list[float], list[float]]] = {}
    for r in sorted(figures["records"], key=lambda r: int(r["ranks"])):
        name = _words({axis: r[axis] for axis in next(Case("").shapes())}).partition(" × ")[2]
        for kind, of in (("mean", statistics.fmean), ("best", min)) * ("refused" not in r):
            x, y = curves.setdefault(f"threads {name}, {kind}", ([], []))
            x.append(float(r["ranks"]))
            y.append(1e3 * of(r["samples"]))
    here = float(figures["cores"])
    crowded = any(r["crowded"] for r in figures["records"])
    panel = plots.Panel("ranks", "ms a step", curves, marks={"cores here": here} if crowded else {})
    case = figures["case"]
    return plots.against(
        {"Mean and best of repeated samples": panel},
        title=f"{Path(case['file']).stem}: a step on so many ranks",
        note=f"{case['repeats']} samples of {case['steps']} steps, in turn; {figures['machine']}",
        path=path,
    )


def present(figures: dict[str, Any], file: Path | None = None, picture: Path | None = None) -> int:
    """Print the table, the best first, write it as JSON, and draw it. Returns the exit status 0."""
    load.leave(figures, file)
    if picture is not None:
        draw(figures, picture)
    case, records = figures["case"], figures["records"]
    click.echo(
        f"{Path(case['file']).name}, {case['repeats']} samples of {case['steps']} steps each, all"
        f" in turn; {figures['machine']}"
    )
    usual = ("ranks", "threads", "distribution", "disk")
    axes = [
        name for name in next(Case("").shapes()) if name in usual or len(case[plural(name)]) > 1
    ]
    wide = {name: max(len(name), *(len(str(r[name])) for r in records)) + 2 for name in axes}
    head = "".join(f"{name:>{wide[name]}}" for name in axes)
    click.echo(head + f"{'ms a step':>12}{'± half':>10}{'of best':>9}{'±':>7}")
    for r in sorted(records, key=lambda r: r.get("seconds", 1e9)):
        line = "".join(f"{r[name]!s:>{wide[name]}}" for name in axes)
        crowded = f"  more than {figures['cores']} cores" * r["crowded"]
        if "refused" in r:
            click.echo(f"{line}  {r['refused']}")
            continue
        of_best = f"{r['ratio']:>9.3f}{r['error']:>7.3f}"
        times = f"{1e3 * r['seconds']:>12.2f}{500 * r['spread']:>10.2f}"
        click.echo(line + times + of_best + crowded)
    return 0


if __name__ == "__main__":
    try:
        with Ranks():
            work(json.loads(sys.argv[1]))
    except (ValueError, OSError, RuntimeError) as error:
        report(error)
        sys.exit(1)
