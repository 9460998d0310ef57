"""Numbers of ranks and threads for `fathom tune`: measured as `fathom bench matrix` does, all in
turn, so that both agree.

Of shapes that are not surely slower than the best by more than 3 %, the one with the fewest cores,
then with the fewest ranks, is taken: noise decides between equals as little as possible.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fathom.base.failure import InputError
from fathom.performance.bench import in_turn, matrix
from fathom.run.progress import Line

least, most = 5, 40  # turns
Shape = tuple[int, int]


def pick(
    file: Path, settings: tuple[str, ...], candidates: Sequence[Shape], seconds: float, line: Line
) -> tuple[Shape, dict[str, list[float]]]:
    """Returns (ranks, threads), and samples of each shape as "ranks x threads". InputError: none of
    them can run.
    """
    until, began = time.monotonic() + seconds, time.monotonic()
    case = matrix.Case(str(file), settings=settings, steps=0)
    usual = next(case.shapes())
    shapes = [usual | {"ranks": ranks, "threads": threads} for ranks, threads in candidates]
    ways = [matrix.way_of(case, shape) for shape in shapes]

    def seen(done: int, way: in_turn.Way) -> None:
        if done == 1 and way.refused:  # a mistake in the file, which all would meet
            raise InputError(way.refused)
        passed = time.monotonic() - began
        line.redraw(f"{way.ranks} ranks × {way.threads} threads, {passed:.0f} of {seconds:.0f} s")

    def enough(turns: int) -> bool:
        return turns >= least and time.monotonic() > until

    in_turn.measure(ways, most, seen, enough)
    return chosen(candidates, ways)


def chosen(
    candidates: Sequence[Shape], ways: Sequence[in_turn.Way]
) -> tuple[Shape, dict[str, list[float]]]:
    """Returns the shape to take, and the samples of all."""
    samples: list[Any] = [[] if way.refused else way.samples for way in ways]
    cost = [(ranks * threads, ranks) for ranks, threads in candidates]
    best = in_turn.choice(in_turn.compared(samples), cost)
    if best is None:
        raise InputError(ways[0].refused)
    names = [f"{ranks}x{threads}" for ranks, threads in candidates]
    return candidates[best], {name: list(of) for name, of in zip(names, samples) if of}
