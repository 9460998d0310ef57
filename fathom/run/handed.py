"""Fields that a simulation gives to other programs, and those that it takes from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from weakref import ref

import numpy as np

from fathom.base.failure import InputError
from fathom.output.statistics import running

if TYPE_CHECKING:
    from fathom.grids.grid import Grid
    from fathom.run.simulation import Simulation


class Handed:
    """What a simulation hands to others, and takes: all is asked for before it is prepared.

    A field is given as it is, or as its mean: its sum is then made in each step, in C++, and is in
    restarts. A field that is taken is read by the model and written by none of its processes; it is
    in restarts, too, so that a run that continues has it at once.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = ref(simulation)
        self.given: list[str] = []  # names of fields that stay readable
        self.sums: dict[str, tuple[str, bool]] = {}  # field of a sum -> (field, top layer alone)
        self.taken: list[str] = []
        self.restarts: Path | None = None  # folder of restarts with those of other programs

    @property
    def simulation(self) -> Simulation:
        """Returns the simulation that this belongs to."""
        return cast("Simulation", self._simulation())  # it outlives its parts

    @property
    def grid(self) -> Grid:
        """Returns the grid of the model."""
        grid: Grid = self.simulation.model.grid
        return grid

    def grid_of(self, field: str) -> Grid:
        """Returns the grid of a field: that of the model."""
        return self.grid

    def known(self) -> dict[str, dict[str, Any]]:
        """Returns all fields of a step by name: the first declaration of each, with `written`,
        whether a process writes it.
        """
        s, found = self.simulation, dict[str, dict[str, Any]]()
        for process in s.model.processes(s.time_step, s.surface):
            for field in process.fields:
                held = found.setdefault(field["name"], dict(field) | {"written": False})
                held["written"] |= field["access"] != "reads"
        for name in {name for names in s.model.rotations for name in names} & {*found}:
            found[name]["written"] = True  # one of its time levels is
        return found

    def give(self, field: str, mean: str = "", top: bool = False) -> str:
        """Keeps a field readable, and its sum over steps where `mean` names one; top: of its top
        layer alone. Returns the name of the field to be read.
        """
        self._check_time()
        if field not in self.given:
            self.given.append(field)
        if not mean:
            return field
        name = f"sum of {'surface ' * top}{field} for {mean}"
        self.sums[name] = field, top
        return name

    def take(self, field: str) -> None:
        """Keeps a field that another program sets in restarts."""
        self._check_time()
        self.taken.append(field)

    def _check_time(self) -> None:
        """Checks that fields can still be asked for. InputError: the simulation is prepared."""
        if self.simulation.sequence is not None:
            raise InputError(
                f"{self.simulation!r} is prepared already; put it together with other programs"
                " before its state is asked for, and before it runs"
            )

    def processes(self, known: Mapping[str, Any], precision: int) -> list[Any]:
        """Returns the processes that make the sums. precision: bytes of a number."""
        found = []
        for name, (field, top) in self.sums.items():
            now = f"{field}_after" if f"{field}_after" in known else field
            found.append(running("TimeSum", now, known[field], name, top, precision))
        return found

    def values(self, name: str, levels: Sequence[int]) -> np.ndarray:
        """Returns levels of a field at the points of this rank: its blocks one after another, each
        row by row (points, levels); of a sum of the top layer that one.
        """
        windows = self.simulation.fields.windows(name, max(levels, default=0) + 1)
        if len(levels) == 1:
            parts = [np.asarray(w[levels[0]], float).reshape(-1, 1) for w in windows]
            return parts[0] if len(parts) == 1 else np.concatenate(parts or [np.zeros((0, 1))])
        parts = [
            np.moveaxis(np.asarray(w[[*levels]], float), 0, -1).reshape(-1, len(levels))
            for w in windows
        ]
        return np.concatenate(parts) if parts else np.zeros((0, len(levels)))

    def on_all(self, values: np.ndarray) -> np.ndarray:
        """Returns values (fields, points of this rank) on the global grid (fields, ny, nx), on all
        ranks, which call it together.
        """
        comm, cells, number = self.simulation.comm, self.cells, len(values)
        size = np.size(self.grid.wet_levels)
        if comm.size == 1 and np.array_equal(cells, np.arange(size)):
            return values.reshape(number, *np.shape(self.grid.wet_levels))
        if comm.size > 1:
            counts = comm.allgather(cells.size)
            everyone, whole = np.empty(sum(counts), np.int64), np.empty(number * sum(counts))
            comm.Allgatherv(cells.astype(np.int64), (everyone, counts))
            sizes = [number * n for n in counts]
            comm.Allgatherv(np.ascontiguousarray(values.T), (whole, sizes))
            cells, values = everyone, whole.reshape(-1, number).T
        found = np.zeros((number, size))
        found[:, cells] = values
        return found.reshape(number, *np.shape(self.grid.wet_levels))

    def whole(self, name: str) -> np.ndarray:
        """Returns a field on the global grid (levels, ny, nx), on all ranks."""
        s = self.simulation
        found = s.gather(name)
        return np.asarray(s.comm.bcast(None if found is None else np.asarray(found, float)))

    def put(self, name: str, values: np.ndarray) -> None:
        """Sets a field from the global grid (levels, ny, nx), halos too. All ranks have it."""
        values = np.ascontiguousarray(values, float)
        self.simulation.fields.set(name, values, nearest_outside=True)

    def clear(self, name: str) -> None:
        """Begins a sum again."""
        self.simulation.fields.fill(name, 0.0)

    def cells_of(self, field: str) -> np.ndarray:
        """Returns the numbers of the points of this rank in the grid of a field (`cells`)."""
        return self.cells

    @property
    def cells(self) -> np.ndarray:
        """Returns the numbers of the points of this rank in the global grid, row by row, in the
        order of `values`.
        """
        s = self.simulation
        nx = np.shape(self.grid.wet_levels)[1]
        parts = [
            (np.arange(j, j + ny)[:, None] * nx + np.arange(i, i + width)).ravel()
            for j, i, ny, width in s.domain.blocks
        ]
        return np.concatenate(parts) if parts else np.zeros(0, int)
