"""Spherical-harmonic transforms of NumPy arrays: fields on a Gaussian grid, coefficients of a
triangular truncation.

    from fathom.grids.transform import SphericalHarmonics

    transform = SphericalHarmonics(159, grid="linear")      # 160 rows of 320 points
    field = transform.inverse(coefficients)
        # (..., waves) complex -> (..., rows, points)
    coefficients = transform.direct(field)
    east, north = transform.gradient(coefficients)          # 1/m
    u, v = transform.wind(vorticity, divergence)
    vorticity, divergence = transform.vorticity_divergence(u, v)

    f(longitude, mu) = sum_{n <= N} sum_{|m| <= n} f_n^m P_n^m(mu) exp(i m longitude),
        1/2 integral (P_n^m)^2 dmu = 1

so that the first coefficient is the mean over the sphere. Only m >= 0 is kept; rows run from SOUTH
to north, points from longitude 0 eastward. All leading axes are fields; many in one call are
several times faster than one by one. docs/transform.md has the equations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.base import earth
from fathom.base.failure import InputError
from fathom.base.mpi import MPI, core
from fathom.grids.transform.fields import FieldTransform, check, precisions

orders = {"linear": 2, "quadratic": 3, "cubic": 4}


def gaussian_grid(truncation: int, grid: str = "quadratic", reduced: str | bool = False) -> Any:
    """Returns rows and points of a Gaussian grid (core.GaussianGrid) for a truncation.

    grid: "linear", "quadratic" or "cubic": 2N + 1, 3N + 1, 4N + 1 points on the longest row, or a
    few more. reduced: False, "classical" or "octahedral" (cubic only): fewer points near the poles.
    """
    check("grid", grid, orders)
    check("reduced", reduced, (False, "classical", "octahedral"))
    if reduced == "octahedral":
        if grid != "cubic":
            raise InputError(
                f"an octahedral grid belongs to a cubic truncation; given grid = '{grid}': use"
                " reduced = 'classical'"
            )
        return core.octahedral_gaussian_grid_of(truncation)
    return (core.classical_gaussian_grid_of if reduced else core.full_gaussian_grid_of)(
        truncation, orders[grid]
    )


class SphericalHarmonics(FieldTransform):
    """Transforms between a Gaussian grid and a triangular truncation, in this process.

    Wavenumbers (m, n) of the coefficients: (0, 0), (0, 1), ... (0, N), (1, 1), ... (N, N).

    Parameters
    ----------
    truncation : N, the largest total wavenumber.
    grid, reduced : see `gaussian_grid`; or `grid` is a core.GaussianGrid. Fields on a reduced grid
        are (..., rows, longest row); what lies beyond the points of a row is 0 in results and is
        not read.
    precision : "fp64" or "fp32".
    radius : of the sphere [m], for derivatives and winds.
    threads : 0: OMP_NUM_THREADS.
    """

    def __init__(
        self,
        truncation: int,
        grid: Any = "quadratic",
        reduced: str | bool = False,
        *,
        precision: str = "fp64",
        radius: float = earth.RADIUS,
        threads: int = 0,
    ) -> None:
        check("precision", precision, precisions)
        if int(truncation) != truncation or truncation < 1:
            raise InputError(f"truncation = {truncation!r} must be a whole number, at least 1")
        self.truncation, self.radius = int(truncation), radius
        self.grid = gaussian_grid(self.truncation, grid, reduced) if isinstance(grid, str) else grid
        rows, longest, points = self.grid.rows, self.grid.longest, np.asarray(self.grid.points)
        self.inside = np.arange(longest) < points[:, None]
        self.shape = self.inside.shape
        levels = self.inside.astype(int).ravel().tolist()
        whole = core.arrange(
            core.Topology(longest, rows, True), levels, 1, [0, longest], [0, rows], [0], 0
        )
        kind = core.SphericalHarmonics64 if precision == "fp64" else core.SphericalHarmonics32
        made = kind(
            MPI.COMM_SELF.py2f(), self.grid, self.truncation, whole, radius=radius, threads=threads
        )
        super().__init__(made, precision)
        self.latitude, self.weight = (
            np.degrees(np.arcsin(self.grid.sine)),
            np.asarray(self.grid.weight),
        )

    def longitude(self, row: int) -> np.ndarray:
        """Returns longitudes of the points of a row [degrees]."""
        points = self.grid.points[row]
        result: np.ndarray = 360.0 * np.arange(points) / points
        return result

    def index(self, m: int, n: int) -> int:
        """Returns place of coefficient (m, n)."""
        if not 0 <= m <= n <= self.truncation:
            raise InputError(
                f"there is no coefficient m = {m}, n = {n}; 0 <= m <= n <= {self.truncation}"
            )
        return m * (2 * self.truncation + 3 - m) // 2 + n - m

    def __repr__(self) -> str:
        return (
            f"SphericalHarmonics(T{self.truncation}, {self.shape[0]} rows of up to {self.shape[1]}"
            f" points, {self.precision})"
        )
