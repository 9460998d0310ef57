"""Radiation on h separate ranks (core/field/apart.hpp): the others take steps without it; a helper
computes its columns of a period at the same time, and the others wait for the remaining time:

    step = s + max(0, radiation of a period / h + its messages - n s) / n
    s without radiation; n steps of a period
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.performance.scaling.conditions import slower
from fathom.performance.scaling.cost import of_a_step
from fathom.performance.scaling.machine import Machine

of_helpers = ("RRTMGP", "Radiation")  # what separate ranks may compute (fathom/run/apart.py)


def scheme_of(simulation: Any) -> tuple[Any, int]:
    """Returns the scheme that separate ranks could compute, and every how many steps it is; None,
    1.
    """
    physics = simulation.model.physics
    scheme = next((p for p in physics if p.name in of_helpers), None)
    if scheme is None:
        return None, 1
    process = scheme.process(simulation.bytes_of_number, offered={"step": simulation.time_step})
    return scheme, process.every


def radiation_of(
    simulation: Any, scheme: Any, every: int, profile: list[dict[str, Any]], n: int
) -> dict[str, float]:
    """Returns seconds of a step for radiation, how often it is computed, and what it reads and
    writes.
    """
    if scheme is None:
        return {}
    levels = {f["name"]: f["levels"] for f in simulation.fields.fields}
    numbers = sum(levels.get(name, 0) for name in scheme.field_names if name != "sun")
    mine = [r for r in profile if r["region"] == scheme.name]
    return {
        "radiation": of_a_step(mine, "seconds", n),
        "period": float(every),
        "column": float(numbers * simulation.bytes_of_number),
    }


def waits(
    cost: Any, grid: Any, helpers: int, machine: Machine, here: Machine, step: float
) -> float:
    """Returns seconds of a step that ranks wait for helpers. step: of one without radiation."""
    points = float(np.sum(grid.points))
    share = points / helpers
    factor = slower(machine, here, helpers) / slower(here, here, cost.ranks)
    factor *= grid.levels.nz / cost.levels * cost.undisturbed(here)
    computing = cost.radiation * cost.period / cost.points * share * factor
    moving = share * cost.column / machine["network.bandwidth"] + 2 * machine["network.latency"]
    result: float = max(0.0, computing + moving - cost.period * step) / cost.period
    return result
