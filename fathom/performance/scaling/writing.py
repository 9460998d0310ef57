"""Output of a case on virtual ranks: the times of the protocol in two short runs on this machine,
one without servers and one with a server, as input of a queue (servers.py).

    stall          copy x points of the fullest rank + a question to all ranks and its answer + a
        word to each server of the set
    service        from the first word of an event until it is written: of one server with its
        own core; the n servers of a set share the chunks, 1 / n each
    synchronous
        as measured on the ranks here, divided by the number W of those that write, but not less
        than the time of the disk: max(s r / W, bytes / files.write); where not all write, after the
        bytes have come to the nodes of those that do, each at the bandwidth of the network into it

These are divided among stores in proportion to their stalls without servers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fathom.base.clock import Period
from fathom.performance.scaling import sums
from fathom.performance.scaling.machine import Machine
from fathom.performance.scaling.network import overhead
from fathom.performance.scaling.servers import Output, play
from fathom.performance.tune.serving import short_run

horizon = 400  # events that are played


@dataclass
class Writing:
    """The writing of the mean event, in seconds, on `ranks`; bytes: sent by ranks. stores:
    name -> (seconds between two, part of the mean event).
    """

    ranks: int
    copy: float
    service: float
    synchronous: float
    bytes: float
    stores: dict[str, tuple[float, float]]

    def write(self, path: Path) -> None:
        """Writes it as JSON."""
        path.write_text(json.dumps(asdict(self)))

    @classmethod
    def joined(cls, without: Path, served: Path) -> Writing:
        """Returns what two measurements tell: without servers and with them."""
        a, b = (json.loads(file.read_text()) for file in (without, served))
        return cls(**{**b, "synchronous": a["synchronous"], "stores": a["stores"]})


def measure(document: Any) -> Writing | None:
    """Measures the ranks and servers of a document; the result is on the first rank that computes.
    Quantities of the other kind of run are 0.
    """
    ran = short_run(document)
    if ran is None:
        return None
    stores, served = ran.summary["output"]["stores"], ran.summary["output"].get("servers")
    events = sum(s["times"] for s in stores.values())
    stall = {name: s["stall_seconds"] / max(s["times"], 1) for name, s in stores.items()}
    mean = sum(s["stall_seconds"] for s in stores.values()) / max(events, 1)
    every = {name: Period(table.get("every", "1d")) for name, table in ran.stores.items()}
    rhythm = {name: p.seconds or 30 * 86400.0 * p.months for name, p in every.items()}
    known = served["protocol"] if served else {}
    service = [s["protocol"]["service"]["mean"] for s in served["serving"]] if served else [0.0]

    def of(name: Any) -> Any:
        return known[name]["mean"] if known else 0.0

    return Writing(
        ran.ranks,
        of("copy"),
        float(np.mean(service)),
        mean,
        of("copied_bytes") * ran.ranks,
        {name: (rhythm[name], stall[name] / max(mean, 1e-12)) for name in stall},
    )


def priced(
    w: Writing,
    points: np.ndarray,
    step: float,
    seconds: float,
    servers: int,
    machine: Machine,
    slower: float,
    total: str = "allreduce",
    sets: int | None = None,
    writers: int | None = None,
) -> dict[str, Any]:
    """Returns a step of `step` that takes `seconds`, with its output, on the ranks whose points are
    given: by the ranks themselves, and by servers. slower: than where it was measured. sets: of
    servers; None: each is one. writers: ranks that write where no server does; None: all.
    """
    ranks = len(points)
    writers = writers or ranks
    asking = sums.seconds(machine, ranks, 1, total) if ranks > 1 else 0.0
    sets = servers if sets is None else sets
    each = servers // max(sets, 1) or 1
    stall = (
        w.copy * w.ranks * float(points.max() / points.sum()) * slower
        + asking
        + each * overhead(machine)
    )
    disk = machine.get("files.write", 0.0)
    service, synchronous = (
        max(of * slower, w.bytes / disk if disk else 0.0)
        for of in (w.service / each, w.synchronous * w.ranks / writers)
    )
    if writers < ranks:
        synchronous += w.bytes / (min(writers, machine.nodes(ranks)) * machine["network.bandwidth"])
    times, parts = _events(w.stores, step, seconds)
    intervals = np.diff(times, prepend=0.0).tolist()
    found = {
        "step": seconds,
        "stall": stall,
        "service": service,
        "synchronous": synchronous,
        "events": len(times),
    }
    for name, of in (("without_servers", 0), ("with_servers", sets)):
        played = play(
            Output(stall, service, synchronous, of, slots=max(of + 1, 2) if of else None),
            intervals,
            parts,
        )
        found[name] = {
            "seconds": seconds * played["elapsed"] / times[-1],
            "fallback": played["fallback"] / len(times),
            "busy": played["busy"],
        }
    return found


def _events(
    stores: Mapping[str, tuple[float, float]], step: float, seconds: float
) -> tuple[list[float], Sequence[float]]:
    """Returns the times in computing at which events come, and the part of the mean event of
    each."""
    rhythm = {name: max(1, round(every / step)) for name, (every, _) in stores.items()}
    length = min(horizon * min(rhythm.values()), 20 * max(rhythm.values()))
    found = sorted(
        (n, stores[name][1])
        for name, every in rhythm.items()
        for n in range(every, max(length, every) + 1, every)
    )
    return [n * seconds for n, _ in found], [part for _, part in found]
