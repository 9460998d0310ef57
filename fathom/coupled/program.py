"""A program of the user's own next to simulations: fields of columns on a grid, a step in Python.

    class Slab(fm.Program):
        def advance(self):                                      # 50 m of water, T' = Q / (rho c H)
            self["temperature"] += self.time_step / 2.05e8 * self["heat_flux"]

    slab = Slab(grid, "1h", {"temperature": "degC", "heat_flux": "W m-2"})
    fm.Programs({"air": air, "slab": slab})

Each of its ranks holds whole fields and takes the same steps: it is for what costs little.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import numpy as np

from fathom.base import mpi
from fathom.base.clock import Clock, seconds_of
from fathom.base.configurable import Configurable
from fathom.base.failure import InputError, MissingFileError
from fathom.base.ranks import Division


class Program(Configurable):
    """A program with its own step; a subclass says what a step does.

    Parameters
    ----------
    grid : of its fields.
    time_step : "1h" or seconds.
    fields : name -> units. program[name] is the array (ny, nx), at first 0.
    start, calendar : as those of a Simulation.
    grids : name -> the grid of a field that lies on another one.
    """

    alone, serves, shows = True, False, False
    overwrite = resumes = takes_other_steps = False
    together: Any = None  # the programs that run with it: it never has any itself
    sequence: Any = None
    wishes: Any = None
    directory = Path()
    trace_events = 0
    identity = None  # it has no stores of its own
    stopped = False
    comm: Any

    def __init__(
        self,
        grid: Any,
        time_step: str | float,
        fields: Mapping[str, str],
        start: str = "2000-01-01",
        calendar: str = "standard",
        grids: Mapping[str, Any] | None = None,
    ) -> None:
        self.time_step = seconds_of(time_step, "time_step")
        self.count, self.comm = 0, mpi.world
        self.clock = Clock(start, calendar)
        on = dict.fromkeys(fields, grid) | dict(grids or {})
        self.fields = {name: np.zeros(np.shape(on[name].wet_levels)) for name in fields}
        self.handed = OwnFields(self, grid, dict(fields), on)

    def __repr__(self) -> str:
        return f"{type(self).__name__} at {self.clock.date(self.seconds)}"

    def __getitem__(self, name: str) -> np.ndarray:
        return self.fields[name]

    def __setitem__(self, name: str, values: Any) -> None:
        self.fields[name][...] = values

    def advance(self) -> None:
        """Takes one step: changes the fields. A subclass says how."""

    @property
    def seconds(self) -> float:
        """Returns model time since the start [s]."""
        return self.count * self.time_step

    def asks_for(self, comm: Any) -> dict[str, tuple[int, int]]:
        """Returns the helping ranks that it wants: none."""
        return {}

    def take_ranks(self, division: Division) -> None:
        """Takes its ranks."""
        self.comm = None if division.task else division.comm

    # ---- what Programs asks of it ----------------------------------------------------------------

    def share(self, run: Any) -> None:
        """Takes the identity of the run of all programs: there is nothing that would have it."""

    @contextmanager
    def engaged(self) -> Iterator[None]:
        """Holds what a run needs from its begin to its end."""
        yield

    def start_run_to(self, end: float, period: Any) -> None:
        """Begins a run to that time [s]: nothing to do."""

    def show_start(self) -> None:
        """Shows the state before the first step."""

    def run_to(self, seconds: float, progress: Any = None) -> None:
        """Takes steps to that time [s]."""
        while self.seconds < seconds - 1e-6:
            self.advance()
            self.count += 1
            self.handed.add()

    def end_run(self, report: bool = True) -> dict[str, Any]:
        """Returns the summary."""
        return {"steps": self.count}

    def kept(self) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], int]:
        """Returns copies of fields and sums, and the steps."""
        fields, sums = (
            {name: values.copy() for name, values in held.items()}
            for held in (self.fields, self.handed.sums)
        )
        return fields, sums, self.count

    def put_back(self, state: tuple[dict[str, np.ndarray], dict[str, np.ndarray], int]) -> None:
        """Puts back what `kept` has returned."""
        for held, then in zip((self.fields, self.handed.sums), state[:2], strict=True):
            for name, values in then.items():
                held[name][...] = values
        self.count = state[2]

    def write_state(self, path: Path) -> None:
        """Writes all fields and sums; the ranks of the program call it."""
        if self.comm.rank == 0:
            with path.open("wb") as file:
                held: dict[str, Any] = {f"field {n}": v for n, v in self.fields.items()}
                held |= {f"sum {name}": values for name, values in self.handed.sums.items()}
                np.savez(file, **held | {"count": self.count})

    def start_from(self, path: Path) -> Self:
        """Continues from a file of `write_state`."""
        if not path.is_file():
            raise MissingFileError(f"{path}: no such file; it is the restart of a program")
        with np.load(path) as file:
            self.count = int(file["count"])
            for kind, held in (("field", self.fields), ("sum", self.handed.sums)):
                for name in held:
                    values = file[f"{kind} {name}"]
                    if values.shape != held[name].shape:
                        raise InputError(
                            f"{path}: {name} has {values.shape} points, this program's has"
                            f" {held[name].shape}"
                        )
                    held[name][...] = values
        return self


class OwnFields:
    """What a Program hands to others, and takes."""

    def __init__(
        self, program: Program, grid: Any, units: dict[str, str], grids: dict[str, Any]
    ) -> None:
        self.program, self.grid, self.units, self.grids = program, grid, units, grids
        self.sums: dict[str, np.ndarray] = {}
        self.of: dict[str, str] = {}  # the field of each sum
        self.restarts: Path | None = None

    def known(self) -> dict[str, dict[str, Any]]:
        """Returns all fields by name, as those of a simulation are declared."""
        place = {"horizontal": "center", "vertical": "column", "written": False}
        return {name: {"name": name, "units": units} | place for name, units in self.units.items()}

    def give(self, field: str, mean: str = "", top: bool = False) -> str:
        """Keeps the sum of a field over steps where `mean` names one. Returns the name of what is
        read.
        """
        if not mean:
            return field
        name = f"{field} for {mean}"
        self.sums[name], self.of[name] = np.zeros_like(self.program[field]), field
        return name

    def take(self, field: str) -> None:
        """Lets another program set a field: all fields are in restarts."""

    def add(self) -> None:
        """Adds a step to all sums."""
        for name, field in self.of.items():
            self.sums[name] += self.program[field]

    def grid_of(self, field: str) -> Any:
        """Returns the grid of a field."""
        return self.grids[field]

    def cells_of(self, field: str) -> np.ndarray:
        """Returns numbers of the points of this rank in the grid of a field: the first rank gives
        all.
        """
        return np.arange(self.program[field].size if self.program.comm.rank == 0 else 0)

    def values(self, name: str, levels: Sequence[int]) -> np.ndarray:
        """Returns a field or a sum at the points of this rank (points, 1)."""
        held = self.sums[name] if name in self.sums else self.program[name]
        count = held.size if self.program.comm.rank == 0 else 0
        return held.ravel()[:count, None].copy()

    def whole(self, name: str) -> np.ndarray:
        """Returns a field (1, ny, nx), on all ranks."""
        return self.program[name][None].copy()

    def put(self, name: str, values: np.ndarray) -> None:
        """Sets a field from values (1, ny, nx). All ranks have them."""
        self.program[name] = values[0]

    def clear(self, name: str) -> None:
        """Begins a sum again."""
        self.sums[name][...] = 0.0
