"""Numbers of a sea or of the air whose sensitivity is asked for: linear in the state,

J = sum over fields and cells of w x.

Average("temperature", latitude=(-10, 10), depth=(0, 300))     # [degC]
Average("sea_surface_height", longitude=-70, latitude=42)      # a gauge [m]
Transport(latitude=26.5, longitude=(-82, -12), depth=(0, 1000))    # northward [Sv]
Transport(longitude=-66, latitude=(-72, -54))                      # eastward [Sv]
Average("surface_air_pressure", longitude=(-20, 10), latitude=(45, 60))    # [Pa]
Average("virtual_temperature", latitude=(60, 90), pressure=(4e4, 6e4))     # [K]
Weighted(weights.rename("temperature"))                            # an xarray.DataArray of w
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.base.near import near_or_all
from fathom.grids.hybrid import REFERENCE
from fathom.grids.water import WaterGrid

Weights = Mapping[str, np.ndarray]
Range = tuple[float, float]
averaged = {
    "temperature": "degC",
    "salinity": "1e-3",
    "sea_surface_height": "m",
}
averaged_of_air = {
    "surface_air_pressure": "Pa",
    "air_temperature": "K",
    "virtual_temperature": "K",
    "specific_humidity": "kg kg-1",
    "eastward_wind": "m s-1",
    "northward_wind": "m s-1",
}


class Average(Configurable):
    """The mean of a field over a part of the sea, weighted by volume, or of the air, by mass;
    weighted by area for the height of the sea and the pressure at the ground.

    field : of the sea temperature, salinity or sea_surface_height; of the air surface_air_pressure,
        virtual_temperature (air_temperature where it is dry), specific_humidity, eastward_wind or
        northward_wind.
    longitude, latitude : (from, to) [degrees], or a place: the cell nearest to both, of the sea
        where it is one. On a plane x and y [m].
    depth : (from, to) [m].
    pressure : (from, to) [Pa], of layers over ground at 100000 Pa.
    """

    def __init__(
        self,
        field: str,
        longitude: float | Range = (-180.0, 180.0),
        latitude: float | Range = (-90.0, 90.0),
        depth: Range = (0.0, 1e5),
        pressure: Range = (0.0, 1.1e5),
    ) -> None:
        known = averaged | averaged_of_air
        if field not in known:
            raise InputError(f"no average of field '{field}'{near_or_all(field, known)}")
        self.field, self.depth, self.pressure = field, depth, pressure
        self.longitude, self.latitude = longitude, latitude
        self.units = known[field]  # of the number

    def __repr__(self) -> str:
        where = f"longitude={self.longitude}, latitude={self.latitude}"
        if self.field in averaged:
            return f"Average('{self.field}', {where}, depth={self.depth})"
        if self.field == "surface_air_pressure":
            return f"Average('{self.field}', {where})"
        return f"Average('{self.field}', {where}, pressure={self.pressure})"

    def weights(self, grid: Any) -> Weights:
        """Returns w, (nz, ny, nx), or (1, ny, nx) of what has no levels. InputError: no sea is
        there, or the field is none of this grid.
        """
        sea = isinstance(grid, WaterGrid)
        if (self.field in averaged) != sea:
            has = averaged if sea else averaged_of_air
            raise InputError(f"no average of field '{self.field}'{near_or_all(self.field, has)}")
        return self._of_sea(grid) if sea else self._of_air(grid)

    def _of_air(self, grid: Any) -> Weights:
        """Returns w of air on hybrid levels. InputError: nothing is there."""
        h, levels = grid.horizontal, np.asarray(grid.wet_levels)
        inside = _inside(
            _places(h, "center"), self.longitude, self.latitude, levels > 0, h.spherical
        )
        found = np.where(inside, np.asarray(h.area_center), 0.0)[None]
        if self.field != "surface_air_pressure":
            between = np.clip(grid.levels.a + grid.levels.b * REFERENCE, *self.pressure)
            found = found * np.diff(between)[:, None, None]
        if not found.sum() > 0:
            raise InputError(f"{self}: no air is there")
        return {self.field: found / found.sum()}

    def _of_sea(self, grid: WaterGrid) -> Weights:
        """Returns w of the sea. InputError: none is there."""
        levels, h = np.asarray(grid.wet_levels), grid.horizontal
        where = _places(h, "center")
        inside = _inside(where, self.longitude, self.latitude, levels > 0, h.spherical)
        area = np.where(inside, np.asarray(h.area_center), 0.0)
        if self.field == "sea_surface_height":
            found = area[None]
        else:
            found = area * _thickness(grid, "center", levels, self.depth)
        if not found.sum() > 0:
            raise InputError(f"{self}: no sea is there")
        return {self.field: found / found.sum()}


class Transport(Configurable):
    """The volume that flows through a section along a row or a column of the grid [Sv].

    latitude : of a section from west to east, through which it flows northward; or (from, to) of
        one from south to north.
    longitude : (from, to) of the first; a number for the second, through which it flows eastward
        [degrees]; on a plane y and x [m].
    depth : (from, to) [m].
    """

    units = "Sv"  # of the number

    def __init__(
        self, latitude: float | Range, longitude: float | Range, depth: Range = (0.0, 1e5)
    ) -> None:
        self.latitude, self.longitude, self.depth = latitude, longitude, depth
        if isinstance(latitude, tuple) == isinstance(longitude, tuple):
            raise InputError(
                f"{self}: one of longitude and latitude is a number, the other (from, to)"
            )

    def __repr__(self) -> str:
        return (
            f"Transport(latitude={self.latitude}, longitude={self.longitude}, depth={self.depth})"
        )

    def weights(self, grid: WaterGrid) -> Weights:
        """Returns w of the velocity across, (nz, ny, nx). InputError: no sea is there; the grid
        does not follow the section.
        """
        eastward = isinstance(self.latitude, tuple)
        h, levels = grid.horizontal, grid.corner_levels
        x, y = _places(h, "corner")
        inside = _inside((x, y), self.longitude, self.latitude, levels > 0, h.spherical, line=True)
        field, width = ("velocity_x", h.dy_corner) if eastward else ("velocity_y", h.dx_corner)
        along = _line(self, x, y, inside, rows=not eastward, sphere=h.spherical)
        found = np.where(along, np.asarray(width), 0.0) * _thickness(
            grid, "corner", levels, self.depth
        )
        if not found.sum() > 0:
            raise InputError(f"{self}: no sea is there")
        return {field: found * 1e-6}


class Weighted(Configurable):
    """A sum with weights of your own: J = sum of w x over fields and cells.

    weights : a DataArray with the name of its field, (level, y, x) or (y, x), or a Dataset of
        several; NaN, as on land, counts as 0. The number has its attribute `units`.
    """

    def __init__(self, weights: xr.DataArray | xr.Dataset) -> None:
        if isinstance(weights, xr.DataArray) and weights.name is None:
            raise InputError(
                "cost: a DataArray of weights needs the name of its field, as"
                " weights.rename('temperature')"
            )
        self.units = str(weights.attrs.get("units", "1"))  # of the number
        self.given = weights.to_dataset() if isinstance(weights, xr.DataArray) else weights

    def __repr__(self) -> str:
        return f"weights of {', '.join(map(str, self.given.data_vars))}"

    def weights(self, grid: WaterGrid) -> Weights:
        """Returns w, (levels, ny, nx)."""
        made = {}
        for name, given in self.given.data_vars.items():
            ordered = given.transpose(..., "y", "x") if {"y", "x"} <= {*given.dims} else given
            values = np.asarray(ordered.values, float)
            whole = values[None] if values.ndim == 2 else values
            made[str(name)] = np.where(np.isnan(whole), 0.0, whole)
        return made


Cost = Average | Transport | Weighted
NAMED: dict[str, Cost] = {
    "overturning": Transport(26.5, (-82.0, -12.0), (0.0, 1000.0)),
    "drake": Transport((-72.0, -53.0), -66.0),
    "heat": Average("temperature", depth=(0.0, 700.0)),
    "pressure": Average("surface_air_pressure", (-20.0, 10.0), (45.0, 60.0)),
}


def cost_of(given: Any, state: Callable[[], xr.Dataset]) -> Any:
    """Returns a cost: by its name or text; of weights, or a function that makes weights from the
    state; or what it is. InputError: it gives none.
    """
    if isinstance(given, str):
        return read(given)
    if callable(given) and not hasattr(given, "weights"):
        given = given(state())
    if isinstance(given, (xr.DataArray, xr.Dataset)):
        return Weighted(given)
    if not hasattr(given, "weights"):
        raise InputError(
            f"cost = {given!r} gives no number of the state; use Average, Transport, a DataArray of"
            " weights, or a function of the state that returns one"
        )
    return given


def read(text: str) -> Cost:
    """Returns a cost by its name, or as it is written in Python. InputError: it is none."""
    if text in NAMED:
        return NAMED[text]
    try:
        call = ast.parse(text.strip(), mode="eval").body
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            made = {"Average": Average, "Transport": Transport}[call.func.id]
            given = {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
            cost: Cost = made(*map(ast.literal_eval, call.args), **given)
            return cost
    except InputError:
        raise
    except (SyntaxError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"cost = {text!r} cannot be read ({error}); as Average('temperature', latitude=(-10,"
            " 10)) or Transport(latitude=26.5, longitude=(-82, -12))"
        ) from error
    raise InputError(f"no cost '{text}'{near_or_all(text, NAMED)}")


def _places(h: Any, where: str) -> tuple[np.ndarray, np.ndarray]:
    """Returns longitude and latitude of centres, or of the corners that have a velocity."""
    x, y = (np.asarray(getattr(h, f"{where}_{name}")) for name in ("longitude", "latitude"))
    return (x, y) if where == "center" else (x[1:, 1:], y[1:, 1:])


def _apart(x: np.ndarray, x0: float, sphere: bool) -> np.ndarray:
    """Returns x - x0; of longitudes in [-180, 180)."""
    return (x - x0 + 180) % 360 - 180 if sphere else x - x0


def _inside(
    places: tuple[np.ndarray, np.ndarray],
    longitude: float | Range,
    latitude: float | Range,
    wet: np.ndarray,
    sphere: bool,
    line: bool = False,
) -> np.ndarray:
    """Returns which points of the sea lie in both ranges; of two numbers the nearest point; line:
    a number says nothing.
    """
    x, y = places
    if not isinstance(longitude, tuple) and not isinstance(latitude, tuple):
        far = np.hypot(
            _apart(x, longitude, sphere) * (np.cos(np.deg2rad(y)) if sphere else 1), y - latitude
        )
        nearest: np.ndarray = np.zeros(wet.shape, bool)
        nearest[np.unravel_index(np.where(wet, far, np.inf).argmin(), wet.shape)] = True
        return nearest
    found = wet.copy()
    if isinstance(longitude, tuple):
        west, east = longitude
        width = (east - west) % 360 if sphere and east - west < 360 else east - west
        found &= ((x - west) % 360 if sphere else x - west) <= width
        found &= True if sphere else x >= west
    elif not line:
        raise InputError("longitude is a number: then latitude is one, too")
    if isinstance(latitude, tuple):
        found &= (y >= latitude[0]) & (y <= latitude[1])
    elif not line:
        raise InputError("latitude is a number: then longitude is one, too")
    return found


def _line(
    given: Transport, x: np.ndarray, y: np.ndarray, inside: np.ndarray, rows: bool, sphere: bool
) -> np.ndarray:
    """Returns the row or the column of points within `inside` that lies nearest to the section.
    InputError: none lies along it.
    """
    at: Any = given.latitude if rows else given.longitude
    far = np.abs(y - at) if rows else np.abs(_apart(x, at, sphere))
    far = np.where(inside, far, np.nan)
    if not inside.any():
        raise InputError(f"{given}: no sea is there")
    axis = 1 if rows else 0
    count = inside.sum(axis)
    with np.errstate(invalid="ignore"):
        mean = np.where(count > 0, np.nansum(far, axis) / np.maximum(count, 1), np.inf)
    best = int(np.argmin(mean))
    along = np.zeros_like(inside)
    if rows:
        along[best] = inside[best]
    else:
        along[:, best] = inside[:, best]
    spacing = (
        np.nanmax(np.abs(np.diff(y, axis=0)))
        if rows
        else np.nanmax(np.abs(_apart(np.diff(x, axis=1), 0.0, sphere)))
    )
    if np.nanmax(np.where(along, far, np.nan)) > 1.5 * spacing:
        what = "rows" if rows else "columns"
        raise InputError(f"{given}: the {what} of this grid do not follow that section")
    return along


def _thickness(grid: WaterGrid, where: str, levels: np.ndarray, depth: Range) -> np.ndarray:
    """Returns the part of each cell within a range of depth [m], (nz, ny, nx); 0 in the ground."""
    top, made = 0.0, []
    for k, layer in enumerate(np.asarray(grid.vertical.thickness)):
        cell = grid.thickness(k, where)
        within = np.clip(np.minimum(top + cell, depth[1]) - max(top, depth[0]), 0, None)
        made.append(np.where(levels > k, within, 0.0))
        top += layer
    return np.stack(made)
