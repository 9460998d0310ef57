"""The cost of assimilation, in seconds of a processor: a step of the model, of its tangent and of
its adjoint, and on two threads; and a minimisation of 4D-Var by its maps, and by its kernels with
the part of messages, also on several ranks. The state is that of a twin experiment before its
spin-up.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation import Cost, Slot, lanczos, observed
from fathom.assimilation.balance import AirBackground, simple_errors
from fathom.assimilation.cycle.area import Area
from fathom.assimilation.cycle.experiment import Air
from fathom.assimilation.cycle.twin import Model
from fathom.assimilation.maps import LinearMap, Vector
from fathom.assimilation.spectral import SpectralRoot, root_of
from fathom.assimilation.trajectory import Trajectory
from fathom.atmosphere.area.model import LimitedAreaAtmosphere
from fathom.base import machine, mpi, regions
from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.grids import GaussianGrid, SigmaLevels
from fathom.grids.transform import SphericalHarmonics
from fathom.performance import load
from fathom.run.simulation import Simulation


class Timed(LinearMap):
    """A map, with the processor seconds of both ways."""

    def __init__(self, of: LinearMap) -> None:
        self.of, self.seconds, self.calls = of, [0.0, 0.0], [0, 0]

    def _time(self, way: int, act: Callable[[], Vector]) -> Vector:
        began = time.process_time()
        made = act()
        self.seconds[way] += time.process_time() - began
        self.calls[way] += 1
        return made

    def apply(self, x: Vector) -> Vector:
        return self._time(0, lambda: self.of.apply(x))

    def adjoint(self, y: Vector) -> Vector:
        return self._time(1, lambda: self.of.adjoint(y))


def _least(act: Callable[[], Any], repetitions: int, clock: Callable[[], float]) -> float:
    spent = []
    for _ in range(repetitions):
        began = clock()
        act()
        spent.append(clock() - began)
    return min(spent)


def steps(trajectory: Trajectory, repetitions: int) -> dict[str, Any]:
    """Returns seconds of a step, of each way, on one thread by the processor's clock, on two by the
    wall's; bytes of the trajectory by what is kept of it."""
    state, change = trajectory.nothing(), trajectory.nothing(1)
    random = np.random.default_rng(0)
    trajectory.put(random.standard_normal(trajectory.size), change)
    trajectory.restart()
    state.copy(trajectory.fields)
    trajectory.follow(2)
    ways: dict[str, Callable[[], Any]] = {
        "forward": lambda: trajectory.sequence.advance(state, 1),
        "tangent": lambda: trajectory.linear.tangent(change, 1, 1),
        "adjoint": lambda: trajectory.linear.adjoint(change, 1, 1),
    }
    made: dict[str, Any] = {}
    threads = mpi.core.threads()
    for name, act in ways.items():
        mpi.core.set_threads(1)
        act()
        one = _least(act, repetitions, time.process_time)
        wall = _least(act, repetitions, time.perf_counter)
        mpi.core.set_threads(2)
        act()
        two = _least(act, repetitions, time.perf_counter)
        made[name] = {"processor_seconds": one, "speedup_on_2_threads": wall / two}
    mpi.core.set_threads(threads)
    for name in ("tangent", "adjoint"):
        made[name]["over_forward"] = (
            made[name]["processor_seconds"] / made["forward"]["processor_seconds"]
        )
    made["trajectory_bytes_a_step"] = trajectory.linear.bytes / trajectory.steps
    return made


def kept(trajectory: Trajectory, keep: str, steps: int, repetitions: int) -> dict[str, float]:
    """Returns the same of a trajectory that keeps something else: bytes of a step, processor
    seconds of tangent and adjoint over `steps` steps.
    """
    usual = trajectory.linear
    trajectory.linear = mpi.core.LinearStepProgram(trajectory.sequence, keep)
    trajectory.restart()
    trajectory.follow(steps)
    change, threads, both = trajectory.nothing(), mpi.core.threads(), trajectory.linear
    mpi.core.set_threads(1)
    forth, back = (
        _least(act, repetitions, time.process_time) / steps
        for act in (
            lambda: both.tangent(change, 0, steps),
            lambda: both.adjoint(change, 0, steps),
        )
    )
    made = {"tangent": forth, "adjoint": back}
    mpi.core.set_threads(threads)
    made["bytes_a_step"] = trajectory.linear.bytes / steps
    trajectory.linear = usual
    trajectory.restart()
    return made


def areas(levels: int, repetitions: int) -> dict[str, Any]:
    """Returns a step of a limited area of 60 x 50 points from the GFS state, by its dynamics."""
    made = {}
    for dynamics in ("hydrostatic", "non-hydrostatic"):
        model = LimitedAreaAtmosphere(Area(levels=max(levels, 4)).grid, dynamics=dynamics)
        one = Simulation(
            model.set(analysis="gfs"),
            time_step="5min",
            start="2011-10-11",
            directory=tempfile.gettempdir(),
            parallel={"threads": 2},
        )
        made[dynamics] = steps(Trajectory(one), repetitions)
    return made


