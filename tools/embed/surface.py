"""The sea surface and the air above it, month by month; reasons are in docs/data.md."""

from __future__ import annotations

import warnings

import netCDF4
import numpy as np

from fathom.data.embedded import FOLDER
from fathom.grids.regrid import points as regrid
from fathom.grids.regrid.fill import harmonic

from .bulk import CELSIUS, DAY, bulk_fluxes, humidity_factor, saturation
from .files import Variable, latitudes, longitudes, write
from .sources import read
from .sphere import cell_area, from_greenwich, mean

STEFAN_BOLTZMANN = 5.67e-8  # W m-2 K-4
ALBEDO = 0.066  # of the sea, Large & Yeager (2009)
MONTH_CENTRES = 15.5, 45, 74.5, 105, 135.5, 166, 196.5, 227.5, 258, 288.5, 319, 349.5


# long: the steps, then a table of the variables in the file
def build_surface(files):
    """Twelve months of the forcing of the sea surface; reasons are in docs/data.md."""
    sea_latitude, sea_longitude, sst = read_sst(files["oisst"])
    sea_ice = ice_fraction(sst, sea_latitude)
    latitude, longitude = np.arange(-89.0, 90, 2), np.arange(1.0, 360, 2)
    sst2, ice = halve(sst), halve(sea_ice)
    coads = read_coads(files["coads"])

    wind = winds(coads, files["navy"], latitude, longitude)
    temperature, humidity = air(coads, sst2, ice, latitude)
    pressure = zonal_in_the_south(corrected(100 * coads["SLP"], latitude), latitude)
    budget = read_budget(files["budget"])
    shortwave, longwave = radiation(budget, sst2, temperature, latitude, longitude)

    water = open_water(ice, latitude, longitude)
    dryness = humidity_factor(wind["wind_speed"], temperature, humidity, pressure, sst2, water)
    humidity = dryness * humidity
    turbulent, evaporation = bulk_fluxes(wind["wind_speed"], temperature, humidity, pressure, sst2)
    lost = STEFAN_BOLTZMANN * (sst2 + CELSIUS) ** 4 - longwave - turbulent
    factor = mean(lost, water) / mean((1 - ALBEDO) * shortwave, water)
    shortwave = factor * shortwave
    sea = open_water(0 * ice, latitude, longitude)
    rain = precipitation(evaporation, water, sea, latitude)
    (salinity,) = from_greenwich(*read(files["levitus"], "XAXLEVITR", "SALT"))[1]
    salinity = harmonic(salinity[0], sea_latitude)

    air_, sea = "month latitude longitude", "month sea_latitude sea_longitude"
    monthly = {"cell_methods": "time: mean within years time: mean over years"}
    write(
        "surface-climatology",
        "Monthly climatology of the sea surface and the air above it",
        ["coads", "navy", "budget", "oisst", "levitus"],
        files,
        {
            "month": Variable("month", np.arange(1, 13), "1", "month of the year"),
            "latitude": latitudes(latitude),
            "longitude": longitudes(longitude),
            "sea_latitude": latitudes(sea_latitude, "sea_latitude"),
            "sea_longitude": longitudes(sea_longitude, "sea_longitude"),
        },
        {
            "day_of_year": Variable(
                "month",
                np.array(MONTH_CENTRES),
                "d",
                "middle of the month, from the start of the year",
            ),
            "wind_speed": Variable(
                air_,
                wind["wind_speed"],
                "m s-1",
                "mean wind speed at 10 m, gusts included",
                "wind_speed",
                0.01,
                **monthly,
            ),
            "eastward_wind": Variable(
                air_,
                wind["eastward_wind"],
                "m s-1",
                "mean eastward wind at 10 m",
                "eastward_wind",
                0.01,
                **monthly,
            ),
            "northward_wind": Variable(
                air_,
                wind["northward_wind"],
                "m s-1",
                "mean northward wind at 10 m",
                "northward_wind",
                0.01,
                **monthly,
            ),
            "air_temperature": Variable(
                air_,
                temperature,
                "degC",
                "air temperature at 10 m",
                "air_temperature",
                0.01,
                **monthly,
            ),
            "specific_humidity": Variable(
                air_,
                humidity,
                "kg kg-1",
                "specific humidity at 10 m",
                "specific_humidity",
                2e-6,
                **monthly,
            ),
            "air_pressure": Variable(
                air_,
                pressure,
                "Pa",
                "air pressure at sea level",
                "air_pressure_at_mean_sea_level",
                5.0,
                **monthly,
            ),
            "downward_shortwave_flux": Variable(
                air_,
                shortwave,
                "W m-2",
                "downward shortwave radiation",
                "surface_downwelling_shortwave_flux_in_air",
                0.1,
                **monthly,
            ),
            "downward_longwave_flux": Variable(
                air_,
                longwave,
                "W m-2",
                "downward longwave radiation",
                "surface_downwelling_longwave_flux_in_air",
                0.1,
                **monthly,
            ),
            "precipitation_flux": Variable(
                "latitude longitude",
                rain,
                "kg m-2 s-1",
                "annual precipitation, zonal mean",
                "precipitation_flux",
                1e-8,
                "time: mean longitude: mean",
            ),
            "sea_surface_temperature": Variable(
                sea,
                sst,
                "degC",
                "sea surface temperature",
                "sea_surface_temperature",
                0.005,
                **monthly,
            ),
            "sea_surface_salinity": Variable(
                "sea_latitude sea_longitude",
                salinity,
                "1",
                "annual mean practical salinity",
                "sea_surface_salinity",
                0.001,
                "time: mean",
            ),
            "sea_ice_fraction": Variable(
                sea,
                sea_ice,
                "1",
                "sea ice fraction implied by the surface temperature",
                "sea_ice_area_fraction",
                0.01,
                **monthly,
            ),
        },
        humidity_factor=float(dryness),
        shortwave_factor=float(factor),
        net_heat_flux_before_factor=float(mean((1 - ALBEDO) * shortwave / factor - lost, water)),
        evaporation_mm_per_day=float(mean(evaporation, water) * DAY),
    )


