"""The coupled system: an atmosphere with land over an ocean with ice, under one clock.

    both = fm.Coupled(atmosphere=air, ocean=sea, time_step={"atmosphere": "30min", "ocean": "3h"})
    both.run("10y")

Both are models as they are alone; here the air's surface is the ocean's, and the ocean's forcing is
the air's (fathom/coupled/between.py).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from fathom.atmosphere.ground.over_ocean import of_one_energy, over_ocean
from fathom.atmosphere.ground.sea import SlabOcean
from fathom.atmosphere.spectral.hydrostatic import HydrostaticAtmosphere
from fathom.base import writing
from fathom.base.clock import Event, Period, seconds_of
from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.base.timetable import Timetable, second
from fathom.coupled.between import FromRivers, ToAir, ToSea
from fathom.coupled.budget import Budget, as_volume, told, told_in
from fathom.coupled.exchange import Exchange
from fathom.coupled.programs import Programs
from fathom.coupled.repeated import rehearse
from fathom.coupled.rivers import CALVING, CALVING_HEAT, RUNOFF, Rivers
from fathom.coupled.slab_budget import SlabBudget
from fathom.grids.arguments import yes_or_no
from fathom.ocean.surface.under_air import UnderAir
from fathom.run import report_of_programs
from fathom.run.simulation import Simulation

orders = ("in turn", "side by side", "repeated")
names = ("atmosphere", "ocean")
OF_LAND = {"runoff": RUNOFF, "calving_flux": CALVING, "calving_heat_flux": CALVING_HEAT}


class Coupled(Programs):
    """Air and sea in one run.

    Parameters
    ----------
    atmosphere : a model of air with `BasicPhysics(land="TiledLand")`, or another physics with
        tiles; or a Simulation of it, whose outputs stay.
    ocean : an Ocean, with sea ice or without; or a Simulation of it; or a SlabOcean, which is then
        the surface of the air.
    time_step : of both, "30min", or {"atmosphere": "30min", "ocean": "3h"}; not with simulations,
        which have theirs.
    every : how often they exchange; None: the longer step.
    order : "in turn": the air goes ahead over the sea as it is, and the sea follows with the mean
        fluxes of the same interval; "side by side": both step at the same time, the sea with the
        fluxes of the interval before; "repeated": twice in turn from the same state, the second
        time over the surface that the first has found (Schwarz; Marti et al. 2021, Geosci. Model
        Dev. 14, 2959), for study.
    ranks : {"atmosphere": 3, "ocean": 1}: ranks of their own, rivers on those of the ocean; None:
        both on all ranks.
    rivers : whether rivers and icebergs carry what runs off the land to the sea: a program "rivers"
        (fathom/coupled/rivers.py). Else this water leaves the system, as a line of the budget.
    programs : further programs by name.
    budget : how often the budget of heat, water and salt is closed (fathom/coupled/budget.py), into
        the file `budget.txt` of the run; at each restart too. Of hydrostatic air on hybrid levels.
    start, calendar : as those of a Simulation.
    directory, overwrite : as those of Programs.
    """

    budget: Budget | None

    def __init__(
        self,
        atmosphere: Any,
        ocean: Any,
        time_step: str | float | Mapping[str, str | float] | None = None,
        *,
        every: str | float | None = None,
        order: str = "in turn",
        ranks: Mapping[str, int | Iterable[int]] | None = None,
        rivers: bool = True,
        programs: Mapping[str, Any] | None = None,
        budget: str = "30d",
        start: str = "2000-01-01",
        calendar: str = "standard",
        directory: str | Path = ".",
        overwrite: bool = False,
    ) -> None:
        if order not in orders:
            raise InputError(unknown("order", order, orders))
        self.order_in_time, self.budget = order, None
        rivers = yes_or_no("rivers", rivers)
        of_time = {"start": start, "calendar": calendar}
        if isinstance(ocean, SlabOcean):
            air = over_slab(atmosphere, ocean, time_step, of_time)
            super().__init__({"atmosphere": air, **(programs or {})}, directory, ranks, overwrite)
            if has_tiles(air.model) and isinstance(air.model, HydrostaticAtmosphere):
                self._close(SlabBudget(air), budget)
            return
        steps = _steps(time_step, atmosphere, ocean)
        air = _simulation(atmosphere, steps, "atmosphere", of_time)
        sea = _simulation(ocean, steps, "ocean", of_time)
        put_together(air, sea, rivers)
        longer = max(air.time_step, sea.time_step)
        interval = longer if every is None else seconds_of(every, "every")
        members = {"atmosphere": air, "ocean": sea, **(programs or {})}
        if rivers:
            land = air.model.initial["land_fraction"]
            date, kind = str(air.clock.start), air.clock.calendar
            grids = air.model.grid, sea.model.grid
            members["rivers"] = Rivers(*grids, interval, land, start=date, calendar=kind)
        given: Any = {"rivers": "ocean"} | dict(ranks) if rivers and ranks is not None else ranks
        super().__init__(members, directory, given, overwrite)
        self._join(air, sea, interval, order == "side by side", members.get("rivers"))
        if isinstance(air.model, HydrostaticAtmosphere):  # the energy of others is another one
            aside = order == "side by side"
            self._close(Budget(air, sea, interval, aside, members.get("rivers")), budget)

    def _close(self, budget: Budget, every: str) -> None:
        """Closes a budget every so often."""
        self.budget = budget
        budget.members, budget.comm = self.members, self.comm
        self._check_length(Period(every, "budget"), "budget")
        each = self.timetable.interval / second
        self._watched.append(Event(every, Coupled.before_restart, each, ""))

    def _join(self, air: Any, sea: Any, every: float, aside: bool, rivers: Any) -> None:
        """Adds what each gives to the others. InputError: steps that do not fit."""
        up = ToAir("ocean", "atmosphere", every, True)
        down = ToSea("atmosphere", "ocean", every, aside, up)
        known = air.handed.known()
        off_land = [
            Exchange(f"atmosphere.{a}", f"rivers.{b}", every, "mean", lagged=aside, by="same")
            for a, b in OF_LAND.items()
            if rivers is not None and a in known
        ]
        links: list[Any] = [down, up, *off_land]
        if rivers is not None:
            links.append(FromRivers("rivers", "ocean", every, aside))
        timetable = self._timetable([*self.exchanges, *links])
        up.join(sea, air, sea.surface.sea_ice is not None)
        down.join(air, sea)
        for one in off_land:
            one.join(air, rivers)
        if rivers is not None:
            links[-1].join(rivers, sea)
        self.exchanges += links
        self.timetable = timetable

    @property
    def coupled(self) -> dict[str, Any]:
        """Returns the table [coupled] of a file that runs it again."""
        given = {name: self.arguments.get(name) for name in ("every", "budget", "rivers")}
        said = {name: value for name, value in given.items() if value is not None}
        return {"order": self.order_in_time, **said}

    def run(
        self, period: Any, progress: Any = True, report: bool = True, from_start: bool = False
    ) -> dict[str, Any]:
        """Runs the system for a period, as Programs do; writes one report of all."""
        began = time.perf_counter()
        found = super().run(period, progress, report, from_start)
        if report and self.comm is not None and self.comm.rank == 0:
            area = 1.0 if self.budget is None else self.budget.area
            units = partial(told_in, area=area)
            report_of_programs.write(self, found, time.perf_counter() - began, units)
        return found

    def _advance(self, table: Timetable, number: int, progress: Any) -> None:
        """Takes so many intervals; repeated ones twice."""
        if self.order_in_time != "repeated":
            super()._advance(table, number, progress)
            return
        for _ in range(number):
            rehearse(self, table)
            super()._advance(table, 1, progress)

    def _started(self) -> None:
        """Begins to count, unless a restart says what was there."""
        if self.budget is not None and not self.budget.before:
            self.budget.begin(self.seconds)

    def before_restart(self) -> None:
        """Closes the budget, and writes its tables."""
        found = None if self.budget is None else self.budget.close(self.seconds)
        if self.budget is not None and found is not None and self.comm.rank == 0:
            tables = [
                f"{self._at(one['to'])}\n{told(one, self.budget.area)}\n"
                for one in self.budget.closed
            ]
            writing.replace(self.directory / "budget.txt", "\n".join(tables))

    def _at(self, seconds: float) -> Any:
        """Returns the date of a time."""
        return self.clock.date(seconds)

    def write_own(self, folder: Path) -> None:
        """Writes the stores at the begin of the next interval of the budget."""
        if self.budget is not None:
            self.budget.write(folder)

    def read_own(self, folder: Path) -> None:
        """Continues from what `write_own` has written there."""
        if self.budget is not None:
            self.budget.restore(folder)


def put_together(air: Any, sea: Any, rivers: bool) -> None:
    """Gives each simulation the surface of the other: the air the land of the ocean's grid.
    InputError: models that do not fit.
    """
    if not sea.model.lies_below_air:
        raise InputError(f"ocean = {type(sea.model).__name__} is no Ocean")
    ice = sea.model.sea_ice
    air.model, air.surface = over_ocean(air.model, sea.model.grid), None
    sea.surface = UnderAir(rivers=rivers, volume=as_volume(sea.model)).over(sea.model.grid, ice)


def over_slab(model: Any, slab: SlabOcean, time_step: Any, of_time: Mapping[str, Any]) -> Any:
    """Returns the simulation of air over a slab. InputError: its step is missing, or given
    twice.
    """
    given = time_step.get("atmosphere") if isinstance(time_step, Mapping) else time_step
    if isinstance(model, Simulation):
        if given is not None:
            raise InputError("time_step: the simulation of the atmosphere has its own step")
        model.model, model.surface = of_one_energy(model.model), slab
        return model
    if given is None:
        raise InputError(f'time_step = {time_step!r} has no step of the atmosphere; give "30min"')
    return Simulation(of_one_energy(model), given, surface=slab, **of_time)


def has_tiles(model: Any) -> bool:
    """Returns whether land is made of tiles, and no lakes are of their own."""
    schemes = [one.name for one in model.physics]
    return "TiledLand" in schemes and not any(name.startswith("MixedLake") for name in schemes)


def _steps(given: Any, *models: Any) -> dict[str, Any]:
    """Returns the step of each. InputError: it is missing, or given twice."""
    found = dict(given) if isinstance(given, Mapping) else dict.fromkeys(names, given)
    for name in found:
        if name not in names:
            raise InputError(unknown("part of time_step", name, names))
    for name, model in zip(names, models, strict=True):
        own = isinstance(model, Simulation)
        if own and isinstance(given, Mapping) and name in given:
            raise InputError(f"time_step: the simulation of the {name} has its own step")
        if not own and found.get(name) is None:
            raise InputError(f'time_step = {given!r} has no step of the {name}; give "30min"')
    return found


def _simulation(model: Any, steps: Mapping[str, Any], name: str, of_time: Mapping[str, Any]) -> Any:
    """Returns the simulation of a model; of a simulation itself."""
    if isinstance(model, Simulation):
        return model
    return Simulation(model, steps[name], **of_time)
