"""Places of a store that is not on the model's grid: latitudes and longitudes, another grid, or a
section along great circles.

A target has its coordinates, as an argument of `fathom.output.coordinates`, and interpolates fields
to its points by an Interpolation for each place of the model's grid (center, corner), or to its
cells by an Overlap. Its regions need whole rows of the model."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from fathom.base import earth
from fathom.base.failure import InputError
from fathom.grids.regrid.overlap import Overlap

Region = tuple[int, int, int, int]  # first and end row, first and end column


@dataclass
class Target:
    """Points (rows, columns) at `longitude`, `latitude`, (columns) and (rows) of a regular grid or
    both (rows, columns); `mapping`: all that is stored of them.
    """

    longitude: np.ndarray
    latitude: np.ndarray
    mapping: dict[str, Any]
    interpolations: dict[str, Any] = field(
        default_factory=dict[str, Any]
    )  # of each place of the model's grid
    turns: dict[str, Any] = field(
        default_factory=dict[str, Any], kw_only=True
    )  # of winds, the same
    conservative: bool = field(default=False, kw_only=True)  # means over cells; else interpolated

    between: ClassVar[bool] = True  # its points lie between those of the grid

    @property
    def shape(self) -> tuple[int, int]:
        """Returns the number of rows and columns."""
        return (
            self.longitude.shape
            if self.longitude.ndim == 2
            else (self.latitude.size, self.longitude.size)
        )

    def places(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns longitude and latitude of all points, (rows, columns)."""
        return (
            (self.longitude, self.latitude)
            if self.longitude.ndim == 2
            else np.meshgrid(self.longitude, self.latitude)
        )

    def find(self, grid: Any, horizontal: str) -> None:
        """Finds its interpolation from a place of the model's grid, or its overlap."""
        if horizontal not in self.interpolations:
            self.interpolations[horizontal] = (
                Overlap.of(grid, self.mapping)
                if self.conservative
                else grid.interpolation(*self.places(), horizontal)
            )

    def covered(self, grid: Any) -> np.ndarray:
        """Returns the part of each cell that lies in cells of the model: (levels, rows,
        columns)."""
        self.find(grid, "center")
        levels = np.arange(grid.shape[0] if "wet_levels" in grid.mapping() else 1)
        there = np.asarray(grid.wet_levels) > levels[:, None, None]
        part = self.interpolations["center"].part(there, np.asarray(self.mapping["area"]))
        result: np.ndarray = part.reshape(len(levels), *self.shape)
        return result

    def find_turn(self, grid: Any, horizontal: str) -> None:
        """Finds how winds as on earth turn between the grid's points and its own."""
        found = self.interpolations[horizontal]
        self.turns[horizontal] = found.turn(grid.coordinates(horizontal), self.places())

    def wind(
        self, horizontal: str, region: Region, u: np.ndarray, v: np.ndarray, first_row: int
    ) -> list[np.ndarray]:
        """Returns both components of a region, as `bring` gives it, of those of the model."""
        found, turn = self.interpolations[horizontal], self.turns[horizontal]
        j0, j1, i0, i1 = region
        shape = len(u), j1 - j0, i1 - i0
        both = turn.wind(found, u, v, first_row, self._points(region))
        return [part.reshape(shape) for part in both]

    def rows(self, horizontal: str, region: Region) -> tuple[int, int]:
        """Returns first and end row of the model's grid that a region (j0, j1, i0, i1) needs."""
        result: tuple[int, int] = self.interpolations[horizontal].rows(self._points(region))
        return result

    def bring(
        self, horizontal: str, region: Region, values: np.ndarray, first_row: int
    ) -> np.ndarray:
        """Returns (levels, rows, columns) of a region from values (levels, rows, points) of the
        model from first_row on.
        """
        j0, j1, i0, i1 = region
        result: np.ndarray = self.interpolations[horizontal](
            values, first_row, self._points(region)
        ).reshape(len(values), j1 - j0, i1 - i0)
        return result

    def _points(self, region: Region) -> np.ndarray:
        j0, j1, i0, i1 = region
        return np.add.outer(np.arange(j0, j1) * self.shape[1], np.arange(i0, i1)).ravel()


