"""A coarser model for the inner loops of 4D-Var: states are truncated to it, increments padded with
zeros, between Gaussian grids with the same levels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fathom.assimilation.balance import Waves
from fathom.assimilation.maps import Vector
from fathom.assimilation.trajectory import Trajectory


@dataclass
class Inner:
    """trajectory: of the inner model, with steps of the same length; fine, coarse: waves of both
    models.
    """

    trajectory: Trajectory
    fine: Waves
    coarse: Waves

    def __post_init__(self) -> None:
        fine, coarse = self.fine.transform, self.coarse.transform
        self.these = np.array([fine.index(int(m), int(n)) for m, n in zip(coarse.m, coarse.n)])

    def down(self, state: Vector) -> Vector:
        """A state, truncated."""
        parts = (c[:, self.these].copy() for c in self.fine.to_waves(state))
        return self.coarse.to_points(*parts)

    def up(self, increment: Vector) -> Vector:
        """An increment, padded with zeros."""
        padded = []
        for part in self.coarse.to_waves(increment):
            whole = np.zeros((len(part), self.fine.transform.waves), complex)
            whole[:, self.these] = part
            padded.append(whole)
        return self.fine.to_points(*padded)

    def follow(self, state: Vector, steps: int) -> None:
        """The trajectory about which inner loops are linear: from a state of the outer model."""
        self.trajectory.restart(self.down(state))
        self.trajectory.follow(steps)
