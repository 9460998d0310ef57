"""Requests to a simulation before the run: output, restarts, departures, callbacks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fathom.base import writing
from fathom.base.clock import Duration, Event
from fathom.base.configurable import check_takes
from fathom.base.failure import InputError
from fathom.output.integrals import Integrals, is_of
from fathom.output.moorings import Moorings
from fathom.output.stores import Store
from fathom.run.checkpoint import Checkpoint
from fathom.run.held import Held

if TYPE_CHECKING:
    from fathom.assimilation.observations.base import Observations
    from fathom.grids.grid import Grid
    from fathom.run.simulation import Simulation


class Requests(Held):
    """The part of a Simulation that keeps the requests."""

    def output(
        self,
        path: str | Path,
        variables: str | Sequence[str] = (),
        every: Duration = "1d",
        statistic: str | None = None,
        dtype: str = "float32",
        levels: Sequence[float] | Mapping[str, Sequence[float]] | None = None,
        latlon_resolution: float | None = None,
        section: Sequence[Sequence[float]] | None = None,
        moorings: Mapping[str, Sequence[float]] | Sequence[Sequence[float]] | None = None,
        drifters: Mapping[str, Any] | None = None,
        harmonics: Sequence[str] | Mapping[str, Any] | None = None,
        area: Sequence[float] | None = None,
        zonal: bool | None = None,
        window: Sequence[Any] | None = None,
        grid: Grid | Mapping[str, Any] | None = None,
        spectral_truncation: int | None = None,
        compression: str | None = None,
        regrid: str | None = None,
    ) -> Self:
        """Adds a store (.zarr, .nc, .grib2 or .fa) of fields by name, instantaneous or their
        "mean", "minimum", "maximum" or "accumulation" (of rates) over the interval `every`; or of
        integrals (docs/output.md). Only within the window [date, date], where there is one. In
        place of the model's own: levels of pressure [hPa] or depth [m], or {altitude = [...]} and
        the like (fathom/grids/regrid/chosen.py); latitudes and longitudes in steps of
        latlon_resolution degrees, or another grid, with regrid = "bilinear" (default) the values at
        its points, with "conservative" the means over its cells; a fit of waves up to
        spectral_truncation, of a model on a Gaussian grid; the part in an area [west, east, south,
        north]; with zonal = True the means along rows; a section along great circles through
        [[longitude, latitude], ...]; moorings, columns at {name: [longitude, latitude]}; drifters,
        which follow the flow from {places = [[longitude, latitude, depth], ...]} or a region;
        harmonics, amplitude and phase of constituents of the tide, ["M2", "S2"], over each `every`.
        compression: one of those of the format.
        """
        places = {
            "levels": levels,
            "latlon_resolution": latlon_resolution,
            "section": section,
            "moorings": moorings,
            "drifters": drifters,
            "harmonics": harmonics,
            "area": area,
            "zonal": zonal or None,
            "grid": grid,
            "spectral_truncation": spectral_truncation,
            "regrid": regrid,
        }
        self.check_idle("output")
        self._check_name(path)
        chosen = {name: value for name, value in places.items() if value is not None}
        kind = self._kind_of_store(path, variables, chosen)
        self._check_of_members(path, kind)
        store = kind(self._seen, path, variables, every, statistic, dtype, **chosen)
        store.span = None if window is None else self._span(path, window)
        store.compress(compression)
        store.processes(
            declared(self.model.processes(self.time_step, self.surface)), 8
        )  # or an error
        if self.sequence is not None:
            self.put_away()
        self.outputs.append(store)
        self.events.append(
            Event(every, lambda simulation: store.come(), self.time_step, str(store.path))
        )
        return self

    def _check_of_members(self, path: str | Path, kind: type[Any]) -> None:
        """Raises InputError: an ensemble does not write such a store."""
        if self.members.several and (kind is not Store or Path(path).suffix != ".zarr"):
            raise InputError(
                f"output {path}: an ensemble writes fields to .zarr, with a dimension member; no"
                " other formats, and no integrals, moorings or drifters"
            )

    def _span(self, path: str | Path, window: Any) -> tuple[float, float]:
        """Returns seconds of the two dates of a window. ValueError: none, or the later first."""
        if isinstance(window, str) or np.shape(window) != (2,):
            raise InputError(f"output {path}: window = {window!r}: allowed is [date, date]")
        dates = [self.clock.date_of(date, f"output {path}: window") for date in window]
        begin, end = map(self.clock.seconds, dates)
        if not begin <= end:
            raise InputError(f"output {path}: window = {window!r} ends before it begins")
        return begin, end

    def _check_name(self, path: str | Path) -> None:
        """Raises ValueError: output outside the directory of the run, or two of one name."""
        inside = writing.inside(f"output {path}", path)
        if any(Path(os.path.normpath(store.path)) == inside for store in self.outputs):
            raise InputError(f"output {path}: there is another output of that name")

    def _kind_of_store(
        self, path: str | Path, variables: str | Sequence[str], chosen: dict[str, Any]
    ) -> type[Any]:
        """Returns the class of a store: of integrals, or the one of a keyword. ValueError: drifters
        of a model that has none.
        """
        if is_of(self.model, variables):
            return Integrals
        kinds = {"moorings": Moorings, **self.model.stores}
        of_sea = {"drifters": "go with the flow", "harmonics": "are of the tide"}
        for name, what in of_sea.items():
            if name in chosen and name not in kinds:
                raise InputError(
                    f"output {path}: {name} {what} of an Ocean; this is {type(self.model).__name__}"
                )
        return next((kinds[name] for name in reversed(chosen) if name in kinds), Store)

    def checkpoint(
        self,
        every: Duration = "30d",
        path: str | Path = "restart-{date}.fathom",
        keep: int | None = None,
    ) -> Self:
        """Writes a restart file every so often; `{date}` in its name becomes the date. keep: how
        many of them stay, the latest; None: all. An area that runs with its outer model writes
        folders `restart-DATE` with both.
        """
        self.check_idle("checkpoint")
        if self.together is not None:
            if str(path) != "restart-{date}.fathom":
                raise InputError(
                    f"checkpoint path = {str(path)!r}: the restarts of an area and its outer model"
                    " are folders restart-DATE in the directory of the run; leave out the path"
                )
            self.together.checkpoint(str(every), keep)
            return self
        _check_restart(path)
        checkpoint = Checkpoint(self._seen, path, keep)
        if self.sequence is not None:
            checkpoint.prepare(self._simulation.in_restarts)
        self.checkpoints.append(checkpoint)
        self.events.append(
            Event(
                every, lambda simulation: simulation._keep(checkpoint), self.time_step, "checkpoint"
            )
        )
        return self

    def _keep(self, checkpoint: Checkpoint) -> None:
        self.write_departures()
        checkpoint.write()

    def write_departures(self) -> None:
        """Writes the departures so far, which a restart of this time goes with."""
        for seen in self.observing:
            if seen.own is not None:
                seen.write()

    def observe(
        self,
        base: str | Path | Observations,
        every: Duration = "30min",
        path: str | Path = "departures.parquet",
    ) -> Self:
        """Makes departures of the data of a base of observations (a path, or Observations): each
        is compared with the model at its place and time, in slots of `every`; at the end of the run
        the base with its departures is in the file `path` (docs/observations.md).
        """
        from fathom.run.departures import Departures  # start-up time

        self.check_idle("observe")
        if self.members.several:
            raise InputError("observe: an ensemble makes no departures; run a member by itself")
        self._check_name(path)
        seen = Departures(self._seen, base, every, path)
        self.observing.append(seen)
        self.events.insert(
            0, Event(every, lambda simulation: seen.come(), self.time_step, str(seen.path))
        )
        return self

    def call(self, function: Callable[[Simulation], object], every: Duration) -> Self:
        """Calls function(simulation) at an interval. Returns the simulation."""
        self.check_idle("call")
        check_takes("call", function, "the simulation")
        self.events.append(
            Event(
                every,
                lambda simulation: (simulation.rest(), function(simulation)),
                self.time_step,
                getattr(function, "__name__", "callback"),
            )
        )
        return self


def declared(processes: Iterable[Any]) -> dict[str, dict[str, Any]]:
    """Returns all fields that processes declare, by name."""
    return {f["name"]: f for p in processes for f in p.fields}


def _check_restart(path: str | Path) -> None:
    """Raises InputError: a name of restarts outside the directory of the run, without .fathom, or
    with other braces than {date}.
    """
    what = f"checkpoint path = {str(path)!r}"
    writing.inside(what, path)
    try:
        fields = {field for _, field, *_ in Formatter().parse(str(path)) if field is not None}
    except ValueError:  # a brace without the other
        fields = {""}
    if fields - {"date"} or Path(path).suffix != ".fathom":
        raise InputError(f"{what}: allowed: a name that ends in .fathom, with {{date}} or without")
