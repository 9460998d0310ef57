"""Rectangles of the global grid, each collected from the blocks by its owner: chunks of a store, or
the whole grid for a restart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import mpi
from fathom.output.specification import Region

if TYPE_CHECKING:
    from numpy.typing import DTypeLike


class Gather:
    """Rectangles (first row, end row, first column, end column) and the rank that owns each,
    collected through one plan: the data of a block travel once, packed with all other data for the
    same owner. 0 where no block has water."""

    def __init__(
        self, comm: mpi.MPI.Comm, domain: Any, rectangles: Sequence[Region], owners: Sequence[int]
    ) -> None:
        self.comm = comm
        self.exchanges: dict[tuple[int, int, bool], Any] = {}
        self.mine = {
            n: r for n, (r, owner) in enumerate(zip(rectangles, owners)) if owner == comm.rank
        }
        self.blocks = domain.blocks
        self.here = self._within(self.blocks)
        given = [
            (i0, j0, i1 - i0, j1 - j0, owner) for (j0, j1, i0, i1), owner in zip(rectangles, owners)
        ]
        self.plan = mpi.core.gather_plan(domain.decomposition, "center", 0, given, comm.rank)

    def __call__(self, windows: Sequence[np.ndarray]) -> dict[int, np.ndarray]:
        """Returns {position: array} of the rectangles that this rank owns, of one array (levels,
        rows, columns), float32 or float64, for each of its blocks. Called by all ranks.
        """
        windows = [np.ascontiguousarray(w) for w in windows]
        if self.here is not None:
            return {n: np.ascontiguousarray(windows[0][:, j, i]) for n, (j, i) in self.here.items()}
        levels = len(windows[0])
        wholes = {
            n: np.zeros((levels, j1 - j0, i1 - i0), windows[0].dtype)
            for n, (j0, j1, i0, i1) in self.mine.items()
        }
        exchange = self._exchange(levels, windows[0].itemsize)
        exchange.start([[_by_rows(w) for w in windows]])
        exchange.finish([[_by_rows(w) for w in wholes.values()]])
        return wholes

    def back(
        self, wholes: Mapping[int, np.ndarray], levels: int, dtype: DTypeLike
    ) -> list[np.ndarray]:
        """Returns, the other way, arrays (levels, rows, columns) for each block, from the
        rectangles that this rank owns, {position: array}. One message a pair of ranks; called by
        all ranks.
        """
        windows = [np.zeros((levels, ny, nx), dtype) for _, _, ny, nx in self.blocks]
        if self.here is not None:
            for n, (j, i) in self.here.items():
                windows[0][:, j, i] = wholes[n]
            return windows
        given = [np.ascontiguousarray(wholes[n], dtype) for n in self.mine]
        exchange = self._exchange(levels, windows[0].itemsize, back=True)
        exchange.start([[_by_rows(w) for w in given]])
        exchange.finish([[_by_rows(w) for w in windows]])
        return windows

    def _within(self, blocks: Any) -> dict[int, tuple[slice, slice]] | None:
        """Returns rows and columns of the one block of a single rank for each rectangle: nothing
        travels; None where a rectangle is not in it.
        """
        if self.comm.size > 1 or len(blocks) > 1:
            return None
        ((j, i, ny, nx),) = blocks
        if any(
            j0 < j or j1 > j + ny or i0 < i or i1 > i + nx for j0, j1, i0, i1 in self.mine.values()
        ):
            return None
        return {
            n: (slice(j0 - j, j1 - j), slice(i0 - i, i1 - i))
            for n, (j0, j1, i0, i1) in self.mine.items()
        }

    def _exchange(self, levels: int, size: int, back: bool = False) -> Any:
        key = levels, size, back
        if key not in self.exchanges:
            plan = self.plan.adjoint() if back else self.plan
            self.exchanges[key] = mpi.core.Exchange.of_plans(
                self.comm.py2f(), [plan], size, [("center", False, 0, levels)]
            )
        return self.exchanges[key]


def _by_rows(array: np.ndarray) -> np.ndarray:
    """Returns the numbers as (rows, levels, columns), the order of fields."""
    return array.swapaxes(0, 1)
