"""The depth of the sea in a file, as GEBCO, ETOPO or a model writes it: heights above the sea or
depths below it, on latitudes and longitudes.

A cell of a grid is sea if at least half of it is; its depth is the mean of that part. Data finer
than 1/12 degree are first averaged to about that, strip by strip, so that 15 seconds of arc of the
whole earth fit into memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from fathom import output
from fathom.base import units
from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.base.reading import once, told
from fathom.data.bathymetry import cell_means
from fathom.data.input import checks
from fathom.data.input.records import Records

_heights = ("elevation", "z", "topo", "Band1", "altitude", "height", "bedrock_altitude")
_depths = ("ocean_depth", "deptho", "depth", "bathymetry", "Bathymetry", "bathy", "h")
_height_names = ("height_above_mean_sea_level", "surface_altitude", "altitude", "height")
_depth_names = ("sea_floor_depth_below_geoid", "sea_floor_depth_below_mean_sea_level", "depth")
_degree = 1 / 12  # to which finer data are averaged


def is_file(value: Any) -> bool:
    """Returns whether it is the path of a file that is no table of text, Records, or from
    xarray."""
    if isinstance(value, (str, Path)):
        return str(value).endswith(output.formats.readable())
    return isinstance(value, Records) or bool(len(getattr(value, "coords", ())))


@once
def depth_on_cells(given: Any, corner_longitude: Any, corner_latitude: Any) -> np.ndarray:
    """Returns [m], (ny, nx), 0 on land, between corners [degrees] (ny + 1, nx + 1). InputError: no
    variable with heights or depths, or a grid that goes beyond the data.
    """
    with _opened(given) as (path, held, named), told(path):
        array, sign = _variable(held, path, named)
        latitude, longitude = _axes(array, path)
        water, latitude, longitude = _coarse(array, sign, latitude, longitude)
        _check_sign(array, path, sign)
    water, longitude = _around(water, longitude)
    _check_covers(path, latitude, longitude, corner_longitude, corner_latitude)
    water, longitude = _closed(water, longitude)
    fraction, volume = cell_means(water, latitude, longitude, corner_longitude, corner_latitude)
    return np.where(fraction >= 0.5, volume / np.maximum(fraction, 1e-9), 0.0)


@contextmanager
def _opened(given: Any) -> Iterator[tuple[str, Any, str | None]]:
    """Opens a sea floor: gives its name, its data set, and the variable that Records name."""
    named = given.variable if isinstance(given, Records) else None
    data = given.data if isinstance(given, Records) else given
    if not isinstance(data, (str, Path)):
        held = data if hasattr(data, "data_vars") else data.to_dataset(name=data.name or "depth")
        yield "the data", held, named
        return
    with output.open(data) as held:
        yield str(data), held, named


def _variable(held: Any, path: str, named: str | None) -> tuple[Any, float]:
    """Returns the variable, and its factor to a depth [m]: of a height it is negative. What it says
    of its direction (`positive`) counts before its name; one of another name that Records name is a
    height if it has negative numbers.
    """
    if named is not None:
        if named not in held.data_vars:
            raise InputError(f"bathymetry: {unknown(f'variable of {path}', named, held.data_vars)}")
        held = held[[named]]
    array, sign = _known(held, path, named)
    positive = checks.said_by(str(array.name), array).positive
    sign = {"down": 1.0, "up": -1.0}.get(positive, sign)
    return array, sign * units.conversion(array.attrs.get("units") or "m", "m")[0]


def _known(held: Any, path: str, named: str | None) -> tuple[Any, float]:
    for sign, known, standard in ((-1.0, _heights, _height_names), (1.0, _depths, _depth_names)):
        for name, array in held.data_vars.items():
            if array.ndim == 2 and (name in known or array.attrs.get("standard_name") in standard):
                return array, sign
    if named is not None and held[named].ndim == 2:
        return held[named], -1.0 if bool((held[named] < 0).any()) else 1.0
    raise InputError(
        f"bathymetry: {path} has no heights or depths on latitude and longitude; it has"
        f" {', '.join(map(str, held.data_vars))}; known are {', '.join(_heights + _depths)}, and"
        f" the standard names {', '.join(_height_names[:2] + _depth_names[:2])}"
    )


def _axes(array: Any, path: Any) -> tuple[np.ndarray, np.ndarray]:
    """Returns latitude and longitude of rows and columns."""
    found = [
        np.asarray(array[dim].values, float) if dim in array.coords else None for dim in array.dims
    ]
    kinds = [str(dim).lower()[:3] for dim in array.dims]
    if any(axis is None or axis.size < 2 for axis in found) or kinds not in (
        ["lat", "lon"],
        ["y", "x"],
    ):
        raise InputError(f"bathymetry: {path} has {array.name} on {array.dims}, not (lat, lon)")
    latitude, longitude = (np.asarray(axis, float) for axis in found)
    return latitude, longitude


def _check_sign(array: Any, path: str, sign: float) -> None:
    """Raises InputError: numbers whose sign contradicts what the variable is. Of depths most are
    positive, of heights some are negative.
    """
    step = max(1, array.shape[0] // 400)
    some = np.asarray(array[::step].values, float)
    below, above = int((sign * some > 0).sum()), int((sign * some < 0).sum())
    as_it_is = "depth" if sign > 0 else "height"
    other = "up" if sign > 0 else "down"
    if (sign > 0 and above > below) or (sign < 0 and not below and above):
        signs = f"{(some < 0).mean():.0%} of its numbers are negative"
        raise InputError(
            f"bathymetry: {path}: {array.name} is a {as_it_is} by its name or its attributes, but"
            f" {signs}; positive = {other!r} in the file, or another name, says what it is"
        )


def _coarse(
    array: Any, sign: float, latitude: np.ndarray, longitude: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns share of sea and its depth times that share (2, rows, columns), in means of n x n
    values.
    """
    n = max(1, int(_degree / abs(np.diff(latitude)).mean() + 1e-6))
    rows, columns = latitude.size // n, longitude.size // n
    water = np.empty((2, rows, columns))
    for j in range(rows):
        strip = sign * np.asarray(array[j * n : (j + 1) * n, : columns * n].values, float)
        strip = np.nan_to_num(np.maximum(strip, 0.0)).reshape(n, columns, n)
        water[0, j], water[1, j] = (strip > 0).mean((0, 2)), strip.mean((0, 2))

    def middle(axis: Any, size: Any) -> Any:
        return axis[: size * n].reshape(size, n).mean(1)

    return water, middle(latitude, rows), middle(longitude, columns)


