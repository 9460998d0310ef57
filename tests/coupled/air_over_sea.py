"""A small air over a small sea, on the ranks of an MPI run: python air_over_sea.py FUNCTION
[key=value ...] prints one JSON object on rank 0.
"""

import os
import tempfile

import numpy as np

import fathom as fm
from fathom.base import mpi


def air(time_step="30min", truncation=10, **more):
    grid = fm.GaussianGrid(truncation, levels=fm.SigmaLevels(4))
    model = fm.SpectralAtmosphere(grid, physics=fm.BasicPhysics())
    model.set(air_temperature=lambda lon, lat, p: 270 + 25 * np.cos(2 * np.deg2rad(lat)))
    return fm.Simulation(model, time_step, **more)


def sea(time_step="1h", **more):
    grid = fm.LatitudeLongitudeGrid(
        nx=24, ny=12, bathymetry="etopo5", levels=fm.ZLevels(nz=3, depth=4000)
    )
    ocean = fm.Ocean(grid, physics="simple").set(temperature="levitus", salinity="levitus")
    return fm.Simulation(ocean, time_step, surface=fm.SurfaceForcing(heat_flux=0.0), **more)


def both(
    directory=None,
    ranks=None,
    concurrent=False,
    exchanges=True,
    first="air",
    servers=0,
    sea_step="1h",
):
    """Heat and stress into the sea, means of 3 hours; its temperature to the air. concurrent: heat
    and stress of the interval before, too, so that both step at the same time.
    """
    if directory is None:
        directory = mpi.world.bcast(tempfile.mkdtemp() if mpi.is_root else None)
    parallel = {"io_servers": servers} if servers else None
    members = {"air": air(parallel=parallel), "sea": sea(sea_step)}
    members = dict(sorted(members.items(), reverse=first == "sea"))
    found = fm.Programs(members, directory=directory, ranks=ranks)
    if exchanges:
        found.exchange(
            "air.sea_turbulent_flux",
            "sea.surface_heat_flux",
            every="3h",
            statistic="mean",
            lagged=concurrent,
            change=lambda flux: -flux,
        )
        found.exchange(
            ("air.surface_stress_eastward", "air.surface_stress_northward"),
            ("sea.surface_stress_x", "sea.surface_stress_y"),
            every="3h",
            statistic="mean",
            lagged=concurrent,
        )
        found.exchange(
            "sea.temperature",
            "air.sea_surface_temperature",
            every="3h",
            lagged=True,
            change=lambda celsius: celsius + 273.15,
        )
    return found


def told(programs):
    """Checksums of all programs, on all ranks."""
    own = {member.name: member.program.checksum() for member in programs.here}
    found = {}
    for part in mpi.world.allgather(own):
        found.update(part)
    return found


def bits(hours=6, **options):
    programs = both(**options)
    programs.run(f"{hours}h", progress=False, report=False)
    return told(programs)


def continued(hours=6, more=6, **options):
    """Run, then continued by other objects from the restart."""
    first = both(**options)
    first.run(f"{hours}h", progress=False, report=False)
    again = both(directory=first.directory, **options).restore()
    again.run(f"{more}h", progress=False, report=False)
    return told(again) | {"date": str(again.date)}


def killed(directory, at=7, hours=12, **options):
    """A run with a restart every 3 hours whose process ends in the middle."""
    programs = both(directory=directory, **options).checkpoint(every="3h", keep=2)
    programs.members["sea"].program.call(
        lambda sea: os._exit(9) if sea.seconds >= at * 3600 else None, "1h"
    )
    programs.run(f"{hours}h", progress=False, report=False)


def resumed(directory, hours=12, **options):
    programs = both(directory=directory, **options).restore()
    programs.run(f"{hours}h", progress=False, report=False, from_start=True)
    return told(programs)


if __name__ == "__main__":
    from small_atmospheres import main

    main(globals())
