"""OceanComponent: a part of an ocean; Tendency: the sum of what parts add to one tracer."""

from __future__ import annotations

from collections.abc import Mapping

from fathom.model.component import Component, Field
from fathom.model.order import Order
from fathom.model.schemes import Scheme, scheme

ADVECTION = "advection"  # the first term of a budget


class Tendency:
    """Adds the processes that change a tracer, one term of its budget after another: a term is
    complete before the next one begins, and its share is taken then.

    Parameters
    ----------
    tracer : the field.
    do : the order of the step.
    has_budget : whether shares are taken.
    """

    def __init__(self, tracer: Field, do: Order, has_budget: bool) -> None:
        self.tracer, self.do, self.has_budget = tracer, do, has_budget
        self.term = ""  # whose share is not taken yet

    def __call__(
        self,
        what: Scheme | str | None,
        *,
        term: str | None,
        when: bool = True,
        at: Mapping[str, tuple[str, str]] | None = None,
        on: Mapping[str, str] | None = None,
    ) -> None:
        """Adds a process for this tracer; None adds nothing.

        Parameters
        ----------
        term : of the budget; None: it prepares others, and changes no tendency.
        when : if False, nothing is added.
        at : fields that are elsewhere, {name: (horizontal, vertical)}.
        on : other names of its fields.
        """
        if what is None or not when:
            return
        what = scheme(what) if isinstance(what, str) else what
        if term is not None and self.has_budget:
            if self.term != term:
                self.finish()
            self.term = term
        label = f"{what.name} of {self.tracer.name}"
        self.do(what, roles={"tracer": self.tracer}, at=at, on=on, label=label)

    def finish(self) -> None:
        """Takes the share of the term that is complete now."""
        if self.term:
            first = self.term == ADVECTION
            add_share(
                "FirstBudgetShare" if first else "BudgetShare", self.tracer, self.term, self.do
            )
            self.term = ""


def share_of(tracer: Field, term: str) -> dict[str, str]:
    """Returns the name of the field with the share of a term."""
    return {"tracer_budget_share": tracer.part(f"budget_{term}")}


def add_share(what: str, tracer: Field, term: str, do: Order) -> None:
    """Adds the process that takes the share of a term."""
    label = f"budget of {tracer.name}: {term}"
    do(what, roles={"tracer": tracer}, on=share_of(tracer, term), label=label)


class OceanComponent(Component):
    """A part of an ocean, which may change tracers."""

    def add_to(self, tracer: Field, add: Tendency) -> None:
        """Adds what it changes of a tracer: add(scheme, term="name in the budget")."""
