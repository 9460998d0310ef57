"""Replay of the output of a model that writes many fields with many small headers, on a file system
where calls and opening cost time.

    file           a header of 2 KiB, then 512 bytes on each field (the lookup table),
        then the fields, 432 x 325 numbers of 8 bytes each
    unbuffered     for each field: open, its entry, its numbers in pieces of 80 KiB, the header,
        close
    buffered       the numbers of a field in one call
    kept open      and the file opened once
    coalesced      and entries and header held back, each written once, at the end
    file system    a call costs 1 ms, opening and closing 6.05 ms, bytes come at 186 MB/s

    own writer     the same fields as articles of LFI, by the writer of FA files: index and data in
        calls of 1 MiB, the file opened once (output/formats/lfi.py)

This is the Unified Model's STASH at N216: 7560 fields took 212 s (40 MB/s), 114 (80), 69 (110), and
were written at more than 140 MB/s. Three costs of the file system and the size of a piece are
fitted to these figures. The replay writes real files, the same in the first four ways, of a part of
the fields; and waits as long as that file system would take. Seconds are for all fields.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import numpy as np

from fathom.base.failure import RunError
from fathom.output import files
from fathom.output.formats import lfi
from fathom.performance import load

fields, points, piece = 7560, 432 * 325, 80 << 10
_header, _entry = 2048, 512
reported = {
    "unbuffered": (212.0, 40.0),
    "buffered": (114.0, 80.0),
    "kept open": (69.0, 110.0),
    "coalesced": (None, 140.0),
    "own writer": (None, 140.0),
}  # s, MB/s


@dataclass
class Disk:
    """Files on the emulated file system: real files, with a pause as long as that file system would
    take.
    """

    call: float = 1e-3  # s
    opening: float = 6.05e-3  # s, and closing
    rate: float = 186e6  # bytes/s
    seconds: float = 0.0  # that it took
    counts: dict[str, int] = field(default_factory=lambda: {"calls": 0, "opened": 0, "bytes": 0})
    _free: float = 0.0

    def open(self, path: Path) -> int:
        """Opens a file for writing; returns its descriptor."""
        self.opens()
        return os.open(path, os.O_WRONLY | os.O_CREAT, 0o666)

    def opens(self) -> None:
        """Takes the time of opening and closing."""
        self.counts["opened"] += 1
        self._charge(self.opening)

    def count(self, size: int) -> None:
        """Takes the time of a call of so many bytes."""
        self.counts["calls"] += 1
        self.counts["bytes"] += size
        self._charge(self.call + size / self.rate)

    def write(self, file: int, data: memoryview, at: int) -> None:
        """Writes data at a place of a file."""
        self.count(len(data))
        while data:
            written = os.pwrite(file, data, at)
            data, at = data[written:], at + written

    def _charge(self, seconds: float) -> None:
        self.seconds += seconds
        self._free = (
            max(self._free, time.perf_counter() - 5e-3) + seconds
        )  # the time of the real file, and a sleep that was too long, count
        time.sleep(max(0.0, self._free - time.perf_counter()))


def _trace(count: int) -> Any:
    """Yields (number, entry, numbers) of each field."""
    values = np.random.default_rng(0).standard_normal(points + count)
    for n in range(count):
        yield (
            n,
            memoryview(np.full(_entry // 8, n).view("u1")),
            memoryview(values[n : n + points].view("u1")),
        )


def _by_field(disk: Disk, path: Path, count: int, size: int, kept_open: bool) -> None:
    """Writes a field after another, with its entry and the header."""
    start, file = _header + _entry * count, disk.open(path) if kept_open else None
    for n, entry, values in _trace(count):
        here = disk.open(path) if file is None else file
        disk.write(here, entry, _header + _entry * n)
        for at in range(0, len(values), size):
            disk.write(here, values[at : at + size], start + n * len(values) + at)
        disk.write(here, memoryview(np.full(_header // 8, n + 1).view("u1")), 0)
        if file is None:
            os.close(here)
    if file is not None:
        os.close(file)


def _coalesced(disk: Disk, path: Path, count: int) -> None:
    """Writes fields, then all that describes them."""
    file, entries = disk.open(path), [memoryview(np.full(_header // 8, count).view("u1"))]
    for n, entry, values in _trace(count):
        entries.append(entry)
        disk.write(file, values, _header + _entry * count + n * len(values))
    disk.write(file, memoryview(b"".join(entries)), 0)
    os.close(file)


class _Charged(files.Writes):
    """The calls of a writer of ours, on the emulated file system."""

    def __init__(self, disk: Disk) -> None:
        super().__init__()
        self.disk = disk

    def add(self, size: int, calls: int = 1, key: int | None = None) -> None:
        super().add(size, calls, key)
        self.disk.count(size)


def _own_writer(disk: Disk, path: Path, count: int) -> None:
    """Writes fields and what describes them by our own writer."""
    disk.opens()
    articles = {f"FIELD{n:05}": [bytes(entry), values] for n, entry, values in _trace(count)}
    lfi.write(
        path,
        {name: [np.frombuffer(part, np.int64) for part in of] for name, of in articles.items()},
        _Charged(disk),
    )
    found = lfi.Articles(path)
    for name, parts in articles.items():
        given = np.concatenate([np.frombuffer(part, np.int64) for part in parts])
        if not np.array_equal(found[name], given):
            raise RunError(f"{path}: {name} that was read is not what was written")


ways: dict[str, Callable[[Disk, Path, int], None]] = {
    "unbuffered": lambda disk, path, count: _by_field(disk, path, count, piece, False),
    "buffered": lambda disk, path, count: _by_field(disk, path, count, 8 * points, False),
    "kept open": lambda disk, path, count: _by_field(disk, path, count, 8 * points, True),
    "coalesced": _coalesced,
    "own writer": _own_writer,
}


def measure(count: int = 76, folder: Path | None = None) -> dict[str, Any]:
    """Returns all five ways with so many of the fields: way -> seconds and gigabytes of all fields,
    megabytes a second, calls and opened files of those written.
    """
    result, contents = {}, set()
    with tempfile.TemporaryDirectory(prefix="fathom-replay-", dir=folder) as held:
        for name, write in ways.items():
            path, disk, began = Path(held) / "fields", Disk(), time.perf_counter()
            write(disk, path, count)
            wall, factor = time.perf_counter() - began, fields / count
            if name != "own writer":  # another format
                contents.add(hashlib.sha256(path.read_bytes()).hexdigest())
            path.unlink()
            size, once = disk.counts["bytes"], disk.opening if disk.counts["opened"] == 1 else 0.0
            result[name] = {
                "seconds": (disk.seconds - once) * factor + once,
                "gigabytes": size * factor / 1e9,
                "megabytes_per_second": size / 1e6 / (disk.seconds - once),
                "wall_seconds": wall,
                **disk.counts,
            }
    return {"fields": fields, "replayed": count, "same_bytes": len(contents) == 1, "ways": result}


def present(figures: dict[str, Any], file: Path | None = None) -> int:
    """Print the figures, write them as JSON. Returns the exit status 0."""
    load.leave(figures, file)
    click.echo(
        f"{figures['fields']} fields, {figures['replayed']} of them replayed; the files are"
        f" {'the same' if figures['same_bytes'] else 'NOT THE SAME'} byte for byte"
    )
    columns = ("seconds", "GB", "MB/s", "faster", "calls a field", "reported s", "MB/s")
    click.echo(f"{'':<14}" + "".join(f"{name:>15}" for name in columns))
    first = figures["ways"]["unbuffered"]["seconds"]
    for name, f in figures["ways"].items():
        seconds, rate = reported[name]
        cells = (
            f"{f['seconds']:.0f}",
            f"{f['gigabytes']:.1f}",
            f"{f['megabytes_per_second']:.0f}",
            f"{first / f['seconds']:.2f}",
            f"{f['calls'] / figures['replayed']:.1f}",
            f"{seconds:g}" if seconds else "",
            f"{'' if seconds else 'more than '}{rate:g}",
        )
        click.echo(f"{name:<14}" + "".join(f"{cell:>15}" for cell in cells))
    return 0
