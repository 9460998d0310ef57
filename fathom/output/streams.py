"""Streams: the data of a running model, event by event, to I/O servers or to files that the
computing ranks write.

An event sends items – fields, cut into rectangles of the grid – to writers: the servers of a set,
or the computing ranks themselves. Each rectangle has one writer, which makes products of it –
variables, as they are stored – and writes them. Rectangles and products depend on the grid alone,
so the bytes do not depend on ranks or servers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fathom.base import mpi
from fathom.base.regions import region
from fathom.output.gather import Gather
from fathom.output.specification import Region
from fathom.output.staging import Stage

if TYPE_CHECKING:
    from fathom.output.host import Host


class Item(NamedTuple):
    """A field of the sequence, as it travels: its first `levels`, in rectangles (first row, end
    row, first column, end column), of which the first goes to writer `first`, the next to the one
    after, and so on around."""

    field: str
    levels: int
    rectangles: tuple[Region, ...]
    first: int = 0


class Product(NamedTuple):
    """Variables made of items (given by their positions), under these names, and written in
    `regions`, one for each of their rectangles.
    """

    names: tuple[str, ...]
    items: tuple[int, ...]
    regions: tuple[Region, ...]


class Stream(ABC):
    """Events of one kind. A kind has `items` and `products`, writes a region with `write_region`,
    and makes an event visible with `extend`. `shared`: any rank may write any region; else one rank
    writes all and makes the event visible alone. `in_order`: events become visible
    one after another. `takes_turns`: with others that are due with it, it waits for a slot of the
    servers where those alone fill all."""

    shared = in_order = takes_turns = True
    items: list[Item]
    products: list[Product]
    heard: tuple[str, ...] = (
        "number",
        "set",
        "count",
        "items",
        "products",
    )  # information for servers

    def __init__(self, simulation: Host) -> None:
        self.simulation = simulation
        self.number = self.count = 0  # position among the streams of the simulation; events so far
        self.set = -1  # of servers, the only one that may write; -1: any
        self.stalls: list[float] = []  # [s] that each event kept this rank from computing

    @abstractmethod
    def write_region(
        self, event: mpi.core.OutputEvent, product: Product, n: int, arrays: Sequence[np.ndarray]
    ) -> None:
        """Writes the n-th region of a product, made of its items there, (levels, rows, columns)
        each.
        """

    def extend(self, event: mpi.core.OutputEvent) -> None:
        """Makes an event visible, of which all regions are written."""

    def visible_times(self) -> int:
        """Returns the number of visible events of its file; on the rank that makes them visible."""
        return self.count

    @property
    def writes(self) -> Mapping[int, list[int]]:
        """Calls that this rank has made to write, by size (fathom.output.files)."""
        return {}

    def reopen(self) -> None:
        """Opens the file as others have left it."""

    def leave(self) -> None:
        """Closes what is open on this rank."""

    # ---- an event --------------------------------------------------------------------------------

    def send(
        self,
        steps: int = 1,
        seconds: float | None = None,
        bounds: tuple[float, float] = (0.0, 0.0),
        last: bool = False,
    ) -> None:
        """Sends one output time to the I/O servers, or writes it on the computing ranks; last: it
        becomes visible only after all before it.
        """
        s, began = self.simulation, perf_counter()
        event = mpi.core.OutputEvent(
            self.number, self.count, steps, s.seconds if seconds is None else seconds, *bounds, last
        )
        if s.servers is None or not s.servers.take(self, event):
            self.write_here(event, lambda item: s.fields.windows(item.field, item.levels))
            if s.servers is not None:
                s.servers.wrote(event)
            elif self.shared:
                self._show(event)
        self.count += 1
        self.stalls.append(perf_counter() - began)

    def _show(self, event: mpi.core.OutputEvent) -> None:
        """Makes an event visible that all have written, of an ensemble the last member too."""
        self.simulation.delivery.show(self, event)

    def write_here(
        self, event: mpi.core.OutputEvent, blocks: Callable[[Item], Sequence[np.ndarray]]
    ) -> None:
        """Writes an event by the ranks that compute, all together; blocks(item): what this rank has
        of it, (levels, ny, nx) of each of its blocks.
        """
        s = self.simulation
        for items, products in groupby(self.products, key=lambda product: product.items):
            with region("gather", "output", "output"):
                arrays = {
                    item: self._gather(self.items[item])(blocks(self.items[item])) for item in items
                }
            with region("make and write", "output", "output"):
                if s.comm.rank in s.writers:
                    here = s.writers.index(s.comm.rank), len(s.writers)
                    for piece in self._pieces(event, list(products), arrays, *here):
                        piece()
        self.collect(event)
        with region("all have written", "output", "sum", s.comm):
            s.comm.barrier()  # before the time counts as complete
        if not self.shared:
            s.on_root(lambda: self.extend(event))

    def _gather(self, item: Item) -> Gather:
        """Returns rectangles of an item from the blocks of the ranks; those cut in the same way
        share a plan.
        """
        s = self.simulation
        key = item.rectangles, item.first % len(s.writers) if self.dealt else None
        if key not in s.gathers:
            s.gathers[key] = Gather(
                s.comm,
                s.domain,
                item.rectangles,
                [
                    s.writers[self._writer(item.first + n, len(s.writers))]
                    for n in range(len(item.rectangles))
                ],
            )
        return s.gathers[key]

    @property
    def dealt(self) -> bool:
        """Returns whether rectangles are distributed among those that write."""
        return self.shared

    def _writer(self, n: int, writers: int) -> int:
        return n % writers if self.dealt else 0

    def collect(self, event: mpi.core.OutputEvent) -> None:
        """Brings the parts of an event from all ranks to the rank that writes it; all computing
        ranks call it.
        """

    def _pieces(
        self,
        event: mpi.core.OutputEvent,
        products: Iterable[Product],
        arrays: Mapping[int, Mapping[int, np.ndarray]] | Sequence[Mapping[int, np.ndarray]],
        position: int,
        writers: int,
    ) -> Iterator[Callable[[], None]]:
        """Yields the work of the writer at a position among so many, in independent pieces;
        arrays[item][n] are rectangles.
        """
        for product in products:
            first = self.items[product.items[0]].first
            for n in range(len(product.regions)):
                if self._writer(first + n, writers) == position:
                    yield partial(
                        self.write_region,
                        event,
                        product,
                        n,
                        [arrays[item][n] for item in product.items],
                    )

    # ---- with servers ----------------------------------------------------------------------------

    def announcement(self) -> dict[str, Any]:
        """Returns what servers must know of it."""
        return {name: getattr(self, name) for name in self.heard}

    def hear(self, announcement: Mapping[str, Any]) -> None:
        """Receives, on a server, the state of the stream from the computing ranks."""
        self.__dict__.update(announcement)

    def parcel(self, precision: int, per_set: int) -> tuple[int, list[Any], int, int]:
        """Returns the stream as the core describes it."""
        items = [
            (
                item.levels,
                [
                    (i0, j0, i1 - i0, j1 - j0, self._writer(item.first + n, per_set))
                    for n, (j0, j1, i0, i1) in enumerate(item.rectangles)
                ],
            )
            for item in self.items
        ]
        return precision, items, self.set, self.count if self.in_order else -1

    def work(
        self,
        event: mpi.core.OutputEvent,
        arrays: Sequence[Sequence[np.ndarray]],
        position: int,
        per_set: int,
    ) -> Iterator[Callable[[], None]]:
        """Yields, on a server, the pieces of work of an event; arrays: of each item and rectangle
        that is this server's.
        """
        own = [
            dict(
                zip(
                    (
                        n
                        for n in range(len(item.rectangles))
                        if self._writer(item.first + n, per_set) == position
                    ),
                    held,
                )
            )
            for item, held in zip(self.items, arrays)
        ]
        yield from self._pieces(event, self.products, own, position, per_set)
        if not self.shared and position == 0:
            yield partial(self.extend, event)

    def bytes_here(self) -> int:
        """Returns bytes of one event on this rank, for which a slot of servers must have room."""
        points = sum(ny * nx for _, _, ny, nx in self.simulation.domain.blocks)
        result: int = self.simulation.bytes_of_number * points * self.levels_sent()
        return result

    def levels_sent(self) -> int:
        """Returns the levels of all its items."""
        return sum(item.levels for item in self.items)


class Delivery:
    """Makes visible what all ranks have written, in order: at once, or when the data have left the
    staging folders ([parallel] staging, fathom/output/staging.py) for its place. Ranks that have
    servers leave staging to them.
    """

    def __init__(self, simulation: Host) -> None:
        self.simulation = simulation
        self.stage: Stage | None = None
        self.waiting: list[
            tuple[Stream, mpi.core.OutputEvent, int]
        ] = []  # (stream, event, ticket of the stage)

    def open(self) -> None:
        """Opens the stage for copies, where the run has one."""
        s = self.simulation
        if s.parallel["staging"] is not None and (s.serves or not s.roles):
            self.stage = Stage(s.parallel["staging"])

    def show(self, stream: Stream, event: mpi.core.OutputEvent) -> None:
        """Makes an event visible; called by all ranks that compute, once all have written."""
        if self.stage is None:
            self.simulation.on_root(partial(stream.extend, event))
        else:
            self.waiting.append((stream, event, self.stage.put_so_far))

    def settle(self, wait: bool = False) -> None:
        """Makes visible the events that are at their place on all ranks."""
        while self.waiting and self.stage is not None:
            stream, event, ticket = self.waiting[0]
            if wait:
                self.stage.wait(ticket)
            if (
                self.simulation.comm.allreduce(int(self.stage.is_delivered(ticket)))
                < self.simulation.comm.size
            ):
                return
            del self.waiting[0]
            self.simulation.on_root(partial(stream.extend, event))

    def close(self) -> None:
        """Writes what is staged, and closes the stage."""
        if self.stage is not None:
            self.stage.close()
