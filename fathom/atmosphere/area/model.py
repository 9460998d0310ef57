"""Air over a limited area, or a plane that is periodic both ways: the equations of ALADIN, and with
dynamics = "non-hydrostatic" those of AROME.
docs/limited-area.md has them.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from fathom.atmosphere.area import mass as mass_of_area
from fathom.atmosphere.area import outer as outer_models
from fathom.atmosphere.area.arguments import (
    check_area,
    check_compressible,
    check_kept,
    is_compressible,
)
from fathom.atmosphere.area.coupling import Coupling
from fathom.atmosphere.area.on_area import AirOnArea
from fathom.atmosphere.physics.packages import Physics
from fathom.atmosphere.products import report
from fathom.atmosphere.remap import around_area
from fathom.atmosphere.spectral import step
from fathom.atmosphere.spectral.dynamics import Compressible, Dynamics, SemiLagrangian
from fathom.atmosphere.spectral.parameters import checked
from fathom.base import constants, earth, mpi
from fathom.base.clock import seconds_if_any, seconds_of
from fathom.base.failure import InputError
from fathom.grids.arguments import choice, integer, number_of, within
from fathom.grids.cartesian import CartesianGrid
from fathom.grids.limited_area import LimitedAreaGrid
from fathom.grids.periodic_plane import PeriodicPlane
from fathom.grids.transform.plane import orders
from fathom.grids.whole_area import WholeArea
from fathom.model.component import Array, Component, Given, Series
from fathom.model.order import Insertion, Order
from fathom.model.schemes import bytes_of

# of the time of a column of C + I with the first physics what a point of E takes: transforms, the
# solve and what both need (docs/results/limited-area.md)
share_of_extension = {"hydrostatic": 0.08, "non-hydrostatic": 0.15}


class LimitedAreaAtmosphere(AirOnArea):
    """Hydrostatic primitive equations, or compressible air, on hybrid levels by Fourier series in
    two directions, semi-implicit, semi-Lagrangian.

    Parameters
    ----------
    grid : LimitedAreaGrid on a conformal map, or CartesianGrid(staggering="A"); with HybridLevels
        or SigmaLevels, four layers or more. Winds given and in output are eastward and northward.
    dynamics : "hydrostatic" (default), or "non-hydrostatic": compressible air in the coordinate of
        its hydrostatic pressure, for spacings of a few km and less.
    waves : "linear", "quadratic" (default) or "cubic": 2, 3 or 4 points for the shortest wave.
    periodic_by : how fields are made periodic in E: "splines" (default) of those of the area, or
        "windows" (Boyd 2005) of those of the area and around it, where the outer model must have
        them too.
    outer : the model to which the coupling zone is relaxed: "initial" (default), the state it
        starts from; the path of a store of another run, or of a file, with states in time; or a
        Simulation of a SpectralAtmosphere or of a larger area, which then runs together with this
        one (docs/limited-area.md).
    outer_in_time : "linear" (default) or "cubic" between records.
    outer_every : how often the state of an outer model that runs with it is read, by default each
        of its steps; of a store, the records at multiples of it after the first, by default all.
    upper_zone : pressure above which the air is also relaxed to the outer model [Pa]; 0 (default):
        nowhere.
    upper_zone_time : time of the relaxation at the top.
    physics : list of schemes (or their names) that add to tendencies, in order; by default none.
    orography : surface geopotential [m2 s-2]: a number, an array (ny, nx) or a function of
        (longitude, latitude) in degrees, or (x, y) [m] on a periodic plane; "earth": that of the
        earth, with its land and what is smaller than a cell
        (fathom.atmosphere.ground.orography_of_area); the path of a file with finer heights [m] on
        latitudes and longitudes, also for what an analysis lies on;
        default 0, or that of an analysis.
    tracers : names of tracers other than specific_humidity and the kinds of water that the physics
        changes, which are there by themselves.
    diffusion_time : e-folding time of the shortest waves [s, or "1h"]; 0: no horizontal diffusion.
    diffusion_order : power of the Laplacian; 4 is the eighth derivative.
    divergence_damping : diffusion of divergence over that of vorticity.
    viscosity : nu of a plain Laplacian on the model's levels [m2 s-1], with diffusion_time = 0, in
        place of the above.
    sponge : number of uppermost levels in which diffusion doubles from level to level.
    off_centring : weight of the linear terms moved to the new time, in [0, 1].
    reference_temperature, reference_pressure : of the linear terms [K, Pa].
    acoustic_temperature : of the linear terms of sound, colder than the air [K]; non-hydrostatic.
    corrections : how often a step is repeated with its result, by default 1; non-hydrostatic.
    extrapolation : of the nonlinear terms where air departs: "nesc" (default), those of now, for a
        step with corrections; or "settls", from now and before, without; non-hydrostatic.
    iterations : interpolations of the wind to the departure point.
    rotation : angular velocity [s-1].
    gas_constant, heat_capacity : of dry air [J kg-1 K-1].
    fix_mass, fix_energy : of a periodic plane, as SpectralAtmosphere has them; of an area, through
        whose edges both pass, neither is kept.
    extra_processes : list of Insertion: the user's processes in the order of a step.
    precision : "fp64" (default) or "fp32".
    """

    experiments = ("outer",)  # arguments that may be files of experiments, which then run with it
    scheme = "semi-lagrangian"

    def __init__(
        self,
        grid: LimitedAreaGrid | CartesianGrid,
        *,
        dynamics: str = "hydrostatic",
        waves: str = "quadratic",
        periodic_by: str = "splines",
        outer: Any = "initial",
        outer_in_time: str = "linear",
        outer_every: float | str | None = None,
        upper_zone: float = 0.0,
        upper_zone_time: float | str = "10min",
        physics: Physics = (),
        orography: Given | None = None,
        tracers: Sequence[str] = (),
        diffusion_time: float | str = "1h",
        diffusion_order: int = 4,
        divergence_damping: float = 1.0,
        viscosity: float = 0.0,
        sponge: int = 0,
        off_centring: float = 0.0,
        reference_temperature: float = constants.usual["reference_temperature"],
        reference_pressure: float = constants.usual["reference_pressure"],
        acoustic_temperature: float = constants.usual["acoustic_temperature"],
        corrections: int | None = None,
        extrapolation: str = "nesc",
        iterations: int = 2,
        rotation: float = earth.ROTATION,
        gas_constant: float = constants.dry_air_gas_constant,
        heat_capacity: float = constants.spectral_heat_capacity,
        fix_mass: bool | str = "automatic",
        fix_energy: bool | str = False,
        extra_processes: Sequence[Insertion] = (),
        precision: str = "fp64",
    ) -> None:
        periodic = isinstance(grid, PeriodicPlane)
        self.compressible = is_compressible(dynamics)
        check_area(grid, waves, tracers, precision, viscosity, diffusion_time)
        fix_mass = periodic if fix_mass == "automatic" else fix_mass
        check_kept(periodic, fix_mass=fix_mass, fix_energy=fix_energy)
        whole: Any = WholeArea(grid) if isinstance(grid, LimitedAreaGrid) else grid
        self._hold(whole, physics, tracers, orography, precision, extra_processes)
        whole.share_of_extension = share_of_extension[dynamics]
        along_x, along_y = whole.size
        self.waves = waves
        self.truncation = (along_x - 1) // orders[waves], (along_y - 1) // orders[waves]
        self.parameters = checked(
            "LimitedAreaAtmosphere",
            {
                "diffusion_time": seconds_if_any(diffusion_time, "diffusion_time"),
                "diffusion_order": diffusion_order,
                "divergence_damping": divergence_damping,
                "splitting": 1.0,
                "viscosity": viscosity,
                "sponge": sponge,
                "off_centring": off_centring,
                "reference_temperature": reference_temperature,
                "reference_pressure": reference_pressure,
                "iterations": iterations,
                "rotation": within("rotation", rotation, "s-1", -1, 1),
                "gas_constant": gas_constant,
                "heat_capacity": heat_capacity,
                "fix_mass": fix_mass,
                "fix_energy": float(fix_mass and fix_energy),
            }
            | ({"acoustic_temperature": acoustic_temperature} if self.compressible else {}),
        )
        self._fix(*(bool(self.parameters.pop(name)) for name in ("fix_mass", "fix_energy")))
        self.extrapolation = choice("extrapolation", extrapolation, ["nesc", "settls"])
        usual = int(extrapolation == "nesc")
        self.corrections = usual if corrections is None else integer("corrections", corrections, 20)
        if self.compressible:
            check_compressible(self.corrections, self.extrapolation, self.parameters, fix_energy)
        self.points_of_states = around_area.points_by(
            periodic_by,
            whole,
            lambda: self.surface_geopotential,
            lambda: around_area.GivenGround(self.orography, self.on_earth, self.heights),
            self.parameters["gas_constant"],
        )
        self._take_outer(outer, outer_in_time, outer_every, upper_zone, upper_zone_time)
        if isinstance(orography, (str, Path)):
            self._lie_on(str(orography))

    def _take_outer(
        self, outer: Any, in_time: Any, every: Any, upper_zone: Any, upper_zone_time: Any
    ) -> None:
        """Keeps the state to which the air is relaxed, along the edges and at the top."""
        top, ground = (self.grid.levels.a[n] + self.grid.levels.b[n] * 1e5 for n in (1, -1))
        self.upper_zone = number_of("upper_zone", upper_zone, "Pa")
        if self.upper_zone and not top < self.upper_zone < ground:
            raise InputError(
                f"upper_zone = {upper_zone!r} Pa must lie between {top:g} Pa, the base of the"
                f" uppermost layer, and {ground:g} Pa; or 0"
            )
        self.own_start = set()
        self.upper_zone_time = seconds_of(upper_zone_time, "upper_zone_time")
        self.outer = outer_models.states_of(
            outer,
            outer_models.Options(in_time, every),
            self.grid,
            lambda: self.initial,
            lambda: self.receiver,
            self.upper_zone,
        )

    # ---- what the simulation asks for ------------------------------------------------------------

    @cached_property
    def edges(self) -> dict[str, Any]:
        """Returns the edges through which the mass of an area passes; none of a plane."""
        if isinstance(self.grid, PeriodicPlane):
            return {}
        grid = self.grid
        return {name: mass_of_area.Edges(grid, b) for name, b in mass_of_area.boxes(grid).items()}

    def watch(self, simulation: Any) -> tuple[Series, str]:
        """Returns present numbers, also of the mass of an area: name -> (value, units), and
        words for the line of progress.
        """
        seen, words = super().watch(simulation)
        return seen | mass_of_area.seen(simulation, self.edges), words

    def account(self, simulation: Any) -> dict[str, Any]:
        """Returns the mass of an area in the run (fathom/atmosphere/area/mass.py) [Pa]."""
        since = simulation.start_steps * simulation.time_step
        mass = mass_of_area.account(simulation.series, since)
        return {"mass_of_area": mass} if mass else {}

    @property
    def phases(self) -> Sequence[str]:
        """Returns those of a step, in order."""
        return step.compressible(self.corrections) if self.compressible else step.semi_lagrangian

    @property
    def dynamics(self) -> Dynamics:
        """Returns its dynamics, as a component."""
        divergence = "divergence" if self.grid.map_factor is None else "reference_divergence"
        rotation = self.parameters["rotation"]
        if self.compressible:
            return Compressible(self.air, rotation, divergence, self.extrapolation)
        return SemiLagrangian(self.air, rotation, True, divergence)

    @property
    def components(self) -> Sequence[Component]:
        """Returns physics, coupling, dynamics and fixers."""
        columns, *others = super().components
        source = self._outer_in_time if self.outer else None
        return [columns, Coupling(source, bool(self.edges)), *others]

    def _outer_in_time(self) -> outer_models.Records:
        """Returns the outer model as a source of fields in time."""
        step = self.time_step
        right_side = self._right_side(step)
        return outer_models.Records(
            self.prognostic, self.outer, step, lambda given: self._relaxed_to(right_side, given)
        )

    def relaxed_to_start(self, time_step: float) -> dict[str, Array]:
        """Returns the values by name to which fields are relaxed in steps [s] where the outer state
        is that of the start.
        """
        return self._relaxed_to(self._right_side(time_step), self.initial)

    def _right_side(self, time_step: float) -> outer_models.RightSide:
        """Returns R of states, with a step [s]."""
        return outer_models.RightSide(
            self.grid,
            self.truncation,
            self.parameters,
            self.temperature,
            self.compressible,
            time_step,
        )

    def _relaxed_to(
        self, right_side: outer_models.RightSide, given: Mapping[str, Any]
    ) -> dict[str, Array]:
        """Returns R of a state that is given as `set` takes it."""
        whole = {name: self.at_all_points(value) for name, value in given.items()}
        return right_side(outer_models.whole_fields(self.start_values(whole)))

    def without_fixers(self) -> Self:
        """Returns the model without the parts that have no tangent, and without the sums of what
        passes the edges. InputError: it has no tangent.
        """
        if self.compressible and self.extrapolation == "settls":
            raise InputError(
                "extrapolation = 'settls' of compressible air has no tangent; allowed is 'nesc'"
            )
        same = super().without_fixers()
        same.edges = {}
        return same

    def order(self, time_step: float) -> Order:
        """Returns the empty order of a step [s], with the processes of the core."""
        self.time_step = time_step
        return super().order(time_step)

    def core_dynamics(self, time_step: float) -> Any:
        """Returns the processes of a step [s] that need communication
        (core/atmosphere/spectral/dynamics.hpp).
        """
        levels = self.grid.levels
        return mpi.core.SpectralDynamics(
            self._plane(),
            list(map(float, levels.a)),
            list(map(float, levels.b)),
            self.numbers | {"step": float(time_step), "radius": earth.RADIUS},
            self.temperature,
            [(name, "any") for name in self.tracers],
            bytes_of[self.precision],
        )

    def _plane(self) -> Any:
        grid = self.grid
        sides = tuple(n * grid.spacing for n in grid.size)

        def flat(field: Any) -> Any:
            return [] if field is None else field.ravel().tolist()

        exponents = outer_models.EXPONENT, outer_models.EXPONENT_OF_TRACERS
        shares = [outer_models.weights(grid, p) if self.outer else None for p in exponents]
        upper = None
        if self.upper_zone:
            upper = outer_models.weights_of_levels(
                grid, self.time_step, self.upper_zone, self.upper_zone_time
            )
        return mpi.core.OnPlane(
            grid.size,
            grid.points,
            self.truncation,
            sides,
            *map(flat, (grid.map_factor, *shares, upper)),
        )

    def pictures(self, state: Any) -> Mapping[str, Any]:
        """Returns fields for the report, of C + I: E lies beyond the area."""
        if isinstance(self.grid, PeriodicPlane):
            return super().pictures(state)

        def inside(value: Any) -> Any:
            if isinstance(value, (list, tuple)):
                return type(value)(map(inside, value))
            of_all_points = np.shape(value)[-2:] == self.grid.size[::-1]
            return self.grid.area.inside(value) if of_all_points else value

        inner = {name: inside(value) for name, value in state.items()}
        return report.pictures(self.grid.area.mapping(), inner)

    @property
    def land_fraction(self) -> Array | None:
        """Returns the share of land as output has it, (ny, nx), for coasts: none in E."""
        land = super().land_fraction
        return None if land is None else np.where(self.grid.wet_levels > 0, land, np.nan)
