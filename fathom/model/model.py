"""Model: what every model has in common. docs/models.md lists what a simulation asks of one."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

from fathom.base import shown
from fathom.base.configurable import Configurable
from fathom.model.order import Placed


class Criterion(NamedTuple):
    """A limit of the time step, and how near to it a step is, at the place where it is nearest.

    unstable: whether a run blows up beyond it; else it is only less exact.
    """

    name: str
    value: float
    limit: float
    place: str
    unstable: bool = True


class Model(Configurable):
    """A model with the processes that its user has put into the order of its step, and the
    arguments of its state.
    """

    placed: list[Placed]
    stores: ClassVar[dict[str, type]] = {}  # further kinds of output, by their keyword
    beside: Any = ()  # what runs at the same time: each has write_restart(path) and restore(path)

    recorded = ("set",)

    def __repr__(self) -> str:
        said = ", ".join(
            value if name == "grid" else f"{name}={value}" for name, value in shown.parts(self)
        )
        return f"{type(self).__name__}({said})"

    def _repr_html_(self) -> str:
        return shown.table(type(self).__name__, shown.parts(self))

    def account(self, simulation: Any) -> dict[str, Any]:
        """Entries in the summary of a run that only this model has; all ranks call it."""
        return {}

    def place(self, process: Any, **where: Any) -> Model:
        """Puts a process of the user's into the order of a step: before, after or instead_of
        another (fathom.model.order.Placed). Returns the model.

        >>> ocean.place("RayleighDrag", after="MomentumAdvection")
        """
        self.placed.append(Placed(process, **where))
        return self
