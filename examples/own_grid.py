"""A forecast on your own grid: from a global run to one that is finer over a region, in memory.

A coarse global atmosphere runs for some hours. A second model has its rows about another pole, is
finer there, and has other levels and finer mountains. It starts from the state of the first (change
of geometry, docs/post.md) and writes maps of the region alone.

    python examples/own_grid.py [truncation]
"""

import sys
import tempfile

import numpy as np

import fathom as fm
from fathom import output

truncation = int(sys.argv[1]) if len(sys.argv) > 1 else 42
home = (10.0, 50.0)  # longitude, latitude
folder = tempfile.mkdtemp()


def atmosphere(levels, **grid):
    return fm.SpectralAtmosphere(
        fm.GaussianGrid(truncation, levels=levels, **grid),
        orography="earth",
        tracers=["specific_humidity"],
    )


# The world, from the embedded analysis, for two hours.
world = fm.Simulation(
    atmosphere(fm.HybridLevels("L19")).set(analysis="gfs"),
    time_step="20m",
    start="2011-10-11",
    directory=f"{folder}/world",
)
world.run("2h", report=False)

# The fine grid: spacing halved at its pole, doubled opposite; it starts from the global state.
mine = fm.Simulation(
    atmosphere(fm.HybridLevels("L24"), stretching=2.0, pole=home).set(analysis=world),
    time_step="10m",
    start="2011-10-11 02:00:00",
    directory=f"{folder}/home",
)
mine.output(
    "home.nc",
    ["air_pressure_at_mean_sea_level"],
    every="1h",
    latlon_resolution=1,
    area=[-15, 35, 35, 65],
)
mine.run("1h", report=False)


def sea_pressure(simulation):
    """The mean over a sea without mountains, 0-30 W and 45-60 N [hPa]."""
    longitude, latitude = simulation.model.grid.coordinates()
    pressure = 1000 * np.exp(simulation.gather("log_pressure_ratio")[0])
    there = (np.abs((longitude + 15 + 180) % 360 - 180) < 15) & (np.abs(latitude - 52) < 8)
    there &= simulation.model.grid.wet_levels > 0
    area = simulation.model.grid.horizontal.area_center
    return float((pressure * area)[there].sum() / area[there].sum())


there, here = sea_pressure(world), sea_pressure(mine)
area = output.open(f"{folder}/home/home.nc")
print(f"surface pressure over the Atlantic: {there:.1f} hPa there, {here:.1f} hPa here")
print(f"home.nc: {dict(area.sizes)}")
