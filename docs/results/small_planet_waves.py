#!/usr/bin/env python3
"""Gravity waves on the small planet of DCMIP 2012, test 3-1, against the linear waves of a resting
sphere, advected by the wind.

    python docs/results/small_planet_waves.py --json waves.json --picture waves.png
        runs experiments/dcmip-3-1.toml, an hour
    --set grid.nx=180 --set grid.ny=90 --set simulation.time_step=20s    and so on, for `fathom run`

A spot sum A_l P_l(cos r / a) sin(m z), m = pi / top, becomes sum A_l cos(omega_l t) P_l sin(m z),
    omega_l^2 = N^2 k^2 / (k^2 + m^2 + 1 / 4 H^2),   k^2 = l (l + 1) / a^2
with H of isothermal air of 300 K at the ground, 8.8 km. Density and temperature of the air around
are not the same at all heights: the model differs from them by more than its errors.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

from fathom.plots.style import new_panels, styled

file = Path(__file__).parents[2] / "experiments" / "dcmip-3-1.toml"
N2, H, WAVES = 1e-4, 8.8e3, 200


def linear(grid, time, wind=20.0):
    """theta' where sin(m z) is 1, at a time [s], of all columns (ny, nx) [K]."""
    from numpy.polynomial import legendre

    a, top = grid.radius, grid.levels.top
    at, weights = legendre.leggauss(4 * WAVES)
    spot = 5e3**2 / (5e3**2 + (a * np.arccos(at)) ** 2)
    number = np.arange(WAVES + 1)
    amplitudes = (number + 0.5) * ((weights * spot) @ legendre.legvander(at, WAVES))
    k2 = number * (number + 1) / a**2
    omega = np.sqrt(N2 * k2 / (k2 + (np.pi / top) ** 2 + 1 / (4 * H * H)))
    x, y = (np.deg2rad(c) for c in grid.coordinates())
    cosine = np.cos(y) * np.cos(x - 2 / 3 * np.pi - wind * time / a)
    return legendre.legval(cosine, amplitudes * np.cos(omega * time))


def waves(sim):
    """theta' at half the height: from its mean along the parallel, (ny, nx)."""
    theta = sim.gather("air_potential_temperature")
    middle = theta[len(theta) // 2]
    return middle - middle.mean(-1, keepdims=True)


@styled
def draw(grid, found, expected, time):
    x, j = grid.coordinates()[0][0], len(found) // 2
    figure, axes = new_panels(1, 1, 8, 3)
    axes.plot(x, found[j], label="model")
    axes.plot(x, expected[j], "k--", lw=0.8, label="linear waves")
    axes.set(
        title=f"theta' at the equator, half the height, after {time:g} s",
        xlabel="longitude [degrees]",
        ylabel="K",
    )
    axes.legend()
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--picture", metavar="FILE")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    given = parser.parse_args()
    from fathom.run.experiment.experiment import Experiment

    result = []
    with tempfile.TemporaryDirectory() as directory:
        sim = Experiment.read(file, given.set).simulation(directory, overwrite=True).prepare()
        for time in (0.0, 900.0, 1800.0, 3600.0):
            sim.advance(round(time / sim.time_step) - sim.count)
            found, expected = waves(sim), linear(sim.model.grid, time)
            expected = expected - expected.mean(-1, keepdims=True)
            result.append(
                {
                    "time": time,
                    "least": float(found.min()),
                    "most": float(found.max()),
                    "linear_least": float(expected.min()),
                    "linear_most": float(expected.max()),
                    "correlation": float(np.corrcoef(found.ravel(), expected.ravel())[0, 1]),
                }
            )
            print("  ".join(f"{name} {value:.4g}" for name, value in result[-1].items()))
    if given.json:
        with open(given.json, "w") as out:
            json.dump(result, out, indent=1)
    if given.picture:
        draw(sim.model.grid, found, expected, time, path=given.picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
