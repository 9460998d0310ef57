"""Bytes that a thread reads and writes, and its calls that write, as the system counts them
(Linux: /proc/thread-self/io). What Python reads to import modules is taken off. And the files that
Python opens.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple


class Moved(NamedTuple):
    """read, written: bytes; writes: calls."""

    read: int
    written: int
    writes: int

    def since(self, before: Moved) -> Moved:
        """Returns what was moved since an earlier count."""
        return Moved(*(now - then for now, then in zip(self, before)))


class _Own(threading.local):
    imported = 0  # bytes of modules, and of these files themselves


_own = _Own()
_listens: list[bool] = []
_recording: dict[int, Counter[str]] = {}  # bodies of `openings`
_lock = threading.RLock()


def _listen() -> None:
    """Adds the hook, once: none can be removed."""
    if not _listens:
        _listens.append(True)
        sys.addaudithook(_heard)


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    """Counts the bytes of modules, and the openings that are recorded, when Python opens a file."""
    if event != "open" or not isinstance(arguments[0], (str, bytes, os.PathLike)):
        return
    name = os.fsdecode(arguments[0])
    if name.endswith((".py", ".pyc")):
        with contextlib.suppress(OSError):
            _own.imported += os.stat(name).st_size
    if _recording:
        with _lock:
            for counts in _recording.values():
                counts[os.path.abspath(name)] += 1


@contextlib.contextmanager
def openings() -> Iterator[Counter[str]]:
    """Counts the openings of files by Python in its body, by path; not those in the NetCDF
    library.
    """
    _listen()
    counts: Counter[str] = Counter()
    with _lock:
        _recording[id(counts)] = counts
    try:
        yield counts
    finally:
        with _lock:
            del _recording[id(counts)]


def moved() -> Moved:
    """Returns what this thread has moved since it began; zeros where the system does not count."""
    _listen()
    try:
        text = Path("/proc/thread-self/io").read_text(encoding="ascii")
    except OSError:
        return Moved(0, 0, 0)
    told = {name: int(value) for name, value in (line.split(": ") for line in text.splitlines())}
    found = Moved(told["rchar"] - _own.imported, told["wchar"], told["syscw"])
    _own.imported += len(text)
    return found
