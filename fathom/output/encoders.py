"""Stores that one rank writes and all writing ranks encode: GRIB2 and FA.

Bands of rows are made where any store's chunks are, by the ranks that write. From there whole
levels go to the ranks that encode, in order, an equal share to each. The encoded levels go to the
first rank, which writes a time in one call. The bytes do not depend on the number of ranks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import mpi
from fathom.base.regions import region
from fathom.output.specification import Region

if TYPE_CHECKING:
    from fathom.base import mpi
    from fathom.output.stores import Store

BANDS = 16  # at most, of a store


class Encoders:
    """The encoding ranks of a Store whose writer `encodes`
    (fathom/output/formats/whole_times.py).
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.kept: dict[str, list[tuple[Region, np.ndarray]]] = {}

    @staticmethod
    def bands(regions: Mapping[str, Sequence[Region]]) -> dict[str, tuple[Region, ...]]:
        """Returns, instead of one region of each variable, bands of whole rows."""
        found = {}
        for name, ((_, ny, _, nx),) in regions.items():
            rows = -(-ny // BANDS)
            found[name] = tuple((j, min(j + rows, ny), 0, nx) for j in range(0, ny, rows))
        return found

    def keep(self, name: str, band: Region, values: np.ndarray) -> None:
        """Keeps a band of a variable, ([levels,] rows, points)."""
        self.kept.setdefault(name, []).append((band, values))

    def collect(self, event: mpi.core.OutputEvent) -> None:
        """Encodes an event and brings it to root; all ranks call it, once each has kept its bands
        of an event.
        """
        store, comm = self.store, self.store.simulation.comm
        with region("encode", "output", "output"):
            levels = self._levels(comm)
            found: dict[str, list[Any]] = {}
            fault = None
            try:
                found = self._encoded(event, levels)
            except ValueError as error:  # a time, or a number, that the format cannot store
                fault = error
            faults = [one for one in comm.allgather(fault) if one is not None]
            if faults:
                raise faults[0]
            parts = comm.gather(found) or []
        if store.simulation.is_root:
            for name in store.variables:
                alias = store._alias(name)
                store.file.accept(alias, (part for held in parts for part in held.get(alias, ())))

    def _shares(self) -> Iterator[tuple[int, str, int, int]]:
        """Yields (rank, variable, its first and end level) of all that is to be encoded."""
        store, writers = self.store, self.store.simulation.writers
        units = [(name, k) for name in store.variables for k in range(store._levels_stored(name))]
        for n, rank in enumerate(writers):
            mine = units[len(units) * n // len(writers) : len(units) * (n + 1) // len(writers)]
            for name in dict.fromkeys(name for name, _ in mine):
                levels = [k for other, k in mine if other == name]
                yield rank, name, levels[0], levels[-1] + 1

    def _levels(self, comm: mpi.MPI.Comm) -> dict[tuple[str, int], list[tuple[Region, np.ndarray]]]:
        """Returns the levels that this rank encodes: {(variable, first level): [(band,
        values)]}."""
        going: list[list[Any]] = [[] for _ in range(comm.size)]
        for rank, name, first, end in self._shares():
            for band, values in self.kept.get(name, ()):
                some = values[first:end] if values.ndim == 3 else values
                going[rank].append((name, first, band, some))
        self.kept = {}
        came: dict[tuple[str, int], list[Any]] = {}
        for name, first, band, values in (one for part in comm.alltoall(going) for one in part):
            came.setdefault((name, first), []).append((band, values))
        return came

    def _encoded(
        self,
        event: mpi.core.OutputEvent,
        levels: Mapping[tuple[str, int], list[tuple[Region, np.ndarray]]],
    ) -> dict[str, list[tuple[int, Any]]]:
        """Returns {alias: [(first level, what is written)]}"""
        store = self.store
        found: dict[str, list[Any]] = {}
        bounds = (event.begin, event.end) if store.statistic else None
        for (name, first), bands in levels.items():
            bands.sort(key=lambda held: held[0])
            whole = np.concatenate([values for _, values in bands], -2)
            made = store.file.encoded(store._alias(name), first, whole, event.seconds, bounds)
            found.setdefault(store._alias(name), []).append((first, made))
        return found
