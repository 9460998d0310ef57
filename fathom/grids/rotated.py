"""An area of the sphere between parallels and meridians of another pole, with air above it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from types import SimpleNamespace
from typing import Any, Self

import numpy as np

from fathom.base import earth
from fathom.base.failure import InputError
from fathom.grids.arguments import choice, core, length_of, room_for, span
from fathom.grids.columns import on_sphere
from fathom.grids.levels import HeightLevels
from fathom.grids.limited_area import LimitedAreaGrid, _least, _place, _points, _points_of
from fathom.grids.regrid import places
from fathom.grids.regrid.projections import kinds
from fathom.grids.regrid.rows import Scattered
from fathom.grids.zones import zone_of

#: Areas of the Unified Model by name: the arguments of RotatedGrid.
areas = {
    "europe": {"centre": (8.0, 50.0), "resolution": 20e3, "points": (300, 240)},
    "uk": {"centre": (-3.0, 55.0), "resolution": 12e3, "points": (146, 182)},
    "north-atlantic": {"centre": (-10.0, 50.0), "resolution": 12e3, "points": (720, 432)},
    "uk-4km": {"centre": (-2.5, 54.5), "resolution": 4e3, "points": (288, 360)},
}
faces = (
    "dx_east_face",
    "dy_north_face",
    "length_east_face",
    "length_north_face",
    "dx_corner",
    "dy_corner",
)


class RotatedGrid(LimitedAreaGrid):
    """Cells between meridians and parallels of even spacing about another pole, whose
    equator goes through the middle of the area, with levels of height.

    Parameters
    ----------
    area : "europe" (20 km), "uk" (12 km), "north-atlantic" (12 km, with Europe) or "uk-4km":
        centre, resolution and points, unless given.
    centre : (longitude, latitude) [degrees].
    resolution : float [m]. Between columns and rows, on the equator of the grid.
    points : (along x, along y).
    extent : (width, length) [m], at least, instead of points.
    coupling : int. Points of the zone along each edge in which the air is relaxed to an outer
        model; the outermost `rim` of them have its state.
    rim : int. At least as many points as the air crosses in a step.
    levels : HeightLevels.
    radius : float [m].
    """

    staggering = "C"
    levels_of = (HeightLevels,)
    level_coordinate = "height"
    slice = False

    def __init__(
        self,
        area: str | None = None,
        *,
        centre: Sequence[float] | None = None,
        resolution: float | None = None,
        points: Sequence[int] | None = None,
        extent: Sequence[float] | None = None,
        coupling: int = 8,
        rim: int = 2,
        levels: HeightLevels | None = None,
        radius: float = earth.RADIUS,
    ) -> None:
        usual: Any = {} if area is None else areas[choice("area", area, list(areas))]
        if extent is not None:
            usual = usual | {"points": None}
        middle, spacing, counts = (
            usual.get(name) if value is None else value
            for name, value in (("centre", centre), ("resolution", resolution), ("points", points))
        )
        if middle is None or spacing is None or (counts is None) == (extent is None):
            raise InputError(
                "RotatedGrid needs an area, or centre = [longitude, latitude], resolution [m], and"
                " one of points = [along x, along y] and extent = [width, length] [m]"
            )
        self.centre, self.radius = _place(middle), length_of("radius", radius)
        self.spacing = length_of("resolution", spacing)
        self.coupling, self.rim = coupling, rim
        self.levels = self._levels(levels)
        self.points = _points(counts) if extent is None else _points_of(extent, self.spacing)
        self.size, self.extension = self.points, (0, 0)
        room_for(*self.points)
        self._check_zones()
        longitude, latitude = self.centre
        self.projection = kinds["rotated"](longitude, latitude, self.radius)
        self.dx = self.dy = float(np.rad2deg(self.spacing / self.radius))  # [degrees]
        self._check_width()

    def _check_zones(self) -> None:
        if _least("rim", self.rim, 1) >= _least("coupling", self.coupling, 2):
            raise InputError(f"rim = {self.rim} must be less than coupling = {self.coupling}")
        super()._check_zones()

    def _check_width(self) -> None:
        if max(self.points) * self.dx > 120:
            raise InputError(
                f"an area of {self.points[0] * self.dx:.0f}° × {self.points[1] * self.dy:.0f}° is"
                " wider than 120°: take a LatitudeLongitudeGrid with staggering = 'C'"
            )

    @property
    def area(self) -> Self:
        """Returns itself: the same interface as of areas with an extension."""
        return self

    @property
    def south(self) -> float:
        """Returns where the first row begins, about the pole of the grid [degrees]."""
        return float(np.rad2deg(self._axes("corner")[1][0] / self.radius))

    @cached_property
    def horizontal(self) -> SimpleNamespace:
        """Returns coordinates on earth of centres and corners [degrees]; lengths and areas about
        the pole of the grid. Its index space is closed along x, where the rim has values of the
        outer model.
        """
        x, y = (np.rad2deg(a / self.radius) for a in self._axes("corner"))
        own = core().latitude_longitude_grid(
            self.points[0], y.tolist(), float(x[0]), float(x[-1]), True, self.radius
        )
        center = self.projection.to_earth(*np.meshgrid(*self._axes()))
        corner = self.projection.to_earth(*np.meshgrid(*self._axes("corner")))
        metrics = {name: np.array(getattr(own, name)) for name in faces}
        area = np.array(own.area_center)
        return on_sphere(center, corner, area, self.radius, periodic=True, **metrics)

    def face_coordinates(self, axis: int) -> tuple[np.ndarray, np.ndarray]:
        """Returns places on earth [degrees] of the eastern (axis 2 of a field) or northern (1)
        faces.
        """
        x, y = self._axes()
        half = self.spacing / 2
        return self.projection.to_earth(
            *np.meshgrid(x + half * (axis == 2), y + half * (axis == 1))
        )

    @cached_property
    def scattered(self) -> Scattered:
        """Returns the columns as regridding takes them."""
        longitude, latitude = self.coordinates()
        return Scattered(longitude, latitude, np.ones(self.points[::-1], bool))

    @cached_property
    def computed(self) -> np.ndarray:
        """Returns where the equations are solved, (ny, nx): False in the rim."""
        nx, ny = self.points

        def depth(n: Any) -> Any:
            return np.minimum(np.arange(n), n - 1 - np.arange(n)) >= self.rim

        result: np.ndarray = depth(ny)[:, None] & depth(nx)
        return result

    @cached_property
    def zone(self) -> np.ndarray:
        """Returns where a point lies (ny, nx): 0 inside, 1 in the rim, between in the rest of the
        zone.
        """
        nx, ny = self.points
        z, r = np.ones((ny, nx)), self.rim - 1
        z[r : ny - r, r : nx - r] = zone_of((nx - 2 * r, ny - 2 * r), self.coupling - r)
        return np.where(self.computed, z, 1.0)

    def interpolation(
        self, longitude: Any, latitude: Any, where: str = "center"
    ) -> places.Interpolation:
        """Returns the interpolation from its columns to places [degrees]."""
        x, y = self.coordinates(where)
        return places.from_quads(x, y, longitude, latitude, False)

    @property
    def identity(self) -> dict[str, Any]:
        """Returns arrays that say which grid it is, by name."""
        return {
            "interfaces": self.levels.interfaces,
            "decay": np.array(self.levels.decay),
            "middle": self._middle,
            "spacing": np.array(self.spacing),
            "zones": np.array([*self.points, self.coupling, self.rim]),
            "projection": np.frombuffer(repr(self.projection.attributes).encode(), np.uint8),
        }

    @property
    def _mapping_of_levels(self) -> dict[str, np.ndarray]:
        """Returns heights of interfaces, as `mapping` has them."""
        return {"height_interfaces": self.levels.interfaces}

    def describe(self) -> dict[str, str]:
        """Returns label -> text, for the tree."""
        (nx, ny), (x, y) = self.points, self.centre
        km = self.spacing / 1e3
        narrow = km * np.cos(np.deg2rad(self.dy * ny / 2))
        bent = np.rad2deg(self.angle) + 0.0
        return {
            "map": f"{self.projection!r}, east turned {bent.min():.1f}° to {bent.max():.1f}°",
            "area": f"{nx * km:g} × {ny * km:g} km around {abs(x):g}° {'W' if x < 0 else 'E'},"
            f" {abs(y):g}° {'S' if y < 0 else 'N'}",
            "spacing": f"{span([narrow, km], 'km')} along rows, {km:g} km across",
            "zones": f"{self.coupling} points along each edge, {self.rim} of them given",
            "levels": str(self.levels),
            "points": f"{nx * ny:,} columns, {self.wet_cells:,} cells",
        }
