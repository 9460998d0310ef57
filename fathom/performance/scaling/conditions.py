"""The machine on which a step is priced, and the communication of its ranks.

faster or slower than where it was measured:
    b memory here / memory there + (1 - b) multiply-adds here / there,    b = 1/2 (1/4 to 3/4)
a device
    processes of columns    bytes of a step / bandwidth: one pass of each process
    few columns take as long as those that it computes at once
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fathom.performance.scaling.clocks import Clocks, How, usual
from fathom.performance.scaling.cost import Measured
from fathom.performance.scaling.machine import Machine
from fathom.performance.scaling.ranges import Range
from fathom.performance.scaling.recorded import Recorded

# part of the time of processes that memory bounds: about half (docs/results/performance.md)
bound = Range(0.25, 0.5, 0.75)


@dataclass(frozen=True)
class Conditions:
    """machine: where the ranks are; here: where costs were measured; exchange, total: ways of
    halos and of sums; turns: ranks that share a core; end: of what is not known of processes, -1
    the quick and 1 the slow one; recorded: the states of ranks are kept, for a chart.
    """

    machine: Machine
    here: Machine
    exchange: str = "packed"
    total: str = "allreduce"
    turns: float = 1.0
    how: How = usual
    end: int = 0
    recorded: bool = False

    def clocks(self, ranks: int) -> Clocks:
        """Returns the clocks of so many ranks, at the begin of a step."""
        kind = Recorded if self.recorded else Clocks
        return kind(self.machine, ranks, turns=self.turns, how=self.how)

    def at_work(self, columns: np.ndarray) -> np.ndarray:
        """Returns the columns or points of ranks; of a device at least those that it computes at
        once.
        """
        result: np.ndarray = np.maximum(columns, self.machine.get("device.columns", 0.0))
        return result

    def processes(
        self, cost: Measured, seconds: float, share: np.ndarray, columns: np.ndarray
    ) -> np.ndarray:
        """Returns seconds of the processes of ranks with so many columns. seconds: of the measured
        rank, of whose work each has a `share`.
        """
        if not self.machine.of_devices:
            return seconds * share * self.factor(cost, len(share))
        filled = share * self.at_work(columns) / np.maximum(columns, 1)
        result: np.ndarray = cost.traffic * filled / self.machine["node.triad_of_core"]
        return result

    def factor(self, cost: Measured, ranks: int) -> float:
        """Returns the factor by which `ranks` there are slower than the measurement, without its
        interruptions."""
        low, _, high = sorted(self._ratio(cost, ranks, part) for part in bound)
        ratio = {-1: low, 0: self._ratio(cost, ranks, bound.best), 1: high * cost.spread}[self.end]
        return ratio * cost.undisturbed(self.here)

    def _ratio(self, cost: Measured, ranks: int, part: float) -> float:
        alone = slower(self.here, self.here, cost.ranks, part)
        return slower(self.machine, self.here, ranks, part) / alone


def slower(machine: Machine, here: Machine, ranks: int, part: float = bound.best) -> float:
    """Returns the factor by which a rank is slower there, with `ranks` in all, than one rank alone
    here. part: of the time that memory bounds.
    """
    cores = int(machine["node.cores"])
    busy = min(cores, ranks)
    core = machine.get("node.triad_of_core", machine["node.triad"] / cores)
    memory = here["node.triad_of_core"] / min(core, machine["node.triad"] / busy)
    result: float = (
        part * memory + (1 - part) * here["node.multiply_add"] / machine["node.multiply_add"]
    )
    return result
