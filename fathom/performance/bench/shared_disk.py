"""A disk whose rate all processes share, as on a busy file system."""

from __future__ import annotations

import fcntl
import time
from pathlib import Path


class SharedDisk:
    """A disk of so many bytes a second; a file, the book, holds the time at which it is free."""

    def __init__(self, book: Path, rate: float) -> None:
        self.book, self.rate = book, rate

    def taken(self, size: int) -> float:
        """Takes the disk for so many bytes, from now or when it is free. Returns until when."""
        with open(self.book, "a+b") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            held.seek(0)
            free = max(float(held.read() or 0), time.time()) + size / self.rate
            held.truncate(0)
            held.write(repr(free).encode())
        return free

    @staticmethod
    def wait(until: float) -> None:
        """Waits until a time [s since the epoch]."""
        time.sleep(max(0.0, until - time.time()))
