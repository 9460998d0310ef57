"""Benchmark of output: the same run without output, with output by the ranks that compute, and with
I/O servers, in one command.

Where servers share processors with the ranks that compute, as they do on a small machine, both slow
each other down. Therefore also with `paced`: ranks that compute sleep for the time that a step
takes, as if servers had separate processors; and with `disk`, a rate that all writers of the
machine share, as on a busy file system.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from fathom import plots
from fathom.base import machine
from fathom.base.failure import InputError, RunError
from fathom.base.near import near
from fathom.output import files
from fathom.output.formats.zarr import compressions
from fathom.performance import load
from fathom.performance.bench import atmosphere, limited_area, ocean, writers
from fathom.performance.bench.shared_disk import SharedDisk
from fathom.run.launch import Ranks, mpiexec, ranks_environment, report

in_ocean = (
    "temperature",
    "salinity",
    "eastward_velocity",
    "northward_velocity",
    "sea_surface_height",
)
in_air = ("geopotential_height", "air_temperature", "eastward_wind", "northward_wind")
# Of atmospheres: case of `bench atmosphere` or of `bench limited-area`, and its output: name ->
# arguments of `output`. The first is that of experiments/forecast-t106.toml, the last two that of
# experiments/aladin-europe.toml. AROME writes its own fields of all layers every 15 steps, in files
# with their geometry (FA), as a limited area passes them on.
of_area: dict[str, dict[str, Any]] = {
    "surface.zarr": {
        "variables": ["air_pressure_at_mean_sea_level", "surface_air_pressure"],
        "every": "3h",
    },
    "pressure.zarr": {
        "variables": [*in_air, "relative_humidity"],
        "levels": [925, 850, 700, 500, 300, 250],
        "every": "3h",
    },
    "rain.zarr": {"variables": ["precipitation_flux"], "every": "1d", "statistic": "mean"},
}
of_arome: dict[str, dict[str, Any]] = {
    "area.fa": {
        "variables": [
            *("eastward_wind", "northward_wind", "air_temperature", "specific_humidity"),
            *("cloud_liquid_water", "cloud_ice", "rain_water", "snow_water", "graupel_water"),
            "surface_air_pressure",
        ]
    },
}
atmospheres: dict[str, tuple[str, dict[str, dict[str, Any]]]] = {
    "forecast-t106": (
        "physics-t106l31",
        {
            "pressure.zarr": {
                "variables": [*in_air, "relative_humidity"],
                "levels": [1000, 925, 850, 700, 500, 400, 300, 250, 200, 100, 50],
                "every": "6h",
            },
            "surface.zarr": {
                "variables": ["air_pressure_at_mean_sea_level", "surface_air_pressure"],
                "every": "6h",
            },
            "rain.zarr": {
                "variables": ["precipitation_flux", "convective_precipitation"],
                "every": "1d",
                "statistic": "mean",
            },
        },
    ),
    "pressure-t106l60": (
        "physics-t106l60",
        {
            "pressure.zarr": {
                "variables": [*in_air, "relative_humidity", "specific_humidity"],
                "levels": [
                    *(1000, 925, 850, 700, 600, 500, 400, 300, 250, 200, 150, 100),
                    *(70, 50, 30, 20, 10),
                ],
                "every": "3h",
            }
        },
    ),
    "aladin-7680": ("area-7680-l31", of_area),
    "aladin-64800": ("area-64800-l40", of_area),
    "arome-7680": ("arome-7680-l31", {"area.fa": of_arome["area.fa"] | {"every": "2250s"}}),
    "arome-7680-grib2": (
        "arome-7680-l31",
        {"area.grib2": of_arome["area.fa"] | {"every": "2250s"}},
    ),
    "arome-64800": ("arome-64800-l41", {"area.fa": of_arome["area.fa"] | {"every": "1500s"}}),
    "arome-307200": ("arome-307200-l60", {"area.fa": of_arome["area.fa"] | {"every": "900s"}}),
}
variants = {"without_output": None, "synchronous": 0, "servers_1": 1, "servers_2": 2}  # I/O servers


@dataclass(frozen=True)
class Case:
    """The settings of the benchmark. ValueError for a name that does not exist."""

    case: str = "ocean-1deg"
    every: str | None = None  # of all outputs; None: each as the case has it
    length: str = "1d"
    ranks: int = 2
    threads: int = 1
    precision: str = "fp64"
    compression: str = "lz4"
    disk: float = 0.0  # MB/s that all writers share; 0: as fast as it is
    paced: bool = False

    def __post_init__(self) -> None:
        cases = [*(f"ocean-{grid}" for grid in ocean.grids), *atmospheres]
        for what, given, allowed in (
            ("case", self.case, cases),
            ("compression", self.compression, list(compressions)),
        ):
            if given not in allowed:
                raise InputError(
                    f"bench output: {what} = '{given}'{near(given, allowed) or ';'} allowed:"
                    f" {', '.join(allowed)}"
                )

    def simulation(self, **keywords: Any) -> Any:
        """Returns the simulation of the case."""
        if self.case in atmospheres:
            name, _ = atmospheres[self.case]
            kind = limited_area if name in limited_area.cases else atmosphere
            made = kind.Case(name, precision=self.precision, tile="cache")
            return made.simulation(**keywords)
        return ocean.Case(
            grid=self.case.removeprefix("ocean-"), precision=self.precision
        ).simulation(**keywords)

    @property
    def outputs(self) -> dict[str, dict[str, Any]]:
        """Returns the outputs: store -> keywords of Simulation.output."""
        own = (
            atmospheres[self.case][1]
            if self.case in atmospheres
            else {"bench.zarr": {"variables": list(in_ocean), "every": "3h"}}
        )
        every = {} if self.every is None else {"every": self.every}
        packed = {"compression": self.compression}
        return {
            path: what | every | (packed if path.endswith(".zarr") else {})
            for path, what in own.items()
        }


def measure(case: Case) -> dict[str, Any]:
    """Returns all variants, one after another."""
    with tempfile.TemporaryDirectory(prefix="fathom-output-") as folder:
        pace = 0.0
        if case.paced:  # with what is done between steps
            pace = _run(case, "without_output", Path(folder))["seconds_per_step"]
        tried = sorted(variants, key=lambda name: name != "synchronous")  # wrong outputs end here
        runs = {name: _run(case, name, Path(folder), pace) for name in tried}
        runs = {name: runs[name] for name in variants}
        store = Path(folder) / "synchronous" / next(iter(case.outputs))
        rates = writers.measure(store, Path(folder))
    seconds, synchronous = _each(runs, "run_seconds"), runs["synchronous"]
    written = {name: run for name, run in runs.items() if variants[name] is not None}
    served = {name: run for name, run in written.items() if variants[name]}
    copy = _each(served, "copy_seconds")
    stall = {name: run["stall_seconds"] / max(run["times"], 1) for name, run in written.items()}
    return {
        "case": asdict(case),
        "machine": machine.name(),
        "pace_seconds_per_step": pace,
        "times": synchronous["times"],
        "megabytes": synchronous["bytes"] / 1e6,
        "output_share": synchronous["stall_seconds"] / synchronous["run_seconds"],
        "output_share_of_processor": synchronous["output_share_of_processor"],
        "gather_share_of_output": synchronous["gather_seconds"] / synchronous["stall_seconds"],
        "run_seconds": seconds,
        "over_without": {name: s / seconds["without_output"] for name, s in seconds.items()},
        "stall_seconds_per_output": stall,
        "copy_seconds_per_output": max(copy.values()),
        "stall_over_copy": {name: stall[name] / copy[name] for name in served},
        "megabytes_per_second": {
            name: synchronous["bytes"] / 1e6 / max(_seconds_of_servers(run), 1e-9)
            for name, run in served.items()
        },
        "stored_megabytes": synchronous["stored_bytes"] / 1e6,
        "same_bytes": len(set(_each(written, "store").values())) == 1,
        "writers": rates,
        "protocol": _each(served, "servers"),
        "step_seconds": _each(runs, "step_seconds"),
    }


def _each(runs: Mapping[str, Mapping[str, Any]], what: str) -> dict[str, Any]:
    """Returns one figure of some variants."""
    return {name: run[what] for name, run in runs.items()}


def _seconds_of_servers(run: Mapping[str, Any]) -> float:
    """Returns seconds that all servers of a run have worked."""
    result: float = sum(
        server["seconds_encoding_and_writing"] for server in run["servers"]["serving"]
    )
    return result


def _run(case: Case, variant: str, folder: Path, pace: float = 0.0) -> dict[str, Any]:
    """Runs in separate processes; returns what the first rank says at the end."""
    servers = variants[variant] or 0
    ranks = case.ranks + servers
    what = json.dumps(
        {"case": asdict(case), "variant": variant, "folder": str(folder), "pace": pace}
    )
    command = [
        mpiexec(),
        "-n",
        str(ranks),
        sys.executable,
        "-P",
        "-m",
        "fathom.performance.bench.offload",
        what,
    ]
    done = subprocess.run(
        command,
        env=os.environ
        | ranks_environment(ranks, case.threads)
        | {"OMP_NUM_THREADS": str(case.threads)}
        | {"SOURCE_DATE_EPOCH": "0"},  # no history in files: their bytes are compared
        capture_output=True,
        text=True,
    )
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.startswith("fathom: ")]
        raise RunError(
            f"bench output, {variant}:"
            f" {said[0].removeprefix('fathom: ') if said else done.stderr.strip()[-2000:]}"
        )
    result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return result


def work(settings: Mapping[str, Any]) -> None:
    """Runs on the ranks of a variant."""
    case, variant, folder = Case(**settings["case"]), settings["variant"], Path(settings["folder"])
    directory = folder / variant
    simulation = _simulation(case, variant, folder)
    stamps: list[float] = []
    simulation.call(lambda _: stamps.append(time.perf_counter()), every=simulation.time_step)
    spent = [_processor_seconds(store) for store in simulation.outputs]
    if settings["pace"]:
        simulation.__class__ = _paced(type(simulation), settings["pace"])
    began = time.process_time()
    summary = simulation.run(case.length, progress=False, report=False)
    processor = time.process_time() - began
    if simulation.serves:
        return
    copy = (
        _copy_seconds(simulation.comm, sum(store.bytes_here() for store in simulation.outputs))
        if simulation.outputs
        else 0.0
    )
    if not simulation.is_root:
        return
    steps = np.diff(stamps)
    stores = summary["output"]["stores"]
    times = max((store["times"] for store in stores.values()), default=0)
    written, digest = _stored(directory)
    print(
        json.dumps(
            {
                "run_seconds": summary["wall_seconds"],
                "output_share_of_processor": sum(map(sum, spent)) / processor,
                "processor_seconds_of_outputs": spent,
                "seconds_per_step": float(np.median(steps)),
                "step_seconds": steps.tolist(),
                "times": times,
                "stall_seconds": sum(store["stall_seconds"] for store in stores.values()),
                "gather_seconds": sum(
                    region["seconds"]
                    for region in summary["profile"]
                    if region["region"] == "gather"
                ),
                "bytes": sum(
                    stores[str(store.path)]["times"] * store.stored_bytes()
                    for store in simulation.outputs
                    if str(store.path) in stores  # another has had no event yet
                ),
                "stored_bytes": written,
                "store": digest,
                "copy_seconds": copy,
                "servers": summary["output"].get("servers"),
            }
        )
    )


def _simulation(case: Case, variant: str, folder: Path) -> Any:
    """Returns the simulation of a variant, with its outputs, in its folder."""
    if case.disk:
        files.put = slowed(files.put, SharedDisk(folder / "disk", case.disk * 1e6))
    parallel = {"threads": case.threads, "tile": "cache", "io_servers": variants[variant] or 0}
    simulation = case.simulation(parallel=parallel, directory=folder / variant, overwrite=True)
    if variants[variant] is not None:
        for path, what in case.outputs.items():
            simulation.output(path, **what)
    return simulation


def _processor_seconds(store: Any) -> list[float]:
    """Returns those of each event of a store from now on, on this rank: other work on the same
    processors changes them little.
    """
    send, spent = store.send, []

    def clocked(*arguments: Any, **keywords: Any) -> None:
        began = time.process_time()
        send(*arguments, **keywords)
        spent.append(time.process_time() - began)

    store.send = clocked
    return spent


def _copy_seconds(comm: Any, size: int) -> float:
    """Returns a plain copy of so many bytes on all ranks at once, the slowest: the least possible
    cost of an output.
    """
    source, target = np.ones(size, np.uint8), np.empty(size, np.uint8)
    seconds = []
    for _ in range(4):
        comm.Barrier()
        began = time.perf_counter()
        np.copyto(target, source)
        seconds.append(time.perf_counter() - began)
    result: float = max(comm.allgather(min(seconds)))
    return result


def _paced(kind: type, pace: float) -> type:
    """Returns a simulation whose steps only take their time."""

    class Paced(kind):  # type: ignore[misc]  # any kind
        def advance(self, steps: int) -> None:
            time.sleep(steps * pace)
            self.count += steps
            self.fields.count = self.count

        def watch(self) -> None:
            """Notes the time; its cost is part of a step's."""

    return Paced


