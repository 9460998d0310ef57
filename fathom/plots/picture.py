"""One variable of a stored dataset as a picture: what `fathom plot` calls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fathom.failure import InputError
from fathom.names import describe, fields, unknown
from fathom.plots.lines import coast
from fathom.plots.map import displayed
from fathom.plots.map import map as draw_map
from fathom.plots.mesh import EqualEarth, Raster, mesh_of
from fathom.plots.section import section, zonal_mean
from fathom.plots.stream_function import stream_function
from fathom.plots.style import range_of
from fathom.plots.time_series import time_series
from fathom.reading import told

__all__ = ["picture"]

kinds = ("map", "section", "series")


def picture(
    dataset: Any,
    variable: str,
    *,
    time: str | int = "last",
    level: float | str | None = None,
    kind: str | None = None,
    limits: tuple[float, float] | None = None,
    path: str | Path | None = None,
) -> Any:
    """Draw one variable of an xarray.Dataset (from `fathom.output.open`) and return the figure.

    variable: its name in the file or its Fathom name. time: "last", "first", an index, or a date
    ("2000-02"; the nearest). level: the nearest in metres of depth, hPa of pressure, or the number
    of a hybrid level (1 the highest); "surface" (default) or "bottom" (of the sea).
    kind: map (default), section (zonal mean), series (mean in space against time).
    limits: of the colours, in the unit shown; by default they follow the values.
    ValueError: unknown variable, time, level or kind, with what is allowed.
    """
    name = _resolve(dataset, variable)
    data = dataset[name]
    kind = kind or (
        "series"
        if data.dims == ("time",)
        else "section"
        if "section" in data.dims or data.sizes.get("longitude") == 1
        else "map"
    )
    if kind not in kinds:
        raise InputError(unknown("kind of picture", kind, kinds))
    units = str(data.attrs.get("units", "")) or None
    data, moment = (data, "") if kind == "series" else _at_time(data, time)
    with told(dataset.encoding.get("source", "the data")):
        data.load()
    if kind == "series":
        return _series(dataset, data, variable, path)
    if kind == "section":
        return _section(dataset, data, name, moment, units, path, limits)
    data, where = _at_level(dataset, data, level)
    note = "  ".join(text for text in (moment, where) if text)
    grid: Any = _horizontal(dataset, data)
    if describe(name).name == "barotropic_stream_function":
        return stream_function(data.values, grid, note=note, path=path)
    grid, over = _with_coast(dataset, data, grid)
    return draw_map(
        data.values,
        grid,
        name=name,
        title=_title(data, name),
        units=units,
        note=note,
        limits=limits,
        over=over,
        path=path,
    )


def shown_limits(
    dataset: Any, variable: str, *, level: float | str | None = None, kind: str | None = None
) -> tuple[float, float]:
    """Ends of the colours that suit all times of a variable, in the unit shown."""
    name = _resolve(dataset, variable)
    data = dataset[name]
    units = str(data.attrs.get("units", "")) or None
    times = [data.isel(time=n) for n in range(data.sizes["time"])]
    if kind != "section" and "section" not in data.dims:
        times = [_at_level(dataset, one, level)[0] for one in times]
    named = describe(name)
    shown, _, typical = displayed(named, np.stack([one.values for one in times]), units)
    return range_of(shown, None, named.colours, typical)


def _with_coast(dataset: Any, data: Any, grid: Any) -> tuple[Any, Any]:
    """(grid, what is drawn over a map): the coast where an atmosphere's file has its land."""
    if "sftlf" not in dataset.variables or dataset["sftlf"].dims != data.dims[-2:]:
        return grid, None
    return (
        Raster(mesh_of(grid), projection=EqualEarth(10.0)),
        lambda axes, raster: coast(axes, raster, dataset["sftlf"].values),
    )


def _resolve(dataset: Any, variable: str) -> str:
    """The name in the file of a variable given by that name, or by its Fathom name or alias."""
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


