"""A state of the atmosphere on levels of a model, brought to levels of pressure for a start.

On hybrid levels p = a + b p_s at interfaces; on others, as of height, each point of each level has
its pressure. Heights are those of Simmons & Burridge (1981); temperature and wind
are cubic in ln p, humidity linear.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import moist_air
from fathom.base.failure import InputError
from fathom.data.input import states
from fathom.grids.regrid import column

if TYPE_CHECKING:
    import xarray as xr

Flat = dict[str, np.ndarray]  # name -> (levels, points)
Columns = tuple[np.ndarray, np.ndarray]  # ln p and geopotential of levels (levels, points)
of_surface = ("surface_air_pressure", "surface_geopotential", "projection")
needed = ("air_temperature", "eastward_wind", "northward_wind")
PRESSURES = 100.0 * np.concatenate(  # Pa: where hybrid levels are brought to
    [
        [1, 2, 3, 5, 7, 10, 20, 30, 50, 70],
        np.arange(100, 250, 25),
        np.arange(250, 750, 50),
        np.arange(750, 1075, 25),
    ]
)


def check(
    file: Any, names: Collection[Any], levels: int = 0, layers: int = 0, humid: bool = True
) -> None:
    """Raises ValueError: a field of a state on hybrid levels is missing, or some of its `layers`;
    humid: specific humidity is one of them.
    """
    wanted = [*needed, *["specific_humidity"] * humid, "surface_geopotential"]
    lacking = [n for n in wanted if n not in names]
    if not {"surface_air_pressure", "log_surface_pressure"} & set(names):
        lacking.append("surface_air_pressure")
    if lacking or levels != layers:
        raise InputError(
            f"{file} lacks {', '.join(lacking) or 'some of its hybrid levels'}: a start from hybrid"
            f" levels needs all of them, with {', '.join(wanted)} and the pressure of the surface"
        )


def with_specific_humidity(data: xr.Dataset) -> xr.Dataset:
    """Adds specific humidity to a state on levels of pressure [Pa] that has only relative
    humidity.
    """
    if "specific_humidity" in data or "relative_humidity" not in data:
        return data
    r = data.relative_humidity.clip(0, 1.2)
    return data.assign(
        specific_humidity=moist_air.specific_humidity(r, data.air_temperature, data.pressure)
    )


def on_pressures(data: xr.Dataset, a: np.ndarray, b: np.ndarray) -> xr.Dataset:
    """Returns (time, level, latitude, longitude) on (time, PRESSURES, latitude, longitude).

    a [Pa], b: of interfaces from the top; data: what `check` asks for, levels from the top.
    """

    def columns(flat: Flat) -> Columns:
        T, q = flat["air_temperature"], flat["specific_humidity"]
        interfaces = column.interface_pressure(a, b, flat["surface_air_pressure"])
        virtual, ground = moist_air.virtual_temperature(T, q), flat["surface_geopotential"]
        heights = column.layer_geopotential(interfaces, virtual, ground)
        return column.layer_logarithms(interfaces), heights

    return _brought(data, PRESSURES, columns)


def of_own_pressures(file: Any, data: xr.Dataset) -> xr.Dataset:
    """Returns levels with `air_pressure` [Pa] at each point on those of PRESSURES that lie below
    the highest of them; their geopotential is hydrostatic where the data have none. InputError: the
    levels of a point are not one above the other.
    """
    mean = data.air_pressure.mean([d for d in data.air_pressure.dims if d != "level"])
    data = data.isel(level=np.argsort(mean.values))
    if not (np.diff(data.air_pressure.values, axis=1) > 0).all():
        raise InputError(f"{file}: the pressure of its levels does not grow downwards everywhere")
    highest = float(data.air_pressure.isel(level=0).max())

    def columns(flat: Flat) -> Columns:
        x = np.log(flat["air_pressure"])
        if "geopotential" in flat:
            return x, flat["geopotential"]
        T, q = flat["air_temperature"], flat["specific_humidity"]
        virtual = moist_air.virtual_temperature(T, q)
        below = np.log(flat["surface_air_pressure"]) - x[-1]
        lowest = flat["surface_geopotential"] + moist_air.GAS_CONSTANT * virtual[-1] * below
        parts = moist_air.GAS_CONSTANT * 0.5 * (virtual[1:] + virtual[:-1]) * np.diff(x, axis=0)
        above = np.cumsum(parts[::-1], axis=0)[::-1]
        return x, lowest + np.concatenate([above, np.zeros_like(above[:1])])

    return _brought(data, PRESSURES[highest <= PRESSURES], columns)


def _brought(
    data: xr.Dataset, pressures: np.ndarray, columns: Callable[[Flat], Columns]
) -> xr.Dataset:
    """Returns (time, level, ...) on (time, pressures, ...); columns: of the fields of a time
    (levels, points), ln p and geopotential of the levels.
    """
    import xarray

    if "surface_air_pressure" not in data:
        data = data.assign(surface_air_pressure=np.exp(data.log_surface_pressure))
    results, places = [], data.air_temperature.dims[2:]
    for n in range(data.sizes["time"]):
        one = data.isel(time=n)
        states.check_numbers(data.encoding.get("source", "the state"), one)
        flat = {
            str(name): np.ascontiguousarray(field.values.reshape(*field.shape[:-2], -1))
            for name, field in one.items()
            if field.dims[-2:] == places
        }
        results.append(_at_pressures(flat, pressures, *columns(flat)))
    dims = ("time", "pressure", *places)
    shape = (len(results), len(pressures), *data.surface_geopotential.shape[1:])
    made = {
        name: (dims, np.stack([one[name] for one in results]).reshape(shape)) for name in results[0]
    }
    rest = data[[n for n in of_surface if n in data]]
    whole = xarray.Dataset(made, rest.coords | {"pressure": pressures})
    return whole.merge(rest, compat="no_conflicts")


def _at_pressures(
    flat: Flat, pressures: np.ndarray, x: np.ndarray, heights: np.ndarray
) -> dict[str, np.ndarray]:
    """Returns one time (pressures, points) of fields on levels of ln p = x and their geopotential
    (levels, points). Under the ground T falls off with the standard lapse rate."""
    p_s, ground = flat["surface_air_pressure"], flat["surface_geopotential"]
    T, q = flat["air_temperature"], flat["specific_humidity"]
    virtual, target = moist_air.virtual_temperature(T, q), np.log(pressures)[:, None]
    between = column.Between(x, target)
    beyond = np.exp(column.EXPONENT * np.maximum(target - x[-1], 0))
    result = {name: between.cubic(flat[name]) for name in ("eastward_wind", "northward_wind")}
    result["air_temperature"] = between.cubic(T) * beyond
    result["specific_humidity"] = between.linear(q)
    bottom = virtual[-1] * np.exp(column.EXPONENT * (np.log(p_s) - x[-1]))
    inside = column.Between(np.concatenate([x, np.log(p_s)[None]]), target).hermite(
        np.concatenate([heights, ground[None]]),
        -moist_air.GAS_CONSTANT * np.concatenate([virtual, bottom[None]]),
    )
    y = column.EXPONENT * (target - np.log(p_s))
    below = ground - moist_air.GAS_CONSTANT / column.EXPONENT * bottom * np.expm1(y)
    result["geopotential"] = np.where(y > 0, below, inside)
    return result
