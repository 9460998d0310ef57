"""Small grid-point atmospheres for the tests, each in one process of an MPI run: python
small_planes.py NAME [key=value ...] prints one JSON object on rank 0.
"""

import json
import sys
import tempfile

import numpy as np


def hill(x, y):
    return 400 * np.exp(-(((x - 20e3) / 5e3) ** 2)) * (1 + 0.2 * np.cos(2 * np.pi * y / 8e3))


def bubble(
    nx=40,
    ny=8,
    wind=15.0,
    ground=True,
    step="20s",
    precision="fp64",
    blocks=None,
    distribution="auto",
    threads=1,
    tile=64,
    directory=None,
    walls=True,
    **model,
):
    """A warm bubble in a wind over a hill, with rotation."""
    import fathom as fm

    grid = fm.CartesianGrid(
        nx,
        ny,
        extent=(40e3, 1e3 * ny),
        periodic=(True, not walls),
        levels=fm.HeightLevels(nz=10, top=8e3, decay=2),
    )
    air = fm.GridPointAtmosphere(
        grid,
        orography=hill if ground else 0.0,
        precision=precision,
        **{"coriolis": 1e-4} | model,
    )
    air.set(
        x_wind=wind,
        y_wind=lambda x, y, z: 2 * np.sin(np.pi * y / (1e3 * ny)) ** 2,
        potential_temperature_deviation=lambda x, y, z: (
            2 * np.exp(-(((x - 10e3) / 4e3) ** 2) - ((z - 3e3) / 1500) ** 2)
        ),
    )
    parallel = {
        "blocks": blocks,
        "distribution": distribution,
        "threads": threads,
        "tile": tile,
    }
    return fm.Simulation(
        air, time_step=step, parallel=parallel, directory=directory or tempfile.mkdtemp()
    )


def along(axis, n=16, steps=6, **model):
    """Air over a ridge and a warm bubble across the ends of a square that is periodic along both
    axes, all of it along x (0) or along y (1): winds after some steps, those along the axis first.
    """
    import fathom as fm

    levels = fm.HeightLevels(nz=10, top=8e3, decay=2)
    grid = fm.CartesianGrid(n, n, extent=1e3 * n, periodic=(True, True), levels=levels)
    of_axis = lambda f: lambda x, y, *z: f(x, y, *z) if axis == 0 else f(y, x, *z)
    near = lambda x: np.cos(2 * np.pi * x / (1e3 * n))
    ridge = lambda x, y: 150 * np.exp(3 * (near(x - 2e3) - 1)) * (1 + 0.3 * near(y - 5e3))
    warm = lambda x, y, z: np.exp(4 * (near(x) + near(y - 1e3) - 2) - ((z - 3e3) / 1500) ** 2)
    air = fm.GridPointAtmosphere(
        grid, orography=of_axis(ridge), coriolis=0.0, tolerance=1e-10, **model
    )
    wind = ("x_wind", "y_wind")
    own, across = wind if axis == 0 else wind[::-1]
    air.set(
        potential_temperature_deviation=of_axis(warm),
        **{own: 12.0, across: of_axis(lambda x, y, z: 5 * near(x) + 0 * z)},
    )
    sim = fm.Simulation(air, time_step="30s", directory=tempfile.mkdtemp()).prepare()
    sim.advance(steps)
    found = [sim.gather(name) for name in (own, across, "upward_air_velocity")]
    return [np.swapaxes(f, 1, 2) if axis else f for f in found]


def bits(steps=3, **options):
    """Checksum after some steps, and how much air there is."""
    from fathom.base.mpi import core

    sim = bubble(**options).prepare()
    before = mass(sim)
    sim.advance(steps)
    solve = sim.find(core.HelmholtzSolve)
    halos = [p.halo for p in sim.sequence.globals if isinstance(p, core.GridPointCarrier)]
    return {
        "checksum": sim.checksum(),
        "change_of_mass": mass(sim) / before - 1,
        "iterations": solve.iterations / solve.solves,
        "residual": solve.residual,
        "received": sum(points for points, _ in halos),
        "w": sim.fields.extremes("upward_air_velocity")["maximum"],
    }


def mass(sim):
    """Of all air, on all ranks [kg]."""
    density = sim.gather("air_density")
    if sim.is_root:
        h = sim.model.heights
        total = float(np.sum(density.astype(float) * (h[:-1] - h[1:])))
    else:
        total = 0.0
    return sim.comm.bcast(total)


if __name__ == "__main__":
    from fathom.base import mpi

    arguments = dict(item.split("=", 1) for item in sys.argv[2:])
    found = globals()[sys.argv[1]](**{k: json.loads(v) for k, v in arguments.items()})
    if mpi.world.rank == 0:
        print(json.dumps(found))
