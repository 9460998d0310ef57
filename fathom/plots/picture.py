"""One variable of a stored dataset as a picture: what `fathom plot` calls."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.base.reading import told
from fathom.names import describe, fields
from fathom.names.roles import role_of, role_of_level
from fathom.plots import columns, transports
from fathom.plots.area import Region, degrees, projection_of
from fathom.plots.chosen import (
    at_level,
    at_names,
    at_time,
    check_times,
    in_columns,
    names_along,
    possible,
    vertical,
    without_rock,
)
from fathom.plots.lines import coast
from fathom.plots.map import displayed
from fathom.plots.map import map as draw_map
from fathom.plots.mesh import Raster, mesh_of
from fathom.plots.section import section, zonal_mean
from fathom.plots.stream_function import stream_function
from fathom.plots.style import range_of
from fathom.plots.time_series import time_series
from fathom.plots.transports import Sea, kind_of
from fathom.plots.weights import areas, weights

__all__ = ["picture"]

in_time = ("series", "passages", "mooring", "drifters")  # pictures of all times
kinds = ("map", "section", *in_time, "latitudes", "overturning", "profile", "sounding")
asked = ("map", "section", "series", "profile", "sounding")  # of a user


def picture(
    dataset: Any,
    variable: str | None = None,
    *,
    time: str | int = "last",
    level: float | str | None = None,
    at: Mapping[str, str] | None = None,
    kind: str | None = None,
    limits: tuple[float, float] | None = None,
    colours: str | None = None,
    title: str | None = None,
    region: Region | None = None,
    projection: str | None = None,
    contours: float | None = None,
    sea: Sea | None = None,
    path: str | Path | None = None,
) -> Any:
    """Draw one variable of an xarray.Dataset (from `fathom.output.open`), or a DataArray made of
    such variables, and return the figure.

    variable: its name in the file or its Fathom name. time: "last", "first", an index, or a date
    ("2000-02"; the nearest). level: the nearest in metres of depth, hPa of pressure, or the number
    of a hybrid level (1 the highest); "surface" (default) or "bottom" (of the sea).
    at: a basin, a mooring or a passage, as {"basin": "atlantic"}.
    kind: map (default), section (zonal mean, or the slice of a plane of one row), series (mean over
    area or volume against time), profile (of a column, or the mean over each level), sounding (of
    the air on levels of pressure, with at = {"place": "LON,LAT"}). Overturning, transports,
    moorings, columns and drifters have one kind of picture each.
    limits: of the colours, in the unit shown; by default they follow the values. colours: a map of
    colours of Fathom or matplotlib. region: west, east, south, north [degrees, or x and y].
    projection: globe, north, south, plain or "around:LON,LAT". contours: the interval of black
    lines over a map, in the unit shown; 0: chosen. sea: gives, of a region, a grid and where it has
    water, to draw drifters on.
    ValueError: unknown variable, time, level, kind, place or projection, with what is allowed.
    """
    dataset, variable = _as_dataset(dataset, variable)
    name = resolved(dataset, variable)
    if kind == "sounding":
        return columns.sounding_at(dataset, at or {}, time, title=title, path=path)
    data = dataset[name]
    data, place = at_names(dataset, data, at or {})
    kind = _kind(kind, dataset[name], data)
    how: dict[str, Any] = {"title": title or _usual_title(data, name, kind, place), "path": path}
    if kind in in_time:
        check_times(data)
        data.load()
        return _in_time(dataset, data, name, kind, place, projection, region, sea, how, limits)
    units = str(data.attrs.get("units", "")) or None
    data, moment = at_time(data, time)
    with told(dataset.encoding.get("source", "the data")):
        data.load()
    data = without_rock(dataset, data)
    look = {"units": units, "limits": limits, "colours": colours}
    if kind != "map":
        how["note"] = "  ".join(text for text in (moment, place) if text)
        return _across(dataset, data, name, kind, how, look, title)
    data, where = at_level(dataset, data, level)
    data, left_out = possible(in_columns(data), name)
    how["note"] = "  ".join(text for text in (moment, place, where, left_out) if text)
    grid, over = on_the_earth(dataset, data, projection, region)
    if describe(name).name == "barotropic_stream_function":
        return stream_function(data.values, grid, **how)
    return draw_map(data.values, grid, name=name, over=over, contours=contours, **how, **look)


def _as_dataset(given: Any, variable: str | None) -> tuple[Any, str]:
    """Returns a dataset, and the name of the variable in it. InputError: it has several, and none
    is named.
    """
    if not hasattr(given, "data_vars"):
        name = variable or str(given.name or "field")
        return given.to_dataset(name=name), name
    names = [str(name) for name in given.data_vars if not str(name).endswith("_bounds")]
    if variable is None and len(names) != 1:
        raise InputError(f"variable: the data have {', '.join(names) or 'none'}; say which one")
    return given, variable or names[0]


def _usual_title(data: Any, name: str, kind: str, place: str) -> str:
    if kind == "drifters":
        placed = name in ("longitude", "latitude", "x", "y")
        return "Drifters" if placed else f"Drifters: {_title(data, name).lower()}"
    return _title(data, name) + (f", {place}" if kind == "series" and place else "")


def _kind(given: str | None, whole: Any, data: Any) -> str:
    """Returns the kind of picture of a variable, whole or at one of its places."""
    kind = given or kind_of(whole) or _usual_kind(data)
    if kind not in kinds:
        raise InputError(unknown("kind of picture", kind, asked))
    return "series" if kind == "passages" and "section" not in data.dims else kind


def _across(
    dataset: Any,
    data: Any,
    name: str,
    kind: str,
    how: dict[str, Any],
    look: dict[str, Any],
    title: str | None,
) -> Any:
    """Returns a section, an overturning, or values by latitude, at one time."""
    if kind == "latitudes":
        return transports.latitudes(dataset, data, title=how["title"], path=how["path"])
    if kind == "section":
        return _section(dataset, data, name, {**how, **look}, title)
    if kind == "profile":
        sizes = weights(dataset, data)
        return columns.profile(
            data, sizes, name=name, limits=look["limits"], how=how, path=how["path"]
        )
    if "basin" in data.dims:
        data, basin = at_names(dataset, data, {"basin": names_along(dataset, "basin", 1)[0]})
        how["note"] = f"{how['note']}  {basin}"
    return transports.overturning(dataset, data, name=name, how={**how, **look})


def _usual_kind(data: Any) -> str:
    if data.dims == ("time",):
        return "series"
    if data.ndim == 2 and data.dims[0] == "time" and role_of_level(data, str(data.dims[1])):
        return "mooring"  # one column
    if data.ndim - ("time" in data.dims) == 1:
        return "profile"
    slice_of_plane = data.dims[-2:] == ("y", "x") and data.sizes["y"] == 1
    if "section" in data.dims or data.sizes.get("longitude") == 1 or slice_of_plane:
        return "section"
    return "map"


def _in_time(
    dataset: Any,
    data: Any,
    name: str,
    kind: str,
    place: str,
    projection: str | None,
    region: Region | None,
    sea: Sea | None,
    how: dict[str, Any],
    limits: tuple[float, float] | None,
) -> Any:
    """Returns pictures of all times."""
    if "time" not in data.dims:
        raise InputError(f"{name!r} does not vary in time")
    times = data.time.values
    seconds = np.array([_seconds(value - times[0]) for value in times])
    if kind == "series":
        return _series(dataset, data, seconds, how)
    if kind == "passages":
        return transports.passages(dataset, data, seconds=seconds, **how)
    if kind == "drifters":

        def on(grid: Any, within: Region | None) -> Any:
            mesh, near = mesh_of(grid), region or (None if projection else within)
            return _raster(mesh, None if near else projection or "globe", near)

        return transports.drifters(
            dataset,
            data,
            seconds=seconds,
            sea=sea,
            projection=on,
            region=region,
            limits=limits,
            how=how,
        )
    dim = next((dim for dim in data.dims if dim not in ("time", "station")), None)
    if dim is not None and "station" in data.dims:
        first = names_along(dataset, "station", data.sizes["station"])[0]
        data, place = at_names(dataset, data, {"station": first})
    edges = None if dim is None else _interfaces(dataset, dim, data.sizes[dim])
    if edges is not None:
        how = {**how, "note": place, "limits": limits, "units": str(data.attrs.get("units", ""))}
        how |= _of_axis(dataset, str(dim))
        data, edges = _from_the_top(data, str(dim), edges)
    return transports.mooring(dataset, data, name=name, seconds=seconds, interfaces=edges, how=how)


def shown_limits(
    dataset: Any, variable: str, *, level: float | str | None = None, kind: str | None = None
) -> tuple[float, float]:
    """Ends of the colours that suit all times of a variable, in the unit shown."""
    name = resolved(dataset, variable)
    data = dataset[name]
    units = str(data.attrs.get("units", "")) or None
    times = [data.isel(time=n) for n in range(data.sizes["time"])]
    if kind != "section" and "section" not in data.dims:
        times = [at_level(dataset, one, level)[0] for one in times]
    named = describe(name)
    shown, _, typical = displayed(named, np.stack([one.values for one in times]), units)
    return range_of(shown, None, named.colours, typical)


def on_the_earth(
    dataset: Any, data: Any, projection: str | None, region: Region | None
) -> tuple[Raster, Any]:
    """Returns the raster of a map, and lines to draw over it: the coast if an atmosphere's file has
    its land, degrees on the map of a limited area.
    """
    grid = _horizontal(dataset, data)
    has_land = "sftlf" in dataset.variables and dataset["sftlf"].dims == data.dims[-2:]
    on_map = projection is None and region is None and _has_map(grid)
    if on_map:
        mesh = mesh_of({name: a for name, a in grid.items() if name in ("x", "y")})
    else:
        mesh = mesh_of(grid)
    if projection is None and region is None and mesh.is_global and has_land:
        projection = "globe"
    raster = _raster(mesh, projection, region)

    def over(axes: Any, raster: Raster) -> None:
        if on_map:
            degrees(axes, raster, grid["longitude"].values, grid["latitude"].values)
        if has_land:
            coast(axes, raster, dataset["sftlf"].values)

    return raster, over


def _has_map(grid: dict[str, Any]) -> bool:
    """Returns whether x and y are coordinates of a map whose places on the earth are known."""
    return (
        {"x", "y", "longitude", "latitude"} <= set(grid)
        and grid["x"].ndim == 1
        and grid["longitude"].ndim == 2
        and grid["x"].attrs.get("standard_name") == "projection_x_coordinate"
    )


def _raster(mesh: Any, projection: str | None, region: Region | None) -> Raster:
    """Raises InputError: nothing lies in the region."""
    raster = Raster(mesh, projection=projection_of(projection, region, mesh))
    if region is not None and (raster.cell < 0).all():
        corners = mesh.corners.reshape(-1, 2)
        (west, south), (east, north) = np.nanmin(corners, axis=0), np.nanmax(corners, axis=0)
        wanted = ", ".join(f"{edge:g}" for edge in region)
        raise InputError(
            f"region {wanted}: nothing lies there; the file has"
            f" {west:g} to {east:g}, {south:g} to {north:g}"
        )
    return raster


def resolved(dataset: Any, variable: str) -> str:
    """Returns the name in the file of a variable given by that name, or by its Fathom name or
    alias.
    """
    if "trajectory" in dataset.dims and variable in dataset.coords:
        return variable  # the places of drifters
    entry = describe(variable)
    for candidate in (variable, entry.alias, entry.name):
        if candidate in dataset.data_vars:
            return candidate
    held = [str(name) for name in dataset.data_vars if not str(name).endswith("_bounds")]
    words = [row.name for row in fields.values() if row.alias in held]
    raise InputError(
        unknown("variable", variable, [*held, *(word for word in words if word not in held)])
    )


def _title(data: Any, name: str) -> str:
    text = str(data.attrs.get("long_name") or describe(name).long_name)
    return text[:1].upper() + text[1:]


def _horizontal(dataset: Any, data: Any) -> dict[str, Any]:
    """Returns coordinates of the variable under the names that `mesh_of` knows, bounds before
    centres.
    """
    grid: dict[str, Any] = {}
    for role, coordinate in _roles(data).items():
        grid[role] = coordinate
        bounds = coordinate.attrs.get("bounds") or coordinate.encoding.get("bounds")
        if bounds in dataset.variables and dataset[bounds].ndim == 3:
            grid[f"{role}_bounds"] = dataset[bounds].values
        elif bounds in dataset.variables and coordinate.ndim == 1:
            grid[f"corner_{role}"] = np.append(
                dataset[bounds].values[:, 0], dataset[bounds].values[-1, 1]
            )
    return grid


def _roles(data: Any) -> dict[str, Any]:
    """Returns coordinates of the variable by meaning; its own ones first."""
    roles: dict[str, Any] = {}
    own = str(data.encoding.get("coordinates") or data.attrs.get("coordinates") or "").split()
    for name, coordinate in sorted(data.coords.items(), key=lambda item: item[0] not in own):
        standard = role_of(coordinate, str(name))
        for role, words in (
            ("longitude", ("longitude",)),
            ("latitude", ("latitude",)),
            ("x", ("projection_x_coordinate",)),
            ("y", ("projection_y_coordinate",)),
        ):
            if (
                coordinate.ndim
                and set(coordinate.dims) <= set(data.dims[-2:])
                and (standard in words or str(name).startswith(role))
            ):
                roles.setdefault(role, coordinate)
    return roles


def _section(dataset: Any, data: Any, name: str, how: dict[str, Any], title: str | None) -> Any:
    dim = vertical(data)
    if dim is None:
        raise InputError(f"{name!r} has one value a column; a section needs levels")
    interfaces = _interfaces(dataset, dim, data.sizes[dim])
    data, interfaces = _from_the_top(data, dim, interfaces)
    how |= _of_axis(dataset, dim)
    if how["vertical"] == "pressure" and dim.startswith("level"):
        interfaces = 1000 * interfaces  # hPa, where the surface is at 1000 hPa
    if "section" in data.dims:
        return _along(dataset, data, name, interfaces, how)
    grid = _horizontal(dataset, data)
    spherical = "latitude" in grid
    if data.shape[-2] == 1 and not spherical:
        edges = _edges(np.asarray(grid["x"], float) / 1e3)
        return section(data.values[:, 0], edges, interfaces, name=name, label="x [km]", **how)
    across = np.asarray(grid["latitude"] if spherical else grid["y"] / 1e3, float)
    across = across if across.ndim == 2 else np.broadcast_to(across[:, None], data.shape[-2:])
    area = areas(dataset, across.shape)
    values, edges = zonal_mean(data.values, across, area)
    mean, label = ("zonal mean", "latitude") if spherical else ("mean along x", "y [km]")
    how["title"] = title or f"{_title(data, name)}, {mean}"
    return section(values, edges, interfaces, name=name, label=label, **how)


def _from_the_top(data: Any, dim: str, interfaces: np.ndarray) -> tuple[Any, np.ndarray]:
    """Returns both with growing interfaces: a file may have the top of the atmosphere last."""
    if dim != "depth" and interfaces[0] > interfaces[-1]:
        return data.isel({dim: slice(None, None, -1)}), interfaces[::-1]
    return data, interfaces


def _of_axis(dataset: Any, dim: str) -> dict[str, str]:
    """Returns what `section` must know of a vertical dimension."""
    if dim.startswith("level") and dim not in dataset.variables:
        return {"vertical": "depth", "down": "level"}
    held = dataset.variables.get(dim)
    said = "" if held is None else str(held.attrs.get("standard_name", ""))
    for role in ("depth", "height"):
        if dim.startswith(role) or said.startswith(role):
            return {"vertical": role}
    of_metres = held is not None and held.attrs.get("units") in ("m", "metre", "meter", None)
    return {"vertical": "height" if dim.startswith("interface") and of_metres else "pressure"}


def _edges(at: np.ndarray) -> np.ndarray:
    """Returns edges of cells around places on a line."""
    middles = (at[1:] + at[:-1]) / 2
    return np.concatenate([[1.5 * at[0] - 0.5 * at[1]], middles, [1.5 * at[-1] - 0.5 * at[-2]]])


def _along(dataset: Any, data: Any, name: str, interfaces: Any, how: dict[str, Any]) -> Any:
    """Returns a section along the great circle of the file."""
    along = dataset["distance"].values[0] / 1e3
    edges = np.concatenate([along[:1], 0.5 * (along[1:] + along[:-1]), along[-1:]])
    (west, east), (south, north) = (
        dataset[c].values[0, [0, -1]] for c in ("longitude", "latitude")
    )
    label = f"km from {_place(west, south)} to {_place(east, north)}"
    return section(data.values[:, 0], edges, interfaces, name=name, label=label, **how)


def _place(longitude: float, latitude: float) -> str:
    return (
        f"{abs(longitude):.0f}° {'W' if longitude < 0 else 'E'} {abs(latitude):.0f}°"
        f" {'S' if latitude < 0 else 'N'}"
    )


def _interfaces(dataset: Any, dim: str, nz: int) -> np.ndarray:
    """Returns coordinates of the nz+1 interfaces: from the bounds of the level, or half way between
    levels.
    """
    bounds = (
        dataset[dim].attrs.get("bounds") or dataset[dim].encoding.get("bounds")
        if dim in dataset.variables
        else None
    )
    if bounds in dataset.variables:
        edges = dataset[bounds].values
        return np.append(edges[:, 0], edges[-1, 1])
    depth = np.asarray(
        dataset[dim].values if dim in dataset.variables else np.arange(nz) + 0.5, float
    )
    if dim.startswith(("pressure", "height", "interface")) and len(depth) > 1:
        result: np.ndarray = np.maximum(_edges(depth), 0)
        return result
    edges = [0.0]
    for value in depth:
        edges.append(max(2 * value - edges[-1], edges[-1] + 1e-6))
    return np.array(edges)


def _series(dataset: Any, data: Any, seconds: np.ndarray, how: dict[str, Any]) -> Any:
    space = [dim for dim in data.dims if dim != "time"]
    mean = data.weighted(_sizes(dataset, data)).mean(space) if space else data
    series = {how["title"]: (seconds, mean.values, str(data.attrs.get("units", "")))}
    return time_series(series, columns=1, path=how["path"])


def _sizes(dataset: Any, data: Any) -> Any:
    """Returns weights of a mean in space: areas, with layers times their thickness."""
    one = data.isel(time=0, drop=True).reset_coords(drop=True)
    sizes = areas(dataset, one.shape[-2:]) if one.ndim > 1 else np.ones(one.shape)
    dim = vertical(data)
    if dim is not None and dim.startswith(("depth", "level", "pressure")):
        sizes = sizes * _thickness(dataset, dim, one.shape)
    return one.copy(data=np.broadcast_to(np.nan_to_num(sizes), one.shape))


def _thickness(dataset: Any, dim: str, shape: tuple[int, ...]) -> np.ndarray:
    """Returns the thickness of the layers of a field (nz, ny, nx): of the file's cells, else
    between interfaces.
    """
    held = dataset.variables.get("thkcello")
    if held is not None and held.shape == shape:
        return np.asarray(held.values)
    return np.abs(np.diff(_interfaces(dataset, dim, shape[0])))[:, None, None]


def _seconds(difference: Any) -> float:
    return (
        float(difference / np.timedelta64(1, "s"))
        if isinstance(difference, np.timedelta64)
        else difference.total_seconds()
    )
