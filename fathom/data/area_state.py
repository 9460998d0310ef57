"""States of the atmosphere over a part of the earth, in files of Fathom or of others: an
xarray.Dataset of

    (time, level | pressure [Pa], y, x)   fields by their names here, wind as on earth
    longitude, latitude (y, x)            of the points, west to east along the map, from its south
    projection                            its attributes: the CF grid mapping of the points
    ap [Pa], b (interface)                of hybrid levels

The points are those of one map (fathom/grids/regrid/projections.py), evenly spaced, as far along x
as along y: a conformal one, or latitudes and longitudes, also about another pole. Their places say
where they are on it, so that no file need agree on where x and y begin. A box of latitudes and
longitudes is such an area: it does not go around the earth.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fathom.base import earth, longitudes
from fathom.base.failure import InputError
from fathom.data.input import states
from fathom.grids.hybrid import REFERENCE
from fathom.grids.regrid import projections
from fathom.grids.regrid.projections import Projection, RotatedLatitudeLongitude

if TYPE_CHECKING:
    import xarray as xr

UNEVEN = 0.01  # of the spacing: places in files have few digits
winds = ("eastward_wind", "northward_wind")


class Points(NamedTuple):
    """The points of an area: its map, x and y [m] of the first one, metres between them, (along x,
    along y).
    """

    projection: Projection
    first: tuple[float, float]
    spacing: float
    number: tuple[int, int]

    @property
    def centre(self) -> tuple[float, float]:
        """Returns longitude and latitude [degrees] of the middle."""
        x, y = (
            start + 0.5 * self.spacing * (n - 1)
            for start, n in zip(self.first, self.number, strict=True)
        )
        longitude, latitude = self.projection.to_earth(x, y)
        return float(longitude), float(latitude)


def is_area(data: Any) -> bool:
    """Returns whether a data set is the state of an area, as it is made here."""
    return hasattr(data, "data_vars") and "projection" in data and "longitude" in data.coords


def around(longitude: np.ndarray) -> bool:
    """Returns whether columns of longitude [degrees] go once around the earth."""
    if longitude.size < 2:
        return True  # no area either: the readers of it raise the error
    return longitudes.eastward(longitude).around


def box(data: xr.Dataset) -> xr.Dataset:
    """Returns a state on latitudes and longitudes that do not go around the earth, as an area."""
    longitude = np.rad2deg(np.unwrap(np.deg2rad(data.longitude.values.astype(float))))
    data = data.assign_coords(longitude=longitude).sortby("longitude").sortby("latitude")
    middle = float(longitude.mean())
    plain = RotatedLatitudeLongitude((0.0, 90.0), 180 - middle)  # x = 0 in the middle
    places = np.meshgrid(data.longitude.values, data.latitude.values)
    data = data.drop_vars(["longitude", "latitude"]).rename({"longitude": "x", "latitude": "y"})
    return on_map(data, plain.attributes, *places)


def on_map(
    data: xr.Dataset,
    mapping: Mapping[str, Any],
    longitude: np.ndarray,
    latitude: np.ndarray,
    along_axes: bool = False,
) -> xr.Dataset:
    """Returns a state on (..., y, x) at these places (y, x) [degrees], of a grid mapping.

    along_axes : winds are along x and y of the map.
    """
    places = {
        name: (("y", "x"), np.asarray(values, float))
        for name, values in (("longitude", longitude), ("latitude", latitude))
    }
    data = data.drop_vars([n for n in ("x", "y", "projection", *places) if n in data.variables])
    data = data.assign_coords(places)
    data["projection"] = ((), 0, dict(mapping))
    x, y = _map(data).from_earth(data.longitude.values, data.latitude.values)
    if along_axes:
        data = _turned(data)
    turn = {"x": slice(None, None, -1 if x[0, -1] < x[0, 0] else 1)}
    turn["y"] = slice(None, None, -1 if y[-1, 0] < y[0, 0] else 1)
    data = data.isel(turn)
    points_of(data)  # or an error
    return data


def _map(data: xr.Dataset) -> Projection:
    """Returns the map on the earth of the models; places say where points are."""
    said = data["projection"].attrs
    try:
        return projections.of({**said, "earth_radius": earth.RADIUS})
    except (KeyError, IndexError):
        raise InputError(f"the description of a map is incomplete: {said}") from None


def _turned(data: xr.Dataset) -> xr.Dataset:
    """Returns winds along the axes of the map as on earth."""
    u, v = (data[name].values for name in winds)
    pair = _map(data).on_earth(u, v, data.longitude.values, data.latitude.values)
    return data.assign({n: (data[n].dims, w, data[n].attrs) for n, w in zip(winds, pair)})


def points_of(data: xr.Dataset) -> Points:
    """Returns the points of a state. ValueError: they are not evenly spaced on its map."""
    projection = _map(data)
    x, y = projection.from_earth(data.longitude.values, data.latitude.values)
    if min(x.shape) < 4:
        raise InputError(
            f"an area of {x.shape[1]} × {x.shape[0]} points: four or more along both are needed"
        )
    axes = [np.linspace(v[0], v[-1], v.size) for v in (x.mean(0), y.mean(1))]
    dx, dy = (axis[1] - axis[0] for axis in axes)
    off = max(np.abs(x - axes[0]).max(), np.abs(y - axes[1][:, None]).max())
    if not (off <= UNEVEN * dx and abs(dx - dy) <= UNEVEN * dx):
        raise InputError(
            f"the points of the area are not those of {projection!r}: along x they are {dx:.0f} m"
            f" apart, along y {dy:.0f} m, and up to {off:.0f} m away from even spacing; allowed"
            " is even spacing, equal along x and y, on a sphere"
        )
    first = float(axes[0][0]), float(axes[1][0])
    return Points(projection, first, float((dx + dy) / 2), (x.shape[1], x.shape[0]))


def record_at(data: xr.Dataset, date: Any) -> tuple[xr.Dataset, str]:
    """Returns the state of a date, or the first one where there is none; and its date."""
    if "time" not in data.coords:
        raise InputError("the state has no time: data.assign_coords(time=...) gives it one")
    if "time" not in data.dims:
        return data, _text(data.time.values)
    moments = dates_of(data)
    number = moments.index(str(date)) if str(date) in moments else 0
    return data.isel(time=number), moments[number]


def dates_of(data: xr.Dataset) -> list[str]:
    """Returns the dates of a state as text; none where it has no time."""
    if "time" not in data.variables:
        return []
    return [_text(moment) for moment in np.atleast_1d(data.time.values)]


def field(data: xr.Dataset, name: str, size: tuple[int, int]) -> np.ndarray:
    """Returns a field of one time, (levels, *size), 0 beyond its points; log_pressure_ratio: ln of
    the surface pressure over 1000 hPa. ValueError: no number somewhere.
    """
    if name == "log_pressure_ratio":
        if "log_surface_pressure" in data:
            values = data["log_surface_pressure"].values - np.log(REFERENCE)
        else:
            values = np.log(data["surface_air_pressure"].values / REFERENCE)
    else:
        values = data[name].values
    values = np.asarray(values, float)
    values = values if values.ndim == 3 else values[None]
    if not np.isfinite(values).all():
        lacking = np.count_nonzero(~np.isfinite(values).all(0))
        raise InputError(
            f"{name} has no number at {lacking} of {values[0].size} points of the area: a start"
            " needs all of them"
        )
    states.check_field("the state", name, values)
    more = [(0, N - n) for N, n in zip(size, values.shape[-2:])]
    return np.pad(values, [(0, 0), *more])


def _text(moment: Any) -> str:
    """Returns a date as text: 2011-10-11 00:00:00."""
    if isinstance(moment, np.ndarray):
        moment = moment[()]
    if isinstance(moment, np.datetime64):
        return str(moment.astype("datetime64[s]")).replace("T", " ")
    return str(moment)


def same_places(data: xr.Dataset, longitude: np.ndarray, latitude: np.ndarray) -> bool:
    """Returns whether its points are those of a grid (y, x), as far as a file says."""
    if data.longitude.shape != longitude.shape:
        return False
    spacing = points_of(data).spacing
    projection = _map(data)
    there = projection.from_earth(data.longitude.values, data.latitude.values)
    here = projection.from_earth(longitude, latitude)
    return all(np.abs(a - b).max() < UNEVEN * spacing for a, b in zip(there, here))
