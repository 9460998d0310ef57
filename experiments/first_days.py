"""The first days of an ocean from rest and from starts in balance: docs/results/ocean-30-days.md.

    python experiments/first_days.py [experiments/ocean-1deg.toml] [DAYS] [MOTION ...]

Prints the rows of its table.
"""

import sys

import numpy as np

import fathom as fm
from fathom.describe.experiment import Experiment
from fathom.ocean import circulation


def main(file="experiments/ocean-1deg.toml", days="10", *motions):
    print(
        "| start | day | Drake Passage [Sv] | kinetic energy [cm² s⁻²] | largest speed [m/s]"
        " | sea surface height [m] | overturning at the equator [Sv] |"
    )
    print("|---|---|---|---|---|---|---|")
    for motion in motions or ("rest", "geostrophic", "balanced"):
        experiment = Experiment.read(file, [f"state.motion={motion}"])
        simulation = fm.Simulation(
            experiment.model,
            step=experiment.tables["simulation"]["step"],
            surface=experiment.surface,
        ).prepare()
        a_day = round(86400 / simulation.step)
        for day in (0, 0.25, 0.5, 1, 2, 3, 5, 10, 15, 20, 25, 30):
            if day <= float(days):
                simulation.advance(round(day * a_day) - simulation.count)
                print(f"| {motion} | {day} |", " | ".join(numbers(simulation)), "|", flush=True)


def numbers(simulation):
    ocean = simulation.model
    series, _ = ocean.watch(simulation)
    u, v = (simulation.gather(name) for name in ("velocity_x", "velocity_y"))
    eta = simulation.gather("sea_surface_height")[0]
    overturning, _ = circulation.of_flow(ocean, *circulation.transports(ocean, u, v))
    at = np.argmin(np.abs(circulation.geometry(ocean.grid).edges))
    return (
        f"{series['drake_transport'][0] / 1e6:.0f}",
        f"{series['kinetic_energy'][0] * 1e4:.2f}",
        f"{series['maximum_speed'][0]:.2f}",
        f"{eta.min():.2f} to {eta.max():.2f}",
        f"{np.nanmax(np.abs(overturning[0, :, at])) / 1e6:.0f}",
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
