"""A small area inside the globe, which runs with it, on the ranks of an MPI run:
python area_in_globe.py FUNCTION [key=value ...] prints one JSON object on rank 0.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

import fathom as fm
import small_areas
from fathom.base import mpi
from fathom.output.formats import restart
from fathom.run.one_restart import complete


def both(directory=None, area_servers=0, globe_servers=0):
    """An area and its outer model, which gives its state each half hour. A globe with servers has
    no state before the run; the area then starts from numbers.
    """
    if directory is None:
        directory = mpi.world.bcast(tempfile.mkdtemp() if mpi.is_root else None)
    servers = lambda number: {"io_servers": number} if number else {}
    if not globe_servers:
        area, globe = small_areas.nested(every="30min")
        given = area.model
    else:
        _, globe = small_areas.nested(every="30min")
        globe = fm.Simulation(globe.model, "900s", parallel=servers(globe_servers))
        given = fm.LimitedAreaAtmosphere(
            small_areas.area(points=(30, 24), resolution=100e3), outer=globe, outer_every="30min"
        ).set(air_temperature=270.0, eastward_wind=10.0)
    area = fm.Simulation(given, "300s", directory=directory, parallel=servers(area_servers))
    globe.output("globe.nc", ["air_temperature"], every="30min")
    area.output("area.nc", ["air_temperature"], every="30min")
    return area, globe


def in_gridpoint_globe(directory, inner):
    """A "spectral" or "gridpoint" area in a globe with levels of height, and that globe."""
    levels = fm.HeightLevels(nz=6, top=20e3)
    grid = fm.LatitudeLongitudeGrid(24, staggering="C", levels=levels)
    air = fm.GridPointAtmosphere(grid).set(eastward_wind=20.0, air_temperature=280.0)
    globe = fm.Simulation(air, "900s")
    if inner == "spectral":
        model = fm.LimitedAreaAtmosphere(
            small_areas.area(points=(24, 20), resolution=100e3), outer=globe
        ).set(analysis="outer")
    else:
        place = {"centre": (8, 46), "points": (20, 18), "resolution": 100e3}
        model = fm.GridPointAtmosphere(
            fm.RotatedGrid(**place, levels=levels), outer_model=globe
        ).set(air_temperature=280.0, eastward_wind=20.0)
    return fm.Simulation(model, "300s", directory=directory), globe


def told(area, globe):
    """Checksums and what the stores hold, from rank 0, which always steps."""
    found = {}
    if not area.serves:
        found = {"area": area.checksum(), "globe": globe.checksum(), "date": str(area.date)}
    mpi.world.barrier()
    if mpi.is_root:
        for name in ("area.nc", "outer/globe.nc"):
            with fm.open(area.directory / name) as store:
                found[name] = [float(store["ta"].mean()), store.sizes["time"]]
    return found


def bits(hours=2, **options):
    area, globe = both(**options)
    area.run(f"{hours}h", progress=False, report=False)
    return told(area, globe)


def killed(directory, number, when):
    """A run with a restart each half hour, whose process ends while it writes that of so many:
    "before" the area's own file, or "within" it.
    """
    area, _ = both(directory)
    area.checkpoint("30min", keep=2)
    create, finish, seen = restart.create, restart.finish, []

    def count(path):
        seen.append(path.name)
        return seen.count("area.fathom") == number and path.name == "area.fathom"

    def at_create(path, *others):
        if count(path) and when == "before":
            os._exit(9)
        return create(path, *others)

    def at_finish(path, *others):
        if seen.count("area.fathom") == number and path.name == "area.fathom":
            os._exit(9)
        return finish(path, *others)

    restart.create, restart.finish = at_create, at_finish
    area.run("2h", progress=False, report=False)


def resumed(directory):
    area, globe = both(directory)
    area.restore(complete(Path(directory))[-1][1])
    began = restart.read(area.restart_from).header.seconds
    started: list[float] = []
    globe.call(lambda s: started.append(s.seconds), every="15min")
    area.run("2h", progress=False, report=False, from_start=True)
    return told(area, globe) | {"began": began, "outer_began": started[0] - 900}


def main():
    name, *arguments = sys.argv[1:]
    options = {k: json.loads(v) for k, v in (a.split("=", 1) for a in arguments)}
    result = globals()[name](**options)
    if mpi.is_root:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
