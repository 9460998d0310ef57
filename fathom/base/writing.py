"""Files in the directory of a run: their names lie inside it, their content is replaced as a whole,
and no link leads what is written out of it. A directory may come from somebody else.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fathom.base.failure import InputError

no_link = getattr(os, "O_NOFOLLOW", 0)  # a flag for os.open; 0: Windows, which has none


def inside(what: str, path: str | Path) -> Path:
    """Returns the normal form of a path inside the directory of a run. InputError: it lies outside,
    or is a place on the net.
    """
    normal = Path(os.path.normpath(path))
    away = normal.parts[:1] in (("..",), ("~",))
    if "://" in str(path):
        raise InputError(
            f"{what}: a run writes into its own directory, not to an address; allowed: a name, as"
            f" {normal.name!r}, which can be copied there afterwards"
        )
    if normal.is_absolute() or away:
        raise InputError(
            f"{what}: it lies outside the directory of the run; allowed: a name in it, as"
            f" {normal.name!r}"
        )
    return normal


def shown(path: Path) -> str:
    """Returns a path in words: from here, where it lies below this folder."""
    here = os.path.relpath(path) if path.is_absolute() else str(path)
    return str(path) if here.startswith("..") else here


def refuse_link(what: str, path: Path) -> None:
    """Raises InputError where the path is a link: writing would change what it leads to."""
    if path.is_symlink():
        raise InputError(
            f"{what}: {path} is a link to {os.readlink(path)}, which would be written; remove the"
            " link, or choose another name"
        )


def netcdf(what: str, path: Path, dataset: Any) -> None:
    """Writes an xarray.Dataset that a user asked for as NetCDF; the file appears when it is whole.
    InputError: a name that is none of NetCDF, or whose folder does not exist.
    """
    check_netcdf(what, path)
    with whole(path) as part:
        dataset.to_netcdf(part)


def check_netcdf(what: str, path: Path) -> None:
    """Raises InputError: a file that `netcdf` would not write."""
    if path.suffix != ".nc":
        raise InputError(f"{what} = {str(path)!r}: allowed is the name of a NetCDF file, as 'a.nc'")
    if not path.absolute().parent.is_dir() or path.is_dir():
        where = path if path.is_dir() else path.absolute().parent
        raise InputError(f"{what} = {str(path)!r}: {where} is no folder for it")
    refuse_link(what, path)


@contextlib.contextmanager
def whole(path: str | Path) -> Iterator[Path]:
    """Yields a new name of the same ending, for a library that writes a file by itself: what it has
    written there becomes the file, or the old one stays.
    """
    path = Path(path)
    part = path.with_name(f".{path.stem}.{os.getpid()}.new{path.suffix}")
    part.unlink(missing_ok=True)
    try:
        yield part
        os.replace(part, path)
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def replace(path: str | Path, *content: str | bytes | memoryview, private: bool = False) -> None:
    """Writes the whole new content of a file, part after part, or leaves the old one. A link there
    is replaced, what it leads to stays. private: the user alone may read it. OSError.
    """
    path = Path(path)
    new = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.new")
    flags, mode = os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666
    try:
        with os.fdopen(os.open(new, flags, mode), "wb") as file:
            file.writelines(part.encode() if isinstance(part, str) else part for part in content)
        os.replace(new, path)
    except BaseException:
        with contextlib.suppress(OSError):
            new.unlink(missing_ok=True)
        raise
