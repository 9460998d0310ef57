#!/usr/bin/env python3
"""Steady waves over a low mountain in the limited-area atmosphere, hydrostatic and not, against the
linear solution of compressible isothermal air.

    python docs/results/area_mountain_waves.py [--json FILE] [--picture FILE]

A bell of 10 m under 20 m/s and 250 K (N / U = 1 / 1.02 km), on a periodic plane: wide, half width
10 km on 512 points of 2 km with steps of 60 s, and narrow, 1 km on 1024 points of 200 m with steps
of 6 s. Both dynamics compute each. Above 15 km an upper zone relaxes the air to the inflow. The
transient of the start moves with the wind around the plane; 600 steps end before it returns.

    --case wide | narrow | both (default)     --steps, --points N instead of these
"""

import argparse
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from fathom.base import constants
from fathom.base.earth import GRAVITY
from fathom.plots.style import new_panels, styled

sys.path.insert(0, str(Path(__file__).parent))
from mountain_waves import root

R, CP = constants.dry_air_gas_constant, constants.spectral_heat_capacity
WIND, TEMPERATURE, HEIGHT = 20.0, 250.0, 10.0
# half width, spacing [m], points, step [s]
cases = {"wide": (10e3, 2e3, 512, 60.0), "narrow": (1e3, 200.0, 1024, 6.0)}
dynamics = ("hydrostatic", "non-hydrostatic")
TOP, LAYERS, ZONE = 30e3, 100, 15e3  # m


def bell(x, half_width, length):
    return HEIGHT / (1 + ((x - length / 2) / half_width) ** 2)


def model_of(kind, half_width, spacing, points):
    import fathom as fm

    scale = R * TEMPERATURE / GRAVITY
    p = 1e5 * np.exp(-np.linspace(TOP, 0, LAYERS + 1) / scale)
    b = np.clip((p - p[0]) / (1e5 - p[0]), 0, 1)
    levels = fm.HybridLevels(a=list(p - 1e5 * b), b=list(b))
    grid = fm.CartesianGrid(points, 4, extent=points * spacing, levels=levels)
    length = points * spacing
    model = fm.LimitedAreaAtmosphere(
        grid,
        dynamics=kind,
        orography=lambda x, y: GRAVITY * bell(x, half_width, length) + 0 * y,
        rotation=0.0,
        upper_zone=1e5 * np.exp(-ZONE / scale),
        upper_zone_time=f"{50 * half_width / 10e3:g}s",
        diffusion_time=0,
    )
    return model.set(
        air_temperature=TEMPERATURE,
        eastward_wind=WIND,
        log_surface_pressure=np.log(1e5) - model.surface_geopotential / (R * TEMPERATURE),
    )


def run(kind, half_width, spacing, points, step, steps=600):
    """w of interfaces [m s-1], (levels, points), and their heights."""
    import fathom as fm

    model = model_of(kind, half_width, spacing, points)
    sim = fm.Simulation(model, time_step=step).prepare()
    sim.advance(steps)
    levels = model.grid.levels
    p = np.asarray(levels.a) + np.asarray(levels.b) * 1e5
    z = R * TEMPERATURE / GRAVITY * np.log(p[-1] / p)
    name = "upward_air_velocity"
    w = sim.gather(name)[:, 0] if kind == "non-hydrostatic" else hydrostatic_motion(model, sim)
    return w, z, model


def hydrostatic_motion(model, sim):
    """w of hydrostatic air at interfaces: the wind along the isentropes of a steady flow, which are
    delta above their height upstream.
    """
    from fathom.grids.transform import BiFourier

    grid, kappa, scale = model.grid, R / CP, R * TEMPERATURE / GRAVITY
    T, ps = sim.gather("air_temperature"), 1e5 * np.exp(sim.gather("log_pressure_ratio")[0])
    a, b = np.asarray(grid.levels.a), np.asarray(grid.levels.b)
    p = a[:, None, None] + b[:, None, None] * ps
    thick = R / GRAVITY * T * np.log(p[1:] / p[:-1])
    ground = model.surface_geopotential / GRAVITY
    z = np.concatenate([np.cumsum(thick[::-1], 0)[::-1], np.zeros_like(ps)[None]]) + ground
    middle = z[1:] + (1 - p[:-1] / (p[1:] - p[:-1]) * np.log(p[1:] / p[:-1])) * R / GRAVITY * T
    pressure = p[1:] * np.exp(-(middle - z[1:]) * GRAVITY / (R * T))
    theta = np.log(T / TEMPERATURE) + kappa * np.log(1e5 / pressure)
    delta = middle - scale / kappa * theta
    delta = np.concatenate([delta[:1], 0.5 * (delta[1:] + delta[:-1]), ground[None]])
    u = sim.gather("eastward_wind")
    waves = BiFourier(grid.size, grid.spacing, truncation=model.truncation)
    slope = waves.gradient(waves.direct(delta))[0]
    wind = np.concatenate([u[:1], 0.5 * (u[1:] + u[:-1]), u[-1:]])
    return (wind * slope)[:, 0]


