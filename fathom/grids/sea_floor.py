"""The depth of the sea in a file, as GEBCO, ETOPO or a model writes it: heights above the sea or
depths below it, on latitudes and longitudes.

A cell of a grid is sea if at least half of it is; its depth is the mean of that part. Data finer
than 1/12 degree are first averaged to about that, strip by strip, so that 15 seconds of arc of the
whole earth fit into memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from fathom import output
from fathom.base import longitudes, units
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
_is_floor = "^$|depth|height|altitude|elevation|bathymetr|topograph|sea_floor"  # a standard name
_degree = 1 / 12  # to which finer data are averaged
_at_once = 2e7  # numbers of a file that are in memory


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
        latitude, longitude, n = _coarse(*_axes(array, path))
        if why := _beyond(latitude, _eastward(longitude)[1], corner_longitude, corner_latitude):
            _check_sign(array, path, sign)
            raise InputError(f"bathymetry: {path} has {why}")
        rows = _rows(latitude, np.asarray(corner_latitude))
        columns = _columns(longitude, np.asarray(corner_longitude))
        water, below, above = _means(array, path, sign, n, rows, columns)
        if _contradict(sign, below, above):  # so does the whole file?
            _check_sign(array, path, sign)
    order, east = _eastward(longitude[columns])
    water, longitude = _closed(water[..., order], east)
    latitude = latitude[rows]
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
    said = checks.said_by(str(array.name), array)
    other = "" if re.search(_is_floor, said.standard_name) else f"is {said.standard_name}"
    if named is None and (why := other or checks.other_statistic(said)):
        raise InputError(f"bathymetry: {path}: {said.name} {why}, not the depth of the sea")
    sign = {"down": 1.0, "up": -1.0}.get(said.positive, sign)
    try:
        return array, sign * units.conversion(array.attrs.get("units") or "m", "m")[0]
    except InputError as error:
        raise InputError(f"bathymetry: {path}: {said.name}: {error}") from None


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


def _contradict(sign: float, below: int, above: int) -> bool:
    """Returns whether so many numbers below and above the surface contradict what the variable is:
    of depths most are positive, of heights some are negative.
    """
    return above > below if sign > 0 else not below and above > 0


def _check_sign(array: Any, path: str, sign: float) -> None:
    """Raises InputError: numbers whose sign contradicts what the variable is."""
    some = np.asarray(array[:: max(1, array.shape[0] // 400)].values, float)
    if _contradict(sign, int((sign * some > 0).sum()), int((sign * some < 0).sum())):
        as_it_is, other = ("depth", "up") if sign > 0 else ("height", "down")
        raise InputError(
            f"bathymetry: {path}: {array.name} is a {as_it_is} by its name or its attributes, but"
            f" {(some < 0).mean():.0%} of its numbers are negative; positive = {other!r} in the"
            " file, or another name, says what it is"
        )


def _coarse(latitude: np.ndarray, longitude: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Returns latitudes and longitudes of means of n x n values, and n."""
    n = max(1, int(_degree / abs(np.diff(latitude)).mean() + 1e-6))
    rows, columns = (
        axis[: axis.size // n * n].reshape(-1, n).mean(1) for axis in (latitude, longitude)
    )
    return rows, columns, n


def _rows(latitude: np.ndarray, north: np.ndarray) -> slice:
    """Returns the rows that cells with corners at such latitudes take from, to the pole where they
    come near it.
    """
    margin = 3 * np.abs(np.diff(latitude)).max()
    least, most = north.min() - margin, north.max() + margin
    needed = (latitude > (-91 if least < -80 else least)) & (latitude < (91 if most > 80 else most))
    there = np.flatnonzero(needed)
    return slice(int(there[0]), int(there[-1]) + 1)


def _columns(longitude: np.ndarray, east: np.ndarray) -> np.ndarray:
    """Returns which columns cells with corners at such longitudes take from: all, unless the
    corners leave a gap that is wider than any cell.
    """
    widest_cell = np.abs((np.diff(east, axis=-1) + 180) % 360 - 180).max()
    at = np.unique(east % 360)
    gaps = np.diff(np.append(at, at[0] + 360))
    last = int(gaps.argmax())
    margin = 3 * np.abs((np.diff(longitude) + 180) % 360 - 180).max()
    if gaps[last] < 2 * widest_cell + 2 * margin:
        return np.ones(longitude.size, bool)
    first = at[(last + 1) % at.size]
    reach = 360 - gaps[last] + 2 * margin
    return np.asarray((longitude - first + margin) % 360 <= reach)


def _means(
    array: Any, path: str, sign: float, n: int, rows: slice, columns: np.ndarray
) -> tuple[np.ndarray, int, int]:
    """Returns share of sea and its depth times that share (2, rows, columns), in means of n x n
    values; how many of these lie below and above the surface.
    """
    water = np.empty((2, rows.stop - rows.start, int(columns.sum())))
    edges = np.flatnonzero(np.diff(np.concatenate([[0], columns.astype(int), [0]])))
    pieces = [slice(a * n, b * n) for a, b in edges.reshape(-1, 2)]
    band = max(1, int(_at_once / (n * n * columns.sum())))
    below = above = 0
    thinned: list[np.ndarray] = []
    source, row = f"bathymetry: {path}: {array.name}", "sea_floor_depth"
    north = array[array.dims[0]].values
    for start in range(rows.start, rows.stop, band):
        stop = min(start + band, rows.stop)
        some = [np.asarray(array[start * n : stop * n, piece].values) for piece in pieces]
        held = some[0] if len(some) == 1 else np.concatenate(some, axis=1)
        for j in range(start, stop):
            depth = sign * held[(j - start) * n : (j - start + 1) * n].astype(float)
            below, above = below + int((depth > 0).sum()), above + int((depth < 0).sum())
            depth = np.maximum(depth, 0.0)
            checks.check_values(depth, row, "m", f"{source} near latitude {north[j * n]:.4g}")
            thinned.append(depth[0, :: max(1, depth.shape[1] // 400)])
            depth = np.nan_to_num(depth).reshape(n, -1, n)
            at = j - rows.start
            water[0, at], water[1, at] = (depth > 0).mean((0, 2)), depth.mean((0, 2))
    checks.check_values(np.array(thinned), row, "m", source)
    return water, below, above


def _eastward(longitude: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the numbers of columns eastward from the end of the widest gap, none twice, and their
    longitudes.
    """
    order = np.argsort(longitude % 360, kind="stable")
    order = order[np.append(True, np.diff((longitude % 360)[order]) > 1e-6)]
    east = (longitude % 360)[order]
    first = (int(np.diff(np.append(east, east[0] + 360)).argmax()) + 1) % east.size
    east = np.roll(east, -first)
    return np.roll(order, -first), np.where(east < east[0], east + 360, east)


def _closed(water: np.ndarray, longitude: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the data of a part of the earth, with land in the other part."""
    step = np.diff(longitude).min()
    more = round((longitude[0] + 360 - longitude[-1]) / step) - 1
    beyond = longitude[-1] + step * np.arange(1, more + 1)
    land = np.zeros((*water.shape[:-1], more))
    return np.concatenate([water, land], axis=-1), np.append(longitude, beyond)


def _beyond(latitude: np.ndarray, longitude: np.ndarray, east: Any, north: Any) -> str:
    """Returns how corners of cells, `east` and `north`, lie beyond the data; "": they do not."""
    rows, columns = np.abs(np.diff(latitude)).max(), np.diff(longitude).max()
    from_west = (np.asarray(east) - longitude[0] + columns) % 360
    outside = from_west > np.ptp(longitude) + 2 * columns
    around = longitudes.goes_around(longitude)
    low, high = latitude.min() - rows, latitude.max() + rows
    north = np.asarray(north)
    if (outside.any() and not around) or (north < low).any() or (north > high).any():
        return (
            f"latitudes {latitude.min():.4g} to {latitude.max():.4g} and longitudes"
            f" {longitude[0]:.4g} to {longitude[-1]:.4g}; the grid goes beyond"
        )
    return ""
