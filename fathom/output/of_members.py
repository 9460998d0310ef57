"""Stores of an ensemble: a dimension `member`, and mean and spread of the members.

    air_temperature(time, member, ...)      NAME_mean(time, ...), NAME_spread(time, ...)

Each member writes its own chunks. When all have written, the writer of a region reads them again,
in the order of the members, so that mean and spread have the same bits whoever computes what:

    mean = 1/N sum x_n,   spread^2 = 1/(N-1) sum (x_n - mean)^2
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import mpi
from fathom.output.specification import Region, VariableSpec

if TYPE_CHECKING:
    from fathom.output.host import Host
    from fathom.output.streams import Item, Product

kinds = {"mean": "mean", "spread": "standard_deviation"}  # ending of a name -> CF cell method


class OfMembers:
    """The part of a Store that knows the members of an ensemble."""

    simulation: Host
    variables: dict[str, Any]
    products: list[Product]
    items: list[Item]
    file: Any
    _alias: Any
    _writer: Any

    @property
    def summarised(self) -> bool:
        """Returns whether the store has mean and spread of the members."""
        ensemble = self.simulation.members.ensemble
        return ensemble is not None and ensemble.statistics and ensemble.members > 1

    def specifications_of_members(self, specs: Sequence[VariableSpec]) -> list[VariableSpec]:
        """Returns the variables with a value of each member, and those of all members."""
        if not self.simulation.members.several:
            return [*specs]
        found = [replace(one, dims=(one.dims[0], "member", *one.dims[1:])) for one in specs]
        return found + [_of_all(one, how) for one in specs if self.summarised for how in kinds]

    def coordinates_of_members(self) -> dict[str, Any]:
        """Returns the coordinate of the members; {}: there is no ensemble."""
        members = self.simulation.members
        if not members.several:
            return {}
        about = {"standard_name": "realization", "long_name": "member of the ensemble"}
        numbers = np.arange(members.number, dtype="int32")
        return {"member": (("member",), numbers, about | {"units": "1"})}

    def time_of(self, event: mpi.core.OutputEvent) -> Any:
        """Returns where the file has the time of an event, of the member in the fields."""
        member = self.simulation.members.member
        return event.time if member is None else (event.time, member)

    def _show(self, event: mpi.core.OutputEvent) -> None:
        s = self.simulation
        if s.members.is_last:
            if s.members.groups > 1:
                s.everyone.barrier()  # all members are there
            self.summarise(event)
            s.everyone.barrier()  # mean and spread are there
            s.delivery.show(self, event)  # type: ignore[arg-type]  # a store is a stream

    def summarise(self, event: mpi.core.OutputEvent) -> None:
        """Writes mean and spread of an event that all members have written; the ranks that compute
        call it.
        """
        s = self.simulation
        if not self.summarised or s.comm.rank not in s.writers:
            return
        position = s.members.group * len(s.writers) + s.writers.index(s.comm.rank)
        writers = s.members.groups * len(s.writers)
        for product in self.products:
            first = self.items[product.items[0]].first
            for n, region in enumerate(product.regions):
                if self._writer(first + n, writers) == position:
                    for name in product.names:
                        self._summarise(self._alias(name), event.time, region)

    def _summarise(self, name: str, time: int, region: Region) -> None:
        """Writes mean and spread of a variable in a region."""
        mean: Any = 0.0
        squares: Any = 0.0
        number = self.simulation.members.number
        for member in range(number):  # Welford (1962)
            x = self.file.read(name, (time, member), region).astype(float)
            away = x - mean
            mean = mean + away / (member + 1)
            squares = squares + away * (x - mean)
        dtype = x.dtype if self.file.variables[name].dtype == "float64" else "float32"
        spread = np.sqrt(squares / (number - 1))
        for how, values in zip(kinds, (mean, spread)):
            self.file.write(f"{name}_{how}", time, region, values.astype(dtype))


def _of_all(one: VariableSpec, how: str) -> VariableSpec:
    """Returns the variable of a statistic over the members."""
    about: Mapping[str, Any] = one.attributes
    cells = f"{about.get('cell_methods', '')} realization: {kinds[how]}".strip()
    long = f"{about.get('long_name', one.name)}, {how} of the ensemble"
    attributes = {**about, "cell_methods": cells, "long_name": long}
    return replace(one, name=f"{one.name}_{how}", attributes=attributes)
