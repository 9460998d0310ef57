"""The initial state of an ocean: what `set` takes, and how it reaches the fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.base.near import near, near_or_all
from fathom.data import levitus, sets
from fathom.data.input import layers
from fathom.data.input.values import as_grid_has, check_shape, on_columns, on_layers
from fathom.grids.water import WaterGrid
from fathom.model.component import Array, Component, Field
from fathom.ocean import balance
from fathom.ocean.components.passive import PassiveTracers

towards = ("eastward_velocity", "northward_velocity")  # may be set instead of
flow = ("velocity_x", "velocity_y")
names_of_height = (
    "sea_surface_height",
    "zos",
    "sea_surface_height_above_geoid",
    "sea_surface_height_above_mean_sea_level",
)
usual = {"temperature": 10.0, "salinity": 35.0}  # [degC, 1e-3]


class InitialState(Component):
    """Temperature, salinity and other tracers, velocity and height at the start.

    Parameters
    ----------
    grid : of water.
    fields : that a user may set.
    passive : what they have where the user sets nothing.
    balanced : how a start in balance finds the flow that belongs to the density.
    """

    def __init__(
        self,
        grid: WaterGrid,
        fields: Iterable[Field],
        passive: PassiveTracers,
        balanced: balance.Balance,
    ) -> None:
        self.grid, self.passive, self.balanced = grid, passive, balanced
        self.fields = {field.name: field for field in fields}
        self.values: dict[str, Any] = {}  # of the user, by field
        self.motion = "rest"  # or how it is found
        self.outer: Any = None  # the sea around a region; None: there is none

    def set(self, **values: Any) -> None:
        """Keeps values. InputError: they do not fit the grid, or exclude each other."""
        allowed = (*self.fields, *towards)
        for name, value in values.items():
            if name == "motion":
                self.motion = balance.known(value, self.grid)
            elif name == "analysis":
                self._begin_as(value)
            elif name not in allowed:
                said = near_or_all(name, [*allowed, "motion", "analysis"])
                raise InputError(f"the ocean has no field '{name}' to set{said}")
            else:
                if isinstance(value, str):
                    check_data_set(value, name)
                check_shape(self.grid, value, name)
                self.values[name] = value
        if {*towards} & {*self.values} and {*flow} & {*self.values}:
            raise InputError(
                f"{' and '.join(towards)} are set instead of {' and '.join(flow)}, not with them"
            )
        if self.motion != "rest" and self.from_outer:
            raise InputError(f"motion = {self.motion!r}, and the flow of analysis = 'outer'")
        if self.motion != "rest" and (given := balance.names & set(self.values)):
            raise InputError(
                f"motion = {self.motion!r} sets {' and '.join(sorted(given))}, which is given too"
            )

    @property
    def from_outer(self) -> bool:
        """Returns whether the start is that of the sea around."""
        return self.outer is not None and self.outer.wanted.starts

    def _begin_as(self, given: Any) -> None:
        """Starts as the sea around. InputError: there is none, or something else is given."""
        if given != "outer" or self.outer is None:
            raise InputError(
                f"analysis = {given!r}: allowed is 'outer', of a region whose open_edges have outer"
            )
        self.outer.wanted.starts = True

    def start(self, simulation: Any) -> None:
        """Puts the values into the fields of a simulation."""
        around = self.outer.start(simulation.clock) if self.from_outer else {}
        if {*flow, *towards} & {*self.values}:
            around = {name: v for name, v in around.items() if name not in towards}
        self._put(simulation, {*self.fields, *towards}, around | self.values)
        if self.motion != "rest":
            self.balanced.start(simulation, self.motion)

    def put(self, simulation: Any, names: AbstractSet[str]) -> None:
        """Puts the values of some fields into those of a simulation."""
        self._put(simulation, names, self.values)

    def _put(self, simulation: Any, names: AbstractSet[str], values: Mapping[str, Any]) -> None:
        """Puts values by field, and the usual ones of those that lack some."""
        given = usual | self.passive.at_start(simulation.clock) | dict(values)
        for name in (name for name in given if name in names):
            value = given[name]
            if name == "sea_surface_height":
                height = on_columns(
                    self.grid, value, name=name, units="m", called=names_of_height, gaps="fill"
                )
                simulation.fields.set(name, height)
            elif name not in towards:
                both = (name, self.fields[name].before)
                for k, layer in layers_of(self.grid, name, value):
                    for field in filter(simulation.fields.has, both):
                        simulation.fields.set(field, layer, k)
        if {*towards} & {*values} & names:
            self._turn(simulation.fields, values)

    def _turn(self, fields: Any, values: Mapping[str, Any]) -> None:
        """Puts velocities eastward and northward along the axes of the grid."""
        if missing := {*towards} - {*values}:
            raise InputError(f"{missing.pop()} is not set: {' and '.join(towards)} go together")
        angle = np.asarray(self.grid.horizontal.angle_corner)
        for (k, east), (_, north) in zip(*(layers_of(self.grid, n, values[n]) for n in towards)):
            fields.set("velocity_x", east * np.cos(angle) + north * np.sin(angle), k)
            fields.set("velocity_y", north * np.cos(angle) - east * np.sin(angle), k)


def layers_of(
    grid: WaterGrid, name: str, value: Any, where: str | None = None
) -> Iterator[tuple[int, Array]]:
    """Returns (k, array (ny, nx)) of what was given for a field of layers; velocities at corners,
    where nothing else is said.
    """
    where = where or ("corner" if name in (*flow, *towards) else "center")
    value = as_grid_has(grid, value, name, where, layers=True)
    if isinstance(value, str) or layers.is_data(value):
        value = _data_set(grid, value, name, where)
    found: Iterator[tuple[int, Array]] = on_layers(grid, value, name, where)
    return found


def _data_set(grid: WaterGrid, source: Any, name: str, where: str) -> Any:
    """Returns layers (nz, ny, nx) of a data set by its name, of a file, or of xarray."""
    longitude, latitude = grid.places_on_earth(f"{name} = {source!r}", where)
    places = np.asarray(latitude), np.asarray(longitude), grid.levels.middles
    if isinstance(source, str) and source == "levitus" and name in usual:
        return levitus.on_points(*places, name)
    wet = np.asarray(grid.levels_at(where)) > 0
    return layers.on_points(source, name, *places, wet)


def check_data_set(source: str, name: str) -> None:
    """Raises InputError: no data set or file of that name."""
    if (source == "levitus" and name in usual) or layers.is_data(source):
        return
    known: Sequence[str] = sets.known()
    raise InputError(
        f"no data set '{source}' for {name}{near(source, ['levitus', *known])}; allowed:"
        f" 'levitus' for temperature and salinity, {', '.join([*known, 'a file'])}"
    )
