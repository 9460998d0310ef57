"""Density, pressure and momentum of an ocean (docs/numerics.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from fathom.base import earth
from fathom.base.failure import InputError
from fathom.grids.arguments import coriolis_of, pair
from fathom.grids.water import WaterGrid
from fathom.model.component import Array, Criterion, Field
from fathom.model.order import Order
from fathom.model.schemes import Scheme
from fathom.ocean.components.component import OceanComponent
from fathom.ocean.stability import nearest


class Rotation:
    """The Coriolis parameter of a grid.

    Parameters
    ----------
    grid : of water.
    given : "earth", or (f0, beta) [s-1, m-1 s-1] on a plane.
    """

    def __init__(self, grid: WaterGrid, given: str | Sequence[float]) -> None:
        self.grid = grid
        self.given: Any = (
            given if isinstance(given, str) else pair("coriolis", given, "s-1, m-1 s-1")
        )

    def at_corners(self) -> Array:
        """Returns f [s-1], (ny, nx)."""
        h = self.grid.horizontal
        if self.given == "earth":
            if not h.spherical:
                raise InputError(
                    "a plane needs coriolis=(f0, beta) [s-1, m-1 s-1]; 'earth' is for grids on the"
                    " sphere"
                )
            latitude = np.deg2rad(np.asarray(h.corner_latitude)[1:, 1:])
            return np.asarray(2 * earth.ROTATION * np.sin(latitude))
        if h.spherical:
            raise InputError(
                f"coriolis = {self.given!r} is for a plane; a grid on the sphere has"
                " coriolis='earth'"
            )
        f0, beta = self.given
        return np.asarray(coriolis_of(f0 + beta * np.asarray(h.corner_latitude)[1:, 1:]))

    def gradient(self) -> Array:
        """Returns df/dy at centres [m-1 s-1], (ny, nx), not negative."""
        h = self.grid.horizontal
        if self.given != "earth":
            return np.full(np.shape(h.dx_center), abs(self.given[1]))
        latitude = (
            np.deg2rad(np.asarray(h.center_latitude, float))
            if h.spherical
            else np.zeros(np.shape(h.dx_center))
        )
        return np.asarray(2 * earth.ROTATION * np.cos(latitude) / h.radius)


class Density(OceanComponent):
    """Density by an equation of state, and the pressure of the water above."""

    def __init__(self, equation_of_state: Scheme) -> None:
        self.equation_of_state = equation_of_state

    def processes(self, phase: str, do: Order) -> None:
        """Adds density anomaly and hydrostatic pressure."""
        if phase == "density":
            do(self.equation_of_state)
            do("HydrostaticPressure")


class Momentum(OceanComponent):
    """The velocity at corners: advection, Coriolis force, pressure gradient, vertical friction.

    Parameters
    ----------
    rotation : the Coriolis parameter.
    advection : MomentumAdvection; None: linear dynamics.
    bottom_drag : quadratic drag coefficient [1].
    bottom_speed : speed added to that of the bottom layer in the drag [m s-1].
    cells_follow_surface : whether layers follow the surface.
    """

    velocity: ClassVar[tuple[Field, ...]] = tuple(
        Field(name, "m s-1", (-30, 30)) for name in ("velocity_x", "velocity_y")
    )

    def __init__(
        self,
        rotation: Rotation,
        advection: Scheme | None,
        bottom_drag: float,
        bottom_speed: float,
        cells_follow_surface: bool,
    ) -> None:
        self.rotation, self.advection = rotation, advection
        self.bottom_drag, self.bottom_speed = bottom_drag, bottom_speed
        self.cells_follow_surface = cells_follow_surface

    def state_fields(self) -> tuple[Field, ...]:
        """Returns both components of the velocity."""
        return self.velocity

    def rotations(self) -> Iterable[Sequence[str]]:
        """Returns the velocities now and after."""
        return [[field.name, field.after] for field in self.velocity]

    def fixed_fields(self) -> Mapping[str, Any]:
        """Returns the Coriolis parameter [s-1]."""
        return {"coriolis": self.rotation.at_corners()}

    def processes(self, phase: str, do: Order) -> None:
        """Adds explicit terms, and the implicit step."""
        if phase == "momentum":
            do(self.advection or "LinearMomentum")
            stretched = self.cells_follow_surface
            do("StretchedPressureGradient" if stretched else "PressureGradient")
        if phase == "implicit momentum":
            do("ImplicitMomentum", drag=self.bottom_drag, background_speed=self.bottom_speed)

    def limits(self, time_step: float) -> Iterable[Criterion]:
        """Returns the limit of internal gravity waves, which are forward-backward: of the first
        mode, c1 = 3 m/s in water of 4000 m, as the root of the depth in shallower. External waves
        and Coriolis are implicit.
        """
        grid = self.rotation.grid
        fastest = 3.0 * np.sqrt(np.minimum(grid.depth("corner") / 4000, 1))
        dx, dy = (np.asarray(getattr(grid.horizontal, n)) for n in ("dx_corner", "dy_corner"))
        waves = fastest * time_step / np.minimum(dx, dy)
        yield nearest(grid, "internal gravity waves, c1 x step / spacing", waves, 0.5)

    def limits_of_series(self) -> Mapping[str, tuple[float, float]]:
        """Returns the limits of the speed [m s-1]."""
        return {"maximum_speed": (0, 50)}
