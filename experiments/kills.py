"""Kills runs at random moments and lets them continue: the bits are those of a run that was left
alone, in the state and in every store.

    python experiments/kills.py --json kills.json              # 200 kills over every kind of run
    python experiments/kills.py --number 12 --only ocean,ice   # a sample

A kind is a small experiment on some ranks, some with I/O servers. It runs once undisturbed. Then it
runs again; at a random moment SIGKILL hits a rank, an I/O server, `mpiexec` or the command that has
started them; it continues (--continue) and is hit again, up to three times, before it may end.
Compared are the checksums of summary.json and each number of each store, with its times.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fathom import output

mark = "FATHOM_KILLS"  # a variable that all processes of a run have
most = 900.0  # seconds of one run
chain = 3  # kills before a run may end

stores = """
[output."now.zarr"]
variables = ["{0}"]
every = "{1}"
[output."mean.nc"]
variables = ["{0}"]
every = "{2}"
statistic = "mean"
[output."most.zarr"]
variables = ["{0}"]
every = "{2}"
statistic = "maximum"
"""
box = """
[grid]
type = "CartesianGrid"
nx = 24
ny = 20
extent = [1e6, 1e6]
levels = { type = "ZLevels", nz = 4, depth = 1000 }
[model]
type = "Ocean"
coriolis = [1e-4, 2e-11]
[state]
temperature = "20 * exp(depth / -1000)"
[simulation]
time_step = "1h"
run = "4d"
checkpoint = { every = "5h", keep = 2 }
surface = { type = "SurfaceForcing", stress_x = "-0.1 * cos(2 * pi * y / 1e6)" }
"""
ice = """
[grid]
type = "LatitudeLongitudeGrid"
nx = 20
ny = 16
longitude = [0, 40]
latitude = [60, 80]
levels = { type = "ZLevels", nz = 4, depth = 1000, surface = 50 }
[model]
type = "Ocean"
sea_ice = { type = "SeaIce", area = 0.5, thickness = 1.0 }
[state]
temperature = 1.0
salinity = 34.0
[simulation]
time_step = "1h"
run = "36h"
checkpoint = { every = "4h", keep = 2 }
surface = "BulkForcing"
"""
waves = """
[grid]
type = "GaussianGrid"
truncation = 15
levels = { type = "HybridLevels", nz = "L8" }
[model]
type = "SpectralAtmosphere"
[state]
air_temperature = "250 + 30 * cos(radians(latitude))"
eastward_wind = "20 * cos(radians(latitude))"
[simulation]
start = "2011-10-11"
time_step = "10min"
run = "8h"
checkpoint = { every = "50min", keep = 2 }
"""
points = """
[grid]
type = "LatitudeLongitudeGrid"
staggering = "C"
nx = 24
levels = { type = "HeightLevels", heights = [0, 1000, 3000, 6000, 10000, 15000, 22000, 29700] }
[model]
type = "GridPointAtmosphere"
physics = [{ type = "HeldSuarez" }]
[state]
air_temperature = "maximum(205, (300 - 25 * sin(pi / 180 * latitude)**2) * (pressure / 1e5)**0.19)"
[simulation]
time_step = "30min"
run = "12h"
checkpoint = { every = "90min", keep = 2 }
"""
area = """
[grid]
type = "LimitedAreaGrid"
centre = [8.0, 46.5]
resolution = 80e3
points = [20, 18]
coupling = 4
extension = 8
levels = { type = "HybridLevels", nz = "L8" }
[model]
type = "LimitedAreaAtmosphere"
outer = "globe.toml"
outer_every = "20min"
[state]
analysis = "outer"
[simulation]
start = "2011-10-11"
time_step = "5min"
run = "2h"
"""
alone = """[grid]
type = "GaussianGrid"
truncation = 15
levels = { type = "HybridLevels", nz = "L8" }
[model]
type = "SpectralAtmosphere"
[state]
air_temperature = "250 + 30 * cos(radians(latitude))"
eastward_wind = "20 * cos(radians(latitude))"
[simulation]
start = "2011-10-11"
time_step = "10min"
run = "1h"
"""
both = """
[programs]
globe = "globe.toml"
area = { file = "area.toml", set = ["model.outer=globe"] }
[simulation]
run = "2h"
checkpoint = { every = "20min", keep = 2 }
"""
cycle = """
[model]
truncation = 8
levels = 3
step = "1h"
diffusion_time = "24h"
[nature]
truncation = 10
levels = 3
step = "1h"
spin_up = "5d"
[observations]
places = 15
every = "1h"
wind = 2.0
temperature = 1.0
pressure = 100.0
[background]
samples = 3
scale = 2.0
[assimilation]
methods = ["fgat", "4d-var"]
window = "6h"
iterations = 5
[cycle]
windows = 2
"""
checkpoint = 'checkpoint = { every = "20min", keep = 2 }\n'
of_water = stores.format("temperature", "1h", "8h")
of_air = stores.format("air_temperature", "10min", "30min")
of_points = stores.format("air_potential_temperature", "1h", "4h")


@dataclass(frozen=True)
class Kind:
    """A kind of run: files by name, the first of which is run, on ranks and servers."""

    files: dict[str, str]
    ranks: int = 1
    servers: int = 0
    command: str = "run"


nested = {"area.toml": area + checkpoint + of_air, "globe.toml": alone}
programs = {"all.toml": both, "globe.toml": alone + of_air, "area.toml": area + of_air}
kinds = {
    "ocean": Kind({"box.toml": box + of_water}),
    "ocean-2": Kind({"box.toml": box + of_water}, 2),
    "ocean-2-server": Kind({"box.toml": box + of_water}, 2, 1),
    "ice": Kind({"ice.toml": ice + stores.format("sea_ice_area", "1h", "6h")}),
    "ice-2": Kind({"ice.toml": ice + stores.format("sea_ice_area", "1h", "6h")}, 2),
    "spectral-2": Kind({"waves.toml": waves + of_air}, 2),
    "spectral-server": Kind({"waves.toml": waves + of_air}, 1, 1),
    "grid-point": Kind({"points.toml": points + of_points}),
    "grid-point-2": Kind({"points.toml": points + of_points}, 2),
    "nested": Kind(nested),
    "nested-2-server": Kind(nested, 2, 1),
    "programs": Kind(programs),
    "programs-2": Kind(programs, 2),
    "cycle": Kind({"cycle.toml": cycle}, command="cycle"),
    "cycle-2": Kind({"cycle.toml": cycle}, 2, command="cycle"),
}


@dataclass
class Found:
    """What has come of the kills of a kind."""

    seconds: float = 0.0  # of the undisturbed run
    kills: Counter[str] = field(default_factory=Counter)  # by what was hit
    late: int = 0  # moments after the end of the run
    runs: int = 0
    left: list[str] = field(default_factory=list)  # processes that outlived a kill by a minute
    faults: list[str] = field(default_factory=list)


class Run:
    """One process of the command and all that it starts."""

    def __init__(self, kind: Kind, folder: Path, out: str, more: list[str]) -> None:
        self.id = f"{os.getpid()}-{time.monotonic_ns()}"
        first = next(iter(kind.files))
        words = [kind.command, first, "--out", out, *more]
        words += ["--ranks", str(kind.ranks)] if kind.ranks + kind.servers > 1 else []
        words += ["--io-servers", str(kind.servers)] if kind.servers else []
        words += ["--no-report"] if kind.command == "run" else []
        self.log = folder / f"{out}.txt"
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "fathom", *words],
                cwd=folder,
                env={**os.environ, mark: self.id, "OMP_NUM_THREADS": "1"},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def tasks(self) -> Iterator[tuple[int, str, int | None]]:
        """Yields (process, command line, rank) of what is there of the run."""
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                given = (entry / "environ").read_bytes().split(b"\0")
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if f"{mark}={self.id}".encode() in given and words:
                known = dict(one.split(b"=", 1) for one in given if b"=" in one)
                rank = known.get(b"PMI_RANK", known.get(b"OMPI_COMM_WORLD_RANK"))
                yield int(entry.name), words, None if rank is None else int(rank)

    def hit(self, kind: Kind, rng: random.Random) -> str:
        """Kills one of its processes; returns what that was, "" where none was left."""
        groups: dict[str, list[int]] = {}
        for pid, words, rank in self.tasks():
            if rank is not None:
                name = "server" if rank >= kind.ranks else "rank"
            elif pid == self.process.pid:
                name = "launcher" if kind.ranks + kind.servers > 1 else "rank"
            else:
                name = "mpiexec" if "mpiexec" in words or "hydra" in words else "other"
            groups.setdefault(name, []).append(pid)
        groups.pop("other", None)
        if not groups or self.process.poll() is not None:
            return ""
        name = rng.choice(sorted(groups))
        try:
            os.kill(rng.choice(sorted(groups[name])), signal.SIGKILL)
        except ProcessLookupError:
            return ""
        return name

    def gone(self, seconds: float) -> str:
        """Waits until nothing is left of the run, and ends what is; returns what that was."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.process.poll()
            if self.process.returncode is not None and not any(True for _ in self.tasks()):
                return ""
            time.sleep(0.2)
        left = list(self.tasks())
        for pid, *_ in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.wait()
        return ", ".join(
            words.split()[0] if rank is None else f"rank {rank}" for _, words, rank in left
        )

    def end(self) -> int:
        """Waits for the end; returns the status."""
        try:
            return self.process.wait(most)
        except subprocess.TimeoutExpired:
            self.gone(0.0)
            return -1


