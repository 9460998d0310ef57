"""The timetable of several programs: who steps when, and when fields are handed over.

An exchange hands a field of its giver to its taker at the times T_k = k `every`, for the taker's
interval [T_k, T_k+1]:

    lagged       what the giver has at T_k: both then step at the same time
    not lagged   what the giver has at T_k+1: it goes ahead, and the taker follows

All times are whole microseconds. The order of one interval, after which all programs stand at the
same time and every exchange begins anew, is found before anything is computed, and repeats: at each
point what can be handed over is handed over, then the program that is furthest behind goes on to
its next exchange. So the order is the same on any ranks; each rank does its own part of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fathom.base.failure import InputError

second = 1_000_000  # [us]


class Link(NamedTuple):
    """An exchange, as the timetable sees it; every [us]."""

    giver: str
    taker: str
    every: int
    lagged: bool
    text: str  # of it, in messages
    what: str = "every"  # name of the interval, in messages


class Advance(NamedTuple):
    """A program goes on to `until`, counted from the start of the interval [us]."""

    program: str
    until: int


class Hand(NamedTuple):
    """A link is used, at the taker's time `at`, counted from the start of the interval [us]."""

    link: int
    at: int


def microseconds(seconds: float, what: str) -> int:
    """Returns a length of time in microseconds. InputError: it is no whole number of them."""
    found = round(seconds * second)
    if found < 1 or abs(found - seconds * second) > 1e-3:
        raise InputError(f"{what} = {seconds!r} s is no whole number of microseconds")
    return found


def said(length: int) -> str:
    """Returns a length of time [us] in words: "3 h", "90 s"."""
    for name, unit in (("d", 86400), ("h", 3600), ("min", 60)):
        if length % (unit * second) == 0:
            return f"{length // (unit * second)} {name}"
    return f"{length / second:g} s"


@dataclass(frozen=True)
class Timetable:
    """The order of one interval [us]."""

    interval: int
    actions: tuple[Advance | Hand, ...]

    @classmethod
    def of(cls, steps: Mapping[str, int], links: Sequence[Link]) -> Timetable:
        """Returns the timetable of programs with these steps [us]. InputError, with both values:
        an exchange that is no whole number of steps, programs that wait for each other.
        """
        for link in links:
            for program in (link.giver, link.taker):
                if link.every % steps[program]:
                    raise InputError(
                        f"{link.text}: {link.what} = {said(link.every)} is no whole number of steps"
                        f" of {program}, {said(steps[program])}"
                    )
        interval = math.lcm(*steps.values(), *(link.every for link in links))
        return cls(interval, tuple(_Planner(steps, links, interval).plan()))


class _Planner:
    """Finds the order of an interval."""

    def __init__(self, steps: Mapping[str, int], links: Sequence[Link], interval: int) -> None:
        self.links, self.interval = links, interval
        self.times = dict.fromkeys(steps, 0)
        self.handed = [0] * len(links)  # how often each was used
        self.found: list[Advance | Hand] = []

    def plan(self) -> list[Advance | Hand]:
        """Returns the order. InputError: programs wait for each other."""
        while True:
            self._hand_over()
            behind = [name for name, time in self.times.items() if time < self.interval]
            if not behind:
                return self.found
            free = [name for name in behind if not self._waits(name)]
            if not free:
                raise InputError(self._why_stuck(behind))
            name = min(free, key=lambda name: self.times[name])
            self.times[name] = self._next(name)
            self.found.append(Advance(name, self.times[name]))

    def _hand_over(self) -> None:
        """Uses all links whose both ends stand where they must."""
        for n, link in enumerate(self.links):
            at = self.handed[n] * link.every
            given = at if link.lagged else at + link.every
            here = self.times[link.giver], self.times[link.taker]
            if at < self.interval and here == (given, at):
                self.handed[n] += 1
                self.found.append(Hand(n, at))

    def _waits(self, name: str) -> list[int]:
        """Returns the numbers of the links for which a program waits before it goes on."""
        found = []
        for n, link in enumerate(self.links):
            time, used = self.times[name], self.handed[n] * link.every
            takes = name == link.taker and time % link.every == 0 and used <= time
            gives = name == link.giver and time % link.every == 0
            ahead = used <= time if link.lagged else used < time
            if takes or (gives and ahead):
                found.append(n)
        return found

    def _next(self, name: str) -> int:
        """Returns the next time at which it gives or takes, or the end of the interval [us]."""
        time = self.times[name]
        own = [link.every for link in self.links if name in (link.giver, link.taker)]
        return min([self.interval, *((time // every + 1) * every for every in own)])

    def _why_stuck(self, behind: Sequence[str]) -> str:
        """Returns the message about programs that wait for each other."""
        waits = {n for name in behind for n in self._waits(name)}
        texts = "; ".join(self.links[n].text for n in sorted(waits))
        return (
            f"{' and '.join(behind)} wait for each other: {texts}. lagged=True in one of them,"
            " every so many intervals of the other, hands over what the giver has at the begin of"
            " the taker's interval, not at its end"
        )
