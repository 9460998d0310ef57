"""Paths as people write them: a first `~` is the home of a user."""

from __future__ import annotations

from pathlib import Path


def at_home(path: str | Path) -> Path:
    """Returns a path in which a first `~` or `~name` stands for a home; where nobody has that home
    it is a name of a file.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)
