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
        sea_surface_height=np.tile((exact * now).real[:, None], 4),
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


def taylor(x, y, width, length, depth, f, friction, modes=20):
    """The tide of a gulf on the turning earth (Taylor 1921, with friction): A exp(-i g) at x, y,
    for a Kelvin wave of 1 at x = 0, y = 0 that comes in from y = 0 along x = 0 and turns round at
    the head, y = length.

    Modes exp(m y) are waves between walls at x = 0 and x = width, where p eta_x + f eta_y = 0, p =
    i omega + friction; their amplitudes make p eta_y - f eta_x = 0 at the head.
    """
    p, n = 1j * omega + friction, np.arange(1, modes + 1)
    m = np.sqrt(1j * omega * p / (g * depth))
    k = n * np.pi / width
    s = np.sqrt(k**2 + 1j * omega * (p**2 + f**2) / (g * depth * p))

    def kelvin(x, y, m):  # with both derivatives
        eta = np.exp(m * y - f * m / p * x)
        return eta, -f * m / p * eta, m * eta

    def poincare(x, y, k, s):
        up, across = np.exp(s * (y - length)), -f * s / (p * k)
        eta = (np.cos(k * x) + across * np.sin(k * x)) * up
        return eta, k * (across * np.cos(k * x) - np.sin(k * x)) * up, s * eta

    def basis(x, y):
        back = kelvin(x - width, y - length, m)
        return [kelvin(x, y, -m), back, *(poincare(x, y, a, b) for a, b in zip(k, s))]

    at = np.linspace(0, width, 4 * modes + 5)
    flow = np.array([p * north - f * east for _, east, north in basis(at, length)]).T
    others = np.linalg.lstsq(flow[:, 1:], -flow[:, 0], rcond=None)[0]
    return sum(a * eta for a, (eta, _, _) in zip([1, *others], basis(x, y)))


def gulf(columns=24, rows=40, cell=16e3, depth=60.0, f=1.2e-4, step=300.0, directory=None):
    """A gulf on the turning earth with the height of Taylor's solution at its mouth in the south;
    and the solution at its cells.
    """
    levels = fm.ZLevels(nz=1, depth=depth)
    grid = fm.CartesianGrid(
        nx=columns, ny=rows, extent=(columns * cell, rows * cell), levels=levels
    )
    x, y = grid.coordinates()
    # at the walls, corners without flow are half a cell from the middle of the first cell
    exact = 0.01 * taylor(
        x - cell / 2, y - cell / 2, (columns - 1) * cell, (rows - 1) * cell, depth, f, 2e-3 / depth
    )
    lag = abs(exact), np.degrees(-np.angle(exact))
    tides = fm.BoundaryTides(sea_surface_height={"M2": lag}, nodal=False)
    mouth = fm.OpenEdge("south", flow="clamped")
    edges = fm.OpenEdges(mouth, temperature=10.0, salinity=35.0, tides=tides)
    model = fm.Ocean(
        grid,
        coriolis=(f, 0),
        open_edges=edges,
        equation_of_state=fm.LinearEquationOfState(),
        momentum_advection=None,
        friction=None,
        diffusion=None,
        free_surface=fm.FreeSurface(implicitness=0.5),
        **friction,
    )
    now = constituents.wave("M2", datetime.datetime.fromisoformat(start), False)
    model.set(temperature=10.0, salinity=35.0, sea_surface_height=(exact * now).real)
    surface, folder = fm.SurfaceForcing(), directory or tempfile.mkdtemp()
    sim = fm.Simulation(model, step, surface=surface, start=start, directory=folder, overwrite=True)
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
