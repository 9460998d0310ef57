"""A limited area on a plane map of the sphere, with what bi-Fourier transforms need around it.

    |<------------- inside: C + I ------------->|<-- E -->|
    |  I  |              C                |  I  |         |      along y alike

C is forecast, I (coupling) is relaxed to the outer model, E (extension) makes fields periodic and
has no place on earth.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from fathom.base import earth
from fathom.base.failure import InputError
from fathom.grids.arguments import (
    choice,
    integer,
    length_of,
    pair,
    room_for,
    span,
)
from fathom.grids.columns import on_sphere, whole_levels
from fathom.grids.grid import Grid
from fathom.grids.levels import HybridLevels, SigmaLevels
from fathom.grids.regrid.projections import Projection, fitting, kinds, wrapped
from fathom.grids.zones import zone_of

if TYPE_CHECKING:
    from fathom.grids.transform import BiFourier


class LimitedAreaGrid(Grid):
    """Points of even spacing on a plane map, around a place.

    Parameters
    ----------
    centre : (longitude, latitude) [degrees]. Of C + I.
    resolution : float [m]. Between points on the map.
    points : (along x, along y), of C + I.
    extent : (width, length) [m], instead of points: C + I has at least this, and all that the
        whole has room for next to E.
    projection : "auto" (default: by the latitude of the centre), "lambert", "polar stereographic",
        "mercator", "rotated", with map factor 1 at the centre; or one of
        fathom.grids.regrid.projections.
    coupling : int. Points of I along each edge.
    extension : int, or two. Points of E along x and y, at least: the whole has 2^a 3^b 5^c points.
    levels : HybridLevels or SigmaLevels; by default one layer.
    radius : float [m].

    The columns of the grid are those of C + I. `size` is the whole, (along x, along y) as `points`.
    """

    levels_of: ClassVar[tuple[type, ...]] = (HybridLevels, SigmaLevels)
    level_coordinate = "pressure"

    def __init__(
        self,
        centre: Sequence[float] | None = None,
        *,
        resolution: float | None = None,
        points: Sequence[int] | None = None,
        extent: Sequence[float] | None = None,
        projection: str | Projection = "auto",
        coupling: int = 8,
        extension: int | Sequence[int] = 11,
        levels: HybridLevels | SigmaLevels | None = None,
        radius: float = earth.RADIUS,
    ) -> None:
        if centre is None or resolution is None or (points is None) == (extent is None):
            raise InputError(
                "LimitedAreaGrid needs centre = [longitude, latitude], resolution [m], and one of"
                " points = [along x, along y] and extent = [width, length] [m]"
            )
        self.centre, self.radius = _place(centre), length_of("radius", radius)
        self.spacing = length_of("resolution", resolution)
        self.coupling = _least("coupling", coupling, 0)
        extended = _extension(extension)
        self.levels = self._levels(levels, SigmaLevels(1))
        asked = _points(points) if extent is None else _points_of(extent, self.spacing)
        room_for(*(n + more for n, more in zip(asked, extended)))
        self.size = good_size(asked[0] + extended[0]), good_size(asked[1] + extended[1])
        if extent is not None:
            asked = self.size[0] - extended[0], self.size[1] - extended[1]
        self.points = asked
        self.extension = self.size[0] - asked[0], self.size[1] - asked[1]
        self._check_zones()
        self.projection = self._projection(projection)
        self._check_on_earth()

    def _check_zones(self) -> None:
        if min(self.points) <= 2 * self.coupling:
            raise InputError(
                f"{self.points[0]} × {self.points[1]} points leave nothing between coupling zones"
                f" of {self.coupling} on both sides: more points, or coupling below"
                f" {(min(self.points) + 1) // 2}"
            )

    def _projection(self, given: str | Projection) -> Projection:
        if isinstance(given, Projection):
            if given.radius != self.radius:
                raise InputError(
                    f"the projection has a radius of {given.radius:g} m, the grid {self.radius:g} m"
                )
            return given
        name = choice("projection", given, ["auto", *kinds])
        longitude, latitude = self.centre
        kind = kinds[fitting(latitude) if name == "auto" else name]
        return kind(longitude, latitude, self.radius)

    def _check_on_earth(self) -> None:
        """Raises ValueError where the edge of C + I leaves the map."""
        middle = self._middle
        if not np.isfinite(middle).all() or np.abs(middle).max() > 1e3 * self.radius:
            raise InputError(f"{self.projection!r} has no place for the centre {self.centre}")
        x, y = self._axes("corner")
        edge = np.array(
            [*((a, b) for a in x for b in y[[0, -1]]), *((a, b) for a in x[[0, -1]] for b in y)]
        )
        off = ~self.projection.contains(*edge.T)
        if off.any():
            width, length = (1e-3 * n * self.spacing for n in self.points)
            at = 1e-3 * (edge[np.argmax(off)] - middle)
            raise InputError(
                f"an area of {width:g} × {length:g} km around {self.centre} leaves the map of"
                f" {self.projection!r}, first {at[0]:.0f} km along x and {at[1]:.0f} km along y"
                " from the centre: a smaller area, or another projection"
            )

    # ---- points ----------------------------------------------------------------------------------

    @cached_property
    def _middle(self) -> np.ndarray:
        """Returns x and y of the centre."""
        return np.array(self.projection.from_earth(*self.centre))

    def _axes(self, where: str = "center", beyond: Sequence[int] = (0, 0)) -> list[np.ndarray]:
        """Returns x (nx) and y (ny) of points, or of the edges between them (one more), and of some
        more beyond both ends [m].
        """
        numbers = [n + 2 * b + (where == "corner") for n, b in zip(self.points, beyond)]
        return [
            middle + self.spacing * (np.arange(n) - 0.5 * (n - 1))
            for middle, n in zip(self._middle, numbers)
        ]

    def around(self, zone: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Returns (longitude, latitude) [degrees] of C + I and of as many points beyond each edge
        as `windowed` needs: those of E, and `zone` more.
        """
        x, y = np.meshgrid(*self._axes(beyond=[E + zone for E in self.extension]))
        if not self.projection.contains(x, y).all():
            raise InputError(
                f"the map of {self.projection!r} ends within {max(self.extension) + zone} points of"
                " the area: fields for windows have no place there; make it periodic by splines"
            )
        return self.projection.to_earth(x, y)

    @cached_property
    def horizontal(self) -> SimpleNamespace:
        """Returns coordinates of centres and corners [degrees], areas [m2], of C + I."""
        center = self.projection.to_earth(*np.meshgrid(*self._axes()))
        corner = self.projection.to_earth(*np.meshgrid(*self._axes("corner")))
        m_x, m_y = self.projection.map_factors(*center)
        return on_sphere(center, corner, self.spacing**2 / (m_x * m_y), self.radius)

    @property
    def areas(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns areas around centres and around corners, (ny, nx) [m2]: those of cells."""
        return self.horizontal.area_center, self.horizontal.area_center

    @cached_property
    def wet_levels(self) -> np.ndarray:
        """Returns levels of each column (ny, nx), int32: all."""
        return whole_levels(*self.points, self.levels.nz)

    @property
    def corner_levels(self) -> np.ndarray:
        """Returns levels of each corner (ny, nx), int32: those of columns."""
        return self.wet_levels

    @property
    def map_factors(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns m along x and along y, each (ny, nx)."""
        return self.projection.map_factors(*self.coordinates())

    @property
    def angle(self) -> np.ndarray:
        """Returns the angle from east to the axis of x, counter-clockwise [radians], (ny, nx)."""
        return self.projection.angle(*self.coordinates())

    @property
    def coriolis(self) -> np.ndarray:
        """Returns 2 Omega sin(latitude) [s-1], (ny, nx)."""
        return self.projection.coriolis(self.coordinates()[1])

    def along_axes(
        self, eastward: np.ndarray, northward: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns wind (..., ny, nx) on earth along x and y."""
        return self.projection.along_axes(eastward, northward, *self.coordinates())

    def on_earth(self, u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns wind (..., ny, nx) along x and y, eastward and northward: the inverse."""
        return self.projection.on_earth(u, v, *self.coordinates())

    @cached_property
    def zone(self) -> np.ndarray:
        """Returns where a point of C + I lies (ny, nx): 0 in C, 1 on the edge of the area, between
        in I.
        """
        return zone_of(self.points, self.coupling)

    # ---- the whole -------------------------------------------------------------------------------

    def periodic(self, field: np.ndarray, smooth: bool = True) -> np.ndarray:
        """Returns (..., ny, nx) on C + I made the whole, (..., rows, points) of `size`, by
        splines."""
        from fathom.grids.transform.periodic import by_splines  # loads the core

        return by_splines(self._on_area(field), self.size, smooth)

    def windowed(self, field: np.ndarray, zone: int = 0, sharpness: float = 2.0) -> np.ndarray:
        """Returns a field at the places of `around(zone)`, made periodic by windows over E and
        `zone` points on each side of it.
        """
        from fathom.grids.transform.periodic import by_windows  # loads the core

        return by_windows(field, self.points, self.size, zone, sharpness)

    def inside(self, field: np.ndarray) -> np.ndarray:
        """Returns C + I (..., ny, nx) of a field on the whole."""
        return field[..., : self.points[1], : self.points[0]]

    def bi_fourier(self, **more: Any) -> BiFourier:
        """Transforms of the whole in this process: see `fathom.grids.transform.BiFourier`."""
        from fathom.grids.transform import BiFourier  # loads the core

        return BiFourier(self.size, self.spacing, **more)

    def _on_area(self, field: np.ndarray) -> np.ndarray:
        field = np.asarray(field)
        if field.shape[-2:] != self.points[::-1]:
            raise InputError(
                f"field has shape {field.shape}; C + I needs (..., {self.points[1]},"
                f" {self.points[0]})"
            )
        return field

    # ---- what output, restarts and the tree take -------------------------------------------------

    @property
    def identity(self) -> dict[str, Any]:
        """Returns arrays that say which grid it is, by name."""
        return {
            "middle": self._middle,
            "spacing": np.array(self.spacing),
            "zones": np.array([*self.points, *self.size, self.coupling]),
            "projection": np.frombuffer(repr(self.projection.attributes).encode(), np.uint8),
            "a": self.levels.a,
            "b": self.levels.b,
        }

    def mapping(self) -> dict[str, Any]:
        """Returns coordinates of points and corners, levels, area: what output and pictures
        take."""
        h = self.horizontal
        return {
            "longitude": h.center_longitude,
            "latitude": h.center_latitude,
            "corner_longitude": h.corner_longitude,
            "corner_latitude": h.corner_latitude,
            "area": h.area_center,
            "projection": self.projection,
            **self._mapping_of_levels,
        }

    @property
    def _mapping_of_levels(self) -> dict[str, np.ndarray]:
        """Returns the levels as `mapping` has them."""
        return {"hybrid_a": self.levels.a, "hybrid_b": self.levels.b}

    def describe(self) -> dict[str, str]:
        """Returns label -> text, for the tree."""
        (nx, ny), (NX, NY), (ex, ey) = self.points, self.size, self.extension
        (x, y), c = self.centre, self.coupling
        m = np.stack(self.map_factors)
        bent = np.rad2deg(self.angle) + 0.0
        return {
            "map": f"{self.projection!r}, m {m.min():.4f}–{m.max():.4f}, east turned"
            f" {bent.min():.1f}° to {bent.max():.1f}°",
            "area": (
                f"{nx * self.spacing / 1e3:g} × {ny * self.spacing / 1e3:g} km around {abs(x):g}°"
                f" {'W' if x < 0 else 'E'}, {abs(y):g}° {'S' if y < 0 else 'N'}"
            ),
            "spacing": f"{self.spacing / 1e3:g} km on the map, on earth"
            f" {span(self.spacing / 1e3 / m, 'km')}",
            "zones": f"{nx - 2 * c} × {ny - 2 * c} central, {c} coupling along each edge,"
            f" {ex} × {ey} extension",
            "whole": (
                f"{NX} × {NY}, waves of {(NX - 1) // 2} × {(NY - 1) // 2} (linear),"
                f" {(NX - 1) // 3} × {(NY - 1) // 3} (quadratic)"
            ),
            "levels": str(self.levels),
            "points": f"{nx * ny:,} columns, {self.wet_cells:,} cells; {NX * NY:,} points in"
            " transforms",
        }


def good_size(least: int) -> int:
    """Returns the least 2^a 3^b 5^c that is at least this."""
    size = max(int(least), 1)
    while _rest(size) > 1:
        size += 1
    return size


def _rest(number: int) -> int:
    for prime in (2, 3, 5):
        while number % prime == 0:
            number //= prime
    return number


def _place(given: Any) -> tuple[float, float]:
    longitude, latitude = pair("centre", given, "degrees")
    if abs(latitude) > 90:
        raise InputError(f"centre = {given!r}: its latitude must lie within [-90, 90] degrees")
    return float(wrapped(longitude)), latitude


def _least(name: str, given: Any, least: int) -> int:
    value = integer(name, given)
    if value < least:
        raise InputError(f"{name} = {given} must be at least {least}")
    return value


def _extension(given: Any) -> tuple[int, int]:
    """Returns the points of the extension along x and along y."""
    two = given if np.shape(given) == (2,) else (given, given)
    along_x, along_y = (_least("extension", number, 1) for number in two)
    return along_x, along_y


def _points(given: Any) -> tuple[int, int]:
    if isinstance(given, str) or np.shape(given) != (2,):
        raise InputError(f"points = {given!r} must be two whole numbers")
    return _least("points", given[0], 4), _least("points", given[1], 4)


def _points_of(extent: Any, spacing: float) -> tuple[int, int]:
    width, length = (length_of("extent", side) for side in pair("extent", extent, "m"))
    return max(4, int(np.ceil(width / spacing - 1e-9))), max(
        4, int(np.ceil(length / spacing - 1e-9))
    )
