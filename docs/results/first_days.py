"""The first days of an ocean from rest and from starts in balance: docs/results/ocean-30-days.md.

    python docs/results/first_days.py experiments/ocean-1deg.toml --days 10 --motions rest balanced

Prints the rows of its table.
"""

import argparse

import numpy as np

import fathom as fm
from fathom.ocean.products import circulation
from fathom.run.experiment.experiment import Experiment

starts = ("rest", "geostrophic", "balanced")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", nargs="?", default="experiments/ocean-1deg.toml")
    parser.add_argument("--days", type=float, default=10)
    parser.add_argument("--motions", nargs="+", choices=starts, default=starts)
    given = parser.parse_args()
    print(
        "| start | day | Drake Passage [Sv] | kinetic energy [cm² s⁻²] | largest speed [m/s]"
        " | sea surface height [m] | overturning at the equator [Sv] |"
    )
    print("|---|---|---|---|---|---|---|")
    for motion in given.motions:
        experiment = Experiment.read(given.file, [f"state.motion={motion}"])
        simulation = fm.Simulation(
            experiment.model,
            time_step=experiment.tables["simulation"]["time_step"],
            surface=experiment.surface,
        ).prepare()
        a_day = round(86400 / simulation.time_step)
        for day in (0, 0.25, 0.5, 1, 2, 3, 5, 10, 15, 20, 25, 30):
            if day <= given.days:
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
    main()
