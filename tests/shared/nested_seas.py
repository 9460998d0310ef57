"""A region of a double gyre inside the basin, which runs with it or has run before:
python nested_seas.py NAME [key=value ...] prints one JSON object.
"""

import tempfile
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.base import mpi

size, cells = 50e3, 24  # of the basin: a cell [m], cells along a side
rows, columns = (5, 19), (6, 20)  # of the basin's cells, the first and last of which are the edges


def levels(nz=4):
    return fm.ZLevels(nz=nz, depth=1000, spacing="uniform")


def parts(dye=True):
    return {
        "coriolis": (7e-5, 2e-11),
        "friction": fm.LaplacianFriction(viscosity=2e3),
        "diffusion": fm.LaplacianDiffusion(diffusivity=500.0),
        "tracers": ["dye"] if dye else [],
    }


def wind():
    length = cells * size
    return fm.SurfaceForcing(stress_x=lambda x, y: -0.1 * np.cos(2 * np.pi * y / length))


def warmth(x, y, z):
    return 5 + np.exp(-z / 300) * (15 + 2 * np.sin(x / 1e5) * np.cos(y / 8e4))


def basin(land=False, **given):
    """The whole basin, in balance at the start."""
    depth = (lambda x, y: np.where(x < 10 * size, 0.0, 1000.0)) if land else "flat"
    extent = (cells * size, cells * size)
    grid = fm.CartesianGrid(nx=cells, ny=cells, extent=extent, bathymetry=depth, levels=levels())
    model = fm.Ocean(grid, **parts(**given)).set(
        temperature=warmth, salinity=35.0, motion="geostrophic"
    )
    if given.get("dye", True):
        model.set(dye=lambda x, y, z: x / 1e6 + 0 * y)
    return fm.Simulation(model, "20min", surface=wind(), overwrite=True)


def region(outer, finer=1, nz=4, west=columns[0], step="20min", directory=".", **edges):
    """The cells of the basin from the middle of the first one to that of the last; each `finer`
    ones along a side.
    """
    d = size / finer
    sides = [
        (first + 0.5) * size - d / 2 + d * np.arange((end - 1 - first) * finer + 2)
        for first, end in ((west, columns[1]), rows)
    ]
    grid = fm.CartesianGrid(x=list(sides[0]), y=list(sides[1]), levels=levels(nz))
    model = fm.Ocean(grid, open_edges=fm.OpenEdges("all", outer=outer, **edges), **parts())
    model.set(analysis="outer")
    return fm.Simulation(model, step, surface=wind(), directory=directory, overwrite=True)


def differences(whole, inner, name):
    """R.m.s. differences of a field from that of the basin by distance from the edge [cells]."""
    there = whole.gather(name)[:, slice(*rows), slice(*columns)]
    here, n = inner.gather(name), there.shape[1]
    last = n - (2 if name.startswith("velocity") else 1)
    along = np.minimum(np.arange(n), last - np.arange(n))
    distance = np.minimum(along[:, None], along)
    found = (here - there) ** 2
    return np.sqrt([found[:, distance == k].mean() for k in range(distance.max() + 1)])


def directory():
    return mpi.world.bcast(tempfile.mkdtemp() if mpi.is_root else None)


def bits(ranks=None, finer=2, nz=5, hours=2):
    """Checksums of both, and the restart that is left, in turn or side by side."""
    whole, folder = basin(), directory()
    inner = region("basin", finer, nz, step="10min", outer_every="40min")
    both = fm.Programs({"basin": whole, "inner": inner}, folder, ranks)
    both.run(f"{hours}h", progress=False, report=False)
    own = {m.name: m.program.checksum() for m in both.here}
    found = {name: one for part in both.comm.allgather(own) for name, one in part.items()}
    return found | {"restarts": sorted(path.name for path in Path(folder).glob("restart-*"))}


if __name__ == "__main__":
    from small_atmospheres import main

    main(globals())