def difference(one: Path, other: Path) -> str:
    """Returns what is not the same in two directories of runs; "": nothing."""
    wanted = sorted(p.relative_to(one) for p in one.rglob("*") if _is_result(p))
    if wanted != sorted(p.relative_to(other) for p in other.rglob("*") if _is_result(p)):
        return "other results"
    for path in wanted:
        if fault := _of_files(one / path, other / path):
            return f"{path}: {fault}"
    return ""


def _of_files(one: Path, other: Path) -> str:
    """Returns what is not the same in two results of one name."""
    if one.name == "summary.json":
        a, b = (json.loads(path.read_text())["checksum"] for path in (one, other))
        return "" if a == b else f"checksum {a}, then {b}"
    if one.suffix != ".npz":
        return _of_stores(one, other)
    with np.load(one) as first, np.load(other) as second:
        names = [n for n in first.files if n != "seconds"]  # that the clock has measured
        return "" if all(_same(first[n], second[n]) for n in names) else "other numbers"


def _is_result(path: Path) -> bool:
    return path.name == "summary.json" or path.suffix in (".zarr", ".nc", ".npz")


def _of_stores(one: Path, other: Path) -> str:
    """Returns what is not the same in two stores."""
    if one.name.startswith("background"):
        return "" if one.stat().st_size == other.stat().st_size else "another size"
    with output.open(one) as a, output.open(other) as b:
        if a.sizes != b.sizes:
            return f"{dict(a.sizes)}, then {dict(b.sizes)}"
        bad = [name for name in a.variables if not _same(a[name].values, b[name].values)]
    return f"other values of {', '.join(map(str, bad))}" if bad else ""


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    """Returns whether two arrays have the same values, where there are none too."""
    return np.array_equal(a, b, equal_nan=a.dtype.kind in "fmM")


