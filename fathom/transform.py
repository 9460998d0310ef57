"""Spherical-harmonic transforms of NumPy arrays: fields on a Gaussian grid, coefficients of a
triangular truncation.

    from fathom.transform import SphericalHarmonics

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

from collections.abc import Callable
from typing import Any

import numpy as np

from fathom import earth
from fathom.mpi import MPI, core
from fathom.names import near

orders = {"linear": 2, "quadratic": 3, "cubic": 4}
precisions = {"fp64": (np.float64, np.complex128), "fp32": (np.float32, np.complex64)}


def gaussian_grid(truncation: int, grid: str = "quadratic", reduced: str | bool = False) -> Any:
    """Rows and points of a Gaussian grid (core.GaussianGrid) for a truncation.

    grid: "linear", "quadratic" or "cubic": 2N + 1, 3N + 1, 4N + 1 points on the longest row, or a
    few more. reduced: False, "classical" or "octahedral" (cubic only): fewer points near the poles.
    """
    _check("grid", grid, orders)
    _check("reduced", reduced, (False, "classical", "octahedral"))
    if reduced == "octahedral":
        if grid != "cubic":
            raise ValueError(
                f"an octahedral grid belongs to a cubic truncation; given grid = '{grid}': use"
                " reduced = 'classical'"
            )
        return core.octahedral_gaussian_grid_of(truncation)
    return (core.classical_gaussian_grid_of if reduced else core.full_gaussian_grid_of)(
        truncation, orders[grid]
    )


def aligned_zeros(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Zeros that begin at a line of the cache, where NumPy's begin 16 bytes behind one: no register
    of numbers then lies across two lines.
    """
    line, size = 64, int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + line, np.uint8)
    begin = -memory.ctypes.data % line
    return memory[begin : begin + size].view(dtype).reshape(shape)


