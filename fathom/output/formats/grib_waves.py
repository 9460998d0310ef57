"""Messages of GRIB2 that hold waves: coefficients of spherical harmonics of a field on the Gaussian
rows of a grid, templates 3.50 to 3.53, packed by template 5.51 (those of the largest waves are not
packed, others are scaled by a power of n (n + 1)).

For each m = 0 ... N, n = m ... N: real and imaginary part, normalised as here
(fathom/grids/transform/sphere.py).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from fathom.base.mpi import core
from fathom.grids.regrid.schmidt import Schmidt
from fathom.grids.transform import SphericalHarmonics
from fathom.output.formats.grib_map import poles

sample = "sh_ml_grib2"  # of eccodes
_whole = 20  # waves that are not packed


def keys(sphere: Schmidt, truncation: int) -> dict[str, Any]:
    """Returns keys of eccodes, sections 3 and 5."""
    kinds = {
        (False, False): "sh",
        (True, False): "rotated_sh",
        (False, True): "stretched_sh",
        (True, True): "stretched_rotated_sh",
    }
    found: dict[str, Any] = {"gridType": kinds[sphere.rotated, sphere.stretching > 1]}
    found |= dict.fromkeys("JKM", truncation) | {"spectralType": 1, "spectralMode": 1}
    found |= poles(sphere)
    subset = dict.fromkeys(("JS", "KS", "MS"), min(_whole, truncation))
    return found | {"packingType": "spectral_complex"} | subset | {"unpackedSubsetPrecision": 2}


def to_waves(fields: np.ndarray, truncation: int) -> np.ndarray:
    """Returns numbers of messages (fields, numbers), of full Gaussian rows from the south (fields,
    rows, points).
    """
    transform, order = of_rows(truncation, *fields.shape[-2:])
    coefficients = transform.direct(np.asarray(fields, float))[:, order]
    return np.stack([coefficients.real, coefficients.imag], -1).reshape(len(fields), -1)


def to_points(numbers: np.ndarray, truncation: int, rows: int, points: int) -> np.ndarray:
    """Returns (rows, points) from the south."""
    transform, _ = of_rows(truncation, rows, points)
    return transform.inverse(coefficients_of(numbers, truncation, rows, points))


def coefficients_of(numbers: np.ndarray, truncation: int, rows: int, points: int) -> np.ndarray:
    """Returns coefficients in the order of the transform of such rows."""
    _, order = of_rows(truncation, rows, points)
    pairs = numbers.reshape(-1, 2)
    coefficients = np.empty(order.size, complex)
    coefficients[order] = pairs[:, 0] + 1j * pairs[:, 1]
    return coefficients


@lru_cache(4)
def of_rows(truncation: int, rows: int, points: int) -> tuple[SphericalHarmonics, np.ndarray]:
    """Returns the transform, and the places of its coefficients in the order of a message."""
    grid = core.full_gaussian_grid(rows, points)
    transform = SphericalHarmonics(truncation, grid, threads=1)
    return transform, np.lexsort((np.asarray(transform.n), np.asarray(transform.m)))
