"""What all ranks of a run were told: the same, or the run ends before it begins, with words. A rank
that has left, or leaves within a run, would be waited for without an end.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import mpi
from fathom.base.failure import InputError

if TYPE_CHECKING:
    from mpi4py import MPI


def check_same(comm: MPI.Comm, told: Mapping[str, Any]) -> None:
    """Waits until all ranks are here. InputError, on all: they are told different things; what, and
    which ranks. A rank that has left ends all.
    """
    if comm.size == 1:
        return
    words = {name: str(value) for name, value in told.items()}
    own = np.frombuffer(hashlib.sha256(repr(words).encode()).digest(), np.uint8)
    all_ = np.empty((comm.size, own.size), np.uint8)
    request, whole = comm.Iallgather(own.copy(), all_), comm.size == mpi.world.size
    while not request.Test():
        if whole and (rank := mpi.left()) is not None and not request.Test():
            _end(f"rank {rank} has left, which this run needs")
        time.sleep(0.001)
    if (all_ == all_[0]).all():
        return
    every = comm.allgather(words)
    for name in words:
        for rank, other in enumerate(every):
            if other.get(name) != every[0].get(name):
                raise InputError(
                    f"ranks are told different things: {name} = {every[0].get(name)} on rank 0,"
                    f" {other.get(name)} on rank {rank}; a script says the same on all ranks"
                )


@contextmanager
def staying(comm: MPI.Comm) -> Iterator[None]:
    """Surrounds a run: a rank that leaves it by sys.exit ends all ranks, unless all do."""
    try:
        yield
    except SystemExit as leaves:
        whole = comm.size == mpi.world.size
        if comm.size > 1 and not (whole and mpi.all_end()):
            _end(f"rank {comm.rank} left a run by sys.exit({leaves.code!r})")
        raise


def _end(words: str) -> None:
    """Ends all ranks."""
    print(f"fathom: {words}; all ranks were ended", file=sys.stderr)
    mpi.end_all(mpi.world, 1)
