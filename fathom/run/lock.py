"""One run in a directory at a time: a second one would write into the first one's stores."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from fathom.base.failure import ExistingFileError
from fathom.base.writing import no_link, shown

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]


def held(directory: Path) -> bool:
    """Returns whether a run is under way in a directory, or in a folder of it as one of several
    programs.
    """
    return any(map(_held, (*directory.glob(".lock"), *directory.glob("*/.lock"))))


def _held(path: Path) -> bool:
    try:
        file = os.open(path, os.O_RDWR | no_link)
    except OSError:
        return False
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return fcntl is None
    except OSError:
        return True
    finally:
        os.close(file)


class DirectoryLock:
    """Held from `take` to `release`, on the rank that takes it. The system releases it when the
    process ends, so a killed run leaves no lock.
    """

    def __init__(self) -> None:
        self._file = -1
        self._place: tuple[int, int] | None = None  # device and number of the directory

    def take(self, directory: Path) -> None:
        """Raises FileExistsError: another run holds it."""
        self._place = _place(directory)
        if fcntl is None or self._file >= 0:
            return
        file = os.open(directory / ".lock", os.O_RDWR | os.O_CREAT | no_link, 0o644)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(file, 32, 0).decode(errors="replace").strip()
            os.close(file)
            if error.errno in (errno.ENOLCK, errno.EOPNOTSUPP):
                return  # a file system without locks
            by = holder and f" (process {holder})"
            raise ExistingFileError(
                f"another run is under way in {shown(directory)}{by}; wait for its end, or choose"
                " another directory"
            ) from None
        os.truncate(file, 0)
        os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
        self._file = file

    def has_moved(self, directory: Path) -> bool:
        """Returns whether the directory is no longer at its place, or another one is there."""
        return self._place is not None and _place(directory) != self._place

    def release(self) -> None:
        """Releases the lock."""
        self._place = None
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def moved(directory: Path) -> str:
    """Returns what is said of a run whose directory is gone."""
    return (
        f"{directory}, the directory of the run, has been moved, deleted or replaced; the run ends."
        " Move it back, and continue from its last restart (--continue)"
    )


def _place(directory: Path) -> tuple[int, int] | None:
    """Returns device and number of a directory; None: there is none."""
    try:
        found = directory.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
