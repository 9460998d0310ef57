"""Input of a case on virtual ranks, until its first step: as one reader here has read it, priced
for so many readers (fathom/base/reading.py) of a machine.

    readers   whole + lists / n + 2 bytes / B        2 bytes: a large message to all ranks is cut
        into pieces for all, which they then collect
    all       whole + lists
    and no sooner than the files come from the disk, where the machine says how fast:
        max(bytes of one / read, bytes of a node / client, bytes of all / server)

whole: the time of the first reader for reading and decoding; lists: records that readers share. The
bytes of files are assumed equal to those that a rank receives. Reading ahead while the model runs
is hidden, and not priced.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from fathom.base.reading import every_rank
from fathom.performance.scaling.machine import Machine
from fathom.plots.report import summary


@dataclass
class Reading:
    """Seconds of one reader, and the bytes that each other rank receives."""

    whole: float
    lists: float
    bytes: float

    @classmethod
    def of(cls, simulation: Any) -> Self:
        """Returns the start of a simulation that is prepared; all its ranks call it."""
        found = summary.read(simulation)
        seconds, readers = found["seconds"], len(found["readers"])
        others = max(simulation.comm.size - 1, 1)
        return cls(
            seconds["reading"], seconds["reading ahead"] * readers, found["bytes_received"] / others
        )

    def write(self, path: Path) -> None:
        """Writes it as JSON."""
        path.write_text(json.dumps(asdict(self)))

    @classmethod
    def read(cls, path: Path) -> Self:
        """Returns what `write` wrote."""
        return cls(**json.loads(path.read_text()))


def seconds(
    read: Reading, readers: int | str, ranks: int, machine: Machine, slower: float
) -> float:
    """Returns the seconds until all ranks have their input. readers: 0: one a node. slower: a core
    than here.
    """
    nodes = machine.nodes(ranks)
    alone = readers == every_rank or ranks == 1
    number = ranks if alone else min(int(readers) or nodes, ranks)
    lists = read.lists if alone else read.lists / number
    there = 2 * read.bytes / machine["network.bandwidth"] if nodes > 1 and not alone else 0.0
    from_disk = read.bytes if alone else read.bytes / number
    on_node = from_disk * -(-number // nodes)
    disk = max(
        size / machine[f"files.{rate}"] if f"files.{rate}" in machine.values else 0.0
        for rate, size in (("read", from_disk), ("client", on_node), ("server", from_disk * number))
    )
    return max(slower * (read.whole + lists), disk) + there


def priced(
    read: Reading, readers: int | str, ranks: int, machine: Machine, slower: float
) -> dict[str, float]:
    """Returns seconds by readers: as asked, one, one a node, each rank for itself."""
    asked: dict[str, int | str] = {
        "one": 1,
        "one a node": 0,
        every_rank: every_rank,
        str(readers): readers,
    }
    return {
        name: seconds(read, number, ranks, machine, slower)
        for name, number in asked.items()
        if name != "0"
    }
