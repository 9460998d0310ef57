"""An inner loop of 4D-Var on simulated ranks: of each step of its window an iteration takes the
tangent and the adjoint, each priced like a step of the model (spectral.py).

    tangent    halos on demand around departure points, then transforms
    adjoint    transforms, then the values at departure points to the ranks of the rows around them:
               as many points as a halo has, the other way

B, observations and the minimiser are whole on each rank, and are not included.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fathom.assimilation.trajectory import Trajectory
from fathom.performance.scaling import spectral
from fathom.performance.scaling.clocks import Clocks
from fathom.performance.scaling.conditions import Conditions
from fathom.performance.scaling.cost import Measured, measured_steps

layout, phases = spectral.layout, spectral.phases
halos = {"tangent": "halo on demand", "adjoint": "values at departure points"}


@dataclass
class Cost(Measured):
    """Of a step of both."""

    kind: ClassVar[str] = "inner loop"
    tangent: spectral.Cost
    adjoint: spectral.Cost

    def __post_init__(self) -> None:
        for name in halos:  # as a file has them
            if isinstance(given := getattr(self, name), dict):
                setattr(self, name, spectral.Cost(**given))

    @property
    def reach(self) -> int:
        """Returns rows that halos reach, the larger of tangent and adjoint."""
        return max(self.tangent.reach, self.adjoint.reach)

    def with_messages_of(self, other: Cost) -> Cost:
        """Returns its seconds, with the messages of a run on more ranks."""
        both = {n: getattr(self, n).with_messages_of(getattr(other, n)) for n in halos}
        return type(self)(**{**self.__dict__, **both})

    def text(self) -> list[str]:
        """Returns lines about it for people."""
        return [f"{name}: {line}" for name in halos for line in getattr(self, name).text()]


def repeated(act: Callable[[Any, int, int], None], change: Any) -> Callable[[int], None]:
    """Returns the second step of a trajectory, so many times."""

    def times(number: int) -> None:
        for _ in range(number):
            act(change, 1, 1)

    return times


def measure(simulation: Any, steps: int = 0, seconds: float = 4.0) -> Cost | None:
    """Measures on all ranks of a simulation, about its second step; the result is on rank 0."""
    trajectory = Trajectory(simulation)
    trajectory.follow(2)
    change = trajectory.nothing()
    random = np.random.default_rng(0)
    trajectory.put(1e-3 * random.standard_normal(trajectory.size), change)
    made: dict[str, Any] = {}
    for name in halos:
        found = measured_steps(
            simulation, steps, seconds, advance=repeated(getattr(trajectory.linear, name), change)
        )
        made[name] = spectral.cost_of(simulation, *found, f"{name} step", halos[name])
    if not simulation.is_root:
        return None
    one = made["tangent"]
    whole = made["tangent"].seconds + made["adjoint"].seconds
    pieces = [sum(both) for both in zip(*(cost.pieces for cost in made.values()))]
    return Cost(
        one.ranks, one.threads, whole, one.step, one.bytes, one.traffic, pieces=pieces, **made
    )


def step(cost: Cost, place: spectral.Layout, under: Conditions) -> Clocks:
    """Returns a step of the tangent and one of the adjoint, all ranks."""
    t = under.clocks(place.used)
    for name in halos:
        spectral.step(getattr(cost, name), place, under, t)
    return t
