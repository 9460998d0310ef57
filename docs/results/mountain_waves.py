#!/usr/bin/env python3
"""Steady waves over a low mountain against the linear solution, with their momentum flux.

    python docs/results/mountain_waves.py --json waves.json --picture waves.png
        runs experiments/mountain.toml: isothermal air, for which the linear equations of
        compressible air have constant coefficients; w and flux over x and height
    --case schar        experiments/schar-mountain.toml, against the anelastic linear solution

A wave exp(i k x + s z) of w exp(delta z / 2), with the wind U and the speed of sound c:
    i k p (U - c^2 / U) = (g - c^2 delta / 2 - c^2 s) w
    i k U rho = i k p / U - (s - delta / 2) w
    i k U w = -(s - delta / 2) p - g rho
is a quadratic equation for s: the root that decays upward, or carries energy upward.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

from fathom.plots.style import new_panels, styled

files = {"agnesi": "mountain.toml", "schar": "schar-mountain.toml"}


def root(k, wind, air):
    """s of a wave number k > 0: of compressible isothermal air."""
    c = air.constants
    temperature = air.reference.temperature
    R, cp, g = c.gas_constant, c.heat_capacity, c.gravity
    delta, c2 = g / (R * temperature), cp / (cp - R) * R * temperature
    a = 1j * k * (wind - c2 / wind)
    p = np.poly1d([-c2 / a, (g - c2 * delta / 2) / a])  # over w, in powers of s
    rho = (1j * k / wind * p - np.poly1d([1, -delta / 2])) / (1j * k * wind)
    left = np.poly1d([1, -delta / 2]) * p + g * rho + np.poly1d([1j * k * wind])
    return _upward(left.roots)


def anelastic_root(k, wind, air):
    """s where N is one number: (N / U)^2 - k^2."""
    return _upward(np.roots([1, 0, air.reference.stability**2 / wind**2 - k**2]))


def _upward(roots):
    """The root that decays upward; of two that do not, the one whose phase lines tilt upwind."""
    fading = [s for s in roots if s.real < -1e-9 * abs(s)]
    return fading[0] if fading else max(roots, key=lambda s: s.imag)


def linear(air, wind, z):
    """w of the steady state at columns and heights z, (levels, nx), and its density factor."""
    x = air.grid.coordinates()[0][0]
    ground = np.fft.rfft(air.heights[-1, 0] - np.mean(air.heights[-1, 0]))
    length = x.size * air.grid.dx
    isothermal = hasattr(air.reference, "temperature")
    c = air.constants
    if isothermal:
        grow = np.exp(c.gravity * z / (2 * c.gas_constant * air.reference.temperature))
    else:
        pi, theta = air.reference.exner(z, c), air.reference.potential_temperature(z, c)
        grow = np.sqrt(c.density(1.0, air.reference.surface) / c.density(pi, theta))
    waves = np.zeros((len(z), ground.size), complex)
    for n in range(1, ground.size - 1):
        k = 2 * np.pi * n / length
        s = (root if isothermal else anelastic_root)(k, wind, air)
        waves[:, n] = 1j * k * wind * ground[n] * np.exp(s * z)
    return grow[:, None] * np.fft.irfft(waves, x.size, axis=1)


def flux(air, u, w):
    """Sum over x of rho u' w' at interfaces between layers [N m-1], u on faces of layers."""
    rho = air.rest.state[1][:, 0]
    u = u - u.mean(1, keepdims=True)
    u = (u + np.roll(u, 1, 1)) / 2
    between = (u[1:] + u[:-1]) / 2
    return np.sum((rho[1:] + rho[:-1]) / 2 * between * w[1:-1], axis=1) * air.grid.dx


def run(case, period=None):
    """The model after the time in the file: w, u, and the model."""
    from fathom.run.experiment.experiment import Experiment

    file = Path(__file__).parents[2] / "experiments" / files[case]
    with tempfile.TemporaryDirectory() as directory:
        experiment = Experiment.read(file)
        sim = experiment.simulation(directory, overwrite=True).prepare()
        sim.run(period or experiment.period)
        return sim.model, sim.gather("upward_air_velocity")[:, 0], sim.gather("x_wind")[:, 0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", choices=list(files), default="agnesi")
    parser.add_argument("--for", dest="period", help="instead of what the file says")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--picture", metavar="FILE")
    given = parser.parse_args()
    air, w, u = run(given.case, given.period)
    wind, z = float(air.initial["x_wind"]), air.grid.levels.interfaces
    true = linear(air, wind, z)
    below = z <= 0.6 * air.sponge_bottom
    x = air.grid.coordinates()[0][0]
    near = np.abs(x - x.mean()) < 0.25 * np.ptp(x)
    part = np.ix_(below, near)
    error = float(np.sqrt(np.mean((w - true)[part] ** 2) / np.mean(true[part] ** 2)))
    found = flux(air, u, w)
    between = z[1:-1]
    low = (between > 1e3) & (between < 0.6 * air.sponge_bottom)
    rho = float(air.rest.state[1][-1, 0, 0])
    result = {
        "case": given.case,
        "l2_error": error,
        "largest_w": float(np.abs(w[part]).max()),
        "largest_w_exact": float(np.abs(true[part]).max()),
        "momentum_flux": [float(found[low].min()), float(found[low].max())],
    }
    if given.case == "agnesi":  # hydrostatic: -pi / 4 rho N U h^2
        c = air.constants
        stability = c.gravity / np.sqrt(c.heat_capacity * air.reference.temperature)
        exact = -np.pi / 4 * rho * stability * wind * np.ptp(air.heights[-1]) ** 2
        result["momentum_flux_over_exact"] = [float(f) / exact for f in result["momentum_flux"]]
    print(json.dumps(result, indent=1))
    if given.json:
        Path(given.json).write_text(json.dumps(result, indent=1))
    if given.picture:
        draw(x, z, w, true, near, air.sponge_bottom, path=given.picture)
    return 0


@styled
def draw(x, z, w, true, near, top):
    """w compared with the linear solution, in the middle half of the ground."""
    figure, panels = new_panels(1, 2, 9.2, 3.2, sharey=True)
    keep = z <= top
    most = np.abs(true[np.ix_(keep, near)]).max()
    unit = 10 ** np.floor(np.log10(most / 10))
    step = unit * np.ceil(most / 10 / unit)
    levels = step * (np.arange(21) - 10)
    for panel, values, title in zip(panels, (w, true), ("computed", "linear solution")):
        filled = panel.contourf(
            x[near] / 1e3,
            z[keep] / 1e3,
            values[np.ix_(keep, near)],
            levels,
            cmap="RdBu_r",
            extend="both",
        )
        panel.set(title=f"w, {title}", xlabel="x [km]")
    panels[0].set_ylabel("height [km]")
    figure.colorbar(filled, label="m/s")
    return figure


if __name__ == "__main__":
    sys.exit(main())
