"""Numbers that a user gives a spectral model, checked."""

import numpy as np

from fathom.grids.arguments import number_of

parts = ("off_centring", "filter", "williams")  # of a whole


def checked(owner, given):
    """name -> float; ValueError for what is no number, infinite, or out of range: only rotation may
    be negative.
    """
    numbers = {
        name: number_of(f"{owner} {name}", value, "SI units") for name, value in given.items()
    }
    for name, value in numbers.items():
        if not (np.isfinite(value) and (value >= 0 or name == "rotation")):
            raise ValueError(f"{owner} {name} = {given[name]!r} must not be negative")
        if name in parts and value > 1:
            raise ValueError(f"{owner} {name} = {given[name]!r} must lie in [0, 1]")
    return numbers
