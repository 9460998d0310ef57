"""The forcing and the initial state of the global ocean at 4 degrees: stress, fluxes, surface
temperature and salinity by month, temperature and salinity of the ocean; and rivers at 1 degree.

The fields are those of a common tutorial case, on its mask, unchanged: a run on that grid reads the
same numbers. Elsewhere they are filled (docs/data.md).
"""

from __future__ import annotations

import gsw
import netCDF4
import numpy as np

from fathom.data import mixed_layer
from fathom.grids.regrid.fill import harmonic

from .files import Variable, latitudes, longitudes, write

LATITUDE, LONGITUDE = np.arange(-78.0, 79, 4), np.arange(2.0, 360, 4)
BEYOND = np.array([82.0, 86.0])  # rows that the source does not have
ROWS = np.concatenate([LATITUDE, BEYOND])
THICKNESS = 50, 70, 100, 140, 190, 240, 290, 340, 390, 440, 490, 540, 590, 640, 690
FRESH_WATER = 1000.0  # kg m-3


# long: the steps, then a table of the variables in the file
def build_fluxes(files):
    """Twelve months of fluxes through the surface of the ocean, and the rivers."""
    water = numbers(files["tutorial_depth"]) < 0
    read = ("stress_east", "stress_north", "heat", "fresh", "sst", "sss")
    monthly = {name: numbers(files[f"tutorial_{name}"], 12) for name in read}
    monthly["heat"] *= -1  # into the ocean
    monthly["fresh"] *= -FRESH_WATER
    for name, field in monthly.items():
        whole = np.ones_like(water) if name.startswith("stress") else water
        # the pack ice of the central Arctic stops almost all flux
        monthly[name] = filled(field, whole, polar=0.0 if name == "heat" else np.nan)
    where, methods = "month latitude longitude", "time: mean within years time: mean over years"

    def by_month(name, units, long_name, standard_name, resolution):
        return Variable(
            where, monthly[name], units, long_name, standard_name, resolution, cell_methods=methods
        )

    latitude, longitude, rivers = runoff(files["runoff"])
    write(
        "surface-fluxes",
        "Monthly stress, heat and fresh water through the surface of the ocean, and rivers",
        [name for name in files if name.startswith("tutorial") and name not in STATE] + ["runoff"],
        files,
        {
            "month": Variable("month", np.arange(1, 13), "1", "month of the year"),
            "latitude": latitudes(ROWS),
            "longitude": longitudes(LONGITUDE),
            "river_latitude": latitudes(latitude, "river_latitude"),
            "river_longitude": longitudes(longitude, "river_longitude"),
        },
        {
            "stress_eastward": by_month(
                "stress_east",
                "N m-2",
                "eastward stress on the ocean",
                "surface_downward_eastward_stress",
                5e-5,
            ),
            "stress_northward": by_month(
                "stress_north",
                "N m-2",
                "northward stress on the ocean",
                "surface_downward_northward_stress",
                5e-5,
            ),
            "surface_heat_flux": by_month(
                "heat",
                "W m-2",
                "net heat flux into the ocean",
                "surface_downward_heat_flux_in_sea_water",
                0.05,
            ),
            "surface_freshwater_flux": by_month(
                "fresh",
                "kg m-2 s-1",
                "precipitation less evaporation",
                "water_flux_into_sea_water",
                2e-8,
            ),
            "sea_surface_temperature": by_month(
                "sst",
                "degC",
                "sea surface temperature",
                "sea_surface_temperature",
                0.002,
            ),
            "sea_surface_salinity": by_month(
                "sss", "1", "sea surface salinity", "sea_surface_salinity", 0.001
            ),
            "runoff_flux": Variable(
                "river_latitude river_longitude",
                rivers,
                "kg m-2 s-1",
                "runoff of rivers and ice sheets, annual mean",
                "water_flux_into_sea_water_from_rivers",
                cell_methods="time: mean",
            ),
        },
    )


