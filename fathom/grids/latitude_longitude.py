"""Spheres between parallels and meridians: with water, velocities on corners; with air, velocities
on faces.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fathom.base import earth
from fathom.base.failure import InputError
from fathom.grids.arguments import choice, core, integer, numbers, pair, room_for, yes_or_no
from fathom.grids.levels import HeightLevels, ZLevels
from fathom.grids.sphere import SphereOfFaces
from fathom.grids.staggered import Staggered, Staggering
from fathom.grids.water import WaterGrid


class LatitudeLongitudeGrid(Staggered):
    """Cells between parallels and meridians: a global strip, a channel, a closed basin, or the
    whole sphere with air above it.

    Parameters
    ----------
    nx, ny : int. Columns and rows. With staggering "C" nx is even, and may be "N216": 2 × 216; ny
        is by default 3/4 of nx, as many as squares at latitude 48 (N48: 96 × 72).
    latitude : (south, north) [degrees], by default (-80, 80) with staggering "B"; (-90, 90) with
        "C", and no other.
    periodic : bool. In longitude; by default where it spans 360 degrees, as it does with "C".
    staggering : "B" or "C" (Arakawa & Lamb 1977), by default that of the levels:
        "B": velocities on corners; ZLevels and a bathymetry, for `Ocean`;
        "C": velocities on faces, v on the poles too; HeightLevels, for `GridPointAtmosphere`. The
        centre of column 0 lies on longitude 0.
    levels : of the kind of the staggering.
    radius : float [m].
    longitude : (west, east) [degrees], with "B", default (0, 360).
    spacing : of the rows, with "B": "uniform" (default), "mercator" (square cells if ny allows),
        "stretched" (by equatorial, width, polar), or the ny + 1 latitudes of corners themselves.
    equatorial, width, polar : shape of stretched rows: spacing at the equator relative to the rest,
        width of the refinement [degrees], least spacing near the poles.
    bathymetry ("flat"), minimum_levels : with "B"; see `WaterGrid`.
    """

    only = dict.fromkeys(
        (
            *("longitude", "spacing", "equatorial", "width", "polar"),
            *("bathymetry", "minimum_levels"),
        ),
        "B",
    )

    def __init__(
        self,
        nx: int | str | None = None,
        ny: int | None = None,
        *,
        longitude: Sequence[float] = (0, 360),
        latitude: Sequence[float] | None = None,
        spacing: str | Sequence[float] | np.ndarray = "uniform",
        equatorial: float = 1 / 3,
        width: float = 10,
        polar: float = 0.2,
        periodic: bool | None = None,
        staggering: Staggering | None = None,
        levels: ZLevels | HeightLevels | None = None,
        bathymetry: Any = "flat",
        minimum_levels: int = 3,
        radius: float = earth.RADIUS,
    ) -> None:
        own = self._own(
            longitude=longitude,
            spacing=spacing,
            equatorial=equatorial,
            width=width,
            polar=polar,
            bathymetry=bathymetry,
            minimum_levels=minimum_levels,
        )
        self._build(nx, ny, latitude, periodic, levels, radius, **own)


class OnCorners(WaterGrid, LatitudeLongitudeGrid, staggering="B"):
    """A part of the sphere with water."""

    def _build(
        self,
        nx: Any,
        ny: int | None,
        latitude: Any,
        periodic: bool | None,
        levels: ZLevels | None,
        radius: float,
        *,
        longitude: Sequence[float],
        spacing: Any,
        bathymetry: Any,
        minimum_levels: int,
        **shape: float,
    ) -> None:
        """Makes the grid of its arguments. InputError: they do not fit."""
        west, east = pair("longitude", longitude, "degrees")
        if isinstance(spacing, str):
            if ny is None:
                raise InputError("ny (the number of rows) is missing")
            self.latitude = pair("latitude", (-80, 80) if latitude is None else latitude, "degrees")
            _, ny = room_for(1 if nx is None else nx, ny)
            rows = _rows(spacing, self.latitude, ny, **shape)
        else:
            rows = numbers("spacing", spacing, "degrees")
            if ny is not None and len(rows) != integer("ny", ny) + 1:
                raise InputError(
                    f"ny = {ny} rows lie between {ny + 1} latitudes; spacing has {len(rows)}"
                )
        if nx is None:
            raise InputError("nx (the number of columns) is missing")
        periodic = (
            abs(east - west - 360) < 1e-9 if periodic is None else yes_or_no("periodic", periodic)
        )
        self._finish(
            lambda: core().latitude_longitude_grid(
                integer("nx", nx), rows, west, east, periodic, radius
            ),
            levels,
            bathymetry,
            minimum_levels,
        )


class OnFaces(SphereOfFaces, LatitudeLongitudeGrid, staggering="C"):
    """The whole sphere with air on levels of height."""


def _rows(
    spacing: str, sides: list[float], ny: int, equatorial: float, width: float, polar: float
) -> Any:
    """Returns the latitudes of corners of rows [degrees], ny + 1."""
    choice("spacing", spacing, ["uniform", "mercator", "stretched"])
    if spacing == "stretched":
        shape = core().MeridionalSpacing(equatorial, width, polar)
        return core().stretched_latitudes(*sides, ny, shape)
    return getattr(core(), f"{spacing}_latitudes")(*sides, ny)
