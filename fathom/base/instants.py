"""Times of records: instants, or intervals of which a record is the mean and stands at the middle;
of calendar years, or of one year that is repeated.

    months.bracket(clock, seconds)      # the records before and after a time, and when they hold

Dates are those of the clock's calendar: a month has the length of that calendar, also for files of
another one. A day that the calendar lacks is the first of the next month; of several records on
this day the last is used, which belongs there.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base.failure import InputError

if TYPE_CHECKING:
    from fathom.base.clock import Clock

Moment = tuple[int, int, int, float]  # year, month, day, second of the day
days_of_months = 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31  # of a year of 365 days


class TimeAxis:
    """Times of records number 0, 1, ... which increase.

    begin, end  moments (year, month, day, second of the day); without `end` instants
    repeated    whether the year of the first one is that of any year; all lie within a year then
    calendar    of the records, which may lack days that the clock's has
    ValueError: times that do not increase, more than one year with `repeated`.
    """

    def __init__(
        self,
        begin: list[Moment],
        end: list[Moment] | None = None,
        repeated: bool = False,
        calendar: str = "standard",
    ) -> None:
        self.begin, self.end, self.repeated = list(begin), list(end or begin), bool(repeated)
        self.calendar = calendar
        for first, second in zip(self.begin, self.begin[1:]):
            if first >= second:
                raise InputError(
                    f"its times do not increase: {text(second)} comes after {text(first)}"
                )
        year, *rest = self.begin[0]
        if self.repeated and len(self.begin) > 1 and self.begin[-1] >= (year + 1, *rest):
            raise InputError(
                f"it reaches from {text(self.begin[0])} to {text(self.begin[-1])}, more than a"
                f" year: which year is repeated? Give repeated_year = {year}, for example"
            )
        self._placed: tuple[Any, Any] = None, None

    def __len__(self) -> int:
        return len(self.begin)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TimeAxis) and (self.begin, self.end, self.repeated) == (
            other.begin,
            other.end,
            other.repeated,
        )

    __hash__ = None  # type: ignore[assignment]  # its moments are lists

    @property
    def intervals(self) -> bool:
        """Returns whether records are of intervals."""
        return self.begin != self.end

    @property
    def constant(self) -> bool:
        """Returns whether there is one record, for ever."""
        return len(self) == 1 and (self.repeated or not self.intervals)

    def year(self, number: int) -> tuple[TimeAxis, int]:
        """Returns the records that begin in a year, to be repeated, and the number of the first.
        ValueError where there are none.
        """
        chosen = [n for n, moment in enumerate(self.begin) if moment[0] == number]
        if not chosen:
            raise InputError(
                f"repeated_year = {number}: the records are of {self.begin[0][0]} to"
                f" {self.begin[-1][0]}"
            )
        part = slice(chosen[0], chosen[-1] + 1)
        return TimeAxis(self.begin[part], self.end[part], True, self.calendar), chosen[0]

    def ended_by(self, length: float) -> TimeAxis:
        """Returns intervals of that length [s] that end at these instants; intervals stay, and
        instants between which time would be left.
        """
        begin = [_earlier(moment, length) for moment in self.begin]
        if self.intervals or any(a < b for a, b in zip(self.end, begin[1:])):
            return self
        return TimeAxis(begin, self.end, self.repeated, self.calendar)

    def bracket(self, clock: Clock, seconds: float) -> tuple[int, int, float, float]:
        """Returns (record before, record after, when they hold [s after the clock's start]) around
        a time; one record, for ever: (0, 0, 0, inf).

        ValueError where no record is: before the first interval or after the last, further than one
        interval from the first or last instant.
        """
        if self.constant:
            return 0, 0, 0.0, math.inf
        numbers, middles, first, last = self._around(
            clock, clock.date(seconds).year if self.repeated else None
        )
        if not first <= seconds <= last:
            raise InputError(
                f"the records are of {clock.date(first)} to {clock.date(last)}, not of"
                f" {clock.date(seconds)}; repeated_year = true uses them for every year"
            )
        after = int(np.searchsorted(middles, seconds, side="right"))
        if after == 0:
            return int(numbers[0]), int(numbers[0]), first, float(middles[0])
        if after == len(middles):
            return int(numbers[-1]), int(numbers[-1]), float(middles[-1]), math.inf
        return (
            int(numbers[after - 1]),
            int(numbers[after]),
            float(middles[after - 1]),
            float(middles[after]),
        )

    def coverage(self, clock: Clock) -> tuple[float, float]:
        """Returns the period with records [s after the clock's start]. ValueError: some are
        missing.
        """
        return (
            (-math.inf, math.inf)
            if self.constant or self.repeated
            else self._around(clock, None)[2:]
        )

    def extent(self, clock: Clock) -> tuple[float, float]:
        """Returns the times from the first record to the last, without the time before and after
        for which they also hold [s after the clock's start].
        """
        if self.repeated:
            return -math.inf, math.inf
        _, middles, *_ = self._around(clock, None)
        return float(middles[0]), float(middles[-1])

    def date(self, number: int) -> str:
        """Returns the name of a record in messages."""
        if self.constant:
            return ""
        _year, month, day, second = self.begin[number]
        return text((0, month, day, second))[5:] if self.repeated else text(self.begin[number])

    def __str__(self) -> str:
        """Returns the number of records, and when they are."""
        if self.constant:
            return "always"
        first, last = self.date(0), self.date(len(self) - 1)
        every = ", every year" if self.repeated else ""
        records = f"{len(self)} record{'s' * (len(self) > 1)}"
        return f"{records}, {first} to {last}{every}"

    def _around(
        self, clock: Clock, year: int | None
    ) -> tuple[np.ndarray, np.ndarray, float, float]:
        """Returns numbers and times [s] of records around a year, of all without one, and from when
        to when they hold.
        """
        key = str(clock.start), clock.calendar, year
        if self._placed[0] != key:
            shifts = [0] if year is None else [year - self.begin[0][0] + n for n in (-1, 0, 1)]
            of_day = lru_cache(None)(lambda *day: _of_day(clock, *day))
            begin, end = (
                np.array(
                    [_seconds(of_day, moment, shift) for shift in shifts for moment in moments]
                )
                for moments in (self.begin, self.end)
            )
            middles, numbers = (begin + end) / 2, np.tile(np.arange(len(self)), len(shifts))
            kept = (end > begin) | (not self.intervals)
            begin, end, middles, numbers = begin[kept], end[kept], middles[kept], numbers[kept]
            kept = np.concatenate([np.diff(middles) > 0, [True]])
            begin, end, middles, numbers = begin[kept], end[kept], middles[kept], numbers[kept]
            self._complete(clock, begin, end, numbers)
            reach = (
                (0.0, 0.0)
                if self.intervals or len(middles) < 2
                else (middles[1] - middles[0], middles[-1] - middles[-2])
            )
            self._placed = (
                key,
                (numbers, middles, float(begin[0] - reach[0]), float(end[-1] + reach[1])),
            )
        result: tuple[np.ndarray, np.ndarray, float, float] = self._placed[1]
        return result

    def _complete(
        self, clock: Clock, begin: np.ndarray, end: np.ndarray, numbers: np.ndarray
    ) -> None:
        """Raises ValueError where records lack: between intervals longer than any of them, between
        instants ten times as long as usual. Days that their calendar lacks do not count.
        """
        between, usual = (
            begin[1:] - end[:-1],
            (
                (end - begin).max()
                if self.intervals
                else 10 * np.median(np.diff(begin))
                if len(begin) > 1
                else 0
            ),
        )
        for n in np.flatnonzero(between > usual):
            if self._own_gap(int(numbers[n]), int(numbers[n + 1])) > usual:
                raise InputError(
                    f"there are no records between {clock.date(float(end[n]))} and"
                    f" {clock.date(float(begin[n + 1]))}: is a file missing?"
                )

    def _own_gap(self, before: int, after: int) -> float:
        """Returns seconds between a record and a later one by the calendar of the records."""
        import cftime

        year_later = int(after <= before)  # of a repeated year
        moments = self.end[before], self.begin[after]
        (y, m, d, s), (y2, m2, d2, s2) = moments
        calendar = self.calendar if y > 0 else "noleap"
        days = cftime.datetime(y2 + year_later, m2, d2, calendar=calendar)
        days -= cftime.datetime(y, m, d, calendar=calendar)
        result: float = days.total_seconds() + s2 - s
        return result

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_placed": (None, None)}


def _earlier(moment: Moment, seconds: float) -> Moment:
    """Returns the moment so many seconds before, by the usual calendar."""
    year, month, day, second = moment
    days, second = divmod(second - seconds, 86400)
    if days:
        date = datetime.date(year + 400, month, day) + datetime.timedelta(days)  # years from 0 on
        year, month, day = date.year - 400, date.month, date.day
    return year, month, day, second


def _seconds(
    of_day: Callable[[int, int, int], tuple[float, bool]], moment: Moment, years: int
) -> float:
    """Returns seconds after the clock's start of a moment, that many years later."""
    year, month, day, second = moment
    begins, there = of_day(year + years, month, day)
    return begins + there * second


def _of_day(clock: Clock, year: int, month: int, day: int) -> tuple[float, bool]:
    """Returns (seconds after the clock's start at which a day begins, True); that the calendar
    lacks: (those of the next month, False).
    """
    if year < 1 and clock.calendar == "standard":  # which has no year 0
        begins, there = _of_day(clock, year + 4, month, day)
        return begins - 1461 * 86400.0, there
    at = {"hour": 0, "minute": 0, "second": 0}
    try:
        return clock.seconds(clock.start.replace(**at, year=year, month=month, day=day)), True
    except ValueError:
        return (
            clock.seconds(
                clock.start.replace(**at, year=year + month // 12, month=month % 12 + 1, day=1)
            ),
            False,
        )


def text(moment: Moment) -> str:
    """Returns 2001-02-28 18:00."""
    year, month, day, second = moment
    return (
        f"{year:04d}-{month:02d}-{day:02d} {int(second) // 3600:02d}:{int(second) // 60 % 60:02d}"
    )


always = TimeAxis([(0, 1, 1, 0.0)], repeated=True)
months = TimeAxis(
    [(0, m, 1, 0.0) for m in range(1, 13)],
    [(m // 12, m % 12 + 1, 1, 0.0) for m in range(1, 13)],
    repeated=True,
)
