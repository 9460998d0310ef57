"""An eddy that crosses the edge of a region which gives its state back to the basin around it:
python two_way_seas.py NAME [key=value ...] prints one JSON object.
"""

import math
import tempfile
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.base import mpi

size = 20e3  # of a cell of the basin [m]
counts = (24, 20)  # its cells along x and y
columns, rows = (4, 14), (5, 15)  # the covered ones
quiet = {"progress": False, "report": False}


expansion, coriolis, depth = 2e-4, 7e-5, 600.0
fold = 200.0  # depth in which an eddy falls to 1/e [m]
drift = 0.3  # flow along x that carries it [m s-1]
middle, radius = (150e3, 200e3), 45e3  # of the eddy at the start [m]


def parts(**given):
    return {
        "coriolis": (coriolis, 0.0),
        "equation_of_state": fm.LinearEquationOfState(thermal_expansion=expansion),
        "vertical_mixing": fm.ConstantMixing(viscosity=1e-3, diffusivity=1e-5),
        "friction": fm.LaplacianFriction(viscosity=50.0),
        "diffusion": fm.LaplacianDiffusion(diffusivity=20.0),
        "tracer_advection": "UpwindAdvection",
        "bottom_drag": 0.0,
        "tracers": ["dye"],
    } | given


def levels():
    return fm.ZLevels(nz=3, depth=depth, spacing="uniform")


def eddy(x, y):
    """1 in the middle of an eddy."""
    return np.exp(-((x - middle[0]) ** 2 + (y - middle[1]) ** 2) / radius**2)


def warmth(x, y, z):
    return 20 - z / 40 + 2 * eddy(x, y) * np.exp(-z / fold)


def pressure(x, y, z):
    """Of the eddy, over density; 0 at the bottom [m2 s-2]."""
    shape = np.exp(-z / fold) - np.exp(-depth / fold)
    return 9.81 * expansion * 2 * fold * eddy(x, y) * shape


def started(model):
    """An eddy of warm water in balance, in a flow along x that carries it out of the region."""
    slope = 2 / radius**2 / coriolis
    return model.set(
        temperature=warmth,
        salinity=lambda x, y, z: 35 + 0.2 * eddy(x, y) * np.exp(-z / fold),
        dye=lambda x, y, z: eddy(x, y) * np.exp(-z / fold),
        velocity_x=lambda x, y, z: drift + slope * (y - middle[1]) * pressure(x, y, z),
        velocity_y=lambda x, y, z: -slope * (x - middle[0]) * pressure(x, y, z),
        sea_surface_height=lambda x, y: (
            pressure(x, y, 0.0) / 9.81 - coriolis * drift / 9.81 * (y - counts[1] * size / 2)
        ),
    )


def basin(finer=1, step="20min", depth="flat", periodic=True, **given):
    """The whole channel, of cells as large, or `finer` ones along a side."""
    nx, ny = (finer * n for n in counts)
    extent = tuple(n * size for n in counts)
    grid = fm.CartesianGrid(
        nx=nx, ny=ny, extent=extent, periodic=periodic, bathymetry=depth, levels=levels()
    )
    return fm.Simulation(started(fm.Ocean(grid, **parts(**given))), step, overwrite=True)


def lines(first, last, finer):
    """Corners of cells `finer` times smaller, the first and last of which end at these cells'
    faces in their middle.
    """
    d = size / finer
    return list(first * size - d / 2 + d * np.arange((last - first) * finer + 2))


def region(outer="basin", finer=2, step="10min", nesting="two-way", given=None, **edges):
    x, y = lines(*columns, finer), lines(*rows, finer)
    grid = fm.CartesianGrid(x=x, y=y, levels=levels(), bathymetry=edges.pop("depth", "flat"))
    sides = edges.pop("sides", "all")
    edges = fm.OpenEdges(sides, outer=outer, nesting=nesting, **edges)
    return fm.Simulation(
        started(fm.Ocean(grid, open_edges=edges, **parts(**given or {}))), step, overwrite=True
    )


def both(folder, ranks=None, outer=None, **how):
    own = outer or {}
    return fm.Programs({"basin": basin(**own), "inner": region(**how)}, folder, ranks)


def content(simulation, names, covered=()):
    """Volume and contents of a sea, without the cells `covered`."""
    grid, s = simulation.model.grid, simulation
    levels = np.arange(grid.shape[0])[:, None, None] < np.asarray(grid.wet_levels)
    h = np.array([grid.thickness(k) for k in range(grid.shape[0])]) * levels
    eta = s.gather("sea_surface_height")[0]
    if s.model.stretched:
        depth = np.asarray(grid.depth())
        h = h * (1 + eta / np.where(depth > 0, depth, 1))
    else:
        h[0] += np.where(levels[0], eta, 0)
    volume = h * np.asarray(grid.areas[0])
    volume.reshape(len(volume), -1)[:, list(covered)] = 0
    found = {"volume": math.fsum(volume.ravel())}
    for name in names:
        found[name] = math.fsum((volume * s.gather(name)).ravel())
    return found


def total(programs, covered=None):
    """Volume and contents of the sea outside and the region together."""
    if covered is None:
        numbers = np.arange(counts[0] * counts[1]).reshape(counts[1], counts[0])
        covered = numbers[slice(*rows), slice(*columns)].ravel()
    names = ("temperature", "salinity", "dye")
    basin, inner = (programs.members[name].program for name in ("basin", "inner"))
    a, b = content(basin, names, covered), content(inner, names)
    return {name: a[name] + b[name] for name in a}


def means(values):
    """Of a run of small cells in the cells of the basin."""
    nx, ny = counts
    return values.reshape(ny, 3, nx, 3).mean((1, 3))


def eddy_that_leaves(days=6, folder=None):
    """An eddy whose middle leaves a region of cells a third as long, against a run all of such
    cells: how much less dye its middle has, and the r.m.s. error of the surface, one way and two.
    """
    folder = Path(folder or directory())
    fine = basin(finer=3, step="400s")
    fine.directory = folder / "fine"
    fine.run(f"{days}d", **quiet)
    true = {name: means(fine.gather(name)[0]) for name in ("dye", "temperature")}
    less, error = {}, {}
    for nesting in ("one-way", "two-way"):
        programs = both(folder / nesting, finer=3, step="400s", nesting=nesting)
        programs.run(f"{days}d", **quiet)
        found = {name: programs.members["basin"].program.gather(name)[0] for name in true}
        less[nesting] = float(1 - found["dye"].max() / true["dye"].max())
        error[nesting] = {n: float(np.sqrt(((found[n] - true[n]) ** 2).mean())) for n in true}
    return {"less dye": less, "error": error}


def directory():
    return mpi.world.bcast(tempfile.mkdtemp() if mpi.is_root else None)


def bits(ranks=None, hours=2):
    """Checksums of both, in turn or side by side."""
    programs = both(directory(), ranks, outer_every="20min")
    programs.run(f"{hours}h", **quiet)
    own = {m.name: m.program.checksum() for m in programs.here}
    return {name: one for part in programs.comm.allgather(own) for name, one in part.items()}


if __name__ == "__main__":
    from small_atmospheres import main

    main(globals())
