"""What a second program under the same clock costs that does nothing: an ocean of 3 degrees alone,
and the same ocean next to an idle program with its step and grid.

    python docs/results/second_program.py [pairs]

Both oceans run in one process, in pieces of 2 steps, in turn: alone, next to the idle program, next
to it, alone, and so on. So other work on the machine, which makes pieces longer for seconds or
minutes, falls on both of a pair. `percent`: the median over pairs of the ratio of CPU times
(getrusage), less 1; `error`: its error, by resampling of pairs. Two oceans that are both alone
would differ by `percent_of_nothing`: the same pairs, with their signs at random.
`microseconds_of_idle`: CPU time of a step of the clock with the idle program alone in it;
`mebibytes`: memory of a process more than that of one that runs the ocean alone, the median of
three; `own`: that of the field of the idle program.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

import fathom as fm

STEPS, SKIP = 2, 6  # of a piece; pairs at the begin that do not count


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


def cpu_time() -> float:
    """Returns the CPU time of this process [s]: the system counts each part in ticks, the sum of
    both exactly.
    """
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class Turns:
    """Lets the ocean alone take its pieces between those of the one next to the idle program: of
    two pieces of that one, before the first or after the second.
    """

    def __init__(self, alone: fm.Simulation) -> None:
        self.alone, self.number, self.ended = alone, 0, cpu_time()
        self.found: list[tuple[float, float]] = []  # (alone, next to the idle program) [s]
        self.before = 0.0

    def take(self) -> float:
        """Returns the time of a piece of the ocean alone."""
        begin = cpu_time()
        self.alone.run_to(self.alone.seconds + 3600 * STEPS)
        return cpu_time() - begin

    def __call__(self, _: fm.Simulation) -> None:
        """Is called after each piece of the one next to the idle program."""
        beside = cpu_time() - self.ended
        if self.number % 2:  # the second of two: alone after it, and before the next one
            self.found.append((self.take(), beside))
            self.before = self.take()
        elif self.number:
            self.found.append((self.before, beside))
        self.number += 1
        self.ended = cpu_time()


def seconds_of_pairs(pairs: int, folder: Path) -> np.ndarray:
    """Returns the CPU time of pieces (pairs, 2) [s]: alone, next to the idle program."""
    alone, sea = ocean(), ocean()
    alone.directory = folder / "alone"
    turns = Turns(alone)
    sea.call(turns, every=f"{STEPS}h")
    alone.call(lambda _: None, every=f"{STEPS}h")  # that costs both the same
    length = f"{STEPS * pairs}h"
    with alone.engaged():
        alone.start_run_to(3600.0 * STEPS * (pairs + 4), length)
        alone.show_start()
        with_idle(sea, folder / "both").run(length, progress=False, report=False)
    return np.array(turns.found[SKIP:])


def percent(ratios: np.ndarray) -> float:
    """Returns the median of ratios, less 1 [%]."""
    return 100 * float(np.median(ratios) - 1)


def spread(ratios: np.ndarray, again: Callable[[np.random.Generator], np.ndarray]) -> float:
    """Returns the standard deviation of `percent` of samples that `again` draws."""
    random = np.random.default_rng(1)
    return float(np.std([percent(again(random)) for _ in range(1000)]))


def microseconds_of_idle(steps: int, folder: Path) -> float:
    """Returns the CPU time of a step of an idle program under the clock [microseconds]."""
    grid = fm.LatitudeLongitudeGrid(nx=120, ny=60, levels=fm.ZLevels(nz=40, depth=5000))
    idle = fm.Program(grid, "1h", {"nothing": "1"})
    programs = fm.Programs({"idle": idle}, directory=folder)
    programs.run("1d", progress=False, report=False)
    before = cpu_time()
    programs.run(f"{steps}h", progress=False, report=False)
    return 1e6 * (cpu_time() - before) / steps


def memory(kind: str) -> float:
    """Returns the memory of a process that runs the ocean "alone", or with one "idle" [MiB]."""
    told = subprocess.run(
        [sys.executable, __file__, kind], check=True, capture_output=True, text=True
    ).stdout
    return float(told.splitlines()[-1])


def run(kind: str) -> None:
    """Runs the ocean for half a day in this process, and prints its memory [MiB]."""
    sea = ocean()
    with tempfile.TemporaryDirectory() as folder:
        sea.directory = Path(folder)
        program = sea if kind == "alone" else with_idle(sea, Path(folder))
        program.run("12h", progress=False, report=False)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main(pairs: int) -> None:
    """Prints the comparison."""
    with tempfile.TemporaryDirectory() as folder:
        seconds = seconds_of_pairs(pairs + SKIP + 2, Path(folder))
        idle = microseconds_of_idle(20_000, Path(folder, "idle"))
    ratios, size = seconds[:, 1] / seconds[:, 0], len(seconds)
    turned = lambda random: ratios ** random.choice([-1.0, 1.0], size)
    told = {
        "pairs": size,
        "milliseconds_of_a_step": round(1e3 / STEPS * float(np.median(seconds[:, 0])), 2),
        "percent": round(percent(ratios), 2),
        "error": round(spread(ratios, lambda random: random.choice(ratios, size)), 2),
        "percent_of_nothing": round(spread(ratios, turned), 2),
        "microseconds_of_idle": round(idle, 1),
        "mebibytes": round(float(np.median([memory("idle") - memory("alone") for _ in "123"])), 2),
        "own": round(120 * 60 * 8 / 2**20, 2),
    }
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1] in ("alone", "idle"):
        run(sys.argv[1])
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else 1200)
