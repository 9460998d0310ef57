"""Runs that ask for parts of the earth and of time, for tests; also under mpiexec: python
output_requests.py sums prints one JSON object on rank 0.
"""

import hashlib
import json
import sys
import tempfile
from pathlib import Path

import numpy as np


def run_atmosphere(folder, ending=".nc", servers=0, writers="all", length="3h"):
    """Three hours of waves, asked for in many ways."""
    import fathom as fm
    from small_atmospheres import held_suarez

    simulation = held_suarez(15, 4, step="1200s", mountain=1000, servers=servers)
    simulation.directory = Path(folder)
    simulation.parallel["writers"] = writers
    hours = {"every": "1h"}
    europe = [-12, 40, 35, 70]
    temperature = ["air_temperature"]
    for name, asked in {
        "whole": {},
        "europe": {"area": europe},
        "regular": {"latlon_resolution": 10},
        "regular-europe": {"latlon_resolution": 10, "area": europe},
        "cells": {"latlon_resolution": 10, "regrid": "conservative"},
        "zonal": {"zonal": True},
        "window": {"window": ["2000-01-01 00:30", "2000-01-01 02:30"]},
        "window-mean": {
            "window": ["2000-01-01 00:30", "2000-01-01 02:30"],
            "statistic": "mean",
        },
        "mean": {"statistic": "mean"},
        "total": {"statistic": "accumulation"},
        "altitude": {"levels": {"altitude": [500, 5000]}},
        "theta": {"levels": {"potential_temperature": [350]}, "latlon_resolution": 10},
        "hybrid": {"levels": {"hybrid": 6}, "spectral_truncation": 9},
        "tropopause": {"levels": {"potential_vorticity": [1.5]}, "latlon_resolution": 10},
        "grid": {"grid": fm.GaussianGrid(10, stretching=1.5, pole=(5.0, 45.0))},
        "same-grid": {"grid": simulation.model.grid},
        "fit": {"spectral_truncation": 7},
        "fit-all": {"spectral_truncation": 15},
        "fit-regular": {"spectral_truncation": 7, "latlon_resolution": 10},
        "warm": {"levels": {"potential_temperature": [300]}},
        "fit-warm": {"levels": {"potential_temperature": [300]}, "spectral_truncation": 15},
    }.items():
        simulation.output(name + ending, temperature, **hours, **asked)
    winds = ["eastward_wind", "northward_wind"]
    simulation.output("fit-wind" + ending, winds, spectral_truncation=15, **hours)
    simulation.output("wind" + ending, winds, **hours)
    simulation.output("smooth-wind" + ending, [winds[0]], spectral_truncation=7, **hours)
    simulation.output("spin" + ending, ["vorticity"], statistic="mean", **hours)
    turning = ["vorticity", "potential_vorticity"]
    simulation.output("turning" + ending, turning, levels=[500], **hours)
    for name, asked in {
        "zonal": {"zonal": True},
        "zonal-mean": {"zonal": True, "statistic": "mean"},
        "zonal-europe": {"zonal": True, "latlon_resolution": 10, "area": europe},
        "total": {"statistic": "accumulation"},
    }.items():
        simulation.output(f"{name}.grib2", temperature, **hours, **asked)
    simulation.output("places.nc", turning, moorings=[[0, 52], [90, -20]], **hours)
    simulation.run(length, report=False)
    return simulation


def run_ocean(folder, ending=".nc"):
    """An hour of a global ocean."""
    import fathom as fm

    levels = fm.ZLevels(thickness=[100.0, 400.0, 1500.0])
    depth = np.full((20, 48), 2000.0)
    depth[8:16, 10:20] = 0  # an island
    grid = fm.LatitudeLongitudeGrid(48, 20, levels=levels, latitude=(-75, 75), bathymetry=depth)
    ocean = fm.Ocean(grid, physics="simple")
    ocean.set(
        temperature=lambda lon, lat, depth: 20 - np.abs(lat) / 5 - depth / 200 + lon / 360,
        salinity=35.0,
    )
    simulation = fm.Simulation(ocean, time_step="30m", directory=folder)
    for name, asked in {
        "whole": {},
        "area": {"area": [-70, 20, 0, 60]},
        "zonal": {"zonal": True, "latlon_resolution": 10},
        "cells": {"latlon_resolution": 10, "regrid": "conservative"},
    }.items():
        simulation.output(name + ending, ["temperature"], every="1h", **asked)
    simulation.run("1h", report=False)
    return simulation


def sums(servers=0, writers="all"):
    """Hashes of all stores but their names of files."""
    from fathom.base import mpi

    folder = mpi.world.bcast(tempfile.mkdtemp() if mpi.is_root else None)
    run_atmosphere(folder, ".zarr", servers, writers, "1h")
    mpi.world.barrier()
    found = {}
    for store in sorted(Path(folder).glob("*.zarr")) if mpi.is_root else ():
        total = hashlib.sha256()
        for file in sorted(f for f in store.rglob("*") if f.is_file()):
            total.update(str(file.relative_to(store)).encode() + file.read_bytes())
        found[store.name] = total.hexdigest()
    return found


def whole_times(servers=0, writers="all"):
    """Hashes of files of GRIB2 and FA, and who encoded."""
    from fathom.base import mpi
    from small_atmospheres import held_suarez

    sphere = {"stretching": 1.5, "pole": (5.0, 45.0)}
    simulation = held_suarez(15, 4, step="1200s", mountain=1000, servers=servers, **sphere)
    folder = mpi.world.bcast(tempfile.mkdtemp() if mpi.is_root else None)
    simulation.directory = Path(folder)
    simulation.parallel["writers"] = writers
    names = ["air_temperature", "eastward_wind", "northward_wind", "surface_air_pressure"]
    for ending in ("grib2", "fa"):
        simulation.output(f"layers.{ending}", names, every="1h")
        simulation.output(
            f"mean.{ending}", names[:3], every="1h", latlon_resolution=6, statistic="mean"
        )
        simulation.output(
            f"levels.{ending}", [*names, "geopotential_height"], every="1h", levels=[850, 500, 250]
        )
    simulation.output("waves.fa", names, every="1h", compression="waves")
    simulation.run("2h", report=False)
    mpi.world.barrier()
    found = {}
    for path in (
        sorted((*Path(folder).glob("*.grib2"), *Path(folder).glob("*.fa/*"))) if mpi.is_root else ()
    ):
        content = path.read_bytes()
        if path.suffix == ".grib2":  # the first line has a date
            content = content.split(b"\n", 1)[1]
        if path.name != "frame.fa":
            found[str(path.relative_to(folder))] = hashlib.sha256(content).hexdigest()
    return found


def main():
    from fathom.base import mpi

    result = globals()[sys.argv[1]](*map(int, sys.argv[2:]))
    if mpi.is_root:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
