"""An outer model that runs at the same time: the globe, or a larger area, which may have an outer
one itself. On the same ranks it runs ahead of the area to the next time that is needed, and its
columns are brought to the area's points, ground and levels in memory, without a file.

Each rank gets from the others the part of the outer model that its columns of the area need,
through one plan (fathom/output/gather.py), and all ranks get the columns. Where both are
compressible, q and d go with the rest, cubic in ln p and within the two levels around; of a
hydrostatic one the area makes them itself.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from fathom.atmosphere.remap import columns_of_heights
from fathom.atmosphere.remap.around_area import given_on
from fathom.atmosphere.remap.at_places import AtPlaces, OnMap
from fathom.atmosphere.remap.columns_over_ground import BLOCK, in_columns, vapour
from fathom.atmosphere.remap.given_state import Given, OfSimulation, lies_on_earth
from fathom.atmosphere.spectral import compressible
from fathom.base.clock import Period
from fathom.base.failure import InputError
from fathom.grids.hybrid import REFERENCE
from fathom.output.gather import Gather


class Running:
    """The states of `simulation`, of a SpectralAtmosphere, a GridPointAtmosphere on the sphere, or
    a larger area, at its start and `every` so often, for a model of an area.
    """

    collective = True  # all ranks make a record together, in the order of records
    name, keyword = "outer", "outer_every"  # of it, and of its interval, for what it runs with

    def __init__(self, model: Any, simulation: Any, every: Any = None) -> None:
        self.model, self.simulation = model, simulation
        self.every = Period(every, "outer_every").seconds if every else simulation.time_step
        self.held: dict[int, dict[str, np.ndarray]] = {}
        self.at: Any = None
        self.axis = Every(simulation, self.every)

    def __str__(self) -> str:
        model = type(self.simulation.model).__name__
        return f"a {model} that runs together with it, every {self.every:g} s"

    def write_restart(self, path: Path) -> None:
        """Writes what the outer model needs to go on, to be called with the area's restart: its own
        restart, and next to it the record before its time. All ranks call it.
        """
        s, record = self.simulation, _record_beside(path)
        s.prepare().write_restart(path)
        latest = max(self.held, default=0)
        kept: dict[str, Any] = {"number": latest - 1, **self.held.get(latest - 1, {})}

        def write() -> None:
            under_way = record.with_name(record.name + ".new")
            with under_way.open("wb") as file:
                np.savez(file, **kept)
            under_way.replace(record)

        s.on_root(write)

    def restore(self, path: Path) -> None:
        """Continues from the file of `write_restart`, where there is one. All ranks call it."""
        s, record = self.simulation, _record_beside(path)
        held = None
        if s.comm.rank == 0 and path.is_file() and record.is_file():
            with np.load(record) as file:
                held = {name: file[name] for name in file.files}
        held = s.comm.bcast(held)
        if held is None:
            return
        number = int(held.pop("number"))
        self.held, self.at = {number: held} if held else {}, None
        s.start_again(path)

    def moved(self) -> None:
        """Forgets what is known of the ranks: the outer model gets others."""
        self.at = None

    def state(self, number: int) -> dict[str, np.ndarray]:
        """Returns the state as `set` takes it; the outer model runs until then. All
        ranks call it.
        """
        if number not in self.held:
            self._check_helpers()
            self.simulation.prepare()
            now = round(self.simulation.seconds / self.every)
            if number < now or abs(now * self.every - self.simulation.seconds) > 1e-6:
                raise InputError(
                    f"the outer model is at {self.simulation.date}, and was asked for"
                    f" {self.axis.date(number)}: with a restart of the area give the outer one too"
                )
            if number > now:
                self.simulation.go_to(number * self.every)
            self.held = {n: state for n, state in self.held.items() if n >= number - 1}
            self.held[number] = self._taken()
        return self.held[number]

    def _check_helpers(self) -> None:
        """Checks that its helping ranks are at work. InputError: they begin with the run."""
        helpers = ", ".join(self.simulation.helpers)
        if helpers and self.simulation.agenda is None:
            raise InputError(
                f"the outer model has {helpers}, which begin with a run: its state cannot be had"
                " before; give the area another start than analysis = 'outer'"
            )

    @property
    def _sound(self) -> tuple[str, ...]:
        """Returns the additional fields of compressible air, where both are."""
        both = self.model, self.simulation.model
        return compressible.fields if all(m.compressible for m in both) else ()

    def _taken(self) -> dict[str, np.ndarray]:
        """Returns the present state at the area's points: each rank makes its share of
        the columns.
        """
        model, comm = self.model, self.simulation.comm
        where = given_on(model)
        there = np.flatnonzero(np.asarray(where.grid.wet_levels) > 0)
        ends = [there.size * n // comm.size for n in (comm.rank, comm.rank + 1)]
        mine = there[slice(*ends)]
        given = beside(self.simulation)
        if self.at is None:
            self.at = self._places(given, mine)
        own, outer = where.ground.ravel()[mine], self.simulation.model
        if outer.on_heights:
            share = columns_of_heights.taken(model, outer, self.at, model.moist, own)
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
        grid = given_on(self.model).grid
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
        """Over the ground `own` (points) of this rank, of one on hybrid levels."""
        model = self.model
        east, north = self.at.wind()
        source = {"eastward_wind": east, "northward_wind": north}
        carried = [name for name in model.tracers if name in given.tracers]
        for name in ("log_pressure_ratio", given.temperature, *carried, *self._sound):
            source[name] = self.at(name)
        warm = source.pop(given.temperature)
        humidity = source.get("specific_humidity", 0.0)
        if given.temperature == "virtual_temperature":
            warm = warm / (1 + vapour * humidity) if model.moist else warm
        source["air_temperature"] = warm
        ground = self.at("surface_geopotential")[0]
        parts = []
        for first in range(0, own.size, BLOCK):
            part = slice(first, first + BLOCK)
            columns = {name: values[:, part] for name, values in source.items()}
            levels = given.grid.levels, model.hybrid_levels
            parts.append(in_columns(columns, *levels, ground[part], own[part]))
        found = {name: np.concatenate([p[name] for p in parts], 1) for name in parts[0]}
        ratio = found.pop("log_pressure_ratio")[0]
        return found | {"log_surface_pressure": ratio + math.log(REFERENCE)}


def _record_beside(path: Path) -> Path:
    """Returns the file of the record next to a restart of the outer model."""
    return path.with_name(path.name + "-record")


def beside(simulation: Any) -> Given:
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


class Every:
    """Times that follow each other evenly from the start of a simulation, without end."""

    repeated = False

    def __init__(self, simulation: Any, every: float) -> None:
        self.clock, self.every = simulation.clock, every

    def bracket(self, clock: Any, seconds: float) -> tuple[int, int, float, float]:
        late = clock.seconds(self.clock.start)  # of the outer start, by the clock of the area
        number = math.floor((seconds - late) / self.every + 1e-9)
        first = late + number * self.every
        return number, number + 1, first, first + self.every

    def coverage(self, clock: Any) -> tuple[float, float]:
        return clock.seconds(self.clock.start), math.inf

    def date(self, number: int) -> str:
        return str(self.clock.date(number * self.every))
