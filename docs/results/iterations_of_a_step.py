"""Two outer and two inner iterations of the grid-point atmosphere against many: the published cases
with the usual iterations of a step, and with converged ones (five outer, four inner, five
interpolations of the wind, the Helmholtz equation solved to 1e-8).

    python docs/results/iterations_of_a_step.py
    python docs/results/iterations_of_a_step.py --json FILE straka robert-bubble

Prints the table of docs/results/gridpoint.md: of each case the extremes of w and of theta less its
reference with both, and the root of the mean square of the difference of w over that of w.
"""

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np

from fathom.run.experiment.experiment import Experiment

folder = Path(__file__).parents[2] / "experiments"
of_case = {
    "skamarock-klemp": [],
    "straka": ["grid.nx=256", "grid.levels.nz=32", "simulation.time_step=4s"],
    "robert-bubble": ["grid.nx=50", "grid.levels.nz=75", "simulation.time_step=4s"],
    "bryan-fritsch-dry": ["grid.nx=100", "grid.levels.nz=50", "simulation.time_step=4s"],
    "schar-mountain": ["simulation.run=2h"],
    "baroclinic-wave-gridpoint": ["grid.nx=64", "grid.ny=48", "simulation.run=6d"],
}
converged = ["model.outer=5", "model.inner=4", "model.iterations=5", "model.tolerance=1e-8"]


def fields(name, settings):
    """w [m s-1] and theta less its reference [K] at the end."""
    settings = [*of_case[name], *settings]
    run = Experiment.read(folder / f"{name}.toml", settings)
    with tempfile.TemporaryDirectory() as directory:
        sim = run.simulation(directory=directory).prepare()
        sim.advance(round(run.period.seconds / sim.time_step))
        theta = sim.gather("air_potential_temperature") - sim.model.rest.state[2]
        return sim.gather("upward_air_velocity"), theta


def compare(name):
    (w, theta), (w_all, theta_all) = fields(name, []), fields(name, converged)
    ends = lambda x: [float(x.min()), float(x.max())]
    size = lambda x: float(np.sqrt(np.mean(x**2)))
    return {
        "w": ends(w),
        "w converged": ends(w_all),
        "theta": ends(theta),
        "theta converged": ends(theta_all),
        "difference of w": size(w - w_all) / size(w_all),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--json")
    given = parser.parse_args()
    table = {}
    for name in given.cases or of_case:
        table[name] = row = compare(name)
        shown = [f"{k} {v[0]:.4g} to {v[1]:.4g}" for k, v in row.items() if isinstance(v, list)]
        print(name, *shown, f"difference of w {row['difference of w']:.2g}", sep="; ", flush=True)
        if given.json:
            Path(given.json).write_text(json.dumps(table, indent=1) + "\n")


if __name__ == "__main__":
    main()