def killed(kind: Kind, folder: Path, found: Found, wanted: int, rng: random.Random) -> None:
    """Kills one run again and again, lets it end, and compares it with the undisturbed one."""
    out, more, done = f"run-{found.runs}", list[str](), 0
    found.runs += 1
    while done < min(chain, wanted):
        run = Run(kind, folder, out, more)
        began = time.monotonic()
        moment = began + rng.uniform(0.0, found.seconds)
        while time.monotonic() < moment and run.process.poll() is None:
            time.sleep(0.02)
        hit = run.hit(kind, rng)
        if not hit:  # it has ended before: the machine has become faster
            found.late += 1
            found.seconds = min(found.seconds, round(time.monotonic() - began, 1))
            break
        found.kills[hit] += 1
        done += 1
        if left := run.gone(60.0):
            found.left.append(f"{out}, hit at its {hit}: {left}")
            print(f"    left: {found.left[-1]}", flush=True)
        more = ["--continue"] if kind.command == "run" else []
    else:
        run = Run(kind, folder, out, more)
    status = run.end()
    run.gone(60.0)
    text = run.log.read_text().strip().splitlines()
    fault = f"status {status}: {text[-1] if text else ''}" if status else ""
    fault = fault or difference(folder / "whole", folder / out)
    if fault:
        found.faults.append(f"{out}: {fault}")
        print(f"    {fault}", flush=True)
    else:
        shutil.rmtree(folder / out)


