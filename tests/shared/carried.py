"""Grid-point atmospheres of all geometries, whose air and tracers are carried; run on any ranks."""

import tempfile

import numpy as np

import fathom as fm
import small_planes
import small_spheres

spots = {
    "degrees": lambda x, y, z: np.exp(-(((x - 90) / 40) ** 2) - ((y - 60) / 25) ** 2) + 0 * z,
    "metres": lambda x, y, z: np.exp(-(((x - 9e3) / 3e3) ** 2) - ((z - 2e3) / 1e3) ** 2) + 0 * y,
}


def dyed(make, units="degrees", tracers=("dye",), **options):
    sim = make(tracers=list(tracers), **options)
    sim.model.set(**{name: spots[units] for name in tracers})
    return sim


def deep(wind=40.0, **options):
    """Deep air that blows over the poles."""
    sim = small_spheres.sphere(**options)
    sim.model.set(
        x_wind=lambda x, y, z: wind * np.cos(np.deg2rad(x)) * np.sin(np.deg2rad(y)) + 0 * z,
        y_wind=lambda x, y, z: -wind * np.sin(np.deg2rad(x)) + 0 * (y + z),
    )
    return sim


def gust(rows=24, step=200.0, precision="fp64"):
    """Calm air before a storm of which it knows nothing until it is traced again: each
    interpolation of the wind finds more of it, and looks further.
    """
    levels = fm.HeightLevels(nz=6, top=8e3, decay=2)
    grid = fm.CartesianGrid(
        12, rows, extent=(12e3, 1e3 * rows), periodic=(True, True), levels=levels
    )
    air = fm.GridPointAtmosphere(grid, coriolis=0.0, precision=precision)
    beyond = lambda y, row: 0.5 * (1 + np.tanh((y / 1e3 - row) / 1.8))
    air.set(y_wind=lambda x, y, z: -80 * beyond(y, 13.5) * (1 - beyond(y, 20.5)) + 0 * (x + z))
    return fm.Simulation(air, time_step=step, directory=tempfile.mkdtemp())


turning, axis, bubble = small_spheres.turning, small_spheres.around_the_axis, small_planes.bubble
cases = {
    "sphere": lambda **p: dyed(turning, wind=60.0, **p),
    "many tracers": lambda **p: dyed(turning, tracers="abcdef", fix_mass=False, **p),
    "deep": deep,
    "area": lambda **p: dyed(axis, **p),
    "deep area": lambda **p: axis(deep=True, **p),
    "slice": lambda **p: bubble(ny=1, **p),
    "channel": lambda **p: dyed(bubble, "metres", **p),
    "plane without walls": lambda **p: bubble(walls=False, **p),
    "moist": small_spheres.aquaplanet,
}
# so long that no rank needs a whole row, other than for the wind on a pole
sector = {"nx": 240, "ny": 8, "number": 6}
of_ranks = {
    "gust": gust,
    "sectors": lambda **p: dyed(turning, tracers="abc", wind=60.0, **sector, **p),
    "deep sectors": lambda **p: deep(**sector, **p),
}


def carried(name, precision, steps, **parallel):
    """Checksums of the fields after some steps; points that come from other ranks; the processes
    that a device leaves to the processor.
    """
    s = (cases | of_ranks)[name](precision=precision)
    s.parallel.update(parallel)
    s.advance(steps)
    halos = [p.halo for p in s.sequence.globals if isinstance(p, fm.base.mpi.core.GridPointCarrier)]
    shown = dict(s.describe()[1])["device"] if parallel.get("device") else []
    return {
        "checksums": {field: str(s.fields.checksum([field])) for field in s.fields.state},
        "received": sum(points for points, _ in halos),
        "left": ", ".join(shown[1:]).rpartition(": ")[2],
    }
