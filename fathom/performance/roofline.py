"""The limits of a machine: the most work that is possible in a measured time.

Operations are compared with multiply-adds, bytes with the triad from the place of the data: the
second cache, the last cache, or memory, by the size of the data. The limit of a piece of work is
the resource that needs more of its time (Williams, Waterman & Patterson 2009, CACM 52 (4)).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fathom.base import machine, mpi


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
        reached.

        bytes_: that must be read or written once. within: the size of what is gone through, by
        default bytes_.
        """
        where, _, triad = next(
            t for t in self.triads if (bytes_ if within is None else within) <= t[1]
        )
        seconds = max(seconds, 1e-12)
        arithmetic, traffic = operations / self.operations / seconds, bytes_ / triad / seconds
        return {
            "seconds": seconds,
            "operations": operations,
            "bytes": bytes_,
            "gflops": operations / seconds / 1e9,
            "gigabytes_per_second": bytes_ / seconds / 1e9,
            "limit": "multiply-adds" if arithmetic >= traffic else where,
            "fraction": max(arithmetic, traffic),
        }

    def describe(self) -> str:
        return f"{self.operations / 1e9:.0f} GF/s of multiply-adds; triad " + ", ".join(
            f"{rate / 1e9:.0f} GB/s from the {where}" for where, _, rate in self.triads
        )

    def plain(self) -> dict[str, Any]:
        """Returns the object as plain data."""
        return {
            "fma_gflops": self.operations / 1e9,
            "triad_gigabytes_per_second": {where: rate / 1e9 for where, _, rate in self.triads},
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

        self.operations = max(
            self.operations, *(mpi.core.fma_rate(self.bytes, 0.002) for _ in range(3))
        )
        for where, _, size, repetitions in self.sizes:
            self.rates[where] = max(self.rates[where], mpi.core.triad_bandwidth(size, repetitions))

    @property
    def limits(self) -> Limits:
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
            f" {bar(r['fraction'], width)} {r['limit'] if r['fraction'] else ''}".rstrip()
        )
    return lines


def bar(fraction: float, width: int) -> str:
    """Returns a bar of eighths of a character, full at 1."""
    eighths = round(8 * width * min(max(fraction, 0.0), 1.0))
    return ("█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8] * (eighths % 8 > 0)).ljust(width, "·")
