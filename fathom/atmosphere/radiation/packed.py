"""The embedded tables of RRTMGP as its own files have them (made by tools/build_data.py):
coefficients are whole steps of their logarithm, as differences along some axes, g first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.data import embedded
from fathom.model.component import Array

NAMES = ("lw-g128", "sw-g112")


def read(name: str) -> dict[str, np.ndarray]:
    """Returns variables of the embedded gas optics "lw-g128" or "sw-g112", or of "clouds-lw",
    "clouds-sw", "aerosols-lw" and "aerosols-sw".
    """
    gases = name in NAMES
    with embedded.opened(embedded.path(f"rrtmgp-{name}" if gases else "rrtmgp-particles")) as file:
        start = "" if gases else name.replace("-", "_") + "_"
        tables = {
            key.removeprefix(start): _values(variable)
            for key, variable in file.variables.items()
            if key.startswith(start)
        }
    if "plank_fraction" in tables:
        for first, last in tables["bnd_limits_gpt"]:
            share = tables["plank_fraction"][..., first - 1 : last]
            share /= share.sum(axis=-1, keepdims=True)  # the sum of a band is 1 also after rounding
    return tables


def folded(values: Any, axes: Any, least: Any, steps: Any) -> Any:
    """Returns coefficients as 16-bit differences of whole steps of their logarithm, `steps` to a
    factor of 2; 0 for those below the least.
    """
    whole = np.rint(np.log2(np.maximum(values, least)) * steps).astype(np.int64)
    whole = np.moveaxis(whole - int(np.rint(np.log2(least) * steps)), -1, 0)
    for axis in axes:
        whole = np.diff(whole, axis=axis, prepend=0)
    if np.abs(whole).max() > 32767:
        raise InputError(f"differences of {np.abs(whole).max()} steps do not fit 16 bits")
    return whole.astype(np.int16)


def unfolded(differences: Any, axes: Any, least: Any, steps: Any) -> Array:
    """Returns the reverse of `folded`."""
    whole = differences.astype(np.int32)
    for axis in reversed(axes):
        whole = np.cumsum(whole, axis=axis, dtype=np.int32)
    values = np.exp2(whole * (1 / steps)) * least
    return np.ascontiguousarray(np.moveaxis(np.where(whole > 0, values, 0.0), 0, -1))


def _values(variable: Any) -> Any:
    variable.set_auto_maskandscale(False)
    values = np.asarray(variable[...])
    if "steps" in variable.ncattrs():
        return unfolded(
            values, list(np.atleast_1d(variable.axes)), float(variable.least), int(variable.steps)
        )
    return values.astype(str) if values.dtype == object else values
