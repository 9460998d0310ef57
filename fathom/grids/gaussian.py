"""Gaussian grids: rows at the zeros of a Legendre polynomial, for spherical harmonics; full, or
reduced towards the poles.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import earth
from fathom.base.failure import InputError
from fathom.grids.arguments import (
    choice,
    core,
    integer,
    length_of,
    number_of,
    pair,
    room_for,
    span,
)
from fathom.grids.columns import on_sphere
from fathom.grids.grid import Grid
from fathom.grids.levels import HybridLevels, SigmaLevels
from fathom.grids.regrid import places as interpolation
from fathom.grids.regrid.rows import Rows
from fathom.grids.regrid.schmidt import Schmidt, turned

if TYPE_CHECKING:
    from fathom.grids.transform import SphericalHarmonics

orders = {"linear": 2, "quadratic": 3, "cubic": 4}


class GaussianGrid(Grid):
    """Rows of equidistant points from longitude 0 at Gaussian latitudes, from south to north; about
    another pole they begin on the meridian towards the north pole.

    Parameters
    ----------
    truncation : int. Largest total wave number of the triangular truncation: 42, 85, 106, 159, ...
    grid : "quadratic" (default; 3 N + 1 points on the longest row), "linear" (2 N + 1) or "cubic"
        (4 N + 1).
    reduced : False (default), "octahedral" (4 i + 16 points on the i-th row from a pole; cubic
        grids) or "classical" (the points that the waves
        of a row need).
    levels : HybridLevels or SigmaLevels; by default one layer, for a shallow-water model.
    stretching, pole : c >= 1 and (longitude, latitude) [degrees]: rows run around this pole and are
        c times finer there, c times coarser opposite (Schmidt
        1977; docs/spectral.md). Winds of the model's state are eastward and northward about this
        pole; winds in input and output are those on earth.
    radius : float [m].

    A reduced grid has the indices of its longest row; columns beyond the end of a row do not exist
    (`wet_levels` is 0 there).
    """

    level_coordinate = "pressure"  # where the surface is at 1000 hPa

    truncation: int

    def __init__(
        self,
        truncation: int | None = None,
        *,
        grid: str = "quadratic",
        reduced: bool | str = False,
        levels: HybridLevels | SigmaLevels | None = None,
        stretching: float = 1.0,
        pole: tuple[float, float] = (0.0, 90.0),
        radius: float = earth.RADIUS,
    ) -> None:
        if truncation is None:
            raise InputError("truncation (the largest total wave number, as 42) is missing")
        self.truncation, self.grid, self.radius = (
            integer("truncation", truncation),
            choice("grid", grid, list(orders)),
            length_of("radius", radius),
        )
        if not 1 <= self.truncation <= 10000:
            raise InputError(f"truncation = {truncation} must lie in [1, 10000]")
        waves = orders[self.grid] * self.truncation + 1
        room_for(waves, waves // 2)
        self.reduced = choice("reduced", reduced, [False, "octahedral", "classical"])
        if self.reduced == "octahedral" and grid != "cubic":
            raise InputError(
                'reduced = "octahedral" goes with grid = "cubic": rows near the poles are too'
                f' short for grid = "{grid}"; or take reduced = "classical"'
            )
        if levels is not None and not isinstance(levels, (HybridLevels, SigmaLevels)):
            raise InputError(f"levels = {levels!r} must be HybridLevels(...) or SigmaLevels(...)")
        self.levels = levels or SigmaLevels(1)
        if self.reduced == "octahedral":
            self.rows = core().octahedral_gaussian_grid_of(self.truncation)
        elif self.reduced:
            self.rows = core().classical_gaussian_grid_of(self.truncation, orders[grid])
        else:
            self.rows = core().full_gaussian_grid_of(self.truncation, orders[grid])
        self.stretching = number_of("stretching", stretching, "1")
        longitude, latitude = pair("pole", pole, "degrees")
        self.pole = longitude, latitude
        self.sphere = Schmidt(self.stretching, self.pole, towards_pole=True)
        if self.stretching > 1:
            self.rows = self.rows.stretched(self.stretching)
        self.points = np.asarray(self.rows.points)
        self.latitude = np.rad2deg(
            np.arcsin(np.asarray(self.rows.sine))
        )  # [degrees], of the computational sphere

    @cached_property
    def horizontal(self) -> SimpleNamespace:
        """Returns coordinates of centres and of the corners of the full grid [degrees], areas
        [m2]."""
        points, ny, nx = self.points, self.points.size, int(self.points.max())
        edges = np.rad2deg(
            np.arcsin(np.clip(-1 + 2 * np.cumsum(np.append(0.0, self.rows.weight)), -1, 1))
        )
        edges[[0, -1]] = -90, 90
        column = np.arange(nx)
        area = 4 * np.pi * self.radius**2 * self._share / points
        center = self.sphere.to_earth(
            360.0 * column / points[:, None], np.repeat(self.latitude[:, None], nx, 1)
        )
        corner = self.sphere.to_earth(
            np.repeat(360.0 * (np.arange(nx + 1) - 0.5)[None] / nx, ny + 1, 0),
            np.repeat(edges[:, None], nx + 1, 1),
        )
        areas = np.where(column < points[:, None], area[:, None], 0.0)
        return on_sphere(center, corner, areas, self.radius, periodic=True)

    @property
    def _share(self) -> np.ndarray:
        """Returns part of the sphere that belongs to each row."""
        return (
            np.asarray(self.rows.weight) / self.sphere.map_factor(self.latitude) ** 2
            if self.stretching > 1
            else np.asarray(self.rows.weight)
        )

    @cached_property
    def angle(self) -> np.ndarray | None:
        """Returns the angle from east on earth to the direction of growing i, counter-clockwise
        [radians], (ny, nx); None on a grid whose pole is the north pole.
        """
        if not self.sphere.rotated:
            return None
        longitude = 360.0 * np.arange(int(self.points.max())) / self.points[:, None]
        result: np.ndarray | None = self.sphere.angle(longitude, self.latitude[:, None])
        return result

    def about_the_pole(self, east: np.ndarray, north: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns wind (..., ny, nx) eastward and northward on earth as the state has it: about the
        pole of stretching.
        """
        return (east, north) if self.angle is None else turned(east, north, -self.angle)

    @cached_property
    def wet_levels(self) -> np.ndarray:
        """Returns levels of each column (ny, nx), int32; 0 beyond the end of a row."""
        there = np.arange(self.horizontal.nx) < self.points[:, None]
        levels = np.where(there, self.levels.nz, 0).astype(np.int32)
        levels.flags.writeable = False
        return levels

    @cached_property
    def harmonics(self) -> SphericalHarmonics:
        """Transforms of whole fields in this process, at the grid's truncation."""
        from fathom.grids.transform import SphericalHarmonics  # loads the core

        return SphericalHarmonics(self.truncation, self.rows, radius=self.radius)

    @property
    def corner_levels(self) -> np.ndarray:
        """Returns levels of each corner (ny, nx), int32: those of columns."""
        return self.wet_levels

    @property
    def areas(self) -> Any:
        """Returns areas around centres and around corners, (ny, nx) [m2]: those of cells."""
        return self.horizontal.area_center, self.horizontal.area_center

    @property
    def identity(self) -> dict[str, Any]:
        """Returns arrays that say which grid it is, by name."""
        sphere = (
            {}
            if self.sphere.plain
            else {"sphere": np.array([self.stretching, *self.pole, self.sphere.south])}
        )
        return {
            "latitude": self.latitude,
            "points": self.points,
            "a": self.levels.a,
            "b": self.levels.b,
        } | sphere

    # ---- on the full grid of the same latitudes --------------------------------------------------

    def interpolation(
        self, longitude: Any, latitude: Any, where: str = "center"
    ) -> interpolation.Interpolation:
        """Returns the interpolation from the rows to places on earth."""
        return interpolation.from_rows(Rows.of(self), longitude, latitude)

    # it depends on what the grid is
    @property
    def chunks(self) -> Mapping[str, int] | None:  # type: ignore[override]
        """Returns the sizes of chunks of output: whole rows where they must be interpolated."""
        return (
            {"x" if self.sphere.rotated else "longitude": self.horizontal.nx}
            if self.reduced
            else None
        )

    def distribution(self, ranks: int) -> str:
        """Returns whole rows, as Fourier transforms want them, while each rank has some."""
        return "north-south" if 4 * ranks <= self.horizontal.ny else "square"

    def regular(self, values: Any, first_row: int = 0) -> Any:
        """Returns values (levels, rows, nx) of rows from `first_row` on as they stand on rows of nx
        points: along each row by Lagrange's cubic of the four points around, within the range of
        these four. Rows of full length stay bit for bit.
        """
        if not self.reduced:
            return values
        index, weight = self._along
        rows = slice(first_row, first_row + values.shape[-2])
        around = np.stack(
            [
                np.take_along_axis(values, np.broadcast_to(n, values.shape), -1)
                for n in index[:, rows]
            ]
        )
        smooth = sum(w * v for w, v in zip(weight[:, rows], around))
        return np.clip(smooth, around.min(0), around.max(0))

    @cached_property
    def _along(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the four points of a row around each point of the full row and their weights, (4,
        ny, nx).
        """
        points, nx = self.points[:, None], self.horizontal.nx
        whole = np.arange(nx) * points
        i, t = whole // nx, whole % nx / nx
        index = np.stack([(i + n) % points for n in (-1, 0, 1, 2)])
        weight = np.stack(
            [
                -t * (t - 1) * (t - 2) / 6,
                (t + 1) * (t - 1) * (t - 2) / 2,
                -(t + 1) * t * (t - 2) / 2,
                (t + 1) * t * (t - 1) / 6,
            ]
        )
        return index, weight

    def mapping(self) -> Any:
        """Returns the full grid: coordinates along each axis, or of each point where the pole is
        elsewhere, with their edges, levels, area; where it is finest.
        """
        h, levels = self.horizontal, self.levels
        full = self._share[:, None] * np.full(h.nx, 4 * np.pi * self.radius**2 / h.nx)
        longitude, latitude = self.sphere.to_earth(
            360.0 * np.arange(h.nx) / h.nx, self.latitude[:, None]
        )
        if self.sphere.rotated:
            edges = {"corner_longitude": h.corner_longitude, "corner_latitude": h.corner_latitude}
        else:
            latitude, edges = (
                latitude[:, 0],
                {
                    "corner_longitude": h.corner_longitude[0],
                    "corner_latitude": h.corner_latitude[:, 0],
                },
            )
        finest = {"finest": self.pole} if self.stretching > 1 else {}
        sphere = {} if self.sphere.plain else {"sphere": self.sphere}
        return (
            {"longitude": longitude, "latitude": latitude}
            | edges
            | finest
            | sphere
            | {"area": full, "hybrid_a": levels.a, "hybrid_b": levels.b}
            | {"truncation": self.truncation}
        )

    def describe(self) -> dict[str, str]:
        """Returns label -> text, for the tree."""
        kind = f"{self.reduced} reduced, " if self.reduced else ""
        m, half = (
            self.sphere.map_factor(self.latitude),
            self.points.size // 2 if self.stretching == 1 else 0,
        )
        width = (
            np.deg2rad(360 / self.points)
            * np.cos(np.deg2rad(self.latitude))
            * self.radius
            / 1e3
            / m
        )
        depth = np.deg2rad(np.diff(self.latitude).mean()) * self.radius / 1e3
        x, y = (self.pole[0] + 180) % 360 - 180, self.pole[1]
        sphere = (
            {}
            if self.sphere.plain
            else {
                "sphere": (
                    f"about {abs(x):g}° {'W' if x < 0 else 'E'}, {abs(y):g}°"
                    f" {'S' if y < 0 else 'N'}"
                    + (
                        f", {self.stretching:g} times finer there than evenly, as coarser opposite"
                        if self.stretching > 1
                        else ", evenly"
                    )
                )
            }
        )
        return sphere | {
            "waves": (
                f"triangular truncation {self.truncation}, half waves of"
                f" {np.pi * self.radius / self.truncation / 1e3:.4g} km; {self.grid} grid"
            ),
            "rows": (
                f"{self.points.size} of {span(self.points, 'points')}, {kind}to"
                f" {self.latitude.max():.4g}° from the equator"
            ),
            "spacing": f"{span(width[half:], 'km')} along rows, {span(depth / m, 'km')} across",
            "levels": str(self.levels),
            "points": f"{int(self.points.sum()):,} columns, {self.wet_cells:,} cells",
        }

    def __repr__(self) -> str:
        nz, ny, nx = self.shape
        return (
            "GaussianGrid"
            f" T{'L' * (self.grid == 'linear')}{'c' * (self.grid == 'cubic')}{self.truncation}L{nz}"
            f" {nx}×{ny}×{nz}"
            + (f" {self.reduced}" if self.reduced else "")
            + (f" c{self.stretching:g}" if self.stretching > 1 else "")
        )
