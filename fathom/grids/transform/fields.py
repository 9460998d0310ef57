"""Common parts of the transforms of sphere and plane: fields and coefficients as NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.base.mpi import core
from fathom.base.near import near

precisions = {"fp64": (np.float64, np.complex128), "fp32": (np.float32, np.complex64)}


def check(what: str, given: Any, allowed: Any) -> None:
    """Raises ValueError for a name that is not allowed, with similar names."""
    if given not in allowed:
        names = [str(a) for a in allowed]
        raise InputError(
            f"{what} = {given!r}{near(str(given), names) or ';'} allowed: {', '.join(names)}"
        )


def aligned_zeros(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Returns zeros aligned to a cache line; those of NumPy begin 16 bytes behind one. So no vector
    register crosses two lines.
    """
    line, size = 64, int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + line, np.uint8)
    begin = -memory.ctypes.data % line
    result: np.ndarray = memory[begin : begin + size].view(dtype).reshape(shape)
    return result


class FieldTransform:
    """Fields (..., rows, points) <-> coefficients (..., waves), in this process. Rows run from
    SOUTH to north; all leading axes are fields.

    core: the transform that does the work;     precision: "fp64" or "fp32"
    m, n: wavenumbers of the coefficients
    """

    shape: tuple[int, int]

    def __init__(self, made: Any, precision: str) -> None:
        self.core, self.precision = made, precision
        self.real, self.complex = precisions[precision]
        self._list = core.TransformItems64 if precision == "fp64" else core.TransformItems32
        self.m, self.n = self.core.own.T

    @property
    def waves(self) -> int:
        """Returns number of coefficients of a field."""
        return len(self.m)

    def inverse(self, coefficients: Any) -> np.ndarray:
        """Returns coefficients (..., waves) -> field (..., rows, points)."""
        return self._to_points(
            self.core.inverse, lambda items, c, f: items.scalar(c[0], f[0]), [coefficients], 1
        )[0]

    def direct(self, field: Any) -> np.ndarray:
        """Returns field (..., rows, points) -> coefficients (..., waves)."""
        return self._to_waves(
            self.core.direct, lambda items, c, f: items.scalar(c[0], f[0]), [field], 1
        )[0]

    def gradient(self, coefficients: Any) -> tuple[np.ndarray, np.ndarray]:
        """Returns coefficients -> eastward and northward derivative [1/m]."""
        east, north = self._to_points(
            self.core.inverse,
            lambda items, c, f: items.gradient(c[0], None, f[0], f[1]),
            [coefficients],
            2,
        )
        return east, north

    def wind(self, vorticity: Any, divergence: Any) -> tuple[np.ndarray, np.ndarray]:
        """Returns coefficients of vorticity and divergence [s-1] -> eastward and northward wind [m
        s-1].
        """
        east, north = self._to_points(
            self.core.inverse, lambda items, c, f: items.wind(*c, *f), [vorticity, divergence], 2
        )
        return east, north

    def vorticity_divergence(self, east: Any, north: Any) -> tuple[np.ndarray, np.ndarray]:
        """Returns eastward and northward wind -> coefficients of vorticity and divergence."""
        vorticity, divergence = self._to_waves(
            self.core.direct, lambda items, c, f: items.wind(*c, *f), [east, north], 2
        )
        return vorticity, divergence

    def inverse_adjoint(self, field: Any) -> np.ndarray:
        """Returns the transpose of `inverse`, re and im of the coefficients being separate real
        numbers.
        """
        return self._to_waves(
            self.core.inverse_adjoint, lambda items, c, f: items.scalar(c[0], f[0]), [field], 1
        )[0]

    def gradient_adjoint(self, east: Any, north: Any) -> np.ndarray:
        """Returns the transpose of `gradient`, as that of `inverse`."""
        return self._to_waves(
            self.core.inverse_adjoint,
            lambda items, c, f: items.gradient(c[0], None, f[0], f[1]),
            [east, north],
            1,
        )[0]

    def wind_adjoint(self, east: Any, north: Any) -> tuple[np.ndarray, np.ndarray]:
        """Returns the transpose of `wind`: what belongs to vorticity and to divergence."""
        vorticity, divergence = self._to_waves(
            self.core.inverse_adjoint,
            lambda items, c, f: items.wind(*c, *f),
            [east, north],
            2,
        )
        return vorticity, divergence

    def direct_adjoint(self, coefficients: Any) -> np.ndarray:
        """Returns the transpose of `direct`."""
        return self._to_points(
            self.core.direct_adjoint,
            lambda items, c, f: items.scalar(c[0], f[0]),
            [coefficients],
            1,
        )[0]

    def vorticity_divergence_adjoint(
        self, vorticity: Any, divergence: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns the transpose of `vorticity_divergence`: what belongs to the two winds."""
        east, north = self._to_points(
            self.core.direct_adjoint,
            lambda items, c, f: items.wind(*c, *f),
            [vorticity, divergence],
            2,
        )
        return east, north

    def _to_points(
        self, run: Callable[..., Any], item: Callable[..., Any], given: list[Any], results: int
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
                raise InputError(
                    f"coefficients of shape {array.shape}; {(*(leading or ('...',)), self.waves)}"
                    f" is needed for {self!r}"
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
        self, run: Callable[..., Any], item: Callable[..., Any], given: list[Any], results: int
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
                raise InputError(
                    f"a field of shape {array.shape}; {(*(leading or ('...',)), *self.shape)} is"
                    f" needed for {self!r}"
                )
            if np.iscomplexobj(array):
                raise InputError("a complex field; transform its real and imaginary parts")
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

    def _run(
        self,
        run: Callable[..., Any],
        item: Callable[..., Any],
        columns: list[Any],
        fields: list[Any],
    ) -> None:
        if columns[0].shape[2]:
            items = self._list(self.core)
            item(items, columns, [[f.transpose(1, 0, 2)] for f in fields])
            run(items)
