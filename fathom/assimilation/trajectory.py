"""A model along its trajectory: the state in one vector, and the tangent and the adjoint of the
model as a linear map.

    trajectory = Trajectory(simulation)      # a SpectralAtmosphere, ShallowWater, a limited area
    trajectory.follow(12)                    # twelve steps
    M = trajectory.propagation()             # dx at the start -> dx at the end, with its adjoint

A vector holds the prognostic fields one after another, only at points of the grid, the same on all
ranks. Time levels and gradients are part of the state of a step; at the start they follow
from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fathom.assimilation.maps import LinearMap, Vector
from fathom.base import mpi
from fathom.base.failure import InputError
from fathom.base.regions import region


class Forecasts:
    """A model that is run from vectors of its state; also one without a tangent.

    Parameters
    ----------
    simulation : of a spectral model; its present fields are the start, of which no step before is
        known. Data that are read in time, as at the edges of an area, keep their present values.
    """

    def __init__(self, simulation: Any) -> None:
        self.simulation = simulation.prepare()
        if simulation.forcing is not None:
            simulation.forcing.load(simulation)
        self.model = self.of(simulation.model)
        processes = self.model.processes(simulation.time_step, simulation.surface)
        names = sorted({field["name"] for process in processes for field in process.fields})
        _, self.sequence, self.fields = simulation.other(
            self.model, simulation.time_step, processes, names
        )
        self.fields.count = 0
        self.sequence.start(self.fields)
        self.first = mpi.core.FieldSet(self.fields)
        grid = self.model.grid
        self.there = np.arange(grid.horizontal.nx) < np.asarray(self.points(grid))[:, None]
        self.levels = {f["name"]: f["levels"] for f in self.fields.fields}

    def of(self, model: Any) -> Any:
        """Returns the model without linearisation."""
        return model

    def points(self, grid: Any) -> np.ndarray:
        """Returns the number of points of each row."""
        return np.full(grid.horizontal.ny, grid.horizontal.nx)

    @property
    def names(self) -> list[str]:
        """Returns fields of a vector, in order."""
        return list(self.model.prognostic)

    @property
    def size(self) -> int:
        """Returns length of a vector."""
        result: int = sum(self.levels[name] for name in self.names) * int(self.there.sum())
        return result

    # ---- fields and vectors ----------------------------------------------------------------------

    def split(self, vector: Vector) -> dict[str, np.ndarray]:
        """Returns fields (levels, points of the grid) of a vector, views."""
        if vector.shape != (self.size,):
            raise InputError(f"a vector of shape {vector.shape}; the state has ({self.size},)")
        parts, at = {}, 0
        for name in self.names:
            count = self.levels[name] * int(self.there.sum())
            parts[name] = vector[at : at + count].reshape(self.levels[name], -1)
            at += count
        return parts

    def on_grid(self, values: np.ndarray) -> np.ndarray:
        """Returns (levels, rows, longest row) of (levels, points); 0 beyond the end of a row."""
        if self.there.all():
            return values.reshape(len(values), *self.there.shape)
        whole = np.zeros((len(values), *self.there.shape))
        whole[:, self.there] = values
        return whole

    def vector(self, fields: Any = None) -> Vector:
        """Returns the vector of the present fields, or of another set; all ranks call it together
        and get the same.
        """
        fields = self.fields if fields is None else fields
        made, full = np.empty(self.size), self.there.all()
        with region("fields to a vector", "minimisation"):
            for name, part in self.split(made).items():
                whole = self.simulation.assemble(fields.windows(name))
                if whole is not None:
                    part[...] = whole.reshape(part.shape) if full else whole[:, self.there]
        with region("vector to all ranks", "minimisation", "exchange", self.simulation.comm):
            self.simulation.comm.Bcast(made, 0)
        return made

    def put(self, vector: Vector, fields: Any) -> None:
        """Puts a vector into the fields of a set."""
        with region("vector to fields", "minimisation"):
            for name, values in self.split(np.asarray(vector, float)).items():
                whole = self.on_grid(values)
                for block, (j, i, ny, nx) in enumerate(self.simulation.domain.blocks):
                    part = whole[:, j : j + ny, i : i + nx]
                    fields.put(name, block, np.ascontiguousarray(part))

    # ---- the model -------------------------------------------------------------------------------

    def restart(self, vector: Vector | None = None) -> None:
        """Goes back to the start, or to another state there, which is truncated like an initial
        state.
        """
        self.fields.copy(self.first)
        if vector is not None:
            self.put(vector, self.fields)
            self.sequence.start(self.fields)
            self.fields.count = 0

    def follow(self, steps: int) -> None:
        """Takes steps with the model."""
        for _ in range(steps):
            self._weigh(self.fields)
            self.advance(self.fields)

    def advance(self, fields: Any) -> None:
        """Takes one step."""
        self.sequence.advance(fields, 1)

    def _weigh(self, fields: Any) -> None:
        """Sets the weights of the step: the first has its own."""
        for name, values in self.model.profiles_of_step(fields.count == 0).items():
            fields.set_profile(name, values)

    def run(self, vector: Vector, steps: int) -> Vector:
        """Returns the state that a state has become; nothing is kept."""
        fields = mpi.core.FieldSet(self.first)
        self.put(vector, fields)
        fields.count = 0
        self.sequence.start(fields)
        for _ in range(steps):
            self._weigh(fields)
            self.sequence.advance(fields, 1)
        return self.vector(fields)


class Trajectory(Forecasts):
    """Steps are kept, for the tangent and the adjoint along them.

    Parameters
    ----------
    simulation : of a SpectralAtmosphere, ShallowWater, or LimitedAreaAtmosphere. Its physics must
        have adjoints: none, HeldSuarez, SmoothMixing, SmoothCondensation. Tracers are carried
        without clipping in tangent and adjoint. A vector of an area has all points of its periodic
        plane; the outer state of its coupling does not change with the perturbation.
    keep : the values kept of a step. "all": all that tangent and adjoint need; "fp32": the same
        rounded, so half of the memory: both are then exactly transposed, about a rounded state;
        "states": the state alone, from which the rest is computed again in each iteration, to the
        same bits as "all".
    every : with "states", of so many steps one is kept; the others follow from it.
    """

    def __init__(self, simulation: Any, keep: str = "all", every: int = 1) -> None:
        if keep not in ("all", "fp32", "states"):
            raise InputError(f"keep = {keep!r}; allowed are 'all', 'fp32' and 'states'")
        if every < 1 or (every > 1 and keep != "states"):
            raise InputError(f"every = {every} must be 1, or more with keep = 'states'")
        super().__init__(simulation)
        self.linear = mpi.core.LinearStepProgram(self.sequence, keep, every)
        self._sets: list[Any] = []

    def of(self, model: Any) -> Any:
        """Returns the model without the parts that have no tangent. InputError: it has none."""
        return model.without_fixers()

    def points(self, grid: Any) -> np.ndarray:
        return super().points(grid) if grid.truncation is None else np.asarray(grid.points)

    @property
    def steps(self) -> int:
        """Returns the steps taken since the start."""
        result: int = self.linear.steps
        return result

    def restart(self, vector: Vector | None = None) -> None:
        self.linear.forget()
        super().restart(vector)

    def advance(self, fields: Any) -> None:
        self.linear.follow(fields, 1)

    def propagation(self, steps: int | None = None) -> Propagation:
        """Returns M' of the first steps, of all by default. InputError: there are not as many."""
        if steps is not None and not 0 <= steps <= self.steps:
            raise InputError(f"a window of {steps} steps; the trajectory has {self.steps}")
        return Propagation(self, self.steps if steps is None else steps)

    def observed(self, observations: Mapping[int, LinearMap]) -> ObservedAlong:
        """Returns G': from dx at the start to the observed values along the trajectory after so
        many steps.
        """
        return ObservedAlong(self, observations)

    def nothing(self, which: int = 0) -> Any:
        """Returns fields, all zero: each time in the same memory, of so many sets by their
        numbers."""
        while len(self._sets) <= which:
            self._sets.append(mpi.core.FieldSet(self.sequence))
        for f in self.fields.fields:
            if f["vertical"] != "profile":
                self._sets[which].fill(f["name"], 0.0)
        return self._sets[which]


