"""Incremental 4D-Var of a fine model by inner loops of coarser ones (Courtier et al. 1994), one
after another, each about the analysis of the one before: seconds of the wall and of processors by
part, and what each inner loop takes from the departures of the fine model. A twin on linear grids,
one rank.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation import Cost, Slot, lanczos, observed
from fathom.assimilation.balance import AirBackground, simple_errors
from fathom.assimilation.cycle.experiment import Air
from fathom.assimilation.cycle.twin import Model
from fathom.assimilation.maps import Vector
from fathom.assimilation.resolution import Inner
from fathom.base import mpi
from fathom.base.clock import seconds_of
from fathom.base.failure import InputError
from fathom.performance import load
from fathom.performance.bench.assimilation import Timed

places = 200  # columns each time
sizes = {"wind": 2.0, "temperature": 1.0, "pressure": 1e-3}  # errors of data


class Spent(dict[str, list[float]]):
    """Seconds of the wall and of processors, by part."""

    @contextmanager
    def of(self, part: str) -> Iterator[None]:
        """Adds seconds by the clock and of the processors within a `with` to a part."""
        began = time.perf_counter(), time.process_time()
        yield
        wall, processors = self.get(part, [0.0, 0.0])
        wall += time.perf_counter() - began[0]
        self[part] = [wall, processors + time.process_time() - began[1]]


class Outer:
    """The fine model without a tangent, and columns that are observed of it."""

    def __init__(self, truncation: int, levels: int, step: str, window: int, ratio: int) -> None:
        self.model = Model.of(Air(truncation, levels, step, grid="linear"), linear=False)
        self.times = list(range(ratio, window + 1, ratio))
        random, K = np.random.default_rng(0), levels
        self.at = {
            n: (random.uniform(0, 360, places), random.uniform(-85, 85, places)) for n in self.times
        }
        self.errors = observed.errors_of_columns(K, places, tuple(sizes), sizes)
        self.operators = self.seen_by(self.model)

    def seen_by(self, model: Model) -> dict[int, Any]:
        """Returns H of the columns on the grid of a model, after so many steps of the fine one."""
        K = model.waves.levels
        return {n: observed.columns(model.transform, K, *self.at[n]) for n in self.times}

    def states(self, start: Vector) -> dict[int, Vector]:
        """Returns the states at the times of the data, from one at the start."""
        run, found = self.model.trajectory, {}
        run.restart(start)
        for n in range(1, self.times[-1] + 1):
            run.follow(1)
            if n in self.operators:
                found[n] = run.vector()
        return found

    def observe(self, states: dict[int, Vector]) -> Vector:
        """Returns observed values of states, in errors of the data."""
        return np.concatenate([H.apply(states[n]) / self.errors for n, H in self.operators.items()])


def inner_loop(
    outer: Outer, inner: Inner, coarse: Model, errors: Any, x: Vector, d: Vector, iterations: int
) -> tuple[Vector, dict[str, Any]]:
    """Returns the increment of the fine model from its departures d about x, and the seconds."""
    spent = Spent()
    with spent.of("truncation and trajectory"):
        inner.follow(x, outer.times[-1])
    H = {inner.steps(n): operator for n, operator in outer.seen_by(coarse).items()}
    L, G = Timed(AirBackground(coarse.transform, errors)), Timed(coarse.trajectory.observed(H))
    of_data = np.tile(outer.errors, len(outer.times))
    cost = Cost(L, [Slot(d * of_data, of_data**2, G)])
    with spent.of("iterations"):
        found = lanczos(cost, iterations=iterations, tolerance=0.0)
    with spent.of("padding"):
        increment = inner.up(found.increment)
    maps = {
        f"{name}{end}": m.seconds[way] / m.calls[way]
        for name, m in (("background", L), ("model and observations", G))
        for way, end in ((0, ""), (1, ", adjoint"))
    }
    return increment, {
        "seconds": spent,
        "iterations": found.iterations,
        "processor_seconds_by_map": maps,
        "trajectory_bytes": float(coarse.trajectory.linear.bytes),
    }


def measure(
    truncation: int,
    inner: list[int],
    levels: int,
    window: int,
    step: str,
    ratio: int = 2,
    iterations: int = 1,
) -> dict[str, Any]:
    """Returns window: steps of the fine model; ratio: of them in one of a coarse one."""
    if not inner or window % ratio or any(not 0 < n < truncation for n in inner):
        raise InputError(
            f"inner loops at {inner} within T{truncation}, {window} steps and {ratio} of them in"
            " one: coarser models, and a whole number of their steps"
        )
    outer, spent, loops = Outer(truncation, levels, step, window, ratio), Spent(), []
    seconds = seconds_of(step, "step") * ratio
    models = [Model.of(Air(n, levels, f"{seconds:g}s", grid="linear")) for n in inner]
    for m in models:
        m.trajectory.linear = mpi.core.LinearStepProgram(m.trajectory.sequence, "fp32")
    inners = [Inner(m.trajectory, outer.model.waves, m.waves, ratio) for m in models]
    interfaces = (np.asarray(getattr(outer.model.trajectory.model.grid.levels, n)) for n in "ab")
    all_errors = simple_errors(models[-1].transform, *interfaces)
    errors = [all_errors.truncated(n) for n in inner]
    random = np.random.default_rng(1)
    L = AirBackground(models[-1].transform, errors[-1])
    x = outer.model.at_rest
    truth = x + inners[-1].up(L.apply(random.standard_normal(L.controls)))
    y = outer.observe(outer.states(truth))
    y = y + random.standard_normal(len(y))
    costs = []
    for n, (one, coarse, of) in enumerate(zip(inners, models, errors)):
        with spent.of("outer trajectory"):
            states = outer.states(x)
        with spent.of("departures"):
            d = y - outer.observe(states)
        costs.append(0.5 * float(d @ d) / len(d))
        increment, told = inner_loop(outer, one, coarse, of, x, d, iterations)
        loops.append({"truncation": inner[n]} | told)
        x = x + increment
    with spent.of("outer trajectory"):
        states = outer.states(x)
    d = y - outer.observe(states)
    return {
        "truncation": truncation,
        "levels": levels,
        "window_steps": window,
        "step": step,
        "outer": spent,
        "loops": loops,
        "J_o_per_datum": [*costs, 0.5 * float(d @ d) / len(d)],
        "peak_bytes": 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
    }


def present(figures: dict[str, Any], file: Path | None = None) -> list[str]:
    """Returns lines for people; the figures into a file."""
    load.leave(figures, file)

    def of(spent: Any) -> Any:
        return [
            f"  {part:34}{wall:9.2f} s, of processors {cpu:9.2f} s"
            for part, (wall, cpu) in spent.items()
        ]

    made = [
        f"T{figures['truncation']}L{figures['levels']}, {figures['window_steps']} steps of"
        f" {figures['step']}; peak {figures['peak_bytes'] / 1e9:.1f} GB",
        *of(figures["outer"]),
    ]
    for n, loop in enumerate(figures["loops"]):
        before, after = figures["J_o_per_datum"][n : n + 2]
        made.append(
            f"inner loop at T{loop['truncation']}: {loop['iterations']} iterations, kept"
            f" {loop['trajectory_bytes'] / 1e9:.2f} GB; J_o a datum {before:.3f} -> {after:.3f}"
        )
        made += of(loop["seconds"])
        made += [
            f"    {name:32}{seconds:9.2f} s of processors"
            for name, seconds in loop["processor_seconds_by_map"].items()
        ]
    return made
