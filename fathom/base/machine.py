"""The machine that a run meets: its limits measured on the ranks and threads in use, and the memory
of this process.
"""

from __future__ import annotations

import os
import platform
import resource
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fathom.base import mpi


def limits(comm: Any, megabytes: int = 128) -> dict[str, float]:
    """Returns triad bandwidth [bytes/s] and multiply-add rates [1/s] of all ranks at once, each
    with the threads that are set.

    megabytes: of each of three arrays on each rank; far larger than a fair share of the caches.
    """

    def together(measure: Any) -> float:
        comm.barrier()  # all measure at once
        return float(comm.allreduce(measure()))

    return {
        "triad_bytes_per_second": together(lambda: mpi.core.triad_bandwidth(megabytes << 20, 5)),
        "fp64_per_second": together(lambda: mpi.core.fma_rate(8, 0.1)),
        "fp32_per_second": together(lambda: mpi.core.fma_rate(4, 0.1)),
    }


def memory() -> dict[str, float]:
    """Returns resident memory of this process now and at most so far [MB]."""
    status = Path("/proc/self/status")
    if status.exists():
        held = {
            name: value.split()[0]
            for name, _, value in (line.partition(":") for line in status.read_text().splitlines())
            if name in ("VmRSS", "VmHWM")
        }
        return {
            "resident_megabytes": int(held["VmRSS"]) / 1e3 * 1.024,
            "peak_megabytes": int(held["VmHWM"]) / 1e3 * 1.024,
        }

    peak = (
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        * (1 if sys.platform == "darwin" else 1024)
        / 1e6
    )
    return {"resident_megabytes": peak, "peak_megabytes": peak}


def free_memory(root: Path = Path("/")) -> float:
    """Returns bytes of memory that are left to this process: on the machine, and in its job (Slurm,
    a container), whose limit may be far lower; 4 GB where the system does not tell. root: above
    proc and sys.
    """
    return min([_free_of_machine(root), *_free_of_job(root)])


def _free_of_machine(root: Path) -> float:
    file = root / "proc/meminfo"
    if not file.exists():
        return 4e9
    return next(
        (
            1024.0 * int(line.split()[1])
            for line in file.read_text().splitlines()
            if line.startswith("MemAvailable")
        ),
        4e9,
    )


def _free_of_job(root: Path) -> Iterator[float]:
    """Yields bytes that are left in each control group around this process that has a limit, of
    version 1 or 2. What files fill in its caches is left, too: the system takes it back.
    """
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            top, names = root / "sys/fs/cgroup", ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            top = root / "sys/fs/cgroup/memory"
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        inside = Path(path.lstrip("/"))
        for group in (inside, *inside.parents):
            left = _left_in(top / group, *names)
            if left is not None:
                yield left


def _left_in(group: Path, limit: str, used: str, cached: str) -> float | None:
    """Returns bytes that are left in a control group; None: it has no limit, or tells nothing."""
    try:
        most, now = ((group / name).read_text().strip() for name in (limit, used))
        told = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
    except (OSError, ValueError):
        return None
    unlimited = most == "max" or int(most) >= 1 << 60
    return None if unlimited else max(float(int(most) - int(now) + int(told.get(cached, 0))), 0.0)


def last_level_cache() -> int:
    """Returns bytes of the largest cache of the first core; 32 MiB where the system does not
    tell."""
    sizes = [
        path.read_text().strip()
        for path in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size")
    ]
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    return max(
        (int(text[:-1]) * units[text[-1]] for text in sizes if text[-1:] in units), default=32 << 20
    )


def page_faults() -> int:
    """Returns pages that this process had to be given so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_minflt + usage.ru_majflt


def name() -> str:
    """Returns "AMD EPYC 9B45, 2 cores"."""
    model = platform.processor() or platform.machine()
    cpu = Path("/proc/cpuinfo")
    if cpu.exists():
        model = next(
            (
                line.partition(":")[2].strip()
                for line in cpu.read_text().splitlines()
                if line.startswith("model name")
            ),
            model,
        )
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{model}, {cores} core{'s' * (cores != 1)}"
