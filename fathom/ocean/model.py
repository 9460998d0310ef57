"""The ocean: its components and their defaults; fathom/ocean/step.py has their order in a step.

The first argument is the grid, schemes are keywords. The simulation adds time, ranks and forcing.
docs/models.md lists what a simulation needs from a model.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.data.input.records import Records
from fathom.data.input.values import check_shape
from fathom.grids.arguments import number_of, yes_or_no
from fathom.grids.cartesian import CartesianGrid
from fathom.grids.grid import Grid
from fathom.grids.latitude_longitude import LatitudeLongitudeGrid
from fathom.grids.regrid import chosen
from fathom.grids.water import WaterGrid
from fathom.model.component import Array, Component, Field, Given, Series
from fathom.model.model import Model
from fathom.model.order import Insertion, Order, all_placed
from fathom.model.schemes import Scheme, bytes_of, scheme
from fathom.ocean.balance import Balance
from fathom.ocean.components import overflow
from fathom.ocean.components.cells import Cells, FreshWater
from fathom.ocean.components.component import OceanComponent
from fathom.ocean.components.diffusion import Diffusion
from fathom.ocean.components.drifters import Drifters
from fathom.ocean.components.eddies import Eddies, GentMcWilliams
from fathom.ocean.components.free_surface import BarotropicMode, FreeSurface
from fathom.ocean.components.friction import Friction, StrainFriction
from fathom.ocean.components.mixing import TidalMixing, VerticalMixing, has_boundary_layer
from fathom.ocean.components.momentum import Density, Momentum, Rotation
from fathom.ocean.components.momentum_budget import MOMENTUM, VORTICITY, MomentumBudget
from fathom.ocean.components.nudging import AllNudging, Nudging
from fathom.ocean.components.overflow import Overflow, Overflows
from fathom.ocean.components.passive import FluxesOfTracers, PassiveTracer, PassiveTracers
from fathom.ocean.components.sea_floor import SeaFloor
from fathom.ocean.components.sea_ice import SeaIce
from fathom.ocean.components.sunlight import Sunlight
from fathom.ocean.components.tides import ForcesFromAbove, Tides
from fathom.ocean.components.tracers import (
    SALINITY,
    TEMPERATURE,
    FreezingLimit,
    Tracers,
    declared,
)
from fathom.ocean.doubts import doubts
from fathom.ocean.edges.open_edges import Edges, OpenEdges
from fathom.ocean.edges.outer import OuterSea
from fathom.ocean.edges.sides import opened
from fathom.ocean.edges.two_way import NestsInside
from fathom.ocean.initial import InitialState
from fathom.ocean.named_physics import usual_parts
from fathom.ocean.parts import listed, one, one_or_none
from fathom.ocean.products import circulation
from fathom.ocean.products.diagnostics import at_depth, derived, drake_transport
from fathom.ocean.products.harmonics import Harmonics
from fathom.ocean.products.report import fields, pictures
from fathom.ocean.products.series import by_basin
from fathom.ocean.products.series import kept as of_series
from fathom.ocean.step import PHASES
from fathom.ocean.surface.forcing import BulkForcing, Surface
from fathom.ocean.surface.given_fluxes import SurfaceForcing

of_flow = {MOMENTUM, VORTICITY}  # budgets that are of no tracer
Part = Scheme | type[Scheme] | str  # a scheme, its class or its name


def _on_water(grid: Any) -> WaterGrid:
    if not isinstance(grid, WaterGrid):
        raise InputError(
            "Ocean needs a TripolarGrid, DipoleGrid, LatitudeLongitudeGrid, CartesianGrid or"
            " CurvilinearGrid, with staggering = 'B' where there is a choice; given"
            f" {grid!r}"
            + (f" with staggering = {grid.staggering!r}" if isinstance(grid, Grid) else "")
        )
    return grid


def _components(given: Iterable[Any]) -> list[Component]:
    found = list(given)
    if strange := [one for one in found if not isinstance(one, Component)]:
        raise InputError(f"extra_components: {strange[0]!r} is no Component (docs/models.md)")
    return found


def _extrapolation(given: float) -> float:
    number = number_of("extrapolation", given, "1")
    if not 0 <= number <= 0.5:
        raise InputError(f"extrapolation = {given!r} must lie between 0 and 0.5")
    return float(number)


class Ocean(Model):
    """Hydrostatic Boussinesq primitive equations on the B grid, z levels, implicit free surface.

    Parameters
    ----------
    grid : a grid of `fathom.grids` with `levels`.
    physics : the set that has the parts which are not named. "standard", the default where rows go
        once around the earth: KPP, UpwindAdvection, GentMcWilliams with isoneutral mixing that
        varies with stratification, MixedLayerEddies, TidalMixing, geothermal heat of 0.1 W m-2 and
        fresh water as volume; on a plane without tides and heat from below. "simple", the default
        of planes and regions: the cheap ones below.
    equation_of_state : MWJF (default), JMCD, UNESCO, TEOS10Polynomial or LinearEquationOfState.
    vertical_mixing : RichardsonMixing (simple), KPP (standard) or ConstantMixing.
    background_mixing : BryanLewisMixing, or None (default); added to vertical_mixing.
    tidal_mixing : TidalMixing (standard), or None (simple); added to vertical_mixing.
    tidal_energy : for it, ½ rho0 k h² u² [J m-2]: a number, an array (ny, nx), a function of
        (longitude, latitude), of (x, y) on a plane, a file; None: of the real sea floor.
    double_diffusion : DoubleDiffusion, or None (default): salt and other tracers then have another
        diffusivity than temperature.
    shortwave_penetration : where sunlight is absorbed: JerlovWater (default with KPP),
        ChlorophyllWater, or None: in the top layer (default without).
    chlorophyll : for ChlorophyllWater, a number [mg m-3], an array (ny, nx), a function of
        (longitude, latitude), of (x, y) on a plane, or in time: a file, Records.
    tracer_advection : CentredAdvection (simple), UpwindAdvection (standard),
        LaxWendroffAdvection or QuickestAdvection.
    momentum_advection : MomentumAdvection (default), or None for linear dynamics.
    friction : LaplacianFriction (default), BiharmonicFriction, AnisotropicFriction,
        SmagorinskyFriction or None.
    diffusion : LaplacianDiffusion (default; none with eddies), BiharmonicDiffusion or None.
    eddies : GentMcWilliams (standard), or None (simple).
    submesoscale : MixedLayerEddies (standard), or None (simple).
    bottom_drag : float, quadratic drag coefficient.
    bottom_speed : float, speed added to that of the bottom layer in the drag [m s-1] (tides; large:
        linear drag).
    geothermal_heat : heat from the sea floor [W m-2], a number, an array (ny, nx) or a function of
        (longitude, latitude) or (x, y); 0 (simple), 0.1 (standard).
    overflows : list of Overflow, DenmarkStrait, FaroeBankChannel, RossSea, WeddellSea. Their walls
        become part of `grid`.
    free_surface : FreeSurface.
    open_edges : OpenEdges, or None (default): where the grid ends there are walls.
    tides : Tides, or None (default): the force of moon and sun.
    air_pressure : whether the pressure of the air of the surface forcing presses the sea.
    nudging : list of Nudging: tracers and flow that are drawn to given values.
    sea_ice : SeaIce, or None (default): the sea stays at or above freezing under BulkForcing.
    tracers : list of further tracers: PassiveTracer, IdealAge, Dye, CFC11, CFC12, SF6, Carbon,
        Alkalinity, Oxygen; a word is the name of a PassiveTracer, except "ideal_age", "cfc11",
        "cfc12", "sf6", "dissolved_inorganic_carbon", "alkalinity" and "oxygen".
    reactions : scheme or list of schemes that change several tracers at once: NPZD, RedfieldCarbon
        and RedfieldOxygen after it, or the user's own, in C++ or a PythonScheme. They run once a
        step, when the tendencies of all of these tracers are complete otherwise, and none has its
        new value.
    budgets : names of tracers, "velocity", "vorticity"; every term of their budget is computed in
        every cell, docs/model.md.
    extra_processes : list of Insertion: the user's processes in the order of a step.
    extra_components : list of Component: the user's own parts (docs/models.md).
    coriolis : "earth" (default), or (f0, beta) [s-1, m-1 s-1] on a plane: f = f0 + beta y.
    extrapolation : of explicit terms to the middle of a step (Adams-Bashforth): the weights are
        1.5 + extrapolation now and -0.5 - extrapolation before; a larger value damps more.
    precision : "fp64" (default) or "fp32".
    """

    components: Sequence[Component] = ()  # made when it is built
    halo = 2
    phases = tuple(PHASES)
    groups = PHASES
    takes_other_steps = lies_below_air = True
    usual_surface = SurfaceForcing  # where the user gives none
    surfaces = (BulkForcing, SurfaceForcing)
    zero_outside = ("wet_levels", "depth_corner")  # 0, not the nearest value, beyond closed edges
    derived, integrals = derived, circulation.integrals
    stores: ClassVar[Mapping[str, type]] = {"drifters": Drifters, "harmonics": Harmonics}
    level_coordinates = (chosen.depth,)  # levels that output may use

    def __init__(
        self,
        grid: WaterGrid | CartesianGrid | LatitudeLongitudeGrid,
        *,
        physics: str = "default",
        equation_of_state: Part = "default",
        vertical_mixing: Part = "default",
        tracer_advection: Part = "default",
        momentum_advection: Part | None = "default",
        friction: Part | StrainFriction | type[StrainFriction] | None = "default",
        diffusion: Part | None = "default",
        eddies: GentMcWilliams | type[GentMcWilliams] | str | None = "default",
        submesoscale: Part | None = "default",
        background_mixing: Part | None = None,
        tidal_mixing: Part | None = "default",
        tidal_energy: Given | None = None,
        double_diffusion: Part | None = None,
        shortwave_penetration: Part | None = "default",
        chlorophyll: Given | Path | Records = 0.2,
        bottom_drag: float = 1.2e-3,
        bottom_speed: float = 0.0,
        geothermal_heat: Given | str = "default",
        overflows: Iterable[Overflow] = (),
        free_surface: FreeSurface | type[FreeSurface] | str = "default",
        open_edges: OpenEdges | None = None,
        tides: Tides | None = None,
        air_pressure: bool = False,
        nudging: Nudging | Iterable[Nudging] = (),
        sea_ice: SeaIce | type[SeaIce] | str | None = None,
        tracers: PassiveTracer | str | Iterable[PassiveTracer | str] = (),
        reactions: Any = (),
        budgets: str | Iterable[str] = (),
        extra_processes: Insertion | Sequence[Insertion] = (),
        extra_components: Iterable[Component] = (),
        coriolis: str | Sequence[float] = "earth",
        precision: str = "fp64",
        extrapolation: float = 0.1,
    ) -> None:
        self.overflows = overflow.listed(overflows)
        self.grid: WaterGrid = overflow.raised(_on_water(grid), self.overflows)
        self.tides = one_or_none("tides", tides)
        self.air_pressure = yes_or_no("air_pressure", air_pressure)
        self.nudging = [nudging] if isinstance(nudging, Nudging) else list(nudging)
        if strange := [one for one in self.nudging if not isinstance(one, Nudging)]:
            raise InputError(f"nudging: {strange[0]!r} is no Nudging(field, to, time)")
        self.open_edges, self.cuts = one_or_none("open_edges", open_edges), None
        if self.open_edges is not None:
            sponge = self.open_edges.sponge, self.open_edges.sponge_cells
            self.grid, self.cuts = opened(self.grid, self.open_edges.edges, sponge)
        self.physics, usual_part = usual_parts(physics, self.grid)

        def own(part: str, given: Any) -> Any:
            return one(part, given, usual_part[part])

        def own_or_none(part: str, given: Any) -> Any:
            return one_or_none(part, given, usual_part[part])

        self.equation_of_state = one("equation_of_state", equation_of_state, scheme("MWJF"))
        self.vertical_mixing = own("vertical_mixing", vertical_mixing)
        usual_water = scheme("JerlovWater") if has_boundary_layer(self.vertical_mixing) else None
        self.shortwave_penetration = one_or_none(
            "shortwave_penetration", shortwave_penetration, usual_water
        )
        self.background_mixing = one_or_none("background_mixing", background_mixing)
        self.tidal_mixing = own_or_none("tidal_mixing", tidal_mixing)
        self.double_diffusion = one_or_none("double_diffusion", double_diffusion)
        self.chlorophyll, self.tidal_energy = chlorophyll, tidal_energy
        if isinstance(geothermal_heat, str) and geothermal_heat == "default":
            geothermal_heat = usual_part["geothermal_heat"]
        check_shape(self.grid, geothermal_heat, "geothermal_heat")
        check_shape(self.grid, 0.0 if tidal_energy is None else tidal_energy, "tidal_energy")
        self.tracer_advection = own("tracer_advection", tracer_advection)
        usual = scheme("MomentumAdvection")
        self.momentum_advection = one_or_none("momentum_advection", momentum_advection, usual)
        self.friction = one_or_none("friction", friction, scheme("LaplacianFriction"))
        self.eddies = own_or_none("eddies", eddies)
        self.submesoscale = own_or_none("submesoscale", submesoscale)
        usual_diffusion = None if self.eddies else scheme("LaplacianDiffusion")
        self.diffusion = one_or_none("diffusion", diffusion, usual_diffusion)
        self.bottom_drag, self.bottom_speed = float(bottom_drag), float(bottom_speed)
        self.geothermal_heat = geothermal_heat
        self.free_surface = own("free_surface", free_surface)
        self.sea_ice = one_or_none("sea_ice", sea_ice)
        self.tracers = declared(tracers)
        self.reactions = listed("reactions", reactions)
        self.rotation = Rotation(self.grid, coriolis)
        self.coriolis = self.rotation.given
        self.extrapolation = _extrapolation(extrapolation)
        if precision not in ("fp64", "fp32"):
            raise InputError(f"precision = {precision!r} must be 'fp64' or 'fp32'")
        self.precision = precision
        self.extra_processes = all_placed(extra_processes)  # from the user
        self.extra_components = _components(extra_components)
        self.budgets = [budgets] if isinstance(budgets, str) else list(budgets)
        self._build()

    def _tracer_fields(self) -> list[Field]:
        """Returns temperature, salinity and the others. InputError: a budget is of no tracer."""
        found = [TEMPERATURE, SALINITY, *(tracer.field for tracer in self.tracers)]
        known = [*(field.name for field in found), MOMENTUM, VORTICITY]
        if strange := [name for name in self.budgets if name not in known]:
            raise InputError(unknown("tracer of a budget", strange[0], known))
        return found

    def _build(self) -> None:
        """Makes the components, each of what it needs."""
        grid, state, fields_ = self.grid, self.equation_of_state, self._tracer_fields()
        self.nests = NestsInside(grid, self.diffusion)
        radiates = self.open_edges is not None and not self.open_edges.two_way
        self.barotropic = BarotropicMode(grid, self.free_surface, radiates)
        self.choose_for(device=False)
        self.cells = Cells(grid, follow_surface=self.barotropic.takes_fresh_water)
        mixing = VerticalMixing(
            self.vertical_mixing,
            self.background_mixing,
            TidalMixing(grid, self.tidal_mixing, self.tidal_energy),
            self.double_diffusion,
            state,
            eddies=self.eddies is not None,
        )
        passive = PassiveTracers(grid, self.tracers)
        sources = self._sources(fields_, mixing, passive)
        momentum = Momentum(
            self.rotation,
            self.momentum_advection,
            self.bottom_drag,
            self.bottom_speed,
            self.cells.follow_surface,
        )
        tracers = Tracers(
            fields_, self.tracer_advection, sources, mixing, passive, self.budgets, self.reactions
        )
        water: list[OceanComponent] = [tracers, momentum, self.barotropic]
        self.initial_state = InitialState(
            grid,
            [field for component in water for field in component.state_fields()],
            passive,
            Balance(self.cells, self.rotation, state),
        )
        self.initial_state.outer = self.outer = next(
            (one.outer for one in sources if isinstance(one, Edges)), None
        )
        own = [one for one in self.extra_components if one not in sources]
        self.components = [
            *water,
            self.cells,
            Density(state),
            Friction(self.rotation, self.friction),
            *sources,
            *([self.sea_ice] if self.sea_ice else []),
            *own,
            self.initial_state,
            *([MomentumBudget(VORTICITY in self.budgets)] if of_flow & {*self.budgets} else []),
        ]

    def _sources(
        self, fields_: list[Field], mixing: VerticalMixing, passive: PassiveTracers
    ) -> list[OceanComponent]:
        """Returns the components that add terms to the tendency of tracers, in this order."""
        grid, state = self.grid, self.equation_of_state
        overflows = [Overflows(grid, self.overflows, fields_, state)] if self.overflows else []
        forced = self.tides is not None or self.air_pressure
        above = [ForcesFromAbove(grid, self.tides, self.air_pressure)] if forced else []
        drawn = [AllNudging(grid, self.nudging, fields_, self.cuts)] if self.nudging else []
        advection = self.momentum_advection and self.momentum_advection.name
        friction, stretched = self.friction is not None, self.cells.follow_surface
        edges = (
            [Edges(grid, self.cuts, self.open_edges, fields_, advection, friction, stretched)]
            if self.open_edges is not None and self.cuts is not None
            else []
        )
        return [
            Diffusion(grid, self.diffusion),
            Eddies(grid, self.eddies, self.submesoscale, state, mixing.has_boundary_layer),
            Sunlight(grid, self.shortwave_penetration, self.chlorophyll),
            mixing,
            *overflows,
            *above,
            *edges,
            *drawn,
            SeaFloor(grid, self.geothermal_heat),
            passive,
            *([FreshWater()] if self.cells.follow_surface else []),
            self.nests,
            *(own for own in self.extra_components if isinstance(own, OceanComponent)),
        ]

    def forcing(self, surface: Any) -> Surface:
        """Returns the forcing at the surface, over this sea."""
        found: Surface = (surface or Surface()).over(self.grid, self.sea_ice)
        return found

    def driven_by(self, surface: Any) -> Sequence[Component]:
        """Returns the components of a step with the surface, and those that need to know it."""
        above = self.forcing(surface)
        limited = above.keeps_above_freezing and not self.sea_ice
        return [
            above,
            *self.components,
            FluxesOfTracers(self.tracers, above),
            *([FreezingLimit(self.cells, self.budgets)] if limited else []),
        ]

    @property
    def initial(self) -> dict[str, Any]:  # type: ignore[override]
        """Returns what `set` was given of the state, by field."""
        return self.initial_state.values

    def set(self, **values: Any) -> Self:
        """Sets the initial state by field: a number, an array (nz, ny, nx) or (ny, nx), a function
        of (longitude, latitude, depth) – of (x, y, depth) on a plane –, an xarray.DataArray, a file
        or Records on (depth, latitude, longitude), or the name of a data set ("levitus"). Returns
        the ocean.

        Allowed fields: the tracers, velocity_x, velocity_y (or eastward_velocity,
        northward_velocity), sea_surface_height. Instead of velocities and height,
        motion="geostrophic" or "balanced" starts in balance with temperature and salinity
        (docs/model.md); "rest" is the default. analysis="outer": the state of the sea around, of a
        region whose open_edges have outer; other values that are given replace it.
        """
        self.initial_state.set(**values)
        return self

    @property
    def companions(self) -> Sequence[Any]:
        """Returns the sea around a region that runs at the same time."""
        return [self.outer] if isinstance(self.outer, OuterSea) else []

    @property
    def starts_from_outer(self) -> bool:  # type: ignore[override]
        """Returns whether it starts from the state of that sea."""
        return bool(self.companions) and self.initial_state.from_outer

    def may_begin(self) -> AbstractSet[str]:
        """Returns the fields of passive tracers, and of the flow at open edges."""
        fields = [tracer.field for tracer in self.tracers]
        edges = {"open_edge_velocity_x", "open_edge_velocity_y"}
        own = {name for field in fields for name in (field.name, field.before)}
        return own | edges | self.nests.sums(self.tracer_fields) | self._edge_sums

    @property
    def _edge_sums(self) -> AbstractSet[str]:
        """Returns fields of open edges that are 0 at the start of an interval."""
        edges = [one for one in self.components if isinstance(one, Edges)]
        return {name for one in edges for name in one.sums(self.tracer_fields)}

    @property
    def tracer_fields(self) -> list[Field]:
        """Returns the fields of all tracers."""
        return self._tracer_fields()

    @property
    def changes(self) -> tuple[int, int]:
        """Returns how often it was set, and how many processes and regions were put into it."""
        calls, inserted = super().changes
        return calls, inserted + len(self.nests.inside)

    def begin(self, simulation: Any, names: AbstractSet[str]) -> None:
        """Puts the initial values of such tracers into a simulation."""
        self.initial_state.put(simulation, names)

    # ---- what the simulation asks for ------------------------------------------------------------

    def order(self, time_step: float) -> Order:
        """Returns an empty order of processes for a step [s]."""
        return Order(bytes_of[self.precision], time_step, own_cells=self.own_cells)

    @property
    def set_of_parts(self) -> str:
        """Returns the name of the set of physics."""
        return str(self.physics)

    @property
    def own_cells(self) -> bool:
        """Returns whether cells of one layer differ in thickness."""
        return self.cells.vary

    @property
    def stretched(self) -> bool:
        """Returns whether layers follow the surface."""
        return self.cells.follow_surface

    @property
    def diagnostics(self) -> Sequence[str]:
        """Returns names of fields outside the state that stay readable between steps, for report
        and series.
        """
        return [*super().diagnostics, *of_series]

    @property
    def report_fields(self) -> Sequence[str]:
        """Returns names of fields of which the report has a map, besides the state."""
        layer = has_boundary_layer(self.vertical_mixing)
        return ("boundary_layer_depth",) if layer else ()

    def time_levels(self, name: str) -> Sequence[str]:
        """Returns names of the fields that hold a field of the state at the start: now and a step
        before.
        """
        return name, f"{name}_before"

    @property
    def without_tangent(self) -> Mapping[str, Any]:
        """Returns parts that have no tangent, by their argument."""
        parts = {
            "sea_ice": self.sea_ice,
            "overflows": self.overflows,
            "open_edges": self.open_edges,
            "nudging": self.nudging,
            "tides": self.tides,
            "air_pressure": self.air_pressure,
        }
        return {name: given for name, given in parts.items() if given}

    def choose_for(self, device: bool) -> None:
        """Chooses the solver for a device, or for the processor, where none was given."""
        self.free_surface = self.barotropic.free_surface = self.barotropic.on(device)

    @property
    def choices_for_device(self) -> Sequence[str]:
        """Returns lines that tell what was chosen for a device."""
        return self.barotropic.choices_for_device()

    @property
    def numerics(self) -> Mapping[str, Any]:
        """Returns settings that change bits but not the equations. The restart holds them, and a
        run that continues with other values warns.
        """
        return self.barotropic.numerics()

    @property
    def alternatives(self) -> Mapping[str, Sequence[Any]]:
        """Returns settings that could be faster, with other bits of the same answer: key below
        [model] -> values, the present one first.
        """
        return self.barotropic.alternatives()

    def profiles_of_step(self, first: bool) -> Mapping[str, Sequence[float]]:
        """Returns weights of now and before in the extrapolation to the middle of the step
        (Adams-Bashforth 2, a little damped).
        """
        more = self.extrapolation
        return {"time_weights": [1.0, 0.0] if first else [1.5 + more, -0.5 - more]}

    def coriolis_parameter(self) -> Array:
        """Returns f at the corners [s-1], (ny, nx)."""
        return self.rotation.at_corners()

    def integral_coordinates(self) -> Mapping[str, Any]:
        """Returns coordinates of the dimensions of `integrals`: name -> (dims, array,
        attributes).
        """
        return circulation.coordinates(self)

    def at_levels(self, name: str, diagnostic: Any, levels: Any, horizontal: str) -> Any:
        """Returns the Diagnostic of a variable of layers at chosen depths."""
        return at_depth(diagnostic, np.array(levels.values), horizontal)

    def watch(self, simulation: Any) -> tuple[Series, str]:
        """Returns present numbers, name -> (value, units), and their text for the line of
        progress.
        """
        motion = simulation.fields.motion(simulation.time_step)
        temperature = simulation.fields.extremes("temperature")
        series = {
            "mean_temperature": (temperature["mean"], "degC"),
            "kinetic_energy": (motion["kinetic_energy"], "m2 s-2"),
            "maximum_speed": (motion["speed"], "m s-1"),
        }
        text = (
            f"|u| ≤ {motion['speed']:.2g} m/s  T [{temperature['minimum']:.1f},"
            f" {temperature['maximum']:.1f}] °C"
        )
        return series | drake_transport(simulation) | by_basin(simulation), text

    def doubts(self, fields: Any) -> Iterable[str]:
        """Returns what is doubtful about the settings and the start; all ranks call it."""
        return doubts(self, fields)

    def condition(self, simulation: Any) -> str:
        """Returns how many cells the fastest current crosses in a step, and where."""
        found = []
        for name, spacing in (("velocity_x", "dx_corner"), ("velocity_y", "dy_corner")):
            e = simulation.fields.extremes(name)
            end = max(("minimum", "maximum"), key=lambda end: abs(e[end]))
            k, j, i = e[f"at_{end}"] if e["finite"] else e["not_finite"]
            place = self.grid.place(j, i, k)
            if not e["finite"]:
                found.append(f"{name} is not a number at {place}")
                continue
            width = float(np.asarray(getattr(self.grid.horizontal, spacing))[j, i])
            cells = abs(e[end]) * simulation.time_step / width
            found.append(f"{name} = {e[end]:.3g} m/s at {place} crosses {cells:.2g} cells a step")
        return "; ".join(found)

    def cause(self, simulation: Any) -> str:
        """Returns that the first layer has run dry, where, and what helps; else ""."""
        return self.barotropic.dry(simulation.fields)

    def report(self, simulation: Any) -> Any:
        """Returns fields that the report draws, on rank 0: name -> array; all ranks call it."""
        return fields(simulation)

    def pictures(self, state: Any) -> Mapping[str, Any]:
        """Returns sections of the report's page: title -> its pictures."""
        return pictures(self.grid.mapping(), state)
