"""Steps in reverse, with few stored states (Griewank & Walther 2000, ACM TOMS 26, algorithm 799).

With s states, the first among them, and at most r times a step,

    beta(s, r) = C(s + r, s)

steps can be reversed. Of L steps, beta(s, r - 1) < L <= beta(s, r), the next state is stored after

    m = min(beta(s, r - 1), L - beta(s - 1, r - 1));

the L - m steps after it are reversed with s - 1 states, then it is forgotten and the first m with
s. The number of steps taken in all is the least possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import comb
from pathlib import Path

from fathom.base.failure import InputError


def reversal(steps: int, stored: int) -> Iterator[tuple[str, int]]:
    """Yields what to do, from the state before the first step on: ("store", n) and ("restore", n),
    the present state, before step n; ("advance", n): step n; ("drop", n); ("reverse", n): the
    adjoint of step n, from the state before it, the last step first. InputError: stored < 1.
    """
    if stored < 1:
        raise InputError(f"stored = {stored}: at least one state is stored")
    yield "store", 0
    at = 0

    def within(begin: int, end: int, left: int) -> Iterator[tuple[str, int]]:
        nonlocal at
        while end > begin:
            if at != begin:
                yield "restore", begin
                at = begin
            length = end - begin
            middle = end - 1 if left == 1 else begin + _first_part(length, left)
            if length == 1:
                yield "reverse", begin
                at = end
                return
            for n in range(begin, middle):
                yield "advance", n
            at = middle
            if left == 1 or end - middle == 1:
                yield "reverse", middle
                at = middle + 1
            else:
                yield "store", middle
                yield from within(middle, end, left - 1)
                yield "drop", middle
            end = middle

    yield from within(0, steps, stored)


def _first_part(length: int, stored: int) -> int:
    """Returns m of the above, from 1 to length - 1."""
    if length < 2:
        return 0
    r = 1
    while comb(stored + r, stored) < length:
        r += 1
    whole, rest = comb(stored + r - 1, stored), comb(stored + r - 2, stored - 1)
    return min(max(min(whole, length - rest), 1), length - 1)


def forward_steps(steps: int, stored: int) -> int:
    """Returns the steps taken in all: those in advance, and one with each adjoint."""
    return sum(what in ("advance", "reverse") for what, _ in reversal(steps, stored))


@dataclass
class Checkpoints:
    """States by step, `memory` of them in memory, the others in files of a directory.

    take : returns the present state; give : makes one the present.
    rank : whose states these are, for the names of files.
    """

    take: Callable[[], bytes]
    give: Callable[[bytes], None]
    memory: int
    directory: Path | None = None
    rank: int = 0
    held: dict[int, bytes] = field(default_factory=dict)
    files: dict[int, Path] = field(default_factory=dict)

    def store(self, step: int) -> None:
        """Stores the present state."""
        if self.directory is None or len(self.held) < self.memory:
            self.held[step] = self.take()
            return
        self.directory.mkdir(parents=True, exist_ok=True)
        self.files[step] = self.directory / f"state-{step}-{self.rank}.bytes"
        self.files[step].write_bytes(self.take())

    def restore(self, step: int) -> None:
        """Makes a stored state the present one."""
        self.give(self.held[step] if step in self.held else self.files[step].read_bytes())

    def drop(self, step: int) -> None:
        """Forgets a state."""
        self.held.pop(step, None)
        if path := self.files.pop(step, None):
            path.unlink()
