"""States of the atmosphere on levels of pressure, from which a forecast starts, all with the same
names.

    gfs()        GFS, 2011-10-11 00Z, 2.5 degrees, 26 levels, with surface and soil: embedded
    era5(path)   ERA5, 1959-01-02 00Z, 64 x 32, 37 levels: from the package `neuralgcm`,
        or your own file of that layout
    ecmwf(path)  ECMWF, 2024-06-03 00Z to 06-04 18Z every 6 h, 10 degrees, 6 levels: from the
    sources of the package `earthkit-data`

Each is an xarray.Dataset on (pressure [Pa], downward; latitude, from south; longitude, from 0),
with air_temperature [K], eastward_wind and northward_wind [m s-1], specific_humidity [kg kg-1],
geopotential [m2 s-2]; GFS also surface_air_pressure [Pa], surface_geopotential, ...
Of a file of a limited area: what fathom/data/area_state.py says.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fathom.base import earth, moist_air
from fathom.base.failure import InputError, MissingFileError
from fathom.base.home import at_home
from fathom.base.moist_air import GAS_CONSTANT
from fathom.base.near import near
from fathom.base.reading import once
from fathom.data import area_state, embedded, grib_files, grib_state, stored_state
from fathom.data.input import states

if TYPE_CHECKING:
    import xarray as xr

ERA5_FILE = "era5_tl31_19590102T00.nc"
ECMWF_FILE = "pl_regular_ll.grib"
grib_endings = (".grib", ".grib2", ".grb", ".grb2")
OUTLINE = {
    "air_temperature": "K",
    "eastward_wind": "m s-1",
    "northward_wind": "m s-1",
    "specific_humidity": "kg kg-1",
    "geopotential": "m2 s-2",
}


@once
def open(name: str, path: str | Path | None = None) -> xr.Dataset:
    """Opens `gfs`, `era5` or `ecmwf`, the path of a file of one of these, any GRIB file with a
    state (fathom.data.grib_state), or any store with one (fathom.data.stored_state): NetCDF, Zarr,
    FA.
    """
    sources = {
        "gfs": lambda: gfs(),
        "gfs-2011-10-11": lambda: gfs(),
        "era5": lambda: era5(path),
        "ecmwf": lambda: ecmwf(path),
    }
    if name in sources:
        return sources[name]()
    if grib_files.several(name):
        return complete(grib_state.state(grib_files.files_of(name)))
    name = str(at_home(name))
    if str(name).endswith(grib_endings) and Path(name).is_file():
        return complete(grib_state.state(Path(name)))
    if str(name).endswith((".grib", ".tar.gz")):
        return ecmwf(name)
    if Path(name).name == ERA5_FILE:
        return era5(name)
    if Path(name).exists():
        return complete(stored_state.state(Path(name)))
    raise InputError(
        f"no state of the atmosphere {name!r}; there are: {', '.join(sources)}, or the path of a"
        " file (GRIB, NetCDF, Zarr, FA)" + near(str(name), sources)
    )


@once
def is_area_file(name: str) -> bool:
    """Returns whether it is the path of a file with the state of a limited area."""
    if grib_files.several(name):
        return grib_state.is_area(grib_files.files_of(name).paths[0])
    file = at_home(name)
    if name.endswith(grib_endings) and file.is_file():
        return grib_state.is_area(file)
    return file.exists() and not name.endswith(".tar.gz") and stored_state.is_area(file)


@once
def gfs() -> xr.Dataset:
    """Returns GFS, 2011-10-11 00Z (a forecast of 72 hours), with the surface and the soil;
    embedded, public domain.
    """
    data = embedded.dataset("gfs-2011-10-11").astype(float)
    pressure = data.pressure
    humidity = moist_air.specific_humidity(data.relative_humidity, data.air_temperature, pressure)
    return complete(
        data.assign(
            specific_humidity=humidity,
            geopotential=data.geopotential_height * earth.STANDARD_GRAVITY,
            surface_geopotential=data.surface_altitude * earth.STANDARD_GRAVITY,
            time=_moment(data.attrs["time"]),
        )
    )


@once
def era5(path: str | Path | None = None) -> xr.Dataset:
    """Returns ERA5, 1959-01-02 00Z, with sea_surface_temperature [K] and sea_ice_fraction over sea
    (contains modified Copernicus data: not embedded).

    path  of `era5_tl31_19590102T00.nc`; by default the one in the installed package `neuralgcm`
    (pip install --no-deps neuralgcm)
    """
    file = _file(path, ERA5_FILE, "neuralgcm", "data", "pip install --no-deps neuralgcm==1.2.2")
    names = {
        "temperature": "air_temperature",
        "u_component_of_wind": "eastward_wind",
        "v_component_of_wind": "northward_wind",
        "sea_ice_cover": "sea_ice_fraction",
        "level": "pressure",
        "specific_cloud_liquid_water_content": "cloud_liquid_water",
        "specific_cloud_ice_water_content": "cloud_ice",
    }
    with embedded.opened_lazily(file) as data:
        if missing := set(names) - set(data.variables):
            raise InputError(
                f"{file} has no {', '.join(sorted(missing))}; it is not of the layout of"
                f" {ERA5_FILE}"
            )
        data = data.load().rename(names)
    return complete(
        data.assign_coords(pressure=100.0 * data.pressure)
        .transpose("pressure", "latitude", "longitude")
        .astype(float)
    )


@once
def ecmwf(path: str | Path | None = None) -> xr.Dataset:
    """Returns ECMWF, eight times on 10 degrees and 6 levels: analyses at 00 and 12Z, forecasts of 6
    hours at 06 and 18Z.

    path  of `pl_regular_ll.grib`, in docs/source/tutorials of the sources of earthkit-data
          (pip download --no-deps --no-binary earthkit-data earthkit-data==1.3.0, then unpack), or
          that archive itself
    """
    file = _file(
        path,
        ECMWF_FILE,
        None,
        "",
        "pip download --no-deps --no-binary earthkit-data earthkit-data==1.3.0, unpack it, and"
        f" give the path of docs/source/tutorials/{ECMWF_FILE}",
    )
    return complete(grib_state.state(file))


def complete(data: xr.Dataset) -> xr.Dataset:
    """Returns the state with pressure downward, latitude from south, longitude from Greenwich; what
    is missing is an error that says so. An area is complete.
    """
    source = data.encoding.get("source", "the state")
    for name in ("air_temperature", *area_state.winds):
        if name in data:
            states.check_meaning(source, name, data[name], name)
    if area_state.is_area(data):
        return states.ordered(source, data)
    for name in (*OUTLINE, "pressure", "latitude", "longitude"):
        if name not in data.variables:
            raise InputError(
                f"a state of the atmosphere needs {name}; this one has"
                f" {', '.join(sorted(map(str, data.variables)))}"
            )
    if data.latitude.ndim != 1 or data.longitude.ndim != 1:
        raise InputError(
            "a state of the atmosphere needs rows of latitude and columns of longitude; here both"
            f" are on ({', '.join(map(str, data.latitude.dims))}), and no map of an area is said"
            " (CF: a grid mapping)"
        )
    data = states.ordered(source, data)
    for name, units in OUTLINE.items():
        data[name].attrs = {"standard_name": name, "units": units}
    if not area_state.around(data.longitude.values):
        return area_state.box(data)
    return data.assign_coords(longitude=data.longitude % 360).sortby("longitude")


def extended(data: xr.Dataset, decay: float = 1.0) -> xr.Dataset:
    """Returns the state with levels up to 10 hPa added, for a set that ends in the troposphere.

    Above, with s = ln(p_top / p), each field is the zonal mean of the GFS state of 2011-10-11 plus
    what this set has beyond it at its top, f' = (f'_top + c s) exp(-s / decay): geopotential and
    wind with the same law, so that they stay in balance. For geopotential c follows from T', for
    wind from the thermal wind of T', which fades within 15 degrees of the equator.
    """
    import xarray

    climate = gfs()[list(OUTLINE)].mean("longitude").interp(latitude=data.latitude)
    top = data.pressure.values[0]
    add = climate.pressure.values[climate.pressure.values < 0.9 * top]
    s = xarray.DataArray(np.log(top / add), {"pressure": add}, "pressure")
    rest = {
        name: (
            data[name].isel(pressure=0, drop=True)
            - climate[name].interp(pressure=top).drop_vars("pressure")
        )
        for name in OUTLINE
    }
    latitude, warmth = np.deg2rad(data.latitude), rest["air_temperature"]
    coriolis, at_15 = (2 * earth.ROTATION * np.sin(angle) for angle in (latitude, np.deg2rad(15)))
    factor = np.rad2deg(GAS_CONSTANT / earth.RADIUS) * coriolis / (coriolis**2 + at_15**2)
    around = (
        xarray.concat(
            [warmth.isel(longitude=[-1]), warmth, warmth.isel(longitude=[0])], "longitude"
        )
        .assign_coords(
            longitude=np.concatenate(
                [data.longitude[-1:] - 360, data.longitude, data.longitude[:1] + 360]
            )
        )
        .differentiate("longitude")
    )
    growth = {
        "geopotential": GAS_CONSTANT * warmth,
        "eastward_wind": -factor * warmth.differentiate("latitude"),
        "northward_wind": (
            factor * around.isel(longitude=slice(1, -1)) / np.maximum(np.cos(latitude), 0.2)
        ),
    }
    fade, above = np.exp(-s / decay), {}
    for name, slope in growth.items():
        c = slope + rest[name] / decay
        above[name] = climate[name].sel(pressure=add) + (rest[name] + c * s) * fade
        if name == "geopotential":
            above["air_temperature"] = (
                climate["air_temperature"].sel(pressure=add)
                + (c - (rest[name] + c * s) / decay) * fade / GAS_CONSTANT
            )
    humidity = data.specific_humidity.isel(pressure=0, drop=True)
    above["specific_humidity"] = np.maximum(humidity * np.exp(-3 * s), 3e-6)
    upper = xarray.Dataset(above).transpose("pressure", ...)
    both = xarray.concat([upper, data[list(OUTLINE)]], "pressure")
    return both.assign(
        {name: data[name] for name in data.data_vars if "pressure" not in data[name].dims}
    )


def _file(
    path: str | Path | None, name: str, package: str | None, folder: str, remedy: str
) -> Path:
    """Returns the file given, or the one of an installed package, which is not imported."""
    if path is not None:
        file = at_home(path)
        file = file / name if file.is_dir() else file
        if not file.is_file():
            raise MissingFileError(f"no file {str(file)!r} (wanted: {name}); {remedy}")
        return file
    if package:
        found = importlib.util.find_spec(package)
        for place in (found.submodule_search_locations or []) if found else []:
            if (file := Path(place) / folder / name).is_file():
                return file
    raise MissingFileError(
        f"{name} is not part of Fathom (its licence is its owner's) and was not found; {remedy}"
    )


def _moment(text: str) -> np.datetime64:
    return np.datetime64(text, "ns")
