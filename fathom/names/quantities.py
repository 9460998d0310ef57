"""What comes into a model from files, tables and numbers: one table of its names, its unit, the
limits of its values, the direction in which it is counted, and its height above the ground.

    of("heat_flux")         the row, by the name of an argument, a field or a short name in files
    of("surface_heat_flux") is of("heat_flux")

fathom/data/input/checks.py compares with it what a file says of itself. Limits are wide: no sea,
air or experiment lies outside them, a number in another unit or in place of a missing one does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fathom.base.failure import InputError


@dataclass(frozen=True)
class Quantity:
    """One quantity: its name, its unit, the least and the most of it in that unit."""

    name: str
    units: str
    least: float
    most: float
    means: tuple[str, ...] = ()  # CF standard names of it, with the same sign
    also: tuple[str, ...] = ()  # other names of it in Fathom
    direction: str = ""  # "down" or "up": which way a positive number goes
    height: float | None = None  # above the ground [m] where a model takes it to be
    whole: float = 0.0  # what the largest number of a field reaches, if it is not 0 everywhere

    def impossible(
        self, values: np.ndarray, factor: float = 1.0, offset: float = 0.0
    ) -> np.ndarray:
        """Returns which numbers lie beyond the limits, not those that are none. factor, offset:
        from its unit to theirs.
        """
        low, high = (factor * limit + offset for limit in (self.least, self.most))
        with np.errstate(invalid="ignore"):
            beyond: np.ndarray = (values < low) | (values > high)
        return beyond


table: tuple[Quantity, ...] = (
    # the sea and its surface
    Quantity(
        "temperature",
        "degC",
        -100,
        400,
        (
            "sea_water_potential_temperature",
            "sea_water_temperature",
        ),
    ),
    Quantity(
        "salinity",
        "1e-3",
        0,
        300,
        ("sea_water_practical_salinity", "sea_water_salinity"),
        whole=0.1,
    ),
    Quantity(
        "sea_surface_height",
        "m",
        -100,
        100,
        (
            "sea_surface_height_above_geoid",
            "sea_surface_height_above_mean_sea_level",
            "sea_surface_height_above_sea_level",
        ),
    ),
    Quantity(
        "restoring_temperature",
        "degC",
        -20,
        80,
        (
            "sea_surface_temperature",
            "sea_surface_skin_temperature",
            "sea_surface_subskin_temperature",
            "sea_surface_foundation_temperature",
            "sea_water_potential_temperature",
            "sea_water_temperature",
            "surface_temperature",
        ),
    ),
    Quantity(
        "restoring_salinity",
        "1e-3",
        0,
        300,
        (
            "sea_surface_salinity",
            "sea_water_practical_salinity",
            "sea_water_salinity",
        ),
        whole=0.1,
    ),
    Quantity(
        "sea_surface_temperature",
        "K",
        200,
        400,
        (
            "sea_surface_temperature",
            "sea_surface_skin_temperature",
            "sea_surface_subskin_temperature",
            "sea_surface_foundation_temperature",
            "surface_temperature",
        ),
        ("given_sea_surface_temperature",),
    ),
    Quantity(
        "sea_ice_fraction",
        "1",
        -0.01,
        1.01,
        ("sea_ice_area_fraction",),
        ("sea_ice_area", "given_sea_ice_fraction"),
    ),
    Quantity(
        "sea_ice_thickness",
        "m",
        -0.01,
        100,
        ("sea_ice_thickness",),
        ("given_sea_ice_thickness",),
    ),
    Quantity("q_flux", "W m-2", -9000, 9000, ("heat_flux_correction",), (), "down"),
    Quantity(
        "chlorophyll",
        "mg m-3",
        -0.01,
        1000,
        (
            "mass_concentration_of_chlorophyll_in_sea_water",
            "mass_concentration_of_chlorophyll_a_in_sea_water",
            "concentration_of_chlorophyll_in_sea_water",
        ),
    ),
    Quantity(
        "geothermal_heat",
        "W m-2",
        -10,
        100,
        ("upward_geothermal_heat_flux_at_sea_floor",),
        ("geothermal_heat_flux",),
        "up",
    ),
    Quantity("sea_floor_depth", "m", 0, 12000),
    *(
        Quantity(f"{way}ward_velocity", "m s-1", -50, 50, (f"{way}ward_sea_water_velocity",))
        for way in ("east", "north")
    ),
    *(Quantity(f"velocity_{a}", "m s-1", -50, 50, (f"sea_water_{a}_velocity",)) for a in "xy"),
    # stress and fluxes into the sea
    Quantity(
        "stress_eastward",
        "N m-2",
        -100,
        100,
        (
            "surface_downward_eastward_stress",
            "downward_eastward_stress_at_sea_water_surface",
            "downward_x_stress_at_sea_water_surface",
        ),
        ("surface_eastward_stress",),
        "down",
    ),
    Quantity(
        "stress_northward",
        "N m-2",
        -100,
        100,
        (
            "surface_downward_northward_stress",
            "downward_northward_stress_at_sea_water_surface",
            "downward_y_stress_at_sea_water_surface",
        ),
        ("surface_northward_stress",),
        "down",
    ),
    Quantity(
        "stress_x",
        "N m-2",
        -100,
        100,
        ("surface_downward_x_stress", "downward_x_stress_at_sea_water_surface"),
        ("surface_stress_x",),
        "down",
    ),
    Quantity(
        "stress_y",
        "N m-2",
        -100,
        100,
        ("surface_downward_y_stress", "downward_y_stress_at_sea_water_surface"),
        ("surface_stress_y",),
        "down",
    ),
    Quantity(
        "heat_flux",
        "W m-2",
        -9000,
        9000,
        (
            "surface_downward_heat_flux_in_sea_water",
            "surface_downward_heat_flux_in_air",
            "surface_net_downward_heat_flux",
        ),
        ("surface_heat_flux", "sea_heat_flux"),
        "down",
    ),
    Quantity(
        "shortwave_flux",
        "W m-2",
        -1,
        1e4,
        (
            "net_downward_shortwave_flux_at_sea_water_surface",
            "surface_net_downward_shortwave_flux",
        ),
        ("surface_shortwave_flux",),
        "down",
    ),
    Quantity(
        "freshwater_flux",
        "kg m-2 s-1",
        -1,
        10,
        ("water_flux_into_sea_water", "surface_downward_water_flux"),
        ("surface_freshwater_flux", "air_freshwater_flux"),
        "down",
    ),
    Quantity(
        "runoff",
        "kg m-2 s-1",
        -1,
        1000,
        ("water_flux_into_sea_water_from_rivers", "runoff_flux", "surface_runoff_flux"),
        ("runoff_flux",),
    ),
    # the air over the sea
    Quantity("eastward_wind", "m s-1", -200, 200, ("eastward_wind",), height=10),
    Quantity("northward_wind", "m s-1", -200, 200, ("northward_wind",), height=10),
    Quantity("wind_speed", "m s-1", 0, 200, ("wind_speed",), height=10),
    Quantity("air_temperature", "degC", -120, 100, ("air_temperature",), height=10),
    Quantity("dew_point_temperature", "K", 150, 373, ("dew_point_temperature",), height=10),
    Quantity("specific_humidity", "1", -1e-4, 0.2, ("specific_humidity",), height=10),
    Quantity(
        "air_pressure",
        "Pa",
        5e3,
        2e5,
        (
            "air_pressure",
            "air_pressure_at_mean_sea_level",
            "air_pressure_at_sea_level",
            "surface_air_pressure",
        ),
    ),
    Quantity(
        "downward_shortwave_flux",
        "W m-2",
        -1,
        1e4,
        (
            "surface_downwelling_shortwave_flux_in_air",
            "surface_downwelling_shortwave_flux",
            "integral_wrt_time_of_surface_downwelling_shortwave_flux_in_air",
        ),
        direction="down",
    ),
    Quantity(
        "downward_longwave_flux",
        "W m-2",
        -1,
        1e4,
        (
            "surface_downwelling_longwave_flux_in_air",
            "surface_downwelling_longwave_flux",
            "integral_wrt_time_of_surface_downwelling_longwave_flux_in_air",
        ),
        direction="down",
    ),
    *(
        Quantity(
            name,
            "kg m-2 s-1",
            -1e-3,
            1,
            (
                *standard,
                name,
                f"lwe_{name.removesuffix('_flux')}_rate",
                f"{name.removesuffix('_flux')}_amount",
                f"lwe_thickness_of_{name.removesuffix('_flux')}_amount",
            ),
        )
        for name, standard in (
            ("precipitation_flux", ()),
            ("rainfall_flux", ("rainfall_rate",)),
            ("snowfall_flux", ("snowfall_rate",)),
        )
    ),
    # the ground, and the light above
    Quantity("ground_temperature", "K", 100, 400, ("surface_temperature", "soil_temperature")),
    Quantity("deep_ground_temperature", "K", 100, 400, ("soil_temperature",)),
    Quantity("land_fraction", "1", -0.01, 1.01, ("land_area_fraction",)),
    Quantity("solar_constant", "W m-2", 0, 1e5, whole=10.0),
    Quantity("solar_irradiance", "W m-2", 0, 1e5, ("solar_irradiance",), (), "down", whole=10.0),
    # what radiation depends on: mole fractions of dry air, optical depths at 550 nm
    *(
        Quantity(name, "1", 0, 0.99, tuple(f"mole_fraction_of_{g}_in_air" for g in gases), whole=w)
        for name, gases, w in (
            ("carbon_dioxide", ("carbon_dioxide",), 1e-7),
            ("methane", ("methane",), 1e-10),
            ("nitrous_oxide", ("nitrous_oxide",), 1e-10),
            ("cfc11", ("cfc11",), 1e-15),
            ("cfc12", ("cfc12",), 1e-15),
            ("cfc22", ("hcfc22", "cfc22"), 1e-15),
            ("carbon_tetrachloride", ("carbon_tetrachloride",), 1e-15),
        )
    ),
    Quantity(
        "ozone",
        "1",
        -1e-6,
        1e-3,
        ("mole_fraction_of_ozone_in_air", "mass_fraction_of_ozone_in_air"),
        whole=1e-9,
    ),
    *(
        Quantity(f"{name}_optical_depth", "1", -0.01, 20)
        for name in (
            "dust",
            "sea_salt",
            "sulfate",
            "black_carbon",
            "organic_carbon",
            "stratospheric",
        )
    ),
)

# a state of the air, on levels and at the ground: by the name of its field
of_air: tuple[Quantity, ...] = (
    Quantity("air_temperature", "K", 90, 500),
    Quantity("eastward_wind", "m s-1", -500, 500),
    Quantity("northward_wind", "m s-1", -500, 500),
    Quantity("specific_humidity", "kg kg-1", -0.01, 0.2),
    Quantity("relative_humidity", "1", -0.5, 3),
    Quantity("geopotential", "m2 s-2", -5e4, 2e6),
    Quantity("geopotential_height", "m", -5e3, 2e5),
    Quantity("surface_air_pressure", "Pa", 5e3, 2e5),
    Quantity("log_surface_pressure", "1", 8.5, 12.2),
    Quantity("surface_geopotential", "m2 s-2", -5e4, 2e5),
)

_of_air = {row.name: row for row in of_air}
_by_name = {name: row for row in table for name in (row.name, *row.also)}


def of(name: str) -> Quantity | None:
    """Returns the row of a name; None: no limits are known of it."""
    return _by_name.get(name)


def of_state(name: str) -> Quantity | None:
    """Returns the row of a field of a state of the air; None: no limits are known of it."""
    return _of_air.get(name)


def check_number(name: str, value: object, argument: str = "") -> None:
    """Raises InputError: a number that is given for a quantity is impossible. argument: how the
    message calls it, if not by its name.
    """
    row = of(name)
    if row is None or isinstance(value, bool) or not isinstance(value, (int, float)):
        return
    small = 0 < value < row.whole
    if small or not row.least <= value <= row.most:
        least = row.whole if small else row.least
        units = "" if row.units == "1" else f" {row.units}"
        raise InputError(
            f"{argument or name} = {value!r} must lie between {least:g} and {row.most:g}{units}"
        )
