"""The sea below the air: as records give it, or a slab of water that the fluxes warm
(core/physics/land/sea.hpp). It is the `surface` of a simulation of air; without one the sea stays
as it starts. Lakes of the physics stay what they are.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

import numpy as np

from fathom.atmosphere.physics.packages import surface_defaults
from fathom.base.failure import InputError
from fathom.base.moist_air import CELSIUS
from fathom.data.forcings import (
    Climatology,
    Data,
    by_variable,
    called,
    climatology,
    has,
    is_climatology,
)
from fathom.data.input.records import Input, Records, given, interpolate, sources
from fathom.data.input.values import on_columns
from fathom.grids.grid import Grid
from fathom.model.component import Array, AtSurface, Component, Given
from fathom.model.order import Order
from fathom.model.schemes import scheme

OF_SEA = ("sea_surface_temperature", "sea_ice_fraction", "sea_ice_thickness")
UNITS = dict(zip(OF_SEA, ("K", "1", "m"), strict=True))
USUAL_ICE = surface_defaults["sea_ice_thickness"]  # [m]
HEAT = (  # fluxes of the physics that the heat into the sea is made of
    "ground_absorption",
    "surface_net_shortwave",
    "surface_downward_longwave",
    "sea_turbulent_flux",
    "snowfall",
    "ice_base_flux",
)


class SeaGrid:
    """The grid of a model of air, whose points count as sea where land is less than a half."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model.grid, name)

    def levels_at(self, where: str = "center") -> np.ndarray:
        """Returns 1 at sea, 0 on land and beyond the area."""
        model = self._model
        land = on_columns(model.grid, model.initial.get("land_fraction", 0.0), name="land_fraction")
        return np.where(land < 0.5, model.grid.wet_levels, 0)


class SeaBelow(AtSurface):
    """What air over a sea of its own time has in common."""

    model: Any  # once it is below a model of air

    def below(self, model: Any) -> Self:
        """Returns the same sea below a model of air. InputError: its physics reads no sea."""
        if missing := [n for n in OF_SEA[:2] if not model.uses(n)]:
            raise InputError(
                f"surface = {type(self).__name__}: the physics of the model reads no {missing[0]};"
                " BasicPhysics does"
            )
        there = copy.copy(self)
        there.model = model
        return there

    @property
    def grid(self) -> Grid:
        """Returns the grid of the air."""
        found: Grid = self.model.grid
        return found

    @property
    def answer(self) -> Component:
        """Returns the component that takes the fluxes of the physics."""
        return Component()

    @property
    def knows_heat(self) -> bool:
        """Returns whether the physics gives all fluxes into the sea."""
        return all(self.model.uses(name) for name in HEAT)

    def diagnostics(self) -> Iterable[str]:
        """Returns the heat into the sea, where it is computed."""
        return ["sea_heat_flux"] if self.knows_heat else []

    def fixed_fields(self) -> Mapping[str, Any]:
        """Returns what the physics does not read, and what lies below it does."""
        usual = {"lake_depth": 0.0, "land_fraction": 0.0, "sea_ice_thickness": USUAL_ICE}
        shape = np.shape(self.grid.wet_levels)
        return {n: np.full(shape, v) for n, v in usual.items() if n not in self.model.boundary}

    def at_start(self, simulation: Any) -> None:
        """Puts into the fields what it has at the start of a run; not called after a restart."""


class GivenSea(SeaBelow):
    """Sea surface temperature, sea ice and its thickness, from records in time, below air.

    Parameters
    ----------
    data : "coads", the embedded monthly climatology; a file, folder or Records with all variables;
        or a mapping of variable -> "coads", a file, Records, xarray.DataArray or number. Variables:
        sea_surface_temperature (tos, sst), sea_ice_fraction (siconc, sic), sea_ice_thickness
        (sithick).
    missing : None, or "coads": variables that are not in the data are those of the embedded
        climatology.

    The climatology has no thickness: ice is 1.5 m thick where the data do not tell it. Sea that is
    colder than 271.35 K is put to it.
    """

    mappings: ClassVar[tuple[str, ...]] = ("data",)  # keywords that take a table of values

    def __init__(self, data: Data = climatology, *, missing: str | None = None) -> None:
        if missing not in (None, climatology):
            raise InputError(f"missing = {missing!r}; allowed: {climatology!r}, none")
        self.data, self.missing = data, missing
        of = by_variable(data, OF_SEA)
        self.inputs: list[Input] = []
        self.constants: dict[str, Any] = {}
        self.climate: list[str] = []
        for name in OF_SEA:
            self._take(name, *of(name))
        own = [value for value in self.constants.values() if value is not USUAL_ICE]
        if not self.inputs and not own and not is_climatology(data):
            raise InputError(
                f"{data!r} has no {OF_SEA[0]}: all would come from the embedded climatology"
            )

    def _take(self, name: str, value: Any, its_own: bool) -> None:
        """Keeps the records of a variable, its number, or that the climatology gives it."""
        if (records := has((value, its_own), name)) is not None:
            field = f"given_{name}"
            self.inputs.append(Input(field, records, UNITS[name], called(name), only=its_own))
        elif value is not None and not is_climatology(value) and given(value) is None:
            self.constants[name] = value
        elif name == "sea_ice_thickness":
            self.constants[name] = USUAL_ICE
        elif self.missing or is_climatology(value):
            self.climate.append(name)
        else:
            there = f" ({value!r} has {', '.join(value.variables)})" if _read(value) else ""
            raise InputError(
                f"the given sea has no {name}{there}; missing = {climatology!r} takes it from the"
                " embedded climatology"
            )

    def records(self) -> Iterable[Any]:
        """Returns the sources of what changes in time."""
        found: list[Any] = [*sources(self.inputs, SeaGrid(self.model))]
        if self.climate:
            wanted = {f"given_{name}": name for name in self.climate}
            of_kelvin = {f"given_{OF_SEA[0]}": -CELSIUS} if OF_SEA[0] in self.climate else {}
            found.append(Climatology(wanted, self.grid, less=of_kelvin))
        return found

    @property
    def in_time(self) -> list[str]:
        """Returns the variables that change in time."""
        return [*self.climate, *(i.field.removeprefix("given_") for i in self.inputs)]

    def fixed_fields(self) -> Mapping[str, Any]:
        """Returns what is given once."""
        kept = self.model.initial.get("sea_ice_thickness", USUAL_ICE)  # of an analysis or the user
        own = {
            name: kept if value is USUAL_ICE else value for name, value in self.constants.items()
        }
        return dict(super().fixed_fields()) | {
            f"given_{name}": on_columns(self.grid, value, name=name, units=UNITS[name])
            for name, value in own.items()
        }

    def processes(self, phase: str, do: Order) -> None:
        """Adds the sea of the present time before the physics."""
        if phase == "tendencies":
            for name in self.in_time:
                interpolate(do, f"given_{name}")
            do("SeaOfRecords")

    @property
    def answer(self) -> Component:
        """Returns the heat into the sea, where the physics gives all fluxes."""
        return HeatOfSea() if self.knows_heat else Component()

    def at_start(self, simulation: Any) -> None:
        """Holds the sea as it starts until records are read: a filter of the start, and the first
        record, are computed over it.
        """
        for name in self.in_time:
            for suffix in ("_previous", "_next"):
                simulation.fields.copy_field(name, f"given_{name}{suffix}")

    def __repr__(self) -> str:
        missing = f", missing={self.missing!r}" if self.missing else ""
        return f"GivenSea({self.data!r}{missing})"


