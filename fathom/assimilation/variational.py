"""The analysis of one window by 3D-Var, FGAT or 4D-Var: choices of maps for one cost function.

                departures d                        G: what is observed of dx          dx is at
    3d-var      y - H x_b(middle)                   H                                  the middle
    fgat        y - H x_b(time of y)                H                                  the middle
    4d-var      y - H x_b(time of y)                H M', M' the tangent model         the start

With outer loops 4D-Var runs the model again from its last analysis, and uses the tangent there:
d = y - H M(x_b + L chi) + H M' L chi, for the whole chi.

Variational quality control: after each minimisation a datum gets the weight W of its residual
(observations/quality.py: Huber, or Gaussian with a flat tail), R / W in the next one, so that each
of them is quadratic; three at least.

Two more choices of 4D-Var: `inner`, a coarser model whose tangent and B are used instead of the
model's own (departures are still of the model; Courtier et al. 1994), and `constraint`, a weak
digital filter (Gauthier & Thepaut 2001): one more slot, whose data say that the increment in the
middle has no faster waves than the filter allows,

    J_c = 1/2 w |sum_n h_n M'_n dx - M'_middle dx|^2
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from fathom.assimilation.cost import Cost, Slot
from fathom.assimilation.departures import root_inverse
from fathom.assimilation.maps import Identity, LinearMap, Matrix, Product, Vector
from fathom.assimilation.minimisers import Found, lanczos
from fathom.assimilation.observations import quality
from fathom.assimilation.resolution import Inner
from fathom.base.failure import InputError

methods = ("3d-var", "fgat", "4d-var")
controls: Mapping[str, Callable[..., Any]] = {"huber": quality.huber, "flat": quality.flat}


class Stopwatch(dict[str, float]):
    """Seconds by part of the work."""

    @contextmanager
    def of(self, part: str) -> Iterator[None]:
        """Adds the time within a `with` to a part."""
        began = time.perf_counter()
        yield
        self[part] = self.get(part, 0.0) + time.perf_counter() - began


def _taken(seen: Mapping[int, Seen], of: Callable[[int, Seen], Vector]) -> Vector:
    """Returns the values of all times, one after another, of the data that were taken."""
    return np.concatenate([of(n, s)[s.taken] for n, s in seen.items()])


def _weights(seen: Mapping[int, Seen], of_data: Vector | None = None) -> Matrix:
    """Returns R^-1/2 of all times, with weights of its results."""
    from scipy import sparse

    whole = sparse.block_diag([s.weights.values for s in seen.values()], format="csr")
    if of_data is None:
        return Matrix(whole)
    return Matrix(sparse.diags_array(np.sqrt(np.maximum(of_data, 1e-6))) @ whole)


def _cost(weights: Any, departures: np.ndarray) -> float:
    """Returns half the square of weighted departures."""
    return 0.5 * float(np.sum(weights.apply(departures) ** 2))


def _departures(seen: Mapping[int, Seen], states: Mapping[int, Vector]) -> Vector:
    return _taken(seen, lambda n, s: s.departures(states[n]))


@dataclass
class Seen:
    """Observations of one time: values y, variances of their errors, H. `taken`: those left after
    screening, all by default. inner: H on the grid of an inner model. covariance: of the errors of
    a column's values, if they are correlated (departures.py)."""

    values: Vector
    variances: Vector
    operator: LinearMap
    inner: LinearMap | None = None
    covariance: np.ndarray | None = None
    taken: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.taken = np.ones(len(self.values), bool)

    def departures(self, state: Vector) -> Vector:
        """Returns y - H x of all."""
        result: Vector = self.values - self.operator.apply(state)
        return result

    @property
    def weights(self) -> Matrix:
        """Returns R^-1/2 of those that were taken."""
        if self.covariance is not None:
            return Matrix(root_inverse(self.covariance, self.taken))
        from scipy import sparse

        return Matrix(sparse.diags_array(1 / np.sqrt(self.variances[self.taken])))

    def drawn(self, random: np.random.Generator) -> Seen:
        """Returns the same with errors drawn again."""
        drawn = random.standard_normal(len(self.values))
        if self.covariance is None:
            drawn = np.sqrt(self.variances) * drawn
        else:
            root = np.linalg.cholesky(self.covariance)
            drawn = (root @ drawn.reshape(len(root), -1)).ravel()
        return replace(self, values=self.values + drawn)

    def whole(self, taken: Vector) -> Vector:
        """Returns the numbers of all, of those that were taken, with NaN for the rest."""
        made = np.full(len(self.values), np.nan)
        made[self.taken] = taken
        return made

    @property
    def taken_operator(self) -> LinearMap:
        """Returns H of those that were taken."""
        return Product(_Taken(self.taken), self.operator)

    @property
    def taken_inner(self) -> LinearMap:
        """Returns H of the data that were taken, on the grid of the inner model."""
        if self.inner is None:
            raise InputError(
                "data have no operator on the grid of the inner model: Seen(..., inner)"
            )
        return Product(_Taken(self.taken), self.inner)

    def screen(self, departures: Vector, background_variances: Vector | float, most: float) -> int:
        """Leaves out what departs from the background by more than so many standard deviations of
        both errors together; how many."""
        limit = most * np.sqrt(self.variances + background_variances)
        self.taken = np.abs(departures) <= limit
        return int((~self.taken).sum())


