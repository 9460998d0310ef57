"""Fields of a store on rows that are reduced, stretched or about another pole, brought to
full Gaussian rows of the earth, as many and as long: by splines that know the poles, winds in
pairs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.grids.regrid.regular import regular
from fathom.grids.regrid.rows import Rows
from fathom.grids.regrid.schmidt import Schmidt, turned
from fathom.output.formats.whole_times import gaussian

if TYPE_CHECKING:
    import xarray as xr


def on_full_rows(data: xr.Dataset) -> xr.Dataset:
    """Returns the same data set, where it lies on latitudes and longitudes already or says nothing
    of its rows.
    """
    if "row_points" in data.attrs:  # one point after another, from the north
        return _brought(data, ("point",), _rows_of(data.attrs))
    if "sphere" not in data or "y" not in data.dims:
        return _stretched(data) if "sphere" in data else data
    ny, nx = (data.sizes[dim] for dim in "yx")
    return _brought(data, ("y", "x"), Rows(gaussian(ny), np.full(ny, nx), _sphere(data)))


def on_earth(data: xr.Dataset, sphere: Schmidt, along_rows: bool) -> xr.Dataset:
    """Returns fields on full Gaussian rows about another pole, (latitude, longitude) there, on as
    many rows of the earth. along_rows: winds are components along the rows, not as on earth.
    """
    data = data.sortby("latitude").sortby("longitude")
    ny, nx = data.sizes["latitude"], data.sizes["longitude"]
    rows = Rows(gaussian(ny), np.full(ny, nx), sphere)
    if along_rows and sphere.rotated:
        angle = sphere.angle(360.0 * np.arange(nx) / nx, rows.latitude[:, None])
        winds = ("eastward_wind", "northward_wind")
        u, v = turned(data[winds[0]].values, data[winds[1]].values, angle)
        data = data.assign({n: (data[n].dims, w) for n, w in zip(winds, (u, v))})
    data = data.drop_vars(["latitude", "longitude"]).rename({"latitude": "y", "longitude": "x"})
    return _brought(data, ("y", "x"), rows)


def _stretched(data: xr.Dataset) -> xr.Dataset:
    """Returns the data without the stretching: latitudes of any spacing are latitudes."""
    return data.drop_vars("sphere")


def _sphere(data: xr.Dataset) -> Schmidt:
    return _schmidt(data["sphere"].attrs)


def _schmidt(said: Mapping[str, Any]) -> Schmidt:
    pole = said["pole_longitude"], said["pole_latitude"]
    return Schmidt(said["stretching_factor"], pole, towards_pole=True)


def _rows_of(said: Mapping[str, Any]) -> Rows:
    latitude, points = (np.asarray(said[f"row_{name}"])[::-1] for name in ("latitude", "points"))
    return Rows(latitude, points, _schmidt(said))


def _brought(data: xr.Dataset, dims: tuple[str, ...], rows: Rows) -> xr.Dataset:
    """Returns variables on `dims`, which are all points of the rows."""
    import xarray

    latitude, longitude = gaussian(rows.shape[0]), 360.0 * np.arange(rows.shape[1]) / rows.shape[1]
    fields: dict[tuple[Any, ...], dict[str, np.ndarray]] = {}  # by the dimensions before
    for name, variable in data.drop_vars(
        ["longitude", "latitude"], errors="ignore"
    ).data_vars.items():
        if variable.dims[-len(dims) :] == dims:
            values = _from_south(np.asarray(variable.values, float), dims, rows)
            fields.setdefault(variable.dims[: -len(dims)], {})[str(name)] = values
    found: dict[str, tuple[Any, ...]] = {}
    for front, some in fields.items():
        made = regular(some, rows, latitude=latitude, longitude=longitude)
        found |= {n: ((*front, "latitude", "longitude"), made[n].values) for n in some}
    kept = {name: held for name, held in data.coords.items() if not set(dims) & set(held.dims)}
    beside = {
        str(name): held for name, held in data.data_vars.items() if not set(dims) & set(held.dims)
    }
    kept = {str(name): held for name, held in kept.items() if name not in ("sphere", *dims)}
    places = {"latitude": latitude, "longitude": longitude}
    return xarray.Dataset({**beside, **found}, {**kept, **places}).drop_vars(
        "sphere", errors="ignore"
    )


def _from_south(values: np.ndarray, dims: tuple[str, ...], rows: Rows) -> np.ndarray:
    """Returns (..., rows, longest row)."""
    if dims != ("point",):
        return values
    parts = np.split(values, np.cumsum(rows.points[::-1])[:-1], axis=-1)
    return rows.unpack(np.concatenate(parts[::-1], -1))
