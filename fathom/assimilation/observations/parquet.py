"""A Parquet file written by ranks together, group of rows by group of rows.

Each rank encodes whole groups as a separate file in memory. Their bytes then follow one another
in one file; in the footer, the places of the groups move by what lies before them. A group holds
what its own rows say, so the file is the same, byte for byte, on any number of ranks.

The footer is Thrift's compact protocol; its fields are those of parquet.thrift (Apache Parquet
format 2.10): FileMetaData 3 num_rows, 4 row_groups; RowGroup 1 columns, 5 file_offset, 7 ordinal;
ColumnChunk 2 file_offset, 3 meta_data; ColumnMetaData 9, 10, 11 offsets of pages.

Before the footer, where readers of Parquet do not look, lie the sums of what is written:

    {"groups": [[bytes, CRC-32], ...], "footer": CRC-32}   CRC-32 of this text, its length   "fsum"
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from fathom.base.failure import InputError

magic = b"PAR1"
marked = "fathom_sums"  # key of the schema's metadata: the file has sums
_sums = b"fsum"  # the end of the sums
_stop, _true, _false, _byte, _i16, _i32, _i64, _double, _binary, _list, _set, _struct = (
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12,
)  # fmt: skip
_rows, _groups = (3,), (4,)  # fields of the footer, from its top
_ordinal = (4, 7)
_offsets = {(4, 5), (4, 1, 2), (4, 1, 3, 9), (4, 1, 3, 10), (4, 1, 3, 11)}


class Alone:
    """A communicator of one rank without MPI, with the functions used here."""

    rank, size = 0, 1

    def allgather(self, value: Any) -> list[Any]:
        """Returns the value of the one rank, in a list."""
        return [value]

    gather = allgather

    def alltoall(self, values: list[Any]) -> list[Any]:
        """Returns what is sent: to itself."""
        return values

    def barrier(self) -> None:
        """Returns at once."""


alone = Alone()


def write(
    path: Path, tables: Sequence[Any], numbers: Sequence[int], schema: Any, comm: Any
) -> None:
    """Writes one file of the tables of all ranks, each the group of rows of its number, from 0; it
    appears when it is whole. All ranks call it. OSError.
    """
    own, ends = _encoded(tables, schema)
    footer = own[_footer_at(own) : -8]
    told = [
        (n, end - start, zlib.crc32(own[start:end]), table.num_rows)
        for n, (start, end), table in zip(numbers, pairwise(ends), tables)
    ]
    of_all = sorted(chain.from_iterable(comm.allgather(told)))
    starts = np.cumsum([len(magic), *(length for _, length, *_ in of_all)]).tolist()
    edit = _Edit(footer, [starts[n] - start for n, start in zip(numbers, ends)], numbers)
    gathered = comm.gather(list(zip(numbers, edit.groups)))
    partial = path.with_name(path.name + ".new")
    if comm.rank == 0:
        partial.write_bytes(magic)
    comm.barrier()  # the file is there
    _put(partial, [(own[a:b], starts[n]) for n, (a, b) in zip(numbers, pairwise(ends))])
    comm.barrier()  # all rows are there
    if comm.rank == 0:
        groups = [group for _, group in sorted(chain.from_iterable(gathered))]
        last = edit.footer(groups, sum(rows for *_, rows in of_all))
        _end(partial, starts[-1], [one[1:3] for one in of_all], last)
        partial.replace(path)
    comm.barrier()  # the file is whole for all


def _put(path: Path, parts: Iterable[tuple[memoryview, int]]) -> None:
    """Writes parts of a file, each from its byte on."""
    with open(path, "r+b") as file:
        for part, start in parts:
            os.pwrite(file.fileno(), part, start)


def _end(file: Path, place: int, groups: Sequence[tuple[int, int]], footer: bytes) -> None:
    """Writes the sums of groups of rows (bytes, CRC-32) and the footer from that byte on."""
    last = footer + len(footer).to_bytes(4, "little") + magic
    with open(file, "r+b") as opened:
        opened.seek(place)
        opened.write(_written_sums(groups, last) + last)


def _written_sums(groups: Sequence[tuple[int, int]], last: bytes) -> bytes:
    """Returns the sums of groups of rows (bytes, CRC-32), and of the end of the file."""
    text = json.dumps({"groups": groups, "footer": zlib.crc32(last)}).encode()
    return text + b"".join(n.to_bytes(4, "little") for n in (zlib.crc32(text), len(text))) + _sums


def check(path: Path, numbers: Sequence[int] | None = None) -> None:
    """Checks that groups of rows and the footer are as they were written; numbers: of which groups,
    None: all. A file of another program has no sums. InputError: they are not.
    """
    with path.open("rb") as file:
        fault = _fault(file, path.stat().st_size, numbers)
    if fault:
        raise InputError(f"{path} is damaged: {fault} from what was written")


def _fault(file: BinaryIO, size: int, numbers: Sequence[int] | None) -> str:
    """Returns what is not as it was written; "": nothing, or nothing is known of it."""

    def bytes_at(place: int, count: int) -> bytes:
        file.seek(max(place, 0))
        return file.read(max(count, 0))

    footer = size - 8 - int.from_bytes(bytes_at(size - 8, 4), "little")
    last = bytes_at(footer, size - footer)
    sum_, length = np.frombuffer(bytes_at(footer - 12, 8).ljust(8, b"\0"), "<u4").tolist()
    text = bytes_at(footer - 12 - length, length)
    if bytes_at(footer - 4, 4) != _sums or zlib.crc32(text) != sum_:
        return "its sums differ" if marked.encode() in bytes_at(max(footer, 0), size) else ""
    said = json.loads(text)
    if zlib.crc32(last) != said["footer"]:
        return "its footer differs"
    place = len(magic)
    if bytes_at(0, place) != magic:
        return "its first bytes differ"
    for n, (count, wanted) in enumerate(said["groups"]):
        if (numbers is None or n in numbers) and zlib.crc32(bytes_at(place, count)) != wanted:
            return f"rows of group {n} differ"
        place += count
    return ""


def _encoded(tables: Sequence[Any], schema: Any) -> tuple[memoryview, list[int]]:
    """Returns a file of tables, and where its groups begin and the last ends."""
    import pyarrow
    from pyarrow import parquet

    target = pyarrow.BufferOutputStream()
    with parquet.ParquetWriter(target, schema, compression="zstd") as writer:
        ends = [target.tell()]
        for table in tables:
            writer.write_table(table)
            ends.append(target.tell())
    return memoryview(target.getvalue()), ends


def _footer_at(file: memoryview) -> int:
    return len(file) - 8 - int.from_bytes(file[-8:-4], "little")


class _Edit:
    """A walk through a footer: its groups of rows, with their places moved and their numbers set,
    and what is around them.
    """

    def __init__(self, data: memoryview, shifts: Sequence[int], numbers: Sequence[int]) -> None:
        self.data, self.of_groups = bytes(data), iter(zip(shifts, numbers))
        self.at, self.copied, self.done = 0, 0, bytearray()
        self.shift, self.number = 0, 0
        self.groups: list[bytes] = []
        self.rows_at, self.group_header = (0, 0), 0
        self._walk(())
        self.tail = self.data[self.after_groups :]

    def footer(self, groups: Sequence[bytes], rows: int) -> bytes:
        """Returns the whole of it with other groups."""
        start, end = self.rows_at
        count = len(groups)
        head = self.data[:start] + _number(rows) + self.data[end : self.group_header]
        header = bytes([count << 4 | _struct]) if count < 15 else (
            bytes([0xF0 | _struct]) + _varint(count)
        )  # fmt: skip
        return head + header + b"".join(groups) + self.tail

    def _walk(self, path: tuple[int, ...]) -> None:
        """Reads a struct."""
        field = 0
        while (byte := self._byte()) != _stop:
            field = field + (byte >> 4) if byte >> 4 else _zigzag(self._read())
            self._value(byte & 15, (*path, field))

    def _value(self, kind: int, path: tuple[int, ...]) -> None:
        start = self.at
        if kind in (_i16, _i32, _i64):
            value = _zigzag(self._read())
            if path in _offsets and value:
                self._replace(start, value + self.shift)
            elif path == _ordinal:
                self._replace(start, self.number)
            elif path == _rows:
                self.rows_at = start, self.at
        elif kind == _binary:
            length = self._read()
            self.at += length
        elif kind in (_list, _set):
            self._items(path)
        elif kind == _struct:
            self._walk(path)
        else:
            self.at += {_byte: 1, _double: 8}.get(kind, 0)

    def _items(self, path: tuple[int, ...]) -> None:
        start, byte = self.at, self._byte()
        count, kind = byte >> 4, byte & 15
        count = self._read() if count == 15 else count
        for _ in range(count):
            if kind in (_true, _false):
                self.at += 1
            elif path == _groups:
                self._group()
            else:
                self._value(kind, path)
        if path == _groups:
            self.group_header, self.after_groups = start, self.at

    def _group(self) -> None:
        self.shift, self.number = next(self.of_groups)
        self.copied, self.done = self.at, bytearray()
        self._walk(_groups)
        self.groups.append(bytes(self.done) + self.data[self.copied : self.at])

    def _replace(self, start: int, value: int) -> None:
        self.done += self.data[self.copied : start] + _number(value)
        self.copied = self.at

    def _byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def _read(self) -> int:
        value, shift = 0, 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7


def _zigzag(value: int) -> int:
    return value >> 1 ^ -(value & 1)


def _number(value: int) -> bytes:
    return _varint(value << 1 ^ value >> 63)


def _varint(value: int) -> bytes:
    made = bytearray()
    while value > 127:
        made.append(value & 127 | 128)
        value >>= 7
    return bytes([*made, value])


def group_bounds(count: int) -> np.ndarray:
    """Returns where groups of `count` rows begin and end: by their number alone, so that many ranks
    have a group each and a large file has few.
    """
    length = int(np.clip(count // 64, 1 << 12, 1 << 17))
    return np.append(np.arange(0, count, length), count)


def dealt(count: int, comm: Any) -> tuple[np.ndarray, range]:
    """Returns bounds of the groups of `count` rows, and the numbers of this rank's, distributed in
    turn: a file is in the order of kinds, so each rank has some of each.
    """
    bounds = group_bounds(count)
    return bounds, range(comm.rank, len(bounds) - 1, comm.size)