def read_sst(file):
    latitude, longitude, sst = read(file, "lat", "lon", "tos")
    return latitude[::-1], longitude, sst[:, ::-1]


def ice_fraction(sst, latitude):
    """1 at -1.79 degC, 0 from -0.2 degC in the north and -1.1 degC in the south.

    OISST makes its temperature under ice from the concentration; the two limits give the observed
    areas of ice.
    """
    edge = np.where(latitude > 0, -0.2, -1.1)[:, None]
    return np.clip((edge - sst) / (edge + 1.79), 0, 1)


def halve(field):
    """Means of 2 x 2 cells."""
    return field.reshape(*field.shape[:-2], field.shape[-2] // 2, 2, field.shape[-1] // 2, 2).mean(
        (-3, -1)
    )


def read_coads(file):
    names = "SST", "AIRT", "SPEH", "WSPD", "UWND", "VWND", "SLP"
    longitude, *fields = read(file, "COADSX", *names)
    return dict(zip(names, from_greenwich(longitude, *fields)[1]))


def winds(coads, navy_file, latitude, longitude):
    """COADS north of 30 S, Navy analyses south of 45 S and in gaps, joined without a step."""
    source_latitude, source_longitude, u, v = read(navy_file, "FNOCY", "FNOCX", "UWND", "VWND")
    source_longitude, (u, v) = from_greenwich(source_longitude, u, v)
    grid = np.meshgrid(latitude, longitude, indexing="ij")
    navy_u, navy_v = (
        regrid.bilinear(
            c.reshape(-1, 12, *c.shape[1:]).mean(0), source_latitude, source_longitude, *grid
        )
        for c in (u, v)
    )
    north = trust_in_ships(latitude)
    east = navy_u + north * corrected(coads["UWND"] - navy_u, latitude)
    up = navy_v + north * corrected(coads["VWND"] - navy_v, latitude)
    gusts = coads["WSPD"] ** 2 - coads["UWND"] ** 2 - coads["VWND"] ** 2
    gusts = zonal_in_the_south(corrected(np.maximum(gusts, 1.0), latitude), latitude)
    return {
        "eastward_wind": east,
        "northward_wind": up,
        "wind_speed": np.sqrt(east**2 + up**2 + gusts),
    }


def trust_in_ships(latitude):
    """Weight of COADS (lat, 1): 1 north of 30 S, 0 south of 45 S, where ships are few."""
    return np.clip((latitude + 45) / 15, 0, 1)[:, None]


def zonal_in_the_south(field, latitude):
    """The field where ship data are reliable, its zonal mean elsewhere."""
    north = trust_in_ships(latitude)
    return north * field + (1 - north) * field.mean(-1, keepdims=True)


