"""The initial state of a spectral model: an analysis on levels of pressure brought onto the rows
and hybrid levels of the model.

1. Along the earth by periodic splines (`sphere`), wind as a vector.
2. Surface pressure over the model's own orography. With p(phi) the pressure at which the column of
   the analysis reaches a geopotential,
       p_s = p_s(analysis) p(phi_s model) / p(phi_s analysis),
   or p(phi_s model) where the analysis has no surface pressure.
3. Under the ground of the analysis its column continues with the lapse rate of the standard
   atmosphere, and with wind and relative humidity of the lowest level above; temperature and wind
   are cubic in ln p between levels, relative humidity linear. Above the highest level of the
   analysis temperature, wind and specific humidity are constant.
4. T is corrected by a smooth profile so that the hydrostatic geopotential of the model's column
   agrees with that of the analysis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import earth, moist_air
from fathom.base.failure import InputError, beside
from fathom.data import area_state
from fathom.data.atmosphere import OUTLINE, extended
from fathom.data.input import checks, states
from fathom.grids.hybrid import interfaces_of
from fathom.grids.regrid import column, sphere
from fathom.grids.regrid.rows import Packed, points_of

if TYPE_CHECKING:
    import xarray as xr

BLOCK = 2048  # columns at a time: their data stay in cache
LEAST_HUMIDITY = 1e-6  # kg kg-1, where an analysis has none: the stratosphere
TROPOSPHERE = 1e4  # Pa: a set that ends below has no stratosphere and is given one
NEAR_GROUND = 0.25  # of ln p: 220 hPa over the sea
LARGEST = 2.0  # K


def _check_everywhere(dataset: xr.Dataset) -> None:
    """Checks that there are values everywhere. InputError: a field of the state has no value at a
    place. `horizontally` says which fields are missing.
    """
    for name in (n for n in OUTLINE if n in dataset):
        array = dataset[name].transpose("pressure", "latitude", "longitude")
        bad = ~np.isfinite(array.values)
        if bad.any():
            k, j, i = np.argwhere(bad)[0]
            raise InputError(
                f"{name} of the state has no value at {float(dataset.pressure[k]) / 100:g} hPa,"
                f" latitude {float(dataset.latitude[j]):g}, longitude"
                f" {float(dataset.longitude[i]):g}{beside(bad, joined='nor')}; a state has"
                " values everywhere, below the ground too"
            )


def initial_state(
    dataset: xr.Dataset, grid: Any, levels: Any, surface_geopotential: Any
) -> dict[str, np.ndarray]:
    """Returns fields of the model, named as there, (levels, rows, longest row) or (rows, longest
    row).

    dataset               one time of a state as `fathom.data.atmosphere` gives it
    grid                  anything with `latitude` [degrees, from south] and `points` of each row
    levels                anything with `a` [Pa] and `b`, or the pair (a, b),
        of interfaces from the top down
    surface_geopotential  (rows, longest row) [m2 s-2], as the model sees it (spectrally fitted)

    Raises ValueError for a data set with several times, without a variable it needs, or for shapes
    that do not fit.
    """
    if area_state.is_area(dataset):
        raise InputError(
            "the state covers a part of the earth: it can start a limited area within it"
            " (set(analysis=...)); here the whole earth is wanted"
        )
    rows, (a, b) = points_of(grid), interfaces_of(levels)
    if "time" in dataset.dims:
        raise InputError(
            f"the data set holds {dataset.sizes['time']} times: choose one, data.isel(time=0)"
        )
    states.check_numbers("the state", dataset)
    _check_everywhere(dataset)
    checks.check_reaches_top("the state", dataset.pressure.values)
    if float(dataset.pressure.min()) > TROPOSPHERE:
        dataset = extended(dataset)
    surface = rows.pack(np.asarray(surface_geopotential, float))
    source = horizontally(dataset, rows)
    x = np.log(dataset.pressure.values.astype(float))
    blocks = (slice(first, first + BLOCK) for first in range(0, rows.size, BLOCK))
    parts = [
        in_columns(
            {name: values[..., block] for name, values in source.items()}, x, a, b, surface[block]
        )
        for block in blocks
    ]
    return {
        name: rows.unpack(np.concatenate([part[name] for part in parts], -1)) for name in parts[0]
    }


def in_columns(source: Any, x: Any, a: Any, b: Any, surface: Any) -> dict[str, np.ndarray]:
    """Returns steps 2 to 4, for any set of points: what `horizontally` gives, on layers."""
    surface_pressure = surface_pressure_over(surface, source, x)
    ground = source.get("surface_air_pressure", surface_pressure)
    continued = {
        name: under_ground(source[name], x, ground, name)
        for name in ("air_temperature", "eastward_wind", "northward_wind", "relative_humidity")
    }
    interfaces = column.interface_pressure(a, b, surface_pressure)
    target = column.layer_logarithms(interfaces)
    between, pressure = column.Between(x[:, None], target), np.exp(target)
    temperature = lapse_below(
        between.cubic(continued["air_temperature"]), between, continued["air_temperature"][-1]
    )
    humidity = np.clip(between.linear(continued["relative_humidity"]), 0, 1)
    at_top = moist_air.specific_humidity(
        source["relative_humidity"][0], source["air_temperature"][0], np.exp(x[0])
    )

    def specific(temperature: Any) -> Any:
        return np.maximum(
            np.where(
                target < x[0], at_top, moist_air.specific_humidity(humidity, temperature, pressure)
            ),
            LEAST_HUMIDITY,
        )

    virtual = moist_air.virtual_temperature(temperature, specific(temperature))
    temperature = temperature + height_correction(
        source["geopotential"], x, interfaces, virtual, surface
    )
    return {
        "eastward_wind": between.cubic(continued["eastward_wind"]),
        "northward_wind": between.cubic(continued["northward_wind"]),
        "air_temperature": temperature,
        "specific_humidity": specific(temperature),
        "log_surface_pressure": np.log(surface_pressure),
        "surface_geopotential": surface,
    }


def horizontally(dataset: Any, rows: Packed) -> dict[str, np.ndarray]:
    """Returns temperature, wind, relative humidity and geopotential (levels, points), surface
    pressure and geopotential (points) if there.
    """
    missing = [
        name
        for name in (
            "air_temperature",
            "eastward_wind",
            "northward_wind",
            "specific_humidity",
            "geopotential",
        )
        if name not in dataset
    ]
    if missing:
        raise InputError(
            f"the data set has no {', '.join(missing)}; it has"
            f" {', '.join(map(str, dataset.data_vars))}"
        )
    latitude, longitude = dataset.latitude.values, dataset.longitude.values
    pressure = dataset.pressure.values.astype(float)
    relative = moist_air.relative_humidity(
        dataset.specific_humidity.values, dataset.air_temperature.values, pressure[:, None, None]
    )
    fields = {
        name: sphere.to_rows(dataset[name].values, latitude, longitude, rows, vector="wind" in name)
        for name in ("air_temperature", "eastward_wind", "northward_wind", "geopotential")
    }
    fields["relative_humidity"] = sphere.to_rows(relative, latitude, longitude, rows, order=1)
    if "surface_air_pressure" in dataset and "surface_geopotential" in dataset:
        # ln p_s less that of a column of 288 K over the same ground is smooth: mountains are not in
        # it
        ground = dataset.surface_geopotential.values
        reduced = np.log(dataset.surface_air_pressure.values) - np.log(standard_pressure(ground))
        fields["surface_geopotential"] = sphere.to_rows(ground, latitude, longitude, rows)
        fields["surface_air_pressure"] = np.exp(
            sphere.to_rows(reduced, latitude, longitude, rows)
        ) * standard_pressure(fields["surface_geopotential"])
    return fields


def standard_pressure(geopotential: Any) -> np.ndarray:
    """Returns pressure [Pa] of the standard atmosphere."""
    return 101325 * (
        1 - moist_air.LAPSE_RATE * np.asarray(geopotential) / (earth.STANDARD_GRAVITY * 288.15)
    ) ** (1 / column.EXPONENT)


def surface_pressure_over(surface: Any, source: Any, x: Any) -> np.ndarray:
    """Returns p_s [Pa] over the model's surface geopotential."""
    pressure = np.exp(x)[:, None]
    specific = moist_air.specific_humidity(
        np.clip(source["relative_humidity"], 0, 1), source["air_temperature"], pressure
    )
    virtual = moist_air.virtual_temperature(source["air_temperature"], specific)
    found = column.pressure_at(surface, x, source["geopotential"], virtual)
    if "surface_air_pressure" not in source:
        return found
    result: np.ndarray = (
        found
        * source["surface_air_pressure"]
        / column.pressure_at(source["surface_geopotential"], x, source["geopotential"], virtual)
    )
    return result


