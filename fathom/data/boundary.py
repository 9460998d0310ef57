"""What the atmosphere rests on, on the rows of a model: sea, ice, soil, snow, albedo, roughness; and the ozone in it. All from embedded sets.

Land and sea are never mixed by interpolation: each is filled where it is not, brought to the points by straight lines, and a point takes both in the
proportion of its `land_fraction`. Land temperatures follow the model's ground with the standard lapse rate.

    albedo       land a_0 (observed without snow), under snow of S kg m-2 the part S / (S + 10) has 0.75 (0.45 where a_0 < 0.17: forest);
                 ice sheets 0.8; sea ice 0.6; sea 0.07
    roughness    vegetation is darker than bare ground: ln z_0 on a straight line from ln 1 m at a_0 = 0.12 to ln 0.01 m at 0.35;
                 ice sheets and sea ice 1 mm, sea 0.1 mm; of a mixed point the logarithms are averaged
    ozone        the zonal mean of GFS between 10 and 100 hPa; above ~ p, below a power of p to 5e-8 at 1000 hPa; times a factor for each latitude with
                 which the column is that of GFS
Roughness and the albedos of snow and ice are textbook values, not data (Jarvis & McNaughton 1986; Roesch et al. 2001).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import embedded, fill, sphere, surface
from .moist_air import GRAVITY, LAPSE_RATE
from .rows import Rows

if TYPE_CHECKING:
    import xarray as xr

CELSIUS = 273.15
ICE_SHEET = 0.9              # soil moisture from which on GFS means ice
FREEZING_SEA = 271.35        # K


def boundary_fields(grid, date, land_fraction, surface_geopotential, dataset: xr.Dataset | None = None) -> dict[str, np.ndarray]:
    """Fields (rows, longest row); soil_temperature and soil_moisture (4, rows, longest row), from 0-0.1, 0.1-0.4, 0.4-1 and 1-2 m.

    date                  anything numpy.datetime64 takes: of sea surface and sea ice, between the months of the climatology
    land_fraction, surface_geopotential   as `orography` gives them
    dataset               a state with surface_temperature, snow_amount, soil_temperature ... (GFS): then sea, ice and ground are those of its day.
                          Without, land is that of the embedded GFS state, in October.

    Names: sea_surface_temperature, surface_temperature [K], sea_ice_fraction, snow_amount [kg m-2], soil_temperature [K], soil_moisture [1],
    surface_albedo, roughness_length [m], land_ice_fraction.
    """
    from .atmosphere import gfs

    rows = Rows.of(grid)
    land, height = rows.pack(np.asarray(land_fraction, float)), rows.pack(np.asarray(surface_geopotential, float)) / GRAVITY
    ground = gfs()
    of_day = dataset is not None and {"surface_temperature", "sea_ice_fraction", "land_fraction"} <= set(dataset.data_vars)
    ground = dataset if of_day else ground
    here = lambda values, latitude=ground.latitude.values, longitude=ground.longitude.values: sphere.to_rows(values, latitude, longitude, rows, order=1)
    is_land = ground.land_fraction.values > 0.5
    only = lambda values, where: here(fill.harmonic(np.where(where, values, np.nan), ground.latitude.values))

    if of_day:
        ice = np.clip(only(ground.sea_ice_fraction.values, ~is_land), 0, 1)
        sea = np.maximum(only(ground.surface_temperature.values, ~is_land & (ground.sea_ice_fraction.values < 0.5)), FREEZING_SEA)
        on_ice = only(ground.surface_temperature.values, ~is_land & (ground.sea_ice_fraction.values >= 0.5))
    else:
        ice, sea = (np.clip(_of_month(name, rows, date), low, high) for name, low, high in
                    (("sea_ice_fraction", 0, 1), ("sea_surface_temperature", -1.8, 40)))
        sea = sea + CELSIUS
        on_ice = _of_month("air_temperature", rows, date) + CELSIUS
    lift = LAPSE_RATE * (only(ground.surface_geopotential.values / GRAVITY, is_land) - height)
    soil = here(ground.soil_temperature.values) + lift
    on_land = only(ground.surface_temperature.values, is_land) + lift
    sheet = np.clip(only((ground.soil_moisture.values[0] > ICE_SHEET).astype(float), is_land), 0, 1)
    snow = np.maximum(only(ground.snow_amount.values, is_land), 0)
    fields = {"sea_surface_temperature": sea, "sea_ice_fraction": ice, "land_ice_fraction": sheet, "snow_amount": np.where(land > 0, snow, 0.0),
              "soil_temperature": soil, "soil_moisture": np.clip(here(ground.soil_moisture.values), 0, 1),
              "surface_temperature": land * on_land + (1 - land) * ((1 - ice) * sea + ice * np.minimum(on_ice, FREEZING_SEA))}
    bare = embedded.read("land", "snow_free_albedo", "albedo_latitude", "albedo_longitude")
    bare = here(bare["snow_free_albedo"].astype(float), bare["albedo_latitude"], bare["albedo_longitude"])
    fields["surface_albedo"] = albedo(bare, snow, sheet, land, ice)
    fields["roughness_length"] = roughness(bare, sheet, land, ice)
    return {name: rows.unpack(values) for name, values in fields.items()}


def albedo(bare, snow, sheet, land, ice) -> np.ndarray:
    """Of ground without snow, snow [kg m-2], and the fractions of ice sheet, land and sea ice."""
    under_snow = snow / (snow + 10)
    ground = (1 - under_snow) * bare + under_snow * np.where(bare < 0.17, 0.45, 0.75)
    return land * ((1 - sheet) * ground + sheet * 0.8) + (1 - land) * ((1 - ice) * 0.07 + ice * 0.6)


def roughness(bare, sheet, land, ice) -> np.ndarray:
    """z_0 [m], from the same."""
    vegetation = np.clip((0.35 - bare) / (0.35 - 0.12), 0, 1)
    ground = (1 - sheet) * (1 - vegetation) * np.log(0.01) + sheet * np.log(1e-3)       # ln 1 m is 0
    return np.exp(land * ground + (1 - land) * ((1 - ice) * np.log(1e-4) + ice * np.log(1e-3)))


def ozone(latitude, pressure) -> np.ndarray:
    """Mass mixing ratio of ozone [kg kg-1] at latitudes (*points) [degrees] and pressures (levels, *points) [Pa]."""
    data = embedded.read("gfs-2011-10-11", "ozone_mixing_ratio", "ozone_pressure", "latitude", "total_ozone")
    levels = np.concatenate([[1.0], data["ozone_pressure"], [1e5]])
    values = data["ozone_mixing_ratio"].astype(float)
    x, values = np.log(levels), np.log(np.concatenate([values[:1] * levels[0] / levels[1], values, np.full_like(values[:1], 5e-8)]))
    fine = np.exp(np.linspace(x[0], x[-1], 2000))
    column = np.stack([np.trapezoid(np.exp(np.interp(np.log(fine), x, profile)), fine) for profile in values.T]) / GRAVITY
    values = values + np.log(data["total_ozone"] / column)
    latitude, pressure = np.broadcast_arrays(np.asarray(latitude, float), np.asarray(pressure, float))
    row = np.clip((latitude - data["latitude"][0]) / (data["latitude"][1] - data["latitude"][0]), 0, data["latitude"].size - 1.000001)
    level = np.interp(np.log(np.maximum(pressure, levels[0])), x, np.arange(x.size))
    k, j = np.minimum(level.astype(int), x.size - 2), row.astype(int)
    s, t = level - k, row - j
    inside = (1 - s) * ((1 - t) * values[k, j] + t * values[k, j + 1]) + s * ((1 - t) * values[k + 1, j] + t * values[k + 1, j + 1])
    return np.exp(inside) * np.minimum(pressure / levels[0], 1)


def _of_month(name, rows, date):
    """A variable of the surface climatology at a date, packed."""
    moment = np.datetime64(date, "D")
    day = (moment - moment.astype("datetime64[Y]")).astype(float)
    middle = surface.day_of_year()
    around = np.concatenate([middle[-1:] - 365, middle, middle[:1] + 365])
    position = np.interp(day, around, np.arange(14)) - 1
    before, weight = int(np.floor(position)), position - np.floor(position)
    months = [surface.on_points(rows.point_latitude, rows.point_longitude, name, month=n % 12)[name].astype(float) for n in (before, before + 1)]
    return (1 - weight) * months[0] + weight * months[1]
