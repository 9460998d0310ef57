"""Restart: the whole state of a run in one file, in full precision, for any ranks, blocks and
threads.

    Fathom restart 5                16 bytes, a new line
    length of the header            15 digits, a new line
    header                          JSON: Header, and of each field shape, type, place and bands
    its CRC-32                      4 bytes
    fields                          one after another, f[row][level][point] in bands of rows: the
                                    numbers of a band, their CRC-32

Header and bands begin at multiples of 64 KiB and are written in one call each, of whole blocks of
that size: no write of a restart is smaller. Bands have a few MB and depend on the grid alone; any
number of ranks write theirs at once, each where it belongs. The file grows next to its final place,
is synchronised and renamed when it is whole. Read without Fathom: band n of a field is
np.memmap(path, dtype, "r", place + n * stride, (rows, levels, points)), the last one with the rest
of the rows; `place` counts from the end of the header's last block.

Versions 3 and 4, which are read too, have fields without gaps and all sums behind the header.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np

from fathom.base.failure import InputError, MissingFileError
from fathom.base.near import near, unknown
from fathom.base.writing import no_link
from fathom.output import files
from fathom.output.specification import explain
from fathom.output.staging import Stage

version = 5
readable = {3: 0, 4: 4, 5: 4}  # version -> bytes of the header's own sum
places = (("longitude", "latitude"), ("x", "y"))  # fields of the grid, to look at a restart
_magic = "Fathom restart "
_block = 1 << 16  # bytes: no write is smaller
_page = 4096  # of versions 3 and 4
_band = 1 << 22  # bytes


@dataclass(frozen=True)
class Header:
    """The metadata of a restart."""

    seconds: float  # model time since `start`
    start: str  # date of time zero
    calendar: str
    steps: int  # steps made since `start`
    precision: str  # float32 or float64
    grid: Mapping[str, dict[str, Any]]  # fingerprint(), part by part
    extra: Mapping[str, Any] = field(
        default_factory=dict
    )  # anything JSON: means half way, series, provenance, ...


def fingerprint(**parts: np.ndarray) -> dict[str, dict[str, Any]]:
    """Returns shape and hash of each named array that makes a grid: fingerprint(depth=...,
    wet_levels=..., longitude=...).
    """
    return {
        name: {
            "shape": list(np.shape(array)),
            "hash": hashlib.sha256(np.ascontiguousarray(array)).hexdigest()[:16],
        }
        for name, array in parts.items()
    }


def rows_of_a_band(shape: tuple[int, int, int], size: int) -> int:
    """Returns rows that are written at a time of a field (levels, rows, points) of numbers of
    `size` bytes.
    """
    levels, rows, points = shape
    return max(1, min(rows, _band // (levels * points * size)))


def create(path: str | Path, header: Header, fields: Mapping[str, tuple[int, int, int]]) -> Begun:
    """Begins a restart, on the root rank: fields (levels, rows, points) by name, to be written band
    by band. OSError: folder missing, no permission, disk full.
    """
    partial = _partial(Path(path))
    dtype = np.dtype(header.precision).newbyteorder("<")
    table: dict[str, dict[str, Any]] = {}
    place = 0
    for name, shape in fields.items():
        rows = rows_of_a_band(shape, dtype.itemsize)
        row = int(shape[0] * shape[2]) * dtype.itemsize
        stride, last = (_blocks(n * row + 4) for n in (rows, (shape[1] - 1) % rows + 1))
        entry = {"shape": list(shape), "dtype": dtype.str, "rows": rows, "stride": stride}
        table[name] = entry | {"place": place}
        place += ((shape[1] - 1) // rows) * stride + last
    text = json.dumps({**asdict(header), "bytes": place, "fields": table}).encode()
    start = f"{_magic}{version}\n{len(text):15d}\n".encode() + text
    start += zlib.crc32(text).to_bytes(4, "little")
    start = start.ljust(_blocks(len(start)), b"\0")
    try:
        if partial.is_symlink():
            partial.unlink()
        file = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_TRUNC | no_link, 0o666)
        try:
            files.put_at(file, [start], 0, files.Writes())
            os.ftruncate(file, len(start) + place)
        except BaseException:
            os.close(file)
            raise
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise explain(error, Path(path), f"writing restart {path}") from None
    return Begun(Path(path), file)


def begun(path: str | Path) -> bool:
    """Returns whether there is one that is not finished."""
    return _partial(Path(path)).exists()


class Begun:
    """An unfinished restart, open on a rank that writes bands. It closes itself when all is
    written. OSError: there is none.
    """

    def __init__(self, path: Path, file: int = -1) -> None:
        self.path, self._file = path, file
        if file < 0:
            self._file = os.open(_partial(path), os.O_RDWR | no_link)
        self._content = _Contents(self._file, path)

    def write_band(
        self,
        name: str,
        row: int,
        values: np.ndarray,
        writes: files.Writes,
        stage: Stage | None = None,
    ) -> None:
        """Writes one band of a field, (levels, rows, points) from `row` on: on any rank, in any
        order, through a staging folder where there is one. OSError: disk full.
        """
        band = np.ascontiguousarray(values.swapaxes(0, 1))
        put = partial(self._put_band, name, row, band.shape, band.dtype, writes)
        if stage is None:
            put(band)
        else:
            stage.put([band], put)

    def write_whole(self, name: str, array: np.ndarray, writes: files.Writes) -> None:
        """Writes all bands of a field; numbers as the restart has them."""
        rows = rows_of_a_band(array.shape, array.itemsize)
        for row in range(0, array.shape[1], rows):
            self.write_band(name, row, array[:, row : row + rows], writes)

    def _put_band(
        self,
        name: str,
        row: int,
        shape: tuple[int, ...],
        dtype: np.dtype,
        writes: files.Writes,
        data: Any,
    ) -> None:
        entry = self._content.fields[name]
        levels, ny, nx = entry["shape"]
        if row % entry["rows"] or shape != (min(entry["rows"], ny - row), levels, nx):
            raise InputError(
                f"{self.path}: rows {row} to {row + shape[0] - 1} with {_by(shape[1:])} numbers are"
                f" no band of {entry['rows']} rows of {name!r}, {_by(entry['shape'])}"
            )
        band = np.frombuffer(data, dtype).astype(entry["dtype"], copy=False)
        tail = zlib.crc32(band).to_bytes(4, "little")
        tail = tail.ljust(_blocks(band.nbytes + 4) - band.nbytes, b"\0")
        place, _ = self._content.band(entry, row // entry["rows"])
        try:
            files.put_at(self._file, [band, tail], place, writes)
        except OSError as error:
            raise explain(error, self.path, f"writing restart {self.path}") from None

    def synchronise(self) -> None:
        """Waits until everything that any rank has written is on disk."""
        os.fsync(self._file)

    def __del__(self) -> None:
        if self._file >= 0:
            os.close(self._file)


def finish(path: str | Path, begun: Begun | None = None) -> None:
    """Makes a complete restart visible, on one rank, when all ranks are done; it now replaces an
    earlier file of that name. begun: the file as this rank has it open.
    """
    path = Path(path)
    partial = _partial(path)
    if not partial.exists():  # another rank has done so
        return
    try:
        if begun is None:
            _synchronise(partial)
        else:
            begun.synchronise()
        os.replace(partial, path)
        _synchronise(path.parent)
    except OSError as error:
        raise explain(error, path, f"writing restart {path}") from None


def write(path: str | Path, fields: Mapping[str, np.ndarray], header: Header) -> None:
    """Writes a restart of global fields (levels, rows, points), on one rank. An earlier one is kept
    if this fails.
    """
    begun = create(path, header, {name: np.shape(array) for name, array in fields.items()})
    writes = files.Writes()
    for name, array in fields.items():
        begun.write_whole(name, array.astype(header.precision, copy=False), writes)
    finish(path, begun)


def begins(path: str | Path) -> bool:
    """Returns whether a file begins as a restart does."""
    with open(path, "rb") as file:
        return file.read(len(_magic)) == _magic.encode()


class Restart:
    """A restart opened for reading: `header`, `names`, and `restart[name]` -> array, read when
    asked for.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_RDONLY)
        try:
            self._content = _Contents(self._file, path)
        except BaseException:
            self.close()
            raise
        known = self._content.known
        self.header = Header(**{name: known[name] for name in Header.__dataclass_fields__})
        self.names = tuple(self._content.fields)

    def __getitem__(self, name: str) -> np.ndarray:
        """Returns the field on the global grid, (levels, rows, points); ValueError if it is missing
        or damaged.
        """
        if name not in self.names:
            raise InputError(f"{self.path}: " + unknown("field", name, self.names))
        entry = self._content.fields[name]
        levels, ny, nx = entry["shape"]
        array = np.empty((ny, levels, nx), entry["dtype"])
        for n, row in enumerate(range(0, ny, entry["rows"])):
            band = array[row : row + entry["rows"]]
            place, of_sum = self._content.band(entry, n)
            tail = np.empty(
                _blocks(band.nbytes + 4) - band.nbytes if "stride" in entry else 4, "u1"
            )
            _pread(self._file, band, place)
            _pread(self._file, tail, of_sum)
            if zlib.crc32(band) != int.from_bytes(tail[:4], "little") or tail[4:].any():
                raise InputError(
                    f"{self.path}: field {name!r} is damaged (rows {row} to {row + len(band) - 1}"
                    " differ from the written ones)"
                )
        return array.swapaxes(0, 1)

    def shape(self, name: str) -> tuple[int, int, int]:
        """Returns (levels, rows, points) of a field."""
        return tuple(self._content.fields[name]["shape"])

    def dtype(self, name: str) -> np.dtype:
        """Returns the type of the numbers of a field."""
        result: np.dtype = np.dtype(self._content.fields[name]["dtype"])
        return result

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file."""
        os.close(self._file)


def check_there(path: Path) -> None:
    """Raises FileNotFoundError, with what is near: there is no such file."""
    if path.is_dir():
        held = sorted(p.name for p in path.glob("*.fathom"))
        hint = f"; it has {', '.join(held)}" if held else ""
        raise MissingFileError(f"restart {path} is a folder{hint}")
    if not path.is_file():
        there = [p.name for p in path.parent.glob("*.fathom")] if path.parent.is_dir() else []
        raise MissingFileError(f"restart {path} does not exist{near(path.name, there)}")


def read(
    path: str | Path,
    *,
    grid: Mapping[str, dict[str, Any]] | None = None,
    fields: Iterable[str] = (),
) -> Restart:
    """Opens a restart and checks that it fits: whole file, version, same `grid`, every name in
    `fields` there.

    FileNotFoundError; ValueError with the difference.
    """
    path = Path(path)
    check_there(path)
    restart = Restart(path)
    try:
        if grid is not None:
            _same_grid(path, restart.header.grid, grid)
        missing = [name for name in fields if name not in restart.names]
        if missing:
            raise InputError(
                f"{path} lacks {', '.join(map(repr, missing))}, which this model needs; it holds"
                f" {', '.join(restart.names)}"
            )
        return restart
    except BaseException:
        restart.close()
        raise


class _Contents:
    """What the header of an open file says, and where its fields are. InputError: it is not whole,
    or no restart.
    """

    def __init__(self, file: int, path: Path) -> None:
        start, size = len(_magic) + 2 + 16, os.fstat(file).st_size
        opening = os.pread(file, start, 0)
        if not opening.startswith(_magic.encode()):
            raise InputError(
                f"{path} is not a whole restart: truncated, damaged, or another kind of file"
                f" ({size} bytes)"
            )
        found = opening[len(_magic) : len(_magic) + 1].decode()
        if found not in map(str, readable):
            *first, last = map(str, readable)
            raise InputError(
                f"{path} has restart version {found}; this Fathom reads versions"
                f" {', '.join(first)} and {last}"
            )
        try:
            length, own = int(opening[-16:]), readable[int(found)]
            text = os.pread(file, length, start)
            sum_ = os.pread(file, own, start + length)
            if own and zlib.crc32(text) != int.from_bytes(sum_, "little"):
                raise InputError("not what was written")
            self.known: dict[str, Any] = json.loads(text)
            self.fields: dict[str, dict[str, Any]] = self.known["fields"]
            self.sums = start + length + own  # of versions 3 and 4
            of_sums = 4 * self.known["bands"] if int(found) < version else 0
            unit = _page if int(found) < version else _block
            self.data = _whole(self.sums + of_sums, unit)
            if own and any(os.pread(file, self.data - self.sums, self.sums)[of_sums:]):
                raise InputError("not what was written")
            end = self.data + self.known["bytes"]
        except (ValueError, KeyError, UnicodeDecodeError):
            raise InputError(
                f"{path} is not a whole restart: its header is damaged or truncated ({size} bytes)"
            ) from None
        if size != end:
            raise InputError(
                f"{path} is not a whole restart: truncated, it has {size} of {end} bytes"
            )

    def band(self, entry: Mapping[str, Any], n: int) -> tuple[int, int]:
        """Returns the place of the n-th band of a field, and that of its sum."""
        levels, ny, nx = entry["shape"]
        row = levels * nx * np.dtype(entry["dtype"]).itemsize
        rows = min(entry["rows"], ny - n * entry["rows"])
        if "stride" in entry:
            place = self.data + entry["place"] + n * entry["stride"]
            return place, place + rows * row
        place = self.data + entry["place"] + n * entry["rows"] * row
        return place, self.sums + 4 * (entry["sums"] + n)


def _partial(path: Path) -> Path:
    return path.with_name(f".{path.name}.partial")


def _whole(size: int, unit: int) -> int:
    """Returns the next multiple of a unit."""
    return -(-size // unit) * unit


def _blocks(size: int) -> int:
    return _whole(size, _block)


def _pread(file: int, array: np.ndarray, place: int) -> None:
    view = memoryview(array.reshape(-1).view(np.uint8))
    while view:
        done = os.preadv(file, [view], place)
        if not done:
            raise InputError("the file ends too early")
        view, place = view[done:], place + done


def _same_grid(
    path: Path, there: Mapping[str, dict[str, Any]], here: Mapping[str, dict[str, Any]]
) -> None:
    differences = []
    for name in {**here, **there}:
        old, new = there.get(name), here.get(name)
        if old is None or new is None:
            differences.append(f"{name} is only in {'this grid' if old is None else 'the restart'}")
        elif old["shape"] != list(new["shape"]):
            differences.append(
                f"{name} has shape {_by(old['shape'])} in the restart, {_by(new['shape'])} here"
            )
        elif old["hash"] != new["hash"]:
            differences.append(f"{name} has the same shape {_by(old['shape'])} but other values")
    if differences:
        raise InputError(f"{path} belongs to another grid: " + "; ".join(differences))


def _by(shape: Iterable[int]) -> str:
    return " x ".join(map(str, shape)) or "scalar"


def _synchronise(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
