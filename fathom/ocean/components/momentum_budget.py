"""Budgets of momentum and vorticity: every term of a step of the velocity, in every cell, as fields
`momentum_budget_TERM_x`, `_y` [m s-2] at corners, and `vorticity_budget_TERM` [s-2] at centres
(core/ocean/budget/momentum.hpp). The terms of momentum add up to (u_after - u) / step.
"""

from __future__ import annotations

from typing import Any

from fathom.model.order import Order, in_small_letters
from fathom.ocean.components.component import OceanComponent

MOMENTUM, VORTICITY = "velocity", "vorticity"  # as `budgets` of an ocean names them
of_kind = {
    "MomentumAdvection": "advection",
    "LinearMomentum": "advection",
    "EdgeWithoutAdvection": "advection",
    "NestAdvection": "advection",
    "PressureGradient": "pressure",
    "StretchedPressureGradient": "pressure",
    "TidalForce": "tides",
    "AirPressureForce": "air_pressure",
    "VelocityNudging": "nudging",
    "EdgeWithoutFriction": "lateral_friction",
}


class MomentumBudget(OceanComponent):
    """The terms of momentum, and of vorticity where it is wanted; the last component of an ocean.

    vorticity : whether there are those of vorticity.
    """

    def __init__(self, vorticity: bool) -> None:
        self.vorticity = vorticity

    def complete(self, do: Order) -> None:
        """Takes the share of each term after the last process that adds to it."""
        changed = [n for n in range(len(do.processes)) if _changes(do.processes[n])]
        terms = [_term(do, n) for n in changed]
        last = [
            (n, term)
            for n, term, then in zip(changed, terms, [*terms[1:], ""], strict=True)
            if term != then
        ]
        found = [
            (n, "MomentumShare" if before else "FirstMomentumShare", term)
            for before, (n, term) in enumerate(last)
        ]
        implicit, corrected = (
            do.kinds.index(kind) for kind in ("ImplicitMomentum", "BarotropicCorrection")
        )
        found += [
            (implicit, "CoriolisShare", "coriolis"),
            (implicit, "MomentumRest", "vertical_friction"),
            (corrected, "MomentumRest", "surface_height"),
        ]
        for n, kind, term in reversed(found):
            self._insert(do, n + 1, kind, term)

    def _insert(self, do: Order, n: int, kind: str, term: str) -> None:
        """Inserts what takes the share of a term, and of vorticity."""
        shares = {f"momentum_share_{axis}": f"momentum_budget_{term}_{axis}" for axis in "xy"}
        if self.vorticity:
            on = shares | {"vorticity_share": f"vorticity_budget_{term}"}
            do.insert(n, "VorticityShare", on=on, label=f"budget of vorticity: {term}")
        do.insert(n, kind, on=shares, label=f"budget of momentum: {term}")


def _changes(process: Any) -> bool:
    """Returns whether a process changes the tendency of momentum."""
    return any(
        field["name"] == "velocity_tendency_x" and field["access"] != "reads"
        for field in process.fields
    )


def _term(do: Order, n: int) -> str:
    """Returns the term to which the n-th process adds."""
    kind = do.kinds[n]
    if kind in of_kind:
        return of_kind[kind]
    return "lateral_friction" if "Friction" in kind else in_small_letters(kind)
