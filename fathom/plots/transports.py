"""Pictures other than maps: overturning, transports of basins and passages, moorings, drifters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.plots.area import Region
from fathom.plots.by_latitude import Profile, by_latitude
from fathom.plots.chosen import names_along
from fathom.plots.mesh import Raster, mesh_of
from fathom.plots.section import section
from fathom.plots.style import of_oceans, unit_text
from fathom.plots.time_series import scale_of, time_series
from fathom.plots.tracks import tracks

# of a region (None: the globe) a grid, and where it has water
Sea = Callable[[Region | None], tuple[Mapping[str, Any], np.ndarray]]


def kind_of(data: Any) -> str | None:
    """Returns the picture for dimensions without a map: overturning, latitudes, passages, mooring
    or drifters; None: it is a map, a section or a series.
    """
    dims = [dim for dim in data.dims if dim != "time"]
    if "trajectory" in dims:
        return "drifters"
    if "station" in dims:
        return "mooring"
    if dims == ["section"]:
        return "passages"
    if dims[-1:] == ["latitude"]:
        return {1: "latitudes", 2: "overturning"}.get(len([d for d in dims if d != "basin"]))
    return None


def overturning(dataset: Any, data: Any, *, name: str, how: dict[str, Any]) -> Any:
    """Returns a stream function (interface or density, latitude), between the latitudes of the
    file.
    """
    dim = data.dims[0]
    edges = np.asarray(dataset[dim].values, float)
    at = np.asarray(dataset["latitude"].values, float)
    values, units = of_oceans(data.values, how["units"])
    how = {**how, "units": units}
    colours = how.pop("colours") or "balance"
    within = (values[1:, 1:] + values[:-1, 1:] + values[1:, :-1] + values[:-1, :-1]) / 4
    axis = {} if dim.startswith("depth") else {"down": f"{dim} [{_units(dataset[dim])}]"}
    return section(within, at, edges, name=name, colours=colours, **axis, **how)


def latitudes(dataset: Any, data: Any, *, title: str, path: Any) -> Any:
    """Returns a transport at each latitude, a line for each basin."""
    at = np.asarray(dataset["latitude"].values, float)
    data = data if "basin" in data.dims else data.expand_dims("basin")
    names = (
        names_along(dataset, "basin", data.sizes["basin"]) if data.sizes["basin"] > 1 else ["here"]
    )
    values, units = of_oceans(data.values, _units(data))
    curves = {name.replace("_", " "): (at, values[n]) for n, name in enumerate(names)}
    panel = Profile(unit_text(units), curves)
    return by_latitude({title: panel}, path=path)


def passages(dataset: Any, data: Any, *, seconds: np.ndarray, title: str, path: Any) -> Any:
    """Returns the transport through each passage in time."""
    names = names_along(dataset, "section", data.sizes["section"])
    series = {
        name: (seconds, *of_oceans(data.isel(section=n).values, _units(data)))
        for n, name in enumerate(names)
        if np.isfinite(data.isel(section=n)).any()
    }
    if not series:
        raise InputError(f"{data.name}: none of its sections is open on this grid")
    return time_series(series, title=title, path=path)


def mooring(
    dataset: Any,
    data: Any,
    *,
    name: str,
    seconds: np.ndarray,
    interfaces: np.ndarray | None,
    how: dict[str, Any],
) -> Any:
    """Returns one mooring: depth against time; numbers of columns, of all moorings, as series."""
    if "station" in data.dims and interfaces is None:
        names = names_along(dataset, "station", data.sizes["station"])
        series = {
            station: (seconds, data.isel(station=n).values, _units(data))
            for n, station in enumerate(names)
        }
        return time_series(series, **how)
    if interfaces is None:
        series = {how["title"]: (seconds, data.values, _units(data))}
        return time_series(series, columns=1, path=how["path"])
    if len(seconds) < 2:
        raise InputError("a picture of a mooring needs two times or more")
    scale, unit = scale_of(float(seconds[-1]))
    times = seconds / scale
    edges = np.concatenate([times[:1], (times[1:] + times[:-1]) / 2, times[-1:]])
    return section(data.values.T, edges, interfaces, name=name, label=unit, **how)


def drifters(
    dataset: Any,
    data: Any,
    *,
    seconds: np.ndarray,
    sea: Sea | None,
    projection: Callable[..., Any],
    region: Region | None,
    limits: tuple[float, float] | None,
    how: dict[str, Any],
) -> Any:
    """Returns the tracks of all drifters of a file, coloured by the variable, or by their age where
    it is a place; on the region in which they are.
    """
    spherical = "longitude" in dataset.variables
    names = ("longitude", "latitude") if spherical else ("x", "y")
    x, y = (np.asarray(dataset[name].values, float) for name in names)
    placed = str(data.name) in (*names, "depth", "trajectory")
    coloured = None if placed and data.name != "depth" else np.asarray(data.values, float)
    within = region or _around(x, y, spherical)
    if sea is not None and spherical:
        grid, wet = sea(within)
        raster = projection(grid, within)
    else:
        west, east, south, north = within or (0.0, 360.0, -90.0, 90.0)
        corners = np.meshgrid(np.linspace(west, east, 3), np.linspace(south, north, 3))
        wet = np.ones((2, 2))
        raster = Raster(mesh_of(dict(zip((f"corner_{name}" for name in names), corners))))
    look = {} if coloured is None else {
        "values": coloured, "name": str(data.name), "units": _units(data), "limits": limits,
    }  # fmt: skip
    return tracks(x, y, seconds / 86400, wet, raster, **look, **how)


def _around(x: np.ndarray, y: np.ndarray, spherical: bool) -> Region | None:
    """Returns the box that holds all places, with room around; None: it is most of the globe."""
    if not np.isfinite(x).any():
        return None
    middle = 0.0
    if spherical:
        turned = np.deg2rad(x[np.isfinite(x)])
        middle = float(np.rad2deg(np.arctan2(np.sin(turned).mean(), np.cos(turned).mean())))
        x = middle + (x - middle + 180) % 360 - 180
    spans = [(float(np.nanmin(a)), float(np.nanmax(a))) for a in (x, y)]
    size = max(high - low for low, high in spans) or 1.0
    room = 0.15 * size
    (west, east), (south, north) = ((low - room, high + room) for low, high in spans)
    if spherical and east - west > 200:
        return None
    if spherical:
        more, wider = max(0.0, 4.0 - (north - south)) / 2, max(0.0, 6.0 - (east - west)) / 2
        south, north = max(south - more, -90.0), min(north + more, 90.0)
        west, east = west - wider, east + wider
    return west, east, south, north


def _units(data: Any) -> str:
    return str(data.attrs.get("units", ""))
