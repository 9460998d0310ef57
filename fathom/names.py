"""What fields are called: Fathom name, CF name, GRIB2 number, unit, place, alias in output, and how they are drawn.

One table serves output, plots, the report and error messages. A field is found by its Fathom name
(`temperature`) or by its output alias (`thetao`, the CMIP name where there is one).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Name:
    """One field: names, unit, place on the grid, and the way it is drawn."""

    name: str            # Fathom name
    alias: str           # variable name in output files
    standard_name: str   # CF standard name, "" where CF has none
    long_name: str       # for titles
    units: str           # of the stored numbers
    horizontal: str      # center, corner, east_face, north_face
    vertical: str        # layer, interface, column (one value a column)
    colours: str         # name in fathom.plots.colours, or of a matplotlib colour map
    limits: tuple[float, float] | None = None   # typical range in units, None: from the data
    display: tuple[str, float] | None = None    # unit for pictures and factor to it
    grib: tuple | None = None   # GRIB2: discipline, category, number (tables 0.0, 4.1, 4.2); of one value a column also type and value of its surface
                                # (table 4.5); factor to the unit of GRIB2
    fa: str = ""         # FA: the article, on levels what follows their number

    @property
    def attributes(self) -> dict[str, str]:
        """CF attributes of the variable in a file."""
        given = {"standard_name": self.standard_name, "long_name": self.long_name, "units": self.units}
        return {key: value for key, value in given.items() if value}


def _table(*rows: Name) -> dict[str, Name]:
    return {row.name: row for row in rows}


_year = 365.2425 * 86400.0

fields: dict[str, Name] = _table(
    # ocean: state
    Name("temperature", "thetao", "sea_water_potential_temperature", "potential temperature", "degC", "center", "layer", "thermal", (-2, 31)),
    Name("salinity", "so", "sea_water_practical_salinity", "salinity", "1", "center", "layer", "haline", (32, 38)),
    Name("velocity_x", "velocity_x", "sea_water_x_velocity", "velocity along the grid's i", "m s-1", "corner", "layer", "balance"),
    Name("velocity_y", "velocity_y", "sea_water_y_velocity", "velocity along the grid's j", "m s-1", "corner", "layer", "balance"),
    Name("eastward_velocity", "uo", "eastward_sea_water_velocity", "eastward velocity", "m s-1", "corner", "layer", "balance"),
    Name("northward_velocity", "vo", "northward_sea_water_velocity", "northward velocity", "m s-1", "corner", "layer", "balance"),
    Name("sea_surface_height", "zos", "sea_surface_height_above_geoid", "sea surface height", "m", "center", "column", "height", (-1.8, 1.8)),
    Name("barotropic_velocity_x", "ubx", "barotropic_sea_water_x_velocity", "depth-mean velocity along the grid's i", "m s-1", "corner", "column", "balance"),
    Name("barotropic_velocity_y", "vby", "barotropic_sea_water_y_velocity", "depth-mean velocity along the grid's j", "m s-1", "corner", "column", "balance"),
    Name("ideal_age", "agessc", "sea_water_age_since_surface_contact", "ideal age", "s", "center", "layer", "deep", None, ("years", 1 / _year)),
    Name("cfc11", "cfc11", "mole_concentration_of_cfc11_in_sea_water", "CFC-11", "mol m-3", "center", "layer", "deep", None, ("pmol/L", 1e9)),
    Name("cfc12", "cfc12", "mole_concentration_of_cfc12_in_sea_water", "CFC-12", "mol m-3", "center", "layer", "deep", None, ("pmol/L", 1e9)),
    Name("sf6", "sf6", "mole_concentration_of_sulfur_hexafluoride_in_sea_water", "SF6", "mol m-3", "center", "layer", "deep", None, ("fmol/L", 1e12)),
    Name("cfc11_surface_flux", "fgcfc11", "surface_downward_mole_flux_of_cfc11", "CFC-11 into the sea", "mol m-2 s-1", "center", "column", "balance"),
    Name("cfc12_surface_flux", "fgcfc12", "surface_downward_mole_flux_of_cfc12", "CFC-12 into the sea", "mol m-2 s-1", "center", "column", "balance"),
    Name("sf6_surface_flux", "fgsf6", "surface_downward_mole_flux_of_sulfur_hexafluoride", "SF6 into the sea", "mol m-2 s-1", "center", "column", "balance"),
    Name("passive_tracer", "tracer", "", "passive tracer", "1", "center", "layer", "deep"),
    # derived in the column
    Name("density", "rho", "sea_water_density", "density", "kg m-3", "center", "layer", "dense"),
    Name("potential_density", "rhopot", "sea_water_potential_density", "potential density", "kg m-3", "center", "layer", "dense"),
    Name("pressure", "pressure", "sea_water_pressure", "pressure", "Pa", "center", "layer", "deep", None, ("dbar", 1e-4)),
    Name("speed", "speed", "sea_water_speed", "speed", "m s-1", "corner", "layer", "speed"),
    Name("kinetic_energy", "ke", "specific_kinetic_energy_of_sea_water", "kinetic energy", "m2 s-2", "corner", "layer", "speed"),
    Name("relative_vorticity", "zeta", "ocean_relative_vorticity", "relative vorticity", "s-1", "center", "layer", "balance"),
    Name("vertical_velocity", "wo", "upward_sea_water_velocity", "upward velocity", "m s-1", "center", "interface", "balance", None, ("m/day", 86400.0)),
    Name("vertical_diffusivity", "difvho", "ocean_vertical_heat_diffusivity", "vertical diffusivity", "m2 s-1", "center", "interface", "dense"),
    Name("vertical_viscosity", "difvmo", "ocean_vertical_momentum_diffusivity", "vertical viscosity", "m2 s-1", "corner", "interface", "dense"),
    Name("richardson_number", "richardson", "richardson_number_in_sea_water", "gradient Richardson number", "1", "center", "interface", "dense"),
    Name("buoyancy_frequency_squared", "bvf2", "square_of_brunt_vaisala_frequency_in_sea_water", "buoyancy frequency squared", "s-2", "center", "interface", "dense"),
    # one value a column
    Name("sea_surface_temperature", "tos", "sea_surface_temperature", "surface temperature", "degC", "center", "column", "thermal", (-2, 31)),
    Name("sea_surface_salinity", "sos", "sea_surface_salinity", "surface salinity", "1", "center", "column", "haline", (31, 38)),
    Name("surface_speed", "surface_speed", "sea_water_speed", "surface speed", "m s-1", "corner", "column", "speed", (0, 1)),
    Name("surface_eastward_velocity", "uos", "surface_eastward_sea_water_velocity", "surface eastward velocity", "m s-1", "corner", "column", "balance"),
    Name("surface_northward_velocity", "vos", "surface_northward_sea_water_velocity", "surface northward velocity", "m s-1", "corner", "column", "balance"),
    Name("mixed_layer_depth", "mlotst", "ocean_mixed_layer_thickness_defined_by_sigma_t", "mixed layer depth", "m", "center", "column", "deep", (0, 500)),
    Name("boundary_layer_depth", "omld", "ocean_mixed_layer_thickness_defined_by_mixing_scheme", "boundary layer depth", "m", "center", "column", "deep", (0, 200)),
    Name("meridional_overturning", "meridional_overturning", "", "overturning stream function", "m3 s-1", "center", "interface", "balance", None, ("Sv", 1e-6)),
    Name("barotropic_stream_function", "psi", "ocean_barotropic_streamfunction", "barotropic stream function", "m3 s-1", "corner", "column", "balance", None, ("Sv", 1e-6)),
    # surface fluxes, positive into the ocean
    Name("surface_heat_flux", "hfds", "surface_downward_heat_flux_in_sea_water", "surface heat flux (positive down)", "W m-2", "center", "column", "balance", (-250, 250)),
    Name("surface_shortwave_flux", "rsntds", "net_downward_shortwave_flux_at_sea_water_surface", "net surface shortwave flux", "W m-2", "center", "column", "thermal", (0, 300)),
    Name("surface_freshwater_flux", "wfo", "water_flux_into_sea_water", "surface freshwater flux (positive down)", "kg m-2 s-1", "center", "column", "balance", None, ("mm/day", 86400.0)),
    Name("surface_salt_flux", "sfdsi", "downward_sea_ice_basal_salt_flux", "surface salt flux", "kg m-2 s-1", "center", "column", "balance"),
    Name("surface_stress_x", "tauuo", "surface_downward_x_stress", "surface stress along the grid's i", "N m-2", "corner", "column", "balance", (-0.3, 0.3)),
    Name("surface_stress_y", "tauvo", "surface_downward_y_stress", "surface stress along the grid's j", "N m-2", "corner", "column", "balance", (-0.3, 0.3)),
    Name("surface_eastward_stress", "tauuoe", "surface_downward_eastward_stress", "eastward surface stress", "N m-2", "corner", "column", "balance", (-0.3, 0.3)),
    Name("surface_northward_stress", "tauvon", "surface_downward_northward_stress", "northward surface stress", "N m-2", "corner", "column", "balance", (-0.3, 0.3)),
    # atmosphere: state
    Name("eastward_wind", "ua", "eastward_wind", "eastward wind", "m s-1", "center", "layer", "balance", grib=(0, 2, 2), fa="WIND.U.PHYS"),
    Name("northward_wind", "va", "northward_wind", "northward wind", "m s-1", "center", "layer", "balance", grib=(0, 2, 3), fa="WIND.V.PHYS"),
    Name("air_temperature", "ta", "air_temperature", "temperature", "K", "center", "layer", "thermal", grib=(0, 0, 0), fa="TEMPERATURE"),
    Name("virtual_temperature", "tv", "virtual_temperature", "virtual temperature", "K", "center", "layer", "thermal", grib=(0, 0, 1)),
    Name("specific_humidity", "hus", "specific_humidity", "specific humidity", "1", "center", "layer", "moisture", None, ("g/kg", 1e3), grib=(0, 1, 0), fa="HUMI.SPECIFI"),
    Name("log_surface_pressure", "lnps", "", "logarithm of surface pressure", "1", "center", "column", "balance", grib=(0, 3, 25, 105, 1), fa="SURFPRESSION"),
    Name("surface_air_pressure", "ps", "surface_air_pressure", "surface pressure", "Pa", "center", "column", "dense", None, ("hPa", 1e-2), grib=(0, 3, 0, 1, 0)),
    # atmosphere: derived in the column
    Name("relative_humidity", "hur", "relative_humidity", "relative humidity", "1", "center", "layer", "moisture", (0, 1), ("%", 100.0), grib=(0, 1, 1, 0, 0, 100.0), fa="HUMI_RELATIV"),
    Name("vorticity", "rv", "atmosphere_relative_vorticity", "relative vorticity", "s-1", "center", "layer", "balance", None, ("1e-5 s-1", 1e5), grib=(0, 2, 12), fa="VORTICITY"),
    Name("divergence", "div", "divergence_of_wind", "divergence", "s-1", "center", "layer", "balance", grib=(0, 2, 13), fa="DIVERGENCE"),
    Name("fluid_geopotential", "fluid_phi", "", "geopotential of the depth", "m2 s-2", "center", "column", "thermal"),
    Name("potential_temperature", "theta", "air_potential_temperature", "potential temperature", "K", "center", "layer", "thermal", grib=(0, 0, 2), fa="TEMPE_POTENT"),
    Name("wind_speed", "wind_speed", "wind_speed", "wind speed", "m s-1", "center", "layer", "wind", grib=(0, 2, 1), fa="WIND"),
    Name("air_pressure", "pfull", "air_pressure", "pressure", "Pa", "center", "layer", "deep", None, ("hPa", 1e-2), grib=(0, 3, 0)),
    Name("pressure_interface", "phalf", "air_pressure", "pressure at interfaces", "Pa", "center", "interface", "deep", None, ("hPa", 1e-2)),
    Name("geopotential", "phi", "geopotential", "geopotential", "m2 s-2", "center", "layer", "thermal", grib=(0, 3, 4), fa="GEOPOTENTIEL"),
    Name("geopotential_height", "zg", "geopotential_height", "geopotential height", "m", "center", "layer", "thermal", None, ("dam", 0.1), grib=(0, 3, 5)),
    # atmosphere: one value a column
    Name("air_pressure_at_mean_sea_level", "psl", "air_pressure_at_mean_sea_level", "mean sea level pressure", "Pa", "center", "column", "height", None, ("hPa", 1e-2), grib=(0, 3, 0, 101, 0), fa="MSLPRESSURE"),
    Name("air_temperature_2m", "tas", "air_temperature", "temperature at 2 m", "K", "center", "column", "thermal", grib=(0, 0, 0, 103, 2), fa="CLSTEMPERATURE"),
    Name("specific_humidity_2m", "huss", "specific_humidity", "specific humidity at 2 m", "1", "center", "column", "moisture", None, ("g/kg", 1e3), grib=(0, 1, 0, 103, 2), fa="CLSHUMI.SPECIFIQ"),
    Name("relative_humidity_2m", "hurs", "relative_humidity", "relative humidity at 2 m", "1", "center", "column", "moisture", (0, 1), ("%", 100.0), grib=(0, 1, 1, 103, 2, 100.0), fa="CLSHUMI.RELATIVE"),
    Name("eastward_wind_10m", "uas", "eastward_wind", "eastward wind at 10 m", "m s-1", "center", "column", "balance", grib=(0, 2, 2, 103, 10), fa="CLSVENT.ZONAL"),
    Name("northward_wind_10m", "vas", "northward_wind", "northward wind at 10 m", "m s-1", "center", "column", "balance", grib=(0, 2, 3, 103, 10), fa="CLSVENT.MERIDIEN"),
    Name("wind_speed_10m", "sfcWind", "wind_speed", "wind speed at 10 m", "m s-1", "center", "column", "wind", grib=(0, 2, 1, 103, 10)),
    Name("insolation", "rsdt", "toa_incoming_shortwave_flux", "incoming sunlight", "W m-2", "center", "column", "thermal", (0, 1400), grib=(0, 4, 7, 8, 0)),
    Name("precipitation_flux", "pr", "precipitation_flux", "precipitation", "kg m-2 s-1", "center", "column", "rain", None, ("mm/day", 86400.0), grib=(0, 1, 52, 1, 0)),
    Name("convective_precipitation", "prc", "convective_precipitation_flux", "convective precipitation", "kg m-2 s-1", "center", "column", "rain", None, ("mm/day", 86400.0), grib=(0, 1, 37, 1, 0)),
    Name("stratiform_precipitation", "prl", "stratiform_precipitation_flux", "large-scale precipitation", "kg m-2 s-1", "center", "column", "rain", None, ("mm/day", 86400.0), grib=(0, 1, 54, 1, 0)),
    Name("surface_temperature", "ts", "surface_temperature", "surface temperature", "K", "center", "column", "thermal", grib=(0, 0, 17, 1, 0), fa="SURFTEMPERATURE"),
    Name("surface_geopotential", "phis", "surface_geopotential", "surface geopotential", "m2 s-2", "center", "column", "thermal", grib=(0, 3, 4, 1, 0), fa="SURFGEOPOTENTIEL"),
    Name("land_fraction", "sftlf", "land_area_fraction", "land fraction", "1", "center", "column", "deep", (0, 1), grib=(2, 0, 0, 1, 0), fa="SURFIND.TERREMER"),
    Name("sensible_heat_flux", "hfss", "surface_upward_sensible_heat_flux", "sensible heat flux (positive up)", "W m-2", "center", "column", "balance", grib=(0, 0, 11, 1, 0)),
    Name("latent_heat_flux", "hfls", "surface_upward_latent_heat_flux", "latent heat flux (positive up)", "W m-2", "center", "column", "balance", grib=(0, 0, 10, 1, 0)),
    # the grid
    Name("bottom_depth", "deptho", "sea_floor_depth_below_geoid", "depth of the sea floor", "m", "center", "column", "deep"),
    Name("wet_levels", "wet_levels", "", "number of wet levels", "1", "center", "column", "deep"),
    Name("cell_thickness", "thkcello", "cell_thickness", "thickness of the cell", "m", "center", "layer", "deep"),
    Name("cell_area", "areacello", "cell_area", "area of the cell", "m2", "center", "column", "deep"),
)

_by_alias = {row.alias: row for row in fields.values()}


def get(name: str) -> Name:
    """The entry of a Fathom name or an output alias; ValueError with the near names otherwise."""
    found = fields.get(name) or _by_alias.get(name)
    if found is None:
        raise ValueError(unknown("field", name, fields))
    return found


def known(name: str) -> bool:
    """Whether the table has that Fathom name or alias."""
    return name in fields or name in _by_alias


def describe(name: str) -> Name:
    """As `get`, but a name outside the table gets a plain entry (a user's own tracer, say)."""
    return fields.get(name) or _by_alias.get(name) or Name(
        name, name, "", name.replace("_", " "), "", "center", "layer", "viridis")


def nearest(name: str, allowed: Iterable[str], number: int = 3) -> list[str]:
    """Up to `number` allowed names that look like `name`, nearest first."""
    by_folded = {str(word).lower(): str(word) for word in allowed}
    close = difflib.get_close_matches(str(name).lower(), by_folded, number, 0.6)
    return [by_folded[word] for word in close]


def near(name: str, allowed: Iterable[str]) -> str:
    """The tail of an error message: "; did you mean 'salinity'?", or "" where nothing is near."""
    close = nearest(name, allowed)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""


def unknown(kind: str, given: str, allowed: Iterable[str]) -> str:
    """A whole message: "unknown variable 'tho'; did you mean 'rho'? known: ..."."""
    allowed = list(allowed)
    shown = ", ".join(allowed[:20]) + (", ..." if len(allowed) > 20 else "")
    return f"unknown {kind} {given!r}{near(given, allowed) or '.'} known: {shown or 'none'}"