def of_kind(name: str, folder: Path, number: int, seed: int) -> Found:
    """Returns what has come of so many kills of a kind."""
    kind, found = kinds[name], Found()
    rng = random.Random(f"{name} {seed}")
    folder.mkdir(parents=True)
    for file, text in kind.files.items():
        (folder / file).write_text(text)
    began = time.monotonic()
    run = Run(kind, folder, "whole", [])
    if status := run.end():
        found.faults.append(f"undisturbed: status {status}: {run.log.read_text()[-300:]}")
        return found
    found.seconds = round(time.monotonic() - began, 1)
    tries = 0
    while (left := number - found.kills.total()) > 0 and tries < 3 * number:
        tries += 1
        killed(kind, folder, found, left, rng)
    return found


def tell(name: str, found: Found) -> None:
    """Prints what has come of the kills of a kind."""
    hits = ", ".join(f"{what} {count}" for what, count in sorted(found.kills.items()))
    print(
        f"{name}: {found.kills.total()} kills ({hits}), {found.runs} runs,"
        f" {len(found.faults)} with other bits, {len(found.left)} that left processes",
        flush=True,
    )


def asked() -> argparse.Namespace:
    """Returns the words of the command; `names` are the kinds of runs."""
    say = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    say.add_argument("--number", type=int, default=200, help="kills over all kinds")
    say.add_argument("--only", default="", help="kinds, with commas between them")
    say.add_argument("--seed", type=int, default=1)
    say.add_argument("--folder", type=Path, help="where runs that differ are left")
    say.add_argument("--json", type=Path, help="the file of the results")
    given = say.parse_args()
    given.names = [name for name in given.only.split(",") if name] or list(kinds)
    if unknown := [name for name in given.names if name not in kinds]:
        say.error(f"no kind {', '.join(unknown)}; there are {', '.join(kinds)}")
    return given


def main() -> int:
    """Prints what has come of the kills; returns 1 where a run has other bits."""
    given = asked()
    folder = given.folder or Path(tempfile.mkdtemp(prefix="kills-"))
    result: dict[str, Any] = {}
    least, more = divmod(given.number, len(given.names))
    for n, name in enumerate(given.names):
        if not (share := least + (n < more)):
            continue
        found = of_kind(name, folder / name, share, given.seed)
        result[name] = vars(found)
        tell(name, found)
        if given.json:
            given.json.write_text(json.dumps(result, indent=1))
    faults = sum(len(one["faults"]) for one in result.values())
    print(f"{sum(one['kills'].total() for one in result.values())} kills, {faults} faults")
    if not faults and not given.folder:
        shutil.rmtree(folder)
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
