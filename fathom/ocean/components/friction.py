"""Friction from the strain of the flow, with viscosities that differ from place to place
(docs/numerics.md).
"""

import numpy as np

from fathom.base import earth
from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.grids.arguments import integer, number_of
from fathom.model.schemes import scheme

directions = ("east", "grid", "flow")


class StrainFriction(Configurable):
    """The common part of both kinds: processes that find viscosities, next to vertical mixing, and
    those that exert forces.
    """

    @property
    def name(self):
        return type(self).__name__

    def fields(self, ocean):
        """Fields that never change."""
        return {}

    def strongest(self, ocean):
        """The largest viscosity at corners, where it is known before the flow; None where the step
        bounds it.
        """
        return

    def viscosities(self, do):
        """Adds what finds them."""
        raise NotImplementedError

    def forces(self, do):
        """Adds what exerts them."""
        raise NotImplementedError

    def __repr__(self):
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
        along=600.0,
        across=600.0,
        speed=0.2,
        poleward=0.5,
        boundary=0.16,
        decay=5e5,
        points=3,
        direction="east",
        least_time=14400.0,
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

    def viscosities(self, do):
        """Adds what finds them."""
        do("FlowDirection", when=self.direction == "flow")

    def forces(self, do):
        """Adds what exerts them."""
        fixed = ("cosine_of_direction", "sine_of_direction") if self.direction != "flow" else ()
        do("AnisotropicFriction", at={name: ("center", "column") for name in fixed})

    def fields(self, ocean):
        along, across = self._viscosities(ocean)
        angle = (
            np.asarray(ocean.grid.horizontal.angle_center, float)
            if self.direction == "east"
            else np.zeros_like(along)
        )
        return {
            "viscosity_along": along,
            "viscosity_across": across,
            "cosine_of_direction": np.cos(2 * angle),
            "sine_of_direction": -np.sin(2 * angle),
        }

    def strongest(self, ocean):
        return self._viscosities(ocean)[0]

    def _viscosities(self, ocean):
        """(along, across) at centres; along is at least across."""
        h = ocean.grid.horizontal
        dx, dy = np.asarray(h.dx_center, float), np.asarray(h.dy_center, float)
        latitude = (
            np.deg2rad(np.asarray(h.center_latitude, float)) if h.spherical else np.zeros_like(dx)
        )
        if ocean.coriolis == "earth":
            beta = 2 * earth.ROTATION * np.cos(latitude) / h.radius
        else:
            beta = np.full_like(dx, abs(ocean.coriolis[1]))
        x = _beyond_western_coast(
            np.asarray(ocean.grid.wet_levels) > 0, dx, self.points, h.periodic
        )
        across = np.maximum(
            self.across * (1 + self.poleward * (1 - np.cos(2 * latitude))),
            self.boundary * beta * dx**3 * np.exp(-((x / self.decay) ** 2)),
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

    def __init__(self, coefficient=None, biharmonic=False) -> None:
        if not isinstance(biharmonic, bool):
            raise InputError(
                f"SmagorinskyFriction biharmonic = {biharmonic!r} must be true or false"
            )
        self.coefficient, self.biharmonic = (
            None if coefficient is None else float(coefficient),
            biharmonic,
        )
        self._viscosity()  # bounds are checked by the core

    def _viscosity(self):
        given = {} if self.coefficient is None else {"coefficient": self.coefficient}
        return scheme(
            "BiharmonicSmagorinskyViscosity" if self.biharmonic else "SmagorinskyViscosity", **given
        )

    def viscosities(self, do):
        """Adds what finds them."""
        do(self._viscosity())

    def forces(self, do):
        """Adds what exerts them."""
        for name in (
            ("StrainLaplacian", "BiharmonicStrainFriction")
            if self.biharmonic
            else ("StrainFriction",)
        ):
            do(name)


def viscosities(ocean, do):
    """Viscosities that follow the flow, of friction by strain."""
    if isinstance(ocean.friction, StrainFriction):
        ocean.friction.viscosities(do)


def forces(ocean, do):
    """Lateral friction of any kind."""
    if isinstance(ocean.friction, StrainFriction):
        ocean.friction.forces(do)
    elif ocean.friction is not None:
        do(ocean.friction.first_pass)
        do(ocean.friction)


def _beyond_western_coast(wet, dx, points, periodic):
    """The way along rows, westward, to the place `points` cells east of the nearest land, 0 within;
    round the Earth at most twice.
    """
    way, since, x = np.zeros_like(dx), np.zeros(len(wet), int), np.zeros(len(wet))
    for _ in range(2 if periodic else 1):
        for i in range(wet.shape[1]):
            since = np.where(wet[:, i], since + 1, 0)
            x = np.where(since > points, x + dx[:, i], 0.0)
            way[:, i] = x
    return way
