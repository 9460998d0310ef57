"""Copies of an input file on the disks of the nodes: one rank reads it, the first of each node
writes what it receives ([parallel] staging).

    with copies.of(path, comm, folder) as here:
        all ranks of comm; folder: a private one of each node; here: the copy on this node

    source:  read a piece, send it ─▶ first rank of each node:  write it into a file that nobody
    takes for a copy
                                      … read back, compare with the CRC-32 of the source,
                                      synchronise, rename

The name of a copy contains its source (path, size, time of change) and its CRC-32: a complete copy
is not made again. The next run removes the rest of a killed run.
"""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base.failure import FileError, file_error
from fathom.output.specification import explain

if TYPE_CHECKING:
    from mpi4py import MPI

_piece = 1 << 24  # bytes


@contextlib.contextmanager
def of(
    path: Path, comm: MPI.Comm, folder: str | Path, *, node: Any = None, keep: bool = True
) -> Iterator[Path]:
    """Gives the copy on this node; keep: it stays there for the next run. OSError, on all ranks the
    same, where the file cannot be read or a copy not be written. node: communicator of the ranks
    that share a folder, by default those of a node.
    """
    from mpi4py import MPI

    shared = comm.Split_type(MPI.COMM_TYPE_SHARED) if node is None else node
    firsts = comm.Split(
        0 if shared.rank == 0 else MPI.UNDEFINED, comm.rank
    )  # the first of them reads
    copy: Any = None  # on all ranks of the node, once the first has made it
    error: OSError | None = None
    if shared.rank == 0:
        try:
            copy = _copy(Path(path), firsts, Path(folder))
        except OSError as failure:
            error = failure
        firsts.Free()
    error = next((failure for failure in comm.allgather(error) if failure is not None), None)
    copy, mine = shared.bcast(copy), shared.rank == 0
    if node is None:
        shared.Free()
    try:
        if error is not None:
            raise error
        yield copy
    finally:
        comm.barrier()  # nobody reads the copy any more
        if mine and copy is not None and not keep:
            copy.unlink(missing_ok=True)


def _copy(path: Path, comm: MPI.Comm, folder: Path) -> Path:
    """Copies the file to the ranks that write; the first one reads it."""
    told = comm.bcast(_described(path) if comm.rank == 0 else None)
    if isinstance(told, OSError):
        raise told
    size, stem = told
    here = next((copy for copy in folder.glob(f"{stem}-*-{path.name}") if _is_whole(copy)), None)
    if min(comm.allgather(here is not None)) and here is not None:
        return here
    for left in folder.glob(f"{stem}-{path.name}.partial-*"):
        if not _runs(int(left.name.rpartition("-")[2])):
            left.unlink(missing_ok=True)
    partial = folder / f"{stem}-{path.name}.partial-{os.getpid()}"
    try:
        total = _received(path, size, comm, None if here else partial)
        if here is None:
            if _sum(partial) != total:
                raise FileError(
                    f"{partial} differs from the data written to it: the disk of the staging folder"
                    " is damaged"
                )
            here = folder / f"{stem}-{total:08x}-{path.name}"
            os.replace(partial, here)
        return here
    finally:
        partial.unlink(missing_ok=True)


def _received(path: Path, size: int, comm: MPI.Comm, partial: Path | None) -> int:
    """Returns all pieces on their way from the first rank into `partial`, on all others at once;
    the CRC-32 of the source. A rank that cannot write continues to receive.
    """
    buffer, total = np.empty(min(size, _piece), np.uint8), 0
    error: OSError | None = None
    target: Any = None
    with contextlib.ExitStack() as opened:
        try:
            target = partial and opened.enter_context(open(partial, "wb"))
        except OSError as failure:
            error = failure
        for at in range(0, size, _piece):
            part = buffer[: min(_piece, size - at)]
            fault = comm.bcast(_read(path, at, part) if comm.rank == 0 else None)
            if fault is not None:
                raise fault
            comm.Bcast(part)
            total = zlib.crc32(part, total)
            if error is None and partial:
                try:
                    target.write(part)
                    if at + len(part) == size:
                        target.flush()
                        os.fsync(target.fileno())
                except OSError as failure:
                    error = failure
    if error is not None and partial is not None:
        raise explain(error, partial, f"copying {path} to {partial.parent}")
    return total


def _read(path: Path, at: int, part: Any) -> Exception | None:
    """Returns a piece of the file; why not."""
    try:
        with open(path, "rb") as file:
            file.seek(at)
            there = file.readinto(part)
    except OSError as error:
        return file_error(error, f"{path} cannot be read: {error.strerror}")
    return (
        None
        if there == len(part)
        else FileError(f"{path} was cut to {at + there} bytes while it was copied")
    )


def _described(path: Path) -> Any:
    """Returns size, and what names of its copies begin with; or the error."""
    try:
        with open(path, "rb") as file:
            held = os.fstat(file.fileno())
    except OSError as error:
        return file_error(error, f"{path} cannot be read: {error.strerror}")
    return (
        held.st_size,
        f"{zlib.crc32(repr((str(path.resolve()), held.st_size, held.st_mtime_ns)).encode()):08x}",
    )


def _is_whole(copy: Path) -> bool:
    return copy.name.split("-")[1] == f"{_sum(copy):08x}"


def _sum(file: Path) -> int:
    total = 0
    with open(file, "rb", buffering=0) as opened:
        while piece := opened.read(_piece):
            total = zlib.crc32(piece, total)
    return total


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
