"""The user's cache: $FATHOM_CACHE, or $XDG_CACHE_HOME/fathom, or ~/.cache/fathom. No result depends
on its contents.
"""

import fcntl
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

from fathom.base.failure import InputError


def folder(kind: str) -> Path:
    """Returns the folder of files of a kind; RuntimeError where the user has no home."""
    given = Path(os.environ.get("XDG_CACHE_HOME") or "")
    if own := os.environ.get("FATHOM_CACHE"):
        return Path(own) / kind
    return (given if given.is_absolute() else Path.home() / ".cache") / "fathom" / kind


def check_own(*paths: Path) -> None:
    """Raises InputError where a folder of code that will run, or a file in it, is somebody else's,
    or all can write to it.
    """
    for path in paths:
        found = path.stat() if hasattr(os, "geteuid") else None  # Windows has no owners
        if found and (found.st_uid not in (os.geteuid(), 0) or found.st_mode & stat.S_IWOTH):
            raise InputError(
                f"{path}: others can write here, and compiled code in it would run; remove it, or"
                " name another folder in FATHOM_CACHE"
            )


def once(path: Path, make: Callable[[Path], object]) -> Path:
    """Returns the file, of code; where it is not there, `make(new)` makes it as the file new: in
    one process, while others wait for it. InputError: others can write to its folder.
    """
    path.parent.parent.mkdir(parents=True, exist_ok=True)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    check_own(path.parent)
    with open(path.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            with tempfile.TemporaryDirectory(dir=path.parent) as work:
                make(new := Path(work) / path.name)
                os.replace(new, path)
    check_own(path)
    return path
