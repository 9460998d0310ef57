"""Running statistics of variables that have to be made in each step: the mean of air_temperature
does not follow from the means of density and potential temperature.

    in each step, after all else:   s = s + v(fields),  or the smaller or the larger of both

v is the variable as an instantaneous output has it, on the chosen levels too. s is a field of the
sequence, which restarts keep, so a restart within an interval changes no bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import mpi
from fathom.model.schemes import on_all_ranks
from fathom.output import diagnostics
from fathom.output.diagnostics import Diagnostic

if TYPE_CHECKING:
    from fathom.output.host import Host

Added = dict[str, tuple[str, ...]]  # of a variable, the fields that hold its statistic

added: dict[str, Callable[..., Any]] = {
    "mean": np.add,
    "accumulation": np.add,
    "minimum": np.minimum,
    "maximum": np.maximum,
}


class EachStep:
    """Variables whose `statistic` is added up in each step, in fields that end in `label`.

    known: fields of the sequence by name, as it declares them; levels: how many a variable of
    layers has, where they are chosen.
    """

    def __init__(
        self,
        simulation: Host,
        statistic: str,
        label: str,
        known: Mapping[str, Any],
        levels: int | None,
    ) -> None:
        self.simulation, self.statistic, self.label = simulation, statistic, label
        self.known, self.chosen = known, levels
        self.variables: dict[str, Diagnostic] = {}
        self.fields: Added = {}
        self.levels: dict[str, int] = {}  # of each field those that are used

    def add(self, name: str, d: Diagnostic) -> Diagnostic:
        """Returns the diagnostic that takes the statistic of d from its fields."""
        nz, vertical = self.simulation.model.grid.levels.nz, self.vertical(d)
        room = {"column": 1, "layer": nz}.get(vertical, nz + 1)
        of_layers = vertical == "layer" and d.vertical == "layer"
        total = self.chosen if of_layers and self.chosen is not None else room
        starts = range(0, total, room)
        fields = tuple(f"{self.statistic} of {name} from {k} for {self.label}" for k in starts)
        self.variables[name], self.fields[name] = d, fields
        self.levels |= {f: min(room, total - k) for f, k in zip(fields, starts)}
        return Diagnostic(fields, _joined, surface=d.surface, vertical=d.vertical)

    def vertical(self, d: Diagnostic) -> str:
        """Returns "column", "layer" or "interface", where values of the diagnostic lie."""
        return "column" if d.surface else d.vertical or str(self.known[d.own_needs[0]]["vertical"])

    def processes(self) -> list[Any]:
        """Returns the process that adds in each step, after all others; none without variables."""
        if not self.variables:
            return []
        declared: dict[str, tuple[Any, ...]] = {}
        for name, d in self.variables.items():
            for need in d.own_needs:
                f = self.known[self._now(need)]
                at = f["horizontal"], f["vertical"], f["vector"]
                declared[self._now(need)] = (self._now(need), f["units"], *at, "reads")
            place = self.known[d.own_needs[0]]["horizontal"], self.vertical(d), False
            for field in self.fields[name]:
                declared[field] = (field, "1", *place, "updates")
        title = f"{self.statistic} of {', '.join(self.variables)}"
        process = mpi.core.PythonProcess(
            title, list(declared.values()), on_all_ranks(title, self._add)
        ).process()
        process.phase = "output"
        return [process]

    def _now(self, field: str) -> str:
        """Returns the name of a field at the end of the step."""
        return f"{field}_after" if f"{field}_after" in self.known else field

    def _add(self, blocks: Sequence[Mapping[str, np.ndarray]]) -> None:
        """Adds the values of this step to the fields in the blocks of this rank."""
        held = diagnostics.Held(
            self.simulation,
            lambda need: [_with_levels(block[self._now(need)]) for block in blocks],
        )
        held.make([step for d in self.variables.values() for step in d.before])
        for names in self._groups():
            members = [self.variables[name] for name in names]
            horizontal = self.known[members[0].own_needs[0]]["horizontal"]
            inputs = [held(need) for need in diagnostics.needs(members)]
            for block, window, *parts in zip(blocks, self.simulation.domain.blocks, *inputs):
                made = diagnostics.of_window(
                    self.simulation.model, members, horizontal, window, parts
                )
                for name, values in zip(names, made):
                    self._put(name, horizontal, window, block, values)

    def _groups(self) -> list[list[str]]:
        """Returns the variables, those that share a result together."""
        groups: dict[Any, list[str]] = {}
        for name, d in self.variables.items():
            key = name if d.shared is None else (d.shared, d.vertical)
            groups.setdefault(key, []).append(name)
        return list(groups.values())

    def _put(
        self,
        name: str,
        horizontal: str,
        window: diagnostics.Window,
        block: Mapping[str, np.ndarray],
        values: np.ndarray,
    ) -> None:
        """Adds values (levels, ny, nx) to the fields of a variable, where the grid has points."""
        j0, i0, ny, nx = window
        grid = self.simulation.model.grid
        there = np.asarray(grid.levels_at(horizontal))[j0 : j0 + ny, i0 : i0 + nx]
        first = 0
        for field in self.fields[name]:
            so_far = _with_levels(block[field])[: self.levels[field]]
            now = values[first : first + len(so_far)]
            k = 0 if self.variables[name].vertical else first + np.arange(len(now))[:, None, None]
            added[self.statistic](
                so_far, now, out=so_far, where=np.broadcast_to(there > k, now.shape)
            )
            first += len(now)


def _with_levels(values: np.ndarray) -> np.ndarray:
    """Returns (levels, ny, nx), of a field of columns too."""
    return values[None] if values.ndim == 2 else values


def _joined(model: Any, window: Any, *parts: np.ndarray) -> np.ndarray:
    """Returns all levels of a variable, which lie in several fields."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
