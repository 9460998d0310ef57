"""Benchmark of a case on ranks x threads x distributions x disks: the median of several samples of
each, in separate processes, one shape after the other, all in turn again.

A sample is some steps, and where a disk is asked for one output of each store of the case: "none",
no output; "local", as fast as it is; a number, MB/s that all writers share.
"""

from __future__ import annotations

import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from fathom.base import machine
from fathom.base.failure import InputError
from fathom.output import files
from fathom.performance.bench import offload
from fathom.performance.bench.shared_disk import SharedDisk
from fathom.run import parallel
from fathom.run.experiment.experiment import Experiment
from fathom.run.experiment.toml import Document
from fathom.run.launch import Ranks, mpiexec, ranks_environment, report


@dataclass(frozen=True)
class Case:
    """The settings of the benchmark. ValueError: no shape, or a disk that is none."""

    file: str
    ranks: tuple[int, ...] = (1, 2)
    threads: tuple[int, ...] = (1,)
    distributions: tuple[str, ...] = ("auto",)
    disks: tuple[str, ...] = ("none",)
    settings: tuple[str, ...] = ()
    steps: int = 4
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

    def shapes(self) -> Iterator[tuple[int, int, str, str]]:
        yield from itertools.product(self.ranks, self.threads, self.distributions, self.disks)


def _rate(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def measure(case: Case) -> dict[str, Any]:
    """Returns the table: a record for each shape, `seconds` a step (median), `spread` (of the
    middle half), or why it was impossible.
    """
    records = []
    with tempfile.TemporaryDirectory(prefix="fathom-matrix-") as folder:
        for n, (ranks, threads, distribution, disk) in enumerate(case.shapes()):
            shape = {"ranks": ranks, "threads": threads, "distribution": distribution, "disk": disk}
            place = Path(folder) / str(n)
            place.mkdir()
            found = _run(case, shape, place)
            records.append(shape | found)
    return {"case": asdict(case), "machine": machine.name(), "records": records}


def _run(case: Case, shape: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Returns samples of a shape, in separate processes."""
    what = json.dumps({"case": asdict(case), "shape": shape, "folder": str(folder)})
    module = [sys.executable, "-P", "-m", "fathom.performance.bench.matrix", what]
    ranks, threads = shape["ranks"], shape["threads"]
    done = subprocess.run(
        [mpiexec(), "-n", str(ranks), *module] if ranks > 1 else module,
        env=os.environ | ranks_environment(ranks, threads) | {"OMP_NUM_THREADS": str(threads)},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.startswith("fathom: ")]
        return {"refused": (said or [done.stderr.strip()[-300:]])[0].removeprefix("fathom: ")}
    samples = json.loads(done.stdout.strip().splitlines()[-1])
    quarters = statistics.quantiles(samples, n=4) if len(samples) > 1 else [samples[0]] * 3
    return {
        "seconds": statistics.median(samples),
        "spread": quarters[2] - quarters[0],
        "samples": samples,
    }


def work(settings: dict[str, Any]) -> None:
    """Runs on the ranks of a shape."""
    case, shape, folder = settings["case"], settings["shape"], Path(settings["folder"])
    document = Document.read(Path(case["file"]), tuple(case["settings"]))
    tables = document.tables
    how = {"tile": "cache"} | dict(tables.get("parallel", {})) | {"automatic": False}
    how |= {"threads": shape["threads"], "distribution": shape["distribution"]}
    tables["parallel"] = {k: v for k, v in how.items() if k != "ranks"}
    if shape["disk"] == "none":
        tables["output"] = {}
    if rate := _rate(shape["disk"]):
        files.put = offload.slowed(files.put, SharedDisk(folder / "disk", rate * 1e6))
    simulation = Experiment(document).simulation(directory=folder / "run", overwrite=True)
    simulation.begin()
    samples = []
    for _ in range(case["repeats"] + 1):
        simulation.comm.barrier()
        began = time.perf_counter()
        simulation.advance(case["steps"])
        for store in simulation.outputs:
            store.write()
        simulation.settle()
        simulation.comm.barrier()
        samples.append((time.perf_counter() - began) / case["steps"])
    for store in simulation.outputs:
        store.leave()
    if simulation.is_root:
        print(json.dumps(samples[1:]))  # the first has what is made once


def present(figures: dict[str, Any], file: Path | None = None) -> int:
    """Print the table, the best first, and write it as JSON. Returns the exit status 0."""
    if file is not None:
        file.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    case, records = figures["case"], figures["records"]
    click.echo(
        f"{Path(case['file']).name}, {case['repeats']} samples of {case['steps']} steps each;"
        f" {figures['machine']}"
    )
    head = f"{'ranks':>6}{'threads':>9}  {'distribution':<16}{'disk':>8}"
    click.echo(head + f"{'ms a step':>12}{'± half':>10}{'of best':>9}")
    measured = [r for r in records if "seconds" in r]
    best = min((r["seconds"] for r in measured), default=1.0)
    for r in sorted(records, key=lambda r: r.get("seconds", 1e9)):
        line = f"{r['ranks']:>6}{r['threads']:>9}  {r['distribution']:<16}{r['disk']:>8}"
        click.echo(
            line + f"  {r['refused']}"
            if "refused" in r
            else line
            + f"{1e3 * r['seconds']:>12.2f}{500 * r['spread']:>10.2f}{r['seconds'] / best:>9.2f}"
        )
    return 0


if __name__ == "__main__":
    try:
        with Ranks():
            work(json.loads(sys.argv[1]))
    except (ValueError, OSError, RuntimeError) as error:
        report(error)
        sys.exit(1)
