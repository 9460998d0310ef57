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

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from fathom.base import mpi
from fathom.base.failure import InputError
from fathom.base.regions import region
from fathom.coupled.vectors import around_centers, around_corners, mean_of_four
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
        """Returns means (cells of the taker, parts), NaN where there is nothing, of the giver's
        values (cells, parts).
        """
        known = self.total > 0
        share = self.matrix @ values
        share /= np.where(known, self.total, 1.0)[:, None]
        if not known.all():
            share[~known] = np.nan
        found: np.ndarray = share
        return found


def weights(giver: Any, taker: Any, by: str) -> Weights:
    """Returns those between the centers of two grids. InputError: grids that are not the same, or
    `Overlap`.

    by: one of `ways`, or "": the same where the grids are, else conservative.
    """
    return weights_of_levels(giver, taker, by, ("center", "center"), (0,))[0]


def weights_of_levels(
    giver: Any, taker: Any, by: str, places: tuple[str, str], levels: Sequence[int]
) -> list[Weights]:
    """Returns the weights of each level, which counts where the giver has it, between points at
    "center" or "corner" of cells: giver's and taker's. Errors as `weights`.
    """
    area = _areas(giver, taker, by, places)
    found: dict[bytes, Weights] = {}
    columns = np.asarray(giver.wet_levels).ravel()
    masks = [columns > level for level in levels]
    for mask in masks:
        if mask.tobytes() not in found:
            found[mask.tobytes()] = _of_mask(area, mask, (giver, taker), places)
    return [found[mask.tobytes()] for mask in masks]


def _areas(giver: Any, taker: Any, by: str, places: tuple[str, str]) -> Any:
    """Returns the sparse matrix of common areas of cells [m2]; of ones, where values are taken as
    they are; None where they are at corners.
    """
    from scipy.sparse import eye_array  # start-up time

    same = shape(giver) == shape(taker) and _alike(giver, taker)
    if by == "same" and not (same and places[0] == places[1]):
        raise InputError(f"by = 'same': {giver!r} is not {taker!r}; give by = 'conservative'")
    if same and by != "conservative":
        return None if places == ("corner", "corner") else eye_array(giver.wet_levels.size)
    return Overlap.of(giver, taker.mapping()).area


def _of_mask(area: Any, mask: np.ndarray, grids: Any, places: tuple[str, str]) -> Weights:
    """Returns the weights of a level that the giver has in columns `mask` (cells,)."""
    from scipy.sparse import diags_array  # start-up time

    giver, taker = grids
    if area is None:  # a corner has a value where its four cells have
        known = _four(mask, around_corners(giver)).astype(float)
        return Weights(diags_array(known).tocsr(), known)
    matrix = _ordered(area @ diags_array(mask.astype(float)))
    total = np.asarray(matrix.sum(1)).ravel()
    if places[0] == "corner":
        matrix = matrix @ mean_of_four(around_centers(giver), mask.size)
    if places[1] == "corner":
        around = around_corners(taker)
        shares = diags_array(np.divide(1.0, total, out=np.zeros_like(total), where=total > 0))
        matrix = mean_of_four(around, total.size) @ shares @ matrix
        total = _four(total > 0, around).astype(float)
        matrix = diags_array(total) @ matrix
    return Weights(_ordered(matrix), total)


def _four(known: np.ndarray, around: np.ndarray) -> np.ndarray:
    """Returns whether all four points around places are there and known (places,)."""
    found: np.ndarray = np.all((around >= 0) & known[np.maximum(around, 0)], axis=0)
    return found


def _ordered(matrix: Any) -> Any:
    """Returns a sparse matrix whose rows are in the order of the grid, without zeros."""
    matrix = matrix.tocsr()
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return matrix


def shape(grid: Any) -> tuple[int, int]:
    """Returns rows and points of a row of a grid."""
    ny, nx = np.shape(grid.wet_levels)
    return ny, nx


def _alike(one: Any, other: Any) -> bool:
    """Returns whether two grids have the same points and areas; levels and land may differ."""
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
        self.in_order = np.array_equal(self.order, np.arange(self.size))
        self.counts = [p.size for p in self.sent], [p.size for p in asked]

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """Returns the needed values (points, numbers), 0 where no rank has one, of this rank's
        (points, numbers). All ranks of both call it.
        """
        each = values.shape[1]
        if self.comm.size == 1:
            own: np.ndarray = values[self.sent[0]]
            if self.in_order:
                return own
            found = np.zeros((self.size, each))
            found[self.order] = own
            return found
        given = [values[positions].ravel() for positions in self.sent]
        sent = np.concatenate(given) if given else np.zeros(0)
        come = np.empty(self.order.size * each)
        counts = [[number * each for number in numbers] for numbers in self.counts]
        self.comm.Alltoallv((sent, counts[0]), (come, counts[1]))
        found = np.zeros((self.size, each))
        found[self.order] = come.reshape(-1, each)
        return found


