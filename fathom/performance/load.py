"""Other load on the machine while something is measured.

    others = (busy time of the cores in use - processor time of this run) / wall time

in cores, from /proc/stat and the times of the processes of this run: this one, those that it
started, and the other ranks of its launcher. Where the system does not tell, nothing is said.
"""

from __future__ import annotations

import json
import os
import resource
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from fathom.run import launch

disturbing = 0.15  # of a core in use: others that take more change what is measured


@dataclass(frozen=True)
class Reading:
    """Clocks so far [s]: of the wall, of all cores in use together, of this run."""

    wall: float
    busy: float | None
    own: float
    interrupted: int  # how often this process had to leave its core


def cores() -> set[int]:
    """Returns the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return set(os.sched_getaffinity(0))
    return set(range(os.cpu_count() or 1))


def _busy(root: Path) -> float | None:
    """Returns seconds that the cores in use worked so far, for anybody: user, nice, system,
    interrupts, and what the host took."""
    try:
        lines = (root / "stat").read_text().splitlines()
    except OSError:
        return None
    of_cores = {f"cpu{n}" for n in cores()}
    fields = [line.split() for line in lines]
    ticks = [
        sum(map(int, (*f[1:4], *f[6:9]))) for f in fields if f and f[0] in of_cores and len(f) > 8
    ]
    return sum(ticks) / os.sysconf("SC_CLK_TCK") if ticks else None


def _of_siblings(root: Path) -> float:
    """Returns processor seconds of the other processes that this one's parent started: the other
    ranks of a launcher."""
    ticks = 0
    for file in root.glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[1]) == os.getppid() and file.parent.name != str(os.getpid()):
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def reading(root: Path = Path("/proc")) -> Reading:
    """Returns the clocks now. root: where the system tells them."""
    mine = [resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    own = sum(use.ru_utime + use.ru_stime for use in mine)
    if launch.launched() is not None:
        own += _of_siblings(root)
    return Reading(time.perf_counter(), _busy(root), own, mine[0].ru_nivcsw)


def between(before: Reading, after: Reading) -> dict[str, Any]:
    """Returns the load of an interval: `others`, cores that other programs took (None: not known);
    `cores`; `interruptions` of this process a second; `busy`, whether others disturb."""
    wall = max(after.wall - before.wall, 1e-9)
    there, others = len(cores()), None
    if before.busy is not None and after.busy is not None:
        worked = after.busy - before.busy - (after.own - before.own)
        others = min(max(worked / wall, 0.0), float(there))
    return {
        "others": others,
        "cores": there,
        "interruptions": (after.interrupted - before.interrupted) / wall,
        "busy": others is not None and others > disturbing,
    }


def said(load: Mapping[str, Any] | None) -> list[str]:
    """Returns the warning of a busy machine, in one line; [] of a quiet one."""
    if not load or not load["busy"]:
        return []
    return [
        f"The machine was busy: other programs took {load['others']:.1f} of {load['cores']}"
        f" cores, and interrupted this one {load['interruptions']:.0f} times a second; times of"
        " the wall are too long"
    ]


_began = reading()


def begin() -> None:
    """Begins an interval."""
    global _began
    _began = reading()


def so_far() -> dict[str, Any]:
    """Returns the load since the interval began."""
    return between(_began, reading())


def leave(figures: dict[str, Any], file: Path | None) -> None:
    """Adds the load so far to figures, warns where it disturbed them, and writes them as JSON."""
    figures["load"] = so_far()
    for line in said(figures["load"]):
        click.echo(line)
    if file is not None:
        file.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
