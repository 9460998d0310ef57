"""Planes: with water, velocities on corners; with air, velocities on faces or on centres."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.grids.arguments import core, integer, numbers, pair, room_for, yes_or_no
from fathom.grids.levels import HeightLevels, HybridLevels, SigmaLevels, ZLevels
from fathom.grids.periodic_plane import PeriodicPlane
from fathom.grids.plane import PlaneOfFaces
from fathom.grids.staggered import Staggered, Staggering
from fathom.grids.water import WaterGrid


class CartesianGrid(Staggered):
    """A plane, for idealised cases. `horizontal` holds x, y [m] instead of longitude, latitude.

    Parameters
    ----------
    nx, ny : int. Columns and rows, evenly spaced over `extent`. With staggering "C" ny = 1 is the
        default: a slice, in which nothing varies along y, and air may move along it.
    extent : (width, length) [m], or the width alone: cells are square then. By default (1e6, 1e6)
        with staggering "B"; the others need it.
    periodic : bool, along x; or (along x, along y). "B": by default (False, False), and never along
        y, where walls are; "C": always along x, by default with walls at both ends of y, which a
        slice has not; "A": always both.
    staggering : "A", "B" or "C" (Arakawa & Lamb 1977), by default that of the levels:
        "B": velocities on corners; ZLevels and a bathymetry, for `Ocean`;
        "C": velocities on faces; HeightLevels, for `GridPointAtmosphere`;
        "A": all on centres; HybridLevels or SigmaLevels, for `LimitedAreaAtmosphere`.
    levels : of the kind of the staggering.
    x, y : list of float [m], with "B". Corner coordinates, nx + 1 and ny + 1, instead of nx, ny and
        extent.
    bathymetry ("flat"), minimum_levels (1) : with "B"; see `WaterGrid`.
    latitude : [degrees], with "A", default 45: of the whole plane, for its Coriolis parameter and
        the sun. The other models have a parameter of their own.
    coupling : int, with "A", default 0. Points along each edge that are relaxed to an outer model.
    """

    only = {
        **dict.fromkeys(("x", "y", "bathymetry", "minimum_levels"), "B"),
        **dict.fromkeys(("latitude", "coupling"), "A"),
    }

    def __init__(
        self,
        nx: int | None = None,
        ny: int | None = None,
        *,
        extent: float | Sequence[float] | None = None,
        periodic: bool | Sequence[bool] | None = None,
        staggering: Staggering | None = None,
        levels: ZLevels | HeightLevels | HybridLevels | SigmaLevels | None = None,
        x: Sequence[float] | np.ndarray | None = None,
        y: Sequence[float] | np.ndarray | None = None,
        bathymetry: Any = "flat",
        minimum_levels: int = 1,
        latitude: float | None = None,
        coupling: int = 0,
    ) -> None:
        own = self._own(
            x=x,
            y=y,
            bathymetry=bathymetry,
            minimum_levels=minimum_levels,
            latitude=latitude,
            coupling=coupling,
        )
        self._build(nx, ny, extent, _both_ways(periodic), levels, **own)


class OnCorners(WaterGrid, CartesianGrid, staggering="B"):
    """A plane of water."""

    def _build(
        self,
        nx: int | None,
        ny: int | None,
        extent: Any,
        periodic: tuple[bool, bool] | None,
        levels: Any,
        *,
        x: Any,
        y: Any,
        bathymetry: Any,
        minimum_levels: int,
    ) -> None:
        """Makes the grid of its arguments. InputError: they do not fit."""
        room_for(*(1 if number is None else number for number in (nx, ny)))
        along_x, along_y = periodic or (False, False)
        if along_y:
            raise InputError(
                "periodic along y: a plane of water has walls in the south and north; it may be"
                " periodic along x"
            )
        lengths = _sides(nx, ny, (1e6, 1e6) if extent is None else extent)
        if x is None or y is None:
            self.extent = lengths
        sides = [
            _corners(name, number, corners, length)
            for name, number, corners, length in zip("xy", (nx, ny), (x, y), lengths, strict=True)
        ]
        self._finish(
            lambda: core().cartesian_grid(*sides, along_x), levels, bathymetry, minimum_levels
        )


class OnFaces(PlaneOfFaces, CartesianGrid, staggering="C"):
    """A plane with air on levels of height."""


class OnCentres(PeriodicPlane, CartesianGrid, staggering="A"):
    """A plane with air on levels of pressure, as transforms want it."""


def _both_ways(given: Any) -> tuple[bool, bool] | None:
    """Returns whether a plane is periodic along x and along y; None: as is usual for it."""
    if given is None:
        return None
    if np.ndim(given) == 0:
        return yes_or_no("periodic", given), False
    if np.shape(given) != (2,):
        raise InputError(f"periodic = {given!r} must be true or false, or both along x and along y")
    along_x, along_y = (yes_or_no("periodic", one) for one in given)
    return along_x, along_y


def _sides(nx: int | None, ny: int | None, extent: Any) -> list[float]:
    """Returns width and length [m]."""
    if np.ndim(extent) == 0 and nx and ny:
        return [extent, extent * ny / nx]
    return pair("extent", extent, "m")


def _corners(name: str, number: int | None, given: Any, length: float) -> list[float]:
    """Returns the coordinates of corners along one side [m]: those given, or of even spacing."""
    if given is not None:
        corners = numbers(name, given, "m")
        if number is not None and len(corners) != number + 1:
            raise InputError(
                f"n{name} = {number} cells lie between {number + 1} corners; {name} has"
                f" {len(corners)}"
            )
        return corners
    if number is None:
        raise InputError(f"n{name} is missing (or the corner coordinates {name})")
    number = integer(f"n{name}", number)
    if number < 1 or not length > 0:
        raise InputError(f"n{name} = {number} cells over {length:g} m: both must be positive")
    return [length * n / number for n in range(number + 1)]
