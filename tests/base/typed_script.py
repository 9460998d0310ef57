"""A script of a user with types: mypy reads it in `make check`, nothing runs it. The lines that say
`type: ignore` are mistakes: where mypy does not see one, it says that the remark is not needed.
"""

from __future__ import annotations

import numpy as np

import fathom as fm

grid = fm.TripolarGrid(resolution="1deg", levels=fm.ZLevels(nz=40, depth=5500), bathymetry="etopo5")
ocean = fm.Ocean(
    grid, vertical_mixing=fm.KPP(critical=0.3), eddies=fm.GentMcWilliams(diffusivity=600)
)
ocean.set(temperature="levitus", salinity="levitus", motion="balanced")
simulation = fm.Simulation(ocean, time_step="1h", surface=fm.BulkForcing("coads"))
simulation.output("surface.zarr", ["sea_surface_temperature"], every="5d", statistic="mean")


def follow(now: fm.Simulation) -> None:
    print(now.date, np.nanmax(now.gather("temperature")))


simulation.call(follow, every="1d").run("30d")
surface = fm.open("surface.zarr")
fm.plots.picture(surface, "sea_surface_temperature", path="ocean.png")

channel = fm.CartesianGrid(32, 64, extent=(1e6, 2e6), periodic=True, levels=fm.ZLevels(nz=9))
fm.Ocean(channel, coriolis=(1e-4, 0.0)).set(temperature=10.0, salinity=35.0)
globe = fm.LatitudeLongitudeGrid(nx=120, ny=60, levels=fm.ZLevels(nz=9), bathymetry="etopo5")
fm.Ocean(globe)

physics = fm.BasicPhysics(radiation_every="1h", convection=fm.BettsMiller(relaxation=3600))
air = fm.SpectralAtmosphere(fm.GaussianGrid(42, levels=fm.HybridLevels(20)), physics=physics)
air.set(analysis="gfs", digital_filter="6h")
fm.Simulation(air, time_step="20min").prepare().advance(3)
print(fm.__version__, fm.names.get("temperature").units)

fm.Misspelt  # type: ignore[attr-defined]
fm.Ocaen(grid)  # type: ignore[attr-defined]
fm.KPP(critica=0.3)  # type: ignore[call-arg]
fm.Ocean(grid, vertical_mixin=fm.KPP())  # type: ignore[call-arg]
fm.Simulation(ocean, steps="1h")  # type: ignore[call-arg]
