"""The dynamics of the grid-point atmosphere as components of its step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fathom.atmosphere.physics.fields import AirFields
from fathom.base import mpi
from fathom.grids.rotated import RotatedGrid
from fathom.model.component import Component, Field
from fathom.model.order import Order
from fathom.model.schemes import bytes_of

WIND_X = Field("x_wind", "m s-1", (-500, 500))
WIND_Y = Field("y_wind", "m s-1", (-500, 500))
RISING = Field("upward_air_velocity", "m s-1", (-200, 200))
WARMTH = Field("air_potential_temperature", "K", (50, 1e5))
DENSITY = Field("air_density", "kg m-3", (0, 10))
STATE = WIND_X, WIND_Y, RISING, WARMTH, DENSITY


def ways_to_solve(precision: str) -> dict[str, list[str]]:
    """Returns allowed settings of the solver of the Helmholtz equation in this precision: name ->
    values."""
    return {
        "preconditioner": list(mpi.core.helmholtz_preconditioners),
        "solver": list(mpi.core.helmholtz_methods),
        "solver_precision": ["fp64", "fp32"] if precision == "fp64" else ["fp32"],
    }


@dataclass(frozen=True)
class Solver:
    """How the Helmholtz equation is solved: the names and the limits of GridPointAtmosphere.

    about_state : whether it is linear about the state of each step.
    """

    preconditioner: str
    method: str
    tolerance: float
    maximum_iterations: int
    about_state: bool
    precision: str


@dataclass(frozen=True)
class Iterations:
    """Of a step: trajectories again; for each, linear solves; of the departure points."""

    outer: int
    inner: int
    departure: int


class CoreProcesses:
    """The processes of a step that need communication (core/atmosphere/gridpoint).

    Parameters
    ----------
    grid : of the air.
    time_step : [s].
    numbers : implicitness, gravity [m s-2], heat_capacity, gas_constant [J kg-1 K-1], by name.
    deep : whether gravity falls off with height.
    hills : whether heights of levels vary.
    tracers : names of what is carried with the air.
    fix_mass : whether their mass is kept.
    own_of_wind : whether points of the wind have trajectories of their own.
    """

    def __init__(
        self,
        grid: Any,
        time_step: float,
        numbers: Mapping[str, float],
        *,
        deep: bool,
        hills: bool,
        iterations: Iterations,
        solver: Solver,
        tracers: Sequence[str],
        fix_mass: bool,
        own_of_wind: bool,
        precision: str,
    ) -> None:
        size, area, sphere = bytes_of[precision], isinstance(grid, RotatedGrid), grid.radius > 0
        setup = mpi.core.GridPointSetup(
            float(time_step),
            numbers["implicitness"],
            iterations.departure,
            grid.dx,
            grid.dy,
            list(map(float, grid.levels.interfaces)),
            radius=grid.radius,
            deep=deep,
            south=grid.south if sphere else -90.0,
            area=area,
            times=iterations.outer,
            hills=hills,
            own_of_wind=own_of_wind,
        )
        poles = sphere and not area
        self.departure = mpi.core.gridpoint_departure(setup, size)
        self.climb = mpi.core.gridpoint_climb(setup, size) if hills else None
        self.transport = mpi.core.gridpoint_transport(setup, size)
        names = ("implicitness", "gravity", "heat_capacity", "gas_constant")
        self.helmholtz = mpi.core.HelmholtzSolve(
            {name: numbers[name] for name in names} | {"step": float(time_step)},
            solver.preconditioner,
            solver.method,
            solver.tolerance,
            solver.maximum_iterations,
            iterations.outer * iterations.inner,
            solver.about_state,
            solver.precision == "fp32",
        )
        self.poles = mpi.core.PoleWind() if poles else None
        self.poles_of_start = mpi.core.PoleWind("_start") if poles else None
        carried = [(name, "any") for name in tracers]
        self.tracers = (
            mpi.core.gridpoint_tracers(setup, carried, fix_mass, size) if carried else None
        )


class GridPointDynamics(Component):
    """Compressible air, semi-implicit and semi-Lagrangian, iterated.

    Parameters
    ----------
    air : its temperature and tracers.
    sphere, deep, area : whether the grid lies on the sphere, gravity falls off with height, and it
        is an area of the earth.
    slice : whether the grid is one row of points.
    about_state : whether the linear equations are about the state of each step.
    viscous : whether there is a viscosity.
    """

    def __init__(
        self,
        air: AirFields,
        *,
        sphere: bool,
        deep: bool,
        area: bool,
        slice: bool,
        about_state: bool,
        viscous: bool,
    ) -> None:
        self.air, self.sphere, self.deep, self.area = air, sphere, deep, area
        self.slice, self.about_state, self.viscous = slice, about_state, viscous

    def state_fields(self) -> tuple[Field, ...]:
        """Returns wind, potential temperature, density and tracers; a slice has no face between
        two rows, but it has a y_wind.
        """
        across = () if self.slice else (WIND_Y,)
        return (WIND_X, *across, RISING, WARMTH, DENSITY, *self.air.tracers)

    def diagnostics(self) -> tuple[str, ...]:
        """Returns the wind at centres."""
        return "eastward_wind", "northward_wind"

    def processes(self, phase: str, do: Order) -> None:
        """Adds those of a phase."""
        core = do.shared
        if phase == "right sides":
            self._right_sides(do)
        elif phase == "start":
            do("GridPointLinearState", when=self.about_state)
            do("GridPointStart")
        elif phase == "diffusion":
            do("GridPointDiffusion", when=self.viscous)
        elif phase == "winds":
            do(core.poles_of_start)
            do("GridPointWindAside", when=self.sphere)
            do("GridPointWindAsideDeep", when=self.deep)
        elif phase == "transport":
            do(core.departure)
            do(core.climb)
            do(core.transport)
        elif phase == "residuals":
            do("GridPointResiduals")
        elif phase == "solution":
            do("HelmholtzRightSide")
            do(core.helmholtz)
            do("GridPointIncrements")
        elif phase == "tracers":
            do(core.tracers)
        elif phase == "end":
            do(core.poles)
            do("GridPointWind", rows=1 if self.slice else 2)

    def _right_sides(self, do: Order) -> None:
        """Adds pressure, motion and forces of the state as it is known so far."""
        do(do.shared.poles)
        do("GridPointExner")
        do("GridPointMotion")
        do("GridPointForces")
        do("GridPointDeepRotation", when=self.deep)
        do("GridPointDeepRotationAcross", when=self.deep and self.area)


class DryMassFixer(Component):
    """What keeps the mass of dry air.

    curvature : 1 / radius of a deep atmosphere [m-1], else 0.
    """

    def __init__(self, curvature: float) -> None:
        self.curvature = curvature

    def processes(self, phase: str, do: Order) -> None:
        """Adds the correction of the mass."""
        if phase == "mass":
            do(mpi.core.DryMass(self.curvature))
