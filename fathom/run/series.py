"""Time series of a run: some values at each check of its state, for any number of steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np


class Series:
    """Values by their names at times [s]. At most `most` checks are kept: where there are more,
    every second one, then every fourth, ... from the first on, so that a century needs no more
    memory than a year. `last`: {name: (value, units)} of the last check."""

    most = 4096

    def __init__(
        self,
        times: Iterable[float] = (),
        values: Mapping[str, Iterable[float]] | None = None,
        looks: int = 0,
        stride: int = 1,
        last: Mapping[str, tuple[float, str]] | None = None,
    ) -> None:
        self.times, self.values = (
            list(times),
            {name: list(kept) for name, kept in (values or {}).items()},
        )
        self.looks, self.stride = looks, stride
        self.last: dict[str, tuple[float, str]] = {
            name: (value, units) for name, (value, units) in (last or {}).items()
        }

    def note(self, seconds: float, seen: Mapping[str, tuple[float, str]]) -> None:
        """Notes a check: {name: (value, units)}, each time of the same names."""
        self.last = dict(seen)
        if self.looks % self.stride == 0:
            self.times.append(seconds)
            for name, (value, _) in seen.items():
                self.values.setdefault(name, []).append(value)
        self.looks += 1
        if len(self.times) > self.most:
            self.stride *= 2
            self.times = self.times[::2]
            self.values = {name: kept[::2] for name, kept in self.values.items()}

    def kept(self) -> dict[str, Any]:
        """Returns the keywords of `Series` with which it continues."""
        return {
            "times": self.times,
            "values": self.values,
            "looks": self.looks,
            "stride": self.stride,
            "last": self.last,
        }

    def curves(self) -> dict[str, tuple[np.ndarray, np.ndarray, str]]:
        """Returns {name: (times [s], values, units)} of what is kept, as fathom.plots.time_series
        draws.
        """
        times = np.asarray(self.times)
        return {
            name: (times, np.asarray(kept), self.last[name][1])
            for name, kept in self.values.items()
        }
