"""A minimisation on more and more vector processors: few grid points a processor, and few data.

    work = points c(points / P) + datum data c(data / P)
    c(N) = 1 + start strips / N,   strips: of one register each, of a loop over N

so that both kinds of loops become shorter. datum: cost of a datum, both ways, over that of a column
of the model in the whole window, both ways. Data do not become fewer on coarser grids: at T48 they
are five times as many to a point as at T107.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np

from fathom.grids.gaussian import GaussianGrid
from fathom.performance.bench.vector_length import VectorMachine
from fathom.performance.scaling.machine import load
from fathom.performance.scaling.studies.arome import vector_machine

block = 2046  # columns of a loop, at most


@cache
def points_of(truncation: int) -> int:
    """Returns the number of points of the reduced linear grid."""
    return int(np.sum(GaussianGrid(truncation, grid="linear", reduced="classical").points))


@dataclass(frozen=True)
class Minimisation:
    """points, data: of the whole; datum: cost of a datum in columns of the model."""

    points: int
    data: int = 0
    datum: float = 0.0

    def work(self, machine: VectorMachine, processors: int) -> float:
        """Returns cycles of all processors together, each of which has as many points and data."""
        return sum(
            cost * whole * machine.forecast(max(whole // processors, 1), block)
            for cost, whole in ((1.0, self.points), (self.datum, self.data))
        )

    def excess(self, machine: VectorMachine, processors: int) -> float:
        """Returns by which part all processors together work more than one would."""
        return self.work(machine, processors) / self.work(machine, 1) - 1

    def crossing(self, machine: VectorMachine, part: float = 0.05) -> int:
        """Returns the fewest processors that work more by this part."""
        return next(p for p in itertools.count(1) if self.excess(machine, p) > part)

    @property
    def share_of_data(self) -> float:
        """Returns the part of the work, in long loops, that data take."""
        return self.datum * self.data / (self.points + self.datum * self.data)


def curve(
    of: Minimisation, processors: Iterable[int], machine: str = "nec-sx8r"
) -> list[dict[str, float]]:
    """Returns points, data and excess of work by processors."""
    vector = vector_machine(load(machine))
    return [
        {
            "processors": p,
            "points": of.points / p,
            "data": of.data / p,
            "excess": of.excess(vector, p),
        }
        for p in processors
    ]
