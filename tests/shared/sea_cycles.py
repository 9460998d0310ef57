"""Cycles of a small sea, for test_sea_cycles.py."""

import hashlib
import tempfile
from pathlib import Path

from fathom.assimilation.cycle import sea, sea_experiment

ocean = """
[grid]
type = "LatitudeLongitudeGrid"
nx = 20
ny = 10
bathymetry = "etopo5"
levels = { type = "ZLevels", nz = 4, depth = 2000 }

[model]
type = "Ocean"
physics = "simple"
vertical_mixing = { type = "ConstantMixing", viscosity = 1e-3, diffusivity = 1e-4 }

[state]
temperature = "levitus"
salinity = "levitus"
motion = "geostrophic"

[simulation]
start = "2000-01-01"
time_step = "3h"
surface = { type = "SurfaceForcing", stress_eastward = 0.05 }
"""
cycle = """
[sea]
experiment = "ocean.toml"

[observations]
profiles = 12

[background]
length = 1.5e6
samples = 20

[assimilation]
window = "10d"
iterations = 5

[inner]
step = "6h"

[cycle]
windows = 1
"""


def cycles(folder, *settings):
    """The cycles of this sea, in a folder."""
    folder.mkdir(exist_ok=True)
    (folder / "ocean.toml").write_text(ocean)
    (folder / "cycle.toml").write_text(cycle)
    return sea.SeaCycles(sea_experiment.read(folder / "cycle.toml", settings), folder / "run")


def bits():
    """Of the end of a window of 4D-Var."""
    from fathom.base.mpi import world

    folder = world.bcast(tempfile.mkdtemp())
    short = 'assimilation.window="2d"', 'assimilation.analyses="1d"', 'observations.every="1d"'
    made = cycles(Path(folder), *short, "assimilation.iterations=1", "background.samples=4")
    made.run("4d-var")
    from fathom.assimilation.cycle import kept

    end = kept.read(made.out / "4d-var" / "window-0000.npz")["end"]
    return hashlib.sha256(end.tobytes()).hexdigest()


def filtered():
    """Of the members after a window of the local filter."""
    from fathom.assimilation.cycle import kept
    from fathom.base.mpi import world

    folder = world.bcast(tempfile.mkdtemp())
    short = 'assimilation.window="2d"', 'assimilation.analyses="1d"', 'observations.every="1d"'
    made = cycles(Path(folder), *short, "ensemble.members=4", "background.samples=4")
    made.run("letkf")
    end = kept.read(made.out / "letkf" / "members-0001.npz")["end"]
    return hashlib.sha256(end.tobytes()).hexdigest()


if __name__ == "__main__":
    from small_atmospheres import main

    main(globals())
