"""Another model on the ranks of a simulation, and from its state: for filters and trials."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from fathom.base import mpi
from fathom.data.input.values import fill_profiles
from fathom.model.model import Model
from fathom.run import sanity
from fathom.run.events import march

if TYPE_CHECKING:
    from fathom.run.simulation import Simulation


class Other(NamedTuple):
    """A model on the ranks of a simulation, with its own program and fields."""

    model: Model
    sequence: Any  # core.StepProgram
    fields: Any  # core.FieldSet

    @classmethod
    def of(
        cls,
        simulation: Simulation,
        model: Model,
        step: float,
        processes: Sequence[Any] | None = None,
        keep: Iterable[str] = (),
        tangent: bool = False,
    ) -> Other:
        """Returns a model with the state of a simulation, from which its global processes are
        prepared.

        step : [s].
        processes : of a step; None: those of the model.
        keep : fields to be read after steps.
        tangent : whether it takes steps with a change, too.
        """
        sequence = mpi.core.StepProgram(
            simulation.domain,
            model.processes(step, simulation.surface) if processes is None else processes,
            simulation.bytes_of_number,
            list(keep),
            rotate=model.rotations,
            tangent=tangent,
        )

        def fill(fields: Any) -> None:
            fields.copy(simulation.fields)
            fill_profiles(model, fields)

        fields = mpi.core.FieldSet(sequence)
        sequence.prepare(fields, fill)
        fill(fields)  # what is prepared is prepared in these fields already
        return cls(model, sequence, fields)

    def advance(self, steps: int) -> None:
        """Takes so many steps."""
        for _ in range(steps):
            march(self.model, self.sequence, self.fields, 1, self.fields.count == 0)

    @contextmanager
    def going_back(self, simulation: Simulation, span: float) -> Iterator[None]:
        """Surrounds steps backward in time, of a digital filter over `span` [s]. InputError: they
        are unstable.
        """
        reason = ""
        try:
            yield
        except (RuntimeError, ValueError) as error:  # of a solver
            reason = str(error)
        sanity.check_way_back(simulation, self.fields, span, reason)
