"""Published test cases of the sphere, either scheme, any truncation: extremes day by day, and the
difference of two runs.

    python docs/results/published_cases.py run polvani runs/polvani-t85 --truncation 85 \\
        --scheme eulerian --step 5min
    python docs/results/published_cases.py compare runs/polvani-t42 runs/polvani-t85
    python docs/results/published_cases.py heights runs/one/height.zarr runs/other/height.zarr

polvani                  12 days, 20 sigma levels, viscosity of 7e5 m2/s (Polvani et al. 2004);
    10 min at T42 to T170
jablonowski-williamson   9 days, 26 hybrid levels (Jablonowski & Williamson 2006)
galewsky                 6 days, shallow water;
    --viscosity 1e5 as Galewsky et al. (2004) have it in their converged run

`run` continues an unfinished run (--minutes), leaves day.jsonl (a line for each day) and waves.npz
(coefficients of the last day's vorticity of the lowest layer and of the surface pressure or the
height). `compare` is the rms over the waves that both have, over the rms of the deviation from the
zonal mean. `heights`: l2 of the depth of shallow water at the last time of two stores on one grid,
relative to the second (Williamson et al. 1992).
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.grids.transform import SphericalHarmonics

earth = {"rotation": 7.292e-5, "gas_constant": 287.0, "heat_capacity": 1004.5}  # of the papers
days = {"polvani": 12, "jablonowski-williamson": 9, "galewsky": 6}


def build(o):
    """The model of a case."""
    diffusion = {"diffusion_time": o.diffusion or 0, "viscosity": o.viscosity}
    if o.case == "galewsky":
        water = fm.ShallowWater(
            fm.GaussianGrid(o.truncation, radius=6.37122e6),
            scheme=o.scheme,
            robert_asselin=o.filter,
            rotation=7.292e-5,
            **diffusion,
        )
        return water.set(case=o.case)
    levels = fm.SigmaLevels(20) if o.case == "polvani" else fm.HybridLevels("L26")
    grid = fm.GaussianGrid(
        o.truncation,
        grid=o.grid,
        levels=levels,
        radius=6.371e6 if o.case == "polvani" else 6.371229e6,
    )
    return fm.SpectralAtmosphere(
        grid, scheme=o.scheme, robert_asselin=o.filter, precision=o.precision, **earth, **diffusion
    ).set(case=o.case)


def now(sim, transform):
    """Present values, and the coefficients that `compare` takes."""
    u, v = (
        np.ascontiguousarray(sim.gather(f"{d}_wind")[-1], float) for d in ("eastward", "northward")
    )
    vorticity = transform.vorticity_divergence(u, v)[0]
    zeta, numbers = transform.inverse(vorticity), {"day": round(sim.seconds / 86400, 6)}
    if sim.model.grid.levels.nz > 1:
        pressure = 1e3 * np.exp(sim.gather("log_pressure_ratio")[0].astype(float))
        numbers |= {
            "lowest, highest surface pressure [hPa]": (pressure.min(), pressure.max()),
            "largest wind [m/s]": (sim.model.watch(sim)[0]["maximum_wind"][0],),
        }
        other = {"pressure": transform.direct(pressure)}
    else:
        height = (
            sim.gather("fluid_geopotential")[0] + sim.gather("surface_geopotential")[0]
        ) / 9.80616
        numbers |= {
            "lowest, highest surface [m]": (height.min(), height.max()),
            "largest northward wind [m/s]": (v.max(),),
        }
        other = {"height": transform.direct(np.ascontiguousarray(height))}
    numbers["vorticity of the lowest layer [1e-5 s-1]"] = (1e5 * zeta.min(), 1e5 * zeta.max())
    return {k: v if k == "day" else [round(float(x), 4) for x in v] for k, v in numbers.items()}, {
        "vorticity": vorticity,
        **other,
        "m": transform.m,
        "n": transform.n,
    }


def run(o):
    o.out.mkdir(parents=True, exist_ok=True)
    began, restart, log = time.perf_counter(), o.out / "state.fathom", o.out / "day.jsonl"
    sim = fm.Simulation(
        build(o), time_step=o.step, parallel={"threads": o.threads}, directory=o.out
    )
    if restart.exists():
        sim.restore(restart)
    sim.prepare()
    transform = SphericalHarmonics(o.truncation, sim.model.grid.rows, radius=sim.model.grid.radius)
    if sim.seconds >= 86400 * days[o.case]:
        raise SystemExit(f"{o.out} has its {days[o.case]} days")
    for day in range(round(sim.seconds / 86400) + 1, days[o.case] + 1):
        sim.advance(round(day * 86400 / sim.time_step) - sim.count)
        numbers, waves = now(sim, transform)
        line = json.dumps(numbers)
        print(line, flush=True)
        with log.open("a") as file:
            file.write(line + "\n")
        if time.perf_counter() - began > 60 * o.minutes:
            break
    sim.write_restart(restart.name)
    np.savez(o.out / "waves.npz", **waves)


def compare(o):
    one, other = (np.load(path / "waves.npz") for path in (o.out, o.other))
    both = min(w["n"].max() for w in (one, other))
    for name in set(one) - {"m", "n"}:
        a, b = (
            {(m, n): f for m, n, f in zip(w["m"], w["n"], w[name]) if n <= both}
            for w in (one, other)
        )
        keys = sorted(a)
        weight = np.array([1 if m == 0 else 2 for m, _ in keys])
        difference, wave = (
            np.sqrt((weight * abs(np.array(x)) ** 2).sum())
            for x in ([a[k] - b[k] for k in keys], [b[k] * (k[0] > 0) for k in keys])
        )
        print(f"{name}: {difference:.4g}, {difference / wave:.3g} of the waves")


def heights(o):
    one, other = (fm.open(path)["fluid_phi"].isel(time=-1).squeeze() for path in (o.out, o.other))
    weight = np.cos(np.deg2rad(other["latitude"]))
    square = lambda field: float((weight * field**2).sum())
    difference = np.sqrt(square(one - other.values) / square(other))
    print(f"{one['time'].values}: l2 {difference:.2e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(required=True)
    runs, comparison = commands.add_parser("run"), commands.add_parser("compare")
    stores = commands.add_parser("heights")
    runs.set_defaults(do=run)
    comparison.set_defaults(do=compare)
    stores.set_defaults(do=heights)
    runs.add_argument("case", choices=list(days))
    for p in (runs, comparison, stores):
        p.add_argument("out", type=Path)
    for p in (comparison, stores):
        p.add_argument("other", type=Path)
    for name, default in (("truncation", 85), ("threads", 2)):
        runs.add_argument(f"--{name}", type=int, default=default)
    for name, default in (
        ("scheme", "eulerian"),
        ("step", "5min"),
        ("grid", "quadratic"),
        ("precision", "fp64"),
        ("diffusion", ""),
    ):
        runs.add_argument(
            f"--{name}",
            default=default,
            help=(
                "e-folding time of the smallest waves, eighth derivative"
                if name == "diffusion"
                else None
            ),
        )
    for name, default in (("viscosity", None), ("filter", 0.05), ("minutes", 1e9)):
        runs.add_argument(f"--{name}", type=float, default=default)
    options = parser.parse_args()
    if getattr(options, "viscosity", 0) is None:
        options.viscosity = 7e5 if options.case == "polvani" else 0.0
    options.do(options)


if __name__ == "__main__":
    main()
