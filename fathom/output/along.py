"""Fields along the earth that are made before an event, for a store: those that hold it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import mpi
from fathom.base.regions import region
from fathom.output import diagnostics

if TYPE_CHECKING:
    from fathom.output.host import Host


class Along:
    """The part of a Store that makes fields along the earth."""

    simulation: Host
    path: Path
    statistic: str | None
    keep: list[str]
    made: dict[str, diagnostics.Together]  # by the fields made along the earth
    stepped: dict[str, int]
    _needs: Any
    _running_name: Any

    def _room(self) -> list[Any]:
        """Returns a process of the fields that are made along the earth: it does nothing, they are
        filled before an event.
        """
        if not self.made:
            return []
        fields = [
            (self._made_name(field), step.units, "center", step.vertical, False, "writes")
            for field, step in self.made.items()
        ]
        self.keep += [field[0] for field in fields]
        process = mpi.core.PythonProcess(
            f"fields for {self.path.as_posix()}", fields, lambda ranks, blocks: None
        ).process()
        process.phase = "output"
        return [process]

    def _made_name(self, field: str) -> str:
        return f"{field} for {self.path.as_posix()}"

    def _source(self, need: str, surface: bool) -> str:
        """Returns the field of the sequence with the input of a variable when an event is sent."""
        if need in self.made:
            return self._made_name(need)
        if need in self.stepped:
            return need
        return self._running_name(need, surface) if self.statistic else need

    def _levels_of(self, need: str, surface: bool, levels: int) -> int:
        """Returns the number of levels of a field that are sent."""
        if need in self.made:
            return self.made[need].levels or levels
        if need in self.stepped:
            return self.stepped[need]
        return 1 if surface else levels

    def make_along(self) -> None:
        """Makes the fields along the earth; all computing ranks call it."""
        if not self.made:
            return
        s = self.simulation
        surfaces = dict(reversed(self._needs()))
        with region("along the earth", "output", "output"):
            held = diagnostics.Held(
                s, lambda need: s.fields.windows(self._source(need, surfaces[need]))
            )
            held.make({step.fields: step for step in self.made.values()}.values())
            for field in self.made:
                for n, block in enumerate(held(field)):
                    self._put(self._made_name(field), n, block)

    def _put(self, name: str, n: int, block: np.ndarray) -> None:
        """Puts the first levels of a field; NaN where there is nothing is 0."""
        fields = self.simulation.fields
        levels = next(f["levels"] for f in fields.fields if f["name"] == name)
        whole = np.zeros((levels, *block.shape[1:]))
        whole[: len(block)] = block
        fields.put(name, n, whole)
