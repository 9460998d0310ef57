"""The ocean: its processes, their order and their defaults.

The first argument is the grid, schemes are keywords. The simulation adds time, ranks and forcing.
docs/models.md lists what a simulation needs from a model.
"""

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from fathom.base import earth, mpi
from fathom.base.failure import InputError
from fathom.base.near import near, near_or_all, unknown
from fathom.data import levitus, sets
from fathom.data.input import layers
from fathom.data.input.records import sources
from fathom.data.input.values import check_shape, on_columns, on_layers
from fathom.grids.arguments import coriolis_of, number_of, pair
from fathom.grids.regrid import chosen
from fathom.grids.water import WaterGrid
from fathom.model.model import Model
from fathom.model.order import Order, all_placed
from fathom.model.schemes import bytes_of, scheme
from fathom.ocean import balance
from fathom.ocean.components import mixing, overflow
from fathom.ocean.components.drifters import Drifters
from fathom.ocean.components.free_surface import FreeSurface
from fathom.ocean.components.friction import StrainFriction
from fathom.ocean.components.sea_ice import allowed as limits_of_ice
from fathom.ocean.components.tracers import declared, own_terms
from fathom.ocean.parts import one, one_or_none
from fathom.ocean.products import circulation
from fathom.ocean.products.diagnostics import at_depth, derived, drake_transport
from fathom.ocean.products.report import fields, pictures
from fathom.ocean.products.series import by_basin
from fathom.ocean.products.series import kept as of_series
from fathom.ocean.stability import criteria
from fathom.ocean.step import time_step
from fathom.ocean.surface.forcing import BulkForcing
from fathom.ocean.surface.given_fluxes import SurfaceForcing

# length of a degree of latitude [m]: the grid spacing at which lateral coefficients have their
# nominal value
degree = 111198.0


towards = ("eastward_velocity", "northward_velocity")  # may be set instead of
flow = {"velocity_x", "velocity_y"}
names_of_height = (
    "sea_surface_height",
    "zos",
    "sea_surface_height_above_geoid",
    "sea_surface_height_above_mean_sea_level",
)


def _coriolis(given):
    """ "earth", or f0 and beta."""
    return given if isinstance(given, str) else pair("coriolis", given, "s-1, m-1 s-1")


def _on_water(grid):
    if not isinstance(grid, WaterGrid):
        raise InputError(
            "Ocean needs a TripolarGrid, DipoleGrid, LatitudeLongitudeGrid, CartesianGrid or"
            f" CurvilinearGrid, given {grid!r}"
        )
    return grid


def _overflows(given):
    found = [] if given is None or isinstance(given, str) else list(given)
    if isinstance(given, str) or any(not hasattr(one, "on") for one in found):
        raise InputError(f"overflows = {given!r} must be a list of Overflow")
    return found


