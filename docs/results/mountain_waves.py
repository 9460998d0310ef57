#!/usr/bin/env python3
"""Steady waves over a low mountain against the linear solution, with their momentum flux.

    python docs/results/mountain_waves.py --json waves.json --picture waves.png
        runs experiments/mountain.toml: isothermal air, for which the linear equations of
        compressible air have constant coefficients; w and flux over x and height
    --case schar        experiments/schar-mountain.toml, hills of 250 m under air of constant N
    --case schar-low    the same, ten times lower: nearly linear

Of the hills of Schaer "short_waves" has the waves of 3 to 5 km, which decay with height: their rms
over the rms of all linear waves, at 6 and 9 km, with the most that the test allows (bars).

A wave exp(i k x + s z) of w exp(delta z / 2), with the wind U and the speed of sound c:
    i k p (U - c^2 / U) = (g - c^2 delta / 2 - c^2 s) w
    i k U rho = i k p / U - (s - delta / 2) w
    i k U w = -(s - delta / 2) p - g rho
is a quadratic equation for s: the root that decays upward, or carries energy upward. Where N is
constant, coefficients vary with height, and w and the Exner function p (c_p theta_0 p is the
pressure over density) are integrated from the upward wave at 20 km down to the ground:
    dw/dz = g / c^2 w + i k c_p theta_0 (1 / U - U / c^2) p
    c_p theta_0 dp/dz = (-i k U + i N^2 / (k U)) w
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

from fathom.plots.style import new_panels, styled

hills = "schar-mountain.toml"
low = 'model.orography="25 * exp(-((x - 50e3) / 5e3) ** 2) * cos(pi * (x - 50e3) / 4e3) ** 2"'
cases = {"agnesi": ("mountain.toml", []), "schar": (hills, []), "schar-low": (hills, [low])}
bars = {6e3: 0.03, 9e3: 0.01}  # of waves of 3 to 5 km, at these heights [m]


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


def over_constant_stability(k, wind, air, z, top=20e3, step=20.0):
    """w at heights z over w at the ground, of wave numbers k > 0: (heights, waves)."""
    c, N, identity = air.constants, air.reference.stability, np.eye(2)

    def matrices(height):
        theta = air.reference.potential_temperature(height, c)
        heat = c.heat_capacity * theta
        sound = heat * air.reference.exner(height, c)  # c_p T
        sound *= c.gas_constant / (c.heat_capacity - c.gas_constant)  # c^2
        m = np.zeros((k.size, 2, 2), complex)
        m[:, 0, 0] = c.gravity / sound
        m[:, 0, 1] = 1j * k * heat * (1 / wind - wind / sound)
        m[:, 1, 0] = 1j * (N**2 / (k * wind) - k * wind) / heat
        return m

    heights = np.linspace(0, top, round(top / step) + 1)
    values, vectors = np.linalg.eig(matrices(top))
    grown = values.mean(1, keepdims=True)  # by the density
    chosen = [list(s).index(_upward(s)) for s in values - grown]
    wave = vectors[np.arange(k.size), :, chosen]
    w = [wave[:, 0]]
    for upper, lower in zip(heights[:0:-1], heights[-2::-1], strict=True):
        m = matrices((upper + lower) / 2)
        mean = np.trace(m, axis1=1, axis2=2)[:, None, None] / 2
        rest = m - mean * identity  # its square is q^2
        q = np.sqrt(-np.linalg.det(rest) + 0j)[:, None, None]
        h = lower - upper
        step_down = np.exp(mean * h) * (np.cosh(q * h) * identity + np.sinh(q * h) / q * rest)
        wave = (step_down @ wave[..., None])[..., 0]
        w.append(wave[:, 0])
    share = np.array(w[::-1]) / w[-1]
    return np.array([np.interp(z, heights, one) for one in share.T]).T


def _upward(roots):
    """The root that decays upward; of two that do not, the one whose phase lines tilt upwind."""
    fading = [s for s in roots if s.real < -1e-9 * abs(s)]
    return fading[0] if fading else max(roots, key=lambda s: s.imag)


def linear(air, wind, z):
    """w of the steady state at columns and heights z, (levels, nx)."""
    x = air.grid.coordinates()[0][0]
    ground = np.fft.rfft(air.heights[-1, 0] - np.mean(air.heights[-1, 0]))
    n = np.arange(1, ground.size - 1)
    k = 2 * np.pi * n / (x.size * air.grid.dx)
    if hasattr(air.reference, "temperature"):
        c = air.constants
        grow = np.exp(c.gravity * z / (2 * c.gas_constant * air.reference.temperature))
        s = np.array([root(one, wind, air) for one in k])
        upward = grow[:, None] * np.exp(s * z[:, None])
    else:
        upward = over_constant_stability(k, wind, air, z)
    waves = np.zeros((len(z), ground.size), complex)
    waves[:, n] = 1j * k * wind * ground[n] * upward
    return np.fft.irfft(waves, x.size, axis=1)


def at_heights(air, w, z):
    """w of interfaces, (levels, nx), at heights z."""
    columns = zip(w.T, air.heights[:, 0].T, strict=True)
    return np.array([np.interp(z, own[::-1], one[::-1]) for one, own in columns]).T


def short_waves(w, true, z, spacing, near=slice(None)):
    """rms of waves of 3 to 5 km over that of all linear waves, and what is allowed; near: where it
    is measured, of points `spacing` [m] apart.
    """
    length = w.shape[1] * spacing
    n = np.arange(w.shape[1] // 2 + 1)
    inside = (n * 3e3 <= length) & (n * 5e3 >= length)

    def share(of, row):
        some = np.fft.irfft(np.where(inside, np.fft.rfft(of[row]), 0), w.shape[1])
        return float(np.sqrt(np.mean(some[near] ** 2) / np.mean(true[row, near] ** 2)))

    found = {}
    for height, bar in bars.items():
        row = int(np.argmin(np.abs(z - height)))
        computed, linear = share(w, row), share(true, row)
        found[f"{height / 1e3:g} km"] = {
            "computed": computed, "linear": linear, "bar": bar, "holds": computed < bar,
        }  # fmt: skip
    return found


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

    file, settings = cases[case]
    with tempfile.TemporaryDirectory() as directory:
        experiment = Experiment.read(Path(__file__).parents[2] / "experiments" / file, settings)
        sim = experiment.simulation(directory, overwrite=True).prepare()
        sim.run(period or experiment.period)
        return sim.model, sim.gather("upward_air_velocity")[:, 0], sim.gather("x_wind")[:, 0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", choices=list(cases), default="agnesi")
    parser.add_argument("--for", dest="period", help="instead of what the file says")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--picture", metavar="FILE")
    given = parser.parse_args()
    air, w, u = run(given.case, given.period)
    wind, z = float(air.initial["x_wind"]), air.grid.levels.interfaces
    true, levels = linear(air, wind, z), w
    w = at_heights(air, w, z)
    below = z <= 0.6 * air.sponge_bottom
    x = air.grid.coordinates()[0][0]
    near = np.abs(x - x.mean()) < 0.25 * np.ptp(x)
    part = np.ix_(below, near)
    error = float(np.sqrt(np.mean((w - true)[part] ** 2) / np.mean(true[part] ** 2)))
    found = flux(air, u, levels)
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
    else:
        result["short_waves"] = short_waves(w, true, z, air.grid.dx)
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
