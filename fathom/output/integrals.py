"""Stores of integrals: numbers without a place on the grid (transports, overturning), by name and
at any interval like fields.

Each rank adds up the contributions of its cells, rounded to a multiple of a power of two: such sums
are exact, so they do not depend on ranks or blocks. Root alone writes; a run with I/O servers does
the same, since the data are small.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom import output
from fathom.base import mpi
from fathom.base.clock import Duration
from fathom.base.failure import InputError
from fathom.model.schemes import scheme
from fathom.output.small_stores import SmallStore

if TYPE_CHECKING:
    from fathom.model.model import Model
    from fathom.output.diagnostics import Integral
    from fathom.output.host import Host


class Integrals(SmallStore):
    """A store of integrals, all of one output."""

    def __init__(
        self,
        simulation: Host,
        path: str | Path,
        variables: str | Sequence[str],
        every: Duration,
        statistic: str | None = None,
        dtype: str = "float64",
        **chosen: Any,
    ) -> None:
        if chosen:
            raise InputError(
                f"output {path}:"
                f" {variables if isinstance(variables, str) else ', '.join(variables)} lie on no"
                f" grid; {', '.join(chosen)} is for fields"
            )
        super().__init__(simulation, path, variables, every, statistic, "float64")

    def processes(self, known: dict[str, Any], precision: int) -> list[Any]:
        """Returns the processes that make the fields of integrals, and their running sums."""
        found = self.simulation.model.integrals
        strange = [name for name in self.requested if name not in found]
        if strange:
            raise InputError(
                f"output {self.path}: '{strange[0]}' is a field,"
                f" {', '.join(n for n in self.requested if n in found)} is not: give fields a"
                " separate output"
            )
        if self.statistic not in (None, "mean"):
            raise InputError(
                f"output {self.path}: the {self.statistic} of {', '.join(self.requested)} does not"
                " follow from that of the flow; request the mean, or no statistic"
            )
        self.variables = {name: found[name] for name in self.requested}
        made = self._makers(known, precision)
        missing = {
            need
            for integral in self.variables.values()
            for need in integral.needs
            if need not in known
        }
        if missing:
            raise InputError(
                f"output {self.path}: this model does not compute {', '.join(sorted(missing))}"
            )
        return made + self._kept(known, precision)

    def _makers(self, known: dict[str, Any], precision: int) -> list[Any]:
        """Returns schemes that make fields of integrals which no other makes; `known` gets the
        fields.
        """
        made = []
        for what, on in dict.fromkeys(
            one for integral in self.variables.values() for one in integral.made
        ):
            process = scheme(what).process(
                precision, phase="output", on=dict(on), label=f"{what} of {dict(on)['tracer']}"
            )
            if not any(f["name"] in known for f in process.fields if f["access"] == "writes"):
                known |= {f["name"]: f for f in process.fields}
                made.append(process)
        return made

    def _contents(
        self,
    ) -> tuple[dict[str, Any], list[output.VariableSpec], Mapping[str, int] | None]:
        used = {dim for integral in self.variables.values() for dim in integral.dims}
        coordinates = {
            name: held
            for name, held in self.simulation.model.integral_coordinates().items()
            if set(held[0]) <= used
        }
        return (
            coordinates,
            [
                self._of_integral(name, integral, coordinates)
                for name, integral in self.variables.items()
            ],
            None,
        )

    def _of_integral(
        self, name: str, integral: Integral, coordinates: Mapping[str, Any]
    ) -> output.VariableSpec:
        places = " ".join(
            key
            for key, (dims, *_) in coordinates.items()
            if len(dims) > 1 and set(dims) <= set(integral.dims)
        )
        given = {
            "standard_name": integral.standard_name,
            "long_name": integral.long_name,
            "units": integral.units,
            "coordinates": places,
            "cell_methods": f"time: {self.statistic}" if self.statistic else "",
        }
        return output.VariableSpec(
            name,
            ("time", *integral.dims),
            self.dtype,
            {key: value for key, value in given.items() if value},
        )

    def send(
        self,
        steps: int = 1,
        seconds: float | None = None,
        bounds: tuple[float, float] = (0.0, 0.0),
        last: bool = False,
    ) -> None:
        """Writes one event; unknown before the first step, where flows have not been computed."""
        s, began, totals, fields = (
            self.simulation,
            perf_counter(),
            {},
            {f["name"]: f for f in self.simulation.fields.fields},
        )
        for name, integral in self.variables.items():
            sources = [
                self._running_name(need, False) if self.statistic else need
                for need in integral.needs
            ]
            parts = [
                integral.part(s.model, window, *(np.asarray(a, float) / steps for a in arrays))
                for window, *arrays in zip(
                    s.domain.blocks, *(s.fields.windows(source) for source in sources)
                )
            ]
            total = sum(
                parts, np.zeros(s.comm.allreduce(parts[0].shape if parts else (), op=mpi.MPI.MAX))
            )  # a rank may have no block
            s.comm.Allreduce(mpi.MPI.IN_PLACE, total, mpi.MPI.SUM)
            totals[name] = (
                total,
                s.count > 0
                or all(
                    fields[source]["state"] or not fields[source]["written"] for source in sources
                ),
            )

        def write() -> None:
            for name, (total, known) in totals.items():
                value = self.variables[name].of(s.model, total)
                self._write(name, value if known else np.full_like(value, np.nan))
            self.file.extend(
                self.count,
                s.seconds if seconds is None else seconds,
                bounds if self.statistic else None,
            )

        s.on_root(write)
        s.tidy()
        self.count += 1
        self.stalls.append(perf_counter() - began)


def is_of(model: Model, variables: str | Sequence[str]) -> bool:
    """Returns whether an output of these variables is one of integrals."""
    wanted = [variables] if isinstance(variables, str) else list(variables)
    return any(name in model.integrals for name in wanted)
