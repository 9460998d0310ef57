"""A warm bubble in a wind of 40 m/s, on square cells of 1 km: the cost of steps of several lengths,
and their effect on the result. The flow of `fathom bench gridpoint --case plane` in a stronger
wind, for 24 minutes.

    python docs/results/bubble_in_wind.py --fine fine.npy                 # half the spacing, 4 s
    python docs/results/bubble_in_wind.py --steps 40 60 --reference fine.npy
    python docs/results/bubble_in_wind.py --reference fine.npy cm1out_w.dat   # their mean

A reference is w on half the spacing: the file of --fine, or a cm1out_w.dat of CM1 (192 × 192 × 76
cells). Prints for each step processor seconds a simulated second and million cells, and the root
mean square error of w over that of the reference. docs/results/gridpoint.md
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

import fathom as fm

columns, layers, minutes = 96, 38, 24


def bubble(finer=1, step=40.0, implicitness=0.52, wind=40.0):
    """The simulation; finer: cells instead of one along each axis."""
    n, spacing = columns * finer, 1e3 / finer
    levels = fm.HeightLevels(nz=layers * finer, top=500.0 * layers)
    grid = fm.CartesianGrid(n, n, extent=spacing * n, periodic=(True, True), levels=levels)
    air = fm.GridPointAtmosphere(
        grid,
        surface_potential_temperature=300,
        stability=0.01,
        implicitness=implicitness,
        precision="fp32",
    )
    middle = spacing * n / 2
    air.set(
        x_wind=wind,
        potential_temperature_deviation=lambda x, y, z: (
            2 * np.exp(-((x - middle) ** 2 + (y - middle) ** 2) / 1e8 - ((z - 3e3) / 1.5e3) ** 2)
        ),
    )
    return fm.Simulation(air, time_step=f"{step}s", parallel={"threads": 1}).prepare()


def run(simulation):
    """w (interface, y, x) [m s-1] at the end, from the ground, and processor seconds a simulated
    second and million cells, the first step left out.
    """
    steps = round(60 * minutes / simulation.time_step)
    simulation.advance(1)
    start = time.process_time()
    simulation.advance(steps - 1)
    cost = (time.process_time() - start) / ((steps - 1) * simulation.time_step)
    w = np.asarray(simulation.gather("upward_air_velocity"), float)
    return w[::-1], cost / (columns * columns * layers) * 1e6


def reference(path):
    """w of a run on half the spacing, as means on the cells here."""
    shape = 2 * layers + 1, 2 * columns, 2 * columns
    if path.suffix == ".npy":
        fine = np.load(path)
    else:
        fine = np.fromfile(path, np.float32).reshape(-1, *shape)[-1].astype(float)
    return fine[::2].reshape(layers + 1, columns, 2, columns, 2).mean((2, 4))


def error(w, true):
    """Root mean square of the difference over that of the true w."""
    return float(np.sqrt(((w - true) ** 2).mean() / (true**2).mean()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=float, nargs="+", default=[12, 24, 40, 60], help="s")
    parser.add_argument("--implicitness", type=float, default=0.52)
    parser.add_argument("--wind", type=float, default=40.0, help="m/s")
    parser.add_argument("--reference", type=Path, nargs="+", default=[], help="their mean is used")
    parser.add_argument("--fine", type=Path, help="run on half the spacing, and write w here")
    given = parser.parse_args()
    if given.fine:
        np.save(given.fine, run(bubble(2, 4.0, 0.55, given.wind))[0])
        return
    true = np.mean([reference(path) for path in given.reference], 0) if given.reference else None
    for step in given.steps:
        w, cost = run(bubble(1, step, given.implicitness, given.wind))
        found = {"step": step, "processor_seconds": cost, "greatest_w": float(w.max())}
        print(json.dumps(found | ({} if true is None else {"error": error(w, true)})), flush=True)


if __name__ == "__main__":
    main()