def corrected(field, latitude):
    """Without outliers (3 standard deviations along a parallel), filled, smoothed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # parallels without data
        middle, spread = np.nanmedian(field, 2, keepdims=True), np.nanstd(field, 2, keepdims=True)
    field = np.where(np.abs(field - middle) < 3 * np.maximum(spread, 1e-3), field, np.nan)
    return smooth(harmonic(field, latitude))


def smooth(field):
    """1-2-1 in both directions, periodic in longitude."""
    field = 0.25 * (np.roll(field, 1, -1) + 2 * field + np.roll(field, -1, -1))
    padded = np.concatenate([field[..., :1, :], field, field[..., -1:, :]], -2)
    return 0.25 * (padded[..., :-2, :] + 2 * padded[..., 1:-1, :] + padded[..., 2:, :])


def air(coads, sst, ice, latitude):
    """Air temperature [degC] and specific humidity.

    Over water: this sea temperature plus the air-sea difference and with the relative humidity of
    COADS. Over ice: the seasonal cycle over the Arctic pack observed by drifting stations (COADS
    north of 80 N).
    """
    water = (ice < 0.3) & (coads["SST"] > -1.5)
    difference = corrected(np.where(water, coads["AIRT"] - coads["SST"], np.nan), latitude)
    relative = coads["SPEH"] / 1000 / saturation(coads["AIRT"])
    relative = corrected(np.where(water & (relative < 1.05), relative, np.nan), latitude)
    pack = over_pack(coads["AIRT"], latitude)
    temperature = (1 - ice) * (sst + difference) + ice * pack
    humidity = (1 - ice) * relative * saturation(sst + difference) + ice * 0.9 * saturation(pack)
    return temperature, humidity


def over_pack(air_temperature, latitude):
    """Air temperature over pack ice (month, lat, 1): milder towards the equator, in the south six
    months later.
    """
    arctic = np.nanmean(air_temperature[:, latitude > 80], (1, 2))
    north = np.clip((latitude - 35) / 45, 0, 1)
    south = np.clip((-latitude - 52) / 28, 0, 1)
    cycle = np.minimum(arctic + 1.8, 1.8)[:, None]
    return (-1.8 + north * cycle + south * np.roll(cycle, 6, 0))[:, :, None]


def read_budget(file):
    names = "ESKUY", "ESKUX", "FSR", "FUL"
    latitude, longitude, absorbed, net_longwave = read(file, *names)
    longitude, (absorbed, net_longwave) = from_greenwich(longitude, absorbed, net_longwave)
    return latitude, longitude, absorbed, net_longwave


def radiation(budget, sst, temperature, latitude, longitude):
    """Downward short- and longwave flux (month, lat, lon) that repeat Esbensen & Kushnir's absorbed
    and net fluxes.

    The transmission (surface over top of the atmosphere) and the emissivity of the sky are
    interpolated and filled, so that the polar night stays dark and the sky over cold ice is cold.
    """
    source_latitude, source_longitude, absorbed, net_longwave = budget
    source, target = (
        np.meshgrid(*a, indexing="ij")
        for a in ((source_latitude, source_longitude), (latitude, longitude))
    )
    sun = insolation(source_latitude)
    transmission = absorbed / (1 - ALBEDO) / np.where(sun > 40, sun, np.nan)
    sea, sky = (
        regrid.bilinear(f, latitude, longitude, *source) + CELSIUS for f in (sst, temperature)
    )
    emissivity = (STEFAN_BOLTZMANN * sea**4 - net_longwave) / (STEFAN_BOLTZMANN * sky**4)
    transmission, emissivity = (
        np.clip(
            regrid.bilinear(
                harmonic(f, source_latitude), source_latitude, source_longitude, *target
            ),
            *bounds,
        )
        for f, bounds in ((transmission, (0.2, 0.8)), (emissivity, (0.6, 1.0)))
    )
    return (
        transmission * insolation(latitude),
        emissivity * STEFAN_BOLTZMANN * (temperature + CELSIUS) ** 4,
    )


def insolation(latitude):
    """Daily mean at the top of the atmosphere in mid-month (month, lat, 1) [W m-2]."""
    angle = 2 * np.pi * (np.arange(12) + 0.5)[:, None] / 12
    declination = (
        0.006918
        - 0.399912 * np.cos(angle)
        + 0.070257 * np.sin(angle)
        - 0.006758 * np.cos(2 * angle)
        + 0.000907 * np.sin(2 * angle)
    )  # Spencer (1971)
    distance = 1.000110 + 0.034221 * np.cos(angle) + 0.001280 * np.sin(angle)
    phi = np.deg2rad(latitude)
    hour = np.arccos(np.clip(-np.tan(phi) * np.tan(declination), -1, 1))
    day = hour * np.sin(phi) * np.sin(declination) + np.cos(phi) * np.cos(declination) * np.sin(
        hour
    )
    return np.maximum(1361 / np.pi * distance * day, 0)[:, :, None]


def open_water(ice, latitude, longitude):
    """Weight of each cell in a mean over open water: area times ocean fraction without ice."""
    with netCDF4.Dataset(FOLDER / "topography.nc") as file:
        ocean = file["ocean_fraction"][...].filled().reshape(90, 12, 180, 12).mean((1, 3))
    return cell_area(latitude, longitude.size) * ocean * (1 - ice)


def precipitation(evaporation, water, sea, latitude):
    """Zonal and annual mean (lat, lon) [kg m-2 s-1]: the evaporation less the observed E - P, for
    evaporation from open water only, none under ice.
    """
    from scipy.interpolate import PchipInterpolator

    observed = PchipInterpolator(
        [-90, -60, -25, 5, 25, 60, 90], [-0.3, -1.29, 1.97, -2.98, 1.36, -0.99, -0.5]
    )
    zonal = (evaporation * water).sum((0, 2)) / np.maximum(sea.sum((0, 2)), 1)
    rain = np.maximum(zonal - observed(latitude) / DAY, 0.2 / DAY)
    weight = water.sum(0)
    rain = np.broadcast_to(rain[:, None], weight.shape)
    return rain * (evaporation * water).sum() / (rain * water).sum()
