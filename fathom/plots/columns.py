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
    dataset: Any,
    data: Any,
    *,
    name: str,
    limits: tuple[float, float] | None,
    how: Mapping[str, Any],
) -> Any:
    """Draw a field of one time along its first dimension: levels upright, the mean over all others;
    what is no level from left to right. Returns the figure.
    """
    dim = str(data.dims[0]) if data.dims else ""
    if not dim:
        raise InputError(
            f"{name} is one number, {float(data.values):.6g}; there is nothing to draw"
        )
    values = data.mean(data.dims[1:]).values if data.ndim > 1 else data.values
    shown, units, _ = displayed(describe(name), values, str(data.attrs.get("units", "")) or None)
    along = data[dim] if dim in data.coords else None
    at = np.arange(len(shown), dtype=float)
    if along is not None and along.dtype.kind in "if":
        at = along.values.astype(float)
    role = role_of_level(data, dim)
    figure = new_figure(4.6 if role else 7.4, 5.0 if role else 3.2)
    axes = figure.add_axes((0.17, 0.12, 0.79, 0.77) if role else (0.1, 0.15, 0.87, 0.71))
    said = unit_text(str(along.attrs.get("units", ""))) if along is not None else ""
    label = dim.replace("_", " ") + (f" [{said}]" if said else "")
    quantity = f"[{unit_text(units)}]" if unit_text(units) else ""
    if role:
        axes.plot(shown, at, ".-", lw=1.4)
        axes.set(xlabel=quantity, ylabel=label)
        if role in ("depth", "pressure", "level", "layer"):
            axes.invert_yaxis()
    else:
        axes.plot(at, shown, ".-", lw=1.4)
        axes.set(xlabel=label, ylabel=quantity)
    if limits is not None:
        (axes.set_xlim if role else axes.set_ylim)(*limits)
    axes.grid(True)
    axes.set_title(how["title"], fontsize=10)
    axes.set_title(how.get("note", ""), loc="right", fontsize=7, fontweight="normal")
    return figure


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
    where = ""
    chosen: dict[str, np.ndarray | None] = {}
    moment = ""
    for name, field in held.items():
        if field is None:
            chosen[name] = None
            continue
        field, moment = at_time(field, time)
        field, where = _column(dataset, field, at)
        chosen[name] = np.asarray(field.values, float).ravel()
    air, wind = chosen["air_temperature"], (chosen["eastward_wind"], chosen["northward_wind"])
    humid = chosen["specific_humidity"]
    if humid is None and chosen["relative_humidity"] is not None:
        percent = str(held["relative_humidity"].attrs.get("units", "")) == "%"
        share = chosen["relative_humidity"] * (0.01 if percent else 1.0)
        humid = moist_air.specific_humidity(share, air, levels)
    return sounding(
        levels,
        air,
        None if humid is None else dew_point(levels, humid),
        None if wind[0] is None or wind[1] is None else wind,
        title=title or f"Sounding at {where}",
        note=moment,
        path=path,
    )


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


def _column(dataset: Any, field: Any, at: Mapping[str, str]) -> tuple[Any, str]:
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
        j, i = np.unravel_index(
            np.argmin(np.hypot(away, y.values - latitude)), y.values.shape
        )  # nearest
        found = field.isel(dict(zip(x.dims, (int(j), int(i)))))
        place = x.values[j, i], y.values[j, i]
    return found, f"{degrees_text(float(place[0]), 'EW')}, {degrees_text(float(place[1]), 'NS')}"
