"""Observed variables, reports and errors: the variables of a datum, the kinds of a report, the
errors that are taken where a report does not say its own, and the limits beyond which a value is
absurd.
"""

from __future__ import annotations

from dataclasses import dataclass

from fathom.base.failure import InputError
from fathom.base.near import unknown


@dataclass(frozen=True)
class Variable:
    """One observed variable. `limits`: of a value that can be [units]; `error`: standard deviation
    of an observation where its kind has none [units].
    """

    name: str
    units: str
    limits: tuple[float, float]
    error: float


# Limits: those of the screening of weather services, wide enough for every record on Earth.
variables: tuple[Variable, ...] = (
    Variable("air_temperature", "K", (150, 350), 1.2),
    Variable("dew_point_temperature", "K", (150, 320), 2.0),
    Variable("relative_humidity", "1", (0, 1.1), 0.12),
    Variable("specific_humidity", "kg kg-1", (0, 0.05), 1e-3),
    Variable("eastward_wind", "m s-1", (-150, 150), 2.0),
    Variable("northward_wind", "m s-1", (-150, 150), 2.0),
    Variable("surface_air_pressure", "Pa", (3e4, 1.1e5), 100),
    Variable("air_pressure_at_mean_sea_level", "Pa", (8.5e4, 1.1e5), 100),
    Variable("geopotential_height", "m", (-500, 6e4), 15),
    Variable("surface_snow_thickness", "m", (0, 30), 0.05),
    Variable("toa_brightness_temperature", "K", (60, 380), 0.5),
    Variable("refractivity", "1", (0, 600), 2.0),
    Variable("bending_angle", "rad", (-1e-3, 0.1), 3e-4),
    Variable("sea_water_temperature", "degC", (-3, 40), 0.5),
    Variable("sea_water_salinity", "1e-3", (0, 45), 0.1),
    Variable("sea_surface_height_above_geoid", "m", (-5, 5), 0.05),
    Variable("sea_surface_wave_significant_height", "m", (0, 40), 0.3),
)
kinds: tuple[str, ...] = (
    "synop", "ship", "buoy", "temp", "pilot", "aircraft", "amv", "scatterometer", "radiance",
    "gnss_ro", "altimeter", "argo", "metar", "other",
)  # fmt: skip
names: tuple[str, ...] = tuple(v.name for v in variables)

# Errors of a kind where they differ: (kind, variable) -> error [units of the variable].
errors: dict[tuple[str, str], float] = {
    ("temp", "air_temperature"): 1.0,
    ("aircraft", "air_temperature"): 1.2,
    ("temp", "eastward_wind"): 2.2,
    ("temp", "northward_wind"): 2.2,
    ("aircraft", "eastward_wind"): 2.5,
    ("aircraft", "northward_wind"): 2.5,
    ("amv", "eastward_wind"): 3.5,
    ("amv", "northward_wind"): 3.5,
    ("ship", "surface_air_pressure"): 150,
    ("ship", "air_pressure_at_mean_sea_level"): 150,
    ("argo", "sea_water_temperature"): 0.2,
    ("argo", "sea_water_salinity"): 0.05,
}


def variable(name: str) -> Variable:
    """Returns the variable of that name; ValueError where there is none."""
    if name not in names:
        raise InputError(unknown("observed variable", name, names))
    return variables[names.index(name)]


def error(kind: str, name: str) -> float:
    """Returns standard deviation of an observation of a kind [units of the variable]."""
    return errors.get((kind, name), variable(name).error)
