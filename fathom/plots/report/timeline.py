"""The states of ranks in time, from a trace (fathom.base.regions.traced): states as of the POP
study (Worley et al.: tracer update, baroclinic, its boundary, barotropic, its boundary, solver),
the parts of the solver, when ranks waited, and how many ranks were in each state.

A bar is (begin, end, state, name), in seconds since the trace began, those around before those
within, so that bars painted in this order show the innermost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

ocean = (
    "tracer update",
    "baroclinic",
    "baroclinic boundary",
    "barotropic",
    "barotropic boundary",
    "solver",
)
inside = ("sum", "halo", "other")  # of a solver
use = ("computing", "communication", "waiting")
copies = "copies"  # to a device and from it
rest = "output and the rest"


class Bar(NamedTuple):
    begin: float
    end: float
    state: str
    name: str


class Timeline:
    """Of all ranks: `states` and `solver` are lists of bars by rank, `met` of those in which a rank
    was waiting or in communication.
    """

    def __init__(
        self,
        traces: Sequence[dict[str, Any]],
        first: float | None = None,
        last: float | None = None,
    ) -> None:
        """Takes the bars of traces. first, last: the part that is wanted [s]; all by default."""
        self.start = min((float(t["begin"].min()) for t in traces if len(t["begin"])), default=0.0)
        end = max((float(t["end"].max()) for t in traces if len(t["end"])), default=self.start)
        self.first, self.last = first or 0.0, end - self.start if last is None else last
        pop = any(r["phase"] == "barotropic" for t in traces for r in t["regions"])
        self.states: list[list[Bar]] = []
        self.solver: list[list[Bar]] = []
        self.met: list[list[Bar]] = []
        for trace in traces:
            self._add(trace, pop)

    def _add(self, trace: dict[str, Any], pop: bool) -> None:
        """Adds the bars of a rank."""
        kinds = [_Kind(trace["regions"], n, pop) for n in range(len(trace["regions"]))]
        bars, within = [], []
        for region, begin, end in self._part(trace, "region", "begin", "end"):
            kind = kinds[region]
            if kind.state:
                bars.append(Bar(begin, end, kind.state, kind.name))
            if kind.nested:
                within.append(Bar(begin, end, kind.nested, kind.name))
        self.states.append(bars[::-1])
        self.solver.append(within[::-1])
        self.met.append(list(self._meetings(trace, kinds)))

    def _part(
        self, trace: dict[str, Any], what: str, begin: str, end: str
    ) -> Iterator[tuple[int, float, float]]:
        b, e = trace[begin] - self.start, trace[end] - self.start
        for n in np.flatnonzero((e > self.first) & (b < self.last)):
            yield int(trace[what][n]), max(float(b[n]), self.first), min(float(e[n]), self.last)

    def _meetings(self, trace: dict[str, Any], kinds: list[_Kind]) -> Iterator[Bar]:
        """Yields the bars of meetings: first ranks wait, then messages travel."""
        b, e, w = trace["blocked"] - self.start, trace["free"] - self.start, trace["waiting"]
        for n in np.flatnonzero((e > self.first) & (b < self.last)):
            name = kinds[trace["met"][n]].name
            for begin, end, state in (
                (b[n], b[n] + w[n], "waiting"),
                (b[n] + w[n], e[n], "communication"),
            ):
                begin, end = max(float(begin), self.first), min(float(end), self.last)
                if end > begin:
                    yield Bar(begin, end, state, name)

    def all_states(self) -> list[str]:
        """Returns the states that occur, in the order for a legend."""
        seen = {bar.state for bars in self.states for bar in bars}
        return [
            *(s for s in ocean if s in seen),
            *sorted(seen - {*ocean, rest}),
            *([rest] if rest in seen else []),
        ]

    def counts(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Returns times, and how many ranks are from each to the next computing, in communication,
        waiting: the integral of all three is ranks times seconds.
        """
        changes = [
            (t, state, sign)
            for bars in self.met
            for bar in bars
            for t, state, sign in ((bar.begin, bar.state, 1), (bar.end, bar.state, -1))
        ]
        times = np.unique([self.first, self.last, *(t for t, _, _ in changes)])
        held = {state: np.zeros(len(times)) for state in use}
        for t, state, sign in changes:
            held[state][np.searchsorted(times, t)] += sign
        held["communication"], held["waiting"] = (
            np.cumsum(held["communication"]),
            np.cumsum(held["waiting"]),
        )
        held["computing"] = len(self.met) - held["communication"] - held["waiting"]
        return times, held

    def seconds(self, rank: int = 0) -> dict[str, float]:
        """Returns seconds of a rank in each state: what is seen once all bars are painted."""
        bars = self.states[rank]
        edges = np.unique([self.first, self.last, *(t for bar in bars for t in bar[:2])])
        seen = np.full(len(edges) - 1, -1)
        names = self.all_states()
        for bar in bars:
            seen[np.searchsorted(edges, bar.begin) : np.searchsorted(edges, bar.end)] = names.index(
                bar.state
            )
        lengths = np.diff(edges)
        return {name: float(lengths[seen == n].sum()) for n, name in enumerate(names)} | {
            "": float(lengths[seen < 0].sum())
        }


