"""States of the atmosphere in GRIB, of either edition, whoever wrote them: Fathom or a centre.

On levels of pressure: temperature, wind, humidity (specific or relative), geopotential (or height).
On hybrid levels (`pv`): temperature, wind, specific humidity, the surface's pressure (or its
logarithm) and geopotential; heights are those of Simmons & Burridge (1981), and all is brought to
levels of pressure in ln p, since a start takes it from there. Rows of latitude and longitude,
Gaussian or even; what is missing is an error that says so.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom import moist_air
from fathom.regrid import column

if TYPE_CHECKING:
    import xarray as xr

fields = {  # short names -> names here, and the factor to their units
    "t": ("air_temperature", 1.0),
    "u": ("eastward_wind", 1.0),
    "v": ("northward_wind", 1.0),
    "q": ("specific_humidity", 1.0),
    "r": ("relative_humidity", 0.01),
    "z": ("geopotential", 1.0),
    "gh": ("geopotential", moist_air.GRAVITY),
}
surface_fields = {
    "sp": ("surface_air_pressure", 1.0),
    "lnsp": ("log_surface_pressure", 1.0),
    "z": ("surface_geopotential", 1.0),
    "orog": ("surface_geopotential", moist_air.GRAVITY),
    "gh": ("surface_geopotential", moist_air.GRAVITY),
}
needed = ("air_temperature", "eastward_wind", "northward_wind")
PRESSURES = 100.0 * np.concatenate(  # Pa: where hybrid levels are brought to
    [
        [1, 2, 3, 5, 7, 10, 20, 30, 50, 70],
        np.arange(100, 250, 25),
        np.arange(250, 750, 50),
        np.arange(750, 1075, 25),
    ]
)


def state(file: Path) -> xr.Dataset:
    """All times of a file, (time, pressure [Pa], latitude, longitude)."""
    found, axes, interfaces = _messages(file)
    layers = {key: held for key, held in found.items() if key[0] == "hybrid"}
    if layers:
        return _of_layers(file, found, axes, interfaces)
    names = {name for kind, name in found if kind == "pressure"}
    humid = {"specific_humidity", "relative_humidity"} & names
    lacking = [n for n in (*needed, "geopotential") if n not in names]
    if lacking or not humid:
        raise ValueError(
            f"{file} has no {', '.join(lacking) or 'humidity'} on levels of pressure; it has"
            f" {', '.join(sorted(names)) or 'none'}"
        )
    data = _dataset(found, axes, "pressure", "pressure")
    if "specific_humidity" not in data:
        r = data.relative_humidity.clip(0, 1.2)
        data["specific_humidity"] = moist_air.specific_humidity(
            r, data.air_temperature, data.pressure
        )
    return data


def _messages(file: Path) -> tuple[dict, tuple, Any]:
    """{(kind of level, name): {(time, level): values}}, (latitude, longitude), pv."""
    try:
        import eccodes
    except ImportError as error:
        raise ImportError(
            f"{file.name} is a GRIB file: reading it needs eccodes (pip install eccodes)"
        ) from error
    found: dict[tuple[str, str], dict] = {}
    axes: Any = None
    interfaces = None
    with file.open("rb") as stream:
        while (message := eccodes.codes_grib_new_from_file(stream)) is not None:
            if (key := _key(eccodes, message)) is not None:
                kind, name, factor, level = key
                here = _axes(file, eccodes, message)
                if axes is not None and not all(map(np.array_equal, axes, here)):
                    raise ValueError(f"{file} holds fields of several grids; give one of them")
                axes = here
                values = eccodes.codes_get_values(message).reshape(here[0].size, here[1].size)
                found.setdefault((kind, name), {})[_valid_time(eccodes, message), level] = (
                    factor * values
                )
                if kind == "hybrid" and interfaces is None:
                    interfaces = eccodes.codes_get_array(message, "pv")
            eccodes.codes_release(message)
    return found, axes, interfaces


def _key(eccodes: Any, message: Any) -> tuple[str, str, float, float] | None:
    """Kind of level, name, factor, level [Pa or number]; None: of no use here."""
    short, kind, level = (
        eccodes.codes_get(message, key) for key in ("shortName", "typeOfLevel", "level")
    )
    if short == "lnsp" or (kind == "surface" and short in surface_fields):
        return ("surface", *surface_fields[short], 0)
    if short in fields and kind in ("isobaricInhPa", "isobaricInPa"):
        return ("pressure", *fields[short], level * (100.0 if kind == "isobaricInhPa" else 1.0))
    if short in fields and kind == "hybrid":
        return ("hybrid", *fields[short], level)
    return None


def _axes(file: Path, eccodes: Any, message: Any) -> tuple[np.ndarray, np.ndarray]:
    """Latitudes and longitudes of the rows and columns, in the order of the values."""
    kind = eccodes.codes_get(message, "gridType")
    if kind not in ("regular_ll", "regular_gg"):
        raise ValueError(
            f"{file}: a grid of type {kind}; allowed are regular_ll and regular_gg: rows of"
            " latitude and longitude"
        )
    latitude, longitude = (
        np.asarray(eccodes.codes_get_array(message, f"distinct{name}"), float)
        for name in ("Latitudes", "Longitudes")
    )
    upward = bool(eccodes.codes_get(message, "jScansPositively"))
    return (np.sort(latitude) if upward else np.sort(latitude)[::-1]), longitude


def _valid_time(eccodes: Any, message: Any) -> np.datetime64:
    """Date and time at which the values hold."""
    date, clock = (eccodes.codes_get(message, f"validity{key}") for key in ("Date", "Time"))
    day = f"{date // 10000:04d}-{date // 100 % 100:02d}-{date % 100:02d}"
    return np.datetime64(f"{day}T{clock // 100:02d}:{clock % 100:02d}", "ns")


def _dataset(found: dict, axes: tuple, kind: str, dimension: str) -> xr.Dataset:
    """Fields on levels (time, level, rows, columns), of the surface (time, rows, columns)."""
    import xarray

    temperature = found[kind, "air_temperature"]
    times, levels = (sorted({key[n] for key in temperature}) for n in (0, 1))
    data: dict[str, Any] = {}
    for (place, name), held in found.items():
        if place == kind and all((t, p) in held for t in times for p in levels):
            values = np.stack([[held[t, p] for p in levels] for t in times])
            data[name] = (("time", dimension, "latitude", "longitude"), values)
        elif place == "surface":
            first = next(iter(held.values()))  # an orography has no time of its own
            values = np.stack([held.get((t, 0), first) for t in times])
            data[name] = (("time", "latitude", "longitude"), values)
    coordinates = {dimension: np.array(levels, float), "time": times}
    return xarray.Dataset(data, coordinates | {"latitude": axes[0], "longitude": axes[1]})


def _of_layers(file: Path, found: dict, axes: tuple, interfaces: Any) -> xr.Dataset:
    """Fields on hybrid levels, at PRESSURES."""
    import xarray

    data = _layers(file, found, axes, len(interfaces) // 2 - 1)
    a, b = np.split(np.asarray(interfaces, float), 2)
    if "surface_air_pressure" not in data:
        data["surface_air_pressure"] = np.exp(data.log_surface_pressure)
    results = [_at_pressures(data.isel(time=n), a, b) for n in range(data.sizes["time"])]
    dims = ("time", "pressure", "latitude", "longitude")
    shape = (len(results), len(PRESSURES), *data.surface_geopotential.shape[1:])
    made = {
        name: (dims, np.stack([one[name] for one in results]).reshape(shape)) for name in results[0]
    }
    surface = data[["surface_air_pressure", "surface_geopotential"]]
    return xarray.Dataset(made, surface.coords | {"pressure": PRESSURES}).merge(surface)


def _layers(file: Path, found: dict, axes: tuple, layers: int) -> xr.Dataset:
    """All fields on hybrid levels and of the surface. ValueError: what lacks."""
    names = {name for kind, name in found if kind in ("hybrid", "surface")}
    wanted = [*needed, "specific_humidity", "surface_geopotential"]
    lacking = [n for n in wanted if n not in names]
    if not {"surface_air_pressure", "log_surface_pressure"} & names:
        lacking.append("surface_air_pressure")
    if not lacking:
        data = _dataset(found, axes, "hybrid", "level")
        lacking = [n for n in wanted if n not in data]
        if not lacking and data.sizes["level"] == layers:
            return data
    raise ValueError(
        f"{file} lacks {', '.join(lacking) or 'some of its hybrid levels'}: a start from hybrid"
        f" levels needs all of them, with {', '.join(wanted)} and the pressure of the surface"
    )


def _at_pressures(data: xr.Dataset, a: np.ndarray, b: np.ndarray) -> dict[str, np.ndarray]:
    """One time (levels, points). Under the ground T falls off with the standard lapse rate."""
    flat = {
        name: np.ascontiguousarray(field.values.reshape(*field.shape[:-2], -1))
        for name, field in data.items()
    }
    p_s, ground = flat["surface_air_pressure"], flat["surface_geopotential"]
    T, q = flat["air_temperature"], flat["specific_humidity"]
    virtual = moist_air.virtual_temperature(T, q)
    interfaces = column.interface_pressure(a, b, p_s)
    x, target = column.layer_logarithms(interfaces)[0], np.log(PRESSURES)[:, None]
    between = column.Between(x, target)
    beyond = np.exp(column.EXPONENT * np.maximum(target - x[-1], 0))
    result = {name: between.cubic(flat[name]) for name in ("eastward_wind", "northward_wind")}
    result["air_temperature"] = between.cubic(T) * beyond
    result["specific_humidity"] = between.linear(q)
    bottom = virtual[-1] * np.exp(column.EXPONENT * (np.log(p_s) - x[-1]))
    heights = column.layer_geopotential(interfaces, virtual, ground)
    inside = column.Between(np.concatenate([x, np.log(p_s)[None]]), target).hermite(
        np.concatenate([heights, ground[None]]),
        -moist_air.GAS_CONSTANT * np.concatenate([virtual, bottom[None]]),
    )
    y = column.EXPONENT * (target - np.log(p_s))
    below = ground - moist_air.GAS_CONSTANT / column.EXPONENT * bottom * np.expm1(y)
    result["geopotential"] = np.where(y > 0, below, inside)
    return result
