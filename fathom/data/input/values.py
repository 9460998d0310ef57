"""From what a user gives – a number, an array, a function, a file, a data set's name – to arrays on
the grid, with errors that say where.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from fathom import output
from fathom.base import border
from fathom.base.configurable import check_takes
from fathom.base.failure import InputError, beside
from fathom.base.home import at_home
from fathom.base.near import near
from fathom.base.reading import once
from fathom.data import sets
from fathom.data.input import checks, labelled, of_grid
from fathom.data.input.labelled import plain
from fathom.data.input.records import Input, Records, given, sources
from fathom.data.input.variables import files as paths
from fathom.output import formats


def on_columns(
    grid: Any,
    value: Any,
    where: str = "center",
    name: str = "value",
    units: str = "",
    called: tuple[str, ...] = (),
    gaps: str | None = None,
) -> np.ndarray:
    """Returns an array (ny, nx), float64, of what was given; a file or xarray.DataArray in other
    units (fathom/data/input/records.py) is brought to these. called: names that it may have there;
    gaps: what is done with them where the user does not say it.
    """
    shape = np.shape(grid.wet_levels)
    value = as_grid_has(grid, value, name, where, units=units)
    if (records := given(value)) is not None:
        if gaps and records is not value:
            records.gaps = gaps
        return _of_records(grid, records, where, name, units, called or (name,))
    if callable(value):
        check_takes(name, value, *_axes(grid))
        value = border.called(name, value, *grid.coordinates(where))
    array = plain(value, name)
    array = np.broadcast_to(array, shape) if array.ndim == 0 else array
    return _checked(np.array(array, float), shape, name, grid)


def as_grid_has(
    grid: Any, value: Any, name: str, where: str = "center", layers: bool = False, units: str = ""
) -> Any:
    """Returns the numbers of an array of xarray that lies on the points of the grid, in the order
    and the unit in which the grid has them; all else, also data on the earth, as it is. layers:
    whether they are of layers. InputError: what the array says of itself does not fit.
    """
    if not labelled.says(value) or (grid.horizontal.spherical and _on_earth(value)):
        return value
    vertical = "layer" if layers and len(value.dims) != 2 else "column"
    found = labelled.arranged(value, of_grid.place(grid, name, units, where, vertical))
    return np.broadcast_to(found, (*found.shape[:-2], *np.shape(grid.wet_levels)))


def _on_earth(value: Any) -> bool:
    """Returns whether an array has a coordinate of latitude along one of its dimensions."""
    coords = getattr(value, "coords", {})
    return any(
        c.ndim == 1 and c.size > 1 and (n in ("latitude", "lat") or _is_latitude(c))
        for n, c in coords.items()
    )


def _is_latitude(coordinate: Any) -> bool:
    standard, units = (coordinate.attrs.get(key, "") for key in ("standard_name", "units"))
    return bool(standard == "latitude" or units == "degrees_north")


def _of_records(
    grid: Any, records: Any, where: str, name: str, units: str, called: tuple[str, ...]
) -> np.ndarray:
    """Returns the one record that a file or xarray.DataArray has."""
    units = units or records.find(called).units or "1"
    found = Input(name, records, units, called, where=where)
    if not found.axis.constant:
        raise InputError(
            f"{records} has {len(found.axis)} records in time; {name} needs a constant one"
        )
    return once(sources([found], grid)[0].read)(0)[name].astype(float)


def on_layers(
    grid: Any, value: Any, name: str, where: str = "center"
) -> Iterator[tuple[int, np.ndarray]]:
    """Yields levels of what was given, one at a time: yields (k, array (ny, nx)). ValueError:
    shape, or NaN where there is a column, with its place.
    """
    shape = np.shape(grid.wet_levels)
    middles = grid.levels.middles
    value = as_grid_has(grid, value, name, where, layers=True)
    if callable(value):
        check_takes(name, value, *_axes(grid), "depth")
        x, y = grid.coordinates(where)
        function = value

        def level(k: Any) -> np.ndarray:
            return np.broadcast_to(
                plain(border.called(name, function, x, y, middles[k]), name), shape
            )
    else:
        array = plain(value, name)
        if (
            (array.ndim == 3 and array.shape != (len(middles), *shape))
            or (array.ndim == 2 and array.shape != shape)
            or array.ndim not in (0, 2, 3)
        ):
            raise InputError(
                f"{name} has shape {array.shape}; the grid takes {(len(middles), *shape)}, {shape}"
                " or a number"
            )

        def level(k: Any) -> np.ndarray:
            return np.broadcast_to(array[k] if array.ndim == 3 else array, shape)

    wet = grid.levels_at(where)
    for k in range(len(middles)):
        values = np.array(level(k), float)
        bad = ~np.isfinite(values) & (k < wet)
        if bad.any():
            j, i = np.argwhere(bad)[0]
            raise InputError(
                f"{name} is {values[j, i]} at {grid.place(j, i, k)}{beside(bad, ' in that layer')}"
            )
        yield k, np.where(k < wet, values, 0.0)


def check_shape(grid: Any, value: Any, name: str, files: bool = True) -> None:
    """Raises InputError at once for an array that no field of the grid fits, and for what is no
    data set; FileNotFoundError for a file that is not there. What is read or computed later is
    looked at then. files: whether it may be one, or a data set.
    """
    if isinstance(value, (str, Path, Records)):
        _check_source(value, name, files)
    if getattr(getattr(value, "dtype", None), "kind", "f") in "bSU":
        plain(value, name)  # an error
    if _looked_at_later(value):
        return
    rows, shape = np.shape(grid.wet_levels), np.shape(value)
    if not (shape or isinstance(value, Records) or np.isfinite(plain(value, name))):
        raise InputError(f"{name} = {value!r} must be a finite number")
    if len(shape) > 3 or len(shape) == 1 or (shape and shape[-2:] != rows):
        raise InputError(
            f"{name} has shape {shape}; the grid takes {(grid.levels.nz, *rows)}, {rows} or a"
            " number"
        )


def _looked_at_later(value: Any) -> bool:
    """Returns whether a value is read or computed when it is used, or says what it is."""
    says = labelled.says(value) or len(getattr(value, "coords", ())) > 0
    return bool(isinstance(value, (str, Path)) or callable(value) or says)


def _check_source(value: Any, name: str, files: bool) -> None:
    if not files:
        raise InputError(f"{name} = {value!r} must be a number, an array or a function")
    if isinstance(value, Records):
        if not value.in_memory:
            for path in paths(value.data):
                output.check_there(Path(path))
    elif sets.find(value) is None:
        if not str(value).endswith(formats.readable()):
            raise InputError(
                f"{name} = {str(value)!r} is no data set{near(value, sets.known())}, and no file"
                f" that ends in {', '.join(formats.readable())}"
            )
        output.check_there(at_home(value))


def _axes(grid: Any) -> tuple[str, str]:
    return ("longitude", "latitude") if grid.horizontal.spherical else ("x", "y")


def _checked(array: np.ndarray, shape: tuple[int, ...], name: str, grid: Any) -> np.ndarray:
    if array.shape != shape:
        raise InputError(f"{name} has shape {array.shape}; the grid takes {shape} or a number")
    wet = np.asarray(grid.wet_levels) > 0
    bad = ~np.isfinite(array) & wet
    if bad.any():
        j, i = np.argwhere(bad)[0]
        raise InputError(f"{name} is {array[j, i]} at {grid.place(j, i)}{beside(bad)}")
    checks.check_values(array, name, "", name, grid.place, lambda bad: bad & wet)
    return np.where(np.isfinite(array), array, 0.0)


def fill_fixed(simulation: Any) -> None:
    """Fills the fields that do not follow from the state: geometry and what the surface gives once;
    profiles, and tables that they follow in time.
    """
    model, sequence, fields = simulation.model, simulation.sequence, simulation.fields
    of_surface = model.forcing(simulation.surface).fixed_fields()
    fixed = {**model.geometry(), **of_surface}
    for name in filter(fields.has, fixed):
        layers = (
            map(fixed[name], range(model.grid.levels.nz))
            if callable(fixed[name])
            else fixed[name]
            if np.ndim(fixed[name]) == 3
            else [fixed[name]]
        )
        for k, values in enumerate(layers):
            fields.set(
                name,
                np.ascontiguousarray(values, float),
                k,
                nearest_outside=name not in model.zero_outside,
            )
    fill_profiles(model, fields)
    for name, (times, rows, interpolated) in model.tables(simulation.clock).items():
        if fields.has(name):
            sequence.follow_table(name, simulation.time_step, times, rows, interpolated)
    for name, wave in model.waves_in_time(simulation.clock).items():
        if fields.has(name):
            sequence.follow_wave(name, simulation.time_step, *wave)


def fill_profiles(model: Any, fields: Any) -> None:
    """Fills the profiles of a model that its processes read."""
    for name, values in model.profiles().items():
        if fields.has(name):
            fields.set_profile(name, values)
