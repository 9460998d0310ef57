"""Definitions of gas optics by ecCKD (Hogan & Matricardi 2022): from their files to what the core
reads (core/physics/radiation/rrtmgp/ecckd.hpp), and optics of bands of the spectrum by g point.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.base import constants
from fathom.base.failure import InputError
from fathom.model.component import Array

CODE = "_conc_dependence_code"
NONE, LINEAR, TABLE, RELATIVE = range(4)
FIRST = ("h2o", "co2", "o3")  # numbers of gases that the scheme of the model counts on
OF_PLANCK = constants.celsius  # K: by its emission bands of the long wave are weighted


def is_definition(raw: Any) -> bool:
    """Returns whether these are the variables of such a file."""
    return any(name.endswith(CODE) for name in raw)


def gases(raw: Any) -> list[Any]:
    """Returns names, the number of each less 1. ValueError where one is missing."""
    found = [
        n.removesuffix(CODE) for n in raw if n.endswith(CODE) and not n.startswith("composite")
    ]
    if missing := [name for name in FIRST if name not in found]:
        raise InputError(f"a definition of ecCKD without {', '.join(missing)}: give another file")
    if int(raw["h2o" + CODE]) != TABLE:
        raise InputError("a definition of ecCKD whose water has no table of mole fractions")
    return [*FIRST, *(name for name in found if name not in FIRST)]


def alone(raw: Any) -> Any:
    """Returns gases with absorption except water. ValueError for tables of mole
    fractions of a gas.
    """
    found = [n.removesuffix(CODE) for n in raw if n.endswith(CODE) and not n.startswith("h2o")]
    if wrong := [a for a in found if int(raw[a + CODE]) == TABLE]:
        raise InputError(f"a definition of ecCKD with tables of mole fractions of {wrong[0]}")
    return found


def gas_optics(raw: Any, lanes: Any) -> dict[str, Any]:
    """Returns arrays of the core; lanes: g points that it computes at once."""
    names = gases(raw)
    absorbers = alone(raw)

    def by_g(name: str) -> Any:  # (..., temperature, pressure, whole rows of g)
        table = raw[f"{name}_molar_absorption_coeff"]
        return filled(table, -(-table.shape[-1] // lanes) * lanes)

    def number(name: str) -> Any:
        return 0 if name == "composite" else names.index(name) + 1

    def reference(name: str) -> float:
        relative = int(raw[name + CODE]) == RELATIVE
        return float(raw[f"{name}_reference_mole_fraction"]) if relative else 0.0

    water, log_p = by_g("h2o"), np.log(raw["pressure"].astype(float))
    log_x = np.log(raw["h2o_mole_fraction"].astype(float))
    T = raw["temperature"].astype(float)  # (temperature, pressure)
    gpoints = raw["h2o_molar_absorption_coeff"].shape[-1]
    mixtures, temperatures, pressures, row = water.shape
    sizes = [gpoints, row, temperatures, pressures, mixtures, len(names), number("h2o")]
    axes = [0.0, T[1, 0] - T[0, 0], log_p[0], log_p[1] - log_p[0], 0.0, 0.0]
    arrays = {
        "sizes": np.array(sizes, np.int32),
        "axes": np.array(axes),
        "absorber_gases": np.array([number(a) for a in absorbers], np.int32),
        "absorber_references": np.array([reference(a) for a in absorbers]),
        "coldest": np.ascontiguousarray(T[0]),
        "mixture_axis": np.array([log_x[0], (log_x[-1] - log_x[0]) / (mixtures - 1)]),
        "major": np.stack([by_g(a) for a in absorbers], axis=2),
        "water": water,
    }
    if "planck_function" in raw:
        arrays["axes"][-1] = float(raw["temperature_planck"][0])
        arrays["planck"] = filled(planck(raw), row + lanes)
    else:
        arrays["rayleigh_lower"] = filled(raw["rayleigh_molar_scattering_coeff"], row)
    return {
        name: values if values.dtype != np.float32 else np.ascontiguousarray(values, np.float32)
        for name, values in arrays.items()
    }


def planck(raw: Any) -> Any:
    """Returns (temperature, g) [W m-2 sr-1], one row a kelvin."""
    if not np.allclose(np.diff(raw["temperature_planck"]), 1):
        raise InputError("a definition of ecCKD whose Planck function is not given each kelvin")
    return raw["planck_function"] / np.pi


def filled(values: Any, width: Any) -> Array:
    """Returns the last axis filled up with zeros, as numbers of the core's tables."""
    spare = [(0, 0)] * (values.ndim - 1) + [(0, width - values.shape[-1])]
    return np.pad(np.asarray(values, np.float32), spare)


def shares(raw: Any, bands: Any) -> Any:
    """Returns (g, band): how much of the energy of a g point comes from each of the bands, given by
    their wave numbers [cm-1]; those without any in a band take the nearest.
    """
    low, high = (raw[f"wavenumber{n}"].astype(float) for n in (1, 2))
    middle, energy = 0.5 * (low + high), raw.get("solar_spectral_irradiance")
    if energy is None:
        energy = (high - low) * (
            middle**3 / np.expm1(1.438777 * middle / OF_PLANCK)
            if "planck_function" in raw
            else middle**3 / np.expm1(1.438777 * middle / 5772.0)
        )
    inside = (middle[:, None] >= bands[:, 0]) & (middle[:, None] < bands[:, 1])
    nearest = np.argmin(abs(middle[:, None] - bands.mean(1)), axis=1)
    inside[~inside.any(1), nearest[~inside.any(1)]] = True
    weight = (raw["gpoint_fraction"] * energy) @ inside
    return weight / weight.sum(1, keepdims=True)
