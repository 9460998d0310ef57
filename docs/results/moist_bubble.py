#!/usr/bin/env python3
"""A thermal in cloudy air (Bryan & Fritsch 2002, Mon. Wea. Rev. 130, 2917, section 5): air of 20
g/kg of water, saturated everywhere and neutral to cloud, no rain; a bubble as buoyant as the dry
one of 2 K in 300 K. After 1000 s it has the shape of the dry one.

    python docs/results/moist_bubble.py --json bubble.json --picture bubble.png
        100 m, steps of 2 s: 200 x 100 cells
    --spacing 200       coarser, quicker

The air around is the reversible adiabat of the model itself, which has one heat capacity and one
latent heat: dT = kappa T d(ln p) - (L / c_p) d(q_s), from theta_e = 320 K at the ground on. theta_e
is the reversible one of the paper,
    theta_e = T (p_d / p_0)^(-R / c) exp(L(T) r_v / (c T)),    c = c_pd + c_l r_t minus that of the
undisturbed air.
"""

import argparse
import json
import sys
import tempfile

import numpy as np

from fathom.base.moist_air import GAS_CONSTANT as R
from fathom.base.moist_air import RATIO, VIRTUAL_FACTOR
from fathom.plots.style import new_panels, styled

CP, L, P0 = 3.5 * R, 2.5008e6, 1e5  # of the model
CPV, CL, L0 = 1885.0, 4186.0, 2.5e6  # of theta_e
WATER = 0.02 / 1.02  # of all the air
TOP, LENGTH, END = 10e3, 20e3, 1000.0


def saturation(T, p):
    """q_s, and its derivatives with temperature and with ln p (core/physics/thermodynamics)."""
    e = 610.78 * np.exp(17.2693882 * (T - 273.16) / (T - 35.86))
    rest = p - (1 - RATIO) * e
    q = RATIO * e / rest
    growth = p / rest
    return q, q * growth * 17.2693882 * (273.16 - 35.86) / (T - 35.86) ** 2, -q * growth


def theta_e(T, p, q):
    """Of vapour q [kg kg-1] of all the air."""
    r_t, r_v = WATER / (1 - WATER), q / (1 - WATER)
    c = 1005.7 + CL * r_t
    dry = p / (1 + r_v / RATIO)
    heat = L0 - (CL - CPV) * (T - 273.15)
    return T * (dry / P0) ** (-R / c) * np.exp(heat * r_v / (c * T))


def bisect(function, low, high):
    """Where a growing function is 0."""
    for _ in range(60):
        middle = (low + high) / 2
        above = function(middle) > 0
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return (low + high) / 2


def factor(q):
    """T_v / T of air whose vapour is q, the rest of its water cloud."""
    return 1 + VIRTUAL_FACTOR * q - (WATER - q)


def adiabat(steps=4000):
    """ln p, from the ground up, and T."""
    T = bisect(lambda T: theta_e(T, P0, saturation(T, P0)[0]) - 320, 250.0, 320.0)
    logs = np.linspace(np.log(P0), np.log(1e4), steps)
    found = [float(T)]

    def slope(log, T):
        _, with_T, with_p = saturation(T, np.exp(log))
        return (R / CP * T - L / CP * with_p) / (1 + L / CP * with_T)

    for log, step in zip(logs, np.diff(logs), strict=False):
        T, half = found[-1], step / 2
        a = slope(log, T)
        b = slope(log + half, T + half * a)
        c = slope(log + half, T + half * b)
        d = slope(log + step, T + step * c)
        found.append(T + step / 6 * (a + 2 * b + 2 * c + d))
    return logs, np.array(found)


def simulation(spacing, step, directory):
    """The air around, at rest."""
    import fathom as fm

    logs, warm = adiabat()
    T = lambda p: np.interp(-np.log(p), -logs, warm)
    vapour = lambda x, y, p: saturation(T(p), p)[0]
    levels = fm.HeightLevels(nz=round(TOP / spacing), top=TOP)
    grid = fm.CartesianGrid(round(LENGTH / spacing), extent=LENGTH, levels=levels)
    air = fm.GridPointAtmosphere(
        grid,
        physics=[fm.schemes.SaturationAdjustment()],
        surface_potential_temperature=300,
        stability=0.01,
    )
    air.set(
        air_temperature=lambda x, y, p: T(p),
        specific_humidity=vapour,
        cloud_liquid_water=lambda x, y, p: WATER - vapour(x, y, p),
        surface_air_pressure=P0,
    )
    return fm.Simulation(air, time_step=step, directory=directory, overwrite=True).prepare()


