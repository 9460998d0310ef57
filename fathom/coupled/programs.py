"""Several programs under one clock: models with their own grid, step and ranks, which run in turn
or side by side and hand fields to each other.

    air = fm.Simulation(atmosphere, time_step="20min")
    sea = fm.Simulation(ocean, time_step="1h", surface=fm.SurfaceForcing(heat_flux=0.0))
    both = fm.Programs({"air": air, "sea": sea}, directory="runs/both")
    both.exchange("air.heat_flux", "sea.surface_heat_flux", every="3h", statistic="mean")
    both.run("10d")

An area whose outer model is another program by its name gets that one's state each `outer_every`:

    area = fm.Simulation(fm.LimitedAreaAtmosphere(grid, outer="globe"), time_step="5min")
    fm.Programs({"globe": globe, "area": area}, directory="runs/nest").run("1d")
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

from fathom.base import writing
from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.coupled.exchange import Exchange, Name, Values
from fathom.coupled.record import record
from fathom.run import identity
from fathom.run.together import Together


class Programs(Configurable, Together):
    """Programs that step under one clock.

    Parameters
    ----------
    programs : name -> Simulation, or a Program of your own, in the same calendar. They start on the
        same date; an area may start later than its outer model. The outer model of an area is
        another one, or gets a name: "area_outer".
    directory : of the run; each program writes into a folder of its name in it.
    ranks : name -> how many ranks, or which, where programs run side by side; None: all on all
        ranks, in turn.
    overwrite : whether earlier runs in these folders may be replaced.
    """

    recorded = ("exchange",)
    in_turn = True
    coupled: Any = None  # the table [coupled] of a file that runs it again, of fm.Coupled

    def __init__(
        self,
        programs: Mapping[str, Any],
        directory: str | Path = ".",
        ranks: Mapping[str, int | Iterable[int]] | None = None,
        overwrite: bool = False,
    ) -> None:
        Together.__init__(self, programs, directory, ranks)
        for member in self.members.values() if overwrite else ():
            member.program.overwrite = True

    def exchange(
        self,
        field: Name,
        to: Name,
        every: str | float,
        statistic: str = "last",
        *,
        lagged: bool = False,
        level: int = 0,
        by: str | Values | None = None,
        change: Values | None = None,
        first: float | None = None,
    ) -> Self:
        """Hands a field of one program to another every so often (`Exchange`). Returns the
        programs. InputError, with both values: what does not fit; programs that wait for each
        other.
        """
        found = Exchange(
            field,
            to,
            every,
            statistic,
            lagged=lagged,
            level=level,
            by=by,
            change=change,
            first=first,
        )
        self._check(found)
        timetable = self._timetable([*self.exchanges, found])
        found.join(*(self.members[name].program for name in (found.giver, found.taker)))
        self.exchanges.append(found)
        self.timetable = timetable
        return self

    @property
    def fields(self) -> list[str]:
        """Returns each exchange of fields in words."""
        return [str(one) for one in self.exchanges if isinstance(one, Exchange)]

    def _record(self) -> None:
        """Writes `resolved.toml`, which runs all programs again, into the directory of the run."""
        folder = self.restarts.folder
        own = folder is not None and folder.parent == self.directory.resolve()
        begin = 0.0 if own or folder is None else self.restarts.seconds
        run = self.restarts.run()
        if self.comm.rank == 0:
            self.directory.mkdir(parents=True, exist_ok=True)
            text = record(self, self.end - begin)
            writing.replace(self.directory / "resolved.toml", text)
            if run is not None:
                identity.keep(self.directory, run)

    def _check(self, found: Exchange) -> None:
        """Checks the ends of an exchange. InputError: no such program; one that starts later; a
        field that comes from another one already.
        """
        for name in (found.giver, found.taker):
            if name not in self.members:
                raise InputError(
                    f"{found.text}: there is no program {name!r}; there are"
                    f" {', '.join(self.members)}"
                )
            if self.members[name].late:
                raise InputError(f"{found.text}: {name} starts later than the first program")
        for one in self.exchanges:
            if one.taker == found.taker and (twice := {*one.takes} & {*found.takes}):
                to = f"{one.taker}.{min(twice)}"
                raise InputError(f"{found.text}: {to} comes from {one.field} already")
