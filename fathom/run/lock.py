"""One run in a directory at a time: a second one would write into the first one's stores."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from fathom.base.failure import ExistingFileError
from fathom.base.writing import no_link

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

    def take(self, directory: Path) -> None:
        """Raises FileExistsError: another run holds it."""
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
            raise ExistingFileError(
                f"another run is under way in {directory}{holder and f' (process {holder})'}; wait"
                " for its end, or choose another directory"
            ) from None
        os.truncate(file, 0)
        os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
        self._file = file

    def release(self) -> None:
        """Releases the lock."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
