"""Observations on many ranks: rows travel to the rank that needs them, and are sorted together.

    own = to_ranks(own, owner, comm)      # rows in order of their owner to rank owner[n]
    own = ordered(own, comm)              # sorted by key over all ranks, each row once
    write(own, "today.parquet", comm)     # one file of all of them

The sort is a sample sort: each rank sorts its own rows, samples of all give the keys that part the
ranks, rows travel once, and each rank merges what it was given.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from fathom.observations import base, parquet
from fathom.observations.base import Observations, columns, order, without_copies

samples = 64  # of each rank


def to_ranks(own: Observations, owner: np.ndarray, comm: Any) -> Observations:
    """Row n goes to rank owner[n], which does not fall with n; they arrive in the order of the
    ranks, then of the rows. What stays is not packed.
    """
    if comm.size == 1:
        return own
    ends = np.searchsorted(owner, np.arange(comm.size + 1))
    parts = [
        {name: values[first:end] for name, values in own.column.items()}
        for first, end in pairwise(ends)
    ]
    stays, parts[comm.rank] = parts[comm.rank], {}
    arrived = comm.alltoall(parts)
    arrived[comm.rank] = stays
    return joined(arrived)


def joined(parts: list[dict[str, np.ndarray]]) -> Observations:
    """The rows of all parts, one after the other."""
    if not parts:
        return Observations(value=[])
    return Observations(**{name: np.concatenate([p[name] for p in parts]) for name in columns})


def ordered(own: Observations, comm: Any) -> Observations:
    """This rank's piece of all rows in the order of a file, without copies."""
    own = without_copies(own.sorted())
    if comm.size == 1:
        return own
    keys = _keys(own)
    taken = keys[np.linspace(0, len(keys) - 1, min(samples, len(keys))).astype(int)]
    every = np.sort(np.concatenate(comm.allgather(taken)))
    at = np.arange(1, comm.size) * len(every) // comm.size
    owner = np.searchsorted(every[at], keys, "right") if len(every) else np.zeros(0, int)
    return without_copies(to_ranks(own, owner, comm).sorted())


def write(own: Observations, path: str | Path, comm: Any) -> None:
    """One file of the rows of all ranks, which are in order over them: the same on any ranks."""
    bounds = parquet.group_bounds(sum(comm.allgather(len(own))))
    own, ends = _levelled(own, bounds, comm)
    base.write_groups(own, ends, path, comm)


def _levelled(own: Observations, bounds: np.ndarray, comm: Any) -> tuple[Observations, np.ndarray]:
    """Rows that are in order over the ranks, so moved that each rank has whole groups between
    `bounds`, as many as the others; and where its own groups begin and end.
    """
    counts = comm.allgather(len(own))
    first = sum(counts[: comm.rank])
    groups = len(bounds) - 1
    parting = np.array([groups * rank // comm.size for rank in range(comm.size + 1)])
    owner = np.searchsorted(bounds[parting[1:-1]], first + np.arange(len(own)), "right")
    mine = bounds[parting[comm.rank] : parting[comm.rank + 1] + 1]
    return to_ranks(own, owner, comm), mine - mine[:1].sum()


def _keys(own: Observations) -> np.ndarray:
    """Keys whose bytes are in the order of a file."""
    made = np.empty(len(own), [(name, ">u8") for name in order])
    for name in order:
        made[name] = own[name].astype("i8").view("u8") ^ np.uint64(1 << 63)
    return made.view(f"S{8 * len(order)}")
