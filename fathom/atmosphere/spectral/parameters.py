"""Numbers that a user gives a spectral model, checked."""

from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.grids.arguments import number_of

# of a whole
parts = ("off_centring", "robert_asselin", "williams_factor", "fix_mass", "fix_energy")
whole = ("diffusion_order", "iterations")
at_most = {
    "diffusion_order": 16,
    "iterations": 20,
    "divergence_damping": 1000,
    "rotation": 1.0,  # [s-1]
    "diffusion_time": 1e9,  # [s]
    "viscosity": 1e30,
    "reference_temperature": 1000,
    "reference_pressure": 1e7,
    "mean_geopotential": 1e8,
}


def checked(owner: str, given: Any) -> Any:
    """Returns name -> float; ValueError for what is no number, infinite, or out of range: only
    rotation may be negative.
    """
    numbers = {
        name: float(value)
        if isinstance(value, bool)  # switches
        else number_of(f"{owner} {name}", value, "SI units")
        for name, value in given.items()
    }
    for name, value in numbers.items():
        if not (np.isfinite(value) and (value >= 0 or name == "rotation")):
            raise InputError(f"{owner} {name} = {given[name]!r} must not be negative")
        if name in parts and value > 1:
            raise InputError(f"{owner} {name} = {given[name]!r} must lie in [0, 1]")
        if value > at_most.get(name, np.inf):
            raise InputError(
                f"{owner} {name} = {given[name]!r} must be {at_most[name]} at the most"
            )
        if name in whole and value != int(value):
            raise InputError(f"{owner} {name} = {given[name]!r} must be a whole number")
    return numbers
