"""Small seas with tides: python tidal_seas.py NAME [key=value ...] prints one JSON object."""

import datetime
import hashlib
import tempfile
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.ocean import constituents

g, start, size = 9.80616, "2001-03-05", 8e3
omega = constituents.CONSTITUENTS["M2"].frequency
friction = {"bottom_drag": 2e-4, "bottom_speed": 10.0}  # linear: 2e-3 m s-1


def bay(rows=36, depth=50.0, amplitude=0.01, phase=30.0, flow="clamped", step=300.0, **output):
    """A bay without rotation, open to the south, from the solution at rest onwards; and the
    solution A exp(-i g) at its rows: cos k(L - y) / cos kL, k of waves with friction.
    """
    levels = fm.ZLevels(nz=1, depth=depth)
    grid = fm.CartesianGrid(
        nx=4, ny=rows, extent=(4 * size, rows * size), periodic=True, levels=levels
    )
    length = (rows - 0.5) * size
    k = omega / np.sqrt(g * depth) * np.sqrt(1 - 1j * 2e-3 / (omega * depth))
    y = (np.arange(rows) + 0.5) * size - 0.5 * size
    exact = (
        amplitude * np.cos(k * (length - y)) / np.cos(k * length) * np.exp(-1j * np.radians(phase))
    )
    now = constituents.wave("M2", datetime.datetime.fromisoformat(start), False)
    tides = fm.BoundaryTides(sea_surface_height={"m2": (amplitude, phase)}, nodal=False)
    edges = fm.OpenEdges(
        [fm.OpenEdge("south", flow=flow)], temperature=10.0, salinity=35.0, tides=tides
    )
    model = fm.Ocean(
        grid,
        coriolis=(0, 0),
        open_edges=edges,
        equation_of_state=fm.LinearEquationOfState(),
        momentum_advection=None,
        friction=None,
        diffusion=None,
        free_surface=fm.FreeSurface(implicitness=0.5),
        **friction,
    )
    model.set(
        temperature=10.0,
        salinity=35.0,
        sea_surface_height=lambda x, y: np.interp(
            y, (np.arange(rows) + 0.5) * size, (exact * now).real
        ),
    )
    sim = fm.Simulation(
        model,
        step,
        surface=fm.SurfaceForcing(),
        start=start,
        directory=output.pop("directory", None) or tempfile.mkdtemp(),
        overwrite=True,
        **output,
    )
    return sim, exact


def analysed(folder, blocks=None, stop=None):
    """Checksum of amplitude and phase over two intervals, in one run or in two."""
    folder = Path(folder)
    parts = {"rows": 12, "step": 1200.0, "directory": folder, "parallel": {"blocks": blocks}}

    def fresh():
        sim, _ = bay(**parts)
        return sim.output("tide.zarr", "sea_surface_height", every="10h", harmonics=["M2"])

    sim = fresh()
    if stop is not None:
        sim.checkpoint(stop, path="stop.fathom").run(stop, report=False)
        sim = fresh().restore(folder / "stop.fathom")
    sim.run("20h" if stop is None else "7h", report=False)
    with fm.open(folder / "tide.zarr") as data:
        found = [data[f"zos_{part}"].values.tobytes() for part in ("amplitude", "phase")]
        return {
            "checksum": hashlib.sha256(b"".join(found)).hexdigest(),
            "times": data.sizes["time"],
        }


if __name__ == "__main__":
    from small_atmospheres import main

    main(globals())
