"""The dynamics of the grid-point atmosphere as components of its step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fathom.atmosphere.physics.fields import AirFields
from fathom.base import mpi
from fathom.model.component import Component, Field
from fathom.model.order import Order
from fathom.model.schemes import bytes_of

if TYPE_CHECKING:
    from fathom.atmosphere.gridpoint.model import GridPointAtmosphere

WIND_X = Field("x_wind", "m s-1", (-500, 500))
WIND_Y = Field("y_wind", "m s-1", (-500, 500))
RISING = Field("upward_air_velocity", "m s-1", (-200, 200))
WARMTH = Field("air_potential_temperature", "K", (50, 1e5))
DENSITY = Field("air_density", "kg m-3", (0, 10))
STATE = WIND_X, WIND_Y, RISING, WARMTH, DENSITY


class CoreProcesses:
    """The processes of a step [s] that need communication (core/atmosphere/gridpoint)."""

    def __init__(self, model: GridPointAtmosphere, time_step: float) -> None:
        precision, poles = bytes_of[model.precision], model.sphere and not model.area
        setup = self._setup(model, time_step)
        self.departure = mpi.core.gridpoint_departure(setup, precision)
        self.transport = mpi.core.gridpoint_transport(setup, precision)
        self.helmholtz = self._helmholtz(model, time_step)
        self.poles = mpi.core.PoleWind() if poles else None
        self.poles_of_start = mpi.core.PoleWind("_start") if poles else None
        carried = [(name, "any") for name in model.tracers]
        self.tracers = (
            mpi.core.gridpoint_tracers(setup, carried, model.fix_mass, precision)
            if carried
            else None
        )

    @staticmethod
    def _setup(model: GridPointAtmosphere, time_step: float) -> Any:
        """Returns what the semi-Lagrangian processes know of the model."""
        grid = model.grid
        return mpi.core.GridPointSetup(
            float(time_step),
            model.parameters["implicitness"],
            model.iterations,
            grid.dx,
            grid.dy,
            list(map(float, grid.levels.interfaces)),
            radius=grid.radius,
            deep=model.deep,
            south=grid.south if model.sphere else -90.0,
            area=model.area,
            times=model.outer,
        )

    @staticmethod
    def _helmholtz(model: GridPointAtmosphere, time_step: float) -> Any:
        """Returns the solver of the equation of increments."""
        names = ("implicitness", "gravity", "heat_capacity", "gas_constant")
        return mpi.core.HelmholtzSolve(
            {name: model.parameters[name] for name in names} | {"step": float(time_step)},
            model.preconditioner,
            model.solver,
            model.tolerance,
            model.maximum_iterations,
            model.outer * model.inner,
            model.linear_about == "state",
            model.solver_precision == "fp32",
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
