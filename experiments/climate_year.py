"""A climate of the atmosphere over observed sea surface temperature and sea ice, by day from the
embedded climatology, and its global means.

    python experiments/climate_year.py runs/climate --days 395            # goes on where it was
    python experiments/climate_year.py runs/climate --table --skip 30     # means after 30 days
"""

import argparse
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.atmosphere import boundary

columns = (
    "toa_net_shortwave",
    "outgoing_longwave",
    "surface_net_shortwave",
    "surface_emission",
    "surface_downward_longwave",
    "sensible_heat_flux",
    "evaporation_flux",
    "convective_precipitation",
    "stratiform_precipitation",
)
layers = ("eastward_wind", "virtual_temperature", "specific_humidity", "cloud_fraction")
of_the_sea = ("sea_surface_temperature", "sea_ice_fraction")


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    for name, default in (("truncation", 42), ("levels", 26), ("days", 395), ("threads", 2)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--step", default="30min")
    parser.add_argument("--physics", default="FullPhysics")
    parser.add_argument("--radiation-every", default="3h")
    parser.add_argument("--table", action="store_true", help="figures of what has been run")
    parser.add_argument("--skip", type=float, default=30, help="days that are left out")
    return parser.parse_args()


def run(given):
    grid = fm.GaussianGrid(given.truncation, levels=fm.HybridLevels(given.levels))
    physics = getattr(fm, given.physics)(ozone=None, radiation_every=given.radiation_every)
    model = fm.SpectralAtmosphere(grid, physics=physics, sponge=3, precision="fp32").set(
        analysis="gfs", digital_filter="6h"
    )
    sim = fm.Simulation(
        model,
        step=given.step,
        start="2011-10-11",
        directory=given.folder,
        overwrite=True,
        parallel={"threads": given.threads},
    )

    def follow_the_sea(simulation):
        ground = (simulation.gather(n)[0] for n in ("land_fraction", "surface_geopotential"))
        fields = boundary.boundary_fields(grid, simulation.date, *ground)
        for name in of_the_sea:
            simulation.fields.set(name, np.ascontiguousarray(fields[name], float))

    sim.call(follow_the_sea, every="1d")
    sim.output("means.nc", [*columns, *layers], every="5d", statistic="mean")
    sim.checkpoint(every="30d", path="restart-{date}.fathom", keep=2)
    kept = sorted(given.folder.glob("restart-*.fathom"))
    if kept:
        sim.restore(kept[-1])
    sim.run(f"{given.days}d", report=False)


def table(given):
    """Means over the globe and over what was run after the first days."""
    data = fm.open(given.folder / "means.nc")
    days = (data.time - data.time[0]).values / np.timedelta64(1, "D")
    mean = data.isel(time=days > given.skip).mean(("time", "longitude"))
    weight = np.cos(np.deg2rad(data.latitude))
    print(f"{days[-1] - given.skip:.0f} days")
    for name in data.data_vars:
        own = data[name].attrs.get("long_name", name)
        if mean[name].dims == ("latitude",):
            print(f"{float(mean[name].weighted(weight).mean()):12.5g}  {own}")


def main():
    given = options()
    if given.table:
        table(given)
    else:
        run(given)


if __name__ == "__main__":
    main()
