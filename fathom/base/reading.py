"""Input by a few ranks: they open and decode files, and the others receive the contents.
docs/output.md, Input.

    @once                         of a function that opens files: within `with readers` one reader
        calls it and all ranks get its result
    with Readers(comm, 2):
        all ranks of comm do the same within: a model is built, a state is set
    Ahead(readers, load)
        records of which the next are read by threads of the readers while the model runs on

    with told(path)
        a damaged file is an error that names it, with any message of its library

Elsewhere – outside, on a single rank, within a call of a reader – such a function is an ordinary
one. A read error is the same on all ranks. Numbers are sent as they are in memory, so no bit
depends on the rank that reads.
"""

from __future__ import annotations

import functools
import pickle
import threading
import time
import traceback
from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar, cast

from fathom.base import regions, system_calls
from fathom.base.failure import FileError

if TYPE_CHECKING:
    from mpi4py import MPI

Given = ParamSpec("Given")
Made = TypeVar("Made")
Buffer = bytes | bytearray | memoryview

every_rank = "all"  # [parallel] readers: each rank reads for itself
library = threading.RLock()  # NetCDF and HDF5 take one thread at a time
seconds = {
    "reading": 0.0,
    "reading_ahead": 0.0,
    "waiting": 0.0,
    "distributing": 0.0,
}  # of this rank; reading_ahead: by its thread
counts = {"reads": 0, "bytes_received": 0}
files: dict[str, dict[str, float]] = {}  # by what this rank has read: reads, bytes, seconds


@contextmanager
def told(path: object) -> Iterator[None]:
    """Turns the error of a library that reads a file into an OSError that names the file."""
    try:
        yield
    except (FileNotFoundError, MemoryError):
        raise
    except Exception as error:
        *_, (frame, _) = traceback.walk_tb(error.__traceback__)  # the one that raised it
        by_us = str(frame.f_globals.get("__name__", "")).startswith("fathom")
        if by_us or (isinstance(error, OSError) and str(path) in str(error)):
            raise
        text = f"{path} cannot be read: damaged or truncated ({error or type(error)})"
        raise FileError(text) from error


class _Now(threading.local):
    readers: Readers | None = None
    depth = 0  # of reading within reading: a file whose reader opens others
    bytes_within, seconds_within = 0, 0.0  # of the reading that is under way, by others within it


_now = _Now()


def once(load: Callable[Given, Made]) -> Callable[Given, Made]:
    """Returns a function that opens files, which within `with readers` one reader calls for all
    ranks; all call it with the same arguments.
    """

    @functools.wraps(load)
    def shared(*arguments: Given.args, **keywords: Given.kwargs) -> Made:
        readers = _now.readers
        if readers is None and not _now.depth:
            return load(*arguments, **keywords)
        what = _name(load, *arguments[:1])
        if readers is None:
            return cast(Made, _loaded(lambda: load(*arguments, **keywords), "", what))
        return readers.share(lambda: load(*arguments, **keywords), what=what)

    return shared


def _name(load: Callable[..., Any], source: Any = None) -> str:
    """Returns the name of a function, and of the file that it is asked for, if any."""
    name = f"{load.__module__}.{load.__qualname__}".removeprefix("fathom.")
    path = source if isinstance(source, (str, Path)) else None
    path = path or getattr(source, "encoding", {}).get("source")
    return f"{path} ({name})" if path else name