def slowed(put: Any, disk: SharedDisk) -> Any:
    """Returns put(descriptor, buffers, ...), at the rate of a disk that all processes share."""

    def slow(descriptor: int, buffers: list[Any], *more: Any) -> None:
        until = disk.taken(sum(memoryview(buffer).nbytes for buffer in buffers))
        put(descriptor, buffers, *more)
        disk.wait(until)

    return slow


def _stored(directory: Path) -> tuple[int, str]:
    """Returns bytes of the stores of a run and a hash of all of them."""
    size, digest = 0, hashlib.sha256()
    patterns = ("*.zarr/**/*", "*.fa/**/*", "*.grib2")
    inside = (p for pattern in patterns for p in directory.rglob(pattern))
    for file in sorted(p for p in inside if p.is_file()):
        content = file.read_bytes()
        size += len(content)
        digest.update(str(file.relative_to(directory)).encode() + content)
    return size, digest.hexdigest()


def present(figures: dict[str, Any], file: Path | None = None, picture: Path | None = None) -> int:
    """Print the figures, write them as JSON, draw the time of each step. Returns the exit
    status 0.
    """
    load.leave(figures, file)
    case, f = figures["case"], figures
    how = ", paced" * case["paced"] + f", disk of {case['disk']:g} MB/s" * bool(case["disk"])
    click.echo(
        f"{case['case']} on {case['ranks']} rank{'s' * (case['ranks'] > 1)}, {f['times']} outputs"
        f" of {f['megabytes'] / f['times']:.0f} MB{how}; {f['machine']}"
    )
    columns = (
        "run s",
        "of no output",
        "stall ms",
        "of a copy",
        "MB/s a core",
        "busy",
        "fell back",
        "deepest",
    )
    click.echo(f"{'':<16}" + "".join(f"{name:>14}" for name in columns))
    for name in variants:
        stall, p = f["stall_seconds_per_output"].get(name), f["protocol"].get(name)
        cells = [
            f"{f['run_seconds'][name]:.2f}",
            f"{f['over_without'][name]:.3f}",
            "" if stall is None else f"{1e3 * stall:.1f}",
        ]
        if p:
            cells += [
                f"{f['stall_over_copy'][name]:.2f}",
                f"{f['megabytes_per_second'][name]:.0f}",
                str(p["busy"]),
                str(p["fallen_back"]),
                str(p["deepest"]),
            ]
        click.echo(f"{name.replace('_', ' '):<16}" + "".join(f"{cell:>14}" for cell in cells))
    click.echo(
        f"written by the ranks that compute, output takes {f['output_share']:.1%} of the run,"
        f" {f['output_share_of_processor']:.1%} of its processor time; gathering is"
        f" {f['gather_share_of_output']:.1%} of output"
    )
    click.echo(
        f"a copy of an output takes {1e3 * f['copy_seconds_per_output']:.1f} ms; the stores are"
        f" {'the same' if f['same_bytes'] else 'NOT THE SAME'} byte for byte"
    )
    click.echo(writers.table(f["writers"]))
    if picture is not None:
        draw(figures, picture)
        click.echo(picture)
    return 0


def draw(figures: dict[str, Any], path: Path) -> None:
    """Draws the seconds of each step of all variants, output steps as spikes."""
    plots.steps(
        {
            f"{name.replace('_', ' ')}, {figures['run_seconds'][name]:.1f} s": figures[
                "step_seconds"
            ][name]
            for name in variants
        },
        path=path,
    )


if __name__ == "__main__":
    try:
        with Ranks():
            work(json.loads(sys.argv[1]))
    except (ValueError, OSError, RuntimeError) as error:
        report(error)
        sys.exit(1)
