"""Doubled carbon dioxide over a slab ocean: the warming, with its years.

    python docs/results/carbon_dioxide.py runs/co2 --years 20          # continues where it is
    python docs/results/carbon_dioxide.py runs/co2 --table

A run over observed seas gives the q-flux; from its end a slab runs twice, with 400 and 800 ppm.
The table of docs/results/coupled.md: by year the temperature of the surface and the balance at the
top of the air, the warming, and what the differences by month say of the balance to come (Gregory
et al. 2004): dN = F - lambda dT, equilibrium at F / lambda.
"""

import argparse
import subprocess
import sys
from pathlib import Path

import numpy as np

import fathom as fm

experiments = Path(__file__).parents[2] / "experiments"
kinds = {"control": 400.0, "doubled": 800.0}
stefan_boltzmann = 5.670374419e-8


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    for name, default in (("truncation", 31), ("levels", 20), ("years", 20), ("given-months", 38)):
        parser.add_argument(f"--{name}", default=default, type=str if name == "levels" else int)
    parser.add_argument("--depth", type=float, default=30.0, help="of the slab [m]")
    parser.add_argument("--step", default="40min")
    parser.add_argument("--radiation-every", default="3h")
    parser.add_argument("--spin-up", default="2012-01-01", help="first month of the q-flux")
    parser.add_argument("--table", action="store_true")
    return parser.parse_args()


def fathom(*arguments):
    subprocess.run([sys.executable, "-m", "fathom", *map(str, arguments)], check=True)


def run(given, name, length, **more):
    """Runs an experiment, or continues it."""
    out = given.folder / more.pop("to", name)
    chosen = {
        "grid.truncation": given.truncation,
        "grid.levels.nz": given.levels,
        "simulation.time_step": given.step,
        "simulation.start": "2011-11-01",
        "simulation.run": length,
        "model.physics.radiation_every": given.radiation_every,
        "model.sponge": 2 if given.levels == "L8" else 3,
    } | more
    settings = [part for key, value in chosen.items() for part in ("--set", f"{key}={value}")]
    file = experiments / f"{name}.toml"
    fathom("run", file, "--out", out, "--no-report", "--continue", *settings)


def compute(given):
    given_run, flux = given.folder / "given", given.folder / "qflux.nc"
    if not flux.exists():
        run(given, "climate-t31", f"{given.given_months}months", to="given")
        of_run = given_run / "sea.nc", "--from", given.spin_up, "--depth", given.depth
        fathom("forcing", "qflux", *of_run, "--out", flux)
    last = max(given_run.glob("restart*.fathom"), key=lambda p: p.stat().st_mtime)
    for years in range(1, given.years + 1):
        for kind, amount in kinds.items():
            more = {
                "simulation.surface.q_flux": flux.resolve(),
                "simulation.surface.depth": given.depth,
                "model.physics.radiation.carbon_dioxide": amount,
                "state.analysis": last.resolve(),
                "simulation.start": "2012-01-01",
            }
            run(given, "climate-slab-t31", f"{years}y", to=kind, **more)


def series(given, kind):
    """Means of the globe by month: temperature of the surface [K], balance at the top [W m-2], sea
    temperature, ice [m2].
    """
    data = fm.open(given.folder / kind / "climate.nc")
    area = data.areacello
    mean = lambda x, weight=area: (x * weight).sum(("latitude", "longitude")) / weight.sum()
    sea = area * (1 - data.sftlf)
    ice = (data.siconca * sea).sum(("latitude", "longitude"))
    T = (data.surface_emission / stefan_boltzmann) ** 0.25
    balance = data.toa_net_shortwave - data.outgoing_longwave
    return [np.asarray(x) for x in (mean(T), mean(balance), mean(data.tos, sea), ice / 1e12)]


def table(given):
    control, doubled = (series(given, kind) for kind in kinds)
    months = min(len(control[0]), len(doubled[0]))
    print(f"{months} months; differences of the doubled run from the control")
    print("months   T control   dT     dN   SST control  dSST   ice control, doubled [10^6 km2]")
    for first in range(0, months, 6):
        part = slice(first, min(first + 6, months))
        c, d = ([x[part].mean() for x in kind] for kind in (control, doubled))
        print(
            f"{part.start + 1:3d}-{part.stop:3d}  {c[0]:8.2f} {d[0] - c[0]:6.2f} {d[1] - c[1]:6.2f}"
            f" {c[2]:10.2f} {d[2] - c[2]:8.2f} {c[3]:10.1f} {d[3]:6.1f}"
        )
    dT, dN = (d[:months] - c[:months] for c, d in zip(control[:2], doubled[:2]))
    quarters = [x[: months // 3 * 3].reshape(-1, 3).mean(1) for x in (dT, dN)]
    slope, force = np.polyfit(*quarters, 1)
    last = slice(max(0, months - 12), months)
    print(
        f"warming of the last {last.stop - last.start} months: {dT[last].mean():.2f} K, balance"
        f" left {dN[last].mean():.2f} W m-2"
    )
    print(f"dN = {force:.2f} - {-slope:.2f} dT by quarters: equilibrium at {-force / slope:.2f} K")


def main():
    given = options()
    (table if given.table else compute)(given)


if __name__ == "__main__":
    main()
