"""A state of the atmosphere on hybrid levels, brought to levels of pressure for a start.

p = a + b p_s at interfaces. Heights are those of Simmons & Burridge (1981); temperature and wind
are cubic in ln p, humidity linear.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import moist_air
from fathom.base.failure import InputError
from fathom.data.input import states
from fathom.grids.regrid import column

if TYPE_CHECKING:
    import xarray as xr

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
    import xarray

    if "surface_air_pressure" not in data:
        data = data.assign(surface_air_pressure=np.exp(data.log_surface_pressure))
    results = []
    for n in range(data.sizes["time"]):
        states.check_numbers(data.encoding.get("source", "the state"), data.isel(time=n))
        results.append(_at_pressures(data.isel(time=n), a, b))
    dims = ("time", "pressure", "latitude", "longitude")
    shape = (len(results), len(PRESSURES), *data.surface_geopotential.shape[1:])
    made = {
        name: (dims, np.stack([one[name] for one in results]).reshape(shape)) for name in results[0]
    }
    surface = data[["surface_air_pressure", "surface_geopotential"]]
    whole = xarray.Dataset(made, surface.coords | {"pressure": PRESSURES})
    return whole.merge(surface, compat="no_conflicts")


def _at_pressures(data: xr.Dataset, a: np.ndarray, b: np.ndarray) -> dict[str, np.ndarray]:
    """Returns one time (levels, points). Under the ground T falls off with the standard lapse
    rate."""
    flat = {
        name: np.ascontiguousarray(field.values.reshape(*field.shape[:-2], -1))
        for name, field in data.items()
    }
    p_s, ground = flat["surface_air_pressure"], flat["surface_geopotential"]
    T, q = flat["air_temperature"], flat["specific_humidity"]
    virtual = moist_air.virtual_temperature(T, q)
    interfaces = column.interface_pressure(a, b, p_s)
    x, target = column.layer_logarithms(interfaces), np.log(PRESSURES)[:, None]
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
