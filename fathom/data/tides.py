"""Energy that tides lose to internal waves over a rough sea floor, per unit of stratification
(Jayne & St. Laurent 2001).

    e = rho0 / 2 k h² u²   [J m-2],   E = e N_b [W m-2]

h² is the variance of depth about a plane through 3 x 3 cells of the 1/6 degree topography, k = 2 pi
/ 10 km as theirs. The barotropic tide u is no data but a stated transport, the same everywhere,
over the depth: what waves that cross an ocean do where it becomes shallower.
"""

from __future__ import annotations

import numpy as np

from fathom.base import earth
from fathom.base.reading import once
from fathom.data import embedded
from fathom.data.bathymetry import cell_means

wavenumber = 2 * np.pi / 10e3  # [m-1]
# root of the mean square of the tide [m2 s-1]: 1.6 cm/s at 4000 m; makes 1 TW below 1000 m, as
# observed (Egbert & Ray 2000)
transport = 64.0
# stratification of the deep sea, N = surface_frequency exp(-depth / decay) (Garrett & Munk 1972)
surface_frequency, decay = 5.24e-3, 1300.0  # [s-1], [m]
least_depth = 500.0  # [m], where the sea is shallower, tides are lost to bottom friction


def roughness(depth: np.ndarray, water: np.ndarray) -> np.ndarray:
    """Returns variance of the depth (lat, lon) about the plane of its 3 x 3 cells [m2]; 0 where one
    of them is less than half water.
    """
    total, squares, north, east, wet = (np.zeros_like(depth) for _ in range(5))
    for j in (-1, 0, 1):
        for i in (-1, 0, 1):
            there = np.roll(depth, (-j, -i), (0, 1))
            total += there
            squares += there**2
            north += j * there
            east += i * there
            wet += np.roll(water, (-j, -i), (0, 1)) >= 0.5
    wet[[0, -1]] = 0  # rows at the poles have no neighbour
    return np.where(
        wet == 9, np.maximum(squares - total**2 / 9 - (north**2 + east**2) / 6, 0) / 6, 0.0
    )  # nine values, three parameters


def _fine() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Returns latitude, longitude, share of water and depth of the topography."""
    data = embedded.read("topography", "ocean_fraction", "ocean_depth", "latitude", "longitude")
    depth, water = np.asarray(data["ocean_depth"], float), np.asarray(data["ocean_fraction"], float)
    return data["latitude"], data["longitude"], water, depth


def _of_cells(
    values: np.ndarray, corner_longitude: np.ndarray, corner_latitude: np.ndarray
) -> np.ndarray:
    """Returns means over the water of the cells of a grid (ny, nx); 0 without water."""
    latitude, longitude, water, _ = _fine()
    both = np.stack([water, water * values])
    fraction, total = cell_means(both, latitude, longitude, corner_longitude, corner_latitude)
    return np.where(fraction > 0, total / np.maximum(fraction, 1e-9), 0.0)


@once
def energy(corner_longitude: np.ndarray, corner_latitude: np.ndarray) -> np.ndarray:
    """Returns e of the cells of a grid (ny, nx); corners as for `bathymetry.ocean_depth`."""
    _, _, water, depth = _fine()
    speed = np.where(depth > least_depth, transport / np.maximum(depth, least_depth), 0.0)
    rough = 0.5 * earth.SEA_WATER_DENSITY * wavenumber * roughness(depth, water) * speed**2
    return _of_cells(rough, corner_longitude, corner_latitude)


@once
def wave_drag(corner_longitude: np.ndarray, corner_latitude: np.ndarray) -> np.ndarray:
    """Returns r = k h² N_b / 2 [m s-1] of the cells of a grid (ny, nx); 0 where it is shallow."""
    _, _, water, depth = _fine()
    frequency = np.where(depth > least_depth, surface_frequency * np.exp(-depth / decay), 0.0)
    rough = 0.5 * wavenumber * roughness(depth, water) * frequency
    return _of_cells(rough, corner_longitude, corner_latitude)
