"""Hydrostatic air on hybrid levels, with its physics: what its models on the sphere and on the
plane of a limited area have in common.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from fathom.atmosphere.physics import fields as air
from fathom.atmosphere.physics.columns import ColumnPhysics, PhysicsOnPressure
from fathom.atmosphere.physics.packages import layer_fields
from fathom.atmosphere.physics.stochastic import Stochastic
from fathom.atmosphere.physics.with_physics import (
    AirWithPhysics,
    check_tracers,
    flat_or,
    reads_files,
)
from fathom.atmosphere.products import diagnostics, report
from fathom.atmosphere.remap import forecast
from fathom.atmosphere.remap.given_state import described_geometry, is_given
from fathom.atmosphere.spectral import step
from fathom.atmosphere.spectral.digital_filter import filter_start
from fathom.atmosphere.spectral.dynamics import Dynamics, Fixers
from fathom.base.clock import seconds_if_any
from fathom.base.failure import InputError
from fathom.base.moist_air import virtual_temperature
from fathom.base.near import near_or_all
from fathom.data.input.values import check_shape, on_columns, on_layers
from fathom.grids.arguments import room_for_start
from fathom.grids.levels import HybridLevels
from fathom.grids.periodic_plane import PeriodicPlane
from fathom.grids.regrid import chosen
from fathom.model.component import Array, Component, Series
from fathom.model.order import Order, all_placed
from fathom.model.schemes import bytes_of

wind = tuple(field.name for field in air.WIND)
bounded = (
    *air.WIND,
    air.LOG_PRESSURE,
    air.AIR_TEMPERATURE,
    air.VIRTUAL_TEMPERATURE,
    air.HUMIDITY,
)


def check_air(owner: str, grid: Any, tracers: Sequence[str], precision: str) -> None:
    """Raises ValueError where these are not valid for a model of hydrostatic air."""
    if grid.levels.nz < 2:
        raise InputError(
            f"{owner} needs two layers or more, as levels = SigmaLevels(20); the grid has"
            " one, which is the default without levels"
        )
    if precision not in ("fp64", "fp32"):
        raise InputError(f"precision = {precision!r} must be 'fp64' or 'fp32'")
    check_tracers(tracers)


class HydrostaticAtmosphere(AirWithPhysics):
    """The common part of the models of hydrostatic air.

    Subclasses define the dynamics and `profiles_of_step`; they may override how given fields reach
    their points: `_along` and `_spread`.
    """

    halo = 0
    usual_surface = None
    zero_outside = ()
    limits = {
        **{field.name: field.limits for field in bounded if field.limits},
        "maximum_wind": (0, 500),
    }
    groups = step.groups
    parameters: dict[str, float]
    scheme: str
    fixers: Fixers | None = None

    def _fix(self, mass: bool, energy: bool) -> None:
        """Keeps mass and energy."""
        self.fixers = Fixers(self.air, mass, energy)

    def _hold(
        self,
        grid: Any,
        physics: Any,
        tracers: Sequence[str],
        orography: Any,
        precision: str,
        extra_processes: Any,
    ) -> None:
        """Keeps the grid, the physics and the numbers that describe the air."""
        self.grid, self.precision = grid, precision
        self.orography, self.own_ground = flat_or(orography), orography is not None
        self._take_physics(physics, tracers)
        self.extra_processes = all_placed(extra_processes)  # from the user
        self.initial, self.filter_span = {}, 0.0

    @property
    def has_tangent(self) -> bool:
        """Returns whether it has one along a trajectory: the scheme of two time levels."""
        return self.scheme == "semi-lagrangian"

    @property
    def splitting(self) -> bool:
        """Returns whether rotation is split off."""
        return bool(self.parameters["splitting"])

    def earth_below(self) -> dict[str, np.ndarray]:
        """Returns the ground of the earth: surface_geopotential, and related fields."""
        raise NotImplementedError

    def _lie_on(self, name: str) -> None:
        """Takes the orography of that name, and its land."""
        if name != "earth":
            raise InputError(
                f"orography = {name!r}: allowed are a number, an array, a function or 'earth'"
            )
        ground = self.earth_below()
        self.orography, self.ground_of_earth = ground.pop("surface_geopotential"), True
        self.initial |= {field: v for field, v in ground.items() if field in self.boundary}

    @property
    def hybrid_levels(self) -> Any:
        """Returns the levels on which it takes columns of another atmosphere."""
        return self.grid.levels

    @property
    def dynamics(self) -> Dynamics:
        """Returns its dynamics, as a component."""
        raise NotImplementedError(f"{type(self).__name__}.dynamics")

    @property
    def columns(self) -> ColumnPhysics:
        """Returns its physics, as a component."""
        return PhysicsOnPressure(self.physics, self.air, self.grid, budget=self.budget)

    @property
    def components(self) -> Sequence[Component]:
        """Returns physics, dynamics and fixers, in the order of
        fathom/atmosphere/spectral/step.py."""
        fixers = [self.fixers] if self.fixers else []
        return [self.columns, self.dynamics, *fixers, *self.stochastic]

    stochastic: Sequence[Stochastic] = ()  # errors of the physics

    def take_member(self, member: int) -> None:
        """Gives the patterns of the stochastic physics the random numbers of a member."""
        for one in self.stochastic:
            one.take(member)

    @property
    def numbers(self) -> dict[str, float]:
        """Returns parameters of the dynamics, with those of the fixers."""
        fixed = {"fix_mass": 0.0, "fix_energy": 0.0}
        return self.parameters | fixed | dict(self.fixers.parameters if self.fixers else {})

    def without_fixers(self) -> Self:
        """Returns the model without the parts that have no tangent."""
        same = copy(super().without_fixers())
        same.fixers, same.stochastic = None, ()
        return same

    def adiabatic(self) -> Self:
        """Returns the model without the parts that cannot run backward."""
        dry = super().adiabatic()
        dry.stochastic = ()
        if self.fixers:
            dry.fixers = Fixers(self.air, self.fixers.mass, False)
        return dry

    def order(self, time_step: float) -> Order:
        """Returns the empty order of a step [s], with the processes of the core."""
        do = Order(bytes_of[self.precision], time_step, offered=self.numbers)
        do.shared = self.core_dynamics(time_step)
        return do

    def core_dynamics(self, time_step: float) -> Any:
        """Returns the processes of a step [s] that need communication
        (core/atmosphere/spectral/dynamics.hpp).
        """
        raise NotImplementedError(f"{type(self).__name__}.core_dynamics")

    @property
    def settable(self) -> Sequence[str]:
        """Returns names that `set` takes: wind, temperature and pressure, tracers, and what the
        physics reads of ground and sea.
        """
        return [
            *wind,
            "air_temperature",
            "log_surface_pressure",
            "surface_air_pressure",
            *self.tracers,
            *self.boundary,
        ]

    def forecast_start(self, state: Any, time: int = 0) -> Any:
        """Returns everything a forecast starts from (fathom/atmosphere/remap/forecast.py)."""
        return forecast.start(state, self.grid, ground=self.earth_below(), time=time)

    def read_analysis(self, state: Any, time: int = 0) -> dict[str, Any]:
        """Returns the values to set of everything a forecast starts from: air, ground and sea; its
        ground becomes the orography. Dry air gets the temperature that gives it the density of the
        moist air.

        state : "gfs", "era5", "ecmwf", the path of a file, or a data set
            (fathom.data.atmosphere).
        time : number of its record.
        """
        room_for_start(self.grid)
        self.check_ground(state if isinstance(state, (str, Path)) else "a data set")
        fields = self.forecast_start(state, time)
        self.orography, self.ground_of_earth = fields.pop("surface_geopotential"), True
        if not self.moist:
            fields["air_temperature"] = virtual_temperature(
                fields["air_temperature"], fields["specific_humidity"]
            )
        return {name: values for name, values in fields.items() if name in self.settable}

    def _put(self, values: Any, analysis: Any, digital_filter: Any) -> Any:
        """Keeps what `set` was given, other than a case."""
        if analysis is not None and is_given(analysis):
            self.given, self.analysed = analysis, None
        elif analysis is not None:
            self.given = None
            found = self.read_analysis(analysis)
            self.analysed = forecast.Analysed(analysis, 0, found)
            values = found | values
        if digital_filter is not None:
            self.filter_span = seconds_if_any(digital_filter, "digital_filter")
        for name, value in values.items():
            if name not in self.settable:
                raise InputError(
                    f"the atmosphere has no field '{name}' to set{near_or_all(name, self.settable)}"
                )
            check_shape(self.grid, value, name, files=reads_files(name))
            self.initial[name] = value
        return self

    # ---- what the simulation asks for ------------------------------------------------------------

    def geometry(self) -> Mapping[str, Any]:
        """Returns fields that do not change, and the ground as it starts: name -> array."""
        longitude, latitude = self._places()
        below = {name: self._given(name, value) for name, value in self.boundary.items()}
        return (
            {
                "latitude": np.deg2rad(latitude),
                "longitude": np.deg2rad(longitude),
                "surface_geopotential": self.surface_geopotential,
                "coriolis": 2 * self.parameters["rotation"] * np.sin(np.deg2rad(latitude)),
            }
            | below
            | dict(self.columns.fixed_fields())
        )

    def _places(self) -> Any:
        """Returns longitude and latitude [degrees] of the columns, (ny, nx)."""
        return self.grid.coordinates()

    def _along(self, east: Any, north: Any) -> Any:
        """Returns wind (ny, nx) on earth, as the state has it."""
        return self.grid.about_the_pole(east, north)

    def _spread(self, values: Any) -> Any:
        """Returns values of the columns, (..., ny, nx), at all points of the fields."""
        return values

    @property
    def surface_geopotential(self) -> Any:
        """Returns the surface geopotential as given, (ny, nx) [m2 s-2]; the model truncates it."""
        return on_columns(self.grid, self.orography, name="orography")

    def profiles(self) -> Mapping[str, Sequence[float]]:
        """Returns profiles: name -> values."""
        return {
            "hybrid_a": list(map(float, self.grid.levels.a)),
            "hybrid_b": list(map(float, self.grid.levels.b)),
        }

    def profiles_of_step(self, first: bool) -> Mapping[str, Sequence[float]]:
        """Returns weights of now and before in the extrapolation to the new time."""
        return {"time_weights": [1.0, 0.0] if first else [2.0, -1.0]}

    def initialise(self, simulation: Any) -> bool | None:
        """Puts the initial state into the fields. True: it is truncated already, with its
        gradients.
        """
        simulation.changed = True
        for name, level, values in self.start_values(self.initial):
            simulation.fields.set(name, values, level or 0)
        return False

    def start_values(self, given: Any) -> Iterator[Any]:
        """Yields the values given to `set` as fields: (name, level, array at all points); level is
        None for fields without layers.
        """
        grid, initial = self.given_on.start, {"air_temperature": 280.0} | given

        def layers(name: Any, default: Any = 0.0) -> Any:
            return on_layers(grid, initial.get(name, default), name)

        yield "log_pressure_ratio", None, self._pressure(self._log_pressure(initial) - np.log(1e5))
        for (k, east), (_, north) in zip(*(layers(name) for name in wind)):
            for name, values in zip(wind, self._along(east, north)):
                yield name, k, self._whole_wind(values)
        for name in self.tracers:
            for k, values in layers(name):
                yield name, k, self._whole(values)
        humidity: Iterable[tuple[int | None, Any]] = (
            layers("specific_humidity")
            if self.moist
            else ((None, 0.0) for _ in range(grid.levels.nz))
        )
        for (k, values), (_, q) in zip(layers("air_temperature"), humidity):
            yield self.temperature, k, self._whole(values * (1 + 0.6077667 * q))

    def _log_pressure(self, initial: Any) -> Any:
        """Returns ln of the surface pressure in Pa, (ny, nx), by default of air of 280 K."""
        if "surface_air_pressure" in initial:
            return np.log(
                on_columns(self.grid, initial["surface_air_pressure"], name="surface_air_pressure")
            )
        default = np.log(1e5) - self.surface_geopotential / (
            self.parameters["gas_constant"] * 280.0
        )
        value = initial.get("log_surface_pressure", default)
        return on_columns(self.grid, value, name="log_surface_pressure")

    def _whole(self, values: Any) -> Array:
        return np.ascontiguousarray(self._spread(values))

    def _whole_wind(self, values: Any) -> Any:
        """Returns a component of the wind at all points of the fields."""
        return self._whole(values)

    def _pressure(self, ratio: Any) -> Array:
        """Returns ln(p_s / 1000 hPa) at all points of the fields."""
        return np.ascontiguousarray(ratio)

    def finish_initialisation(self, simulation: Any) -> None:
        """Filters the initial state, once it is truncated."""
        self.sea_at_start(simulation)
        if self.filter_span:
            filter_start(simulation, self.filter_span)

    @property
    def restart_extras(self) -> Sequence[str]:
        """Returns fields of a restart other than the state, for those that start from it
        elsewhere."""
        return ["surface_geopotential", *(n for n in self.boundary if n not in layer_fields)]

    @property
    def geometry_id(self) -> Mapping[str, Any] | None:
        """Returns the geometry that a restart describes; None: a plane has no place on earth."""
        return None if isinstance(self.grid, PeriodicPlane) else described_geometry(self)

    @cached_property
    def derived(self) -> Mapping[str, Any]:
        """Returns output variables that follow from fields: name -> Diagnostic."""
        return diagnostics.derived(self)

    level_coordinates = (
        chosen.pressure,
        chosen.altitude,
        chosen.height,
        chosen.potential_temperature,
        chosen.potential_vorticity,
        chosen.hybrid(HybridLevels),
    )  # levels that output may use

    def at_levels(self, name: str, diagnostic: Any, levels: Any, horizontal: Any) -> Any:
        """Returns the Diagnostic of a variable of layers at chosen levels."""
        return diagnostics.at_levels(self, name, diagnostic, levels)

    def watch(self, simulation: Any) -> tuple[Series, str]:
        """Returns present numbers: name -> (value, units), and words for the line of progress."""
        return diagnostics.watch(self, simulation)

    def report(self, simulation: Any) -> Any:
        """Returns fields that the report draws, on rank 0; all ranks call it."""
        return report.fields(simulation)

    def pictures(self, state: Any) -> Mapping[str, Any]:
        """Returns sections of the report's page: title -> its pictures."""
        return report.pictures(self.grid.mapping(), state)