def linear(half_width, spacing, points, z):
    """w of the steady state at the points and heights z."""
    air = SimpleNamespace(
        constants=SimpleNamespace(gas_constant=R, heat_capacity=CP, gravity=GRAVITY),
        reference=SimpleNamespace(temperature=TEMPERATURE),
    )
    length = points * spacing
    x = (np.arange(points) + 0.5) * spacing
    ground = np.fft.rfft(bell(x, half_width, length))
    waves = np.zeros((len(z), ground.size), complex)
    for n in range(1, (points - 1) // 3 + 1):  # those that the model keeps
        k = 2 * np.pi * n / length
        waves[:, n] = 1j * k * WIND * ground[n] * np.exp(root(k, WIND, air) * z)
    grow = np.exp(GRAVITY * z / (2 * R * TEMPERATURE))
    return x, grow[:, None] * np.fft.irfft(waves, points, axis=1)


def compared(w, exact, x, z, half_width):
    """Differences below 10 km within 15 half widths of the top."""
    part = np.ix_(z <= 10e3, np.abs(x - x.mean()) < 15 * half_width)
    error = np.sqrt(np.mean((w - exact)[part] ** 2) / np.mean(exact[part] ** 2))
    return {
        "l2_error": float(error),
        "largest_w": float(w[part].max()),
        "largest_w_exact": float(exact[part].max()),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", choices=[*cases, "both"], default="both")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--points", type=int)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--picture", metavar="FILE")
    given = parser.parse_args()
    result, fields = {}, {}
    for case in cases if given.case == "both" else [given.case]:
        half_width, spacing, points, step = cases[case]
        points = given.points or points
        for kind in dynamics:
            w, z, _ = run(kind, half_width, spacing, points, step, given.steps)
            x, exact = linear(half_width, spacing, points, z)
            result[f"{case}, {kind}"] = compared(w, exact, x, z, half_width)
            fields[case, kind] = x, z, w
        fields[case, "linear solution"] = x, z, exact
    print(json.dumps(result, indent=1))
    if given.json:
        Path(given.json).write_text(json.dumps(result, indent=1))
    if given.picture:
        draw(fields, path=given.picture)
    return 0


@styled
def draw(fields):
    """The vertical wind of each case in a row, and its linear solution."""
    shown = list(dict.fromkeys(case for case, _ in fields))
    size = 9.2, 2.6 * len(shown)
    figure, panels = new_panels(len(shown), 3, *size, sharey=True, squeeze=False)
    for row, case in zip(panels, shown, strict=True):
        half_width = cases[case][0]
        for panel, kind in zip(row, (*dynamics, "linear solution"), strict=True):
            x, z, w = fields[case, kind]
            exact = fields[case, "linear solution"][2]
            near, low = np.abs(x - x.mean()) < 15 * half_width, z <= 15e3
            most = np.abs(exact[np.ix_(z <= 10e3, near)]).max()
            filled = panel.contourf(
                (x[near] - x.mean()) / 1e3,
                z[low] / 1e3,
                w[np.ix_(low, near)] * 100,
                np.linspace(-most, most, 22) * 100,
                cmap="RdBu_r",
                extend="both",
            )
            panel.set(title=f"{case}: {kind}", xlabel="x [km]")
        row[0].set_ylabel("height [km]")
        figure.colorbar(filled, ax=row, label="w [cm s⁻¹]")
    return figure


if __name__ == "__main__":
    sys.exit(main())