STATE = "tutorial_temperature", "tutorial_salinity"  # sources of the state alone


# long: the steps, then a table of the variables in the file
def build_state(files):
    """January of temperature and salinity on 15 layers, the depth of the sea, and the largest depth
    of its mixed layer.
    """
    depth = -numbers(files["tutorial_depth"])
    interfaces = np.concatenate([[0.0], np.cumsum(THICKNESS)])
    middles = (interfaces[1:] + interfaces[:-1]) / 2
    months = [numbers(files[name], 12, len(THICKNESS)) for name in STATE]
    water = months[1] > 0  # no water: no salt
    months = [np.where(water, field, np.nan) for field in months]
    temperature, salinity = (harmonic(field[0], LATITUDE, coupling=0.1) for field in months)
    mixed = deepest_mixed_layer(*months, middles)
    where = "depth latitude longitude"
    write(
        "levitus-4deg",
        "Potential temperature and salinity in January, 4 degrees, 15 layers",
        ["tutorial_depth", *STATE],
        files,
        {
            "depth": Variable("depth", middles, "m", "depth of the middle of the layer", "depth"),
            "latitude": latitudes(LATITUDE),
            "longitude": longitudes(LONGITUDE),
        },
        {
            "thickness": Variable(
                "depth", np.array(THICKNESS, float), "m", "thickness of layers", "cell_thickness"
            ),
            "ocean_depth": Variable(
                "latitude longitude",
                depth,
                "m",
                "depth of the sea, 0 on land",
                "sea_floor_depth_below_geoid",
                0.5,
            ),
            "potential_temperature": Variable(
                where,
                temperature,
                "degC",
                "potential temperature, January",
                "sea_water_potential_temperature",
                0.001,
            ),
            "salinity": Variable(
                where,
                salinity,
                "1",
                "practical salinity, January",
                "sea_water_practical_salinity",
                0.001,
            ),
            "deepest_mixed_layer": Variable(
                "latitude longitude",
                mixed,
                "m",
                "deepest mixed layer of twelve months, density step 0.125 kg m-3",
                "ocean_mixed_layer_thickness_defined_by_sigma_t",
                0.1,
                "time: maximum within years",
            ),
        },
    )


def deepest_mixed_layer(temperature, salinity, depth):
    """Of twelve months of (month, depth, lat, lon), filled where there is no water."""
    absolute = gsw.SA_from_SP(salinity, depth[:, None, None], LONGITUDE, LATITUDE[:, None])
    density = 1000 + gsw.sigma0(absolute, gsw.CT_from_pt(absolute, temperature))
    months = mixed_layer.depth_of(density, depth)
    with np.errstate(invalid="ignore"):
        deepest = np.fmax.reduce(months, axis=0)
    return harmonic(deepest, LATITUDE)


def numbers(file, *records):
    """The contents of a file of big-endian numbers, (*records, lat, lon)."""
    shape = (*records, LATITUDE.size, LONGITUDE.size)
    return np.fromfile(file, ">f4").astype(float).reshape(shape)


def filled(field, water, polar):
    """With the rows beyond those of the source, of which the last is `polar` (NaN: not known), and
    without gaps.
    """
    more = np.full((*field.shape[:-2], BEYOND.size, LONGITUDE.size), np.nan)
    more[...] = polar
    return harmonic(np.concatenate([np.where(water, field, np.nan), more], axis=-2), ROWS)


def runoff(file):
    """Latitude, longitude and runoff [kg m-2 s-1], 0 where no river ends."""
    with netCDF4.Dataset(file) as data:
        latitude, longitude = (np.asarray(data[name][...], float) for name in ("lat", "lon"))
        flux = np.ma.filled(data["Foxx_o_roff"][0].astype(float), 0.0)
    flux[~(np.abs(flux) < 1)] = 0.0
    return latitude, longitude, flux
