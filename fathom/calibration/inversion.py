"""Ensemble Kalman inversion (Iglesias, Law & Stuart 2013, Inverse Problems 29, 045001), as a
square root without random numbers. Of members z_j (p) with equivalents G_j (m) of data y with
errors s, each iteration takes a part 1/a of what the data say,

    z -> z + Z (w + W),   w, W those of a transform filter with errors a^1/2 s   (letkf.transforms)

until the parts are 1 together: the members are then a sample of the posterior, exactly for a linear
G. The part follows the misfits Phi_j = 1/2 |(y - G_j) / s|^2 (Iglesias & Yang 2021, Inverse
Problems 37, 025008),

    1/a = min(max(m / (2 mean Phi), (m / (2 var Phi))^1/2), what is left).
"""

from __future__ import annotations

import numpy as np

from fathom.assimilation.letkf import transforms
from fathom.base.failure import InputError

Array = np.ndarray


def first_members(parameters: int, members: int, seed: int) -> Array:
    """Returns members (members, parameters) with mean 0 and covariance 1, exactly."""
    if members < parameters + 2:
        raise InputError(
            f"members = {members} are too few for {parameters} parameters; at least"
            f" {parameters + 2}"
        )
    z = np.random.default_rng(seed).normal(size=(members, parameters))
    z -= z.mean(0)
    root = np.linalg.cholesky(z.T @ z / (members - 1))
    made: Array = np.linalg.solve(root, z.T).T
    return made


def misfits(G: Array, data: Array, errors: Array) -> Array:
    """Returns Phi_j."""
    made: Array = 0.5 * (((data - G) / errors) ** 2).sum(1)
    return made


def part(phi: Array, count: int, left: float) -> float:
    """Returns 1/a of the next iteration; count: of data; left: what the parts lack of 1."""
    mean, spread = float(phi.mean()), float(phi.var(ddof=1))
    wanted = max(count / max(2 * mean, 1e-300), float(np.sqrt(count / max(2 * spread, 1e-300))))
    return left if wanted > 0.99 * left else wanted


def step(z: Array, G: Array, data: Array, errors: Array, share: float) -> Array:
    """Returns the members after an iteration that takes a share of the data."""
    Y = G - G.mean(0)
    precision = share / np.broadcast_to(errors, data.shape) ** 2
    weights = transforms(Y, data - G.mean(0), precision[None])[0]
    mean = z.mean(0)
    made: Array = mean + weights.T @ (z - mean)
    return made


def slopes(z: Array, G: Array) -> Array:
    """Returns dG/dz (data, parameters) by regression over members."""
    Z, Y = z - z.mean(0), G - G.mean(0)
    made: Array = np.linalg.lstsq(Z, Y, rcond=None)[0].T
    return made


def directions(z: Array) -> tuple[Array, Array]:
    """Returns the shares of the prior's variance that are left, and the combinations of parameters
    that they are of (as columns), the least known first.
    """
    values, vectors = np.linalg.eigh(np.atleast_2d(np.cov(z.T)))
    return values[::-1], vectors[:, ::-1]
