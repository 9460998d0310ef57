"""Run under mpiexec: a small case of each model for some steps with output, alone or beside another
program under one clock, with an I/O server or without. Rank 0 prints, as JSON, the checksum of the
state and a hash of what was written.
"""

import hashlib
import sys
import tempfile
from pathlib import Path

import numpy as np

import cases
import fathom as fm
import small_areas
import small_planes
from fathom.base.mpi import world


def ocean(parallel):
    made = cases.box(nx=20, ny=16, nz=4)
    made.set(temperature=lambda x, y, d: 10 + x / 1e6 + 0 * y * d, salinity=35.0)
    wind = fm.SurfaceForcing(stress_x=lambda x, y: 0.1 * np.cos(y / 3e5) + 0 * x)
    return fm.Simulation(made, "20min", surface=wind, parallel=parallel), "sea_surface_height"


def ocean_with_ice(parallel):
    levels = fm.ZLevels(nz=3, depth=300, surface=50)
    grid = fm.LatitudeLongitudeGrid(24, 18, longitude=(0, 40), latitude=(60, 80), levels=levels)
    made = fm.Ocean(grid, physics="simple", sea_ice=fm.SeaIce(area=0.5, thickness=1.0))
    made.set(temperature=2.0, salinity=34.0)
    air = fm.BulkForcing("coads")
    return fm.Simulation(made, "20min", surface=air, parallel=parallel), "sea_ice_area"


def spectral(parallel):
    made = fm.SpectralAtmosphere(fm.GaussianGrid(15, levels=fm.SigmaLevels(5)))
    made.set(
        air_temperature=lambda x, y, p: 250 + 40 * np.cos(np.deg2rad(y)) * p / 1e5 + 0 * x,
        eastward_wind=lambda x, y, p: 20 * np.cos(np.deg2rad(y)) * (1.1 - p / 1e5) + 0 * x,
        northward_wind=lambda x, y, p: np.sin(np.deg2rad(5 * x)) * np.cos(np.deg2rad(y)),
    )
    return fm.Simulation(made, "20min", parallel=parallel), "air_temperature"


def area(parallel):
    grid = small_areas.area(points=(20, 18), resolution=80e3, coupling=4, extension=8)
    one = small_areas.simulation(small_areas.disturbed(grid=grid), "5min", **parallel)
    return one, "air_temperature"


def nested_area(parallel):
    one, _ = small_areas.nested("5min", globe_step="20min", parallel=parallel, points=(20, 18))
    return one, "air_temperature"


def gridpoint(parallel):
    made = small_planes.bubble(nx=20, ny=8).model
    return fm.Simulation(made, "20s", parallel=parallel), "air_potential_temperature"


models = {
    "ocean": ocean,
    "ocean_with_ice": ocean_with_ice,
    "spectral": spectral,
    "area": area,
    "gridpoint": gridpoint,
}
alone, nested = "alone", "nested"


def run(name, server=0, placed=alone, steps=4):
    """The checksum of a model, and of its store."""
    parallel = {"io_servers": server} if server else {}
    folder = Path(world.bcast(tempfile.mkdtemp() if world.rank == 0 else None))
    if placed == nested and name == "area":
        one, variable = nested_area(parallel)
    else:
        one, variable = models[name](parallel)
    one.directory, one.overwrite = folder, True
    one.output("store.zarr", [variable], every=f"{one.time_step * steps / 2:g}s")
    if placed == nested and name != "area":
        other, _ = ocean(parallel)
        both = fm.Programs({"one": one, "other": other}, folder, overwrite=True)
        both.run("40min", report=False, progress=False)
    else:
        one.run(f"{one.time_step * steps:g}s", report=False, progress=False)
    checksum = "" if one.serves else one.checksum()
    world.barrier()
    if world.rank:
        return None
    stores = [fm.open(path).load() for path in sorted(folder.rglob("store.zarr"))]
    content = b"".join(s[name].values.tobytes() for s in stores for name in sorted(s.data_vars))
    return {"checksum": checksum, "store": hashlib.sha256(content).hexdigest()}


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    from small_atmospheres import main

    main(globals())
