"""The grid-point atmosphere: non-hydrostatic, on a C grid with levels of height. docs/gridpoint.md
has the equations.
"""

from functools import cached_property

import numpy as np

from fathom import earth, mpi
from fathom.atmosphere import gridpoint_report
from fathom.atmosphere.parameters import checked
from fathom.atmosphere.reference import Constants, Isothermal, Stratified
from fathom.grids.arguments import choice, integer, number_of
from fathom.grids.plane import PlaneGrid
from fathom.input.values import on_columns
from fathom.model import Model
from fathom.moist_air import GAS_CONSTANT
from fathom.names import near
from fathom.order import Order, all_placed
from fathom.output.diagnostics import Diagnostic
from fathom.schemes import bytes_of

faces = ("dx_east_face", "dy_north_face", "length_east_face", "length_north_face", "area_center")


class GridPointAtmosphere(Model):
    """Dry, non-hydrostatic, deep in the vertical: semi-implicit and semi-Lagrangian on an Arakawa C
    grid with Charney-Phillips levels over any ground.

    Parameters
    ----------
    grid : PlaneGrid with HeightLevels.
    orography : height of the ground [m]: a number, an array (ny, nx) or a function of (x, y) [m].
    reference_temperature : of an isothermal reference at rest [K]; None (default): the reference
        has the potential temperature `surface_potential_temperature` [K] at height 0 and the
        buoyancy frequency `stability` [s-1].
    coriolis : f [s-1], a number.
    implicitness : weight of the new time, in [0.5, 1]; 0.5 is of second order, more damps.
    outer, inner : iterations of a step: trajectories anew; for each, linear solves.
    iterations : interpolations of the wind to the departure point.
    viscosity : of wind and potential temperature [m2 s-1].
    sponge_bottom, sponge_rate : height [m] from which vertical motion is damped, and how fast at
        the top [s-1].
    preconditioner : of the Helmholtz equation (fathom.mpi.core.helmholtz_preconditioners);
        tolerance of its residual, relative to its right side; maximum_iterations.
    fix_mass : whether the mass of air is kept.
    gravity, gas_constant, heat_capacity, surface_pressure : of dry air [m s-2, J kg-1 K-1, Pa].
    placed : list of Placed: processes of the user's own in the order of a step.
    precision : "fp64" (default) or "fp32".
    """

    halo = 1
    usual_surface = None
    zero_outside = ("open_north_face",)
    rotations = ()
    kept = ("eastward_wind", "northward_wind")
    settable = (
        "x_wind",
        "y_wind",
        "upward_air_velocity",
        "potential_temperature_deviation",
        "temperature_deviation",
    )
    limits = {
        "x_wind": (-500, 500),
        "y_wind": (-500, 500),
        "upward_air_velocity": (-200, 200),
        "air_potential_temperature": (50, 1e5),
        "air_density": (0, 10),
    }

    def __init__(
        self,
        grid,
        *,
        orography=0.0,
        reference_temperature=None,
        surface_potential_temperature=300.0,
        stability=0.01,
        coriolis=0.0,
        implicitness=0.55,
        outer=2,
        inner=2,
        iterations=2,
        viscosity=0.0,
        sponge_bottom=None,
        sponge_rate=0.0,
        preconditioner="lines",
        tolerance=1e-4,
        maximum_iterations=100,
        fix_mass=True,
        gravity=earth.GRAVITY,
        gas_constant=GAS_CONSTANT,
        heat_capacity=3.5 * GAS_CONSTANT,
        surface_pressure=1e5,
        placed=(),
        precision="fp64",
    ):
        if not isinstance(grid, PlaneGrid):
            raise ValueError(f"GridPointAtmosphere needs a PlaneGrid, given {grid!r}")
        choice("precision", precision, ["fp64", "fp32"])
        choice("preconditioner", preconditioner, list(mpi.core.helmholtz_preconditioners))
        self.grid, self.orography, self.precision = grid, orography, precision
        self.preconditioner, self.fix_mass = preconditioner, bool(fix_mass)
        self.outer, self.inner = integer("outer", outer, 10), integer("inner", inner, 10)
        self.iterations = integer("iterations", iterations, 10)
        self.maximum_iterations = integer("maximum_iterations", maximum_iterations, 10_000)
        if min(self.outer, self.inner, self.maximum_iterations) < 1 or self.iterations < 0:
            raise ValueError(
                f"outer = {outer}, inner = {inner}, maximum_iterations = {maximum_iterations} must"
                f" be 1 or more, iterations = {iterations} 0 or more"
            )
        self.tolerance = number_of("tolerance", tolerance, "1")
        if not 0 < self.tolerance < 1:
            raise ValueError(f"tolerance = {tolerance} must lie between 0 and 1")
        self.coriolis = number_of("coriolis", coriolis, "s-1")
        self.sponge_bottom = (
            grid.levels.top if sponge_bottom is None
            else number_of("sponge_bottom", sponge_bottom, "m")
        )  # fmt: skip
        self.parameters = checked(
            "GridPointAtmosphere",
            {
                "implicitness": implicitness,
                "viscosity": viscosity,
                "gravity": gravity,
                "gas_constant": gas_constant,
                "heat_capacity": heat_capacity,
                "sponge_rate": sponge_rate,
                "surface_pressure": surface_pressure,
            },
        )
        if not 0.5 <= self.parameters["implicitness"] <= 1:
            raise ValueError(f"implicitness = {implicitness} must lie in [0.5, 1]")
        p = self.parameters
        self.constants = Constants(
            p["gravity"], p["gas_constant"], p["heat_capacity"], p["surface_pressure"]
        )
        self.reference = (
            Stratified(
                number_of("surface_potential_temperature", surface_potential_temperature, "K"),
                number_of("stability", stability, "s-1"),
            )
            if reference_temperature is None
            else Isothermal(number_of("reference_temperature", reference_temperature, "K"))
        )
        self.placed = all_placed(placed)  # the user's own
        self.initial = {}

    @property
    def prognostic(self):
        """Fields of the state; a slice has no face between two rows, its y_wind is there all the
        same.
        """
        across = () if self.grid.slice else ("y_wind",)
        return (
            "x_wind",
            *across,
            "upward_air_velocity",
            "air_potential_temperature",
            "air_density",
        )

    def set(self, **values):
        """Initial state by field: a number, an array of its levels, or a function of (x, y, height)
        [m].

        Allowed: x_wind, y_wind, upward_air_velocity; potential_temperature_deviation or
        temperature_deviation [K] from the reference, whose pressure the air has.
        """
        for name, value in values.items():
            if name not in self.settable:
                raise ValueError(
                    f"the atmosphere has no field '{name}' to set{near(name, self.settable) or ';'}"
                    f" allowed: {', '.join(self.settable)}"
                )
            self.initial[name] = value
        if {"potential_temperature_deviation", "temperature_deviation"} <= set(self.initial):
            raise ValueError(
                "the state takes either potential_temperature_deviation or temperature_deviation"
            )
        return self

    # ---- what the simulation asks for ------------------------------------------------------------

    def processes(self, step, surface=None):
        """The sequence of one step [s], in order."""
        offered = self.parameters | {"reference_pressure": self.constants.pressure}
        do = Order(bytes_of[self.precision], step, offered=offered)
        gridpoint_step(self, Dynamics(self, step), do)
        return do.place(self.placed)

    @cached_property
    def heights(self):
        """Of the interfaces, (levels + 1, ny, nx) [m]."""
        return self.grid.levels.over(on_columns(self.grid, self.orography, name="orography"))

    @cached_property
    def air_at_rest(self):
        """The reference on the grid: Exner function and density of layers, potential temperature of
        interfaces. ValueError: it ends below the top.
        """
        z, c, top = self.heights, self.constants, self.grid.levels.top
        if not self.reference.exner(top, c) > 0.01:
            raise ValueError(f"the reference, {self.reference}, has no air at {top:g} m, the top")
        theta = self.reference.potential_temperature(z, c)
        exner = self.reference.exner((z[1:] + z[:-1]) / 2, c)
        return exner, c.density(exner, (theta[1:] + theta[:-1]) / 2), theta

    def geometry(self):
        """Fields that never change: name -> array (ny, nx), or with levels."""
        h, shape = self.grid.horizontal, np.shape(self.grid.wet_levels)
        exner, density, theta = self.air_at_rest
        metrics = {name: np.asarray(getattr(h, name)) for name in faces}
        coriolis, open_north = np.full(shape, self.coriolis), np.ones(shape)
        if self.grid.slice:  # no flux, no gradient across; of two rows of faces one: f counts twice
            metrics |= {
                "length_north_face": np.zeros(shape),
                "dy_north_face": np.full(shape, 1e30),
            }
            coriolis *= 2
        else:
            open_north[-1] = 0
        return metrics | {
            "open_east_face": np.ones(shape),
            "open_north_face": open_north,
            "coriolis": coriolis,
            "interface_height": self.heights,
            "reference_exner": exner,
            "reference_density": density,
            "reference_potential_temperature": theta,
        }

    def profiles(self):
        """Profiles: name -> values."""
        eta = self.grid.levels.interfaces
        depth = max(self.grid.levels.top - self.sponge_bottom, 1e-30)
        inside = np.clip((eta - self.sponge_bottom) / depth, 0, 1)
        damping = self.parameters["sponge_rate"] * np.sin(np.pi / 2 * inside) ** 2
        return {
            "level_height": list(map(float, eta)),
            "vertical_damping": list(map(float, damping)),
        }

    def profiles_of_step(self, first):
        """Nothing that differs between steps."""
        return {}

    def initialise(self, simulation):
        """The initial state into the fields."""
        simulation.changed = True
        z, c = self.heights, self.constants
        exner, _, theta = self.air_at_rest
        middle = (z[1:] + z[:-1]) / 2
        beside = {"x_wind": (2, -1), "y_wind": (1, -1)}
        state = {}
        for name in ("x_wind", "y_wind", "upward_air_velocity"):
            at = z if name == "upward_air_velocity" else middle
            state[name] = self._given(name, at, beside.get(name))
        if not self.grid.slice:
            state["y_wind"][:, -1] = 0
        warmer = self._given("potential_temperature_deviation", z)
        if "temperature_deviation" in self.initial:
            warmer = self._given("temperature_deviation", z) / self.reference.exner(z, c)
        state["air_potential_temperature"] = theta = theta + warmer
        state["air_density"] = c.density(exner, (theta[1:] + theta[:-1]) / 2)
        for name, values in state.items():
            for k, level in enumerate(values):
                simulation.fields.set(name, np.ascontiguousarray(level), k)

    def _given(self, name, heights, moved=None):
        """What the user gives for a field, (levels, ny, nx); moved: (axis, -1) of faces, half a
        cell further along it. ValueError: a shape that does not fit, what is not finite.
        """
        value = self.initial.get(name, 0.0)
        if callable(value):
            x, y = self.grid.coordinates()
            if moved:
                heights = (heights + np.roll(heights, moved[1], moved[0])) / 2
                x, y = (x + self.grid.dx / 2, y) if moved[0] == 2 else (x, y + self.grid.dy / 2)
            values = np.stack([np.broadcast_to(value(x, y, z), x.shape) for z in heights])
        else:
            try:
                values = np.broadcast_to(np.asarray(value, float), heights.shape)
            except (TypeError, ValueError):
                raise ValueError(
                    f"{name} = {value!r}: a number, an array that fits {heights.shape}, or a"
                    " function of (x, y, height)"
                ) from None
        if not np.isfinite(values).all():
            k, j, i = np.argwhere(~np.isfinite(values))[0]
            raise ValueError(f"{name} is {values[k, j, i]} at {self.grid.place(j, i)}, level {k}")
        return np.array(values, float)

    @property
    def derived(self):
        """Output variables that follow from fields: name -> Diagnostic."""
        state = ("air_density", "air_potential_temperature")

        def of(function):
            return Diagnostic(
                state,
                lambda model, window, density, theta: function(
                    model, np.asarray(density, float), np.asarray(theta, float)
                ),
                linear=False,
                vertical="layer",
            )

        return {
            "air_temperature": of(lambda model, rho, theta: temperature(model, rho, theta)),
            "air_pressure": of(
                lambda model, rho, theta: (
                    model.constants.gas_constant * rho * temperature(model, rho, theta)
                )
            ),
            "potential_temperature_deviation": Diagnostic(
                ("air_potential_temperature",),
                lambda model, window, theta: theta - _part(model.air_at_rest[2], window),
                vertical="interface",
            ),
        }

    def watch(self, simulation):
        """Numbers of now: name -> (value, units), and words for the line of progress."""
        e = simulation.fields.extremes
        u, v = (e(name) for name in ("eastward_wind", "northward_wind"))
        w, theta = (e(name) for name in ("upward_air_velocity", "air_potential_temperature"))
        most = lambda *all: max(abs(one[end]) for one in all for end in ("minimum", "maximum"))
        solve = simulation.find(mpi.core.HelmholtzSolve)
        each = solve.iterations / max(solve.solves, 1)
        return {
            "maximum_wind": (most(u, v), "m s-1"),
            "maximum_upward_velocity": (most(w), "m s-1"),
            "solver_iterations": (each, "1"),
        }, (
            f"|u| ≤ {most(u, v):.1f}  |w| ≤ {most(w):.3g} m/s"
            f"  theta [{theta['minimum']:.1f}, {theta['maximum']:.1f}] K"
        )

    def criteria(self, step):
        """Limits of the step: none that is known before anything moves."""
        return []

    def report(self, simulation):
        """What the report draws, on rank 0; all ranks call it."""
        return gridpoint_report.fields(simulation)

    def pictures(self, state):
        """Sections of the report's page: title -> its pictures."""
        return gridpoint_report.pictures(state)


