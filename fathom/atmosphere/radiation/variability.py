"""Cloud water that varies within a layer: factors of mean 1 with a gamma distribution,

    density(x) ~ x^(n-1) exp(-n x),   n = 1 / s^2,   s the fractional standard deviation

Shonk et al. (2010) found s = 0.75 ± 0.18 for clouds of all kinds.
"""

from functools import cache
from typing import Any

import numpy as np

from fathom.base.failure import InputError

PARTS = 256  # core/physics/radiation/rrtmgp/clouds.hpp


@cache
def water_factors(fractional_std: Any) -> Any:
    """Returns mean factors of parts of equal probability, from the least to the greatest; [] where
    nothing varies. ValueError: no fractional standard deviation in [0, 3].
    """
    s = float(fractional_std)
    if not 0 <= s <= 3:
        raise InputError(f"fractional_std = {fractional_std!r} must lie in [0, 3]")
    if s < 0.05:
        return []
    n, steps = 1 / s**2, 1 << 16
    # with y = (n x)^n the density is exp(-n x) dy: smooth at x = 0
    longest = n + 12 * np.sqrt(n) + 30
    y = (longest * (np.arange(steps + 1) / steps) ** 4) ** n
    x = (0.5 * (y[1:] + y[:-1])) ** (1 / n)
    mass = np.diff(y) * np.exp(-x)
    sums = (np.concatenate([[0], np.cumsum(m)]) for m in (mass, mass * x))
    probability, water = (s / s[-1] for s in sums)
    return (np.diff(np.interp(np.arange(PARTS + 1) / PARTS, probability, water)) * PARTS).tolist()
