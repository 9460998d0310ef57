"""The GRIB files of one state, as they are named: a path, a list of paths, or a pattern of names,
and the member of an ensemble that is wanted.

    "an20240603.grib"   ["t.grib", "u.grib", "v.grib"]   "lbc/2024*.grib2"   "ens.grib?member=3"
"""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fathom.base.failure import InputError, MissingFileError
from fathom.base.home import at_home
from fathom.base.near import near

mark = "?member="
wild = ("*", "[")


class Files(NamedTuple):
    """Files in the order of their names, and a member; -1: there is one only."""

    paths: tuple[Path, ...]
    member: int = -1

    def __str__(self) -> str:
        first, last = self.paths[0], self.paths[-1]
        names = str(first) if first == last else f"{first} to {last}"
        return names if self.member < 0 else f"{names}{mark}{self.member}"


def several(given: Any) -> bool:
    """Returns whether what is given names files other than by one path."""
    if isinstance(given, (list, tuple)):
        return bool(given) and all(isinstance(one, (str, Path)) for one in given)
    if not isinstance(given, (str, Path)) or at_home(given).exists():
        return False
    return mark in str(given) or any(sign in str(given) for sign in wild)


def files_of(given: str | Path | Sequence[str | Path]) -> Files:
    """Returns the files that are named. MissingFileError: there is none; InputError: a member that
    is no number, or two of them.
    """
    names = [given] if isinstance(given, (str, Path)) else list(given)
    paths: list[Path] = []
    members: set[str] = set()
    for name in map(str, names):
        path, sign, member = name.partition(mark)
        members |= {member} if sign else set()
        paths += _of_name(path)
    if len(members) > 1 or not all(one.isdecimal() for one in members):
        raise InputError(f"{given}: {mark[1:]}{', '.join(sorted(members))}: one number is wanted")
    return Files(tuple(dict.fromkeys(paths)), int(members.pop()) if members else -1)


def _of_name(name: str) -> list[Path]:
    """Returns the files of a name or a pattern."""
    path = at_home(name)
    if path.exists():
        return [path]
    found = sorted(map(Path, glob.glob(str(path)))) if any(s in name for s in wild) else []
    if not found:
        beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
        raise MissingFileError(f"{name}: there is no such file of GRIB{near(path.name, beside)}")
    return found
