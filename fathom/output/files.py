"""Files, written in as few and as large calls as they can be; each call is counted by its size."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fathom.base import system_calls
from fathom.base.failure import InputError
from fathom.base.writing import no_link

_vectors = 1024  # buffers that one call may take


metadata = -1  # the key of metadata (places, times), of any size


def buffer() -> int:
    """Returns bytes of a call of writers that collect small pieces: FATHOM_BUFFER (1048576, 4MiB),
    by default 1 MiB. InputError: no size, or smaller than a block of a file system.
    """
    given = os.environ.get("FATHOM_BUFFER") or "1MiB"
    found = re.fullmatch(r"(\d+)\s*(KiB|MiB|)", given)
    size = int(found[1]) * {"": 1, "KiB": 1 << 10, "MiB": 1 << 20}[found[2]] if found else 0
    if not 1 << 16 <= size <= 1 << 30:
        raise InputError(
            f"FATHOM_BUFFER = {given!r} must be a size from 64KiB to 1024MiB, as 4MiB or 4194304"
        )
    return size // 8 * 8


class Writes:
    """Calls and bytes by the size of the call: `counts[n]` of at least 2^n and less than 2^(n+1)
    bytes, counts[metadata] of metadata. Any thread may add.
    """

    def __init__(self) -> None:
        self.counts: dict[int, list[int]] = {}
        self._lock = threading.Lock()

    def add(self, size: int, calls: int = 1, key: int | None = None) -> None:
        """Counts so many calls of that size each."""
        if size and calls:
            with self._lock:
                held = self.counts.setdefault(size.bit_length() - 1 if key is None else key, [0, 0])
                held[0] += calls
                held[1] += calls * size


class OfMetadata:
    """Counts writes as writes of metadata."""

    def __init__(self, writes: Writes) -> None:
        self._writes = writes

    def add(self, size: int, calls: int = 1) -> None:
        """Counts writes and their bytes as those of metadata."""
        self._writes.add(size, calls, metadata)


Counted = Writes | OfMetadata


@contextmanager
def of_library(writes: Writes) -> Iterator[None]:
    """Counts what a library writes on this thread meanwhile, as the system tells: calls and bytes,
    so that all calls have their mean size.
    """
    before = system_calls.moved()
    try:
        yield
    finally:
        made = system_calls.moved().since(before)
        writes.add(made.written // max(made.writes, 1), made.writes)


def merged(several: Iterable[Mapping[int, list[int]]]) -> dict[int, list[int]]:
    """Returns the counts of several writers together."""
    result: dict[int, list[int]] = {}
    for counts in several:
        for size, added in counts.items():
            result[size] = [a + b for a, b in zip(result.get(size, (0, 0)), added)]
    return dict(sorted(result.items()))


def share_of_large(counts: dict[int, list[int]], size: int = 1 << 16) -> float:
    """Returns the part of the bytes that calls of at least `size` (a power of two) have written."""
    total = sum(written for _, written in counts.values())
    return (
        sum(written for n, (_, written) in counts.items() if n >= 0 and 1 << n >= size) / total
        if total
        else 1.0
    )


def write(file: Path, buffers: list[Any], writes: Counted) -> None:
    """Writes a new file, or new content of an old one."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | no_link, 0o666)
    try:
        put(descriptor, buffers, writes)
    finally:
        os.close(descriptor)


def put(descriptor: int, buffers: list[Any], writes: Counted) -> None:
    """Writes buffers one after another at the place of the descriptor, in one call where the system
    takes them.
    """
    views = [memoryview(buffer).cast("B") for buffer in buffers]
    while views:
        written = os.writev(descriptor, views[:_vectors])
        writes.add(written)
        views = _left(views, written)


def put_at(descriptor: int, buffers: list[Any], place: int, writes: Counted) -> None:
    """Writes buffers one after another from that byte of an open file on, in one call where the
    system takes them.
    """
    views = [memoryview(buffer).cast("B") for buffer in buffers]
    while views:
        written = os.pwritev(descriptor, views[:_vectors], place)
        writes.add(written)
        place += written
        views = _left(views, written)


def _left(views: list[memoryview], written: int) -> list[memoryview]:
    """Returns what is left of buffers of which so many bytes are written."""
    while views and written >= len(views[0]):
        written -= len(views.pop(0))
    if views and written:
        views[0] = views[0][written:]
    return views


def put_in(file: Path, buffer: Any, place: int, writes: Counted) -> None:
    """Writes a buffer from that byte of a file on, which is there."""
    descriptor = os.open(file, os.O_WRONLY | no_link)
    try:
        put_at(descriptor, [buffer], place, writes)
    finally:
        os.close(descriptor)


def replace(file: Path, buffers: list[Any], writes: Counted) -> None:
    """Replaces a file as a whole: a reader finds the old content or the new."""
    partial = file.with_name(file.name + ".partial")
    write(partial, buffers, writes)
    os.replace(partial, file)
