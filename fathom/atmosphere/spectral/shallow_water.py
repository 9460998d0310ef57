"""Shallow water on the sphere, with the operators of the spectral atmosphere.

One step of the semi-Lagrangian scheme:

1. "terms": the nonlinear terms of now, and the wind of the middle of the step;
2. "transport": fields along trajectories;
3. "arrival": what is explicit at the end of a trajectory, and rotation, where it is split off;
4. "solution": the implicit terms, diffusion and the new state, by waves.

The leapfrog has 1 and 4.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from fathom.atmosphere.cases import classic as cases
from fathom.atmosphere.products.diagnostics import limit_of_splitting, of_earth
from fathom.atmosphere.products.report import shallow_water
from fathom.atmosphere.spectral.parameters import checked
from fathom.base import earth, mpi
from fathom.base.clock import seconds_if_any
from fathom.base.earth import STANDARD_GRAVITY
from fathom.base.failure import InputError
from fathom.base.near import near_or_all
from fathom.data.input.values import check_shape, on_columns
from fathom.grids.arguments import coriolis_of
from fathom.grids.gaussian import GaussianGrid
from fathom.grids.transform import SphericalHarmonics
from fathom.model.component import Array, Component, Criterion, Field, Given, Series
from fathom.model.model import Model
from fathom.model.order import Insertion, Order, all_placed
from fathom.model.schemes import bytes_of
from fathom.output.diagnostics import Diagnostic, whole

EASTWARD = Field("eastward_wind", "m s-1", (-1e3, 1e3))
NORTHWARD = Field("northward_wind", "m s-1", (-1e3, 1e3))
FLUID = Field("fluid_geopotential", "m2 s-2", (-1e7, 1e7))
wind = (EASTWARD.name, NORTHWARD.name)


class WaterDynamics(Component):
    """The equations of either scheme: what both have in common.

    `do.shared` has the processes of the core (core/atmosphere/shallow_water).

    Parameters
    ----------
    rotation : angular velocity [s-1].
    splitting : whether rotation is split off.
    """

    def __init__(self, rotation: float, splitting: bool) -> None:
        self.rotation, self.splitting = rotation, splitting

    def state_fields(self) -> tuple[Field, ...]:
        """Returns wind and geopotential of the fluid."""
        return EASTWARD, NORTHWARD, FLUID

    def limits(self, time_step: float) -> Iterable[Criterion]:
        """Returns the limit of split rotation, the only one."""
        return [limit_of_splitting(self.rotation, time_step)] if self.splitting else []


class SemiLagrangianWater(WaterDynamics):
    """Two time levels, semi-implicit, trajectories extrapolated in time (SETTLS)."""

    def processes(self, phase: str, do: Order) -> None:
        """Adds those of a phase."""
        if phase == "terms":
            do("ShallowWaterTerms")
            do("WindExtrapolation")
        elif phase == "transport":
            do(do.shared.transport)
        elif phase == "arrival":
            do("ShallowWaterArrival")
            do("ImplicitCoriolis", when=self.splitting)
        elif phase == "solution":
            do(do.shared.step)


class LeapfrogWater(WaterDynamics):
    """Leapfrog of vorticity, divergence and geopotential, semi-implicit."""

    def processes(self, phase: str, do: Order) -> None:
        """Adds those of a phase."""
        if phase == "terms":
            do("ShallowWaterFluxes")
        elif phase == "solution":
            do(do.shared.step)


class RotatingGround(Component):
    """The ground below the water, and the rotation of the sphere.

    Parameters
    ----------
    grid : of the columns.
    coriolis : f [s-1] as given; None: 2 rotation sin(latitude).
    rotation : angular velocity [s-1].
    orography : surface geopotential [m2 s-2] as given.
    """

    def __init__(
        self, grid: GaussianGrid, coriolis: Given | None, rotation: float, orography: Given
    ) -> None:
        self.grid, self.coriolis = grid, coriolis
        self.rotation, self.orography = rotation, orography

    def fixed_fields(self) -> Mapping[str, Any]:
        """Returns Coriolis parameter [s-1] and geopotential of the ground [m2 s-2], (ny, nx)."""
        f: Given = (
            2 * self.rotation * np.sin(np.deg2rad(self.grid.coordinates()[1]))
            if self.coriolis is None
            else self.coriolis
        )
        return {
            "coriolis": coriolis_of(on_columns(self.grid, f, name="coriolis")),
            "surface_geopotential": on_columns(self.grid, self.orography, name="orography"),
        }


class WaterAtStart(Component):
    """Wind and geopotential of the fluid at the start.

    Parameters
    ----------
    grid : of the columns.
    values : of the user, by field.
    mean_geopotential : what the fluid has where the user sets nothing [m2 s-2].
    below_mean : whether gravity waves grow where the fluid has more than 1.02 times the mean.
    """

    def __init__(
        self,
        grid: GaussianGrid,
        values: Mapping[str, Given],
        mean_geopotential: float,
        below_mean: bool,
    ) -> None:
        self.grid, self.values = grid, values
        self.mean_geopotential, self.below_mean = mean_geopotential, below_mean

    def start(self, simulation: Any) -> None:
        """Puts the initial state into the fields; it is truncated before a step. InputError:
        gravity waves would grow.
        """
        simulation.changed = True
        for name, values in self._state().items():
            simulation.fields.set(name, np.ascontiguousarray(values))
        if not self.below_mean:
            return
        most, mean = simulation.fields.extremes(FLUID.name)["maximum"], self.mean_geopotential
        if most > 1.02 * mean:
            raise InputError(
                f"mean_geopotential = {mean:g} is less than the"
                f" largest fluid_geopotential, {most:g} m2 s-2: gravity waves would grow; take"
                f" {1.1 * most:.3g}"
            )

    def _state(self) -> dict[str, Array]:
        """Returns the fields as given, (ny, nx), with the wind along the axes of the grid."""
        usual = {EASTWARD.name: 0.0, NORTHWARD.name: 0.0, FLUID.name: self.mean_geopotential}
        state = {
            name: on_columns(self.grid, self.values.get(name, value), name=name)
            for name, value in usual.items()
        }
        return state | dict(zip(wind, self.grid.about_the_pole(*(state[name] for name in wind))))


class ShallowWater(Model):
    """Shallow water on a Gaussian grid by spherical harmonics.

    Parameters
    ----------
    grid : GaussianGrid of one level.
    mean_geopotential : of the linear terms [m2 s-2]; the semi-Lagrangian scheme needs one larger
        than fluid_geopotential anywhere. "automatic" (default): that of the case, else 5e4.
    scheme : "semi-lagrangian" (default; two time levels, semi-implicit, SETTLS) or "eulerian"
        (leapfrog, semi-implicit).
    orography : surface geopotential [m2 s-2]: a number, an array (ny, nx) or a function of
        (longitude, latitude) in degrees.
    coriolis : None: 2 rotation sin(latitude); or an array or a function as for orography.
    diffusion_time, diffusion_order, viscosity : as of SpectralAtmosphere, and of
        fluid_geopotential; by default no diffusion.
    off_centring, iterations : of the semi-Lagrangian scheme.
    robert_asselin : strength of the filter of Robert and Asselin, of the leapfrog.
    extra_processes : list of Insertion: the user's processes in the order of a step.
    rotation : angular velocity [s-1].
    precision : "fp64" (default) or "fp32".
    """

    limits = {
        **{field.name: field.limits for field in (EASTWARD, NORTHWARD, FLUID) if field.limits},
        "maximum_wind": (0, 1e3),
    }
    groups: ClassVar[Mapping[str, str]] = {
        "terms": "dynamics",
        "transport": "semi-Lagrangian",
        "arrival": "dynamics",
        "solution": "spectral",
    }
    phases = tuple(groups)

    def __init__(
        self,
        grid: GaussianGrid,
        *,
        mean_geopotential: float | str = "automatic",
        scheme: str = "semi-lagrangian",
        orography: Given = 0.0,
        coriolis: Given | None = None,
        diffusion_time: float | str = 0,
        diffusion_order: int = 4,
        viscosity: float = 0.0,
        off_centring: float = 0.0,
        iterations: int = 2,
        robert_asselin: float = 0.0,
        rotation: float = earth.ROTATION,
        extra_processes: Sequence[Insertion] = (),
        precision: str = "fp64",
    ) -> None:
        if not isinstance(grid, GaussianGrid) or grid.levels.nz != 1:
            raise InputError(f"ShallowWater needs a GaussianGrid of one level, given {grid!r}")
        if precision not in ("fp64", "fp32"):
            raise InputError(f"precision = {precision!r} must be 'fp64' or 'fp32'")
        if scheme not in ("semi-lagrangian", "eulerian"):
            raise InputError(f"scheme = {scheme!r} must be 'semi-lagrangian' or 'eulerian'")
        if scheme == "eulerian" and grid.stretching > 1:
            raise InputError(
                f"scheme = 'eulerian' needs an even sphere, given stretching = {grid.stretching:g};"
                " allowed there: scheme = 'semi-lagrangian'"
            )
        self.grid, self.scheme, self.orography, self.coriolis, self.precision = (
            grid,
            scheme,
            orography,
            coriolis,
            precision,
        )
        self.takes_mean_of_case = mean_geopotential == "automatic"
        self.parameters = checked(
            "ShallowWater",
            {
                "mean_geopotential": 5e4 if self.takes_mean_of_case else mean_geopotential,
                "diffusion_time": (seconds_if_any(diffusion_time, "diffusion_time")),
                "diffusion_order": diffusion_order,
                "viscosity": viscosity,
                "off_centring": off_centring,
                "iterations": iterations,
                "robert_asselin": robert_asselin,
                "rotation": rotation,
            },
        )
        self.extra_processes = all_placed(extra_processes)  # from the user
        self.initial: dict[str, Any] = {}

    @property
    def components(self) -> Sequence[Component]:
        """Returns dynamics, ground and start."""
        rotation, mean = self.parameters["rotation"], self.parameters["mean_geopotential"]
        leapfrog = self.scheme == "eulerian"
        scheme = LeapfrogWater if leapfrog else SemiLagrangianWater
        return (
            scheme(rotation, self.splitting),
            RotatingGround(self.grid, self.coriolis, rotation, self.orography),
            WaterAtStart(self.grid, self.initial, mean, below_mean=not leapfrog),
        )

    @property
    def has_tangent(self) -> bool:
        """Returns whether it has one along a trajectory: the scheme of two time levels."""
        return self.scheme == "semi-lagrangian"

    @property
    def splitting(self) -> bool:
        """Returns whether rotation is split off: not about the poles of the earth, or as given."""
        return not (self.grid.sphere.plain and self.coriolis is None)

    def set(self, case: str | None = None, **values: Given) -> Self:
        """Sets the initial state: eastward_wind, northward_wind [m s-1], fluid_geopotential (g
        times depth) [m2 s-2]: numbers, arrays (ny, nx), functions of (longitude, latitude); or
        `case`, by its name, the whole of a published test case
        (fathom.atmosphere.cases.classic). Returns the model.
        """
        if case is not None:
            values = cases.apply(self, case, cases.shallow_water) | values
        for name, value in values.items():
            if name not in self.prognostic:
                raise InputError(
                    f"shallow water has no field '{name}' to"
                    f" set{near_or_all(name, self.prognostic)}"
                )
            check_shape(self.grid, value, name)
            self.initial[name] = value
        return self

    def order(self, time_step: float) -> Order:
        """Returns the empty order of a step [s], with the processes of the core."""
        numbers = self.parameters | {"splitting": float(self.splitting)}
        do = Order(bytes_of[self.precision], time_step, offered=numbers)
        numbers |= {"step": float(time_step), "radius": float(self.grid.radius)}
        do.shared = mpi.core.shallow_water_dynamics(
            self.scheme,
            self.grid.rows,
            self.grid.truncation,
            numbers.pop("mean_geopotential"),
            numbers,
            bytes_of[self.precision],
        )
        return do

    def profiles_of_step(self, first: bool) -> Mapping[str, Sequence[float]]:
        """Returns the weights of now and before in the extrapolation to the new time."""
        if self.scheme == "eulerian":
            return {}
        return {"time_weights": [1.0, 0.0] if first else [2.0, -1.0]}

    def watch(self, simulation: Any) -> tuple[Series, str]:
        """Returns present numbers: name -> (value, units), and words for the line of progress."""
        u, v, phi = (simulation.fields.extremes(name) for name in self.prognostic)
        speed = max(abs(x) for w in (u, v) for x in (w["minimum"], w["maximum"]))
        return {
            "mean_geopotential": (phi["mean"], "m2 s-2"),
            "maximum_wind": (speed, "m s-1"),
        }, f"|u| ≤ {speed:.1f} m/s  phi [{phi['minimum']:.0f}, {phi['maximum']:.0f}] m2/s2"

    @property
    def derived(self) -> Mapping[str, Diagnostic]:
        """Returns output variables that follow from fields: the height of the surface and the speed
        of the wind.
        """
        return of_earth(self, "column") | {
            "geopotential_height": Diagnostic(
                ("fluid_geopotential", "surface_geopotential"),
                lambda model, window, fluid, ground: (fluid + ground) / STANDARD_GRAVITY,
                vertical="column",
            ),
            "wind_speed": Diagnostic(
                wind, lambda model, window, u, v: np.hypot(u, v), linear=False, vertical="column"
            ),
        }

    def report(self, simulation: Any) -> dict[str, Array] | None:
        """Returns fields that the report draws, on rank 0: height of the surface, wind, relative
        vorticity, (ny, nx) as output has them; all ranks call it.
        """
        state = {name: whole(simulation, name) for name in ("geopotential_height", *wind)}
        u, v = (simulation.gather(name) for name in wind)
        if not simulation.is_root:
            return None
        transform = SphericalHarmonics(
            self.grid.truncation, self.grid.rows, radius=self.grid.radius
        )
        m = self.grid.sphere.map_factor(self.grid.latitude)[:, None]
        vorticity = m**2 * transform.inverse(
            transform.vorticity_divergence(
                *(np.ascontiguousarray(w[0] / m, float) for w in (u, v))
            )[0]
        )
        return {
            name: values[0]
            for name, values in (state | {"vorticity": self.grid.regular(vorticity[None])}).items()
        }

    def pictures(self, state: Any) -> Mapping[str, Any]:
        """Returns sections of the report's page: title -> its pictures."""
        return {"Maps": shallow_water(self.grid.mapping(), state)}
