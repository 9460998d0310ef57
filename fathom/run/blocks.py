"""Blocks of a grid on the ranks that compute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import mpi, places
from fathom.run import parallel as spread

if TYPE_CHECKING:
    from fathom.grids.grid import Grid


def domain_of(
    grid: Grid, halo: int, comm: mpi.MPI.Comm, parallel: Mapping[str, Any], order: Sequence[int]
) -> Any:
    """Returns a grid's blocks on the ranks of a communicator, as core.Domain.

    halo : columns of neighbours around a block.
    parallel : how a simulation is distributed, by name (docs/parallel.md).
    order : of ranks in which the pieces are handed out; []: as they are numbered.
    """
    wet, h = np.ascontiguousarray(grid.work_levels, np.int32), grid.horizontal
    blocks, distribution = parallel["blocks"] or (0, 0), parallel["distribution"]
    free = not any(blocks) and distribution not in spread.of_one_block
    if free and parallel["device"] is not None and comm.size == 1:
        blocks = (h.nx, h.ny)  # a launch has all its columns
    if distribution == "auto" and not any(blocks):
        distribution = grid.distribution(comm.size)
    return mpi.core.Domain(
        comm.py2f(),
        h.nx,
        h.ny,
        h.periodic,
        h.fold,
        grid.levels.nz,
        wet.ravel().tolist(),
        halo,
        int(blocks[0]),
        int(blocks[1]),
        distribution,
        parallel["exchange"],
        parallel["sum"],
        h.periodic_j,
        list(order),
    )


def order_of(comm: mpi.MPI.Comm, mapping: str) -> list[int]:
    """Returns ranks in which the pieces of a grid are handed out; []: as they are numbered."""
    return places.by_node(places.of_ranks(comm)) if mapping == "nodes" else []