def temperature(model, density, theta):
    """Of layers [K], from densities and the potential temperatures of interfaces."""
    c = model.constants
    kappa, warm = c.gas_constant / c.heat_capacity, (theta[1:] + theta[:-1]) / 2
    return warm * (c.gas_constant * density * warm / c.pressure) ** (kappa / (1 - kappa))


def _part(values, window):
    j0, i0, ny, nx = window
    return values[..., j0 : j0 + ny, i0 : i0 + nx]


class Dynamics:
    """What needs communication (core/atmosphere/gridpoint)."""

    def __init__(self, model, step):
        grid, precision = model.grid, bytes_of[model.precision]
        names = ("implicitness", "gravity", "heat_capacity", "gas_constant")
        given = {name: model.parameters[name] for name in names} | {"step": float(step)}
        setup = mpi.core.GridPointSetup(
            float(step),
            given["implicitness"],
            model.iterations,
            grid.dx,
            grid.dy,
            list(map(float, grid.levels.interfaces)),
        )
        self.departure = mpi.core.gridpoint_departure(setup, precision)
        self.transport = mpi.core.gridpoint_transport(setup, precision)
        self.helmholtz = mpi.core.HelmholtzSolve(
            given, model.preconditioner, model.tolerance, model.maximum_iterations
        )
        self.mass = mpi.core.DryMass() if model.fix_mass else None


def gridpoint_step(model, dynamics, do):
    """One time step, in the order in which it is computed."""

    def right_sides():
        do.phase = "dynamics"
        do("GridPointExner")
        do("GridPointMotion")
        do("GridPointForces")

    right_sides()
    do("GridPointStart")
    do("GridPointDiffusion", when=model.parameters["viscosity"])
    for outer in range(model.outer):
        if outer:
            right_sides()
        do.phase = "semi-Lagrangian"
        do(dynamics.departure)
        do(dynamics.transport)
        for inner in range(model.inner):
            if inner:
                right_sides()
            do.phase = "solver"
            do("GridPointResiduals")
            do("HelmholtzRightSide")
            do(dynamics.helmholtz)
            do("GridPointIncrements")
    do.phase = "dynamics"
    do(dynamics.mass)
    do("GridPointWind", rows=1 if model.grid.slice else 2)
