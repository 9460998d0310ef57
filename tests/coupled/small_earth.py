"""A small coupled system, on the ranks of an MPI run: python small_earth.py FUNCTION
[key=value ...] prints one JSON object on rank 0.
"""

import tempfile

import numpy as np

import fathom as fm
from fathom.base import mpi


def small(directory=None, **how):
    """Air of few columns with land, over a sea with ice."""
    if directory is None:
        directory = mpi.world.bcast(tempfile.mkdtemp() if mpi.is_root else None)
    globe = fm.GaussianGrid(10, levels=fm.SigmaLevels(5))
    air = fm.SpectralAtmosphere(globe, physics=fm.BasicPhysics(land="TiledLand")).set(
        air_temperature=lambda lon, lat, p: 285 - 40 * np.sin(np.deg2rad(lat)) ** 2,
        specific_humidity=0.002,
        eastward_wind=5.0,
    )
    steps = {"atmosphere": "30min", "ocean": "1h"}
    how = {"rivers": False} | how
    return fm.Coupled(air, sea(), steps, directory=directory, overwrite=True, **how)


def sea():
    """The ocean of it."""
    grid = fm.LatitudeLongitudeGrid(nx=24, ny=12, bathymetry="etopo5", levels=fm.ZLevels(nz=3))
    ice = fm.SeaIce(
        limits=[0.64],
        area=lambda lon, lat: np.clip((abs(lat) - 55) / 20, 0, 1),
        thickness=1.0,
        subcycles=4,
    )
    surface = fm.FreeSurface(freshwater="volume")
    ocean = fm.Ocean(grid, physics="simple", sea_ice=ice, free_surface=surface)
    return ocean.set(temperature="levitus", salinity="levitus")


def told(programs):
    """Checksums of both, and the last budget, on all ranks."""
    own = {
        member.name: member.program["river_water"].sum().hex()
        if member.name == "rivers"
        else member.program.checksum()
        for member in programs.here
    }
    found = {"budget": programs.budget.closed[-1]}
    for part in mpi.world.allgather(own):
        found.update(part)
    return found


def bits(hours=4, **options):
    programs = small(**options)
    programs.run(f"{hours}h", progress=False, report=False)
    return told(programs)


def continued(hours=2, more=2, **options):
    """Run, then continued by other objects from the restart."""
    first = small(**options)
    first.run(f"{hours}h", progress=False, report=False)
    again = small(directory=first.directory, **options).restore()
    again.run(f"{more}h", progress=False, report=False)
    found = told(again)
    del found["budget"]
    return found


if __name__ == "__main__":
    from small_atmospheres import main

    main(globals())
