"""The perturbations of a weather situation that grow most in a day: singular vectors of the total
energy norm, by Lanczos with the tangent model and its adjoint.

    python docs/results/singular_vectors.py --out runs/singular-vectors

From the GFS state of 2011-10-11, dry, T21 on ten levels; at the end the energy north of 30 N counts
alone. Writes singular-vectors.png, the first vector at its start and end and the growth of all, and
singular-vectors.json: `growth`, sigma of each; `tangent`, that of the first by the tangent run;
`model`, by two runs of the model with a hundredth of it added and subtracted; `energy`, by layer,
of the first. docs/results/assimilation.md has the result.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.assimilation.singular_vectors import EnergyRoot, singular_vectors
from fathom.assimilation.trajectory import Trajectory
from fathom.grids.transform import SphericalHarmonics
from fathom.plots.style import new_figure, styled


def trajectory_of(options):
    grid = fm.GaussianGrid(options.truncation, levels=fm.SigmaLevels(options.levels))
    model = fm.SpectralAtmosphere(grid, diffusion_time="6h", fix_mass=False)
    model.set(analysis="gfs", digital_filter="6h")
    simulation = fm.Simulation(
        model, time_step="1h", start="2011-10-11", directory=tempfile.gettempdir()
    )
    trajectory = Trajectory(simulation)
    trajectory.follow(options.hours)
    return trajectory


def energy_by_layer(root, state):
    """Of kinetic and potential energy, part of each layer."""
    u, v, mass = np.split(
        root.waves.fields(root.weights() * state * state), [n := root.layers.size, 2 * n]
    )
    return (u + v + mass[:-1]).sum((1, 2))


@styled
def picture(grid, transform, root, found):
    """Temperature and stream function of the first vector where it has most energy, and growth."""
    from matplotlib import gridspec

    figure = new_figure(10, 7)
    cells = gridspec.GridSpec(2, 2, figure, width_ratios=(3, 1.2), wspace=0.25, hspace=0.3)
    longitude = np.linspace(0, 360, transform.shape[1] + 1)
    for row, (title, state) in enumerate(
        (("at the start", found.initial[0]), ("a day later", found.final[0]))
    ):
        k = int(np.argmax(energy_by_layer(root, state)))
        psi, _, _ = root.waves.to_waves(state)
        T = root.waves.fields(state)[2 * root.layers.size + k]
        psi = transform.inverse(psi[k : k + 1])[0]
        wrap = lambda f: np.concatenate([f, f[:, :1]], 1)
        axes = figure.add_subplot(cells[row, 0])
        most = np.abs(T).max()
        axes.pcolormesh(
            longitude, transform.latitude, wrap(T), cmap="RdBu_r", vmin=-most, vmax=most,
            shading="gouraud",
        )  # fmt: skip
        lines = np.abs(psi).max() * np.array(
            [-0.9, -0.7, -0.5, -0.3, -0.1, 0.1, 0.3, 0.5, 0.7, 0.9]
        )
        axes.contour(longitude, transform.latitude, wrap(psi), lines, colors="0.2", linewidths=0.7)
        pressure = 500 * (grid.levels.b[k] + grid.levels.b[k + 1])
        axes.set_title(f"{title}: temperature, stream function at {pressure:.0f} hPa", loc="left")
        axes.set_ylim(-30, 88)
        axes.set_xlabel("longitude")
        axes.set_ylabel("latitude")
    axes = figure.add_subplot(cells[0, 1])
    axes.plot(np.arange(1, len(found.values) + 1), found.values, "o-", color="#1b6ca8")
    axes.set_title("growth in a day", loc="left")
    axes.set_xlabel("singular vector")
    axes.set_ylim(0, 1.1 * found.values[0])
    axes = figure.add_subplot(cells[1, 1])
    height = 500 * (grid.levels.b[1:] + grid.levels.b[:-1])
    for label, state in (("start", found.initial[0]), ("end", found.final[0])):
        energy = energy_by_layer(root, state) / root.layers
        axes.plot(energy / energy.sum(), height, label=label)
    axes.invert_yaxis()
    axes.legend(frameon=False)
    axes.set_title("energy of the first by level", loc="left")
    axes.set_ylabel("hPa")
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", default="runs/singular-vectors")
    for name, default in (("truncation", 21), ("levels", 10), ("hours", 24), ("number", 6)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    began = time.process_time()
    trajectory = trajectory_of(options)
    grid = trajectory.model.grid
    transform = SphericalHarmonics(options.truncation, grid.rows)
    root = EnergyRoot(transform, np.diff(grid.levels.b))
    north = transform.inside & (transform.latitude > 30)[:, None]
    found = singular_vectors(trajectory, root, options.number, inside=north, tolerance=1e-6)
    energy = lambda x: float(np.sqrt(x @ (root.weights(north) * x)))
    start, d, steps = trajectory.vector(trajectory.first), 1e-2 * found.initial[0], trajectory.steps
    pair = 0.5 * (trajectory.run(start + d, steps) - trajectory.run(start - d, steps))
    result = {
        "growth": found.values.tolist(),
        "tangent": energy(found.final[0]),
        "model": energy(pair) / 1e-2,
        "energy": {
            name: energy_by_layer(root, state).tolist()
            for name, state in (("start", found.initial[0]), ("end", found.final[0]))
        },
        "applications": found.applications,
        "processor_seconds": time.process_time() - began,
    }
    (out / "singular-vectors.json").write_text(json.dumps(result, indent=1))
    picture(grid, transform, root, found).savefig(out / "singular-vectors.png", dpi=80)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