class Ocean(Model):
    """Hydrostatic Boussinesq primitive equations on the B grid, z levels, implicit free surface.

    Parameters
    ----------
    grid : a grid of `fathom.grids` with `levels`.
    equation_of_state : MWJF (default), JMCD, UNESCO, TEOS10Polynomial or LinearEquationOfState.
    vertical_mixing : RichardsonMixing (default), KPP or ConstantMixing.
    background_mixing : BryanLewisMixing, or None (default); added to vertical_mixing.
    tidal_mixing : TidalMixing, or None (default); added to vertical_mixing.
    tidal_energy : for it, ½ rho0 k h² u² [J m-2]: a number, an array (ny, nx), a function of
        (longitude, latitude), of (x, y) on a plane, a file; None: of the real sea floor.
    double_diffusion : DoubleDiffusion, or None (default): salt and other tracers then have another
        diffusivity than temperature.
    shortwave_penetration : where sunlight is absorbed: JerlovWater (default with KPP),
        ChlorophyllWater, or None: in the top layer (default without).
    chlorophyll : for ChlorophyllWater, a number [mg m-3], an array (ny, nx), a function of
        (longitude, latitude), of (x, y) on a plane, or in time: a file, Records.
    tracer_advection : CentredAdvection (default), UpwindAdvection, LaxWendroffAdvection or
        QuickestAdvection.
    momentum_advection : MomentumAdvection (default), or None for linear dynamics.
    friction : LaplacianFriction (default), BiharmonicFriction, AnisotropicFriction,
        SmagorinskyFriction or None.
    diffusion : LaplacianDiffusion (default; none with eddies), BiharmonicDiffusion or None.
    eddies : GentMcWilliams, or None (default).
    submesoscale : MixedLayerEddies, or None (default).
    bottom_drag : float, quadratic drag coefficient.
    bottom_speed : float, speed added to that of the bottom layer in the drag [m s-1] (tides; large:
        linear drag).
    geothermal_heat : heat from the sea floor [W m-2], a number, an array (ny, nx) or a function of
        (longitude, latitude) or (x, y); default 0.
    overflows : list of Overflow, DenmarkStrait, FaroeBankChannel, RossSea, WeddellSea. Their walls
        become part of `grid`.
    free_surface : FreeSurface.
    sea_ice : SeaIce, or None (default): the sea stays at or above freezing.
    tracers : list of further tracers: PassiveTracer, IdealAge, Dye, CFC11, CFC12, SF6; a word is
        the name of a PassiveTracer, except "ideal_age", "cfc11", "cfc12" and "sf6".
    budgets : names of tracers; every term of their budget is computed in every cell,
        docs/model.md.
    extra_processes : list of Insertion: the user's processes in the order of a step.
    coriolis : "earth" (default), or (f0, beta) [s-1, m-1 s-1] on a plane: f = f0 + beta y.
    extrapolation : of explicit terms to the middle of a step (Adams-Bashforth): the weights are
        1.5 + extrapolation now and -0.5 - extrapolation before; a larger value damps more.
    precision : "fp64" (default) or "fp32".
    """

    halo = 2
    usual_surface = SurfaceForcing  # where the user gives none
    surfaces = (BulkForcing, SurfaceForcing)
    zero_outside = (
        "wet_levels",
        "depth_corner",
    )  # fixed fields that beyond a closed edge are 0, not the nearest value
    limits_of_water: ClassVar[dict] = {
        "temperature": (-20, 80),
        "salinity": (-10, 100),
        "velocity_x": (-30, 30),
        "velocity_y": (-30, 30),
        "sea_surface_height": (-100, 100),
        "maximum_speed": (0, 50),
    }  # fields and series beyond which a run has blown up
    derived, integrals = derived, circulation.integrals
    stores: ClassVar[dict] = {"drifters": Drifters}
    level_coordinates = (chosen.depth,)  # levels that output may use

    def __init__(
        self,
        grid,
        *,
        equation_of_state="default",
        vertical_mixing="default",
        tracer_advection="default",
        momentum_advection="default",
        friction="default",
        diffusion="default",
        eddies=None,
        submesoscale=None,
        background_mixing=None,
        tidal_mixing=None,
        tidal_energy=None,
        double_diffusion=None,
        shortwave_penetration="default",
        chlorophyll=0.2,
        bottom_drag=1.2e-3,
        bottom_speed=0.0,
        geothermal_heat=0.0,
        overflows=(),
        free_surface="default",
        sea_ice=None,
        tracers=(),
        budgets=(),
        extra_processes=(),
        coriolis="earth",
        precision="fp64",
        extrapolation=0.1,
    ) -> None:
        self.overflows = _overflows(overflows)
        self.grid = grid = overflow.raised(_on_water(grid), self.overflows)
        self.equation_of_state = one("equation_of_state", equation_of_state, scheme("MWJF"))
        self.vertical_mixing = one("vertical_mixing", vertical_mixing, scheme("RichardsonMixing"))
        usual_water = scheme("JerlovWater") if self.has_boundary_layer else None
        self.shortwave_penetration = one_or_none(
            "shortwave_penetration", shortwave_penetration, usual_water
        )
        self.background_mixing = one_or_none("background_mixing", background_mixing)
        self.tidal_mixing = one_or_none("tidal_mixing", tidal_mixing)
        self.double_diffusion = one_or_none("double_diffusion", double_diffusion)
        self.chlorophyll, self.tidal_energy = chlorophyll, tidal_energy
        check_shape(grid, geothermal_heat, "geothermal_heat")
        check_shape(grid, 0.0 if tidal_energy is None else tidal_energy, "tidal_energy")
        self.chlorophyll_records = mixing.of_chlorophyll(self)
        self.tracer_advection = one(
            "tracer_advection", tracer_advection, scheme("CentredAdvection")
        )
        self.momentum_advection = one_or_none(
            "momentum_advection", momentum_advection, scheme("MomentumAdvection")
        )
        self.friction = one_or_none("friction", friction, scheme("LaplacianFriction"))
        self.eddies = one_or_none("eddies", eddies)
        self.submesoscale = one_or_none("submesoscale", submesoscale)
        self.diffusion = one_or_none(
            "diffusion", diffusion, None if self.eddies else scheme("LaplacianDiffusion")
        )
        self.bottom_drag, self.bottom_speed, self.geothermal_heat = (
            float(bottom_drag),
            float(bottom_speed),
            geothermal_heat,
        )
        self._surface = one("free_surface", free_surface, FreeSurface())
        self.choose_for(device=False)
        self.sea_ice = one_or_none("sea_ice", sea_ice)
        self.tracers = declared(tracers)
        self.budgets = self._of_tracers([budgets] if isinstance(budgets, str) else list(budgets))
        self.coriolis = _coriolis(coriolis)
        self.extrapolation = number_of("extrapolation", extrapolation, "1")
        if not 0 <= self.extrapolation <= 0.5:
            raise InputError(f"extrapolation = {extrapolation!r} must lie between 0 and 0.5")
        if precision not in ("fp64", "fp32"):
            raise InputError(f"precision = {precision!r} must be 'fp64' or 'fp32'")
        self.precision = precision
        self.extra_processes = all_placed(extra_processes)  # from the user
        self.initial: dict[str, Any] = {}
        self.motion = "rest"

    @property
    def tracer_names(self):
        return ["temperature", "salinity", *[t.name for t in self.tracers]]

    def _of_tracers(self, budgets):
        """Names of tracers. ValueError where one is none."""
        if strange := [name for name in budgets if name not in self.tracer_names]:
            raise InputError(unknown("tracer of a budget", strange[0], self.tracer_names))
        return budgets

    def set(self, **values) -> Self:
        """Initial state by field: a number, an array (nz, ny, nx) or (ny, nx), a function of
        (longitude, latitude, depth) – of (x, y, depth) on a plane –, an xarray.DataArray, a file
        or Records on (depth, latitude, longitude), or the name of a data set ("levitus").

        Allowed fields: the tracers, velocity_x, velocity_y (or eastward_velocity,
        northward_velocity), sea_surface_height. Instead of velocities and height,
        motion="geostrophic" or "balanced" starts in balance with temperature and salinity
        (docs/model.md); "rest" is the default.
        """
        for name, value in values.items():
            if name == "motion":
                self.motion = balance.known(value, self.grid)
            elif name not in (*self.of_water, *towards):
                allowed = [*self.of_water, *towards, "motion"]
                raise InputError(
                    f"the ocean has no field '{name}' to set{near_or_all(name, allowed)}"
                )
            else:
                if isinstance(value, str):
                    self._check_data_set(value, name)
                check_shape(self.grid, value, name)
                self.initial[name] = value
        if {*towards} & {*self.initial} and flow & {*self.initial}:
            raise InputError(
                f"{' and '.join(towards)} are set instead of {' and '.join(sorted(flow))}, not with"
                " them"
            )
        if self.motion != "rest" and (given := balance.names & set(self.initial)):
            raise InputError(
                f"motion = {self.motion!r} sets {' and '.join(sorted(given))}, which is given too"
            )
        return self

    # ---- what the simulation asks for ------------------------------------------------------------

    def processes(self, step, surface):
        """The sequence of one step [s], in order; `surface` gives stress and fluxes."""
        do = Order(bytes_of[self.precision], step, own_cells=self.own_cells, renamed=self._beyond)
        time_step(self, surface, do)
        do.place(self.extra_processes)
        own_terms(self, do)
        return do.processes

    def _beyond(self, form):
        """Where layers follow the surface, cells contain all of its height, and nothing is left to
        add. With a sea-ice model, sea ice is that of the model, not the observed one.
        """
        read = {f["name"] for f in form.entry["fields"] if f["access"] == "reads"}
        both = {"cell_thickness", "sea_surface_height"} <= read
        beyond = {"sea_surface_height": "height_beyond_cells"} if self.stretched and both else {}
        ice = self.sea_ice and "sea_ice_fraction" in read
        return beyond | ({"sea_ice_fraction": "sea_ice_area"} if ice else {})

    def records(self, _):
        """Sources of time-dependent fields other than at the surface (fathom/run/forcing.py)."""
        return (
            []
            if self.chlorophyll_records is None
            else sources([self.chlorophyll_records], self.grid)
        )

    @property
    def warm_floor(self):
        """Whether heat comes from below."""
        return not (np.isscalar(self.geothermal_heat) and self.geothermal_heat == 0)

    @property
    def stretched(self):
        """Whether layers follow the surface."""
        return self.free_surface.freshwater == "volume"

    @property
    def own_cells(self):
        """Whether cells of one layer differ in thickness."""
        return self.grid.levels.least_share is not None or self.stretched

    @property
    def split(self):
        """Whether tracers are advected forward in time, direction by direction: from the present
        values alone.
        """
        return "tracer_swept" in self.tracer_advection.field_names

    @property
    def rotations(self):
        """Fields that take each other's place at the end of a step."""
        before = lambda tracer: [] if self.split else [tracer + "_before"]
        return [
            *[[*before(t), t, t + "_after"] for t in self.tracer_names],
            *[[f, f + "_after"] for f in ("velocity_x", "velocity_y", "sea_surface_height")],
        ]

    @property
    def prognostic(self):
        """The fields of the state: set at the start, part of the checksum, shown in summary and
        report.
        """
        return [*self.of_water, *(self.sea_ice.prognostic if self.sea_ice else [])]

    @property
    def limits(self):
        """Fields and series beyond which a run has blown up: name -> (least, most)."""
        return self.limits_of_water | (limits_of_ice if self.sea_ice else {})

    @property
    def of_water(self):
        """The fields of the state that a user sets: all but the ice, which SeaIce has."""
        return [*self.tracer_names, "velocity_x", "velocity_y", "sea_surface_height"]

    @property
    def diagnostics(self):
        """Fields that stay readable between steps besides the state, for report and series."""
        return (*self.report_fields, *of_series, *(self.sea_ice.kept if self.sea_ice else ()))

    @property
    def report_fields(self):
        """Fields of which the report has a map, besides the state."""
        return ("boundary_layer_depth",) if self.has_boundary_layer else ()

    @property
    def has_boundary_layer(self):
        """Whether the mixing scheme knows one."""
        return "boundary_layer_depth" in self.vertical_mixing.field_names

    @property
    def without_tangent(self):
        """Parts that have no tangent, by their argument."""
        return {
            name: given
            for name, given in (("sea_ice", self.sea_ice), ("overflows", self.overflows))
            if given
        }

    def choose_for(self, device):
        """Chooses the solver for a device, or for the processor, where none was given."""
        self.free_surface = self._surface_on(device)

    def _surface_on(self, device):
        return self._surface.on(int(np.count_nonzero(self.grid.wet_levels)), device)

    @property
    def choices_for_device(self):
        """What was chosen for a device."""
        usual, now = self._surface_on(device=False), self.free_surface
        if (usual.solver, usual.preconditioner) == (now.solver, now.preconditioner):
            return []
        return [
            f"free surface by {now.solver} and {now.preconditioner}, which a device has; on the"
            f" processor by {usual.solver} and {usual.preconditioner}"
        ]

    @property
    def numerics(self):
        """Settings that change bits but not the equations. The restart holds them, and a run that
        continues with other values warns.
        """
        surface = self.free_surface
        return {
            name: getattr(surface, name)
            for name in (
                "solver",
                "preconditioner",
                "precision",
                "steps",
                "reproducible",
                "tolerance",
            )
        }

    @property
    def alternatives(self):
        """Settings that could be faster, with other bits of the same answer: key below [model] ->
        values, the present one first.
        """
        surface = self.free_surface
        ways = {
            "preconditioner": [name for name, _ in mpi.core.preconditioners()],
            "solver": [name for name, _ in mpi.core.solvers()],
            "precision": ["mixed", "fp64"],
            "reproducible": [True, False],
        }
        now = {name: getattr(surface, name) for name in ways}
        return {
            f"free_surface.{name}": [now[name], *(way for way in given if way != now[name])]
            for name, given in ways.items()
        }

    def profiles_of_step(self, first):
        """Weights of now and before in the extrapolation to the middle of the step (Adams-Bashforth
        2, a little damped).
        """
        return {
            "time_weights": (
                [1.0, 0.0] if first else [1.5 + self.extrapolation, -0.5 - self.extrapolation]
            )
        }

    def tables(self, clock):
        """Profiles that follow a table in time: name -> (times [s], rows, whether it is
        interpolated).
        """
        return {
            name: table
            for tracer in self.tracers
            for name, table in tracer.tables(self.grid, clock).items()
        }

    def initialise(self, simulation):
        """The initial state into the fields."""
        if self.sea_ice:
            self.sea_ice.initialise(self.grid, simulation.fields)
        at_start = {
            tracer.name: value
            for tracer in self.tracers
            if (value := tracer.at_start(self.grid, simulation.clock)) is not None
        }
        for name, value in (
            {"temperature": 10.0, "salinity": 35.0} | at_start | self.initial
        ).items():
            if name == "sea_surface_height":
                height = on_columns(
                    self.grid, value, name=name, units="m", called=names_of_height, gaps="fill"
                )
                simulation.fields.set(name, height)
            elif name not in towards:
                for k, values in self._layers(name, value):
                    for field in filter(simulation.fields.has, (name, name + "_before")):
                        simulation.fields.set(field, values, k)
        if {*towards} & {*self.initial}:
            self._turn(simulation.fields)
        if self.motion != "rest":
            balance.start(simulation)

    def _layers(self, name, value):
        """(k, array (ny, nx)) of what was given; velocities at corners."""
        where = "corner" if "velocity" in name else "center"
        if isinstance(value, str) or layers.is_data(value):
            value = self._data_set(value, name, where)
        return on_layers(self.grid, value, name, where)

    def _turn(self, fields):
        """Velocities eastward and northward along the axes of the grid."""
        if missing := {*towards} - {*self.initial}:
            raise InputError(f"{missing.pop()} is not set: {' and '.join(towards)} go together")
        angle = np.asarray(self.grid.horizontal.angle_corner)
        for (k, east), (_, north) in zip(*(self._layers(n, self.initial[n]) for n in towards)):
            fields.set("velocity_x", east * np.cos(angle) + north * np.sin(angle), k)
            fields.set("velocity_y", north * np.cos(angle) - east * np.sin(angle), k)

    def _data_set(self, source, name, where):
        """Layers (nz, ny, nx) of a data set by its name, of a file, or of xarray."""
        longitude, latitude = self.grid.places_on_earth(f"{name} = {source!r}", where)
        places = np.asarray(latitude), np.asarray(longitude), self.grid.levels.middles
        if isinstance(source, str) and source == "levitus" and name in ("temperature", "salinity"):
            return levitus.on_points(*places, name)
        return layers.on_points(source, name, *places)

    @staticmethod
    def _check_data_set(source, name):
        """InputError: no data set or file of that name."""
        if (source == "levitus" and name in ("temperature", "salinity")) or layers.is_data(source):
            return
        raise InputError(
            f"no data set '{source}' for {name}{near(source, ['levitus', *sets.known()])}; allowed:"
            f" 'levitus' for temperature and salinity, {', '.join([*sets.known(), 'a file'])}"
        )

    def integral_coordinates(self):
        """Coordinates of the dimensions of `integrals`: name -> (dims, array, attributes)."""
        return circulation.coordinates(self)

    def at_levels(self, name, diagnostic, levels, horizontal):
        """The Diagnostic of a variable of layers at chosen depths."""
        return at_depth(diagnostic, np.array(levels.values), horizontal)

    def watch(self, simulation):
        """Present numbers, name -> (value, units), and their text for the line of progress."""
        motion, temperature = (
            simulation.fields.motion(simulation.time_step),
            simulation.fields.extremes("temperature"),
        )
        series = {
            "mean_temperature": (temperature["mean"], "degC"),
            "kinetic_energy": (motion["kinetic_energy"], "m2 s-2"),
            "maximum_speed": (motion["speed"], "m s-1"),
        }
        series |= drake_transport(simulation)
        return (
            series | by_basin(simulation),
            (
                f"|u| ≤ {motion['speed']:.2g} m/s  T [{temperature['minimum']:.1f},"
                f" {temperature['maximum']:.1f}] °C"
            ),
        )

    def criteria(self, step):
        """Limits of the step, a list of Criterion."""
        return criteria(self, step)

    def report(self, simulation):
        """Fields that the report draws, on rank 0: name -> array; all ranks call it."""
        return fields(simulation)

    def pictures(self, state):
        """Sections of the report's page: title -> its pictures."""
        return pictures(self.grid.mapping(), state)

    def geometry(self):
        """Fields that never change: name -> array (ny, nx), or a function of the layer that gives
        one.
        """
        h, wet = self.grid.horizontal, np.asarray(self.grid.wet_levels)
        metric = {
            n: np.asarray(getattr(h, n), float)
            for n in (
                "dx_corner",
                "dy_corner",
                "dx_center",
                "dy_center",
                "length_north_face",
                "length_east_face",
                "dx_east_face",
                "dy_north_face",
            )
        }
        scale = np.sqrt(metric["dx_corner"] * metric["dy_corner"]) / degree
        return metric | {
            "area_center": np.asarray(h.area_center, float),
            **{
                n: np.asarray(getattr(h, n), float)
                for n in ("curvature_x", "curvature_y", "curvature_squared")
            },
            "coriolis": self.coriolis_parameter(),
            "grid_angle": np.asarray(h.angle_corner, float),
            "viscosity_scale": self._lateral_scale(scale, self.friction),
            "diffusivity_scale": self._lateral_scale(
                np.sqrt(metric["dx_center"] * metric["dy_center"]) / degree, self.diffusion
            ),
            "wet_levels": wet.astype(float),
            "depth_corner": self.grid.depth("corner"),
            "cell_thickness": self.grid.thickness,
            "corner_thickness": partial(self.grid.thickness, where="corner"),
            **mixing.fields(self),
            **{
                name: values
                for tracer in self.tracers
                for name, values in tracer.fields(self.grid).items()
            },
            **(self.friction.fields(self) if isinstance(self.friction, StrainFriction) else {}),
            **(
                {
                    "geothermal_heat_flux": on_columns(
                        self.grid, self.geothermal_heat, name="geothermal_heat"
                    )
                }
                if self.warm_floor
                else {}
            ),
            "depth_center": self.grid.depth(),
            "bottom_thickness": self.grid.bottom_thickness(),
            "bottom_thickness_corner": self.grid.bottom_thickness("corner"),
            **(self.eddies.fields(np.ones(wet.shape)) if self.eddies else {}),
        }

    def _lateral_scale(self, spacing, scheme_):
        """The factor of the coefficient of a lateral scheme: the spacing in degrees for Laplacian
        schemes; its cube, half in each of the two passes, for biharmonic ones. On a plane the
        coefficient is what the user gives.
        """
        if not self.grid.horizontal.spherical:
            return np.ones_like(spacing)
        return (
            spacing**1.5
            if scheme_ is not None and scheme_.name.startswith("Biharmonic")
            else spacing
        )

    def coriolis_parameter(self):
        """f at the corners [s-1], (ny, nx)."""
        h = self.grid.horizontal
        if self.coriolis == "earth":
            if not h.spherical:
                raise InputError(
                    "a plane needs coriolis=(f0, beta) [s-1, m-1 s-1]; 'earth' is for grids on the"
                    " sphere"
                )
            return 2 * earth.ROTATION * np.sin(np.deg2rad(np.asarray(h.corner_latitude)[1:, 1:]))
        if h.spherical:
            raise InputError(
                f"coriolis = {self.coriolis!r} is for a plane; a grid on the sphere has"
                " coriolis='earth'"
            )
        f0, beta = self.coriolis
        return coriolis_of(f0 + beta * np.asarray(h.corner_latitude)[1:, 1:])

    def profiles(self):
        """Profiles: name -> values."""
        depth = np.cumsum(self.grid.vertical.thickness) - 0.5 * np.asarray(
            self.grid.vertical.thickness
        )
        return {
            "thickness": list(self.grid.vertical.thickness),
            "pressure_reference": list(earth.SEA_WATER_DENSITY * earth.GRAVITY * depth / 1e4),
        }
