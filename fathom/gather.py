"""Rectangles of the global grid, each collected from the blocks by its owner: chunks of a store, or the whole grid for a restart."""

import numpy as np


class Gather:
    """Rectangles (first row, end row, first column, end column) and the rank that owns each, collected through one plan: what a block
    gives travels once, packed with all else for the same owner. Values where no block has water are those of `missing`."""

    def __init__(self, comm, domain, rectangles, owners, missing=np.nan):
        from fathom import mpi

        self.comm, self.missing, self.exchanges = comm, missing, {}
        self.mine = [r for r, owner in zip(rectangles, owners) if owner == comm.rank]
        given = [(i0, j0, i1 - i0, j1 - j0, owner) for (j0, j1, i0, i1), owner in zip(rectangles, owners)]
        self.plan = mpi.core.gather_plan(domain.decomposition, "center", 0, given, comm.rank)

    def __call__(self, windows):
        """[(rectangle, array)] that this rank owns, of one array ([levels,] rows, columns), float32 or float64, for each of its blocks.
        Called by all ranks."""
        windows = [np.ascontiguousarray(w) for w in windows]
        *levels, _, _ = windows[0].shape
        wholes = [np.full((*levels, j1 - j0, i1 - i0), self.missing, windows[0].dtype) for j0, j1, i0, i1 in self.mine]
        exchange = self._exchange(*levels or (1,), windows[0].itemsize)
        exchange.start([[_by_rows(w) for w in windows]])
        exchange.finish([[_by_rows(w) for w in wholes]])
        return list(zip(self.mine, wholes))

    def _exchange(self, levels, size):
        from fathom import mpi

        if (levels, size) not in self.exchanges:
            self.exchanges[levels, size] = mpi.core.Exchange.of_plans(self.comm.py2f(), [self.plan], size, [("center", False, 0, levels)])
        return self.exchanges[levels, size]


def _by_rows(array):
    """The same numbers as (rows, levels, columns), the order of fields."""
    return array.swapaxes(0, 1) if array.ndim == 3 else array
