"""Sections through passages of the ocean: lines from land to land, and the cell faces that
represent them on a grid.

A face belongs to a section if its two cells lie on different sides of the line, and its middle
between the ends of the line: a staircase from coast to coast. Flow to the left, seen from the first
place towards the second, is positive.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.model.component import Array

Place = tuple[float, float]  # longitude, latitude [degrees]
Line = tuple[Place, Place]
passages: dict[str, Line] = {  # longitude and latitude of both ends [degrees], on land
    "drake_passage": ((-69.0, -53.0), (-64.0, -70.0)),  # eastward
    "africa_antarctica": ((20.0, -32.0), (20.0, -75.0)),  # eastward
    "australia_antarctica": ((147.0, -40.0), (147.0, -72.0)),  # eastward
    "indonesian_throughflow": ((116.0, -24.0), (112.0, -6.5)),  # out of the Pacific
    "florida_strait": ((-82.5, 26.5), (-77.7, 26.5)),  # northward
    "mozambique_channel": ((34.0, -19.0), (46.5, -19.0)),  # northward
    "bering_strait": ((-173.0, 66.3), (-163.0, 65.5)),  # northward
    "denmark_strait": ((-38.0, 68.5), (-19.0, 65.0)),  # northward
    "iceland_scotland": ((-18.0, 65.0), (-4.5, 57.5)),  # northward
    "fram_strait": ((-24.0, 79.0), (16.0, 79.0)),  # northward
    "gibraltar": ((-5.6, 38.0), (-5.6, 33.5)),  # eastward
}


def sides(longitude: Any, latitude: Any, line: Line) -> tuple[Array, Array]:
    """Returns, for places [degrees], distance to the left of a line, and how far along it, 0 at its
    first end, 1 at its second; NaN far away.
    """
    (x0, y0), (x1, y1) = line
    scale = np.cos(np.deg2rad((y0 + y1) / 2))
    x, y = ((np.asarray(longitude) - x0 + 180) % 360 - 180) * scale, np.asarray(latitude) - y0
    dx, dy = ((x1 - x0 + 180) % 360 - 180) * scale, y1 - y0
    near = np.abs(x) < 90 * scale
    return np.where(near, (dx * y - dy * x) / np.hypot(dx, dy), np.nan), np.where(
        near, (dx * x + dy * y) / (dx * dx + dy * dy), np.nan
    )


def faces(grid: Any, line: Line) -> tuple[Array, Array]:
    """Returns the flow to the left, in parts of what flows through eastern and through northern
    faces, (ny, nx): 1, 0 or -1.
    """
    h = grid.horizontal
    longitude, latitude = np.asarray(h.center_longitude), np.asarray(h.center_latitude)
    left, along = sides(longitude, latitude, line)
    to_east, to_north = (part(left, h) for part in (eastern, northern))
    crossing = []
    for there, neighbour in ((to_east, eastern(along, h)), (to_north, northern(along, h))):
        between = (along + neighbour) / 2
        with np.errstate(invalid="ignore"):
            on = (between > 0) & (between < 1) & (np.abs(left) < 20) & (np.abs(there) < 20)
        crossing.append(np.where(on, ((there > 0).astype(int) - (left > 0).astype(int)), 0))
    return crossing[0], crossing[1]


def corners(grid: Any, line: Line) -> tuple[Array, ...]:
    """Returns the corners whose velocities (u, v) flow through the faces of a section: rows,
    columns, and the lengths [m] a, b with which a layer of thickness h [m] carries h (a u + b v)
    [m3 s-1] to the left: half of what passes a face is from the corner at each of its ends
    (docs/numerics.md, Volume).
    """
    h = grid.horizontal
    nowhere = (np.array([], int),) * 2 + (np.array([]),) * 2
    if not h.spherical:
        return nowhere
    east, north = faces(grid, line)
    above = np.concatenate([east[1:], np.zeros_like(east[:1])])
    a, b = (
        0.5 * (east + above) * np.asarray(h.dy_corner),
        0.5 * (north + eastern(north, h)) * np.asarray(h.dx_corner),
    )
    j, i = np.nonzero(((a != 0) | (b != 0)) & (np.asarray(grid.corner_levels) > 0))
    return j, i, a[j, i], b[j, i]


def eastern(values: Array, h: Any) -> Array:
    """Returns the values of the neighbours in the east; those at a closed edge are their own."""
    there = np.roll(values, -1, axis=-1)
    if not h.periodic:
        there[..., -1] = values[..., -1]
    return there


def northern(values: Array, h: Any) -> Array:
    """Returns those of the faces that are in the north."""
    beyond = values[..., -1:, ::-1] if h.fold else values[..., -1:, :]
    return np.concatenate([values[..., 1:, :], beyond], axis=-2)