def _around(water: np.ndarray, longitude: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns columns eastward from the end of the widest gap."""
    order = np.argsort(longitude % 360, kind="stable")
    order = order[np.append(True, np.diff((longitude % 360)[order]) > 1e-6)]  # none twice
    east = (longitude % 360)[order]
    first = (int(np.diff(np.append(east, east[0] + 360)).argmax()) + 1) % east.size
    east = np.roll(east, -first)
    return np.roll(water[..., order], -first, axis=-1), np.where(east < east[0], east + 360, east)


def _closed(water: np.ndarray, longitude: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the data of a part of the earth, with land in the other part."""
    step = np.diff(longitude).min()
    more = round((longitude[0] + 360 - longitude[-1]) / step) - 1
    beyond = longitude[-1] + step * np.arange(1, more + 1)
    land = np.zeros((*water.shape[:-1], more))
    return np.concatenate([water, land], axis=-1), np.append(longitude, beyond)


def _check_covers(
    path: Any, latitude: np.ndarray, longitude: np.ndarray, east: Any, north: Any
) -> None:
    """Raises InputError: corners of cells, `east` and `north`, that lie beyond the data."""
    rows, columns = np.abs(np.diff(latitude)).max(), np.diff(longitude).max()
    from_west = (np.asarray(east) - longitude[0] + columns) % 360
    outside = from_west > np.ptp(longitude) + 2 * columns
    around = checks.goes_around(longitude)
    low, high = latitude.min() - rows, latitude.max() + rows
    north = np.asarray(north)
    if (outside.any() and not around) or (north < low).any() or (north > high).any():
        raise InputError(
            f"bathymetry: {path} has latitudes {latitude.min():.4g} to {latitude.max():.4g} and"
            f" longitudes {longitude[0]:.4g} to {longitude[-1]:.4g}; the grid goes beyond"
        )
