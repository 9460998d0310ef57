"""Background errors of the state of a spectral atmosphere from samples: covariances, and
regressions between the parts of the state (balance.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.assimilation.balance import Errors, Waves, linear_balance
from fathom.assimilation.maps import Vector
from fathom.base import earth
from fathom.grids.transform import SphericalHarmonics


def estimated(
    differences: list[Vector],
    transform: SphericalHarmonics,
    levels: int,
    rotation: float = earth.ROTATION,
    ridge: float = 1e-4,
    divergence: bool = False,
    saturation: np.ndarray | None = None,
) -> Errors:
    """Returns covariances from differences of states of one time, as of forecasts of two lengths
    (Parrish & Derber 1992): N by regression over all waves, C_n as means over m, the samples and
    the degrees next to. divergence: M_n and P_n too; saturation: of states with humidity, Q_n too.
    """
    waves, geopotential = Waves(transform, levels, saturation), linear_balance(transform, rotation)
    all_waves = [waves.to_waves(d) for d in differences]
    psi, chi, mass, *q = (list(part) for part in zip(*all_waves))
    phi = [(geopotential @ x.T).T for x in psi]

    def inner(a: Any, b: Any) -> Any:
        return np.real(a @ (np.where(transform.m == 0, 1.0, 2.0) * b).conj().T)

    A = sum(inner(x, x) for x in phi)
    B = sum(inner(x, y) for x, y in zip(mass, phi))
    N = np.linalg.solve(A + ridge * np.trace(A) / levels * np.eye(levels), B.T).T
    mass = [x - N @ y for x, y in zip(mass, phi)]
    made: dict[str, np.ndarray] = {}

    def rest(name: Any, of: Any) -> Any:
        return [x - waves.by_degree(made[name], y) for x, y in of]

    if divergence:
        made["divergence_balance"] = regression(chi, phi, waves, ridge)
        chi = rest("divergence_balance", zip(chi, phi))
        made["mass_by_divergence"] = regression(mass, chi, waves, ridge)
        mass = rest("mass_by_divergence", zip(mass, chi))

    def of(samples: Any) -> Any:
        return _covariances(samples, transform)

    if q:
        known = [np.concatenate(three) for three in zip(phi, chi, mass)]
        made["humidity_balance"] = regression(q[0], known, waves, ridge)
        made["humidity"] = of(rest("humidity_balance", zip(q[0], known)))
    return Errors(of(psi), of(chi), of(mass), N, **made)


def regression(
    wanted: list[np.ndarray], known: list[np.ndarray], waves: Waves, ridge: float = 1e-4,
    width: float = 2.0,
) -> np.ndarray:  # fmt: skip
    """Returns matrices A_n (truncation + 1, to, from) with wanted = A_n known by least squares,
    over samples of coefficients and the degrees within about `width` of n; ridge: of the variance
    of each that is known.
    """
    m, size = waves.transform.m, len(waves.degrees)

    def of(a: Any, b: Any, these: Any) -> Any:
        return np.real(a[:, these] @ (np.where(m[these] == 0, 1.0, 2.0) * b[:, these]).conj().T)

    def sums(a: Any, b: Any) -> np.ndarray:
        return np.array([sum(of(x, y, these) for x, y in zip(a, b)) for these in waves.degrees])

    own, both = sums(known, known), sums(wanted, known)
    n = np.arange(size)
    near = np.exp(-0.5 * ((n[:, None] - n) / width) ** 2)
    made = []
    for A, B in zip(np.tensordot(near, own, 1), np.tensordot(near, both, 1)):
        diagonal = np.diagonal(A)
        A = A + np.diag(ridge * diagonal + 1e-12 * diagonal.max() + np.finfo(float).tiny)
        made.append(np.linalg.solve(A, B.T).T)
    return np.array(made)


def _covariances(samples: list[np.ndarray], transform: SphericalHarmonics) -> np.ndarray:
    """Returns C_n (truncation + 1, levels, levels), smoothed over n with weights 1, 2, 1 times the
    number of real numbers of a degree.
    """
    size, levels = transform.truncation + 1, len(samples[0])
    sums = np.zeros((size, levels, levels))
    twice = np.where(transform.m == 0, 1.0, 2.0)
    for n in range(size):
        these = np.flatnonzero(transform.n == n)
        for s in samples:
            here = s[:, these]
            sums[n] += np.real(here @ (twice[these] * here).conj().T)
    count = len(samples) * (2.0 * np.arange(size) + 1)

    def smooth(x: Any) -> Any:
        return 2 * x + np.concatenate([x[:1], x[:-1]]) + np.concatenate([x[1:], x[-1:]])

    result: np.ndarray = smooth(sums) / smooth(count)[:, None, None]
    return result
