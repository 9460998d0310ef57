"""Run under mpiexec: a rank that leaves, or is told something else: leaving_on_ranks.py CASE."""

import sys
import tempfile

import cases
import fathom as fm
from fathom.base.mpi import world


def simulation(step="1h"):
    ocean = cases.box(nx=12, ny=10, nz=3).set(temperature=10.0, salinity=35.0)
    return fm.Simulation(ocean, step, directory=tempfile.mkdtemp())


def run(one, length="1d"):
    one.run(length, report=False, progress=False)


def leave(_):
    if world.rank == 1:
        sys.exit(0)


def before():
    if world.rank == 1:
        sys.exit()
    run(simulation())


def within():
    one = simulation()
    one.call(leave, "3h")
    run(one)


def together():
    """All leave."""
    one = simulation()
    one.call(lambda _: sys.exit(0), "3h")
    run(one)


def length():
    run(simulation(), f"{world.rank + 1}d")


def step():
    run(simulation("1h" if world.rank else "30min"))


if __name__ == "__main__":
    globals()[sys.argv[1]]()
