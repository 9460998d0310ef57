"""Search for the fastest of many configurations, by measurements that are expensive and noisy.

    for each axis, twice, and until a round changes nothing:
        its values race against the best configuration so far
    a race    all take turns, the best so far among them;
        x = log(seconds / seconds of the best so far next to it)
        a value that cannot win leaves at once: median x - 2 e > -least (of two pairs the lesser
            counts: one may have been disturbed); from three pairs on the slower half leaves after
            each round (successive halving), if it is slower than the fastest by e
        a value left alone after five pairs (of many combinations: nine) wins if
            median x + 2 e < -least,   e = sigma / sqrt(pairs), sigma pooled from all pairs, robust
    then values that lost by little, and combinations of them, race as if they were values of one
        axis: the nearest by the sum of what each lost, until none wins
    at the end the winner meets the first configuration in fresh pairs; if it is not surely faster,
        the first stays

Coordinate descent: settings of a model act on different parts of a step, so that axes hardly
interact; the second round finds those that do, and those hidden by noise; the last race finds
combinations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

Configuration = Mapping[str, Any]
rounds = (2, 1, 2, 4, 8, 15)  # pairs of each candidate that is still there
together = "together"  # the axis of combinations


class RejectedError(Exception):
    """A configuration that is impossible or not allowed; the text has the reason."""


class OutOfTimeError(Exception):
    pass


@dataclass
class Axis:
    """A setting and its allowed values; the first value is that of the configuration from which the
    search starts.
    """

    name: str
    values: Sequence[Any]


@dataclass
class Finding:
    """The measurement of a value. log_ratio: of its seconds to those of the best then, and its
    standard error; None where it could not be measured.
    """

    axis: str
    value: Any
    verdict: str  # won, slower, "not surely faster", "no time", or why it cannot be
    log_ratio: float | None = None
    error: float | None = None
    pairs: int = 0

    @property
    def gain(self) -> float:
        """Returns the part by which it is faster: 0.05 for 5 %."""
        return math.expm1(-(self.log_ratio or 0.0))


@dataclass
class Result:
    start: dict[str, Any]
    best: dict[str, Any]
    gain: float = 0.0
    noise: float = 0.0
    pairs: int = 0  # of the confirmation
    findings: list[Finding] = field(default_factory=list)
    examined: list[str] = field(default_factory=list)  # axes of which every value was seen
    seconds: dict[str, float] = field(
        default_factory=dict
    )  # a step of the first and of the best configuration
    out_of_time: bool = False

    def finding(self, axis: str) -> Finding | None:
        """Returns the comparison that gave an axis its value."""
        mine = ((axis, self.best[axis]), (together, {axis: self.best[axis]}))
        return next(
            (
                f
                for f in reversed(self.findings)
                if f.verdict == "won" and (f.axis, f.value) in mine
            ),
            None,
        )


class Search:
    """measure(configuration) -> seconds of a sample, or RejectedError. clock: seconds; all ends at
    `deadline`. All decisions follow from these alone.

    seen(best, axis, value, estimate) is called for each sample; settled(configurations) with those
    that may be needed again, so that others can be deleted.
    """

    def __init__(
        self,
        measure: Callable[[Configuration], float],
        clock: Callable[[], float],
        deadline: float,
        *,
        least: float = 0.004,
        confirm: float = 0.15,
        seen: Callable[..., None] = lambda *_: None,
        settled: Callable[[list[Configuration]], None] = lambda _: None,
    ) -> None:
        self.measure, self.clock, self.deadline, self.least, self.seen, self.settled = (
            measure,
            clock,
            deadline,
            least,
            seen,
            settled,
        )
        self.until = deadline - confirm * (deadline - clock())  # time for the confirmation stays
        self.deviations: list[float] = []  # of pairs from the median of theirs
        self.findings: list[Finding] = []

    def run(
        self, axes: Sequence[Axis], start: Configuration | None = None, most_rounds: int = 3
    ) -> Result:
        """Returns the best configuration, one axis after another in at most so many rounds."""
        first = dict(start or {}) | {axis.name: axis.values[0] for axis in axes}
        best, examined, late = dict(first), set(), False
        try:
            for number in range(most_rounds):
                before = dict(best)
                for axis in axes:
                    best = self.race(best, axis)
                    examined.add(axis.name)
                if number and best == before:
                    break
            for _ in range(most_rounds):
                before, best = best, self.race(best, Axis(together, self.combinations(best, axes)))
                if best == before:
                    break
        except OutOfTimeError as end:
            best, late = end.args[0] if end.args else best, True
        result = Result(
            first,
            best,
            findings=self.findings,
            examined=[a.name for a in axes if a.name in examined],
            out_of_time=late,
        )
        return self.confirm(result)

    # ---- one axis --------------------------------------------------------------------------------

    def race(self, best: dict[str, Any], axis: Axis) -> dict[str, Any]:
        """Returns the best configuration after the values of an axis have raced against it."""
        of = {
            n: best | (value if axis.name == together else {axis.name: value})
            for n, value in enumerate(axis.values)
        }
        of = {n: configuration for n, configuration in of.items() if configuration != best}
        alive: dict[int, list[float]] = {n: [] for n in of}
        for pairs in rounds:
            self.take_all_turns(pairs, best, axis, alive, of)
            self.reject(axis, alive)
            self.halve(axis, alive)
            if not alive:
                break
            winner = self.winner(axis, alive)
            if winner is not None:
                self.find(axis, winner, alive.pop(winner), "won")
                best = of[winner]
                break
        for n, x in alive.items():
            self.find(axis, n, x, "not surely faster")
        self.settled([best])
        return best

    def winner(self, axis: Axis, alive: Mapping[int, list[float]]) -> int | None:
        """Returns the remaining candidate if significantly faster, else None."""
        if len(alive) != 1:
            return None
        ((n, x),) = alive.items()
        if len(x) <= (8 if axis.name == together else 4):
            return None
        return n if median(x) + 2 * self.error(x) < -self.least else None

    def combinations(
        self, best: Configuration, axes: Sequence[Axis], near: float = 0.06, most: int = 24
    ) -> list[dict[str, Any]]:
        """Changes of one or more settings that lose less than `near`, if the loss is the sum of the
        losses of each alone; the nearest first, without those already tried.
        """
        tried = [f.value for f in self.findings if f.axis == together]
        ways: list[tuple[float, dict[str, Any]]] = [(0.0, {})]
        for axis in axes:
            losses = self.losses(best, axis)
            ways += [
                (total + loss, change | {axis.name: value})
                for total, change in ways
                for loss, value in losses
                if total + loss < near
            ]
        found = sorted(
            (way for way in ways if way[1] and way[1] not in tried), key=lambda way: way[0]
        )
        return [change for _, change in found[:most]]

    def losses(self, best: Configuration, axis: Axis) -> list[tuple[float, Any]]:
        """Returns (loss, value) of each other measured value of an axis."""
        found = []
        for value in axis.values:
            if value == best[axis.name]:
                continue
            loss = self.lost(axis, value)
            if loss is not None:
                found.append((max(loss, 0.0), value))
        return found

    def lost(self, axis: Axis, value: Any) -> float | None:
        """Returns the loss of a value in its last measurement: as a candidate, or as the best that
        another beat; None where it was not or cannot be measured.
        """
        seen = [f for f in self.findings if f.axis == axis.name and f.log_ratio is not None]
        for n, f in reversed(list(enumerate(seen))):
            if f.value == value and f.verdict != "won":
                return f.log_ratio
            if f.verdict == "won" and value == next(
                (g.value for g in reversed(seen[:n]) if g.verdict == "won"), axis.values[0]
            ):
                return -f.log_ratio if f.log_ratio is not None else None
        return None

    def take_all_turns(
        self,
        pairs: int,
        best: Configuration,
        axis: Axis,
        alive: dict[int, list[float]],
        of: Mapping[int, Configuration],
    ) -> None:
        """Takes so many pairs of each. OutOfTimeError has the best so far."""
        try:
            for _ in range(pairs):
                self.take_turns(best, axis, alive, of)
        except OutOfTimeError:
            for n, x in alive.items():
                self.find(axis, n, x, "no time")
            raise OutOfTimeError(best) from None

    def take_turns(
        self,
        best: Configuration,
        axis: Axis,
        alive: dict[int, list[float]],
        of: Mapping[int, Configuration],
    ) -> None:
        """Takes a pair of each: the best so far stands before and after every two."""
        waiting = list(alive)
        before = self.sample(best, best, axis) if waiting else 0.0
        while waiting:
            two, waiting = waiting[:2], waiting[2:]
            times = {}
            for n in two:
                try:
                    times[n] = self.sample(of[n], best, axis)
                except RejectedError as why:
                    self.find(axis, n, alive.pop(n), str(why))
            after = self.sample(best, best, axis)
            for n, seconds in times.items():
                alive[n].append(math.log(seconds / math.sqrt(before * after)))
                self.seen(best, axis.name, axis.values[n], median(alive[n]))
            before = after

    def reject(self, axis: Axis, alive: dict[int, list[float]]) -> None:
        """Removes candidates that cannot win any more."""
        for n, x in list(alive.items()):
            likely = median(x) if len(x) > 2 else min(x)
            if likely - 2 * self.error(x) > -self.least:
                self.find(
                    axis,
                    n,
                    alive.pop(n),
                    "slower" if likely > self.error(x) else "not surely faster",
                )

    def halve(self, axis: Axis, alive: dict[int, list[float]]) -> None:
        """Removes the slower half of those that could win, except candidates near the fastest."""
        order = sorted(alive, key=lambda n: median(alive[n]))
        for n in order[(len(order) + 1) // 2 :]:
            if len(alive[n]) > 2 and median(alive[n]) - median(alive[order[0]]) > self.error(
                alive[n]
            ):
                self.find(axis, n, alive.pop(n), "slower")

    def sample(self, configuration: Configuration, best: Configuration, axis: Axis) -> float:
        """Returns one measurement [s]. OutOfTimeError: no time is left."""
        if self.clock() > self.until:
            raise OutOfTimeError
        return self.measure(configuration)

    def error(self, x: Sequence[float]) -> float:
        """Returns standard error of the median of some pairs."""
        return 1.25 * self.sigma(x) / math.sqrt(len(x))

    def sigma(self, x: Sequence[float] = ()) -> float:
        """Returns the deviation of one pair, from all pairs' deviations from their medians; one
        disturbed sample has little effect.
        """
        middle = median(x) if x else 0.0
        deviations = sorted([*self.deviations, *(abs(value - middle) for value in x if len(x) > 2)])
        if len(deviations) < 6:
            return 0.03
        return max(1.48 * median(deviations), 0.001)

    def find(self, axis: Axis, n: int, x: list[float], verdict: str) -> None:
        """Notes what was found of value `n` of an axis, with its samples x [s]."""
        if len(x) > 2:
            middle = median(x)
            self.deviations += [abs(value - middle) for value in x]
        self.findings.append(
            Finding(
                axis.name,
                axis.values[n],
                verdict,
                median(x) if x else None,
                self.error(x) if x else None,
                len(x),
            )
        )

    # ---- the end ---------------------------------------------------------------------------------

    def confirm(self, result: Result, pairs: int = 32) -> Result:
        """Returns fresh pairs of the first and the best configuration, in the order abba, so that a
        drift of the machine cancels.
        """
        self.until = self.deadline
        x: list[float] = []
        seconds: list[Any] = []
        try:
            while result.best != result.start and len(x) < pairs:
                a, b, c, d = (
                    self.sample(each, result.best, Axis("", ()))
                    for each in (result.start, result.best, result.best, result.start)
                )
                x += [math.log(b / a), math.log(c / d)]
                seconds += [a, d]
                self.seen(result.best, "", None, median(x))
        except OutOfTimeError:
            result.out_of_time = True
        if x:
            result.gain, result.noise, result.pairs = math.expm1(-median(x)), self.error(x), len(x)
            result.seconds = {"first": median(seconds), "best": median(seconds) / (1 + result.gain)}
        if result.best != result.start and not (len(x) > 3 and result.gain > 2 * result.noise):
            result.best, result.gain = dict(result.start), 0.0
        return result
