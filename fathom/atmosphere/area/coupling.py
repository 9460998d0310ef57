"""The coupling of a limited area to its outer model, as a component of its step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from fathom.model.component import Component
from fathom.model.order import Order


class Coupling(Component):
    """Relaxation to an outer model in the coupling zone, after each solution of a step, and the
    mass that passes the edges.

    Parameters
    ----------
    source : makes the source of the outer model's fields in time; None: there is no outer model.
    follows_mass : whether the mass that passes the edges is summed
        (fathom/atmosphere/area/mass.py).
    """

    def __init__(self, source: Callable[[], Any] | None, follows_mass: bool) -> None:
        self.source, self.follows_mass = source, follows_mass

    def processes(self, phase: str, do: Order) -> None:
        """Adds those of a phase: "pressure" or "coupling"."""
        if phase == "pressure":
            do("MassFlow", when=self.follows_mass)
        elif phase == "coupling" and do.repeat:
            again = f"Coupling of correction {do.repeat}"
            do(do.shared.coupling_again, label=again)
        elif phase == "coupling":
            do(do.shared.coupling)

    def records(self) -> Iterable[Any]:
        """Returns the outer model as a source of fields in time."""
        return [] if self.source is None else [self.source()]
