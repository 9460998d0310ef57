"""One complete state of the atmosphere and of the surface below it, from which a forecast can
start: GFS, 2011-10-11 00Z.
"""

from __future__ import annotations

import numpy as np

from fathom.grids.regrid.fill import harmonic

from .files import Variable, latitudes, longitudes, write
from .grib import fields

AIR = {
    ("t", "isobaricInhPa"): "air_temperature",
    ("u", "isobaricInhPa"): "eastward_wind",
    ("v", "isobaricInhPa"): "northward_wind",
    ("r", "isobaricInhPa"): "relative_humidity",
    ("gh", "isobaricInhPa"): "geopotential_height",
    ("o3mr", "isobaricInhPa"): "ozone",
}
SURFACE = {
    ("sp", "surface"): "surface_air_pressure",
    ("orog", "surface"): "surface_altitude",
    ("t", "surface"): "surface_temperature",
    ("prmsl", "meanSea"): "sea_level_pressure",
    ("lsm", "surface"): "land_fraction",
    ("ci", "surface"): "sea_ice_fraction",
    ("sdwe", "surface"): "snow_amount",
    ("t", "depthBelowLandLayer"): "soil_temperature",
    ("soilw", "depthBelowLandLayer"): "soil_moisture",
    ("wilt", "surface"): "soil_wilting_point",
    ("fldcp", "surface"): "soil_field_capacity",
    ("2t", "heightAboveGround"): "temperature_2m",
    ("2sh", "heightAboveGround"): "humidity_2m",
    ("10u", "heightAboveGround"): "eastward_wind_10m",
    ("10v", "heightAboveGround"): "northward_wind_10m",
    ("tozne", "atmosphereSingleLayer"): "total_ozone",
}
DOBSON = 2.1415e-5  # kg m-2 of ozone in a Dobson unit


