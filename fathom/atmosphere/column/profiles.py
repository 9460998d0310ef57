"""Profiles of a column in time as an xarray.Dataset with CF names and its origin."""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom import names
from fathom.base import provenance


def dataset(file: Any, z: Any, interfaces: Any, records: Any) -> Any:
    """Returns the results of a DriverFile as a data set; heights [m] from the top down; records:
    numbers and profiles by name.
    """
    import xarray as xr

    height = {"standard_name": "height", "units": "m", "positive": "up"}
    data = xr.Dataset(
        coords={
            "time": ("time", [r["time"] for r in records]),
            "height": ("height", z[::-1], height | {"long_name": "height of layers"}),
            "interface": (
                "interface",
                interfaces[::-1],
                height | {"long_name": "height of interfaces"},
            ),
        },
        attrs={
            "Conventions": "CF-1.11",
            "case": file.name,
            **provenance.made(f"Column of {file.name}", "ForcedColumn, fp64"),
        },
    )
    since = f"seconds since {file.start}"
    data["time"].attrs |= {"standard_name": "time", "axis": "T", "units": since}
    along = {z.size: "height", interfaces.size: "interface"}
    for name in (n for n in records[0] if n != "time"):
        values = np.array([r[name] for r in records], float)
        dims = ("time",) if values.ndim == 1 else ("time", along[values.shape[1]])
        data[name] = (dims, values if values.ndim == 1 else values[:, ::-1])
        data[name].attrs |= attributes(name)
    return xr.decode_cf(data)


def attributes(name: str) -> Any:
    """Returns CF attributes of a variable of the profiles."""
    row = known_names.get(name, name)
    if isinstance(row, str):
        return names.get(row).attributes
    pairs = zip(("standard_name", "long_name", "units"), row, strict=True)
    return {key: value for key, value in pairs if value}


known_names = {  # another name of the table; or standard name, long name, units
    "air_potential_temperature": "potential_temperature",
    "sensible_heat": "sensible_heat_flux",
    "evaporation": ("water_evapotranspiration_flux", "evaporation", "kg m-2 s-1"),
    "air_diffusivity": ("atmosphere_heat_diffusivity", "diffusivity of the air", "m2 s-1"),
    "boundary_layer_height": (
        "atmosphere_boundary_layer_thickness",
        "height of the boundary layer",
        "m",
    ),
    "shallow_mass_flux": (
        "atmosphere_updraft_convective_mass_flux",
        "mass flux of shallow convection",
        "kg m-2 s-1",
    ),
    "friction_velocity": ("", "friction velocity", "m s-1"),
    "cloud_fraction": ("cloud_area_fraction_in_atmosphere_layer", "cloud cover of a layer", "1"),
    "cloud_liquid_water_path": (
        "atmosphere_mass_content_of_cloud_liquid_water",
        "cloud water of the column",
        "kg m-2",
    ),
    "cloud_ice_path": (
        "atmosphere_mass_content_of_cloud_ice",
        "cloud ice of the column",
        "kg m-2",
    ),
    "rain_water_path": ("", "rain of the column", "kg m-2"),
    "snow_water_path": ("", "snow of the column", "kg m-2"),
    "graupel_water_path": ("", "graupel of the column", "kg m-2"),
    "outgoing_longwave": ("toa_outgoing_longwave_flux", "long wave into space", "W m-2"),
    "toa_net_shortwave": ("toa_net_downward_shortwave_flux", "sunlight taken", "W m-2"),
    "surface_net_shortwave": (
        "surface_net_downward_shortwave_flux",
        "sunlight that the ground takes",
        "W m-2",
    ),
    "surface_downward_longwave": (
        "surface_downwelling_longwave_flux_in_air",
        "long wave from above at the ground",
        "W m-2",
    ),
}
