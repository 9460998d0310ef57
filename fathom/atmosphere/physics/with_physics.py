"""The part of a model of air about the physics of its columns, and about the ground."""

import warnings
from collections.abc import Iterable, Sequence
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np

from fathom.atmosphere.ground.sea import GivenSea, SeaBelow, SlabOcean
from fathom.atmosphere.physics.columns import ColumnPhysics
from fathom.atmosphere.physics.fields import (
    AIR_TEMPERATURE,
    HUMIDITY,
    VIRTUAL_TEMPERATURE,
    AirFields,
)
from fathom.atmosphere.physics.packages import carried, layer_fields, listed, surface_defaults
from fathom.atmosphere.radiation import RRTMGP
from fathom.atmosphere.remap import forecast
from fathom.atmosphere.remap.around_area import AroundArea, OnArea, Receiver
from fathom.base.failure import InputError
from fathom.data.input.values import on_columns, on_layers
from fathom.grids.levels import HybridLevels
from fathom.model.component import Array, Component, Field
from fathom.model.model import Model
from fathom.names import quantities


def _is_moist(physics: Any, tracers: Sequence[str]) -> Any:
    """Returns whether the air holds water vapour."""
    return "specific_humidity" in tracers or any(
        "specific_humidity" in process.field_names for process in physics
    )


def check_tracers(tracers: Sequence[str]) -> None:
    """Raises InputError where they are no names."""
    names = isinstance(tracers, Iterable) and not isinstance(tracers, str)
    if not (names and all(isinstance(name, str) for name in tracers)):
        raise InputError(f"tracers = {tracers!r} must be a list of names")


def reads_files(name: str) -> Any:
    """Returns whether a field that is set may come from a file: one value a column."""
    of_columns = name in surface_defaults and name not in layer_fields
    return of_columns or name in ("log_surface_pressure", "surface_air_pressure")


def flat_or(orography: Any) -> Any:
    """Returns what was given of the ground, 0 where nothing was."""
    return 0.0 if orography is None else orography