class Readers:
    """The ranks of a communicator that open files: the first of each node, or so many, spread over
    the nodes, or each for itself (`every_rank`). `with` them, functions marked `once`, which come
    one after another, are called by the first; lists (`each`, `Ahead`) are shared among all."""

    def __init__(self, comm: MPI.Comm, number: Any = 0) -> None:
        self.comm = comm
        self.before: list[Readers | None] = []
        self.alone = comm.size == 1 or number == every_rank
        self.ranks = [comm.rank] if self.alone else placed(comm, number)

    def __enter__(self) -> Self:
        self.before.append(_now.readers)
        _now.readers = self
        return self

    def __exit__(self, *_: object) -> None:
        _now.readers = self.before.pop()

    def owner(self, number: int) -> int:
        """Returns the rank that reads the n-th of a list."""
        return self.ranks[number % len(self.ranks)]

    def share(
        self,
        load: Callable[[], Made],
        owner: int | None = None,
        what: str = "",
        spent: str = "reading",
    ) -> Made:
        """Returns the result of load() on its owner, by default the first reader, for all ranks; an
        error there is raised on all. spent: the name under which load() is counted.
        """
        owner = self.ranks[0] if owner is None else owner
        if self.alone:
            return cast(Made, _loaded(load, spent, what))
        value: Any = None
        error: Exception | None = None
        message: Buffer = b""
        arrays: list[memoryview | bytearray] = []
        if self.comm.rank == owner:
            try:
                value = _loaded(load, spent, what)
                message, parts = _packed(value, what)
                arrays = [*parts]
            except Exception as raised:
                error = raised
                message = pickle.dumps((what, _sendable(error), b"", []))
        message = self._sent(message, owner)
        began = time.perf_counter()
        told, theirs, value_, sizes = pickle.loads(message)
        if theirs is not None:
            raise error or theirs
        self._check_agreement(owner, told, what)
        arrays = arrays or [bytearray(size) for size in sizes]
        self._distribute(arrays, owner)
        if self.comm.rank != owner:
            value = pickle.loads(value_, buffers=arrays)
            counts["bytes_received"] += len(message) + sum(sizes)
        seconds["distributing"] += time.perf_counter() - began
        return cast(Made, value)

    def _check_agreement(self, owner: int, told: str, what: str) -> None:
        if told != what:
            raise RuntimeError(
                f"ranks do not read the same: rank {owner} {told or 'a record'}, rank"
                f" {self.comm.rank} {what or 'a record'}. Within `with Readers` all ranks call the"
                " same functions"
            )

    def _distribute(self, arrays: Sequence[Buffer], owner: int) -> None:
        """Sends the owner's arrays to all ranks, in pieces."""
        with regions.region("distributing records", "input", "input"):
            for part in [memoryview(array) for array in arrays]:
                for first in range(0, len(part), _piece):
                    _finish(self.comm.Ibcast(part[first : first + _piece], owner))

    def _sent(self, message: Buffer, owner: int) -> Buffer:
        """Returns the owner's message."""
        size, began = array("q", [len(message)]), time.perf_counter()
        with regions.region("waiting for records", "input", "input", self.comm):
            _finish(self.comm.Ibcast(size, owner), most=2e-3)
        arrived = time.perf_counter()
        message = message or bytearray(size[0])
        _finish(self.comm.Ibcast(message, owner))
        seconds["waiting"] += arrived - began
        seconds["distributing"] += time.perf_counter() - arrived
        return message

    def each(
        self, names: Sequence[Any], load: Callable[[Any], Any], what: str = "fields"
    ) -> Iterator[tuple[Any, Any]]:
        """Yields (name, load(name)) of a list, in order, one after another on all ranks: readers
        share the list and read the next while one is distributed. what: the file, or a name for it.
        """
        ahead = Ahead(self, load, what)
        for n, name in enumerate(names):
            yield name, ahead.get(name, names[n + 1 : n + 1 + len(self.ranks)])


_piece = 1 << 30  # bytes: counts of older libraries are ints
_small, _large = (
    1 << 16,
    1 << 26,
)  # bytes: of arrays that travel with others, of those that are held at a time


class Ahead:
    """Records load(key), each read by a thread of one of the readers before it is needed. load
    makes no calls of MPI.
    """

    def __init__(self, readers: Readers, load: Callable[[Any], Any], what: str = "records") -> None:
        self.readers, self.load, self.given = readers, load, 0
        self.owners: dict[Any, int] = {}  # of a key, the rank that reads it
        self.held: dict[Any, Future[Any]] = {}
        self.what = what
        self.thread = ThreadPoolExecutor(1, "reader")

    def get(self, key: Any, ahead: Collection[Any] = ()) -> Any:
        """Returns the record on all ranks, and those that are read or kept from now on."""
        return self._next(key, ahead, lambda record: record)

    def items(self, key: Any, ahead: Collection[Any] = ()) -> Iterator[tuple[str, Any]]:
        """Yields (name, array) of a record that is a mapping, one after another on all ranks."""
        for names in self._next(key, (key, *ahead), _together):
            part = self._next(key, (key, *ahead), partial(_some, names))
            while part:
                yield names[0], part.pop(names.pop(0))
        self._keep(ahead)

    def rest(self) -> None:
        """Wait until reading has ended: NetCDF works for one thread at a time, and the user's code
        does not know `library`.
        """
        wait(self.held.values())

    def _next(self, key: Any, ahead: Collection[Any], part: Callable[[Any], Any]) -> Any:
        for wanted in (key, *ahead):
            if wanted not in self.owners:  # in turn
                self.owners[wanted], self.given = self.readers.owner(self.given), self.given + 1
            if self.owners[wanted] == self.readers.comm.rank and wanted not in self.held:
                self.held[wanted] = self.thread.submit(self._read, wanted)
        value = self.readers.share(
            lambda: part(self.held[key].result()), self.owners[key], spent="waiting"
        )
        self._keep(ahead)
        return value

    def _keep(self, ahead: Collection[Any]) -> None:
        self.held = {key: value for key, value in self.held.items() if key in ahead}
        self.owners = {key: value for key, value in self.owners.items() if key in ahead}

    def _read(self, key: Any) -> Any:
        return _loaded(lambda: self.load(key), "reading_ahead", self.what)


