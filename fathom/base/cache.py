"""The user's cache: $FATHOM_CACHE, or $XDG_CACHE_HOME/fathom, or ~/.cache/fathom. No result depends
on its contents.
"""

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Callable
from pathlib import Path


def folder(kind: str) -> Path:
    """Returns the folder of files of a kind; RuntimeError where the user has no home."""
    given = Path(os.environ.get("XDG_CACHE_HOME") or "")
    if own := os.environ.get("FATHOM_CACHE"):
        return Path(own) / kind
    return (given if given.is_absolute() else Path.home() / ".cache") / "fathom" / kind


def replace(path: Path, *parts: bytes | memoryview) -> None:
    """Writes the whole new file of these bytes, or leaves the old one."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".new")
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(parts)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def once(path: Path, make: Callable[[Path], object]) -> Path:
    """Returns the file; where it is not there, `make(new)` makes it as the file new: in one
    process, while others wait for it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            with tempfile.TemporaryDirectory(dir=path.parent) as work:
                make(new := Path(work) / path.name)
                os.replace(new, path)
    return path
