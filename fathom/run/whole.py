"""Fields between the blocks of ranks and the global grid on rank 0."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base.failure import InputError
from fathom.output.gather import Gather

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from fathom.base import mpi


class WholeGrid:
    """The global grid on rank 0.

    comm : of the ranks that compute.
    domain : the blocks of the grid (core.Domain).
    shape : of the grid, (ny, nx).
    """

    def __init__(self, comm: mpi.MPI.Comm, domain: Any, shape: Sequence[int]) -> None:
        self.comm, self.shape = comm, tuple(shape)
        ny, nx = self.shape
        self._gather = Gather(comm, domain, [(0, ny, 0, nx)], [0])

    def assemble(self, windows: Sequence[np.ndarray]) -> np.ndarray | None:
        """Returns (levels, ny, nx) from the windows of this rank's blocks, on rank 0; None
        elsewhere.
        """
        found: dict[int, np.ndarray] = self._gather(windows)
        return found.get(0)

    def scatter(
        self, name: str, values: ArrayLike | None, windows: Sequence[np.ndarray]
    ) -> Iterable[np.ndarray]:
        """Returns the values of this rank's blocks, as `windows` has them, from (levels, ny, nx) of
        rank 0; others may give None. InputError on all: they have another shape.
        """
        levels, dtype = windows[0].shape[0], windows[0].dtype
        shape = (levels, *self.shape)
        given = {0: np.asarray(values)} if self.comm.rank == 0 else {}
        fault = bool(given) and given[0].shape != shape
        if self.comm.bcast(fault):
            raise InputError(f"scatter: values of {name} must have the shape {shape}")
        parts: Iterable[np.ndarray] = self._gather.back(given, levels, dtype)
        return parts
