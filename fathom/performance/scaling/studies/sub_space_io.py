"""Field output of AROME by I/O sets (sub-space I/O) on the Cray XE6: reference/sub_space_io.csv, 96
outputs of a 24-h forecast.

    no output     W / P + b + c P
    standard      + 96 g
        gathered and written by the ranks that compute
    k sets        the protocol of servers.py: stall s sqrt(P) where a set is free, g where none is;
        a set is busy for 38 s: our estimate, the study gives no time of service

Five parameters: W, b, c, g, s. How often no set is free changes by whole events, so figures are
flat in the time of service over wide ranges and jump between them; those of the table agree with
all values from 32 to 43 s (`services`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fathom.performance.scaling.reference import table
from fathom.performance.scaling.servers import Output, play

outputs, service = 96, 38.0
columns = {"no_output": None, "standard": 0, "sets_1": 1, "sets_4": 4}
start = {"W": 8.3e5, "b": 140.0, "c": 0.1, "g": 9.7, "s": 0.1}
Cell = tuple[int, int | None]  # tasks, sets; None: no output, 0: by the tasks themselves


def figures() -> tuple[list[Cell], np.ndarray]:
    """Returns cells of the table, and their seconds."""
    rows = table("sub_space_io.csv")
    cells: list[Cell] = [(int(r["compute_tasks"]), sets) for r in rows for sets in columns.values()]
    return cells, np.array([float(r[name]) for r in rows for name in columns])


def forecast(
    values: Mapping[str, float],
    tasks: int,
    sets: int | None,
    busy: float = service,
    pick: str = "fewest",
    on_busy: str = "synchronous",
) -> dict[str, float]:
    """Returns seconds: elapsed, stalled; fallback: outputs that found no set free."""
    alone = values["W"] / tasks + values["b"] + values["c"] * tasks
    if not sets:
        return {
            "elapsed": alone + (0 if sets is None else outputs * values["g"]),
            "stalled": 0.0 if sets is None else outputs * values["g"],
            "fallback": 0,
        }
    return play(
        Output(values["s"] * tasks**0.5, busy, values["g"], sets, None, on_busy, pick),
        [alone / outputs] * outputs,
    )


def elapsed(
    values: Mapping[str, float], tasks: int, sets: int | None, busy: float = service
) -> float:
    """Returns elapsed seconds of the forecast with I/O servers; sets: of servers, None: none."""
    return forecast(values, tasks, sets, busy)["elapsed"]


def fitted(
    cells: Sequence[Cell] | None = None, seconds: np.ndarray | None = None, busy: float = service
) -> tuple[dict[str, float], float]:
    """Returns (parameters, sum of squared errors) from cells, by default all of the table."""
    from scipy.optimize import least_squares

    if cells is None or seconds is None:
        cells, seconds = figures()
    scale = np.array(list(start.values()))

    def residuals(x: np.ndarray) -> np.ndarray:
        values = dict(zip(start, x * scale))
        result: np.ndarray = (
            np.array([elapsed(values, *cell, busy) for cell in cells]) / seconds - 1
        )
        return result

    # as long as the same events find a set free all is linear in the parameters: few steps are
    # enough
    end = least_squares(residuals, np.ones(len(scale)), max_nfev=12)
    return dict(zip(start, (float(v) for v in end.x * scale))), 2 * float(end.cost)


def errors(values: Mapping[str, float]) -> np.ndarray:
    """Returns relative errors of all cells of the table."""
    cells, seconds = figures()
    result: np.ndarray = np.array([elapsed(values, *cell) for cell in cells]) / seconds - 1
    return result


def left_out(unit: str = "cell") -> np.ndarray:
    """Returns errors of figures that were not in the fit: each `cell`, or each row of the table
    (`tasks`).
    """
    cells, seconds = figures()
    found = np.zeros(len(cells))
    groups = (
        [[n] for n in range(len(cells))]
        if unit == "cell"
        else [
            [n for n, c in enumerate(cells) if c[0] == tasks]
            for tasks in dict.fromkeys(c[0] for c in cells)
        ]
    )
    for group in groups:
        kept = [n for n in range(len(cells)) if n not in group]
        values, _ = fitted([cells[n] for n in kept], seconds[kept])
        for n in group:
            found[n] = elapsed(values, *cells[n]) / seconds[n] - 1
    return found


def tabled() -> list[dict[str, Any]]:
    """Returns a row of each cell, by study and model: seconds, cost of an output [s], forecast days
    a day, hours of all cores (a set is one task).
    """
    values, _ = fitted()
    cells, seconds = figures()
    models = {
        "study": dict(zip(cells, seconds.tolist())),
        "simulated": {cell: elapsed(values, *cell) for cell in cells},
    }
    return [
        {"tasks": tasks, "sets": sets}
        | {
            name: {
                "seconds": of[tasks, sets],
                "an_output": (of[tasks, sets] - of[tasks, None]) / outputs,
                "days_a_day": 86400 / of[tasks, sets],
                "core_hours": (tasks + (sets or 0)) * of[tasks, sets] / 3600,
            }
            for name, of in models.items()
        }
        for tasks, sets in cells
    ]
