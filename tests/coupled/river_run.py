"""Rain on the land of a small air, rivers, and a sea that counts what comes, on the ranks of an MPI
run: python river_run.py FUNCTION [key=value ...] prints one JSON object on rank 0.
"""

import hashlib
import tempfile

import numpy as np

import fathom as fm
from fathom.base import mpi


class Rain(fm.Program):
    def advance(self):
        y, x = np.indices(self["runoff"].shape)
        self["runoff"] = 1e-5 * (1 + np.sin(x + 0.3 * self.count) * np.cos(y))


class Gauge(fm.Program):
    def advance(self):
        self["total"] += self["water"] * self.time_step


def programs(directory=None, ranks=None):
    if directory is None:
        directory = mpi.world.bcast(tempfile.mkdtemp() if mpi.is_root else None)
    air = fm.GaussianGrid(10, levels=fm.SigmaLevels(2))
    sea = fm.LatitudeLongitudeGrid(
        nx=24, ny=12, bathymetry="etopo5", levels=fm.ZLevels(nz=3, depth=4000)
    )
    members = {
        "air": Rain(air, "6h", {"runoff": "kg m-2 s-1"}),
        "rivers": fm.Rivers(air, sea, "12h"),
        "sea": Gauge(sea, "12h", {"water": "kg m-2 s-1", "total": "kg m-2"}),
    }
    found = fm.Programs(members, directory=directory, ranks=ranks)
    found.exchange("air.runoff", "rivers.runoff_flux", "12h", "mean")
    return found.exchange(
        "rivers.water_flux_into_sea_water_from_rivers", "sea.water", "12h", "mean"
    )


def told(found):
    """A checksum of the fields of all programs, on all ranks, and the water that has come."""
    own = {
        f"{member.name} {name}": hashlib.sha256(values.tobytes()).hexdigest()
        for member in found.here
        for name, values in member.program.fields.items()
    }
    for member in found.here:
        if member.name == "sea":
            own["water"] = float(member.program["total"].sum())
    every = {}
    for part in mpi.world.allgather(own):
        every.update(part)
    return every


def bits(days=6, **options):
    found = programs(**options)
    found.run(f"{days}d", progress=False, report=False)
    return told(found)


def continued(days=3, more=3, **options):
    """Run, then continued by other objects from the restart."""
    first = programs(**options)
    first.run(f"{days}d", progress=False, report=False)
    again = programs(directory=first.directory, **options).restore()
    again.run(f"{more}d", progress=False, report=False)
    return told(again)


if __name__ == "__main__":
    from small_atmospheres import main

    main(globals())
