"""Background errors of the state of a spectral atmosphere: what is balanced follows from the stream
function, what is not has controls of its own.

    psi        = V_psi chi_psi                       wind  = k x grad psi + grad chi_u
    phi_b      = linear balance of psi:  laplace phi_b = div(f grad psi)
        n phi_n = 2 Omega [(n - 1) eps_n psi_{n-1} + n (n + 2) / (n + 1) eps_{n+1} psi_{n+1}]
    (T, pi)_b  = the temperatures and the surface pressure whose geopotential is nearest to phi_b
    (T, pi)    = (T, pi)_b + V_T chi_T,              chi_u = V_chi chi_chi

All of it is linear with adjoints (maps.py); vectors are those of a `Trajectory`: wind, temperature
and the logarithm of surface pressure on the Gaussian grid.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from fathom import earth
from fathom.assimilation.maps import LinearMap, Vector
from fathom.assimilation.spectral import Fields, SpectralRoot
from fathom.transform import SphericalHarmonics


def linear_balance(
    transform: SphericalHarmonics, rotation: float = earth.ROTATION
) -> sparse.csr_matrix:
    """(waves, waves): coefficients of geopotential [m2 s-2] from those of the stream function
    [m2 s-1]; that of n = 0 is 0."""
    m, n = np.asarray(transform.m, float), np.asarray(transform.n, float)
    place = {(int(a), int(b)): i for i, (a, b) in enumerate(zip(m, n))}
    epsilon = lambda n, m: np.sqrt((n * n - m * m) / (4 * n * n - 1))
    rows, columns, values = [], [], []
    for (a, b), i in place.items():
        if b == 0:
            continue
        for neighbour, factor in (
            (b - 1, (b - 1) / b * epsilon(b, a)),
            (b + 1, (b + 2) / (b + 1) * epsilon(b + 1, a)),
        ):
            if (a, neighbour) in place:
                rows.append(i)
                columns.append(place[a, neighbour])
                values.append(2 * rotation * factor)
    return sparse.csr_matrix((values, (rows, columns)), (len(n), len(n)))


def mass_of_geopotential(reference, smoothness: float = 1e-3) -> np.ndarray:
    """(levels + 1, levels): temperatures [K] and ln p_s of a change of geopotential [m2 s-2] of the
    layers, by least squares with as little change of temperature from level to level as fits:
    phi = gamma T + R T_r pi has one unknown more than equations, and a noise of two levels in T
    hardly shows in it.

    reference : core.HybridReference or what has gamma (levels, levels) and `pressure_term`, R T_r.
    """
    gamma, RT = np.asarray(reference.gamma), float(reference.pressure_term)
    levels = len(gamma)
    forward = np.concatenate([gamma, np.full((levels, 1), RT)], axis=1)
    scale = np.concatenate([np.ones(levels), [1.0 / 300]])  # of T [K], and of pi with its R T_r
    A = forward * scale
    bend = np.zeros((max(levels - 2, 1), levels + 1))
    for k in range(levels - 2):
        bend[k, k : k + 3] = 1.0, -2.0, 1.0
    weight = smoothness * np.trace(A @ A.T) / levels
    normal = A.T @ A + weight * (bend.T @ bend) + 1e-12 * weight * np.eye(levels + 1)
    return scale[:, None] * np.linalg.solve(normal, A.T)
