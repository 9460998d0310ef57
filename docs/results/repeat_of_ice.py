"""What a small step of the ice's motion costs in its own loop, and at least as a program within a
program: `core.Repeat` of the two cheapest processes that a small step could have.

    python docs/results/repeat_of_ice.py [pieces]

The loop is that of experiments/ocean-ice-3deg.toml, with ice beyond 70 N and 62 S; the other one is
a' = a + L a on the same columns, with one level: a stencil, a sum at a point, an exchange of halos.
A small step of ice needs more: stress from velocity, velocity from stress. CPU time (getrusage) of
pieces of steps, each kind with FEW and MANY small steps, in turn; of the difference a small step
costs `microseconds`, the median over pieces, with its error by resampling. `ratio` is of both.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from fathom.base.mpi import core, world
from fathom.run.experiment.experiment import Experiment

FEW, MANY, STEPS = 60, 460, 6  # small steps of a step; steps of a piece
root = Path(__file__).parents[2]


def ice(simulation: Any, small_steps: int) -> Callable[[], None]:
    """Returns a function that takes steps of the ice's motion alone."""
    sea_ice = simulation.model.sea_ice
    motion = core.IceDynamics(simulation.time_step, small_steps, sea_ice.strength, sea_ice.drag)
    sequence = core.StepProgram(
        simulation.domain, [motion.process()], simulation.bytes_of_number, ["ice_velocity_x"]
    )
    fields = core.FieldSet(sequence)
    fill = lambda given: given.copy(simulation.fields)
    fill(fields)
    sequence.prepare(fields, fill)
    fill(fields)
    pack = poles(simulation)
    for name, value in (("sea_ice_area", 0.9), ("sea_ice_volume", 1.8), ("ice_stress_x", 0.05)):
        fields.set(name, np.where(pack, value, 0.0), nearest_outside=True)
    return lambda: sequence.advance(fields, STEPS)


def poles(simulation: Any) -> np.ndarray:
    """Returns where there is ice: the water beyond 70 N and 62 S, (ny, nx)."""
    grid = simulation.model.grid
    latitude = np.asarray(grid.mapping()["latitude"])
    beyond = (latitude > 70) | (latitude < -62)
    return beyond & (np.asarray(grid.wet_levels) > 0)


def repeated(simulation: Any, small_steps: int) -> Callable[[], None]:
    """Returns a function that takes steps of a + L a, in the same columns with one level."""
    wet = np.minimum(np.asarray(simulation.model.grid.wet_levels), 1).astype(np.int32)
    ny, nx = wet.shape
    h = simulation.model.grid.horizontal
    rate = core.process("TracerLaplacian").on({"tracer": "a", "tracer_laplacian": "b"})
    step = core.process("TimeSum").on({"value": "b", "statistic": "a"})
    small = core.Repeat("small steps", small_steps, [rate, step]).process()
    where = core.Domain(world.py2f(), nx, ny, h.periodic, h.fold, 1, wet.ravel().tolist(), 2, 0, 0)
    sequence = core.StepProgram(where, [small], 8, ["a"])
    fields = core.FieldSet(sequence)
    one = dict.fromkeys(
        ("diffusivity_scale", "length_north_face", "dy_north_face", "length_east_face"), 1.0
    )
    for name, value in {**one, "dx_east_face": 1.0, "area_center": 8.0, "a": 1.0}.items():
        if fields.has(name):
            fields.set(name, np.full((ny, nx), value), nearest_outside=True)
    if fields.has("wet_levels"):
        fields.set("wet_levels", wet.astype(float))
    sequence.prepare(fields, lambda given: given.copy(fields))
    return lambda: sequence.advance(fields, STEPS)


def spent(act: Callable[[], None]) -> float:
    """Returns the CPU time of an action [s]."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    act()
    after = resource.getrusage(resource.RUSAGE_SELF)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def told(values: np.ndarray) -> dict[str, float]:
    """Returns the median of values, and its error by resampling."""
    random = np.random.default_rng(1)
    again = [np.median(random.choice(values, values.size)) for _ in range(1000)]
    return {"median": round(float(np.median(values)), 3), "error": round(float(np.std(again)), 3)}


def main(pieces: int) -> None:
    """Prints the comparison."""
    file = root / "experiments" / "ocean-ice-3deg.toml"
    simulation = Experiment.read(file, ["model.overflows=[]"]).simulation().prepare()
    acts = [make(simulation, n) for make in (ice, repeated) for n in (FEW, MANY)]
    for act in acts:
        act()
    seconds = np.array([[spent(act) for act in acts] for _ in range(pieces)])
    each = 1e6 * (seconds[:, 1::2] - seconds[:, ::2]) / ((MANY - FEW) * STEPS)
    wet = np.asarray(simulation.model.grid.wet_levels) > 0
    print(
        json.dumps(
            {
                "columns": int(wet.sum()),
                "columns_with_ice": int(poles(simulation).sum()),
                "microseconds_of_the_loop": told(each[:, 0]),
                "microseconds_of_repeat": told(each[:, 1]),
                "ratio": told(each[:, 1] / each[:, 0]),
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 40)
