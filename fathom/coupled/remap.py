"""Fields of columns from the grid of one program to that of another, between their ranks.

    value of a cell of the taker = sum of A f / sum of A

over the cells of the giver that have water (or air), with A the area that both cells share
(fathom/grids/regrid/overlap.py); on the same grid the value itself. So constants stay, and with the
part of each cell that the giver covers

    sum of value x part x area over the taker's cells = sum of f x area over the giver's

to round-off. Cells that the giver does not reach keep the values that they have.

Each rank of the taker makes a share of its grid: it gets the values that it needs from the ranks
that have them, in one message a pair of ranks. A sum runs over the giver's cells in the order of
its grid, on any ranks: the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from fathom.base import mpi
from fathom.base.failure import InputError
from fathom.grids.regrid.overlap import Overlap

ways = ("same", "conservative")


class Weights(NamedTuple):
    """The sparse matrix of areas [m2] or ones (cells of the taker, cells of the giver), and the sum
    of each row.
    """

    matrix: Any
    total: np.ndarray

    def rows(self, first: int, end: int) -> Weights:
        """Returns those of some cells of the taker."""
        return Weights(self.matrix[first:end], self.total[first:end])

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """Returns means (cells of the taker), NaN where there is nothing, of the giver's values."""
        known = self.total > 0
        return np.where(known, (self.matrix @ values) / np.where(known, self.total, 1.0), np.nan)


def weights(giver: Any, taker: Any, by: str) -> Weights:
    """Returns the weights between two grids. InputError: grids that are not the same, or `Overlap`.

    by: one of `ways`, or "": the same where the grids are, else conservative.
    """
    from scipy.sparse import diags_array  # start-up time

    wet = (np.asarray(giver.wet_levels) > 0).ravel().astype(float)
    same = shape(giver) == shape(taker) and _alike(giver, taker)
    if by == "same" and not same:
        raise InputError(f"by = 'same': {giver!r} is not {taker!r}; give by = 'conservative'")
    if same and by != "conservative":
        return Weights(diags_array(wet).tocsr(), wet)
    area = Overlap.of(giver, taker.mapping()).area @ diags_array(wet)
    matrix = area.tocsr()
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return Weights(matrix, np.asarray(matrix.sum(1)).ravel())


def shape(grid: Any) -> tuple[int, int]:
    """Returns rows and points of a row of a grid."""
    ny, nx = np.shape(grid.wet_levels)
    return ny, nx


def _alike(one: Any, other: Any) -> bool:
    """Whether two grids have the same points and areas; levels and land may differ."""
    places = zip(one.coordinates(), other.coordinates(), strict=True)
    return all(np.array_equal(*pair) for pair in places) and np.array_equal(
        one.areas[0], other.areas[0]
    )


class Route:
    """Values of the giver's points to the ranks of the taker that need them.

    comm: the ranks of both; cells: numbers of the giver's points of this rank, none where it is not
    one of the giver's; needed: numbers that this rank needs, ascending.
    """

    def __init__(self, comm: Any, cells: np.ndarray, needed: np.ndarray) -> None:
        self.comm = comm
        owned = comm.allgather(np.asarray(cells, np.int64))
        asked, order = [], []
        for points in owned:
            position = np.searchsorted(needed, points)
            there = np.flatnonzero(position < needed.size)
            there = there[needed[position[there]] == points[there]]
            asked.append(there)  # positions among the values of that rank
            order.append(position[there])
        self.sent = [np.asarray(positions) for positions in comm.alltoall(asked)]
        self.order = np.concatenate(order) if order else np.zeros(0, int)
        self.size = needed.size
        self.counts = [p.size for p in self.sent], [p.size for p in asked]

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """Returns the needed values, 0 where no rank has one. All ranks of both call it."""
        given = [values[positions] for positions in self.sent]
        sent = np.concatenate(given) if given else np.zeros(0)
        come = np.empty(self.order.size)
        if self.comm.size > 1:
            self.comm.Alltoallv((sent, self.counts[0]), (come, self.counts[1]))
        else:
            come[:] = sent
        found = np.zeros(self.size)
        found[self.order] = come
        return found


class Remap:
    """From the giver's points on its ranks to the global grid of the taker, on the taker's ranks.

    comm: the ranks of both programs; takers: those of the taker alone, None on others.
    by: `weights`, or a function of the giver's values (ny, nx) that returns those of the taker.
    """

    def __init__(
        self,
        grids: tuple[Any, Any],
        comm: Any,
        takers: Any,
        cells: np.ndarray,
        by: str | Callable[[np.ndarray], np.ndarray],
    ) -> None:
        self.grids, self.takers = grids, takers
        self.function = by if callable(by) else None
        ny, nx = shape(grids[1])
        needed = np.zeros(0, np.int64)
        self.own: Weights | None = None
        self.counts: list[int] = []
        if takers is not None and not callable(by):
            ends = [ny * nx * n // takers.size for n in range(takers.size + 1)]
            self.counts = np.diff(ends).tolist()
            part = weights(*grids, by).rows(*ends[takers.rank : takers.rank + 2])
            needed = np.unique(part.matrix.indices).astype(np.int64)
            matrix = part.matrix[:, needed]
            matrix.sort_indices()
            self.own = Weights(matrix, part.total)
        elif takers is not None and takers.rank == 0:
            needed = np.arange(np.prod(shape(grids[0])))
        self.route = Route(comm, cells, needed)

    def __call__(self, values: np.ndarray) -> np.ndarray | None:
        """Returns the taker's field (ny, nx), NaN where the giver has nothing, on all its ranks;
        None on others. values: of the giver's points of this rank.
        """
        come = self.route(values)
        if self.takers is None:
            return None
        ny, nx = shape(self.grids[1])
        if self.function is not None:
            made = self._made(come) if self.takers.rank == 0 else np.empty((ny, nx))
            self.takers.Bcast(made)
            return made
        assert self.own is not None
        share = self.own(come)
        if self.takers.size == 1:
            return share.reshape(ny, nx)
        whole = np.empty(ny * nx)
        self.takers.Allgatherv(share, (whole, self.counts, None, mpi.MPI.DOUBLE))
        return whole.reshape(ny, nx)

    def _made(self, come: np.ndarray) -> np.ndarray:
        """Returns what the user's function makes of the giver's field (ny, nx). InputError: another
        shape.
        """
        assert self.function is not None
        made = np.ascontiguousarray(self.function(come.reshape(shape(self.grids[0]))), float)
        if made.shape != shape(self.grids[1]):
            raise InputError(
                f"by = {self.function!r} returned an array {made.shape}; the taker's grid is"
                f" {shape(self.grids[1])}"
            )
        return made
