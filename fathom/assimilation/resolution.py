"""A coarser model for the inner loops of 4D-Var: states are truncated to it, increments padded with
zeros, between Gaussian grids, or planes of the same sides, with the same levels. Its steps may be
longer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fathom.assimilation.maps import Vector
from fathom.base.failure import InputError


@dataclass
class Inner:
    """trajectory: of the inner model; fine, coarse: waves of both models; ratio: steps of the outer
    model in one of the inner.
    """

    trajectory: Any
    fine: Any  # Waves or PlaneWaves
    coarse: Any
    ratio: int = 1

    def __post_init__(self) -> None:
        fine, coarse = self.fine.transform, self.coarse.transform
        self.these = np.array([fine.index(int(m), int(n)) for m, n in zip(coarse.m, coarse.n)])

    def down(self, state: Vector) -> Vector:
        """Returns a state, truncated."""
        parts = (c[:, self.these].copy() for c in self.fine.to_waves(state))
        made: Vector = self.coarse.to_points(*parts)
        return made

    def up(self, increment: Vector) -> Vector:
        """Returns an increment, padded with zeros."""
        padded = []
        for part in self.coarse.to_waves(increment):
            whole = np.zeros((len(part), self.fine.transform.waves), complex)
            whole[:, self.these] = part
            padded.append(whole)
        made: Vector = self.fine.to_points(*padded)
        return made

    def steps(self, outer: int) -> int:
        """Returns the steps of the inner model in so many of the outer. InputError: no whole
        number.
        """
        if outer % self.ratio:
            raise InputError(
                f"{outer} steps of the model are no whole number of inner steps; allowed are"
                f" multiples of {self.ratio}"
            )
        return outer // self.ratio

    def follow(self, state: Vector, steps: int) -> None:
        """Computes the trajectory about which inner loops are linear: from a state of the outer
        model, over so many of its steps.
        """
        self.trajectory.restart(self.down(state))
        self.trajectory.follow(self.steps(steps))
