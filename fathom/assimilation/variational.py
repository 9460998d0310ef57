"""The analysis of one window by 3D-Var, FGAT or 4D-Var: choices of maps for one cost function.

                departures d                        G: what is observed of dx          dx is at
    3d-var      y - H x_b(middle)                   H                                  the middle
    fgat        y - H x_b(time of y)                H                                  the middle
    4d-var      y - H x_b(time of y)                H M', M' the tangent model         the start

With outer loops 4D-Var runs the model again from what it has found, and takes its tangent there:
d = y - H M(x_b + L chi) + H M' L chi, for the whole chi.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from fathom.assimilation.cost import Cost, Slot
from fathom.assimilation.maps import LinearMap, Product, Vector
from fathom.assimilation.minimisers import Found, lanczos
from fathom.assimilation.trajectory import Trajectory
from fathom.failure import InputError

methods = ("3d-var", "fgat", "4d-var")


def _taken(seen: Mapping[int, Seen], of: Callable[[int, Seen], Vector]) -> Vector:
    """Of all times one after another, of those that were taken."""
    return np.concatenate([of(n, s)[s.taken] for n, s in seen.items()])


def _departures(seen: Mapping[int, Seen], states: Mapping[int, Vector]) -> Vector:
    return _taken(seen, lambda n, s: s.departures(states[n]))


@dataclass
class Seen:
    """Observations of one time: values y, variances of their errors, H. `taken`: those that
    screening has left, all by default."""

    values: Vector
    variances: Vector
    operator: LinearMap
    taken: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.taken = np.ones(len(self.values), bool)

    def departures(self, state: Vector) -> Vector:
        """y - H x of all."""
        return self.values - self.operator.apply(state)

    @property
    def taken_operator(self) -> LinearMap:
        """H of those that were taken."""
        return Product(_Taken(self.taken), self.operator)

    def screen(self, departures: Vector, background_variances: Vector | float, most: float) -> int:
        """Leaves out what departs from the background by more than so many standard deviations of
        both errors together; how many."""
        limit = most * np.sqrt(self.variances + background_variances)
        self.taken = np.abs(departures) <= limit
        return int((~self.taken).sum())


class _Taken(LinearMap):
    """Of what an operator observes, what was taken."""

    def __init__(self, taken: np.ndarray) -> None:
        self.taken = taken

    def apply(self, x: Vector) -> Vector:
        return x[self.taken]

    def adjoint(self, y: Vector) -> Vector:
        whole = np.zeros(len(self.taken))
        whole[self.taken] = y
        return whole


class _Stacked(LinearMap):
    """Several operators on one state, their results one after another."""

    def __init__(self, maps: list[LinearMap], lengths: list[int]) -> None:
        self.maps, self.ends = maps, np.cumsum(lengths)[:-1]

    def apply(self, x: Vector) -> Vector:
        return np.concatenate([one.apply(x) for one in self.maps])

    def adjoint(self, y: Vector) -> Vector:
        return np.sum([o.adjoint(part) for o, part in zip(self.maps, np.split(y, self.ends))], 0)


@dataclass
class Analysis:
    """What a window has come to: states at its start, middle and end; J_b and J_o with the
    analysis, J_o before; departures y - H x of background and analysis, one after another in time,
    with their variances; `found` of the last minimisation; `rejected` by screening."""

    start: Vector
    middle: Vector
    end: Vector
    background: Vector  # at the middle
    parts: tuple[float, float]
    before: float
    departures: Vector
    residuals: Vector
    variances: Vector
    found: Found
    rejected: int = 0
    history: list[float] = field(default_factory=list)  # J_o with the model, of each outer loop

    @property
    def summary(self) -> dict[str, float]:
        """Numbers of a report."""
        size = lambda d: float(np.sqrt(np.mean(d**2 / self.variances)))
        return {
            "observations": len(self.departures),
            "rejected": self.rejected,
            "departure": size(self.departures),
            "residual": size(self.residuals),
            "J_before": self.before,
            "J_background": self.parts[0],
            "J_observations": self.parts[1],
            "iterations": self.found.iterations,
        }


class Window:
    """Assimilation windows of one length with one model and one B.

    Parameters
    ----------
    trajectory : of the model. background : L. steps : of a window, an even number.
    method : "3d-var", "fgat" or "4d-var". outer : loops of 4D-Var.
    screening : departures beyond so many standard deviations are left out; None: none.
    """

    def __init__(
        self,
        trajectory: Trajectory,
        background: LinearMap,
        steps: int,
        method: str = "4d-var",
        *,
        iterations: int = 30,
        tolerance: float = 1e-3,
        outer: int = 1,
        screening: float | None = 5.0,
        background_variance: float = 1.0,
    ) -> None:
        if method not in methods:
            raise InputError(f"method = {method!r}: allowed are {', '.join(methods)}")
        if steps < 2 or steps % 2:
            raise InputError(f"steps = {steps} of a window must be an even number, 2 or more")
        self.trajectory, self.background, self.steps, self.method = (
            trajectory,
            background,
            steps,
            method,
        )
        self.iterations, self.tolerance = iterations, tolerance
        self.outer, self.screening = outer if method == "4d-var" else 1, screening
        self.background_variance = background_variance  # over that of an observation

    def _follow(self, start: Vector, times: list[int]) -> dict[int, Vector]:
        """States at these steps and the middle, along a trajectory that is kept."""
        t = self.trajectory
        t.restart(start)
        states = {0: t.vector()}
        for n in range(1, self.steps + 1):
            t.follow(1)
            if n in times or n in (self.steps // 2, self.steps):
                states[n] = t.vector()
        return states

    def analyse(self, start: Vector, seen: Mapping[int, Seen]) -> Analysis:
        """The analysis of a window with the background `start` at its start; seen: observations
        after so many steps."""
        if not seen or not all(0 <= n <= self.steps for n in seen):
            raise InputError(
                f"observations after {sorted(seen)} steps; the window has {self.steps}"
            )
        seen, middle = dict(sorted(seen.items())), self.steps // 2
        states = self._follow(start, list(seen))
        if self.method == "3d-var":  # as if all were of the middle
            states |= {n: states[middle] for n in seen}
        rejected = sum(self._screen(s, s.departures(states[n])) for n, s in seen.items())
        first, variances = _departures(seen, states), _taken(seen, lambda n, s: s.variances)
        departures, chi, history = first, None, []
        for _ in range(self.outer):
            G = self._observed(seen)
            if chi is not None:  # about what was found, for the whole increment
                departures = departures + G.apply(self.background.apply(chi))
            cost = Cost(self.background, [Slot(departures, variances, G)])
            found = lanczos(cost, iterations=self.iterations, tolerance=self.tolerance)
            chi = found.control
            after, departures = self._found(start, states[middle], departures, G, found, seen)
            history.append(0.5 * float(departures @ (departures / variances)))
        assert chi is not None
        return Analysis(
            after[0],
            after[middle],
            after[self.steps],
            states[middle],
            (0.5 * float(chi @ chi), history[-1]),
            0.5 * float(first @ (first / variances)),
            first,
            departures,
            variances,
            found,
            rejected,
            history,
        )

    def _observed(self, seen: Mapping[int, Seen]) -> LinearMap:
        """G, of dx to what is observed in the window."""
        operators = {n: s.taken_operator for n, s in seen.items()}
        if self.method == "4d-var":
            return self.trajectory.observed(operators)
        return _Stacked(list(operators.values()), [int(s.taken.sum()) for s in seen.values()])

    def _found(
        self,
        start: Vector,
        middle: Vector,
        departures: Vector,
        G: LinearMap,
        found: Found,
        seen: Mapping[int, Seen],
    ) -> tuple[dict[int, Vector], Vector]:
        """States with the increment, and what is left of the departures."""
        if self.method == "4d-var":
            after = self._follow(start + found.increment, list(seen))
            return after, _departures(seen, after)
        x = middle + found.increment
        after = {0: start, self.steps // 2: x, self.steps: self._ahead(x)}
        return after, departures - G.apply(found.increment)

    def _screen(self, one: Seen, departures: Vector) -> int:
        if self.screening is None:
            return 0
        return one.screen(departures, self.background_variance * one.variances, self.screening)

    def _ahead(self, middle: Vector) -> Vector:
        return self.trajectory.run(middle, self.steps - self.steps // 2)
