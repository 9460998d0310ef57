"""The gain by stretching the grid over western Europe: the same forecast on even grids and on a
stretched one, compared over Europe.

    python docs/results/stretched_forecast.py --truncation 159 --out runs/even-159
    python docs/results/stretched_forecast.py --truncation 63 --stretching 2.4 --out
    runs/stretched-63 --against runs/even-159

From the GFS state of 2011-10-11. Leaves the fields on 0.5 degrees between 20 W and 30 E, 35 and 62
N in europe.nc of --out, every 12 hours, and prints their rms difference from those of --against.
The result is in docs/results/spectral.md.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import xarray

import fathom as fm
from fathom.grids.regrid.regular import regular
from fathom.output.diagnostics import whole
from fathom.output.post import scores

latitude, longitude = np.linspace(35, 62, 55), np.arange(-20, 30.5, 0.5)
fields = (
    ("geopotential_height", 5e4),
    ("air_temperature", 8.5e4),
    ("eastward_wind", 8.5e4),
    ("northward_wind", 8.5e4),
    ("air_pressure_at_mean_sea_level", None),
)


def forecast(options):
    grid = fm.GaussianGrid(
        options.truncation,
        levels=fm.HybridLevels(options.levels),
        stretching=options.stretching,
        pole=(2.6, 46.5) if options.stretching > 1 else (0, 90),
    )
    model = fm.SpectralAtmosphere(
        grid, physics=fm.BasicPhysics(ozone=None), sponge=3, precision="fp32"
    ).set(analysis="gfs", digital_filter="6h")
    return fm.Simulation(
        model,
        time_step=options.step,
        start="2011-10-11",
        directory=options.out,
        overwrite=True,
        parallel={"threads": options.threads},
    )


def europe(sim):
    """The present fields on the regular grid."""
    state = {name: np.nan_to_num(whole(sim, name, level and [level])[0]) for name, level in fields}
    return regular(state, sim.model.grid, latitude=latitude, longitude=longitude)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name, default in (("out", "runs/stretched"), ("step", "15min"), ("against", None)):
        parser.add_argument(f"--{name}", default=default)
    for name, default in (("truncation", 63), ("levels", 31), ("threads", 2), ("hours", 48)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--stretching", type=float, default=1.0)
    options = parser.parse_args()
    sim, seen = forecast(options).prepare(), []
    hours, seconds = list(range(0, options.hours + 1, 12)), 0.0
    for hour in hours:
        before = time.perf_counter()
        sim.advance(round((3600 * hour - sim.seconds) / sim.time_step))
        seconds += time.perf_counter() - before
        sim.watch()
        seen.append(europe(sim))
    data = xarray.concat(seen, "hour").assign_coords(hour=hours)
    data.to_netcdf(Path(options.out) / "europe.nc")
    print(sim.model.grid, f"\n{seconds / max(sim.count, 1) * 1e3:.1f} ms a step")
    if options.against:
        other = xarray.open_dataset(Path(options.against) / "europe.nc")
        weights = scores.regular_weights(latitude, longitude)
        for name in data.data_vars:
            ours, theirs = ([d[name].sel(hour=h).values for h in hours] for d in (data, other))
            errors = (scores.rms(a, b, weights) for a, b in zip(ours, theirs))
            print(f"{name:32s}", *(f"{error:9.2f}" for error in errors))


if __name__ == "__main__":
    main()
