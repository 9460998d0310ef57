"""Bi-Fourier transforms of NumPy arrays: periodic fields on a plane, coefficients of an elliptic
truncation.

    from fathom.grids.transform import BiFourier

    transform = BiFourier((300, 270), 10e3, grid="quadratic")   # 270 rows of 300 points, 10 km
    field = transform.inverse(coefficients)
        # (..., waves) complex -> (..., rows, points)
    coefficients = transform.direct(field)
    east, north = transform.gradient(coefficients)          # along x and y, 1/m
    u, v = transform.wind(vorticity, divergence)
    vorticity, divergence = transform.vorticity_divergence(u, v)

    f(x, y) = sum c_mn exp(i (k x + l y)),      k = 2 pi m / L_x,  l = 2 pi n / L_y

over |m| <= M, |n| <= N_m = floor(N sqrt(1 - m^2 / M^2)). Kept are m > 0, and m = 0 with n >= 0; the
first coefficient is the mean. The mean of a vorticity or divergence is 0: in its place the first
coefficient of the divergence is the mean of u, that of the vorticity the mean of v [m/s].
"""

from __future__ import annotations

import numpy as np

from fathom.base.failure import InputError
from fathom.base.mpi import MPI, core
from fathom.grids.transform.fields import FieldTransform, check, precisions

#: Points for a wave, along both directions: 2 M + 1, 3 M + 1, 4 M + 1.
orders = {"linear": 2, "quadratic": 3, "cubic": 4}


class BiFourier(FieldTransform):
    """Transforms between a periodic plane and an elliptic truncation, in this process.

    points: along x and y, any numbers; fast where they have no prime factors above 5
    spacing: of the points [m], one number or one for each direction
    grid: "linear", "quadratic" or "cubic": truncation (points - 1) // 2, // 3, // 4
    truncation: (M, N) instead
    precision: "fp64" or "fp32"
    threads: 0: OMP_NUM_THREADS

    m, n: wavenumbers of the coefficients: (0, 0), ... (0, N), (1, -N_1), ... (1, N_1), ... (M, 0)
    k, l: the same in 1/m
    """

    def __init__(
        self,
        points: tuple[int, int],
        spacing: float | tuple[float, float],
        *,
        grid: str = "quadratic",
        truncation: tuple[int, int] | None = None,
        precision: str = "fp64",
        threads: int = 0,
    ) -> None:
        check("precision", precision, precisions)
        check("grid", grid, orders)
        nx, ny = (int(n) for n in points)
        dx, dy = np.broadcast_to(np.asarray(spacing, float), 2).tolist()
        order = orders[grid]
        self.truncation = truncation or ((nx - 1) // order, (ny - 1) // order)
        self.shape, self.lengths = (ny, nx), (nx * dx, ny * dy)
        whole = core.arrange(
            core.Topology(nx, ny, True), [1] * (nx * ny), 1, [0, nx], [0, ny], [0], 0
        )
        kind = core.BiFourier64 if precision == "fp64" else core.BiFourier32
        made = kind(
            MPI.COMM_SELF.py2f(), (nx, ny), self.truncation, self.lengths, whole, threads=threads
        )
        super().__init__(made, precision)
        self.k, self.l = (2 * np.pi * w / size for w, size in zip((self.m, self.n), self.lengths))

    def index(self, m: int, n: int) -> int:
        """Returns place of coefficient (m, n)."""
        found = np.flatnonzero((self.m == m) & (self.n == n))
        if not len(found):
            raise InputError(
                f"there is no coefficient m = {m}, n = {n}; {self!r} keeps m > 0, and m = 0 with"
                " n >= 0, within its ellipse"
            )
        return int(found[0])

    def __repr__(self) -> str:
        M, N = self.truncation
        return (
            f"BiFourier({M} × {N} waves, {self.shape[0]} rows of {self.shape[1]} points,"
            f" {self.precision})"
        )
