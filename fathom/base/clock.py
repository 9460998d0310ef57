"""Periods and dates: "1h", "5d", "2y", "1month" from a start in a CF calendar. A simulation counts
steps; the clock gives the date.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from fathom.base.failure import InputError
from fathom.base.near import near

units = {
    "s": 1,
    "min": 60,
    "m": 60,
    "h": 3600,
    "d": 86400,
    "day": 86400,
    "days": 86400,
    "w": 604800,
}
calendar_units = {"month": 1, "months": 1, "y": 12, "year": 12, "years": 12}
calendars = ("standard", "noleap", "360_day")


class Period:
    """A length of time: seconds, or calendar months."""

    seconds: float
    months: int
    text: str

    def __init__(self, text: Duration, what: str = "period") -> None:
        if isinstance(text, Period):
            self.seconds, self.months, self.text = text.seconds, text.months, text.text
            return
        if isinstance(text, (int, float)) and not isinstance(text, bool):
            text = f"{text}s"
        match = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*([a-z]+)\s*", str(text))
        if not match or match[2] not in units | calendar_units:
            raise InputError(
                f"{what} = {text!r} is not a length of time; allowed: a number and one of"
                f" {', '.join(units | calendar_units)}, as in '1h', '30d', '2y'"
            )
        number = float(match[1])
        self.text = str(text).strip()
        months = number * calendar_units[match[2]] if match[2] in calendar_units else 0
        self.seconds = 0 if months else number * units[match[2]]
        if months != int(months):
            raise InputError(f"{what} = {text!r}: months and years must be whole numbers")
        self.months = int(months)
        if not (self.seconds > 0 or self.months > 0):
            raise InputError(f"{what} = {text!r} must be longer than 0 s")

    def __repr__(self) -> str:
        return self.text


Duration = Period | str | float  # a length of time as a user gives it: "30d", or seconds


def seconds_of(length: Duration, what: str = "period") -> float:
    """Returns the seconds of a length of time. InputError: it is none, or one of months and years,
    whose seconds depend on the date.
    """
    period = Period(length, what)
    if period.months:
        raise InputError(f"{what} = {length!r}: allowed are seconds, minutes, hours, days, weeks")
    return period.seconds


def seconds_if_any(length: Duration | None, what: str = "period") -> float:
    """Returns the seconds of a length of time; 0 where none is given: None, 0 or an empty text."""
    return seconds_of(length, what) if length else 0.0


class Clock:
    """Dates of a start and a calendar."""

    def __init__(self, start: Any = "2000-01-01", calendar: str = "standard") -> None:
        if calendar not in calendars:
            raise InputError(
                f"calendar = {calendar!r} must be {', '.join(calendars[:-1])} or {calendars[-1]}"
                f"{near(calendar, calendars)}"
            )
        self.calendar = calendar
        self.start = self.date_of(start, "start")

    def date_of(self, text: Any, what: str) -> Any:
        """Returns the date in the calendar from a text, or from a date of a file. ValueError where
        it is none.
        """
        import cftime

        match = re.fullmatch(
            r"(\d{1,4})-(\d\d?)-(\d\d?)(?:[ T](\d\d?)(?::(\d\d?))?(?::(\d\d?))?)?",
            str(text).strip(),
        )
        if not match:
            raise InputError(
                f"{what} = {text!r} is not a date; allowed: 'YYYY-MM-DD' or 'YYYY-MM-DD hh:mm:ss'"
            )
        try:
            return cftime.datetime(*(int(x or 0) for x in match.groups()), calendar=self.calendar)
        except ValueError:
            raise InputError(
                f"{what} = {text!r}: the calendar {self.calendar} has no such date"
            ) from None

    def date(self, seconds: float) -> Any:
        """Returns the date `seconds` after the start."""
        return self.start + timedelta(seconds=round(seconds))

    @property
    def days_since_2000(self) -> float:
        """Returns the start [days since 2000-01-01 12:00]; in another calendar, of the same part of
        the same year.
        """
        first = self.start.replace(month=1, day=1, hour=0, minute=0, second=0)
        part = (self.start - first) / (first.replace(year=first.year + 1) - first)
        result: float = (
            365.2425 * (self.start.year - 2000 + part) - 0.5
            if self.calendar != "standard"
            else (
                self.start - type(self.start)(2000, 1, 1, 12, calendar=self.calendar)
            ).total_seconds()
            / 86400
        )
        return result

    def seconds_of_year(self, year: float) -> float:
        """Returns seconds from the start to a time in years, 1990.5 the middle of 1990."""
        first, after = (
            self.seconds(self.date_of(f"{int(year) + n:04d}-01-01", "year")) for n in (0, 1)
        )
        return first + (year - int(year)) * (after - first)

    def seconds(self, date: Any) -> float:
        """Returns seconds from the start to a date."""
        result: float = (date - self.start).total_seconds()
        return result

    def after(self, seconds: float, period: Period) -> float:
        """Returns seconds after the start of the time one period after `seconds`. Months that begin
        on the day of the start, as the 31st, end on that day, or on the last one before it that
        the month has.
        """
        if not period.months:
            return seconds + period.seconds
        now = self.date(seconds)
        month = now.year * 12 + now.month - 1 + period.months
        day = max(now.day, self.start.day) if _is_last(now) else now.day
        first = now.replace(year=month // 12, month=month % 12 + 1, day=1)
        return self.seconds(first.replace(day=min(day, first.daysinmonth)))


def _is_last(date: Any) -> bool:
    """Returns whether a date is the last day of its month."""
    result: bool = date.day == date.daysinmonth
    return result


def is_whole(number: float) -> bool:
    """Returns whether a ratio of two times, which binary numbers hold nearly, is a whole number:
    0.3 s are three steps of 0.1 s.
    """
    return abs(number - round(number)) <= 1e-9 * max(1.0, abs(number))


class Event:
    """Something that happens at a time: `action(simulation)` whenever `every` has passed since the
    start.
    """

    def __init__(
        self, every: Duration, action: Callable[[Any], object], step: float, label: str
    ) -> None:
        self.every, self.action, self.label = Period(every, "every"), action, label
        if self.every.seconds and not is_whole(self.every.seconds / step):
            raise InputError(f"every = {self.every} is not a whole number of steps of {step:g} s")
        self.due = 0.0

    def schedule(self, clock: Clock, seconds: float) -> None:
        """Sets the first time after `seconds` at which it is due."""
        self.due = 0.0
        while self.due <= seconds + 1e-6:
            self.due = clock.after(self.due, self.every)
