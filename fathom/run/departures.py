"""Departures of observations inside a run of an atmosphere: each datum is compared with the model
at its own time and place (first guess at the appropriate time).

    seen = departures.observe(simulation, observations, every="30min")
    simulation.run("6h")
    seen.observations            # on rank 0, with background departures and slots

At the end of each slot [t - every, t) the columns around its data travel from the ranks that own
them. They are interpolated to the places, vectors as vectors of space, and in time between the two
ends of the slot; then observation operators see them. Rank 0 does that with its threads, on exact
copies of the columns, so no bit depends on the number of ranks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom import mpi
from fathom.moist_air import GRAVITY
from fathom.observations import operators
from fathom.observations.base import Observations
from fathom.observations.variables import kinds, names
from fathom.output import diagnostics
from fathom.time.clock import Period

layers = ("air_temperature", "specific_humidity", "eastward_wind", "northward_wind")
surface = ("surface_air_pressure", "surface_geopotential")


class Departures:
    """What is called at the end of each slot. `observations`: on rank 0 those that are compared;
    `counts`: data with an equivalent, slot by slot.
    """

    __name__ = "departures"

    def __init__(self, simulation: Any, observations: Observations, every: str):
        if "surface_air_pressure" not in getattr(simulation.model, "derived", ()):
            raise ValueError(
                "departures inside a run are those of an atmosphere; this is"
                f" {type(simulation.model).__name__}"
            )
        self.every, self.observations = Period(every, "every").seconds, observations
        if not self.every:
            raise ValueError(f"every = {every} of departures must be a time, not months")
        start, since = simulation.clock.start, simulation.clock.calendar
        epoch = type(start)(1970, 1, 1, calendar=since)
        self.start = (start - epoch).total_seconds()
        place = observations["longitude"], observations["latitude"]
        self.grid = simulation.model.grid
        self.around = self.grid.interpolation(*place)
        self.fields = {f["name"]: f for f in simulation.fields.fields}
        self.skin = next((n for n in ("ground_temperature",) if n in self.fields), None)
        self.before: dict[str, np.ndarray] = {}
        self.counts: list[int] = []

    def __call__(self, simulation: Any) -> None:
        """The end of a slot, and the beginning of the next; all ranks call it."""
        now = self.start + simulation.seconds
        time = self.observations["time"]
        ending = (time >= now - self.every) & (time < now)
        beginning = (time >= now) & (time < now + self.every)
        held = {
            name: self._columns(simulation, name, ending | beginning)
            for name in (*layers, *surface, *([self.skin] if self.skin else []))
            if name in self.fields or name in simulation.model.derived
        }
        if simulation.comm.rank == 0:
            at = np.flatnonzero(ending | beginning)
            if self.before:
                of = np.flatnonzero(ending)
                self._compare(of, held, np.searchsorted(at, of), now)
            keep = np.searchsorted(at, np.flatnonzero(beginning))
            self.before = {name: values[:, keep] for name, values in held.items()}

    def _columns(self, simulation: Any, name: str, which: np.ndarray) -> np.ndarray:
        """The grid points around data of a mask: (levels, data, 4) on rank 0."""
        _, found = diagnostics.find(name, simulation.model, self.fields)
        index = self.around.index[which]
        points = np.unique(index)
        nx = self.grid.shape[2]
        row, point = np.divmod(points, nx)
        mine = None
        values = diagnostics.windows(simulation, found, self.fields[found.needs[0]])  # own blocks
        for (j0, i0, ny, own), block in zip(simulation.domain.blocks, values):
            if mine is None:
                mine = np.zeros((len(block), len(points)))
            here = (row >= j0) & (row < j0 + ny) & (point >= i0) & (point < i0 + own)
            mine[:, here] = block[:, row[here] - j0, point[here] - i0]
        levels = simulation.comm.allreduce(0 if mine is None else len(mine), mpi.MPI.MAX)
        mine = np.zeros((levels, len(points))) if mine is None else mine
        total = np.empty_like(mine)
        simulation.comm.Reduce(np.ascontiguousarray(mine), total, mpi.MPI.SUM, 0)
        return total[:, np.searchsorted(points, index)]

    def _compare(self, of: np.ndarray, held: dict, at: np.ndarray, now: float) -> None:
        """Departures of data `of`, whose columns lie `at` those held."""
        share = (self.observations["time"][of] - (now - self.every)) / self.every
        both = {
            name: (1 - share[:, None]) * self.before[name] + share[:, None] * held[name][:, at]
            for name in held
        }
        columns = self._at_places(of, both)
        count = 0
        kind, variable = (self.observations[n][of] for n in ("kind", "variable"))
        for k, v in sorted({(int(a), int(b)) for a, b in zip(kind, variable)}):
            found = operators.operator_of(names[v], kinds[k])
            if found is None:
                continue
            these = np.flatnonzero((kind == k) & (variable == v))
            level = self.observations[found[1]][of[these]]
            level = np.where(np.isnan(level) & (k in self._surface), columns.ground[these], level)
            seen = columns.taken(these).apply(found[0], level)
            self.observations["background_departure"][of[these]] = (
                self.observations["value"][of[these]] - seen
            )
            count += int(np.isfinite(seen).sum())
        self.observations["slot"][of] = len(self.counts)
        self.counts.append(count)

    _surface = tuple(kinds.index(k) for k in ("synop", "ship", "buoy", "metar"))

    def _at_places(self, of: np.ndarray, held: dict[str, np.ndarray]) -> operators.Columns:
        """Columns at the data, from those at the grid points around them."""
        weight = self.around.weight[of].astype(float)
        weight /= weight.sum(axis=1, keepdims=True)
        mean = lambda values: (values * weight).sum(axis=2).T  # (data, levels)
        T, ps = mean(held["air_temperature"]), mean(held["surface_air_pressure"])[:, 0]
        q = mean(held["specific_humidity"]) if "specific_humidity" in held else np.zeros_like(T)
        east, north = self._winds(of, held["eastward_wind"], held["northward_wind"], weight)
        return operators.Columns(
            self.grid.levels.a,
            self.grid.levels.b,
            T,
            q,
            east,
            north,
            ps,
            mean(held[self.skin])[:, 0] if self.skin else T[:, -1],
            mean(held["surface_geopotential"])[:, 0] / GRAVITY,
        )

    def _winds(self, of: np.ndarray, u: Any, v: Any, weight: np.ndarray) -> Any:
        """Components at the places: the mean of vectors in space, in the frame of the place."""
        longitude, latitude = (np.ravel(x) for x in self.grid.coordinates("center"))
        index = self.around.index[of]
        there = _frame(longitude[index], latitude[index])  # 2 x (data, 4, 3)
        vector = u[..., None] * there[0] + v[..., None] * there[1]
        vector = (vector * weight[..., None]).sum(axis=2)
        here = _frame(self.observations["longitude"][of], self.observations["latitude"][of])
        return tuple((vector * axis).sum(axis=-1).T for axis in here)


def _frame(longitude: np.ndarray, latitude: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors to the east and to the north."""
    x, y = np.deg2rad(longitude), np.deg2rad(latitude)
    east = np.stack([-np.sin(x), np.cos(x), np.zeros_like(x)], axis=-1)
    north = np.stack([-np.sin(y) * np.cos(x), -np.sin(y) * np.sin(x), np.cos(y)], axis=-1)
    return east, north


def observe(simulation: Any, observations: Observations, every: str = "30min") -> Departures:
    """Departures are made while the simulation runs on; call it before `run`. ValueError: a model
    that is no atmosphere, a slot that is no whole number of steps.
    """
    simulation.prepare()
    seen = Departures(simulation, observations.sorted(), every)
    seen(simulation)
    simulation.call(seen, every)
    return seen
