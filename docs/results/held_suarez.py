"""The climate of Held & Suarez (1994): 1200 days of the dry atmosphere from rest, means over the
last 1000, sampled every day.

    python docs/results/held_suarez.py runs/held-suarez --truncation 42 --levels 24 --step 40min
    python docs/results/held_suarez.py runs/held-suarez-eulerian --scheme eulerian --grid quadratic
    --step 20min
    python docs/results/held_suarez.py runs/held-suarez-gridpoint --scheme grid-point --columns 64
    --step 30min --beside runs/held-suarez

A repeated call continues the run. It writes climate.npz (zonal means: latitude, sigma, u, T,
variance of T, momentum and heat flux) and, at the end, climate.png and the numbers of the tables in
docs/results/spectral.md and gridpoint.md; `--beside` draws the climate of another run below it.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.atmosphere.gridpoint import diagnostics as of_heights
from fathom.grids.regrid.column import Between
from fathom.plots.style import new_panels, styled


def spectral(options):
    grid = fm.GaussianGrid(
        options.truncation, grid=options.grid, levels=fm.SigmaLevels(options.levels)
    )
    return fm.SpectralAtmosphere(
        grid,
        physics=[fm.HeldSuarez()],
        scheme=options.scheme,
        diffusion_time=options.diffusion,
        precision=options.precision,
    )


def grid_point(options):
    """Layers become thicker with height, up to 30 km."""
    eta = np.arange(options.levels + 1) / options.levels
    levels = fm.HeightLevels(heights=(30e3 * (0.2 * eta + 0.8 * eta**2)).tolist())
    return fm.GridPointAtmosphere(
        fm.LatitudeLongitudeGrid(options.columns, levels=levels),
        physics=[fm.HeldSuarez()],
        precision=options.precision,
    )


def waves(lon, lat, p):
    """250 K, with waves of 1 K that are the same on every machine."""
    around = sum(np.cos(np.deg2rad(m * lon + 40 * m * m)) for m in range(1, 8))
    return 250 + around * np.cos(np.deg2rad(lat)) ** 4 * (1 + np.sin(np.deg2rad(lat)))


def stable(lon, lat, p):
    """Near the equilibrium of the forcing: from 250 K the air over the equator would first
    overturn."""
    warm = 300 - 25 * np.sin(np.deg2rad(lat)) ** 2 + waves(lon, lat, p) - 250
    return np.maximum(205, warm * (p / 1e5) ** 0.19)


def build(options):
    """From rest."""
    on_points = options.scheme == "grid-point"
    atmosphere = (grid_point if on_points else spectral)(options)
    atmosphere.set(air_temperature=stable if on_points else waves)
    return fm.Simulation(
        atmosphere,
        time_step=options.step,
        parallel={"threads": options.threads},
        directory=options.out,
    )


def on_sigma(sim, sigma):
    """u, v, T of heights where p = sigma p_s, linear in ln p, (levels, ny, nx)."""
    names = ("eastward_wind", "northward_wind", "air_density", "air_potential_temperature")
    u, v, density, theta = (sim.gather(n).astype(float) for n in names)
    z, c = sim.model.heights, sim.model.constants
    p = of_heights.pressure(sim.model, density, theta)
    surface = of_heights.ground_pressure(c, (z[-2] - z[-1]) / 2, p[-1], theta)
    flat = lambda a: np.reshape(a, (len(a), -1))
    between = Between(flat(np.log(p)), flat(np.log(sigma[:, None, None] * surface)))
    fields = u, v, of_heights.temperature(sim.model, density, theta)
    return [between.linear(flat(f)).reshape(-1, *surface.shape) for f in fields]


def zonal(sim, sigma):
    """Present zonal means: u, T, v, and products of deviations T'T', u'v', v'T' (levels, ny)."""
    names = ("eastward_wind", "northward_wind", "air_temperature")
    if isinstance(sim.model, fm.GridPointAtmosphere):
        u, v, T = on_sigma(sim, sigma)
    else:
        u, v, T = (sim.gather(n).astype(float) for n in names)
    return np.stack(
        [u.mean(2), T.mean(2), v.mean(2), (T * T).mean(2), (u * v).mean(2), (v * T).mean(2)]
    )


def climate(sums):
    u, T, v, TT, uv, vT = sums["sum"] / sums["samples"]
    return {
        "u": u,
        "T": T,
        "variance": TT - T * T,
        "momentum_flux": uv - u * v,
        "heat_flux": vT - v * T,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", type=Path)
    for name, default in (
        ("truncation", 42),
        ("columns", 64),
        ("levels", 24),
        ("days", 1200),
        ("spin-up", 200),
        ("threads", 2),
    ):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--beside", type=Path, help="another run, drawn below this one")
    for name, default in (
        ("step", "40min"),
        ("grid", "quadratic"),
        ("precision", "fp32"),
        ("diffusion", "12h"),
        ("scheme", "semi-lagrangian"),
    ):
        parser.add_argument(f"--{name}", default=default)
    parser.add_argument(
        "--minutes", type=float, default=1e9, help="stop after so long; the next call continues"
    )
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    sim, file, restart, began = (
        build(options),
        options.out / "climate.npz",
        options.out / "held-suarez.fathom",
        time.perf_counter(),
    )
    sums = {"sum": 0.0, "samples": 0, "seconds": 0.0}
    if restart.exists():
        sim.restore(restart)
        sums |= {k: v for k, v in np.load(file).items() if k in sums}
    sim.prepare()
    sigma = fm.SigmaLevels(options.levels).middles / 1e5
    steps, day = round(86400 / sim.time_step), round(sim.seconds / 86400)
    while day < options.days and time.perf_counter() - began < 60 * options.minutes:
        start = time.perf_counter()
        sim.advance(steps)
        sums["seconds"] = sums["seconds"] + time.perf_counter() - start
        day += 1
        sim.watch()
        if day > options.spin_up:
            sums["sum"], sums["samples"] = sums["sum"] + zonal(sim, sigma), sums["samples"] + 1
        if day % 50 == 0:
            print(f"day {day}: {sim.model.watch(sim)[1]}", flush=True)
            keep(sim, restart, file, sums | {"sigma": sigma})
    keep(sim, restart, file, sums | {"sigma": sigma})
    if day >= options.days:
        finish(options, np.load(file), sim.time_step)


def keep(sim, restart, file, sums):
    """The state from which the next call continues, and the climate so far."""
    sim.write_restart(restart.name)
    latitude = sim.model.grid.coordinates()[1][:, 0]
    np.savez(file, **sums, latitude=latitude, weight=np.cos(np.deg2rad(latitude)))


def finish(options, sums, step):
    c, lat, sigma, weight = climate(sums), sums["latitude"], sums["sigma"], sums["weight"]
    at = lambda field: tuple(int(n) for n in np.unravel_index(field.argmax(), field.shape))
    k, j = at(np.where(lat > 0, c["u"], 0))
    ks, js = at(np.where(lat < 0, c["u"], 0))
    low = int(abs(sigma - 0.98).argmin())
    numbers = {
        "jet north [m/s, deg, sigma]": [c["u"][k, j], lat[j], sigma[k]],
        "jet south": [c["u"][ks, js], lat[js], sigma[ks]],
        "strongest easterlies of the lowest layer": c["u"][low].min(),
        "strongest westerlies of the lowest layer": c["u"][low].max(),
        "largest variance of temperature [K2, deg, sigma]": [
            c["variance"].max(),
            lat[at(c["variance"])[1]],
            sigma[at(c["variance"])[0]],
        ],
        "variance in the lower troposphere (sigma > 0.5)": c["variance"][sigma > 0.5].max(),
        "momentum flux north, south [m2/s2]": [c["momentum_flux"].max(), c["momentum_flux"].min()],
        "heat flux north, south [K m/s]": [c["heat_flux"].max(), c["heat_flux"].min()],
        "mean temperature": float((c["T"] * weight).sum(1).mean() / weight.sum()),
        "asymmetry of u between hemispheres, rms": float(
            np.sqrt(((c["u"] - c["u"][:, ::-1]) ** 2).mean() / 4)
        ),
        "samples": int(sums["samples"]),
        "simulated days a day": step * round(options.days * 86400 / step) / float(sums["seconds"]),
    }
    rounded = {name: np.round(value, 2).tolist() for name, value in numbers.items()}
    (options.out / "climate.json").write_text(json.dumps(rounded, indent=1))
    print(json.dumps(rounded, indent=1))
    runs = [(options.out.name, c, lat, sigma)]
    if options.beside:
        other = np.load(options.beside / "climate.npz")
        runs.append((options.beside.name, climate(other), other["latitude"], other["sigma"]))
    picture(runs, path=options.out / "climate.png")


@styled
def picture(runs):
    """Zonal means, a row of panels for each of (name, climate, latitude, sigma)."""
    figure, axes = new_panels(len(runs), 5, 13.5, 2.9 * len(runs), sharey=True)
    for row, (name, *of_run) in zip(np.reshape(axes, (len(runs), 5)), runs, strict=True):
        draw(row, *of_run)
        row[0].set(ylim=(1, 0), ylabel=f"{name}: sigma" if len(runs) > 1 else "sigma")
    return figure


def draw(axes, c, lat, sigma):
    panels = [
        ("u", "Zonal wind [m s⁻¹]", np.arange(-32, 45, 4)),
        ("T", "Temperature [K]", np.arange(190, 320, 10)),
        ("variance", "Variance of T [K²]", np.arange(5, 66, 5)),
        ("momentum_flux", "Momentum flux [m² s⁻²]", np.arange(-90, 91, 10)),
        ("heat_flux", "Heat flux [K m s⁻¹]", np.arange(-25, 26, 2.5)),
    ]
    for a, (name, title, levels) in zip(axes, panels):
        lines = a.contour(lat, sigma, c[name], levels, colors="black", linewidths=0.8)
        a.clabel(lines, lines.levels[::2], fontsize=7, fmt="%g")
        a.contourf(
            lat,
            sigma,
            c[name],
            levels,
            cmap="RdBu_r" if levels[0] < 0 else "viridis",
            alpha=0.6,
            extend="both",
        )
        a.set(title=title, xlabel="latitude", xticks=range(-90, 91, 45))


if __name__ == "__main__":
    main()