class _Taken(LinearMap):
    """An operator that observes only the data that were taken."""

    def __init__(self, taken: np.ndarray) -> None:
        self.taken = taken

    def apply(self, x: Vector) -> Vector:
        result: Vector = x[self.taken]
        return result

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
        result: Vector = np.sum(
            [o.adjoint(part) for o, part in zip(self.maps, np.split(y, self.ends))], 0
        )
        return result


@dataclass(frozen=True)
class Constraint:
    """A weak digital filter. sizes: of a state, in which its numbers count as one, an array as long
    or a number; weight: w for a whole state; longest: shortest period [steps] that it keeps.
    """

    sizes: Vector | float
    weight: float = 1.0
    longest: float = 6.0

    @staticmethod
    def of_air(trajectory: Any, weight: float, longest: float) -> Constraint:
        """Returns a norm in which 1 m/s, 1 K and 1 hPa count as one; longest: [steps] of this
        trajectory."""
        sizes = np.ones(trajectory.size)
        trajectory.split(sizes)["log_pressure_ratio"][:] = 1e-3
        return Constraint(sizes, weight, longest)

    def filter(self, steps: int) -> np.ndarray:
        """Returns h_n less 1 in the middle, n = 0 ... steps: Lanczos' window, the sum is 0."""
        n = np.arange(steps + 1) - steps // 2
        h = np.sinc(2 * n / self.longest) * np.sinc(n / (steps // 2 + 1))
        h /= h.sum()
        h[steps // 2] -= 1
        return h


class _Combined(LinearMap):
    """The weighted sum of several vectors that follow one another."""

    def __init__(self, weights: np.ndarray) -> None:
        self.weights = weights

    def apply(self, x: Vector) -> Vector:
        result: Vector = self.weights @ x.reshape(len(self.weights), -1)
        return result

    def adjoint(self, y: Vector) -> Vector:
        return np.outer(self.weights, y).ravel()


@dataclass
class Analysis:
    """The result of a window: states at its start, middle and end; J_b and J_o with the analysis,
    J_o before; departures y - H x of background and analysis, one after another in time, with their
    variances; `found` of the last minimisation; `rejected` by screening.
    """

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
    seen: Mapping[int, Seen]  # after screening
    rejected: int = 0
    filtered: float = 0.0  # J_c
    weights: Vector | None = None  # of quality control, of each departure
    history: list[float] = field(default_factory=list)  # J_o with the model, of each outer loop
    seconds: dict[str, float] = field(default_factory=dict)  # for each part of the work

    def columns(self, values: int) -> tuple[np.ndarray, np.ndarray]:
        """Returns departures of background and analysis by columns of so many values (values,
        columns); NaN where screening has left them out.
        """
        ends = np.cumsum([int(s.taken.sum()) for s in self.seen.values()])[:-1]
        made = []
        for of in (self.departures, self.residuals):
            parts = zip(self.seen.values(), np.split(of, ends))
            made.append(np.concatenate([s.whole(p).reshape(values, -1) for s, p in parts], axis=1))
        return made[0], made[1]

    @property
    def summary(self) -> dict[str, float]:
        """Returns numbers of a report."""

        def size(d: Any) -> float:
            return float(np.sqrt(np.mean(d**2 / self.variances)))

        return {
            "observations": len(self.departures),
            "rejected": self.rejected,
            "departure": size(self.departures),
            "residual": size(self.residuals),
            "J_before": self.before,
            "J_background": self.parts[0],
            "J_observations": self.parts[1],
            **({"J_filter": self.filtered} if self.filtered else {}),
            **({} if self.weights is None else {"mean_weight": float(self.weights.mean())}),
            "iterations": self.found.iterations,
        }


class Window:
    """Assimilation windows of one length with one model and one B.

    Parameters
    ----------
    trajectory : of the model. background : L. steps : of a window, an even number.
    method : "3d-var", "fgat" or "4d-var". outer : loops of 4D-Var.
    screening : departures beyond so many standard deviations are left out; None: none.
    inner : a coarser model for the tangent of 4D-Var; `background` is then on its grid.
    constraint : a weak digital filter of 4D-Var. quality : "huber" or "flat"; None: none.
    """

    def __init__(
        self,
        trajectory: Any,  # a Trajectory, or of an ocean
        background: LinearMap,
        steps: int,
        method: str = "4d-var",
        *,
        iterations: int = 30,
        tolerance: float = 1e-3,
        outer: int = 1,
        screening: float | None = 5.0,
        background_variance: float = 1.0,
        inner: Inner | None = None,
        constraint: Constraint | None = None,
        quality: str | None = None,
    ) -> None:
        if method not in methods:
            raise InputError(f"method = {method!r}: allowed are {', '.join(methods)}")
        if steps < 2 or steps % 2:
            raise InputError(f"steps = {steps} of a window must be an even number, 2 or more")
        if (inner is not None or constraint is not None) and method != "4d-var":
            raise InputError(f"an inner model and a constraint need 4d-var, not {method}")
        if quality not in (None, *controls):
            raise InputError(f"quality = {quality!r}: allowed are {', '.join(controls)}")
        self.inner, self.constraint, self.quality = inner, constraint, quality
        self.trajectory, self.background, self.steps, self.method = (
            trajectory,
            background,
            steps,
            method,
        )
        self.iterations, self.tolerance = iterations, tolerance
        self.outer, self.screening = outer if method == "4d-var" else 1, screening
        self.outer = self.outer if quality is None else max(self.outer, 3)
        self.background_variance = background_variance  # over that of an observation

    def _follow(self, start: Vector, times: list[int]) -> dict[int, Vector]:
        """Returns states at these steps and the middle, along a trajectory that is kept."""
        t = self.trajectory
        t.restart(start)
        states = {0: t.vector()}
        for n in range(1, self.steps + 1):
            t.follow(1)
            if n in times or n in (self.steps // 2, self.steps):
                states[n] = t.vector()
        return states

    def analyse(self, start: Vector, seen: Mapping[int, Seen]) -> Analysis:
        """Returns the analysis of a window with the background `start` at its start; seen:
        observations after so many steps.
        """
        if not seen or not all(0 <= n <= self.steps for n in seen):
            raise InputError(
                f"observations after {sorted(seen)} steps; the window has {self.steps}"
            )
        seen, middle, clock = dict(sorted(seen.items())), self.steps // 2, Stopwatch()
        with clock.of("background"):
            states = self._follow(start, list(seen))
        if self.method == "3d-var":  # as if all were of the middle
            states |= {n: states[middle] for n in seen}
        with clock.of("screening"):
            rejected = sum(self._screen(s, s.departures(states[n])) for n, s in seen.items())
        first, variances = _departures(seen, states), _taken(seen, lambda n, s: s.variances)
        departures, chi, history, filtered = first, None, [], 0.0
        x, weights, whole = start, None, _weights(seen)
        cost_of = partial(_cost, whole)
        for _ in range(self.outer):
            with clock.of("minimisation"):
                if self.inner is not None:
                    self.inner.follow(x, self.steps)
                G = self._observed(seen)
                if chi is not None:  # about the present analysis, for the whole increment
                    departures = departures + G.apply(self.background.apply(chi))
                W = whole if weights is None else _weights(seen, weights)
                slot = Slot(W.apply(departures), np.ones(len(departures)), Product(W, G))
                slots = [slot, *self._filtered()]
                found = self._minimum(slots)
            chi = found.control
            for slot in slots[1:]:
                left = slot.observation.apply(found.increment)
                filtered = 0.5 * float(left @ slot.weighted(left))
            with clock.of("forecast"):
                after, departures = self._found(start, states[middle], departures, G, found, seen)
            x = after[0]
            history.append(cost_of(departures))
            if self.quality is not None:
                weights = controls[self.quality](whole.apply(departures))[1]
        assert chi is not None
        return Analysis(
            after[0],
            after[middle],
            after[self.steps],
            states[middle],
            (0.5 * float(chi @ chi), history[-1]),
            cost_of(first),
            first,
            departures,
            variances,
            found,
            seen,
            rejected,
            filtered,
            weights,
            history,
            clock,
        )

    def _minimum(self, slots: list[Slot]) -> Found:
        return lanczos(
            Cost(self.background, slots), iterations=self.iterations, tolerance=self.tolerance
        )

    def drawn(self, seen: Mapping[int, Seen], random: np.random.Generator) -> Found:
        """Returns the minimisation of data drawn from B and R instead of these, about the
        trajectory of the last analysis: its increments are those of a correct B and R.
        """
        G, W = self._observed(seen), _weights(seen)
        L: Any = self.background
        y = W.apply(G.apply(L.apply(random.standard_normal(L.controls))))
        slot = Slot(y + random.standard_normal(len(y)), np.ones(len(y)), Product(W, G))
        return self._minimum([slot])

    def _observed(self, seen: Mapping[int, Seen]) -> LinearMap:
        """Returns G, from dx to the observed values in the window."""
        if self.inner is not None:
            at = self.inner.steps
            inner: LinearMap = self.inner.trajectory.observed(
                {at(n): s.taken_inner for n, s in seen.items()}
            )
            return inner
        operators = {n: s.taken_operator for n, s in seen.items()}
        if self.method == "4d-var":
            along: LinearMap = self.trajectory.observed(operators)
            return along
        return _Stacked(list(operators.values()), [int(s.taken.sum()) for s in seen.values()])

    def _filtered(self) -> list[Slot]:
        """Returns the constraint as a slot whose data are zeros."""
        if self.constraint is None:
            return []
        c, trajectory, steps = self.constraint, self.trajectory, self.steps
        if self.inner is not None:
            trajectory, steps = self.inner.trajectory, self.inner.steps(steps)
        all_ = trajectory.observed({n: Identity() for n in range(steps + 1)})
        size = len(trajectory.vector())
        variances = np.broadcast_to(np.square(c.sizes) * size / c.weight, size)
        return [Slot(np.zeros(size), variances, Product(_Combined(c.filter(steps)), all_))]

    def _found(
        self,
        start: Vector,
        middle: Vector,
        departures: Vector,
        G: LinearMap,
        found: Found,
        seen: Mapping[int, Seen],
    ) -> tuple[dict[int, Vector], Vector]:
        """Returns states with the increment, and the remaining departures."""
        if self.method == "4d-var":
            increment = found.increment if self.inner is None else self.inner.up(found.increment)
            after = self._follow(start + increment, list(seen))
            return after, _departures(seen, after)
        x = middle + found.increment
        after = {0: start, self.steps // 2: x, self.steps: self._ahead(x)}
        return after, departures - G.apply(found.increment)

    def _screen(self, one: Seen, departures: Vector) -> int:
        if self.screening is None:
            return 0
        return one.screen(departures, self.background_variance * one.variances, self.screening)

    def _ahead(self, middle: Vector) -> Vector:
        end: Vector = self.trajectory.run(middle, self.steps - self.steps // 2)
        return end
