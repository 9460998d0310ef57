"""Observations on many ranks: rows travel to the rank that needs them, and are sorted together.

    own = to_ranks(own, owner, comm)      # rows in order of their owner to rank owner[n]
    own = ordered(own, comm)              # sorted by key over all ranks, each row once
    write(own, "today.parquet", comm)     # one file of all of them
    own = base.read("today.parquet", comm=comm)     # groups of rows, distributed in turn
    write_back(own, "new.parquet", comm)  # one file of all of them
    whole = Whole(own, comm)              # whole.data: those of whole reports; whole.back(own)
    first_of(keys, best, comm)            # the best row of each group of equal keys on all ranks

The sort is a sample sort: each rank sorts its own rows, samples of all give the keys that separate
the ranks, rows travel once, and each rank merges the rows that it receives.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation.observations import base, neighbours, parquet
from fathom.assimilation.observations.base import Observations, columns, order, without_copies

samples = 64  # of each rank


def to_ranks(own: Observations, owner: np.ndarray, comm: Any) -> Observations:
    """Sends row n to rank owner[n], which does not fall with n. Returns the rows that arrive, in
    the order of the ranks, then of the rows; what stays is not packed.
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
    """Returns the rows of all parts, one after the other."""
    if not parts:
        return Observations(value=[])
    return Observations.of({name: np.concatenate([p[name] for p in parts]) for name in columns})


def ordered(own: Observations, comm: Any) -> Observations:
    """Returns this rank's piece of all rows in the order of a file, without copies."""
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
    """Writes one file of the rows of all ranks, which are in order over them: the same on any
    ranks.
    """
    bounds = parquet.group_bounds(sum(comm.allgather(len(own))))
    own, ends, numbers = _levelled(own, bounds, comm)
    base.write_groups(own, ends, numbers, path, comm)


def write_back(own: Observations, path: str | Path, comm: Any) -> None:
    """Writes one file of the rows that `base.read` dealt out to all ranks."""
    bounds, numbers = parquet.dealt(sum(comm.allgather(len(own))), comm)
    ends = np.cumsum([0, *(bounds[n + 1] - bounds[n] for n in numbers)])
    base.write_groups(own, ends, numbers, path, comm)


class Whole:
    """The used rows of a rank, rearranged so that each report is complete on the first rank that
    has a part of it; `data` has them, `back` returns their results to the original ranks.
    """

    def __init__(self, own: Observations, comm: Any) -> None:
        self.comm = comm
        used = np.flatnonzero(own.used)
        reports, number = np.unique(own["report"][used], return_inverse=True)
        home = _dealt(reports, comm)
        asked = comm.alltoall([reports[home == rank] for rank in range(comm.size)])
        owner = np.empty(len(reports), int)
        for rank, told in enumerate(comm.alltoall(_first_ranks(asked))):
            owner[home == rank] = told
        self.rows = [used[owner[number] == rank] for rank in range(comm.size)]
        stay = self.rows[comm.rank]
        came = comm.alltoall([
            {} if rank == comm.rank else own.taken(rows).column
            for rank, rows in enumerate(self.rows)
        ])  # fmt: skip
        came[comm.rank] = own.taken(stay).column
        self.counts = [len(part["value"]) for part in came]
        alone = sum(self.counts) == len(stay)
        self.data = Observations.of(came[comm.rank]) if alone else joined(came)

    def back(self, own: Observations, names: tuple[str, ...]) -> None:
        """Puts columns of `own` back into `data`."""
        bounds = np.cumsum([0, *self.counts])
        for name in names:
            parts = [self.data[name][first:end] for first, end in pairwise(bounds)]
            for rows, part in zip(self.rows, self.comm.alltoall(parts)):
                own[name][rows] = part


def _first_ranks(asked: list[np.ndarray]) -> list[np.ndarray]:
    """Returns the first of the lists in which each number of each of them is."""
    numbers, place = np.unique(np.concatenate(asked), return_inverse=True)
    rank = np.repeat(np.arange(len(asked)), [len(one) for one in asked])
    first = np.full(len(numbers), len(asked))
    np.minimum.at(first, place, rank)
    return np.split(first[place], _ends(len(one) for one in asked))


