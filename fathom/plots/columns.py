"""Pictures of columns: a profile, and the sounding of the air at a place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fathom.base import moist_air
from fathom.base.failure import InputError
from fathom.names import describe
from fathom.names.roles import role_of, role_of_level
from fathom.plots.area import degrees_text
from fathom.plots.chosen import at_names, at_time
from fathom.plots.map import displayed
from fathom.plots.sounding import dew_point, sounding
from fathom.plots.style import new_figure, styled, unit_text

needed = (
    *("air_temperature", "specific_humidity", "relative_humidity"),
    *("eastward_wind", "northward_wind"),
)
hectopascals = {"hPa": 1.0, "mbar": 1.0, "millibars": 1.0, "Pa": 0.01}


@styled
def profile(
    data: Any,
    sizes: np.ndarray,
    *,
    name: str,
    limits: tuple[float, float] | None,
    how: Mapping[str, Any],
) -> Any:
    """Draw a field of one time along its first dimension: levels upright, the mean over all others,
    by `sizes` (shape of the data), as the areas of cells; what is no level from left to right.
    Returns the figure.
    """
    dim = str(data.dims[0]) if data.dims else ""
    if not dim:
        raise InputError(
            f"{name} is one number, {float(data.values):.6g}; there is nothing to draw"
        )
    values = data.values
    if data.ndim > 1:
        values = data.weighted(data.copy(data=sizes)).mean(data.dims[1:]).values
    shown, units, _ = displayed(describe(name), values, str(data.attrs.get("units", "")) or None)
    at, label = _along(data, dim)
    quantity = f"[{unit_text(units)}]" if unit_text(units) else ""
    role = role_of_level(data, dim)
    figure = new_figure(4.6 if role else 7.4, 5.0 if role else 3.2)
    axes = figure.add_axes((0.17, 0.12, 0.79, 0.77) if role else (0.1, 0.15, 0.87, 0.71))
    across, up = ((shown, quantity), (at, label)) if role else ((at, label), (shown, quantity))
    axes.plot(across[0], up[0], ".-", lw=1.4)
    axes.set(xlabel=across[1], ylabel=up[1])
    if role in ("depth", "pressure", "level", "layer"):
        axes.invert_yaxis()
    if limits is not None:
        (axes.set_xlim if role else axes.set_ylim)(*limits)
    axes.grid(True)
    axes.set_title(how["title"], fontsize=10)
    axes.set_title(how.get("note", ""), loc="right", fontsize=7, fontweight="normal")
    return figure


def _along(data: Any, dim: str) -> tuple[np.ndarray, str]:
    """Returns the places along a dimension and its label; without a coordinate numbers from 0, of
    levels from 1.
    """
    if dim not in data.coords or data[dim].dtype.kind not in "if":
        levels = dim.startswith("level")  # numbers as --level takes them
        return np.arange(data.sizes[dim], dtype=float) + levels, dim.replace("_", " ")
    said = unit_text(str(data[dim].attrs.get("units", "")))
    return data[dim].values.astype(float), dim.replace("_", " ") + (f" [{said}]" if said else "")


def sounding_at(
    dataset: Any, at: Mapping[str, str], time: str | int, *, title: str | None, path: Any
) -> Any:
    """Returns the sounding of a store with air temperature on levels of pressure at a place, its
    nearest point, or at a station. InputError: no such levels, place or station.
    """
    held = {name: _field(dataset, name) for name in needed}
    first = held["air_temperature"]
    levels = None if first is None else _pressures(first)
    if first is None or levels is None:
        raise InputError("a sounding needs air_temperature on levels of pressure in the file")
    chosen, where, moment = _chosen(dataset, held, at, time)
    air, wind = chosen["air_temperature"], (chosen["eastward_wind"], chosen["northward_wind"])
    humid = _humidity(chosen, held["relative_humidity"], levels)
    return sounding(
        levels,
        air,
        None if humid is None else dew_point(levels, humid),
        None if wind[0] is None or wind[1] is None else wind,
        title=title or f"Sounding at {where}",
        note=moment,
        path=path,
    )


def _chosen(
    dataset: Any, held: Mapping[str, Any], at: Mapping[str, str], time: str | int
) -> tuple[dict[str, np.ndarray | None], str, str]:
    """Returns the columns of the fields, None of those that are not there; the place, the time."""
    found: dict[str, np.ndarray | None] = dict.fromkeys(held)
    where = moment = ""
    for name, field in held.items():
        if field is not None:
            one, moment = at_time(field, time)
            one, where = column_of(dataset, one, at)
            found[name] = np.asarray(one.values, float).ravel()
    return found, where, moment


def _humidity(
    chosen: Mapping[str, np.ndarray | None], relative: Any, levels: np.ndarray
) -> np.ndarray | None:
    """Returns the specific humidity, of the relative one where the file has only that."""
    share = chosen["relative_humidity"]
    if chosen["specific_humidity"] is not None or share is None:
        return chosen["specific_humidity"]
    factor = 0.01 if str(relative.attrs.get("units", "")) == "%" else 1.0
    return moist_air.specific_humidity(share * factor, chosen["air_temperature"], levels)


def _field(dataset: Any, name: str) -> Any:
    """Returns the variable of that full name, by its alias too; None: there is none."""
    return next((dataset[n] for n in (name, describe(name).alias) if n in dataset.data_vars), None)


def _pressures(field: Any) -> np.ndarray | None:
    """Returns the levels of a field [Pa]; None: they are none of pressure."""
    for dim in field.dims:
        if dim in field.coords and (
            factor := hectopascals.get(str(field[dim].attrs.get("units", "")))
        ):
            return np.asarray(field[dim].values, float) * factor * 100
    return None


def column_of(dataset: Any, field: Any, at: Mapping[str, str]) -> tuple[Any, str]:
    """Returns the column at a station, or nearest to a place, and where it is."""
    if "place" not in at:
        if "station" in field.dims and at:
            return at_names(dataset, field, at)
        if field.ndim == 1:
            return field, "the only column"
        raise InputError("a sounding is of one place: --at place=LON,LAT (or station=NAME)")
    try:
        longitude, latitude = (float(word) for word in at["place"].split(","))
    except ValueError:
        raise InputError(f"place {at['place']!r} must be LON,LAT in degrees") from None
    there = {role_of(held, str(key)): held for key, held in field.coords.items() if held.ndim}
    if not {"longitude", "latitude"} <= set(there):
        raise InputError("the file has no longitudes and latitudes to find a place by")
    x, y = there["longitude"], there["latitude"]
    if x.ndim == 1:
        i = int(np.argmin(np.abs((x.values - longitude + 180) % 360 - 180)))
        j = int(np.argmin(np.abs(y.values - latitude)))
        found, place = field.isel({x.dims[0]: i, y.dims[0]: j}), (x.values[i], y.values[j])
    else:
        away = ((x.values - longitude + 180) % 360 - 180) * np.cos(np.deg2rad(latitude))
        nearest = np.argmin(np.hypot(away, y.values - latitude))
        j, i = map(int, np.unravel_index(nearest, y.values.shape))
        found = field.isel(dict(zip(x.dims, (j, i))))
        place = x.values[j, i], y.values[j, i]
    east, north = (round(float(degrees), 1) for degrees in place)
    return found, f"{degrees_text(east, 'EW')}, {degrees_text(north, 'NS')}"