class Remap:
    """From the giver's points on its ranks to the global grid of the taker, on the taker's ranks.

    comm: the ranks of both programs; takers: those of the taker alone, None on others.
    by: one of `ways`, or a function of the giver's values that returns those of the taker.
    places: where the points are, giver's and taker's; levels: of the giver, that are handed over.
    """

    def __init__(
        self,
        grids: tuple[Any, Any],
        comm: Any,
        takers: Any,
        cells: np.ndarray,
        by: str | Callable[[np.ndarray], np.ndarray],
        places: tuple[str, str] = ("center", "center"),
        levels: Sequence[int] = (0,),
    ) -> None:
        self.grids, self.takers = grids, takers
        self.function = by if callable(by) else None
        ny, nx = shape(grids[1])
        needed = np.zeros(0, np.int64)
        self.own: list[Weights] = []  # of each level, on the share of this rank
        self.cells: list[int] = []  # of the taker, that each of its ranks makes
        if takers is not None and not callable(by):
            ends = [ny * nx * n // takers.size for n in range(takers.size + 1)]
            self.cells = np.diff(ends).tolist()
            whole = weights_of_levels(*grids, by, places, levels)
            parts = [one.rows(*ends[takers.rank : takers.rank + 2]) for one in whole]
            indices = np.concatenate([one.matrix.indices for one in parts])
            needed = np.unique(indices).astype(np.int64)
            self.own = [Weights(_ordered(one.matrix[:, needed]), one.total) for one in parts]
        elif takers is not None and takers.rank == 0:
            needed = np.arange(np.prod(shape(grids[0])))
        self.route = Route(comm, cells, needed)

    def __call__(self, values: np.ndarray) -> np.ndarray | None:
        """Returns the taker's values (levels, parts, ny, nx), NaN where the giver has nothing, on
        all its ranks; None on others. values: of the giver's points of this rank (points, levels,
        parts); or (points,), then (ny, nx) is returned.
        """
        if values.ndim == 1:
            found = self(values[:, None, None])
            return None if found is None else found[0, 0]
        _, levels, parts = values.shape
        with region("messages", "coupled", "exchange"):
            come = self.route(values.reshape(-1, levels * parts))
        if self.takers is None:
            return None
        shape_there = (levels, parts, *shape(self.grids[1]))
        if self.function is not None:
            root = self.takers.rank == 0
            made = self._made(come, shape_there) if root else np.empty(shape_there)
            self.takers.Bcast(made)
            return made
        come = come.reshape(-1, levels, parts)
        with region("map", "coupled"):
            share = np.stack([one(come[:, k]) for k, one in enumerate(self.own)], 1)
        whole = self._of_all(share) if self.takers.size > 1 else share
        return np.moveaxis(whole, 0, -1).reshape(shape_there)

    def _of_all(self, share: np.ndarray) -> np.ndarray:
        """Returns the values of all cells (cells, levels, parts) from the share of each rank."""
        each = int(np.prod(share.shape[1:]))
        counts = [number * each for number in self.cells]
        whole = np.empty((sum(self.cells), *share.shape[1:]))
        with region("messages", "coupled", "exchange"):
            own = np.ascontiguousarray(share)
            self.takers.Allgatherv(own, (whole, counts, None, mpi.MPI.DOUBLE))
        return whole

    def _made(self, come: np.ndarray, there: tuple[int, ...]) -> np.ndarray:
        """Returns what the user's function makes of the giver's values: (ny, nx), with levels and
        the two parts of a vector before these. InputError: another shape.
        """
        assert self.function is not None
        more = tuple(n for n in there[:2] if n > 1)
        given = np.moveaxis(come, 0, -1).reshape(*more, *shape(self.grids[0]))
        made = np.ascontiguousarray(self.function(given), float)
        expected = (*more, *there[2:])
        if made.shape != expected:
            raise InputError(
                f"by = {self.function!r} returned an array {made.shape}; the taker needs {expected}"
            )
        return made.reshape(there)
