"""Radiative fluxes of columns given as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.atmosphere.radiation.tables import AEROSOLS
from fathom.atmosphere.radiation.variability import water_factors
from fathom.base import mpi
from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.model.component import Array
from fathom.model.schemes import bytes_of

OVERLAPS = ("homogeneous", "maximum-random", "exponential-random")


def longwave(
    tables: Any, columns: Any, *, angles: int = 1, precision: str = "fp64", **of_clouds: Any
) -> Any:
    """Returns long-wave fluxes: (up, down), each (columns, layers + 1) [W m-2].

    tables : Tables of the long wave. columns : see `checked`. angles : 1 to 4 without scattering;
    0: two streams. precision : "fp64" or "fp32". of_clouds : overlap, decorrelation,
    fractional_std of their water (0), key.
    """
    if angles not in (0, 1, 2, 3, 4):
        raise InputError(f"angles = {angles!r} must be 1 to 4, or 0 for two streams")
    return _fluxes(tables, columns, True, angles, precision, **of_clouds)[:2]


def shortwave(tables: Any, columns: Any, *, precision: str = "fp64", **of_clouds: Any) -> Any:
    """Returns short-wave fluxes: (up, down, beam), each (columns, layers + 1) [W m-2]; 0 where the
    sun is not above the horizon. Arguments as of `longwave`.
    """
    return _fluxes(tables, columns, False, 0, precision, **of_clouds)


def _fluxes(
    tables: Any,
    columns: Any,
    longwave: Any,
    angles: Any,
    precision: str,
    overlap: str = "exponential-random",
    decorrelation: float = 2000.0,
    fractional_std: float = 0.0,
    key: int = 0,
) -> Any:
    if tables.longwave != longwave:
        raise InputError(f"{tables.name} are tables of the {'short' if longwave else 'long'} wave")
    if precision not in bytes_of:
        raise InputError(f"precision = {precision!r} must be 'fp64' or 'fp32'")
    if overlap not in OVERLAPS:
        raise InputError(unknown("overlap", overlap, OVERLAPS))
    if not decorrelation > 0:
        raise InputError(f"decorrelation = {decorrelation!r} m must be positive")
    return mpi.core.radiative_fluxes(
        tables.core,
        checked(tables, columns),
        bytes_of[precision],
        angles,
        OVERLAPS.index(overlap),
        float(decorrelation),
        water_factors(float(fractional_std)),
        int(key),
    )


LAYERS = (
    "pressure",
    "temperature",
    "cloud_fraction",
    "liquid_path",
    "ice_path",
    "droplet_radius",
    "ice_diameter",
    "relative_humidity",
)
INTERFACES = ("interface_pressure", "interface_temperature")
GROUND = (
    "surface_temperature",
    "emissivity",
    "cosine_zenith",
    "albedo_direct",
    "albedo_diffuse",
    "irradiance_factor",
)


def checked(tables: Any, columns: Any) -> Any:
    """Returns the arrays as the core takes them; ValueError where one is missing or has a wrong
    shape.

    pressure, temperature : (columns, layers) [Pa, K], the top first.
    interface_pressure, interface_temperature : (columns, layers + 1).
    gases : name -> mole fraction of dry air: a number, (columns,) or (columns, layers).
    surface_temperature [K], emissivity (1), cosine_zenith, albedo_direct, albedo_diffuse (0),
        irradiance_factor (1: of the irradiance of the tables) : (columns,).
    cloud_fraction, liquid_path, ice_path [g m-2, in the cloud], droplet_radius, ice_diameter
        [um] : (columns, layers); all or none.
    aerosols : name (fathom.atmosphere.radiation.AEROSOLS) -> (columns, layers) [kg m-2]; then also
        relative_humidity.
    """
    if np.ndim(columns.get("pressure", 0)) != 2:
        raise InputError("columns need pressure, (columns, layers)")
    shape = np.shape(columns["pressure"])
    arrays = {
        name: _shaped(name, values, shape)
        for name, values in columns.items()
        if name not in ("gases", "aerosols")
    }
    arrays["mole_fraction"] = _mole_fractions(tables, columns.get("gases", {}), shape)
    if columns.get("aerosols"):
        arrays["aerosol"] = _aerosols(columns["aerosols"], shape)
    clouds = LAYERS[2:7]
    wanted = ["temperature", *INTERFACES]
    wanted += clouds if any(name in arrays for name in clouds) else []
    wanted += ["relative_humidity"] if "aerosol" in arrays else []
    if missing := [name for name in wanted if name not in arrays]:
        raise InputError(f"columns have no {', '.join(missing)}")
    return arrays


def _shaped(name: str, values: Any, shape: Any) -> Array:
    """Returns an array as it must be."""
    known = (*LAYERS, *INTERFACES, *GROUND, "gases", "aerosols")
    if name not in known:
        raise InputError(unknown("array of columns", name, known))
    count, layers = shape
    wanted = (count,) if name in GROUND else (count, layers + (name in INTERFACES))
    try:
        return np.ascontiguousarray(np.broadcast_to(np.asarray(values, float), wanted))
    except ValueError:
        raise InputError(f"{name} has shape {np.shape(values)}, not {wanted}") from None


def _mole_fractions(tables: Any, gases: Any, shape: Any) -> Any:
    amounts = np.zeros((shape[0], len(tables.gases), shape[1]))
    for gas, values in gases.items():
        values = np.asarray(values, float)
        values = values[:, None] if values.ndim == 1 else values
        amounts[:, tables.number(gas) - 1] = values
    return amounts


def _aerosols(given: Any, shape: Any) -> Any:
    masses = np.zeros((shape[0], len(AEROSOLS), shape[1]))
    for name, values in given.items():
        if name not in AEROSOLS:
            raise InputError(unknown("aerosol", name, AEROSOLS))
        masses[:, list(AEROSOLS).index(name)] = values
    return masses