def first_of(keys: tuple[Any, ...], best: tuple[Any, ...], comm: Any) -> np.ndarray:
    """Returns which rows are the best (least) of all rows with their keys, numbers or texts, on
    whatever rank those are; ties by the last of `best`, which is another for each row.

    Keys are compared by 128 bits made of them. The best rows of a rank ask whether others have
    their keys too; only those meet.
    """
    bits = np.stack([_mixed(keys, seed) for seed in (1, 2)])
    own = _first(bits, best)
    if comm.size == 1:
        return own
    mine = np.flatnonzero(own)
    home = _dealt(bits[0, mine], comm)
    send = [mine[home == rank] for rank in range(comm.size)]
    came = comm.alltoall([bits[:, rows] for rows in send])
    shared = np.split(_several(np.concatenate(came, axis=1)), _ends(len(c[0]) for c in came))
    send = [rows[several] for rows, several in zip(send, comm.alltoall(shared))]
    came = comm.alltoall([[*bits[:, rows], *(b[rows] for b in best)] for rows in send])
    both = [np.concatenate(column) for column in zip(*came)]
    won = np.split(_first(both[:2], tuple(both[2:])), _ends(len(c[0]) for c in came))
    for rows, told in zip(send, comm.alltoall(won)):
        own[rows] = told
    return own


def _first(bits: Any, best: tuple[Any, ...]) -> np.ndarray:
    order, group = neighbours.grouped(*bits, best=best)
    found = np.zeros(len(order), bool)
    found[order] = np.append(True, group[1:] != group[:-1])[: len(order)]
    return found


def _several(bits: np.ndarray) -> np.ndarray:
    """Returns where a key is there more than once."""
    order, group = neighbours.grouped(*bits)
    found = np.zeros(len(order), bool)
    found[order] = np.bincount(group, minlength=1)[group] > 1
    return found


def _ends(counts: Any) -> np.ndarray:
    return np.cumsum(list(counts))[:-1]


def _mixed(keys: Any, seed: int = 0) -> np.ndarray:
    """Returns 64 bits of columns of numbers and texts."""
    rows = []
    for key in keys:
        if np.asarray(key).dtype.kind == "U":
            wide = np.ascontiguousarray(key, "U16").view("u8").reshape(-1, 8)
            rows += list(wide.T)
        else:
            rows.append((np.asarray(key, float) + 0.0).view("u8"))
    mixed = np.full(len(rows[0]), seed, "u8")
    for row in rows:
        mixed = (mixed ^ row) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(32)
        mixed = mixed * np.uint64(0xD6E8FEB86659FD93)
        mixed ^= mixed >> np.uint64(29)
    return mixed


def _dealt(keys: np.ndarray, comm: Any) -> np.ndarray:
    """Returns a rank for each of 64 bits: by these alone, evenly."""
    mixed = keys.view("u8") * np.uint64(0x9E3779B97F4A7C15)
    return ((mixed ^ mixed >> np.uint64(32)) % np.uint64(comm.size)).astype(int)


def _levelled(
    own: Observations, bounds: np.ndarray, comm: Any
) -> tuple[Observations, np.ndarray, range]:
    """Returns rows that are in order over the ranks, so moved that each rank has whole groups
    between `bounds`, as many as the others; where its own groups begin and end, and their numbers.
    """
    counts = comm.allgather(len(own))
    first = sum(counts[: comm.rank])
    groups = len(bounds) - 1
    parting = np.array([groups * rank // comm.size for rank in range(comm.size + 1)])
    owner = np.searchsorted(bounds[parting[1:-1]], first + np.arange(len(own)), "right")
    numbers = range(*parting[comm.rank : comm.rank + 2].tolist())
    mine = bounds[numbers.start : numbers.stop + 1]
    return to_ranks(own, owner, comm), mine - mine[:1].sum(), numbers


def _keys(own: Observations) -> np.ndarray:
    """Returns keys whose bytes are in the order of a file."""
    made = np.empty(len(own), [(name, ">u8") for name in order])
    for name in order:
        made[name] = own[name].astype("i8").view("u8") ^ np.uint64(1 << 63)
    return made.view(f"S{8 * len(order)}")
