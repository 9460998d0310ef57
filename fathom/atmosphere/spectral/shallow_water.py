"""Shallow water on the sphere, with the operators of the spectral atmosphere."""

from typing import Any, Self

import numpy as np

from fathom.atmosphere.cases import classic as cases
from fathom.atmosphere.products.diagnostics import criteria, of_earth
from fathom.atmosphere.products.report import shallow_water
from fathom.atmosphere.spectral.parameters import checked
from fathom.base import earth, mpi
from fathom.base.clock import Period
from fathom.base.earth import STANDARD_GRAVITY
from fathom.base.failure import InputError
from fathom.base.near import near_or_all
from fathom.data.input.values import check_shape, on_columns
from fathom.grids.arguments import coriolis_of
from fathom.grids.transform import SphericalHarmonics
from fathom.model.model import Model
from fathom.model.order import Order, all_placed
from fathom.model.schemes import bytes_of
from fathom.output.diagnostics import Diagnostic, whole

wind = ("eastward_wind", "northward_wind")


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
    filter : strength of the filter of Robert and Asselin, of the leapfrog.
    placed : list of Placed: the user's processes in the order of a step.
    rotation : angular velocity [s-1].
    precision : "fp64" (default) or "fp32".
    """

    halo = 0
    usual_surface = None
    zero_outside = ()
    rotations = ()
    kept = ()
    limits = {
        "eastward_wind": (-1e3, 1e3),
        "northward_wind": (-1e3, 1e3),
        "fluid_geopotential": (-1e7, 1e7),
        "maximum_wind": (0, 1e3),
    }
    prognostic = (*wind, "fluid_geopotential")

    def __init__(
        self,
        grid,
        *,
        mean_geopotential="automatic",
        scheme="semi-lagrangian",
        orography=0.0,
        coriolis=None,
        diffusion_time=0,
        diffusion_order=4,
        viscosity=0.0,
        off_centring=0.0,
        iterations=2,
        filter=0.0,
        rotation=earth.ROTATION,
        placed=(),
        precision="fp64",
    ) -> None:
        if not hasattr(grid, "truncation") or grid.levels.number != 1:
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
                "diffusion_time": (
                    Period(diffusion_time, "diffusion_time").seconds if diffusion_time else 0.0
                ),
                "diffusion_order": diffusion_order,
                "viscosity": viscosity,
                "off_centring": off_centring,
                "iterations": iterations,
                "filter": filter,
                "rotation": rotation,
            },
        )
        self.placed = all_placed(placed)  # from the user
        self.initial: dict[str, Any] = {}

    def set(self, case=None, **values) -> Self:
        """Initial state: eastward_wind, northward_wind, fluid_geopotential (g times depth):
        numbers, arrays (ny, nx), functions of (longitude, latitude); or `case`, by its name, the
        whole of a published test case (fathom.atmosphere.cases.classic)."""
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

    def processes(self, step, surface=None):
        """The sequence of one step [s], in order."""
        plain = self.grid.sphere.plain and self.coriolis is None
        self.parameters["splitting"] = 0.0 if plain else 1.0
        do = Order(bytes_of[self.precision], step, offered=self.parameters)
        numbers = self.parameters | {"step": float(step), "radius": float(self.grid.radius)}
        dynamics = mpi.core.shallow_water_dynamics(
            self.scheme,
            self.grid.rows,
            self.grid.truncation,
            numbers.pop("mean_geopotential"),
            numbers,
            bytes_of[self.precision],
        )
        shallow_water_step(self, dynamics, do)
        return do.place(self.placed)

    def geometry(self):
        """Fields that never change: name -> array (ny, nx)."""
        f = (
            2 * self.parameters["rotation"] * np.sin(np.deg2rad(self.grid.coordinates()[1]))
            if self.coriolis is None
            else self.coriolis
        )
        return {
            "coriolis": coriolis_of(on_columns(self.grid, f, name="coriolis")),
            "surface_geopotential": on_columns(self.grid, self.orography, name="orography"),
        }

    def profiles(self):
        """Profiles: name -> values."""
        return {}

    def profiles_of_step(self, first):
        """Weights of now and before in the extrapolation to the new time."""
        return (
            {}
            if self.scheme == "eulerian"
            else {"time_weights": [1.0, 0.0] if first else [2.0, -1.0]}
        )

    def initialise(self, simulation):
        """The initial state into the fields, truncated before a step."""
        simulation.changed = True
        state = {
            name: on_columns(
                self.grid,
                self.initial.get(
                    name,
                    self.parameters["mean_geopotential"] if name == "fluid_geopotential" else 0.0,
                ),
                name=name,
            )
            for name in self.prognostic
        }
        state |= dict(zip(wind, self.grid.about_the_pole(*(state[name] for name in wind))))
        for name, values in state.items():
            simulation.fields.set(name, np.ascontiguousarray(values))
        if (
            self.scheme == "semi-lagrangian"
            and (most := simulation.fields.extremes("fluid_geopotential")["maximum"])
            > 1.02 * self.parameters["mean_geopotential"]
        ):
            raise InputError(
                f"mean_geopotential = {self.parameters['mean_geopotential']:g} is less than the"
                f" largest fluid_geopotential, {most:g} m2 s-2: gravity waves would grow; take"
                f" {1.1 * most:.3g}"
            )

    def watch(self, simulation):
        """Present numbers: name -> (value, units), and words for the line of progress."""
        u, v, phi = (simulation.fields.extremes(name) for name in self.prognostic)
        speed = max(abs(x) for w in (u, v) for x in (w["minimum"], w["maximum"]))
        return {
            "mean_geopotential": (phi["mean"], "m2 s-2"),
            "maximum_wind": (speed, "m s-1"),
        }, f"|u| ≤ {speed:.1f} m/s  phi [{phi['minimum']:.0f}, {phi['maximum']:.0f}] m2/s2"

    @property
    def derived(self):
        """Output variables that follow from fields: the height of the surface and the speed of the
        wind.
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

    def criteria(self, step):
        """Limits of the step: that of split rotation alone."""
        return criteria(self, step)

    def report(self, simulation):
        """Fields that the report draws, on rank 0: height of the surface, wind, relative vorticity,
        (ny, nx) as output has them; all ranks call it.
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

    def pictures(self, state):
        """Sections of the report's page: title -> its pictures."""
        return {"Maps": shallow_water(self.grid.mapping(), state)}


def shallow_water_step(model, dynamics, do):
    """One time step, in the order in which it is computed, of either scheme."""
    if model.scheme == "eulerian":
        do("ShallowWaterFluxes")
        do.phase = "spectral"
        do(dynamics.step)
        return
    do("ShallowWaterTerms")
    do("WindExtrapolation")
    do.phase = "semi-Lagrangian"
    do(dynamics.transport)
    do.phase = "dynamics"
    do("ShallowWaterArrival")
    do("ImplicitCoriolis", when=model.parameters["splitting"])
    do.phase = "spectral"
    do(dynamics.step)
