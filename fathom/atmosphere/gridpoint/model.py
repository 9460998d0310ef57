"""The grid-point atmosphere: non-hydrostatic, on a C grid with levels of height, on a plane or the
sphere. docs/gridpoint.md has the equations.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from fathom.atmosphere.area import outer as outer_models
from fathom.atmosphere.gridpoint import area as gridpoint_area
from fathom.atmosphere.gridpoint import diagnostics as gridpoint_diagnostics
from fathom.atmosphere.gridpoint import report as gridpoint_report
from fathom.atmosphere.gridpoint import step
from fathom.atmosphere.gridpoint.columns import PhysicsOnHeights
from fathom.atmosphere.gridpoint.dynamics import (
    STATE,
    CoreProcesses,
    DryMassFixer,
    GridPointDynamics,
    Iterations,
    Solver,
    ways_to_solve,
)
from fathom.atmosphere.gridpoint.geometry import (
    Cells,
    LinearAboutRest,
    Sponge,
    means_across_rows,
)
from fathom.atmosphere.gridpoint.on_heights import AirOnHeights
from fathom.atmosphere.physics.columns import ColumnPhysics
from fathom.atmosphere.physics.packages import Physics
from fathom.atmosphere.physics.with_physics import check_tracers, flat_or
from fathom.atmosphere.spectral.parameters import checked
from fathom.atmosphere.spectral.reference import Constants, Isothermal, Standard, Stratified
from fathom.base import constants, earth
from fathom.base.failure import InputError
from fathom.base.moist_air import GAS_CONSTANT, HEAT_CAPACITY
from fathom.grids.arguments import choice, integer, number_of, within, yes_or_no
from fathom.grids.cartesian import CartesianGrid
from fathom.grids.grid import Grid
from fathom.grids.latitude_longitude import LatitudeLongitudeGrid
from fathom.grids.levels import HybridLevels
from fathom.grids.regrid import chosen
from fathom.grids.rotated import RotatedGrid
from fathom.model.component import Array, Component, Given, Series
from fathom.model.order import Insertion, Order, all_placed
from fathom.model.schemes import bytes_of

# columns round the globe from which "automatic" averages the trajectories of the wind: N216, from
# which the Unified Model does
finest_traced = 432


def _check_grid(grid: Any) -> None:
    """Raises InputError: velocities do not stand on the faces of its cells."""
    if isinstance(grid, Grid) and grid.staggering == "C":
        return
    raise InputError(
        "GridPointAtmosphere needs a CartesianGrid or a LatitudeLongitudeGrid with staggering ="
        f" 'C', or a RotatedGrid; given {grid!r}"
        + (f" with staggering = {grid.staggering!r}" if isinstance(grid, Grid) else "")
    )


class GridPointAtmosphere(AirOnHeights):
    """Non-hydrostatic: semi-implicit and semi-Lagrangian on an Arakawa C grid with
    Charney-Phillips levels over any ground.

    Parameters
    ----------
    grid : CartesianGrid or LatitudeLongitudeGrid with staggering "C", or RotatedGrid: an area of
        the earth.
    physics : list of schemes (or their names) that add to tendencies, in order, as a spectral
        atmosphere takes them: [HeldSuarez()], BasicPhysics(); by default none.
    tracers : names of tracers other than specific_humidity and the kinds of water that the physics
        changes, which are there by themselves.
    orography : height of the ground [m]: a number, an array (ny, nx) or a function of (x, y) [m],
        on the sphere of (longitude, latitude) [degrees]; default 0, or that of an analysis.
    reference_temperature : of an isothermal reference at rest [K].
    surface_potential_temperature, stability : of a reference of one buoyancy frequency [K, s-1]; on
        a plane 300 K, 0.01 s-1 if nothing else is given. On the sphere the reference is about the
        standard atmosphere if nothing is given.
    coriolis : f [s-1] of a plane, a number.
    rotation : of the sphere [s-1].
    deep : whether the sphere widens with height, gravity falls off, and all of the Coriolis force
        acts (True); False: a shallow atmosphere.
    implicitness : weight of the new time, in [0.5, 1]; 0.5 is of second order, more damps.
    linear_about : what the equations of increments are linear about: "reference", or the "state" of
        each step (on the sphere by default): a matrix a step, and fewer iterations are enough.
    outer, inner : iterations of a step: trajectories again; for each, linear solves.
    iterations : interpolations of the wind to the departure point.
    wind_departures : of the points of the wind on a sphere: "averaged" (default), the mean of the
        trajectories of the points of temperature around them; "traced", each its own; "automatic",
        averaged from N216 on (432 columns round the globe), traced on coarser grids.
    viscosity : of wind and potential temperature [m2 s-1].
    sponge_bottom, sponge_rate : height [m] from which vertical motion is damped, and how fast at
        the top [s-1].
    preconditioner, solver : of the Helmholtz equation
    (fathom.base.mpi.core.helmholtz_preconditioners,
        helmholtz_methods).
    solver_precision : of its numbers, by default the precision of the model; "fp32" also in a model
        of fp64, whose residuals are computed by the model in each iteration.
    tolerance : of its residual, relative to its right side, by default 1e-4 on a plane, 1e-3 on
        the sphere.
    maximum_iterations : of one solve, at most.
    fix_mass : whether the mass of air is kept; by default all but of an area.
    outer_model : the model to which the edges of an area are relaxed: "initial" (default), the
        state it starts from; the path of a store of another run, or of a file, with states in time;
        or a Simulation of a GridPointAtmosphere, a SpectralAtmosphere or a larger area, which runs
        with this one.
    outer_in_time : "linear" (default) or "cubic" between records.
    outer_every : how often the state of one that runs with it is read, by default each of its
        steps; of a store, the records at multiples of it after the first, by default all.
    gravity, gas_constant, heat_capacity, surface_pressure : of dry air [m s-2, J kg-1 K-1, Pa].
    extra_processes : list of Insertion: the user's processes in the order of a step.
    precision : "fp64" (default) or "fp32".
    """

    experiments = ("outer_model",)  # arguments that may be files of experiments
    halo = 2
    usual_surface = None
    zero_outside = ("open_north_face", "length_north_face")
    rotations = ()
    limits = {field.name: field.limits for field in STATE if field.limits}
    groups = step.groups
    preconditioner: str  # of the Helmholtz equation
    solver: str
    solver_precision: str

    def __init__(
        self,
        grid: CartesianGrid | LatitudeLongitudeGrid | RotatedGrid,
        *,
        physics: Physics = (),
        tracers: Sequence[str] = (),
        orography: Given | None = None,
        reference_temperature: float | None = None,
        surface_potential_temperature: float | None = None,
        stability: float | None = None,
        coriolis: float = 0.0,
        rotation: float = earth.ROTATION,
        deep: bool = True,
        implicitness: float = constants.usual["gridpoint_implicitness"],
        linear_about: str | None = None,
        outer: int = 2,
        inner: int = 2,
        iterations: int = 2,
        wind_departures: str = "averaged",
        viscosity: float = 0.0,
        sponge_bottom: float | None = None,
        sponge_rate: float = 0.0,
        preconditioner: str = "separable-lines",
        solver: str = "gcr",
        solver_precision: str | None = None,
        tolerance: float | None = None,
        maximum_iterations: int = 100,
        fix_mass: bool | None = None,
        outer_model: Any = None,
        outer_in_time: str = "linear",
        outer_every: float | str | None = None,
        gravity: float = earth.GRAVITY,
        gas_constant: float = GAS_CONSTANT,
        heat_capacity: float = HEAT_CAPACITY,
        surface_pressure: float = 1e5,
        extra_processes: Sequence[Insertion] = (),
        precision: str = "fp64",
    ) -> None:
        _check_grid(grid)
        choice("precision", precision, ["fp64", "fp32"])
        check_tracers(tracers)
        self._take_physics(physics, tracers)
        self.area = isinstance(grid, RotatedGrid)
        self.sphere = self.area or isinstance(grid, LatitudeLongitudeGrid)
        self.deep = yes_or_no("deep", deep) and self.sphere
        if tolerance is None:
            tolerance = 1e-3 if self.sphere else 1e-4
        usual = "state" if self.sphere else "reference"
        self.linear_about = choice(
            "linear_about", usual if linear_about is None else linear_about, ["reference", "state"]
        )
        self.grid, self.precision = grid, precision
        self.orography, self.own_ground = flat_or(orography), orography is not None
        self.fix_mass = self._keeps(fix_mass)
        self._set_solver(
            preconditioner=preconditioner, solver=solver, solver_precision=solver_precision
        )
        self._set_iterations(outer, inner, iterations, maximum_iterations, tolerance)
        self.own_of_wind = self._own_of_wind(wind_departures)
        self.coriolis = number_of("coriolis", coriolis, "s-1")
        if self.sphere and self.coriolis:
            raise InputError("coriolis is of a plane; a sphere has its rotation")
        self.sponge_bottom = (
            grid.levels.top if sponge_bottom is None
            else number_of("sponge_bottom", sponge_bottom, "m")
        )  # fmt: skip
        self.parameters = checked(
            "GridPointAtmosphere",
            {
                "implicitness": implicitness,
                "rotation": rotation,
                "viscosity": viscosity,
                "gravity": within("gravity", gravity, "m s-2", 0, 1e4),
                "gas_constant": gas_constant,
                "heat_capacity": heat_capacity,
                "sponge_rate": sponge_rate,
                "surface_pressure": surface_pressure,
            },
        )
        if not 0.5 <= self.parameters["implicitness"] <= 1:
            raise InputError(f"implicitness = {implicitness} must lie in [0.5, 1]")
        p = self.parameters
        self.constants = Constants(
            p["gravity"], p["gas_constant"], p["heat_capacity"], p["surface_pressure"]
        )
        self.reference = self._reference(
            reference_temperature, surface_potential_temperature, stability
        )
        self.extra_processes = all_placed(extra_processes)  # from the user
        self.initial, self.filter_span, self.balanced = {}, 0.0, False
        self.outer_model = self._outer(outer_model, outer_in_time, outer_every)

    def _set_iterations(
        self, outer: Any, inner: Any, iterations: Any, maximum_iterations: Any, tolerance: Any
    ) -> None:
        self.outer, self.inner = integer("outer", outer, 10), integer("inner", inner, 10)
        self.iterations = integer("iterations", iterations, 10)
        self.maximum_iterations = integer("maximum_iterations", maximum_iterations, 10_000)
        if min(self.outer, self.inner, self.maximum_iterations) < 1 or self.iterations < 0:
            raise InputError(
                f"outer = {outer}, inner = {inner}, maximum_iterations = {maximum_iterations} must"
                f" be 1 or more, iterations = {iterations} 0 or more"
            )
        self.tolerance = number_of("tolerance", tolerance, "1")
        if not 0 < self.tolerance < 1:
            raise InputError(f"tolerance = {tolerance} must lie between 0 and 1")

    def _own_of_wind(self, given: Any) -> bool:
        """Returns whether points of the wind have trajectories of their own."""
        choice("wind_departures", given, ["averaged", "traced", "automatic"])
        if not self.sphere and given == "traced":
            raise InputError(
                "wind_departures = 'traced' is of a sphere or an area of it; a plane has 'averaged'"
            )
        coarse: bool = self.sphere and self.grid.dx > 360 / finest_traced
        return given == "traced" or (given == "automatic" and coarse)

    def _set_solver(self, **given: Any) -> None:
        if given["solver_precision"] is None:
            given["solver_precision"] = self.precision
        for name, allowed in ways_to_solve(self.precision).items():
            setattr(self, name, choice(name, given[name], allowed))

    def _keeps(self, fix_mass: Any) -> bool:
        if fix_mass is None:
            return not self.area
        if self.area and yes_or_no("fix_mass", fix_mass):
            raise InputError("fix_mass = true: air passes through the edges of an area")
        return bool(fix_mass)

    @property
    def companions(self) -> list[Any]:
        """Returns an outer model that runs at the same time."""
        outer = self.outer_model
        return [outer] if isinstance(outer, outer_models.Running) else []

    def _outer(self, given: Any, in_time: Any, every: Any) -> Any:
        if not self.area:
            if given is not None:
                raise InputError(f"outer_model = {given!r} is of an area: it needs a RotatedGrid")
            return None
        return outer_models.states_of(
            "initial" if given is None else given,
            outer_models.Options(in_time, every),
            self.grid,
            lambda: self.initial,
            lambda: self.receiver,
        )

    def _reference(self, temperature: Any, surface: Any, stability: Any) -> Any:
        if temperature is not None:
            return Isothermal(number_of("reference_temperature", temperature, "K"))
        if self.sphere and surface is None and stability is None:
            return Standard()
        return Stratified(
            number_of("surface_potential_temperature", 300.0 if surface is None else surface, "K"),
            number_of("stability", 0.01 if stability is None else stability, "s-1"),
        )

    @property
    def curvature(self) -> float:
        """Returns 1 / radius of a deep atmosphere [m-1], else 0."""
        return 1 / self.grid.radius if self.deep else 0.0

    @property
    def phases(self) -> Sequence[str]:
        """Returns those of a step, in order."""
        return step.phases(self.outer, self.inner)

    @property
    def columns(self) -> ColumnPhysics:
        """Returns its physics, as a component."""
        return PhysicsOnHeights(self.physics, self.air, self.grid, self.budget)

    @property
    def dynamics(self) -> GridPointDynamics:
        """Returns its dynamics, as a component."""
        return GridPointDynamics(
            self.air,
            sphere=self.sphere,
            deep=self.deep,
            area=self.area,
            slice=self.grid.slice,
            about_state=self.linear_about == "state",
            viscous=bool(self.parameters["viscosity"]),
        )

    @property
    def components(self) -> Sequence[Component]:
        """Returns dynamics, physics, coupling, fixer, and what never changes."""
        fixer = [DryMassFixer(self.curvature)] if self.fix_mass else []
        return [self.dynamics, self.columns, *self._coupling, *fixer, *self._unchanging]

    @property
    def _coupling(self) -> Sequence[Component]:
        """Returns that of an area to its outer model."""
        if not isinstance(self.grid, RotatedGrid):
            return []
        source = self._outer_in_time
        return [gridpoint_area.AreaCoupling(self.grid, self.tracers, self.precision, source)]

    @property
    def _unchanging(self) -> Sequence[Component]:
        """Returns what never changes: cells, sponge, air at rest."""
        interfaces = self.grid.levels.interfaces
        linear = [LinearAboutRest(self.rest)] if self.linear_about == "reference" else []
        return [
            Cells(self.grid, self.coriolis, self.parameters["rotation"]),
            Sponge(interfaces, self.sponge_bottom, self.parameters["sponge_rate"]),
            self.rest,
            *linear,
        ]

    def _outer_in_time(self) -> outer_models.Records:
        """Returns the outer model as a source of fields in time."""

        def relaxed_to(record: Mapping[str, Any]) -> dict[str, Array]:
            return gridpoint_area.state_of_record(record, self.rest, self.hybrid_levels, self.air)

        return outer_models.Records(self.prognostic, self.outer_model, self.time_step, relaxed_to)

    def adiabatic(self) -> Self:
        """Returns the model without the parts that cannot run backward, and with one interpolation
        more of each trajectory. Nothing damps there, and with the usual ones air next to the poles
        becomes unstable in five steps of 20 min.
        """
        dry = super().adiabatic()
        dry.iterations = self.iterations + 1
        return dry

    @property
    def numerics(self) -> Mapping[str, Any]:
        """Returns settings other than the equations on which bits depend; a restart holds them."""
        return {name: getattr(self, name) for name in (*ways_to_solve("fp64"), "tolerance")}

    @property
    def alternatives(self) -> Mapping[str, Sequence[Any]]:
        """Returns settings that could be faster, with other bits of the same answer: key below
        [model] -> values, the present one first.
        """
        now = self.numerics
        return {
            name: [now[name], *(way for way in given if way != now[name])]
            for name, given in ways_to_solve(self.precision).items()
        }

    # ---- what the simulation asks for ------------------------------------------------------------

    def order(self, time_step: float) -> Order:
        """Returns the empty order of a step [s], with the processes of the core."""
        offered = (
            self.parameters
            | {
                "reference_pressure": self.constants.pressure,
                "curvature": self.curvature,
            }
            | means_across_rows(self.grid)
        )
        self.time_step = time_step
        do = Order(bytes_of[self.precision], time_step, offered=offered)
        do.shared = CoreProcesses(
            self.grid,
            time_step,
            self.parameters,
            deep=self.deep,
            hills=bool(np.any(self.rest.ground)),
            iterations=Iterations(self.outer, self.inner, self.iterations),
            solver=Solver(
                self.preconditioner,
                self.solver,
                self.tolerance,
                self.maximum_iterations,
                self.linear_about == "state",
                self.solver_precision,
            ),
            tracers=self.tracers,
            fix_mass=self.fix_mass,
            own_of_wind=self.own_of_wind,
            precision=self.precision,
        )
        return do

    @property
    def derived(self) -> Mapping[str, Any]:
        """Returns output variables that follow from fields: name -> Diagnostic."""
        return gridpoint_diagnostics.derived(self)

    level_coordinates = (
        chosen.pressure,
        chosen.altitude,
        chosen.height,
        chosen.potential_temperature,
        chosen.hybrid(HybridLevels),
    )  # levels that output may use
    on_chosen_levels = ("layer", "interface")

    def at_levels(self, name: str, diagnostic: Any, levels: Any, horizontal: Any) -> Any:
        """Returns the Diagnostic of a variable of layers at chosen levels."""
        return gridpoint_diagnostics.at_levels(self, name, diagnostic, levels)

    def watch(self, simulation: Any) -> tuple[Series, str]:
        """Returns present numbers: name -> (value, units), and words for the line of progress."""
        return gridpoint_diagnostics.watch(simulation)

    def condition(self, simulation: Any) -> str:
        """Returns a text about the state of a run that became unstable."""
        return gridpoint_diagnostics.condition(simulation)

    def report(self, simulation: Any) -> Any:
        """Returns fields that the report draws, on rank 0; all ranks call it."""
        return gridpoint_report.fields(simulation)

    def pictures(self, state: Any) -> Mapping[str, Any]:
        """Returns sections of the report's page: title -> its pictures."""
        return gridpoint_report.pictures(self.grid, state)
