"""An ocean along its trajectory, for 4D-Var: its state in one vector, the tangent and the adjoint
of its steps.

    outer = OceanForecasts(simulation)              # runs from vectors
    inner = OceanTrajectory(other)                  # keeps its steps, for M' and M'*
    between = InnerSea(inner, outer)                # steps, and states, of one in the other

A vector holds the fields of the state one after another, time levels included, on the whole grid,
the same on all ranks; its last number counts the steps since the start of the run, so a state knows
its date. On land it is 0. Processes without adjoint follow the state; their results do not change
with a perturbation (adjoint_of_model.py).

Weak constraint: `errors` are steps after which an error of the model is added to the state; a
vector of the start then has one part more for each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fathom.assimilation.adjoint_of_model import ModelAdjoint
from fathom.assimilation.maps import LinearMap, Vector
from fathom.assimilation.resolution import Inner
from fathom.assimilation.sea import Sea
from fathom.assimilation.trajectory import ObservedAlong, Propagation
from fathom.base import machine, mpi
from fathom.base.failure import InputError
from fathom.base.regions import region


class OceanForecasts:
    """Parameters
    ----------
    simulation : of an Ocean.
    errors : steps of a window, in their order, after which parts of its vector are added.
    """

    def __init__(self, simulation: Any, errors: Iterable[int] = ()) -> None:
        self.simulation, self.model = simulation.prepare(), simulation.model
        self.errors, self._added = list(errors), dict[int, Vector]()
        self._describe()
        self._begin = self.simulation.count

    def _describe(self) -> None:
        fields = self.simulation.fields
        kept = set(fields.state)
        self.levels: dict[str, int] = {
            f["name"]: f["levels"] for f in fields.fields if f["name"] in kept
        }
        self.there = np.asarray(self.model.grid.wet_levels) > 0

    @property
    def names(self) -> list[str]:
        """Returns fields of a vector, in order."""
        return list(self.levels)

    @property
    def size(self) -> int:
        """Returns length of a vector."""
        return sum(self.levels.values()) * self.there.size + 1

    # ---- fields and vectors ----------------------------------------------------------------------

    def split(self, vector: Vector) -> dict[str, np.ndarray]:
        """Returns fields (levels, ny, nx) of a vector, views."""
        if np.shape(vector) != (self.size,):
            raise InputError(f"a vector of shape {np.shape(vector)}; the state has ({self.size},)")
        parts, at = {}, 0
        for name, levels in self.levels.items():
            count = levels * self.there.size
            parts[name] = vector[at : at + count].reshape(levels, *self.there.shape)
            at += count
        return parts

    def vector(self, fields: Any = None) -> Vector:
        """Returns the vector of the present fields, or of another set; all ranks call it together
        and get the same.
        """
        s, made = self.simulation, np.empty(self.size)
        fields = s.fields if fields is None else fields
        with region("fields to a vector", "minimisation"):
            for name, part in self.split(made).items():
                whole = s.assemble(fields.windows(name))
                if whole is not None:
                    part[...] = np.where(self.there, np.nan_to_num(whole), 0.0)
        made[-1] = fields.count
        s.comm.Bcast(made, 0)
        return made

    def put(self, vector: Vector, fields: Any) -> None:
        """Puts a vector into the fields of a set."""
        with region("vector to fields", "minimisation"):
            for name, whole in self.split(np.asarray(vector, float)).items():
                for block, (j, i, ny, nx) in enumerate(self.simulation.domain.blocks):
                    part = whole[:, j : j + ny, i : i + nx]
                    fields.put(name, block, np.ascontiguousarray(part))

    # ---- the model -------------------------------------------------------------------------------

    def restart(self, vector: Vector) -> None:
        """Goes to a state, and its date; further parts are errors of steps to come."""
        start, *errors = np.split(np.asarray(vector, float), len(vector) // self.size)
        if len(errors) not in (0, len(self.errors)):
            raise InputError(f"{len(errors)} errors of the model, not {len(self.errors)}")
        self._added = dict(zip(self.errors, errors))
        s = self.simulation
        self.put(start, s.fields)
        s.changed, s.count = True, round(start[-1])
        s.fields.count = self._begin = s.count

    def follow(self, steps: int) -> None:
        """Takes steps, and adds the errors that come after them."""
        for _ in range(steps):
            self.advance(1)
            error = self._added.pop(self.simulation.count - self._begin, None)
            if error is not None:
                self.put(self.vector() + np.append(error[:-1], 0.0), self.simulation.fields)
                self.simulation.changed = True

    def advance(self, steps: int) -> None:
        """Takes steps."""
        self.simulation.advance(steps)

    def run(self, vector: Vector, steps: int) -> Vector:
        """Returns the state that a state has become; nothing is kept."""
        self.restart(vector)
        if steps:
            self.simulation.advance(steps)
        return self.vector()


class OceanTrajectory(OceanForecasts):
    """Steps are kept, for the tangent and the adjoint along them.

    Parameters
    ----------
    freeze : names of processes without derivative, besides those that have none.
    keep : "all": the values of a step as they are; "fp32": rounded, half of the memory.
    """

    def __init__(
        self,
        simulation: Any,
        errors: Iterable[int] = (),
        freeze: Iterable[str] = (),
        keep: str = "fp32",
    ) -> None:
        self.adjoint = ModelAdjoint(simulation, freeze, keep)
        self.linear = self.adjoint.linear
        self._sets: list[Any] = []
        super().__init__(simulation, errors)

    @property
    def steps(self) -> int:
        """Returns the steps taken since the start."""
        result: int = self.linear.steps
        return result

    def restart(self, vector: Vector) -> None:
        self.linear.forget()
        super().restart(vector)

    def advance(self, steps: int) -> None:
        self.adjoint.keep(steps)
        if self.linear.steps == 1 and self.linear.bytes > machine.free_memory():
            raise InputError(
                f"what is kept of a step has {self.linear.bytes / 1e6:.0f} MB, more than the memory"
                " that is free"
            )

    def propagation(self, steps: int | None = None) -> Propagation:
        """Returns M' of the first steps, of all by default."""
        return Propagation(self, self.steps if steps is None else steps)

    def observed(self, observations: Mapping[int, LinearMap]) -> ObservedAlong:
        """Returns G': from dx at the start, and the errors of the model, to the observed values
        along the trajectory after so many steps.
        """
        return ObservedAlong(self, observations, self.errors)

    def nothing(self, which: int = 0) -> Any:
        """Returns fields, all zero: each time in the same memory, of so many sets by their
        numbers."""
        while len(self._sets) <= which:
            self._sets.append(mpi.core.FieldSet(self.adjoint.sequence))
        for f in self._sets[which].fields:
            if f["vertical"] != "profile":
                self._sets[which].fill(f["name"], 0.0)
        self._sets[which].count = 0
        return self._sets[which]