class SphericalHarmonics:
    """Transforms between a Gaussian grid and a triangular truncation, in this process.

    truncation: N, the largest total wavenumber
    grid, reduced: see `gaussian_grid`; or `grid` is a core.GaussianGrid. Fields on a reduced grid
    are (..., rows, longest row); what lies
        beyond the points of a row is 0 in results and is not read.
    precision: "fp64" or "fp32"
    radius: of the sphere [m], for derivatives and winds
    threads: 0: OMP_NUM_THREADS

    m, n: wavenumbers of the coefficients: (0, 0), (0, 1), ... (0, N), (1, 1), ... (N, N)
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
    ):
        _check("precision", precision, precisions)
        if int(truncation) != truncation or truncation < 1:
            raise ValueError(f"truncation = {truncation!r} must be a whole number, at least 1")
        self.truncation, self.radius, self.precision = int(truncation), radius, precision
        self.real, self.complex = precisions[precision]
        self.grid = gaussian_grid(self.truncation, grid, reduced) if isinstance(grid, str) else grid
        rows, longest, points = self.grid.rows, self.grid.longest, np.asarray(self.grid.points)
        self.inside = np.arange(longest) < points[:, None]
        levels = self.inside.astype(np.int32).ravel()
        whole = core.arrange(
            core.Topology(longest, rows, True), levels, 1, [0, longest], [0, rows], [0], 0
        )
        kind, self._list = (
            (core.SphericalHarmonics64, core.TransformItems64)
            if precision == "fp64"
            else (core.SphericalHarmonics32, core.TransformItems32)
        )
        self.core = kind(
            MPI.COMM_SELF.py2f(), self.grid, self.truncation, whole, radius=radius, threads=threads
        )
        self.m, self.n = self.core.own.T
        self.latitude, self.weight = (
            np.degrees(np.arcsin(self.grid.sine)),
            np.asarray(self.grid.weight),
        )

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, points of the longest row)."""
        return self.inside.shape

    @property
    def waves(self) -> int:
        """Number of coefficients of a field, (N + 1)(N + 2) / 2."""
        return len(self.m)

    def longitude(self, row: int) -> np.ndarray:
        """Longitudes of the points of a row [degrees]."""
        points = self.grid.points[row]
        return 360.0 * np.arange(points) / points

    def index(self, m: int, n: int) -> int:
        """Place of coefficient (m, n)."""
        if not 0 <= m <= n <= self.truncation:
            raise ValueError(
                f"there is no coefficient m = {m}, n = {n}; 0 <= m <= n <= {self.truncation}"
            )
        return m * (2 * self.truncation + 3 - m) // 2 + n - m

    def inverse(self, coefficients: Any) -> np.ndarray:
        """Coefficients (..., waves) -> field (..., rows, points)."""
        return self._to_points(
            self.core.inverse, lambda items, c, f: items.scalar(c[0], f[0]), [coefficients], 1
        )[0]

    def direct(self, field: Any) -> np.ndarray:
        """Field (..., rows, points) -> coefficients (..., waves)."""
        return self._to_waves(
            self.core.direct, lambda items, c, f: items.scalar(c[0], f[0]), [field], 1
        )[0]

    def gradient(self, coefficients: Any) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients -> eastward and northward derivative [1/m]."""
        east, north = self._to_points(
            self.core.inverse,
            lambda items, c, f: items.gradient(c[0], None, f[0], f[1]),
            [coefficients],
            2,
        )
        return east, north

    def wind(self, vorticity: Any, divergence: Any) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients of vorticity and divergence [s-1] -> eastward and northward wind [m s-1]."""
        east, north = self._to_points(
            self.core.inverse, lambda items, c, f: items.wind(*c, *f), [vorticity, divergence], 2
        )
        return east, north

    def vorticity_divergence(self, east: Any, north: Any) -> tuple[np.ndarray, np.ndarray]:
        """Eastward and northward wind -> coefficients of vorticity and divergence."""
        vorticity, divergence = self._to_waves(
            self.core.direct, lambda items, c, f: items.wind(*c, *f), [east, north], 2
        )
        return vorticity, divergence

    def inverse_adjoint(self, field: Any) -> np.ndarray:
        """The transpose of `inverse`, re and im of the coefficients being separate real numbers."""
        return self._to_waves(
            self.core.inverse_adjoint, lambda items, c, f: items.scalar(c[0], f[0]), [field], 1
        )[0]

    def gradient_adjoint(self, east: Any, north: Any) -> np.ndarray:
        """The transpose of `gradient`, as that of `inverse`."""
        return self._to_waves(
            self.core.inverse_adjoint,
            lambda items, c, f: items.gradient(c[0], None, f[0], f[1]),
            [east, north],
            1,
        )[0]

    def direct_adjoint(self, coefficients: Any) -> np.ndarray:
        """The transpose of `direct`."""
        return self._to_points(
            self.core.direct_adjoint,
            lambda items, c, f: items.scalar(c[0], f[0]),
            [coefficients],
            1,
        )[0]

    def __repr__(self) -> str:
        return (
            f"SphericalHarmonics(T{self.truncation}, {self.shape[0]} rows of up to {self.shape[1]}"
            f" points, {self.precision})"
        )

    def _to_points(
        self, run: Callable, item: Callable, given: list, results: int
    ) -> tuple[np.ndarray, ...]:
        leading: tuple[int, ...] | None = None
        columns: list[np.ndarray] = []
        for array in given:
            array = np.asarray(array)
            if (
                array.ndim < 1
                or array.shape[-1] != self.waves
                or (leading is not None and array.shape[:-1] != leading)
            ):
                raise ValueError(
                    f"coefficients of shape {array.shape}; {(*(leading or ('...',)), self.waves)}"
                    f" is needed for T{self.truncation}"
                )
            leading = array.shape[:-1]
            flat = array.reshape(-1, self.waves)
            columns.append(aligned_zeros((self.waves, 2, len(flat)), self.real))
            columns[-1][:, 0], columns[-1][:, 1] = flat.real.T, flat.imag.T
        fields = [
            aligned_zeros((columns[0].shape[2], *self.shape), self.real) for _ in range(results)
        ]
        self._run(run, item, columns, fields)
        return tuple(f.reshape(*(leading or ()), *self.shape) for f in fields)

    def _to_waves(
        self, run: Callable, item: Callable, given: list, results: int
    ) -> tuple[np.ndarray, ...]:
        leading: tuple[int, ...] | None = None
        fields: list[np.ndarray] = []
        for array in given:
            array = np.asarray(array)
            if (
                array.ndim < 2
                or array.shape[-2:] != self.shape
                or (leading is not None and array.shape[:-2] != leading)
            ):
                raise ValueError(
                    f"a field of shape {array.shape}; {(*(leading or ('...',)), *self.shape)} is"
                    f" needed for {self!r}"
                )
            if np.iscomplexobj(array):
                raise ValueError("a complex field; transform its real and imaginary parts")
            leading = array.shape[:-2]
            fields.append(np.ascontiguousarray(array, self.real).reshape(-1, *self.shape))
        columns = [
            aligned_zeros((self.waves, 2, fields[0].shape[0]), self.real) for _ in range(results)
        ]
        self._run(run, item, columns, fields)
        return tuple(
            (c[:, 0] + self.complex(1j) * c[:, 1]).T.reshape(*(leading or ()), self.waves)
            for c in columns
        )

    def _run(self, run: Callable, item: Callable, columns: list, fields: list) -> None:
        if columns[0].shape[2]:
            items = self._list(self.core)
            item(items, columns, [[f.transpose(1, 0, 2)] for f in fields])
            run(items)


def _check(what: str, given: Any, allowed: Any) -> None:
    if given not in allowed:
        names = [str(a) for a in allowed]
        raise ValueError(
            f"{what} = {given!r}{near(str(given), names) or ';'} allowed: {', '.join(names)}"
        )