class Propagation(LinearMap):
    """The tangent model: dx at the start -> dx after some steps."""

    def __init__(self, trajectory: Any, steps: int) -> None:
        self.trajectory, self.steps = trajectory, steps

    def apply(self, x: Vector) -> Vector:
        t = self.trajectory
        change = t.nothing()
        t.put(x, change)
        t.linear.start(change)
        t.linear.tangent(change, 0, self.steps)
        return np.asarray(t.vector(change))

    def adjoint(self, y: Vector) -> Vector:
        t = self.trajectory
        gradient = t.nothing()
        t.put(y, gradient)
        t.linear.adjoint(gradient, 0, self.steps)
        t.linear.start_adjoint(gradient)
        return np.asarray(t.vector(gradient))


class ObservedAlong(LinearMap):
    """dx at the start -> the observed values after so many steps {steps: H'}, one after another in
    the order of time. The increment goes through the window once, its adjoint once back.

    errors : steps, in their order, after which an increment of its own is added, before what is
        observed there: parts of the vector after dx (weak constraint).
    """

    def __init__(
        self, trajectory: Any, observations: Mapping[int, LinearMap], errors: Sequence[int] = ()
    ) -> None:
        if not observations or not all(0 <= n <= trajectory.steps for n in observations):
            raise InputError(
                f"observations after {sorted(observations)} steps; the trajectory has"
                f" {trajectory.steps}"
            )
        self.trajectory, self.errors = trajectory, list(errors)
        self.observations = dict(sorted(observations.items()))
        self.stops = sorted({*self.observations, *self.errors})
        self.lengths: dict[int, int] = {}  # of what is observed, known once it was applied

    def apply(self, x: Vector) -> Vector:
        t, at, seen = self.trajectory, 0, []
        start, *parts = np.split(np.asarray(x, float), 1 + len(self.errors))
        errors, change = dict(zip(self.errors, parts)), t.nothing()
        t.put(start, change)
        t.linear.start(change)
        for steps in self.stops:
            t.linear.tangent(change, at, steps - at)
            at = steps
            if steps in errors:
                t.put(errors[steps], here := t.nothing(1))
                change.axpy(1.0, here, t.names)
            if steps in self.observations:
                state = t.vector(change)
                with region("observation operators", "minimisation"):
                    seen.append(self.observations[steps].apply(state))
                self.lengths[steps] = len(seen[-1])
        return np.concatenate(seen)

    def adjoint(self, y: Vector) -> Vector:
        t = self.trajectory
        if not self.lengths:
            self.apply(np.zeros(t.size * (1 + len(self.errors))))
        ends = np.cumsum(list(self.lengths.values()))[:-1]
        seen = dict(zip(self.lengths, np.split(np.asarray(y, float), ends)))
        gradient, here, found = t.nothing(), t.nothing(1), []
        for steps, before in zip(reversed(self.stops), [*self.stops[-2::-1], 0]):
            if steps in seen:
                with region("observation operators", "minimisation"):
                    gradient_here = self.observations[steps].adjoint(seen[steps])
                t.put(gradient_here, here)
                gradient.axpy(1.0, here, t.names)
            if steps in self.errors:
                found.append(t.vector(gradient))
            t.linear.adjoint(gradient, before, steps - before)
        t.linear.start_adjoint(gradient)
        return np.concatenate([t.vector(gradient), *reversed(found)])
