#!/usr/bin/env python3
"""Compressible air of the limited-area atmosphere in cases with a known shape: a warm bubble, a
supercell, a stable boundary layer and a cold-air outbreak, on planes periodic in both directions.

    python docs/results/area_cases.py [--case NAME] [--json FILE] [--picture FILE]

bubble      dry thermal of Bryan & Fritsch (2002, Mon. Wea. Rev. 130, 2917), section 4: 2 K in
            neutral air of 300 K; 125 m, steps of 4 s, after 1000 s
supercell   sounding of Weisman & Klemp (1982, Mon. Wea. Rev. 110, 504), 14 g/kg, wind that turns
            from -15 to 15 m/s within 6 km, a bubble of 3 K; microphysics with graupel alone, 2 km,
            steps of 12 s, after two hours
night       GABLS1 (Beare et al. 2006, Boundary-Layer Meteorol. 118, 247): 8 m/s of geostrophic
            wind at 73 N over a ground that cools by 0.25 K an hour, all of AROME's physics except
            soil and moist air; 400 m, after nine hours
outbreak    air of -13 degrees at the ground, 15 m/s, comes over a sea of 6 degrees: all of AROME's
            physics, 2.5 km, steps of 60 s, after nine hours

--small: few points and steps, for a quick test.  --hours, --points instead of these.

A periodic plane has no mean pressure gradient: instead the force f k x v_g is added in each step.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.base import constants
from fathom.base.earth import GRAVITY
from fathom.plots.style import new_panels, styled

R, CP = constants.dry_air_gas_constant, constants.spectral_heat_capacity
KAPPA = R / CP
P0 = 1e5


class Sounding:
    """Air at rest above a flat ground: theta [K] and relative humidity of a height [m]."""

    def __init__(self, theta, humidity=None, top=20e3, most=1.0):
        self.z = np.linspace(0, top, 4001)
        self.theta = theta(self.z) + 0 * self.z
        exner = np.empty_like(self.z)
        exner[0], q = 1.0, np.zeros_like(self.z)
        for _ in range(4 if humidity else 1):  # vapour makes air lighter
            slope = GRAVITY / (CP * self.theta * (1 + 0.6077667 * q))
            steps = 0.5 * (slope[1:] + slope[:-1]) * np.diff(self.z)
            exner[1:] = 1 - np.cumsum(steps)
            self.p = P0 * exner ** (1 / KAPPA)
            self.T = self.theta * exner
            if humidity:
                q = np.minimum(humidity(self.z) * saturation(self.T, self.p), most)
        self.q = q

    def height(self, p):
        return np.interp(-np.asarray(p, float), -self.p, self.z)

    def at(self, values):
        """A function of (x, y, p)."""
        return lambda x, y, p: np.interp(-np.asarray(p, float), -self.p, values) + 0 * x

    def levels(self, interfaces):
        """HybridLevels with interfaces at heights, from the top down to 0."""
        p = np.interp(interfaces, self.z, self.p)
        b = np.clip((p - p[0]) / (P0 - p[0]), 0, 1)
        return fm.HybridLevels(a=list(p - P0 * b), b=list(b))


def saturation(T, p):
    """q_s over water."""
    e = 610.78 * np.exp(17.2693882 * (T - 273.16) / (T - 35.86))
    return 0.622 * e / np.maximum(p - 0.378 * e, e)


def air(model, sim):
    """At present: T, theta, heights of layers and interfaces above the ground, w, on all points."""
    levels = model.grid.levels
    pi = levels.a[:, None, None] + levels.b[:, None, None] * P0 * np.exp(
        sim.gather("log_pressure_ratio")[0]
    )
    p = np.sqrt(pi[1:] * pi[:-1]) * np.exp(sim.gather("log_pressure_departure"))
    warm = sim.gather(model.temperature)
    q = sim.gather("specific_humidity") if model.moist else 0.0
    layers = R * warm / GRAVITY * np.diff(pi, axis=0) / p
    z = np.concatenate([np.cumsum(layers[::-1], 0)[::-1], np.zeros_like(pi[:1])])
    T = warm / (1 + 0.6077667 * q)
    return T, T * (P0 / p) ** KAPPA, 0.5 * (z[1:] + z[:-1]), z, sim.gather("upward_air_velocity")


# ---- the cases -----------------------------------------------------------------------------------


def bubble(points, hours, directory):
    n, spacing, step = points or 160, 125.0 * 160 / (points or 160), 4.0
    sounding = Sounding(lambda z: 300.0, top=10e3)
    grid = fm.CartesianGrid(
        n,
        4,
        extent=n * spacing,
        levels=sounding.levels(np.linspace(10e3, 0, max(n // 2, 20) + 1)),
    )
    model = fm.LimitedAreaAtmosphere(
        grid, dynamics="non-hydrostatic", rotation=0.0, diffusion_time="60s"
    )

    def warm(x, y, p):
        away = np.hypot((x - n * spacing / 2) / 2e3, (sounding.height(p) - 2e3) / 2e3)
        more = 2 * np.cos(np.pi / 2 * np.minimum(away, 1)) ** 2
        return (300 + more) * (p / P0) ** KAPPA

    sim = fm.Simulation(
        model.set(air_temperature=warm), time_step=step, directory=directory
    ).prepare()
    sim.advance(round((hours or 1000 / 3600) * 3600 / step))
    _, theta, z, interfaces, w = air(model, sim)
    found = {
        "largest_w": float(w.max()),
        "least_w": float(w.min()),
        "largest_theta": float(theta.max() - 300),
        "least_theta": float(theta.min() - 300),
    }
    x = grid.coordinates()[0][0] / 1e3
    shown = [
        ("θ′ [K]", x, z[:, 0].mean(1) / 1e3, theta[:, 0] - 300),
        ("w [m s⁻¹]", x, interfaces[:, 0].mean(1) / 1e3, w[:, 0]),
    ]
    return found, shown


def unstable_air(n, spacing):
    """The model, with a bubble in the middle."""
    theta = lambda z: np.where(
        z < 12e3,
        300 + 43 * (z / 12e3) ** 1.25,
        343 * np.exp(GRAVITY * np.maximum(z - 12e3, 0) / (CP * 213)),
    )
    humid = lambda z: np.where(z < 12e3, 1 - 0.75 * (z / 12e3) ** 1.25, 0.25)
    sounding = Sounding(theta, humid, most=0.014)
    grid = fm.CartesianGrid(
        n, n, extent=n * spacing, levels=sounding.levels(np.linspace(20e3, 0, 41))
    )
    model = fm.LimitedAreaAtmosphere(
        grid,
        dynamics="non-hydrostatic",
        rotation=0.0,
        physics=[fm.GraupelMicrophysics(critical_humidity=0.999)],
        outer="initial",
        upper_zone=float(np.interp(15e3, sounding.z, sounding.p)),
        upper_zone_time="5min",
        diffusion_time="3min",
    )
    middle = n * spacing / 2

    def warm(x, y, p):
        z = sounding.height(p)
        away = np.hypot(np.hypot((x - middle) / 10e3, (y - middle) / 10e3), (z - 1.5e3) / 1.5e3)
        more = 3 * np.cos(np.pi / 2 * np.minimum(away, 1)) ** 2
        return sounding.at(sounding.T)(x, y, p) + more * (p / P0) ** KAPPA

    return model.set(
        air_temperature=warm,
        specific_humidity=sounding.at(sounding.q),
        eastward_wind=lambda x, y, p: 30 * np.minimum(sounding.height(p) / 6e3, 1) - 15 + 0 * x,
    )


def supercell(points, hours, directory):
    n, step = points or 72, 12.0
    model = unstable_air(n, 2e3)
    grid = model.grid
    sim = fm.Simulation(model, time_step=step, directory=directory).prepare()
    strongest, rain = [], 0.0
    for _ in range(round((hours or 2) * 12)):  # every five minutes
        sim.advance(25)
        strongest.append(float(sim.gather("upward_air_velocity").max()))
        rain = rain + 300 * sim.gather("stratiform_precipitation")[0]
    _, _, z, interfaces, w = air(model, sim)
    level = int(np.argmin(abs(interfaces[:, 0, 0] - 5e3)))
    at = w[level]
    x, y = (c / 1e3 for c in grid.coordinates())
    half = n // 2
    found = {
        "largest_w": max(strongest),
        "largest_w_of_last_hour": max(strongest[-12:]),
        "largest_rain": float(np.max(rain)),
        "distance_of_updraughts": float(
            abs(y.ravel()[at[half:].argmax() + half * n] - y.ravel()[at[:half].argmax()])
        ),
        "asymmetry": float(abs(at - at[::-1]).max() / at.max()),
        "most_graupel": float(1e3 * sim.gather("graupel_water").max()),
    }
    water = sum(sim.gather(k) for k in ("rain_water", "snow_water", "graupel_water")) * 1e3
    row = int(at[half:].max(1).argmax() + half)
    shown = [
        ("w at 5 km [m s⁻¹]", x[0], y[:, 0], at),
        ("rain [mm]", x[0], y[:, 0], np.asarray(rain)),
        (
            "falling water [g kg⁻¹]",
            x[0],
            z[:, 0, 0] / 1e3,
            water[:, row],
        ),
    ]
    return found, shown


def pushed(sim, wind):
    """The geostrophic wind (along x, along y) [m s-1] of a pressure gradient."""
    f = float(sim.model.geometry()["coriolis"].mean())
    u, v = wind

    def push(simulation):
        simulation.state["eastward_wind"] -= simulation.time_step * f * v
        simulation.state["northward_wind"] += simulation.time_step * f * u

    sim.call(push, sim.time_step)


def night(points, hours, directory):
    n, step = points or 6, 20.0
    sounding = Sounding(lambda z: 265 + 0.01 * np.maximum(z - 100, 0), top=4e3)
    high = np.concatenate([np.linspace(4e3, 500, 8)[:-1], np.linspace(500, 0, 51)])
    grid = fm.CartesianGrid(n, n, extent=n * 400.0, latitude=73.0, levels=sounding.levels(high))
    physics = fm.AromePhysics(radiation="Radiation", radiation_every="9h", land="LandSurface")
    model = fm.LimitedAreaAtmosphere(
        grid, dynamics="non-hydrostatic", physics=physics, diffusion_time="10min"
    )
    noise = np.random.default_rng(0).normal(0, 0.1, (n, n))
    model.set(
        air_temperature=lambda x, y, p: (
            sounding.at(sounding.T)(x, y, p) + noise[: np.shape(x)[0]] * (sounding.height(p) < 50)
        ),
        specific_humidity=1e-5,
        eastward_wind=8.0,
        land_fraction=1.0,
        soil_moisture=0.0,
        ground_temperature=265.0,
        deep_ground_temperature=265.0,
        roughness_length=0.1,
    )
    sim = fm.Simulation(model, time_step=step, start="2000-01-01", directory=directory)
    pushed(sim, (8.0, 0.0))

    def cool(simulation):
        simulation.state["ground_temperature"] = 265.0 - 0.25 * simulation.seconds / 3600

    sim.call(cool, step)
    stresses = ["surface_stress_eastward", "surface_stress_northward"]
    sim.output("kept.zarr", [*stresses, "air_diffusivity"], every="9h")
    sim.run(f"{(hours or 9) * 3600:g}s", report=False)
    _, theta, z, interfaces, _ = air(model, sim)
    mean = lambda a: np.asarray(a, float).mean((1, 2))
    u, v = mean(sim.gather("eastward_wind")), mean(sim.gather("northward_wind"))
    speed, z, theta = np.hypot(u, v), mean(z), mean(theta)
    stress = np.hypot(*(sim.gather(name).mean() for name in stresses))
    K = mean(sim.gather("air_diffusivity"))[1:-1]
    flux = K * np.hypot(np.diff(u), np.diff(v)) / np.abs(np.diff(z))
    edge = mean(interfaces)[1:-1]
    low = edge < 450
    found = {
        "friction_velocity": float(np.sqrt(stress / 1.33)),
        "depth_of_stress": float(edge[low & (flux > 0.05 * flux[low].max())].max() / 0.95),
        "largest_wind": float(speed[z < 450].max()),
        "height_of_it": float(z[z < 450][speed[z < 450].argmax()]),
        "sensible_heat": float(sim.gather("sensible_heat_flux").mean()),
    }
    part = z < 400
    shown = [
        ("wind [m s⁻¹]", speed[part], z[part], None),
        ("θ [K]", theta[part], z[part], None),
        ("stress [m² s⁻²]", flux[edge < 400], edge[edge < 400], None),
    ]
    return found, shown


def cold_air(n):
    """The model: cold air over a warm sea, with noise near it."""
    theta = lambda z: 260 + 1e-3 * z + 6e-3 * np.maximum(z - 1200, 0)
    sounding = Sounding(theta, lambda z: np.where(z < 1200, 0.7, 0.4), top=18e3)
    stretched = 18e3 * np.linspace(1, 0, 51) ** 1.8
    grid = fm.CartesianGrid(
        n, n, extent=n * 2.5e3, latitude=65.0, levels=sounding.levels(stretched)
    )
    model = fm.LimitedAreaAtmosphere(
        grid,
        dynamics="non-hydrostatic",
        physics=fm.AromePhysics(),
        diffusion_time="10min",
        outer="initial",
        upper_zone=float(np.interp(12e3, sounding.z, sounding.p)),
        precision="fp32",
    )
    noise = np.random.default_rng(0).normal(0, 0.1, (n, n))
    return model.set(
        air_temperature=lambda x, y, p: (
            sounding.at(sounding.T)(x, y, p) + noise * (sounding.height(p) < 500)
        ),
        specific_humidity=sounding.at(sounding.q),
        eastward_wind=15.0,
        sea_surface_temperature=279.0,
    )


def outbreak(points, hours, directory):
    n, step = points or 64, 60.0
    model = cold_air(n)
    grid = model.grid
    sim = fm.Simulation(model, time_step=step, start="2000-01-15", directory=directory)
    pushed(sim, (15.0, 0.0))
    fluxes = []

    def look(simulation):
        names = ("sensible_heat_flux", "evaporation_flux", "stratiform_precipitation")
        fluxes.append([simulation.gather(name).mean() for name in names])

    sim.call(look, "15min")
    sim.run(f"{(hours or 9) * 3600:g}s", report=False)
    _, _, z, interfaces, w = air(model, sim)
    heat, evaporation, rain = np.mean(fluxes[-8:], 0)
    condensed = sim.gather("cloud_liquid_water") + sim.gather("cloud_ice")
    pi = grid.levels.a + grid.levels.b * P0
    path = 1e3 * np.tensordot(np.diff(pi) / GRAVITY, condensed, 1)
    level = int(np.argmin(abs(interfaces[:, 0, 0] - 1e3)))
    cloudy = (condensed > 1e-5).mean((1, 2))
    found = {
        "sensible_heat": float(heat),
        "latent_heat": float(2.5e6 * evaporation),
        "snow": float(86400 * rain),
        "top_of_clouds": float(z.mean((1, 2))[cloudy > 0.01].max(initial=0)),
        "cover": float((path > 10).mean()),
        "w_at_1_km": [float(w[level].min()), float(w[level].max())],
    }
    x, y = (c / 1e3 for c in grid.coordinates())
    kinds = ("cloud_liquid_water", "cloud_ice", "rain_water", "snow_water", "graupel_water")
    water, low = 1e3 * sum(map(sim.gather, kinds)), z[:, 0, 0] < 5e3
    row = int(path.max(1).argmax())
    shown = [
        ("cloud water and ice [g m⁻²]", x[0], y[:, 0], path),
        ("w at 1 km [m s⁻¹]", x[0], y[:, 0], w[level]),
        (
            "condensed water [g kg⁻¹]",
            x[0],
            z[low, 0, 0] / 1e3,
            water[low, row],
        ),
    ]
    return found, shown


cases = {"bubble": bubble, "supercell": supercell, "night": night, "outbreak": outbreak}
small = {"bubble": (40, 0.05), "supercell": (16, 0.1), "night": (4, 0.1), "outbreak": (12, 0.3)}


@styled
def draw(shown):
    """Pictures of each case in a row."""
    widest = max(map(len, shown.values()))
    figure, panels = new_panels(len(shown), widest, 3.1 * widest, 2.5 * len(shown), squeeze=False)
    for row, (case, parts) in zip(panels, shown.items(), strict=True):
        for panel in row[len(parts) :]:
            panel.axis("off")
        for panel, (name, x, y, values) in zip(row, parts, strict=False):
            panel.set_title(f"{case}: {name}", fontsize=8)
            if values is None:
                panel.plot(x, y)
                panel.set_ylabel("height [m]")
            else:
                panel.set(xlabel="x [km]", ylabel="y [km]" if y.max() > 30 else "height [km]")
                figure.colorbar(filled(panel, x, y, values))
    return figure


def filled(panel, x, y, values):
    """Contour levels at equal distances, about zero where values have both signs; one band contains
    zero."""
    from matplotlib.ticker import MaxNLocator

    signed = -values.min() > 0.02 * values.max() > 0
    values = values if signed else np.maximum(values, 0)
    most = abs(values).max()
    levels = MaxNLocator(20).tick_values(-most if signed else 0, most)
    if signed:
        step = levels[1] - levels[0]
        levels = np.append(levels - 0.5 * step, levels[-1] + 0.5 * step)
    return panel.contourf(x, y, values, levels, cmap="RdBu_r" if signed else "viridis")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", choices=[*cases, "all"], default="all")
    parser.add_argument("--points", type=int)
    parser.add_argument("--hours", type=float)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--picture", metavar="FILE")
    given = parser.parse_args()
    result, shown = {}, {}
    for case in cases if given.case == "all" else [given.case]:
        points, hours = small[case] if given.small else (given.points, given.hours)
        with tempfile.TemporaryDirectory() as directory:
            result[case], shown[case] = cases[case](points, hours, directory)
        print(case, json.dumps(result[case], indent=1))
    if given.json:
        Path(given.json).write_text(json.dumps(result, indent=1))
    if given.picture:
        draw(shown, path=given.picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