def now(sim):
    """Of the interfaces except the ground: T [K], p [Pa], vapour, w [m s-1], (levels, nx)."""
    model = sim.model
    c, kappa = model.constants, R / CP
    names = ("air_density", "air_potential_temperature", "specific_humidity", "upward_air_velocity")
    density, theta, q, w = (sim.gather(name)[:, 0] for name in names)
    warm = (theta[1:] + theta[:-1]) / 2
    pi = (c.gas_constant * density * warm / P0) ** (kappa / (1 - kappa))
    z = model.heights[:, 0]
    middle = (z[1:] + z[:-1]) / 2
    at = np.empty_like(pi)  # as GridPointColumns has it
    share = (z[1:-1] - middle[1:]) / (middle[:-1] - middle[1:])
    at[1:] = pi[1:] + share * (pi[:-1] - pi[1:])
    at[0] = pi[0] - c.gravity / c.heat_capacity * (z[0] - middle[0]) / theta[0]
    cloud = sim.gather("cloud_liquid_water")[:, 0]
    T = theta[:-1] * at / (1 + VIRTUAL_FACTOR * q - cloud)
    return T, P0 * at ** (1 / kappa), q, w


def warm_bubble(sim):
    """The bubble into the fields: theta_v grows by 2 K / 300 K of it at the same pressure, all is
    saturated.
    """
    _, p, _, _ = now(sim)
    x, z = sim.model.grid.coordinates()[0][0], sim.model.heights[:, 0]
    away = np.minimum(np.hypot((x - LENGTH / 2) / 2e3, (z - 2e3) / 2e3), 1)
    warmer = 1 + 2 / 300 * np.cos(np.pi / 2 * away) ** 2
    theta = sim.gather("air_potential_temperature")[:, 0]
    density = sim.gather("air_density")[:, 0]
    wanted = theta * warmer
    mean = lambda a: (a[1:] + a[:-1]) / 2
    T_v = wanted[:-1] * (p / P0) ** (R / CP)
    T = bisect(lambda T: T * factor(saturation(T, p)[0]) - T_v, np.full(p.shape, 150.0), 350.0)
    q = saturation(T, p)[0]
    state = {
        "air_potential_temperature": wanted,
        "air_density": density * mean(theta) / mean(wanted),
        "specific_humidity": q,
        "cloud_liquid_water": WATER - q,
    }
    for name, values in state.items():
        for k, level in enumerate(values):
            sim.fields.set(name, np.ascontiguousarray(level[None]), k)


@styled
def draw(x, z, warmer, w):
    figure, axes = new_panels(1, 2, 9.2, 3.2)
    for panel, values, step, name in (
        (axes[0], warmer, 0.5, "theta_e' [K]"),
        (axes[1], w, 2.0, "w [m/s]"),
    ):
        most = step * np.ceil(np.abs(values).max() / step)
        filled = panel.contourf(
            x / 1e3, z / 1e3, values, np.arange(-most, most + step, step), cmap="RdBu_r"
        )
        panel.set(title=name, xlabel="x [km]", ylabel="z [km]", xlim=(5, 15))
        figure.colorbar(filled)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--picture", metavar="FILE")
    parser.add_argument("--spacing", type=float, default=100.0, help="[m]")
    parser.add_argument("--step", type=float, help="[s], by default 2 s at 100 m")
    parser.add_argument("--still", action="store_true", help="no bubble")
    given = parser.parse_args()
    step = given.step or given.spacing / 50
    with tempfile.TemporaryDirectory() as directory:
        sim = simulation(given.spacing, step, directory)
        around = theta_e(*now(sim)[:3])
        if not given.still:
            warm_bubble(sim)
        water = sim.gather("specific_humidity") + sim.gather("cloud_liquid_water")
        sim.advance(round(END / step))
        T, p, q, w = now(sim)
        warmer = theta_e(T, p, q) - around
        after = sim.gather("specific_humidity") + sim.gather("cloud_liquid_water")
        result = {
            "largest_w": float(w.max()),
            "least_w": float(w.min()),
            "largest_theta_e": float(warmer.max()),
            "least_theta_e": float(warmer.min()),
            "top_of_bubble": float(sim.model.heights[:-1, 0][warmer > 1].max(initial=0)),
            "error_of_water": float(np.abs(after - water).max() / WATER),
        }
        x, z = sim.model.grid.coordinates()[0][0], sim.model.heights[:-1, 0]
    for name, value in result.items():
        print(f"{name}: {value:.5g}")
    if given.json:
        with open(given.json, "w") as file:
            json.dump(result, file, indent=1)
    if given.picture:
        draw(np.broadcast_to(x, z.shape), z, warmer, w[:-1], path=given.picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