@dataclass
class InnerSea(Inner):
    """Another ocean on the same grid for the inner loops of 4D-Var: with longer steps, simpler.
    Fields that it does not have are not perturbed.
    """

    def __post_init__(self) -> None:
        for name, levels in self.coarse.levels.items():
            if self.fine.levels.get(name) != levels:
                raise InputError(
                    f"the inner model has {name} on {levels} levels, which the model has not"
                )

    def _each(self, vectors: Vector, of: OceanForecasts, to: OceanForecasts, by: float) -> Vector:
        made = []
        for vector in np.split(vectors, len(vectors) // of.size):
            one, given = np.zeros(to.size), of.split(vector)
            for name, part in to.split(one).items():
                part[...] = given.get(name, 0.0)
            one[-1] = vector[-1] * by
            made.append(one)
        return np.concatenate(made)

    def down(self, state: Vector) -> Vector:
        """Returns a state of the inner model."""
        return self._each(state, self.fine, self.coarse, 1 / self.ratio)

    def up(self, increment: Vector) -> Vector:
        """Returns an increment of the model."""
        return self._each(increment, self.coarse, self.fine, 0.0)


class InState(LinearMap):
    """Temperature, salinity and height of the sea's cells (sea.py) -> the vector of an ocean: the
    time levels before change alike, all else does not.
    """

    fields = ("temperature", "salinity", "sea_surface_height")

    def __init__(self, of: OceanForecasts, sea: Sea) -> None:
        self.of, self.sea = of, sea

    def apply(self, x: Vector) -> Vector:
        made = np.zeros(self.of.size)
        parts = self.of.split(made)
        for name, values in zip(self.fields, self.sea.fields(x)):
            for field in (name, f"{name}_before"):
                if field in parts:
                    parts[field][...] = values
        return made

    def adjoint(self, y: Vector) -> Vector:
        parts = self.of.split(y)
        both = [parts[n] + parts.get(f"{n}_before", 0.0) for n in self.fields]
        return self.sea.vector(*both)


class OfState(LinearMap):
    """The vector of an ocean -> temperature, salinity and height of the sea's cells."""

    def __init__(self, of: OceanForecasts, sea: Sea) -> None:
        self.of, self.sea = of, sea

    def apply(self, x: Vector) -> Vector:
        parts = self.of.split(x)
        return self.sea.vector(*(parts[n] for n in InState.fields))

    def adjoint(self, y: Vector) -> Vector:
        made = np.zeros(self.of.size)
        parts = self.of.split(made)
        for name, values in zip(InState.fields, self.sea.fields(y)):
            parts[name][...] = values
        return made


class OfParts(LinearMap):
    """The same map of the start and of each error of the model, those times their share."""

    def __init__(self, one: LinearMap, errors: int, share: float) -> None:
        self.one, self.shares = one, [1.0, *[share] * errors]

    def apply(self, x: Vector) -> Vector:
        parts = np.split(x, len(self.shares))
        return np.concatenate([s * self.one.apply(p) for s, p in zip(self.shares, parts)])

    def adjoint(self, y: Vector) -> Vector:
        parts = np.split(y, len(self.shares))
        return np.concatenate([s * self.one.adjoint(p) for s, p in zip(self.shares, parts)])
