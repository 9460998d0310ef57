"""Transforms of NumPy arrays between points and waves: spherical harmonics on Gaussian grids,
Fourier in two directions on a plane. docs/transform.md has the equations.
"""

from fathom.grids.transform.fields import aligned_zeros, precisions
from fathom.grids.transform.plane import BiFourier
from fathom.grids.transform.sphere import SphericalHarmonics, gaussian_grid

__all__ = ["BiFourier", "SphericalHarmonics", "aligned_zeros", "gaussian_grid", "precisions"]