def under_ground(values: Any, x: Any, surface_pressure: Any, name: str) -> np.ndarray:
    """Returns the levels below the ground replaced by an extrapolation from the lowest level above
    it.
    """
    above = x[:, None] <= np.log(surface_pressure)
    lowest = np.maximum(above.sum(0) - 1, 0)
    base = np.take_along_axis(values, lowest[None], 0)
    if name == "air_temperature":
        base = base * np.exp(column.EXPONENT * (x[:, None] - x[lowest]))
    return np.where(above, values, base)


def lapse_below(temperature: Any, between: Any, lowest: Any) -> np.ndarray:
    """Returns T that falls off with the standard lapse rate below the last level of the
    analysis.
    """
    beyond = np.maximum(between.target - between.x[-1], 0)
    result: np.ndarray = np.where(
        beyond > 0, lowest * np.exp(column.EXPONENT * beyond), temperature
    )
    return result


def height_correction(
    geopotential: Any, x: Any, interfaces: Any, virtual: Any, surface: Any
) -> np.ndarray:
    """Returns the correction of T [K] (layers, points) with which the geopotential agrees with that
    of the analysis, all but close to the ground.

    There, over another orography, it is the temperature of the analysis that is kept: the
    difference goes linearly to zero through the lowest `NEAR_GROUND` of ln p. The correction is at
    most `LARGEST`.
    """
    here = column.layer_geopotential(interfaces, virtual, surface)
    logarithm = column.layer_logarithms(interfaces)
    at_levels = column.Between(logarithm, x[:, None]).hermite(
        here, -moist_air.GAS_CONSTANT * virtual
    )
    ground = np.log(interfaces[-1])
    free = x[:, None] < ground - NEAR_GROUND
    lowest = np.maximum(free.sum(0) - 1, 0)
    difference = geopotential - at_levels
    edges = np.log(np.maximum(interfaces, 1e-3))
    toward_ground = (
        np.take_along_axis(difference, lowest[None], 0) * (ground - edges) / (ground - x[lowest])
    )
    at_edges = np.where(
        edges < x[lowest], column.Between(x[:, None], edges).linear(difference), toward_ground
    )
    correction = -np.diff(at_edges, axis=0) / (moist_air.GAS_CONSTANT * np.diff(edges, axis=0))
    padded = np.concatenate([correction[:1], correction, correction[-1:]])
    result: np.ndarray = np.clip(
        0.25 * (padded[:-2] + 2 * padded[1:-1] + padded[2:]), -LARGEST, LARGEST
    )
    return result