def _read(value: Any) -> bool:
    """Returns whether it is records."""
    return isinstance(value, Records)


class HeatOfSea(Component):
    """The heat into the sea, after the physics."""

    def processes(self, phase: str, do: Order) -> None:
        """Adds the scheme."""
        if phase == "tendencies":
            do("HeatIntoSea")


class SlabOcean(SeaBelow):
    """A sea of given depth that the air warms and cools, with ice where it freezes.

    Parameters
    ----------
    depth : of the water [m]: a number, an array (ny, nx), a function, or a file.
    q_flux : heat that the sea brings to a place [W m-2]: a number, an array, or in time a file or
        Records, as `fathom forcing qflux` writes it from a run over a GivenSea. 0: a motionless
        sea.
    thinnest_ice : thickness of the ice until it covers the sea [m]; then it thickens.
    """

    def __init__(
        self,
        depth: Given | Records = 50.0,
        *,
        q_flux: Given | Records = 0.0,
        thinnest_ice: float = 1.5,
    ) -> None:
        self.depth, self.q_flux = depth, q_flux
        if isinstance(depth, (int, float)) and not 1 <= depth <= 1e4:
            raise InputError(f"SlabOcean depth = {depth:g} m must lie in [1, 10000]")
        self.thinnest_ice = scheme("SlabOfSea", thinnest_ice=thinnest_ice).parameters[
            "thinnest_ice"
        ]
        self.input: Input | None = None
        records = given(q_flux)
        if records is not None:
            found = Input("q_flux", records, "W m-2", ("q_flux",))
            self.input = None if found.axis.constant else found

    def below(self, model: Any) -> Self:
        """Returns the same below a model of air. InputError: its physics does not give all fluxes
        into the sea.
        """
        there = super().below(model)
        if missing := [name for name in HEAT if not model.uses(name)]:
            raise InputError(
                f"surface = SlabOcean: the physics of the model gives no {missing[0]};"
                " BasicPhysics does"
            )
        return there

    def records(self) -> Iterable[Any]:
        """Returns the q-flux in time."""
        return [] if self.input is None else sources([self.input], SeaGrid(self.model))

    def fixed_fields(self) -> Mapping[str, Any]:
        """Returns the depth, and a q-flux that stays."""
        depth = on_columns(self.grid, self.depth, name="depth", units="m", gaps="fill")
        if (depth < 1).any():
            raise InputError(
                f"SlabOcean depth is {depth.min():g} m in places; allowed: from 1 m on"
            )
        found: dict[str, Array] = {"slab_depth": depth}
        if self.input is None:
            found["q_flux"] = on_columns(
                self.grid, self.q_flux, name="q_flux", units="W m-2", gaps="fill"
            )
        return dict(super().fixed_fields()) | found

    @property
    def answer(self) -> Component:
        """Returns the water, after the physics."""
        return WaterOfSlab(self)

    def __repr__(self) -> str:
        ice = f", thinnest_ice={self.thinnest_ice:g}" if self.thinnest_ice != 1.5 else ""
        return f"SlabOcean({self.depth!r}, q_flux={self.q_flux!r}{ice})"


class WaterOfSlab(Component):
    """The water and the ice of a slab, which take the fluxes of the physics."""

    def __init__(self, slab: SlabOcean) -> None:
        self.slab = slab

    def processes(self, phase: str, do: Order) -> None:
        """Adds the heat into the sea, and what it does."""
        if phase != "tendencies":
            return
        slab = self.slab
        if slab.input is not None:
            slab.input.interpolate(do)
        do("HeatIntoSea")
        water = scheme("SlabOfSea", thinnest_ice=slab.thinnest_ice)
        if slab.model.uses("snow_on_ice"):
            tiled = water.companion("under tiles")
            water = type(tiled)(**water.parameters)
        do(water)
