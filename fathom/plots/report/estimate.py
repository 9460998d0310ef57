"""The cost of 24 h, estimated by a shorter run.

T = F + N m        F: what start and end cost, once;  N: steps of 24 h;  m: mean step, outputs
                   and all else that comes regularly included, the first step left out
error              N times two standard errors of m, from the means of pieces of the run that
                   follow each other: neighbouring steps are alike
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

least = 6  # steps, below which nothing is estimated
pieces = 8


class Day(NamedTuple):
    """Seconds of 24 h, and how far they may be wrong."""

    seconds: float
    error: float


def of_a_day(summary: dict[str, Any]) -> Day | None:
    """Returns the estimate of a run's summary; None of one with too few steps."""
    taken = np.asarray(summary["step_seconds"][1:], float)
    if summary["steps"] < least or len(taken) < least - 2:
        return None
    mean, number = float(taken.mean()), 86400 / summary["step"]
    once = max(summary["wall_seconds"] - summary["steps"] * mean, 0.0)
    means = [part.mean() for part in np.array_split(taken, min(pieces, len(taken)))]
    return Day(once + number * mean, number * _twice_the_error(means))


def _twice_the_error(means: list[float]) -> float:
    """Returns two standard errors of the mean of so many means."""
    return 2 * float(np.std(means, ddof=1) / np.sqrt(len(means)))


def text(summary: dict[str, Any]) -> str:
    """Returns "24 h take 5.1 ± 0.2 min", or why nothing is known."""
    day = of_a_day(summary)
    if day is None:
        return f"too few steps to say what 24 h take ({least} are enough)"
    units = ((3600, "h"), (60, "min"))
    size, unit = next(((s, u) for s, u in units if day.seconds >= s), (1, "s"))
    number, error = day.seconds / size, day.error / size
    places = int(np.clip(1 - np.floor(np.log10(max(error, 1e-3 * number, 1e-9))), 0, 6))
    return f"24 h take {number:.{places}f} ± {error:.{places}f} {unit}"
