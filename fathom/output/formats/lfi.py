"""LFI ("logiciel de fichiers indexés", Météo-France): a file of articles with names, each any
number of 64-bit words, all big-endian.

    record 0
        header: words of a record, letters of a name, whether it is open, words of the header,
        records, articles, ...
    record 1, 2
        an index: names of 16 letters; words and place of each article (the first word of the file
        is 1). If half a record has too few places, there are more such pairs; their numbers
        (from 1) are at the end of the header, backwards. An article without a name is a hole
    then
        the articles, one after another; the last record is whole

A record is a multiple of 512 words. Here it is as long as one index needs; files of others may have
several. Articles are read one by one, in any order.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np

from fathom.base.failure import FileError, InputError
from fathom.base.near import unknown
from fathom.output import files

_unit, _letters, _header = (
    512,
    16,
    22,
)  # words of the shortest record, letters of a name, words of the header
_end = "**FIN D'INDEX** "


def text(letters: str) -> np.ndarray:
    """Returns letters as words, filled up with blanks."""
    data = letters.encode()
    return np.frombuffer(data + b" " * (-len(data) % 8), ">i8")


def write(
    path: Path,
    articles: Mapping[str, list[np.ndarray]],
    writes: files.Counted,
    moment: tuple[int, int] = (19700101, 0),
) -> None:
    """Writes a new file, or a new one instead of an old one, of articles made of pieces, arrays of
    integers or floats. moment: YYYYMMDD, HHMMSS of the header; that of the content, so that the
    same content is the same bytes. ValueError for names that LFI cannot hold."""
    for name in articles:
        if not 0 < len(name) <= _letters or not name.isascii() or name != name.strip():
            raise InputError(
                f"{path}: an article of LFI has a name of 1 to {_letters} letters of ASCII, none of"
                f" them blank at its ends; not {name!r}"
            )
    sizes = [sum(piece.size for piece in pieces) for pieces in articles.values()]
    record = _unit * -(-2 * (len(sizes) + 1) // _unit)  # one place is left for the end
    places = 3 * record + 1 + np.cumsum([0, *sizes])
    filling = -int(places[-1] - 1) % record
    header = np.zeros(record, np.int64)
    header[:9] = (
        record,
        _letters,
        0,
        _header,
        (places[-1] - 1 + filling) // record,
        len(sizes),
        min(sizes),
        max(sizes),
        sum(sizes),
    )
    header[12], header[13:19], header[19], header[21] = record // 2, moment * 3, 1, header[4]
    names = text(
        "".join(name.ljust(_letters) for name in articles) + _end * (record // 2 - len(sizes))
    )
    index = np.zeros((record // 2, 2), np.int64)
    index[: len(sizes)] = np.stack([sizes, places[:-1]], 1)
    partial = path.with_name(path.name + ".partial")
    with _Stream(partial, writes) as stream:
        for piece in (
            header,
            names,
            index.ravel(),
            *(piece for pieces in articles.values() for piece in pieces),
            np.zeros(filling, np.int64),
        ):
            stream.put(piece)
    os.replace(partial, path)


class _Stream:
    """Words that leave in calls of `files.buffer()`, turned on their way through the cache."""

    def __init__(self, path: Path, writes: files.Counted) -> None:
        self.path, self.writes, self.held = path, writes, 0
        self.words = np.empty(files.buffer() // 8, ">i8")

    def __enter__(self) -> Self:
        self.file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        return self

    def put(self, piece: np.ndarray) -> None:
        target = self.words.view(">f8") if piece.dtype.kind == "f" else self.words
        while piece.size:
            room = min(piece.size, self.words.size - self.held)
            target[self.held : self.held + room] = piece[:room]
            piece, self.held = piece[room:], self.held + room
            if self.held == self.words.size:
                self._leave()

    def _leave(self) -> None:
        files.put(self.file, [self.words[: self.held].view("u1")], self.writes)
        self.held = 0

    def __exit__(self, failed: type[BaseException] | None, *_: object) -> None:
        try:
            if failed is None and self.held:
                self._leave()
        finally:
            os.close(self.file)


def begins(path: Path) -> bool:
    """Returns whether a file looks like LFI; a folder does not."""
    if not path.is_file():
        return False
    with open(path, "rb") as file:
        record, letters, _, header = (int.from_bytes(file.read(8), "big") for _ in range(4))
    return record > 0 and record % _unit == 0 and (letters, header) == (_letters, _header)


class Articles(Mapping[str, Any]):
    """The articles of a file by name, each read when it is asked for: native int64 (`.view(float)`
    where it holds floats). ValueError for what is not LFI, OSError for what is damaged."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not begins(self.path):
            raise InputError(f"{path} is not LFI or FA: its header is wrong")
        self._size = self.path.stat().st_size // 8
        header = self._words(0, _header)
        if header[2]:
            raise FileError(f"{path} is damaged: its writer did not finish")
        self._index: dict[str, tuple[int, int]] = {}
        record, count = int(header[0]), int(header[5])
        for pair in [1, *self._more(record, count)]:
            here = min(count, record // 2)
            letters, numbers = (
                self._words(pair * record, 2 * here).byteswap().tobytes(),
                self._words((pair + 1) * record, 2 * here).reshape(here, 2),
            )
            for n, (size, place) in enumerate(numbers.tolist()):
                name = letters[_letters * n : _letters * (n + 1)].decode("latin1").rstrip()
                if name:
                    if not 0 < place - 1 <= place - 1 + size <= self._size:
                        raise FileError(
                            f"{path} is truncated: article {name} ends at byte"
                            f" {8 * (place - 1 + size)}, the file at byte {8 * self._size}"
                        )
                    self._index[name] = place - 1, size
            count -= here

    def _more(self, record: int, count: int) -> list[int]:
        """Returns where the second and all following indices begin."""
        more = -(-count // (record // 2)) - 1
        return (
            [int(number) - 1 for number in self._words(record - more, more)[::-1]]
            if more > 0
            else []
        )

    def _words(self, place: int, size: int) -> np.ndarray:
        found = np.empty(size, np.int64)
        view, at = memoryview(found).cast("B"), 8 * place
        with open(self.path, "rb", buffering=0) as file:
            while view:
                read = os.preadv(file.fileno(), [view], at)
                if not read:
                    raise FileError(
                        f"{self.path} is truncated: it ends at byte {self.path.stat().st_size},"
                        " within its index or an article"
                    )
                view, at = view[read:], at + read
        return found.byteswap(inplace=True)

    def __getitem__(self, name: str) -> np.ndarray:
        return self._words(*self._place(name))

    def beginning(self, name: str, size: int) -> np.ndarray:
        """Returns the first words of an article."""
        place, there = self._place(name)
        return self._words(place, min(size, there))

    def size(self, name: str) -> int:
        """Returns the size in words."""
        return self._place(name)[1]

    def _place(self, name: str) -> tuple[int, int]:
        if name not in self._index:
            raise InputError(unknown(f"article of {self.path.name}:", name, self._index))
        return self._index[name]

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)
