"""Clocks that keep the states of each rank in time, for charts (plots/gantt.py)."""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.performance.scaling.clocks import Clocks

use = {"computing": "computing", "moving": "communication", "waiting": "waiting"}


def _of_messages(region: str, computes: set[str]) -> str:
    """Returns the state of a rank in messages of a region, by the names that charts colour."""
    if region in ("solver halo", "solver sum"):
        return region.removeprefix("solver ")
    return f"{region} boundary" if region in computes - {"baroclinic boundary"} else region


class Recorded(Clocks):
    """`parts`: (region, kind, begin of each rank, end of each rank) [s]. Of an exchange or a sum
    waiting comes first. A repeated region is kept once; call it for each repetition.
    """

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.parts: list[tuple[str, str, np.ndarray, np.ndarray]] = []
        self.told = np.zeros(self.ranks)

    def _add(self, region: str, kind: str, seconds: np.ndarray) -> None:
        super()._add(region, kind, seconds)
        begin, self.told = self.told, self.told + seconds
        self.parts.append((region, kind, begin, self.told))

    def kept(self, samples: int = 2000) -> dict[str, Any]:
        """Returns the same as fathom.plots.report.timeline.kept of a real run: bars (begin, end,
        state) of each rank, and how many ranks compute, communicate and wait at so many times.
        """
        states: list[list[tuple[float, float, str]]] = [[] for _ in range(self.ranks)]
        computes = {region for region, kind, *_ in self.parts if kind == "computing"}
        for region, kind, begins, ends in self.parts:
            state = region if kind == "computing" else _of_messages(region, computes)
            for bars, begin, end in zip(states, begins.tolist(), ends.tolist()):
                if end > begin:
                    bars.append((begin, end, state))
        times = np.linspace(0.0, float(self.told.max()), samples)
        return {
            "states": states,
            "times": times,
            "counts": {use[kind]: self._at_once(kind, times) for kind in use},
        }

    def _at_once(self, kind: str, times: np.ndarray) -> np.ndarray:
        """Returns how many ranks are at it at each time: those that have begun, less those that
        ended.
        """
        own = [part for part in self.parts if part[1] == kind]
        begun, ended = (np.sort(np.concatenate([part[n] for part in own])) for n in (2, 3))
        return np.searchsorted(begun, times, "right") - np.searchsorted(ended, times, "right")
