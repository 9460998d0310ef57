"""The effect of the dynamics alone on the mean temperature of levels: dry air from an analysis,
without physics.

    python docs/results/dry_drift.py --hours 72
    python docs/results/dry_drift.py --hours 72 --scheme eulerian --step 10min

Global means of the change of temperature [K] at levels near some pressures, at the half and at the
end of the time. The result is in docs/results/forecast.md.
"""

import argparse

import numpy as np

import fathom as fm

PRESSURES = (10, 23, 41, 54, 70, 91, 115, 145, 223)  # hPa


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name, default in (("truncation", 42), ("levels", 31), ("hours", 72)):
        parser.add_argument(f"--{name}", type=int, default=default)
    for name, default in (
        ("step", "30min"),
        ("scheme", "semi-lagrangian"),
        ("analysis", "gfs"),
        ("start", "2011-10-11"),
    ):
        parser.add_argument(f"--{name}", default=default)
    o = parser.parse_args()
    grid = fm.GaussianGrid(o.truncation, levels=fm.HybridLevels(o.levels))
    air = fm.SpectralAtmosphere(grid, scheme=o.scheme, sponge=3, precision="fp32")
    sim = fm.Simulation(air.set(analysis=o.analysis), time_step=o.step, start=o.start).prepare()
    share = grid.horizontal.area_center / grid.horizontal.area_center.sum()
    levels = [int(abs(grid.levels.middles / 100 - p).argmin()) for p in PRESSURES]
    mean = lambda: (sim.gather("air_temperature") * share).sum((1, 2))[levels]
    before = mean()
    print("hPa  ", " ".join(f"{grid.levels.middles[k] / 100:6.0f}" for k in levels))
    for half in (1, 2):
        sim.advance(round(3600 * o.hours / sim.time_step / 2))
        change = " ".join(f"{x:+6.2f}" for x in np.asarray(mean() - before))
        print(f"{o.hours * half / 2:4.0f} h", change, flush=True)


if __name__ == "__main__":
    main()