class AirWithPhysics(Model):
    """The common part of models with a physics of columns; each adds its grid and its start."""

    grid: Any
    initial: dict[str, Any]
    parameters: dict[str, float]
    time_step: float  # of the present order [s]
    filter_span: float  # of the filter of the start [s]; 0: none
    budget: Any = None  # fathom.atmosphere.products.budget
    fixers: Any = None  # what keeps mass and energy (fathom.atmosphere.spectral.dynamics)
    orography: Any
    given: Any = None  # another atmosphere that this one starts from
    change: Any = None
    analysed: Any = None  # what it starts from (fathom/atmosphere/remap/forecast.py)
    own_ground = False  # whether an orography was given
    ground_of_earth = False  # whether its orography is that of the earth or of an analysis
    settable: Any
    compressible = False
    on_heights = False  # its levels: heights, or hybrid levels of pressure
    phases_of_start = ("dynamics", "physics")  # of processes that work with the state of the start

    def _take_physics(self, physics: Any, tracers: Sequence[str]) -> None:
        """Takes the list of schemes, and what trajectories carry together with the air."""
        self.physics = listed(physics)
        for scheme in self.physics:
            sun = "solar_constant"
            quantities.check_number(sun, scheme.all_parameters.get(sun), f"{scheme.name} {sun}")
        self.moist = _is_moist(self.physics, tracers)
        self.water = water = carried(self.physics)
        self.tracers = [
            *(["specific_humidity"] if self.moist else []),
            *water,
            *(t for t in tracers if t not in ("specific_humidity", *water)),
        ]
        self.temperature = "virtual_temperature" if self.moist else "air_temperature"

    surfaces = (GivenSea, SlabOcean)

    def forcing(self, surface: Any) -> Component:
        """Returns the sea below the air; without physics nothing reads it."""
        return surface.below(self) if surface is not None and self.physics else Component()

    def driven_by(self, surface: Any) -> Sequence[Component]:
        """Returns the components of a step, with the sea before the physics and what answers to its
        fluxes behind it.
        """
        below = self.forcing(surface)
        behind = [below.answer] if isinstance(below, SeaBelow) else []
        return [below, *self.components, *behind]

    def sea_at_start(self, simulation: Any) -> None:
        """Puts what the sea below has at the start into the fields."""
        below = self.forcing(simulation.surface)
        if isinstance(below, SeaBelow):
            below.at_start(simulation)

    @property
    def air(self) -> AirFields:
        """Returns what it carries, as fields."""
        tracers = [HUMIDITY if n == HUMIDITY.name else Field(n, "1") for n in self.tracers]
        water = [field for field in tracers if field.name in self.water]
        return AirFields(VIRTUAL_TEMPERATURE if self.moist else AIR_TEMPERATURE, tracers, water)

    @property
    def given_on(self) -> OnArea | AroundArea:
        """Returns the points of given states."""
        return OnArea(self.grid, lambda: self.surface_geopotential)

    @property
    def receiver(self) -> Receiver:
        """Returns what it takes of the states of an outer model."""
        return Receiver(
            self.given_on,
            self.hybrid_levels,
            self.air,
            self.settable,
            self.compressible,
            lambda: self.orography,
            partial(setattr, self, "orography"),
        )

    @property
    def surface_geopotential(self) -> Any:
        """Returns the geopotential of the ground [m2 s-2], (ny, nx)."""
        raise NotImplementedError(f"{type(self).__name__}.surface_geopotential")

    @property
    def hybrid_levels(self) -> HybridLevels:
        """Returns the levels on which it takes columns of another atmosphere."""
        raise NotImplementedError(f"{type(self).__name__}.hybrid_levels")

    @property
    def columns(self) -> ColumnPhysics:
        """Returns its physics, as a component."""
        raise NotImplementedError(f"{type(self).__name__}.columns")

    def adiabatic(self) -> Self:
        """Returns the model without the parts that cannot run backward: physics, diffusion,
        viscosity, sponge, off-centring, a weight of the new time beyond a half, the fixer of
        energy; nor another filter of the start.
        """
        dry = copy(self)
        dry.physics, dry.filter_span, dry.budget = [], 0.0, None
        turned = {
            "diffusion_time": 0.0,
            "viscosity": 0.0,
            "sponge": 0.0,
            "sponge_rate": 0.0,
            "off_centring": 0.0,
            "implicitness": 0.5,
        }
        dry.parameters = {name: turned.get(name, now) for name, now in self.parameters.items()}
        return dry

    @property
    def curvature(self) -> float:
        """Returns 1 / radius of a deep atmosphere [m-1], else 0."""
        return 0.0

    @property
    def boundary(self) -> dict[str, float]:
        """Returns fields that the physics reads of ground, sea and air, and that no equation of the
        model gives: name -> value by default.
        """
        wanted = {name for p in self.physics for name in p.field_names}
        written = {
            f["name"] for p in self.physics for f in p.entry["fields"] if f["access"] == "writes"
        }
        written |= {n for p in self.physics if isinstance(p, RRTMGP) for n in p.fields_in_time}
        return {name: value for name, value in surface_defaults.items() if name in wanted - written}

    @property
    def fixed_season(self) -> bool:
        """Returns whether the sun stays that of one day of the year."""
        return any(p.parameters.get("fixed_season", 0) > 0.5 for p in self.physics)

    def uses(self, name: str) -> bool:
        """Returns whether the physics reads or writes a field."""
        return any(name in scheme.field_names for scheme in self.physics)

    def _given(self, name: str, default: Any) -> Any:
        """Returns a field that the physics reads, (ny, nx) or (nz, ny, nx), as it starts."""
        value = self.initial.get(name, default)
        return (
            np.stack([v for _, v in on_layers(self.grid, value, name)])
            if name in layer_fields
            else on_columns(self.grid, value, name=name)
        )

    @property
    def land_fraction(self) -> Array | None:
        """Returns the share of land as output has it, (ny, nx), for coasts; None where it is the
        same everywhere.
        """
        land = self.initial.get("land_fraction", 0)
        return self.grid.regular(np.asarray(land, float)[None])[0] if np.ndim(land) == 2 else None

    @property
    def flat(self) -> bool:
        """Returns whether no orography was given."""
        return np.ndim(self.orography) == 0 and not callable(self.orography) and not self.orography

    def check_ground(self, analysis: Any) -> None:
        """Raises InputError: an orography is given as numbers, also as 0, or as a function, and an
        analysis, which has its own.
        """
        if not self.own_ground or self.ground_of_earth or isinstance(self.orography, (str, Path)):
            return
        number = isinstance(self.orography, (int, float))
        kind = f"{self.orography:g}" if number else f"a {type(self.orography).__name__}"
        raise InputError(
            f"orography = {kind} together with analysis = {str(analysis)!r}: the ground is that of"
            " the analysis; leave out one of them"
        )

    def read_analysis(self, state: Any, time: int = 0) -> dict[str, Any]:
        """Returns initial values of the record of an analysis, by field."""
        raise NotImplementedError

    def take_record_of_date(self, simulation: Any) -> None:
        """Takes, of a state with several dates, the record of the start of the simulation."""
        self.analysed, self.initial = forecast.of_date(
            self.analysed,
            self.initial,
            str(simulation.clock.start),
            self.read_analysis,
            simulation.is_root,
        )

    def changed_by(self, kind: Any, simulation: Any) -> Any:
        """Returns the change of geometry from the atmosphere that is given. ValueError: fields of
        air are given with it.
        """
        beside = [n for n in self.initial if n in self.settable and n not in self.boundary]
        if beside:
            raise InputError(
                f"analysis = another atmosphere gives {', '.join(beside)}; allowed with it are"
                f" {', '.join(self.boundary) or 'no fields'}"
            )
        change = kind(self.given, simulation)
        if simulation.is_root and str(change.given.date) != str(simulation.date):
            warnings.warn(
                f"the state given is of {change.given.date}, this run starts at {simulation.date}",
                stacklevel=2,
            )
        return change

    @property
    def kept_fluxes(self) -> Sequence[str]:
        """Returns names of fluxes and conductances at the ground that the physics writes."""
        return [*self.columns.diagnostics()]
