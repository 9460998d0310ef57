"""The ground of a spectral model: means over the cells of its rows, truncated as the model
truncates, and the part that truncation removes.

    cell mean
        <h> = sum (overlap of areas) h / (area of the cell),  h on 1/4 degree, `land.nc`
    spectral fit
        h_n^m = sum_rows w P_n^m(mu) h_m(mu),  n <= N,  times exp(-2 (n(n+1) / (N(N+1)))^2)
    deviation
        sigma^2 = <h^2 + sigma_h^2> - <h>^2,  of all scales below a cell: for gravity wave drag

The factor, 0.14 at the truncation, halves the ripples of mountains over the sea.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.base import mpi
from fathom.base.earth import STANDARD_GRAVITY
from fathom.base.failure import InputError
from fathom.base.reading import once
from fathom.data import embedded
from fathom.grids.regrid import sphere
from fathom.grids.regrid.rows import Rows


@once
def orography(grid: Any, truncation: int) -> dict[str, np.ndarray]:
    """Returns surface_geopotential [m2 s-2], fitted to a triangular truncation; orography_deviation
    [m] and land_fraction [1], means over cells.

    grid  anything with the `latitude` [degrees, from south] and the `points` of each row; the
    result is (rows, longest row). Where latitudes are not Gaussian the fit is that of Gaussian rows
    that hold the truncation, interpolated.
    """
    rows = Rows.of(grid)
    data = embedded.read("land", "surface_altitude", "altitude_deviation", "latitude", "longitude")
    height, deviation = (
        data[name].astype(float) for name in ("surface_altitude", "altitude_deviation")
    )
    mean, square = cell_means(np.stack([height, height**2 + deviation**2]), rows)
    ocean = cell_means(
        embedded.read("topography", "ocean_fraction")["ocean_fraction"].astype(float), rows
    )
    fields = {
        "surface_geopotential": STANDARD_GRAVITY
        * (
            fitted(mean, rows, truncation)
            if _is_gaussian(rows)
            else _fitted_elsewhere(height, rows, truncation)
        ),
        "orography_deviation": np.sqrt(np.maximum(square - mean**2, 0)),
        "land_fraction": np.round(np.clip(1 - ocean, 0, 1), 6),
    }
    return {name: rows.unpack(values) for name, values in fields.items()}


def _is_gaussian(rows: Rows) -> bool:
    sine = np.polynomial.legendre.leggauss(rows.points.size)[0]
    return bool(np.abs(np.sin(np.deg2rad(rows.latitude)) - sine).max() < 1e-7)


def _fitted_elsewhere(height: Any, rows: Rows, truncation: int) -> np.ndarray:
    """Returns the fit on Gaussian rows, brought to these; packed."""
    own = Rows.gaussian(2 * ((3 * truncation + 4) // 4))
    field = own.unpack(fitted(cell_means(height, own), own, truncation))
    return sphere.to_rows(field, own.latitude, own.longitude(0), rows)


def cell_means(values: Any, rows: Rows) -> np.ndarray:
    """Returns means of `values` (..., lat, lon), cells of equal angles that begin at the south pole
    and at Greenwich, over the cells of rows; packed.
    """
    values = np.asarray(values, float)
    ny, nx = values.shape[-2:]
    if not rows.sphere.plain:
        return _means_of_samples(values, rows)
    middle = 0.5 * (rows.latitude[1:] + rows.latitude[:-1])
    edges = np.sin(np.deg2rad(np.concatenate([[-90], middle, [90]])))
    to_rows = overlap(np.sin(np.deg2rad(np.linspace(-90, 90, ny + 1))), edges)
    lines = np.stack([to_rows @ field for field in values.reshape(-1, ny, nx)]).reshape(
        *values.shape[:-2], -1, nx
    )
    result = np.empty((*values.shape[:-2], rows.size))
    for points in np.unique(rows.points):
        step = 360 / points
        weights = overlap(
            np.linspace(0, 720, 2 * nx + 1), step * (np.arange(points + 1) + 0.5)
        )  # the cell of point 0 is put once around
        weights = weights[np.roll(np.arange(points), 1)]
        weights = weights[:, :nx] + weights[:, nx:]
        for j in np.flatnonzero(rows.points == points):
            result[..., rows.start[j] : rows.start[j + 1]] = (
                weights @ lines[..., j, :].reshape(-1, nx).T
            ).T.reshape(*values.shape[:-2], points)
    return result


def _means_of_samples(values: Any, rows: Rows) -> np.ndarray:
    """Returns the same on a stretched and rotated sphere: of the samples, dense and even within the
    cells of `values`, that lie in each cell of the rows.
    """
    ny, nx = values.shape[-2:]
    finest = 180 / rows.points.size / rows.sphere.stretching
    fine = int(np.ceil(8 * 180 / ny / finest))
    middle = np.deg2rad(0.5 * (rows.latitude[1:] + rows.latitude[:-1]))
    flat = values.reshape(-1, ny, nx)
    total, weight = np.zeros((len(flat), rows.size)), np.zeros(rows.size)
    longitude = (np.arange(nx * fine) + 0.5) * 360 / (nx * fine)
    for j in range(ny):
        latitude = -90 + (np.arange(fine) + 0.5 + fine * j) * 180 / (ny * fine)
        x, y = rows.sphere.from_earth(longitude, latitude[:, None])
        row = np.searchsorted(middle, np.deg2rad(y))
        points = rows.points[row]
        cell = rows.start[row] + np.rint(x / 360 * points).astype(int) % points
        area = np.broadcast_to(np.cos(np.deg2rad(latitude))[:, None], cell.shape)
        weight += np.bincount(cell.ravel(), area.ravel(), rows.size)
        for sums, field in zip(total, flat[:, j]):
            sums += np.bincount(cell.ravel(), (area * np.repeat(field, fine)).ravel(), rows.size)
    narrow = weight == 0  # next to the poles of the rows: the value at the point itself
    j, i = (
        ((rows.point_latitude + 90) / 180 * ny).astype(int),
        (rows.point_longitude % 360 / 360 * nx).astype(int),
    )
    at_points = flat[:, np.minimum(j, ny - 1), np.minimum(i, nx - 1)]
    return np.where(narrow, at_points, total / np.where(narrow, 1, weight)).reshape(
        *values.shape[:-2], -1
    )


def overlap(source: Any, target: Any) -> Any:
    """Returns, (target cells, source cells), the part of a target cell that lies in a source cell,
    both given by increasing edges. Sparse: a product with it adds in one order, for any number of
    threads.
    """
    from scipy.sparse import csr_array

    low, high = np.maximum(source[:-1], target[:-1, None]), np.minimum(source[1:], target[1:, None])
    return csr_array(np.maximum(high - low, 0) / np.diff(target)[:, None])


def fitted(values: Any, rows: Rows, truncation: int, taper: float = 2.0) -> np.ndarray:
    """Returns packed `values` of Gaussian rows without what is beyond the truncation, damped by
    exp(-taper (n(n+1) / (N(N+1)))^2).
    """
    if truncation < 1 or truncation >= 2 * rows.points.size:
        raise InputError(
            f"truncation {truncation} does not fit {rows.points.size} rows: allowed are 1 to"
            f" {rows.points.size - 1}"
        )

    gaussian = mpi.core.full_gaussian_grid(rows.points.size, 4)
    sine, weight = np.asarray(gaussian.sine), np.asarray(gaussian.weight)
    if np.abs(np.sin(np.deg2rad(rows.latitude)) - sine).max() > 1e-7:
        raise InputError("a spectral fit needs Gaussian latitudes")
    degree = np.arange(truncation + 1)
    factor = np.exp(-taper * (degree * (degree + 1) / (truncation * (truncation + 1))) ** 2)
    waves = np.zeros((truncation + 1, rows.points.size), complex)  # m, row
    for j, points in enumerate(rows.points):
        kept = min(truncation, (points - 1) // 2) + 1
        waves[:kept, j] = np.fft.rfft(values[rows.start[j] : rows.start[j + 1]])[:kept] / points
    smooth = _legendre_fit(waves, sine, weight, factor)
    result = np.empty(rows.size)
    for j, points in enumerate(rows.points):
        kept = min(truncation, (points - 1) // 2) + 1
        line = np.zeros(points // 2 + 1, complex)
        line[:kept] = smooth[:kept, j] * points
        result[rows.start[j] : rows.start[j + 1]] = np.fft.irfft(line, points)
    return result


def _legendre_fit(waves: Any, sine: Any, weight: Any, factor: Any) -> Any:
    """Transforms from Fourier coefficients (m, row) to Legendre's and back, each degree n times
    factor[n], by eps_{n+1} P_{n+1} = mu P_n - eps_n P_{n-1}, eps_n^2 = (n^2 - m^2) / (4 n^2 - 1),
    1/2 int P^2 = 1.
    """
    result = np.zeros_like(waves)
    sector = np.ones_like(sine)
    for m in range(len(waves)):
        if m:
            sector = sector * np.sqrt((1 - sine**2) * (2 * m + 1) / (2 * m))
        before, here, last = np.zeros_like(sine), sector, 0.0
        for n in range(m, len(waves)):
            result[m] += factor[n] * (weight * here * waves[m]).sum() * here
            ahead = np.sqrt(((n + 1) ** 2 - m**2) / (4 * (n + 1) ** 2 - 1))
            before, here, last = here, (sine * here - last * before) / ahead, ahead
    return result
