"""The regions of a run over all ranks: the time of each rank in each region, its waiting,
and how well ranks worked together.

Each process, exchange, sum, output and phase of a solver is a region (core/machine/region.hpp).
Exclusive seconds of a rank's regions add up to its wall time. Efficiencies as of the POP Centre of
Excellence, with C the seconds of a rank that are not communication and T the wall time:

    parallel = load balance x serialisation x transfer
    load balance  = mean C / max C
    serialisation = max C / T',   transfer = T' / T,
        T' = T - least seconds of message transfer: the wall time if messages took no time
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fathom.base import mpi

_sums = (
    "calls",
    "seconds",
    "elapsed",
    "communication",
    "waiting",
    "messages",
    "bytes",
)  # of a record


def region(name: str, phase: str = "", kind: str = "", comm: Any = None) -> Any:
    """Returns a context manager: its body is a region of the profile. comm: all its ranks meet in
    it, so that waiting can be measured.
    """
    return mpi.core.Within(
        name, phase, kind, comm.py2f() if comm is not None and comm.size > 1 else 0
    )


def begin(comm: Any, events: int = 0) -> None:
    """Begins a new profile; all ranks together. events: room for a trace."""
    for account in _accounts:
        account.keep()
    mpi.core.reset_regions(comm.py2f(), events)


def steps_kept() -> int:
    """Returns the number of first steps for which a profile says when they began."""
    result: int = mpi.core.steps_kept
    return result


def mine() -> list[dict[str, Any]]:
    """Returns the regions of this rank: exclusive `seconds`, and elapsed, communication, waiting,
    messages and bytes including inner regions; parents first.
    """
    nodes: list[dict[str, Any]] = mpi.core.regions()
    for node in nodes:
        node["region"] = node.pop("name")
        node["path"] = (
            (*nodes[node["parent"]]["path"], node["region"])
            if node["parent"] >= 0
            else (node["region"],)
        )
        node["seconds"], node["communication"] = node["elapsed"], node.pop("blocked")
    for node in reversed(nodes):
        if node["parent"] >= 0:
            around = nodes[node["parent"]]
            around["seconds"] -= node["elapsed"]
            for what in ("communication", "waiting", "messages", "bytes"):
                around[what] += node[what]
    return nodes


def gathered(comm: Any) -> dict[str, Any]:
    """Returns the profile so far, on every rank; all ranks together: `regions`, records of all of
    them; `ranks`, seconds of each; `efficiency`; `step_seconds`, from the beginning of each step to
    that of the next, on this rank.

    A record: region, path, phase, kind; means over ranks of calls, seconds (exclusive), elapsed,
    communication, waiting, messages, bytes; minimum and maximum by rank of exclusive seconds.
    """
    with region("profile", "run"):
        mpi.core.settle_meetings()
    began = mpi.core.step_times().tolist()
    steps = [round(b - a, 7) for a, b in itertools.pairwise(began)]
    return _together(comm, [mine()]) | {"step_seconds": steps}


class Account:
    """All regions while it is open, also of the profiles that begin within it, as each run begins
    its own. All ranks of comm open and close it together:

        with Account(comm) as account: ...
        account.gathered()["regions"]
    """

    def __init__(self, comm: Any) -> None:
        self.comm = comm
        self.profiles: list[list[dict[str, Any]]] = []  # of this rank, one after another

    def __enter__(self) -> Account:
        begin(self.comm)
        _accounts.append(self)
        return self

    def keep(self) -> None:
        """Keeps the present profile; all ranks together."""
        mpi.core.settle_meetings()
        self.profiles.append(mine())

    def __exit__(self, failed: object, *_: object) -> None:
        _accounts.remove(self)
        if failed is None:
            self.keep()

    def gathered(self) -> dict[str, Any]:
        """Returns what `gathered` gives, of the sum of all these profiles, without steps."""
        return _together(self.comm, self.profiles)


_accounts: list[Account] = []  # that are open


def _together(comm: Any, profiles: list[list[dict[str, Any]]]) -> dict[str, Any]:
    """Returns the sum of profiles of this rank over all ranks, on every rank."""
    summed: dict[tuple[str, ...], dict[str, Any]] = {}
    for node in itertools.chain(*profiles):
        held = summed.setdefault(node["path"], dict.fromkeys(_sums, 0.0) | {"of": node})
        for what in _sums:
            held[what] += node[what]
    own = {
        path: [
            held["of"]["phase"],
            held["of"]["kind"],
            1,
            held["seconds"],
            held["seconds"],
            *(held[what] for what in _sums),
        ]
        for path, held in summed.items()
    }
    merged = comm.bcast(comm.reduce(own, op=_merge))
    whole = next(iter(summed.values()))
    times = comm.allgather(
        (
            whole["elapsed"] - whole["communication"],
            whole["communication"] - whole["waiting"],
            whole["waiting"],
            whole["elapsed"],
        )
    )
    computing, travelling, waiting, wall = zip(*times)
    return {
        "regions": [_record(path, held, comm.size) for path, held in merged.items()],
        "efficiency": efficiency(computing, travelling, max(wall)),
        "ranks": {"computing": computing, "travelling": travelling, "waiting": waiting},
    }


def _merge(a: dict[str, Any], b: dict[str, Any], *_: Any) -> dict[str, Any]:
    merged = dict(a)
    for path, (phase, kind, ranks, least, most, *sums) in b.items():
        held = merged.get(path)
        merged[path] = (
            b[path]
            if held is None
            else [
                phase,
                kind,
                held[2] + ranks,
                min(held[3], least),
                max(held[4], most),
                *(x + y for x, y in zip(held[5:], sums)),
            ]
        )
    return merged


def _record(path: tuple[str, ...], held: list[Any], ranks: int) -> dict[str, Any]:
    phase, kind, there, least, most, *sums = held
    mean = dict(zip(_sums, (value / ranks for value in sums)))
    return {
        "region": path[-1],
        "path": list(path),
        "phase": phase or "run",
        "kind": kind,
        **mean,
        "minimum": least if there == ranks else 0.0,
        "maximum": most,
    }


def traced(comm: Any) -> list[dict[str, Any]] | None:
    """Returns the events of all ranks, on rank 0, None elsewhere: `regions` (path, phase, kind) of
    a rank, arrays as of core.trace, and when its `steps` began.
    """
    names = [{key: node[key] for key in ("path", "phase", "kind")} for node in mine()]
    result: list[dict[str, Any]] | None = comm.gather(
        {"regions": names, "steps": mpi.core.step_times(), **mpi.core.trace()}
    )
    return result


def efficiency(
    computing: Sequence[float], travelling: Sequence[float], wall: float
) -> dict[str, float]:
    """Returns efficiencies of ranks that computed, and whose messages travelled, so many seconds
    each.
    """
    mean, most, ideal = sum(computing) / len(computing), max(computing), wall - min(travelling)
    return {
        "parallel_efficiency": mean / wall,
        "load_balance": mean / most,
        "communication_efficiency": most / wall,
        "serialisation": most / ideal,
        "transfer": ideal / wall,
    }


def exclusive(records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Returns one record for all regions of one name, phase and kind, wherever they were: the
    longest exclusive times first.
    """
    merged: dict[tuple[Any, ...], dict[str, Any]] = {}
    for record in records:
        held = merged.setdefault(
            (record["region"], record["phase"], record["kind"]),
            {key: record[key] for key in ("region", "phase", "kind")},
        )
        for what in ("calls", "seconds", "minimum", "maximum"):
            held[what] = held.get(what, 0) + record.get(what, 0)
    return sorted(merged.values(), key=lambda record: -record["seconds"])


def tree(records: Sequence[Mapping[str, Any]]) -> list[tuple[Mapping[str, Any], int]]:
    """Returns (record, depth), each followed by what is within it, the longest first."""
    within: dict[tuple[Any, ...], list[Any]] = {}
    for record in records:
        within.setdefault(tuple(record["path"][:-1]), []).append(record)

    def below(path: tuple[Any, ...], depth: int) -> list[Any]:
        return [
            line
            for r in sorted(within.get(path, ()), key=lambda r: -r["elapsed"])
            for line in [(r, depth), *below(tuple(r["path"]), depth + 1)]
        ]

    return below((), 0)
