#!/usr/bin/env python3
"""Linear gravity and sound waves in a channel against the exact solution (Baldauf & Brdar 2013,
Q. J. R. Meteorol. Soc. 139, 1977): isothermal air, a warm spot, rigid lids.

    python docs/results/baldauf_brdar.py --json waves.json
        case `fast`: 300 km, mean wind 20 m/s, half an hour; `slow`: 6000 km, with rotation, 8 hours
    --resolutions 3     how many, each with half the spacing and step of the one before
    --picture waves.png

`l2_error`: of the temperature at the finest, relative; `order_in_space`: from the two finest.

With a factor exp(z / 2H) = exp(delta z / 2) taken out, the linear equations have constant
coefficients, and a wave in x stays one of w ~ sin(m z), m = pi / height:
    u' - f v' = -p'_x,   v' + f u' = 0,   w' = -(p_z - delta/2 p) - g rho
    rho' = -(u_x + w_z - delta/2 w),      p' = g w - c^2 (u_x + w_z + delta/2 w)
with p, rho, u, v of cos(m z) and sin(m z): nine numbers, whose exponential is the solution. Its
sound waves, with periods of a minute and less, are left out of the start and of the solution: the
long steps of a weather model do not resolve them.
"""

import argparse
import json
import sys
import tempfile

import numpy as np

from fathom.plots.style import new_panels, styled

R, CP, G, P0, T0, HEIGHT, WARM = 287.05, 1005.0, 9.80665, 1e5, 250.0, 10e3, 0.01
DELTA = G / (R * T0)
cases = {
    "fast": {"length": 300e3, "width": 5e3, "wind": 20.0, "f": 0.0, "x": 100e3, "time": 1800.0},
    "slow": {"length": 6e6, "width": 1e5, "wind": 0.0, "f": 1.03126e-4, "x": 2e6, "time": 28800.0},
}  # fmt: skip
coarsest = {"fast": (2000.0, 24.0), "slow": (40e3, 240.0)}  # spacing [m], step [s]


def matrix(k, f):
    """Of d/dt (u_c, u_s, v_c, v_s, w, p_c, p_s, rho_c, rho_s) for the wave number k along x."""
    m, c2, x = np.pi / HEIGHT, CP / (CP - R) * R * T0, 1j * k
    a = np.zeros((9, 9), complex)
    for part in (0, 1):
        a[part, 2 + part], a[part, 5 + part], a[2 + part, part] = f, -x, -f
        a[5 + part, part], a[7 + part, part] = -c2 * x, -x
    a[4, 5], a[4, 6], a[4, 8] = m, DELTA / 2, -G
    a[5, 4], a[6, 4] = -c2 * m, G - c2 * DELTA / 2
    a[7, 4], a[8, 4] = -m, DELTA / 2
    return a


def without_sound(a):
    """The projection to the modes of a matrix that are slower than sound: the integral of its
    resolvent around them, |omega| < 0.05 s-1 (gravity waves: 0.02 at most, sound: 0.1 at least).
    """
    circle = 0.05 * np.exp(2j * np.pi * (np.arange(64) + 0.5) / 64)
    return sum(z * np.linalg.inv(z * np.eye(9) - a) for z in circle) / circle.size


def exact(case, time, x, z, sound=False):
    """Relative to the air at rest: u, v, w [m s-1], p' / p_0, rho' / rho_0 at a time, at points x
    and heights z: (levels, nx) each.
    """
    from scipy.linalg import expm

    c, points = cases[case], 4096
    fine = np.arange(points) * c["length"] / points
    distance = (fine - c["x"] + c["length"] / 2) % c["length"] - c["length"] / 2
    spot = np.fft.rfft(np.exp(-((distance / c["width"]) ** 2))) / points
    parts = np.zeros((9, x.size))
    for n in np.flatnonzero(np.abs(spot) > 1e-15 * np.abs(spot).max()):
        k = 2 * np.pi * n / c["length"]
        start, a = np.zeros(9, complex), matrix(k, c["f"])
        start[8] = -WARM / T0 * spot[n] * (2 if n else 1)
        if not sound:
            start = without_sound(a) @ start
        wave = np.exp(1j * k * (x - c["wind"] * time))
        parts += (expm(a * time) @ start)[:, None].real * wave.real
        parts -= (expm(a * time) @ start)[:, None].imag * wave.imag
    angle, grow = np.pi * z[:, None] / HEIGHT, np.exp(DELTA * z[:, None] / 2)
    both = lambda n: grow * (np.cos(angle) * parts[n] + np.sin(angle) * parts[n + 1])
    w = grow * np.sin(angle) * parts[4]
    return both(0), both(2), w, both(5) / (R * T0), both(7)


def warmer(fields):
    """T' [K] of fields of `exact`."""
    return T0 * (fields[3] - fields[4])


