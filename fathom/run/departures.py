"""Departures of observations inside a run: each datum is compared with the model at the place and
time of the observation (first guess at the appropriate time).

    simulation.observe("today.parquet", every="30min", path="departures.parquet")
    simulation.run("6h")

A datum belongs to the rank that owns the grid point next to it; the other columns around it are
sent there. At both ends of each slot [t - every, t) they are interpolated to the place, then in
time to the datum; an operator then uses them (fathom/assimilation/observations/equivalents.py). At
the end of the run the ranks write one file together, the same bytes on any of them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.assimilation.observations import base, equivalents, looks, spread
from fathom.assimilation.observations.base import Observations
from fathom.base.clock import Duration, seconds_of
from fathom.base.failure import InputError, MissingFileError
from fathom.base.home import at_home
from fathom.output import diagnostics

if TYPE_CHECKING:
    from fathom.model.model import Model
    from fathom.run.simulation import Simulation


class Departures:
    """Departures of the data of a base (a path, or Observations) in slots of `every`, into `path`.

    ValueError: a slot that is no length of time, a calendar that is not that of observations.
    FileNotFoundError: no such base.
    """

    def __init__(
        self,
        simulation: Simulation,
        given: str | Path | Observations,
        every: Duration,
        path: str | Path,
    ) -> None:
        self.simulation, self.path = simulation, Path(os.path.normpath(at_home(path)))
        self.base = given if isinstance(given, Observations) else at_home(given).absolute()
        self.every = seconds_of(every, "every of observations")
        if simulation.clock.calendar != "standard":
            raise InputError(
                f"observations have dates of the standard calendar; this run has"
                f" '{simulation.clock.calendar}'"
            )
        if self.path.suffix != ".parquet":
            raise InputError(f"path = {str(path)!r} of observations: allowed is a name.parquet")
        if not isinstance(given, Observations) and not at_home(given).is_file():
            raise MissingFileError(
                f"{given}: no such base of observations; fathom observations import makes one"
            )
        epoch = type(simulation.clock.start)(1970, 1, 1, calendar="standard")
        self.start = (simulation.clock.start - epoch).total_seconds()
        self.own: Any = None  # the data of this rank
        self.before: looks.Columns | None = None  # of those of the slot that has begun

    # ---- before the run --------------------------------------------------------------------------

    def open(self) -> None:
        """Brings data to their ranks, and their columns where a slot begins; all ranks call it."""
        s = self.simulation
        self.fields = {f["name"]: f for f in s.fields.fields}
        self.model = _observed(s.model, self.fields)

        def known(name: Any) -> Any:
            return name in self.fields or name in s.model.derived

        self.names = [n for n in (*self.model.needs, *self.model.takes) if known(n)]
        self.levels = {name: self._levels(name) for name in self.names}
        if self.own is None:
            self._deal_out()
        slot = s.seconds / self.every
        self.before = self._columns(self._of_slot(0)) if slot == round(slot) else None

    def _deal_out(self) -> None:
        """Gives each datum to the rank that owns the grid point next to it."""
        s, grid = self.simulation, self.simulation.model.grid
        self.owner = np.full(grid.shape[1:], -1, np.int32)
        for rank, blocks in enumerate(s.comm.allgather(list(s.domain.blocks))):
            for j0, i0, ny, nx in blocks:
                self.owner[j0 : j0 + ny, i0 : i0 + nx] = rank
        read: list[Observations] = []
        s.on_root(lambda: read.append(self._read()))
        data = read[0] if read else Observations(value=[])
        around = grid.interpolation(*_place(data))
        nearest = np.take_along_axis(around.index, around.weight.argmax(1)[:, None], 1)[:, 0]
        owner = np.maximum(self.owner.ravel()[nearest], 0)
        order = np.argsort(owner, kind="stable")
        self.own = spread.to_ranks(data.taken(order), owner[order], s.comm)
        around = grid.interpolation(*_place(self.own))
        self.around = around.index
        self.places = equivalents.Places(around, grid.coordinates("center"), self.own)

    def _read(self) -> Observations:
        """Returns the base, with the departures of an earlier part of this run."""
        s, given = self.simulation, self.base
        whole = s.directory / self.path
        goes_on = s.goes_on_here and s.count > 0 and whole.exists()
        if goes_on:
            given = base.read(whole)
        elif not isinstance(given, Observations):
            given = base.read(given)
        data = base.together([given])
        begun = self.start + s.seconds // self.every * self.every
        kept = (data["slot"] >= 0) & (data["time"] < begun) & goes_on
        data["background_departure"][~kept], data["slot"][~kept] = np.nan, -1
        data["reason"][~kept & np.isin(data["reason"], equivalents.of_model)] = 0
        return data

    # ---- in the run ------------------------------------------------------------------------------

    def come(self) -> None:
        """Compares at the end of a slot, and the beginning of the next; all ranks call it."""
        ending, beginning = self._of_slot(-1), self._of_slot(0)
        after = self._columns(np.append(ending, beginning))

        def split(which: Any) -> Any:
            return {name: values[:, which] for name, values in after.items()}

        if self.before is not None:
            end = self.start + self.simulation.seconds
            share = (self.own["time"][ending] - (end - self.every)) / self.every
            held = equivalents.between(self.before, split(slice(len(ending))), share)
            self._compare(ending, held)
        self.before = split(slice(len(ending), None))

    def _of_slot(self, n: int) -> np.ndarray:
        """Returns own data of the slot that begins now (0), or that ends now (-1)."""
        begin = self.start + self.simulation.seconds + n * self.every
        time = self.own["time"]
        return np.flatnonzero((time >= begin) & (time < begin + self.every))

    def _compare(self, of: np.ndarray, held: looks.Columns) -> None:
        some = self.own.taken(of)
        departure, reason, unlike = self.model.see(some, held)
        equivalents.inflate(self.own, of, unlike)
        self.own["background_departure"][of] = departure
        self.own["slot"][of] = round(self.simulation.seconds / self.every) - 1
        self.own["reason"][of] = np.where(some["reason"] == 0, reason, some["reason"])

    def _columns(self, of: np.ndarray) -> looks.Columns:
        """Returns columns at own data, from the grid points around them wherever they are."""
        comm, index = self.simulation.comm, self.around[of]
        points, place = np.unique(index, return_inverse=True)
        owner = self.owner.ravel()[points]
        wanted = [np.flatnonzero(owner == rank) for rank in range(comm.size)]
        asked = comm.alltoall([points[which] for which in wanted])
        given = {name: self._here(name, asked) for name in self.names}
        around = {}
        for name in self.names:
            values = np.full((self.levels[name], len(points)), np.nan)
            for which, part in zip(wanted, comm.alltoall(given[name])):
                values[:, which] = part
            around[name] = values[:, place.reshape(index.shape)]
        return self.places.columns(around, of)

    def _here(self, name: str, asked: list[np.ndarray]) -> list[np.ndarray]:
        """Returns points of a field that ranks ask for, (levels, points) each, from own blocks."""
        s, nx = self.simulation, self.simulation.model.grid.shape[2]
        made = [np.full((self.levels[name], len(points)), np.nan) for points in asked]
        _, found = diagnostics.find(name, s.model, self.fields)
        blocks = diagnostics.windows(s, found, self.fields[found.own_needs[0]])
        for (j0, i0, ny, own), block in zip(s.domain.blocks, blocks):
            for points, values in zip(asked, made):
                j, i = np.divmod(points, nx)
                here = (j >= j0) & (j < j0 + ny) & (i >= i0) & (i < i0 + own)
                values[:, here] = block[:, j[here] - j0, i[here] - i0]
        return made

    def _levels(self, name: str) -> int:
        s = self.simulation
        _, found = diagnostics.find(name, s.model, self.fields)
        blocks = diagnostics.windows(s, found, self.fields[found.own_needs[0]])
        return int(max(s.comm.allgather(max(map(len, blocks), default=0))))

    # ---- after the run ---------------------------------------------------------------------------

    def write(self) -> None:
        """Writes the base with departures of the slots that have ended; all ranks call it."""
        s = self.simulation
        spread.write(spread.ordered(self.own, s.comm), s.directory / self.path, s.comm)


def _place(data: Observations) -> tuple[np.ndarray, np.ndarray]:
    """Returns longitudes and latitudes; arbitrary where there is no place on Earth."""
    with np.errstate(invalid="ignore"):
        here = (np.abs(data["latitude"]) <= 90) & np.isfinite(data["longitude"])
    return np.where(here, data["longitude"], 0), np.where(here, data["latitude"], 0)


def _observed(model: Model, fields: Mapping[str, Any]) -> Any:
    """Returns how data observe a model. ValueError: nothing of this one can be observed."""
    if "surface_air_pressure" in model.derived:
        return equivalents.Air(model.grid.levels.a, model.grid.levels.b)
    if all(name in fields for name in equivalents.Sea.needs):
        return equivalents.Sea(model.grid.mapping()["depth"])
    raise InputError(
        f"observations are of an atmosphere with pressure or of an ocean; this is"
        f" {type(model).__name__}"
    )
