"""What a second program under the same clock costs that does nothing: an ocean of 3 degrees alone,
and the same ocean next to an idle program with its step and grid.

    python docs/results/second_program.py [pieces]

Both oceans run in one process, in turn, in pieces of 6 steps. Other work on the machine makes
pieces longer, never shorter, so the fastest tenth of each kind is compared. `percent`: processor
time next to the idle program more than alone; `error`: its error, by resampling;
`microseconds_of_idle`: a step of the clock with the idle program alone in it; `mebibytes`:
memory of a process more than that of one that runs the ocean alone, the median of three; `own`:
that of the field of the idle program.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import fathom as fm

STEPS, SKIP = 6, 10  # of a piece; pieces at the begin that do not count


def ocean() -> fm.Simulation:
    """Returns an ocean of 3 degrees with steps of an hour."""
    grid = fm.LatitudeLongitudeGrid(
        nx=120, ny=60, bathymetry="etopo5", levels=fm.ZLevels(nz=40, depth=5000)
    )
    sea = fm.Ocean(grid).set(temperature="levitus", salinity="levitus")
    return fm.Simulation(sea, "1h", surface=fm.SurfaceForcing(heat_flux=0.0))


def with_idle(sea: fm.Simulation, folder: Path) -> fm.Programs:
    """Returns the ocean and a program that does nothing, under one clock."""
    idle = fm.Program(sea.model.grid, "1h", {"nothing": "1"})
    return fm.Programs({"sea": sea, "idle": idle}, directory=folder)


def seconds_of_pieces(pieces: int, folder: Path) -> np.ndarray:
    """Returns the processor time of pieces (pieces, 2) [s]: alone, next to the idle program."""
    alone, sea = ocean(), ocean()
    alone.directory = folder / "alone"
    found, ended = list[tuple[float, float]](), [0.0]

    def other(_: fm.Simulation) -> None:
        """Takes the same steps without a second program, once those with it are taken."""
        here = time.process_time()
        alone.run_to(alone.seconds + 3600 * STEPS)
        there = time.process_time()
        found.append((there - here, here - ended[0]))
        ended[0] = time.process_time()

    sea.call(other, every=f"{STEPS}h")
    alone.call(lambda _: None, every=f"{STEPS}h")  # that costs both the same
    length = f"{STEPS * pieces}h"
    with alone.engaged():
        alone.start_run(length)
        alone.show_start()
        with_idle(sea, folder / "both").run(length, progress=False, report=False)
    if alone.checksum() != sea.checksum():
        raise RuntimeError("the idle program changes the ocean")
    return np.array(found[SKIP:])


def more(seconds: np.ndarray) -> float:
    """Returns the time next to the idle program more than alone [%], of the fastest pieces."""
    alone, idle = np.quantile(seconds, 0.1, axis=0)
    return 100 * float(idle / alone - 1)


def microseconds_of_idle(steps: int, folder: Path) -> float:
    """Returns the processor time of a step of an idle program under the clock [microseconds]."""
    grid = fm.LatitudeLongitudeGrid(nx=120, ny=60, levels=fm.ZLevels(nz=40, depth=5000))
    idle = fm.Program(grid, "1h", {"nothing": "1"})
    programs = fm.Programs({"idle": idle}, directory=folder)
    programs.run("1d", progress=False, report=False)
    before = time.process_time()
    programs.run(f"{steps}h", progress=False, report=False)
    return 1e6 * (time.process_time() - before) / steps


def memory(kind: str) -> float:
    """Returns the memory of a process that runs the ocean "alone", or with one "idle" [MiB]."""
    told = subprocess.run(
        [sys.executable, __file__, kind], check=True, capture_output=True, text=True
    ).stdout
    return float(told.splitlines()[-1])


def run(kind: str) -> None:
    """Runs the ocean for a day in this process, and prints its memory [MiB]."""
    sea = ocean()
    with tempfile.TemporaryDirectory() as folder:
        sea.directory = Path(folder)
        program = sea if kind == "alone" else with_idle(sea, Path(folder))
        program.run("1d", progress=False, report=False)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main(pieces: int) -> None:
    """Prints the comparison."""
    with tempfile.TemporaryDirectory() as folder:
        seconds = seconds_of_pieces(pieces + SKIP, Path(folder))
        idle = microseconds_of_idle(20_000, Path(folder, "idle"))
    random, size = np.random.default_rng(1), len(seconds)
    again = [more(seconds[random.integers(0, size, size)]) for _ in range(1000)]
    told = {
        "pieces": size,
        "milliseconds_of_a_step": round(1e3 / STEPS * float(np.quantile(seconds[:, 0], 0.1)), 2),
        "percent": round(more(seconds), 2),
        "error": round(float(np.std(again)), 2),
        "microseconds_of_idle": round(idle, 1),
        "mebibytes": round(float(np.median([memory("idle") - memory("alone") for _ in "123"])), 2),
        "own": round(120 * 60 * 8 / 2**20, 2),
    }
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1] in ("alone", "idle"):
        run(sys.argv[1])
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else 250)