def start(simulation, case):
    """The state of the model from the exact one: waves without sound, which no long step could
    follow.
    """
    air, wind = simulation.model, cases[case]["wind"]
    grid, (x, _) = air.grid, air.grid.coordinates()
    x, middles, interfaces = x[0], grid.levels.middles, grid.levels.interfaces
    _, density, theta = air.rest.state
    at_faces = exact(case, 0.0, x + grid.dx / 2, middles)
    at_middles, between = exact(case, 0.0, x, middles), exact(case, 0.0, x, interfaces)
    state = {
        "x_wind": wind + at_faces[0],
        "y_wind": at_middles[1],
        "upward_air_velocity": between[2],
        "air_potential_temperature": theta[:, 0] * (1 + warmer(between) / T0 - R / CP * between[3]),
        "air_density": density[:, 0] * (1 + at_middles[4]),
    }
    for name, values in state.items():
        for k, level in enumerate(values):
            simulation.fields.set(name, np.ascontiguousarray(level[None]), k)


def simulation(case, refined, directory, **model):
    """With so many halvings of spacing and step."""
    import fathom as fm

    c, (spacing, step) = cases[case], coarsest[case]
    nx, number = round(c["length"] / spacing) * 2**refined, 10 * 2**refined
    grid = fm.CartesianGrid(nx, extent=c["length"], levels=fm.HeightLevels(nz=number, top=HEIGHT))
    air = fm.GridPointAtmosphere(
        grid,
        reference_temperature=T0,
        coriolis=c["f"],
        **{"implicitness": 0.5, "gravity": G, "gas_constant": R, "heat_capacity": CP} | model,
    )
    return fm.Simulation(air, time_step=step / 2**refined, directory=directory, overwrite=True)


def deviation(simulation):
    """T' of the layers, from the same air at rest, and w of the interfaces, (levels, nx)."""
    from fathom.atmosphere.gridpoint.diagnostics import temperature

    _, density, theta = simulation.model.rest.state
    names = ("air_density", "air_potential_temperature")
    now = temperature(simulation.model, *(simulation.gather(name) for name in names))
    rest = temperature(simulation.model, density, theta)
    return (now - rest)[:, 0], simulation.gather("upward_air_velocity")[:, 0]


def errors(case, refined, directory, **model):
    """Of one resolution: relative L2 and largest errors, and the fields."""
    sim = simulation(case, refined, directory, **model).prepare()
    start(sim, case)
    c = cases[case]
    sim.advance(round(c["time"] / sim.time_step))
    grid = sim.model.grid
    x, z = grid.coordinates()[0][0], grid.levels
    temperature, w = deviation(sim)
    true_temperature = warmer(exact(case, c["time"], x, z.middles))
    true_w = exact(case, c["time"], x, z.interfaces)[2]
    norm = lambda a: float(np.sqrt(np.mean(a**2)))
    return {
        "spacing": grid.dx,
        "step": sim.time_step,
        "temperature": norm(temperature - true_temperature) / norm(true_temperature),
        "wind": norm(w - true_w) / norm(true_w),
        "extremes": [float(a) for b in (temperature, w) for a in (b.max(), b.min())],
        "exact_extremes": [
            float(a) for b in (true_temperature, true_w) for a in (b.max(), b.min())
        ],
        "fields": (x, z, temperature, true_temperature, w, true_w),
    }


@styled
def draw(found):
    """Computed and exact temperature at the finest resolution of each case."""
    figure, axes = new_panels(len(found), 2, 9.2, 2.6 * len(found))
    for row, (case, runs) in zip(np.atleast_2d(axes), found.items(), strict=True):
        x, z, temperature, true_temperature, w, true_w = runs[-1]["fields"]
        for panel, height, a, b, name in (
            (row[0], z.middles, temperature, true_temperature, "T' [mK]"),
            (row[1], z.interfaces, w, true_w, "w [mm/s]"),
        ):
            most = 1e3 * np.abs(b).max()
            levels = np.linspace(-most, most, 20)
            filled = panel.contourf(x / 1e3, height / 1e3, 1e3 * a, levels, cmap="RdBu_r")
            panel.contour(x / 1e3, height / 1e3, 1e3 * b, levels[::2], colors="k", linewidths=0.4)
            panel.set(title=f"{case}: {name}, lines exact", xlabel="x [km]", ylabel="z [km]")
            figure.colorbar(filled)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--picture", metavar="FILE")
    parser.add_argument("--resolutions", type=int, default=4)
    parser.add_argument("--cases", default="fast,slow")
    given = parser.parse_args()
    found, result = {}, {}
    with tempfile.TemporaryDirectory() as directory:
        for case in given.cases.split(","):
            runs = found[case] = [errors(case, n, directory) for n in range(given.resolutions)]
            for run in runs:
                print(
                    f"{case}: {run['spacing']:g} m, {run['step']:g} s: T' {run['temperature']:.3e},"
                    f" w {run['wind']:.3e}, extremes {run['extremes']}"
                )
            orders = {
                name: float(np.log2(runs[-2][name] / runs[-1][name]))
                for name in ("temperature", "wind")
            }
            result[case] = {
                "order_in_space": orders["temperature"],
                "order_of_wind": orders["wind"],
                "l2_error": runs[-1]["temperature"],
                "runs": [{k: v for k, v in run.items() if k != "fields"} for run in runs],
            }
    result |= {
        "order_in_space": min(result[case]["order_in_space"] for case in found),
        "l2_error": max(result[case]["l2_error"] for case in found),
    }
    print(f"order {result['order_in_space']:.3f}, error {result['l2_error']:.3e}")
    if given.json:
        with open(given.json, "w") as file:
            json.dump(result, file, indent=1)
    if given.picture:
        draw(found, path=given.picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
