"""Time series of a run: some values at each check of its state, for any number of steps."""

import numpy as np


class Series:
    """Values by their names at times [s]. At most `most` checks are kept: where there are more,
    every second one, then every fourth, ... from the first on, so that a century needs no more
    memory than a year. `last`: {name: (value, units)} of the last check."""

    most = 4096

    def __init__(self, times=(), values=None, looks=0, stride=1, last=None):
        self.times, self.values = (
            list(times),
            {name: list(kept) for name, kept in (values or {}).items()},
        )
        self.looks, self.stride, self.last = (
            looks,
            stride,
            {name: tuple(one) for name, one in (last or {}).items()},
        )

    def note(self, seconds, seen):
        """A check: {name: (value, units)}, each time of the same names."""
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

    def kept(self):
        """Returns the keywords of `Series` with which it continues."""
        return {
            "times": self.times,
            "values": self.values,
            "looks": self.looks,
            "stride": self.stride,
            "last": self.last,
        }

    def curves(self):
        """Returns {name: (times [s], values, units)} of what is kept, as fathom.plots.time_series
        draws.
        """
        times = np.asarray(self.times)
        return {
            name: (times, np.asarray(kept), self.last[name][1])
            for name, kept in self.values.items()
        }
