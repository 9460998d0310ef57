"""Air over a limited area, or a plane that is periodic both ways: the equations of ALADIN, and with
dynamics = "non-hydrostatic" those of AROME.
docs/limited-area.md has them.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from fathom.atmosphere.area import mass as mass_of_area
from fathom.atmosphere.area import outer as outer_models
from fathom.atmosphere.area.coupling import Coupling
from fathom.atmosphere.physics.packages import Physics
from fathom.atmosphere.products import report
from fathom.atmosphere.remap import around_area, forecast, ground_of_area, start
from fathom.atmosphere.remap.change_to_area import ChangeToArea
from fathom.atmosphere.remap.given_state import is_given
from fathom.atmosphere.spectral import compressible, step
from fathom.atmosphere.spectral.dynamics import Compressible, Dynamics, SemiLagrangian
from fathom.atmosphere.spectral.hydrostatic import (
    HydrostaticAtmosphere,
    check_air,
    seconds_of,
    wind,
)
from fathom.atmosphere.spectral.parameters import checked
from fathom.base import constants, earth, mpi
from fathom.base.clock import Period
from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.data.input.values import on_columns, on_layers
from fathom.grids.arguments import choice, integer, number_of
from fathom.grids.cartesian import CartesianGrid
from fathom.grids.grid import Grid
from fathom.grids.limited_area import LimitedAreaGrid
from fathom.grids.periodic_plane import PeriodicPlane
from fathom.grids.regrid.schmidt import turned
from fathom.grids.transform.plane import BiFourier, orders
from fathom.grids.whole_area import WholeArea
from fathom.model.component import Array, Component, Given, Series
from fathom.model.order import Insertion, Order
from fathom.model.schemes import bytes_of

kinds = ["hydrostatic", "non-hydrostatic"]
# of the time of a column of C + I with the first physics what a point of E takes: transforms, the
# solve and what both need (docs/results/limited-area.md)
share_of_extension = {"hydrostatic": 0.08, "non-hydrostatic": 0.15}


class LimitedAreaAtmosphere(HydrostaticAtmosphere):
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
        (fathom.atmosphere.remap.ground_of_area); the path of a file with finer heights [m] on
        latitudes and longitudes, also for what an analysis lies on; default 0, or that of an
        analysis.
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

    ground_as_it_is: np.ndarray | None = None  # of another area on the same points
    of_waves = False  # whether fields given inside are of the waves that the model keeps
    experiments = ("outer",)  # arguments that may be files of experiments, which then run with it
    scheme = "semi-lagrangian"
    starts_from_outer = False  # whether it starts from the state of a model that runs with it

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
        self.compressible = _is_compressible(dynamics)
        _check(grid, waves, tracers, precision, viscosity, diffusion_time)
        fix_mass = periodic if fix_mass == "automatic" else fix_mass
        _check_kept(periodic, fix_mass=fix_mass, fix_energy=fix_energy)
        whole: Any = WholeArea(grid) if isinstance(grid, LimitedAreaGrid) else grid
        self._hold(whole, physics, tracers, orography, precision, extra_processes)
        whole.share_of_extension = share_of_extension[dynamics]
        along_x, along_y = whole.size
        self.waves = waves
        self.truncation = (along_x - 1) // orders[waves], (along_y - 1) // orders[waves]
        self.parameters = checked(
            "LimitedAreaAtmosphere",
            {
                "diffusion_time": seconds_of(diffusion_time),
                "diffusion_order": diffusion_order,
                "divergence_damping": divergence_damping,
                "splitting": 1.0,
                "viscosity": viscosity,
                "sponge": sponge,
                "off_centring": off_centring,
                "reference_temperature": reference_temperature,
                "reference_pressure": reference_pressure,
                "iterations": iterations,
                "rotation": rotation,
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
            _check_compressible(self, fix_energy)
        self.heights: str | None = None  # a file of them
        self.on_earth = False  # whether it lies on the earth
        self.given_on = around_area.of(self, periodic_by)
        self._take_outer(outer, outer_in_time, outer_every, upper_zone, upper_zone_time)
        if isinstance(orography, (str, Path)):
            self._lie_on(str(orography))

    def _lie_on(self, name: str) -> None:
        """Takes the orography of the earth, with heights of a file where the name is one."""
        if name != "earth" and Path(name).suffix:
            self.heights, name = name, "earth"
        super()._lie_on(name)
        self.on_earth = True

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
        self.own_start: set[str] = set()  # fields that do not come from there
        self.upper_zone_time = Period(upper_zone_time, "upper_zone_time").seconds
        self.outer = outer_models.of(self, outer, in_time, every)

    def set(
        self, analysis: Any = None, digital_filter: float | str | None = None, **values: Given
    ) -> Self:
        """Sets the initial state by field: a number, an array (nz, ny, nx) or (ny, nx) of the area,
        or a function of (longitude, latitude, pressure) in degrees and Pa; of (x, y, pressure) on
        a periodic plane.

        Allowed: eastward_wind, northward_wind, air_temperature, log_surface_pressure (ln of Pa) or
        surface_air_pressure [Pa], tracers, and what the physics reads of ground and sea.
        analysis : state of a store or a file, as SpectralAtmosphere takes them, or of a larger
            area; a Simulation of another atmosphere, or its restart (docs/post.md); "outer": the
            first one of the outer model.
        digital_filter : span of the filter that removes the gravity waves of the start, "6h"; 0:
            none. During the filter an area with an outer model is relaxed to its initial state.
        """
        self.own_start |= {*values}
        if isinstance(analysis, str) and analysis == "outer":
            if not self.outer:
                raise InputError("analysis = 'outer': there is no outer model")
            analysis, self.starts_from_outer = None, bool(self.companions)
            self.own_start = {*values}
            if not self.starts_from_outer:
                values = dict(self.outer.state(0)) | values
        elif analysis is not None:
            self.starts_from_outer = False
        if self.given_on.windows:
            values = self.given_on.of_functions(values, self._air)
        given = {name: self.at_all_points(value, name) for name, value in values.items()}
        if analysis is not None and is_given(analysis) and isinstance(self.grid, PeriodicPlane):
            raise InputError(
                f"analysis = {analysis!r} is another atmosphere: a plane is no place on earth"
            )
        result: Self = self._put(given, analysis, digital_filter)
        return result

    def at_all_points(self, value: Any, name: str = "") -> Any:
        """Returns an array of the area with its extension: in which nothing counts, where E is made
        by splines; with windows, already made so.
        """
        nx, ny = self.grid.points
        if np.shape(value)[-2:] != (ny, nx) or self.grid.size == self.grid.points:
            return value
        value = np.asarray(value, float)
        if self.given_on.windows:
            if name in around_area.pressures:
                return self._pressure_by_splines(value, name)
            return self.grid.spread(value)
        more = [(0, N - n) for n, N in zip((ny, nx), self.grid.size[::-1])]
        return np.pad(value, [(0, 0)] * (value.ndim - 2) + more)

    @property
    def _air(self) -> Any:
        """Returns the fields of air among those that can be set."""
        return {*self.settable} - {*self.boundary}

    def _pressure_by_splines(self, value: Any, name: str) -> Any:
        """Returns surface pressure of C + I at all points, periodic at sea level."""
        logarithm = np.log(value) if name == "surface_air_pressure" else value
        ground = self.surface_geopotential / (self.parameters["gas_constant"] * 280.0)
        whole = self.grid.spread(logarithm + self.grid.area.inside(ground)) - ground
        return np.exp(whole) if name == "surface_air_pressure" else whole

    def forecast_start(self, state: Any, time: int = 0) -> Any:
        """With windows: the start of the area and of its surroundings."""
        if not self.given_on.windows:
            return super().forecast_start(state, time)
        around, air = self.given_on, self._air
        below = self.earth_below()
        self.orography, self.on_earth = below["surface_geopotential"], True
        there = ground_of_area.means(around.grid.area, self.heights)
        there.pop("surface_altitude")
        there = {name: around.grid.continued(v) for name, v in there.items()}
        ground = {"surface_geopotential": around.ground} | there
        found = forecast.start(state, around.grid, ground=ground, time=time)
        state = {name: v for name, v in found.items() if name in air}
        cut = {
            name: self.grid.continued(np.asarray(v)[around.inner])
            for name, v in found.items()
            if name not in air
        }
        return cut | below | around.whole(state)

    @property
    def settable(self) -> Sequence[str]:
        return [*super().settable, *(compressible.fields if self.compressible else ())]

    # ---- what the simulation asks for ------------------------------------------------------------

    def receive_state(self, simulation: Any) -> None:
        """Sets the state of another atmosphere, once blocks are known, or that of the date."""
        start.take_date(self, simulation)
        if self.starts_from_outer and simulation.restart_from is None:
            self._take_start(dict(self.outer.state(self.outer.number_at(simulation.clock))))
        if self.given is None:
            return
        self.change = self.changed_by(ChangeToArea, simulation)
        ground = dict(self.change.ground)
        as_it_is = "surface_geopotential" in ground and self.change.same_points
        self.of_waves = as_it_is and not self.change.given.whole
        if as_it_is and self.change.given.whole:
            self.ground_as_it_is = self.change.whole_of("surface_geopotential")[0]
        self.orography = ground.pop("surface_geopotential", self.orography)
        self.initial |= ground
        state = self.change.state(self.surface_geopotential)
        if self.given_on.windows:  # of C + I alone
            state = {n: self.at_all_points(self.grid.area.inside(v), n) for n, v in state.items()}
        self.initial |= state

    def _take_start(self, state: dict[str, Any]) -> None:
        """Takes the state of the outer model at the start, but what `set` was given."""
        if self.own_start & {*around_area.pressures}:
            state.pop("log_surface_pressure", None)
        found = {name: v for name, v in state.items() if name not in self.own_start}
        if self.given_on.windows:
            found = self.given_on.of_functions(found, self._air)
        given = {name: self.at_all_points(value, name) for name, value in found.items()}
        self._put(given, None, None)

    def initialise(self, simulation: Any) -> bool | None:
        """Puts the initial state into the fields. True: they are another area's, bit for bit."""
        change, self.change = self.change, None
        simulation.changed = True
        if change is not None and change.fill(self.surface_geopotential):
            return True
        return super().initialise(simulation)

    @property
    def companions(self) -> list[Any]:
        """Returns an outer model that runs at the same time."""
        return [self.outer] if isinstance(self.outer, outer_models.Running) else []

    @cached_property
    def edges(self) -> dict[str, Any]:
        """Returns the edges through which the mass of an area passes; none of a plane."""
        if isinstance(self.grid, PeriodicPlane):
            return {}
        grid = self.grid
        return {name: mass_of_area.Edges(grid, b) for name, b in mass_of_area.boxes(grid).items()}

    def watch(self, simulation: Any) -> tuple[Series, str]:
        seen, words = super().watch(simulation)
        return seen | mass_of_area.seen(simulation, self.edges), words

    def account(self, simulation: Any) -> dict[str, Any]:
        """Returns the mass of an area in the run (fathom/atmosphere/area/mass.py) [Pa]."""
        since = simulation.start_steps * simulation.time_step
        mass = mass_of_area.account(simulation.series, since)
        return {"mass_of_area": mass} if mass else {}

    def start_values(self, given: Any) -> Iterator[Any]:
        if not self.compressible:
            yield from super().start_values(given)
            return
        held: dict[str, list[Any]] = {name: [] for name in (*wind, "log_pressure_ratio")}
        for name, k, values in super().start_values(given):
            if name in held:
                held[name].append(values)
            yield name, k, values
        q, d = compressible.fields
        for k, values in on_layers(self.given_on.start, given.get(q, 0.0), q):
            yield q, k, self._whole(values)
        if d in given:
            for k, values in on_layers(self.given_on.start, given[d], d):
                yield d, k, self._whole(values)
        else:  # as of hydrostatic air
            u, v, (s,) = (np.stack(x) if n in wind else x for n, x in held.items())
            yield from (
                (d, k, x) for k, x in enumerate(compressible.vertical_divergence(self, u, v, s))
            )

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
        drawn = outer_models.right_sides(self, self.time_step)
        return outer_models.Records(self, self.outer, self.time_step, drawn)

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
        drawn = [outer_models.weights(grid, p) if self.outer else None for p in exponents]
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
            *map(flat, (grid.map_factor, *drawn, upper)),
        )

    def earth_below(self) -> dict[str, Any]:
        """Returns the surface below (fathom/atmosphere/remap/ground_of_area.py)."""
        if isinstance(self.grid, PeriodicPlane):
            raise InputError("a plane has no place on earth: give it an orography")
        around = self.given_on.grid.area if self.given_on.windows else None
        return ground_of_area.orography(self.grid, self.truncation, self.heights, around)

    def _given(self, name: str, default: Any) -> Any:
        """Given values, extended beyond the area as on its edges, where nothing reads them."""
        return self.grid.continued(super()._given(name, default))

    def _places(self) -> Any:
        if isinstance(self.grid, PeriodicPlane):
            shape = self.grid.size[::-1]
            return np.zeros(shape), np.full(shape, self.grid.latitude)
        return self.grid.coordinates()

    def _along(self, east: Any, north: Any) -> Any:
        """Returns wind on earth along the axes of the map."""
        return (east, north) if self.grid.angle is None else turned(east, north, -self.grid.angle)

    def _spread(self, values: Any) -> Any:
        whole = np.asarray(values) if self.given_on.windows else self.grid.spread(values)
        if not self.of_waves:
            return whole
        from fathom.grids.transform.periodic import by_waves  # loads the core

        transform = BiFourier(self.grid.size, self.grid.spacing, truncation=self.truncation)
        return by_waves(whole, self.grid.points, transform)

    def _whole_wind(self, values: Any) -> Any:
        m = self.grid.map_factor if self.of_waves else None
        return self._whole(values) if m is None else m * self._whole(values / m)

    def _pressure(self, ratio: Any) -> Any:
        """Returns periodic together with the ground: ln p_s at sea level is made periodic."""
        ground = self.surface_geopotential / (self.parameters["gas_constant"] * 280.0)
        return self._whole(ratio + ground) - ground

    @property
    def surface_geopotential(self) -> Any:
        """Returns the surface geopotential as given, made periodic, with the waves that the model
        keeps [m2 s-2].
        """
        if self.ground_as_it_is is not None:
            return self.ground_as_it_is
        given = self.orography
        if self.given_on.windows:
            whole = self.given_on.periodic_ground()
        else:
            if not callable(given) and np.ndim(given):
                given = self.at_all_points(given)
            whole = self._spread(on_columns(self.grid, given, name="orography"))
        if self.flat:
            return whole
        transform = BiFourier(self.grid.size, self.grid.spacing, truncation=self.truncation)
        return transform.inverse(transform.direct(whole))

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


