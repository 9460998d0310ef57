"""Numbers that are not known exactly, as ranges, and the bands that follow from them.

    low <= best <= high        everything else depends on `best`
    a band    the model at five machines: as given, and with all numbers of processors and all
              others at their quick or slow ends

A step is never quicker where a latency, a gap or an interruption is longer, or a rate smaller, so
the corners enclose all machines of the ranges; quotients of computing and messages are extreme
where one is quick and the other slow. A band is no probability: nothing is known about numbers
within their ranges.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from fathom.base.failure import InputError


class Range(NamedTuple):
    """A number between `low` and `high`, most likely `best`."""

    low: float
    best: float
    high: float

    @classmethod
    def of_repeats(cls, seconds: Sequence[float]) -> Range:
        """Returns what repeats took: the least is the best, since other programs on the machine
        only make them longer.
        """
        return cls(min(seconds), min(seconds), max(seconds))

    @classmethod
    def spanned(cls, values: Sequence[float]) -> Range:
        """Returns what values span, of which the first is the best."""
        return cls(float(min(values)), float(values[0]), float(max(values)))

    @classmethod
    def about(cls, best: float, factor: float) -> Range:
        """Returns what lies within a factor, both ways."""
        return cls(best / factor, best, best * factor)

    @classmethod
    def read(cls, text: str) -> Range:
        """Returns the range of "1e-7:3e-7:1e-6"."""
        try:
            return cls(*map(float, text.split(":"))).checked(text)
        except (TypeError, ValueError):
            raise InputError(
                f"{text}: a range is low:best:high in rising order, as 1e-7:3e-7:1e-6"
            ) from None

    def checked(self, what: str) -> Range:
        """Returns itself where it rises. InputError: what is wrong with `what`."""
        if not self.low <= self.best <= self.high:
            raise InputError(f"{what} = {list(self)}: a range is [low, best, high], rising")
        return self

    @property
    def exact(self) -> bool:
        """Returns whether it is one number."""
        return self.low == self.high

    def times(self, factor: float) -> Range:
        """Returns it times a number above 0."""
        return Range(factor * self.low, factor * self.best, factor * self.high)

    def inverse(self, of: float) -> Range:
        """Returns `of` over it."""
        return Range(of / self.high, of / self.best, of / self.low)


def digits(value: float, number: int = 2) -> str:
    """Returns a value with so many digits that count, without a power of ten: predictions are
    checked within some per cent, so that further digits mean nothing.
    """
    if not value or not math.isfinite(value):
        return "0" if not value else "never"
    places = number - 1 - math.floor(math.log10(abs(value)))
    rounded = round(value, places)
    return f"{rounded:.{max(places, 0)}f}"


def text(band: Sequence[float], number: int = 2) -> str:
    """Returns "31 (24 to 52)", or "31" of what is exact."""
    low, best, high = (digits(value, number) for value in band)
    return best if low == high else f"{best} ({low} to {high})"
