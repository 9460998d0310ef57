"""Stores of moorings: columns at places, at any interval down to a step (CF timeSeriesProfile).

Of each field only the columns around the places travel: each rank gives those that it has and 0 for
the others, so that their sum is exact on any ranks. Root makes variables of them and interpolates
as sections do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import mpi
from fathom.base.clock import Duration
from fathom.base.failure import InputError
from fathom.grids.regrid import targets
from fathom.output import diagnostics
from fathom.output.small_stores import SmallStore

if TYPE_CHECKING:
    from fathom.output.diagnostics import Diagnostic
    from fathom.output.host import Host


class Moorings(SmallStore):
    """A store of variables at `moorings`, {name: (longitude, latitude)} or a list of pairs
    [degrees]. ValueError for one on land.
    """

    attributes = {"featureType": "timeSeriesProfile"}

    def __init__(
        self,
        simulation: Host,
        path: str | Path,
        variables: str | Sequence[str],
        every: Duration,
        statistic: str | None,
        dtype: str,
        moorings: Any,
        levels: Any = None,
        **chosen: Any,
    ) -> None:
        for name, value in chosen.items():
            raise InputError(
                f"output {path}: moorings and {name} = {value} are two places; give one of them,"
                " and another output the other"
            )
        super().__init__(simulation, path, variables, every, statistic, dtype, levels)
        self.target = targets.moorings(moorings)

    def open(self) -> None:
        self._find_places()
        self._find_target()
        self.columns = {
            horizontal: np.unique(around.index)
            for horizontal, around in self.target.interpolations.items()
        }  # of all moorings, row by row
        self.simulation.on_root(self._check_water)
        super().open()

    def _check_water(self) -> None:
        grid = self.simulation.model.grid
        for horizontal, around in self.target.interpolations.items():
            wet = np.ravel(grid.levels_at(horizontal))[around.index] > 0
            for n in np.flatnonzero((around.weight * wet).sum(1) < 0.5):
                places = [
                    np.ravel(a)[np.ravel(grid.levels_at(horizontal)) > 0]
                    for a in grid.coordinates(horizontal)
                ]
                x, y = float(self.target.longitude[0, n]), float(self.target.latitude[0, n])
                near = np.argmin(
                    ((places[0] - x + 180) % 360 - 180) ** 2 * np.cos(np.deg2rad(y)) ** 2
                    + (places[1] - y) ** 2
                )
                raise InputError(
                    f"output {self.path}: mooring {self.target.mapping['station'][n]} at [{x:g},"
                    f" {y:g}] is on the grid's land; the nearest water is at"
                    f" [{(places[0][near] + 180) % 360 - 180:.2f}, {places[1][near]:.2f}]"
                )

    def send(
        self,
        steps: int = 1,
        seconds: float | None = None,
        bounds: tuple[float, float] = (0.0, 0.0),
        last: bool = False,
    ) -> None:
        s, began, held = self.simulation, perf_counter(), {}
        self.make_along()
        for name in self.variables:
            horizontal = self.places[name]["horizontal"]
            wanted = [(need, d) for d in self._made_of((name,)) for need in d.needs]
            for need, d in wanted:
                source = self._source(need, d.surface)
                if (source, horizontal, d.surface) not in held:
                    held[source, horizontal, d.surface] = self._gathered(
                        source, self.columns[horizontal], d.surface
                    )

        def write() -> None:
            divisor = self.divisor(steps if self.statistic == "mean" else 1)
            for name in self.variables:
                horizontal = self.places[name]["horizontal"]
                made = []
                for d in self._made_of((name,)):
                    arrays = [
                        held[self._source(need, d.surface), horizontal, d.surface]
                        for need in d.needs
                    ]
                    made.append(self._in_columns(name, d, horizontal, arrays, divisor))
                self._write(self._alias(name), self._at_places(name, horizontal, made))
            self.file.extend(
                self.count,
                s.seconds if seconds is None else seconds,
                bounds if self.statistic else None,
            )

        s.on_root(write)
        self.count += 1
        self.stalls.append(perf_counter() - began)

    def _gathered(self, source: str, columns: np.ndarray, surface: bool) -> Any:
        """Returns the columns (levels, n) of a field, on root."""
        s, nx = self.simulation, self.simulation.model.grid.shape[2]
        rows, points = np.divmod(columns, nx)
        field = next(f for f in s.fields.fields if f["name"] == source)
        mine = s.fields.columns(source, rows, points, 1 if surface else field["levels"])
        total = np.empty_like(mine) if s.comm.rank == 0 else None
        s.comm.Reduce(mine, total, mpi.MPI.SUM, 0)
        return total

    def _in_columns(
        self, name: str, d: Diagnostic, horizontal: str, arrays: Sequence[np.ndarray], steps: float
    ) -> np.ndarray:
        """Returns a variable in the columns of the moorings, (levels, columns)."""
        s, columns = self.simulation, self.columns[horizontal]
        nx, made = s.model.grid.shape[2], []
        with self._early((name,), s.seconds) as unknown:
            runs = np.split(
                np.arange(len(columns)),
                np.flatnonzero((np.diff(columns) > 1) | (columns[1:] % nx == 0)) + 1,
            )  # neighbours in a row
            for run in runs:
                j, i = divmod(int(columns[run[0]]), nx)
                made.append(
                    diagnostics.of_window(
                        s.model,
                        [d],
                        horizontal,
                        (j, i, 1, len(run)),
                        [np.ascontiguousarray(a[:, None, run]) for a in arrays],
                        steps,
                    )[0][:, 0]
                )
        values = np.concatenate(made, 1)
        return np.full_like(values, np.nan) if unknown else values

    def _at_places(self, name: str, horizontal: str, made: Sequence[np.ndarray]) -> np.ndarray:
        """Returns a variable, (levels, moorings) or (moorings); made: in columns, of a wind with
        the other component.
        """
        around, columns = self.target.interpolations[horizontal], self.columns[horizontal]
        of_columns = replace(
            around, index=np.searchsorted(columns, around.index), points=len(columns)
        )
        everywhere = slice(None)
        if name in self.beside:
            east, turn = "eastward" in name, self.target.turns[horizontal]
            both = turn.wind(of_columns, *(made if east else made[::-1]), 0, everywhere)
            result = both[0 if east else 1].astype(self.dtype)
        else:
            result = of_columns(made[0], 0, everywhere).astype(self.dtype)
        found: np.ndarray = result[0] if self._vertical(name) == "column" else result
        return found