def interpolation(truncation: int, levels: int, repetitions: int) -> dict[str, Any]:
    """Returns nanoseconds a point of four fields on one thread: the gather of cubic interpolation,
    and its adjoint by bands of rows and in the simplest way, point after point, with and without
    atomic additions. On two threads those that can use them, by the wall's clock.
    """
    grid = GaussianGrid(truncation, levels=SigmaLevels(levels))
    eta = ((np.arange(levels) + 0.5) / levels).tolist()
    scatter = mpi.core.ScatterMeasured(grid.rows, eta, 1.7, 0.8)
    ways: dict[str, Callable[[], None]] = {
        "gather": scatter.interpolate,
        "by bands": scatter.by_bands,
        "point by point": lambda: scatter.point_by_point(False),
        "point by point, atomic": lambda: scatter.point_by_point(True),
    }
    threads, made = mpi.core.threads(), {}
    for name, act in ways.items():
        spent = {}
        for count in (1, 2):
            mpi.core.set_threads(count)
            act()
            clock = time.process_time if count == 1 else time.perf_counter
            spent[count] = _least(act, repetitions, clock) / scatter.points * 1e9
        wall = spent[2]
        mpi.core.set_threads(1)
        alone = _least(act, repetitions, time.perf_counter) / scatter.points * 1e9
        made[name] = {"nanoseconds_a_point": spent[1], "speedup_on_2_threads": alone / wall}
    mpi.core.set_threads(threads)
    return made


def minimisation(model: Model, window: int, iterations: int, keep: str = "all") -> dict[str, Any]:
    """Returns processor seconds of an iteration by its maps, of columns at 40 places in each
    step."""
    grid, trajectory = model.trajectory.model.grid, model.trajectory
    trajectory.linear = mpi.core.LinearStepProgram(trajectory.sequence, keep)
    a, b = np.asarray(grid.levels.a), np.asarray(grid.levels.b)
    random, K = np.random.default_rng(0), len(a) - 1
    trajectory.restart()
    trajectory.follow(window)
    H = {
        n: observed.columns(
            model.transform, K, random.uniform(0, 360, 40), random.uniform(-85, 85, 40)
        )
        for n in range(1, window + 1)
    }
    L = Timed(AirBackground(model.transform, simple_errors(model.transform, a, b)))
    G = Timed(trajectory.observed(H))
    departures = random.standard_normal(len(G.apply(np.zeros(trajectory.size))))
    cost = Cost(L, [Slot(departures, np.ones(len(departures)), G)])
    regions.begin(mpi.world)
    began, clock = time.process_time(), time.perf_counter()
    found = lanczos(cost, iterations=iterations, tolerance=0.0)
    whole, wall = time.process_time() - began, time.perf_counter() - clock
    records = regions.gathered(mpi.world)["regions"]
    parts = {
        f"{name}{end}": m.seconds[way] / m.calls[way]
        for name, m in (("background", L), ("model and observations", G))
        for way, end in ((0, ""), (1, ", adjoint"))
    }
    return {
        "iterations": found.iterations,
        "processor_seconds_an_iteration": whole / found.iterations,
        "seconds_an_iteration": wall / found.iterations,
        "trajectory_bytes": float(trajectory.linear.bytes),
        "by_map": parts,
        "ranks": mpi.world.size,
        "communication_fraction": records[0]["communication"] / records[0]["elapsed"],
        "by_kernel": by_kernel(records, found.iterations),
    }


def by_kernel(records: list[dict[str, Any]], iterations: int) -> list[dict[str, Any]]:
    """Returns name, wall seconds of an iteration and the part of them in messages of each kernel of
    a minimisation, the longest first, of the means over ranks; "other": what is no kernel of the
    core: vectors, B, observations, the minimiser."""
    within: dict[tuple[str, ...], float] = {}
    for r in records:
        around = tuple(r["path"][:-1])
        within[around] = within.get(around, 0.0) + r["communication"]
    found: dict[str, list[float]] = {}
    for r in records:
        name = "other" if r["region"] == "run" else r["region"]
        held = found.setdefault(name, [0.0, 0.0])
        held[0] += r["seconds"] / iterations
        held[1] += (r["communication"] - within.get(tuple(r["path"]), 0.0)) / iterations
    longest = sorted(found.items(), key=lambda one: -one[1][0])
    return [
        {"name": n, "seconds": s, "communication": c / s if s > 0 else 0.0} for n, (s, c) in longest
    ]


def vertical(truncation: int, levels: int, repetitions: int) -> dict[str, float]:
    """Returns, of products of B between levels, a matrix for each degree, both ways, operations a
    processor second, and those of one large product of matrices.
    """
    transform = SphericalHarmonics(truncation)
    apart = np.subtract.outer(np.arange(levels), np.arange(levels)) / 8.0
    root = SpectralRoot(
        transform, np.ones(truncation + 1), root_of(np.exp(-0.5 * apart**2) + np.eye(levels))
    )
    random = np.random.default_rng(0)
    x, y = (
        random.standard_normal(root.controls),
        random.standard_normal(2 * levels * transform.waves),
    )
    square = random.standard_normal((1024, 1024))

    def rate(act: Any, work: Any) -> Any:
        return work / _least(act, repetitions, time.process_time)

    work = 2.0 * levels * levels * root.reals
    return {
        "operations_a_second": rate(lambda: root.apply(x), work),
        "adjoint_operations_a_second": rate(lambda: root.adjoint(y), work),
        "large_product_operations_a_second": rate(lambda: square @ square, 2.0 * 1024**3),
    }


