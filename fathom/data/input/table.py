"""Tables of numbers as text: read once, then kept in binary in the user's cache.

    table("depth.txt")      (rows, columns), float64

A line is a row: numbers between blanks or commas, exponents with e or d; what follows # or ! is a
comment. What is kept (zstd of the same 64 bits, sums of text and numbers) is valid as long as the
text has the same size and time, or else the same SHA-256; damaged, it is made again.
"""

from __future__ import annotations

import hashlib
import io
import json
import time
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from fathom.base import cache, writing
from fathom.base.failure import InputError, MissingFileError
from fathom.base.home import at_home
from fathom.base.near import near
from fathom.base.reading import once

VERSION = 1
LEAST = 1 << 16  # bytes: smaller tables are read as they are
YOUNG = (
    2 * 10**9
)  # ns: a text that was changed just now may change again within the resolution of its time
_to_plain = bytes.maketrans(b"!,Dd", b"# Ee")


@once
def table(path: str | Path) -> np.ndarray:
    """Returns the numbers of a text file (rows, columns). FileNotFoundError; ValueError with the
    line where it is no table of numbers.
    """
    file = at_home(path)
    if not file.is_file():
        there = [p.name for p in file.parent.iterdir()] if file.parent.is_dir() else []
        raise MissingFileError(f"there is no table {path}{near(file.name, there)}")
    state, now = file.stat(), time.time_ns()
    if state.st_size < LEAST:
        return parsed(file.read_bytes(), str(path))
    place = _place(file)
    held, payload = _held(place)
    if (
        held.get("size") == state.st_size
        and held.get("changed") == state.st_mtime_ns
        and (values := _decoded(held, payload)) is not None
    ):
        return values
    text = file.read_bytes()
    digest = hashlib.sha256(text).hexdigest()
    values = _decoded(held, payload) if held.get("sha256") == digest else None
    if values is None:
        values = parsed(text, str(path))
    changed = state.st_mtime_ns if now - state.st_mtime_ns > YOUNG else -1
    _keep(place, values, {"size": state.st_size, "changed": changed, "sha256": digest})
    return values


def parsed(text: bytes, name: str) -> np.ndarray:
    """Returns the numbers of a text (rows, columns)."""
    plain = text.removeprefix(b"\xef\xbb\xbf").translate(_to_plain).decode("latin-1")
    try:
        with warnings.catch_warnings(action="ignore"):  # a missing file is an error here
            values = np.loadtxt(io.StringIO(plain), ndmin=2)
    except ValueError as error:
        raise InputError(_fault(text, name) or f"{name} is no table of numbers: {error}") from None
    if not values.size:
        raise InputError(f"{name} has no numbers")
    return values


def _fault(text: bytes, name: str) -> str | None:
    """Returns a text about the first line that does not fit."""
    columns = None
    for number, line in enumerate(text.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        words = line.translate(_to_plain).partition(b"#")[0].split()
        for word in words:
            try:
                float(word)
            except ValueError:
                return f"{name}, line {number}: {word[:40].decode('latin-1')!r} is not a number"
        if words and columns not in (None, len(words)):
            return f"{name}, line {number}: {len(words)} numbers, the lines before have {columns}"
        columns = len(words) or columns
    return None


def _place(file: Path) -> Path | None:
    try:
        return (
            cache.folder("tables")
            / f"{hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:24]}.table"
        )
    except (RuntimeError, OSError):  # no home
        return None


def _held(place: Path | None) -> tuple[dict[str, Any], memoryview]:
    """Returns contents of the cache file: the checksum of the rest, the length of the description,
    the description, the numbers; nothing if it is damaged.
    """
    if place is None:
        return {}, memoryview(b"")
    try:
        content = memoryview(place.read_bytes())
        total, length = (int.from_bytes(content[n : n + 4], "little") for n in (0, 4))
        if total == zlib.crc32(content[4:]):
            return json.loads(bytes(content[8 : 8 + length])), content[8 + length :]
    except (OSError, ValueError):  # none
        pass
    return {}, memoryview(b"")


def _decoded(held: dict[str, Any], payload: memoryview) -> np.ndarray | None:
    """Returns the numbers that are kept, or None where another version kept them."""
    try:
        from numcodecs import Blosc

        if held["version"] != VERSION:
            return None
        values = np.empty(held["shape"])
        Blosc().decode(payload, values)
        return values
    except (ImportError, KeyError, ValueError, RuntimeError):
        return None


def _keep(place: Path | None, values: np.ndarray, of: dict[str, Any]) -> None:
    """Keeps values of a table, without a message where they cannot be kept."""
    if place is None:
        return
    try:
        from numcodecs import Blosc

        payload = Blosc("zstd", 1, Blosc.BITSHUFFLE).encode(np.ascontiguousarray(values))
        head = json.dumps({"version": VERSION, "shape": values.shape} | of).encode()
        head = len(head).to_bytes(4, "little") + head
        place.parent.mkdir(parents=True, exist_ok=True)
        check = zlib.crc32(payload, zlib.crc32(head)).to_bytes(4, "little")
        writing.replace(place, check, head, payload, private=True)
    except (ImportError, AttributeError, OSError):
        pass
