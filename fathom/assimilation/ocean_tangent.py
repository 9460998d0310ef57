"""The tangent of an ocean: the evolution of a small change of its state.

    sea = OceanTangent(simulation)           # from the present fields of an Ocean
    M = sea.propagation(8)                   # dx at the start -> dx after eight steps

All processes of columns run on numbers with their tangents (core/base/dual.hpp), those of the whole
sea – the free surface, the balance of fresh water – have it by hand; halos of the change travel as
those of the state do (core/sequence/tangent.cpp). The forcing is that of the start, in all steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.assimilation.maps import Vector
from fathom.assimilation.trajectory import Propagation, Trajectory
from fathom.base import mpi
from fathom.base.failure import InputError


class OceanTangent(Trajectory):
    """Parameters
    ----------
    simulation : of an Ocean; its present fields are the start, of which no step before is known.
        Sea ice and overflows have no tangent.
    """

    def __init__(self, simulation: Any) -> None:
        model = simulation.model
        if model.without_tangent is None:
            raise InputError(f"{type(model).__name__} is no ocean: OceanTangent takes an Ocean")
        for name, given in model.without_tangent.items():
            raise InputError(f"{name} = {given!r} has no tangent")
        self.simulation, self.model = simulation.prepare(), model
        if simulation.forcing is not None:
            simulation.forcing.load(simulation)
        _, self.sequence, self.first = simulation.other(model, simulation.time_step, tangent=True)
        self.first.count = 0
        self.fields = self.first
        self.there = np.ones(np.asarray(model.grid.wet_levels).shape, bool)
        self.levels = {f["name"]: f["levels"] for f in self.first.fields}

    def put(self, vector: Vector, fields: Any) -> None:
        """Puts a vector into the fields of a set; no step before is known."""
        for name, values in self.split(np.asarray(vector, float)).items():
            for field in filter(fields.has, (name, name + "_before")):
                fields.set(field, self.on_grid(values))

    def run(self, vector: Vector, steps: int) -> Vector:
        """Returns the state that a state has become."""
        fields = mpi.core.FieldSet(self.first)
        self.put(vector, fields)
        for _ in range(steps):
            self._weigh(fields)
            self.sequence.advance(fields, 1)
        return self.vector(fields)

    def propagation(self, steps: int | None = None) -> OceanPropagation:
        """Returns M' of so many steps."""
        return OceanPropagation(self, 1 if steps is None else steps)


class OceanPropagation(Propagation):
    """The tangent of an ocean: dx at the start -> dx after some steps. It has no adjoint yet."""

    def apply(self, x: Vector) -> Vector:
        sea = self.trajectory
        state, change = mpi.core.FieldSet(sea.first), mpi.core.FieldSet(sea.sequence)
        sea.put(x, change)
        for _ in range(self.steps):
            sea._weigh(state)
            sea.sequence.advance_with(state, change)
        return np.asarray(sea.vector(change))

    def adjoint(self, y: Vector) -> Vector:
        raise InputError("the ocean has a tangent, but no adjoint yet")
