#!/usr/bin/env python3
"""Steady waves over a low mountain in the limited-area atmosphere, hydrostatic and not, against the
linear solution of compressible isothermal air.

    python docs/results/area_mountain_waves.py [--json FILE] [--picture FILE]

A bell of 10 m under 20 m/s and 250 K (N / U = 1 / 1.02 km), on a periodic plane: wide, half width
10 km on 512 points of 2 km with steps of 60 s, and narrow, 1 km on 1024 points of 200 m with steps
of 6 s. Both dynamics compute each. Above 15 km an upper zone relaxes the air to the inflow. The
transient of the start moves with the wind around the plane; 600 steps end before it returns.

    --case wide | narrow | both (default)     --steps, --points N instead of these

    --case hills [--height 250] [--hours 4]

The hills of Schaer (mountain_waves.py), 25 m, under 10 m/s and N = 0.01 s-1, in compressible air: a
plane of 256 points of 500 m, steps of 20 s. Levels follow the hills up to the top at 20 km; above
12 km the upper zone. "short_waves" has the waves of 3 to 5 km above the hills, with bars.
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
from mountain_waves import over_constant_stability, root, short_waves

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


class Hills:
    """The hills of Schaer on a plane, and the air over them."""

    spacing, points, step, wind, top, layers, zone = 500.0, 256, 20.0, 10.0, 20e3, 66, 12e3

    def __init__(self, height):
        from fathom.atmosphere.spectral.reference import Constants, Stratified

        self.constants, self.reference = Constants(GRAVITY, R, CP, 1e5), Stratified(280.0, 0.01)
        self.height, self.length = height, self.points * self.spacing
        self.x = (np.arange(self.points) + 0.5) * self.spacing
        self.z = np.linspace(self.top, 0, self.layers + 1)

    def ground(self, x):
        x = x - self.length / 2
        return self.height * np.exp(-((x / 5e3) ** 2)) * np.cos(np.pi * x / 4e3) ** 2

    def pressure(self, z):
        return 1e5 * self.reference.exner(z, self.constants) ** (CP / R)

    def temperature(self, p):
        z = np.linspace(self.top + 2e3, -500, 2001)
        T = self.reference.exner(z, self.constants)
        T *= self.reference.potential_temperature(z, self.constants)
        return np.interp(np.log(p), np.log(self.pressure(z)), T)

    def model(self):
        import fathom as fm

        p = self.pressure(self.z)
        b = (p - p[0]) / (1e5 - p[0])
        levels = fm.HybridLevels(a=list(p - 1e5 * b), b=list(b))
        model = fm.LimitedAreaAtmosphere(
            fm.CartesianGrid(self.points, 4, extent=self.length, levels=levels),
            dynamics="non-hydrostatic",
            orography=lambda x, y: GRAVITY * self.ground(x) + 0 * y,
            rotation=0.0,
            upper_zone=float(self.pressure(self.zone)),
            upper_zone_time="60s",
            diffusion_time=0,
            off_centring=0.1,
        )
        surface = self.pressure(np.asarray(model.surface_geopotential) / GRAVITY)
        between = levels.a[:, None, None] + levels.b[:, None, None] * surface
        return model.set(
            air_temperature=self.temperature((between[1:] + between[:-1]) / 2),
            eastward_wind=self.wind,
            log_surface_pressure=np.log(surface),
        )

    def run(self, hours):
        """w at the heights of interfaces over flat ground, and that of the linear solution."""
        import fathom as fm

        model = self.model()
        sim = fm.Simulation(model, time_step=self.step).prepare()
        sim.advance(round(hours * 3600 / self.step))
        w, levels = sim.gather("upward_air_velocity")[:, 0], model.grid.levels
        surface = self.pressure(self.ground(self.x))
        own = np.log(levels.a[:, None] + levels.b[:, None] * surface)
        wanted = np.log(self.pressure(self.z))
        w = np.array([np.interp(wanted, p, one) for p, one in zip(own.T, w.T, strict=True)]).T
        return w, self.linear(self.z)

    def linear(self, z):
        n = np.arange(1, (self.points - 1) // 3 + 1)  # those that the model keeps
        k = 2 * np.pi * n / self.length
        ground = np.fft.rfft(self.ground(self.x))
        waves = np.zeros((len(z), ground.size), complex)
        waves[:, n] = 1j * k * self.wind * ground[n]
        waves[:, n] *= over_constant_stability(k, self.wind, self, z)
        return np.fft.irfft(waves, self.points, axis=1)

    def compared(self, hours):
        w, true = self.run(hours)
        near = np.abs(self.x - self.length / 2) < 25e3
        part = np.ix_(self.z <= 9e3, near)
        return {
            "l2_error": float(np.sqrt(np.mean((w - true)[part] ** 2) / np.mean(true[part] ** 2))),
            "short_waves": short_waves(w, true, self.z, self.spacing, near),
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", choices=[*cases, "both", "hills"], default="both")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--points", type=int)
    parser.add_argument("--height", type=float, default=25.0, help="of the hills [m]")
    parser.add_argument("--hours", type=float, default=4.0, help="over the hills")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--picture", metavar="FILE")
    given = parser.parse_args()
    result, fields = {}, {}
    if given.case == "hills":
        result["hills"] = Hills(given.height).compared(given.hours)
        cases_now = []
    else:
        cases_now = cases if given.case == "both" else [given.case]
    for case in cases_now:
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
    if given.picture and fields:
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