def regular(step: float) -> Target:
    """Returns cells of `step` degrees around the globe, none centred on a pole."""
    ny, nx = (round(turn / step) if 0 < step <= 30 else 0 for turn in (180, 360))
    if not ny or abs(ny * step - 180) > 1e-6:
        raise InputError(
            f"latlon_resolution = {step:g} degrees does not divide a meridian; allowed: 1, 0.5,"
            " 0.25 and the like, at most 30"
        )
    latitude, longitude = np.linspace(-90, 90, ny + 1), np.linspace(0, 360, nx + 1)
    middle = [0.5 * (edges[1:] + edges[:-1]) for edges in (longitude, latitude)]
    area = (
        earth.RADIUS**2
        * np.radians(step)
        * np.diff(np.sin(np.radians(latitude)))[:, None]
        * np.ones(nx)
    )
    x, y = middle
    return Target(
        x,
        y,
        {
            "longitude": x,
            "latitude": y,
            "corner_longitude": longitude,
            "corner_latitude": latitude,
            "area": area,
        },
    )


vertical = ("depth", "thickness", "hybrid_a", "hybrid_b", "height_interfaces")
of_own_ground = ("wet_levels", "bottom_thickness", "land_fraction", "finest")


def of_grid(grid: Any) -> Target:
    """Returns the points of another grid of the earth, on the levels of the model. ValueError: no
    grid, or none of the earth.
    """
    if not hasattr(grid, "mapping") or "longitude" not in (mapping := grid.mapping()):
        raise InputError(
            f"grid = {grid!r}: a grid with longitudes and latitudes is wanted, as GaussianGrid(42)"
        )
    mapping = {
        name: value for name, value in mapping.items() if name not in (*vertical, *of_own_ground)
    }
    return Target(np.asarray(mapping["longitude"]), np.asarray(mapping["latitude"]), mapping)


def moorings(places: Any) -> Target:
    """Returns columns at {name: (longitude, latitude)} [degrees], or at a list of such pairs, which
    are called m1, m2, ...
    """
    named = (
        dict(places)
        if hasattr(places, "items")
        else {
            f"m{n}": place
            for n, place in enumerate(
                np.atleast_1d(places) if np.ndim(places) == 2 else [places], 1
            )
        }
    )
    try:
        longitude, latitude = np.array(list(named.values()), float).T
    except ValueError:
        longitude = latitude = np.empty(0)
    if (
        not longitude.size
        or not np.isfinite(longitude + latitude).all()
        or np.abs(latitude).max() > 90
    ):
        raise InputError(
            f"moorings = {places}: give name = [longitude, latitude] in degrees, or a list of such"
            " pairs"
        )
    return Target(
        longitude[None],
        latitude[None],
        {"longitude": longitude, "latitude": latitude, "station": list(named)},
    )


def section(places: Any, step: float = 0.25) -> Target:
    """Returns a section along great circles through `places`, (longitude, latitude) pairs
    [degrees], a point at least every `step` degrees.
    """
    try:
        longitude, latitude = np.asarray(places, float).T
    except ValueError:
        longitude = latitude = np.empty(0)
    if (
        longitude.size < 2
        or not np.isfinite(longitude + latitude).all()
        or np.abs(latitude).max() > 90
    ):
        raise InputError(
            f"section = {places}: give two or more [longitude, latitude] pairs in degrees"
        )
    corners = earth.unit_vectors(longitude, latitude)
    points = [corners[:1]]
    for a, b in itertools.pairwise(corners):
        angle = np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b)
        if angle < 1e-9 or angle > np.pi - 1e-6:
            raise InputError(
                f"section = {places}: two successive places are the same, or opposite each other"
                " on earth"
            )
        t = np.linspace(0, 1, max(2, int(np.ceil(np.degrees(angle) / step)) + 1))[1:, None]
        points.append((np.sin((1 - t) * angle) * a + np.sin(t * angle) * b) / np.sin(angle))
    unit = np.concatenate(points)
    longitude, latitude = earth.places(unit)
    along = np.linalg.norm(np.cross(unit[1:], unit[:-1]), axis=1)
    distance = earth.RADIUS * np.concatenate(
        [[0.0], np.cumsum(np.arctan2(along, (unit[1:] * unit[:-1]).sum(1)))]
    )
    longitude, latitude = longitude[None], latitude[None]
    return Target(
        longitude,
        latitude,
        {"longitude": longitude, "latitude": latitude, "distance": distance[None]},
    )
