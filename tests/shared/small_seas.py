"""A small ocean of real bathymetry and its tangent, for test_ocean_tangent.py."""

import hashlib

import numpy as np

import fathom as fm
from fathom.assimilation.ocean_tangent import OceanTangent


def simulation(surface, **options):
    """Levitus on a coarse globe."""
    grid = fm.LatitudeLongitudeGrid(
        nx=36, ny=18, bathymetry="etopo5", levels=fm.ZLevels(nz=5, depth=4000)
    )
    usual = {"physics": "simple", "free_surface": fm.FreeSurface(tolerance=1e-13)}
    ocean = fm.Ocean(grid, **usual | options)
    ocean.set(temperature="levitus", salinity="levitus", motion="geostrophic")
    return fm.Simulation(ocean, "1h", surface=surface)


def sea(**options):
    """Its tangent, after a day."""
    sim = simulation(fm.BulkForcing("coads"), **options)
    sim.advance(24)
    return OceanTangent(sim)


def change(tangent, seed=3):
    """A random change of all of the state, of the size of its errors; land stays 0."""
    random = np.random.default_rng(seed).standard_normal(tangent.size)
    random[tangent.vector(tangent.first) == 0] = 0
    size = {"temperature": 0.5, "salinity": 0.1, "sea_surface_height": 0.02}
    for name, values in tangent.split(random).items():
        values *= size.get(name, 0.01)
    return random


def bits():
    """Of the change after three steps."""
    tangent = sea()
    after = tangent.propagation(3).apply(change(tangent))
    return hashlib.sha256(after.tobytes()).hexdigest()


if __name__ == "__main__":
    from small_atmospheres import main

    main(globals())
