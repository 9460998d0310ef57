"""Your own diagnostic: the heat of a column of water, J m-2, as an output variable.

A diagnostic is a function of the fields of the model. It is called block by block, on all ranks, at
the times of an output; `needs` names its input fields. Then output, plots and TOML files accept its
name: `variables = ["heat_content"]`.

    python examples/own_diagnostic.py [days]
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import fathom as fm

days = int(sys.argv[1]) if len(sys.argv) > 1 else 10
density, heat_capacity = 1026.0, 3996.0


@fm.diagnostic(
    "heat_content",
    ["temperature"],
    units="J m-2",
    long_name="heat of the column",
    vertical="column",
)
def heat_content(model, window, temperature):
    """rho c sum of T dz over the wet layers of a column; one level (1, ny, nx)."""
    j, i, ny, nx = window
    wet = np.asarray(model.grid.wet_levels)[j : j + ny, i : i + nx]
    thickness = np.asarray(model.grid.levels.weights)[:, None, None]
    there = np.arange(len(thickness))[:, None, None] < wet
    return density * heat_capacity * np.sum(temperature * thickness * there, axis=0, keepdims=True)


grid = fm.CartesianGrid(
    nx=12, ny=12, extent=(1.2e6, 1.2e6), levels=fm.ZLevels(nz=5, depth=500, spacing="uniform")
)
ocean = fm.Ocean(grid, coriolis=(1e-4, 0)).set(
    temperature=lambda x, y, z: 12 - z / 100, salinity=35.0
)
directory = Path(tempfile.mkdtemp())
sim = fm.Simulation(ocean, time_step="1h", directory=directory)
sim.output("heat.nc", variables=["heat_content"], every="1d")
sim.run(f"{days}d", report=False)

if sim.is_root:
    heat = fm.open(directory / "heat.nc")["heat_content"]
    mean = heat.mean(("y", "x"))
    print(heat)
    print(f"{mean[0].item():.4e} J m-2 at the start, {mean[-1].item():.4e} J m-2 at the end")
