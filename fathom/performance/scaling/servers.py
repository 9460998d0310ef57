"""Output servers as queues, with the protocol of the real ones (docs/output.md).

At each output the first computing rank asks for a slot. If one is free the ranks copy their fields
(`stall`) and compute on, and the set with the fewest events under way processes it after those
before, in `service` seconds. If all slots are in use, the ranks write themselves (`synchronous`
seconds), or wait for a slot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Output:
    """of every event, seconds. slots: None: as many as sets (each set has one event at most). pick:
    "fewest" of all sets, or the "next" in turn.
    """

    stall: float
    service: float
    synchronous: float
    sets: int = 1
    slots: int | None = None
    on_busy: str = "synchronous"
    pick: str = "fewest"


class Servers:
    """The sets of servers, and what is under way on them."""

    def __init__(self, output: Output) -> None:
        self.output = output
        self.slots = output.slots or output.sets
        self.under_way: list[tuple[float, int]] = []  # (when written, set)
        self.until = [0.0] * output.sets  # when each set is free
        self.busy = 0.0  # seconds of all sets
        self.posted = 0

    def forget_written(self, now: float) -> None:
        """Frees the slots of events that are written by now."""
        self.under_way = [event for event in self.under_way if event[0] > now]

    def picked(self) -> int:
        """Returns the set that is to take the next event."""
        sets = range(self.output.sets)
        if self.output.pick == "next":
            return self.posted % self.output.sets
        return min(sets, key=lambda s: (sum(e[1] == s for e in self.under_way), self.until[s]))

    def full(self, taken: int, now: float) -> bool:
        """Returns whether no slot is free for an event on a set."""
        own_slot = self.output.slots is None
        return len(self.under_way) >= self.slots or (own_slot and self.until[taken] > now)

    def free_again(self, taken: int) -> tuple[float, int]:
        """Returns the time at which those who wait get a slot, and the set that then takes the
        event.
        """
        own_slot = self.output.slots is None
        when = self.until[taken] if own_slot else min(event[0] for event in self.under_way)
        if self.output.pick != "next":
            taken = min(range(self.output.sets), key=lambda s: self.until[s])
        return when, taken

    def post(self, taken: int, now: float, part: float) -> None:
        """Gives an event to a set, which takes it once it is done with those before."""
        service = part * self.output.service
        self.until[taken] = max(self.until[taken], now) + service
        self.under_way.append((self.until[taken], taken))
        self.busy += service
        self.posted += 1


def play(
    output: Output, intervals: Sequence[float], parts: Sequence[float] | None = None
) -> dict[str, float]:
    """Plays a run; returns seconds by name. elapsed: of computing for `intervals`, each followed by
    an output (or by that part of it), until the computing ranks are through; stalled, fallback
    (events), drained: when the last event is written, busy: part of the time that sets work.
    """
    parts = parts or [1.0] * len(intervals)
    if not output.sets:
        return _without_servers(output, intervals, parts)
    servers = Servers(output)
    now = stalled = 0.0
    fallback = 0
    for interval, part in zip(intervals, parts):
        now += interval
        began = now
        servers.forget_written(now)
        taken = servers.picked()
        full = servers.full(taken, now)
        if full and output.on_busy == "wait":
            now, taken = servers.free_again(taken)
            full = False
        if full:
            now += part * output.synchronous
            fallback += 1
        else:
            now += part * output.stall
            servers.post(taken, now, part)
        stalled += now - began
    drained = max([now, *servers.until])
    return {
        "elapsed": now,
        "stalled": stalled,
        "fallback": fallback,
        "drained": drained,
        "busy": servers.busy / (output.sets * drained) if drained else 0.0,
    }


def _without_servers(
    output: Output, intervals: Sequence[float], parts: Sequence[float]
) -> dict[str, float]:
    """Returns the ranks that compute write everything by themselves."""
    stalled = sum(parts) * output.synchronous
    return {
        "elapsed": sum(intervals) + stalled,
        "stalled": stalled,
        "fallback": len(intervals),
        "drained": sum(intervals) + stalled,
        "busy": 0.0,
    }
