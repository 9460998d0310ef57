"""The cost of the inner loop's length on a vector machine: strips of its registers, and banks of
its memory.

Loops over N columns run in strips of at most one register of V words, of nearly equal length,
    VL = N / ceil(N / V),      time of a column ~ 1 + start / VL,
so N just below a multiple of V is best. Fields are arrays (N, levels): the words that one step of a
loop reads from neighbouring levels lie N apart. Memory has B banks, word a in bank a mod B; a bank
that has been read is busy for b cycles. A step waits until all its words have come. With S levels
at once
    N = 0 (mod B)    all words of a step lie in one bank:                      S b cycles a step
    N = -1           the next step needs the banks that this one has read:      b cycles
    N = -2           the next but one does:
        b / 2 cycles, with b = 2 none is lost
which is why less two is better than less one, and both are much better than a multiple.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np


def strip_length(columns: int | np.ndarray, register: int = 256) -> float | np.ndarray:
    """Returns mean length of the strips in which a loop runs."""
    return (
        columns / np.ceil(np.asarray(columns) / register)
        if np.ndim(columns)
        else columns / -(-columns // register)
    )


@dataclass(frozen=True)
class VectorMachine:
    """register: words; start: cycles before the first word of a strip; streams: levels that a step
    of a loop reads; banks; busy: cycles of a bank that has been read."""

    register: int = 256
    start: float = 20.0
    streams: int = 8
    banks: int = 512
    busy: int = 2

    def cycles(self, dimension: int, length: int | None = None) -> float:
        """Returns cycles of a loop of `length` (a strip) over levels that lie `dimension` words
        apart, step by step and bank by bank.
        """
        length = length or self.register
        levels, free, now = np.arange(self.streams) * dimension, np.zeros(self.banks), 0.0
        for n in range(length):
            done = now
            for bank in (n + levels) % self.banks:
                begins = max(now, free[bank])
                free[bank] = begins + self.busy
                done = max(done, begins)
            now = done + 1
        return now / length

    def time(self, columns: int, dimension: int | None = None) -> float:
        """Returns cycles of a column in a loop over `columns`, with arrays of a leading
        `dimension`, by default as many.
        """
        length = strip_length(columns, self.register)
        return float(self.start / length + self.cycles(dimension or columns))

    def forecast(self, columns: int, block: int) -> float:
        """Returns cycles of a column where `columns` are done in blocks, the last shorter; banks
        apart.
        """
        whole, rest = divmod(columns, block)
        strips = whole * -(-block // self.register) + -(-rest // self.register)
        return 1 + strips * self.start / columns

    def plateau(self, columns: int, lengths: Iterable[int], within: float = 0.01) -> int:
        """Returns the length from which on no block costs more than the best by more than this
        part.
        """
        times = {n: self.forecast(columns, n) for n in lengths}
        dear = [n for n, t in times.items() if t > (1 + within) * min(times.values())]
        return max(dear, default=0) + 1

    def best(self, candidates: Iterable[int]) -> list[int]:
        """Returns the candidates as block lengths, the best first."""
        return sorted(candidates, key=lambda n: (self.time(n), n))
