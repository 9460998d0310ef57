"""An outer model that runs at the same time: the globe, or a larger area, which may have an outer
one itself. It runs ahead of the area to the next time that is needed, under the clock of both
(fathom/run/boundaries.py), and its columns are brought to the area's points, ground and levels in
memory, without a file.

Each rank of it gets from the others the part of the outer model that its columns of the area need,
through one plan (fathom/output/gather.py), and all ranks get the columns. Where both are
compressible, q and d go with the rest, cubic in ln p and within the two levels around; of a
hydrostatic one the area makes them itself.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fathom.atmosphere.remap import columns_of_heights
from fathom.atmosphere.remap.around_area import Receiver
from fathom.atmosphere.remap.at_places import AtPlaces, OnMap
from fathom.atmosphere.remap.columns_over_ground import BLOCK, in_columns, vapour
from fathom.atmosphere.remap.given_state import Given, OfSimulation, lies_on_earth
from fathom.atmosphere.spectral import compressible
from fathom.base.failure import InputError
from fathom.grids.hybrid import REFERENCE
from fathom.model.component import Array
from fathom.model.outer import Outer
from fathom.output.gather import Gather


class Running(Outer):
    """The states of `simulation`, of a SpectralAtmosphere, a GridPointAtmosphere on the sphere, or
    a larger area; receiver: what the area takes of a state.
    """

    def __init__(
        self, receiver: Receiver, simulation: Any, every: float | str | None = None
    ) -> None:
        super().__init__(simulation, every)
        self.receiver = receiver
        self.at: Any = None

    @property
    def ground(self) -> Array | None:
        """Returns the orography of the area, where it is an array; None: as it was given."""
        orography = self.receiver.orography()
        return orography if isinstance(orography, np.ndarray) else None

    @ground.setter
    def ground(self, values: Array | None) -> None:
        if values is not None:
            self.receiver.lie_on(values)

    def continue_from(self, kept: dict[str, Any]) -> None:
        """Forgets all states but one of `kept`, and where the outer model is."""
        super().continue_from(kept)
        self.at = None

    @property
    def _sound(self) -> tuple[str, ...]:
        """Returns the additional fields of compressible air, where both are."""
        both = self.receiver.compressible and self.simulation.model.compressible
        return compressible.fields if both else ()

    def _taken(self) -> dict[str, np.ndarray]:
        """Returns the present state at the area's points: each rank makes its share of
        the columns.
        """
        area, comm = self.receiver, self.simulation.comm
        where = area.where
        there = np.flatnonzero(np.asarray(where.grid.wet_levels) > 0)
        ends = [there.size * n // comm.size for n in (comm.rank, comm.rank + 1)]
        mine = there[slice(*ends)]
        given = state_of_outer(self.simulation)
        if self.at is None:
            self.at = self._places(given, mine)
        own, outer = where.ground.ravel()[mine], self.simulation.model
        if outer.on_heights:
            tracers, moist = area.air.tracer_names, area.air.moist
            share = columns_of_heights.taken(outer, self.at, area.levels, tracers, moist, own)
        else:
            share = self._of_layers(given, own)
        shape = where.grid.points[::-1]
        found = {name: np.concatenate(comm.allgather(share[name]), -1) for name in sorted(share)}
        result: dict[str, np.ndarray] = where.whole(
            {name: v.reshape(*v.shape[:-1], *shape) for name, v in found.items()}
        )
        return result

    def _places(self, given: Given, mine: np.ndarray) -> Any:
        """Returns the outer model at the columns of this rank. ValueError on all ranks where any
        lies outside.
        """
        comm = self.simulation.comm
        grid = self.receiver.where.grid
        longitude, latitude = (c.ravel()[mine] for c in grid.coordinates())
        kind = OnMap if given.grid.truncation is None else AtPlaces
        at = error = None
        try:
            at = kind(given, Collected(given, comm), longitude, latitude)
        except ValueError as fault:
            error = str(fault)
        if fault_of_any := next(filter(None, comm.allgather(error)), None):
            raise InputError(fault_of_any)
        return at

    def _of_layers(self, given: Given, own: np.ndarray) -> dict[str, np.ndarray]:
        """Returns its state over the ground `own` (points) of this rank, of one on hybrid
        levels.
        """
        area = self.receiver
        east, north = self.at.wind()
        source = {"eastward_wind": east, "northward_wind": north}
        carried = [name for name in area.air.tracer_names if name in given.tracers]
        for name in ("log_pressure_ratio", given.temperature, *carried, *self._sound):
            source[name] = self.at(name)
        warm = source.pop(given.temperature)
        humidity = source.get("specific_humidity", 0.0)
        if given.temperature == "virtual_temperature":
            warm = warm / (1 + vapour * humidity) if area.air.moist else warm
        source["air_temperature"] = warm
        ground = self.at("surface_geopotential")[0]
        parts = []
        for first in range(0, own.size, BLOCK):
            part = slice(first, first + BLOCK)
            columns = {name: values[:, part] for name, values in source.items()}
            levels = given.grid.levels, area.levels
            parts.append(in_columns(columns, *levels, ground[part], own[part]))
        found = {name: np.concatenate([p[name] for p in parts], 1) for name in parts[0]}
        ratio = found.pop("log_pressure_ratio")[0]
        return found | {"log_surface_pressure": ratio + math.log(REFERENCE)}


def state_of_outer(simulation: Any) -> Given:
    """Returns the state of an outer model. ValueError: it has no places on earth."""
    if not lies_on_earth(simulation.model.grid):
        raise InputError(
            f"outer = a simulation of {type(simulation.model).__name__} on"
            f" {simulation.model.grid!r}: allowed are those of SpectralAtmosphere, of"
            " GridPointAtmosphere on a LatitudeLongitudeGrid or a RotatedGrid, and of"
            " LimitedAreaAtmosphere on a LimitedAreaGrid"
        )
    return OfSimulation(simulation, simulation.comm)


class Collected:
    """Rectangles of fields in blocks that every rank needs."""

    def __init__(self, given: Any, comm: Any) -> None:
        self.given, self.comm = given, comm
        self.plans: dict[Any, Gather] = {}

    def __call__(self, mine: list[Any], name: str) -> dict[int, np.ndarray]:
        everyone = tuple(map(tuple, self.comm.allgather(mine)))
        if everyone not in self.plans:
            rectangles = [rectangle for wanted in everyone for rectangle in wanted]
            owners = [rank for rank, wanted in enumerate(everyone) for _ in wanted]
            self.plans[everyone] = Gather(self.comm, self.given.domain, rectangles, owners)
        return self.plans[everyone](self.given.windows(name))
