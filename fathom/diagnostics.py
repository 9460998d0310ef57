"""What can be asked for by name: how output variables and time series follow from the fields of the sequence."""

from dataclasses import dataclass
from typing import Callable

import numpy as np

from fathom import names


@dataclass(frozen=True)
class Diagnostic:
    """`needs`: fields of the sequence; `surface`: only their top layer; `of(ocean, window, *arrays)` gives (levels, ny, nx) of a block.
    Linear ones may be averaged in time from the means of what they need."""

    needs: tuple[str, ...]
    of: Callable
    surface: bool = False
    linear: bool = True


def _same(ocean, window, value):
    return value


def _east(ocean, window, u, v):
    cosine, sine = _turn(ocean, window)
    return u * cosine - v * sine


def _north(ocean, window, u, v):
    cosine, sine = _turn(ocean, window)
    return u * sine + v * cosine


def _turn(ocean, window):
    j0, i0, ny, nx = window
    angle = np.asarray(ocean.grid.horizontal.angle_corner)[j0 : j0 + ny, i0 : i0 + nx]
    return np.cos(angle), np.sin(angle)


def _speed(ocean, window, u, v):
    return np.hypot(u, v)


_velocity = ("velocity_x", "velocity_y")
ocean = {
    "sea_surface_temperature": Diagnostic(("temperature",), _same, surface=True),
    "sea_surface_salinity": Diagnostic(("salinity",), _same, surface=True),
    "eastward_velocity": Diagnostic(_velocity, _east),
    "northward_velocity": Diagnostic(_velocity, _north),
    "speed": Diagnostic(_velocity, _speed, linear=False),
    "surface_eastward_velocity": Diagnostic(_velocity, _east, surface=True),
    "surface_northward_velocity": Diagnostic(_velocity, _north, surface=True),
    "surface_speed": Diagnostic(_velocity, _speed, surface=True, linear=False),
}


def find(name, fields):
    """The diagnostic of that name or output alias; any field of the sequence is one too. ValueError with near names."""
    for long_name, entry in names.ocean.items():
        if name == entry.alias:
            name = long_name
    if name in ocean:
        return name, ocean[name]
    if name in fields:
        return name, Diagnostic((name,), _same)
    raise ValueError(f"no output variable '{name}'{names.near(name, [*ocean, *sorted(fields)])}")


def stream_function(ocean_, u, v):
    """Barotropic stream function at corners [m3 s-1]: d(psi)/dy = -U, U the depth integral of the velocity along i, (nz, ny, nx), global.

    Integrated northward from the southern edge; on a globe the land of the northern middle latitudes is 0, as on most maps.
    """
    h = ocean_.grid.horizontal
    thickness = np.asarray(ocean_.grid.vertical.thickness)[:, None, None]
    transport = np.nansum(np.asarray(u, float) * thickness, axis=0) * np.asarray(h.dy_corner)
    psi = transport / 2 - np.cumsum(transport, axis=0)  # up to the corner itself: half of its own row
    if h.spherical:
        latitude = np.asarray(h.corner_latitude)[1:, 1:]
        continents = (ocean_.corner_levels() == 0) & (latitude > 30) & (latitude < 60)
        if continents.any():
            psi -= np.median(psi[continents])
    return psi


def drake_section(ocean_):
    """(i, j0, j1): the corners of Drake Passage, the column nearest 68 W between 72 S and 53 S; None where the grid has none."""
    h = ocean_.grid.horizontal
    if not h.spherical:
        return None
    lon, lat = np.asarray(h.corner_longitude)[1:, 1:], np.asarray(h.corner_latitude)[1:, 1:]
    passage = (lat < -53) & (lat > -72)
    distance = np.where(passage, np.abs((lon - 292 + 180) % 360 - 180), np.inf).min(axis=0)
    if not np.isfinite(distance).any() or distance.min() > 5:
        return None
    i = int(distance.argmin())
    rows = np.flatnonzero(passage[:, i])
    return i, int(rows[0]), int(rows[-1]) + 1