# long: a table of the variables in the file
def build_gfs(files):
    """The state on 26 pressure levels, the surface, four soil layers, and ozone as a zonal mean."""
    data = fields(files["gfs"], AIR | SURFACE)
    pressure, ozone_pressure = 100 * data["air_temperature_level"], 100 * data["ozone_level"]
    humidity = on_levels(
        data["relative_humidity"] / 100, 100 * data["relative_humidity_level"], pressure
    )
    latitude, longitude = np.linspace(-90, 90, 73), np.arange(144) * 2.5
    land = data["land_fraction"][0] > 0.5
    soil = {
        name: harmonic(np.where(land, data[name], np.nan), latitude)
        for name in (
            "soil_temperature",
            "soil_moisture",
            "soil_wilting_point",
            "soil_field_capacity",
        )
    }
    air, ground, below = (
        "pressure latitude longitude",
        "latitude longitude",
        "soil_depth latitude longitude",
    )

    def surface(name, *description):
        return Variable(ground, data[name][0], *description)

    write(
        "gfs-2011-10-11",
        "State of the atmosphere and the surface, 2011-10-11 00Z",
        ["gfs"],
        files,
        {
            "pressure": Variable("pressure", pressure, "Pa", "pressure", "air_pressure"),
            "latitude": latitudes(latitude),
            "longitude": longitudes(longitude),
            "soil_depth": Variable(
                "soil_depth",
                np.array([0.05, 0.25, 0.7, 1.5]),
                "m",
                "middle of a layer of soil: 0-0.1, 0.1-0.4, 0.4-1, 1-2",
                "depth",
            ),
            "ozone_pressure": Variable(
                "ozone_pressure", ozone_pressure, "Pa", "pressure of the ozone data", "air_pressure"
            ),
        },
        {
            "air_temperature": Variable(
                air, data["air_temperature"], "K", "temperature", "air_temperature", 0.1
            ),
            "eastward_wind": Variable(
                air, data["eastward_wind"], "m s-1", "eastward wind", "eastward_wind", 0.05
            ),
            "northward_wind": Variable(
                air, data["northward_wind"], "m s-1", "northward wind", "northward_wind", 0.05
            ),
            "relative_humidity": Variable(
                air,
                humidity,
                "1",
                "relative humidity, over water above 0 degC, over ice below -20 degC, linear"
                " between",
                "relative_humidity",
                0.01,
            ),
            "geopotential_height": Variable(
                air,
                data["geopotential_height"],
                "m",
                "geopotential height",
                "geopotential_height",
                0.1,
            ),
            "surface_air_pressure": surface(
                "surface_air_pressure", "Pa", "pressure at the surface", "surface_air_pressure", 2.0
            ),
            "air_pressure_at_mean_sea_level": surface(
                "sea_level_pressure",
                "Pa",
                "pressure at mean sea level",
                "air_pressure_at_mean_sea_level",
                5.0,
            ),
            "surface_altitude": surface(
                "surface_altitude",
                "m",
                "height of the surface of this state",
                "surface_altitude",
                0.2,
            ),
            "surface_temperature": surface(
                "surface_temperature", "K", "temperature of the surface", "surface_temperature", 0.1
            ),
            "land_fraction": surface("land_fraction", "1", "1 on land", "land_area_fraction", 1.0),
            "sea_ice_fraction": surface(
                "sea_ice_fraction", "1", "part of the sea under ice", "sea_ice_area_fraction", 0.01
            ),
            "snow_amount": surface(
                "snow_amount",
                "kg m-2",
                "water in the snow on the ground",
                "surface_snow_amount",
                1.0,
            ),
            "soil_temperature": Variable(
                below,
                soil["soil_temperature"],
                "K",
                "temperature of the soil, filled over sea",
                "soil_temperature",
                0.1,
            ),
            "soil_moisture": Variable(
                below,
                soil["soil_moisture"],
                "1",
                "water in the soil by volume, filled over sea",
                "volume_fraction_of_condensed_water_in_soil",
                0.004,
            ),
            "soil_wilting_point": Variable(
                ground,
                soil["soil_wilting_point"][0],
                "1",
                "water by volume in soil from which plants take none",
                "volume_fraction_of_condensed_water_in_soil_at_wilting_point",
                0.002,
            ),
            "soil_field_capacity": Variable(
                ground,
                soil["soil_field_capacity"][0],
                "1",
                "water by volume that soil holds against gravity",
                "volume_fraction_of_condensed_water_in_soil_at_field_capacity",
                0.002,
            ),
            "air_temperature_2m": surface(
                "temperature_2m", "K", "temperature at 2 m", "air_temperature", 0.1
            ),
            "specific_humidity_2m": surface(
                "humidity_2m", "kg kg-1", "specific humidity at 2 m", "specific_humidity", 2e-5
            ),
            "eastward_wind_10m": surface(
                "eastward_wind_10m", "m s-1", "eastward wind at 10 m", "eastward_wind", 0.05
            ),
            "northward_wind_10m": surface(
                "northward_wind_10m", "m s-1", "northward wind at 10 m", "northward_wind", 0.05
            ),
            "ozone_mixing_ratio": Variable(
                "ozone_pressure latitude",
                data["ozone"].mean(-1),
                "kg kg-1",
                "zonal mean mass mixing ratio of ozone",
                "mass_fraction_of_ozone_in_air",
                0.0,
                "longitude: mean",
            ),
            "total_ozone": Variable(
                "latitude",
                data["total_ozone"][0].mean(-1) * DOBSON,
                "kg m-2",
                "zonal mean column of ozone",
                "atmosphere_mass_content_of_ozone",
                0.0,
                "longitude: mean",
            ),
        },
        time="2011-10-11T00:00:00",
    )


def on_levels(values, pressure, wanted):
    """Linear in ln p; an existing level stays as it is."""
    x, target = np.log(pressure), np.log(wanted)
    k = np.clip(np.searchsorted(x, target, side="right") - 1, 0, x.size - 2)
    weight = ((target - x[k]) / (x[k + 1] - x[k]))[:, None, None]
    return (1 - weight) * values[k] + weight * values[k + 1]
