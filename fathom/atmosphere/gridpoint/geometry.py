"""What never changes in a grid-point atmosphere, as components: sizes of cells, rotation, faces,
the sponge, and the air at rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from fathom.atmosphere.spectral.reference import Constants
from fathom.base.failure import InputError
from fathom.data.input.values import on_columns
from fathom.grids.grid import Grid
from fathom.grids.plane import PlaneOfFaces
from fathom.grids.rotated import RotatedGrid
from fathom.model.component import Array, Component, Given

faces = ("dx_east_face", "dy_north_face", "length_east_face", "length_north_face", "area_center")


class Cells(Component):
    """Sizes of cells, their open faces, and the rotation of the sphere or plane.

    Parameters
    ----------
    grid : of the columns.
    coriolis : f of a plane [s-1].
    rotation : angular velocity of a sphere [s-1].
    """

    def __init__(self, grid: Grid, coriolis: float, rotation: float) -> None:
        self.grid, self.coriolis, self.rotation = grid, coriolis, rotation

    def fixed_fields(self) -> Mapping[str, Any]:
        """Returns lengths and areas, where faces are open, and Coriolis parameters, (ny, nx)."""
        horizontal = self.grid.horizontal
        metrics = {name: np.array(getattr(horizontal, name)) for name in faces}
        if isinstance(self.grid, RotatedGrid):
            return metrics | self._of_area(self.grid)
        if horizontal.spherical:
            return metrics | self._of_sphere(metrics["length_north_face"])
        return metrics | self._of_plane()

    @property
    def _shape(self) -> tuple[int, ...]:
        return np.shape(self.grid.wet_levels)

    def _of_plane(self) -> dict[str, Array]:
        """Returns what is so of a plane; a slice has one row of faces."""
        shape = self._shape
        coriolis, north = np.full(shape, self.coriolis), np.ones(shape)
        more: dict[str, Array] = {}
        if isinstance(self.grid, PlaneOfFaces) and self.grid.slice:
            # no flux, no gradient across; of two rows of faces one: f counts twice
            more = {"length_north_face": np.zeros(shape), "dy_north_face": np.full(shape, 1e30)}
            coriolis *= 2
        elif not self.grid.horizontal.periodic_j:
            north[-1] = 0
        return more | _open(np.ones(shape), north) | {"coriolis": coriolis}

    def _of_sphere(self, length: Array) -> dict[str, Array]:
        """Returns what is so of the whole sphere, whose last faces are the pole."""
        north = np.ones(self._shape)
        length[-1] = north[-1] = 0
        along, across = self._turning()
        return _open(np.ones(self._shape), north) | {
            "coriolis": across,
            "horizontal_coriolis": along,
            "length_north_face": length,
        }

    def _of_area(self, grid: RotatedGrid) -> dict[str, Array]:
        """Returns where the equations hold in an area, and its rotation along both axes."""
        computed, angle = grid.computed, grid.angle
        along, across = self._turning()
        east, north = (computed & np.roll(computed, -1, axis) for axis in (1, 0))
        return _open(east.astype(float), north.astype(float)) | {
            "computed_here": computed.astype(float),
            "coriolis": across,
            "horizontal_coriolis": along * np.cos(angle),
            "horizontal_coriolis_along_x": along * np.sin(angle),
        }

    def _turning(self) -> tuple[Array, Array]:
        """Returns twice the rotation along the meridian and along the vertical [s-1]."""
        latitude = np.deg2rad(self.grid.coordinates()[1])
        return 2 * self.rotation * np.cos(latitude), 2 * self.rotation * np.sin(latitude)


class Sponge(Component):
    """Heights of levels, and the damping of vertical motion below the top.

    Parameters
    ----------
    interfaces : heights over flat ground [m].
    bottom : from which height it damps [m].
    rate : at the top [s-1].
    """

    def __init__(self, interfaces: Array, bottom: float, rate: float) -> None:
        self.interfaces, self.bottom, self.rate = interfaces, bottom, rate

    def profiles(self) -> Mapping[str, Sequence[float]]:
        """Returns heights [m] and rates [s-1] at interfaces."""
        depth = max(self.interfaces[0] - self.bottom, 1e-30)
        inside = np.clip((self.interfaces - self.bottom) / depth, 0, 1)
        damping = self.rate * np.sin(np.pi / 2 * inside) ** 2
        return {
            "level_height": list(map(float, self.interfaces)),
            "vertical_damping": list(map(float, damping)),
        }


class AirAtRest(Component):
    """Heights over the ground, and the reference on them.

    Parameters
    ----------
    grid : of the columns.
    orography : height of the ground as given.
    reference : of the air (fathom/atmosphere/spectral/reference.py).
    constants : of the air.
    curvature : 1 / radius of a deep atmosphere [m-1], else 0.
    """

    def __init__(
        self, grid: Grid, orography: Given, reference: Any, constants: Constants, curvature: float
    ) -> None:
        self.grid, self.orography, self.reference = grid, orography, reference
        self.constants, self.curvature = constants, curvature

    @cached_property
    def ground(self) -> Array:
        """Returns height of the ground, (ny, nx) [m]."""
        return on_columns(self.grid, self.orography, name="orography")

    @cached_property
    def heights(self) -> Array:
        """Returns heights of the interfaces, (levels + 1, ny, nx) [m]."""
        result: Array = self.grid.levels.over(self.ground)
        return result

    @cached_property
    def state(self) -> tuple[Array, Array, Array]:
        """Returns the reference on the grid: Exner function and density of layers, potential
        temperature of interfaces. InputError: it ends below the top.
        """
        z, c, top = self.geopotential(self.heights), self.constants, self.grid.levels.top
        middle = self.geopotential((self.heights[1:] + self.heights[:-1]) / 2)
        if not self.reference.exner(top, c) > 0.01:
            raise InputError(f"the reference, {self.reference}, has no air at {top:g} m, the top")
        theta = self.reference.potential_temperature(z, c)
        exner = self.reference.exner(middle, c)
        return exner, c.density(exner, (theta[1:] + theta[:-1]) / 2), theta

    def release(self) -> None:
        """Gives back what each rank has of the whole grid: who asks for it again gets it made
        again.
        """
        for name in ("heights", "state"):
            self.__dict__.pop(name, None)

    def geopotential(self, height: Any) -> Any:
        """Returns geopotential over g at the ground [m]: in a deep atmosphere gravity falls off."""
        return height / (1 + self.curvature * height)

    def fixed_fields(self) -> Mapping[str, Any]:
        """Returns heights of interfaces, Exner function, density and potential temperature."""
        exner, density, theta = self.state
        return {
            "interface_height": self.heights,
            "reference_exner": exner,
            "reference_density": density,
            "reference_potential_temperature": theta,
        }


class LinearAboutRest(Component):
    """What the equations of increments are linear about, where it is the air at rest."""

    def __init__(self, rest: AirAtRest) -> None:
        self.rest = rest

    def fixed_fields(self) -> Mapping[str, Any]:
        """Returns Exner function, density and potential temperature."""
        names = ("linear_exner", "linear_density", "linear_potential_temperature")
        return dict(zip(names, self.rest.state, strict=True))


def means_across_rows(grid: Any) -> dict[str, float]:
    """Returns what means of two rows are too small by in a solid rotation, 1 over it: of the wind
    along x, and of forces along y (core/atmosphere/gridpoint/step.hpp).
    """
    spacing = np.deg2rad(grid.dy) if grid.horizontal.spherical else 0.0
    return {"rows_of_wind": 1 / np.cos(spacing / 2), "rows_of_force": 1 / np.cos(spacing)}


def _open(east: Array, north: Array) -> dict[str, Array]:
    """Returns open faces: 1, closed ones: 0."""
    return {"open_east_face": east, "open_north_face": north}
