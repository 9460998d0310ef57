"""What an adjoint costs that looks at neighbours: of the divergence of a five-point upwind flux, by
sums of slots for each offset (the same bits on any ranks and threads) and by the simplest scatter.

    python experiments/ocean_adjoint.py              # 256 x 128 x 40 points
    python experiments/ocean_adjoint.py 120 60 40    # others

Prints nanoseconds of the processor a point, on one thread, the least of several turns, and the
ratio of both adjoints: at most 1.5 is wanted.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from fathom.base.mpi import core

turns = 15


def measured(nx: int, ny: int, levels: int) -> dict[str, float]:
    """Returns nanoseconds a point of `forward`, `sums` and `scatter`, and the `difference` of both
    adjoints by the largest value."""
    made = core.MeasuredSums(nx, ny, levels)
    ways: dict[str, Callable[[], None]] = {
        "forward": made.forward,
        "sums": made.sums,
        "scatter": made.scatter,
    }
    for act in ways.values():
        act()
    found = {"difference": made.difference} | dict.fromkeys(ways, float("inf"))
    for _ in range(turns):  # in turn, so that others on the machine disturb all alike
        for name, act in ways.items():
            began = time.process_time()
            act()
            spent = (time.process_time() - began) / made.points * 1e9
            found[name] = min(found[name], spent)
    return found


def main() -> None:
    """Prints the costs and their ratio."""
    size = [int(n) for n in sys.argv[1:4]] or [256, 128, 40]
    core.set_threads(1)
    found = measured(*size)
    print("ns a point:", ", ".join(f"{n} {found[n]:.2f}" for n in ("forward", "scatter", "sums")))
    print(f"sums by scatter: {found['sums'] / found['scatter']:.2f}")
    print(f"difference of both adjoints: {found['difference']:.1e} of the largest value")


if __name__ == "__main__":
    main()
