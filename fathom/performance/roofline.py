"""The limits of a machine: the most work that is possible in a measured time.

Operations are compared with multiply-adds, bytes with the triad from the place of the data: the
second cache, the last cache, or memory, by the size of the data; a nearer one where its bytes came
faster than the place can give them. The limit of a piece of work is the resource that needs more of
its time (Williams, Waterman & Patterson 2009, CACM 52 (4)).

Work and limits are measured in turn by the same clock: on one thread the processor time of it, in
which other programs have no part; else the wall.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

from fathom.base import machine, mpi

tolerance = 1.05  # of a limit, itself measured: work that comes closer than this is at its limit


@dataclass(frozen=True)
class Limits:
    """The limits of one process with its threads: operations a second, and (where, bytes that lie
    there at most, bytes a second).
    """

    operations: float
    triads: tuple[tuple[str, float, float], ...]

    def against(
        self, seconds: float, operations: float, bytes_: float, *, within: float | None = None
    ) -> dict[str, Any]:
        """Returns the rates of a piece of work, its limit by name, and the fraction of it that is
        reached; no rates (0, and "not measured") of a time that cannot be: none, or shorter than
        any limit allows.

        bytes_: that must be read or written once. within: the size of what is gone through, by
        default bytes_.
        """
        found = {"seconds": seconds, "operations": operations, "bytes": bytes_}
        nothing = {"gflops": 0.0, "gigabytes_per_second": 0.0, "limit": "", "fraction": 0.0}
        if operations <= 0 and bytes_ <= 0:
            return found | nothing
        where, traffic = self._place(bytes_, bytes_ if within is None else within, seconds)
        arithmetic = operations / self.operations / seconds if seconds > 0 else float("inf")
        reached = max(arithmetic, traffic)
        if reached > tolerance:
            return found | nothing | {"limit": "not measured"}
        return found | {
            "gflops": operations / seconds / 1e9,
            "gigabytes_per_second": bytes_ / seconds / 1e9,
            "limit": "multiply-adds" if arithmetic >= traffic else where,
            "fraction": min(reached, 1.0),
        }

    def _place(self, bytes_: float, size: float, seconds: float) -> tuple[str, float]:
        """Returns the place of data of this size, and the part of its triad that brings them in
        these seconds; the nearest of all where it comes too late.
        """
        first = next(n for n, (_, capacity, _) in enumerate(self.triads) if size <= capacity)
        parts = [
            (where, bytes_ / triad / seconds if seconds > 0 else float("inf"))
            for where, _, triad in reversed(self.triads[: first + 1])
        ]
        return next((part for part in parts if part[1] <= tolerance), parts[-1])

    def place(self, size: float) -> str:
        """Returns where data of this size lie: a cache, or memory."""
        return next(where for where, capacity, _ in self.triads if size <= capacity)

    def describe(self) -> str:
        """Returns the limits in one line."""
        return f"{self.operations / 1e9:.0f} GF/s of multiply-adds; triad " + ", ".join(
            f"{rate / 1e9:.0f} GB/s from the {where}" for where, _, rate in self.triads
        )

    def plain(self) -> dict[str, Any]:
        """Returns the object as plain data."""
        return {
            "fma_gflops": self.operations / 1e9,
            "triad_gigabytes_per_second": {where: rate / 1e9 for where, _, rate in self.triads},
        }


@contextmanager
def one_clock(ranks: int, threads: int) -> Iterator[Callable[[], float]]:
    """Makes the core time its work within it, and gives a clock: by the processor time of one
    thread on one rank, else by the wall.
    """
    alone = ranks * threads == 1
    before = mpi.core.by_processor_clock(alone)
    try:
        yield time.process_time if alone else time.perf_counter
    finally:
        mpi.core.by_processor_clock(before)


def speeds(bytes_: int, times: int = 5) -> dict[str, float]:
    """Returns what this machine does now, not at its best: multiply-adds a second, and bytes a
    second from memory, medians of some short measurements by the clock that is set.
    """
    return {
        "multiply-adds": median(mpi.core.fma_rate(bytes_, 0.002) for _ in range(times)),
        "memory": median(mpi.core.triad_bandwidth(16 << 20, 1) for _ in range(times)),
    }


def of_copies(computer: Any) -> float:
    """Returns bytes a second of copies within a device, read and written: far more bytes than its
    cache holds.
    """
    bytes_ = min(1 << 30, 64 * computer.cache, computer.free_memory // 4)
    return float(computer.copy_bandwidth(bytes_))


class Measuring:
    """The best of all short measurements so far: between those of the work, so that both meet the
    same machine.
    """

    def __init__(self, bytes_: int) -> None:

        threads, second = mpi.core.threads(), mpi.core.second_level_cache()
        last = machine.last_level_cache()
        # where, what lies there at most, bytes of each of the triad's three arrays, repetitions
        self.sizes = [
            ("second cache", threads * second, threads * second // 6, 20),
            ("last cache", 0.75 * last, last // 12, 4),
            ("memory", float("inf"), last, 1),
        ]
        self.bytes, self.operations, self.rates = (
            bytes_,
            0.0,
            dict.fromkeys((where for where, *_ in self.sizes), 0.0),
        )

    def again(self) -> None:
        """Measures once more; the best so far counts."""

        self.operations = max(
            self.operations, *(mpi.core.fma_rate(self.bytes, 0.002) for _ in range(3))
        )
        for where, _, size, repetitions in self.sizes:
            self.rates[where] = max(self.rates[where], mpi.core.triad_bandwidth(size, repetitions))

    @property
    def limits(self) -> Limits:
        """Returns the limits measured so far."""
        return Limits(
            self.operations,
            tuple((where, capacity, self.rates[where]) for where, capacity, *_ in self.sizes),
        )


def table(records: list[dict[str, Any]], width: int = 24) -> list[str]:
    """Returns lines of records with name, seconds and rates: the longest first, with a bar of the
    fraction of its limit.
    """
    lines = [f"{'':<44}{'ms':>9}{'GF/s':>8}{'GB/s':>8}   of its limit"]
    for r in sorted(records, key=lambda r: -r["seconds"]):
        rates = "".join(
            f"{r[key]:8.1f}" if r[what] else f"{'':8}"
            for key, what in (("gflops", "operations"), ("gigabytes_per_second", "bytes"))
        )
        lines.append(
            f"{r['name']:<44.44}{1e3 * r['seconds']:9.3f}{rates} {100 * r['fraction']:4.0f} %"
            f" {bar(r['fraction'], width)} {r['limit']}".rstrip()
        )
    return lines


def bar(fraction: float, width: int) -> str:
    """Returns a bar of eighths of a character, full at 1."""
    eighths = round(8 * width * min(max(fraction, 0.0), 1.0))
    return ("█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8] * (eighths % 8 > 0)).ljust(width, "·")