def placed(comm: MPI.Comm, number: int = 0) -> list[int]:
    """Returns so many ranks, by default one for each node: the first of each node in turn, so that
    each node has one before any has two.
    """
    from mpi4py import MPI

    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    places = comm.allgather((node.rank, node.bcast(comm.rank)))
    node.Free()
    return in_turn(places, number)


def in_turn(places: Sequence[tuple[int, int]], number: int = 0) -> list[int]:
    """Returns ranks in the order of their places (number within the node, first rank of the
    node)."""
    order = sorted(range(len(places)), key=places.__getitem__)
    return order[: number or sum(within == 0 for within, _ in places)]


def _loaded(load: Callable[[], Any], spent: str, what: str) -> Any:
    """Returns load(), what it calls read here and now, a lazy data set read whole. Bytes and
    seconds are counted for `what`, without those of reading within it, which has its own name;
    spent: the name under which all seconds are counted, "" for reading within.
    """
    before, _now.readers = _now.readers, None
    outer, _now.bytes_within, _now.seconds_within = (_now.bytes_within, _now.seconds_within), 0, 0.0
    moved, began = system_calls.moved(), time.perf_counter()
    _now.depth += 1
    try:
        value = load()
        if before is not None and before.comm.size > 1 and hasattr(value, "load"):
            value = value.load()
    finally:
        _now.readers = before
        _now.depth -= 1
        taken, read = time.perf_counter() - began, system_calls.moved().since(moved).read
        if spent:
            seconds[spent] += taken
        if spent != "waiting":  # for a thread, which counts by itself
            _count(what, read - _now.bytes_within, taken - _now.seconds_within)
        _now.bytes_within, _now.seconds_within = outer[0] + read, outer[1] + taken
    return value


def _count(what: str, read: int, taken: float) -> None:
    """Counts one reading of a file."""
    counts["reads"] += 1
    of_file = files.setdefault(what, {"reads": 0, "bytes": 0, "seconds": 0.0})
    of_file["reads"] += 1
    of_file["bytes"] += read
    of_file["seconds"] += taken


def _finish(request: MPI.Request, most: float = 0.0) -> None:
    """Waits for a message, and leaves the core to a reader on the same core: it sleeps for a tenth
    of the time waited, at most so long.
    """
    began = time.perf_counter()
    while not request.Test():
        time.sleep(min(0.1 * (time.perf_counter() - began), most))


def _packed(value: Any, what: str) -> tuple[bytes, list[memoryview]]:
    """Returns a message with all of it but its large arrays, and those."""
    arrays: list[memoryview] = []

    def is_small(buffer: pickle.PickleBuffer) -> bool:
        if buffer.raw().nbytes >= _small:
            arrays.append(buffer.raw())
            return False
        return True

    content = pickle.dumps(value, protocol=5, buffer_callback=is_small)
    return pickle.dumps((what, None, content, [part.nbytes for part in arrays])), arrays


def _some(names: Sequence[str], record: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the arrays of these names."""
    return {name: record[name] for name in names}


def _together(record: Mapping[str, Any]) -> list[list[str]]:
    """Returns the names of a record in groups that are sent at once; the groups fit into the memory
    of all ranks.
    """
    groups: list[list[str]] = []
    room = 0
    for name, values in record.items():
        if room < values.nbytes:
            groups.append([])
            room = _large
        groups[-1].append(name)
        room -= values.nbytes
    return groups


def _sendable(error: Exception) -> Exception:
    """Returns the error, or its part that can be sent."""
    try:
        pickle.loads(pickle.dumps(error))
        return error
    except Exception:
        kind = next(
            (kind for kind in (ValueError, OSError) if isinstance(error, kind)), RuntimeError
        )
        return kind(str(error))
