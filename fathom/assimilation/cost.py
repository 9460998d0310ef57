"""The cost function of variational assimilation, in the control vector chi (dx = L chi):

    J    = 1/2 chi.chi + 1/2 sum_s (G_s chi - d_s).R_s^-1 (G_s chi - d_s),   G_s = H_s M_s ... M_1 L
    J'   = chi + sum_s G_s* R_s^-1 (G_s chi - d_s)
    J''  = I + sum_s G_s* R_s^-1 G_s

The increment goes forward through all slots once, and their gradients come back once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from fathom.assimilation.maps import Identity, LinearMap, Vector
from fathom.base.failure import InputError
from fathom.base.regions import region


@dataclass
class Slot:
    """Observations of one time. departures d: observation less background; variances of their
    errors; `observation` H' at this time; `propagation` M' from the slot before (from the start for
    the first one). ValueError: lengths that differ, variances that are not positive."""

    departures: Vector
    variances: Vector
    observation: LinearMap = field(default_factory=Identity)
    propagation: LinearMap = field(default_factory=Identity)

    def __post_init__(self) -> None:
        self.departures = np.asarray(self.departures, float)
        self.variances = np.asarray(self.variances, float)
        if self.departures.shape != self.variances.shape or self.departures.ndim != 1:
            raise InputError(
                f"{self.departures.shape} departures and {self.variances.shape} variances; allowed"
                " are two arrays of one dimension and one length"
            )
        if not (self.variances > 0).all() or not np.isfinite(self.departures).all():
            raise InputError("variances must be positive, and departures finite")

    def weighted(self, values: Vector) -> Vector:
        """Returns R^-1 of values at the observations."""
        result: Vector = values / self.variances
        return result


class Cost:
    """J with its gradient, its second derivative, and both parts of it.

    Parameters
    ----------
    background : L, from the control vector to the increment at the start, B = L L*.
    slots : in the order of time.
    """

    def __init__(self, background: LinearMap, slots: Sequence[Slot]) -> None:
        if not slots:
            raise InputError("a cost function needs one slot of observations or more")
        self.background, self.slots = background, list(slots)

    @property
    def departures(self) -> Vector:
        """Returns the departures of all slots, one after another."""
        return np.concatenate([slot.departures for slot in self.slots])

    @property
    def variances(self) -> Vector:
        """Returns variances of the observation errors of all slots, one after another."""
        return np.concatenate([slot.variances for slot in self.slots])

    def increment(self, control: Vector) -> Vector:
        """Returns dx at the start."""
        with region("background errors", "minimisation"):
            return self.background.apply(control)

    def to_control(self, gradient: Vector) -> Vector:
        """Returns L* of a gradient by dx at the start."""
        with region("background errors", "minimisation"):
            return self.background.adjoint(gradient)

    def observe(self, increment: Vector) -> Vector:
        """Returns H' M' of an increment at the start, at the observations of all slots."""
        seen = []
        for slot in self.slots:
            increment = slot.propagation.apply(increment)
            seen.append(slot.observation.apply(increment))
        return np.concatenate(seen)

    def observe_adjoint(self, values: Vector) -> Vector:
        """Returns M'* H'* of values at the observations: at the start."""
        ends = np.cumsum([len(slot.departures) for slot in self.slots])
        parts = np.split(np.asarray(values, float), ends[:-1])
        back: Vector | None = None
        for slot, part in zip(reversed(self.slots), reversed(parts)):
            here = slot.observation.adjoint(part)
            back = slot.propagation.adjoint(here if back is None else back + here)
        assert back is not None
        return back

    def covariance(self, gradient: Vector) -> Vector:
        """Returns B = L L*."""
        return self.increment(self.to_control(gradient))

    def parts(self, control: Vector) -> tuple[float, float]:
        """Returns J_b and J_o."""
        left = self.observe(self.increment(control)) - self.departures
        return 0.5 * float(control @ control), 0.5 * float(left @ (left / self.variances))

    def value(self, control: Vector) -> float:
        """Returns J of a control vector."""
        return sum(self.parts(control))

    def gradient(self, control: Vector) -> Vector:
        """Returns the gradient of J by the control vector."""
        left = (self.observe(self.increment(control)) - self.departures) / self.variances
        result: Vector = control + self.to_control(self.observe_adjoint(left))
        return result

    def hessian(self, control: Vector) -> Vector:
        """Returns J'' of a control vector."""
        seen = self.observe(self.increment(control)) / self.variances
        result: Vector = control + self.to_control(self.observe_adjoint(seen))
        return result

    @property
    def right_side(self) -> Vector:
        """Returns -J' where chi = 0: L* sum G* R^-1 d."""
        return self.to_control(self.observe_adjoint(self.departures / self.variances))
