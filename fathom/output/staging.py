"""Staging: data are written into a folder of this node first, and copied from there to their place
in the background, with a check.

    stage.put(buffers, deliver)
        into the folder, with its CRC-32C; later, in the order of the calls: deliver(the same bytes)
    stage.delivered >= ticket
        whether all is at its place that had been put when stage.put_so_far was `ticket`

When the folder is full, further data wait in memory. When a run is killed, data that are still in
the folder are not needed: times become visible, and restarts get their name, only after all their
data have been delivered. The next run that stages there deletes what killed runs have left."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from fathom.base.failure import FileError
from fathom.output import files
from fathom.output.specification import explain

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

prefix = "fathom-staging-"
_piece = 1 << 18  # bytes
fresh = 60.0  # seconds in which a folder may not be held yet by the run that has made it


def sweep(folder: Path) -> None:
    """Deletes what killed runs have left below a folder: nobody holds it any more."""
    for left in folder.glob(f"{prefix}*"):
        try:
            held = -1 if time.time() - left.stat().st_mtime < fresh else _hold(left)
        except OSError:  # of somebody else, or just deleted
            continue
        if held >= 0:
            shutil.rmtree(left, ignore_errors=True)
            os.close(held)


def _hold(folder: Path) -> int:
    """Returns a descriptor that holds a folder until it is closed or its process ends; -1: another
    process holds it, or none can."""
    if fcntl is None:
        return -1
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return -1
    return descriptor


class Stage:
    """The folder of one rank, below `folder`. OSError: it cannot be written."""

    def __init__(self, folder: str | Path) -> None:
        try:
            self.folder = Path(tempfile.mkdtemp(prefix=prefix, dir=folder))
            self._held = _hold(self.folder)
        except OSError as error:
            raise explain(error, Path(folder), f"making a folder for staging in {folder}") from None
        sweep(Path(folder))
        self.put_so_far = self.delivered = 0
        self.bytes, self.passed_by = 0, 0  # through the folder; pieces that it had no room for
        self.seconds_putting = self.seconds_delivering = 0.0
        self._names = count(1)
        self._waiting: deque[tuple[Callable[[], memoryview], Callable[..., Any]]] = (
            deque()
        )  # how a piece is read again, and delivered
        self._news, self._over = threading.Condition(), False
        self._error: OSError | None = None
        self._thread = threading.Thread(target=self._deliver, name="staging", daemon=True)
        self._thread.start()

    def put(self, buffers: list[Any], deliver: Callable[[memoryview], None]) -> None:
        """Takes buffers, and delivers them later; any thread may call it."""
        self._raise()
        file, total, writes = self.folder / str(next(self._names)), 0, files.Writes()
        began = time.perf_counter()
        for buffer in buffers:
            total = _checksum(memoryview(buffer).cast("B"), total)
        try:
            files.write(file, buffers, writes)
            piece = partial(_taken_back, file, total)
        except OSError:
            file.unlink(missing_ok=True)
            data = memoryview(b"".join(bytes(buffer) for buffer in buffers))
            piece = None
        with self._news:
            self.bytes += sum(size for _, size in writes.counts.values()) if piece else 0
            self.seconds_putting += time.perf_counter() - began
            self.passed_by += piece is None
            self.put_so_far += 1
            ticket = self.put_so_far
            self._waiting.append((piece or (lambda: data), deliver))
            self._news.notify_all()
        if piece is None:
            self.wait(ticket)

    @property
    def figures(self) -> dict[str, float]:
        """Returns bytes that went through the folder, pieces that it had no room for, seconds of
        writing into it, and of reading back, checking and writing to their place.
        """
        return {
            "bytes": self.bytes,
            "passed_by": self.passed_by,
            "seconds_putting": self.seconds_putting,
            "seconds_delivering": self.seconds_delivering,
        }

    def is_delivered(self, ticket: int) -> bool:
        """Returns whether what had been put then is at its place; the error of what could not
        be."""
        self._raise()
        return self.delivered >= ticket

    def wait(self, ticket: int | None = None) -> None:
        """Waits until that, or everything, is at its place."""
        with self._news:
            ticket = self.put_so_far if ticket is None else ticket
            self._news.wait_for(lambda: self._error is not None or self.delivered >= ticket)
        self._raise()

    def close(self) -> None:
        """Waits until everything is at its place, and deletes the folder."""
        try:
            self.wait()
        finally:
            with self._news:
                self._over = True
                self._news.notify_all()
            self._thread.join()
            shutil.rmtree(self.folder, ignore_errors=True)
            if self._held >= 0:
                os.close(self._held)

    def _raise(self) -> None:
        if self._error is not None:
            raise self._error

    def _deliver(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._waiting or self._over)
                if not self._waiting:
                    return
                piece, deliver = self._waiting.popleft()
            began = time.perf_counter()
            try:
                deliver(piece())
            except OSError as error:
                with self._news:
                    self._error = error
                    self._news.notify_all()
                return
            with self._news:
                self.delivered += 1
                self.seconds_delivering += time.perf_counter() - began
                self._news.notify_all()


def together(figures: Iterable[dict[str, float]]) -> dict[str, float]:
    """Returns the figures of several ranks, with their rates [MB/s], each rank by itself: into the
    folder, and to the place. Nothing where nothing was put.
    """
    held = list(figures)
    total = {name: sum(one[name] for one in held) for name in (held[0] if held else ())}
    if not total.get("bytes"):
        return {}
    rates = {
        f"megabytes_a_second_{name}": 1e-6 * total["bytes"] / total[f"seconds_{name}"]
        for name in ("putting", "delivering")
        if total[f"seconds_{name}"] > 0
    }
    return total | rates


def _checksum(data: memoryview, before: int = 0) -> int:
    """Returns the CRC-32C of bytes that follow others. The library takes nothing but `bytes`: in
    pieces, which stay in the cache.
    """
    import google_crc32c

    for first in range(0, len(data), _piece):
        before = google_crc32c.extend(before, bytes(data[first : first + _piece]))
    return before


def _taken_back(file: Path, total: int) -> memoryview:
    """Reads a file of the folder and removes it."""
    data = file.read_bytes()
    if _checksum(memoryview(data)) != total:
        text = f"{file} differs from what was written to it: the disk of this folder is damaged"
        raise FileError(errno.EIO, text)
    file.unlink()
    return memoryview(data)
