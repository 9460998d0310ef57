"""Friction from the strain of the flow, with viscosities that differ from place to place
(docs/numerics.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.grids.arguments import integer, number_of
from fathom.model.component import Array, Criterion
from fathom.model.order import Order
from fathom.model.schemes import Scheme, scheme
from fathom.ocean.components.component import OceanComponent
from fathom.ocean.components.diffusion import lateral_scale
from fathom.ocean.components.momentum import Rotation
from fathom.ocean.stability import inverse_square, nearest

directions = ("east", "grid", "flow")


class StrainFriction(Configurable):
    """The common part of both kinds: processes that find viscosities, next to vertical mixing, and
    those that exert forces.
    """

    @property
    def name(self) -> str:
        """Returns the name of its class."""
        return type(self).__name__

    def fields(self, rotation: Rotation) -> Mapping[str, Any]:
        """Returns fields that never change, on the grid of the Coriolis parameter."""
        return {}

    def strongest(self, rotation: Rotation) -> Array | None:
        """Returns the largest viscosity at corners [m2 s-1], (ny, nx), where it is known before the
        flow; None where the step bounds it.
        """
        return None

    def viscosities(self, do: Order) -> None:
        """Adds what finds them."""
        raise NotImplementedError

    def forces(self, do: Order) -> None:
        """Adds what exerts them."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return (
            f"{self.name}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"
        )


class AnisotropicFriction(StrainFriction):
    """One viscosity along a direction and another across it (Smith & McWilliams 2003), across it
    larger at western boundaries (Large et al. 2001).

        across = max(across (1 + poleward (1 - cos 2 latitude)),
            boundary beta dx^3 exp(-(x / decay)^2)),    along = max(along, speed dx / 2, across)

    The defaults are near those of the 1-degree ocean of CCSM4 (across) and of Large et al. (2001)
    at depth (along).

    Parameters
    ----------
    along, across : viscosities [m2 s-1].
    speed : of a flow with the grid Reynolds number 2 along it [m s-1].
    poleward : growth of the background across with latitude.
    boundary : of the viscosity that resolves a western boundary layer, in beta dx^3; 0 for
        none.
    decay, points : x is the distance along the grid's rows from the cell that is `points` cells
        east of a coast [m]; decay [m].
    direction : "east" (true), "grid" (the grid's x) or "flow".
    least_time : no cell is smoothed faster: viscosities are at most 1 / (least_time (1/dx^2 +
        1/dy^2)) [s].
    """

    along: float
    across: float
    speed: float
    poleward: float
    boundary: float
    decay: float
    least_time: float

    def __init__(
        self,
        along: float = 600.0,
        across: float = 600.0,
        speed: float = 0.2,
        poleward: float = 0.5,
        boundary: float = 0.16,
        decay: float = 5e5,
        points: int = 3,
        direction: str = "east",
        least_time: float = 14400.0,
    ) -> None:
        if direction not in directions:
            raise InputError(
                "AnisotropicFriction direction ="
                f" {direction!r}{near(str(direction), directions) or ';'} allowed:"
                f" {', '.join(directions)}"
            )
        given = {
            "along": (along, "m2 s-1", 0),
            "across": (across, "m2 s-1", 0),
            "speed": (speed, "m s-1", 0),
            "poleward": (poleward, "1", 0),
            "boundary": (boundary, "1", 0),
            "decay": (decay, "m", 1),
            "least_time": (least_time, "s", 1),
        }
        for name, (value, unit, least) in given.items():
            setattr(self, name, float(number_of(f"AnisotropicFriction {name}", value, unit)))
            if not getattr(self, name) >= least:
                raise InputError(f"AnisotropicFriction {name} = {value} must be at least {least}")
        self.points, self.direction = integer("AnisotropicFriction points", points), direction

    def viscosities(self, do: Order) -> None:
        """Adds what finds them."""
        do("FlowDirection", when=self.direction == "flow")

    def forces(self, do: Order) -> None:
        """Adds what exerts them."""
        fixed = ("cosine_of_direction", "sine_of_direction") if self.direction != "flow" else ()
        do("AnisotropicFriction", at={name: ("center", "column") for name in fixed})

    def fields(self, rotation: Rotation) -> Mapping[str, Any]:
        """Returns both viscosities [m2 s-1] and the direction, twice its angle."""
        along, across = self._viscosities(rotation)
        angle = (
            np.asarray(rotation.grid.horizontal.angle_center, float)
            if self.direction == "east"
            else np.zeros_like(along)
        )
        return {
            "viscosity_along": along,
            "viscosity_across": across,
            "cosine_of_direction": np.cos(2 * angle),
            "sine_of_direction": -np.sin(2 * angle),
        }

    def strongest(self, rotation: Rotation) -> Array | None:
        """Returns the viscosity along the direction."""
        return self._viscosities(rotation)[0]

    def _viscosities(self, rotation: Rotation) -> tuple[Array, Array]:
        """Returns (along, across) at centres; along is at least across."""
        h = rotation.grid.horizontal
        dx, dy = np.asarray(h.dx_center, float), np.asarray(h.dy_center, float)
        latitude = (
            np.deg2rad(np.asarray(h.center_latitude, float)) if h.spherical else np.zeros_like(dx)
        )
        wet = np.asarray(rotation.grid.wet_levels) > 0
        x = _beyond_western_coast(wet, dx, self.points, h.periodic)
        across = np.maximum(
            self.across * (1 + self.poleward * (1 - np.cos(2 * latitude))),
            self.boundary * rotation.gradient() * dx**3 * np.exp(-((x / self.decay) ** 2)),
        )
        most = 1 / (self.least_time * (1 / dx**2 + 1 / dy**2))
        along = np.maximum(np.maximum(self.along, 0.5 * self.speed * np.maximum(dx, dy)), across)
        return np.minimum(along, most), np.minimum(across, most)


