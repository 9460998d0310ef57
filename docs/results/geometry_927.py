"""Change of geometry in memory and by file, and its identities: python docs/results/geometry_927.py
--json FILE, also under mpiexec.

A, the GFS state on a T106 grid with 31 levels, becomes B: stretched twice about 45 N, 5 E, with 40
levels, over the earth's orography there. In memory: B is prepared from the simulation of A. By
file: A writes its restart; another program prepares B from it and writes B's; the forecast of B is
prepared from that. Both times are those of all ranks, the least of the pairs, which go in turn.

    same             A -> A                          bits
    there_and_back   A -> a finer truncation -> A    of what both hold, relative
    levels           A -> the same levels once more through the columns, relative
    at_rest          isothermal air at rest over two orographies, A -> B: wind after an hour less
                     that of B started by the formula of such air [m s-1]
    by_file          B by file against B in memory   bits
    area             A -> a limited area -> the same area   bits
    heights          A -> a grid-point atmosphere -> the same   bits
    heights_by_file  that grid-point atmosphere by file against in memory   bits

Grid-point atmospheres have their own times, in memory and by file: A to the sphere on 192 x 144
points with 31 levels of height, and that to T63 with 31 levels.

the relative change of mass of air and vapour from A to B; and the mean |dp_s/dt| of the first six
hours [hPa/h], all steps and places, of T31 from the GFS state and of a stretched T42 that starts
from it, both after a digital filter of six hours, without physics.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np

import fathom as fm
from fathom.atmosphere.ground.orography import orography
from fathom.atmosphere.remap.columns_over_ground import in_columns
from fathom.base import mpi


def simulation(folder, truncation, levels, ground=0.0, physics=True, **sphere):
    grid = fm.GaussianGrid(truncation, levels=levels, **sphere)
    model = fm.SpectralAtmosphere(
        grid, physics=fm.BasicPhysics() if physics else (), orography=ground
    )
    return fm.Simulation(model, time_step="10m", start="2011-10-11", directory=folder)


def ready(target, given):
    """A simulation prepared from a state, and the seconds that took."""
    mpi.world.barrier()
    began = time.perf_counter()
    target.model.set(analysis=given)
    target.prepare()
    mpi.world.barrier()
    return target, time.perf_counter() - began


def on_heights(folder, rows):
    """A grid-point atmosphere of the sphere."""
    levels = fm.HeightLevels(nz=31, top=30e3, decay=2)
    model = fm.GridPointAtmosphere(
        fm.LatitudeLongitudeGrid(4 * rows // 3, rows, levels=levels),
        tracers=["specific_humidity"],
        precision="fp32",
    )
    return fm.Simulation(model, time_step="5m", start="2011-10-11", directory=folder)


def heights(folder, a, rows, pairs):
    """Grid-point atmospheres: seconds in memory and by file, to one and from it; identities."""
    of_waves = lambda: simulation(folder, 63, fm.HybridLevels("L31"))
    seconds = {"to": ([], []), "from": ([], [])}
    for _ in range(pairs):
        b, taken = ready(on_heights(folder, rows), a)
        c, filed, _ = by_file(folder, a, lambda: on_heights(folder, rows))
        for held, value in zip(seconds["to"], (taken, filed)):
            held.append(value)
        _, taken = ready(of_waves(), b)
        _, filed, _ = by_file(folder, b, of_waves)
        for held, value in zip(seconds["from"], (taken, filed)):
            held.append(value)
    again, _ = ready(on_heights(folder, rows), b)
    identities = {
        "heights": float(b.checksum() != again.checksum()),
        "heights_by_file": float(b.checksum() != c.checksum()),
    }
    return {way: [min(one) for one in both] for way, both in seconds.items()}, identities


def by_file(folder, a, make):
    """B by way of two files: (B, seconds, bytes of the files)."""
    mpi.world.barrier()
    began = time.perf_counter()
    first = a.write_restart("a.fathom")
    job, _ = ready(make(), first)
    second = job.write_restart("b.fathom")
    forecast, _ = ready(make(), second)
    mpi.world.barrier()
    seconds = time.perf_counter() - began
    return forecast, seconds, sum(path.stat().st_size for path in (first, second))


def relative(a, b, names):
    """The largest difference of fields, over their largest value."""
    worst = 0.0
    for name in names:
        x, y = a.gather(name), b.gather(name)
        if x is not None:
            worst = max(worst, np.abs(x - y).max() / max(np.abs(x).max(), 1e-30))
    return mpi.world.bcast(worst)


def of_levels():
    """Columns on their own levels and ground."""
    levels, random = fm.HybridLevels("L31"), np.random.default_rng(1)
    shape = (levels.nz, 500)
    source = {
        "air_temperature": 250 + 20 * random.random(shape),
        "eastward_wind": random.normal(size=shape),
        "northward_wind": random.normal(size=shape),
        "specific_humidity": 1e-3 * random.random(shape),
        "log_pressure_ratio": 0.1 * random.normal(size=(1, 500)),
    }
    ground = 1e4 * random.random(500)
    again = in_columns(source, levels, levels, ground, ground)
    return max(np.abs(again[n] - v).max() / np.abs(v).max() for n, v in source.items())


def at_rest(folder):
    """(wind after an hour, its difference from that of a start by the formula), the largest."""

    def hill(height, longitude):
        return lambda lon, lat: (
            9.80616 * height * np.exp(-(((lon - longitude) / 25) ** 2 + ((lat - 40) / 20) ** 2))
        )

    def air(model, ground):
        weight = lambda lon, lat: 1e5 * np.exp(-ground(lon, lat) / (287.0597 * 280))
        model.set(air_temperature=280.0, surface_air_pressure=weight)

    high, low = hill(1500, 90), hill(900, 120)
    a = simulation(folder, 42, fm.HybridLevels("L19"), high, physics=False)
    air(a.model, high)
    b, direct = (
        simulation(folder, 63, fm.HybridLevels("L31"), low, False, pole=(20.0, 50.0))
        for _ in range(2)
    )
    air(direct.model, low)
    ready(b, a.prepare())
    b.advance(6)
    direct.advance(6)
    names = "eastward_wind", "northward_wind"
    wind = max(abs(b.fields.extremes(n)[end]) for n in names for end in ("minimum", "maximum"))
    b.fields.axpy(-1.0, direct.fields, list(names))
    ends = [abs(b.fields.extremes(n)[end]) for n in names for end in ("minimum", "maximum")]
    return wind, max(ends)


def area(folder):
    """An area at 50 km over Europe, for the state of a globe, or of itself."""
    grid = fm.LimitedAreaGrid(
        (8.0, 46.5), resolution=50e3, points=(60, 50), levels=fm.HybridLevels("L31")
    )
    model = fm.LimitedAreaAtmosphere(grid, tracers=["specific_humidity"])
    return fm.Simulation(model, time_step="5m", start="2011-10-11", directory=folder)


def tendency(simulation):
    """Mean |dp_s/dt| of the first six hours [hPa/h], on rank 0."""
    share = simulation.model.grid.horizontal.area_center
    share = share / share.sum()
    pressures = [simulation.gather("log_pressure_ratio")]
    for _ in range(round(6 * 3600 / simulation.time_step)):
        simulation.advance(1)
        pressures.append(simulation.gather("log_pressure_ratio"))
    if not mpi.is_root:
        return 0.0
    pressures = 1e3 * np.exp([p[0] for p in pressures])
    return float((np.abs(np.diff(pressures, axis=0)) * share).sum((1, 2)).mean()) * (
        3600 / simulation.time_step
    )


def after_filters(folder):
    """The same of A and of B, each from its filtered start."""
    found = []
    for given, arguments in (
        ("gfs", (31, fm.HybridLevels("L19"))),
        (None, (42, fm.HybridLevels("L24"))),
    ):
        sphere = {} if given else {"stretching": 1.5, "pole": (5.0, 45.0)}
        made = simulation(folder, *arguments, 0.0 if given else "earth", False, **sphere)
        made.model.set(analysis=given or found[0], digital_filter="6h")
        found.append(made.prepare())
    b = tendency(found[1])
    return tendency(found[0]), b


def within(folder, a):
    """Of a limited area: whether its state kept all bits, seconds to make it from the globe."""
    inside, seconds = ready(area(folder), a)
    again, _ = ready(area(folder), inside)
    return float(inside.checksum() != again.checksum()), seconds


def air_and_vapour(simulation):
    """Mass of air and of vapour [kg], on all ranks."""
    grid = simulation.model.grid
    humidity, ratio = (simulation.gather(n) for n in ("specific_humidity", "log_pressure_ratio"))
    if not mpi.is_root:
        return mpi.world.bcast(None)
    a, b = (np.diff(values)[:, None, None] for values in (grid.levels.a, grid.levels.b))
    air = (a + 1e5 * b * np.exp(ratio)) * grid.horizontal.area_center / 9.80665
    inside = np.asarray(grid.wet_levels) > 0
    return mpi.world.bcast([float(m[:, inside].sum()) for m in (air, air * humidity)])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--truncation", type=int, default=106)
    parser.add_argument("--rows", type=int, default=144, help="of the grid-point atmosphere")
    parser.add_argument("--pairs", type=int, default=3)
    return parser.parse_args()


def main():
    given = arguments()
    folder = tempfile.mkdtemp() if mpi.is_root else None
    folder = mpi.world.bcast(folder)
    N = given.truncation
    a = simulation(folder, N, fm.HybridLevels("L31"))
    a.model.set(analysis="gfs")
    a.prepare()

    pole = {"stretching": 2.0, "pole": (5.0, 45.0)}
    ground = orography(fm.GaussianGrid(N, **pole), N)["surface_geopotential"]

    def make():
        return simulation(folder, N, fm.HybridLevels("L40"), ground, **pole)

    memory, files = [], []
    for _ in range(given.pairs):
        target = make()
        b, seconds = ready(target, a)
        memory.append(seconds)
        c, seconds, size = by_file(folder, a, make)
        files.append(seconds)
    (air, vapour), (air_b, vapour_b) = air_and_vapour(a), air_and_vapour(b)
    same, _ = ready(simulation(folder, N, fm.HybridLevels("L31")), a)
    finer, _ = ready(simulation(folder, 3 * N // 2, fm.HybridLevels("L31")), a)
    back, _ = ready(simulation(folder, N, fm.HybridLevels("L31")), finer)
    held = ("eastward_wind", "northward_wind", "virtual_temperature", "log_pressure_ratio")
    identities = {
        "same": float(same.checksum() != a.checksum()),
        "there_and_back": relative(a, back, held),
        "levels": of_levels(),
        "by_file": float(b.checksum() != c.checksum()),
    }
    wind, identities["at_rest"] = at_rest(folder)
    identities["area"], seconds_of_area = within(folder, a)
    of_heights, more = heights(folder, a, given.rows, given.pairs)
    identities |= more
    result = {
        "seconds_in_memory": min(memory),
        "seconds_by_file": min(files),
        "bytes_of_files": size,
        "bytes_of_files_in_memory": 0,
        "identities": identities,
        "largest_error_identity": max(identities.values()),
        "wind_at_rest": wind,
        "seconds_to_area": seconds_of_area,
        "seconds_to_and_from_heights": of_heights,
        "pressure_tendency": after_filters(folder),
        "air_gained": air_b / air - 1,
        "vapour_gained": vapour_b / vapour - 1,
        "ranks": mpi.world.size,
    }
    if mpi.is_root:
        text = json.dumps(result, indent=1)
        print(text)
        if given.json:
            given.json.write_text(text)


if __name__ == "__main__":
    main()
