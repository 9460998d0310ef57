"""Restart: the whole state of a run in one file, in full precision, whatever the ranks, blocks and threads.

The file is an uncompressed `.npz` (numpy.load reads it): the member `header` is JSON, each other member a
field of the global grid. A checksum stands beside each field and the table of contents at the end, so that
a truncated or damaged file is noticed. It is written beside its final place, synchronised and renamed.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from .specification import explain

version = 1
_piece = 1 << 20   # bytes


@dataclass(frozen=True)
class Header:
    """What a restart says about itself."""

    seconds: float                    # model time since `start`
    start: str                        # date of time zero
    calendar: str
    steps: int                        # steps made since `start`
    precision: str                    # float32 or float64
    grid: Mapping[str, dict]          # fingerprint(), part by part
    extra: Mapping[str, Any] = field(default_factory=dict)   # anything JSON: means half way, series, ...
    version: int = version


def fingerprint(**parts: np.ndarray) -> dict[str, dict]:
    """Shape and hash of each named array that makes a grid: fingerprint(depth=..., wet_levels=..., longitude=...)."""
    return {name: {"shape": list(np.shape(array)),
                   "hash": hashlib.sha256(np.ascontiguousarray(array)).hexdigest()[:16]}
            for name, array in parts.items()}


def write(path: str | Path, fields: Mapping[str, np.ndarray] | Iterable[tuple[str, np.ndarray]], header: Header) -> None:
    """Write a restart on the root rank; an earlier file of that name is replaced only when this one is whole.

    fields: a mapping, or (name, array) pairs one after another, so that only one gathered field is in
    memory at a time. OSError: folder missing, no permission, disk full.
    """
    path = Path(path)
    partial = path.with_name(f".{path.name}.partial")
    try:
        with open(partial, "wb") as raw:
            with zipfile.ZipFile(raw, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
                _put(archive, "header", np.array(json.dumps(asdict(header))))
                for name, array in (fields.items() if isinstance(fields, Mapping) else fields):
                    _put(archive, name, np.asarray(array))
            raw.flush()
            os.fsync(raw.fileno())
        os.replace(partial, path)
        _synchronise(path.parent)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise explain(error, path, f"writing restart {path}") from None
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


class Restart:
    """A restart opened for reading: `header`, `names`, and `restart[name]` -> array, read when asked for."""

    def __init__(self, path: Path, archive: zipfile.ZipFile, header: Header):
        self.path, self.header, self._archive = path, header, archive
        self.names = tuple(name.removesuffix(".npy") for name in archive.namelist() if name != "header.npy")

    def __getitem__(self, name: str) -> np.ndarray:
        """The field on the global grid; ValueError if it is missing or damaged."""
        if name not in self.names:
            from fathom.names import unknown
            raise ValueError(f"{self.path}: " + unknown("field", name, self.names))
        return _get(self._archive, name, self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        self._archive.close()


def read(path: str | Path, *, grid: Mapping[str, dict] | None = None, fields: Iterable[str] = ()) -> Restart:
    """Open a restart and check that it fits: whole file, version, same `grid`, every name in `fields` there.

    FileNotFoundError; ValueError that says what differs.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"restart {path} does not exist")
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError):
        raise ValueError(f"{path} is not a whole restart: truncated, damaged, or another kind of file "
                         f"({path.stat().st_size} bytes)") from None
    try:
        header = _header(archive, path)
        if grid is not None:
            _same_grid(path, header.grid, grid)
        restart = Restart(path, archive, header)
        missing = [name for name in fields if name not in restart.names]
        if missing:
            raise ValueError(f"{path} lacks {', '.join(map(repr, missing))}, which this model needs; it holds {', '.join(restart.names)}")
        return restart
    except BaseException:
        archive.close()
        raise


def _header(archive: zipfile.ZipFile, path: Path) -> Header:
    if "header.npy" not in archive.namelist():
        raise ValueError(f"{path} is not a Fathom restart: it has no header")
    content = json.loads(str(_get(archive, "header", path)))
    if content.get("version") != version:
        raise ValueError(f"{path} has restart version {content.get('version')}; this Fathom reads version {version}")
    return Header(**content)


def _same_grid(path: Path, there: Mapping[str, dict], here: Mapping[str, dict]) -> None:
    differences = []
    for name in {**here, **there}:
        old, new = there.get(name), here.get(name)
        if old is None or new is None:
            differences.append(f"{name} is only in {'this grid' if old is None else 'the restart'}")
        elif old["shape"] != list(new["shape"]):
            differences.append(f"{name} has shape {_by(old['shape'])} in the restart, {_by(new['shape'])} here")
        elif old["hash"] != new["hash"]:
            differences.append(f"{name} has the same shape {_by(old['shape'])} but other values")
    if differences:
        raise ValueError(f"{path} belongs to another grid: " + "; ".join(differences))


def _by(shape: Iterable[int]) -> str:
    return " x ".join(map(str, shape)) or "scalar"


def _put(archive: zipfile.ZipFile, name: str, array: np.ndarray) -> None:
    array = np.asarray(array, order="C")
    with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
        np.lib.format.write_array_header_2_0(member, np.lib.format.header_data_from_array_1_0(array))
        if array.dtype.kind == "U":
            member.write(array.tobytes())
        else:
            content = array.reshape(-1).view(np.uint8)
            for start in range(0, content.size, _piece):   # summed and written while in cache
                member.write(content[start:start + _piece].data)


def _get(archive: zipfile.ZipFile, name: str, path: Path) -> np.ndarray:
    """Read one member straight into its array; the archive checks its sum at the last byte."""
    try:
        with archive.open(f"{name}.npy") as member:
            np.lib.format.read_magic(member)
            shape, _, dtype = np.lib.format.read_array_header_2_0(member)
            array = np.empty(shape, dtype)
            view, done = array.reshape(-1).view(np.uint8), 0
            while done < view.size:
                got = member.read(min(_piece, view.size - done))
                if not got:
                    raise EOFError
                view[done:done + len(got)] = np.frombuffer(got, np.uint8)
                done += len(got)
            member.read(1)
            return array
    except (zipfile.BadZipFile, EOFError, ValueError, OSError) as error:
        raise ValueError(f"{path}: field {name!r} is damaged ({error or 'it ends too early'})") from None


def _synchronise(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
