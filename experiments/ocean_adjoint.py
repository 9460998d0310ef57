"""What the adjoint of an ocean costs, and whether it is one.

    python experiments/ocean_adjoint.py [--json F]    # 256 x 128 x 40 points; ocean-3deg.toml
    python experiments/ocean_adjoint.py 120 60 40     # other points
    python experiments/ocean_adjoint.py --of-run FILE --steps 8    # another experiment
    python experiments/ocean_adjoint.py --taylor 1 6 24 120        # how far the tangent holds

*Neighbours*: the divergence of a five-point upwind flux, by sums of slots for each offset (the same
bits on any ranks and threads) and by the simplest scatter: nanoseconds of the processor a point, on
one thread, the least of several turns, and the ratio of both adjoints: at most 1.5 is wanted.

*A run*: |<M' x, y> - <x, M'* y>| over the sum of the magnitudes of its terms, for a random change
of the state; seconds of the processor of a step, and of a step with its values kept and its
adjoint, at most 3 steps are wanted; megabytes of a stored state and of what is kept of a step.

*Taylor*: r(s) = |M(x + s d) - M(x) - s M' d| / |s M' d| of the temperature, by volume, d a smooth
change of temperature and salinity of 0.5 K in the thermocline. A tangent has r ~ s; where r stays,
something that was frozen or that switches ends it. Which process that is follows from runs without
it: with constant mixing instead of KPP, without convection, without eddies, without their taper.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation.adjoint_of_model import ModelAdjoint
from fathom.assimilation.cycle import sea
from fathom.assimilation.cycle.sea_experiment import SeaErrors
from fathom.assimilation.ocean_trajectory import InState, OceanTrajectory
from fathom.assimilation.sea import Sea, SeaBackground
from fathom.base import machine
from fathom.base.mpi import core
from fathom.run.experiment.experiment import Experiment

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


def of_run(file: Path, steps: int, spin_up: int = 8) -> dict[str, float]:
    """Returns the figures of the adjoint of an experiment's ocean, after some steps of spin-up."""
    simulation = Experiment.read(file).simulation("build/ocean-adjoint", overwrite=True).prepare()
    simulation.advance(spin_up)
    spent = {}
    start = time.process_time()
    simulation.advance(steps)
    spent["forward"] = time.process_time() - start
    sea = ModelAdjoint(simulation)
    began = sea.take()
    x, y = sea.random(1), sea.random(2, inverse=True)
    ahead, back = core.FieldSet(x), core.FieldSet(y)
    start = time.process_time()
    sea.follow(steps)
    spent["follow"] = time.process_time() - start
    sea.linear.tangent(ahead, 0, steps)
    start = time.process_time()
    sea.linear.adjoint(back, 0, steps)
    spent["adjoint"] = time.process_time() - start
    names = ahead.state
    error = abs(ahead.dot(y, names) - x.dot(back, names))
    size = sum(abs(ahead.dot(y, [n])) + abs(x.dot(back, [n])) for n in names)
    return {
        "steps": steps,
        "identity": error / size,
        "forward step [s]": spent["forward"] / steps,
        "kept step and adjoint over forward": (spent["follow"] + spent["adjoint"])
        / spent["forward"],
        "state [MB]": len(began) / 1e6,
        "kept of a step [MB]": sea.linear.bytes / steps / 1e6,
        "peak memory [MB]": machine.memory()["peak_megabytes"],
    }


def _mixing(convective: float) -> str:
    """Returns the setting of constant vertical mixing, more in convection."""
    return (
        "model.vertical_mixing={type='ConstantMixing',viscosity=1e-3,diffusivity=1e-4,"
        f"convective_diffusivity={convective}}}"
    )


no_output, no_eddies = "output={}", ["model.submesoscale=none", "model.eddies=none"]
untapered = "model.eddies={type='GentMcWilliams',diffusivity=800,taper='quadratic',maximum_slope=1}"
without: dict[str, list[str]] = {  # name -> settings of the run
    "as it is": [no_output],
    "constant mixing": [no_output, _mixing(0.1)],
    "no convection": [no_output, _mixing(1e-4)],
    "no convection, no eddies": [no_output, _mixing(1e-4), *no_eddies],
    "no convection, eddies without taper": [no_output, _mixing(1e-4), untapered],
}


def taylor(
    file: Path, settings: list[str], steps: list[int], sizes: list[float], spin_up: int = 8
) -> dict[int, list[float]]:
    """Returns r of each size after so many steps."""
    simulation = Experiment.read(file, settings).simulation("build/ocean-adjoint", overwrite=True)
    run = OceanTrajectory(simulation.prepare())
    simulation.advance(spin_up)
    x, of = run.vector(), Sea.of_grid(run.model.grid)
    errors = SeaErrors(temperature=0.5, samples=20)
    drawn = sea.errors_of(of, 0.5, errors, 8e5, 400)
    draw = SeaBackground(of, drawn, samples=errors.samples, seed=1)
    values = draw.apply(np.random.default_rng(4).standard_normal(draw.controls))
    d = InState(run, of).apply(values)
    *_, area = of.distances()
    volume = np.where(of.wet, area * of.thickness[:, None, None], 0.0)

    def norm(vector: np.ndarray) -> float:
        return float(np.sqrt(np.sum(volume * run.split(vector)["temperature"] ** 2)))

    run.restart(x)
    change, ahead, here, at = run.nothing(), {}, {}, 0
    run.put(d, change)
    for n in steps:
        for _ in range(n - at):  # one step after another: what is kept of it is then forgotten
            run.linear.forget()
            run.follow(1)
            run.linear.tangent(change, 0, 1)
        ahead[n], here[n], at = run.vector(change), run.vector(), n
    found: dict[int, list[float]] = {n: [] for n in steps}
    for size in sizes:
        state, at = x + size * d, 0
        for n in steps:
            state, at = run.run(state, n - at), n
            found[n].append(norm(state - here[n] - size * ahead[n]) / norm(size * ahead[n]))
    return found


def taylor_table(file: Path, steps: list[int]) -> dict[str, Any]:
    """Prints and returns r of all runs, forced and not."""
    sizes, told = [1.0, 0.1, 0.01, 0.001], {}
    for forced in (True, False):
        for name, settings in without.items():
            more = [] if forced else ["simulation.surface=none"]
            found = taylor(file, [*settings, *more], steps, sizes)
            title = f"{name}, {'forced' if forced else 'unforced'}"
            told[title] = found
            for n, values in found.items():
                print(f"{title}, {n} steps: " + " ".join(f"{r:.1e}" for r in values), flush=True)
    return {"sizes": sizes, "remainders": told}


def main() -> None:
    """Prints the costs and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("size", nargs="*", type=int, default=[256, 128, 40])
    here = Path(__file__).parent
    parser.add_argument("--of-run", type=Path, default=here / "ocean-3deg.toml")
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--taylor", nargs="+", type=int, metavar="STEPS")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    core.set_threads(1)
    if given.taylor:
        table = taylor_table(given.of_run, given.taylor)
        if given.json is not None:
            given.json.write_text(json.dumps(table, indent=1))
        return
    found = measured(*given.size)
    print("ns a point:", ", ".join(f"{n} {found[n]:.2f}" for n in ("forward", "scatter", "sums")))
    print(f"sums by scatter: {found['sums'] / found['scatter']:.2f}")
    print(f"difference of both adjoints: {found['difference']:.1e} of the largest value")
    run = of_run(given.of_run, given.steps)
    for name, value in run.items():
        print(f"{name}: {value:.3g}")
    if given.json is not None:
        figures: dict[str, Any] = {"neighbours": found, "run": run}
        given.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
