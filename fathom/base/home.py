"""Paths as people write them: a first `~` is the home of a user."""

from __future__ import annotations

from pathlib import Path

from fathom.base.failure import InputError


def at_home(path: str | Path) -> Path:
    """Returns a path in which a first `~` or `~name` stands for a home; where nobody has that home
    it is a name of a file. InputError: it is no path.
    """
    if not isinstance(path, (str, Path)):
        raise InputError(f"{path!r} is no path of a file")
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)