def kept(traces: Sequence[dict[str, Any]], steps: int = 3) -> dict[str, Any]:
    """Returns some steps of a trace as plain data, for a picture next to another run's
    (`fathom compare --gantt`): bars [begin, end, state] of each rank, its waiting, and how many
    ranks were in each state.
    """
    part = Timeline(traces, *window(traces, steps))
    times, held = part.counts()

    def plain(rows: Any) -> list[list[list[Any]]]:
        return [[[b.begin, b.end, b.state] for b in bars] for bars in rows]

    return {
        "states": plain(part.states),
        "met": plain(part.met),
        "times": times.tolist(),
        "counts": {state: number.tolist() for state, number in held.items()},
    }


class _Kind:
    """The kind of a region: its name, its state, and its state within a solver; None: not
    painted.
    """

    def __init__(self, regions: list[dict[str, Any]], n: int, pop: bool) -> None:
        region = regions[n]
        phase, kind, path = region["phase"], region["kind"], region["path"]

        def solves(r: Mapping[str, Any]) -> bool:
            return r["kind"] == "global" and (r["phase"] == "barotropic" or not pop)

        around = {tuple(r["path"]) for r in regions if solves(r)}
        in_solver = not around.isdisjoint(tuple(path[:length]) for length in range(1, len(path)))
        self.name, self.state, self.nested = path[-1], None, None
        if in_solver:
            self.nested = {"sum": "sum", "exchange": "halo"}.get(kind, "other")
        elif solves(region):
            self.state, self.nested = _solver(self.name, pop), "other"
        elif kind in ("exchange", "process", "global", "copy"):
            self.state = _state(phase, kind, pop)
        elif len(path) == 2 and self.name != "step":
            self.state = rest


def _solver(name: str, pop: bool) -> str:
    return "solver" if pop else name.partition(" of ")[0]


def _state(phase: str, kind: str, pop: bool) -> str:
    if kind == "copy":
        return copies
    return _of_pop(phase, kind) if pop else "boundary" if kind == "exchange" else phase


def _of_pop(phase: str, kind: str) -> str:
    """Returns the name that POP's own charts use."""
    if kind == "exchange":
        return f"{'barotropic' if phase == 'barotropic' else 'baroclinic'} boundary"
    return {"tracer": "tracer update", "barotropic": "barotropic"}.get(phase, "baroclinic")


def window(traces: Sequence[dict[str, Any]], steps: int = 3) -> tuple[float, float]:
    """Begin and end of some steps of the first rank in the middle of a trace [s since it began]."""
    began = traces[0]["steps"]
    start = min(float(t["begin"].min()) for t in traces if len(t["begin"]))
    if len(began) <= steps:
        return 0.0, max(float(t["end"].max()) for t in traces if len(t["end"])) - start
    typical = np.median([began[n + steps] - began[n] for n in range(len(began) - steps)])
    first = min(
        range(len(began) - steps),
        key=lambda n: (abs(began[n + steps] - began[n] - typical), abs(n - len(began) // 2)),
    )
    return float(began[first]) - start, float(began[first + steps]) - start