def _at_time(data: Any, time: str | int) -> tuple[Any, str]:
    if "time" not in data.dims:
        return data, ""
    count = data.sizes["time"]
    if count == 0:
        raise InputError("there is no complete time in the file yet")
    words = {"last": count - 1, "first": 0}
    index = words.get(time) if isinstance(time, str) else int(time)
    if (
        index is None
        and isinstance(time, str)
        and time.lstrip("-").isdigit()
        and len(time.lstrip("-")) < 4
    ):
        index = int(time)
    if index is None:
        index = _nearest_time(data.time, str(time))
    if not -count <= index < count:
        raise InputError(f"time {time} is not in the file: it has times 0 to {count - 1}")
    chosen = data.isel(time=index)
    return chosen, _date(chosen.time.values)


def _nearest_time(times: Any, wanted: str) -> int:
    """Index of the time nearest to a date such as 2000, 2000-02 or 2000-02-11 06:00."""

    def seconds(text: str) -> float:
        parts = [
            int(part)
            for part in (
                text.replace("T", "-").replace(" ", "-").replace(":", "-").split(".")[0].split("-")
            )
        ]
        year, month, day, hour, minute = (*parts, *(0, 1, 1, 0, 0)[len(parts) :])[:5]
        return (((year * 12 + month - 1) * 31 + day - 1) * 24 + hour) * 60 + minute

    try:
        target = seconds(wanted)
    except (ValueError, TypeError):
        raise InputError(
            f"time {wanted!r} is none of: last, first, an index, a date such as 2000-02-11"
        ) from None
    return int(np.argmin([abs(seconds(str(value)) - target) for value in times.values]))


def _date(value: Any) -> str:
    return str(value).replace("T", " ")[:16].removesuffix(" 00:00")


def _vertical(data: Any) -> str | None:
    """The vertical dimension, if there is one: what is left other than time and the last two."""
    rest = [dim for dim in data.dims if dim != "time"][:-2]
    return rest[0] if rest else None


def _at_level(dataset: Any, data: Any, level: float | str | None) -> tuple[Any, str]:
    dim = _vertical(data)
    if dim is None and level in (None, "surface"):
        return data, ""
    if dim is None:
        raise InputError(f"level {level}: {data.name} has no levels in the file")
    count = data.sizes[dim]
    values = np.asarray(
        dataset[dim].values if dim in dataset.variables else np.arange(count), float
    )
    hybrid, units = dim.startswith("level"), "hPa" if dim == "pressure" else "m"
    if level == "bottom":
        return _bottom(data, dim), "bottom"
    if level in (None, "surface") and dim == "pressure":
        level = values.max() if level == "surface" else 500
    if level in (None, "surface"):
        index = count - 1 if hybrid else 0
    else:
        index = _nearest_level(level, values, hybrid, units)
    return data.isel({dim: index}), (
        f"level {index + 1} of {count}" if hybrid else f"{values[index]:.4g} {units}"
    )


def _nearest_level(level: Any, values: Any, hybrid: bool, units: str) -> int:
    """The index of a hybrid level by its number, of another by its place; ValueError: neither."""
    try:
        wanted = float(level)
        if not np.isfinite(wanted):
            raise ValueError
    except (TypeError, ValueError):
        numbers = (
            f"a level from 1 to {len(values)}"
            if hybrid
            else f"{units} from {values[0]:g} to {values[-1]:g}"
        )
        raise InputError(f"level {level!r} is none of: surface, bottom, {numbers}") from None
    if hybrid:
        return int(np.clip(wanted - 1, 0, len(values) - 1))
    return int(np.argmin(np.abs(values - wanted)))


def _bottom(data: Any, dim: str) -> Any:
    """The last level of each column that has a value."""
    wet = np.isfinite(data.values)
    last = np.where(wet.any(0), wet.shape[0] - 1 - np.argmax(wet[::-1], axis=0), 0)
    return data.isel({dim: 0}).copy(data=np.take_along_axis(data.values, last[None], 0)[0])


def _horizontal(dataset: Any, data: Any) -> dict[str, Any]:
    """Coordinates of the variable under the names that `mesh_of` knows, bounds before centres."""
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
    """Coordinates of the variable by what they are; its own ones first."""
    roles: dict[str, Any] = {}
    own = str(data.encoding.get("coordinates") or data.attrs.get("coordinates") or "").split()
    for name, coordinate in sorted(data.coords.items(), key=lambda item: item[0] not in own):
        standard = str(coordinate.attrs.get("standard_name", ""))
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