class SmagorinskyFriction(StrainFriction):
    """Viscosity from the rate of strain (Smagorinsky 1963), harmonic, or biharmonic (Griffies &
    Hallberg 2000).

    Parameters
    ----------
    coefficient : C; None: 2, biharmonic 3.
    biharmonic : whether the operator is applied twice, each time with the root of the viscosity.
    """

    def __init__(self, coefficient: float | None = None, biharmonic: bool = False) -> None:
        if not isinstance(biharmonic, bool):
            raise InputError(
                f"SmagorinskyFriction biharmonic = {biharmonic!r} must be true or false"
            )
        self.coefficient, self.biharmonic = (
            None if coefficient is None else float(coefficient),
            biharmonic,
        )
        self._viscosity()  # bounds are checked by the core

    def _viscosity(self) -> Scheme:
        given = {} if self.coefficient is None else {"coefficient": self.coefficient}
        name = "BiharmonicSmagorinskyViscosity" if self.biharmonic else "SmagorinskyViscosity"
        found: Scheme = scheme(name, **given)
        return found

    def viscosities(self, do: Order) -> None:
        """Adds what finds them."""
        do(self._viscosity())

    def forces(self, do: Order) -> None:
        """Adds what exerts them."""
        for name in (
            ("StrainLaplacian", "BiharmonicStrainFriction")
            if self.biharmonic
            else ("StrainFriction",)
        ):
            do(name)


class Friction(OceanComponent):
    """Lateral friction of any kind.

    Parameters
    ----------
    rotation : the Coriolis parameter, and its grid.
    kind : LaplacianFriction, BiharmonicFriction, or by strain; None: none.
    """

    def __init__(self, rotation: Rotation, kind: Scheme | StrainFriction | None) -> None:
        self.rotation, self.kind = rotation, kind

    def processes(self, phase: str, do: Order) -> None:
        """Adds what finds viscosities that follow the flow, and what exerts forces."""
        if isinstance(self.kind, StrainFriction):
            if phase == "viscosity":
                self.kind.viscosities(do)
            if phase == "friction":
                self.kind.forces(do)
        elif self.kind is not None and phase == "friction":
            do(self.kind.first_pass)
            do(self.kind)

    def fixed_fields(self) -> Mapping[str, Any]:
        """Returns the factor of the viscosity of simple schemes, and what the others need."""
        twice = _is_biharmonic(self.kind)
        scale = {"viscosity_scale": lateral_scale(self.rotation.grid, "corner", twice)}
        own = self.kind.fields(self.rotation) if isinstance(self.kind, StrainFriction) else {}
        return {**scale, **own}

    def limits(self, time_step: float) -> Iterable[Criterion]:
        """Returns the limit of forward friction, where it is known before anything moves."""
        grid = self.rotation.grid
        inverse, laplacian = inverse_square(grid), "friction, A step (1/dx2 + 1/dy2)"
        if isinstance(self.kind, StrainFriction):
            strongest = self.kind.strongest(self.rotation)
            if strongest is not None:
                yield nearest(grid, laplacian, strongest * time_step * inverse, 0.5)
        elif self.kind is not None and "viscosity" in self.kind.parameter_names:
            viscosity, twice = self.kind.all_parameters["viscosity"], _is_biharmonic(self.kind)
            scale = lateral_scale(grid, "corner", twice)
            if twice:
                name = "biharmonic friction, 16 B step (1/dx2 + 1/dy2)^2"
                values = 16 * viscosity * scale**2 * time_step * inverse**2
                yield nearest(grid, name, values, 2.0)
            else:
                yield nearest(grid, laplacian, viscosity * scale * time_step * inverse, 0.5)


def _is_biharmonic(kind: Scheme | StrainFriction | None) -> bool:
    """Returns whether a scheme is applied twice."""
    return kind is not None and kind.name.startswith("Biharmonic")


def _beyond_western_coast(wet: Array, dx: Array, points: int, periodic: bool) -> Array:
    """Returns the way along rows [m], (ny, nx), westward, to the place `points` cells east of the
    nearest land, 0 within; round the Earth at most twice.
    """
    way, since, x = np.zeros_like(dx), np.zeros(len(wet), int), np.zeros(len(wet))
    for _ in range(2 if periodic else 1):
        for i in range(wet.shape[1]):
            since = np.where(wet[:, i], since + 1, 0)
            x = np.where(since > points, x + dx[:, i], 0.0)
            way[:, i] = x
    return way