def _is_compressible(dynamics: Any) -> Any:
    if dynamics not in kinds:
        raise InputError(unknown("dynamics", str(dynamics), kinds))
    return dynamics == "non-hydrostatic"


def _check_kept(periodic: Any, **kept: Any) -> None:
    """Raises ValueError where a quantity that should be kept passes through the edges."""
    for name, asked in kept.items():
        if asked not in (True, False) or (asked and not periodic):
            raise InputError(
                f"{name} = {asked!r}: allowed is false"
                + ("" if not periodic else " or true")
                + (", for air passes through the edges of an area" if not periodic else "")
            )


def _check_compressible(model: Any, fix_energy: Any) -> None:
    """Raises ValueError where numbers do not fit compressible air."""
    if model.corrections < 0:
        raise InputError(f"corrections = {model.corrections} must not be negative")
    if model.corrections and model.extrapolation == "settls":
        raise InputError(
            f"corrections = {model.corrections}: extrapolation = 'settls' has none, 'nesc' has"
        )
    sound, waves = (model.parameters[f"{kind}_temperature"] for kind in ("acoustic", "reference"))
    if not 0 < sound <= waves:
        raise InputError(
            f"acoustic_temperature = {sound:g} K must be positive, and no more than"
            f" reference_temperature = {waves:g} K"
        )
    if fix_energy:
        raise InputError("fix_energy: the energy of compressible air is not conserved")


def _check(
    grid: Any,
    waves: Any,
    tracers: Sequence[str],
    precision: str,
    viscosity: Any,
    diffusion_time: Any,
) -> None:
    """Raises ValueError where arguments are wrong, or exclude each other."""
    if not (isinstance(grid, (LimitedAreaGrid, CartesianGrid)) and grid.staggering == "A"):
        raise InputError(
            "LimitedAreaAtmosphere needs a LimitedAreaGrid, or a CartesianGrid with"
            f" staggering = 'A', given {grid!r}"
            + (f" with staggering = {grid.staggering!r}" if isinstance(grid, Grid) else "")
        )
    if waves not in orders:
        raise InputError(unknown("waves", str(waves), list(orders)))
    check_air("LimitedAreaAtmosphere", grid, tracers, precision)
    if grid.levels.nz < 4:
        raise InputError(
            f"LimitedAreaAtmosphere needs four layers or more; the grid has {grid.levels.nz}"
        )
    if viscosity and diffusion_time:
        raise InputError(
            f"viscosity = {viscosity!r} replaces the diffusion by diffusion_time:"
            " diffusion_time = 0"
        )