def _section(
    dataset: Any,
    data: Any,
    name: str,
    moment: str,
    units: str | None,
    path: Any,
    limits: tuple[float, float] | None,
) -> Any:
    dim = _vertical(data)
    if dim is None:
        raise InputError(f"{name!r} has one value a column; a section needs levels")
    interfaces = _interfaces(dataset, dim, data.sizes[dim])
    if dim != "depth" and interfaces[0] > interfaces[-1]:  # the top of the atmosphere first
        data, interfaces = data.isel({dim: slice(None, None, -1)}), interfaces[::-1]
    if dim.startswith("level"):
        interfaces = 1000 * interfaces  # hPa, where the surface is at 1000 hPa
    how = {
        "vertical": "depth" if dim.startswith("depth") else "pressure",
        "name": name,
        "units": units,
        "note": moment,
        "limits": limits,
        "path": path,
    }
    if "section" in data.dims:
        along = dataset["distance"].values[0] / 1e3
        edges = np.concatenate([along[:1], 0.5 * (along[1:] + along[:-1]), along[-1:]])
        (west, east), (south, north) = (
            dataset[c].values[0, [0, -1]] for c in ("longitude", "latitude")
        )
        return section(
            data.values[:, 0],
            edges,
            interfaces,
            title=_title(data, name),
            label=f"km from {_place(west, south)} to {_place(east, north)}",
            **how,
        )
    grid = _horizontal(dataset, data)
    across = np.asarray(grid.get("latitude", grid.get("y")), float)
    across = across if across.ndim == 2 else np.broadcast_to(across[:, None], data.shape[-2:])
    area = next(
        (
            dataset[key].values
            for key in ("areacello", "cell_area", "area")
            if key in dataset.variables and dataset[key].shape == across.shape
        ),
        np.ones(across.shape),
    )
    values, edges = zonal_mean(data.values, across, area)
    return section(
        values,
        edges,
        interfaces,
        title=f"{_title(data, name)}, zonal mean",
        label="latitude" if "latitude" in grid else "y",
        **how,
    )


def _place(longitude: float, latitude: float) -> str:
    return (
        f"{abs(longitude):.0f}° {'W' if longitude < 0 else 'E'} {abs(latitude):.0f}°"
        f" {'S' if latitude < 0 else 'N'}"
    )


def _interfaces(dataset: Any, dim: str, nz: int) -> np.ndarray:
    """Coordinates of the nz+1 interfaces: from the bounds of the level, or half way between
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
    if dim == "pressure" and len(depth) > 1:
        middle = 0.5 * (depth[1:] + depth[:-1])
        return np.concatenate(
            [
                [max(1.5 * depth[0] - 0.5 * depth[1], 0)],
                middle,
                [max(1.5 * depth[-1] - 0.5 * depth[-2], 0)],
            ]
        )
    edges = [0.0]
    for value in depth:
        edges.append(max(2 * value - edges[-1], edges[-1] + 1e-6))
    return np.array(edges)


def _series(dataset: Any, data: Any, variable: str, path: Any) -> Any:
    if "time" not in data.dims:
        raise InputError(f"{variable!r} does not vary in time")
    times = data.time.values
    seconds = np.array([_seconds(value - times[0]) for value in times])
    area = next(
        (
            dataset[key]
            for key in ("areacello", "cell_area", "area")
            if key in dataset.variables and dataset[key].dims == data.dims[-2:]
        ),
        None,
    )
    space = [dim for dim in data.dims if dim != "time"]
    mean = (
        data
        if not space
        else data.weighted(area.fillna(0)).mean(space)
        if area is not None
        else data.mean(space)
    )
    return time_series(
        {_title(data, str(data.name)): (seconds, mean.values, str(data.attrs.get("units", "")))},
        columns=1,
        path=path,
    )


def _seconds(difference: Any) -> float:
    return (
        float(difference / np.timedelta64(1, "s"))
        if isinstance(difference, np.timedelta64)
        else difference.total_seconds()
    )