def measure(
    truncation: int,
    levels: int,
    window: int,
    repetitions: int,
    keep: str = "all",
    only: str = "",
    step: str = "1h",
    precision: str = "fp64",
) -> dict[str, Any]:
    """Returns all figures; only: one of them. keep: of the minimisation; step, precision: of the
    model.
    """
    air = Air(truncation=truncation, levels=levels, step=step, precision=precision)
    model = Model.of(air, threads=2 if mpi.world.size == 1 else 1)
    parts: dict[str, Callable[[], Any]] = {
        "step": lambda: steps(model.trajectory, repetitions),
        "areas": lambda: areas(levels, repetitions),
        "kept": lambda: {
            keep: kept(model.trajectory, keep, 3, repetitions) for keep in ("all", "fp32", "states")
        },
        "interpolation": lambda: interpolation(truncation, levels, repetitions),
        "minimisation": lambda: minimisation(model, window, 5, keep),
        "vertical": lambda: vertical(truncation, levels, repetitions),
    }
    if only and only not in parts:
        raise InputError(unknown("part", only, list(parts)))
    case = {"truncation": truncation, "levels": levels, "precision": precision}
    case |= {
        "ranks": mpi.world.size,
        "window": window,
        "keep": keep,
        "only": only,
        "step of the model": step,
    }
    about = {"case": case, "machine": machine.name()}
    return (
        about
        | {"truncation": truncation, "levels": levels, "window_steps": window}
        | {name: act() for name, act in parts.items() if only in ("", name)}
    )


def present(figures: dict[str, Any], file: Path | None = None) -> list[str]:
    """Returns lines for people; the figures into a file."""
    load.leave(figures, file)
    made = [f"T{figures['truncation']}L{figures['levels']}, {figures['case']['ranks']} rank(s)"]
    of_areas = {
        f"{kind} {name}": f for kind, a in figures.get("areas", {}).items() for name, f in a.items()
    }
    for name, f in (figures.get("step", {}) | of_areas).items():
        if not isinstance(f, dict):
            continue
        times = f", {f['over_forward']:.1f} x forward" if "over_forward" in f else ""
        made.append(
            f"{name:24}{1e3 * f['processor_seconds']:9.2f} ms a step{times},"
            f" {f['speedup_on_2_threads']:.2f} on 2 threads"
        )
    made += [
        f"kept: {keep:8}{k['bytes_a_step'] / 1e6:8.1f} MB a step, tangent"
        f" {1e3 * k['tangent']:.2f} ms, adjoint {1e3 * k['adjoint']:.2f} ms"
        for keep, k in figures.get("kept", {}).items()
    ]
    for name, f in figures.get("interpolation", {}).items():
        by_bands = figures["interpolation"]["by bands"]["nanoseconds_a_point"]
        own = f["nanoseconds_a_point"]
        made.append(
            f"interpolation {name:24}{own:8.0f} ns a point, {own / by_bands:.2f} x by bands,"
            f" {f['speedup_on_2_threads']:.2f} on 2 threads"
        )
    if m := figures.get("minimisation"):
        made += _of_minimisation(m, figures["window_steps"])
    if v := figures.get("vertical"):
        share = 100 * v["operations_a_second"] / v["large_product_operations_a_second"]
        made.append(
            f"products between levels {v['operations_a_second'] / 1e9:.1f}, adjoint"
            f" {v['adjoint_operations_a_second'] / 1e9:.1f} 10^9 operations a second; a large"
            f" product of matrices {v['large_product_operations_a_second'] / 1e9:.1f}:"
            f" {share:.0f} % of it"
        )
    return made


def _of_minimisation(m: dict[str, Any], window: int) -> list[str]:
    """Returns lines of a minimisation: by its maps, and by its kernels."""
    made = []
    made.append(
        f"4D-Var over {window} steps:"
        f" {1e3 * m['processor_seconds_an_iteration']:.0f} ms of processors an iteration,"
        f" {1e3 * m['seconds_an_iteration']:.0f} ms by the clock; kept"
        f" {m['trajectory_bytes'] / 1e9:.2f} GB"
    )
    made += [f"  {name:34}{1e3 * seconds:9.1f} ms" for name, seconds in m["by_map"].items()]
    made.append(
        f"kernels of an iteration by the clock, {m['ranks']} rank{'s' * (m['ranks'] > 1)}:"
        f" {100 * m['communication_fraction']:.0f} % in messages"
    )
    made += [
        f"  {k['name']:34}{1e3 * k['seconds']:9.1f} ms, {100 * k['communication']:3.0f} % in"
        " messages"
        for k in m["by_kernel"]
        if k["seconds"] > 0.01 * m["seconds_an_iteration"]
    ]
    return made
