"""Transforms for the tests: one rank or many, plain sums as a reference."""

import numpy as np

from fathom.base.mpi import MPI
from fathom.base.mpi import core as _core

MAKERS = {
    "full": _core.full_gaussian_grid_of,
    "octahedral": _core.octahedral_gaussian_grid_of,
    "classical": _core.classical_gaussian_grid_of,
}
ORDERS = {"linear": 2, "quadratic": 3, "cubic": 4}


def grid_of(truncation, order="quadratic", kind="full"):
    return (
        MAKERS[kind](truncation, ORDERS[order])
        if kind != "octahedral"
        else MAKERS[kind](truncation)
    )


class Case:
    """A transform with a decomposition, and fields as lists of blocks (rows, levels, columns)."""

    def __init__(
        self,
        truncation,
        order="quadratic",
        kind="full",
        precision=8,
        comm=MPI.COMM_SELF,
        blocks=(1, None),
        **options,
    ):
        self.grid = grid_of(truncation, order, kind) if isinstance(order, str) else order
        self.comm, self.truncation, self.dtype = (
            comm,
            truncation,
            np.float64 if precision == 8 else np.float32,
        )
        nx, ny = self.grid.longest, self.grid.rows
        wet = (
            (np.arange(nx)[None, :] < np.asarray(self.grid.points)[:, None])
            .astype(np.int32)
            .ravel()
        )
        px, py = blocks[0], blocks[1] or comm.size
        cuts = lambda n, p: [n * q // p for q in range(p + 1)]
        self.decomposition = _core.arrange(
            _core.Topology(nx, ny, True),
            wet,
            comm.size,
            cuts(nx, px),
            cuts(ny, py),
            [n % comm.size for n in range(px * py)],
            0,
        )
        self.kind = _core.SphericalHarmonics64 if precision == 8 else _core.SphericalHarmonics32
        self.items = _core.TransformItems64 if precision == 8 else _core.TransformItems32
        self.transform = self.kind(
            comm.py2f(), self.grid, truncation, self.decomposition, **options
        )
        self.m, self.n = self.transform.own.T
        self.blocks = [b for b in self.decomposition.blocks if b[5] == comm.rank]
        self.inside = wet.reshape(ny, nx).astype(bool)

    def waves(self, fields, seed=None):
        """Coefficients (waves, 2, fields): zeros, or random numbers that belong to (m, n), with any
        owner.
        """
        a = np.zeros((len(self.m), 2, fields), self.dtype)
        if seed is not None:
            index = {}
            for m in range(self.truncation + 1):
                for n in range(m, self.truncation + 1):
                    index[m, n] = len(index)
            every = np.random.default_rng(seed).normal(size=(len(index), 2, fields))
            a[:] = every[[index[m, n] for m, n in zip(self.m.tolist(), self.n.tolist())]]
            a[self.m == 0, 1] = 0
        return a

    def field(self, levels, values=None):
        """Blocks of a field; values (levels, rows, columns) of the whole grid."""
        blocks = [np.zeros((b[4], levels, b[3]), self.dtype) for b in self.blocks]
        if values is not None:
            for a, (_, i0, j0, bx, by, _) in zip(blocks, self.blocks):
                a[:] = values[:, j0 : j0 + by, i0 : i0 + bx].transpose(1, 0, 2)
        return blocks

    def whole(self, blocks):
        """The field on all ranks, 0 outside the rows: (levels, rows, columns)."""
        mine = (
            np.zeros((blocks[0].shape[1] if blocks else 0, *self.inside.shape)) if blocks else None
        )
        for a, (_, i0, j0, bx, by, _) in zip(blocks, self.blocks):
            mine[:, j0 : j0 + by, i0 : i0 + bx] = a.transpose(1, 0, 2)
        parts = [p for p in self.comm.allgather(mine) if p is not None]
        return sum(parts) * self.inside

    def scalar(self, way, f, field):
        items = self.items(self.transform)
        items.scalar(f, field)
        getattr(self.transform, way)(items)

    def wind(self, way, vorticity, divergence, east, north):
        items = self.items(self.transform)
        items.wind(vorticity, divergence, east, north)
        getattr(self.transform, way)(items)

    def gradient(self, way, f, field, east, north):
        items = self.items(self.transform)
        items.gradient(f, field, east, north)
        getattr(self.transform, way)(items)


def legendre(truncation, sine):
    """P[m, n, row] by recurrence, 1/2 integral P^2 = 1; up to degree truncation + 1."""
    top = truncation + 1
    P = np.zeros((top + 1, top + 2, len(sine)))
    e = lambda n, m: np.sqrt((n * n - m * m) / (4.0 * n * n - 1))
    for m in range(top + 1):
        P[m, m] = (
            1 if m == 0 else P[m - 1, m - 1] * np.sqrt((1 - sine**2) * (2 * m + 1) / (2.0 * m))
        )
        for n in range(m, top):
            P[m, n + 1] = (sine * P[m, n] - (e(n, m) * P[m, n - 1] if n > m else 0)) / e(n + 1, m)
    return P
