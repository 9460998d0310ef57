"""Output servers as queues, with the protocol of the real ones (docs/output.md).

At each output the first computing rank asks for a slot. If one is free the ranks copy their fields
(`stall`) and compute on, and the set with the fewest events under way takes it up once it is done
with those before, for `service` seconds. If all slots are in use the ranks write by themselves
(`synchronous` seconds), or wait for a slot.
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


def play(
    output: Output, intervals: Sequence[float], parts: Sequence[float] | None = None
) -> dict[str, float]:
    """elapsed: of computing for `intervals`, each followed by an output (or by that part of it),
    until the computing ranks are through; stalled, fallback (events), drained: when the last event
    is written, busy: part of the time that sets work."""
    slots, sets = output.slots or output.sets, output.sets
    if not sets:
        stalled = sum(parts or [1.0] * len(intervals)) * output.synchronous
        return {
            "elapsed": sum(intervals) + stalled,
            "stalled": stalled,
            "fallback": len(intervals),
            "drained": sum(intervals) + stalled,
            "busy": 0.0,
        }
    under_way: list[tuple[float, int]] = []  # (when written, set)
    until = [0.0] * sets  # each has done what it has
    now = stalled = busy = 0.0
    fallback = posted = 0
    for interval, part in zip(intervals, parts or [1.0] * len(intervals)):
        now += interval
        began = now
        under_way = [event for event in under_way if event[0] > now]
        taken = (
            posted % sets
            if output.pick == "next"
            else min(range(sets), key=lambda s: (sum(e[1] == s for e in under_way), until[s]))
        )
        full = len(under_way) >= slots or (output.slots is None and until[taken] > now)
        if full and output.on_busy == "wait":
            now = min(event[0] for event in under_way) if output.slots is not None else until[taken]
            full = False
            taken = min(range(sets), key=lambda s: until[s]) if output.pick != "next" else taken
        if full:
            now += part * output.synchronous
            fallback += 1
        else:
            now += part * output.stall
            until[taken] = max(until[taken], now) + part * output.service
            under_way.append((until[taken], taken))
            busy += part * output.service
            posted += 1
        stalled += now - began
    drained = max([now, *until])
    return {
        "elapsed": now,
        "stalled": stalled,
        "fallback": fallback,
        "drained": drained,
        "busy": busy / (sets * drained) if drained else 0.0,
    }
